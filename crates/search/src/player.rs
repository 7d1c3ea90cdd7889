//! Players and their tasks.

use banmen_game::{Game, GameState};

use crate::mcts::TreeQuery;
use crate::windows::{WindowQuery, Windows};
use crate::{Budget, Clock, Limits, Report, StopFlag};

/// Receives the reports of a search that is not finished.
pub type Progress<'a, M> = &'a mut dyn FnMut(&Report<M>);

/// One decision that a player has to make.
pub struct Task<'a, G: Game> {
    /// The game so far. It is not over.
    pub state: &'a GameState<G>,
    /// The limits of the turn; see [`Task::decision_limits`] for the part of this decision.
    pub limits: Limits,
    /// The clock that the time limits refer to, read on the thinking thread.
    pub clock: &'a dyn Clock,
    /// Asks the search to end with what it has found.
    pub stop: &'a StopFlag,
    /// Threads that the search may use, at least 1. A player that cannot use so many uses fewer.
    pub threads: usize,
    /// How many lines to report, at least 1.
    pub lines: usize,
    /// Receives reports during the search; with `None` the search makes none.
    pub progress: Option<Progress<'a, G::Move>>,
}

impl<'a, G: Game> Task<'a, G> {
    /// Reports progress: calls `make` only if [`Task::progress`] is given.
    pub fn report(&mut self, make: impl FnOnce() -> Report<G::Move>) {
        if let Some(progress) = &mut self.progress {
            progress(&make());
        }
    }

    /// The bounds of this decision, the player's own limits added: of the time that the turn has left, the part of one
    /// of the [decisions](Game::decisions_left) that the mover still makes in it.
    #[must_use]
    pub fn decision_limits(&self, own: Limits) -> Limits {
        self.limits.and(own).decision(self.state.decisions_left())
    }

    /// A budget for this decision, started now, with the player's own limits added.
    #[must_use]
    pub fn budget(&self, own: Limits) -> Budget<'a> {
        Budget::start(&self.decision_limits(own), self.clock, self.stop)
    }
}

/// A player of a game: a session that may keep a tree, a table or a plan from one task to the next.
pub trait Player<G: Game>: Send {
    /// A new game begins at `start`, under the rules of `start`: from now on the player acts as if newly made with this
    /// seed. A player that keeps nothing from one task to the next has nothing to do.
    fn new_game(&mut self, start: &GameState<G>, seed: u64) {
        let _ = (start, seed);
    }

    /// Makes the reports of the next tasks contain the search tree, as much of it as `query` says; with `None` they contain
    /// none, as at first. Returns whether the player searches a tree that it can show.
    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        let _ = query;
        false
    }

    /// Makes the player record the visits of its alpha-beta search near the root during the next tasks, those that `query`
    /// says; with `None` none, as at first. Returns whether it searches so. The moves that it chooses do not change.
    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        let _ = query;
        false
    }

    /// The visits that were recorded during the last task; `None` where none were, and where the move was found without them.
    fn take_windows(&mut self) -> Option<Windows> {
        None
    }

    /// The name of the table without which the player cannot choose a move here; `None` where it can, as nearly every player
    /// always can. It is asked before each task, and a player that lacks a table is given none.
    fn missing_table(&mut self, state: &GameState<G>) -> Option<&'static str> {
        let _ = state;
        None
    }

    /// The name of the table without which the player cannot play every game under the rules of `start`, from any position. One that
    /// lacks it plays no matches.
    fn table_for_any_game(&mut self, start: &GameState<G>) -> Option<&'static str> {
        self.missing_table(start)
    }

    /// Chooses a move. The report always has one, even if there is no time.
    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move>;
}
