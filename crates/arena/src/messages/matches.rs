//! `matches`, and the description of a match that all answers share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DEFAULT_PAGE, MAX_EVENTS, MAX_PAGE};
use crate::spec::LimitsFields;

/// Matches and events of the store, the newest first.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MatchesRequest {
    /// Only matches of this game.
    pub(crate) game: Option<String>,
    /// Only matches with a player whose text begins with this.
    pub(crate) player: Option<String>,
    /// Only matches of this event.
    pub(crate) event: Option<i64>,
    /// Only matches that belong to no event.
    pub(crate) alone: bool,
    /// The largest number of matches to list.
    #[schemars(range(max = MAX_PAGE))]
    pub(crate) limit: u32,
    /// The number of matches to skip.
    pub(crate) offset: u64,
}

impl Default for MatchesRequest {
    fn default() -> Self {
        MatchesRequest { game: None, player: None, event: None, alone: false, limit: DEFAULT_PAGE, offset: 0 }
    }
}

/// Matches and events of the store. Empty where there is no store yet.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct MatchesAnswer {
    /// The matches asked for, the newest first.
    #[schemars(length(max = MAX_PAGE))]
    pub(crate) matches: Vec<MatchSummary>,
    /// How many were asked for, listed or not.
    pub(crate) total: u64,
    /// The newest events, of the game asked for.
    #[schemars(length(max = MAX_EVENTS))]
    pub(crate) events: Vec<EventSummary>,
}

/// A match of the store.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MatchSummary {
    /// Its number.
    pub(crate) id: i64,
    /// The number of the event that it belongs to.
    pub(crate) event: Option<i64>,
    /// The name of the game.
    pub(crate) game: String,
    /// The name of the rules.
    pub(crate) rules: String,
    /// The player whose score is given, and its opponent, as text.
    pub(crate) players: [String; 2],
    /// The versions of both.
    pub(crate) versions: [String; 2],
    /// The number of games that was asked for; null if a test decides it.
    pub(crate) planned: Option<usize>,
    /// Games that are stored.
    pub(crate) games: u64,
    /// Games that the first player won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games that the first player lost.
    pub(crate) losses: u64,
    /// When it was begun, in seconds since 1970.
    pub(crate) created: i64,
    /// Whether it is being played now; or its tournament or league is, and it is not complete.
    pub(crate) running: bool,
    /// The name of the experiment that it belongs to; null where it belongs to none.
    pub(crate) experiment: Option<String>,
    /// What else its games depend on.
    pub(crate) conditions: Conditions,
}

/// A group of matches, such as a tournament.
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventSummary {
    /// Its number.
    pub(crate) id: i64,
    /// Its kind, such as `tournament`.
    pub(crate) kind: String,
    /// Its name.
    pub(crate) name: String,
    /// When it was begun, in seconds since 1970.
    pub(crate) created: i64,
    /// The name of the game, where all its matches have the same one.
    pub(crate) game: Option<String>,
    /// The number of its matches.
    pub(crate) matches: u64,
    /// Games that are stored.
    pub(crate) games: u64,
    /// The number of games that was asked for; null if a test decides the number of a match.
    pub(crate) planned: Option<u64>,
    /// Whether a match of it is being played now.
    pub(crate) running: bool,
}

/// Everything that the games of a match depend on, except the players.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Conditions {
    /// The limits of both players.
    limits: [LimitsFields; 2],
    /// Where the pairs begin: `random:PLIES`, `balanced:PLIES`, or a list.
    openings: String,
    /// How time is measured: `cpu` or `wall`.
    clock: String,
    /// Threads that each search may use.
    #[schemars(range(min = 1))]
    threads: u64,
    /// The seed from which openings and the seeds of the players follow.
    seed: u64,
    /// When games end early.
    adjudication: StoredAdjudication,
}

/// When games end before their rules say so; null where they do not.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct StoredAdjudication {
    /// Lost by a player that expects at most this score, if the opponent expects at least 1 minus this score.
    resign: Option<StoredThreshold>,
    /// Drawn when both expect a score within this distance of one half.
    draw: Option<StoredThreshold>,
    /// Drawn after this number of plies.
    plies: Option<u64>,
}

/// A bound of an expectation, and how long it must hold.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct StoredThreshold {
    /// The bound.
    value: f64,
    /// Moves of each side in a row.
    moves: u64,
}

/// The conditions in a stored match. Missing fields have defaults: imported matches have none.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredSpec {
    a: StoredSide,
    b: StoredSide,
    openings: String,
    clock: String,
    seed: u64,
    /// Written only where it is not 1.
    threads: Option<u64>,
    adjudication: StoredAdjudication,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredSide {
    limits: LimitsFields,
}

impl Conditions {
    /// The conditions in the specification of a stored match.
    pub(crate) fn read(spec: &Value) -> Self {
        let StoredSpec { a, b, openings, clock, seed, threads, adjudication } =
            StoredSpec::deserialize(spec).unwrap_or_default();
        let (limits, threads) = ([a.limits, b.limits], threads.unwrap_or(1));
        Conditions { limits, openings, clock, threads, seed, adjudication }
    }
}
