//! The lengths of the lists of moves, by the number of trials that a search has.
//!
//! A search that cannot finish its second iteration with long lists does better with short ones: docs/golad.md has the
//! matches that the lengths come from.

use banmen_game::mix;
use banmen_search::Limits;

use super::births::Breadth;

/// How many lengths of `widths` there are.
pub(super) const WIDTHS: usize = 6;

/// The lengths of the lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lists {
    /// Parts of births at the root.
    pub(super) root: Breadth,
    /// The same below it.
    pub(super) inner: Breadth,
    /// Moves of the root that the second iteration searches, if it is more than the first width and the lines asked for.
    pub(super) survey: usize,
    /// Moves searched at each ply from the root; the last number applies to all deeper plies.
    pub(super) widths: [usize; WIDTHS],
}

/// Lengths that were measured, with the trials of a move at which they were, fewer first.
const MEASURED: [(f64, Lists); 3] =
    [(2e4, lists([20, 16, 2], [5, 10, 1], 60)), (2e5, lists([40, 40, 4], [8, 12, 2], 100)), (2e6, LONGEST)];

/// The lengths without limits.
pub(super) const LONGEST: Lists = lists([80, 60, 6], [16, 24, 3], 400);

const fn lists(root: [usize; 3], inner: [usize; 3], survey: usize) -> Lists {
    Lists { root: Breadth::new(root), inner: Breadth::new(inner), survey, widths: [32, 32, 20, 16, 12, 8] }
}

impl Lists {
    /// The lengths for a search with so many trials, between those measured in proportion to the logarithm of the trials.
    pub(super) fn for_trials(trials: f64) -> Lists {
        let [first, .., last] = MEASURED;
        if trials <= first.0 {
            return first.1;
        }
        let Some(&[(fewer, short), (more, long)]) = MEASURED.array_windows().find(|[_, more]| trials < more.0) else {
            return last.1;
        };
        let part = libm::log(trials / fewer) / libm::log(more / fewer);
        short.with(&long, |a, b| libm::round(a as f64 + (b as f64 - a as f64) * part) as usize)
    }

    /// These lengths, and `other` where one is 0.
    pub(super) fn or(&self, other: &Lists) -> Lists {
        self.with(other, |own, other| if own == 0 { other } else { own })
    }

    /// The lengths that `choose` makes of two.
    fn with(&self, other: &Lists, choose: impl Fn(usize, usize) -> usize) -> Lists {
        let breadth = |a: Breadth, b: Breadth| Breadth {
            births: choose(a.births, b.births),
            sacrifices: choose(a.sacrifices, b.sacrifices),
            pairs: choose(a.pairs, b.pairs),
        };
        Lists {
            root: breadth(self.root, other.root),
            inner: breadth(self.inner, other.inner),
            survey: choose(self.survey, other.survey),
            widths: std::array::from_fn(|ply| choose(self.widths[ply], other.widths[ply])),
        }
    }

    /// Differs between lengths with which a position below the root has other values.
    pub(super) fn salt(&self) -> u64 {
        let Breadth { births, sacrifices, pairs } = self.inner;
        let lengths = [births, sacrifices, pairs].into_iter().chain(self.widths);
        lengths.fold(0, |salt, length| mix(salt ^ length as u64))
    }

    /// The number of moves that are searched `ply` plies after the root.
    pub(super) fn width(&self, ply: usize) -> usize {
        self.widths[ply.min(WIDTHS - 1)]
    }
}

/// How many trials a search will have, from its limits and the speed of the searches before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forecast {
    /// Trials a second.
    speed: f64,
}

impl Default for Forecast {
    /// The speed on one core of a server of 2024.
    fn default() -> Self {
        Forecast { speed: 2e7 }
    }
}

impl Forecast {
    /// The trials within the limits; infinite without limits of time, nodes and playouts.
    pub(super) fn trials(&self, limits: &Limits) -> f64 {
        let counted = [limits.nodes, limits.playouts].into_iter().flatten().map(|count| count as f64);
        let timed = limits.budget().map(|time| time.as_secs_f64() * self.speed);
        counted.chain(timed).fold(f64::INFINITY, f64::min)
    }

    /// Learns from a finished search. Ones too short to be measured are ignored.
    pub(super) fn learn(&mut self, trials: u64, seconds: f64) {
        const SHORTEST: f64 = 0.5e-3;
        if seconds > SHORTEST {
            // Half of the difference: a search that was interrupted must not decide the next one.
            self.speed += 0.5 * (trials as f64 / seconds - self.speed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// All lengths, to compare.
    fn lengths(lists: Lists) -> Vec<usize> {
        let Lists { root, inner, survey, widths } = lists;
        let breadths = [root, inner].into_iter().flat_map(|b| [b.births, b.sacrifices, b.pairs]);
        breadths.chain([survey]).chain(widths).collect()
    }

    #[test]
    fn more_trials_never_shorten_a_list() {
        let mut before = lengths(Lists::for_trials(0.0));
        for step in 0..400 {
            let now = lengths(Lists::for_trials(libm::exp2(f64::from(step) * 0.1)));
            assert!(now.iter().zip(&before).all(|(now, before)| now >= before), "{now:?} after {before:?}");
            before = now;
        }
        assert_eq!(before, lengths(LONGEST));
        for (trials, measured) in MEASURED {
            assert_eq!(Lists::for_trials(trials), measured);
        }
        assert_eq!(Lists::for_trials(f64::INFINITY), LONGEST);
    }

    #[test]
    fn forecast_follows_limits_and_speed() {
        let mut forecast = Forecast { speed: 1e6 };
        assert_eq!(forecast.trials(&Limits::default()), f64::INFINITY);
        assert_eq!(forecast.trials(&Limits::time(Duration::from_millis(10))), 1e4);
        assert_eq!(forecast.trials(&Limits::nodes(500)), 500.0);
        assert_eq!(forecast.trials(&Limits { nodes: Some(500), ..Limits::time(Duration::from_micros(100)) }), 100.0);
        forecast.learn(3_000_000, 1.0);
        assert_eq!(forecast.speed, 2e6);
        forecast.learn(1_000_000_000, 1e-6);
        assert_eq!(forecast.speed, 2e6, "too short to be measured");
    }
}
