//! The search of the engine before the ending: iterative deepening at the root, with aspiration windows, several lines and
//! helper threads; near the end of the game selective searches to its end.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use banmen_game::Game;
use banmen_search::windows::{Recorder, WindowQuery, Windows};
use banmen_search::{Budget, Eval, Line, Report, Task, threads};

use super::evaluation::Evaluation;
use super::kernel::Baseline;
use super::node::{DISC, INFINITE, MAX_VALUE, Node, PASS};
use super::order::{MAX_MOVES, Moves};
use super::probcut::{self, Selectivity};
use super::proof::line;
use super::table::{NO_MOVE, Table};
use super::values::Values;
use crate::Othello;
use crate::moves::legal;
use crate::position::{Move, Position};

/// The search with its tables.
///
/// On one thread it is deterministic: the same searches, in the same order and with the same limits of nodes, give the same
/// reports.
pub struct Midgame {
    evaluation: Arc<Evaluation>,
    values: Values,
    last_plies: Table,
    /// The visits that are recorded, if any are.
    pub(super) query: Option<WindowQuery>,
    /// Those of the last search.
    pub(super) windows: Option<Windows>,
}

/// Bytes of the solver's table for the last plies: it stays in the second-level cache of one core.
const LAST_PLIES_BYTES: usize = 1 << 19;

/// The greatest depth: all squares but the four of the start.
pub(super) const MAX_DEPTH: u32 = 60;

/// From this depth on a search begins with a window around the value of the search before.
const ASPIRATION_DEPTH: u32 = 4;

/// Half the width of the first window, in hundredths of a disc; each failure doubles it.
const ASPIRATION: i32 = 300;

/// A search that would end this many plies before the end of the game goes to its end instead: it costs about as much.
const END_PLIES: u32 = 6;

/// One search of the iterative deepening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stage {
    /// Plies; the number of empty squares for a search to the end of the game.
    pub(super) depth: u32,
    pub(super) selectivity: Selectivity,
}

/// The searches of the iterative deepening: with the first selectivity of `cuts`, where the depth allows it, to at most `depth`
/// plies, then to the end of the game with those of `cuts` from 73 % on, one after the other.
pub(super) fn stages(empties: u32, depth: u32, cuts: RangeInclusive<Selectivity>) -> Vec<Stage> {
    let first = *cuts.start();
    let below_end = if depth < empties { depth } else { empties.saturating_sub(END_PLIES + 1).max(1).min(empties) };
    let selectivity = |depth| if depth < probcut::FIRST_DEPTH { Selectivity::FULL } else { first };
    let mut stages: Vec<Stage> =
        (1..=below_end).map(|depth| Stage { depth, selectivity: selectivity(depth) }).collect();
    if depth >= empties {
        let reliable = [Selectivity::P73, Selectivity::P95, Selectivity::P99, Selectivity::FULL];
        let to_the_end = reliable.into_iter().filter(|&selectivity| cuts.contains(&selectivity));
        stages.extend(to_the_end.map(|selectivity| Stage { depth: empties, selectivity }));
    }
    stages
}

/// What a search has found.
pub(super) struct Found {
    pub(super) report: Report<Move>,
    /// The last stage that was finished, and whether it was the last one of all.
    pub(super) finished: Option<(Stage, bool)>,
}

