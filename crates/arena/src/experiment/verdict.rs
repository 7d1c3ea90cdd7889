//! Comparison of published and measured values: the rule, which is fixed before anything is played.

use banmen_stats::{Estimated, Interval, difference_interval, difference_p_value, equivalence_size, holm, sample_size};
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::Evidence;
use super::figure::{Figure, PublishedSample};

/// Confidence of the interval that decides whether a figure differs.
const DIFFERS: f64 = 0.95;

/// Confidence of the interval that decides whether a figure agrees: both of its sides are tests at 5 %.
const AGREES: f64 = 0.90;

/// The power of the longer experiment that an undecided verdict suggests.
const POWER: f64 = 0.8;

/// The margin of agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Margin {
    /// The largest difference, in the unit of the quantity.
    Difference(f64),
    /// The largest ratio, above 1: times, speeds and ratios are compared by their logarithms, on which their errors are
    /// symmetric.
    Ratio(f64),
}

impl Margin {
    /// The margin of an experiment that states none, in points of score.
    pub(crate) const DEFAULT: Margin = Margin::Difference(7.0);

    /// The same scale, with the margin of a figure, if it has one.
    fn of(self, figure: &Figure) -> Margin {
        match (self, figure.margin) {
            (_, None) => self,
            (Margin::Difference(_), Some(margin)) => Margin::Difference(margin),
            (Margin::Ratio(_), Some(ratio)) => Margin::Ratio(ratio),
        }
    }

    /// The margin on the scale of the comparison.
    fn width(self) -> f64 {
        match self {
            Margin::Difference(margin) => margin,
            Margin::Ratio(ratio) => ratio.ln(),
        }
    }

    /// A value on the scale of the comparison; -∞ for 0 on a log scale.
    fn scaled(self, value: f64) -> f64 {
        match self {
            Margin::Difference(_) => value,
            Margin::Ratio(_) => value.max(0.0).ln(),
        }
    }

    /// An interval on the scale of the comparison. That of a mean is symmetric on a log scale, with the relative error of
    /// the mean; others are mapped.
    fn scaled_interval(self, value: f64, Interval { low, high }: Interval, mean: bool) -> Interval {
        match self {
            Margin::Ratio(_) if mean => {
                let error = 0.5 * (high - low) / value;
                Interval { low: value.ln() - error, high: value.ln() + error }
            }
            _ => Interval { low: self.scaled(low), high: self.scaled(high) },
        }
    }

    /// A difference on the scale of the comparison as it is reported: a difference or a ratio.
    fn reported(self, difference: f64) -> f64 {
        match self {
            Margin::Difference(_) => difference,
            Margin::Ratio(_) => difference.exp(),
        }
    }
}

/// The rule in words, with the margin of the experiment.
pub(crate) fn rule(margin: Margin, unit: &str) -> String {
    let unit = match unit {
        "%" => " points",
        "" => "",
        unit => &format!(" {unit}"),
    };
    let (difference, none, within) = match margin {
        Margin::Difference(margin) => ("difference from", "0", format!("{margin}{unit}")),
        Margin::Ratio(ratio) => ("ratio to", "1", format!("a factor of {ratio}")),
    };
    format!(
        "Verdict, by a rule fixed in advance: a figure differs if the 95 % interval of its {difference} the measured \
         one, which includes the sampling error of both and the whole imprecision of the figure, excludes {none} after \
         Holm's correction over the table; it agrees if the 90 % interval lies within {within}; otherwise it is \
         undecided, as is every figure whose sample is unknown. A significant difference within the margin is marked \
         as such."
    )
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    fn new(differs: bool, agrees: bool) -> Verdict {
        match (differs, agrees) {
            (true, false) => Verdict::Differs,
            (true, true) => Verdict::DiffersWithin,
            (false, true) => Verdict::Agrees,
            (false, false) => Verdict::Undecided,
        }
    }

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

/// A published figure compared with the measurement. Differences are measured minus published; where the margin is a
/// ratio, measured divided by published.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// The difference or ratio.
    pub difference: f64,
    /// Its 95 % interval, widened by the imprecision of the figure.
    #[serde(serialize_with = "ends")]
    #[schemars(with = "[f64; 2]")]
    pub interval: Interval,
    /// The two-sided p value of no difference beyond the imprecision of the figure, without correction.
    pub p: f64,
    /// The same after Holm's correction over the figures of the table that have a sample; `None` without one.
    pub adjusted: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of observations (pairs, trials, samples) that decides with probability 0.8 if the difference is as measured.
    /// `None` where it is decided, or where the published sample is unknown or too small for any number of observations to
    /// decide.
    pub needed: Option<u64>,
    /// The published sample that would decide, where it is unknown and could.
    pub deciding: Option<Deciding>,
}

