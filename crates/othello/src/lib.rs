//! Othello: rules on bitboards, the published players, the engine.
//!
//! | file | what it holds |
//! |---|---|
//! | `position` | the state as two words, and playing |
//! | `moves`, `simd` | legal moves and turned discs, plain and in vectors |
//! | `game` | the contract of `banmen-game`, and the board to be drawn |
//! | `dialects` | positions and moves as text under that contract |
//! | `formats` | whole games between the catalog and `record` |
//! | `entry` | what the catalog is given |
//! | `notation`, `record` | positions, moves and whole games as text |
//! | `perft` | counting move sequences |
//! | `playout` | uniformly random play for the tree search |
//! | `board`, `lines` | the article's board of lines, behind one face with the two words |
//! | `players` | the published player, and a yardstick |
//! | `engine` | our strongest player: evaluation and exact solver |
//! | `reference` | the slow, obvious rules, for the tests |

pub mod board;
mod dialects;
pub mod engine;
mod entry;
mod formats;
mod game;
pub mod lines;
mod measures;
pub mod moves;
pub mod notation;
pub mod perft;
pub mod players;
mod playout;
pub mod position;
pub mod record;
pub mod reference;
mod simd;

pub use entry::entry;
pub use game::Othello;
