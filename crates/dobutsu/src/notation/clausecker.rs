//! Positions and moves in the notation of clausecker/dobutsu: `S/gle/-c-/-C-/ELG/-` and `Cb3xb2`, ranks from the top.
//!
//! `S` or `G` is the side to move (sente moves first), followed by four rows and the pieces in hand. A hen is `R`
//! (rooster). Case gives the owner of a piece. A move names its piece, always by a capital; `x` marks a capture and `+`
//! a promotion.

use banmen_game::Side;

use super::draft::{MoveDraft, promotes};
use super::text::{Draft, Text};
use super::{Fault, Result, SquareNames};
use crate::board::{BOARD, Piece, Square, squares};
use crate::position::{Move, Position};

const LETTERS: [char; 5] = ['C', 'E', 'G', 'L', 'R'];

fn piece_of(letter: char) -> Option<(Side, Piece)> {
    let at = LETTERS.iter().position(|known| *known == letter.to_ascii_uppercase())?;
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    Some((side, Piece::ALL[at]))
}

fn letter_of(side: Side, piece: Piece) -> char {
    let letter = LETTERS[piece.index()];
    if side == Side::First { letter } else { letter.to_ascii_lowercase() }
}

/// Reads a position string.
///
/// # Errors
/// Returns the location of the first error: unreadable text, or an impossible position.
pub(crate) fn parse_position(text: &str) -> Result<Position> {
    let mut text = Text::new(text);
    text.skip_blanks();
    let side = match text.next() {
        Some('S') => Side::First,
        Some('G') => Side::Second,
        Some(other) => return text.fault(text.at() - 1, Fault::BadSide { found: other.to_string() }),
        None => return text.fault(text.at(), Fault::NoSide),
    };
    if !text.take('/') {
        return text.fault(text.at(), Fault::BadSide { found: text.rest() });
    }
    let mut draft = Draft::default();
    for row in 0..4 {
        loop {
            let at = text.at();
            match text.next() {
                Some('/') => break draft.end_row(at)?,
                Some('-') => draft.cell(at, None)?,
                Some(letter) => match piece_of(letter) {
                    Some(cell) => draft.cell(at, Some(cell))?,
                    None => return text.fault(at, Fault::BadPiece { found: letter.to_string() }),
                },
                None => return text.fault(at, Fault::RowCount { found: row }),
            }
        }
    }
    while let Some(letter) = text.peek().filter(|letter| !letter.is_whitespace()) {
        match piece_of(letter) {
            Some((side, piece)) if piece != Piece::Hen => draft.hold(side, piece, 1),
            _ if letter == '-' => {}
            _ => return text.fault(text.at(), Fault::BadHand { found: letter.to_string() }),
        }
        text.next();
    }
    text.end()?;
    draft.position(side, text.at())
}

/// Writes a position string.
#[must_use]
pub(crate) fn format_position(position: &Position) -> String {
    let mut text = String::from(if position.side() == Side::First { "S/" } else { "G/" });
    for square in squares(BOARD) {
        text.push(position.cell(square).map_or('-', |(side, piece)| letter_of(side, piece)));
        if square.column() == 2 {
            text.push('/');
        }
    }
    let board = text.len();
    for side in Side::BOTH {
        for &piece in Piece::ALL.iter().take(4) {
            text.extend(std::iter::repeat_n(letter_of(side, piece), position.hand(side).count(piece) as usize));
        }
    }
    if text.len() == board {
        text.push('-');
    }
    text
}

/// Whether a text belongs to this dialect and not to USI or UCI: a capital and a square, or a drop on a square whose
/// letter comes first.
pub(super) fn is_move(text: &str) -> bool {
    let mut characters = text.chars();
    let begin = (characters.next(), characters.next(), characters.next());
    matches!(begin, (Some('A'..='Z'), Some('*'), Some('a'..='z')) | (Some('A'..='Z'), Some('a'..='z'), _))
}

pub(super) fn read_move(text: &str) -> Result<MoveDraft> {
    let mut text = Text::new(text);
    text.skip_blanks();
    let begin = text.at();
    let not_a_move = |text: &Text| text.fault(begin, Fault::NotAMove { found: text.all() });
    let square = |text: &mut Text| -> Result<Option<Square>> {
        let at = text.at();
        let (Some(file @ 'a'..='z'), Some(rank @ '0'..='9')) = (text.next(), text.next()) else { return Ok(None) };
        let row = (rank as usize).checked_sub('1' as usize);
        match row.and_then(|row| Square::at(file as usize - 'a' as usize, row)) {
            None => text.fault(at, Fault::OffTheBoard { found: [file, rank].iter().collect() }),
            found => Ok(found),
        }
    };
    let Some((_, piece)) = text.next().and_then(piece_of) else { return not_a_move(&text) };
    let draft = if text.take('*') {
        match square(&mut text)? {
            Some(to) => MoveDraft::drop(piece, to),
            None => return not_a_move(&text),
        }
    } else {
        let Some(from) = square(&mut text)? else { return not_a_move(&text) };
        let captures = match text.next() {
            Some('x') => true,
            Some('-') => false,
            _ => return not_a_move(&text),
        };
        let Some(to) = square(&mut text)? else { return not_a_move(&text) };
        let promotes = text.take('+');
        MoveDraft { piece: Some(piece), captures: Some(captures), promotes, ..MoveDraft::step(from, to) }
    };
    text.end()?;
    Ok(MoveDraft { names: SquareNames::Clausecker, ..draft })
}

/// Writes a move of `position`.
#[must_use]
pub(crate) fn format_move(position: &Position, m: Move) -> String {
    let name = |square: Square| square.to_string().to_ascii_lowercase();
    match m {
        Move::Drop { piece, to } => format!("{}*{}", letter_of(Side::First, piece), name(to)),
        Move::Step { from, to } => {
            let piece = position.cell(from).map_or('-', |(_, piece)| letter_of(Side::First, piece));
            let sign = if position.cell(to).is_some() { 'x' } else { '-' };
            let promoted = if promotes(position, m) { "+" } else { "" };
            format!("{piece}{}{sign}{}{promoted}", name(from), name(to))
        }
    }
}
