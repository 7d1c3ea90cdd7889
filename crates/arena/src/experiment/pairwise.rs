//! Tests between the rows of a table that differ in one factor alone.

use banmen_stats::{holm, welch_t};
use schemars::JsonSchema;
use serde::Serialize;

use super::grid::counted;
use super::reproduction::Row;
use super::{Experiment, Kind};

/// The level of the tests.
const LEVEL: f64 = 0.05;

/// Welch's t test between two rows that differ in the value of one factor alone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RowTest {
    /// The numbers of the rows.
    pub rows: [usize; 2],
    /// The value of the second minus that of the first, in the unit of the quantity.
    pub difference: f64,
    /// The two-sided p value, without correction.
    pub p: f64,
    /// The same after Holm's correction over the tests between rows with the same other factors.
    pub adjusted: f64,
}

/// The tests between all values of a factor, for each combination of the others' values; none if `compare` is not set. Rows
/// with too few observations, and pairs of which neither varies, are left out.
pub(crate) fn row_tests(experiment: &Experiment, rows: &[Row]) -> Vec<RowTest> {
    let Some(column) = experiment.compared else { return Vec::new() };
    let mut tests = Vec::new();
    for (first, row) in rows.iter().enumerate() {
        let alike = |other: &Row| others(other, column) == others(row, column) && other.quantity == row.quantity;
        if rows[..first].iter().any(alike) {
            continue;
        }
        let group: Vec<usize> = (first..rows.len()).filter(|&at| alike(&rows[at])).collect();
        let mut found: Vec<RowTest> = Vec::new();
        for (at, &one) in group.iter().enumerate() {
            found.extend(group[at + 1..].iter().filter_map(|&other| test(rows, [one, other])));
        }
        let p_values: Vec<f64> = found.iter().map(|test| test.p).collect();
        let adjusted = holm(&p_values).unwrap_or(p_values);
        found.iter_mut().zip(adjusted).for_each(|(test, adjusted)| test.adjusted = adjusted);
        tests.append(&mut found);
    }
    tests
}

/// The labels of a row, that of a column left out.
fn others(row: &Row, column: usize) -> Vec<&str> {
    row.labels.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, label)| label.as_str()).collect()
}

fn test(rows: &[Row], pair: [usize; 2]) -> Option<RowTest> {
    let [a, b] = pair.map(|row| rows[row].evidence.and_then(|evidence| evidence.observed()));
    let (a, b) = (a?, b?);
    let p = welch_t(&a, &b)?.p;
    Some(RowTest { rows: pair, difference: b.mean - a.mean, p, adjusted: p })
}

/// The results of the tests in words, a line for each combination of the values of the other factors.
pub(crate) fn describe(experiment: &Experiment, rows: &[Row], tests: &[RowTest]) -> Vec<String> {
    let Some(column) = experiment.compared else { return Vec::new() };
    let name = &experiment.factors[column].name;
    let of = match experiment.kind {
        Kind::Match => "the scores of pairs of games",
        Kind::Measure => "samples",
    };
    let place = |test: &RowTest| (others(&rows[test.rows[0]], column), rows[test.rows[0]].quantity);
    let mut lines = Vec::new();
    for group in tests.chunk_by(|a, b| place(a) == place(b)) {
        let labels = experiment.labels(&rows[group[0].rows[0]]);
        let mut at: Vec<String> =
            labels.into_iter().enumerate().filter(|(at, _)| *at != column).map(|(_, label)| label).collect();
        if experiment.judged_quantities().len() > 1 {
            at.push(experiment.headed(rows[group[0].rows[0]].quantity));
        }
        let pair = |test: &RowTest| test.rows.map(|row| rows[row].labels[column].as_str()).join(" and ");
        let mut differ: Vec<&RowTest> = group.iter().filter(|test| test.adjusted < LEVEL).collect();
        differ.sort_by(|a, b| a.p.total_cmp(&b.p));
        let result = match differ[..] {
            [] => {
                let Some(least) = group.iter().min_by(|a, b| a.p.total_cmp(&b.p)) else { continue };
                format!(
                    "none differ; the smallest p, of {}, is {}, without the correction {}",
                    pair(least),
                    p_value(least.adjusted),
                    p_value(least.p)
                )
            }
            _ => {
                let pairs: Vec<String> =
                    differ.iter().map(|test| format!("{} (p {})", pair(test), stated(test.adjusted))).collect();
                format!("these differ: {}", pairs.join(", "))
            }
        };
        let at = if at.is_empty() { String::new() } else { format!("At {}: ", at.join(", ")) };
        let tests = counted(group.len() as u64, "pair", "pairs");
        lines.push(format!(
            "{at}of the {tests} of values of {name} {result} (Welch's t test on {of}, Holm's correction over these)."
        ));
    }
    lines
}

/// A p value with its relation.
fn stated(p: f64) -> String {
    let shown = p_value(p);
    if shown.starts_with('<') { shown } else { format!("= {shown}") }
}

/// A p value with four decimals, as in the table.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}
