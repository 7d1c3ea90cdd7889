//! Our strongest player: alpha-beta over the best moves, which are built from their parts.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings` | the keys, and what they set |
//! | `births` | good moves, part by part |
//! | `ending` | every move that wins at once |
//! | `memory` | what is known of positions |
//! | `search` | the tree |
//! | `root` | iterative deepening, several lines |
//! | `level` | what restrains the levels below 10 |
//! | `player` | the player |

mod births;
mod ending;
mod level;
mod memory;
mod player;
mod root;
mod search;
mod settings;

pub use player::Engine;
pub use settings::KEYS;
