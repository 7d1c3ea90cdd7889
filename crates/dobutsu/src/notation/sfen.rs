//! Positions as SFEN, with the letters of this game or lishogi's, and as Fairy-Stockfish's FEN.
//!
//! All three list the rows from the top, separated by `/`, with digits for empty cells, capitals for the first side,
//! and `+` before the chick's letter for a hen. In SFEN the side (`b` first), the hands (`2Cg` or `-`) and a move
//! number follow. In FEN the hands follow the board in brackets, then the side (`w` for the first), then counters that
//! have no meaning here.

use banmen_game::Side;

use super::text::{Draft, Text};
use super::{Fault, Result};
use crate::board::{Piece, Square};
use crate::position::Position;

/// The letters of chick, elephant, giraffe and lion.
const LETTERS: [char; 4] = ['C', 'E', 'G', 'L'];
const LISHOGI: [char; 4] = ['P', 'B', 'R', 'K'];

/// The order of hands: the strongest piece first, as in shogi, and a caught lion before all others.
const HELD: [Piece; 4] = [Piece::Lion, Piece::Giraffe, Piece::Elephant, Piece::Chick];

fn piece_of(letter: char, letters: [char; 4]) -> Option<(Side, Piece)> {
    let at = letters.iter().position(|known| *known == letter.to_ascii_uppercase())?;
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    Some((side, Piece::ALL[at]))
}

fn cased(side: Side, letter: char) -> char {
    if side == Side::First { letter } else { letter.to_ascii_lowercase() }
}

/// Reads SFEN, lishogi's SFEN or Fairy-Stockfish's FEN.
///
/// # Errors
/// Returns the location of the first error: unreadable text, or an impossible position.
pub(crate) fn parse_position(text: &str) -> Result<Position> {
    // Lishogi's lion is a king, and only its letters include K.
    let letters = if text.contains(['K', 'k']) { LISHOGI } else { LETTERS };
    let mut text = Text::new(text);
    text.skip_blanks();
    let mut draft = Draft::default();
    board(&mut text, &mut draft, letters)?;
    let brackets = text.take('[');
    if brackets {
        bracketed_hands(&mut text, &mut draft, letters)?;
    }
    text.skip_blanks();
    let at = text.at();
    let side = match text.word().as_str() {
        "" => return text.fault(at, Fault::NoSide),
        "b" => {
            if brackets {
                Side::Second
            } else {
                Side::First
            }
        }
        "w" => {
            if brackets {
                Side::First
            } else {
                Side::Second
            }
        }
        other => return text.fault(at, Fault::BadSide { found: other.to_owned() }),
    };
    text.skip_blanks();
    if !brackets && text.peek().is_some() {
        sfen_hands(&mut text, &mut draft, letters)?;
    }
    let most = if brackets { 4 } else { 1 };
    for _ in 0..most {
        text.skip_blanks();
        let at = text.at();
        let word = text.word();
        let counter = word.parse::<u32>().is_ok() || brackets && word == "-";
        if !word.is_empty() && !counter {
            return text.fault(at, Fault::BadNumber { found: word });
        }
    }
    text.end()?;
    draft.position(side, text.at())
}

/// Reads rows up to a blank, a bracket or the end of the text.
fn board(text: &mut Text, draft: &mut Draft, letters: [char; 4]) -> Result<()> {
    loop {
        let at = text.at();
        match text.peek() {
            None | Some('[') => break,
            Some(blank) if blank.is_whitespace() => break,
            Some('/') => draft.end_row(at)?,
            Some(digit @ '1'..='9') => {
                for _ in 0..digit as u32 - '0' as u32 {
                    draft.cell(at, None)?;
                }
            }
            Some('+') => {
                text.next();
                let letter = text.peek().unwrap_or(' ');
                match piece_of(letter, letters) {
                    Some((side, Piece::Chick)) => draft.cell(at, Some((side, Piece::Hen)))?,
                    _ => return text.fault(at, Fault::BadPiece { found: format!("+{letter}") }),
                }
            }
            Some(letter) => match piece_of(letter, letters) {
                Some(cell) => draft.cell(at, Some(cell))?,
                None => return text.fault(at, Fault::BadPiece { found: letter.to_string() }),
            },
        }
        text.next();
    }
    draft.end_row(text.at())?;
    draft.end_board(text.at())
}

