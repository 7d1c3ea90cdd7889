//! Published figures, each assigned to its cell of the grid.

use std::ops::Range;

use banmen_catalog::{Axis, Error, ErrorCode, Quantity, QuantityKind};
use banmen_stats::{Games, Interval, Sample};
use schemars::JsonSchema;
use serde::Serialize;

use super::file::{FigureText, Text};
use super::grid::{BUDGET, Grid, fits};

/// A published figure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublishedFigure")]
pub struct Figure {
    /// The number of its cell.
    #[serde(skip)]
    pub cell: usize,
    /// The number of its point on the axis, 0 without one.
    #[serde(skip)]
    pub point: usize,
    /// The number of its quantity.
    #[serde(skip)]
    pub quantity: usize,
    /// The figure, in the unit of its quantity.
    pub value: f64,
    /// Its sample.
    pub sample: PublishedSample,
    /// The uncertainty by rounding or wording, on both sides.
    pub within: f64,
    /// Its margin of agreement, if it is not that of the experiment: a difference or a ratio, as there.
    pub margin: Option<f64>,
    /// The publisher, if it is not the source.
    pub by: Option<String>,
}

/// The sample of a published figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublishedSample {
    /// Games or trials.
    Games {
        /// Won.
        won: u64,
        /// Drawn.
        drawn: u64,
        /// Lost.
        lost: u64,
    },
    /// The figure is the mean of this number of runs.
    Runs(u64),
    /// The source does not state a sample, or there is none, as for a computed number.
    Unknown,
}

/// The cells, points and quantities to which figures can be assigned.
pub(crate) struct Places<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) quantities: &'a [Quantity],
    /// The number of the default quantity.
    pub(crate) main: usize,
    pub(crate) axis: Option<Axis>,
    /// Whether the figures are compared by their ratios.
    pub(crate) ratio: bool,
    pub(crate) text: Text<'a>,
}

/// What a value of `along` or `at` selects.
#[derive(Clone, Copy)]
enum Column {
    Factor(usize),
    Axis,
}

