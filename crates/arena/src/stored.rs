//! What stores hold, whether in a file or in memory.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::Programs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::spec::{MARGIN, PATIENCE, from_ms, limits_in_words, read_limits};
use crate::{Contestant, MatchSpec, SequentialTest};

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The largest number of entries.
    pub limit: u32,
    /// Entries to skip.
    pub offset: u64,
}

/// An event: a group of matches.
#[derive(Clone, Debug, Serialize)]
pub struct EventInfo {
    /// Its number.
    pub id: i64,
    /// Its kind, such as `tournament`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What distinguishes it from others.
    pub spec: String,
    /// When it was entered, in seconds since 1970.
    pub created: i64,
}

/// The error for a match that a store does not have.
pub(crate) fn unknown_match(id: i64) -> Error {
    Error::new(ErrorCode::UnknownMatch, format!("there is no match {id} in the store")).arg("match", id)
}

/// The error for an event that a store does not have.
pub(crate) fn unknown_event(id: i64) -> Error {
    Error::new(ErrorCode::UnknownEvent, format!("there is no event {id} in the store")).arg("event", id)
}

/// A match as the store lists it.
#[derive(Clone, Debug, Serialize)]
pub struct MatchInfo {
    /// Its number.
    pub id: i64,
    /// The number of its event, if it belongs to one.
    pub event: Option<i64>,
    /// The game's name.
    pub game: String,
    /// The name of the rules' variant.
    pub rules: String,
    /// Player `a`, whose score is reported, and its opponent `b`, as text.
    pub players: [String; 2],
    /// The versions of both.
    pub versions: [String; 2],
    /// Everything on which the games depend.
    pub spec: Value,
    /// The number of games that was asked for; `None` if its test decides it.
    pub planned: Option<usize>,
    /// The test that may end it early.
    #[serde(skip)]
    pub test: Option<SequentialTest>,
    /// Games that are stored.
    pub games: u64,
    /// Games that `a` won, drew and lost.
    pub results: [u64; 3],
    /// When it was entered, in seconds since 1970.
    pub created: i64,
}

/// Selects matches; fields that are not set select all.
#[derive(Clone, Debug, Default)]
pub struct MatchFilter {
    /// Of this game.
    pub game: Option<String>,
    /// With a player whose text starts with this.
    pub player: Option<String>,
    /// Of this event.
    pub event: Option<i64>,
    /// Only those of no event.
    pub alone: bool,
    /// With this number.
    pub id: Option<i64>,
    /// Only this part of them.
    pub page: Option<Window>,
}

impl MatchInfo {
    /// The limits of the players in words, such as `2,000 nodes`, or `100 ms against 1000 ms`; empty for imported games.
    #[must_use]
    pub fn limits(&self) -> String {
        let [a, b] = ["a", "b"].map(|side| limits_in_words(&self.spec[side]["limits"]));
        if a == b { a } else { format!("{a} against {b}") }
    }

    /// The match as it was played, from the game's usual openings; `None` for imported games.
    ///
    /// # Errors
    /// `store_damaged` where its spec lacks something.
    pub(crate) fn match_spec(&self, game: &dyn AnyGame) -> Result<Option<MatchSpec>, Error> {
        if self.spec.get("imported").is_some() {
            return Ok(None);
        }
        let side = |name: &str, player: &str| {
            let limits = read_limits(&self.spec[name]["limits"])?;
            Some(Contestant::new(player, limits))
        };
        // Times that are not stored are the usual ones.
        let time = |key: &str, usual: Duration| match &self.spec[key] {
            Value::Null => Some(usual),
            stored => from_ms(stored.as_f64()?),
        };
        let read = || {
            let [a, b] = &self.players;
            Some(MatchSpec {
                rules: Some(self.rules.clone()),
                clock: serde_json::from_value(self.spec["clock"].clone()).ok()?,
                adjudication: serde_json::from_value(self.spec["adjudication"].clone()).ok()?,
                seed: self.spec["seed"].as_u64()?,
                threads: NonZeroUsize::new(self.spec["threads"].as_u64().unwrap_or(1) as usize)?,
                program_margin: time(MARGIN, Programs::ALLOWED.margin)?,
                program_patience: time(PATIENCE, Programs::ALLOWED.patience)?,
                ..MatchSpec::new(game, side("a", a)?, side("b", b)?)
            })
        };
        read().map(Some).ok_or_else(|| damaged(&format!("match {} has no complete spec", self.id)))
    }
}

/// How a game ended, from the view of the first player of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StoredOutcome")]
pub enum Outcome {
    /// Won.
    Won,
    /// Drawn.
    Drawn,
    /// Lost.
    Lost,
    /// With a fault of either player, which ended the game or cost a turn.
    Fault,
}

/// Selects games of a match; fields that are not set select all.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameFilter {
    /// With this outcome.
    pub outcome: Option<Outcome>,
    /// Only this part of them.
    pub page: Option<Window>,
}

/// Which games of a match are stored: a bit for each.
#[derive(Default)]
pub(crate) struct StoredGames(Vec<u64>);

impl StoredGames {
    fn bit(pair: usize, game: usize) -> (usize, u64) {
        let index = 2 * pair + game;
        (index / 64, 1 << (index % 64))
    }

    pub(crate) fn add(&mut self, pair: usize, game: usize) {
        let (word, bit) = StoredGames::bit(pair, game);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    /// The number of pairs up to the last one that has a game.
    pub(crate) fn pairs(&self) -> usize {
        let last = self.0.iter().rposition(|bits| *bits != 0);
        last.map_or(0, |word| 32 * word + (64 - self.0[word].leading_zeros() as usize).div_ceil(2))
    }

    /// Whether the game is stored.
    pub(crate) fn contains(&self, pair: usize, game: usize) -> bool {
        let (word, bit) = StoredGames::bit(pair, game);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

/// The plan of an experiment, which is written before its first game and not changed afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ExperimentPlan {
    /// The share of the full sample at which verdicts are given.
    pub scale: f64,
    /// The SHA-256 of the experiment's file, as 64 hexadecimal digits.
    pub digest: String,
    /// The text of the file.
    #[serde(skip)]
    pub(crate) file: String,
    /// Everything on which the verdicts depend, as JSON: the cells with their numbers of games or samples, the figures and
    /// the margin.
    #[serde(skip)]
    pub(crate) judged: String,
    /// Games and samples that the store had when the plan was written: 0, except for those of programs without plans.
    pub stored: u64,
    /// When it was written, in seconds since 1970.
    pub written: i64,
}

/// The experiment that a plan is for.
#[derive(Clone, Copy)]
pub(crate) struct PlanKey<'a> {
    pub(crate) experiment: &'a str,
    pub(crate) seed: u64,
    /// The version of the program: another one plays other games.
    pub(crate) version: &'a str,
}

/// The error of a damaged store.
pub(crate) fn damaged(why: &str) -> Error {
    Error::new(ErrorCode::StoreDamaged, format!("the store is damaged: {why}"))
}

/// What one process at a time plays or runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockName {
    /// A match, by its number.
    Match(i64),
    /// All matches of an event, by its number: a tournament or a league.
    Event(i64),
    /// A tuning, by the number of its event.
    Tuning(i64),
    /// An experiment, by its id.
    Experiment(String),
}

/// Writes the name as in the names of lock files, such as `match-7`.
impl fmt::Display for LockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockName::Match(id) => write!(f, "match-{id}"),
            LockName::Event(id) => write!(f, "event-{id}"),
            LockName::Tuning(id) => write!(f, "tuning-{id}"),
            LockName::Experiment(id) => write!(f, "experiment-{id}"),
        }
    }
}
