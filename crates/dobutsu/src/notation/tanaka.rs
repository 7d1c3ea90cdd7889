//! Positions and moves in the notation of Tanaka's programs, which follows the CSA format of shogi.
//!
//! Four rows of cells (`+HI` the first side's chick, `-LI` the second side's lion, ` . ` an empty cell) are followed by
//! a row of digits for the chicks, elephants and giraffes in the first side's hand and then the second's, and by `+` or
//! `-` for the side to move. A move is the side, the origin (`00` for the hand), the target, and the piece after the
//! move: `+B3B2HI`.

use banmen_game::Side;

use super::draft::{MoveDraft, Origin, promotes};
use super::text::{Draft, Text};
use super::{Fault, Result, SquareNames};
use crate::board::{BOARD, Piece, Square, squares};
use crate::position::{Move, Position};

const CODES: [&str; 5] = ["HI", "ZO", "KI", "LI", "NI"];

fn sign(side: Side) -> char {
    if side == Side::First { '+' } else { '-' }
}

fn side_of(sign: char) -> Option<Side> {
    match sign {
        '+' => Some(Side::First),
        '-' => Some(Side::Second),
        _ => None,
    }
}

fn code(text: &mut Text) -> Option<Piece> {
    let at = CODES.iter().position(|code| text.take_word(code))?;
    Some(Piece::ALL[at])
}

/// Reads a position.
///
/// # Errors
/// Returns the location of the first error: unreadable text, or an impossible position.
pub(crate) fn parse_position(text: &str) -> Result<Position> {
    let mut text = Text::new(text);
    let mut draft = Draft::default();
    text.skip_blanks();
    for _ in 0..4 {
        row(&mut text, &mut draft)?;
    }
    text.skip_blanks();
    let at = text.at();
    let digits = text.word();
    let counts: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(10)).collect();
    if counts.len() != digits.chars().count() || !matches!(counts.len(), 6 | 8) {
        return text.fault(at, Fault::BadHand { found: digits });
    }
    for (side, counts) in Side::BOTH.into_iter().zip(counts.chunks(counts.len() / 2)) {
        for (&piece, &count) in Piece::ALL.iter().zip(counts) {
            draft.hold(side, piece, count);
        }
    }
    text.skip_blanks();
    let at = text.at();
    let Some(character) = text.next() else { return text.fault(at, Fault::NoSide) };
    let Some(side) = side_of(character) else {
        return text.fault(at, Fault::BadSide { found: character.to_string() });
    };
    text.end()?;
    draft.position(side, text.at())
}

/// Reads the cells of one line.
fn row(text: &mut Text, draft: &mut Draft) -> Result<()> {
    // Whitespace before the row belongs to an empty cell or to the end of the previous line.
    text.skip_blanks();
    loop {
        let at = text.at();
        match text.peek() {
            None | Some('\n') => return draft.end_row(at),
            Some(blank) if blank.is_whitespace() => {
                text.next();
            }
            Some('.') => {
                text.next();
                draft.cell(at, None)?;
            }
            Some(character) => {
                let Some(side) = side_of(character) else {
                    return text.fault(at, Fault::BadPiece { found: character.to_string() });
                };
                text.next();
                match code(text) {
                    Some(piece) => draft.cell(at, Some((side, piece)))?,
                    None => return text.fault(at, Fault::BadPiece { found: text.rest() }),
                }
            }
        }
    }
}

/// Writes a position in six lines.
#[must_use]
pub(crate) fn format_position(position: &Position) -> String {
    let mut text = String::new();
    for square in squares(BOARD) {
        match position.cell(square) {
            Some((side, piece)) => text.extend([sign(side).to_string().as_str(), CODES[piece.index()]]),
            None => text.push_str(" . "),
        }
        if square.column() == 2 {
            text.push('\n');
        }
    }
    let caught = Side::BOTH.into_iter().any(|side| position.is_caught(side));
    for side in Side::BOTH {
        for &piece in Piece::ALL.iter().take(if caught { 4 } else { 3 }) {
            text.push_str(&position.hand(side).count(piece).to_string());
        }
    }
    text.extend(['\n', sign(position.side())]);
    text
}

pub(super) fn read_move(text: &str) -> Result<MoveDraft> {
    let mut text = Text::new(text);
    text.skip_blanks();
    let begin = text.at();
    let not_a_move = |text: &Text| text.fault(begin, Fault::NotAMove { found: text.all() });
    let square = |text: &mut Text| -> Result<Option<Square>> {
        let at = text.at();
        let (Some(file @ 'A'..='Z'), Some(rank @ '0'..='9')) = (text.next(), text.next()) else { return Ok(None) };
        let row = (rank as usize).checked_sub('1' as usize);
        match row.and_then(|row| Square::at(file as usize - 'A' as usize, row)) {
            None => text.fault(at, Fault::OffTheBoard { found: [file, rank].iter().collect() }),
            found => Ok(found),
        }
    };
    let side = text.next().and_then(side_of);
    let origin = if text.take_word("00") {
        Origin::Hand
    } else {
        match square(&mut text)? {
            Some(from) => Origin::On(from),
            None => return not_a_move(&text),
        }
    };
    let Some(to) = square(&mut text)? else { return not_a_move(&text) };
    let Some(piece) = code(&mut text) else { return not_a_move(&text) };
    text.end()?;
    Ok(MoveDraft { side, piece: Some(piece), after: true, origin, names: SquareNames::Tanaka, ..MoveDraft::to(to) })
}

/// Writes a move of `position`.
#[must_use]
pub(crate) fn format_move(position: &Position, m: Move) -> String {
    let sign = sign(position.side());
    match m {
        Move::Drop { piece, to } => format!("{sign}00{to}{}", CODES[piece.index()]),
        Move::Step { from, to } => {
            let moved = position.cell(from).map(|(_, piece)| piece);
            let piece = if promotes(position, m) { Some(Piece::Hen) } else { moved };
            format!("{sign}{from}{to}{}", piece.map_or("", |piece| CODES[piece.index()]))
        }
    }
}
