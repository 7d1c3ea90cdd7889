//! Search over the contract of `banmen-game`.
//!
//! A [`Player`] is a session that is asked to [`think`](Player::think): it gets a [`Task`] (the state of a game, [`Limits`],
//! a [`Clock`], a [`StopFlag`]) and returns a [`Report`]. Searches count their nodes on a [`Budget`], which reports when a
//! limit is reached. [`alphabeta`] is generic iterative deepening, [`mcts`] Monte-Carlo tree search, and [`RandomPlayer`]
//! the baseline for both. [`Softmax`] chooses among valued moves as weak players do. [`Staged`] is a view of a game whose
//! moves are made in stages, for either of them.
//!
//! The crate reads no file, no environment and no clock of its own, so it also runs in a browser: the caller passes the
//! clock. Threads need the feature `threads`.
//!
//! # A search
//!
//! A pile of stones: the sides take one to three in turn, and whoever takes the last one wins. With seven stones the right
//! move leaves four, and the tree search proves it.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::time::Duration;
//!
//! use banmen_game::{Game, GameState, Outcome, Side, mix};
//! use banmen_search::mcts::{Mcts, Settings, Uniform};
//! use banmen_search::{Clock, Limits, Player, StopFlag, Task};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Nim;
//!
//! impl Game for Nim {
//!     type Position = (u8, Side);
//!     type Move = u8;
//!     type History = ();
//! #   fn start(&self) -> (u8, Side) { (7, Side::First) }
//! #   fn side_to_move(&self, pile: &(u8, Side)) -> Side { pile.1 }
//! #   fn outcome(&self, pile: &(u8, Side), _: &()) -> Option<Outcome> {
//! #       (pile.0 == 0).then(|| Outcome { winner: Some(pile.1.other()), margin: None, by: "last" })
//! #   }
//! #   fn visit_moves<B>(&self, pile: &(u8, Side), visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
//! #       (1..=pile.0.min(3)).try_for_each(visit)
//! #   }
//! #   fn play(&self, pile: &mut (u8, Side), taken: u8) { *pile = (pile.0 - taken, pile.1.other()); }
//! #   fn key(&self, pile: &(u8, Side)) -> u64 { mix(u64::from(pile.0) << 1 | pile.1 as u64) }
//! #   fn max_plies(&self) -> usize { 7 }
//! #   fn pack(&self, taken: u8) -> u32 { taken.into() }
//! #   fn unpack(&self, bits: u32) -> Option<u8> { bits.try_into().ok() }
//!     // … as in the example of `banmen-game`.
//! }
//!
//! /// Playouts limit this search, so that no time has to pass.
//! struct NoTime;
//!
//! impl Clock for NoTime {
//!     fn now(&self) -> Duration {
//!         Duration::ZERO
//!     }
//! }
//!
//! let settings = Settings { solver: true, bytes: 1 << 20, ..Settings::default() };
//! let mut player: Mcts<Nim, Uniform> = Mcts::new(&Nim, settings, Uniform::default(), 1)?;
//! let report = player.think(Task {
//!     state: &GameState::new(Nim),
//!     limits: Limits { playouts: Some(1_000), ..Limits::default() },
//!     clock: &NoTime,
//!     stop: &StopFlag::default(),
//!     threads: 1,
//!     lines: 1,
//!     progress: None,
//! });
//! assert_eq!(report.best(), Some(3));
//! assert!(report.proven && report.value() == 1.0);
//! # Ok::<(), banmen_search::mcts::SettingsError>(())
//! ```

pub mod alphabeta;
mod budget;
mod clock;
mod limits;
pub mod mcts;
mod player;
mod random;
mod report;
mod softmax;
mod staged;
pub mod threads;
pub mod windows;

pub use budget::Budget;
pub use clock::{Clock, CpuMeter, StopFlag};
pub use limits::{Limits, TimeControl, seems_exhausted};
pub use player::{Player, Progress, Task};
pub use random::RandomPlayer;
pub use report::{Eval, Line, Report};
pub use softmax::Softmax;
pub use staged::{MAX_STAGES, Part, Staged, StagedHistory, StagedPosition, Stages};
