//! The fields of a position, and `show`, `legal` and `perft`.

use std::borrow::Cow;

use banmen_catalog::{AnyGame, AnyState, Board, Catalog, Error, ErrorCode, MAX_LISTED_MOVES, SideName};
use banmen_game::PassCost;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::{FromBody, MAX_DEPTH};
use crate::schema::add_properties;
use crate::{Body, fields};

/// A position: a first position and the moves played from it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The name of the game, as `games` lists it.
    pub game: String,
    /// The name of a variant of its rules; the default one if left out.
    #[serde(default)]
    pub rules: Option<String>,
    /// The first position, in any dialect of the game; the start if left out or `start`.
    #[serde(default)]
    pub position: Option<String>,
    /// The moves played from there, in any dialect of the game; a text may hold several.
    #[serde(default)]
    #[schemars(with = "Option<Vec<String>>")]
    pub moves: Vec<String>,
}

impl Place {
    /// The game, and the game state of the position.
    pub(crate) fn open<'c>(&self, catalog: &'c Catalog) -> Result<(&'c dyn AnyGame, Box<dyn AnyState>), Error> {
        let game = catalog.game(&self.game)?;
        let mut state = game.state(self.rules.as_deref(), self.position.as_deref())?;
        state.play_texts(&self.moves.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok((game.as_ref(), state))
    }
}

/// A request about a position. In JSON its fields are on one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PositionRequest<T> {
    /// The position.
    pub place: Place,
    /// The operation's own fields.
    pub own: T,
}

impl<T: FromBody> FromBody for PositionRequest<T> {
    fn from_body(mut body: Body) -> Result<Self, Error> {
        let place: Body = ["game", "rules", "position", "moves"]
            .into_iter()
            .filter_map(|name| body.remove_entry(name))
            .filter(|(_, value)| !value.is_null())
            .collect();
        if place.get("game").is_none_or(|game| game == "") {
            return Err(Error::new(ErrorCode::BadRequest, "the request names no `game`"));
        }
        Ok(PositionRequest { place: fields(place)?, own: T::from_body(body).map_err(with_fields_of_place)? })
    }
}

/// An error of the operation's own fields, which names those of the position too where it lists what a request may have.
fn with_fields_of_place(error: Error) -> Error {
    match error.message.split_once(": unknown field") {
        Some((path, _)) if !path.contains('.') => {
            Error { message: format!("{}, beside `game`, `rules`, `position` and `moves`", error.message), ..error }
        }
        _ => error,
    }
}

impl<T: JsonSchema> JsonSchema for PositionRequest<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        add_properties(&mut schema, Place::json_schema(generator));
        schema
    }
}

/// A position: side, outcome, legal moves, board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShowRequest {
    /// The dialect to write in; the game's canonical one if left out.
    pub dialect: Option<String>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Outcome {
    /// The winner; null is a draw.
    pub winner: Option<SideName>,
    /// By how much the winner won; null where the game has no margins.
    pub margin: Option<u32>,
    /// What ended the game, in a word of the game's own.
    pub by: &'static str,
}

impl From<&banmen_game::Outcome> for Outcome {
    fn from(outcome: &banmen_game::Outcome) -> Self {
        Outcome { winner: outcome.winner.map(SideName::from), margin: outcome.margin, by: outcome.by }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShowAnswer {
    /// The position as text.
    pub position: String,
    /// The side to move.
    pub side: SideName,
    /// How the game ended; null while it continues.
    pub outcome: Option<Outcome>,
    /// The number of legal moves.
    pub legal_count: usize,
    /// The legal moves; null when they are more than 4096.
    #[schemars(length(max = MAX_LISTED_MOVES))]
    pub legal: Option<Vec<String>>,
    /// The moves played, including forced ones that the request left out.
    pub moves: Vec<String>,
    /// The board to be drawn.
    pub board: Board,
}

/// Legal moves by prefix, and what may follow it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LegalRequest {
    /// Only moves whose text begins with this.
    pub prefix: String,
    /// The most moves and the most parts to list.
    #[schemars(range(max = MAX_LISTED_MOVES))]
    pub limit: usize,
}

impl Default for LegalRequest {
    fn default() -> Self {
        LegalRequest { prefix: String::new(), limit: MAX_LISTED_MOVES }
    }
}

/// Legal moves that begin with the prefix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LegalAnswer {
    /// How many there are, listed or not.
    pub count: usize,
    /// The moves, up to the limit.
    #[schemars(length(max = MAX_LISTED_MOVES))]
    pub moves: Vec<String>,
    /// What may come next: the text after the prefix up to a space or a comma at which moves differ.
    #[schemars(length(max = MAX_LISTED_MOVES))]
    pub next: Vec<String>,
}

/// The number of move sequences of a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerftRequest {
    /// The length in plies.
    #[schemars(range(max = MAX_DEPTH))]
    pub depth: u32,
    /// Whether a pass that is the only move costs a ply.
    #[serde(default)]
    pub passes: Passes,
}

/// Whether a pass that is the only move costs a ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Passes {
    /// It costs a ply.
    #[default]
    Cost,
    /// It costs none.
    Free,
}

impl From<Passes> for PassCost {
    fn from(passes: Passes) -> Self {
        match passes {
            Passes::Cost => PassCost::Ply,
            Passes::Free => PassCost::Free,
        }
    }
}

/// A count of move sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PerftAnswer {
    /// Move sequences. Whether games that ended earlier count is the game's convention.
    pub count: u64,
    /// Time taken in milliseconds.
    pub ms: u64,
}
