//! Running sequential tests: a plan that is fixed before the first game, a state that records complete pairs, and the
//! estimate of the difference after the test.

use crate::brownian::Path;
use crate::elo::{EloEstimate, NORMALISED_ELO, elo_from_score, score_from_elo};
use crate::interval::Interval;
use crate::score::Tally;
use crate::special::bisect;
use crate::sprt::{Bounds, Decision, llr_logistic, llr_normalised, moments};

/// The scale of the two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Logistic (ordinary) Elo, which fixes the mean score.
    Logistic,
    /// Normalised Elo, which fixes the mean score in standard deviations.
    Normalised,
}

/// A sequential test of the difference `elo0` (H0) against `elo1` (H1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The scale of the differences.
    pub scale: Scale,
    /// The difference of H0.
    pub elo0: f64,
    /// The difference of H1.
    pub elo1: f64,
    /// The bounds at which the test stops.
    pub bounds: Bounds,
}

/// The expected length and outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// Expected number of observations: games, or pairs.
    pub observations: f64,
    /// Probability of accepting H1, 0 to 1.
    pub passes: f64,
}

/// The estimate of the difference after a test, corrected for its stopping rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialEstimate {
    /// The logistic Elo difference: the median-unbiased value and its interval.
    pub elo: EloEstimate,
    /// Probability of a worse outcome between equal players, 0 to 1: the likelihood of superiority of a stopped test.
    pub superiority: f64,
}

