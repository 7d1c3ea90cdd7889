//! The programs of Sasaki and Kotani: UCT, AMAF, and playouts by ratings of moves.

mod mover;
mod policy;
pub(crate) mod ratings;
mod recipe;

pub(crate) use mover::entry as rated;
pub(crate) use recipe::{AMAF, PLAYOUT, Recipe, UCT, amaf, amaf_size, search, uct};

/// The paper that describes the programs.
pub(crate) const SOURCE: &str = "Sasaki and Kotani, Monte-Carlo Tree Search in the Game of Blokus-Duo";
