//! The dialect `text`: positions in one line, and moves as `unit@x,y>target`.

use banmen_game::{Fault as Kind, Game, Notation, TextError};

use super::{NotationError, parse_map, parse_move, parse_position, position};
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

const DIALECTS: &[&str] = &["text"];

impl Notation for Tubstap {
    fn dialects(&self) -> &'static [&'static str] {
        DIALECTS
    }

    /// Also reads the text of a map: the position is its start.
    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        if text.contains('[') {
            let read = parse_map(text).map_err(|error| {
                let line = text[..error.at].matches('\n').count() + 1;
                TextError { message: format!("line {line}: {error}"), ..text_error(text, &error) }
            })?;
            let start = read.game.start();
            return Ok((position::begin(self, read.game), start));
        }
        parse_position(self, text).map_err(|error| text_error(text, &error))
    }

    fn format_position(&self, position: &Position, _: &str) -> String {
        super::format_position(self, position)
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let m = parse_move(text).map_err(|error| text_error(text, &error))?;
        self.check(position, m).map_err(|why| TextError::illegal(why.reason(), why.to_string()))?;
        Ok(m)
    }

    fn format_move(&self, _: &Position, m: Move, _: &str) -> String {
        m.to_string()
    }
}

/// The error with its place counted in characters.
fn text_error(text: &str, error: &NotationError) -> TextError {
    let at = text[..error.at].chars().count();
    let fault = if error.fault.is_impossible() { Kind::Impossible } else { Kind::Unreadable };
    TextError { fault, reason: error.fault.reason(), at, message: error.to_string() }
}
