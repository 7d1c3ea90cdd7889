//! The strongest player: alpha-beta over the best moves, which are composed of their parts.
//!
//! | file | contents |
//! |---|---|
//! | `settings` | the keys, and the settings read from them |
//! | `lists` | how long the lists of moves are, by the trials that the limits allow |
//! | `births` | good moves, part by part |
//! | `ending` | every move that wins at once |
//! | `memory` | the transposition table |
//! | `search` | the tree |
//! | `root` | iterative deepening, several lines |
//! | `win_rate` | the win rate that is reported for a value, fitted to results of games |
//! | `level` | the restrictions of the levels below 10 |
//! | `player` | the player |

mod births;
mod ending;
mod level;
mod lists;
mod memory;
mod player;
mod root;
mod search;
mod settings;
mod win_rate;

pub use player::Engine;
pub use settings::KEYS;
