//! `games` and `players`.

use banmen_catalog::{Info, PlayerInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The games, with their rules, dialects and sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GamesRequest {}

/// The games, in the order in which they are shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GamesAnswer {
    /// One entry for each game.
    pub games: Vec<Info>,
    /// Whether `build` builds tables here.
    pub builds_tables: bool,
}

/// The players of a game, with all their keys.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayersRequest {
    /// The name of the game, as `games` lists it.
    pub game: String,
}

/// The players of a game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayersAnswer {
    /// One entry for each player.
    pub players: Vec<PlayerInfo>,
}
