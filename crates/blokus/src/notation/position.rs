//! Positions as text: 14 rows of `.`, `b` and `w` from row 14 down, separated by `/`; the side to move; and, where it is
//! so, which sides have placed all pieces with the monomino last.
//!
//! `............../…/.............. b`: `b` is the first side, `w` the second. A last word `b`, `w` or `bw` names the sides
//! that placed the monomino last, which the cells do not show and which is worth 5 points.

use std::fmt;

use banmen_game::Side;

use super::{Fault, Result, fault, quote};
use crate::cells::{Cell, Cells, SIZE};
use crate::position::Position;

/// The letter of a side, as in Pentobi's notation.
#[must_use]
pub fn letter(side: Side) -> char {
    match side {
        Side::First => 'b',
        Side::Second => 'w',
    }
}

/// The side of a letter, in either case.
pub(crate) fn side(letter: char) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| self::letter(side) == letter.to_ascii_lowercase())
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in Cell::all() {
            if cell.x() == 0 && cell.y() > 0 {
                f.write_str("/")?;
            }
            let owner = Side::BOTH.into_iter().find(|&side| self.cells(side).contains(cell));
            write!(f, "{}", owner.map_or('.', letter))?;
        }
        write!(f, " {}", letter(self.side()))?;
        let last: String = Side::BOTH.into_iter().filter(|&side| self.monomino_last(side)).map(letter).collect();
        if last.is_empty() { Ok(()) } else { write!(f, " {last}") }
    }
}

/// Reads a position. `starts` are the cells of which one must be covered by each side that has placed a piece.
///
/// # Errors
/// The first character that does not fit, or the cell that makes the position impossible.
pub fn parse_position(text: &str, starts: [Cells; 2]) -> Result<Position> {
    let mut words = words(text);
    let (begin, board) = words.next().unwrap_or((text.len(), ""));
    let mut cells = [Cells::EMPTY; 2];
    let mut places = [begin; 196];
    let mut at = begin;
    let mut rows = 0;
    for row in board.split('/') {
        if rows == SIZE {
            return fault(at, Fault::Rows { found: board.split('/').count() });
        }
        for (x, (skip, found)) in (0..).zip(row.char_indices()) {
            let owner = side(found);
            if owner.is_none() && found != '.' {
                return fault(at + skip, Fault::NotASquare { found });
            }
            let Some(cell) = Cell::at(x, rows) else {
                return fault(at + skip, Fault::Columns { row: SIZE - rows, found: row.chars().count() });
            };
            places[cell.index()] = at + skip;
            if let Some(owner) = owner {
                cells[owner.index()] |= Cells::only(cell);
            }
        }
        at += row.len();
        if row.len() < SIZE.into() {
            return fault(at, Fault::Columns { row: SIZE - rows, found: row.len() });
        }
        at += 1;
        rows += 1;
    }
    if rows < SIZE {
        return fault(begin + board.len(), Fault::Rows { found: rows.into() });
    }
    let Some((at, word)) = words.next() else { return fault(text.len(), Fault::NoSide) };
    let mut letters = word.chars();
    let (Some(side), None) = (letters.next().and_then(side), letters.next()) else {
        return fault(at, Fault::NotASide { found: quote(word) });
    };
    let mut last = [false; 2];
    let mut last_place = text.len();
    if let Some((at, word)) = words.next() {
        last_place = at;
        last = match word.to_ascii_lowercase().as_str() {
            "b" => [true, false],
            "w" => [false, true],
            "bw" => [true, true],
            _ => return fault(at, Fault::NotLast { found: quote(word) }),
        };
    }
    if let Some((at, word)) = words.next() {
        return fault(at, Fault::Trailing { found: quote(word) });
    }
    Position::new(cells, side, last, starts).or_else(|why| {
        let place = why.cell().map_or(last_place, |cell| places[cell.index()]);
        fault(place, Fault::Impossible(why))
    })
}

/// The words of a text, each with its offset.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.trim_start();
        let word = begin.split(char::is_whitespace).next().filter(|word| !word.is_empty())?;
        rest = &begin[word.len()..];
        Some((text.len() - begin.len(), word))
    })
}
