//! Search over the contract of `banmen-game`.
//!
//! A [`Player`] is a session that is asked to [`think`](Player::think): it gets a [`Task`] (where the game stands,
//! [`Limits`], a [`Clock`], a [`StopFlag`]) and gives a [`Report`]. Searches count their nodes on a [`Budget`], which
//! says when a limit is reached. [`alphabeta`] is the generic iterative deepening, [`mcts`] the tree search by
//! simulations; [`RandomPlayer`] the yardstick below all others.
//!
//! No file, no environment, no `Instant::now`: the crate also runs in a browser, and the clock is passed in.

pub mod alphabeta;
mod budget;
mod clock;
mod limits;
pub mod mcts;
mod player;
mod random;
mod report;
pub mod threads;

pub use budget::Budget;
pub use clock::{Clock, CpuMeter, StopFlag};
pub use limits::{Limits, TimeControl};
pub use player::{Player, Task};
pub use random::RandomPlayer;
pub use report::{Eval, Line, Report};
