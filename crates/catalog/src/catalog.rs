//! The games that a program knows.

use std::sync::Arc;

use banmen_game::Notation;

use crate::{AnyGame, Data, Entry, Error, ErrorCode, View};

/// The games that a program knows, in the order in which they are shown. By default none, with data in memory.
#[derive(Clone, Default)]
pub struct Catalog {
    games: Vec<Arc<dyn AnyGame>>,
    data: Data,
}

impl Catalog {
    /// No games. Those that are added keep their data in `data`.
    #[must_use]
    pub fn new(data: Data) -> Self {
        Catalog { games: Vec::new(), data }
    }

    /// Adds a game. A game of the same name is replaced.
    #[must_use]
    pub fn with<G: Notation + View>(mut self, entry: Entry<G>) -> Self {
        let game: Arc<dyn AnyGame> = Arc::new(entry.build(&self.data));
        match self.games.iter_mut().find(|known| known.info().name == game.info().name) {
            Some(known) => *known = game,
            None => self.games.push(game),
        }
        self
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> &[Arc<dyn AnyGame>] {
        &self.games
    }

    /// The game of this name.
    ///
    /// # Errors
    /// `unknown_game`, with the nearest name or all names.
    pub fn game(&self, name: &str) -> Result<&Arc<dyn AnyGame>, Error> {
        self.games.iter().find(|game| game.info().name == name).ok_or_else(|| {
            Error::unknown(ErrorCode::UnknownGame, "game", name, self.games.iter().map(|game| game.info().name))
        })
    }
}
