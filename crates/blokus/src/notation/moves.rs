//! Moves as the cells that they cover, as Pentobi writes them: `f9,e10,f10,g10,f11`.

use std::cmp::Reverse;
use std::fmt;

use super::{Fault, Result, fault, fpt, quote};
use crate::cells::{Cell, Cells, SIZE};
use crate::moves::Move;

/// The cells from row 1 upwards, in a row from column a, separated by commas; `pass`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Move::PASS {
            return f.write_str("pass");
        }
        let mut cells: Vec<Cell> = self.cells().iter().collect();
        cells.sort_by_key(|cell| (Reverse(cell.y()), cell.x()));
        for (index, cell) in cells.into_iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{cell}")?;
        }
        Ok(())
    }
}

/// Reads a move: cells in any order, with blanks around commas or not; a code of the contests ([`fpt`]); or `pass`. All in
/// either case. The move need not be legal.
///
/// # Errors
/// The first part that is not a cell of the board or is named twice; cells that are no piece.
pub fn parse_move(text: &str) -> Result<Move> {
    let begin = text.len() - text.trim_start().len();
    let word = text.trim();
    if word.eq_ignore_ascii_case("pass") {
        return Ok(Move::PASS);
    }
    if fpt::is_code(word) {
        return fpt::parse(word).map_err(|error| super::NotationError { at: begin + error.at, ..error });
    }
    let mut cells = Cells::EMPTY;
    let mut at = 0;
    for part in text.split(',') {
        let place = at + part.len() - part.trim_start().len();
        at += part.len() + 1;
        let cell = parse_cell(place, part.trim())?;
        if cells.contains(cell) {
            return fault(place, Fault::CellTwice { cell });
        }
        cells |= Cells::only(cell);
    }
    Move::covering(cells).map_or_else(|| fault(begin, Fault::NoPiece), Ok)
}

/// Reads the cell that is `text`, at the offset `at` of the whole text.
fn parse_cell(at: usize, text: &str) -> Result<Cell> {
    let found = || quote(text);
    let mut characters = text.chars();
    let column = characters.next().filter(char::is_ascii_alphabetic);
    let digits = characters.as_str();
    let (Some(column), true) = (column, !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())) else {
        return fault(at, Fault::NotACell { found: found() });
    };
    let x = column.to_ascii_lowercase() as u8 - b'a';
    // A leading zero is no part of a row's number.
    let row = digits.parse::<u8>().ok().filter(|_| !digits.starts_with('0'));
    let cell = row.and_then(|row| Cell::at(x, SIZE.checked_sub(row)?));
    cell.map_or_else(|| fault(at, Fault::OffTheBoard { found: found() }), Ok)
}
