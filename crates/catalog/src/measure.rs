//! What can be measured in a game besides matches.

use std::sync::Arc;

use banmen_game::Game;
use banmen_search::{Clock, StopFlag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::variants::Variants;
use crate::{Error, ErrorCode, Key, Options, PlayerText};

/// A measurement, named by a text as a player is: `name` or `name:key=value,key=value`. Its samples do not depend on
/// each other.
pub struct Measure<G> {
    /// The name, the keys and the quantities.
    pub info: MeasureInfo,
    /// Takes one sample; `None` when it was asked to stop.
    pub sample: fn(&G, &Options, &Sampling<'_>) -> Option<Vec<Observation>>,
}

/// The measurements of a game.
pub trait Measures: Send + Sync {
    /// All measurements.
    fn list(&self) -> Vec<MeasureInfo>;

    /// The measurement that a text names, with its keys checked.
    ///
    /// # Errors
    /// `unknown_rules`, `unknown_measure`, or which key does not fit.
    fn info(&self, rules: Option<&str>, text: &str) -> Result<MeasureInfo, Error>;

    /// Takes one sample of the measurement that a text names, under the named rules (`None`: the default ones).
    ///
    /// # Errors
    /// As for [`Measures::info`], and `stopped`.
    fn sample(&self, rules: Option<&str>, text: &str, sampling: &Sampling<'_>) -> Result<Vec<Observation>, Error>;
}

/// The measurements of a game of type `G`.
pub(crate) struct ErasedMeasures<G> {
    pub(crate) variants: Arc<Variants<G>>,
    pub(crate) measures: Vec<Measure<G>>,
}

impl<G: Game> ErasedMeasures<G> {
    fn named(&self, rules: Option<&str>, text: &str) -> Result<(&G, &Measure<G>, Options), Error> {
        let game = self.variants.get(rules)?;
        let name = PlayerText::name_of(text);
        let Some(measure) = self.measures.iter().find(|measure| measure.info.name == name) else {
            let known = self.measures.iter().map(|measure| measure.info.name);
            return Err(Error::unknown(ErrorCode::UnknownMeasure, "measurement", name, known));
        };
        let text = PlayerText::parse(text)?;
        Ok((game, measure, Options::new(measure.info.keys, &text.pairs)?))
    }
}

impl<G: Game> Measures for ErasedMeasures<G> {
    fn list(&self) -> Vec<MeasureInfo> {
        self.measures.iter().map(|measure| measure.info).collect()
    }

    fn info(&self, rules: Option<&str>, text: &str) -> Result<MeasureInfo, Error> {
        self.named(rules, text).map(|(_, measure, _)| measure.info)
    }

    fn sample(&self, rules: Option<&str>, text: &str, sampling: &Sampling<'_>) -> Result<Vec<Observation>, Error> {
        let (game, measure, options) = self.named(rules, text)?;
        (measure.sample)(game, &options, sampling)
            .ok_or_else(|| Error::new(ErrorCode::Stopped, "the measurement was stopped"))
    }
}

/// The description of a measurement.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeasureInfo {
    /// The name in a measurement's text.
    pub name: &'static str,
    /// What one sample is, in a line.
    pub summary: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
    /// The quantities that are observed, the most important first.
    pub quantities: &'static [Quantity],
    /// The axis along which a sample observes several times.
    pub axis: Option<Axis>,
}

/// A quantity that a measurement observes.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Quantity {
    /// The name, unique in a measurement.
    pub name: &'static str,
    /// The unit that follows a number: `%`, `ms`, `plies`; empty for a plain number.
    pub unit: &'static str,
    /// What its observations are.
    pub kind: QuantityKind,
}

impl Quantity {
    /// A number that varies from sample to sample.
    #[must_use]
    pub const fn mean(name: &'static str, unit: &'static str) -> Quantity {
        Quantity { name, unit, kind: QuantityKind::Mean }
    }
}

/// What the observations of a quantity are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuantityKind {
    /// Successes of independent trials; the unit is `%`.
    Share,
    /// Numbers that vary from sample to sample; their mean is estimated.
    Mean,
    /// A number that is the same in every sample.
    Exact,
}

/// The places at which one sample observes, such as the loops of a learning curve.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Axis {
    /// The name of the axis.
    pub name: &'static str,
    /// The places, in order.
    pub points: &'static [&'static str],
}

/// One observation of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The number of the point on the axis, 0 without an axis.
    pub point: usize,
    /// The number of the quantity.
    pub quantity: usize,
    /// The value.
    pub value: Value,
}

/// The value of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// The share of trials that succeeded.
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

/// The inputs of one sample.
pub struct Sampling<'a> {
    /// Processor time of the measuring thread.
    pub clock: &'a dyn Clock,
    /// Seed of everything random. It depends on the number of the sample and on no key, so that settings are compared
    /// on equal samples.
    pub seed: u64,
    /// Asks the measurement to stop.
    pub stop: &'a StopFlag,
}
