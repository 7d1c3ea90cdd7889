//! The object-safe face of a game and its players, and what a catalog entry holds.
//!
//! A game enters the house by its [`Entry`]: the rules' variants, names for people, the players with every key, and
//! what the game can do beside the contract. Doors, arena and command line see only [`AnyGame`], [`AnyState`] and
//! [`AnyPlayer`], with moves packed into 32 bits, so that they are written once for all games. What is refused is
//! refused with an [`Error`], the same on every door.
//!
//! The crate names no game. Clocks and the data folder, which need an operating system, live here too.

mod board;
mod catalog;
mod clock;
mod data;
mod entry;
mod error;
mod face;
mod format;
mod mcts;
mod measure;
mod options;
mod solution;
mod table;

pub use board::{Board, Cell, Labels, View};
pub use catalog::Catalog;
pub use clock::{CpuClock, WallClock};
pub use data::{Data, TableFile, Tabled};
pub use entry::{Entry, MakeFn, PerftFn, PlayerEntry, SolveFn, StartFn};
pub use error::{Error, ErrorCode, quote};
pub use face::{AnyGame, AnyPlayer, AnyState, AnyTask, Bounds, FaultCost, Info, MAX_LISTED_MOVES, PlayerInfo, Sides};
pub use format::{AnyRecord, Format, Header, LostTurn, ReadGames, Stated, WriteGame};
pub use mcts::mcts;
pub use measure::{Axis, Measure, MeasureInfo, Observation, Quantity, QuantityKind, Sampling, Value};
pub use options::{Key, Kind, Options, PlayerText};
pub use solution::{Solution, SolvedMove};
pub use table::Table;
