//! Requests as JSON.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Catalog, Error, ErrorCode};
use banmen_search::{Limits, TimeControl};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A request, split into operation and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The name of the operation.
    pub op: String,
    /// All other fields.
    pub body: Map<String, Value>,
}

impl Request {
    /// Parses a request. Its `id` is returned separately, `null` where there is none.
    ///
    /// # Errors
    /// `bad_json` with the place, or `bad_request` when it is no object with an `op`.
    pub fn parse(text: &str) -> (Value, Result<Self, Error>) {
        let mut body = match object(text) {
            Ok(body) => body,
            Err(error) => return (Value::Null, Err(error)),
        };
        let id = body.remove("id").unwrap_or(Value::Null);
        if !is_id(&id) {
            return (Value::Null, Err(Error::new(ErrorCode::BadRequest, "`id` is a number or a string")));
        }
        let request = match body.remove("op") {
            Some(Value::String(op)) => Ok(Request { op, body }),
            Some(_) => Err(Error::new(ErrorCode::BadRequest, "`op` is a string")),
            None => Err(Error::new(ErrorCode::BadRequest, "a request names its operation in `op`")),
        };
        (id, request)
    }

    /// Parses the body of a request for `op`; an empty text is an empty body.
    ///
    /// # Errors
    /// `bad_json` with the place, or `bad_request` when it is no object.
    pub fn body(op: &str, text: &str) -> Result<Self, Error> {
        let body = if text.trim().is_empty() { Map::new() } else { object(text)? };
        Ok(Request { op: op.to_owned(), body })
    }
}

fn object(text: &str) -> Result<Map<String, Value>, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Error::new(ErrorCode::BadRequest, "a request is a JSON object")),
        Err(error) => Err(broken(text, &error)),
    }
}

/// The error of a text that is no JSON, with the place and the reason.
fn broken(text: &str, error: &serde_json::Error) -> Error {
    let message = error.to_string();
    let cause = message.split(" at line ").next().unwrap_or_default();
    let (line, column) = (error.line().saturating_sub(1), error.column().saturating_sub(1));
    let lines_before: usize = text.split_inclusive('\n').take(line).map(|line| line.chars().count()).sum();
    let own = text.split_inclusive('\n').nth(line).and_then(|line| line.get(..column));
    let at = lines_before + own.map_or(column, |part| part.chars().count());
    Error::new(ErrorCode::BadJson, format!("line {}, column {}: {cause}", line + 1, column + 1)).at(at)
}

/// Deserialises the fields of an operation.
///
/// # Errors
/// `bad_request` for fields that are missing, unknown or of another type, with the place and the reason.
pub fn fields<T: DeserializeOwned>(body: Map<String, Value>) -> Result<T, Error> {
    serde_path_to_error::deserialize(Value::Object(body)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        match path.as_str() {
            "." => Error::new(ErrorCode::BadRequest, shown(&message)),
            _ => Error::new(ErrorCode::BadRequest, format!("`{}`: {}", shown(&path), shown(&message)))
                .arg("field", shown(&path)),
        }
    })
}

/// A message that may quote outside text, made safe to print: of bounded length, without control characters.
fn shown(sentence: &str) -> String {
    const LONGEST: usize = 300;
    sentence.chars().take(LONGEST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Whether a value may be an id.
pub(crate) fn is_id(value: &Value) -> bool {
    value.is_null() || value.is_number() || value.is_string()
}

/// The fields of a position in a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) game: String,
    pub(crate) rules: Option<String>,
    pub(crate) position: Option<String>,
    pub(crate) moves: Vec<String>,
}

impl Place {
    /// The game, and the game state of the position.
    pub(crate) fn open<'c>(&self, catalog: &'c Catalog) -> Result<(&'c dyn AnyGame, Box<dyn AnyState>), Error> {
        if self.game.is_empty() {
            return Err(Error::new(ErrorCode::BadRequest, "the request names no `game`"));
        }
        let game = catalog.game(&self.game)?;
        let mut state = game.state(self.rules.as_deref(), self.position.as_deref())?;
        state.play_texts(&self.moves.iter().map(String::as_str).collect::<Vec<_>>())?;
        Ok((game.as_ref(), state))
    }

    /// Removes these fields from a body, so that only the operation's own fields remain.
    pub(crate) fn take(body: &mut Map<String, Value>) -> Result<Self, Error> {
        let own: Map<String, Value> = ["game", "rules", "position", "moves"]
            .into_iter()
            .filter_map(|name| body.remove_entry(name))
            .filter(|(_, value)| !value.is_null())
            .collect();
        fields(own)
    }
}

/// The limits in a request: milliseconds, counts, plies.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsRequest {
    time_ms: Option<u64>,
    nodes: Option<u64>,
    playouts: Option<u64>,
    depth: Option<u32>,
    clock: Option<ClockRequest>,
    turn_used_ms: u64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ClockRequest {
    main_ms: u64,
    increment_ms: u64,
    cap_ms: Option<u64>,
    byoyomi_ms: u64,
}

impl TryFrom<LimitsRequest> for Limits {
    type Error = Error;

    /// `out_of_range` for a limit of 0.
    fn try_from(request: LimitsRequest) -> Result<Limits, Error> {
        let counts =
            [("nodes", request.nodes), ("playouts", request.playouts), ("depth", request.depth.map(u64::from))];
        if let Some((name, _)) = counts.into_iter().find(|(_, count)| *count == Some(0)) {
            return Err(
                Error::new(ErrorCode::OutOfRange, format!("{name}=0 allows nothing: it begins at 1")).arg("key", name)
            );
        }
        let ms = Duration::from_millis;
        Ok(Limits {
            time: request.time_ms.map(ms),
            clock: request.clock.map(|clock| TimeControl {
                main: ms(clock.main_ms),
                increment: ms(clock.increment_ms),
                cap: clock.cap_ms.map(ms),
                byoyomi: ms(clock.byoyomi_ms),
            }),
            nodes: request.nodes,
            playouts: request.playouts,
            depth: request.depth,
            turn_used: ms(request.turn_used_ms),
        })
    }
}
