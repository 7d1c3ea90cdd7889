//! The contract that every game of Banmen keeps, and the laws that test it.
//!
//! A [`Game`] value holds the rules; a position is a cheap value; what the rules remember without bound is a [`History`].
//! Whoever walks a game keeps the two together in a [`GameState`]. What an algorithm or a face needs beyond the rules are
//! small traits of their own: [`Notation`] for text, [`Symmetries`] for the board's symmetries, [`FastPlayout`] for
//! random play. [`laws`] is the conformance suite that a game's tests call in a few lines, [`perft()`] the move
//! generator's yardstick.
//!
//! The crate knows no search, no file, no clock, and names no game.

mod game;
pub mod laws;
mod move_index;
mod notation;
mod outcome;
mod perft;
mod playout;
mod rng;
mod state;
mod symmetry;

pub use game::{Game, History};
pub use move_index::MoveIndex;
pub use notation::{Fault, MovePrefix, Notation, TextError};
pub use outcome::{Outcome, Side};
pub use perft::{PassCost, perft};
pub use playout::{FastPlayout, PlayoutEnd};
pub use rng::{Rng, mix};
pub use state::GameState;
pub use symmetry::Symmetries;