/// The size of an unknown published sample from which on there would be another verdict than undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deciding {
    /// The smallest such number of games, trials or samples.
    pub sample: u64,
    /// The verdict from there on.
    pub verdict: Verdict,
}

fn ends<S: serde::Serializer>(interval: &Interval, serializer: S) -> Result<S::Ok, S::Error> {
    [interval.low, interval.high].serialize(serializer)
}

/// Compares the figures of a table with the measurements; `None` where there are too few observations.
pub(crate) fn compare(pairs: &[(&Figure, Option<Evidence>)], margin: Margin) -> Vec<Option<Comparison>> {
    let sampled = |(figure, evidence): &(&Figure, Option<Evidence>)| {
        evidence.is_some_and(|evidence| !sample_unknown(figure, &evidence))
    };
    let tests = pairs.iter().filter(|pair| sampled(pair)).count();
    let all = pairs.iter().filter(|(_, evidence)| evidence.is_some()).count();
    let mut found: Vec<Option<Comparison>> =
        pairs.iter().map(|(figure, evidence)| one(figure, evidence.as_ref()?, margin, tests, all)).collect();
    // A figure without a sample is not tested, so it does not count in the correction.
    let mut tested: Vec<&mut Comparison> =
        found.iter_mut().zip(pairs).filter(|(_, pair)| sampled(pair)).filter_map(|(one, _)| one.as_mut()).collect();
    let p_values: Vec<f64> = tested.iter().map(|comparison| comparison.p).collect();
    let adjusted = holm(&p_values).unwrap_or_default();
    for (comparison, adjusted) in tested.iter_mut().zip(adjusted) {
        comparison.adjusted = Some(adjusted);
        comparison.verdict = Verdict::new(adjusted < 1.0 - DIFFERS, comparison.verdict == Verdict::Agrees);
        if comparison.verdict != Verdict::Undecided {
            comparison.needed = None;
        }
    }
    found
}

/// Whether the figure is an estimate from a sample that the source does not state.
fn sample_unknown(figure: &Figure, evidence: &Evidence) -> bool {
    figure.sample == PublishedSample::Unknown && !matches!(evidence, Evidence::Exact { .. })
}

/// A figure beside its measurement, on the scale of the comparison.
struct Pair<'a> {
    figure: &'a Figure,
    evidence: &'a Evidence,
    margin: Margin,
    /// The measured and the published value.
    values: [f64; 2],
    /// The imprecision of the published value, downward and upward.
    within: [f64; 2],
}

impl<'a> Pair<'a> {
    /// `None` without a measurement, or without a logarithm of it where one is needed.
    fn new(figure: &'a Figure, evidence: &'a Evidence, margin: Margin) -> Option<Self> {
        let margin = margin.of(figure);
        let values = [margin.scaled(evidence.value()?), margin.scaled(figure.value)];
        let end = |value: f64| (margin.scaled(value) - values[1]).abs();
        let within = [end(figure.value - figure.within), end(figure.value + figure.within)];
        values.iter().all(|value| value.is_finite()).then_some(Pair { figure, evidence, margin, values, within })
    }

    fn difference(&self) -> f64 {
        self.values[0] - self.values[1]
    }

