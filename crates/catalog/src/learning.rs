//! Learning an evaluation from games of an engine against itself.

use banmen_search::StopFlag;
use serde::{Deserialize, Serialize};

use crate::Error;

/// One generation of a recipe: games of the engine with the weights of the generation before, and a fit of new weights
/// to their positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    /// Games to play.
    pub games: usize,
    /// Depth of the search that chooses a move, in plies.
    pub depth: u32,
    /// The last plies of a game that are played exactly: their number.
    pub exact: u32,
    /// The share of the game's result in the target of a position whose value is not known exactly, 0 to 1. The rest is the
    /// value of the search that chose the move.
    pub result: f64,
}

/// Positions of the games of one generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the generation, from 0.
    pub generation: usize,
    /// Positions with what the games show of their values, in the game's own format.
    pub examples: Vec<u8>,
}

/// How well weights predict, in one phase of the game, on positions that they were not fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The phase in words.
    pub phase: String,
    /// The number of positions.
    pub positions: u64,
    /// Mean absolute difference to the target of the fit, in the game's unit.
    pub target: f64,
    /// Mean absolute difference to the game's result.
    pub result: f64,
}

/// Fitted weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The bytes of a file with the weights, which the key `weights` of the player `engine` reads.
    pub weights: Vec<u8>,
    /// Positions that they were fitted to.
    pub positions: u64,
    /// The errors on positions that were held out, by phase from the end of the game to its beginning.
    pub held_out: Vec<HeldOut>,
}

/// A game whose engine's evaluation is learned from its own games.
pub trait Learning: Send + Sync {
    /// The generations that lead from nothing to the weights of the engine, at least one. The last one is made again as long
    /// as each is stronger than the one before.
    fn recipe(&self) -> &'static [Generation];

    /// Plays games, and returns the examples for a [`Shard`]. The same arguments give the same games on every machine.
    /// Without weights the evaluation knows nothing.
    ///
    /// # Errors
    /// `bad_weights` when these are not weights of this version, `stopped` when `stop` was set.
    fn play(
        &self,
        generation: &Generation,
        weights: Option<&[u8]>,
        seed: u64,
        games: usize,
        stop: &StopFlag,
    ) -> Result<Vec<u8>, Error>;

    /// Why these cannot be the examples of so many games of this generation. They may come from an untrusted machine.
    ///
    /// # Errors
    /// The reason, in words.
    fn check(&self, generation: &Generation, games: usize, examples: &[u8]) -> Result<(), String>;

    /// Fits weights to the games of the generation with the greatest number, and to those positions of earlier ones whose
    /// values are exact. `progress` gets the steps that are done and their number.
    ///
    /// # Errors
    /// `bad_examples` when a shard does not contain examples of this version, `stopped` when `stop` was set.
    fn fit(
        &self,
        generation: &Generation,
        shards: &[Shard],
        stop: &StopFlag,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Fitted, Error>;
}
