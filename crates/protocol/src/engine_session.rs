//! What the engines of all protocols that send whole games share: the game, its player, and the outputs.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, ErrorCode};
use banmen_search::{Limits, Report};

use crate::Lines;
use crate::background::{Background, SEED};

/// A game, its player, and the outputs of a conversation.
pub(crate) struct EngineSession {
    pub(crate) game: Arc<dyn AnyGame>,
    pub(crate) player: Background,
    rules: Option<String>,
    /// Answers.
    pub(crate) out: Lines,
    /// Messages.
    pub(crate) log: Lines,
}

impl EngineSession {
    /// Builds the player from its text, for games under the named rules.
    ///
    /// # Errors
    /// Those of the rules or the player.
    pub(crate) fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        out: Lines,
        log: Lines,
    ) -> Result<Self, Error> {
        let player = Background::new(Arc::clone(&game), rules, player)?;
        Ok(EngineSession { game, player, rules: rules.map(str::to_owned), out, log })
    }

    /// The game at a position; `None` is the start.
    ///
    /// # Errors
    /// What is wrong with the position.
    pub(crate) fn state(&self, position: Option<&str>) -> Result<Box<dyn AnyState>, String> {
        self.game.state(self.rules.as_deref(), position).map_err(|error| error.message)
    }

    /// Announces a new game to the player.
    ///
    /// # Errors
    /// The player's message.
    pub(crate) fn begin(&mut self, start: &dyn AnyState) -> Result<(), String> {
        self.player.new_game(start, SEED).map_err(|error| error.message)
    }

    /// Searches for a move, and waits for the end of the search. Returns the move and the time that the search took.
    ///
    /// # Errors
    /// The message of the player, or that there is no move.
    pub(crate) fn choose(&mut self, state: &dyn AnyState, limits: Limits) -> Result<(u32, Duration), String> {
        let (sender, receiver) = mpsc::channel();
        let done = move |_: &dyn AnyState, report: Result<Report<u32>, Error>| {
            let time = report.as_ref().map_or(Duration::ZERO, |report| report.time);
            let _ = sender.send(best(report).map(|best| (best, time)));
        };
        self.player.think(state.copy(), limits, 1, |_, _| {}, done).map_err(|error| error.message)?;
        self.player.wait();
        receiver.try_recv().unwrap_or_else(|_| Err(no_move())).map_err(|error| error.message)
    }
}

/// The best move of a report.
///
/// # Errors
/// The error in place of a report, or `no_move`.
pub(crate) fn best(report: Result<Report<u32>, Error>) -> Result<u32, Error> {
    report?.best().ok_or_else(no_move)
}

fn no_move() -> Error {
    Error::new(ErrorCode::NoMove, "there is no move")
}
