//! The score of a match.

use banmen_stats::EloEstimate;
use schemars::JsonSchema;
use serde::Serialize;

use crate::PlayerTotals;
use crate::tally::MAX_POINTS;

/// The score of the first player of a match; with a test, that of the complete pairs in order.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MatchScore")]
pub(crate) struct MatchScore<T> {
    /// Games counted.
    pub(crate) games: u64,
    /// Games won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// Pairs with 0, one half, 1, one and a half, and 2 points.
    pub(crate) pairs: [u64; 5],
    /// Points per game of the complete pairs, 0 to 1; null before the first.
    pub(crate) score: Option<f64>,
    /// The 95 % interval of the score, from pairs.
    pub(crate) interval: Option<[f64; 2]>,
    /// The Elo difference with its 95 % interval.
    pub(crate) elo: Option<Elo>,
    /// The normalised Elo difference with its 95 % interval.
    pub(crate) normalised_elo: Option<NormalisedElo>,
    /// The likelihood that the first player is the stronger one; null where the pairs do not determine it.
    pub(crate) superiority: Option<f64>,
    /// Pairs won for each pair lost; null where none was lost.
    pub(crate) pair_ratio: Option<f64>,
    /// The share of pairs with 1 point.
    pub(crate) drawn_pairs: Option<f64>,
    /// The sum of the margins; null where the game has none.
    pub(crate) margin: Option<i64>,
    /// Games with a margin: those that the rules ended.
    pub(crate) margin_games: u64,
    /// Games with the same moves as an earlier one in which the same player moved first.
    pub(crate) repeated_games: u64,
    /// Pairs with the same opening as an earlier pair.
    pub(crate) repeated_openings: u64,
    /// What both players used.
    pub(crate) totals: [PlayerTotals; 2],
    /// The sequential test of the match; null without one.
    pub(crate) test: Option<T>,
}

/// An Elo difference; an end is null where it is infinite.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Elo {
    /// The difference.
    value: Option<f64>,
    /// The lower end.
    low: Option<f64>,
    /// The upper end.
    high: Option<f64>,
}

impl From<EloEstimate> for Elo {
    fn from(EloEstimate { value, low, high }: EloEstimate) -> Self {
        Elo { value, low, high }
    }
}

/// A difference in standard deviations of a game.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NormalisedElo {
    /// The difference.
    value: f64,
    /// Half the width of its interval.
    margin: f64,
}

impl From<banmen_stats::NormalisedElo> for NormalisedElo {
    fn from(banmen_stats::NormalisedElo { value, margin }: banmen_stats::NormalisedElo) -> Self {
        NormalisedElo { value, margin }
    }
}

/// The scale of a sequential test.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TestScale {
    /// Normalised Elo.
    Normalised,
    /// Ordinary Elo.
    Logistic,
}

/// A hypothesis of a sequential test.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TestWinner {
    /// The first one.
    Elo0,
    /// The second one.
    Elo1,
}

/// A sequential probability ratio test, and its state.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TestScore {
    /// The scale of the differences.
    pub(crate) scale: TestScale,
    /// The difference of the first hypothesis.
    pub(crate) elo0: f64,
    /// The difference of the second one.
    pub(crate) elo1: f64,
    /// The log-likelihood ratio of elo1 to elo0; 0 before the first pair.
    pub(crate) llr: f64,
    /// At or below this ratio elo0 is accepted.
    pub(crate) lower: f64,
    /// At or above this ratio elo1 is accepted.
    pub(crate) upper: f64,
    /// By how much the lower and the upper bound are narrowed, since the ratio exceeds them when it passes.
    pub(crate) overshoot: [f64; 2],
    /// The accepted hypothesis; null while the test continues.
    pub(crate) accepted: Option<TestWinner>,
    /// The ordinary Elo difference, corrected for the stopping rule: the median-unbiased value and its 95 % interval.
    pub(crate) elo: Option<Elo>,
}

/// A sequential probability ratio test, its state, and its course.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Test")]
pub(crate) struct TestWithCurve {
    #[serde(flatten)]
    pub(crate) test: TestScore,
    /// Complete pairs in order, and the ratio after them; not after each where they are many.
    #[schemars(length(max = MAX_POINTS))]
    pub(crate) curve: Vec<(usize, f64)>,
}
