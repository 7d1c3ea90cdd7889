//! Othello: rules on bitboards, the published players, the engine.

pub mod moves;