impl Plan {
    /// A test with Wald's bounds for these error rates. `None` unless `elo0` < `elo1`, both finite, and the rates as
    /// [`Bounds::new`] requires.
    pub fn new(scale: Scale, elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Option<Self> {
        let bounds = Bounds::new(alpha, beta)?;
        (elo0 < elo1 && elo0.is_finite() && elo1.is_finite()).then_some(Plan { scale, elo0, elo1, bounds })
    }

    /// Log-likelihood ratio of H1 to H0, as [`llr_logistic`] or [`llr_normalised`] gives it.
    pub fn llr<const K: usize>(&self, tally: &Tally<K>) -> Option<f64> {
        match self.scale {
            Scale::Logistic => llr_logistic(tally, self.elo0, self.elo1),
            Scale::Normalised => llr_normalised(tally, self.elo0, self.elo1),
        }
    }

    /// The expected length and outcome at a true logistic difference of `elo`, if one observation (a pair where `K` = 5, a game
    /// where it is 3) has this variance of its score, above 0 and at most 1/4. The log-likelihood ratio is
    /// approximated by a Brownian motion, without overshoot. `None` for another variance or a difference that is not finite.
    pub fn expectation<const K: usize>(&self, elo: f64, variance: f64) -> Option<Expectation> {
        let valid = variance > 0.0 && variance <= 0.25 && elo.is_finite();
        let path = valid.then(|| self.path::<K>(score_from_elo(elo), variance))??;
        Some(Expectation { observations: path.length(), passes: path.passes() })
    }

    /// The expected length, in games, and outcome at a true difference of `elo` in normalised Elo, the scale of the test, by the
    /// same approximation. The variance cancels out, so that a test can be planned before its first game. `None` on the other
    /// scale, and for a difference that is not finite.
    pub fn normalised_expectation(&self, elo: f64) -> Option<Expectation> {
        /// That of a game without draws; any other gives the same.
        const VARIANCE: f64 = 0.25;
        if self.scale != Scale::Normalised || !elo.is_finite() {
            return None;
        }
        let path = self.path::<3>(0.5 + elo / NORMALISED_ELO * VARIANCE.sqrt(), VARIANCE)?;
        Some(Expectation { observations: path.length(), passes: path.passes() })
    }

    /// The estimate of the difference after a test, stopped or not.
    ///
    /// The plain score of a stopped test is biased away from the centre, since the test stops at an extreme value. So the
    /// estimate is the difference at which the outcome is the median one, and the interval contains all differences at which
    /// the outcome is not among the outermost (1 − `confidence`)/2 on either side. Outcomes are ordered from an early fail to a late one, then by the ratio
    /// where the test still runs, then from a late pass to an early one; their law is that of a Brownian motion with
    /// the drift of the true score and the observed variance (Siegmund, *Sequential Analysis*, 1985, chapter III;
    /// fishtest computes the same). A score nearer to 0 or 1 than half a point of all games is beyond what so many games
    /// can distinguish: the value is that of the nearest score that they can, and the interval has no end there.
    ///
    /// `None` where all observations had the same value, which says nothing about their variance, without observations, or
    /// where `confidence` is not strictly between 0 and 1.
    pub fn estimate<const K: usize>(&self, tally: &Tally<K>, confidence: f64) -> Option<SequentialEstimate> {
        let values = tally.counts.iter().filter(|&&count| count > 0).count();
        if values < 2 || !(confidence > 0.0 && confidence < 1.0) {
            return None;
        }
        let (observations, score, variance) = moments(tally)?;
        let (low, high) = self.scores::<K>(variance)?;
        let Bounds { lower, upper } = self.bounds;
        let llr = observations * (high - low) * (score - 0.5 * (low + high)) / variance;
        // Beyond a bound, the path is assumed to have reached it at a constant rate.
        let end = llr.clamp(lower, upper);
        let steps = if end == llr { observations } else { observations * end / llr };
        let right_of = |score| self.path::<K>(score, variance).map_or(f64::NAN, |path| path.right_of(end, steps));
        // The better the player, the more outcomes are better than this one.
        let quantile = |share: f64| bisect(0.0, 1.0, |score| right_of(score) < share);
        let tail = 0.5 * (1.0 - confidence);
        let step = 0.5 / (observations * Tally::<K>::GAMES_EACH as f64).max(1.0);
        let within = |score: f64| score.clamp(step, 1.0 - step);
        let (low, high) = (quantile(tail), quantile(1.0 - tail));
        let interval = Interval {
            low: if low < step { 0.0 } else { within(low) },
            high: if high > 1.0 - step { 1.0 } else { within(high) },
        };
        let value = elo_from_score(within(quantile(0.5)));
        let elo = EloEstimate { value, ..EloEstimate::new(score, interval) };
        Some(SequentialEstimate { elo, superiority: 1.0 - right_of(0.5) })
    }

    /// The mean scores of the hypotheses, where one observation has this variance.
    fn scores<const K: usize>(&self, variance: f64) -> Option<(f64, f64)> {
        let score = |elo: f64| match self.scale {
            Scale::Logistic => score_from_elo(elo),
            Scale::Normalised => 0.5 + elo / NORMALISED_ELO * (variance * Tally::<K>::GAMES_EACH as f64).sqrt(),
        };
        let (low, high) = (score(self.elo0), score(self.elo1));
        (low < high).then_some((low, high))
    }

    /// The log-likelihood ratio as a Brownian motion at a true mean score.
    fn path<const K: usize>(&self, score: f64, variance: f64) -> Option<Path> {
        let (low, high) = self.scores::<K>(variance)?;
        let drift = (high - low) * (score - 0.5 * (low + high)) / variance;
        Some(Path::new(self.bounds.lower, self.bounds.upper, drift, (high - low).powi(2) / variance))
    }
}

/// The steps by which the log-likelihood ratio exceeds its previous extreme, in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Records {
    last: f64,
    steps: u32,
    sum: f64,
    squares: f64,
}

impl Records {
    /// The average of fewer steps is too uncertain.
    const ENOUGH: u32 = 10;

    /// Records a ratio; the direction is positive.
    fn record(&mut self, llr: f64) {
        let step = llr - self.last;
        if step > 0.0 {
            self.last = llr;
            self.steps += 1;
            self.sum += step;
            self.squares += step * step;
        }
    }

