//! The contract that every game of Banmen keeps, and the laws that test it.
//!
//! A [`Game`] value holds the rules of a two-player, perfect-information game. A position is a cheap value, and what the
//! rules remember without bound is a [`History`]. A [`GameState`] keeps rules, position and history together while a game
//! is played. Capabilities beyond the rules are small traits: [`Notation`] for text, [`Symmetries`] of the board,
//! [`MoveIndex`] for moves that have numbers, [`FastPlayout`] for random playouts. [`laws`] is the conformance suite that
//! the tests of a game call in a few lines; [`perft()`] counts move sequences.
//!
//! The crate contains no search, reads no file and no clock, and names no game.
//!
//! # A game
//!
//! A pile of stones: the sides take one to three in turn, and whoever takes the last one wins.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use banmen_game::laws::Laws;
//! use banmen_game::{Game, GameState, Outcome, Side, mix};
//!
//! #[derive(Clone, Debug, PartialEq)]
//! struct Nim {
//!     stones: u8,
//! }
//!
//! /// The stones left, and the side to move.
//! type Pile = (u8, Side);
//!
//! impl Game for Nim {
//!     type Position = Pile;
//!     type Move = u8;
//!     type History = ();
//!
//!     fn start(&self) -> Pile {
//!         (self.stones, Side::First)
//!     }
//!     fn side_to_move(&self, pile: &Pile) -> Side {
//!         pile.1
//!     }
//!     fn outcome(&self, pile: &Pile, _: &()) -> Option<Outcome> {
//!         (pile.0 == 0).then(|| Outcome { winner: Some(pile.1.other()), margin: None, by: "last" })
//!     }
//!     fn visit_moves<B>(&self, pile: &Pile, visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
//!         (1..=pile.0.min(3)).try_for_each(visit)
//!     }
//!     fn play(&self, pile: &mut Pile, taken: u8) {
//!         *pile = (pile.0 - taken, pile.1.other());
//!     }
//!     fn key(&self, pile: &Pile) -> u64 {
//!         mix(u64::from(pile.0) << 1 | pile.1 as u64)
//!     }
//!     fn max_plies(&self) -> usize {
//!         self.stones.into()
//!     }
//!     fn pack(&self, taken: u8) -> u32 {
//!         taken.into()
//!     }
//!     fn unpack(&self, bits: u32) -> Option<u8> {
//!         bits.try_into().ok()
//!     }
//! }
//!
//! let mut state = GameState::new(Nim { stones: 5 });
//! state.play(2);
//! state.play(3);
//! assert_eq!(state.outcome().and_then(|outcome| outcome.winner), Some(Side::Second));
//! Laws::default().rules(&Nim { stones: 12 });
//! ```

mod digest;
mod game;
pub mod laws;
mod move_index;
mod notation;
mod outcome;
mod perft;
mod playout;
mod rng;
mod state;
mod symmetry;

pub use digest::{digest, digest_chunk};
pub use game::{Game, History};
pub use move_index::MoveIndex;
pub use notation::{Fault, MovePrefix, Notation, TextError};
pub use outcome::{Outcome, Side};
pub use perft::{PassCost, perft};
pub use playout::{FastPlayout, PlayoutEnd};
pub use rng::{Rng, mix};
pub use state::GameState;
pub use symmetry::Symmetries;