impl Midgame {
    /// A search whose table of values takes at most `bytes`, rounded down to a power of two.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self::with_evaluation(Evaluation::own(), bytes)
    }

    /// A search with this evaluation; else as [`Midgame::new`].
    #[must_use]
    pub fn with_evaluation(evaluation: Arc<Evaluation>, bytes: usize) -> Self {
        let (values, last_plies) = (Values::new(bytes), Table::new(LAST_PLIES_BYTES));
        Midgame { evaluation, values, last_plies, query: None, windows: None }
    }

    /// Removes all entries of the tables.
    pub fn clear(&mut self) {
        self.values.clear();
        self.last_plies.clear();
    }

    /// The value of a position in hundredths of a disc from the mover's view, searched `depth` plies deep, and the move that
    /// reaches it; a pass costs no depth, and the move is `None` where the mover has none. `None` when the budget is over
    /// before. The tables keep what earlier searches found, so searches of growing depth order their moves well.
    pub fn value(
        &mut self,
        own: u64,
        opp: u64,
        depth: u32,
        selectivity: Selectivity,
        budget: &mut Budget<'_>,
    ) -> Option<(i32, Option<u32>)> {
        let mut node = Node::new(&self.evaluation, &self.values, &self.last_plies, budget);
        node.selectivity = selectivity;
        let value = node.principal(own, opp, depth, -INFINITE, INFINITE, 0);
        let best = node.lines[0].first().filter(|_| legal(own, opp) != 0).map(|&square| square.into());
        (!node.stopped).then_some((value, best))
    }

    /// Searches for the best lines of a task in these stages, on [`Task::threads`] threads. Where the budget ends the search
    /// within a stage, the best move found by then counts if one line is asked for, else the last finished stage.
    pub(super) fn search(&mut self, task: &mut Task<'_, Othello>, budget: &mut Budget<'_>, stages: &[Stage]) -> Found {
        self.values.advance_age();
        self.last_plies.advance_age();
        let (evaluation, values, last_plies) = (&*self.evaluation, &self.values, &self.last_plies);
        let (query, windows) = (&self.query, &mut self.windows);
        let (position, lines) = (*task.state.position(), task.lines);
        let current = &AtomicUsize::new(0);
        let helpers: Vec<_> = (0..threads::helpers(task.threads))
            .map(|index| {
                move |budget: &mut Budget<'_>| {
                    let last_plies = Table::new(LAST_PLIES_BYTES);
                    let node = Node::new(evaluation, values, &last_plies, budget);
                    Root::new(&position, node, lines).help(index, stages, current);
                }
            })
            .collect();
        budget.share(helpers, |budget| {
            let mut root = Root::new(&position, Node::new(evaluation, values, last_plies, budget), lines);
            root.node.record = query.clone().map(|query| Box::new(Recorder::new(query)));
            let mut finished = None;
            for (index, &stage) in stages.iter().enumerate() {
                current.store(index, Relaxed);
                if !root.iterate(stage) {
                    break;
                }
                finished = Some((stage, index + 1 == stages.len()));
                task.report(|| root.report(Some(stage)));
            }
            let record = root.node.record.take();
            // No value is a proof: the ending's are final scores.
            *windows = record.and_then(|record| record.windows([i32::MAX, 0, INFINITE], Some((DISC, UNIT))));
            let stage = finished.map(|(stage, _)| stage);
            Found { report: root.report(stage), finished }
        })
    }
}

/// A root move, with the result of the last search.
#[derive(Clone)]
struct RootMove {
    /// `None` for a pass.
    square: Option<u8>,
    /// The position after it, from the opponent's view.
    own: u64,
    opp: u64,
    value: i32,
    /// The squares of its line, from this move on.
    line: Vec<u8>,
}

/// Iterative deepening by one thread.
struct Root<'a, 'b> {
    node: Node<'a, 'b>,
    position: Position,
    /// Ordered by the ranking of moves, later by the last iteration.
    moves: Vec<RootMove>,
    /// Lines asked for, at most the number of moves.
    lines: usize,
    /// The plies that a root move costs: 0 for a pass.
    cost: u32,
}

impl<'a, 'b> Root<'a, 'b> {
    fn new(position: &Position, node: Node<'a, 'b>, lines: usize) -> Self {
        let (own, opp) = (position.own(), position.opp());
        let squares = legal(own, opp);
        let mut list = Moves::<MAX_MOVES>::empty();
        list.fill(Baseline, own, opp, squares, |_| ());
        node.sort(own, opp, &mut list, NO_MOVE, 1, 60);
        let mut moves = Vec::new();
        while let Some(m) = list.pick(moves.len()) {
            let (next_own, next_opp) = m.play(own, opp);
            let square = m.square as u8;
            moves.push(RootMove { square: Some(square), own: next_own, opp: next_opp, value: 0, line: vec![square] });
        }
        if moves.is_empty() {
            moves.push(RootMove { square: None, own: opp, opp: own, value: 0, line: Vec::new() });
        }
        let lines = lines.clamp(1, moves.len());
        Root { node, position: *position, moves, lines, cost: u32::from(squares != 0) }
    }

