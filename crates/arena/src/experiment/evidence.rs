//! The measurements in a cell.

use banmen_catalog::{Observation, Quantity, QuantityKind, Value};
use banmen_stats::{Games, Interval, Pairs, Sample};
use schemars::JsonSchema;
use serde::Serialize;

use super::figure::per_cent;
use super::reproduction::whole;

/// The smallest sample for which Student's t is computed. With fewer numbers the variance is unreliable: two or three
/// may be equal by chance.
const MIN_SAMPLES: u64 = 5;

/// The measurement of one quantity at one point: the counts from which value, interval and verdict are computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Evidence {
    /// A match. The interval is computed from pairs; the games are shown.
    Match {
        /// Complete pairs, by points.
        #[serde(serialize_with = "counts")]
        #[schemars(with = "[u64; 5]")]
        pairs: Pairs,
        /// Games won.
        won: u64,
        /// Games drawn.
        drawn: u64,
        /// Games lost.
        lost: u64,
    },
    /// Independent trials.
    Share {
        /// Trials that succeeded.
        won: u64,
        /// All trials.
        of: u64,
    },
    /// Numbers that vary from sample to sample.
    Mean {
        /// How many.
        n: u64,
        /// Their mean.
        mean: f64,
        /// Their variance, divisor n − 1; 0 for a single one.
        variance: f64,
    },
    /// A number that is the same in every sample.
    Exact {
        /// The number.
        value: f64,
    },
}

fn counts<S: serde::Serializer>(pairs: &Pairs, serializer: S) -> Result<S::Ok, S::Error> {
    pairs.counts.serialize(serializer)
}

impl Evidence {
    /// The value in the unit of its quantity, per cent for scores and shares. `None` without observations.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match *self {
            Evidence::Match { pairs, .. } => pairs.score().map(|score| 100.0 * score),
            Evidence::Share { won, of } => (of > 0).then(|| 100.0 * won as f64 / of as f64),
            Evidence::Mean { n, mean, .. } => (n > 0).then_some(mean),
            Evidence::Exact { value } => Some(value),
        }
    }

    /// Its interval at a confidence, in the unit of its quantity: `Tally::interval` of pairs or trials, Student's t of
    /// five numbers or more, a point for an exact value. `None` where there are too few.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        match *self {
            Evidence::Match { pairs, .. } => pairs.interval(confidence).map(per_cent),
            Evidence::Share { won, of } => {
                Games::from_wins_draws_losses(won, 0, of.saturating_sub(won)).interval(confidence).map(per_cent)
            }
            Evidence::Mean { n, .. } if n < MIN_SAMPLES => None,
            Evidence::Mean { .. } => self.sample()?.interval(confidence),
            Evidence::Exact { value } => Some(Interval { low: value, high: value }),
        }
    }

    /// The observations of the interval: pairs, trials, samples. 0 for an exact value.
    #[must_use]
    pub fn observations(&self) -> u64 {
        match *self {
            Evidence::Match { pairs, .. } => pairs.total(),
            Evidence::Share { of, .. } => of,
            Evidence::Mean { n, .. } => n,
            Evidence::Exact { .. } => 0,
        }
    }

    /// The numbers of a mean as a sample; `None` for other evidence.
    pub(crate) fn sample(&self) -> Option<Sample> {
        match *self {
            Evidence::Mean { n, mean, variance } => Some(Sample { n, mean, variance }),
            _ => None,
        }
    }

    /// The observations of the interval as a sample, in the unit of the quantity. `None` for an exact value, and for fewer
    /// observations than Student's t is computed for.
    pub(crate) fn observed(&self) -> Option<Sample> {
        let per_cent = |Sample { n, mean, variance }| Sample { n, mean: 100.0 * mean, variance: 1e4 * variance };
        let sample = match *self {
            Evidence::Match { pairs, .. } => Sample::from_tally(&pairs).map(per_cent),
            Evidence::Share { won, of } => {
                let trials = Games::from_wins_draws_losses(won, 0, of.saturating_sub(won));
                Sample::from_tally(&trials).map(per_cent)
            }
            Evidence::Mean { .. } => self.sample(),
            Evidence::Exact { .. } => None,
        };
        sample.filter(|sample| sample.n >= MIN_SAMPLES)
    }

    /// The sample in words: games won, drawn and lost, trials, or the number of samples.
    #[must_use]
    pub fn describe(&self) -> String {
        match *self {
            Evidence::Match { won, drawn, lost, .. } => format!("{won}-{drawn}-{lost}"),
            Evidence::Share { won, of } => format!("{} of {}", whole(won as f64), whole(of as f64)),
            Evidence::Mean { n, .. } => whole(n as f64),
            Evidence::Exact { .. } => "exact".to_owned(),
        }
    }
}

/// Collects the observations of one quantity at one point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collector {
    n: u64,
    mean: f64,
    squares: f64,
    won: u64,
    of: u64,
}

impl Collector {
    pub(crate) fn add(&mut self, observation: &Observation) {
        match observation.value {
            Value::Share { won, of } => {
                self.won += won;
                self.of += of;
            }
            // Welford 1962.
            Value::Number(value) => {
                self.n += 1;
                let step = value - self.mean;
                self.mean += step / self.n as f64;
                self.squares += step * (value - self.mean);
            }
        }
    }

    pub(crate) fn evidence(&self, quantity: &Quantity) -> Option<Evidence> {
        match quantity.kind {
            QuantityKind::Share => (self.of > 0).then_some(Evidence::Share { won: self.won, of: self.of }),
            _ if self.n == 0 => None,
            QuantityKind::Mean => {
                let variance = self.squares / (self.n.max(2) - 1) as f64;
                Some(Evidence::Mean { n: self.n, mean: self.mean, variance })
            }
            QuantityKind::Exact => Some(Evidence::Exact { value: self.mean }),
        }
    }
}
