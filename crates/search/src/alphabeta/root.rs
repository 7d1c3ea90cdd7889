//! The root: iterative deepening, several lines, helper threads.
//!
//! Helper threads search the same root on the shared transposition table (lazy SMP). Only the calling thread's results are
//! reported.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use banmen_game::{Game, GameState, History, Side};

use super::node::{Tree, extend_path};
use super::order::MoveOrder;
use super::table::Table;
use super::{AlphaBeta, Evaluator, INFINITE, MAX_PLY, NEAR_WIN, WIN};
use crate::windows::Recorder;
use crate::{Budget, Line, Report, Task, threads};

/// A root move, with the result of the last iteration in which it was the best one.
struct RootMove<G: Game> {
    m: G::Move,
    next: G::Position,
    value: i32,
    line: Vec<G::Move>,
}

/// Iterative deepening by one thread.
struct Deepening<'a, 'w, G: Game, E> {
    tree: Tree<'a, 'w, G, E>,
    /// Ordered by rank, later by the last iteration, finished or not.
    moves: Vec<RootMove<G>>,
    side: Side,
    /// Lines asked for, at most the number of moves.
    lines: usize,
    /// The plies that a root move costs: 0 for a forced pass.
    cost: u32,
}

/// Deepens until `depth`, a limit, or a proof of all lines. `None` when there is no line of depth 1.
pub(super) fn deepen<G: Game, E: Evaluator<G>>(
    player: &mut AlphaBeta<E>,
    task: &mut Task<'_, G>,
    budget: &mut Budget<'_>,
    depth: u32,
) -> Option<Report<G::Move>> {
    let AlphaBeta { evaluator, table, order, query, windows, .. } = player;
    let (state, lines, table, max_depth) = (task.state, task.lines, &*table, depth.max(1));
    // The depth that the calling thread searches.
    let current = &AtomicU32::new(1);
    let helpers: Vec<_> = (0..threads::helpers(task.threads))
        .map(|index| {
            let (mut evaluator, mut order) = (evaluator.clone(), order.clone());
            move |budget: &mut Budget<'_>| {
                Deepening::new(state, &mut evaluator, table, &mut order, budget, lines, depth)
                    .help(index, max_depth, current);
            }
        })
        .collect();
    budget.share(helpers, |budget| {
        let mut search = Deepening::new(state, evaluator, table, order, budget, lines, depth);
        search.tree.record = query.clone().map(|query| Box::new(Recorder::new(query)));
        let mut report = None;
        for depth in 1..=max_depth {
            current.store(depth, Relaxed);
            let Some(end) = search.iterate(depth) else {
                // With one line, the best move of an unfinished iteration counts: it is that of the last finished one, or better
                // than it. A loss does not: the moves that were not searched may be better.
                if search.lines == 1 && search.moves.first().is_some_and(|root| root.value > -NEAR_WIN) {
                    report = Some(search.report(depth - 1, false));
                }
                break;
            };
            let result = search.report(depth, end == End::Proven);
            task.report(|| result.clone());
            report = Some(result);
            if end != End::Open {
                break;
            }
        }
        let record = search.tree.record.take();
        *windows = record.and_then(|record| record.windows([NEAR_WIN, WIN, INFINITE], None));
        report
    })
}

/// What a finished iteration leaves to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Deeper iterations may find other values.
    Open,
    /// The best line is a forced win or loss, and no other line is asked for.
    Decided,
    /// No value rests on an evaluation.
    Proven,
}

