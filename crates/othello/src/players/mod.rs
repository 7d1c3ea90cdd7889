//! The published player, and a yardstick.

pub mod classic;
pub mod greedy;
