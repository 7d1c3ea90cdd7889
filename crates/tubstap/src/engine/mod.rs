//! The strongest player: best-first search over plans for whole turns.
//!
//! | file | contents |
//! |---|---|
//! | `settings` | the keys, and the settings read from them |
//! | `eval` | the value of a position |
//! | `features` | the inputs of the network |
//! | `net` | the network |
//! | `plan` | good plans for a turn, by a beam search over the orders and actions of the units |
//! | `damage` | upper bounds on the damage of a turn |
//! | `finish` | wiping out the other side within the turn |
//! | `outcomes` | all outcomes of a turn |
//! | `keys` | sets and maps by the keys of positions |
//! | `proof` | proofs that a side can wipe out the other one |
//! | `solver` | the solver |
//! | `tree` | the search over plans |
//! | `level` | the restrictions of the levels below 10 |
//! | `player` | the player |

mod damage;
mod eval;
pub mod features;
mod finish;
mod keys;
mod level;
mod net;
mod outcomes;
mod plan;
mod player;
mod proof;
#[cfg(test)]
mod reference;
mod settings;
mod solver;
#[cfg(test)]
mod tests;
mod tree;

pub use net::HIDDEN;
pub(crate) use player::ENTRY;
pub(crate) use solver::solve;
