//! Our strongest player: a selective search with an evaluation, and an exact solver of endings.

mod errors;
mod evaluation;
pub mod features;
mod kernel;
mod last;
mod midgame;
mod node;
mod order;
mod parity;
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
mod weights;

pub use evaluation::{Evaluation, knot_weights};
pub use midgame::Midgame;
pub use player::{Engine, KEYS};
pub use probcut::{Selectivity, stage};
pub(crate) use proof::solve;
pub use solver::{Solution, Solver};
pub use weights::{KNOTS, WEIGHTS};