    /// Expected overshoot: half the mean square step over the mean step (Siegmund 1985, chapter VIII; as in fishtest).
    fn overshoot(&self) -> f64 {
        if self.steps < Self::ENOUGH { 0.0 } else { 0.5 * self.squares / self.sum }
    }
}

/// A running sequential test, over pairs (`K` = 5) or games (`K` = 3).
///
/// It records whole batches of complete observations, in the order of their index and not in the order in which they
/// finished: slow games finish late, and their common properties would bias an early stop. As a batch takes the ratio
/// somewhat beyond the bound, the bounds are narrowed by the expected overshoot.
///
/// ```
/// use banmen_stats::{Decision, Pairs, Plan, Scale, Sprt};
///
/// let mut test = Sprt::new(Plan::new(Scale::Logistic, 0.0, 50.0, 0.05, 0.05).unwrap());
/// // Pairs of 3/2 points and of 1 point, in turn.
/// let mut pairs = 0;
/// while test.decision().is_none() {
///     test.record(&Pairs { counts: [0, 0, 1, 1, 0] });
///     pairs += 2;
/// }
/// assert_eq!((test.decision(), pairs), (Some(Decision::AcceptH1), 22));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt<const K: usize> {
    plan: Plan,
    tally: Tally<K>,
    llr: f64,
    rises: Records,
    falls: Records,
    decision: Option<Decision>,
}

impl<const K: usize> Sprt<K> {
    /// A test before its first game.
    pub fn new(plan: Plan) -> Self {
        let (rises, falls) = (Records::default(), Records::default());
        Sprt { plan, tally: Tally::default(), llr: 0.0, rises, falls, decision: None }
    }

    /// Records the next observations. After the decision nothing is recorded, so that a replay of a longer list ends where
    /// the test ended.
    pub fn record(&mut self, batch: &Tally<K>) -> Option<Decision> {
        if self.decision.is_some() {
            return self.decision;
        }
        for (count, more) in self.tally.counts.iter_mut().zip(batch.counts) {
            *count = count.saturating_add(more);
        }
        // Without observations, or outside the range of the model, there is no ratio, and the test continues.
        if let Some(llr) = self.plan.llr(&self.tally) {
            self.llr = llr;
            self.rises.record(llr);
            self.falls.record(-llr);
            self.decision = self.bounds().decide(llr);
        }
        self.decision
    }

    /// The plan of the test.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The recorded observations.
    pub fn tally(&self) -> &Tally<K> {
        &self.tally
    }

    /// The log-likelihood ratio after the last batch, 0 before the first.
    pub fn llr(&self) -> f64 {
        self.llr
    }

    /// The bounds, narrowed by the expected overshoot.
    pub fn bounds(&self) -> Bounds {
        self.plan.bounds.narrowed(self.overshoot())
    }

    /// By how much the ratio is expected to exceed the lower and the upper bound when it reaches them; 0 before ten steps in
    /// a direction. It follows from the course of the test, so the counts alone do not give it.
    pub fn overshoot(&self) -> [f64; 2] {
        [self.falls.overshoot(), self.rises.overshoot()]
    }

    /// The decision; `None` while the test continues.
    pub fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// The estimate of the difference by [`Plan::estimate`].
    pub fn estimate(&self, confidence: f64) -> Option<SequentialEstimate> {
        self.plan.estimate(&self.tally, confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overshoot_of_records() {
        let mut records = Records::default();
        // Eleven records, ten steps of 0.5 and one of 1; a lower value is no record.
        for llr in [0.5, 0.2, 1.0, 1.5, 2.0, -3.0, 2.5, 3.0, 3.5, 4.0, 4.5] {
            records.record(llr);
        }
        assert_eq!((records.steps, records.overshoot()), (9, 0.0));
        records.record(5.0);
        assert_eq!(records.overshoot(), 0.25);
        records.record(6.0);
        assert!((records.overshoot() - 0.5 * 3.5 / 6.0).abs() < 1e-15);
    }
}
