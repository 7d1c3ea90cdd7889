//! The strongest player that does not use the solved table: alpha-beta with an evaluation fitted to the solved game.
//!
//! | file | what it holds |
//! |---|---|
//! | `features` | the features of a position |
//! | `evaluation` | small networks, one for each pair of squares of the lions and class of material; their weights in `weights.bin`, and in `uniform.bin` those of a fit to all positions alike |
//! | `transposition`, `order` | the transposition table; killers and history |
//! | `search` | the tree |
//! | `mix` | the share of the static evaluation in the value of a node |
//! | `root` | iterative deepening, several lines, helper threads |
//! | `level` | the weaknesses of the levels below 10 |
//! | `player` | the player and its keys |
//! | `fixed` | the engine with the uniform fit, at a fixed number of nodes for each question |

mod evaluation;
pub mod features;
mod fixed;
mod level;
mod mix;
mod order;
mod player;
mod root;
mod search;
mod transposition;

pub use evaluation::{Evaluation, ONE, OUT_ONE, UNIFORM_WIDTH, WIDTH};
pub use fixed::FixedNodes;
pub use player::{Engine, KEYS};
