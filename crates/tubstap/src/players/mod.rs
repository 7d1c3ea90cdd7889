//! The published players.

mod plan;
pub(crate) mod rhea;
pub(crate) mod smaef;
mod stages;
pub(crate) mod tbets;
pub(crate) mod uct;
