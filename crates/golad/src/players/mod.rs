//! The published players, and a yardstick.

pub mod balance3;
