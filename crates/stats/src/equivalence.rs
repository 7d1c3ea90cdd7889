//! Comparison of two scores: their difference with its interval, and tests of equivalence.

use crate::difference::{Estimated, difference_interval};
use crate::interval::Interval;
use crate::score::Tally;
use crate::special::bisect;

/// The difference of two mean scores, each from its own tally of pairs or games. Both sample sizes count.
///
/// ```
/// use banmen_stats::{Difference, Games, Pairs};
///
/// // The published result is 119-30-51; the measured match has 100 pairs.
/// let published = Games::from_wins_draws_losses(119, 30, 51);
/// let measured = Pairs { counts: [10, 12, 25, 20, 33] };
/// let difference = Difference::new(&measured, &published).unwrap();
/// assert_eq!(format!("{:+.3}", difference.value()), "-0.035");
/// // Neither a difference nor equivalence within 7 points is significant.
/// assert!(difference.p_value(0.0).unwrap() > 0.05);
/// assert!(difference.equivalence(0.07).unwrap() > 0.05);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference<const A: usize, const B: usize> {
    a: Tally<A>,
    b: Tally<B>,
    scores: [f64; 2],
}

impl<const A: usize, const B: usize> Difference<A, B> {
    /// The score of `a` minus that of `b`. `None` where either has no observations.
    pub fn new(a: &Tally<A>, b: &Tally<B>) -> Option<Self> {
        Some(Difference { a: *a, b: *b, scores: [a.score()?, b.score()?] })
    }

    /// The observed difference, −1 to 1.
    pub fn value(&self) -> f64 {
        self.scores[0] - self.scores[1]
    }

    /// The interval for the difference, within [−1, 1], computed by [`difference_interval`] from the
    /// [intervals](Tally::interval) of the two scores. So it is valid for few games, and for games that were all won. `None`
    /// where `confidence` is not strictly between 0 and 1.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let [a, b] = self.scores;
        difference_interval(
            Estimated { value: a, interval: &|confidence| self.a.interval(confidence) },
            Estimated { value: b, interval: &|confidence| self.b.interval(confidence) },
            confidence,
        )
    }

    /// Two-sided p value of the hypothesis that the true difference is `difference`: below 1 − c where
    /// [`interval`](Self::interval) at confidence c excludes it. 0 for a difference that no interval contains. `None` for NaN.
    pub fn p_value(&self, difference: f64) -> Option<f64> {
        if difference.is_nan() {
            return None;
        }
        if difference == self.value() {
            return Some(1.0);
        }
        // The interval grows with the confidence, so there is one p at which it just reaches the difference.
        let reached = |p: f64| self.interval(1.0 - p).is_none_or(|interval| interval.contains(difference));
        // Below 1e-15, 1 − p is 1.
        Some(if reached(1e-15) { bisect(1e-15, 1.0, reached) } else { 0.0 })
    }

    /// p value of the claim that the two differ by less than `margin` > 0: two one-sided tests, against a true
    /// difference of −`margin` and of `margin`, the larger p value of the two (Schuirmann 1987). Below α exactly where
    /// the interval at confidence 1 − 2α lies inside the margin. `None` for another margin.
    pub fn equivalence(&self, margin: f64) -> Option<f64> {
        two_one_sided(self.value(), margin, |difference| self.p_value(difference))
    }
}

impl<const K: usize> Tally<K> {
    /// p value of the claim that the mean score differs from `reference` by less than `margin` > 0: two one-sided tests by
    /// [`p_value`](Self::p_value). Below α exactly where the interval at confidence 1 − 2α lies inside the margin. `None`
    /// for another margin, and without observations.
    pub fn equivalence(&self, reference: f64, margin: f64) -> Option<f64> {
        let test = |difference: f64| {
            let mean = reference + difference;
            // No score lies beyond 0 and 1, so an end of the margin there is ruled out by itself.
            if mean > 0.0 && mean < 1.0 { self.p_value(mean) } else { Some(0.0) }
        };
        let value = self.score()? - reference;
        if value.is_nan() { None } else { two_one_sided(value, margin, test) }
    }
}

/// The larger of two one-sided p values, computed from the two-sided ones of −`margin` and `margin`.
fn two_one_sided(value: f64, margin: f64, two_sided: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    if !(margin > 0.0 && margin.is_finite()) {
        return None;
    }
    let half = |p: f64, inside: bool| if inside { 0.5 * p } else { 1.0 - 0.5 * p };
    let below = half(two_sided(-margin)?, value > -margin);
    let above = half(two_sided(margin)?, value < margin);
    Some(below.max(above))
}