    /// One iteration, for all lines. False when the budget ran out.
    fn iterate(&mut self, stage: Stage) -> bool {
        self.node.selectivity = stage.selectivity;
        if let Some(record) = &mut self.node.record {
            record.begin(Othello.side_to_move(&self.position), stage.depth as i32, -INFINITE, INFINITE);
        }
        // With several lines an unfinished iteration has no effect, so that they are all of one depth and sorted.
        let before = (self.lines > 1).then(|| self.moves.clone());
        let done = (0..self.lines).all(|index| self.line(index, stage.depth));
        match before {
            Some(before) if !done => self.moves = before,
            // The searches for the later lines may find values that contradict the earlier ones.
            _ => self.moves[..self.lines].sort_by_key(|root| std::cmp::Reverse(root.value)),
        }
        if let (Some(record), Some(best), true) = (&mut self.node.record, self.moves.first(), done) {
            record.finish(stage.depth, best.value);
        }
        done
    }

    /// Searches the root moves from `index` on and moves the best of them to `index`. False when the budget ran out.
    fn line(&mut self, index: usize, depth: u32) -> bool {
        let guess = self.moves[index].value;
        let mut width = if depth < ASPIRATION_DEPTH { 2 * INFINITE } else { ASPIRATION };
        let (mut alpha, mut beta) = (guess - width, guess + width);
        loop {
            (alpha, beta) = (alpha.max(-INFINITE), beta.min(INFINITE));
            let Some(value) = self.window(index, depth - self.cost, alpha, beta) else { return false };
            width *= 2;
            // The window only grows, so that values that contradict each other cannot keep this loop going.
            if value <= alpha && alpha > -INFINITE {
                alpha = value - width;
            } else if value >= beta && beta < INFINITE {
                beta = value + width;
            } else {
                return true;
            }
        }
    }

    /// Searches the root moves from `index` on, `depth` plies below each, within a window. A move that is better than those
    /// before it is moved to `index` at once. `None` when the budget ran out.
    fn window(&mut self, index: usize, depth: u32, alpha: i32, beta: i32) -> Option<i32> {
        let (mut best, mut low) = (-INFINITE, alpha);
        for at in index..self.moves.len() {
            let RootMove { own, opp, square, .. } = self.moves[at];
            let m = square.map_or(PASS, u32::from);
            let value = self.node.child(m, own, opp, depth, low, beta, 1, at == index);
            if self.node.stopped {
                return None;
            }
            best = best.max(value);
            if value > low {
                low = value;
                let root = &mut self.moves[at];
                root.value = value;
                root.line.clear();
                root.line.extend(square);
                root.line.extend_from_slice(&self.node.lines[1]);
                self.moves[index..=at].rotate_right(1);
                if value >= beta {
                    break;
                }
            }
        }
        Some(best)
    }

    /// Iterations of a helper thread until its budget is over. Every other helper searches a stage ahead of the calling
    /// thread: its entries then serve the next iteration.
    fn help(&mut self, index: usize, stages: &[Stage], current: &AtomicUsize) {
        let ahead = (index + 1) % 2;
        let mut next = 0;
        while next < stages.len() {
            next = next.max(current.load(Relaxed) + ahead).min(stages.len() - 1);
            if !self.iterate(stages[next]) {
                return;
            }
            next += 1;
        }
    }

    /// The lines; `stage` is the last one that was finished.
    fn report(&self, stage: Option<Stage>) -> Report<Move> {
        let empties = self.position.empties().count_ones();
        let proven = stage.is_some_and(|stage| stage.depth >= empties && stage.selectivity == Selectivity::FULL);
        let selective = stage.filter(|stage| stage.selectivity < Selectivity::FULL);
        let confidence = selective.map(|stage| stage.selectivity.percent());
        let expected = |value: i32| match stage {
            None => 0.5,
            Some(_) if proven => 0.5 + 0.5 * f64::from(value.signum()),
            Some(_) => win_rate(value),
        };
        let lines = self.moves[..self.lines]
            .iter()
            .map(|root| {
                let squares: Vec<u32> = root.line.iter().map(|&square| square.into()).collect();
                let mut moves: Vec<Move> =
                    line(&self.position, &squares).iter().filter_map(|&m| Othello.unpack(m)).collect();
                if moves.is_empty() {
                    moves.push(Move::PASS);
                }
                let eval = stage.is_some().then(|| Eval { n: f64::from(root.value) / f64::from(DISC), unit: UNIT });
                Line { moves, value: expected(root.value), eval }
            })
            .collect();
        Report {
            lines,
            nodes: self.node.budget.count(),
            depth: stage.map_or(0, |stage| stage.depth),
            time: self.node.budget.elapsed(),
            proven,
            confidence,
            ..Report::default()
        }
    }
}

