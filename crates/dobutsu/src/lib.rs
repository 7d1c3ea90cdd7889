//! Dobutsu shogi (animal shogi, "catch the lion"): rules in masks, every notation of the field.
//!
//! | file | what it holds |
//! |---|---|
//! | `board` | squares, pieces, and what they reach |
//! | `position` | the state, and playing |
//! | `moves` | steps and drops |
//! | `game` | the variants under the contract of `banmen-game`, and the board to be drawn |
//! | `notation`, `record` | positions, moves and whole games as text |
//! | `table` | the game solved: retrograde analysis, probing, the packed table, a census |
//! | `solved` | the table in the data folder, the operation `solve`, the figures of the census |
//! | `article` | the article's game, which counts occurrences in its positions and has twin drops |
//! | `engine` | our strongest player that looks at no table |
//! | `players` | the article's player, and the one that plays from the table |
//! | `measures` | what experiments measure |
//! | `entry` | what the catalog is given |
//! | `reference` | the slow, obvious rules, for the tests |
//!
//! The game's name and its pieces' are their owners' marks.

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
pub mod table;

pub use entry::entry;
pub use game::{Dobutsu, Variant};
