//! One game to be played, as a value that can be sent to another machine.

use banmen_catalog::{AnyGame, AnyState, Error};
use banmen_game::mix;
use serde::{Deserialize, Serialize};

use crate::Match;

/// The beginning of both games of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The position before the opening moves; `None` is the start.
    pub position: Option<String>,
    /// The opening moves.
    pub moves: Vec<String>,
}

impl Opening {
    /// The opening that a game state has played, from the position that it began with.
    pub(crate) fn of(position: Option<String>, state: &dyn AnyState) -> Self {
        Opening { position, moves: state.move_texts("") }
    }

    /// A game state after the opening.
    pub(crate) fn state(&self, game: &dyn AnyGame, rules: Option<&str>) -> Result<Box<dyn AnyState>, Error> {
        let mut state = game.state(rules, self.position.as_deref())?;
        state.play_texts(&self.moves.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok(state)
    }
}

/// One game of a match that is to be played. With the match's [`MatchSpec`](crate::MatchSpec) it is all that a machine
/// needs; [`MatchSpec::play`](crate::MatchSpec::play) returns the [`GameRecord`](crate::GameRecord).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The match: its [digest](Match::digest).
    pub spec: String,
    /// The number of the pair, from 0.
    pub pair: usize,
    /// 0: `a` moves first; 1: `b` moves first.
    pub game: usize,
    /// The seed of the game. [`Job::player_seeds`] are derived from it.
    pub seed: u64,
    /// How the game begins.
    pub opening: Opening,
}

impl Job {
    /// The seeds of `a` and `b`.
    #[must_use]
    pub fn player_seeds(&self) -> [u64; 2] {
        [1, 2].map(|number| mix(self.seed ^ number))
    }
}

/// The seed of a game of a match with this seed.
pub(crate) fn game_seed(seed: u64, pair: u64, game: u64) -> u64 {
    mix(seed ^ mix(pair << 1 | game))
}

impl Match<'_> {
    /// A game of this match, whose digest is passed in because computing it reads the files of external programs.
    pub(crate) fn job(&self, digest: &str, pair: usize, game: usize, opening: &Opening) -> Job {
        let seed = game_seed(self.spec.seed, pair as u64, game as u64);
        Job { spec: digest.to_owned(), pair, game, seed, opening: opening.clone() }
    }
}
