//! Positions, moves and runs of moves as text.
//!
//! - A position is 64 characters from a1, b1 to h8 and the side to move, as Edax, Egaroucid and OBF files
//!   write it: `X`, `O` and `-` in canonical text, a space before the side. The parser also accepts `x`, `*`, `b` for
//!   Black, `o`, `w` for White and `.` for an empty square, in either case, with or without whitespace.
//! - A move is `d3`, a pass `pa`. The parser also accepts `ps`, `pass` and `--`, in either case.
//! - A transcript is a sequence of moves such as `f5d6c3`, with or without whitespace; forced passes may be omitted.
//! - An OBF line is a position and the scores of moves, `<64 squares> <side>; move:score; move:score;`.
//!
//! Texts are bytes, and offsets in errors count bytes, so files in any ASCII-based encoding can be read.

use crate::position::{IllegalMove, Move, Position, PositionError, Side, transform_square};

/// Why a text was rejected, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct NotationError {
    /// Byte offset of the fault.
    pub at: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// The kinds of faults in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A character that is neither a disc nor an empty square.
    #[error("`{found}` is not a square: X, O or - is expected")]
    BadSquare {
        /// The character.
        found: String,
    },
    /// The text ends before the 64th square.
    #[error("the board has {found} square{} instead of 64", if *found == 1 { "" } else { "s" })]
    TooShort {
        /// Number of squares in the text.
        found: usize,
    },
    /// The text ends after the squares.
    #[error("the side to move is missing: X or O")]
    NoSide,
    /// A character that names no side.
    #[error("`{found}` is not a side: X or O is expected")]
    BadSide {
        /// The character.
        found: String,
    },
    /// Trailing text.
    #[error("unexpected `{found}` after the end")]
    Trailing {
        /// What follows.
        found: String,
    },
    /// The board cannot occur in a game.
    #[error(transparent)]
    Impossible(#[from] PositionError),
    /// A text that is not a move.
    #[error("`{found}` is not a move")]
    NotAMove {
        /// The text.
        found: String,
    },
    /// A letter and a digit, but no square of this board.
    #[error("`{found}` is off the board")]
    OffTheBoard {
        /// The text.
        found: String,
    },
    /// A move that the rules forbid.
    #[error("move {number}, `{text}`: {why}")]
    Illegal {
        /// Number of the move in the text, from 1 on; written passes count.
        number: usize,
        /// The move as written.
        text: String,
        /// The rule that forbids it.
        why: IllegalMove,
    },
    /// A score that is not a number.
    #[error("`{found}` is not a score")]
    BadScore {
        /// The text.
        found: String,
    },
}

impl Fault {
    /// The error code, such as `occupied` or `too_short`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Fault::BadSquare { .. } => "bad_square",
            Fault::TooShort { .. } => "too_short",
            Fault::NoSide => "no_side",
            Fault::BadSide { .. } => "bad_side",
            Fault::Trailing { .. } => "trailing",
            Fault::Impossible(PositionError::Overlap { .. }) => "overlap",
            Fault::Impossible(PositionError::EmptyCentre { .. }) => "empty_centre",
            Fault::NotAMove { .. } => "not_a_move",
            Fault::OffTheBoard { .. } => "off_the_board",
            Fault::Illegal { why, .. } => why.reason(),
            Fault::BadScore { .. } => "bad_score",
        }
    }
}

/// The result of reading a text.
pub type Result<T> = std::result::Result<T, NotationError>;

fn fault<T>(at: usize, fault: Fault) -> Result<T> {
    Err(NotationError { at, fault })
}

/// A part of the text for an error message, shortened.
fn quote(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut quoted: String = text.chars().take(20).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}

/// The bytes of the character that begins at `at`, one byte where the text is not UTF-8.
fn character(text: &[u8], at: usize) -> &[u8] {
    let rest = text.get(at..).unwrap_or_default();
    let len = (1..=4.min(rest.len())).find(|&len| std::str::from_utf8(&rest[..len]).is_ok()).unwrap_or(1);
    rest.get(..len).unwrap_or_default()
}

/// The side that a character denotes.
fn side(byte: u8) -> Option<Side> {
    match byte {
        b'X' | b'x' | b'*' | b'B' | b'b' => Some(Side::First),
        b'O' | b'o' | b'W' | b'w' => Some(Side::Second),
        _ => None,
    }
}

