//! Comparison of published and measured values: the rule, which is fixed before anything is played.

use banmen_stats::{Estimated, Interval, difference_interval, difference_p_value, equivalence_size, holm, sample_size};
use serde::Serialize;

use super::evidence::Evidence;
use super::figure::{Figure, PublishedSample};

/// Confidence of the interval that decides whether a figure differs.
const DIFFERS: f64 = 0.95;

/// Confidence of the interval that decides whether a figure agrees: both of its sides are tests at 5 %.
const AGREES: f64 = 0.90;

/// The power of the longer experiment that an undecided verdict suggests.
const POWER: f64 = 0.8;

/// The default margin of agreement, in points of score.
pub(crate) const MARGIN: f64 = 7.0;

/// The rule in words, with the margin of the experiment.
#[must_use]
pub fn rule(margin: f64, unit: &str) -> String {
    let unit = match unit {
        "%" => " points",
        "" => "",
        unit => &format!(" {unit}"),
    };
    format!(
        "Verdict, by a rule fixed in advance: a figure differs if the 95 % interval of its difference from the measured \
         one, which includes the sampling error of both, excludes 0 after Holm's correction over the table; it agrees if \
         the 90 % interval lies within {margin}{unit}; otherwise it is undecided. A significant difference within the \
         margin is marked as such."
    )
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The difference is significant.
    Differs,
    /// The difference is significant, and within the margin.
    #[serde(rename = "differs within the margin")]
    DiffersWithin,
    /// The difference is within the margin.
    Agrees,
    /// Neither is significant.
    Undecided,
}

impl Verdict {
    /// The verdict in words.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Differs => "differs",
            Verdict::DiffersWithin => "differs within the margin",
            Verdict::Agrees => "agrees",
            Verdict::Undecided => "undecided",
        }
    }
}

/// A published figure compared with the measurement.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Comparison {
    /// Measured minus published.
    pub difference: f64,
    /// Its 95 % interval.
    #[serde(serialize_with = "ends")]
    pub interval: Interval,
    /// The two-sided p value of no difference, without correction.
    pub p: f64,
    /// The same after Holm's correction over the table.
    pub adjusted: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of observations (pairs, trials, samples) that decides with probability 0.8 if the difference is as measured.
    /// `None` where it is decided, or where the published sample is too small for any number of observations to decide.
    pub needed: Option<u64>,
}

fn ends<S: serde::Serializer>(interval: &Interval, serializer: S) -> Result<S::Ok, S::Error> {
    [interval.low, interval.high].serialize(serializer)
}

/// Compares the figures of a table with the measurements; `None` where there are too few observations.
pub(crate) fn compare(pairs: &[(&Figure, Option<Evidence>)], margin: f64) -> Vec<Option<Comparison>> {
    let tests = pairs.iter().filter(|(_, evidence)| evidence.is_some()).count();
    let mut found: Vec<Option<Comparison>> =
        pairs.iter().map(|(figure, evidence)| one(figure, evidence.as_ref()?, margin, tests)).collect();
    let p_values: Vec<f64> = found.iter().flatten().map(|comparison| comparison.p).collect();
    let adjusted = holm(&p_values).unwrap_or_default();
    for (comparison, adjusted) in found.iter_mut().flatten().zip(adjusted) {
        comparison.adjusted = adjusted;
        let within = comparison.verdict == Verdict::Agrees;
        comparison.verdict = match (adjusted < 1.0 - DIFFERS, within) {
            (true, false) => Verdict::Differs,
            (true, true) => Verdict::DiffersWithin,
            (false, true) => Verdict::Agrees,
            (false, false) => Verdict::Undecided,
        };
        if comparison.verdict != Verdict::Undecided {
            comparison.needed = None;
        }
    }
    found
}

