//! The solved game: exact distances of all positions by retrograde analysis, one byte each.
//!
//! | file | what it holds |
//! |---|---|
//! | `rules` | the rules that a table needs |
//! | `index` | gapless numbers for positions |
//! | `unmoves` | the predecessors of a position |
//! | `verdict` | wins and losses by the lions within two plies |
//! | `build` | the analysis |
//! | `probe` | values of positions and moves |
//! | `census` | a count of all reachable positions |
//! | `file` | the table as bytes, packed in blocks |
//!
//! The table stores the positions in which neither lion is on its far rank and neither attacks the other. In every
//! other position the game is over, or the side to move wins at once, or the value follows from the positions one move
//! ahead.

mod build;
mod census;
mod file;
mod index;
mod probe;
mod rules;
mod unmoves;
mod verdict;

pub use build::{BuildError, Progress, build};
pub use census::{Census, census};
pub use file::{FileError, PackedTable, check, inflate_block, pack};
pub(crate) use file::{checksum, pack_away};
pub use index::{Index, SLOTS, Slot};
pub use probe::{MoveValue, Source, Table, Value};
pub use rules::Rules;
pub(crate) use verdict::wins_at_once;
