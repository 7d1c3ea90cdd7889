//! The games of a house.

use std::sync::Arc;

use crate::{AnyGame, Data, Error, ErrorCode};

/// The games that a program knows, in the order in which they are shown.
#[derive(Clone, Default)]
pub struct Catalog {
    games: Vec<Arc<dyn AnyGame>>,
}

impl Catalog {
    /// With one more game. A game of the same name is replaced.
    #[must_use]
    pub fn with(mut self, game: impl AnyGame + 'static) -> Self {
        let game: Arc<dyn AnyGame> = Arc::new(game);
        match self.games.iter_mut().find(|known| known.info().name == game.info().name) {
            Some(known) => *known = game,
            None => self.games.push(game),
        }
        self
    }

    /// Lends all games this data folder.
    pub fn lend(&self, data: &Data) {
        self.games.iter().for_each(|game| game.lend(data));
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> &[Arc<dyn AnyGame>] {
        &self.games
    }

    /// The game of this name.
    ///
    /// # Errors
    /// `unknown_game`, with the nearest name.
    pub fn game(&self, name: &str) -> Result<&Arc<dyn AnyGame>, Error> {
        self.games.iter().find(|game| game.info().name == name).ok_or_else(|| {
            Error::unknown(ErrorCode::UnknownGame, "game", name, self.games.iter().map(|game| game.info().name))
        })
    }
}
