//! The programs of Sasaki and Kotani: UCT and AMAF.

pub(crate) mod ratings;
mod recipe;

pub(crate) use recipe::{AMAF, Recipe, UCT, amaf, amaf_size, search, uct};

/// The paper that describes the programs.
pub(crate) const SOURCE: &str = "Sasaki and Kotani, Monte-Carlo Tree Search in the Game of Blokus-Duo";
