//! Positions and moves in Japanese: a diagram as shogi programs draw it, and `B2ひよこ(B3)`, `B1ひよこ成(B2)`, `B2ひよこ打`.
//!
//! Files are A to C from the left, ranks 1 to 4 from the top, as on the published board. The parser also accepts wide
//! letters and digits, katakana, a mark of the side before the move (`▲`, `△`), and moves whose origin is omitted where
//! only one piece can be meant.

use banmen_game::Side;

use super::draft::{MoveDraft, Origin, promotes};
use super::text::{Draft, Text};
use super::{Fault, Result, SquareNames};
use crate::board::{Piece, Square};
use crate::position::{Move, Position};

/// The names of the pieces; the writer uses the first one.
const NAMES: [[&str; 2]; 5] =
    [["ひよこ", "ヒヨコ"], ["ぞう", "ゾウ"], ["きりん", "キリン"], ["ライオン", "らいおん"], ["にわとり", "ニワトリ"]];

/// The pieces' signs in the diagram.
const SIGNS: [char; 5] = ['ヒ', 'ゾ', 'キ', 'ラ', 'ニ'];

fn side_name(side: Side) -> &'static str {
    if side == Side::First { "先手" } else { "後手" }
}

fn piece(text: &mut Text) -> Option<Piece> {
    let at = NAMES.iter().position(|names| names.iter().any(|name| text.take_word(name)))?;
    Some(Piece::ALL[at])
}

/// The ordinary character for a wide letter, digit or sign.
fn narrow(character: char) -> char {
    match character {
        '！'..='～' => char::from_u32(character as u32 - 0xFEE0).unwrap_or(character),
        _ => character,
    }
}

/// Reads a diagram: the second side's hand, the board between bars, the first side's hand, and the side to move.
///
/// # Errors
/// Returns the location of the first error: unreadable text, or an impossible position.
pub(crate) fn parse_position(text: &str) -> Result<Position> {
    let mut text = Text::new(text);
    let mut draft = Draft::default();
    let mut side = None;
    loop {
        text.skip_blanks();
        let at = text.at();
        let named = Side::BOTH.into_iter().find(|side| text.take_word(side_name(*side)));
        match (named, text.peek()) {
            (Some(named), Some('番')) => {
                text.next();
                side = Some(named);
            }
            (Some(named), _) if text.take_word("の持駒：") => hand(&mut text, &mut draft, named)?,
            (Some(_), _) => return text.fault(at, Fault::BadSide { found: text.rest() }),
            (None, None) => break,
            (None, Some('|')) => {
                text.next();
                row(&mut text, &mut draft)?;
            }
            // The border, and the file names above it.
            (None, Some('+' | 'Ａ' | 'Ｂ' | 'Ｃ' | 'A' | 'B' | 'C')) => {
                text.word();
            }
            (None, Some(_)) => return text.fault(at, Fault::BadPiece { found: text.rest() }),
        }
    }
    draft.end_board(text.at())?;
    match side {
        Some(side) => draft.position(side, text.at()),
        None => text.fault(text.at(), Fault::NoSide),
    }
}

/// Reads the cells up to the bar, and the rank's name after it.
fn row(text: &mut Text, draft: &mut Draft) -> Result<()> {
    loop {
        let at = text.at();
        let side = match text.next() {
            None => return text.fault(at, Fault::BadPiece { found: String::new() }),
            Some('|') => {
                draft.end_row(at)?;
                text.word();
                return Ok(());
            }
            Some('v') => Side::Second,
            Some(' ') => Side::First,
            Some(other) => return text.fault(at, Fault::BadPiece { found: other.to_string() }),
        };
        let sign = text.next();
        match SIGNS.iter().position(|known| Some(*known) == sign) {
            Some(piece) => draft.cell(at, Some((side, Piece::ALL[piece])))?,
            None if side == Side::First && sign == Some('・') => draft.cell(at, None)?,
            None => return text.fault(at, Fault::BadPiece { found: sign.map_or(String::new(), String::from) }),
        }
    }
}