/// The unit of values and scores.
pub(super) const UNIT: &str = "discs";

/// The lead in discs that maps to an expected score of ¾.
const LEAD_OF_THREE_QUARTERS: f64 = 6.0;

/// The expected score of a mover with this value in hundredths of a disc.
pub(super) fn win_rate(value: i32) -> f64 {
    // A sigmoid without transcendental functions, equal on every machine: x / (1 + |x|), scaled to 0 to 1.
    let lead = f64::from(value.clamp(-MAX_VALUE, MAX_VALUE)) / f64::from(DISC) / LEAD_OF_THREE_QUARTERS;
    0.5 + 0.5 * lead / (1.0 + lead.abs())
}

#[cfg(test)]
mod tests {
    use banmen_catalog::WallClock;
    use banmen_game::{GameState, Rng};
    use banmen_search::{Limits, StopFlag};

    use super::super::Solver;
    use super::super::last::final_score;
    use super::*;
    use crate::moves;

    /// Plain negamax: the value of a search `depth` plies deep, where a pass costs no depth.
    fn plain(own: u64, opp: u64, depth: u32) -> i32 {
        let squares = moves::legal(own, opp);
        if squares == 0 {
            return match moves::legal(opp, own) {
                0 => DISC * final_score(own, opp),
                _ => -plain(opp, own, depth),
            };
        }
        if depth == 0 {
            return Evaluation::own().value(own, opp).clamp(-MAX_VALUE, MAX_VALUE);
        }
        let values = (0..64).filter(|square| squares >> square & 1 == 1).map(|square| {
            let (own, opp) = moves::after(own, opp, square);
            -plain(own, opp, depth - 1)
        });
        values.max().expect("a move")
    }

    /// Unfinished positions of random games.
    fn positions(count: usize, empties: u32, seed: u64) -> Vec<Position> {
        let mut rng = Rng::new(seed);
        let mut found = Vec::new();
        while found.len() < count {
            let mut state = GameState::new(Othello);
            while state.outcome().is_none() && state.position().empties().count_ones() > empties {
                let moves = Othello.moves(state.position());
                state.play(moves[rng.index(moves.len())]);
            }
            if state.outcome().is_none() {
                found.push(*state.position());
            }
        }
        found
    }

    fn search(position: &Position, stages: &[Stage], limits: Limits, lines: usize, threads: usize) -> Report<Move> {
        search_with(&mut Midgame::new(1 << 20), position, stages, limits, lines, threads)
    }

    fn search_with(
        midgame: &mut Midgame,
        position: &Position,
        stages: &[Stage],
        limits: Limits,
        lines: usize,
        threads: usize,
    ) -> Report<Move> {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let state = GameState::from(Othello, *position);
        let mut task = Task { state: &state, limits, clock: &clock, stop: &stop, threads, lines, progress: None };
        let mut budget = Budget::start(&limits, &clock, &stop);
        let mut report = midgame.search(&mut task, &mut budget, stages).report;
        report.time = std::time::Duration::ZERO;
        report
    }

    fn value(midgame: &mut Midgame, position: &Position, depth: u32, selectivity: Selectivity) -> i32 {
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        midgame.value(position.own(), position.opp(), depth, selectivity, &mut budget).expect("no limit").0
    }

    /// The stages of a search without cuts.
    fn full(depth: u32) -> Vec<Stage> {
        (1..=depth).map(|depth| Stage { depth, selectivity: Selectivity::FULL }).collect()
    }

    fn values(report: &Report<Move>) -> Vec<i32> {
        report.lines.iter().map(|line| (line.eval.expect("a value").n * 100.0).round() as i32).collect()
    }

    #[test]
    fn value_without_cuts_is_that_of_plain_negamax() {
        for (empties, depth) in [(52, 4), (40, 4), (28, 4), (18, 5), (9, 6), (8, 8), (5, 5), (2, 9)] {
            for position in positions(6, empties, u64::from(empties)) {
                let expected = plain(position.own(), position.opp(), depth);
                let mut midgame = Midgame::new(1 << 20);
                assert_eq!(value(&mut midgame, &position, depth, Selectivity::FULL), expected, "{position:?}");
                midgame.clear();
                // Bounds of selective searches in the table have no effect on one without cuts.
                for depth in 1..=depth {
                    value(&mut midgame, &position, depth, Selectivity::P73);
                }
                assert_eq!(value(&mut midgame, &position, depth, Selectivity::FULL), expected, "{position:?}");
                let report = search(&position, &full(depth), Limits::default(), 1, 1);
                assert_eq!((values(&report), report.depth), (vec![expected], depth), "{position:?}");
            }
        }
    }

