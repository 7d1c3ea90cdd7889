//! Whole games as text, in a format based on shogi's KIF.
//!
//! A record has header lines `先手：name` and others with a wide colon; the line `開始局面：` with the SFEN of a start
//! position other than the usual one; the line `手数----指手---------`; the moves; and an end word such as `投了` with
//! a move number. Each move has its number, is written in the Japanese dialect (any dialect is read), and may have its
//! time in brackets. Lines that begin with `*` are remarks. A summary such as `まで2手で後手の勝ち` may say the result. Blank
//! lines, lines that begin with `#`, and a time after the end word are ignored.

use crate::game::Dobutsu;
use crate::notation::{self, Dialect, NotationError};
use crate::position::{Move, Position};

/// The header of the line with the start position.
const START: &str = "開始局面";

/// One game: its start position, its moves, and the rest of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position before the first move.
    pub start: Position,
    /// The moves; each is legal after those before it.
    pub moves: Vec<RecordedMove>,
    /// Header lines, name and value, in order.
    pub headers: Vec<(String, String)>,
    /// Remarks before the first move.
    pub remarks: Vec<String>,
    /// The end word in place of the last move, such as `投了` (resigns) or `中断` (broken off).
    pub end: Option<String>,
    /// The line that sums up the game, from `まで` on.
    pub summary: Option<String>,
}

/// A move and its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move.
    pub played: Move,
    /// The time as written, without its brackets.
    pub time: Option<String>,
    /// Remarks after the move, one per line.
    pub remarks: Vec<String>,
}

/// Why a text is not a record, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct RecordError {
    /// The line of the text, from 1 on.
    pub line: usize,
    /// The number of characters in the line before the error.
    pub at: usize,
    /// The kind of error.
    pub fault: RecordFault,
}

/// The possible errors in a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// A move or a position that is unreadable or that the rules forbid.
    #[error(transparent)]
    Notation(#[from] notation::Fault),
    /// A line that is neither a header, a remark nor a move.
    #[error("`{found}` is neither a header, a remark nor a move with its number")]
    NotALine {
        /// The line.
        found: String,
    },
    /// The moves are not numbered consecutively.
    #[error("move {found} follows move {before}")]
    WrongNumber {
        /// The number of the move.
        found: usize,
        /// The number before it.
        before: usize,
    },
    /// A start position after the first move, or a second one.
    #[error("the start position comes too late")]
    LateStart,
    /// A line after the end word.
    #[error("the game has ended before this line")]
    AfterEnd,
    /// Text after a move or an end word that is not a time in brackets.
    #[error("`{found}` is not a time in brackets")]
    NotATime {
        /// The text.
        found: String,
    },
}

impl RecordFault {
    /// The error code.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            RecordFault::Notation(fault) => fault.reason(),
            RecordFault::NotALine { .. } => "not_a_line",
            RecordFault::WrongNumber { .. } => "wrong_number",
            RecordFault::LateStart => "late_start",
            RecordFault::AfterEnd => "after_end",
            RecordFault::NotATime { .. } => "not_a_time",
        }
    }
}

/// The end words that may replace the last move.
const ENDS: [&str; 8] = ["投了", "中断", "千日手", "詰み", "トライ", "切れ負け", "反則負け", "持将棋"];

