//! The published players.

mod plan;
pub(crate) mod rhea;
mod stages;
pub(crate) mod uct;
