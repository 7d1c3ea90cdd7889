//! The programs of Sasaki and Kotani: UCT, AMAF, and playouts by ratings of moves.

mod guide;
mod mover;
mod policy;
pub(crate) mod ratings;

pub(crate) use guide::{AMAF, PLAYOUT, RatedGuide, UCT, amaf, amaf_size, search, uct};
pub(crate) use mover::entry as rated;

/// The paper that describes the programs.
pub(crate) const SOURCE: &str = "Sasaki and Kotani, Monte-Carlo Tree Search in the Game of Blokus-Duo";