    fn measured(&self, confidence: f64) -> Option<Interval> {
        let mean = matches!(self.evidence, Evidence::Mean { .. });
        Some(self.margin.scaled_interval(self.evidence.value()?, self.evidence.interval(confidence)?, mean))
    }

    /// The interval of the figure's sampling error, if it has this sample.
    fn published(&self, sample: PublishedSample, confidence: f64) -> Option<Interval> {
        let measured = self.evidence.sample();
        let figure = Figure { sample, ..self.figure.clone() };
        let interval = figure.interval(measured.as_ref(), confidence)?;
        Some(self.margin.scaled_interval(figure.value, interval, measured.is_some()))
    }

    /// The interval of the difference, if the figure has this sample. The imprecision of the figure is a bound and not a
    /// random error, so it is added to the interval and not to the variance.
    fn interval(&self, sample: PublishedSample, confidence: f64) -> Option<Interval> {
        let (measured, published) = (|c| self.measured(c), |c| self.published(sample, c));
        let [a, b] = self.values;
        let a = Estimated { value: a, interval: &measured };
        let b = Estimated { value: b, interval: &published };
        let Interval { low, high } = difference_interval(a, b, confidence)?;
        Some(Interval { low: low - self.within[1], high: high + self.within[0] })
    }

    /// 1 less the confidence at which 0 leaves the interval of the difference: the p value of the nearest value that the
    /// figure's imprecision leaves possible.
    fn p_value(&self) -> Option<f64> {
        let difference = self.difference();
        let nearest = difference.clamp(-self.within[0], self.within[1]);
        if nearest == difference && nearest != 0.0 {
            return Some(1.0);
        }
        let shifted = |Interval { low, high }| Interval { low: low + nearest, high: high + nearest };
        let (measured, published) = (|c| self.measured(c), |c| self.published(self.figure.sample, c).map(shifted));
        let [a, b] = self.values;
        let a = Estimated { value: a, interval: &measured };
        let b = Estimated { value: b + nearest, interval: &published };
        difference_p_value(a, b)
    }

    /// Whether the figure agrees, if it has this sample.
    fn agrees(&self, sample: PublishedSample) -> Option<bool> {
        let (inner, margin) = (self.interval(sample, AGREES)?, self.margin.width());
        Some(-margin <= inner.low && inner.high <= margin)
    }

    /// The verdict if the figure has this sample, at the first level of Holm's correction in a table of `tests` tests.
    fn verdict(&self, sample: PublishedSample, tests: usize) -> Option<Verdict> {
        let level = (1.0 - DIFFERS) / tests.max(1) as f64;
        let differs = !self.interval(sample, 1.0 - level)?.contains(0.0);
        Some(Verdict::new(differs, self.agrees(sample)?))
    }

    /// The published sample from which on there would be a verdict.
    fn deciding(&self, tests: usize) -> Option<Deciding> {
        let verdict = |sample| self.verdict(sample, tests).unwrap_or(Verdict::Undecided);
        if verdict(PublishedSample::Unknown) == Verdict::Undecided {
            return None;
        }
        let decides = |runs: u64| verdict(PublishedSample::Runs(runs)) != Verdict::Undecided;
        let enough = (0..40).map(|power| 1u64 << power).find(|&runs| decides(runs))?;
        // Not above `below`, and from `sample` on.
        let (mut below, mut sample) = (enough / 2, enough);
        while sample - below > 1 {
            let middle = below + (sample - below) / 2;
            if decides(middle) { sample = middle } else { below = middle }
        }
        Some(Deciding { sample, verdict: verdict(PublishedSample::Runs(sample)) })
    }

