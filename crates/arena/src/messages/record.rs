//! `record`.

use banmen_catalog::{Error, LostTurn, SideName};
use banmen_protocol::messages::FromBody;
use banmen_protocol::{Body, fields};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DEFAULT_PAGE, MAX_PAGE, MatchSummary};
use crate::{GameRecord, GameSource, Outcome, Usage};

/// The games of a match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct GameListRequest {
    /// The number of the match.
    #[serde(rename = "match")]
    pub(crate) of: i64,
    /// Not given.
    #[serde(default, rename = "pair")]
    _pair: (),
    /// Not given.
    #[serde(default, rename = "game")]
    _game: (),
    /// Only games with this result for the first player of the match, or with a fault of either player.
    #[serde(default)]
    pub(crate) result: Option<Outcome>,
    /// The largest number of games to list.
    #[serde(default = "default_page")]
    #[schemars(range(max = MAX_PAGE))]
    pub(crate) limit: u32,
    /// The number of games to skip.
    #[serde(default)]
    pub(crate) offset: u64,
}

fn default_page() -> u32 {
    DEFAULT_PAGE
}

/// One game of a match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct GameRequest {
    /// The number of the match.
    #[serde(rename = "match")]
    pub(crate) of: i64,
    /// The number of the pair, from 0.
    pub(crate) pair: u32,
    /// The number of the game in its pair.
    #[schemars(range(max = 1))]
    pub(crate) game: u8,
}

/// The games of a match, or one of them with its moves.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum RecordRequest {
    /// The games of a match.
    Games(GameListRequest),
    /// One game of a match.
    Game(GameRequest),
}

impl FromBody for RecordRequest {
    fn from_body(mut body: Body) -> Result<Self, Error> {
        body.retain(|name, value| !(["pair", "game"].contains(&name.as_str()) && value.is_null()));
        if body.contains_key("pair") || body.contains_key("game") {
            Ok(RecordRequest::Game(fields(body)?))
        } else {
            Ok(RecordRequest::Games(fields(body)?))
        }
    }
}

/// The games of a match, or one of them.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum RecordAnswer {
    /// The games of a match.
    Games(Box<GameListAnswer>),
    /// One game of a match.
    Game(Box<OneGameAnswer>),
}

/// Games of a match.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GameList")]
pub(crate) struct GameListAnswer {
    /// The match.
    #[serde(rename = "match")]
    pub(crate) of: MatchSummary,
    /// The games asked for, in order.
    #[schemars(length(max = MAX_PAGE))]
    pub(crate) games: Vec<GameResult>,
    /// How many were asked for, listed or not.
    pub(crate) total: u64,
}

/// A game of a match.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GameOfMatch")]
pub(crate) struct OneGameAnswer {
    /// The match.
    #[serde(rename = "match")]
    pub(crate) of: MatchSummary,
    /// The game.
    pub(crate) game: OneGame,
}

/// How a game of a match ended.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GameResult {
    /// The number of the pair, from 0.
    pair: usize,
    /// 0: the first player of the match moved first; 1: second.
    #[schemars(range(max = 1))]
    game: usize,
    /// The score of the first player of the match.
    #[schemars(extend("enum" = [0, 0.5, 1]))]
    score: f64,
    /// The margin of the first player of the match; null where the game has no margins.
    margin: Option<i32>,
    /// What ended the game.
    by: String,
    /// The player of the match that failed, or failed first; null where no player failed.
    #[schemars(range(max = 1))]
    fault: Option<usize>,
    /// The fault of that player, which ended the game or cost a turn.
    failed_by: Option<String>,
    /// The number of moves, including those of the opening.
    plies: usize,
    /// How many of the moves belong to the opening.
    opening: usize,
}

impl From<&GameRecord> for GameResult {
    fn from(record: &GameRecord) -> Self {
        GameResult {
            pair: record.pair,
            game: record.game,
            score: record.score,
            margin: record.margin,
            by: record.by.clone(),
            fault: record.fault,
            failed_by: record.failed_by().map(str::to_owned),
            plies: record.moves.len(),
            opening: record.opening,
        }
    }
}

/// A game with its moves.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OneGame {
    #[serde(flatten)]
    result: GameResult,
    /// The turns that were lost by faults, in games where a fault costs only the turn.
    lost_turns: Vec<LostTurn>,
    /// The position before the opening; null for the start.
    position: Option<String>,
    /// The moves, those of the opening first.
    moves: Vec<String>,
    /// The side that made each move; null where this program does not know the game.
    sides: Option<Vec<SideName>>,
    /// The time of each decision after the opening, in milliseconds: of each move, and of a last decision that was a fault.
    times_ms: Vec<f64>,
    /// What each player of the match used.
    spent: [Usage; 2],
    /// Where and when an imported game was played; null for others.
    source: Option<GameSource>,
}

impl OneGame {
    /// The game, with the side that made each move.
    pub(crate) fn new(record: GameRecord, sides: Option<Vec<SideName>>) -> Self {
        OneGame {
            result: GameResult::from(&record),
            lost_turns: record.lost_turns,
            position: record.position,
            moves: record.moves,
            sides,
            times_ms: record.times.iter().map(|time| time.as_micros() as f64 / 1e3).collect(),
            spent: record.spent,
            source: record.source,
        }
    }
}
