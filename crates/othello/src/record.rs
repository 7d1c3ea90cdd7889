//! Whole games as text: transcripts (`F5D6C3…`), one per line, and GGF.
//!
//! GGF (generic game format) is what the game server GGS and the interface NBoard write:
//! `(;GM[Othello]PB[black]PW[white]RE[+2]TY[8]BO[8 <64 squares> *]B[F5/eval/seconds]W[d6]…;)`. `*` is black, `O` white,
//! `-` empty. Any start position of 8 by 8 squares is accepted; a file may contain several games, with other text
//! between them. Tags that this module does not interpret are preserved in order. `RE`, the result from Black's view, must
//! agree with the moves where they end the game by the rules; it may count the empty squares for the winner or not.

use std::fmt::Write as _;

use crate::notation::{self, NotationError};
use crate::position::{Move, Position, Side};

/// One game: start position, moves, and the other tags of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The position before the first move.
    pub start: Position,
    /// The moves including passes; each is legal after those before it.
    pub moves: Vec<RecordedMove>,
    /// The other tags (players, date, result, comments), in order.
    pub tags: Vec<Tag>,
}

/// A move with its annotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedMove {
    /// The move.
    pub played: Move,
    /// The evaluation in discs by the player that moved; finite.
    pub eval: Option<f64>,
    /// The time taken, in seconds; finite.
    pub seconds: Option<f64>,
}

impl From<Move> for RecordedMove {
    fn from(played: Move) -> Self {
        RecordedMove { played, eval: None, seconds: None }
    }
}

/// A tag of a GGF text, such as `PB[name]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Number of moves of [`Record::moves`] before it.
    pub after: usize,
    /// One or more letters and digits.
    pub name: String,
    /// The text between the brackets.
    pub value: String,
}

/// Why a text is not a valid record, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("game {game}: {fault}")]
pub struct RecordError {
    /// Byte offset of the fault.
    pub at: usize,
    /// Number of the game in the text, from 1 on.
    pub game: usize,
    /// What is wrong there.
    pub fault: RecordFault,
}

/// The kinds of faults in a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// A move or a position that cannot be read or is illegal.
    #[error(transparent)]
    Notation(#[from] notation::Fault),
    /// The text ends within a game.
    #[error("the text ends before the game does: `;)` is missing")]
    Unfinished,
    /// A tag without a name or a bracket.
    #[error("a tag such as `B[F5]` is expected")]
    NotATag,
    /// A game other than Othello.
    #[error("`{found}` is not Othello")]
    OtherGame {
        /// The value of `GM`.
        found: String,
    },
    /// A board that is not 8 by 8.
    #[error("a board of size `{found}`, where 8 is expected")]
    OtherSize {
        /// The value at the start of `BO`.
        found: String,
    },
    /// A board after the first move, or a second one.
    #[error("the board must come once, before the first move")]
    LateBoard,
    /// A move of the side that is not to move.
    #[error("a move of {}, but it is {}'s turn", colour(*found), colour(found.other()))]
    WrongSide {
        /// The side named by the tag.
        found: Side,
    },
    /// A value or a time that is not a number.
    #[error("`{found}` is not a number")]
    NotANumber {
        /// The text.
        found: String,
    },
    /// A result that the moves do not give.
    #[error("the result `{found}` is not that of the moves, {score:+}")]
    WrongResult {
        /// The value of `RE`.
        found: String,
        /// The discs of Black less those of White, with the empty squares given to the winner.
        score: i32,
    },
}

impl RecordFault {
    /// The error code.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            RecordFault::Notation(fault) => fault.reason(),
            RecordFault::Unfinished => "unfinished",
            RecordFault::NotATag => "not_a_tag",
            RecordFault::OtherGame { .. } => "other_game",
            RecordFault::OtherSize { .. } => "other_size",
            RecordFault::LateBoard => "late_board",
            RecordFault::WrongSide { .. } => "wrong_side",
            RecordFault::NotANumber { .. } => "not_a_number",
            RecordFault::WrongResult { .. } => "wrong_result",
        }
    }
}

fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

/// A fault and its offset, before the number of the game is known.
type Step<T> = Result<T, (usize, RecordFault)>;

/// Reads the games of a text: GGF where it contains `(;`, else transcripts from the start position, one per line.
/// Empty lines and, between transcripts, lines that begin with `%` or `#` are skipped.
///
/// # Errors
/// The first fault, with the number of the game and the offset in the text.
pub fn read(text: impl AsRef<[u8]>) -> Result<Vec<Record>, RecordError> {
    let text = text.as_ref();
    if is_ggf(text) { read_ggf(text) } else { read_transcripts(text) }
}

