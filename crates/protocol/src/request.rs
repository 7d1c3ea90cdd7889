//! Requests as JSON.

use banmen_catalog::{Error, ErrorCode};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::messages::Id;

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
    /// `bad_json` with the place, or `bad_request` when it is not an object with an `op`.
    pub fn parse(text: &str) -> (Value, Result<Self, Error>) {
        let mut body = match object(text) {
            Ok(body) => body,
            Err(error) => return (Value::Null, Err(error)),
        };
        let id = body.remove("id").unwrap_or(Value::Null);
        if !Id::fits(&id) {
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
    /// `bad_json` with the place, or `bad_request` when it is not an object.
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

/// The error of a text that is not JSON, with the place and the reason.
fn broken(text: &str, error: &serde_json::Error) -> Error {
    let message = error.to_string();
    let cause = match message.split(" at line ").next().unwrap_or_default() {
        "expected ident" => "expected true, false or null",
        cause => cause,
    };
    // The column counts bytes, and may lie inside a character.
    let (line, byte) = (error.line().saturating_sub(1), error.column().saturating_sub(1));
    let mut lines = text.split_inclusive('\n');
    let lines_before: usize = lines.by_ref().take(line).map(|line| line.chars().count()).sum();
    let own = lines.next().unwrap_or_default();
    let column = own.char_indices().take_while(|&(start, c)| start + c.len_utf8() <= byte).count();
    let at = lines_before + column;
    Error::new(ErrorCode::BadJson, format!("line {}, column {}: this is not JSON: {cause}", line + 1, column + 1))
        .at(at)
}

/// Deserialises the fields of an operation.
///
/// # Errors
/// `bad_request` for fields that are missing, unknown or of another type, with the place and the reason.
pub fn fields<T: DeserializeOwned>(body: Map<String, Value>) -> Result<T, Error> {
    serde_path_to_error::deserialize(Value::Object(body)).map_err(|error| {
        let path = error.path().to_string();
        let message = in_json_words(&error.into_inner().to_string());
        match path.as_str() {
            "." => Error::new(ErrorCode::BadRequest, shown(&message)),
            _ => Error::new(ErrorCode::BadRequest, format!("`{}`: {}", shown(&path), shown(&message)))
                .arg("field", shown(&path)),
        }
    })
}

/// A message of serde, which names the types of Rust, with the types of JSON.
fn in_json_words(message: &str) -> String {
    let Some((found, expected)) = message.split_once(", expected ") else { return message.to_owned() };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0",
        "i64" => "a whole number",
        "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        other => other,
    };
    let found = match found {
        "invalid type: map" => "invalid type: object",
        "invalid type: sequence" => "invalid type: list",
        other => other,
    };
    [found, ", expected ", expected].concat()
}

/// A message that may quote outside text, made safe to print: of bounded length, without control characters.
fn shown(sentence: &str) -> String {
    const MAX_CHARACTERS: usize = 300;
    sentence.chars().take(MAX_CHARACTERS).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_character() {
        for (text, at, message) in [
            ("{", 0, "line 1, column 1: this is not JSON: EOF while parsing an object"),
            ("foo", 1, "line 1, column 2: this is not JSON: expected true, false or null"),
            ("{\"op\": 盤}", 7, "line 1, column 8: this is not JSON: expected value"),
            ("{\"盤面\":\n\"棋譜\" 1}", 12, "line 2, column 6: this is not JSON: expected `,` or `}`"),
            // The text ends in a string, whose last character has two bytes.
            ("\n\"é", 2, "line 2, column 2: this is not JSON: EOF while parsing a string"),
        ] {
            let error = Request::body("show", text).expect_err(text);
            assert_eq!(
                (error.code, error.at, error.message.as_str()),
                (ErrorCode::BadJson, Some(at), message),
                "{text}"
            );
        }
    }
}
