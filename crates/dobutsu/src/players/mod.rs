//! The published player, and the player that uses the table, or the strategy where it is missing.

pub mod article;
pub mod perfect;
pub(crate) mod winning;
