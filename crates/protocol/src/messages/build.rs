//! `build`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Builds the table that solves a game, if it is missing.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildRequest {
    /// The name of the game, as `games` lists it.
    pub game: String,
    /// The name of a variant of its rules; the default one if left out.
    #[serde(default)]
    pub rules: Option<String>,
}

/// A table that is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BuildAnswer {
    /// The name of the table.
    pub table: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
}
