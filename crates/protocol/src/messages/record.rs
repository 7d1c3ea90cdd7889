//! `import` and `export`: whole games in formats that other programs read.

use banmen_catalog::{AnyRecord, SideName, Termination};
use banmen_game::Side;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The games of a text in a format of whole games.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// The name of the game, as `games` lists it.
    pub game: String,
    /// The name of the variant of its rules under which the games were played; the default one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The text, in any of the game's formats.
    pub text: String,
}

/// The games of a text, in its order; at least one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportAnswer {
    /// One entry for each game.
    pub games: Vec<ImportedGame>,
}

/// A game that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportedGame {
    /// The first position, in the canonical dialect.
    pub position: String,
    /// The moves, in the canonical dialect.
    pub moves: Vec<String>,
    /// The side of each move.
    pub sides: Vec<SideName>,
    /// The player of the first side; empty if the text does not name it.
    pub first: String,
    /// The player of the second side; empty if the text does not name it.
    pub second: String,
    /// When it was played, as the text says it; empty if it does not.
    pub date: String,
    /// How it ended, where the rules did not end it; null if they did, or if the text does not say it.
    pub termination: Option<Ending>,
}

impl From<&AnyRecord> for ImportedGame {
    fn from(AnyRecord { header, state }: &AnyRecord) -> Self {
        ImportedGame {
            position: state.origin(""),
            moves: state.move_texts(""),
            sides: state.move_sides().into_iter().map(SideName::from).collect(),
            first: header.first.clone(),
            second: header.second.clone(),
            date: header.date.clone(),
            termination: header.termination.as_ref().map(Ending::from),
        }
    }
}

/// The end of a game that its rules did not end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ending {
    /// The winner; null for a draw or an undecided game.
    pub winner: Option<SideName>,
    /// Why, in a word, as a record's `by`.
    pub by: String,
}

impl From<&Termination> for Ending {
    fn from(termination: &Termination) -> Self {
        Ending { winner: termination.winner.map(SideName::from), by: termination.by.clone() }
    }
}

/// The end of a game that is to be written, where the rules did not end it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndingRequest {
    /// The winner; a draw if left out.
    #[serde(default)]
    pub winner: Option<SideName>,
    /// Why, in a word, as a record's `by`.
    pub by: String,
}

impl From<EndingRequest> for Termination {
    fn from(ending: EndingRequest) -> Self {
        Termination { winner: ending.winner.map(Side::from), by: ending.by }
    }
}

/// A game as text in a format of whole games.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// The format, as `games` lists it.
    pub format: String,
    /// The player of the first side.
    #[serde(default)]
    pub first: String,
    /// The player of the second side.
    #[serde(default)]
    pub second: String,
    /// When the game was played.
    #[serde(default)]
    pub date: String,
    /// How it ended, where the rules did not end it.
    #[serde(default)]
    pub termination: Option<EndingRequest>,
}

/// A game as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// The text: a file of several games is the concatenation of their texts.
    pub text: String,
}
