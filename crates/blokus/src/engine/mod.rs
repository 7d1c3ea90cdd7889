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
//! | `level` | the restrictions of the levels below 10 |
//! | `player` | the player and its keys |

mod features;
mod knowledge;
mod level;
mod plane;
mod player;
mod playout;
mod replies;
mod weights;

pub(crate) use player::engine;
pub(crate) use weights::PRIORS;