fn bracketed_hands(text: &mut Text, draft: &mut Draft, letters: [char; 4]) -> Result<()> {
    loop {
        let at = text.at();
        match text.next() {
            Some(']') => return Ok(()),
            Some('-') => {}
            Some(letter) => match piece_of(letter, letters) {
                Some((side, piece)) => draft.hold(side, piece, 1),
                None => return text.fault(at, Fault::BadHand { found: letter.to_string() }),
            },
            None => return text.fault(at, Fault::BadHand { found: String::new() }),
        }
    }
}

fn sfen_hands(text: &mut Text, draft: &mut Draft, letters: [char; 4]) -> Result<()> {
    if text.take('-') {
        return Ok(());
    }
    while let Some(character) = text.peek().filter(|character| !character.is_whitespace()) {
        let at = text.at();
        let count = match character {
            '1'..='9' => {
                text.next();
                character as u32 - '0' as u32
            }
            _ => 1,
        };
        match text.next().and_then(|letter| piece_of(letter, letters)) {
            Some((side, piece)) => draft.hold(side, piece, count),
            None => return text.fault(at, Fault::BadHand { found: character.to_string() }),
        }
    }
    Ok(())
}

/// Writes SFEN; the move number is always 1.
#[must_use]
pub(crate) fn format_position(position: &Position) -> String {
    format_sfen(position, LETTERS)
}

/// Writes SFEN with lishogi's letters.
#[must_use]
pub(crate) fn format_lishogi(position: &Position) -> String {
    format_sfen(position, LISHOGI)
}

fn format_sfen(position: &Position, letters: [char; 4]) -> String {
    let side = if position.side() == Side::First { "b" } else { "w" };
    let mut hands = String::new();
    for (side, piece, count) in held(position) {
        if count > 1 {
            hands.push_str(&count.to_string());
        }
        hands.push(cased(side, letters[piece.index()]));
    }
    let hands = if hands.is_empty() { "-" } else { hands.as_str() };
    format!("{} {side} {hands} 1", rows(position, letters))
}

/// Writes FEN as Fairy-Stockfish does, with the counters 0 and 1.
#[must_use]
pub(crate) fn format_fen(position: &Position) -> String {
    let side = if position.side() == Side::First { "w" } else { "b" };
    let hands: String = held(position)
        .flat_map(|(side, piece, count)| std::iter::repeat_n(cased(side, LETTERS[piece.index()]), count as usize))
        .collect();
    format!("{}[{hands}] {side} - - 0 1", rows(position, LETTERS))
}

/// The pieces in hand, the first side's before the second's.
fn held(position: &Position) -> impl Iterator<Item = (Side, Piece, u32)> {
    let all = Side::BOTH.into_iter().flat_map(|side| HELD.map(|piece| (side, piece)));
    let counted = all.map(|(side, piece)| (side, piece, position.hand(side).count(piece)));
    counted.filter(|&(.., count)| count > 0)
}

fn rows(position: &Position, letters: [char; 4]) -> String {
    let mut text = String::new();
    for row in 0..4 {
        if row > 0 {
            text.push('/');
        }
        let mut empty = 0;
        let flush = |text: &mut String, empty: &mut u32| {
            if *empty > 0 {
                text.push_str(&empty.to_string());
            }
            *empty = 0;
        };
        for cell in (0..3).filter_map(|column| Square::at(column, row)).map(|square| position.cell(square)) {
            let Some((side, piece)) = cell else {
                empty += 1;
                continue;
            };
            flush(&mut text, &mut empty);
            if piece == Piece::Hen {
                text.push('+');
            }
            text.push(cased(side, letters[piece.captured().index()]));
        }
        flush(&mut text, &mut empty);
    }
    text
}
