//! The grid of an experiment: all combinations of the values of its factors and budgets.

use std::collections::BTreeMap;
use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::Limits;
use schemars::JsonSchema;
use serde::Serialize;

use super::file::{BudgetText, File, Scalar, Text, ValueText};

/// The name of the column of budgets.
pub(crate) const BUDGET: &str = "budget";

/// The largest number of cells.
const MAX_CELLS: usize = 10_000;

/// A factor, or the budgets: a column of labels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExperimentFactor")]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// The labels of its values.
    pub labels: Vec<String>,
    /// The texts that are substituted for them.
    #[serde(skip)]
    pub(crate) values: Vec<String>,
}

/// The budget of a move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExperimentBudget")]
pub struct Budget {
    /// Its name, such as `20,000 nodes`.
    pub name: String,
    /// Whether it is the budget of the source.
    pub paper: bool,
    /// Limits of the player.
    #[serde(skip)]
    pub limits: Limits,
    /// Limits of the opponent.
    #[serde(skip)]
    pub opponent: Limits,
    /// Games or samples, if not those of the file.
    #[serde(skip)]
    pub(crate) count: Option<u32>,
    /// The same as keys of a measurement: `nodes=20000`.
    #[serde(skip)]
    pub(crate) keys: String,
}

/// The longest time of a budget, and of an option of the command line: sums of several such times, and of one with the present
/// moment, are times too.
pub const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Budget {
    /// The number of nodes or playouts; `None` for a time or a depth.
    #[must_use]
    pub(crate) fn amount(&self) -> Option<u64> {
        self.limits.nodes.or(self.limits.playouts)
    }

    fn read(text: &BudgetText) -> Result<Budget, String> {
        let own = limits(text.nodes, text.playouts, text.time_ms, text.depth);
        let opponent = text.opponent.as_ref();
        let other = opponent.map(|other| limits(other.nodes, other.playouts, other.time_ms, other.depth));
        if [Some(own), other].contains(&Some(Limits::default())) {
            return Err("a budget needs at least one of nodes, playouts, time_ms and depth".to_owned());
        }
        if [Some(own), other]
            .into_iter()
            .flatten()
            .any(|limits| [limits.nodes, limits.playouts, limits.depth.map(u64::from)].contains(&Some(0)))
        {
            return Err("nodes, playouts and depth of a budget must be at least 1".to_owned());
        }
        let allowed = |time: Duration| !time.is_zero() && time <= MAX_TIME;
        if [Some(own), other].into_iter().flatten().any(|limits| limits.time.is_some_and(|time| !allowed(time))) {
            return Err("time_ms of a budget must be above 0 and at most a year".to_owned());
        }
        if text.games.is_some() && text.samples.is_some() {
            return Err("games belong to matches, samples to measurements: not both".to_owned());
        }
        let name = match (&text.name, other) {
            (Some(name), _) => name.clone(),
            (None, None) => words(&own),
            (None, Some(other)) => format!("{} against {}", words(&own), words(&other)),
        };
        Ok(Budget {
            name,
            paper: text.paper,
            limits: own,
            opponent: other.unwrap_or(own),
            count: text.games.or(text.samples),
            keys: keys(&own),
        })
    }
}

fn limits(nodes: Option<u64>, playouts: Option<u64>, time_ms: Option<u64>, depth: Option<u32>) -> Limits {
    Limits { nodes, playouts, time: time_ms.map(Duration::from_millis), depth, ..Limits::default() }
}

