//! The published player, and the one that plays from the table.

pub mod article;
pub mod perfect;
