//! A game that was played.

use std::time::Duration;

use banmen_catalog::LostTurn;
use banmen_game::mix;
use serde::Serialize;

/// A finished game of a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GameRecord {
    /// The number of the pair, from 0.
    pub pair: usize,
    /// 0: `a` is first; 1: `b` is first.
    pub game: usize,
    /// The seed that its players' seeds follow from.
    pub seed: u64,
    /// The position before the opening; `None` is the start.
    pub position: Option<String>,
    /// The moves, written, those of the opening first.
    pub moves: Vec<String>,
    /// How many of them are the opening's.
    pub opening: usize,
    /// The score of `a`: 1, ½ or 0.
    pub score: f64,
    /// The winner's margin as `a` sees it, where the game has margins.
    pub margin: Option<i32>,
    /// What ended the game.
    pub by: String,
    /// Which player failed, 0 for `a` and 1 for `b`, if one did; the first, where that does not end the game and the
    /// other one failed later.
    pub fault: Option<usize>,
    /// The turns that faults cost, where they do not cost the game.
    pub lost_turns: Vec<LostTurn>,
    /// What it did, in a sentence. Told while the match is played; the store keeps the word in `by`, or with the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
    /// The time of each move after the opening.
    #[serde(serialize_with = "microseconds")]
    pub times: Vec<Duration>,
    /// What `a` and `b` spent.
    pub spent: [Spent; 2],
}

fn microseconds<S: serde::Serializer>(times: &[Duration], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(times.iter().map(|time| time.as_micros() as u64))
}

/// What a player spent in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Moves that it chose.
    pub moves: u64,
    /// Positions that it visited.
    pub nodes: u64,
    /// Sum of the depths that it finished.
    pub depth: u64,
    /// Time of all its moves, in seconds.
    pub seconds: f64,
    /// Time of its longest move, in seconds.
    pub longest: f64,
}

impl Spent {
    pub(crate) fn add(&mut self, time: Duration, nodes: u64, depth: u32) {
        let seconds = time.as_secs_f64();
        self.moves += 1;
        self.nodes = self.nodes.saturating_add(nodes);
        self.depth += u64::from(depth);
        self.seconds += seconds;
        self.longest = self.longest.max(seconds);
    }
}

impl GameRecord {
    /// In a word, what the player did that failed, if one did.
    #[must_use]
    pub fn failed_by(&self) -> Option<&str> {
        self.fault?;
        Some(self.lost_turns.first().map_or(&self.by, |lost| &lost.by))
    }

    /// A digest of where the game began and what was played, the same for games that are the same.
    pub(crate) fn digest(&self) -> u64 {
        self.digest_to(self.moves.len())
    }

    /// A digest of where the game began and its opening.
    pub(crate) fn opening_digest(&self) -> u64 {
        self.digest_to(self.opening)
    }

    fn digest_to(&self, plies: usize) -> u64 {
        let texts = self.position.iter().chain(self.moves.iter().take(plies));
        texts.fold(0, |digest, text| mix(digest ^ crate::version::digest(text.as_bytes())))
    }
}
