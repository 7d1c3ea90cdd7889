//! The text dialects of positions and moves: `text` (64 characters and the side, moves `d3`, pass `pa`)
//! and `ggf` (a GGF game; the position is the one after its last move; moves `D3`, pass `PA`).

use banmen_game::{Notation, TextError};

use crate::Othello;
use crate::notation::{self, Fault};
use crate::position::{Move, Position};
use crate::record::{self, Record};

const DIALECTS: &[&str] = &["text", "ggf"];

impl Notation for Othello {
    fn dialects(&self) -> &'static [&'static str] {
        DIALECTS
    }

    fn parse_position(&self, text: &str) -> Result<(Self, Position), TextError> {
        if text.trim_start().starts_with("(;") {
            let records = record::read(text).map_err(|error| {
                TextError::unreadable(error.fault.reason(), characters(text, error.at), error.to_string())
            })?;
            // Between games a file may have other text; a position that is followed by moves would lose them.
            let end = text.rfind(";)").map_or(0, |at| at + ";)".len());
            let rest = text[end..].trim_start();
            if !rest.is_empty() {
                let at = text[..text.len() - rest.len()].chars().count();
                return Err(TextError::unreadable("trailing", at, "nothing may follow the game"));
            }
            return match records.last() {
                Some(record) => Ok((Othello, record.end())),
                None => Err(TextError::unreadable("unfinished", 0, "the text contains no game")),
            };
        }
        notation::parse_position(text).map(|position| (Othello, position)).map_err(|error| {
            let (at, message) = (characters(text, error.at), error.fault.to_string());
            match error.fault {
                Fault::Impossible(_) => TextError::impossible(error.fault.reason(), at, message),
                _ => TextError::unreadable(error.fault.reason(), at, message),
            }
        })
    }

    fn format_position(&self, position: &Position, dialect: &str) -> String {
        match dialect {
            "ggf" => Record::new(*position, []).ggf(),
            _ => position.to_string(),
        }
    }

    fn parse_move(&self, position: &Position, text: &str) -> Result<Move, TextError> {
        let m = notation::parse_move(text).map_err(|error| {
            TextError::unreadable(error.fault.reason(), characters(text, error.at), error.fault.to_string())
        })?;
        position.check(m).map_err(|why| TextError::illegal(why.reason(), why.to_string()))?;
        Ok(m)
    }

    fn format_move(&self, _: &Position, m: Move, dialect: &str) -> String {
        match dialect {
            "ggf" => m.to_string().to_ascii_uppercase(),
            _ => m.to_string(),
        }
    }

    fn split_moves<'t>(&self, text: &'t str) -> Vec<&'t str> {
        // Tokens begin and end at character boundaries. If one did not, the whole text would be rejected rather than
        // a part lost.
        notation::split(text.as_bytes()).map(|(at, piece)| text.get(at..at + piece.len()).unwrap_or(text)).collect()
    }

    fn implied_move(&self, position: &Position, text: &str) -> Option<Move> {
        let passes = matches!(notation::parse_move(text), Ok(Move::PASS));
        (!passes && position.must_pass()).then_some(Move::PASS)
    }
}

/// The number of characters before the byte offset `at`.
fn characters(text: &str, at: usize) -> usize {
    text.char_indices().take_while(|&(start, _)| start < at).count()
}
