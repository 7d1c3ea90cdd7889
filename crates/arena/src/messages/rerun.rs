//! `rerun`.

use banmen_protocol::messages::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The search for a move of a stored game, made again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RerunRequest {
    /// The number of the match.
    #[serde(rename = "match")]
    pub(crate) of: i64,
    /// The number of the pair, from 0.
    pub(crate) pair: u32,
    /// The number of the game in its pair.
    #[schemars(range(max = 1))]
    pub(crate) game: u8,
    /// The moves before the one that is searched for, those of the opening included.
    pub(crate) ply: u32,
}

/// The search for a move of a stored game, made again with the player, limits and seed of then.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RerunAnswer {
    /// The player.
    pub(crate) player: String,
    /// Its version when the game was played, and its version now: another one may choose another move.
    pub(crate) versions: [String; 2],
    /// Whether its moves depend on the machine, because its limit is a time, or its search has several threads.
    pub(crate) timed: bool,
    /// The move that was played then.
    pub(crate) played: String,
    /// The move that was chosen now.
    pub(crate) chosen: String,
    /// Whether both are the same.
    pub(crate) same: bool,
    /// What the search found.
    pub(crate) report: Report,
}
