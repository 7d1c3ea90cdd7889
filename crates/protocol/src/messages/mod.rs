//! The requests for the operations on positions and players, and their answers.
//!
//! The fields of these types are those of the JSON, and the JSON Schema is generated from them: the comments are its
//! descriptions, the ranges in the attributes its ranges. What a request holds beside `id` and `op` is read by
//! [`FromBody`]. Answers of the catalog's own types ([`Info`](banmen_catalog::Info),
//! [`PlayerInfo`](banmen_catalog::PlayerInfo), [`Board`](banmen_catalog::Board)) contain them as they are.

mod build;
mod limits;
mod listing;
mod position;
mod record;
mod solve;
mod stop;
mod think;
mod tree;
mod windows;

pub use build::{BuildAnswer, BuildRequest};
pub use limits::{ClockRequest, LimitsRequest, Milliseconds};
pub use listing::{GamesAnswer, GamesRequest, PlayersAnswer, PlayersRequest};
pub use position::{
    LegalAnswer, LegalRequest, Outcome, Passes, PerftAnswer, PerftRequest, Place, PositionRequest, ShowAnswer,
    ShowRequest,
};
pub use record::{Ending, EndingRequest, ExportAnswer, ExportRequest, ImportAnswer, ImportRequest, ImportedGame};
pub use solve::{Building, Solution, SolveInfo, SolveRequest, SolvedMove};
pub use stop::{Id, StopAnswer, StopRequest};
pub use think::{Eval, Line, Report, ThinkRequest};
pub use tree::{
    AmafStats, Formula, FormulaName, LastSimulation, NodeScore, NodeSelection, OpponentName, SearchTree, TreeNode,
    TreeRequest, UnvisitedName,
};
pub use windows::{Visit, VisitEnd, Windows, WindowsRequest};

use std::borrow::Cow;
use std::time::Duration;

use banmen_catalog::Error;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Body, fields};

/// The largest number of lines of a search.
pub(crate) const MAX_LINES: usize = 64;

/// The largest number of threads that a search may be asked to use; a player uses as many of them as it can.
pub const MAX_THREADS: usize = 256;

/// The largest table that a solver may be asked to use, in mebibytes.
pub const MAX_TABLE_MIB: u64 = 1 << 20;

/// The largest depth of a count; a count may go this deep before it checks the stop flag.
pub(crate) const MAX_DEPTH: u32 = 100;

/// A request that is read from its fields beside `id` and `op`.
pub trait FromBody: Sized {
    /// Reads the fields.
    ///
    /// # Errors
    /// `bad_request` for fields that are missing, unknown or of another type, with the place and the reason.
    fn from_body(body: Body) -> Result<Self, Error>;
}

impl<T: DeserializeOwned> FromBody for T {
    fn from_body(body: Body) -> Result<Self, Error> {
        fields(body)
    }
}

/// The reports of an operation that makes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum NoInfo {}

impl JsonSchema for NoInfo {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NoInfo".into()
    }

    /// No value is valid.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        false.into()
    }
}

/// A time in whole milliseconds, as requests and answers write it.
#[must_use]
pub fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Rounds to `1 / steps`: further digits carry no information.
fn round(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}
