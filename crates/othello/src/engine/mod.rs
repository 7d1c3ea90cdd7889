//! Our strongest player: the exact solver of endings and the evaluation of everything before.

mod kernel;
mod last;
mod order;
mod parity;
mod search;
mod solver;
mod stability;
mod table;

pub use solver::{Solution, Solver};