/// Reads one game under `game`'s rules. A move after the end of the game is illegal. The third occurrence of a position
/// does not end the game here: the caller applies that rule.
///
/// # Errors
/// Returns the first error, with its line and location.
pub fn read(game: Dobutsu, text: &str) -> Result<Record, RecordError> {
    let mut record = Record::new(Position::START, []);
    let mut position = Position::START;
    let mut placed = false;
    for (index, full) in text.lines().enumerate() {
        let indent = full.chars().take_while(|character| character.is_whitespace()).count();
        let error = |at: usize, fault: RecordFault| RecordError { line: index + 1, at: indent + at, fault };
        let located = |skip: usize| move |NotationError { at, fault }| error(skip + at, fault.into());
        let line = full.trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("手数--") {
            continue;
        }
        if line.starts_with("まで") {
            record.summary = Some(line.to_owned());
            continue;
        }
        if let Some(remark) = line.strip_prefix('*') {
            let last = record.moves.last_mut();
            last.map_or(&mut record.remarks, |noted| &mut noted.remarks).push(remark.to_owned());
            continue;
        }
        if !line.starts_with(|first: char| first.is_ascii_digit()) {
            let Some((name, value)) = line.split_once('：') else {
                return Err(error(0, RecordFault::NotALine { found: line.chars().take(20).collect() }));
            };
            if name != START {
                record.headers.push((name.to_owned(), value.to_owned()));
            } else if placed || !record.moves.is_empty() {
                return Err(error(0, RecordFault::LateStart));
            } else {
                position = notation::parse_position(value).map_err(located(name.chars().count() + 1))?;
                record.start = position;
                placed = true;
            }
            continue;
        }
        if record.end.is_some() {
            return Err(error(0, RecordFault::AfterEnd));
        }
        let digits = line.chars().take_while(char::is_ascii_digit).count();
        // Digits are ASCII, so byte and character counts agree up to here.
        let (number, rest) = line.split_at(digits);
        let number = number.parse::<usize>().unwrap_or(usize::MAX);
        if number != record.moves.len() + 1 {
            return Err(error(0, RecordFault::WrongNumber { found: number, before: record.moves.len() }));
        }
        let trimmed = rest.trim_start();
        let skip = digits + rest.chars().count() - trimmed.chars().count();
        let (word, after) = trimmed.split_at(trimmed.find(char::is_whitespace).unwrap_or(trimmed.len()));
        let time = || {
            // `after` ends where the line does.
            let at = line.chars().count() - after.trim_start().chars().count();
            read_time(after).map_err(|fault| error(at, fault))
        };
        if ENDS.contains(&word) {
            time()?;
            record.end = Some(word.to_owned());
            continue;
        }
        let played = notation::parse_move(game, &position, word).map_err(located(skip))?;
        position.play(played);
        record.moves.push(RecordedMove { played, time: time()?, remarks: Vec::new() });
    }
    Ok(record)
}

/// The time in the text after a move, without its brackets.
fn read_time(after: &str) -> Result<Option<String>, RecordFault> {
    let text = after.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Ok(None);
    }
    match text.strip_prefix('(').and_then(|time| time.strip_suffix(')')) {
        Some(time) => Ok(Some(time.trim().to_owned())),
        None => Err(RecordFault::NotATime { found: text.chars().take(20).collect() }),
    }
}

impl Record {
    /// A game without notes. Each of `moves` must be legal after `start` and those before it.
    #[must_use]
    pub fn new(start: Position, moves: impl IntoIterator<Item = Move>) -> Record {
        let moves = moves.into_iter().map(|played| RecordedMove { played, time: None, remarks: Vec::new() }).collect();
        Record { start, moves, headers: Vec::new(), remarks: Vec::new(), end: None, summary: None }
    }

    /// The value of the first header of this name, such as `先手` for the first side's player.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The position after the last move.
    #[must_use]
    pub fn end_position(&self) -> Position {
        let mut position = self.start;
        for noted in &self.moves {
            position.play(noted.played);
        }
        position
    }

    /// The game as text.
    #[must_use]
    pub fn kif(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}：{value}\n"));
        }
        if self.start != Position::START {
            text.push_str(&format!("{START}：{}\n", notation::format_position(&self.start, Dialect::Sfen)));
        }
        text.push_str("手数----指手---------\n");
        let remarks = |text: &mut String, remarks: &[String]| {
            for remark in remarks {
                text.push_str(&format!("*{remark}\n"));
            }
        };
        remarks(&mut text, &self.remarks);
        let mut position = self.start;
        for (index, noted) in self.moves.iter().enumerate() {
            let played = notation::format_move(&position, noted.played, Dialect::Japanese);
            text.push_str(&format!("{:>4} {played}", index + 1));
            if let Some(time) = &noted.time {
                text.push_str(&format!(" ({time})"));
            }
            text.push('\n');
            remarks(&mut text, &noted.remarks);
            position.play(noted.played);
        }
        if let Some(end) = &self.end {
            text.push_str(&format!("{:>4} {end}\n", self.moves.len() + 1));
        }
        if let Some(summary) = &self.summary {
            text.push_str(&format!("{summary}\n"));
        }
        text
    }
}