/// Reads a position. Whitespace is skipped.
///
/// # Errors
/// A fault at the first character that does not fit, or at the square that makes the board impossible.
pub fn parse_position(text: impl AsRef<[u8]>) -> Result<Position> {
    let text = text.as_ref();
    let (position, end) = position_at(text, 0)?;
    match next_visible(text, end) {
        None => Ok(position),
        Some(at) => fault(at, Fault::Trailing { found: quote(&text[at..]) }),
    }
}

/// The offset of the first byte from `at` on that is not whitespace.
pub(crate) fn next_visible(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    rest.iter().position(|byte| !byte.is_ascii_whitespace()).map(|skip| at + skip)
}

/// Reads the position that begins at `at`; returns it and the offset of its end.
pub(crate) fn position_at(text: &[u8], mut at: usize) -> Result<(Position, usize)> {
    let mut places = [0; 64];
    let (mut black, mut white) = (0u64, 0u64);
    for (square, place) in places.iter_mut().enumerate() {
        let Some(here) = next_visible(text, at) else { return fault(text.len(), Fault::TooShort { found: square }) };
        match side(text[here]) {
            Some(Side::First) => black |= 1 << square,
            Some(Side::Second) => white |= 1 << square,
            None if matches!(text[here], b'-' | b'.') => {}
            // A board that ends early in an OBF line or in a record is too short, not misspelt.
            None if matches!(text[here], b';' | b']') => return fault(here, Fault::TooShort { found: square }),
            None => return fault(here, Fault::BadSquare { found: quote(character(text, here)) }),
        }
        *place = here;
        at = here + 1;
    }
    let Some(here) = next_visible(text, at) else { return fault(text.len(), Fault::NoSide) };
    let side = match side(text[here]) {
        Some(side) => side,
        None if matches!(text[here], b';' | b']') => return fault(here, Fault::NoSide),
        None => return fault(here, Fault::BadSide { found: quote(character(text, here)) }),
    };
    let (own, opp) = if side == Side::First { (black, white) } else { (white, black) };
    match Position::new(own, opp, side) {
        Ok(position) => Ok((position, here + 1)),
        Err(error) => {
            let (PositionError::Overlap { square } | PositionError::EmptyCentre { square }) = error;
            fault(places[(square & 63) as usize], Fault::Impossible(error))
        }
    }
}

/// Reads one move; whitespace around it is skipped. The move need not be legal.
///
/// # Errors
/// When the text is not a move, or not a square of the board.
pub fn parse_move(text: impl AsRef<[u8]>) -> Result<Move> {
    let text = text.as_ref();
    let mut tokens = split(text);
    let Some((at, token)) = tokens.next() else { return fault(text.len(), Fault::NotAMove { found: String::new() }) };
    let m = token_move(at, token)?;
    match tokens.next() {
        None => Ok(m),
        Some((at, _)) => fault(at, Fault::Trailing { found: quote(&text[at..]) }),
    }
}

/// The length of the move at the start of `text`: the longest form of a pass that matches. 0 when there is none.
fn token_length(text: &[u8]) -> usize {
    let starts = |word: &str| text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
    match text {
        _ if starts("pass") => 4,
        _ if starts("pa") || starts("ps") || starts("--") => 2,
        [letter, digit, ..] if letter.is_ascii_alphabetic() && digit.is_ascii_digit() => 2,
        _ => 0,
    }
}

/// Splits a text into moves, each with its offset: `f5d6 pa` into `f5`, `d6`, `pa`. Text that is not a move is one
/// token, up to the next whitespace.
pub fn split(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = next_visible(text, at)?;
        let rest = &text[begin..];
        let len = match token_length(rest) {
            0 => rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()),
            len => len,
        };
        at = begin + len;
        Some((begin, &rest[..len]))
    })
}

/// The move of one token of [`split`].
fn token_move(at: usize, token: &[u8]) -> Result<Move> {
    match token {
        _ if token_length(token) != token.len() => fault(at, Fault::NotAMove { found: quote(token) }),
        [letter, digit] if digit.is_ascii_digit() => {
            let column = u32::from(letter.to_ascii_lowercase() - b'a');
            let row = u32::from(*digit).checked_sub(u32::from(b'1'));
            let square = row.filter(|&row| row < 8 && column < 8).map(|row| 8 * row + column);
            match square.and_then(Move::at) {
                Some(m) => Ok(m),
                None => fault(at, Fault::OffTheBoard { found: quote(token) }),
            }
        }
        _ => Ok(Move::PASS),
    }
}

