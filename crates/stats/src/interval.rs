//! Intervals for the mean score of a match, and for a proportion.

use crate::likelihood::{multiplier, shortfall};
use crate::score::Tally;
use crate::special::{beta_quantile, normal_tail, two_sided_z};

/// A closed interval of scores or proportions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl<const K: usize> Tally<K> {
    /// The confidence interval for the mean score, within [0, 1].
    /// `confidence` lies strictly between 0 and 1; `None` otherwise, and without observations.
    ///
    /// It contains every mean m that the score test *or* the likelihood-ratio test of a multinomial accepts at that
    /// confidence: min(S(m), L(m)) ≤ z², where, with the most likely probabilities of mean m (`likelihood`) and
    /// their variance V(m),
    ///
    /// ```text
    /// S(m) = n (s − m)² / V(m) = n θ (s − m)        Rao 1948
    /// L(m) = 2 n Σ p̂ᵢ ln(p̂ᵢ / pᵢ)                   Wilks 1938
    /// ```
    ///
    /// Where only the worst and the best result occur, V(m) = m (1 − m) and the score test alone gives the interval of
    /// Wilson 1927. So this is Wilson's interval extended to results of three or five values: the variance is the one that
    /// the hypothesis implies, not the observed one, and the lower end is valid for a match with only wins. Draws narrow the
    /// interval, without an effective sample size.
    ///
    /// *Why two tests.* Each alone has good coverage on average and bad coverage for a few means near 0 and 1, where the
    /// bound after one or two lost points is too high (Brown, Cai, DasGupta 2001: down to 0.84 at 95 %). They are
    /// different means for the two tests, so a mean is excluded only when both reject it. Wilson's formula with an
    /// effective sample size from the observed variance (a design effect, Korn and Graubard 1998) is simpler and fails
    /// elsewhere: where nearly every pair was even, the observed variance is too small. The least coverage of a 95 %
    /// interval over 1,000 random distributions of pairs (500 at n = 20), most with some results impossible, by exact
    /// enumeration in `tests/coverage.rs`:
    ///
    /// | pairs | score test | likelihood ratio | design effect | both tests | both, on average |
    /// |---|---|---|---|---|---|
    /// | 4 | 0.837 | 0.853 | 0.837 | 0.875 | 0.990 |
    /// | 6 | 0.836 | 0.803 | 0.839 | 0.912 | 0.989 |
    /// | 10 | 0.836 | 0.842 | 0.836 | 0.928 | 0.986 |
    /// | 20 | 0.849 | 0.826 | 0.820 | 0.929 | 0.982 |
    ///
    /// *Validity.* Any n ≥ 1. For the fourteen kinds of match in that file, from even to nearly all won and with 5 to 200
    /// pairs, the coverage is at least 0.9375; over all two-valued results at least 0.92 from 5 pairs on and 0.943 at
    /// 200. Observations must be independent and their number fixed beforehand: after a sequential test the coverage
    /// is lower.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let limit = two_sided_z(confidence)?.powi(2);
        let score = self.score()?;
        let accepted = |m: f64| self.discrepancy(m).is_some_and(|d| d <= limit);
        // Both statistics grow with the distance from the score on either side, so each end is one crossing.
        Some(Interval { low: crossing(score, 0.0, accepted), high: crossing(score, 1.0, accepted) })
    }

    /// Two-sided p value of the hypothesis that the mean score is `mean`, strictly between 0 and 1: below
    /// 1 − c exactly where [`interval`](Self::interval) at confidence c excludes it. `None` for another `mean`, and
    /// without observations.
    pub fn p_value(&self, mean: f64) -> Option<f64> {
        Some((2.0 * normal_tail(self.discrepancy(mean)?.sqrt())).min(1.0))
    }

    /// The lesser of the score and the likelihood-ratio statistic against a mean in (0, 1), each χ² of one degree
    /// of freedom for large n.
    fn discrepancy(&self, mean: f64) -> Option<f64> {
        let frequencies = self.frequencies()?;
        let phi = Self::SCORES.map(|a| a - mean);
        let theta = multiplier(&frequencies, &phi)?;
        let n = self.total() as f64;
        let score_test = n * theta * (self.score()? - mean);
        let likelihood_ratio = 2.0 * n * shortfall(&frequencies, &phi, theta);
        Some(score_test.min(likelihood_ratio).max(0.0))
    }

    /// The interval of normal theory, score ± z √(variance / n), as fishtest and fastchess print it (mapped to Elo):
    /// for comparison with published values. It may leave [0, 1], and shrinks to a point where all results are
    /// equal; `None` as for [`interval`](Self::interval).
    pub fn normal_interval(&self, confidence: f64) -> Option<Interval> {
        let score = self.score()?;
        let margin = two_sided_z(confidence)? * (self.variance()? / self.total() as f64).sqrt();
        Some(Interval { low: score - margin, high: score + margin })
    }
}

/// The last accepted value between `inside`, which is accepted, and the bound `end`; `end` itself where every value before
/// it is accepted.
fn crossing(inside: f64, end: f64, accepted: impl Fn(f64) -> bool) -> f64 {
    let (mut inside, mut outside) = (inside, end);
    loop {
        let middle = 0.5 * (inside + outside);
        if (outside - inside).abs() < 1e-15 || middle == inside || middle == outside {
            // Only an end that was never tried is still exactly `end`.
            return if outside == end { end } else { inside };
        }
        if accepted(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
}

/// Wilson's score interval for a proportion (Wilson 1927). `None` where `trials` is 0 or less than `successes`, or
/// `confidence` is not strictly between 0 and 1.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    let z = two_sided_z(confidence)?;
    if trials == 0 || successes > trials {
        return None;
    }
    let (n, p) = (trials as f64, successes as f64 / trials as f64);
    let spread = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / spread;
    let margin = z / spread * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At the extremes one end is exactly the proportion; rounding must not exclude it.
    Some(Interval {
        low: if successes == 0 { 0.0 } else { centre - margin },
        high: if successes == trials { 1.0 } else { centre + margin },
    })
}

/// The most trials of an exact interval.
const MAX_TRIALS: u64 = 1_000_000_000;

/// The exact interval for a proportion (Clopper and Pearson 1934): covers at least `confidence` for every true
/// proportion, and is wider than necessary for most. `None` as for [`wilson`], and for more than 10⁹ trials, for which the
/// method has too few digits.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Option<Interval> {
    if trials == 0 || successes > trials || trials > MAX_TRIALS || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (k, n) = (successes as f64, trials as f64);
    let tail = 0.5 * (1.0 - confidence);
    let low = match successes {
        0 => 0.0,
        _ => beta_quantile(tail, k, n - k + 1.0),
    };
    // By symmetry: the lost trials have the lower end 1 − high.
    let high = match trials - successes {
        0 => 1.0,
        _ => 1.0 - beta_quantile(tail, n - k, k + 1.0),
    };
    Some(Interval { low, high })
}
