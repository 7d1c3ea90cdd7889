//! Experiments on published claims, as files that can be run again.
//!
//! A file has a question, the source of the claim, the matches or measurements that test it (a grid of factors and
//! budgets), and the published figures with their cells. `docs/experiments.md` describes how to write one.
//!
//! | file | contents |
//! |---|---|
//! | `file` | the keys of a file, and the places of errors |
//! | `grid` | factors, budgets and cells |
//! | `figure` | published figures, each assigned to its cell |
//! | `library` | the built-in experiments |
//! | `plan` | the size at which verdicts are given, written before the first game |
//! | `size` | the matches and samples of a run of some scale |
//! | `run` | playing and measuring, into the store |
//! | `measured`, `evidence` | what was measured, as counts with intervals |
//! | `verdict` | the rule of the comparison |
//! | `pairwise` | tests between the rows of a table |
//! | `reproduction` | the table of published and measured values |
//! | `stored` | the results in a store, while it is played |
//! | `plot`, `picture` | the pictures: their values, and how they are drawn |
//! | `bundle` | experiments with their games in one file, to be verified elsewhere |
//! | `replay` | games of a report that can be stepped through |
//! | `report` | reports as HTML and Markdown |

#[cfg(feature = "store")]
mod bundle;
mod evidence;
mod figure;
mod file;
mod grid;
mod library;
mod measured;
mod pairwise;
mod picture;
mod plan;
mod plot;
mod replay;
mod report;
mod reproduction;
#[cfg(feature = "store")]
mod run;
mod size;
mod stored;
mod verdict;

use std::sync::Arc;

use banmen_catalog::{AnyGame, Axis, Catalog, Error, ErrorCode, MeasureInfo, Measures, Quantity, QuantityKind};
use banmen_programs::is_program;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use self::figure::Places;
use self::file::{File, OpeningsText, Text};
use self::grid::{BUDGET, Grid};
use self::verdict::Margin;
use crate::{Contestant, OpeningList, Openings};

#[cfg(feature = "store")]
pub use self::bundle::{Bundled, ExportedBundle, Verified, export_bundle, verify_bundle};
pub use self::evidence::Evidence;
pub use self::figure::{Figure, PublishedSample};
pub use self::file::{Kind, Source};
pub use self::grid::{Budget, Factor, MAX_TIME, counted, grouped};
pub use self::library::{find, library, read_own};
pub use self::pairwise::RowTest;
pub(crate) use self::plan::{Planned, plan, plan_again, stored};
pub use self::report::{Page, report, reported};
pub use self::reproduction::{Reproduction, Row};
#[cfg(feature = "store")]
pub(crate) use self::run::Begun;
#[cfg(feature = "store")]
pub use self::run::{Conditions, reproduce};
pub(crate) use self::size::{EVENT, ROUNDS, lock_name, sample_seed};
pub(crate) use self::stored::{CellState, StoredResults};
pub use self::verdict::{Comparison, Deciding, Verdict};

/// The measurements of a game, or the error of a game without any.
pub(crate) fn measures(game: &dyn AnyGame) -> Result<&dyn Measures, Error> {
    let name = game.info().name;
    game.measures().ok_or_else(|| Error::new(ErrorCode::UnknownMeasure, format!("{name} has no measurements")))
}

/// The quantity of matches: a share of the games' points.
const SCORE: Quantity = Quantity { name: "score", unit: "%", kind: QuantityKind::Share };

