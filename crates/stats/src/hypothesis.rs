//! Hypothesis tests: t tests, the sign test, Holm's correction; and the required size of a match.

use crate::score::Tally;
use crate::special::{MANY, beta_cdf, bisect, normal_cdf, normal_quantile, student_two_sided, two_sided_z};

/// The size, mean and variance of a sample, as input of a t test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Number of observations, at least 2.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Their variance with divisor n − 1.
    pub variance: f64,
}

impl Sample {
    /// The scores of a tally as a sample. `None` with fewer than two observations.
    pub fn from_tally<const K: usize>(tally: &Tally<K>) -> Option<Self> {
        let n = tally.total();
        if n < 2 {
            return None;
        }
        Some(Sample { n, mean: tally.score()?, variance: tally.variance()? * (n as f64 / (n - 1) as f64) })
    }

    /// Squared standard error of the mean.
    fn squared_error(&self) -> f64 {
        self.variance / self.n as f64
    }

    /// Degrees of freedom of the variance.
    fn degrees(&self) -> f64 {
        self.n as f64 - 1.0
    }
}

/// Result of a t test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// Difference in standard errors.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Two-sided p value.
    pub p: f64,
}

impl TTest {
    /// `None` where the error is 0, or an input is not a valid sample.
    fn new(difference: f64, squared_error: f64, degrees: f64) -> Option<Self> {
        let t = difference / squared_error.sqrt();
        (t.is_finite() && degrees > 0.0).then(|| TTest { t, degrees, p: student_two_sided(t, degrees) })
    }
}

/// Tests whether the mean of the sample is `mean` (Student 1908). `None` where all observations are equal.
pub fn one_sample_t(sample: &Sample, mean: f64) -> Option<TTest> {
    TTest::new(sample.mean - mean, sample.squared_error(), sample.degrees())
}

/// Tests whether the means of two independent samples of equal variance are equal (Student's test with pooled variance). The
/// sign of t is that of `a` − `b`. `None` where neither sample varies.
pub fn pooled_t(a: &Sample, b: &Sample) -> Option<TTest> {
    let degrees = a.degrees() + b.degrees();
    let variance = (a.degrees() * a.variance + b.degrees() * b.variance) / degrees;
    let squared_error = variance * (1.0 / a.n as f64 + 1.0 / b.n as f64);
    TTest::new(a.mean - b.mean, squared_error, degrees)
}

/// Tests whether the means of two independent samples are equal, without assuming equal variances (Welch 1947, with
/// Satterthwaite's degrees of freedom). The sign of t is that of `a` − `b`. `None` where neither sample varies.
pub fn welch_t(a: &Sample, b: &Sample) -> Option<TTest> {
    let (ea, eb) = (a.squared_error(), b.squared_error());
    let degrees = (ea + eb).powi(2) / (ea * ea / a.degrees() + eb * eb / b.degrees());
    TTest::new(a.mean - b.mean, ea + eb, degrees)
}

/// The sign test: exact two-sided p value of these wins and losses between equal players, without the draws. 1 without
/// decisive games.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    if wins == losses {
        return 1.0;
    }
    let (less, more) = (wins.min(losses) as f64, wins.max(losses) as f64);
    if less + more > MANY {
        // By normal theory with a correction for continuity.
        let difference = wins.abs_diff(losses) as f64;
        return (2.0 * normal_cdf((1.0 - difference) / (less + more).sqrt())).min(1.0);
    }
    // P(at most `less` of all at 1/2) as a beta tail (DLMF 8.17.5); twice that, the binomial being symmetric.
    (2.0 * beta_cdf(0.5, more, less + 1.0)).min(1.0)
}

/// Holm's correction (Holm 1979): adjusts the p values of several tests, so that comparing all of them with α keeps the
/// probability of any false positive below α. In the given order. `None` where a value is not
/// within [0, 1].
pub fn holm(p_values: &[f64]) -> Option<Vec<f64>> {
    if !p_values.iter().all(|p| (0.0..=1.0).contains(p)) {
        return None;
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        least = least.max((p_values.len() - rank) as f64 * p_values[i]).min(1.0);
        adjusted[i] = least;
    }
    Some(adjusted)
}

/// The number of observations with which a match of fixed length detects a mean score that differs from 1/2 by `effect`
/// (two-sided level `alpha`, probability of detection `power`): ((z₁₋α/₂ + z_power) σ / effect)², with `variance` = σ² of one observation,
/// 1/4 for games without draws. Not rounded. `None` where `effect` is 0, `variance` negative, `alpha` not strictly
/// between 0 and 1, or `power` not between `alpha` / 2, for which no observations are needed, and 1.
pub fn sample_size(effect: f64, variance: f64, alpha: f64, power: f64) -> Option<f64> {
    let z = two_sided_z(1.0 - alpha)? + normal_quantile(power)?;
    let n = (z / effect).powi(2) * variance;
    (z > 0.0 && n >= 0.0 && n.is_finite()).then_some(n)
}

/// The number of observations with which two one-sided tests, each at level `alpha`, show that two scores differ by less
/// than `margin`, if they truly differ by `difference`, with probability `power`; `variance` is that of one observation.
/// Not rounded. `None` where `difference` reaches the margin, `variance` is negative, or `alpha` or `power` are not strictly
/// between 0 and 1.
///
/// Both tests must reject. Near the margin only one of them is in doubt, and the number is that of one test with this power;
/// at a difference of 0 both are, and each needs a power of about (1 + `power`) / 2.
///
/// ```
/// use banmen_stats::equivalence_size;
///
/// // Within 7 points at 80 %: equal players need (z₀.₉₅ + z₀.₉)² σ² / 0.07² games.
/// let games = equivalence_size(0.0, 0.07, 0.25, 0.05, 0.8).unwrap();
/// assert_eq!(games.ceil(), 437.0);
/// ```
pub fn equivalence_size(difference: f64, margin: f64, variance: f64, alpha: f64, power: f64) -> Option<f64> {
    let level = normal_quantile(1.0 - alpha)?;
    let left = margin - difference.abs();
    if !(left > 0.0 && margin.is_finite() && power > 0.0 && power < 1.0) {
        return None;
    }
    // P(−margin + z s < estimate < margin − z s), in standard errors s = 1 / precision: it grows with the precision.
    let shown = |precision: f64| {
        let (above, below) = (left * precision - level, (margin + difference.abs()) * precision - level);
        normal_cdf(above) + normal_cdf(below) - 1.0
    };
    // Each test at this power: enough, as both fail with at most twice the probability that one does.
    let enough = (level + normal_quantile(0.5 * (1.0 + power))?).max(0.0) / left;
    let precision = bisect(0.0, enough, |precision| shown(precision) < power);
    let n = precision * precision * variance;
    (n >= 0.0 && n.is_finite()).then_some(n)
}
