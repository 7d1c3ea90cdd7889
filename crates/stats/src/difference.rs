//! The difference of two independent estimates, each of which brings its own interval.

use crate::hypothesis::Sample;
use crate::interval::Interval;
use crate::special::student_two_sided;

/// An estimate with its interval at any confidence strictly between 0 and 1.
#[derive(Clone, Copy)]
pub struct Estimated<'a> {
    /// The estimate.
    pub value: f64,
    /// Its interval; `None` where there is none.
    pub interval: &'a dyn Fn(f64) -> Option<Interval>,
}

/// The smallest p value that is given: smaller ones are given as this.
const LEAST_P: f64 = 1e-12;

impl Sample {
    /// The interval for the mean, by Student's t: mean ± t √(variance / n). `confidence` lies strictly between 0 and 1;
    /// `None` otherwise, and with fewer than two observations. A sample that does not vary gives a point.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        if self.n < 2 || !(confidence > 0.0 && confidence < 1.0) {
            return None;
        }
        let degrees = self.n as f64 - 1.0;
        let tail = 1.0 - confidence;
        // The tail falls as t grows: double until it is small enough, then halve the way.
        let (mut low, mut high) = (0.0, 1.0);
        while student_two_sided(high, degrees) > tail {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1e-13 * high {
            let middle = 0.5 * (low + high);
            if middle == low || middle == high {
                break;
            }
            if student_two_sided(middle, degrees) > tail { low = middle } else { high = middle }
        }
        let margin = high * (self.variance / self.n as f64).sqrt();
        Some(Interval { low: self.mean - margin, high: self.mean + margin })
    }
}

/// The interval for `a` − `b`, made of the intervals of both (MOVER, Zou and Donner 2008): the distances of the ends
/// from their estimates add up as independent errors do, each lower end with the upper end of the other,
///
/// ```text
/// low  = a − b − √((a − low a)² + (high b − b)²)
/// high = a − b + √((high a − a)² + (b − low b)²)
/// ```
///
/// For two proportions with Wilson's intervals this is Newcombe's method 10 (1998), for two means with known errors
/// the usual interval. It is as valid as the two intervals: where all games were won, it keeps their width. `None`
/// where one of them is.
pub fn difference_interval(a: Estimated<'_>, b: Estimated<'_>, confidence: f64) -> Option<Interval> {
    let (of_a, of_b) = ((a.interval)(confidence)?, (b.interval)(confidence)?);
    let difference = a.value - b.value;
    Some(Interval {
        low: difference - (a.value - of_a.low).hypot(of_b.high - b.value),
        high: difference + (of_a.high - a.value).hypot(b.value - of_b.low),
    })
}

/// Two-sided p value of the hypothesis that `a` and `b` estimate the same: 1 less the confidence at which 0 leaves the
/// [interval of their difference](difference_interval). Smaller values than 10⁻¹² are given as 10⁻¹². `None` where that
/// interval is.
pub fn difference_p_value(a: Estimated<'_>, b: Estimated<'_>) -> Option<f64> {
    let excluded = |confidence: f64| Some(!difference_interval(a, b, confidence)?.contains(0.0));
    let (mut out, mut inside) = (0.0, 1.0 - LEAST_P);
    if excluded(inside)? {
        return Some(LEAST_P);
    }
    while inside - out > LEAST_P {
        let middle = 0.5 * (out + inside);
        if excluded(middle)? { out = middle } else { inside = middle }
    }
    Some(1.0 - out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Games, pooled_t, wilson};

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} is not {b}");
    }

    #[test]
    fn newcombe_published_differences() {
        // Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10, columns (a) and (e) to (h).
        for (a, n, b, m, low, high) in [
            (56, 70, 48, 80, 0.0524, 0.3339),
            (5, 56, 0, 29, -0.0381, 0.1926),
            (0, 10, 0, 20, -0.1611, 0.2775),
            (0, 10, 0, 10, -0.2775, 0.2775),
            (10, 10, 0, 20, 0.6791, 1.0),
        ] {
            let of = |k: u64, n: u64| move |confidence| wilson(k, n, confidence);
            let (of_a, of_b) = (of(a, n), of(b, m));
            let estimate = |k: u64, n: u64, interval| Estimated { value: k as f64 / n as f64, interval };
            let found = difference_interval(estimate(a, n, &of_a), estimate(b, m, &of_b), 0.95).expect("an interval");
            close(found.low, low, 5e-5);
            close(found.high, high, 5e-5);
        }
    }

    #[test]
    fn students_interval_and_test_agree() {
        // Student's sleep data, group 1: 95 % interval of the mean -0.5297804 to 2.0297804 (R, t.test).
        let sleep = Sample { n: 10, mean: 0.75, variance: 3.200556 };
        let interval = sleep.interval(0.95).expect("an interval");
        close(interval.low, -0.5297804, 1e-6);
        close(interval.high, 2.0297804, 1e-6);
        assert_eq!(Sample { n: 1, ..sleep }.interval(0.95), None);
        assert_eq!(sleep.interval(1.0), None);
        let level = Sample { n: 3, mean: 2.0, variance: 0.0 }.interval(0.9).expect("a point");
        assert_eq!((level.low, level.high), (2.0, 2.0));
        // Against a fixed value the p value is that of the t test.
        let of = |confidence| sleep.interval(confidence);
        let fixed = |_| Some(Interval { low: 0.0, high: 0.0 });
        let (a, b) = (Estimated { value: 0.75, interval: &of }, Estimated { value: 0.0, interval: &fixed });
        close(difference_p_value(a, b).expect("a p value"), crate::one_sample_t(&sleep, 0.0).expect("a test").p, 1e-9);
    }

    #[test]
    fn p_value_is_where_the_interval_excludes_zero() {
        let games = |wins, losses| Games::from_wins_draws_losses(wins, 0, losses);
        let estimate = |a: Games, b: Games| {
            let (of_a, of_b) = (move |c| a.interval(c), move |c| b.interval(c));
            let value = |games: Games| games.score().expect("games");
            let (a, b) =
                (Estimated { value: value(a), interval: &of_a }, Estimated { value: value(b), interval: &of_b });
            let p = difference_p_value(a, b).expect("a p value");
            (p, difference_interval(a, b, 0.95).expect("an interval"))
        };
        for (a, b) in [((60, 40), (40, 60)), ((55, 45), (50, 50)), ((20, 0), (20, 0)), ((20, 0), (13, 7))] {
            let (p, interval) = estimate(games(a.0, a.1), games(b.0, b.1));
            assert_eq!(p < 0.05, !interval.contains(0.0), "{a:?} {b:?}: {p} {interval:?}");
        }
        assert!(estimate(games(100_000, 0), games(0, 100_000)).0 <= LEAST_P);
        // Two samples of one variance: the pooled t test, but for the degrees of freedom.
        let (a, b) = (Sample { n: 400, mean: 1.0, variance: 4.0 }, Sample { n: 400, mean: 0.7, variance: 4.0 });
        let (of_a, of_b) = (|c| a.interval(c), |c| b.interval(c));
        let p = difference_p_value(
            Estimated { value: a.mean, interval: &of_a },
            Estimated { value: b.mean, interval: &of_b },
        );
        close(p.expect("a p value"), pooled_t(&a, &b).expect("a test").p, 1e-3);
    }
}
