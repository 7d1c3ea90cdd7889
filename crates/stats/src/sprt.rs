//! Sequential probability ratio tests of a difference `elo0` (H0) against `elo1` (H1).
//!
//! The caller fixes model, bounds and error rates before the first game, computes the log-likelihood ratio after
//! whole batches of pairs, and stops when [`Bounds::decide`] returns a decision (Wald 1945). As the probabilities of draws
//! and of openings are unknown, the ratio is the generalised one: both hypotheses take their most likely probabilities
//! (Van den Bergh, *Comparing the approximations for the GLLR*; fishtest and fastchess compute the same).

use crate::elo::{NORMALISED_ELO, score_from_elo};
use crate::likelihood::{multiplier, shortfall};
use crate::score::{Games, Tally, mean, variance};

/// The result of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The log-likelihood ratio reached the lower bound: `elo0` is accepted.
    AcceptH0,
    /// The log-likelihood ratio reached the upper bound: `elo1` is accepted.
    AcceptH1,
}

/// The bounds of a sequential test, as log-likelihood ratios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At or below it H0 is accepted. Negative.
    pub lower: f64,
    /// At or above it H1 is accepted. Positive.
    pub upper: f64,
}

impl Bounds {
    /// Wald's bounds ln(β / (1 − α)) and ln((1 − β) / α) for a probability `alpha` of accepting H1 where H0 is true, and
    /// `beta` of accepting H0 where H1 is true. `None` unless both are positive and their sum is below 1.
    pub fn new(alpha: f64, beta: f64) -> Option<Self> {
        (alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0)
            .then(|| Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() })
    }

    /// The bounds, narrowed by the expected overshoot of the lower and the upper one.
    #[must_use]
    pub fn narrowed(self, [lower, upper]: [f64; 2]) -> Self {
        Bounds { lower: self.lower + lower, upper: self.upper - upper }
    }

    /// The decision at this log-likelihood ratio; `None` while the test goes on.
    pub fn decide(&self, llr: f64) -> Option<Decision> {
        if llr >= self.upper {
            Some(Decision::AcceptH1)
        } else if llr <= self.lower {
            Some(Decision::AcceptH0)
        } else {
            None
        }
    }
}

/// Log-likelihood ratio of `elo1` to `elo0`, both logistic Elo differences, which fix the mean score.
/// `None` without observations, or where an Elo difference is not finite or so large that its score rounds to 0 or 1.
/// [`Plan::llr`](crate::Plan::llr) chooses the model by a [`Scale`](crate::Scale).
///
/// ```
/// use banmen_stats::{Pairs, llr_logistic};
///
/// let pairs = Pairs { counts: [39, 2226, 31451, 2412, 40] };
/// assert_eq!(format!("{:.4}", llr_logistic(&pairs, 0.2, 0.9).unwrap()), "2.1625");
/// ```
pub fn llr_logistic<const K: usize>(tally: &Tally<K>, elo0: f64, elo1: f64) -> Option<f64> {
    llr_of_means(tally, score_from_elo(elo0), score_from_elo(elo1))
}

/// Log-likelihood ratio of `nelo1` to `nelo0`, both normalised Elo differences, which fix t = (mean − 1/2) / σ. `None`
/// without observations, or where the absolute value of a difference is above about 230, for which the method has no solution.
///
/// ```
/// use banmen_stats::{Pairs, llr_normalised};
///
/// let pairs = Pairs { counts: [10, 20, 40, 25, 15] };
/// assert_eq!(format!("{:.4}", llr_normalised(&pairs, 0.0, 10.0).unwrap()), "0.4409");
/// ```
pub fn llr_normalised<const K: usize>(tally: &Tally<K>, nelo0: f64, nelo1: f64) -> Option<f64> {
    let (n, frequencies) = regularised(tally)?;
    let per_observation = (Tally::<K>::GAMES_EACH as f64).sqrt() / NORMALISED_ELO;
    let shortfall0 = shortfall_at_t(&frequencies, nelo0 * per_observation)?;
    let shortfall1 = shortfall_at_t(&frequencies, nelo1 * per_observation)?;
    Some(n * (shortfall0 - shortfall1))
}

