//! Whole games as text, in the formats of the field.

use banmen_game::{Game, GameState, Side};
use serde::Serialize;

use crate::{AnyState, Error, ErrorCode};

/// What the text of a whole game says beside its moves; empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Header {
    /// The player of the first side.
    pub first: String,
    /// The player of the second side.
    pub second: String,
    /// What the game belongs to.
    pub event: String,
    /// When it was played, as the format writes it.
    pub date: String,
    /// How it ended, where the rules did not end it.
    pub stated: Option<Stated>,
    /// The turns that were lost by faults, in their order.
    pub lost_turns: Vec<LostTurn>,
}

/// A turn that a player lost by a fault: a pass stands for the move that it did not make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostTurn {
    /// Which move of the game it is, from 0.
    pub ply: usize,
    /// What cost it, as a record's `by` of a game that a fault ended: `time`, `illegal move`.
    pub by: String,
}

/// The end of a game that its rules did not end: a resignation, an overdrawn clock, a fault, an agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stated {
    /// Who has won, if anybody.
    #[serde(skip)]
    pub winner: Option<Side>,
    /// Why, as a record's `by`.
    pub by: String,
}

/// Writes a game.
pub type WriteGame<G> = fn(&Header, &GameState<G>) -> String;

/// Reads all games of a text, played under these rules.
pub type ReadGames<G> = fn(&G, &[u8]) -> Result<Vec<(Header, GameState<G>)>, Error>;

/// A format of whole games.
pub struct Format<G: Game> {
    /// Its name, lower case.
    pub name: &'static str,
    /// Writes a game; the texts of several stand one after another in a file.
    pub write: WriteGame<G>,
    /// Reads the games of a file.
    pub read: ReadGames<G>,
}

/// A game that was read.
pub struct AnyRecord {
    /// What its text says beside the moves.
    pub header: Header,
    /// The game, at its end.
    pub state: Box<dyn AnyState>,
}

impl Error {
    /// A text that is no record, with the character of the fault, from 0.
    pub fn record(message: impl Into<String>, reason: &'static str, at: usize) -> Self {
        Error::new(ErrorCode::BadRecord, message).reason(reason).at(at)
    }
}
