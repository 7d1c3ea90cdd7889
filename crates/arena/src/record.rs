//! A finished game.

use std::time::Duration;

use banmen_catalog::LostTurn;
use banmen_game::mix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A finished game of a match. JSON that is read and written again is the same byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameRecord {
    /// The number of the pair, from 0.
    pub pair: usize,
    /// 0: `a` moved first; 1: `b` moved first.
    pub game: usize,
    /// The seed from which the seeds of the players were derived.
    pub seed: u64,
    /// The position before the opening; `None` is the start.
    pub position: Option<String>,
    /// The moves as text, those of the opening first.
    pub moves: Vec<String>,
    /// How many of the moves belong to the opening.
    pub opening: usize,
    /// The score of `a`: 1, ½ or 0.
    pub score: f64,
    /// The winner's margin from the view of `a`, where the game has margins.
    pub margin: Option<i32>,
    /// What ended the game.
    pub by: String,
    /// The player that failed, 0 for `a` and 1 for `b`; `None` where no player failed. If faults cost only turns and both
    /// players failed, the one that failed first.
    pub fault: Option<usize>,
    /// The turns that were lost by faults, in games where a fault costs only the turn.
    pub lost_turns: Vec<LostTurn>,
    /// The fault, in a sentence. Not kept by the store, which keeps the word in `by` or with the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
    /// The time of each decision after the opening: of each move, and of a last decision that was a fault. Microseconds in JSON.
    #[serde(with = "microseconds")]
    pub times: Vec<Duration>,
    /// What `a` and `b` used.
    pub spent: [Usage; 2],
    /// Event and date of an imported game; `None` for games that were played here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<GameSource>,
}

/// Where and when an imported game was played, as its record writes it; empty where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameSource {
    /// The tournament or match that the game is part of.
    pub event: String,
    /// When it was played.
    pub date: String,
}

mod microseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(times: &[Duration], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(times.iter().map(|time| time.as_micros() as u64))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Duration>, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().map(Duration::from_micros).collect())
    }
}

/// What a player used in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Decisions that it made.
    pub moves: u64,
    /// Positions that it visited.
    pub nodes: u64,
    /// Sum of the depths that it completed, in plies.
    pub depth: u64,
    /// Time of all its decisions, in seconds.
    pub seconds: f64,
    /// Time of its longest decision, in seconds.
    pub longest: f64,
}

impl Usage {
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
    /// The word for the first fault of the game; `None` where no player failed.
    #[must_use]
    pub fn failed_by(&self) -> Option<&str> {
        self.fault?;
        Some(self.lost_turns.first().map_or(&self.by, |lost| &lost.by))
    }

    /// A digest of the start and the moves: equal games have equal digests.
    pub(crate) fn digest(&self) -> u64 {
        self.digest_to(self.moves.len())
    }

    /// A digest of the start and the opening moves.
    pub(crate) fn opening_digest(&self) -> u64 {
        self.digest_to(self.opening)
    }

    fn digest_to(&self, plies: usize) -> u64 {
        let texts = self.position.iter().chain(self.moves.iter().take(plies));
        texts.fold(0, |digest, text| mix(digest ^ banmen_game::digest(text.as_bytes())))
    }
}
