//! Matches between players: every opening is played twice with the sides swapped, and pairs are what is counted.
//!
//! [`Match`] says who plays whom, under which limits and from which openings; [`Match::play`] plays it on several
//! threads and gives a [`Score`]. Which games are played follows from the seed alone, not from the threads.
//! [`reproduce`] runs a game's experiments on published claims.

mod bout;
mod experiment;
mod opening;
mod score;

pub use bout::{GameRecord, Match, Progress, SideClock, Spent};
pub use experiment::{Reproduction, reproduce};
pub use opening::{Opening, openings};
pub use score::{PlayerTotals, Score};
