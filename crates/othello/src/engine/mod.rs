//! Our strongest player: a selective search with an evaluation, and an exact solver of endings.

mod errors;
mod evaluation;
mod kernel;
pub(crate) mod last;
mod level;
mod midgame;
pub(crate) mod network;
mod node;
mod order;
mod parity;
pub(crate) mod patterns;
mod player;
mod preview;
mod probcut;
mod proof;
mod search;
mod solver;
mod split;
mod stability;
mod table;
mod values;
pub(crate) mod weights;

pub use evaluation::Evaluation;
pub use midgame::Midgame;
pub use player::{Engine, KEYS};
pub use probcut::{Selectivity, stage};
pub(crate) use proof::solve;
pub use solver::{Solution, Solver};
pub use weights::{Weights, WeightsError};
