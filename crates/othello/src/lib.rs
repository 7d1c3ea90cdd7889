//! Othello: rules on bitboards, the published players, the engine.
//!
//! | file | what it holds |
//! |---|---|
//! | `position` | the position as two bitboards, and playing a move |
//! | `moves`, `simd` | legal moves and flipped discs, portable and vectorised |
//! | `game` | the traits of `banmen-game`, and the board to draw |
//! | `dialects` | the text dialects of positions and moves |
//! | `formats` | conversion of game records for the catalog |
//! | `entry` | the catalog entry |
//! | `notation`, `record` | positions, moves and whole games as text |
//! | `perft` | move path enumeration |
//! | `playout` | the uniformly random playout of the tree search |
//! | `board`, `lines` | the article's board of lines, and a trait over it and bitboards |
//! | `players` | the published player and a greedy baseline |
//! | `engine` | our strongest player: evaluation and exact solver |
//! | `book` | the engine's opening book |
//! | `training` | learning the evaluation from the engine's own games |
//! | `packed` | the form of the files of weights and of the book |
//! | `reference` | a slow, simple implementation of the rules for the tests |

pub mod board;
pub mod book;
mod dialects;
pub mod engine;
mod entry;
mod formats;
mod game;
pub mod lines;
mod measures;
pub mod moves;
pub mod notation;
mod packed;
pub mod perft;
pub mod players;
mod playout;
pub mod position;
pub mod record;
pub mod reference;
mod simd;
#[cfg(test)]
mod testing;
pub mod training;

pub use entry::entry;
pub use game::Othello;
