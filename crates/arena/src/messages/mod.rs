//! The requests for the operations on the store, and their answers.
//!
//! As in `banmen_protocol::messages`, the fields of these types are those of the JSON, and their comments and attributes
//! are the JSON Schema's.

mod experiments;
mod matches;
mod record;
mod rerun;
mod score;
mod standings;

pub(crate) use experiments::{
    ExperimentAnswer, ExperimentPicture, ExperimentPoint, ExperimentRequest, ExperimentRun, ExperimentSeries,
    ExperimentSummary, ExperimentsAnswer, ExperimentsRequest, InterruptAnswer, InterruptRequest, MIN_SCALE,
    ReportAnswer, ReportRequest, ReproduceRequest,
};
#[cfg(feature = "store")]
pub(crate) use matches::{Conditions, EventSummary, MatchSummary, MatchesAnswer, MatchesRequest};
#[cfg(not(feature = "store"))]
pub(crate) use matches::{Conditions, MatchSummary};
pub(crate) use record::{
    GameListAnswer, GameListRequest, GameRequest, GameResult, OneGame, OneGameAnswer, RecordAnswer, RecordRequest,
};
pub(crate) use rerun::{RerunAnswer, RerunRequest};
pub(crate) use score::{MatchScore, TestScale, TestScore, TestWinner, TestWithCurve};
#[cfg(feature = "store")]
pub(crate) use standings::{EventCell, EventPlayer, EventStandingsAnswer, MatchFleet};
pub(crate) use standings::{MatchStandingsAnswer, StandingsAnswer, StandingsRequest};

/// The largest number of matches, or games, in an answer.
pub(crate) const MAX_PAGE: u32 = 500;

/// The number of matches, or games, in an answer by default.
const DEFAULT_PAGE: u32 = 50;

/// The largest number of events in an answer: the newest ones.
pub(crate) const MAX_EVENTS: u32 = 100;