/// An experiment, read and checked against the games.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Experiment {
    /// Its name: `GAME-tableN`, `GAME-figN` or `GAME-NAME`.
    pub id: String,
    /// Its title, in a line.
    pub title: String,
    /// The question.
    pub question: String,
    /// Its kind.
    pub kind: Kind,
    /// The game's name.
    pub game: String,
    /// The source and its claim.
    pub source: Source,
    /// The columns of labels: factors in the order of the file, and `budget`.
    pub factors: Vec<Factor>,
    /// The budgets of a move.
    pub budgets: Vec<Budget>,
    /// The quantities that are measured.
    pub quantities: Vec<Quantity>,
    /// The number of the main quantity.
    pub main: usize,
    /// The axis of a measurement that observes several times.
    pub axis: Option<Axis>,
    /// The margin of agreement: a difference in the unit of the quantity, or a ratio.
    pub margin: f64,
    /// Whether the margin is a ratio, and figures are compared by their logarithms.
    pub ratio: bool,
    /// Notes for the reader.
    pub notes: Vec<String>,
    /// Processor time of the full experiment on one core, in minutes.
    pub minutes: f64,
    /// The cells.
    #[serde(skip)]
    pub cells: Vec<Cell>,
    /// The published figures.
    #[serde(skip)]
    pub figures: Vec<Figure>,
    /// The number of the factor between whose values there are tests.
    #[serde(skip)]
    pub(crate) compared: Option<usize>,
    /// The column of the plot's axis; `None` for the default.
    #[serde(skip)]
    pub(crate) plot: Option<String>,
    /// The text of the file.
    #[serde(skip)]
    pub text: Arc<str>,
}

/// A cell of the grid.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its values, one for each factor.
    pub labels: Vec<String>,
    /// The number of its budget, if there are budgets.
    pub budget: Option<usize>,
    /// The rules' variant; `None` for the default one.
    pub rules: Option<String>,
    /// Its match or measurement.
    pub work: Work,
}

/// The match or the measurement of a cell.
#[derive(Clone, Debug)]
pub enum Work {
    /// A match.
    Match {
        /// Player `a`, whose score is reported, and its opponent.
        sides: Box<[Contestant; 2]>,
        /// The openings.
        openings: Openings,
        /// Games at scale 1, an even number.
        games: usize,
    },
    /// Samples of a measurement.
    Measure {
        /// The measurement, as text.
        measure: String,
        /// Samples at scale 1.
        samples: usize,
    },
}

impl Experiment {
    /// Reads the text of a file and checks it against the games. Error messages call the file `name`.
    ///
    /// # Errors
    /// `bad_experiment`, with the line and the reason.
    pub fn read(name: &str, text: &str, games: &Catalog) -> Result<Experiment, Error> {
        let text = Text { name, text };
        let file = text.read()?;
        let unknown = |error: Error| text.wrong(file.game.span(), error).reason("unknown_game");
        let game = games.game(file.game.get_ref()).map_err(unknown)?;
        let game = game.as_ref();
        check_words(&file, text)?;
        let grid = Grid::read(&file, text)?;
        let reader = Reader { file: &file, text, game, grid: &grid };
        reader.check_counts()?;
        let mut cells = Vec::new();
        for cell in &grid.cells {
            cells.push(reader.cell(cell)?);
        }
        reader.check_use()?;
        let (quantities, main, axis) = reader.quantities(&cells)?;
        let places = Places { grid: &grid, quantities: &quantities, main, axis, ratio: file.ratio.is_some(), text };
        let mut figures: Vec<Figure> = Vec::new();
        for entry in &file.published {
            for figure in places.read(entry.get_ref(), entry.span())? {
                let same = |known: &Figure| {
                    (known.cell, known.point, known.quantity) == (figure.cell, figure.point, figure.quantity)
                };
                if figures.iter().any(same) {
                    return Err(text.wrong(entry.span(), "another figure is given for this cell"));
                }
                let unit = quantities[figure.quantity].unit;
                if file.margin.is_none() && file.ratio.is_none() && figure.margin.is_none() && unit != "%" {
                    let message = "needs a `margin`, or the file a `margin` or a `ratio`: only scores have a usual one";
                    return Err(text.wrong(entry.span(), message));
                }
                figures.push(figure);
            }
        }
        if let Some(plot) = &file.plot {
            let known = grid.factors.iter().map(|factor| factor.name.as_str()).chain(axis.map(|axis| axis.name));
            if known.clone().all(|known| known != plot.get_ref()) {
                let error = Error::unknown(ErrorCode::BadExperiment, "factor", plot.get_ref(), known);
                return Err(text.wrong(plot.span(), error));
            }
        }
        let compared = file.compare.as_ref().map(|factor| reader.compared(factor, &quantities[main])).transpose()?;
        let margin = match (&file.margin, &file.ratio) {
            (Some(margin), _) => Margin::Difference(*margin.get_ref()),
            (None, Some(ratio)) => Margin::Ratio(*ratio.get_ref()),
            (None, None) => Margin::DEFAULT,
        };
        let (margin, ratio) = match margin {
            Margin::Difference(margin) => (margin, false),
            Margin::Ratio(ratio) => (ratio, true),
        };
        let Grid { factors, budgets, .. } = grid;
        Ok(Experiment {
            id: file.id.into_inner(),
            title: file.title,
            question: file.question,
            kind: *file.kind.get_ref(),
            game: file.game.into_inner(),
            source: file.source,
            factors,
            budgets,
            quantities,
            main,
            axis,
            margin,
            ratio,
            notes: file.notes,
            minutes: file.minutes.into_inner(),
            cells,
            figures,
            compared,
            plot: file.plot.map(toml::Spanned::into_inner),
            text: text.text.into(),
        })
    }

