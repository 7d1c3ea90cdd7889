//! The limits of a search.

use std::borrow::Cow;
use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::{Limits, TimeControl};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::whole_ms;

/// The limits of a search; the first one that is reached ends it. The limits of the interface hold beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub struct LimitsRequest {
    /// Milliseconds for the whole turn.
    pub time_ms: Option<Milliseconds>,
    /// Positions visited.
    #[schemars(range(min = 1))]
    pub nodes: Option<u64>,
    /// Playouts made; positions visited, by players that make none.
    #[schemars(range(min = 1))]
    pub playouts: Option<u64>,
    /// Search depth in plies.
    #[schemars(range(min = 1))]
    pub depth: Option<u32>,
    /// The mover's game clock. The player decides how much of it to use for this turn.
    pub clock: Option<ClockRequest>,
    /// Milliseconds that earlier decisions of the same turn took.
    pub turn_used_ms: Milliseconds,
}

/// A game clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Clock")]
pub struct ClockRequest {
    /// Milliseconds left.
    pub main_ms: Milliseconds,
    /// Milliseconds added after each turn.
    pub increment_ms: Milliseconds,
    /// The most that the clock can hold, in milliseconds; unbounded if left out.
    pub cap_ms: Option<Milliseconds>,
    /// Milliseconds for each turn once the main time is used up.
    pub byoyomi_ms: Milliseconds,
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
        let time = |Milliseconds(time)| time;
        Ok(Limits {
            time: request.time_ms.map(time),
            clock: request.clock.map(|clock| TimeControl {
                main: time(clock.main_ms),
                increment: time(clock.increment_ms),
                cap: clock.cap_ms.map(time),
                byoyomi: time(clock.byoyomi_ms),
            }),
            nodes: request.nodes,
            playouts: request.playouts,
            depth: request.depth,
            turn_used: time(request.turn_used_ms),
        })
    }
}

impl From<Limits> for LimitsRequest {
    /// The same limits, times rounded down to whole milliseconds: all that a program may be able to read.
    fn from(limits: Limits) -> Self {
        LimitsRequest {
            time_ms: limits.time.map(Milliseconds::whole),
            nodes: limits.nodes,
            playouts: limits.playouts,
            depth: limits.depth,
            clock: limits.clock.map(ClockRequest::from),
            turn_used_ms: Milliseconds::whole(limits.turn_used),
        }
    }
}

impl From<TimeControl> for ClockRequest {
    /// The same clock, times rounded down to whole milliseconds.
    fn from(clock: TimeControl) -> Self {
        ClockRequest {
            main_ms: Milliseconds::whole(clock.main),
            increment_ms: Milliseconds::whole(clock.increment),
            cap_ms: clock.cap.map(Milliseconds::whole),
            byoyomi_ms: Milliseconds::whole(clock.byoyomi),
        }
    }
}

/// A time in milliseconds, with a fraction where it has one. In JSON a number from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Milliseconds(pub Duration);

impl Milliseconds {
    /// The time rounded down to whole milliseconds.
    fn whole(time: Duration) -> Self {
        Milliseconds(Duration::from_millis(whole_ms(time)))
    }
}

impl Serialize for Milliseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0.as_millis()) {
            Ok(ms) if self.0.subsec_nanos().is_multiple_of(1_000_000) => serializer.serialize_u64(ms),
            _ => serializer.serialize_f64(self.0.as_secs_f64() * 1e3),
        }
    }
}

impl<'de> Deserialize<'de> for Milliseconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ms = f64::deserialize(deserializer)?;
        if !(0.0..=u64::MAX as f64).contains(&ms) {
            return Err(de::Error::invalid_value(Unexpected::Float(ms), &"a number of milliseconds from 0 to 2^64"));
        }
        let fraction = Duration::from_nanos((ms.fract() * 1e6 + 0.5) as u64);
        Ok(Milliseconds(Duration::from_millis(ms as u64) + fraction))
    }
}

impl JsonSchema for Milliseconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Milliseconds".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = f64::json_schema(generator);
        schema.insert("minimum".to_owned(), 0.into());
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_fraction_and_written_as_they_are_read() {
        for (text, nanoseconds, again) in [
            ("100", 100_000_000, "100"),
            ("100.0", 100_000_000, "100"),
            ("0.25", 250_000, "0.25"),
            ("0", 0, "0"),
            ("1e3", 1_000_000_000, "1000"),
        ] {
            let time: Milliseconds = serde_json::from_str(text).expect(text);
            assert_eq!(time, Milliseconds(Duration::from_nanos(nanoseconds)), "{text}");
            assert_eq!(serde_json::to_string(&time).expect("JSON"), again);
        }
        for text in ["-1", "-0.5", "1e300", "null", "\"1\"", "[]"] {
            assert!(serde_json::from_str::<Milliseconds>(text).is_err(), "{text}");
        }
    }
}
