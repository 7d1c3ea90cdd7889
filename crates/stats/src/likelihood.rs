//! Multinomial likelihood under a constraint: one equation that the sequential tests and the interval share.
//!
//! Of all probabilities p over the categories with Σ pᵢ φᵢ = 0, those that make the observed frequencies p̂ most
//! likely are pᵢ = p̂ᵢ / (1 + θ φᵢ), where θ solves Σ p̂ᵢ φᵢ / (1 + θ φᵢ) = 0 (Owen, *Empirical Likelihood*, 2001;
//! Van den Bergh, *Comparing the approximations for the GLLR*). For a given mean score m, φᵢ = aᵢ − m.

/// Solves for the multiplier θ, in [−1/max φ, −1/min φ]. `None` unless φ takes both signs: then no probabilities
/// meet the constraint, or only trivial ones.
///
/// A category that was never observed has no term in the sum. Where the equation then has no root, the maximum gives
/// the extreme category the probability that is left over, and θ is the end of the range; bisection runs into that
/// end by itself.
pub(crate) fn multiplier<const K: usize>(frequencies: &[f64; K], phi: &[f64; K]) -> Option<f64> {
    let min = phi.iter().copied().fold(f64::INFINITY, f64::min);
    let max = phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(min < 0.0 && max > 0.0 && min.is_finite() && max.is_finite()) {
        return None;
    }
    // The sum falls strictly between the two poles. Two hundred halvings reach any root to the last bit, except one
    // so near 0 that it does not matter.
    let (mut low, mut high) = (-1.0 / max, -1.0 / min);
    for _ in 0..200 {
        let theta = 0.5 * (low + high);
        if theta <= low || theta >= high {
            break;
        }
        let observed = frequencies.iter().zip(phi).filter(|(p, _)| **p > 0.0);
        let sum: f64 = observed.map(|(p, f)| p * f / (1.0 + theta * f)).sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    Some(0.5 * (low + high))
}

/// Mean log-likelihood, per observation, by which the constrained maximum falls short of the free one:
/// Σ p̂ᵢ ln(p̂ᵢ / pᵢ) = Σ p̂ᵢ ln(1 + θ φᵢ), at least 0.
pub(crate) fn shortfall<const K: usize>(frequencies: &[f64; K], phi: &[f64; K], theta: f64) -> f64 {
    let observed = frequencies.iter().zip(phi).filter(|(p, _)| **p > 0.0);
    observed.map(|(p, f)| p * (theta * f).ln_1p()).sum()
}
