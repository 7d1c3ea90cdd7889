//! Games and players without their types: what matches, the protocol and the command line work with.
//!
//! A game is registered by its [`Entry`]: the rules' variants, names for people, the players with every key, and
//! the optional abilities of the game. Everything above this crate sees only [`AnyGame`], [`AnyState`] and
//! [`AnyPlayer`], with moves packed into 32 bits, and so is written once for all games. What is refused is refused with
//! an [`Error`], the same everywhere.
//!
//! The crate names no game. Clocks and the data directory, which need an operating system, live here too.

mod any;
mod bench;
mod board;
mod catalog;
mod clock;
mod data;
mod entry;
mod erased_game;
mod erased_player;
mod erased_state;
mod error;
mod mcts;
mod mcts_settings;
mod measure;
mod options;
mod record;
mod solver;
mod table;
mod tablebase;
#[cfg(test)]
mod test_game;
mod variants;

pub use any::{AnyGame, AnyPlayer, AnyState, AnyTask, FaultCost, Info, MAX_LISTED_MOVES, PlayerInfo, Sides};
pub use bench::Bench;
pub use board::{Board, Cell, LocalizedName, View};
pub use catalog::Catalog;
pub use clock::{CpuClock, WallClock};
pub use data::Data;
pub use entry::{Entry, MakeFn, PerftFn, PlayerEntry, StartFn};
pub use error::{Error, ErrorCode, quote};
pub use mcts::mcts;
pub use mcts_settings::mcts_settings;
pub use measure::{Axis, Measure, MeasureInfo, Measures, Observation, Quantity, QuantityKind, Sampling, Value};
pub use options::{Key, Kind, Options, PlayerText};
pub use record::{AnyRecord, Format, Header, LostTurn, ReadGames, RecordFormats, Termination, WriteGame};
pub use solver::{Bounds, Solution, SolveFn, SolvedMove, Solver};
pub use table::Table;
pub use tablebase::{HasTablebase, Progress, TableFile, Tablebases};
