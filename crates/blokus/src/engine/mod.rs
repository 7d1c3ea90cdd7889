//! The strongest player: tree search with priors, AMAF, and playouts that know the game.
//!
//! | file | contents |
//! |---|---|
//! | `plane` | counting cells around a placement |
//! | `features` | the features of a placement |
//! | `weights` | their strengths |
//! | `replies` | last good replies |
//! | `playout` | playouts |
//! | `knowledge` | all of it as the guide of the tree search |
//! | `ending` | the exact ending |
//! | `solve` | the operation `solve` |
//! | `network` | the network that values positions |
//! | `policy` | the network that says how likely placements are |
//! | `ranking` | which placements get into the tree, and their priors |
//! | `level` | the restrictions of the levels below 10 |
//! | `player` | the player and its keys |

mod ending;
mod features;
mod knowledge;
mod level;
pub mod network;
mod plane;
mod player;
mod playout;
pub mod policy;
mod ranking;
mod replies;
mod solve;
mod weights;

pub use knowledge::reward;
pub use ranking::considered;

pub(crate) use player::engine;
pub(crate) use solve::solve;
pub(crate) use weights::{PRIORS, Weights};
