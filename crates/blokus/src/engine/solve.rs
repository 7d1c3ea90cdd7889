//! The solver behind the operation `solve`.

use banmen_catalog::{Solution, SolveTask, SolvedMove};
use banmen_game::{Game, GameState, Outcome};
use banmen_search::Budget;

use super::ending::{INFINITE, Solver};
use crate::game::Blokus;
use crate::moves::Move;
use crate::position::Position;

/// No difference of points is larger: 109 to 0.
const MOST: i32 = 109;

/// Proves the difference of points of the position: of the best move, or of every move with `all`.
pub(crate) fn solve(
    state: &GameState<Blokus>,
    all: bool,
    task: &SolveTask<'_>,
    progress: &mut dyn FnMut(&Solution),
) -> Solution {
    let (game, position) = (state.game(), state.position());
    let mut budget = Budget::start(&task.limits, task.clock, task.stop);
    let mut answer = Solution { bounds: (-MOST, MOST), ..Solution::default() };
    if let Some(outcome) = state.outcome() {
        prove(&mut answer, position, outcome.signed_margin(position.side()));
        return answer;
    }
    let mut solver = Solver::new(task.table);
    if all {
        solve_all(&mut solver, game, position, &mut budget, &mut answer, progress);
    } else if let Some((best, score)) = solver.best(game, position, &mut budget) {
        prove(&mut answer, position, score);
        answer.best = vec![game.pack(best)];
        answer.moves = vec![solved(game, best, score)];
    }
    if let Some(m) = answer.best.first().and_then(|&m| game.unpack(m)) {
        answer.line = line(&mut solver, game, position, m, &mut budget).into_iter().map(|m| game.pack(m)).collect();
    }
    answer.nodes = budget.count();
    answer.time = budget.elapsed();
    answer
}

fn solved(game: &Blokus, m: Move, score: i32) -> SolvedMove {
    SolvedMove { m: game.pack(m), score: Some(score), bounds: (score, score), distance: None }
}

/// The score of the position is known.
fn prove(answer: &mut Solution, position: &Position, score: i32) {
    let winner = match score.signum() {
        0 => None,
        1 => Some(position.side()),
        _ => Some(position.side().other()),
    };
    answer.score = Some(score);
    answer.bounds = (score, score);
    answer.outcome = Some(Outcome { winner, margin: Some(score.unsigned_abs()), by: "points" });
}

/// Proves the score of every move, each by itself.
fn solve_all(
    solver: &mut Solver,
    game: &Blokus,
    position: &Position,
    budget: &mut Budget<'_>,
    answer: &mut Solution,
    progress: &mut dyn FnMut(&Solution),
) {
    let moves = game.moves(position);
    let unknown = |&m: &Move| SolvedMove { m: game.pack(m), score: None, bounds: (-MOST, MOST), distance: None };
    answer.moves = moves.iter().map(unknown).collect();
    for (index, &m) in moves.iter().enumerate() {
        let Some(score) = solver.after(game, position, m, -INFINITE, budget) else { break };
        answer.moves[index] = solved(game, m, score);
        answer.bounds.0 = answer.bounds.0.max(score);
        answer.nodes = budget.count();
        answer.time = budget.elapsed();
        if index + 1 < moves.len() {
            progress(answer);
        }
    }
    let best = answer.bounds.0;
    if answer.moves.iter().all(|solved| solved.score.is_some()) {
        prove(answer, position, best);
        answer.best = answer.moves.iter().filter(|solved| solved.score == Some(best)).map(|solved| solved.m).collect();
    }
    answer.moves.sort_by_key(|solved| std::cmp::Reverse((solved.score, solved.bounds)));
}

/// A move and best play after it, as far as the budget goes.
pub(super) fn line(
    solver: &mut Solver,
    game: &Blokus,
    position: &Position,
    m: Move,
    budget: &mut Budget<'_>,
) -> Vec<Move> {
    let mut line = vec![m];
    let mut position = *position;
    position.play(m);
    while game.outcome(&position, &()).is_none() {
        let Some((m, _)) = solver.best(game, &position, budget) else { break };
        line.push(m);
        position.play(m);
    }
    line
}

#[cfg(test)]
mod tests {
    use banmen_game::{Rng, Side};
    use banmen_search::{Limits, StopFlag};

    use super::*;
    use crate::notation::parse_move;

    /// The score by trying everything.
    fn negamax(game: &Blokus, position: &Position, nodes: &mut u64) -> i32 {
        *nodes += 1;
        if let Some(outcome) = game.outcome(position, &()) {
            return outcome.signed_margin(position.side());
        }
        let moves = game.moves(position);
        let after = |m: Move| {
            let mut next = *position;
            game.play(&mut next, m);
            next
        };
        moves.into_iter().map(|m| -negamax(game, &after(m), nodes)).max().unwrap_or(0)
    }

    /// Positions near the end of random games in which each side has kept few pieces; some sides have one left only.
    fn endings(game: Blokus, seeds: std::ops::Range<u64>) -> Vec<Position> {
        let mut found = Vec::new();
        for seed in seeds {
            let (mut position, mut rng) = (game.start(), Rng::new(seed));
            while game.outcome(&position, &()).is_none() {
                let legal = game.moves(&position);
                let size = |m: &Move| m.cells().count();
                let most = legal.iter().map(size).max().unwrap_or(0);
                let counts = Side::BOTH.map(|side| game.reach(&position, side).count());
                if counts[0] + counts[1] <= 7 {
                    found.push(position);
                }
                let large: Vec<Move> = legal.into_iter().filter(|m| size(m) == most).collect();
                game.play(&mut position, large[rng.index(large.len())]);
            }
        }
        found
    }