    #[test]
    fn lines_are_exact_and_sorted() {
        for position in positions(8, 34, 7).iter().chain(&positions(8, 9, 8)) {
            let mut expected: Vec<i32> = Othello
                .moves(position)
                .into_iter()
                .map(|m| {
                    let mut next = *position;
                    next.play(m);
                    -plain(next.own(), next.opp(), 3)
                })
                .collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            for lines in [1, 3, 64] {
                let report = search(position, &full(4), Limits::default(), lines, 1);
                assert_eq!(values(&report), expected[..lines.min(expected.len())], "{position:?}");
            }
        }
    }

    #[test]
    fn searches_to_the_end_are_proven_only_without_cuts() {
        let mut solver = Solver::new(1 << 16);
        for position in positions(6, 13, 9) {
            let (clock, stop) = (WallClock::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let solution = solver.solve(position.own(), position.opp(), -64, 64, &mut budget, &mut |_| {});
            let score = solution.score().expect("no limit");
            for threads in [1, 3] {
                let proof = search(
                    &position,
                    &stages(13, 60, Selectivity::P73..=Selectivity::FULL),
                    Limits::default(),
                    1,
                    threads,
                );
                assert_eq!((proof.proven, proof.confidence, proof.depth), (true, None, 13));
                assert_eq!(values(&proof), [DISC * score]);
                assert_eq!(proof.value(), 0.5 + 0.5 * f64::from(score.signum()));
            }
            let likely =
                search(&position, &stages(13, 60, Selectivity::P73..=Selectivity::P99), Limits::default(), 1, 1);
            assert_eq!((likely.proven, likely.confidence, likely.depth), (false, Some(99), 13));
            assert_eq!(values(&likely)[0] % (2 * DISC), 0, "a final score");
        }
    }

    #[test]
    fn stages_end_with_the_end_of_the_game() {
        let depths = |stages: &[Stage]| stages.iter().map(|stage| stage.depth).collect::<Vec<_>>();
        assert_eq!(depths(&stages(30, 4, Selectivity::P48..=Selectivity::FULL)), [1, 2, 3, 4]);
        assert_eq!(depths(&stages(10, 60, Selectivity::P48..=Selectivity::P99)), [1, 2, 3, 10, 10, 10]);
        for empties in 1..=60 {
            let lasts = Selectivity::ALL.into_iter().filter(|&last| last >= Selectivity::P73);
            for (first, last) in lasts.flat_map(|last| [(Selectivity::P48, last), (Selectivity::P73, last)]) {
                let all = stages(empties, 60, first..=last);
                assert_eq!(all.last().map(|stage| stage.depth), Some(empties));
                let selective: Vec<&Stage> = all.iter().filter(|stage| stage.depth >= 3).collect();
                assert!(selective.is_sorted_by_key(|stage| (stage.depth, stage.selectivity)), "{all:?}");
                assert!(selective.iter().all(|stage| (first..=last).contains(&stage.selectivity)));
            }
        }
    }

    /// Under limits of nodes the move of an unfinished iteration is reported when it is better at the new depth than the
    /// move of the last finished one.
    #[test]
    fn better_move_of_an_unfinished_iteration_counts() {
        let mut found = 0;
        for position in positions(40, 36, 10) {
            let after = |m: Move| {
                let mut next = position;
                next.play(m);
                next
            };
            let finished = search(&position, &full(4), Limits::default(), 1, 1);
            let next = search(&position, &full(5), Limits::default(), 1, 1);
            for step in 1..8 {
                let nodes = finished.nodes + (next.nodes - finished.nodes) * step / 8;
                let report = search(&position, &full(5), Limits::nodes(nodes), 1, 1);
                assert_eq!((report.depth, report.nodes), (4, nodes));
                let [old, new] = [&finished, &report].map(|report| report.best().expect("a move"));
                if old != new {
                    found += 1;
                    let [old, new] = [old, new].map(|m| -plain(after(m).own(), after(m).opp(), 4));
                    assert!(new > old, "{position:?}");
                }
            }
        }
        assert!(found >= 5, "{found}");
    }

    #[test]
    fn unfinished_iterations_do_not_mix_with_several_lines() {
        for position in positions(4, 36, 11) {
            let finished = search(&position, &full(3), Limits::default(), 3, 1);
            let next = search(&position, &full(4), Limits::default(), 3, 1);
            for step in 1..8 {
                let nodes = finished.nodes + (next.nodes - finished.nodes) * step / 8;
                let report = search(&position, &full(4), Limits::nodes(nodes), 3, 1);
                assert_eq!((report.depth, report.lines), (3, finished.lines.clone()));
            }
        }
    }

    #[test]
    fn selective_searches_are_deterministic_and_smaller() {
        let (mut with, mut without) = (0, 0);
        for position in positions(4, 40, 12) {
            let selective = stages(40, 8, Selectivity::P48..=Selectivity::FULL);
            let report = search(&position, &selective, Limits::default(), 1, 1);
            assert_eq!(report, search(&position, &selective, Limits::default(), 1, 1));
            assert_eq!((report.depth, report.lines[0].moves.len()), (8, 8));
            for nodes in [1, 2, 1000, report.nodes - 1] {
                let limited = || search(&position, &selective, Limits::nodes(nodes), 1, 1);
                assert_eq!(limited(), limited());
                assert_eq!(limited().nodes, nodes);
            }
            with += report.nodes;
            without += search(&position, &full(8), Limits::default(), 1, 1).nodes;
        }
        assert!(with < without, "{with} {without}");
    }

    #[test]
    fn recorded_windows_change_nothing_and_account_for_every_move() {
        use banmen_search::windows::VisitEnd;
        let mut ends = Vec::new();
        for (depth, empties) in [(7, 44), (6, 22), (12, 12)] {
            for position in positions(3, empties, 14) {
                let mut midgame = Midgame::new(1 << 20);
                midgame.query = Some(WindowQuery { path: Vec::new(), depth: 60, max_nodes: usize::MAX });
                let stages = stages(empties, depth, Selectivity::P48..=Selectivity::P99);
                let report = search_with(&mut midgame, &position, &stages, Limits::default(), 1, 1);
                assert_eq!(report, search(&position, &stages, Limits::default(), 1, 1));
                let windows = midgame.windows.expect("a finished search");
                assert_eq!((windows.depth, windows.left_out), (report.depth, 0));
                assert_eq!(windows.visits[0].value, Some(values(&report)[0]));
                let mut here: Vec<Position> = Vec::new();
                for visit in &windows.visits {
                    let mut position = visit.parent.map_or(position, |parent| here[parent]);
                    if let Some(m) = visit.m {
                        position.play(Othello.unpack(m).expect("a move"));
                    }
                    assert_eq!(visit.side, Othello.side_to_move(&position));
                    here.push(position);
                }
                let mut below = vec![Vec::new(); windows.visits.len()];
                for visit in &windows.visits {
                    if let (Some(parent), Some(m)) = (visit.parent, visit.m) {
                        below[parent].push(m);
                    }
                }
                for (place, (visit, position)) in windows.visits.iter().zip(&here).enumerate() {
                    ends.push(visit.end);
                    let mut moves = std::mem::take(&mut below[place]);
                    // Nodes a ply above the leaves have no visits of their own, nor have those that win all discs.
                    if moves.is_empty() {
                        continue;
                    }
                    moves.extend(&visit.cut);
                    moves.sort_unstable();
                    moves.dedup();
                    let mut legal: Vec<u32> = Othello.moves(position).into_iter().map(|m| Othello.pack(m)).collect();
                    legal.sort_unstable();
                    assert_eq!(moves, legal);
                    assert_eq!(visit.end == VisitEnd::Cut, place > 0 && visit.value >= Some(visit.beta));
                }
            }
        }
        for end in [VisitEnd::Searched, VisitEnd::Cut, VisitEnd::Table, VisitEnd::Pruned, VisitEnd::Solved] {
            assert!(ends.contains(&end), "{end:?}");
        }
    }

    #[test]
    fn forced_pass_is_searched() {
        let position = positions(4000, 20, 13).into_iter().find(Position::must_pass).expect("passes are frequent");
        let report = search(&position, &full(4), Limits::default(), 1, 1);
        assert_eq!(report.lines[0].moves[0], Move::PASS);
        assert_eq!(values(&report), [-plain(position.opp(), position.own(), 4)]);
    }
}
