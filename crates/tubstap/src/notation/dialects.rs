//! The dialects: `text` (positions in one line, moves as `unit@x,y>target`), and `tubstap`, as the original's network games
//! write (a position that a map can begin with as its map on one line, moves as the numbers of an action).

use banmen_game::{Fault as Kind, Game, Notation, TextError};

use super::actions::{format_action, is_action, parse_action};
use super::tbsmap::parse_start;
use super::{Map, NotationError, parse_move, parse_position, position};
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

const DIALECTS: &[&str] = &["text", ORIGINAL];

/// The original's dialect.
const ORIGINAL: &str = "tubstap";

impl Notation for Tubstap {
    fn dialects(&self) -> &'static [&'static str] {
        DIALECTS
    }

    /// Also reads the text of a map: the position is its start.
    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        if text.contains('[') {
            let read = parse_start(text).map_err(|error| text_error(text, &error))?;
            let start = read.game.start();
            return Ok((position::begin(self, read.game), start));
        }
        parse_position(self, text).map_err(|error| text_error(text, &error))
    }

    fn format_position(&self, position: &Position, dialect: &str) -> String {
        let map = if dialect == ORIGINAL { Map::beginning_at(self, position) } else { None };
        map.map_or_else(|| super::format_position(self, position), |map| map.text().lines().collect())
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let read = if is_action(text) { parse_action(text) } else { parse_move(text) };
        let m = read.map_err(|error| text_error(text, &error))?;
        self.check(position, m).map_err(|why| TextError::illegal(why.reason(), why.to_string()))?;
        Ok(m)
    }

    fn format_move(&self, position: &Position, m: Move, dialect: &str) -> String {
        if dialect == ORIGINAL { format_action(self, position, m) } else { m.to_string() }
    }
}

/// The error with its place counted in characters.
fn text_error(text: &str, error: &NotationError) -> TextError {
    let at = text[..error.at].chars().count();
    let fault = if error.fault.is_impossible() { Kind::Impossible } else { Kind::Unreadable };
    TextError { fault, reason: error.fault.reason(), at, message: error.to_string() }
}
