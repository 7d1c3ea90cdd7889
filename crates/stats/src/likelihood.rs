//! Multinomial maximum likelihood under a constraint, for the sequential tests and the interval.
//!
//! Of all probabilities p over the categories with Σ pᵢ φᵢ = 0, those that make the observed frequencies p̂ most
//! likely are pᵢ = p̂ᵢ / (1 + θ φᵢ), where θ solves Σ p̂ᵢ φᵢ / (1 + θ φᵢ) = 0 (Owen, *Empirical Likelihood*, 2001;
//! Van den Bergh, *Comparing the approximations for the GLLR*). For a given mean score m, φᵢ = aᵢ − m.

/// Solves for the multiplier θ, in [−1/max φ, −1/min φ]. `None` unless φ takes both signs: then no probabilities
/// meet the constraint, or only trivial ones.
///
/// A category that was never observed has no term in the sum. Where the equation then has no root, the maximum gives
/// the extreme category the remaining probability, and θ is the end of the range, to which the bisection converges.
///
/// Both slices have the same length. They are no arrays, so that this is compiled here, and not in crates whose tests are
/// built without optimisation.
pub(crate) fn multiplier(frequencies: &[f64], phi: &[f64]) -> Option<f64> {
    debug_assert_eq!(frequencies.len(), phi.len());
    let min = phi.iter().copied().fold(f64::INFINITY, f64::min);
    let max = phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(min < 0.0 && max > 0.0 && min.is_finite() && max.is_finite()) {
        return None;
    }
    // The sum decreases strictly between the two poles. Two hundred halvings find any root to the last bit, except one so
    // near 0 that the error does not matter.
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
pub(crate) fn shortfall(frequencies: &[f64], phi: &[f64], theta: f64) -> f64 {
    debug_assert_eq!(frequencies.len(), phi.len());
    let observed = frequencies.iter().zip(phi).filter(|(p, _)| **p > 0.0);
    observed.map(|(p, f)| p * (theta * f).ln_1p()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constrained maximum of 110 pairs and of 120 games, at Elo differences 0 and 10.
    #[test]
    fn multipliers_by_hand() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 5e-9, "{a} is not {b}");
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        let pairs = [10.0, 20.0, 40.0, 25.0, 15.0].map(|n| n / 110.0);
        let phi = scores.map(|a| a - 0.5);
        let theta = multiplier(&pairs, &phi).unwrap();
        close(theta, 0.413481743);
        let expected = [0.11460201, 0.20277960, 0.36363636, 0.20598044, 0.11300159];
        for ((p, f), expected) in pairs.iter().zip(phi).zip(expected) {
            close(p / (1.0 + theta * f), expected);
        }
        let mean = 1.0 / (1.0 + 10f64.powf(-10.0 / 400.0));
        close(multiplier(&pairs, &scores.map(|a| a - mean)).unwrap(), 0.240778701);

        let games = [30.0, 40.0, 50.0].map(|n| n / 120.0);
        close(multiplier(&games, &[-0.5, 0.0, 0.5]).unwrap(), 0.5);
        close(multiplier(&games, &[-mean, 0.5 - mean, 1.0 - mean]).unwrap(), 0.415441873);
    }

    /// The best result was never observed; it gets the probability that a mean above all observations requires.
    #[test]
    fn unseen_category_takes_the_rest() {
        let theta = multiplier(&[0.0, 1.0, 0.0], &[-0.75, -0.25, 0.25]).unwrap();
        assert_eq!(theta, -4.0);
        // Half draws, half wins: p = 1 / (1 + 1), so ln 2 is lost.
        assert!((shortfall(&[0.0, 1.0, 0.0], &[-0.75, -0.25, 0.25], theta) - 2f64.ln()).abs() < 1e-15);
        assert_eq!(multiplier(&[0.0, 1.0, 0.0], &[0.0, 0.5, 1.0]), None);
    }
}
