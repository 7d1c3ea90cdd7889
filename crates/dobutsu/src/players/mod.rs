//! The published player.

pub mod article;
