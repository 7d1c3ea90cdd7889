//! The solver behind the operation `solve`.

use banmen_catalog::{Solution as Answer, SolveTask, SolvedMove};
use banmen_game::{Game, GameState, Outcome, Side};
use banmen_search::Budget;

use super::evaluation::Evaluation;
use super::solver::{Solution, Solver};
use crate::Othello;
use crate::position::{Move, Position};

/// Bytes of the solver's main table for at most [`TABLE_EMPTIES`] empty squares; twice as many for each further one.
const TABLE: usize = 1 << 26;
const TABLE_EMPTIES: u32 = 24;

/// Bytes of the table for each node of a limit: more than its entry takes. A small limit needs no large table, which takes longer
/// to clear than a thousand nodes take to search.
const TABLE_PER_NODE: u64 = 32;

/// Nanoseconds of a time limit for each byte of the table: to clear it takes a small part of the time, and a thread stores
/// less than this.
const TABLE_NANOSECONDS: u128 = 4;

/// Nodes between two progress reports: about half a second. Fewer in tests.
const REPORT: u64 = if cfg!(test) { 1000 } else { 20_000_000 };

/// Proves the score of the game state's position: of the best move, or of every move with `all`.
pub(crate) fn solve(
    state: &GameState<Othello>,
    all: bool,
    task: &SolveTask<'_>,
    progress: &mut dyn FnMut(&Answer),
) -> Answer {
    // To unpack the weights, once in a process, takes no part of the time limit, as with players.
    let evaluation = Evaluation::own();
    let mut budget = Budget::start(&task.limits, task.clock, task.stop);
    let position = state.position();
    let mut answer = Answer { bounds: (-64, 64), ..Answer::default() };
    if position.is_over() {
        set_bounds(&mut answer, position, (position.score(), position.score()));
        return answer;
    }
    let mut solver = Solver::with_evaluation(evaluation, table_bytes(position, task));
    solver.set_threads(task.threads);
    if all {
        prove_all(&mut solver, position, &mut budget, &mut answer, progress);
    } else {
        let solution = prove(&mut solver, position, &mut budget, &mut |budget| {
            answer.nodes = budget.count();
            answer.time = budget.elapsed();
            progress(&answer);
        });
        set_bounds(&mut answer, position, (solution.lower, solution.upper));
        let best = if position.must_pass() { Some(Move::PASS) } else { solution.best.and_then(Move::at) };
        if let Some(best) = best {
            let m = Othello.pack(best);
            // Without a proof the move is only the best one found.
            if answer.score.is_some() || position.must_pass() {
                answer.best = vec![m];
                answer.line = line(position, &solution.line);
            }
            answer.moves = vec![SolvedMove { m, score: answer.score, bounds: answer.bounds, distance: None }];
        }
    }
    answer.nodes = budget.count();
    answer.time = budget.elapsed();
    answer
}

/// Bytes of the main table for a position and the limits of the task.
fn table_bytes(position: &Position, task: &SolveTask<'_>) -> usize {
    let further = position.empties().count_ones().saturating_sub(TABLE_EMPTIES);
    let by_nodes = task.limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_mul(TABLE_PER_NODE));
    let by_time = task.limits.budget().map_or(u128::MAX, |time| time.as_nanos() / TABLE_NANOSECONDS);
    let most = usize::try_from(by_time.min(by_nodes.into())).unwrap_or(usize::MAX);
    (TABLE << further.min(16)).min(task.table).min(most)
}