    #[test]
    fn scores_are_those_of_plain_negamax() {
        let clock = banmen_catalog::WallClock::default();
        let stop = StopFlag::default();
        let (mut compared, mut nodes, mut kinds) = (0, 0, [0; 3]);
        for (seeds, game) in [(0..60, Blokus::STANDARD), (100..120, Blokus::CONTEST)] {
            let mut solver = Solver::new(1 << 20);
            for position in endings(game, seeds) {
                let mut budget = Budget::start(&Limits::default(), &clock, &stop);
                let score = negamax(&game, &position, &mut nodes);
                let (best, found) = solver.best(&game, &position, &mut budget).expect("no limit");
                assert_eq!(found, score, "{position:?}");
                assert!(game.is_legal(&position, best), "{best} in {position:?}");
                let mut next = position;
                next.play(best);
                assert_eq!(-negamax(&game, &next, &mut nodes), score, "{best} in {position:?}");
                let (m, winner) = Solver::new(1 << 12).result(&game, &position, &mut budget).expect("no limit");
                next = position;
                next.play(m);
                let after = -negamax(&game, &next, &mut nodes);
                assert_eq!((winner, after.signum()), (score.signum(), score.signum()), "{m} in {position:?}");
                let state = GameState::from(game, position);
                let task = SolveTask {
                    limits: Limits::default(),
                    clock: &clock,
                    stop: &stop,
                    threads: 1,
                    table: SolveTask::TABLE,
                };
                let whole = solve(&state, true, &task, &mut |_| {});
                assert_eq!((whole.score, whole.moves.len()), (Some(score), game.count_moves(&position)));
                for solved in &whole.moves {
                    let mut next = position;
                    next.play(game.unpack(solved.m).expect("a move"));
                    assert_eq!(solved.score, Some(-negamax(&game, &next, &mut nodes)));
                }
                let one = solve(&state, false, &task, &mut |_| {});
                let end = one.line.iter().fold(position, |mut position, &m| {
                    game.play(&mut position, game.unpack(m).expect("a move"));
                    position
                });
                let outcome = game.outcome(&end, &()).expect("the line goes to the end");
                assert_eq!(outcome.signed_margin(position.side()), score, "{position:?}");
                compared += 1;
                kinds[(score.signum() + 1) as usize] += 1;
            }
        }
        assert!(compared > 100 && kinds.iter().all(|&kind| kind > 0), "{compared} positions, {kinds:?}, {nodes} nodes");
    }

    /// A packing must not be found in the table as another one with other pieces in hand and other free cells.
    #[test]
    fn a_move_has_the_score_of_the_position_after_it() {
        let moves = "e10,e11,f11 i4,j4,i5,j5,i6 c10,c11,c12,d12 k6,l6,k7,k8,l8 g8,h8,i8,f9,g9 h1,h2,i2,g3,h3 d7,c8,d8,d9 \
            f4,e5,f5,f6 h10,h11,g12,h12,h13 m9,l10,m10,n10,m11 c4,c5,c6 e1,e2,c3,d3,e3 a12,a13,b13,b14 j1,k1,l1 \
            a1,b1,b2,a3,b3 m4,m5,n5,n6 j11,j12,j13,i14,j14 b4,a5,b5,a6,a7 b7 b8,b9,b10,b11";
        let (mut position, clock, stop) =
            (Blokus::STANDARD.start(), banmen_catalog::WallClock::default(), StopFlag::default());
        for m in moves.split_whitespace() {
            position.play(parse_move(m).expect("a placement"));
        }
        let task =
            SolveTask { limits: Limits::default(), clock: &clock, stop: &stop, threads: 1, table: SolveTask::TABLE };
        let whole = solve(&GameState::from(Blokus::STANDARD, position), true, &task, &mut |_| {});
        let m: Move = parse_move("e13,f13,e14,f14").expect("a placement");
        let found = whole.moves.iter().find(|solved| Blokus::STANDARD.unpack(solved.m) == Some(m));
        position.play(m);
        let alone = solve(&GameState::from(Blokus::STANDARD, position), false, &task, &mut |_| {});
        assert_eq!((found.and_then(|solved| solved.score), alone.score), (Some(-20), Some(20)));
    }

    #[test]
    fn answers_without_a_proof_when_the_budget_is_over() {
        let clock = banmen_catalog::WallClock::default();
        let stop = StopFlag::default();
        let state = GameState::new(Blokus::STANDARD);
        for all in [false, true] {
            let task = SolveTask {
                limits: Limits::nodes(500),
                clock: &clock,
                stop: &stop,
                threads: 1,
                table: SolveTask::TABLE,
            };
            let answer = solve(&state, all, &task, &mut |_| {});
            assert_eq!((answer.score, answer.outcome, answer.bounds), (None, None, (-MOST, MOST)));
            assert!(answer.best.is_empty() && answer.nodes <= 500, "{} nodes", answer.nodes);
        }
    }
}
