//! Games and players behind object-safe traits.
//!
//! A game is registered by its [`Entry`]: the variants of its rules, names for people, the players with every key, and
//! the optional abilities of the game. Code above this crate (matches, protocol, command line) sees only [`AnyGame`],
//! [`AnyState`] and [`AnyPlayer`], with moves packed into 32 bits, and so is written once for all games. An ability that
//! only some games have ([`Solver`], [`Tablebases`], [`Measures`], [`RecordFormats`], [`Ratings`], [`Learning`]) is an object that
//! [`AnyGame`] returns if the game has it. Every failure is an [`Error`] with an [`ErrorCode`].
//!
//! A player is named by a text, `engine:level=7`, and each key that it takes is described by a [`Key`]. The text is
//! checked when the player is made. Clocks of the operating system and the data directory ([`Data`]) are here too,
//! since games and searches use neither. The crate names no game.
//!
//! # Example
//!
//! A player takes one or two stones; the one that takes the last stone wins. With its rules, notation and board the game
//! has the players `engine` (alpha-beta), `mcts` and `random`.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use banmen_catalog::{AnyTask, Board, Catalog, Data, Entry, View, WallClock};
//! use banmen_game::{Game, GameState, Notation, Outcome, Side, TextError};
//! use banmen_search::{Limits, StopFlag};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Stones;
//!
//! impl Game for Stones {
//!     /// The stones that are left, and the side to move.
//!     type Position = (u8, Side);
//!     type Move = u8;
//!     type History = ();
//!
//!     fn start(&self) -> (u8, Side) {
//!         (10, Side::First)
//!     }
//!     fn side_to_move(&self, &(_, side): &(u8, Side)) -> Side {
//!         side
//!     }
//!     fn outcome(&self, &(stones, side): &(u8, Side), (): &()) -> Option<Outcome> {
//!         (stones == 0).then_some(Outcome { winner: Some(side.other()), margin: None, by: "last stone" })
//!     }
//!     fn visit_moves<B>(&self, at: &(u8, Side), visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
//!         (1..=at.0.min(2)).try_for_each(visit)
//!     }
//!     fn play(&self, at: &mut (u8, Side), stones: u8) {
//!         *at = (at.0 - stones, at.1.other());
//!     }
//!     fn key(&self, &(stones, side): &(u8, Side)) -> u64 {
//!         banmen_game::mix(u64::from(stones) << 1 | side.index() as u64)
//!     }
//!     fn max_plies(&self) -> usize {
//!         10
//!     }
//!     fn pack(&self, stones: u8) -> u32 {
//!         stones.into()
//!     }
//!     fn unpack(&self, bits: u32) -> Option<u8> {
//!         u8::try_from(bits).ok()
//!     }
//! }
//!
//! impl Notation for Stones {
//!     fn dialects(&self) -> &'static [&'static str] {
//!         &["stones"]
//!     }
//!     fn parse_position(&self, text: &str) -> Result<(Self, (u8, Side)), TextError> {
//!         let stones = text.parse().map_err(|_| TextError::unreadable("number", 0, "not a number of stones"))?;
//!         Ok((Stones, (stones, Side::First)))
//!     }
//!     fn format_position(&self, at: &(u8, Side), _: &str) -> String {
//!         at.0.to_string()
//!     }
//!     fn parse_move(&self, at: &(u8, Side), text: &str) -> Result<u8, TextError> {
//!         let stones = text.parse().ok().filter(|stones| (1..=at.0.min(2)).contains(stones));
//!         stones.ok_or_else(|| TextError::illegal("stones", "take one stone or two"))
//!     }
//!     fn format_move(&self, _: &(u8, Side), stones: u8, _: &str) -> String {
//!         stones.to_string()
//!     }
//! }
//!
//! impl View for Stones {
//!     fn board(&self, state: &GameState<Self>) -> Board {
//!         let mut board = Board::empty(10, 1, |x, _| (x + 1).to_string());
//!         (0..state.position().0.into()).for_each(|x| board.put(x, "stone", Side::First));
//!         board
//!     }
//! }
//!
//! # fn main() -> Result<(), banmen_catalog::Error> {
//! let catalog = Catalog::new(Data::in_memory()).with(Entry::new("stones", Stones).title("Stones", "石取り"));
//! let game = catalog.game("stones")?;
//! let mut state = game.state(None, Some("7"))?;
//! state.play_texts(&["2"])?;
//! let mut engine = game.player(None, "engine:level=6", 1)?;
//! let report = engine.think(AnyTask {
//!     state: state.as_ref(),
//!     limits: Limits::default(),
//!     clock: &WallClock::default(),
//!     stop: &StopFlag::default(),
//!     threads: 1,
//!     lines: 1,
//!     progress: None,
//! })?;
//! // Five stones are left: taking two leaves three, from which the other side cannot win.
//! assert_eq!(report.best().map(|m| state.write(m, "stones")).as_deref(), Some("2"));
//! assert!(game.solver().is_none());
//! # Ok(())
//! # }
//! ```

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
mod gamma_table;
mod gtp;
mod learning;
mod mcts;
mod mcts_settings;
mod measure;
mod options;
mod ratings;
mod record;
mod solver;
mod table;
mod tablebase;
#[cfg(test)]
mod test_game;
mod variants;

pub use any::{AnyGame, AnyPlayer, AnyState, AnyTask, FaultCost, Info, MAX_LISTED_MOVES, PlayerInfo, Sides};
pub use bench::Bench;
pub use board::{Board, Cell, LocalizedName, SideName, View};
pub use catalog::Catalog;
#[cfg(target_family = "wasm")]
pub use clock::set_host_clock;
pub use clock::{CpuClock, WallClock, process_cpu_time, unix_time};
pub use data::{Data, TableStore, replace_file};
pub use entry::{Entry, LeadFn, MakeFn, OtherSideFn, PerftFn, PlayerEntry, StartFn};
pub use error::{Error, ErrorCode, nearest, quote};
pub use gamma_table::{FeatureGamma, GammaTable, GroupGammas, PhaseGammas};
pub use gtp::GtpRules;
pub use learning::{Fitted, Generation, HeldOut, Learning, Shard};
pub use mcts::mcts;
pub use mcts_settings::mcts_settings;
pub use measure::{Axis, Measure, MeasureInfo, Measures, Observation, Quantity, QuantityKind, Sampling, Value};
pub use options::{Key, Kind, Options, PlayerText, WordOrFile};
pub use ratings::{AnyFeatures, Choice, FeatureGroup, FeatureSet, FeatureSetInfo, FeaturesFn, MoveFeatures, Ratings};
pub use record::{AnyRecord, Format, Header, LostTurn, ReadGames, RecordFormats, RewriteGames, Termination, WriteGame};
pub use solver::{Solution, SolveFn, SolveTask, SolvedMove, Solver};
pub use table::ResultTable;
pub use tablebase::{HasTablebase, Progress, TableFile, Tablebases};
