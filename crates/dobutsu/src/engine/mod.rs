//! Our strongest player that looks at no table: alpha-beta with an evaluation fitted to the solved game.
//!
//! | file | what it holds |
//! |---|---|
//! | `features` | what the evaluation sees of a position |
//! | `evaluation` | a small network for each pair of squares of the lions; its weights in `weights.bin` |
//! | `memory`, `order` | the transposition table; killers and history |
//! | `search` | the tree |
//! | `root` | iterative deepening, several lines |
//! | `level` | what the levels below 10 overlook |
//! | `player` | the player and its keys |

mod evaluation;
pub mod features;
mod level;
mod memory;
mod order;
mod player;
mod root;
mod search;

pub use evaluation::{Evaluation, ONE, OUT_ONE, WIDTH};
pub use player::{Engine, KEYS};
