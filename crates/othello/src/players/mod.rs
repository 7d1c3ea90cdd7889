//! The published player and a greedy baseline.

pub mod classic;
pub mod greedy;
