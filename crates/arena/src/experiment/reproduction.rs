//! The table of an experiment: published and measured values.

use std::fmt::Write as _;

use banmen_catalog::{QuantityKind, ResultTable};
use banmen_stats::Interval;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::evidence::Evidence;
use super::figure::{Figure, PublishedSample};
use super::grid::{BUDGET, counted, grouped};
use super::library::is_built_in;
use super::measured::Measured;
use super::pairwise::{self, RowTest, p_value, row_tests};
use super::replay::CellGames;
use super::verdict::{Comparison, Deciding, Margin, Verdict, compare, rule};
use super::{Experiment, Kind};
use crate::{ExperimentPlan, program, version};

/// The heading of the intervals.
pub(crate) const INTERVAL_COLUMN: &str = "95 % interval";

/// The headings of the numbers of observations: of matches, of measurements.
pub(crate) const SIZE_COLUMNS: [&str; 2] = ["won-drawn-lost", "samples"];

/// An experiment and its results.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// The experiment.
    pub experiment: Experiment,
    /// The rows of the table.
    pub rows: Vec<Row>,
    /// Tests between rows, where the experiment asks for them; none until the planned sample is there.
    pub tests: Vec<RowTest>,
    /// The rule of the verdicts, in words.
    pub rule: String,
    /// The scale of the run.
    pub scale: f64,
    /// The plan. Its scale is at least that of the run.
    pub plan: ExperimentPlan,
    /// The seed.
    pub seed: u64,
    /// The version of this program.
    pub version: &'static str,
    /// Whether the run was completed.
    pub complete: bool,
    /// Games for the report.
    #[serde(skip)]
    pub(crate) games: Vec<CellGames>,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExperimentRow")]
pub struct Row {
    /// The values of the factors, and the point of the axis where there is one.
    pub labels: Vec<String>,
    /// The number of its cell.
    pub cell: usize,
    /// The number of its quantity.
    pub quantity: usize,
    /// The measurement; `None` where there is none yet.
    pub evidence: Option<Evidence>,
    /// The value, in the unit of the quantity.
    pub value: Option<f64>,
    /// Its 95 % interval.
    pub interval: Option<[f64; 2]>,
    /// The published figure.
    pub published: Option<Figure>,
    /// Its 95 % interval, with its imprecision; `None` where its sample is unknown and nothing is said of its precision.
    pub published_interval: Option<[f64; 2]>,
    /// Their comparison.
    pub comparison: Option<Comparison>,
    /// Additional values.
    pub others: Vec<(String, Option<f64>)>,
}

impl Reproduction {
    pub(crate) fn new(
        experiment: &Experiment,
        measured: &[Measured],
        (scale, plan): (f64, ExperimentPlan),
        seed: u64,
        complete: bool,
    ) -> Reproduction {
        let preliminary = is_preliminary(scale, &plan, complete);
        let rows = experiment.rows(measured, preliminary);
        let tests = if preliminary { Vec::new() } else { row_tests(experiment, &rows) };
        let rule = rule(experiment.scaled_margin(), experiment.unit(experiment.main));
        Reproduction {
            experiment: experiment.clone(),
            rows,
            tests,
            rule,
            scale,
            plan,
            seed,
            version: version(),
            complete,
            games: Vec::new(),
        }
    }

    /// The options of `banmen reproduce` that make this reproduction in an empty store, each after a space. A run that was
    /// interrupted may have other shares of its cells.
    #[must_use]
    pub fn options(&self) -> String {
        let mut options = String::new();
        if self.plan.scale != 1.0 {
            let _ = write!(options, " --plan {}", self.plan.scale);
        }
        if self.scale < self.plan.scale {
            let _ = write!(options, " --scale {}", self.scale);
        }
        if self.seed != 1 {
            let _ = write!(options, " --seed {}", self.seed);
        }
        options
    }

    /// The command that makes this reproduction in an empty store. An experiment that is not built in is in the file
    /// `experiment.toml`, as in bundles.
    #[must_use]
    pub fn command(&self) -> String {
        let id = self.experiment.id.as_str();
        let what = if is_built_in(id) { id } else { "experiment.toml" };
        format!("{} reproduce {what}{}", program(), self.options())
    }