    /// Everything on which verdicts and tests depend, as JSON: the cells with the sizes of their full samples, the figures, the
    /// margin, and the factor that is compared.
    pub(crate) fn judged(&self) -> Value {
        let cell = |cell: &Cell| {
            let work = match &cell.work {
                Work::Match { sides, openings, games } => {
                    let [a, b] = sides.as_ref();
                    json!({ "a": a, "b": b, "openings": openings.name(), "games": games })
                }
                Work::Measure { measure, samples } => json!({ "measure": measure, "samples": samples }),
            };
            json!({ "labels": cell.labels, "rules": cell.rules, "work": work })
        };
        let figure =
            |figure: &Figure| json!({ "at": [figure.cell, figure.point, figure.quantity], "published": figure });
        let mut judged = json!({
            "cells": self.cells.iter().map(cell).collect::<Vec<_>>(),
            "figures": self.figures.iter().map(figure).collect::<Vec<_>>(),
            "margin": self.margin,
            "ratio": self.ratio,
        });
        if let Some(compared) = self.compared {
            judged["compared"] = json!(compared);
        }
        judged
    }
}

/// Checks the id and the numbers of a file, and that it has the keys of its kind and no others.
fn check_words(file: &File, text: Text<'_>) -> Result<(), Error> {
    let id = file.id.get_ref();
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    // Names of games may have hyphens: an experiment may be named after the part before the first one.
    let family = file.game.get_ref().split('-').next().unwrap_or_default();
    if !id.chars().all(word)
        || id.strip_prefix(family).and_then(|rest| rest.strip_prefix('-')).is_none_or(str::is_empty)
    {
        return Err(text.wrong(file.id.span(), format!("`{id}` is not of the form {family}-NAME, in lower case")));
    }
    let positive = |number: &toml::Spanned<f64>, name: &str| {
        if number.get_ref().is_finite() && *number.get_ref() > 0.0 {
            return Ok(());
        }
        Err(text.wrong(number.span(), format!("{name} is a number above 0")))
    };
    positive(&file.minutes, "minutes")?;
    file.margin.as_ref().map_or(Ok(()), |margin| positive(margin, "margin"))?;
    if let Some(ratio) = &file.ratio {
        if !(ratio.get_ref().is_finite() && *ratio.get_ref() > 1.0) {
            return Err(text.wrong(ratio.span(), "ratio is a number above 1"));
        }
        if file.margin.is_some() {
            return Err(
                text.wrong(ratio.span(), "the margin is a difference (`margin`) or a ratio (`ratio`), not both")
            );
        }
    }
    let of_matches = [
        ("player", file.player.as_ref().map(toml::Spanned::span)),
        ("opponent", file.opponent.as_ref().map(toml::Spanned::span)),
        ("openings", file.openings.as_ref().map(toml::Spanned::span)),
        ("games", file.games.as_ref().map(toml::Spanned::span)),
    ];
    let of_measures = [
        ("measure", file.measure.as_ref().map(toml::Spanned::span)),
        ("samples", file.samples.as_ref().map(toml::Spanned::span)),
    ];
    let (own, others, kind): (&[_], &[_], _) = match file.kind.get_ref() {
        Kind::Match => (&of_matches, &of_measures, "match"),
        Kind::Measure => (&of_measures, &of_matches, "measure"),
    };
    if let Some((name, _)) = own.iter().find(|(_, span)| span.is_none()) {
        return Err(text.wrong(file.kind.span(), format!("kind = \"{kind}\" needs the key `{name}`")));
    }
    if let Some((name, Some(span))) = others.iter().find(|(_, span)| span.is_some()) {
        return Err(text.wrong(span.clone(), format!("`{name}` is not a key of kind = \"{kind}\"")));
    }
    if let (Kind::Match, Some(quantity)) = (file.kind.get_ref(), &file.quantity) {
        return Err(text.wrong(quantity.span(), "`quantity` is not a key of kind = \"match\""));
    }
    Ok(())
}

