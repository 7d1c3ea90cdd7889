//! Positions and moves as text.

use std::fmt;
use std::ops::ControlFlow;

use crate::Game;

/// What kind of fault a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The text is no position or no move at all.
    Unreadable,
    /// The text is a move, but the rules forbid it here.
    Illegal,
    /// The text describes a position that the rules exclude.
    Impossible,
}

/// Why a text was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The kind of fault.
    pub fault: Fault,
    /// A word for programs, such as `occupied` or `wrong_length`.
    pub reason: &'static str,
    /// Where the fault begins: characters before it, 0 at the start of the text.
    pub at: usize,
    /// The reason in a sentence, without the place: `e4 is occupied`.
    pub message: String,
}

impl TextError {
    /// A text that cannot be read, with the place of the fault.
    pub fn unreadable(reason: &'static str, at: usize, message: impl Into<String>) -> Self {
        TextError { fault: Fault::Unreadable, reason, at, message: message.into() }
    }

    /// A move that the rules forbid.
    pub fn illegal(reason: &'static str, message: impl Into<String>) -> Self {
        TextError { fault: Fault::Illegal, reason, at: 0, message: message.into() }
    }

    /// A position that the rules exclude, with the place of what is wrong.
    pub fn impossible(reason: &'static str, at: usize, message: impl Into<String>) -> Self {
        TextError { fault: Fault::Impossible, reason, at, message: message.into() }
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TextError {}

/// How the texts of legal moves begin: see [`Notation::visit_texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovePrefix<'t> {
    /// Whole words of the text.
    pub text: &'t str,
    /// How many moves are this text, or continue it after a blank; at least 1.
    pub moves: usize,
    /// Whether the text is a whole move: then it is the only one.
    pub whole: bool,
}

/// Reads and writes positions and moves, in the dialects that are in use for the game.
///
/// Parsers accept every dialect; printers write the one they are asked for, the canonical one by default.
pub trait Notation: Game {
    /// The names of the dialects, the canonical one first.
    fn dialects(&self) -> &'static [&'static str];

    /// Reads a position in any dialect. Text may contain rules (a map, a board size): they are returned with the position;
    /// rules that the text leaves out are those of `self`.
    ///
    /// # Errors
    /// The place where the text is no position, or the rule that excludes it.
    fn parse_position(&self, text: &str) -> Result<(Self, Self::Position), TextError>;

    /// Writes a position. An unknown dialect is written as the canonical one.
    fn format_position(&self, position: &Self::Position, dialect: &str) -> String;

    /// Reads a move that is legal in `position`, in any dialect.
    ///
    /// # Errors
    /// Why the text is no move, or why the rules forbid it.
    fn parse_move(&self, position: &Self::Position, text: &str) -> Result<Self::Move, TextError>;

    /// Writes a legal move of `position`.
    fn format_move(&self, position: &Self::Position, m: Self::Move, dialect: &str) -> String;

    /// Calls `visit` with the canonical texts of all moves of an unfinished position, in the order of
    /// [`Game::visit_moves`]. A game with very many moves may group those that begin with the same words: it then calls
    /// `visit` with this prefix first, and with longer prefixes or single moves below it if `visit` returns true.
    fn visit_texts(&self, position: &Self::Position, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool) {
        let _ = self.visit_moves(position, |m| {
            visit(MovePrefix { text: &self.format_move(position, m, ""), moves: 1, whole: true });
            ControlFlow::<()>::Continue(())
        });
    }

    /// Splits a text that may hold several moves (`f5d6c3`, or moves separated by whitespace) into the texts of single moves.
    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        text.split_whitespace().collect()
    }

    /// The forced move that must be played before `text` can be read, where records of the game leave forced moves out
    /// (Othello: a pass).
    fn implied_move(&self, position: &Self::Position, text: &str) -> Option<Self::Move> {
        let _ = (position, text);
        None
    }
}
