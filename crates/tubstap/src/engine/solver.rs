//! The solver: whether the side to move, or the other one, can wipe out its opponent.

use std::ops::ControlFlow;

use banmen_catalog::{Error, Solution, SolveTask, SolvedMove};
use banmen_game::{Game, GameState, Outcome};
use banmen_search::{Budget, Limits};

use super::eval::Evaluator;
use super::finish::wipe_out;
use super::proof::{MAX_TRIED, Proof};
use crate::game::Tubstap;

/// Solves a position: a win of the side to move by wiping out the other side, with the line. With `all` each move is tried on its
/// own.
pub(crate) fn solve(state: &GameState<Tubstap>, all: bool, task: &SolveTask<'_>) -> Result<Solution, Error> {
    let (game, position, side) = (state.game(), state.position(), state.side_to_move());
    if let Some(outcome) = state.outcome() {
        return Ok(Solution::over(outcome, side));
    }
    let mut budget = Budget::start(&task.limits, task.clock, task.stop);
    let mut solution = Solution { bounds: (-1, 1), ..Solution::default() };
    if all {
        let mut moves = Vec::new();
        let _ = game.visit_moves::<()>(position, |m| {
            moves.push(m);
            ControlFlow::Continue(())
        });
        for m in moves {
            let mut next = *position;
            game.play(&mut next, m);
            let wins = next.alive(side.other()) == 0
                || Proof::new(game, Evaluator::new(game), side, &mut budget).search(&next).is_some();
            let (score, bounds) = if wins { (Some(1), (1, 1)) } else { (None, (-1, 1)) };
            solution.moves.push(SolvedMove { m: m.pack(), score, bounds, distance: None });
        }
    }
    let mut proof = Proof::new(game, Evaluator::new(game), side, &mut budget);
    let won = proof.search(position).is_some();
    if won {
        let mut line = proof.line(position);
        if line.is_empty() {
            // The proof has used up the limits. A win within the turn is found again without them.
            let mut unlimited = Budget::start(&Limits::default(), task.clock, task.stop);
            line = wipe_out(game, position, MAX_TRIED, &mut unlimited).unwrap_or_default();
        }
        solution.line = line.iter().map(|m| m.pack()).collect();
    }
    // A move may be proven to win where nothing is left of the limits for the position itself.
    let winning = solution.moves.iter().find(|solved| solved.score == Some(1)).map(|solved| solved.m);
    if won || winning.is_some() {
        solution.outcome = Some(Outcome { winner: Some(side), margin: None, by: "annihilation" });
        (solution.score, solution.bounds) = (Some(1), (1, 1));
        solution.best = solution.line.first().copied().or(winning).into_iter().collect();
        if !all {
            let won = |&m: &u32| SolvedMove { m, score: Some(1), bounds: (1, 1), distance: None };
            solution.moves = solution.best.iter().map(won).collect();
        }
    }
    solution.nodes = budget.count();
    solution.time = budget.elapsed();
    Ok(solution)
}