fn words(limits: &Limits) -> String {
    let time = limits.time.map(|time| format!("{} ms CPU", grouped(time.as_millis() as u64)));
    let depth = limits.depth.map(|depth| format!("depth {depth}"));
    let nodes = limits.nodes.map(|count| counted(count, "node", "nodes"));
    let playouts = limits.playouts.map(|count| counted(count, "playout", "playouts"));
    [nodes, playouts, time, depth].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn keys(limits: &Limits) -> String {
    let key = |name: &str, number: Option<u64>| number.map(|number| format!("{name}={number}"));
    let time = limits.time.map(|time| time.as_millis() as u64);
    let parts = [
        key("nodes", limits.nodes),
        key("playouts", limits.playouts),
        key("time", time),
        key("depth", limits.depth.map(u64::from)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(",")
}

/// A count with its noun, of one and of more.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A number with its thousands separated by commas.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The columns of labels of a file, and the cells of their grid that are not skipped.
pub(crate) struct Grid {
    /// The factors in the order of the file; the budgets, where there are any, last.
    pub(crate) factors: Vec<Factor>,
    pub(crate) budgets: Vec<Budget>,
    /// Each cell as the numbers of its values, one per factor; the last factor changes fastest.
    pub(crate) cells: Vec<Vec<usize>>,
}

impl Grid {
    pub(crate) fn read(file: &File, text: Text<'_>) -> Result<Grid, Error> {
        let mut factors: Vec<Factor> = Vec::new();
        for factor in &file.factors {
            let name = factor.name.get_ref();
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == ' ';
            if name.is_empty() || !name.chars().all(word) || name == BUDGET {
                let why = format!("a factor is named by letters and digits, and not `{BUDGET}`");
                return Err(text.wrong(factor.name.span(), why));
            }
            let (mut labels, mut values) = (Vec::new(), Vec::new());
            for value in factor.values.get_ref() {
                let (label, value) = match value {
                    ValueText::Plain(value) => (value.to_string(), value.to_string()),
                    ValueText::Named { name, value } => (name.clone(), value.to_string()),
                };
                labels.push(label);
                values.push(value);
            }
            let read = Factor { name: name.clone(), labels, values };
            push(&mut factors, read, text, factor.values.span())?;
        }
        let mut budgets = Vec::new();
        for budget in &file.budgets {
            budgets.push(Budget::read(budget.get_ref()).map_err(|why| text.wrong(budget.span(), why))?);
        }
        if let Some(first) = file.budgets.first() {
            let labels = budgets.iter().map(|budget: &Budget| budget.name.clone()).collect();
            let values = budgets.iter().map(|budget| budget.keys.clone()).collect();
            push(&mut factors, Factor { name: BUDGET.to_owned(), labels, values }, text, first.span())?;
        }
        let size = factors.iter().try_fold(1usize, |size, factor| size.checked_mul(factor.labels.len()));
        if size.is_none_or(|size| size > MAX_CELLS) {
            return Err(text.wrong(file.id.span(), format!("the grid has more than {MAX_CELLS} cells")));
        }
        let mut cells = vec![Vec::new()];
        for factor in &factors {
            let more = |cell: &Vec<usize>| -> Vec<Vec<usize>> {
                (0..factor.labels.len()).map(|value| [cell.as_slice(), &[value]].concat()).collect()
            };
            cells = cells.iter().flat_map(more).collect();
        }
        let mut grid = Grid { factors, budgets, cells };
        for skipped in &file.skip {
            let place = grid.place(skipped.get_ref()).map_err(|why| text.wrong(skipped.span(), why))?;
            let before = grid.cells.len();
            grid.cells.retain(|cell| !fits(cell, &place));
            if grid.cells.len() == before {
                return Err(text.wrong(skipped.span(), "there is no such cell to skip"));
            }
        }
        if grid.cells.is_empty() {
            return Err(text.wrong(file.id.span(), "all cells are skipped"));
        }
        Ok(grid)
    }

    /// The number of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.factors.iter().position(|factor| factor.name == name)
    }

    /// The cells that labels select: for each factor the number of its value, or `None` for all.
    pub(crate) fn place(&self, at: &BTreeMap<String, Scalar>) -> Result<Vec<Option<usize>>, String> {
        let mut place = vec![None; self.factors.len()];
        for (name, value) in at {
            let column = self.column(name).ok_or_else(|| {
                let known = self.factors.iter().map(|factor| factor.name.as_str());
                Error::unknown(ErrorCode::BadExperiment, "factor", name, known).message
            })?;
            place[column] = Some(self.factors[column].find(&value.to_string())?);
        }
        Ok(place)
    }

    /// The labels of a cell.
    pub(crate) fn labels(&self, cell: &[usize]) -> Vec<String> {
        self.factors.iter().zip(cell).map(|(factor, &value)| factor.labels[value].clone()).collect()
    }

    /// A text of the file, with the values of a cell substituted for `{factor}`.
    pub(crate) fn substitute(&self, template: &str, cell: &[usize]) -> Result<String, String> {
        let mut whole = String::new();
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').ok_or("a brace is not closed")?;
            let column = self.column(name).ok_or_else(|| {
                let known = self.factors.iter().map(|factor| factor.name.as_str());
                Error::unknown(ErrorCode::BadExperiment, "factor", name, known).message
            })?;
            whole.push_str(before);
            whole.push_str(&self.factors[column].values[cell[column]]);
            rest = after;
        }
        whole.push_str(rest);
        Ok(whole)
    }
}

impl Factor {
    /// The number of the value with this label or text.
    fn find(&self, value: &str) -> Result<usize, String> {
        let at = |known: &[String]| known.iter().position(|known| known == value);
        at(&self.labels).or_else(|| at(&self.values)).ok_or_else(|| {
            let known = self.labels.iter().map(String::as_str);
            Error::unknown(ErrorCode::BadExperiment, &format!("value of {}", self.name), value, known).message
        })
    }
}

/// Whether a cell is one of the selected ones.
pub(crate) fn fits(cell: &[usize], place: &[Option<usize>]) -> bool {
    cell.iter().zip(place).all(|(value, asked)| asked.is_none_or(|asked| asked == *value))
}

/// Adds a factor, after checking that its values differ and its name is new.
fn push(factors: &mut Vec<Factor>, factor: Factor, text: Text<'_>, span: std::ops::Range<usize>) -> Result<(), Error> {
    if factor.labels.is_empty() {
        return Err(text.wrong(span, format!("{} has no values", factor.name)));
    }
    if let Some((_, twice)) = factor.labels.iter().enumerate().find(|(at, label)| factor.labels[..*at].contains(label))
    {
        return Err(text.wrong(span, format!("{} has the value `{twice}` twice", factor.name)));
    }
    if factors.iter().any(|known| known.name == factor.name) {
        return Err(text.wrong(span, format!("there are two factors called {}", factor.name)));
    }
    factors.push(factor);
    Ok(())
}