    /// The number of observations that would show the difference in a table of `tests` tests, at the first level of Holm's
    /// correction, or would show that it is within the margin, whichever is smaller.
    fn needed(&self, tests: usize) -> Option<u64> {
        let z = sample_size(1.0, 1.0, 1.0 - DIFFERS, 0.5)?.sqrt();
        let squared_error = |interval: Interval| (0.5 * (interval.high - interval.low) / z).powi(2);
        let n = self.evidence.observations() as f64;
        // On a log scale the variance is that of the relative error.
        let relative = |variance: f64, value: f64| match self.margin {
            Margin::Difference(_) => variance,
            Margin::Ratio(_) => variance / (value * value),
        };
        let variance = match self.evidence.sample() {
            Some(sample) => relative(sample.variance, sample.mean),
            None => squared_error(self.measured(DIFFERS)?) * n,
        };
        let fixed = match (self.figure.sample, self.evidence.sample()) {
            // With the variance of the runs here; Student's t would overestimate it while they are few.
            (PublishedSample::Runs(runs), Some(sample)) => relative(sample.variance, self.figure.value) / runs as f64,
            _ => squared_error(self.published(self.figure.sample, DIFFERS)?),
        };
        // The largest squared standard error of the difference, from the number of observations of variance 1. That of the
        // published sample is part of it, and does not decrease.
        let size = |observations: f64| {
            let left = 1.0 / observations - fixed;
            (left > 0.0).then(|| (variance / left).ceil() as u64)
        };
        let first_level = (1.0 - DIFFERS) / tests.max(1) as f64;
        let [down, up] = self.within;
        let difference = self.difference();
        let beyond = (difference - up).max(-down - difference);
        let shown = sample_size(beyond.max(0.0), 1.0, first_level, POWER).and_then(size);
        // The margin leaves this much on either side; the tests are those of an interval around its middle.
        let (width, middle) = (self.margin.width() - 0.5 * (down + up), difference + 0.5 * (down - up));
        let within = equivalence_size(middle, width, 1.0, 0.5 * (1.0 - AGREES), POWER).and_then(size);
        [shown, within].into_iter().flatten().min()
    }
}

