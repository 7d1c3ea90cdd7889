//! The limits of a search.

use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::{Limits, TimeControl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whole_ms;

/// The limits of a search; the first one that is reached ends it. The limits of the interface hold beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub struct LimitsRequest {
    /// Milliseconds for the whole turn.
    pub time_ms: Option<u64>,
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
    pub turn_used_ms: u64,
}

/// A game clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Clock")]
pub struct ClockRequest {
    /// Milliseconds left.
    pub main_ms: u64,
    /// Milliseconds added after each turn.
    pub increment_ms: u64,
    /// The most that the clock can hold, in milliseconds; unbounded if left out.
    pub cap_ms: Option<u64>,
    /// Milliseconds for each turn once the main time is used up.
    pub byoyomi_ms: u64,
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

impl From<Limits> for LimitsRequest {
    /// The same limits, in whole milliseconds.
    fn from(limits: Limits) -> Self {
        LimitsRequest {
            time_ms: limits.time.map(whole_ms),
            nodes: limits.nodes,
            playouts: limits.playouts,
            depth: limits.depth,
            clock: limits.clock.map(|clock| ClockRequest {
                main_ms: whole_ms(clock.main),
                increment_ms: whole_ms(clock.increment),
                cap_ms: clock.cap.map(whole_ms),
                byoyomi_ms: whole_ms(clock.byoyomi),
            }),
            turn_used_ms: whole_ms(limits.turn_used),
        }
    }
}