impl Places<'_> {
    /// The figures of one entry of the file.
    pub(crate) fn read(&self, entry: &FigureText, span: Range<usize>) -> Result<Vec<Figure>, Error> {
        self.figures(entry).map_err(|why| self.text.wrong(span, why))
    }

    fn figures(&self, entry: &FigureText) -> Result<Vec<Figure>, String> {
        let quantity = self.quantity(entry.quantity.as_deref())?;
        let unit = self.quantities[quantity].unit;
        let games = match (entry.won, entry.drawn, entry.lost) {
            (None, None, None) => None,
            (Some(won), drawn, Some(lost)) => Some((won, drawn.unwrap_or(0), lost)),
            _ => return Err("games are given as won and lost, and drawn if any were".to_owned()),
        };
        let counted = games.is_some_and(|(won, drawn, lost)| won.saturating_add(drawn).saturating_add(lost) == 0);
        if counted || entry.sample == Some(0) {
            return Err("a sample has at least one game".to_owned());
        }
        if games.is_some() && (unit != "%" || entry.sample.is_some()) {
            return Err("won, drawn and lost are of scores and shares, and are the whole sample".to_owned());
        }
        if entry.sample.is_some() && self.quantities[quantity].kind == QuantityKind::Exact {
            return Err("an exact figure has no sample".to_owned());
        }
        if !entry.within.is_none_or(|within| within.is_finite() && within >= 0.0) {
            return Err("within must be a number of at least 0".to_owned());
        }
        if !entry.margin.is_none_or(|margin| margin.is_finite() && margin > 0.0) {
            return Err("margin must be a number above 0".to_owned());
        }
        let values: Vec<f64> = match (entry.value, &entry.values, games) {
            (Some(value), None, None) => vec![value],
            (None, Some(values), None) => values.clone(),
            (None, None, Some((won, drawn, lost))) => {
                vec![100.0 * (won as f64 + 0.5 * drawn as f64) / (won as f64 + drawn as f64 + lost as f64)]
            }
            _ => return Err("a figure is a value, or values along a factor, or games won and lost".to_owned()),
        };
        let off = values.iter().find(|value| !value.is_finite() || unit == "%" && !(0.0..=100.0).contains(*value));
        if let Some(value) = off {
            return Err(format!("{value} is out of range in {}", if unit.is_empty() { "plain numbers" } else { unit }));
        }
        if self.ratio {
            if entry.margin.is_some_and(|margin| margin <= 1.0) {
                return Err("margin must be a ratio above 1, as that of the file".to_owned());
            }
            let within = entry.within.unwrap_or(0.0);
            if let Some(value) = values.iter().find(|value| **value <= within) {
                return Err(format!("{value} has no ratio to a measurement: it may be 0 or less"));
            }
        }
        let placed = self.place(entry, values.len())?;
        let figure = |(value, (cell, point)): (f64, (usize, usize))| {
            let sample = match (games, entry.sample) {
                (Some((won, drawn, lost)), _) => PublishedSample::Games { won, drawn, lost },
                (None, Some(runs)) => PublishedSample::Runs(runs),
                (None, None) => PublishedSample::Unknown,
            };
            let within = entry.within.unwrap_or(0.0);
            Figure { cell, point, quantity, value, sample, within, margin: entry.margin, by: entry.by.clone() }
        };
        Ok(values.into_iter().zip(placed).map(figure).collect())
    }

    fn quantity(&self, name: Option<&str>) -> Result<usize, String> {
        let Some(name) = name else { return Ok(self.main) };
        self.quantities.iter().position(|quantity| quantity.name == name).ok_or_else(|| {
            let known = self.quantities.iter().map(|quantity| quantity.name);
            Error::unknown(ErrorCode::BadExperiment, "quantity", name, known).message
        })
    }

    fn named(&self, name: &str) -> Result<Column, String> {
        if let Some(column) = self.grid.column(name) {
            return Ok(Column::Factor(column));
        }
        if self.axis.is_some_and(|axis| axis.name == name) {
            return Ok(Column::Axis);
        }
        let factors = self.grid.factors.iter().map(|factor| factor.name.as_str());
        let known = factors.chain(self.axis.map(|axis| axis.name));
        Err(Error::unknown(ErrorCode::BadExperiment, "factor", name, known).message)
    }

    /// The cell and the point of each of `count` values.
    fn place(&self, entry: &FigureText, count: usize) -> Result<Vec<(usize, usize)>, String> {
        let points = self.axis.map_or(1, |axis| axis.points.len());
        let mut at = entry.at.clone();
        let mut point = None;
        if let Some(axis) = self.axis
            && let Some(asked) = at.remove(axis.name)
        {
            let asked = asked.to_string();
            let found = axis.points.iter().position(|known| *known == asked).ok_or_else(|| {
                Error::unknown(
                    ErrorCode::BadExperiment,
                    &format!("point of {}", axis.name),
                    &asked,
                    axis.points.iter().copied(),
                )
                .message
            })?;
            point = Some(found);
        }
        for name in at.keys() {
            self.named(name)?;
        }
        let mut place = self.grid.place(&at)?;
        let along = entry.along.as_deref().map(|name| self.named(name)).transpose()?;
        let length = match along {
            None => 1,
            Some(Column::Axis) => points,
            Some(Column::Factor(column)) => self.grid.factors[column].labels.len(),
        };
        if length != count || along.is_none() != entry.values.is_none() {
            return Err(match &entry.along {
                Some(name) => format!("{count} values along {name}, which has {length}"),
                None => "values need the key `along`".to_owned(),
            });
        }
        for (column, factor) in self.grid.factors.iter().enumerate() {
            let free = matches!(along, Some(Column::Factor(along)) if along == column);
            match (place[column], factor.labels.len()) {
                (Some(_), _) if free => return Err(format!("{} is given twice", factor.name)),
                (Some(_), _) => {}
                _ if free => {}
                (None, 1) => place[column] = Some(0),
                // The default budget is the one of the source.
                (None, _) if factor.name == BUDGET => place[column] = Some(self.paper()?),
                (None, _) => return Err(format!("the figure gives no value of {}", factor.name)),
            }
        }
        match (along, point) {
            (Some(Column::Axis), Some(_)) => return Err("the point is given twice".to_owned()),
            (Some(Column::Axis), None) | (_, Some(_)) => {}
            (_, None) if points == 1 => {}
            (_, None) => {
                let name = self.axis.map_or("axis", |axis| axis.name);
                return Err(format!("the figure gives no value of {name}"));
            }
        }
        (0..count)
            .map(|number| {
                let (mut place, mut point) = (place.clone(), point.unwrap_or(0));
                match along {
                    Some(Column::Axis) => point = number,
                    Some(Column::Factor(column)) => place[column] = Some(number),
                    None => {}
                }
                let cell = self.grid.cells.iter().position(|cell| fits(cell, &place));
                Ok((cell.ok_or("the figure is for a cell that is skipped")?, point))
            })
            .collect()
    }

    /// The number of the source's budget.
    fn paper(&self) -> Result<usize, String> {
        let paper = self.grid.budgets.iter().position(|budget| budget.paper);
        paper.ok_or_else(|| "no budget has paper = true, and the figure names none".to_owned())
    }
}

impl Figure {
    /// The interval of its sampling error at a confidence, in the unit of its quantity; the number itself where the sample is
    /// unknown. A mean of runs is assumed to have the variance of `measured`, with the same degrees of freedom.
    pub(crate) fn interval(&self, measured: Option<&Sample>, confidence: f64) -> Option<Interval> {
        Some(match (self.sample, measured) {
            (PublishedSample::Unknown, _) => Interval { low: self.value, high: self.value },
            (PublishedSample::Games { won, drawn, lost }, _) => {
                per_cent(Games::from_wins_draws_losses(won, drawn, lost).interval(confidence)?)
            }
            (PublishedSample::Runs(runs), Some(measured)) => {
                // Student's t with the variance of the measured sample, for the published number of runs.
                let own = measured.interval(confidence)?;
                let margin = 0.5 * (own.high - own.low) * (measured.n as f64 / runs as f64).sqrt();
                Interval { low: self.value - margin, high: self.value + margin }
            }
            // A share of trials, as the nearest number of half points: wins and losses, and a draw if it is odd.
            (PublishedSample::Runs(trials), None) => {
                let halves = (2.0 * self.value / 100.0 * trials as f64).round() as u64;
                let (won, drawn) = (halves / 2, halves % 2);
                let games = Games::from_wins_draws_losses(won, drawn, trials.saturating_sub(won + drawn));
                per_cent(games.interval(confidence)?)
            }
        })
    }
}

/// An interval of shares in per cent.
pub(crate) fn per_cent(Interval { low, high }: Interval) -> Interval {
    Interval { low: 100.0 * low, high: 100.0 * high }
}