/// Whether a text is read as GGF.
pub(crate) fn is_ggf(text: &[u8]) -> bool {
    find(text, 0, b"(;").is_some()
}

fn read_transcripts(text: &[u8]) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    let mut begin = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let visible = line.trim_ascii();
        if !visible.is_empty() && !visible.starts_with(b"%") && !visible.starts_with(b"#") {
            let moves = notation::parse_transcript(&Position::START, line).map_err(|NotationError { at, fault }| {
                RecordError { at: begin + at, game: records.len() + 1, fault: fault.into() }
            })?;
            records.push(Record::new(Position::START, moves));
        }
        begin += line.len() + 1;
    }
    Ok(records)
}

fn read_ggf(text: &[u8]) -> Result<Vec<Record>, RecordError> {
    let mut records = Vec::new();
    let mut at = 0;
    while let Some(begin) = find(text, at, b"(;") {
        let (record, end) =
            game_at(text, begin + 2).map_err(|(at, fault)| RecordError { at, game: records.len() + 1, fault })?;
        records.push(record);
        at = end;
    }
    Ok(records)
}

/// The offset of `needle` from `at` on.
fn find(text: &[u8], at: usize, needle: &[u8]) -> Option<usize> {
    let rest = text.get(at..)?;
    rest.windows(needle.len()).position(|window| window == needle).map(|skip| at + skip)
}

/// Reads the tags of one game up to `;)`; returns it and the offset of its end.
fn game_at(text: &[u8], mut at: usize) -> Step<(Record, usize)> {
    let mut record = Record::new(Position::START, []);
    let (mut position, mut result) = (None, None);
    let mut written = 0;
    loop {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        match text.get(at..) {
            None | Some([] | [b';']) => return Err((text.len(), RecordFault::Unfinished)),
            Some([b';', b')', ..]) => return with_result(record, result).map(|record| (record, at + 2)),
            Some(_) => {}
        }
        let (name, open) = tag_name(text, at)?;
        let (value, close) = tag_value(text, open + 1)?;
        match name.as_str() {
            "GM" if !value.trim_ascii().eq_ignore_ascii_case(b"othello") => {
                return Err((open + 1, RecordFault::OtherGame { found: text_of(&value) }));
            }
            "GM" => {}
            "BO" if position.is_some() => return Err((at, RecordFault::LateBoard)),
            "BO" => {
                record.start = board(text, open + 1, close)?;
                position = Some(record.start);
            }
            "B" | "W" => {
                written += 1;
                let side = if name == "B" { Side::First } else { Side::Second };
                let position = position.get_or_insert(record.start);
                if position.side() != side {
                    if !position.must_pass() {
                        return Err((at, RecordFault::WrongSide { found: side }));
                    }
                    position.play(Move::PASS);
                    record.moves.push(Move::PASS.into());
                }
                let noted = noted_move(&value, open + 1)?;
                if let Err(why) = position.check(noted.played) {
                    let text = text_of(value.split(|&byte| byte == b'/').next().unwrap_or_default());
                    return Err((open + 1, notation::Fault::Illegal { number: written, text, why }.into()));
                }
                position.play(noted.played);
                record.moves.push(noted);
            }
            _ => {
                if name == "RE" {
                    result.get_or_insert(open + 1);
                }
                record.tags.push(Tag { after: record.moves.len(), name, value: text_of(&value) });
            }
        }
        at = close + 1;
    }
}

