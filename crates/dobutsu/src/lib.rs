//! Dobutsu shogi (animal shogi, "catch the lion"): bitboard rules, and every notation in use.
//!
//! | file | what it holds |
//! |---|---|
//! | `board` | squares, pieces, and the squares that they reach |
//! | `position` | the state, and playing moves |
//! | `moves` | steps and drops |
//! | `game` | the variants as a `Game` of `banmen-game`, and the board as data for drawing |
//! | `notation`, `record` | positions, moves and whole games as text |
//! | `table` | the solved game: retrograde analysis, probing, the packed table, a census |
//! | `solved` | the table in the data directory, the operation `solve`, the figures of the census |
//! | `strategy` | play from the start without the table: the second side's win, the first side's defence |
//! | `article` | the article's game, which counts occurrences in its positions and has twin drops |
//! | `engine` | our strongest player without a table |
//! | `players` | the article's player, and the player that uses the table or plays from the start without it |
//! | `measures` | the measurements of the experiments |
//! | `entry` | the registration with the catalog |
//! | `reference` | the slow, obvious rules, for the tests |
//!
//! The names of the game and its pieces are trademarks of their owners.

pub mod article;
pub mod board;
pub mod engine;
mod entry;
mod formats;
pub mod game;
mod measures;
mod moves;
pub mod notation;
pub mod players;
pub mod position;
pub mod record;
pub mod reference;
mod solved;
pub mod strategy;
pub mod table;

pub use entry::entry;
pub use game::{Dobutsu, Variant};
