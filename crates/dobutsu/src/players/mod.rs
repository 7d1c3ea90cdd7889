//! The published player, and the player that uses the table.

pub mod article;
pub mod perfect;
