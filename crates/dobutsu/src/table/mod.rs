//! The game solved: exact distances of all positions by retrograde analysis, kept as one byte each.
//!
//! | file | what it holds |
//! |---|---|
//! | `rules` | what is asked of the rules |
//! | `index` | numbers for positions, without gaps |
//! | `unmoves` | the positions before a position |
//! | `verdict` | what the lions decide at once |
//! | `build` | the analysis |
//! | `probe` | values of positions and moves |
//! | `census` | a count of all that can be reached |
//! | `file` | the table as bytes, packed in blocks |
//!
//! Stored are the positions where neither lion stands on its far rank and neither attacks the other. In all others the
//! game is over, or the side to move wins at once, or one move ahead it is a stored one.

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
pub use file::{FileError, PackedTable, pack, pack_away};
pub use index::{Index, SLOTS, Slot};
pub use probe::{MoveValue, Source, Table, Value};
pub use rules::Rules;
pub(crate) use verdict::wins_at_once;