    /// Whether the planned sample is not there yet. Until then there are no verdicts, except of values that are the same in
    /// every sample: looking at a growing sample until a verdict pleases would raise its error.
    #[must_use]
    pub fn preliminary(&self) -> bool {
        is_preliminary(self.scale, &self.plan, self.complete)
    }

    /// The word for a figure without a verdict.
    fn unjudged(&self) -> &'static str {
        if self.preliminary() { "preliminary" } else { "too little" }
    }

    /// The table as JSON without what depends on the machine: times, and the moment of the plan.
    pub(crate) fn comparable(&self) -> Value {
        let row = |row: &Row| {
            let Row { labels, quantity, evidence, value, interval, published, comparison, .. } = row;
            json!({
                "labels": labels, "quantity": quantity, "evidence": evidence, "value": value, "interval": interval,
                "published": published, "comparison": comparison,
            })
        };
        self.rows.iter().map(row).collect()
    }

    /// The number of comparisons with each verdict, and of those without one.
    #[must_use]
    pub fn verdicts(&self) -> Vec<(&'static str, usize)> {
        let all = [Verdict::Agrees, Verdict::DiffersWithin, Verdict::Differs, Verdict::Undecided];
        let with = |verdict: Verdict| {
            let same = |row: &&Row| row.comparison.is_some_and(|comparison| comparison.verdict == verdict);
            self.rows.iter().filter(same).count()
        };
        let none = self.rows.iter().filter(|row| row.published.is_some() && row.comparison.is_none()).count();
        let shown = all.map(|verdict| (verdict.word(), with(verdict))).into_iter().chain([(self.unjudged(), none)]);
        shown.filter(|(_, count)| *count > 0).collect()
    }

    /// The table as text.
    #[must_use]
    pub fn table(&self) -> ResultTable {
        let experiment = &self.experiment;
        let published = self.rows.iter().any(|row| row.published.is_some());
        let judged = experiment.judged_quantities();
        let several = judged.len() > 1;
        let mut table = ResultTable::default();
        table.columns.extend(experiment.factors.iter().map(|factor| factor.name.clone()));
        table.columns.extend(experiment.axis.map(|axis| axis.name.to_owned()));
        let mut head = |name: &str| table.columns.push(name.to_owned());
        if several {
            head("quantity");
        }
        if published {
            head("published");
        }
        match judged[..] {
            [only] => head(&experiment.headed(only)),
            _ => head("measured"),
        }
        let sampled = self.is_sampled();
        if sampled {
            head(INTERVAL_COLUMN);
        }
        if published {
            let difference = if experiment.ratio { "ratio" } else { "difference" };
            ["verdict", difference, "p (Holm)"].into_iter().for_each(&mut head);
        }
        if sampled {
            head(SIZE_COLUMNS[usize::from(experiment.kind == Kind::Measure)]);
        }
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self.rows.iter().flat_map(|row| &row.others) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        table.columns.extend(names.iter().cloned());
        for row in &self.rows {
            let mut cells = experiment.labels(row);
            if several {
                cells.push(experiment.headed(row.quantity));
            }
            if published {
                cells.push(row.published.as_ref().map_or_else(String::new, describe));
            }
            let exact = experiment.is_exact(row.quantity);
            // An exact value beside a published one has enough digits to compare.
            let digits = |value: f64| match exact {
                true if value == value.round() => whole(value),
                true if row.published.is_some() => format!("{value:.6}"),
                _ => number(value, experiment.unit(row.quantity)),
            };
            cells.push(row.value.map_or_else(none, digits));
            if sampled {
                cells.push(match row.interval {
                    // An exact value has no interval.
                    Some(_) if exact => String::new(),
                    Some([low, high]) => format!("{} to {}", digits(low), digits(high)),
                    None => none(),
                });
            }
            if published {
                cells.push(self.verdict(row));
                match row.comparison {
                    Some(comparison) => {
                        let (ends, p) = (comparison.interval, comparison.adjusted);
                        cells.push(match (exact, experiment.ratio) {
                            (true, true) => number(comparison.difference, ""),
                            (true, false) => format!("{:+.0e}", comparison.difference),
                            (false, true) => format!("{} to {}", number(ends.low, ""), number(ends.high, "")),
                            (false, false) => {
                                format!("{:+} to {:+}", Signed(digits(ends.low)), Signed(digits(ends.high)))
                            }
                        });
                        cells.push(p.map_or_else(String::new, p_value));
                    }
                    None => cells.extend([String::new(), String::new()]),
                }
            }
            if sampled {
                cells.push(row.evidence.map_or_else(none, |evidence| evidence.describe()));
            }
            for name in &names {
                let shown = row.others.iter().find(|(known, _)| known == name).and_then(|(_, value)| *value);
                let shown = shown.map(|value| if value == value.round() { whole(value) } else { number(value, "") });
                cells.push(shown.unwrap_or_default());
            }
            table.rows.push(cells);
        }
        self.notes(published).into_iter().for_each(|note| table.note(note));
        table
    }

    /// Whether not all values are exact: else there are no intervals and no samples to show.
    fn is_sampled(&self) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|row| !self.experiment.is_exact(row.quantity))
    }

    /// The verdict of a row in words; empty without a published figure.
    #[must_use]
    pub fn verdict(&self, row: &Row) -> String {
        let Some(comparison) = row.comparison else {
            return row.published.as_ref().map_or_else(String::new, |_| self.unjudged().to_owned());
        };
        let word = comparison.verdict.word();
        let [one, many] = match row.evidence {
            Some(Evidence::Match { .. }) => ["game", "games"],
            Some(Evidence::Share { .. }) => ["trial", "trials"],
            _ => ["sample", "samples"],
        };
        let had = row.evidence.map_or(0, |evidence| evidence.observations());
        if let Some(Deciding { sample, verdict }) = comparison.deciding {
            let then = format!("{} if it has {} or more", verdict.word(), counted(sample, one, many));
            return format!("{word} (published sample unknown): {then}");
        }
        match (comparison.verdict, comparison.needed) {
            (Verdict::Undecided, _) if comparison.adjusted.is_none() => format!("{word} (published sample unknown)"),
            (Verdict::Undecided, Some(needed)) if needed <= had => format!("{word}, narrowly"),
            (Verdict::Undecided, Some(needed)) => {
                let needed = if one == "game" { needed.saturating_mul(2) } else { needed };
                format!("{word}: {} would decide", counted(needed, one, many))
            }
            (Verdict::Undecided, None) => format!("{word}: published sample too small"),
            _ => word.to_owned(),
        }
    }

    /// The lines below the table.
    fn notes(&self, published: bool) -> Vec<String> {
        let experiment = &self.experiment;
        let mut notes = Vec::new();
        if published {
            notes.push(self.rule.clone());
            notes.push(self.plan.describe());
            let unjudged = self.rows.iter().any(|row| row.published.is_some() && row.comparison.is_none());
            if self.scale < self.plan.scale && unjudged {
                let share = (1e4 * self.scale / self.plan.scale).round() / 100.0;
                notes.push(format!(
                    "Preliminary: {share} % of the planned sample. There are verdicts when it is complete."
                ));
            }
        }
        notes.extend(pairwise::describe(experiment, &self.rows, &self.tests));
        notes.push(match experiment.kind {
            Kind::Match => {
                "Intervals are on pairs of games, each opening played twice with the sides swapped; limits are \
                 the same for both players unless the budget says otherwise; time is processor time."
                    .to_owned()
            }
            Kind::Measure if !self.is_sampled() => "Exact values have no interval; time is processor time.".to_owned(),
            Kind::Measure => {
                "Intervals of shares are binomial, those of other numbers use Student's t over samples; time is \
                 processor time."
                    .to_owned()
            }
        });
        notes.extend(experiment.notes.iter().cloned());
        if !self.complete {
            notes.push("Interrupted: the same command resumes the run.".to_owned());
        }
        notes
    }
}

