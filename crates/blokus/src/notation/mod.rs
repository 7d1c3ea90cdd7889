//! Positions and moves as text.
//!
//! Offsets in errors count bytes.

mod dialects;
pub mod fpt;
mod moves;
mod position;

pub(crate) use self::dialects::{characters, place};
pub use self::moves::parse_move;
pub(crate) use self::position::side;
pub use self::position::{letter, parse_position};

use crate::cells::Cell;
use crate::position::PositionError;

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
    /// A text that is neither a cell nor a code nor a pass.
    #[error("`{found}` is not a cell: a column a to n and a row 1 to 14 are expected")]
    NotACell {
        /// The text.
        found: String,
    },
    /// A letter and a number, but no cell of the board.
    #[error("`{found}` is off the board of columns a to n and rows 1 to 14")]
    OffTheBoard {
        /// The text.
        found: String,
    },
    /// A cell that is named twice.
    #[error("{cell} is named twice")]
    CellTwice {
        /// The cell.
        cell: Cell,
    },
    /// Cells that are none of the pieces.
    #[error("the cells form none of the 21 pieces")]
    NoPiece,
    /// A text that is not a code of the contests.
    #[error("`{found}` is not a code: {expected}")]
    NotACode {
        /// The part of the code.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A code whose piece is not all on the board.
    #[error("piece {piece} in orientation {code_orientation} does not fit on the board there")]
    CodeOffTheBoard {
        /// The letter of the piece.
        piece: char,
        /// The number of the orientation in the code, 0 to 7.
        code_orientation: usize,
    },
    /// A character that is no square of a position.
    #[error("`{found}` is not a square: ., b or w is expected")]
    NotASquare {
        /// The character.
        found: char,
    },
    /// A row that is too short or too long.
    #[error("row {row} has {found} squares instead of 14")]
    Columns {
        /// The number of the row, 14 at the top.
        row: u8,
        /// How many squares it has.
        found: usize,
    },
    /// Too few or too many rows.
    #[error("the board has {found} rows instead of 14")]
    Rows {
        /// How many rows it has.
        found: usize,
    },
    /// The text ends after the squares.
    #[error("the side to move is missing: b or w")]
    NoSide,
    /// A word that names no side.
    #[error("`{found}` is not a side: b or w is expected")]
    NotASide {
        /// The word.
        found: String,
    },
    /// A word that does not name the sides that placed the monomino last.
    #[error("`{found}` does not say who placed the monomino last: b, w or bw is expected")]
    NotLast {
        /// The word.
        found: String,
    },
    /// Trailing text.
    #[error("`{found}` follows the end")]
    Trailing {
        /// What follows.
        found: String,
    },
    /// Squares that are no position.
    #[error(transparent)]
    Impossible(#[from] PositionError),
}

impl Fault {
    /// The error code, such as `no_piece`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Fault::NotACell { .. } => "not_a_cell",
            Fault::OffTheBoard { .. } | Fault::CodeOffTheBoard { .. } => "off_the_board",
            Fault::CellTwice { .. } => "cell_twice",
            Fault::NoPiece => "no_piece",
            Fault::NotACode { .. } => "not_a_code",
            Fault::NotASquare { .. } => "not_a_square",
            Fault::Columns { .. } => "columns",
            Fault::Rows { .. } => "rows",
            Fault::NoSide => "no_side",
            Fault::NotASide { .. } => "not_a_side",
            Fault::NotLast { .. } => "not_last",
            Fault::Trailing { .. } => "trailing",
            Fault::Impossible(why) => why.reason(),
        }
    }
}

/// The result of reading a text.
pub type Result<T> = std::result::Result<T, NotationError>;

fn fault<T>(at: usize, fault: Fault) -> Result<T> {
    Err(NotationError { at, fault })
}

/// A part of the text for an error message, shortened.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(20).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
