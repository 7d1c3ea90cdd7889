//! `stop`, and the ids of requests.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The id of a request: a number, a string or null, chosen by the client. `1` and `"1"` differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Id(Value);

impl Id {
    /// The id as JSON.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// Whether the value may be an id.
    pub(crate) fn fits(value: &Value) -> bool {
        value.is_null() || value.is_number() || value.is_string()
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        if Id::fits(&value) { Ok(Id(value)) } else { Err(D::Error::custom("an id is a number or a string")) }
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "number", "null"],
            "description": "Chosen by the client. 1 and \"1\" differ."
        })
    }
}

/// Makes a search of the same connection answer with its best result so far.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopRequest {
    /// The id of the search.
    pub target: Id,
}

/// Whether there was a search to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StopAnswer {
    /// Whether the search was still running.
    pub stopped: bool,
}
