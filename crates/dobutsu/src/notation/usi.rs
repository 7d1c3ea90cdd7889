//! Moves in USI and UCI: `2c2b`, `2b2a+`, `C*2b`; `b2b3`, `b3b4+`, `C@b3`; and lishogi's `P*2b`.
//!
//! USI numbers the files 1 to 3 from the right and letters the ranks a to d from the top. UCI letters the files a to c
//! from the left and numbers the ranks 1 to 4 from the first side's home rank.

use super::draft::{MoveDraft, promotes};
use super::text::Text;
use super::{Fault, Result, SquareNames};
use crate::board::{Piece, Square};
use crate::position::{Move, Position};

/// The name of a square in USI: `3a` is the top left one. Empty for a number that is not a square.
#[must_use]
pub(crate) fn square(index: usize) -> String {
    name(index, Square::column, |column| ["3", "2", "1"][column], |row| ["a", "b", "c", "d"][row])
}

/// The name of a square in UCI: `a4` is the top left one. Empty for a number that is not a square.
#[must_use]
pub(super) fn uci_square(index: usize) -> String {
    name(index, Square::column, |column| ["a", "b", "c"][column], |row| ["4", "3", "2", "1"][row])
}

fn name(
    index: usize,
    column: impl Fn(Square) -> usize,
    file: impl Fn(usize) -> &'static str,
    rank: impl Fn(usize) -> &'static str,
) -> String {
    Square::new(index).map_or_else(String::new, |square| [file(column(square)), rank(square.row())].concat())
}

/// The square that two characters name in USI or in UCI.
fn read_square(file: char, rank: char) -> Option<Square> {
    let place = |character: char, first: char| (character as usize).checked_sub(first as usize);
    match file {
        '1'..='3' => Square::at(2 - place(file, '1')?, place(rank, 'a')?),
        'a'..='c' => Square::at(place(file, 'a')?, 3usize.checked_sub(place(rank, '1')?)?),
        _ => None,
    }
}

/// Whether two characters have the form of a square, on this board or another one.
fn like_a_square(file: char, rank: char) -> bool {
    file.is_ascii_digit() && rank.is_ascii_lowercase() || file.is_ascii_lowercase() && rank.is_ascii_digit()
}

/// The piece that a capital letter names in a drop.
fn dropped(letter: char) -> Option<Piece> {
    match letter {
        'C' | 'P' => Some(Piece::Chick),
        'E' | 'B' => Some(Piece::Elephant),
        'G' | 'R' => Some(Piece::Giraffe),
        _ => None,
    }
}

pub(super) fn read_move(text: &str) -> Result<MoveDraft> {
    let mut text = Text::new(text);
    text.skip_blanks();
    let begin = text.at();
    let not_a_move = |text: &Text| text.fault(begin, Fault::NotAMove { found: text.all() });
    // UCI's files are letters.
    let mut lettered = false;
    let mut target = |text: &mut Text| -> Result<Option<Square>> {
        let at = text.at();
        let (Some(file), Some(rank)) = (text.next(), text.next()) else { return Ok(None) };
        lettered = file.is_ascii_lowercase();
        match read_square(file, rank) {
            None if like_a_square(file, rank) => {
                text.fault(at, Fault::OffTheBoard { found: [file, rank].iter().collect() })
            }
            read => Ok(read),
        }
    };
    let draft = match text.peek() {
        Some(letter) if letter.is_ascii_uppercase() => {
            text.next();
            let sign = text.next();
            let piece = dropped(letter).filter(|_| matches!(sign, Some('*' | '@')));
            match (piece, target(&mut text)?) {
                (Some(piece), Some(to)) => MoveDraft::drop(piece, to),
                _ => return not_a_move(&text),
            }
        }
        _ => match (target(&mut text)?, target(&mut text)?) {
            (Some(from), Some(to)) => {
                let promotes = text.take('+');
                MoveDraft { promotes, ..MoveDraft::step(from, to) }
            }
            _ => return not_a_move(&text),
        },
    };
    text.end()?;
    let names = if lettered { SquareNames::Uci } else { SquareNames::Usi };
    Ok(MoveDraft { names, ..draft })
}

/// Writes a move of `position` as USI.
#[must_use]
pub(crate) fn format_move(position: &Position, m: Move) -> String {
    format(position, m, ["C*", "E*", "G*"], square)
}

/// Writes a move of `position` as USI with lishogi's letters.
#[must_use]
pub(crate) fn format_lishogi(position: &Position, m: Move) -> String {
    format(position, m, ["P*", "B*", "R*"], square)
}

/// Writes a move of `position` as Fairy-Stockfish's UCI.
#[must_use]
pub(crate) fn format_uci(position: &Position, m: Move) -> String {
    format(position, m, ["C@", "E@", "G@"], uci_square)
}

fn format(position: &Position, m: Move, drops: [&str; 3], square: fn(usize) -> String) -> String {
    match m {
        Move::Drop { piece, to } => {
            [drops.get(piece.index()).copied().unwrap_or_default(), square(to.index()).as_str()].concat()
        }
        Move::Step { from, to } => {
            let sign = if promotes(position, m) { "+" } else { "" };
            [square(from.index()).as_str(), square(to.index()).as_str(), sign].concat()
        }
    }
}
