//! Positions, maps and moves as text.
//!
//! Offsets in errors count bytes.

pub(crate) mod actions;
mod dialects;
mod moves;
mod position;
pub(crate) mod tbsmap;

pub use self::moves::parse_move;
pub(crate) use self::position::RANDOM;
pub use self::position::{format_position, parse_position};
pub use self::tbsmap::{Map, parse_map};

use banmen_game::Side;

use crate::cells::Cell;
use crate::field::FieldError;
use crate::game::SetupError;
use crate::kind::Kind;
use crate::position::{Position, Unit};

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
    /// A text that is no move.
    #[error("`{found}` is not a move: unit@x,y or unit@x,y>target or end is expected")]
    NotAMove {
        /// The text.
        found: String,
    },
    /// Numbers that are no action.
    #[error("`{found}` is not an action: unit,x,y,from x,from y,target,its x,its y,type,damage,counter are expected")]
    NotAnAction {
        /// The text.
        found: String,
    },
    /// A type of action that is no move.
    #[error("{found} is not the type of a move: 1 (move), 2 (attack) or 3 (end of the turn) is expected")]
    ActionType {
        /// The number.
        found: i32,
    },
    /// A unit of a move whose number no unit has.
    #[error("there is no unit {found}: no map has units with numbers above {}", Position::MAX_UNITS - 1)]
    NoUnit {
        /// The number.
        found: String,
    },
    /// A cell of a move that no map has.
    #[error("{found} is not a cell: columns and rows have the numbers 1 to {}", Cell::LAST)]
    NotACell {
        /// The column and the row.
        found: String,
    },
    /// A first word that is neither a part of a position nor a map's name.
    #[error("`{found}` is not the name of a map{}", expected(*nearest))]
    UnknownMap {
        /// The word.
        found: String,
        /// The nearest name, if one is near.
        nearest: Option<&'static str>,
    },
    /// A word where a part of a position is expected.
    #[error("`{found}` is not a part of a position: SIZE, LIMIT, THRESHOLD, TERRAIN, TURN, SIDE or UNITS is expected")]
    UnknownWord {
        /// The word.
        found: String,
    },
    /// A word that cannot follow a map's name.
    #[error("`{found}` cannot follow the name of a map: only LIMIT and THRESHOLD with their numbers can")]
    AfterMap {
        /// The word.
        found: String,
    },
    /// A part of the text that is absent.
    #[error("{what} is missing")]
    Missing {
        /// Its name.
        what: &'static str,
    },
    /// A part that comes a second time.
    #[error("{what} is given twice")]
    Twice {
        /// Its name.
        what: &'static str,
    },
    /// A word that is no number, or one out of range.
    #[error("`{found}` is not a possible {what}: a number from {min} to {max} is expected")]
    Number {
        /// The word.
        found: String,
        /// What it should be.
        what: &'static str,
        /// The smallest possible number.
        min: usize,
        /// The largest possible number.
        max: usize,
    },
    /// A character or word that is no terrain.
    #[error("`{found}` is not a terrain: a number from 0 to 6 is expected")]
    Terrain {
        /// The character or word.
        found: String,
    },
    /// A word that is no unit.
    #[error("`{found}` is not a unit: {form} is expected")]
    NotAUnit {
        /// The word.
        found: String,
        /// How units are written.
        form: &'static str,
    },
    /// A letter or name that is no kind of unit.
    #[error("`{found}` is not a kind of unit: {known} are")]
    UnknownKind {
        /// The letter or name.
        found: String,
        /// Those that are.
        known: &'static str,
    },
    /// Units that are not numbered in order.
    #[error("unit {expected} is expected here, not `{found}`")]
    UnitNumber {
        /// The number found.
        found: String,
        /// The number expected.
        expected: usize,
    },
    /// A side that is not to move after so many turns.
    #[error("after {turn} turns side {} is to move: red (0) moves first", turn % 2)]
    Side {
        /// The turns.
        turn: u16,
    },
    /// A stated number that disagrees with the text.
    #[error("{what} is {stated}, but the text has {found} {}", plural(counted, *found))]
    Count {
        /// What is stated.
        what: &'static str,
        /// The number stated.
        stated: usize,
        /// The number found.
        found: usize,
        /// What was counted, such as `rows`.
        counted: &'static str,
    },
    /// A side of a map without units.
    #[error("the map has no {} units", ["red", "blue"][*team])]
    NoUnits {
        /// 0 for red, 1 for blue.
        team: usize,
    },
    /// A map on which every red unit has acted.
    #[error("every red unit has acted, and the game begins with red's turn")]
    NoneCanAct,
    /// A replay where a position is expected.
    #[error("the text is a record of a game, and not a position")]
    Replay,
    /// A bracket that is not closed.
    #[error("`{tag}[` has no `]`")]
    Unclosed {
        /// The word before the bracket.
        tag: String,
    },
    /// Text between the statements of a file.
    #[error("`{found}` is no statement TAG[value];")]
    NoStatement {
        /// The text.
        found: String,
    },
    /// A tag in another case than that of the format.
    #[error("the tag `{found}` is written {tag}")]
    TagCase {
        /// The tag found.
        found: String,
        /// The tag of the format.
        tag: &'static str,
    },
    /// Rows that are no map.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Units or limits that are not possible.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Fault {
    /// The error code, such as `open_border`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Fault::NotAMove { .. } => "not_a_move",
            Fault::NotAnAction { .. } => "not_an_action",
            Fault::ActionType { .. } => "bad_type",
            Fault::NoUnit { .. } => "no_unit",
            Fault::NotACell { .. } => "not_a_cell",
            Fault::UnknownMap { .. } | Fault::UnknownWord { .. } | Fault::AfterMap { .. } => "unknown_word",
            Fault::Missing { .. } => "missing",
            Fault::Twice { .. } => "twice",
            Fault::Number { .. } => "bad_number",
            Fault::Terrain { .. } => "not_a_terrain",
            Fault::NotAUnit { .. } => "not_a_unit",
            Fault::UnknownKind { .. } => "unknown_kind",
            Fault::UnitNumber { .. } => "unit_number",
            Fault::Side { .. } => "wrong_side",
            Fault::Count { .. } => "wrong_count",
            Fault::NoUnits { .. } => "no_units",
            Fault::NoneCanAct => "none_can_act",
            Fault::Replay => "has_moves",
            Fault::Unclosed { .. } => "unclosed",
            Fault::NoStatement { .. } => "no_statement",
            Fault::TagCase { .. } => "tag_case",
            Fault::Field(why) => why.reason(),
            Fault::Setup(why) => why.reason(),
        }
    }

    /// Whether the text can be read, but the rules exclude what it describes.
    fn is_impossible(&self) -> bool {
        matches!(self, Fault::Setup(_) | Fault::NoUnits { .. } | Fault::NoneCanAct)
    }
}