/// One comparison of the table, before Holm's correction over the `tests` figures with a sample, of `all` figures: its
/// verdict is whether it agrees.
fn one(figure: &Figure, evidence: &Evidence, margin: Margin, tests: usize, all: usize) -> Option<Comparison> {
    let pair = Pair::new(figure, evidence, margin)?;
    let margin = pair.margin;
    let interval = pair.interval(figure.sample, DIFFERS)?;
    let unknown = sample_unknown(figure, evidence);
    let agrees = !unknown && pair.agrees(figure.sample)?;
    Some(Comparison {
        difference: margin.reported(pair.difference()),
        interval: Interval { low: margin.reported(interval.low), high: margin.reported(interval.high) },
        p: pair.p_value()?,
        adjusted: None,
        verdict: if agrees { Verdict::Agrees } else { Verdict::Undecided },
        needed: (!unknown).then(|| pair.needed(tests)).flatten(),
        deciding: unknown.then(|| pair.deciding(all)).flatten(),
    })
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

    const MARGIN: f64 = 7.0;

    fn verdict(figure: &Figure, evidence: Evidence, margin: f64) -> Comparison {
        compare(&[(figure, Some(evidence))], Margin::Difference(margin))[0].expect("a comparison")
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
        let last = compare(&table, Margin::Difference(2.0))[10].expect("a comparison");
        assert_eq!((last.verdict, last.adjusted), (Verdict::Undecided, Some(11.0 * last.p)));
    }

    #[test]
    fn imprecision_is_added_to_the_interval() {
        let almost = Figure { within: 5.0, ..games(5_000_000, 0, 5_000_000) };
        let share = Evidence::Share { won: 512_748, of: 1_000_000 };
        let found = verdict(&almost, share, MARGIN);
        assert_eq!((found.verdict, found.p), (Verdict::Agrees, 1.0));
        let exactly = Figure { within: 0.0, ..almost };
        let plain = verdict(&exactly, share, MARGIN);
        assert_eq!(plain.verdict, Verdict::DiffersWithin);
        assert!((found.interval.low - (plain.interval.low - 5.0)).abs() < 1e-9);
        assert!((found.interval.high - (plain.interval.high + 5.0)).abs() < 1e-9);
        let formula = Evidence::Exact { value: 0.839369 };
        assert_eq!(verdict(&figure(0.839369, PublishedSample::Unknown), formula, 1e-6).verdict, Verdict::Agrees);
        assert_eq!(verdict(&figure(0.839356, PublishedSample::Unknown), formula, 1e-6).verdict, Verdict::Differs);
    }

    #[test]
    fn a_rounded_figure_that_holds_rarely_differs() {
        // A true 98.5 % against "99 ± 0.5" of a large sample: at most 2.5 % of such experiments may differ, on one side. With
        // both errors added as variances it was 21 %.
        let rounded = Figure { within: 0.5, ..figure(99.0, PublishedSample::Runs(1 << 40)) };
        let (mut state, runs) = (5, 400);
        let differs = (0..runs)
            .filter(|_| {
                let found = verdict(&rounded, trials(&mut state, 2000, 0.985), MARGIN).verdict;
                matches!(found, Verdict::Differs | Verdict::DiffersWithin)
            })
            .count();
        assert!(differs <= 20, "{differs} of {runs}");
    }

    #[test]
    fn a_figure_without_a_sample_is_undecided() {
        let share = Evidence::Share { won: 5000, of: 10_000 };
        let unknown = figure(60.0, PublishedSample::Unknown);
        let found = verdict(&unknown, share, MARGIN);
        assert_eq!((found.verdict, found.adjusted, found.needed), (Verdict::Undecided, None, None));
        let Deciding { sample, verdict: then } = found.deciding.expect("a sample");
        assert_eq!(then, Verdict::Differs);
        // It is the smallest sample with that verdict.
        let of = |runs| verdict(&figure(60.0, PublishedSample::Runs(runs)), share, MARGIN).verdict;
        assert_eq!((of(sample - 1), of(sample)), (Verdict::Undecided, Verdict::Differs));
        let near = verdict(&figure(50.0, PublishedSample::Unknown), share, MARGIN).deciding.expect("a sample");
        assert_eq!(near.verdict, Verdict::Agrees);
        // At the margin no published sample decides; and it does not take part in the correction of the others.
        let edge = figure(43.5, PublishedSample::Unknown);
        let few = Evidence::Share { won: 50, of: 100 };
        assert_eq!(verdict(&edge, few, MARGIN).deciding, None);
        let known = games(6000, 0, 4000);
        let table = compare(&[(&known, Some(share)), (&unknown, Some(share))], Margin::DEFAULT);
        let found = table[0].expect("a comparison");
        assert_eq!(found.adjusted, Some(found.p));
    }

    #[test]
    fn ratios_are_compared_by_their_logarithms() {
        // Twice the published value and half of it are the same distance apart.
        let mean = |mean: f64| Evidence::Mean { n: 20, mean, variance: (0.1 * mean).powi(2) };
        let published = |value| figure(value, PublishedSample::Runs(20));
        let of = |a, b| compare(&[(&published(b), Some(mean(a)))], Margin::Ratio(1.25))[0].expect("a comparison");
        let (up, down) = (of(2.0, 1.0), of(1.0, 2.0));
        assert!((up.difference - 2.0).abs() < 1e-12 && (down.difference - 0.5).abs() < 1e-12);
        assert_eq!((up.verdict, down.verdict), (Verdict::Differs, Verdict::Differs));
        // The unit does not matter.
        let (ms, s) = (of(1100.0, 1000.0), of(1.1, 1.0));
        assert_eq!((ms.verdict, s.verdict), (Verdict::DiffersWithin, Verdict::DiffersWithin));
        assert!((ms.p - s.p).abs() < 1e-9 && (ms.interval.low - s.interval.low).abs() < 1e-9);
        assert_eq!(of(1.01, 1.0).verdict, Verdict::Agrees);
    }

    #[test]
    fn does_not_compare_too_few_observations() {
        let one = Evidence::Mean { n: 1, mean: 5.0, variance: 0.0 };
        assert!(compare(&[(&figure(5.0, PublishedSample::Runs(1)), Some(one))], Margin::DEFAULT)[0].is_none());
        assert!(compare(&[(&figure(5.0, PublishedSample::Runs(1)), None)], Margin::DEFAULT)[0].is_none());
    }
}
