//! Our strongest player: alpha-beta with an evaluation, and an exact solver of endings.

mod evaluation;
pub mod features;
mod kernel;
mod last;
mod order;
mod parity;
mod player;
mod preview;
mod proof;
mod search;
mod solver;
mod split;
mod stability;
mod table;
mod weights;

pub use evaluation::{Evaluation, knot_weights};
pub use player::{Engine, KEYS};
pub(crate) use proof::solve;
pub use solver::{Solution, Solver};
pub use weights::{KNOTS, WEIGHTS};