/// One comparison of the table, before Holm's correction: its verdict is whether it agrees.
fn one(figure: &Figure, evidence: &Evidence, margin: f64, tests: usize) -> Option<Comparison> {
    let sample = evidence.sample();
    let measured = |confidence| evidence.interval(confidence);
    let published = |confidence| figure.interval(sample.as_ref(), confidence);
    let a = Estimated { value: evidence.value()?, interval: &measured };
    let b = Estimated { value: figure.value, interval: &published };
    let interval = difference_interval(a, b, DIFFERS)?;
    let inner = difference_interval(a, b, AGREES)?;
    let p = difference_p_value(a, b)?;
    let margin = figure.margin.unwrap_or(margin);
    let agrees = -margin <= inner.low && inner.high <= margin;
    Some(Comparison {
        difference: a.value - b.value,
        interval,
        p,
        adjusted: p,
        verdict: if agrees { Verdict::Agrees } else { Verdict::Undecided },
        needed: needed(figure, evidence, a.value - b.value, margin, tests),
    })
}

/// The number of observations that would show the difference in a table of `tests` tests, at the first level of Holm's
/// correction, or would show that it is within the margin, whichever is smaller.
fn needed(figure: &Figure, evidence: &Evidence, difference: f64, margin: f64, tests: usize) -> Option<u64> {
    let z = sample_size(1.0, 1.0, 1.0 - DIFFERS, 0.5)?.sqrt();
    let squared_error = |interval: Interval| (0.5 * (interval.high - interval.low) / z).powi(2);
    let n = evidence.observations();
    let variance = match evidence.sample() {
        Some(sample) => sample.variance,
        None => squared_error(evidence.interval(DIFFERS)?) * n as f64,
    };
    let fixed = match (figure.sample, evidence.sample()) {
        // With the variance of the runs here; Student's t would overestimate it while they are few.
        (PublishedSample::Runs(runs), Some(sample)) => sample.variance / runs as f64 + (figure.within / z).powi(2),
        _ => squared_error(figure.interval(None, DIFFERS)?),
    };
    // The largest squared standard error of the difference, from the number of observations of variance 1. That of the
    // published sample is part of it, and does not decrease.
    let size = |observations: f64| {
        let left = 1.0 / observations - fixed;
        (left > 0.0).then(|| (variance / left).ceil() as u64)
    };
    let first_level = (1.0 - DIFFERS) / tests.max(1) as f64;
    let shown = sample_size(difference, 1.0, first_level, POWER).and_then(size);
    let within = equivalence_size(difference, margin, 1.0, 0.5 * (1.0 - AGREES), POWER).and_then(size);
    [shown, within].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use banmen_stats::Pairs;

    use super::*;

    fn figure(value: f64, sample: PublishedSample) -> Figure {
        Figure { cell: 0, point: 0, quantity: 0, value, sample, within: 0.0, margin: None, by: None }
    }

    fn games(won: u64, drawn: u64, lost: u64) -> Figure {
        let all = (won + drawn + lost) as f64;
        figure(100.0 * (won as f64 + 0.5 * drawn as f64) / all, PublishedSample::Games { won, drawn, lost })
    }

    fn pairs(counts: [u64; 5]) -> Evidence {
        Evidence::Match { pairs: Pairs { counts }, won: 0, drawn: 0, lost: 0 }
    }

    fn verdict(figure: &Figure, evidence: Evidence, margin: f64) -> Comparison {
        compare(&[(figure, Some(evidence))], margin)[0].expect("a comparison")
    }

    #[test]
    fn applies_the_rule() {
        let even = pairs([100, 200, 400, 200, 100]);
        assert_eq!(verdict(&games(1200, 0, 800), even, MARGIN).verdict, Verdict::Differs);
        assert_eq!(verdict(&games(1000, 0, 1000), even, MARGIN).verdict, Verdict::Agrees);
        assert_eq!(verdict(&games(1100, 0, 900), even, 10.0).verdict, Verdict::DiffersWithin);
        // The interval of a hundred published games is wider than the margin: no number of games here decides.
        let open = verdict(&games(50, 0, 50), even, MARGIN);
        assert_eq!((open.verdict, open.needed), (Verdict::Undecided, None));
        // Few measured games, many published ones: more games decide.
        let few = verdict(&games(1000, 0, 1000), pairs([2, 4, 8, 4, 2]), MARGIN);
        assert_eq!(few.verdict, Verdict::Undecided);
        let needed = few.needed.expect("a number of pairs");
        assert!((50..400).contains(&needed), "{needed}");
    }

    #[test]
    fn the_suggested_number_of_games_decides() {
        // The same shares in the suggested number of pairs agree.
        let published = games(10_000, 0, 10_000);
        let few = verdict(&published, pairs([2, 4, 8, 4, 2]), MARGIN).needed.expect("a number");
        let times = few.div_ceil(20);
        let more = verdict(&published, pairs([2, 4, 8, 4, 2].map(|count| count * times)), MARGIN);
        assert_eq!(more.verdict, Verdict::Agrees);
    }

    /// A random number from 0 to 1.
    fn random(state: &mut u64) -> f64 {
        *state = banmen_game::mix(state.wrapping_add(1));
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Trials of this probability.
    fn trials(state: &mut u64, of: u64, share: f64) -> Evidence {
        Evidence::Share { won: (0..of).filter(|_| random(state) < share).count() as u64, of }
    }

    #[test]
    fn the_suggested_size_decides_with_the_stated_probability() {
        // Simulated experiments of the suggested size, of equal players, against a figure of many games.
        let published = games(500_000, 0, 500_000);
        let few = verdict(&published, Evidence::Share { won: 50, of: 100 }, MARGIN).needed.expect("a number");
        let (mut state, runs) = (1, 120);
        let agrees = |verdict| matches!(verdict, Verdict::Agrees | Verdict::DiffersWithin);
        let decided =
            (0..runs).filter(|_| agrees(verdict(&published, trials(&mut state, few, 0.5), MARGIN).verdict)).count();
        // Three standard errors of a share of 0.8 in so many runs.
        let rate = decided as f64 / f64::from(runs);
        assert!((rate - POWER).abs() < 0.11, "{few} trials: {rate}");
    }

    #[test]
    fn a_match_with_only_wins_has_an_interval() {
        let swept = pairs([0, 0, 0, 0, 5]);
        assert_eq!(verdict(&games(180, 0, 20), swept, MARGIN).verdict, Verdict::Undecided);
        assert_eq!(verdict(&games(180, 0, 20), pairs([0, 0, 0, 0, 500]), MARGIN).verdict, Verdict::Differs);
    }

    #[test]
    fn one_published_run_is_one_of_many() {
        // 61.1 where twenty runs have mean 56.5 and standard deviation 1.8: t = 4.6 / (1.8 √(1 + 1/20)), 19 degrees.
        let runs = Evidence::Mean { n: 20, mean: 56.5, variance: 1.8 * 1.8 };
        let found = verdict(&figure(61.1, PublishedSample::Runs(1)), runs, 2.0);
        assert!((found.p - 0.0219).abs() < 2e-4, "{}", found.p);
        assert_eq!(found.verdict, Verdict::Differs);
        // With ten figures that agree, Holm's correction makes it insignificant.
        let plain = figure(56.5, PublishedSample::Runs(1));
        let odd = figure(61.1, PublishedSample::Runs(1));
        let mut table: Vec<(&Figure, Option<Evidence>)> = vec![(&plain, Some(runs)); 10];
        table.push((&odd, Some(runs)));
        let last = compare(&table, 2.0)[10].expect("a comparison");
        assert_eq!((last.verdict, last.adjusted), (Verdict::Undecided, 11.0 * last.p));
    }

    #[test]
    fn wording_widens_the_interval() {
        let almost = Figure { within: 5.0, ..figure(50.0, PublishedSample::Unknown) };
        let share = Evidence::Share { won: 512_748, of: 1_000_000 };
        assert_eq!(verdict(&almost, share, MARGIN).verdict, Verdict::Agrees);
        let exactly = Figure { within: 0.0, ..almost };
        assert_eq!(verdict(&exactly, share, MARGIN).verdict, Verdict::DiffersWithin);
        let formula = Evidence::Exact { value: 0.839369 };
        assert_eq!(verdict(&figure(0.839369, PublishedSample::Unknown), formula, 1e-6).verdict, Verdict::Agrees);
        assert_eq!(verdict(&figure(0.839356, PublishedSample::Unknown), formula, 1e-6).verdict, Verdict::Differs);
    }

    #[test]
    fn does_not_compare_too_few_observations() {
        let one = Evidence::Mean { n: 1, mean: 5.0, variance: 0.0 };
        assert!(compare(&[(&figure(5.0, PublishedSample::Runs(1)), Some(one))], 1.0)[0].is_none());
        assert!(compare(&[(&figure(5.0, PublishedSample::Runs(1)), None)], 1.0)[0].is_none());
    }
}
