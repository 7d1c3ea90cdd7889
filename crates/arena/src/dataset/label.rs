//! What is computed of a position.

use banmen_catalog::AnyState;
use banmen_search::Report;
use serde::{Deserialize, Serialize};

/// The longest unit of an evaluation that another machine may send, in bytes.
const MAX_UNIT: usize = 40;

/// More than any evaluation, depth and score; the counts fit the columns of the dataset.
const MAX_EVAL: f64 = 1e12;
const MAX_DEPTH: u32 = 1 << 20;
const MAX_SCORE: i32 = 1 << 20;
const MAX_COUNT: u64 = 1 << 62;

/// What was computed of a position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The result of a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchValue>,
    /// The exact value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<ExactValue>,
}

/// The result of a search of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchValue {
    /// The value for the side to move, from 0 to 1.
    pub value: f64,
    /// The evaluation in the player's unit.
    pub eval: Option<f64>,
    /// This unit.
    pub unit: Option<String>,
    /// The move that it chose.
    pub best: String,
    /// Positions that it visited.
    pub nodes: u64,
    /// Playouts, for players that have them.
    pub playouts: Option<u64>,
    /// The depth in plies that it completed.
    pub depth: u32,
    /// Whether the value is proven.
    pub proven: bool,
}

impl SearchValue {
    pub(super) fn new(state: &dyn AnyState, report: &Report<u32>) -> Option<SearchValue> {
        Some(SearchValue {
            value: report.value(),
            eval: report.eval().map(|eval| eval.n),
            unit: report.eval().map(|eval| eval.unit.to_owned()),
            best: state.write(report.best()?, ""),
            nodes: report.nodes,
            playouts: report.playouts,
            depth: report.depth,
            proven: report.proven,
        })
    }

    /// Whether a search of this position can have this result.
    fn is_possible(&self, state: &dyn AnyState) -> bool {
        let best = state.read(&self.best).is_ok_and(|best| state.write(best, "") == self.best);
        let unit = self.unit.as_ref().is_none_or(|unit| unit.len() <= MAX_UNIT && !unit.contains(char::is_control));
        best && unit
            && (0.0..=1.0).contains(&self.value)
            && self.eval.is_some() == self.unit.is_some()
            && self.eval.is_none_or(|eval| eval.abs() <= MAX_EVAL)
            && self.nodes <= MAX_COUNT
            && self.playouts.is_none_or(|playouts| playouts <= MAX_COUNT)
            && self.depth <= MAX_DEPTH
    }
}

/// The exact value of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactValue {
    /// The score of the side to move.
    pub score: i32,
    /// Plies to the end.
    pub distance: Option<u32>,
}

impl Label {
    /// Why this cannot be the label of a position. `searched`: whether it has the result of a search; `solved`: whether it may
    /// have an exact value.
    pub(super) fn check(&self, state: &dyn AnyState, searched: bool, solved: bool) -> Result<(), &'static str> {
        match &self.search {
            Some(_) if !searched => return Err("a search that was not asked for"),
            None if searched => return Err("no search"),
            Some(search) if !search.is_possible(state) => return Err("a result that no search of this position has"),
            _ => {}
        }
        match &self.truth {
            Some(_) if !solved => Err("an exact value that was not asked for"),
            Some(truth) if truth.score.unsigned_abs() > MAX_SCORE.unsigned_abs() => Err("a score that no game has"),
            Some(truth) if truth.distance.is_some_and(|plies| plies > MAX_DEPTH) => Err("a distance that no game has"),
            _ => Ok(()),
        }
    }
}
