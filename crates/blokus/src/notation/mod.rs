//! Moves as text.
//!
//! Offsets in errors count bytes.

pub mod fpt;
mod moves;

pub use self::moves::parse_move;

use crate::cells::Cell;

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
    #[error("piece {piece} in orientation {turn} does not fit on the board there")]
    CodeOffTheBoard {
        /// The letter of the piece.
        piece: char,
        /// The number of the orientation.
        turn: usize,
    },
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
        }
    }
}

/// The result of reading a text.
pub type Result<T> = std::result::Result<T, NotationError>;

fn fault<T>(at: usize, fault: Fault) -> Result<T> {
    Err(NotationError { at, fault })
}

/// A part of the text for an error message, shortened.
fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(20).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}
