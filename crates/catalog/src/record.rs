//! Whole games as text, in formats that other programs read.

use std::sync::Arc;

use banmen_game::{Game, GameState, Notation, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::erased_state::{ErasedState, typed};
use crate::variants::Variants;
use crate::{AnyState, Error, ErrorCode, PerftFn, View};

/// The text of a game without its moves; absent fields are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Header {
    /// The player of the first side.
    pub first: String,
    /// The player of the second side.
    pub second: String,
    /// The tournament or match that the game is part of.
    pub event: String,
    /// When it was played, as the format writes it.
    pub date: String,
    /// How it ended, where the rules did not end it.
    #[serde(rename = "stated")]
    pub termination: Option<Termination>,
    /// The turns that were lost by faults, in their order.
    pub lost_turns: Vec<LostTurn>,
}

/// A turn that a player lost by a fault: a pass was played instead of its move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostTurn {
    /// The number of the move in the game, from 0.
    pub ply: usize,
    /// The fault, as in a record's `by` of a game that a fault ended: `time`, `illegal move`.
    pub by: String,
}

/// The end of a game that its rules did not end: a resignation, a loss on time, a fault, an agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Termination {
    /// The winner; `None` for a draw or an undecided game.
    #[serde(skip)]
    pub winner: Option<Side>,
    /// Why, as a record's `by`.
    pub by: String,
}

/// Writes a game, or refuses one that the format cannot hold.
pub type WriteGame<G> = fn(&Header, &GameState<G>) -> Result<String, Error>;

/// Reads all games of a text, played under these rules.
pub type ReadGames<G> = fn(&G, &[u8]) -> Result<Vec<(Header, GameState<G>)>, Error>;

/// Reads the games of a text and writes each again with everything that the format holds, also what a [`Header`] does not.
pub type RewriteGames<G> = fn(&G, &[u8]) -> Result<Vec<String>, Error>;

/// A format of whole games.
pub struct Format<G: Game> {
    /// Its name, lower case.
    pub name: &'static str,
    /// Writes a game; a file of several games is the concatenation of their texts.
    pub write: WriteGame<G>,
    /// Reads the games of a file.
    pub read: ReadGames<G>,
    /// Writes the games of a file again; `None` where `read` and `write` lose nothing, or where nothing else is kept.
    pub rewrite: Option<RewriteGames<G>>,
}

/// A game that was read.
pub struct AnyRecord {
    /// Its text without the moves.
    pub header: Header,
    /// The game, at its end.
    pub state: Box<dyn AnyState>,
}

/// The formats of whole games that a game has.
pub trait RecordFormats: Send + Sync {
    /// The names of the formats, the most common one first.
    fn names(&self) -> Vec<&'static str>;

    /// Writes a whole game in the named format.
    ///
    /// # Errors
    /// `unknown_format`, `foreign_state` for a state of another game, `unsupported` for a game that the format cannot hold.
    fn write(&self, format: &str, header: &Header, state: &dyn AnyState) -> Result<String, Error>;

    /// Reads all games of a text in the named format, played under the named rules (`None`: the default ones). The rules alone
    /// decide the result of a game that they ended, whatever the text states.
    ///
    /// # Errors
    /// `unknown_format`, `unknown_rules`, `bad_record` with the place.
    fn read(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<AnyRecord>, Error>;

    /// Reads all games of a text in the named format, played under the named rules, and writes them in it again, with the comments,
    /// times and other notes that the format holds. Without games where the text is of another format, or the format has nothing
    /// else to hold than [`RecordFormats::read`] and [`RecordFormats::write`] keep.
    ///
    /// # Errors
    /// Those of [`RecordFormats::read`].
    fn rewrite(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<String>, Error>;

    /// Reads all games of a text in the first format that fits it and finds a game.
    ///
    /// # Errors
    /// Of the format that read furthest; `unknown_rules`; `bad_record` for a text without games.
    fn read_any(&self, rules: Option<&str>, text: &[u8]) -> Result<Vec<AnyRecord>, Error> {
        let mut furthest: Option<Error> = None;
        for name in self.names() {
            match self.read(name, rules, text) {
                Ok(games) if games.is_empty() => {}
                Ok(games) => return Ok(games),
                Err(error) if furthest.as_ref().is_none_or(|other| error.at > other.at) => furthest = Some(error),
                Err(_) => {}
            }
        }
        Err(furthest.unwrap_or_else(|| Error::record(text, 0, "no_games", "there is no game in this text")))
    }
}

/// The record formats of a game of type `G`.
pub(crate) struct ErasedFormats<G: Game> {
    pub(crate) variants: Arc<Variants<G>>,
    pub(crate) formats: Vec<Format<G>>,
    pub(crate) perft: PerftFn<G>,
}

impl<G: Game> ErasedFormats<G> {
    fn named(&self, name: &str) -> Result<&Format<G>, Error> {
        self.formats.iter().find(|format| format.name == name).ok_or_else(|| {
            Error::unknown(
                ErrorCode::UnknownFormat,
                "format called",
                name,
                self.formats.iter().map(|format| format.name),
            )
        })
    }
}

impl<G: Notation + View> RecordFormats for ErasedFormats<G> {
    fn names(&self) -> Vec<&'static str> {
        self.formats.iter().map(|format| format.name).collect()
    }

    fn write(&self, format: &str, header: &Header, state: &dyn AnyState) -> Result<String, Error> {
        (self.named(format)?.write)(header, typed::<G>(state)?)
    }

    fn read(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<AnyRecord>, Error> {
        let games = (self.named(format)?.read)(self.variants.get(rules)?, text)?;
        let record = |(mut header, state): (Header, GameState<G>)| {
            if state.outcome().is_some() {
                header.termination = None;
            }
            AnyRecord { header, state: Box::new(ErasedState { state, perft: self.perft }) }
        };
        Ok(games.into_iter().map(record).collect())
    }

    fn rewrite(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<String>, Error> {
        let rewrite = self.named(format)?.rewrite;
        rewrite.map_or_else(|| Ok(Vec::new()), |rewrite| rewrite(self.variants.get(rules)?, text))
    }
}

impl Error {
    /// The error of a text that is no record; `offset` is the byte offset of the fault. [`Error::at`] counts characters
    /// (a byte sequence that is not UTF-8 counts as one), and the message begins with the line and the character in it,
    /// both from 1.
    #[must_use]
    pub fn record(text: &[u8], offset: usize, reason: &'static str, message: &str) -> Self {
        let before = String::from_utf8_lossy(text.get(..offset).unwrap_or(text));
        let line = before.matches('\n').count() + 1;
        let character = before.rsplit('\n').next().map_or(0, |part| part.chars().count()) + 1;
        Error::new(ErrorCode::BadRecord, format!("line {line}, character {character}: {message}"))
            .reason(reason)
            .arg("line", line)
            .at(before.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_records_count_characters() {
        let text = "注釈\nあいう!".as_bytes();
        let place = |offset| {
            let error = Error::record(text, offset, "why", "wrong");
            (error.at, error.message)
        };
        assert_eq!(place(0), (Some(0), "line 1, character 1: wrong".to_owned()));
        assert_eq!(place(text.len() - 1), (Some(6), "line 2, character 4: wrong".to_owned()));
        assert_eq!(place(text.len() + 9).0, Some(7));
        let broken = Error::record(b"\xff\xfe!", 2, "why", "wrong");
        assert_eq!((broken.at, broken.args["line"].clone()), (Some(2), 1.into()));
    }
}