impl Experiment {
    /// Whether the values of a quantity are the same in every sample.
    fn is_exact(&self, quantity: usize) -> bool {
        self.quantities.get(quantity).is_some_and(|known| known.kind == QuantityKind::Exact)
    }

    /// Whether a quantity is the mean of numbers that vary.
    fn is_mean(&self, quantity: usize) -> bool {
        self.quantities.get(quantity).is_some_and(|known| known.kind == QuantityKind::Mean)
    }

    /// The rows of the table: published figures beside what was measured. Preliminary figures have no verdicts, except for
    /// values that are the same in every sample.
    pub(crate) fn rows(&self, measured: &[Measured], preliminary: bool) -> Vec<Row> {
        let judged = self.judged_quantities();
        let points = self.axis.map_or(1, |axis| axis.points.len());
        let mut rows = Vec::new();
        for (cell, described) in self.cells.iter().enumerate() {
            for point in 0..points {
                let here = |quantity: usize| {
                    let same =
                        move |known: &&Measured| (known.cell, known.point, known.quantity) == (cell, point, quantity);
                    measured.iter().find(same)
                };
                let mut others: Vec<(String, Option<f64>)> = (0..self.quantities.len())
                    .filter(|quantity| !judged.contains(quantity))
                    .map(|quantity| (self.headed(quantity), here(quantity).and_then(|found| found.evidence.value())))
                    .collect();
                for &quantity in &judged {
                    let found = here(quantity);
                    if let Some(found) = found {
                        others.extend(found.others.iter().map(|(name, value)| ((*name).to_owned(), Some(*value))));
                    }
                    let axis = self.axis.and_then(|axis| axis.points.get(point)).map(|point| (*point).to_owned());
                    let evidence = found.map(|found| found.evidence);
                    let place = (cell, point, quantity);
                    let figure = self.figures.iter().find(|known| (known.cell, known.point, known.quantity) == place);
                    rows.push(Row {
                        labels: described.labels.iter().cloned().chain(axis).collect(),
                        cell,
                        quantity,
                        evidence,
                        value: evidence.and_then(|evidence| evidence.value()),
                        interval: evidence
                            .and_then(|evidence| evidence.interval(0.95))
                            .map(|interval| within_unit([interval.low, interval.high], self.unit(quantity))),
                        published: figure.cloned(),
                        published_interval: figure
                            .and_then(|figure| published_interval(figure, self.is_mean(quantity), evidence.as_ref()))
                            .map(|ends| within_unit(ends, self.unit(quantity))),
                        comparison: None,
                        others: std::mem::take(&mut others),
                    });
                }
            }
        }
        let judges = |evidence: &Evidence| !preliminary || matches!(evidence, Evidence::Exact { .. });
        let pairs: Vec<(&Figure, Option<Evidence>)> =
            rows.iter().filter_map(|row| Some((row.published.as_ref()?, row.evidence.filter(judges)))).collect();
        let comparisons = compare(&pairs, self.scaled_margin());
        for (row, comparison) in rows.iter_mut().filter(|row| row.published.is_some()).zip(comparisons) {
            row.comparison = comparison;
        }
        rows
    }

