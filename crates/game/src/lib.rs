//! The contract that every game of Banmen keeps, and the laws that test it.
//!
//! A [`Game`] value holds the rules; a position is a cheap value; what the rules remember without bound is a [`Past`].
//! Whoever walks a game keeps the two together in a [`Walk`]. What an algorithm or a face needs beyond the rules are
//! small traits of their own: [`Notation`] for text, [`Symmetries`] for the board's symmetries, [`FastPlayout`] for
//! random play. [`laws`] is the conformance suite that a game's tests call in a few lines, [`perft()`] the move
//! generator's yardstick.
//!
//! The crate knows no search, no file, no clock, and names no game.

mod game;
pub mod laws;
mod notation;
mod outcome;
mod perft;
mod playout;
mod rng;
mod symmetry;
mod walk;

pub use game::{Game, Past};
pub use notation::{Fault, Notation, Stem, TextError};
pub use outcome::{Outcome, Side};
pub use perft::{PassCost, perft};
pub use playout::{End, FastPlayout};
pub use rng::{Rng, mix};
pub use symmetry::Symmetries;
pub use walk::Walk;