/// Reads a sequence of moves from `start`. The result contains every pass; the text may omit forced ones.
///
/// # Errors
/// The first token that is not a move, or the first illegal move with its number.
pub fn parse_transcript(start: &Position, text: impl AsRef<[u8]>) -> Result<Vec<Move>> {
    let (mut position, mut moves) = (*start, Vec::new());
    for (index, (at, token)) in split(text.as_ref()).enumerate() {
        let m = token_move(at, token)?;
        if m != Move::PASS && position.must_pass() {
            position.play(Move::PASS);
            moves.push(Move::PASS);
        }
        if let Err(why) = position.check(m) {
            return fault(at, Fault::Illegal { number: index + 1, text: quote(token), why });
        }
        position.play(m);
        moves.push(m);
    }
    Ok(moves)
}

/// Writes a transcript in lower case without passes, as transcripts are published.
#[must_use]
pub fn format_transcript(moves: &[Move]) -> String {
    moves.iter().filter(|&&m| m != Move::PASS).map(Move::to_string).collect()
}

/// The same game under the symmetry of the board that makes its first move f5, the usual form for comparing
/// transcripts. The four first moves are equivalent. For games from the start; moves that begin otherwise are returned
/// unchanged.
#[must_use]
pub fn normalise(moves: &[Move]) -> Vec<Move> {
    const F5: u32 = 37;
    let first = moves.iter().find_map(|m| m.square());
    let keeps_start = |symmetry: &usize| Position::START.transform(*symmetry) == Position::START;
    let turned = (0..Position::SYMMETRIES)
        .filter(keeps_start)
        .find(|&symmetry| first.map(|first| transform_square(first, symmetry)) == Some(F5));
    let turn = |m: &Move| match (m.square(), turned) {
        (Some(square), Some(symmetry)) => Move::at(transform_square(square, symmetry)).unwrap_or(*m),
        _ => *m,
    };
    moves.iter().map(turn).collect()
}

/// A position with the scores of some of its moves: one line of an OBF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// Moves with their final scores from the side to move's view, in the order of the line, usually the best first.
    pub scores: Vec<(Move, i32)>,
}

/// Reads one line of an OBF file. `None` for a line that is empty or a comment (`%`).
///
/// # Errors
/// A fault where a position, a move or a score cannot be read, or at an illegal move.
pub fn parse_obf_line(text: impl AsRef<[u8]>) -> Result<Option<Problem>> {
    let text = text.as_ref();
    let text = text.split(|&byte| byte == b'%').next().unwrap_or_default();
    if next_visible(text, 0).is_none() {
        return Ok(None);
    }
    let (position, end) = position_at(text, 0)?;
    let mut scores = Vec::new();
    let mut at = end;
    for (index, item) in text[end..].split(|&byte| byte == b';').enumerate() {
        let begin = at;
        at += item.len() + 1;
        let Some(place) = next_visible(item, 0).map(|skip| begin + skip) else { continue };
        if index == 0 {
            return fault(place, Fault::Trailing { found: quote(item.trim_ascii()) });
        }
        let mut parts = item.splitn(2, |&byte| byte == b':');
        let (name, score) = (parts.next().unwrap_or_default(), parts.next());
        let score_place = (begin + name.len() + 1).min(text.len());
        let score_text = score.unwrap_or_default().trim_ascii();
        let Some(score) = std::str::from_utf8(score_text).ok().and_then(|text| text.parse::<i32>().ok()) else {
            return fault(score_place, Fault::BadScore { found: quote(score_text) });
        };
        // Some suites end a line with `--:-127`: no more moves.
        if score == -127 {
            continue;
        }
        let m = parse_move(name).map_err(|error| NotationError { at: begin + error.at, ..error })?;
        if let Err(why) = position.check(m) {
            let (number, text) = (scores.len() + 1, quote(name.trim_ascii()));
            return fault(place, Fault::Illegal { number, text, why });
        }
        scores.push((m, score));
    }
    Ok(Some(Problem { position, scores }))
}
