//! `experiments`, `experiment`, `reproduce`, `interrupt` and `report`.

use banmen_catalog::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::{CellState, Experiment, Kind, Row, Source};
use crate::stored::ExperimentPlan;

/// The smallest share of an experiment that can be run.
pub(crate) const MIN_SCALE: f64 = 0.0001;

/// The seed of experiments that are not given one.
const SEED: u64 = 1;

/// The built-in experiments on published claims.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ExperimentsRequest {
    /// Only those on this game.
    pub(crate) game: Option<String>,
}

/// Experiments, grouped by their games.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentsAnswer {
    /// The experiments.
    pub(crate) experiments: Vec<ExperimentSummary>,
    /// Whether `reproduce` runs them.
    pub(crate) allowed: bool,
}

/// An experiment in a list.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentSummary {
    /// Its name.
    pub(crate) id: String,
    /// The name of the game.
    pub(crate) game: String,
    /// Its title, in a line.
    pub(crate) title: String,
    /// The question.
    pub(crate) question: String,
    /// Whether it plays matches or takes samples of a measurement.
    pub(crate) kind: Kind,
    /// The source and its claim.
    pub(crate) source: Source,
    /// Processor time of the whole experiment on one core, in minutes.
    pub(crate) minutes: f64,
    /// Games or samples of the whole experiment.
    pub(crate) size: u64,
    /// The share of the whole experiment at which verdicts are given; null before it is planned.
    pub(crate) planned: Option<f64>,
    /// Games or samples that are stored.
    pub(crate) stored: u64,
    /// Whether it is being run now, by any process.
    pub(crate) running: bool,
}

/// The results of an experiment so far.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExperimentRequest {
    /// Its name.
    pub(crate) experiment: String,
    /// Seed of everything random.
    #[serde(default = "seed")]
    pub(crate) seed: u64,
}

fn seed() -> u64 {
    SEED
}

/// The results of an experiment so far: those of this build of the program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentAnswer {
    /// The experiment.
    pub(crate) experiment: Experiment,
    /// The seed.
    pub(crate) seed: u64,
    /// The version of this program.
    pub(crate) version: &'static str,
    /// Games or samples of the whole experiment.
    pub(crate) size: u64,
    /// The plan; null before the first run.
    pub(crate) plan: Option<ExperimentPlan>,
    /// Games or samples of the planned size; of the whole experiment where it is not planned yet.
    pub(crate) planned: u64,
    /// Games or samples that are stored.
    pub(crate) stored: u64,
    /// Whether the planned size is not reached: then there are no verdicts, except of values that are the same in every
    /// sample.
    pub(crate) preliminary: bool,
    /// The cells.
    pub(crate) cells: Vec<CellState>,
    /// The table.
    pub(crate) rows: Vec<Row>,
    /// The pictures of the table, one for each quantity that is compared.
    pub(crate) pictures: Vec<ExperimentPicture>,
    /// Whether it is being run now, by any process.
    pub(crate) running: bool,
    /// How it is being run by this process; null where it is not.
    pub(crate) run: Option<ExperimentRun>,
    /// Why its last run by this process ended early.
    pub(crate) failed: Option<Error>,
    /// Whether `reproduce` runs it.
    pub(crate) allowed: bool,
}

/// A picture: curves over a number, or rows one below the other.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentPicture {
    /// The number of the quantity.
    pub(crate) quantity: usize,
    /// The name of the horizontal axis of curves; null where rows are one below the other.
    pub(crate) x: Option<String>,
    /// Its series; one without a name where rows are one below the other.
    pub(crate) series: Vec<ExperimentSeries>,
}

/// A series of points.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentSeries {
    /// Its name.
    pub(crate) name: String,
    /// Its points.
    pub(crate) points: Vec<ExperimentPoint>,
}

/// A point of a picture.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExperimentPoint {
    /// Its place on the horizontal axis of curves.
    pub(crate) x: f64,
    /// Its label where rows are one below the other.
    pub(crate) label: String,
    /// The number of the row.
    pub(crate) row: usize,
}

/// A run by this process.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub(crate) struct ExperimentRun {
    /// The seed.
    pub(crate) seed: u64,
    /// Games or samples that are stored once it is complete.
    pub(crate) target: u64,
}

/// Runs an experiment: begins it, or continues it. It goes on after the answer, on one thread, until it is complete,
/// interrupted by `interrupt`, or this process ends; what is stored is not played again. One experiment runs at a time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReproduceRequest {
    /// Its name.
    pub(crate) experiment: String,
    /// Seed of everything random.
    #[serde(default = "seed")]
    pub(crate) seed: u64,
    /// The share of the whole experiment to run, down to a pair of games or a sample of each cell; that of the plan if left
    /// out, which is the largest.
    #[serde(default)]
    #[schemars(range(min = MIN_SCALE, max = 1.0))]
    pub(crate) scale: Option<f64>,
    /// The share of the whole experiment at which verdicts are given, 1 by default: it is written to the store before the first
    /// game, and cannot be changed.
    #[serde(default)]
    #[schemars(range(min = MIN_SCALE, max = 1.0))]
    pub(crate) plan: Option<f64>,
}

/// Ends a run of an experiment by this process. Games that have ended stay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InterruptRequest {
    /// Its name.
    pub(crate) experiment: String,
}

/// Whether there was a run to interrupt.
#[derive(Serialize, JsonSchema)]
pub(crate) struct InterruptAnswer {
    /// Whether there was one.
    pub(crate) interrupted: bool,
}

/// The report of what is stored of an experiment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportRequest {
    /// Its name.
    pub(crate) experiment: String,
    /// Seed of everything random.
    #[serde(default = "seed")]
    pub(crate) seed: u64,
}

/// A report.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReportAnswer {
    /// A self-contained page in HTML, with the games.
    pub(crate) html: String,
}
