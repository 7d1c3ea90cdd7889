//! The four-character codes of the FPGA design contests (ICFPT 2013 and later): `66p4`.
//!
//! Column and row of the piece's reference cell, `1` to `9` and `a` to `e` from the upper left corner; the letter of the
//! piece; the number of its orientation, 0 to 7. `0000` is the pass. A placement of a symmetrical piece has several codes:
//! 26,008 codes denote the 13,729 placements. The canonical one has the smallest orientation.

use super::{Fault, Result, fault, quote};
use crate::cells::Cell;
use crate::moves::Move;
use crate::piece::Piece;

/// Whether a text has the form of a code, and not that of a cell.
pub(crate) fn is_code(text: &str) -> bool {
    text.len() == 4 && text.starts_with(|first: char| first.is_ascii_digit())
        || text.len() == 4
            && text.is_char_boundary(2)
            && text[2..].starts_with(|piece: char| piece.is_ascii_alphabetic())
}

/// Writes a move as its canonical code, in lower case.
#[must_use]
pub fn format(m: Move) -> String {
    let coded = m.parts().and_then(|(orientation, corner)| {
        let number = orientation.code_orientation();
        let (_, (x, y)) = orientation.piece().of_code_orientation(number.into())?;
        let digit = |place: u8| char::from_digit(u32::from(place) + 1, 16);
        let letter = orientation.piece().letter();
        Some([digit(corner.x() + x)?, digit(corner.y() + y)?, letter, char::from(b'0' + number)].iter().collect())
    });
    coded.unwrap_or_else(|| "0000".to_owned())
}

/// Reads a code, in either case.
///
/// # Errors
/// The character that does not fit, or a piece that is not all on the board.
pub fn parse(text: &str) -> Result<Move> {
    if text == "0000" {
        return Ok(Move::PASS);
    }
    let mut characters = text.char_indices();
    let mut next = |expected| match characters.next() {
        Some((at, found)) => Ok((at, found)),
        None => fault(text.len(), Fault::NotACode { found: quote(text), expected }),
    };
    let mut place = |expected| {
        let (at, found) = next(expected)?;
        match found.to_digit(16) {
            Some(place @ 1..=14) => Ok(place as u8 - 1),
            _ => fault(at, Fault::NotACode { found: quote(text), expected }),
        }
    };
    let x = place("the first character is the column, 1 to 9 or a to e")?;
    let y = place("the second character is the row, 1 to 9 or a to e")?;
    let expected = "the third character is the piece, a to u";
    let (at, letter) = next(expected)?;
    let Some(piece) = Piece::of_letter(letter) else {
        return fault(at, Fault::NotACode { found: quote(text), expected });
    };
    let expected = "the fourth character is the orientation, 0 to 7";
    let (at, digit) = next(expected)?;
    let number = digit.to_digit(10).map_or(8, |number| number as usize);
    let Some((orientation, (dx, dy))) = piece.of_code_orientation(number) else {
        return fault(at, Fault::NotACode { found: quote(text), expected });
    };
    if let Some((at, _)) = characters.next() {
        return fault(at, Fault::NotACode { found: quote(text), expected: "a code has four characters" });
    }
    let corner = x.checked_sub(dx).zip(y.checked_sub(dy)).and_then(|(x, y)| Cell::at(x, y));
    let m = corner.and_then(|corner| Move::place(orientation, corner));
    m.map_or_else(|| fault(0, Fault::CodeOffTheBoard { piece: piece.letter(), code_orientation: number }), Ok)
}