/// Reads the cells of a file.
struct Reader<'a> {
    file: &'a File,
    text: Text<'a>,
    game: &'a dyn AnyGame,
    grid: &'a Grid,
}

impl Reader<'_> {
    /// The texts in which the values of factors are substituted.
    fn templates(&self) -> Vec<&str> {
        let file = self.file;
        let words = [&file.rules, &file.player, &file.opponent, &file.measure];
        let mut texts: Vec<&str> = words.into_iter().flatten().map(|text| text.get_ref().as_str()).collect();
        match file.openings.as_ref().map(toml::Spanned::get_ref) {
            Some(OpeningsText::Kind(kind)) => texts.push(kind),
            Some(OpeningsText::Lines(lines)) => texts.extend(lines.iter().map(String::as_str)),
            None => {}
        }
        texts
    }

    /// Checks that every factor is used in a text, and the budgets of a measurement too.
    fn check_use(&self) -> Result<(), Error> {
        let (file, text) = (self.file, self.text);
        let used = |name: &str| self.templates().iter().any(|text| text.contains(&format!("{{{name}}}")));
        for factor in &file.factors {
            if !used(factor.name.get_ref()) {
                let why = format!("{{{}}} is used in no text of the file", factor.name.get_ref());
                return Err(text.wrong(factor.name.span(), why));
            }
        }
        match (file.kind.get_ref(), file.budgets.first()) {
            (Kind::Match, Some(first)) if used(BUDGET) => {
                Err(text
                    .wrong(first.span(), "the budget of a match cannot be inserted into a text: it limits every move"))
            }
            (Kind::Measure, Some(first)) if !used(BUDGET) => {
                Err(text.wrong(first.span(), "the measurement does not contain {budget}"))
            }
            _ => Ok(()),
        }
    }

    /// Checks the budgets, and the numbers of games and samples.
    fn check_counts(&self) -> Result<(), Error> {
        let (file, text) = (self.file, self.text);
        if *file.kind.get_ref() == Kind::Match && file.budgets.is_empty() {
            return Err(text.wrong(file.kind.span(), "a match needs at least one of [[budgets]]"));
        }
        if let Some(second) = file.budgets.iter().filter(|budget| budget.get_ref().paper).nth(1) {
            return Err(text.wrong(second.span(), "only one budget may have paper = true"));
        }
        let even = |count: u32| count >= 2 && count.is_multiple_of(2);
        let wrong = "games must be an even number of at least 2: every opening is played twice";
        if let Some(games) = file.games.as_ref().filter(|games| !even(*games.get_ref())) {
            return Err(text.wrong(games.span(), wrong));
        }
        if let Some(samples) = file.samples.as_ref().filter(|samples| *samples.get_ref() == 0) {
            return Err(text.wrong(samples.span(), "samples must be at least 1"));
        }
        for budget in &file.budgets {
            let (own, kind) = (budget.get_ref(), *file.kind.get_ref());
            let odd = own.games.is_some_and(|games| !even(games));
            let why = match kind {
                _ if odd => wrong,
                _ if own.samples == Some(0) => "samples must be at least 1",
                Kind::Match if own.samples.is_some() => "a match has games, not samples",
                Kind::Measure if own.games.is_some() => "a measurement has samples, not games",
                Kind::Measure if own.opponent.is_some() => "a measurement has no opponent",
                _ => continue,
            };
            return Err(text.wrong(budget.span(), why));
        }
        Ok(())
    }

    /// A text of the file, with the values of a cell substituted.
    fn substitute(&self, template: &toml::Spanned<String>, cell: &[usize]) -> Result<String, Error> {
        self.grid.substitute(template.get_ref(), cell).map_err(|why| self.text.wrong(template.span(), why))
    }

    fn cell(&self, cell: &[usize]) -> Result<Cell, Error> {
        let (file, text) = (self.file, self.text);
        let labels = self.grid.labels(cell);
        let rules = file.rules.as_ref().map(|rules| self.substitute(rules, cell)).transpose()?;
        if let Some(template) = &file.rules {
            self.game.state(rules.as_deref(), None).map_err(|error| text.wrong(template.span(), error))?;
        }
        let budget = self.grid.column(BUDGET).map(|column| cell[column]);
        let given = budget.and_then(|budget| self.grid.budgets.get(budget));
        let count = given.and_then(|budget| budget.count);
        let work = match (&file.player, &file.opponent, &file.openings, &file.measure, given) {
            (Some(player), Some(opponent), Some(openings), None, Some(given)) => {
                let games = count.or(file.games.as_ref().map(|games| *games.get_ref())).unwrap_or_default();
                Work::Match {
                    sides: Box::new([
                        Contestant::new(self.player(player, cell, rules.as_deref())?, given.limits),
                        Contestant::new(self.player(opponent, cell, rules.as_deref())?, given.opponent),
                    ]),
                    openings: self.openings(openings, cell, rules.as_deref())?,
                    games: games as usize,
                }
            }
            (_, _, _, Some(template), _) => {
                let measure = self.substitute(template, cell)?;
                let checked = measures(self.game).and_then(|measures| measures.info(rules.as_deref(), &measure));
                checked.map_err(|error| text.wrong(template.span(), format!("{measure}: {error}")))?;
                let samples = count.or(file.samples.as_ref().map(|samples| *samples.get_ref())).unwrap_or_default();
                Work::Measure { measure, samples: samples as usize }
            }
            _ => return Err(text.wrong(file.kind.span(), "the keys do not form an experiment")),
        };
        Ok(Cell { labels, budget, rules, work })
    }

    /// The text of a player, checked by making it.
    fn player(&self, template: &toml::Spanned<String>, cell: &[usize], rules: Option<&str>) -> Result<String, Error> {
        let player = self.substitute(template, cell)?;
        if is_program(self.game, &player) {
            // A program is started only when it plays.
            return Ok(player);
        }
        match self.game.player(rules, &player, 0) {
            // A missing table is not an error of the file.
            Err(error) if !matches!(error.code, ErrorCode::TableMissing | ErrorCode::TableRefused) => {
                Err(self.text.wrong(template.span(), format!("{player}: {error}")))
            }
            _ => Ok(player),
        }
    }

    fn openings(
        &self,
        openings: &toml::Spanned<OpeningsText>,
        cell: &[usize],
        rules: Option<&str>,
    ) -> Result<Openings, Error> {
        let wrong = |why: &dyn std::fmt::Display| self.text.wrong(openings.span(), why);
        let substitute = |text: &String| self.grid.substitute(text, cell).map_err(|why| wrong(&why));
        match openings.get_ref() {
            OpeningsText::Kind(kind) => {
                let kind = substitute(kind)?;
                let plies =
                    |plies: &str| plies.parse().map_err(|_| wrong(&format!("`{plies}` is not a number of plies")));
                let openings = match kind.split_once(':') {
                    None if kind == "starts" => Openings::Starts,
                    Some(("random", number)) => Openings::Random(plies(number)?),
                    Some(("balanced", number)) => Openings::Balanced(plies(number)?),
                    _ => return Err(wrong(&"openings are starts, random:PLIES, balanced:PLIES, or a list")),
                };
                openings.check(self.game, rules).map_err(|error| wrong(&error))?;
                Ok(openings)
            }
            OpeningsText::Lines(lines) => {
                let lines: Vec<String> = lines.iter().map(substitute).collect::<Result<_, _>>()?;
                let (name, text) = (self.file.id.get_ref(), lines.join("\n"));
                let list = OpeningList::read_lines(name, &text, "opening", self.game, rules);
                Ok(Openings::Listed(Arc::new(list.map_err(|error| wrong(&error))?)))
            }
        }
    }

    /// The number of the factor between whose values there are tests.
    fn compared(&self, factor: &toml::Spanned<String>, main: &Quantity) -> Result<usize, Error> {
        let name = factor.get_ref();
        let column = self.grid.column(name).ok_or_else(|| {
            let known = self.grid.factors.iter().map(|factor| factor.name.as_str());
            self.text.wrong(factor.span(), Error::unknown(ErrorCode::BadExperiment, "factor", name, known))
        })?;
        if main.kind == QuantityKind::Exact {
            let why = format!("{} is the same in every sample: there is nothing to test", main.name);
            return Err(self.text.wrong(factor.span(), why));
        }
        Ok(column)
    }

    /// The quantities, the main one, and the axis of the measurement, which are the same in all cells.
    fn quantities(&self, cells: &[Cell]) -> Result<(Vec<Quantity>, usize, Option<Axis>), Error> {
        let (file, text) = (self.file, self.text);
        let Some(template) = &file.measure else { return Ok((vec![SCORE], 0, None)) };
        let wrong = |why: &dyn std::fmt::Display| text.wrong(template.span(), why);
        let mut found: Option<MeasureInfo> = None;
        for cell in cells {
            let Work::Measure { measure, .. } = &cell.work else { continue };
            let info = measures(self.game).and_then(|measures| measures.info(cell.rules.as_deref(), measure));
            let info = info.map_err(|error| wrong(&error))?;
            if found.get_or_insert(info).name != info.name {
                return Err(wrong(&"all cells use the same measurement"));
            }
        }
        let info = found.ok_or_else(|| wrong(&"there is nothing to measure"))?;
        let main = file.quantity.as_ref().map_or(Ok(0), |main| {
            let at = info.quantities.iter().position(|quantity| quantity.name == main.get_ref());
            at.ok_or_else(|| {
                let known = info.quantities.iter().map(|quantity| quantity.name);
                text.wrong(main.span(), Error::unknown(ErrorCode::BadExperiment, "quantity", main.get_ref(), known))
            })
        })?;
        if let Some(axis) = info.axis.filter(|axis| self.grid.column(axis.name).is_some()) {
            return Err(wrong(&format!("{} has points called {} already", info.name, axis.name)));
        }
        Ok((info.quantities.to_vec(), main, info.axis))
    }
}