    /// The labels of a row; the budget of the source is marked.
    #[must_use]
    pub(crate) fn labels(&self, row: &Row) -> Vec<String> {
        let mut labels = row.labels.clone();
        let column = self.factors.iter().position(|factor| factor.name == BUDGET);
        if let Some(label) = column.and_then(|column| labels.get_mut(column)).filter(|_| self.has_paper_budget(row)) {
            label.push_str(" (the source's)");
        }
        labels
    }

    /// Whether the budget of a row is the source's own.
    pub(crate) fn has_paper_budget(&self, row: &Row) -> bool {
        let cell = self.cells.get(row.cell);
        cell.and_then(|cell| self.budgets.get(cell.budget?)).is_some_and(|budget| budget.paper)
    }

    /// The quantities with published figures, or the main quantity.
    pub(crate) fn judged_quantities(&self) -> Vec<usize> {
        let judged: Vec<usize> = (0..self.quantities.len())
            .filter(|&quantity| self.figures.iter().any(|figure| figure.quantity == quantity))
            .collect();
        if judged.is_empty() { vec![self.main] } else { judged }
    }

    /// The heading of a quantity's column.
    pub(crate) fn headed(&self, quantity: usize) -> String {
        self.quantities.get(quantity).map_or_else(String::new, |quantity| {
            if quantity.unit.is_empty() {
                quantity.name.to_owned()
            } else {
                format!("{}, {}", quantity.name, quantity.unit)
            }
        })
    }

