//! Positions and moves as text, in the dialects of the other rules.

use banmen_game::{Notation, TextError};

use super::game::Article;
use super::position::{Move, Position};
use crate::notation::{self, Dialect, NotationError};

impl Notation for Article {
    fn dialects(&self) -> &'static [&'static str] {
        &Dialect::NAMES
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        notation::parse_position(text).map(|board| (*self, board.into())).map_err(NotationError::of_position)
    }

    fn format_position(&self, position: &Position, dialect: &str) -> String {
        notation::format_position(position.board(), Dialect::named(dialect).unwrap_or(Dialect::Sfen))
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let read = notation::parse_checked_move(&|m| self.check(position, m), position.board(), text);
        read.map(Move::first).map_err(NotationError::of_move)
    }

    fn format_move(&self, position: &Position, m: Move, dialect: &str) -> String {
        notation::format_move(position.board(), m.played, Dialect::named(dialect).unwrap_or(Dialect::Sfen))
    }
}