/// Proves the score of every move, each by itself, in board order.
fn prove_all(
    solver: &mut Solver,
    position: &Position,
    budget: &mut Budget<'_>,
    answer: &mut Answer,
    progress: &mut dyn FnMut(&Answer),
) {
    let moves = Othello.moves(position);
    answer.moves = moves
        .iter()
        .map(|&m| SolvedMove { m: Othello.pack(m), score: None, bounds: (-64, 64), distance: None })
        .collect();
    let mut lines = vec![Vec::new(); moves.len()];
    for (at, &m) in moves.iter().enumerate() {
        let mut next = *position;
        next.play(m);
        let solution = if next.is_over() {
            let score = next.score();
            Solution { lower: score, upper: score, best: None, line: Vec::new(), nodes: 0, helper_nodes: 0 }
        } else {
            prove(solver, &next, budget, &mut |_| {})
        };
        let solved = &mut answer.moves[at];
        solved.bounds = (-solution.upper, -solution.lower);
        solved.score = solution.score().map(|score| -score);
        lines[at] = std::iter::once(solved.m).chain(line(&next, &solution.line)).collect();
        let lower = answer.moves.iter().map(|solved| solved.bounds.0).max().unwrap_or(-64);
        let upper = answer.moves.iter().map(|solved| solved.bounds.1).max().unwrap_or(64);
        set_bounds(answer, position, (lower, upper));
        let reached = |solved: &&SolvedMove| solved.score == Some(lower);
        if answer.score.is_some() {
            answer.best = answer.moves.iter().filter(reached).map(|solved| solved.m).collect();
            answer.line = lines[answer.moves.iter().position(|solved| reached(&solved)).unwrap_or(0)].clone();
        }
        answer.nodes = budget.count();
        answer.time = budget.elapsed();
        progress(answer);
        if budget.over() {
            break;
        }
    }
    let score = |solved: &SolvedMove| std::cmp::Reverse((solved.score, solved.bounds));
    answer.moves.sort_by_key(score);
}

/// Solves a position within the budget; `report` is called now and then.
pub(super) fn prove(
    solver: &mut Solver,
    position: &Position,
    budget: &mut Budget<'_>,
    report: &mut dyn FnMut(&Budget<'_>),
) -> Solution {
    let mut next_report = budget.count() + REPORT;
    solver.solve(position.own(), position.opp(), -64, 64, budget, &mut |budget| {
        if budget.count() >= next_report {
            next_report = budget.count() + REPORT;
            report(budget);
        }
    })
}

/// Sets the proven bounds of the answer, and score and outcome where they meet.
fn set_bounds(answer: &mut Answer, position: &Position, (lower, upper): (i32, i32)) {
    answer.bounds = (lower, upper);
    if lower == upper {
        let winner: Option<Side> = match lower.signum() {
            0 => None,
            1 => Some(position.side()),
            _ => Some(position.side().other()),
        };
        answer.score = Some(lower);
        answer.outcome = Some(Outcome { winner, margin: Some(lower.unsigned_abs()), by: "discs" });
    }
}

/// The solver's squares as packed moves, with the passes between them inserted.
pub(super) fn line(position: &Position, squares: &[u32]) -> Vec<u32> {
    let mut position = *position;
    let mut moves = Vec::with_capacity(squares.len());
    for m in squares.iter().filter_map(|&square| Move::at(square)) {
        if position.must_pass() {
            moves.push(Othello.pack(Move::PASS));
            position.play(Move::PASS);
        }
        moves.push(Othello.pack(m));
        position.play(m);
    }
    moves
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use banmen_search::{Clock, Limits, StopFlag};

    use super::*;

    /// A clock that advances by a millisecond at each reading.
    #[derive(Default)]
    struct Steps(AtomicU64);

    impl Clock for Steps {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn small_limits_get_small_tables() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let bytes = |limits| {
            let task = SolveTask { limits, clock: &clock, stop: &stop, threads: 1, table: 1 << 28 };
            table_bytes(&Position::START, &task)
        };
        assert_eq!(bytes(Limits::default()), 1 << 28);
        assert_eq!(bytes(Limits::time(Duration::from_secs(60))), 1 << 28);
        assert_eq!(bytes(Limits::time(Duration::from_millis(10))), 2_500_000);
        assert_eq!(bytes(Limits { nodes: Some(1000), ..Limits::time(Duration::from_millis(10)) }), 32_000);
    }

    #[test]
    fn progress_says_how_long_it_has_taken() {
        let state = GameState::new(Othello);
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let task = SolveTask {
            limits: Limits::nodes(100_000),
            clock: &clock,
            stop: &stop,
            threads: 1,
            table: SolveTask::TABLE,
        };
        let mut seen = Vec::new();
        let answer = solve(&state, false, &task, &mut |answer| seen.push((answer.nodes, answer.time)));
        seen.push((answer.nodes, answer.time));
        assert!(seen.len() >= 5, "{seen:?}");
        assert!(seen[0].1 > Duration::ZERO, "{seen:?}");
        assert!(seen.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1), "{seen:?}");
    }
}
