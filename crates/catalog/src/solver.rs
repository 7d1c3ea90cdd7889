//! Exact solvers and their results.

use std::sync::Arc;
use std::time::Duration;

use banmen_game::{Game, GameState, Outcome, Side};
use banmen_search::{Clock, Limits, StopFlag};

use crate::erased_state::typed;
use crate::variants::Variants;
use crate::{AnyState, Data, Error};

/// Solves positions of a game exactly.
pub trait Solver: Send + Sync {
    /// Solves the position of the game state: the best move, or every move with `all`. `progress` receives what is
    /// proven so far.
    ///
    /// # Errors
    /// `table_missing` or `table_refused` where the solver needs a table, `unsupported` where the rules have no solver,
    /// `foreign_state` for a state of another game.
    fn solve(
        &self,
        state: &dyn AnyState,
        all: bool,
        task: &SolveTask<'_>,
        progress: &mut dyn FnMut(&Solution),
    ) -> Result<Solution, Error>;

    /// Positions to test solvers with, each with its name; empty where the game has none.
    fn suite(&self) -> &'static [(&'static str, &'static str)];
}

/// The limits of a solver, and how it is stopped.
pub struct SolveTask<'a> {
    /// The solver stops at the first limit that is reached.
    pub limits: Limits,
    /// The clock that the time limits refer to.
    pub clock: &'a dyn Clock,
    /// Asks the solver to return what is proven so far.
    pub stop: &'a StopFlag,
    /// Threads that the solver may use, at least 1.
    pub threads: usize,
    /// The most bytes of the solver's transposition table; a solver takes less where the position needs less.
    pub table: usize,
}

impl SolveTask<'_> {
    /// The bytes of a table where nobody asks for more or less: 64 MiB.
    pub const TABLE: usize = 1 << 26;
}

/// Solves a position: all moves or only the best. Tables are read from the data directory.
pub type SolveFn<G> =
    fn(&GameState<G>, bool, &SolveTask<'_>, &Data, &mut dyn FnMut(&Solution)) -> Result<Solution, Error>;

/// The solver of a game of type `G`.
pub(crate) struct ErasedSolver<G: Game> {
    pub(crate) variants: Arc<Variants<G>>,
    pub(crate) solve: SolveFn<G>,
    pub(crate) suite: &'static [(&'static str, &'static str)],
}

impl<G: Game> Solver for ErasedSolver<G> {
    fn solve(
        &self,
        state: &dyn AnyState,
        all: bool,
        task: &SolveTask<'_>,
        progress: &mut dyn FnMut(&Solution),
    ) -> Result<Solution, Error> {
        let solution = (self.solve)(typed::<G>(state)?, all, task, &self.variants.data, progress);
        solution.map_err(|error| self.variants.locate(error))
    }

    fn suite(&self) -> &'static [(&'static str, &'static str)] {
        self.suite
    }
}

/// A move of a solved position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedMove {
    /// The move, packed.
    pub m: u32,
    /// Its proven score from the side to move's view; `None` where only bounds are known.
    pub score: Option<i32>,
    /// What is proven: the score is at least the first and at most the second.
    pub bounds: (i32, i32),
    /// Plies to the end, where the game's table holds them.
    pub distance: Option<u32>,
}

/// A position, solved or bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solution {
    /// How the game ends with best play; `None` without a proof.
    pub outcome: Option<Outcome>,
    /// The proven score from the side to move's view: the margin where the game has one, else 1, 0 or −1.
    pub score: Option<i32>,
    /// What is proven so far: the score is at least the first and at most the second.
    pub bounds: (i32, i32),
    /// Plies to the end, where the game's table holds them.
    pub distance: Option<u32>,
    /// The moves that were searched: all legal moves where all were asked for, else the best one found.
    pub moves: Vec<SolvedMove>,
    /// The moves known to have the best score, packed. With all moves asked for: all of these.
    pub best: Vec<u32>,
    /// A line of best play, packed.
    pub line: Vec<u32>,
    /// Positions visited.
    pub nodes: u64,
    /// Time by the clock of the search.
    pub time: Duration,
}

impl Solution {
    /// A game that is over, as the side to move sees it, in a game without margins.
    #[must_use]
    pub fn over(outcome: Outcome, side: Side) -> Solution {
        let score = outcome.winner.map_or(0, |winner| if winner == side { 1 } else { -1 });
        let (score, bounds) = (Some(score), (score, score));
        Solution { outcome: Some(outcome), score, bounds, distance: Some(0), ..Solution::default() }
    }
}