impl<'a, 'w, G: Game, E: Evaluator<G>> Deepening<'a, 'w, G, E> {
    fn new(
        state: &'a GameState<G>,
        evaluator: &'a mut E,
        table: &'a Table,
        order: &'a mut MoveOrder,
        budget: &'a mut Budget<'w>,
        lines: usize,
        depth: u32,
    ) -> Self {
        let (game, position) = (state.game(), state.position());
        let mut history = state.history().clone();
        history.push(position);
        let mut tree = Tree {
            game,
            evaluator,
            table,
            order,
            budget,
            history,
            path: path_of(state),
            moves: Vec::with_capacity(1 << 12),
            lines: vec![Vec::new(); MAX_PLY + 1],
            heuristic: false,
            record: None,
        };
        tree.list(position, depth.min(2), 0, None);
        let moves: Vec<RootMove<G>> = (0..tree.moves.len())
            .map(|index| {
                let m = tree.next(index);
                let mut next = position.clone();
                game.play(&mut next, m);
                RootMove { m, next, value: -WIN, line: vec![m] }
            })
            .collect();
        tree.moves.clear();
        let forced_pass = moves.len() == 1 && game.pass() == Some(moves[0].m);
        let lines = lines.clamp(1, moves.len().max(1));
        Deepening { tree, lines, side: game.side_to_move(position), cost: u32::from(!forced_pass), moves }
    }

    /// One iteration, for all lines. `None` when the budget ran out.
    fn iterate(&mut self, depth: u32) -> Option<End> {
        self.tree.heuristic = false;
        if let Some(record) = &mut self.tree.record {
            record.begin(self.side, depth as i32, -INFINITE, INFINITE);
        }
        for index in 0..self.lines {
            self.best_from(index, depth - self.cost)?;
        }
        if let (Some(record), Some(best)) = (&mut self.tree.record, self.moves.first()) {
            record.finish(depth, best.value);
        }
        let decided = self.lines == 1 && self.moves.first().is_some_and(|root| root.value.abs() >= NEAR_WIN);
        Some(match (self.tree.heuristic, decided) {
            (false, _) => End::Proven,
            (true, true) => End::Decided,
            (true, false) => End::Open,
        })
    }

    /// Iterations of a helper thread until its budget is over. Every other helper searches a ply deeper than the calling
    /// thread: its entries then serve the next iteration.
    fn help(&mut self, index: usize, max_depth: u32, current: &AtomicU32) {
        let ahead = (index as u32 + 1) % 2;
        let mut depth = 0;
        while depth < max_depth {
            depth = (depth + 1).max(current.load(Relaxed) + ahead).min(max_depth);
            if self.iterate(depth) != Some(End::Open) {
                return;
            }
        }
    }

    /// Searches the root moves from `index` on, `depth` plies below each, and moves the best of them to `index`. `None`
    /// when the budget ran out: then the best of the moves that were searched is there.
    fn best_from(&mut self, index: usize, depth: u32) -> Option<()> {
        let Deepening { tree, moves, side, .. } = self;
        let mut alpha = -INFINITE;
        let mut best = index;
        let mut finished = Some(());
        for (at, root) in moves.iter_mut().enumerate().skip(index) {
            let Some(value) = tree.child(root.m, &root.next, *side, depth, alpha, INFINITE, 0, at == index) else {
                finished = None;
                break;
            };
            if value > alpha {
                alpha = value;
                best = at;
                tree.extend_line(0, root.m);
                root.value = value;
                root.line.clone_from(&tree.lines[0]);
            }
        }
        moves[index..=best].rotate_right(1);
        finished
    }

    fn report(&self, depth: u32, proven: bool) -> Report<G::Move> {
        let Tree { evaluator, budget, .. } = &self.tree;
        let lines = self.moves[..self.lines]
            .iter()
            .map(|root| Line {
                moves: root.line.clone(),
                value: evaluator.win_rate(root.value),
                eval: evaluator.eval(root.value),
            })
            .collect();
        Report { lines, nodes: budget.count(), depth, time: budget.elapsed(), proven, ..Report::default() }
    }
}

/// [`Tree::path`] below the root: the game's positions so far, the current one included.
fn path_of<G: Game>(state: &GameState<G>) -> u64 {
    if G::History::EMPTY {
        return 0;
    }
    let (game, mut position) = (state.game(), state.origin().clone());
    let mut path = extend_path(0, game.key(&position));
    for &m in state.moves() {
        game.play(&mut position, m);
        path = extend_path(path, game.key(&position));
    }
    path
}
