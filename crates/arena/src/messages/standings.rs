//! `standings`.

use banmen_catalog::{Error, ErrorCode};
use banmen_protocol::messages::FromBody;
use banmen_protocol::{Body, fields};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "store")]
use super::EventSummary;
use super::{MatchScore, MatchSummary, TestWithCurve};
#[cfg(feature = "store")]
use crate::{FleetStatus, FleetWorker, Rating, State};

/// The largest number of workers in an answer.
#[cfg(feature = "store")]
const MAX_WORKERS: usize = FleetStatus::MAX_WORKERS;

/// The score of a match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct MatchStandingsRequest {
    /// The number of the match.
    #[serde(rename = "match")]
    pub(crate) id: i64,
    /// Not given.
    #[serde(default, rename = "event")]
    _event: (),
}

/// The table of an event.
#[cfg(feature = "store")]
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct EventStandingsRequest {
    /// The number of the event.
    #[serde(rename = "event")]
    pub(crate) id: i64,
    /// Not given.
    #[serde(default, rename = "match")]
    _match: (),
}

/// The score of a match, or the table of an event.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum StandingsRequest {
    /// The score of a match.
    Match(MatchStandingsRequest),
    /// The table of an event.
    #[cfg(feature = "store")]
    Event(EventStandingsRequest),
}

impl FromBody for StandingsRequest {
    fn from_body(body: Body) -> Result<Self, Error> {
        let names = |name: &str| body.get(name).is_some_and(|value| !value.is_null());
        match (names("match"), names("event")) {
            (true, false) => Ok(StandingsRequest::Match(fields(body)?)),
            #[cfg(feature = "store")]
            (false, true) => Ok(StandingsRequest::Event(fields(body)?)),
            _ => Err(Error::new(ErrorCode::BadRequest, "standings are those of one `match` or of one `event`")),
        }
    }
}

/// The score of a match, or the table of an event.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum StandingsAnswer {
    /// The score of a match.
    Match(Box<MatchStandingsAnswer>),
    /// The table of an event.
    #[cfg(feature = "store")]
    Event(Box<EventStandingsAnswer>),
}

/// The score of a match.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MatchStandings")]
pub(crate) struct MatchStandingsAnswer {
    /// The match.
    #[serde(rename = "match")]
    pub(crate) of: MatchSummary,
    /// The score of its games.
    pub(crate) score: MatchScore<TestWithCurve>,
    /// What plays it on other machines at the moment; null where nothing does.
    #[cfg(feature = "store")]
    pub(crate) fleet: Option<MatchFleet>,
}

/// What plays a match on other machines.
#[cfg(feature = "store")]
#[derive(Serialize, JsonSchema)]
pub(crate) struct MatchFleet {
    /// Games that wait for a worker.
    waiting: u64,
    /// Games that workers play.
    running: u64,
    /// Games that are stored in an hour; null in the first seconds.
    hourly: Option<u64>,
    /// The workers, by name.
    #[schemars(length(max = MAX_WORKERS))]
    workers: Vec<MatchWorker>,
    /// Workers that are not listed.
    others: u64,
}

/// A worker on another machine.
#[cfg(feature = "store")]
#[derive(Serialize, JsonSchema)]
pub(crate) struct MatchWorker {
    /// Its name.
    name: String,
    /// Its machine: the name and the processor.
    machine: String,
    /// Pairs of games that it plays at the same time.
    threads: u64,
    /// Pairs of this match's command that it plays now.
    running: u64,
    /// Games that it has played, for all commands.
    games: u64,
    /// Nodes that the game's engine searches there in a second of processor time; null where that was not measured.
    speed: Option<f64>,
}

#[cfg(feature = "store")]
impl MatchFleet {
    /// What plays a match of this game.
    pub(crate) fn new(status: FleetStatus, game: &str) -> Self {
        let FleetStatus { waiting, running, hourly, workers, others } = status;
        let worker = |FleetWorker { name, machine, threads, running, games, speeds }| MatchWorker {
            speed: speeds.get(game).copied(),
            name,
            machine,
            threads,
            running,
            games,
        };
        let workers = workers.into_iter().take(MAX_WORKERS).map(worker).collect();
        MatchFleet { waiting, running, hourly, workers, others }
    }
}

/// The table of an event.
#[cfg(feature = "store")]
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventStandings")]
pub(crate) struct EventStandingsAnswer {
    /// The event.
    pub(crate) event: EventSummary,
    /// The players, the strongest first; those that no longer play come last.
    pub(crate) players: Vec<EventPlayer>,
    /// The results of each two players against each other.
    pub(crate) cells: Vec<EventCell>,
    /// The advantage of moving first, in Elo.
    pub(crate) advantage: Option<Rating>,
    /// The groups of players, as lists of their numbers, the strongest group first, if between them one group won every
    /// game or no games were played. Empty if there is one group.
    pub(crate) separate: Vec<Vec<i64>>,
}

/// A player of an event. The same text with another version is another player.
#[cfg(feature = "store")]
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventPlayer {
    /// Its number.
    pub(crate) id: i64,
    /// The player's name, or its text if it has none.
    pub(crate) name: String,
    /// The player, as text.
    pub(crate) player: String,
    /// Its version.
    pub(crate) version: String,
    /// Whether it plays.
    pub(crate) state: State,
    /// Its rank; null for those without games and those that no longer play.
    pub(crate) rank: Option<usize>,
    /// Its rating by Bradley-Terry with draws and the advantage of moving first, in Elo; the mean of all is 0. Null
    /// without games.
    pub(crate) elo: Option<Rating>,
    /// Games played.
    pub(crate) games: u64,
    /// Games won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// Points for each game, 0 to 1; null without games.
    pub(crate) score: Option<f64>,
    /// Games in which it failed; where both players failed, those in which it failed first.
    pub(crate) faults: u64,
}

/// All games between two players of an event.
#[cfg(feature = "store")]
#[derive(Serialize, JsonSchema)]
pub(crate) struct EventCell {
    /// The numbers of the players.
    pub(crate) players: [i64; 2],
    /// Games that the first of them won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games that the first of them lost.
    pub(crate) losses: u64,
    /// The numbers of their matches.
    pub(crate) matches: Vec<i64>,
}
