//! The pictures of a reproduction: which values each one shows.

use super::Experiment;
use super::grid::BUDGET;
use super::picture::{Bars, Curves, NARROW, WIDE};
use super::reproduction::{Reproduction, Row};

/// A point of a picture.
pub(crate) struct Point<'r> {
    /// Its position on the axis of curves.
    pub(crate) x: f64,
    /// The label of a bar.
    pub(crate) label: String,
    /// Its place among the rows of the picture.
    pub(crate) at: usize,
    pub(crate) row: &'r Row,
}

/// A series of points.
pub(crate) struct Series<'r> {
    pub(crate) name: String,
    pub(crate) points: Vec<Point<'r>>,
}

/// A picture of one quantity.
pub(crate) struct Plot {
    /// Its title.
    pub(crate) title: String,
    /// The picture, an `<svg>` element.
    pub(crate) svg: String,
    /// The same for narrow screens.
    pub(crate) narrow: String,
}

/// The picture of one quantity: which rows it shows, and where.
pub(crate) struct Picture<'r> {
    /// The name of the horizontal axis of curves; `None` where the rows are shown one below the other.
    pub(crate) x: Option<String>,
    /// Its series; one without a name where the rows are shown one below the other.
    pub(crate) series: Vec<Series<'r>>,
}

impl Experiment {
    /// The picture of these rows of one quantity.
    pub(crate) fn picture<'r>(&self, rows: &[&'r Row]) -> Picture<'r> {
        let names: Vec<&str> =
            self.factors.iter().map(|factor| factor.name.as_str()).chain(self.axis.map(|axis| axis.name)).collect();
        let along = self.along(&names);
        let number_of = |row: &Row| {
            let at = along?;
            if names.get(at) == Some(&BUDGET) {
                let cell = self.cells.get(row.cell)?;
                return self.budgets.get(cell.budget?)?.amount().map(|amount| amount as f64);
            }
            row.labels.get(at)?.parse().ok()
        };
        // A factor with one value distinguishes no series.
        let tells = |at: usize| self.factors.get(at).is_none_or(|factor| factor.labels.len() > 1);
        let name = |row: &Row, without: Option<usize>| {
            let labels = self.labels(row).into_iter().enumerate();
            let shown = labels.filter(|(at, _)| tells(*at) && Some(*at) != without);
            let shown = shown.map(
                |(at, label)| {
                    if label.parse::<f64>().is_ok() { format!("{} {label}", names[at]) } else { label }
                },
            );
            shown.collect::<Vec<_>>().join(", ")
        };
        // Curves need three positions or more. Cells without a position, such as those by time, are only in the table.
        let mut places: Vec<f64> = rows.iter().filter_map(|row| number_of(row)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let curves = places.len() >= 3;
        let mut series: Vec<Series<'_>> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let (x, called, label) = match (curves, number_of(row)) {
                (true, Some(x)) => (x, name(row, along), String::new()),
                (true, None) => continue,
                (false, _) => (0.0, String::new(), name(row, None)),
            };
            let point = Point { x, label, at, row };
            match series.iter_mut().find(|known| known.name == called) {
                Some(known) => known.points.push(point),
                None => series.push(Series { name: called, points: vec![point] }),
            }
        }
        let x = along.and_then(|at| names.get(at)).filter(|_| curves);
        let unit = |name: &&str| match (*name, self.budgets.first()) {
            (BUDGET, Some(budget)) if budget.limits.nodes.is_some() => "nodes a move".to_owned(),
            (BUDGET, Some(_)) => "playouts a move".to_owned(),
            (name, _) => name.to_owned(),
        };
        Picture { x: x.map(unit), series }
    }

    /// The column of the horizontal axis: the one that the file names, the axis of the measurement, or the budget.
    fn along(&self, names: &[&str]) -> Option<usize> {
        let asked = self.plot.as_deref().or(self.axis.map(|axis| axis.name)).unwrap_or(BUDGET);
        names.iter().position(|name| *name == asked)
    }
}

impl Reproduction {
    /// The pictures of this reproduction, one for each main quantity. Quantities without values have no picture.
    pub(crate) fn plots(&self) -> Vec<Plot> {
        self.experiment.judged_quantities().into_iter().filter_map(|quantity| self.plot(quantity)).collect()
    }

    fn plot(&self, quantity: usize) -> Option<Plot> {
        let experiment = &self.experiment;
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.quantity == quantity && row.value.is_some()).collect();
        let Picture { x, series } = experiment.picture(&rows);
        let first = series.first()?;
        let head = experiment.headed(quantity);
        let title = format!("{}: {head}", experiment.title);
        let percent = experiment.quantities.get(quantity).is_some_and(|quantity| quantity.unit == "%");
        let [svg, narrow] = match &x {
            Some(x) => {
                let picture = Curves { title: &title, x, y: &head, percent, series: &series };
                [WIDE, NARROW].map(|width| picture.draw(width))
            }
            None => {
                let picture = Bars { title: &title, x: &head, percent, points: &first.points };
                [WIDE, NARROW].map(|width| picture.draw(width))
            }
        };
        Some(Plot { title, svg, narrow })
    }
}
