//! Alpha-beta: iterative deepening, principal variation search (Marsland 1983), a transposition table, move ordering
//! by table, killers (Akl and Newborn 1977) and history (Schaeffer 1983), several lines, several threads (lazy SMP).
//!
//! [`AlphaBeta`] is a [`Player`] of any game that has an [`Evaluator`]. Values are integers from the mover's view and
//! change sign only when the side to move changes. The report contains the last depth that was finished for every line asked
//! for; with one line, its move, value and line are those of the best move that the next iteration had searched when a limit
//! ended it.
//!
//! On one thread, the same task and node limit give the same report. On several, the order in which threads write to the
//! transposition table decides which of its entries a node finds.
//!
//! In a game with a history the table distinguishes positions by the way they were reached, so that values and proofs are
//! those of the position with its history. Transpositions are then found only where that way is the same, between
//! iterations and searches.

mod node;
mod order;
mod root;
mod table;

use banmen_game::{Game, GameState, Outcome, Side};

use self::order::MoveOrder;
use self::table::Table;
use crate::windows::{WindowQuery, Windows};
use crate::{Budget, Eval, Limits, Player, Report, Task};

/// The value of a win. Wins and losses of games without a margin are reported as `WIN` less the plies to them.
pub const WIN: i32 = 1_000_000;

/// No search goes deeper than this many plies.
pub const MAX_PLY: usize = 512;

/// Beyond every value: the bounds of the full window.
const INFINITE: i32 = 2 * WIN;

/// Values from here on are wins at a known distance.
const NEAR_WIN: i32 = WIN - MAX_PLY as i32;

/// What alpha-beta needs to know of a game beside its rules. Each thread of a search works on a clone.
pub trait Evaluator<G: Game>: Clone + Send {
    /// The value of an unfinished position from the mover's view, between −`WIN`/2 and `WIN`/2.
    fn evaluate(&mut self, game: &G, position: &G::Position) -> i32;

    /// The value of an ended game from the view of `side`: [`WIN`] where only the winner counts (the search then
    /// prefers the nearer win), or a margin on the scale of [`Evaluator::evaluate`].
    fn ended(&self, outcome: &Outcome, side: Side) -> i32 {
        match outcome.winner {
            None => 0,
            Some(winner) if winner == side => WIN,
            Some(_) => -WIN,
        }
    }

    /// The rank of a move before it is searched, `depth` plies above the leaves: higher first. Moves of equal rank are
    /// ordered by killers and history.
    fn rank(&mut self, game: &G, position: &G::Position, m: G::Move, depth: u32) -> i32 {
        let _ = (game, position, m, depth);
        0
    }

    /// The exact value of a position near the end, within the window, if this evaluator has a solver of its own.
    /// Returns `None` for a position that the search has to value itself, and when the budget is over.
    fn exact(
        &mut self,
        game: &G,
        position: &G::Position,
        alpha: i32,
        beta: i32,
        budget: &mut Budget<'_>,
    ) -> Option<i32> {
        let _ = (game, position, alpha, beta, budget);
        None
    }

    /// The expected score, 0 to 1, of a mover with this value.
    fn win_rate(&self, value: i32) -> f64;

    /// The value in the game's unit, where it has one.
    fn eval(&self, value: i32) -> Option<Eval> {
        let _ = value;
        None
    }
}

/// Evaluates every unfinished position as even: alpha-beta then distinguishes finished games only.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvaluation;

impl<G: Game> Evaluator<G> for NoEvaluation {
    fn evaluate(&mut self, _: &G, _: &G::Position) -> i32 {
        0
    }

    fn win_rate(&self, value: i32) -> f64 {
        match value {
            0 => 0.5,
            value if value > 0 => 1.0,
            _ => 0.0,
        }
    }
}

/// The player: an evaluator, a transposition table, and the search.
pub struct AlphaBeta<E> {
    /// The evaluation.
    pub evaluator: E,
    /// Limits of its own, which hold beside those of the task.
    pub limits: Limits,
    table: Table,
    order: MoveOrder,
    query: Option<WindowQuery>,
    windows: Option<Windows>,
}

impl<E> AlphaBeta<E> {
    /// A player whose transposition table takes `bytes`, rounded down to a power of two, at least 64 bytes.
    pub fn new(evaluator: E, bytes: usize, limits: Limits) -> Self {
        let (table, order) = (Table::new(bytes), MoveOrder::default());
        AlphaBeta { evaluator, limits, table, order, query: None, windows: None }
    }

    /// Searches for the best lines of a task on a budget of the caller's, to at most `depth` plies, on
    /// [`Task::threads`](crate::Task::threads) threads.
    ///
    /// `None` when the budget ran out before there was a line of depth 1. A report of depth 0 has the best of the moves that
    /// depth 1 had searched.
    pub fn search<G: Game>(
        &mut self,
        task: &mut Task<'_, G>,
        budget: &mut Budget<'_>,
        depth: u32,
    ) -> Option<Report<G::Move>>
    where
        E: Evaluator<G>,
    {
        self.table.age();
        self.order.age();
        root::deepen(self, task, budget, depth)
    }
}

impl<G: Game, E: Evaluator<G>> Player<G> for AlphaBeta<E> {
    fn new_game(&mut self, _: &GameState<G>, _: u64) {
        self.table.clear();
        self.order = MoveOrder::default();
    }

    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        self.query = query;
        true
    }

    fn take_windows(&mut self) -> Option<Windows> {
        self.windows.take()
    }

    fn think(&mut self, mut task: Task<'_, G>) -> Report<G::Move> {
        self.windows = None;
        let limits = self.limits.and(task.limits);
        let mut budget = task.budget(self.limits);
        let depth = limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32);
        let report = self.search(&mut task, &mut budget, depth);
        let mut report = report.unwrap_or_else(|| {
            // No time for depth 1: the move of the highest rank.
            let (game, position) = (task.state.game(), task.state.position());
            let moves = game.moves(position);
            let best = moves.iter().rev().max_by_key(|&&m| self.evaluator.rank(game, position, m, 1));
            Report::of(*best.expect("a game that goes on has a move"), 0.5)
        });
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}