/// The record, whose result, at `place`, agrees with the outcome by the rules. A result that is not a number, such as `?` or
/// `+64:t`, leaves it open or states an end outside the rules.
fn with_result(record: Record, place: Option<usize>) -> Step<Record> {
    let end = record.end();
    if let (Some(at), Some(found), true) = (place, record.tag("RE"), end.is_over())
        && let Ok(stated) = found.trim().parse::<f64>()
    {
        let sign = if end.side() == Side::First { 1 } else { -1 };
        let lead = end.discs(Side::First).count_ones() as i32 - end.discs(Side::Second).count_ones() as i32;
        let score = sign * end.score();
        if ![lead, score].map(f64::from).contains(&stated) {
            return Err((at, RecordFault::WrongResult { found: found.trim().to_owned(), score }));
        }
    }
    Ok(record)
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The name of the tag at `at` in upper case, and the offset of its opening bracket.
fn tag_name(text: &[u8], at: usize) -> Step<(String, usize)> {
    let rest = text.get(at..).unwrap_or_default();
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match rest.get(len) {
        Some(b'[') if len > 0 => Ok((text_of(&rest[..len]).to_ascii_uppercase(), at + len)),
        None => Err((text.len(), RecordFault::Unfinished)),
        Some(_) => Err((at, RecordFault::NotATag)),
    }
}

/// The value that begins at `at`, and the offset of its closing bracket. `\]` and `\\` stand for `]` and `\`.
fn tag_value(text: &[u8], mut at: usize) -> Step<(Vec<u8>, usize)> {
    let mut value = Vec::new();
    loop {
        match text.get(at..) {
            None | Some([]) => return Err((text.len(), RecordFault::Unfinished)),
            Some([b']', ..]) => return Ok((value, at)),
            Some([b'\\', escaped @ (b']' | b'\\'), ..]) => {
                value.push(*escaped);
                at += 2;
            }
            Some([byte, ..]) => {
                value.push(*byte);
                at += 1;
            }
        }
    }
}

/// The board in the brackets from `begin` to `end`: the size and a position.
fn board(text: &[u8], begin: usize, end: usize) -> Step<Position> {
    let inside = text.get(..end).unwrap_or_default();
    let value = inside.get(begin..).unwrap_or_default();
    let skip = value.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let size = value[skip..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if value[skip..skip + size] != *b"8" {
        return Err((begin + skip, RecordFault::OtherSize { found: text_of(&value[skip..skip + size]) }));
    }
    let located = |NotationError { at, fault }| (at, fault.into());
    let (position, after) = notation::position_at(inside, begin + skip + size).map_err(located)?;
    match notation::next_visible(inside, after) {
        None => Ok(position),
        Some(at) => Err((at, notation::Fault::Trailing { found: text_of(&inside[at..]) }.into())),
    }
}

/// `F5/eval/seconds`, the last two optional, each possibly empty. Further parts are ignored.
fn noted_move(value: &[u8], at: usize) -> Step<RecordedMove> {
    let mut parts = value.split(|&byte| byte == b'/');
    let text = parts.next().unwrap_or_default();
    let played = notation::parse_move(text).map_err(|error| (at + error.at, error.fault.into()))?;
    let mut place = at + text.len() + 1;
    let mut number = || -> Step<Option<f64>> {
        let Some(part) = parts.next() else { return Ok(None) };
        let here = place;
        place += part.len() + 1;
        let text = text_of(part.trim_ascii());
        match text.parse::<f64>() {
            _ if text.is_empty() => Ok(None),
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err((here, RecordFault::NotANumber { found: text })),
        }
    };
    Ok(RecordedMove { played, eval: number()?, seconds: number()? })
}

impl Record {
    /// A game without annotations. `moves` must be legal from `start`, including passes.
    #[must_use]
    pub fn new(start: Position, moves: impl IntoIterator<Item = Move>) -> Record {
        Record { start, moves: moves.into_iter().map(RecordedMove::from).collect(), tags: Vec::new() }
    }

    /// The value of the first tag of this name (in upper case), such as `PB` for the player of black.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
    }

    /// The moves without annotations, including passes.
    #[must_use]
    pub fn played(&self) -> Vec<Move> {
        self.moves.iter().map(|noted| noted.played).collect()
    }

    /// The position after the last move.
    #[must_use]
    pub fn end(&self) -> Position {
        let mut position = self.start;
        for noted in &self.moves {
            position.play(noted.played);
        }
        position
    }

    /// The moves as a transcript in lower case, without passes. It does not contain the start position.
    #[must_use]
    pub fn transcript(&self) -> String {
        notation::format_transcript(&self.played())
    }

    /// The game as GGF, on one line.
    #[must_use]
    pub fn ggf(&self) -> String {
        let mut text = String::from("(;GM[Othello]");
        let tags_after = |text: &mut String, after: usize| {
            for tag in self.tags.iter().filter(|tag| tag.after == after) {
                let value = tag.value.replace('\\', "\\\\").replace(']', "\\]");
                text.extend([tag.name.as_str(), "[", value.as_str(), "]"]);
            }
        };
        tags_after(&mut text, 0);
        let board = self.start.to_string().replace('X', "*");
        text.extend(["BO[8 ", board.as_str(), "]"]);
        let mut side = self.start.side();
        for (index, noted) in self.moves.iter().enumerate() {
            text.push_str(if side == Side::First { "B[" } else { "W[" });
            text.push_str(&noted.played.to_string().to_ascii_uppercase());
            // Writing into a string does not fail.
            let _ = match (noted.eval, noted.seconds) {
                (None, None) => Ok(()),
                (Some(eval), None) => write!(text, "/{eval}"),
                (None, Some(seconds)) => write!(text, "//{seconds}"),
                (Some(eval), Some(seconds)) => write!(text, "/{eval}/{seconds}"),
            };
            text.push(']');
            tags_after(&mut text, index + 1);
            side = side.other();
        }
        text.push_str(";)");
        text
    }
}