    /// The margin with its scale.
    fn scaled_margin(&self) -> Margin {
        if self.ratio { Margin::Ratio(self.margin) } else { Margin::Difference(self.margin) }
    }

    fn unit(&self, quantity: usize) -> &'static str {
        self.quantities.get(quantity).map_or("", |quantity| quantity.unit)
    }
}

fn is_preliminary(scale: f64, plan: &ExperimentPlan, complete: bool) -> bool {
    !complete || scale < plan.scale
}

/// The 95 % interval of a published figure, widened by its imprecision. That of a mean follows from what was measured, and is
/// the figure itself before.
fn published_interval(figure: &Figure, mean: bool, evidence: Option<&Evidence>) -> Option<[f64; 2]> {
    let sample = evidence.and_then(Evidence::sample);
    let sampled = if mean && sample.is_none() { None } else { figure.interval(sample.as_ref(), 0.95) };
    let [low, high] = sampled.map_or([figure.value; 2], |Interval { low, high }| [low, high]);
    let ends = [low - figure.within, high + figure.within];
    (ends[0] < ends[1]).then_some(ends)
}

/// A formatted number that supports `{:+}`.
struct Signed(String);

impl std::fmt::Display for Signed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if f.sign_plus() && !self.0.starts_with('-') && self.0.contains(|c: char| matches!(c, '1'..='9')) {
            f.write_str("+")?;
        }
        f.write_str(&self.0)
    }
}

/// The interval of a mean of shares, clamped to 0 and 100 %, which Student's t may exceed.
fn within_unit(interval: [f64; 2], unit: &str) -> [f64; 2] {
    if unit == "%" { interval.map(|end| end.clamp(0.0, 100.0)) } else { interval }
}

fn none() -> String {
    "n/a".to_owned()
}

/// A number without decimals from 10,000 on; else two decimals for per cent, and for others four significant digits from
/// 1 on, three decimals from 0.1 on, and five below.
pub(crate) fn number(value: f64, unit: &str) -> String {
    let size = value.abs();
    if size >= 9_999.5 {
        return whole(value);
    }
    if unit == "%" {
        return format!("{value:.2}");
    }
    match size {
        0.0 => "0".to_owned(),
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        10.0.. => format!("{value:.2}"),
        0.1.. => format!("{value:.3}"),
        _ => format!("{value:.5}"),
    }
}

/// A number without its decimals.
pub(crate) fn whole(value: f64) -> String {
    let sign = if value <= -0.5 { "-" } else { "" };
    let size = value.abs().round() as u64;
    if size < 10_000 { format!("{sign}{size}") } else { format!("{sign}{}", grouped(size)) }
}

/// A published figure in words.
pub(crate) fn describe(figure: &Figure) -> String {
    let mut text = match figure.sample {
        // Computed here; others are shown as they were published.
        PublishedSample::Games { .. } => number(figure.value, "%"),
        _ if figure.value == figure.value.round() => whole(figure.value),
        _ => figure.value.to_string(),
    };
    // A smaller value is the rounding of the last digit.
    if figure.within >= 0.1 {
        text.push_str(&format!(" ± {}", figure.within));
    }
    match figure.sample {
        PublishedSample::Games { won, drawn, lost } => text.push_str(&format!(" ({won}-{drawn}-{lost})")),
        PublishedSample::Runs(1) => text.push_str(" (1 run)"),
        PublishedSample::Runs(runs) => text.push_str(&format!(" (of {})", grouped(runs))),
        PublishedSample::Unknown => {}
    }
    if let Some(margin) = figure.margin {
        text.push_str(&format!(", margin {margin}"));
    }
    if let Some(by) = &figure.by {
        text.push_str(&format!(", {by}"));
    }
    text
}
