//! The dialects: `text` (rows of cells; moves as cells) and `fpt` (moves as the codes of the FPGA design contests).

use banmen_game::{Fault as Kind, Game, Notation, TextError};

use super::{Fault, NotationError, fpt, parse_move, parse_position};
use crate::game::{Blokus, IllegalMove};
use crate::moves::Move;
use crate::position::Position;
use crate::record;

const DIALECTS: &[&str] = &["text", "fpt"];

impl Notation for Blokus {
    fn dialects(&self) -> &'static [&'static str] {
        DIALECTS
    }

    /// Also reads one game in blksgf: the position is the one after the last move of its main line.
    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        if text.trim_start().starts_with('(') {
            let records = record::read(self, text).map_err(|error| {
                TextError::unreadable(error.fault.reason(), characters(text, error.at), error.to_string())
            })?;
            let [record] = &records[..] else {
                let message = format!("the text has {} games, a position is one", records.len());
                return Err(TextError::unreadable("several_games", 0, message));
            };
            return Ok((*self, *record.state().position()));
        }
        parse_position(text, self.starts()).map(|position| (*self, position)).map_err(|NotationError { at, fault }| {
            let (at, message) = (characters(text, at), fault.to_string());
            match fault {
                Fault::Impossible(_) => TextError::impossible(fault.reason(), at, message),
                _ => TextError::unreadable(fault.reason(), at, message),
            }
        })
    }

    fn format_position(&self, position: &Position, _: &str) -> String {
        position.to_string()
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let m = parse_move(text).map_err(|NotationError { at, fault }| {
            TextError::unreadable(fault.reason(), characters(text, at), fault.to_string())
        })?;
        self.check(position, m).map_err(|why| {
            let at = characters(text, place(text, why));
            TextError { fault: Kind::Illegal, reason: why.reason(), at, message: why.to_string() }
        })?;
        Ok(m)
    }

    fn format_move(&self, _: &Position, m: Move, dialect: &str) -> String {
        match dialect {
            "fpt" => fpt::format(m),
            _ => m.to_string(),
        }
    }

    /// Records leave passes out.
    fn implied_move(&self, position: &Position, text: &str) -> Option<Move> {
        let placement = parse_move(text).is_ok_and(|m| m != Move::PASS);
        (placement && self.must_pass(position)).then_some(Move::PASS)
    }
}

impl Blokus {
    /// Whether the side to move cannot place a piece, and the other side can.
    #[must_use]
    pub fn must_pass(&self, position: &Position) -> bool {
        let side = self.side_to_move(position);
        !self.can_place(position, side) && self.can_place(position, side.other())
    }
}

/// The offset at which a move's text names the cell of a fault; 0 where it names none.
pub(crate) fn place(text: &str, why: IllegalMove) -> usize {
    let Some(cell) = why.cell() else { return 0 };
    let name = cell.to_string();
    let mut at = 0;
    for part in text.split(',') {
        if part.trim().eq_ignore_ascii_case(&name) {
            return at + part.len() - part.trim_start().len();
        }
        at += part.len() + 1;
    }
    0
}

/// The number of characters before the byte offset `at`.
pub(crate) fn characters(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|&(start, _)| start < at).count()
}
