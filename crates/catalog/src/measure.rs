//! What a game offers to be measured, beside matches.

use banmen_search::{Clock, StopFlag};
use serde::{Deserialize, Serialize};

use crate::{Key, Options};

/// A measurement, asked for as a player is: `name` or `name:key=value,key=value`. An experiment asks for as many samples
/// as it wants; samples do not depend on each other.
pub struct Measure<G> {
    /// What it is called and what it brings.
    pub info: MeasureInfo,
    /// Takes one sample; `None` when it was asked to stop.
    pub sample: fn(&G, &Options, &Sampling<'_>) -> Option<Vec<Observation>>,
}

/// What a measurement says of itself.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasureInfo {
    /// The name in a measurement's text.
    pub name: &'static str,
    /// What one sample is, in a line.
    pub summary: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
    /// What is observed, the most important first.
    pub quantities: &'static [Quantity],
    /// Where a sample observes several times.
    pub axis: Option<Axis>,
}

/// Something that is observed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Quantity {
    /// What it is called, once in a measurement.
    pub name: &'static str,
    /// The unit, behind a number: `%`, `ms`, `plies`; empty for a plain number.
    pub unit: &'static str,
    /// What its observations are.
    pub kind: QuantityKind,
}

/// What the observations of a quantity are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QuantityKind {
    /// Successes of so many independent trials; the unit is `%`.
    Share,
    /// Numbers that vary from sample to sample; what is asked for is their mean.
    Mean,
    /// A number that is the same in every sample.
    Exact,
}

/// The places at which one sample observes, such as the loops of a learning curve.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Axis {
    /// What they are places of.
    pub name: &'static str,
    /// The places, in order.
    pub points: &'static [&'static str],
}

/// One observation of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Where on the axis: the number of the point, 0 without an axis.
    pub point: usize,
    /// What: the number of the quantity.
    pub quantity: usize,
    /// What was seen.
    pub value: Value,
}

/// What was seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// So many successes `of` so many trials.
    Share {
        /// Trials that succeeded.
        won: u64,
        /// All trials.
        of: u64,
    },
    /// A number, finite.
    Number(f64),
}

impl Observation {
    /// A number, where there is no axis.
    #[must_use]
    pub fn number(quantity: usize, value: f64) -> Self {
        Observation { point: 0, quantity, value: Value::Number(value) }
    }

    /// Trials, where there is no axis.
    #[must_use]
    pub fn share(quantity: usize, won: u64, of: u64) -> Self {
        Observation { point: 0, quantity, value: Value::Share { won, of } }
    }

    /// The same at a point of the axis.
    #[must_use]
    pub fn at(self, point: usize) -> Self {
        Observation { point, ..self }
    }
}

/// What a sample is taken with.
pub struct Sampling<'a> {
    /// Processor time of the measuring thread.
    pub clock: &'a dyn Clock,
    /// Seed of everything random: it depends on the number of the sample and on nothing that is set, so that what is
    /// compared is measured on the same.
    pub seed: u64,
    /// Asks to break off.
    pub stop: &'a StopFlag,
}