/// Reads `なし`, or names with counts, up to the end of the line.
fn hand(text: &mut Text, draft: &mut Draft, side: Side) -> Result<()> {
    if text.take_word("なし") {
        return Ok(());
    }
    loop {
        while matches!(text.peek(), Some(' ' | '　')) {
            text.next();
        }
        let at = text.at();
        if matches!(text.peek(), None | Some('\n' | '\r')) {
            return Ok(());
        }
        let Some(piece) = piece(text) else { return text.fault(at, Fault::BadHand { found: text.rest() }) };
        let count = text.peek().map(narrow).and_then(|digit| digit.to_digit(10));
        if count.is_some() {
            text.next();
        }
        draft.hold(side, piece, count.unwrap_or(1));
    }
}

/// Writes a diagram.
#[must_use]
pub(crate) fn format_position(position: &Position) -> String {
    let hand = |side: Side| {
        let held: Vec<String> = [Piece::Lion, Piece::Giraffe, Piece::Elephant, Piece::Chick]
            .into_iter()
            .filter_map(|piece| match position.hand(side).count(piece) {
                0 => None,
                1 => Some(NAMES[piece.index()][0].to_owned()),
                count => Some(format!("{}{count}", NAMES[piece.index()][0])),
            })
            .collect();
        let held = if held.is_empty() { "なし".to_owned() } else { held.join(" ") };
        format!("{}の持駒：{held}\n", side_name(side))
    };
    let mut text = hand(Side::Second);
    text.push_str("  Ａ Ｂ Ｃ\n+---------+\n");
    for row in 0..4 {
        text.push('|');
        for cell in (0..3).filter_map(|column| Square::at(column, row)).map(|square| position.cell(square)) {
            let (owner, sign) = match cell {
                Some((Side::Second, piece)) => ('v', SIGNS[piece.index()]),
                Some((Side::First, piece)) => (' ', SIGNS[piece.index()]),
                None => (' ', '・'),
            };
            text.extend([owner, sign]);
        }
        text.extend(["|", ["１", "２", "３", "４"][row], "\n"]);
    }
    text.push_str("+---------+\n");
    text.push_str(&hand(Side::First));
    text.extend([side_name(position.side()), "番"]);
    text
}

/// The square at the next two characters.
fn square(text: &mut Text) -> Result<Option<Square>> {
    let at = text.at();
    let (Some(file), Some(rank)) = (text.next().map(narrow), text.next().map(narrow)) else { return Ok(None) };
    if !file.is_ascii_alphabetic() || !rank.is_ascii_digit() {
        return Ok(None);
    }
    let column = (file.to_ascii_uppercase() as usize).checked_sub('A' as usize);
    let row = (rank as usize).checked_sub('1' as usize);
    match column.zip(row).and_then(|(column, row)| Square::at(column, row)) {
        None => text.fault(at, Fault::OffTheBoard { found: [file, rank].iter().collect() }),
        found => Ok(found),
    }
}

pub(super) fn read_move(text: &str) -> Result<MoveDraft> {
    let mut text = Text::new(text);
    text.skip_blanks();
    let begin = text.at();
    let not_a_move = |text: &Text| text.fault(begin, Fault::NotAMove { found: text.all() });
    let side = match text.peek() {
        Some('▲' | '☗' | '先') => Some(Side::First),
        Some('△' | '☖' | '▽' | '後') => Some(Side::Second),
        _ => None,
    };
    if side.is_some() {
        text.next();
        text.take('手');
    }
    let Some(to) = square(&mut text)? else { return not_a_move(&text) };
    let Some(piece) = piece(&mut text) else { return not_a_move(&text) };
    let promotes = text.take('成');
    let origin = if text.take('打') {
        Origin::Hand
    } else if text.take('(') || text.take('（') {
        let Some(from) = square(&mut text)? else { return not_a_move(&text) };
        if !(text.take(')') || text.take('）')) {
            return not_a_move(&text);
        }
        Origin::On(from)
    } else {
        Origin::Omitted
    };
    text.end()?;
    Ok(MoveDraft { side, piece: Some(piece), origin, promotes, names: SquareNames::Tanaka, ..MoveDraft::to(to) })
}

/// Writes a move of `position`.
#[must_use]
pub(crate) fn format_move(position: &Position, m: Move) -> String {
    match m {
        Move::Drop { piece, to } => format!("{to}{}打", NAMES[piece.index()][0]),
        Move::Step { from, to } => {
            let name = position.cell(from).map_or("", |(_, piece)| NAMES[piece.index()][0]);
            let promoted = if promotes(position, m) { "成" } else { "" };
            format!("{to}{name}{promoted}({from})")
        }
    }
}