/// Log-likelihood ratio of `elo1` to `elo0`, both on the scale of the program BayesElo: the share of draws observed
/// gives [`draw_elo`], that and an Elo difference give the mean score. The model has no
/// pairs. `None` as for [`llr_logistic`].
pub fn llr_bayes_elo(games: &Games, elo0: f64, elo1: f64) -> Option<f64> {
    let draw_elo = draw_elo(games)?;
    let mean = |elo: f64| {
        let win = score_from_elo(elo - draw_elo);
        let loss = score_from_elo(-elo - draw_elo);
        0.5 * (1.0 + win - loss)
    };
    llr_of_means(games, mean(elo0), mean(elo1))
}

/// The draw parameter of BayesElo (the model of Rao and Kupper 1967) for the observed shares of wins W and losses L:
/// 200 log₁₀((1 − L)/L × (1 − W)/W), where P(win) = 1 / (1 + 10^((drawelo − elo)/400)). `None` without games.
pub fn draw_elo(games: &Games) -> Option<f64> {
    let (_, [loss, draw, win]) = regularised(games)?;
    // 1 − L and 1 − W without cancellation.
    Some(200.0 * ((draw + win) / loss * (draw + loss) / win).log10())
}

/// The counts as a total and frequencies, with 0.001 in place of each 0 as fishtest and fastchess do, so that a ratio
/// exists where only one result was ever seen. `None` without observations.
fn regularised<const K: usize>(tally: &Tally<K>) -> Option<(f64, [f64; K])> {
    if tally.total() == 0 {
        return None;
    }
    let counts = tally.counts.map(|n| if n == 0 { 1e-3 } else { n as f64 });
    let total: f64 = counts.iter().sum();
    Some((total, counts.map(|n| n / total)))
}

/// Number of observations, mean score and variance of one, of the counts so regularised. `None` without observations.
pub(crate) fn moments<const K: usize>(tally: &Tally<K>) -> Option<(f64, f64, f64)> {
    let (n, frequencies) = regularised(tally)?;
    Some((n, mean(&frequencies, &Tally::<K>::SCORES), variance(&frequencies, &Tally::<K>::SCORES)))
}

/// Log-likelihood ratio of two mean scores.
fn llr_of_means<const K: usize>(tally: &Tally<K>, mean0: f64, mean1: f64) -> Option<f64> {
    let (n, frequencies) = regularised(tally)?;
    let shortfall_at = |mean: f64| {
        let phi = Tally::<K>::SCORES.map(|a| a - mean);
        Some(shortfall(&frequencies, &phi, multiplier(&frequencies, &phi)?))
    };
    Some(n * (shortfall_at(mean0)? - shortfall_at(mean1)?))
}

/// Shortfall of the most likely probabilities with (mean − 1/2) / σ = `t`.
///
/// The constraint is not linear in the probabilities, so it is linearised about the last ones,
/// φᵢ = aᵢ − 1/2 − t σ (1 + ((μ − aᵢ)/σ)²) / 2, and solved again until they converge (Van den Bergh, *Normalized
/// Elo practical*). `None` where they do not converge.
fn shortfall_at_t<const K: usize>(frequencies: &[f64; K], t: f64) -> Option<f64> {
    let mut probabilities = [1.0 / K as f64; K];
    // Usually a dozen iterations; some hundred where nearly all observations are even and the hypothesis is far away. The
    // last digits of the probabilities keep changing where a category was never observed; those of the likelihood do not.
    let mut last = f64::INFINITY;
    for _ in 0..2000 {
        let mean = mean(&probabilities, &Tally::<K>::SCORES);
        let sigma = variance(&probabilities, &Tally::<K>::SCORES).sqrt();
        let phi = Tally::<K>::SCORES.map(|a| a - 0.5 - 0.5 * t * sigma * (1.0 + ((mean - a) / sigma).powi(2)));
        let theta = multiplier(frequencies, &phi)?;
        for ((p, f), phi) in probabilities.iter_mut().zip(frequencies).zip(phi) {
            *p = f / (1.0 + theta * phi);
        }
        let found = shortfall(frequencies, &phi, theta);
        if (found - last).abs() < 1e-14 {
            return Some(found);
        }
        last = found;
    }
    None
}
