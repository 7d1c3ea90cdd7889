//! The solver: whether the side to move can wipe out its opponent.

use std::ops::ControlFlow;

use banmen_catalog::{Error, Solution, SolveTask, SolvedMove};
use banmen_game::{Game, GameState, Outcome};
use banmen_search::Budget;

use super::proof::Proof;
use crate::game::Tubstap;
use crate::moves::Move;

/// Solves a position: a win of the side to move by wiping out the other side, with the line. With `all` every listed
/// move is tried, deepened together with the others.
pub(crate) fn solve(state: &GameState<Tubstap>, all: bool, task: &SolveTask<'_>) -> Result<Solution, Error> {
    let (game, position, side) = (state.game(), state.position(), state.side_to_move());
    if let Some(outcome) = state.outcome() {
        return Ok(Solution::over(outcome, side));
    }
    let mut budget = Budget::start(&task.limits, task.clock, task.stop);
    let mut proof = Proof::new(game, side, task.table, &mut budget);
    let mut solution = Solution { bounds: (-1, 1), ..Solution::default() };
    let solved = |m: Move, won: bool| {
        let (score, bounds) = if won { (Some(1), (1, 1)) } else { (None, (-1, 1)) };
        SolvedMove { m: m.pack(), score, bounds, distance: None }
    };
    let mut line = Vec::new();
    if all {
        let (mut moves, mut ends) = (Vec::new(), Vec::new());
        let _ = game.visit_moves::<()>(position, |m| {
            let mut end = *position;
            game.play(&mut end, m);
            moves.push(m);
            ends.push(end);
            ControlFlow::Continue(())
        });
        let found = proof.search(&ends);
        solution.moves = moves.iter().zip(&found).map(|(&m, found)| solved(m, found.is_some())).collect();
        // The turn of the move itself counts.
        let turns = |at: usize| Some(found[at]? + u16::from(ends[at].turn() != position.turn()));
        let mut won: Vec<(u16, usize)> = (0..moves.len()).filter_map(|at| Some((turns(at)?, at))).collect();
        won.sort_unstable();
        solution.best = won.iter().map(|&(_, at)| moves[at].pack()).collect();
        if let Some(&(_, at)) = won.first() {
            line.push(moves[at]);
            line.extend(proof.line(&ends[at]));
        }
    } else if proof.search(&[*position])[0].is_some() {
        line = proof.line(position);
        solution.moves = line.iter().take(1).map(|&m| solved(m, true)).collect();
        solution.best = solution.moves.iter().map(|solved| solved.m).collect();
    }
    if !line.is_empty() {
        solution.outcome = Some(Outcome { winner: Some(side), margin: None, by: "annihilation" });
        (solution.score, solution.bounds) = (Some(1), (1, 1));
        solution.line = line.iter().map(|m| m.pack()).collect();
    }
    solution.nodes = budget.count();
    solution.time = budget.elapsed();
    Ok(solution)
}