/// What could stand where the name of a map was read.
fn expected(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("; the nearest name is `{nearest}`"),
        None => ": the name of a map, the parts of a position (SIZE to UNITS) or the text of a map file is expected"
            .to_owned(),
    }
}

/// `1 row` without the `s`.
fn plural(counted: &'static str, count: usize) -> &'static str {
    if count == 1 { counted.strip_suffix('s').unwrap_or(counted) } else { counted }
}

/// The result of reading a text.
pub type Result<T> = std::result::Result<T, NotationError>;

fn fault<T>(at: usize, fault: impl Into<Fault>) -> Result<T> {
    Err(NotationError { at, fault: fault.into() })
}

/// A part of the text for an error message, shortened.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(24).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if quoted.chars().count() < text.chars().count() {
        quoted.push('…');
    }
    quoted
}

/// A part of a text, without whitespace around it, with its offset.
type Part<'t> = (usize, &'t str);

/// The parts of a text that begins at this offset.
fn parts<'t>(at: usize, text: &'t str, separator: char) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    let mut begin = at;
    for part in text.split(separator) {
        parts.push((begin + part.len() - part.trim_start().len(), part.trim()));
        begin += part.len() + separator.len_utf8();
    }
    parts
}

/// The unit of this kind with this side, column, row, hit points, and mark of having acted.
fn unit(kind: Kind, parts: [Part<'_>; 5]) -> Result<Unit> {
    const NUMBERS: [(&str, usize, usize); 5] = [
        ("side", 0, 1),
        ("column", 1, Cell::LAST),
        ("row", 1, Cell::LAST),
        ("number of hit points", 1, 10),
        ("mark of a unit that has acted", 0, 1),
    ];
    let number = |index: usize| {
        let ((at, text), (what, min, max)) = (parts[index], NUMBERS[index]);
        number(at, text, what, min, max)
    };
    let [side, x, y, hp, acted] = [number(0)?, number(1)?, number(2)?, number(3)?, number(4)?];
    match Cell::new(x, y) {
        Some(cell) => Ok(Unit { kind, side: Side::BOTH[side], cell, hp: hp as u8, acted: acted == 1 }),
        None => fault(parts[1].0, Fault::NotACell { found: format!("{x},{y}") }),
    }
}

/// Reads a number in decimal digits.
fn number(at: usize, text: &str, what: &'static str, min: usize, max: usize) -> Result<usize> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let value = text.parse::<usize>().ok().filter(|value| digits && (min..=max).contains(value));
    value.map_or_else(|| fault(at, Fault::Number { found: quote(text), what, min, max }), Ok)
}
