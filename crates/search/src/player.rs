//! A player: a session that thinks.

use banmen_game::{Game, GameState};

use crate::{Budget, Clock, Limits, Report, StopFlag};

/// One question to a player.
pub struct Task<'a, G: Game> {
    /// Where the game stands. It is not over.
    pub state: &'a GameState<G>,
    /// What bounds the search; see [`Task::decision_limits`] for the part of this decision.
    pub limits: Limits,
    /// The time that the limits are measured by, read on the thinking thread.
    pub clock: &'a dyn Clock,
    /// Asks to answer with what there is.
    pub stop: &'a StopFlag,
    /// Threads that the search may use, at least 1. A player that cannot use so many uses fewer.
    pub threads: usize,
    /// How many lines are wished for, at least 1.
    pub lines: usize,
    /// Takes reports while the search thinks; `None` where nobody listens, and then none are made.
    pub progress: Option<&'a mut dyn FnMut(&Report<G::Move>)>,
}

impl<'a, G: Game> Task<'a, G> {
    /// Reports progress; `make` is called only when somebody listens.
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

/// A player of a game. A session: it may keep a tree, a table or a plan between questions.
pub trait Player<G: Game>: Send {
    /// A new game begins at `start`, under the rules that `start` holds: from now on the player is as if it were made
    /// anew with this seed. A player that keeps nothing from one question to the next has nothing to do.
    fn new_game(&mut self, start: &GameState<G>, seed: u64) {
        let _ = (start, seed);
    }

    /// Chooses a move. The report always has one, also when the time is up at once.
    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move>;
}
