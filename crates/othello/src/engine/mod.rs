
mod evaluation;
pub mod features;
mod kernel;
mod last;
mod order;
mod parity;
mod preview;
mod search;
mod solver;
mod stability;
mod table;
mod weights;

pub use evaluation::{Evaluation, hats};
pub use solver::{Solution, Solver};
pub use weights::{KNOTS, WEIGHTS};
