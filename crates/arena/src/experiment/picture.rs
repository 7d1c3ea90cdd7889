//! Pictures: curves over a number, or bars, with their intervals and the published figures.
//!
//! Series differ by the shape of their marks and the dashes of their lines as well as by colour. Text and
//! background follow the light or dark colour scheme of the reader.

use std::fmt::Write;

use super::plot::{Point, Series};
use super::reproduction::{Row, number};

/// The width of a picture, in SVG units: on screens, and on telephones, where it is shown in its own size too.
pub(crate) const WIDE: f64 = 760.0;
pub(crate) const NARROW: f64 = 360.0;
/// The height of the plane of curves.
const PLANE: f64 = 300.0;
/// The height of a bar with its gap.
const BAR: f64 = 24.0;
/// The height of a label above its bar.
const LABEL: f64 = 16.0;
/// The approximate width of a character; Japanese characters have two.
const LETTER: f64 = 6.6;

/// Colours that can be distinguished with colour blindness (Okabe and Ito 2008), and line styles.
const SERIES: usize = 6;
const DASHES: [&str; SERIES] = ["", "7 4", "2 4", "9 3 2 3", "12 5", "1 3"];

const STYLE: &str = "<style>\
.bp{color:#1a1a1a;background:#fff;font:12px system-ui,sans-serif}\
.bp text{fill:currentColor}.bp .ground{fill:#fff}.bp .grid{stroke:#d9d9d9}.bp .frame{stroke:#767676;fill:none}\
.bp .published{stroke:#1a1a1a;fill:#fff;stroke-width:1.6}.bp .stated{stroke:#1a1a1a;stroke-width:1.2;fill:none}\
.bp .s0{--c:#0072b2}.bp .s1{--c:#b34700}.bp .s2{--c:#00795a}.bp .s3{--c:#a04a86}.bp .s4{--c:#5a5a5a}.bp .s5{--c:#8a6d00}\
.bp .line{stroke:var(--c);fill:none;stroke-width:1.8}.bp .bar{fill:var(--c);fill-opacity:.3;stroke:var(--c)}\
.bp .mark{fill:var(--c);stroke:var(--c)}.bp .whisker{stroke:var(--c);stroke-width:1.4;fill:none}\
@media (prefers-color-scheme:dark){.bp{color:#ececec;background:#161616}.bp .ground{fill:#161616}.bp .grid{stroke:#3a3a3a}\
.bp .frame{stroke:#9a9a9a}.bp .published{stroke:#ececec;fill:#161616}.bp .stated{stroke:#ececec}\
.bp .s0{--c:#56b4e9}.bp .s1{--c:#e69f00}.bp .s2{--c:#2fc79a}.bp .s3{--c:#e08fc4}.bp .s4{--c:#b8b8b8}.bp .s5{--c:#f0e442}}\
@media print{.bp{color:#000;background:#fff}.bp .ground{fill:#fff}}\
</style>";

/// A scale from numbers to coordinates.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let turn = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (turn(self.low), turn(self.high));
        let share = if high > low { (turn(value) - low) / (high - low) } else { 0.5 };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round numbers in the range, about five.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        if self.logarithmic {
            let mut tick = 10f64.powf(self.low.log10().floor());
            while tick <= self.high * 1.0001 {
                ticks.push(tick);
                tick *= 10.0;
            }
            ticks.retain(|tick| *tick >= self.low * 0.9999);
            return ticks;
        }
        let step = step((self.high - self.low) / 5.0);
        let mut tick = (self.low / step).ceil();
        while tick * step <= self.high + 1e-9 * step && ticks.len() < 20 {
            ticks.push(tick * step);
            tick += 1.0;
        }
        ticks
    }
}

/// The smallest of 1, 2, 5, 10 … that is at least this.
fn step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= least * 0.9999).unwrap_or(least)
}

/// The range of the shown values, with a small margin; of per cent within 0 and 100.
fn range<'a>(rows: impl Iterator<Item = &'a Row>, percent: bool, from_zero: bool) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in rows {
        let published = row.published.as_ref().map(|figure| [figure.value; 2]);
        let shown = [row.value.map(|value| [value; 2]), row.interval, published, row.published_interval];
        for value in shown.into_iter().flatten().flatten() {
            low = low.min(value);
            high = high.max(value);
        }
    }
    if from_zero {
        low = low.min(0.0);
        high = high.max(0.0);
    }
    let padding = if high > low { 0.06 * (high - low) } else { 0.5 };
    let (low, high) = (if from_zero && low == 0.0 { 0.0 } else { low - padding }, high + padding);
    if percent { (low.max(0.0), high.min(100.0)) } else { (low, high) }
}

/// The width of a text.
fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c > '\u{2fff}' { 2.0 * LETTER } else { LETTER }).sum()
}

/// A text with XML escapes.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The tooltip of a point.
fn tooltip(label: &str, row: &Row) -> String {
    let mut text = label.to_owned();
    if let Some(value) = row.value {
        let _ = write!(text, " measured {}", number(value, ""));
    }
    if let Some([low, high]) = row.interval {
        let _ = write!(text, " ({} to {})", number(low, ""), number(high, ""));
    }
    if let Some(figure) = &row.published {
        let _ = write!(text, ", published {}", number(figure.value, ""));
        if let Some([low, high]) = row.published_interval {
            let _ = write!(text, " ({} to {})", number(low, ""), number(high, ""));
        }
    }
    format!("<title>{}</title>", escaped(text.trim()))
}

/// Wraps the contents of a picture in an SVG element.
fn framed(title: &str, [width, height]: [f64; 2], inside: &str) -> String {
    format!(
        "<svg class=\"bp\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" role=\"img\" \
         aria-label=\"{}\">{STYLE}<rect class=\"ground\" width=\"{width}\" height=\"{height:.0}\"/>{inside}</svg>",
        escaped(title)
    )
}

/// A mark of a series.
fn mark(series: usize, x: f64, y: f64, inside: &str) -> String {
    let class = format!("class=\"mark s{}\"", series % SERIES);
    let path = |d: String| format!("<path {class} d=\"{d}\">{inside}</path>");
    match series % SERIES {
        0 => format!("<circle {class} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\">{inside}</circle>"),
        1 => path(format!("M{:.1} {:.1}h7v7h-7z", x - 3.5, y - 3.5)),
        2 => path(format!("M{x:.1} {:.1}l4.4 7.6h-8.8z", y - 4.8)),
        3 => path(format!("M{x:.1} {:.1}l-4.4 -7.6h8.8z", y + 4.8)),
        4 => path(format!("M{:.1} {:.1}l8 8m0 -8l-8 8", x - 4.0, y - 4.0)),
        _ => path(format!("M{x:.1} {:.1}v9m-4.5 -4.5h9", y - 4.5)),
    }
}

/// The mark of a published figure: an empty diamond.
fn diamond(x: f64, y: f64) -> String {
    format!("<path class=\"published\" d=\"M{x:.1} {:.1}l5.5 5.5l-5.5 5.5l-5.5 -5.5z\"/>", y - 5.5)
}

/// Measured values over a number.
pub(crate) struct Curves<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    pub(crate) percent: bool,
    pub(crate) series: &'a [Series<'a>],
}

impl Curves<'_> {
    /// The picture in an SVG element of this width.
    pub(crate) fn draw(&self, width: f64) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let published = points().any(|point| point.row.published.is_some());
        let (legend, top) = self.legend(published, width);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for point in points() {
            (least, most) = (least.min(point.x), most.max(point.x));
        }
        let (low, high) = range(points().map(|point| point.row), self.percent, false);
        let y = Scale { low, high, from: top + PLANE, to: top, logarithmic: false };
        // Beside the numbers of the axis there is its title.
        let numbers = y.ticks().into_iter().map(|tick| text_width(&plain(tick))).fold(0.0, f64::max);
        let left = (numbers + 28.0).max(64.0);
        let logarithmic = least > 0.0 && most / least >= 16.0;
        let padding = if logarithmic { 1.0 } else { 0.02 * (most - least) };
        let x = if logarithmic {
            Scale { low: least / 1.15, high: most * 1.15, from: left, to: width - 16.0, logarithmic }
        } else {
            Scale { low: least - padding, high: most + padding, from: left, to: width - 16.0, logarithmic }
        };
        let mut svg = legend;
        for tick in y.ticks() {
            let at = y.at(tick);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{left:.1} {at:.1}H{:.0}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                width - 16.0,
                left - 6.0,
                at + 4.0,
                plain(tick)
            );
        }
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{at:.1} {top:.1}V{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                top + PLANE,
                top + PLANE + 16.0,
                plain(tick)
            );
        }
        let _ = write!(
            svg,
            "<rect class=\"frame\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.0}\" height=\"{PLANE:.0}\"/>\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            width - 16.0 - left,
            0.5 * (left + width - 16.0),
            top + PLANE + 34.0,
            escaped(self.x),
            top + 0.5 * PLANE,
            escaped(self.y)
        );
        for (number, series) in self.series.iter().enumerate() {
            // Marks of several series at one position are drawn side by side.
            let aside = 3.0 * (number as f64 - 0.5 * (self.series.len() as f64 - 1.0));
            let at = |point: &Point<'_>| x.at(point.x) + aside;
            let class = number % SERIES;
            let line: Vec<String> = series
                .points
                .iter()
                .filter_map(|point| Some(format!("{:.1} {:.1}", at(point), y.at(point.row.value?))))
                .collect();
            let _ = write!(
                svg,
                "<path class=\"line s{class}\" stroke-dasharray=\"{}\" d=\"M{}\"/>",
                DASHES[class],
                line.join("L")
            );
            for point in &series.points {
                let place = at(point);
                if let Some([low, high]) = point.row.interval {
                    let (low, high) = (y.at(low), y.at(high));
                    let _ = write!(
                        svg,
                        "<path class=\"whisker s{class}\" d=\"M{place:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h6M{:.1} {high:.1}h6\"/>",
                        place - 3.0,
                        place - 3.0
                    );
                }
                if let Some(value) = point.row.value {
                    svg.push_str(&mark(number, place, y.at(value), &tooltip(&series.name, point.row)));
                }
                if let Some(figure) = &point.row.published {
                    let beside = place + 5.0;
                    if let Some([low, high]) = point.row.published_interval {
                        let (low, high) = (y.at(low), y.at(high));
                        let _ = write!(
                            svg,
                            "<path class=\"stated\" d=\"M{beside:.1} {low:.1}V{high:.1}M{0:.1} {low:.1}h5M{0:.1} {high:.1}h5\"/>",
                            beside - 2.5
                        );
                    }
                    svg.push_str(&diamond(beside, y.at(figure.value)));
                }
            }
        }
        framed(self.title, [width, top + PLANE + 44.0], &svg)
    }

    /// The legend, and the vertical position below it at which the plane begins.
    fn legend(&self, published: bool, most: f64) -> (String, f64) {
        let mut svg = String::new();
        let (mut left, mut top) = (64.0, 18.0);
        let measured = if self.series.len() == 1 && self.series[0].name.is_empty() { "measured" } else { "" };
        let names = self.series.iter().map(|series| format!("{}{measured}", series.name));
        let entries = names.map(Some).chain(published.then_some(None));
        for (number, entry) in entries.enumerate() {
            let name = entry.as_deref().unwrap_or("published");
            let takes = text_width(name) + 56.0;
            if left + takes > most && left > 64.0 {
                (left, top) = (64.0, top + 18.0);
            }
            match entry {
                Some(_) => {
                    let class = number % SERIES;
                    let _ = write!(
                        svg,
                        "<path class=\"line s{class}\" stroke-dasharray=\"{}\" d=\"M{left:.1} {top:.1}h28\"/>{}",
                        DASHES[class],
                        mark(number, left + 14.0, top, "")
                    );
                }
                None => svg.push_str(&diamond(left + 14.0, top)),
            }
            let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", left + 34.0, top + 4.0, escaped(name));
            left += takes;
        }
        (svg, top + 18.0)
    }
}

/// A number on an axis.
fn plain(tick: f64) -> String {
    // The sum turns -0 into 0.
    let rounded = (tick * 1e9).round() / 1e9 + 0.0;
    if rounded.abs() >= 10_000.0 { number(rounded, "") } else { rounded.to_string() }
}

/// Measured values as bars.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) percent: bool,
    pub(crate) points: &'a [Point<'a>],
}

impl Bars<'_> {
    /// The picture in an SVG element of this width. Labels that take more than half of it are above their bars.
    pub(crate) fn draw(&self, width: f64) -> String {
        let longest = self.points.iter().map(|point| text_width(&point.label)).fold(0.0, f64::max);
        let above = longest + 16.0 > 0.55 * width;
        let left = if above { 16.0 } else { (longest + 16.0).max(40.0) };
        let bar = if above { BAR + LABEL } else { BAR };
        let published = self.points.iter().any(|point| point.row.published.is_some());
        let top = if published { 30.0 } else { 10.0 };
        let bottom = top + bar * self.points.len() as f64;
        let (low, high) = range(self.points.iter().map(|point| point.row), self.percent, true);
        let x = Scale { low, high, from: left, to: width - 20.0, logarithmic: false };
        let mut svg = String::new();
        if published {
            let _ =
                write!(svg, "{}<text x=\"{:.1}\" y=\"20\">published</text>", diamond(left + 6.0, 16.0), left + 18.0);
        }
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
                 text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                plain(tick)
            );
        }
        for (number, point) in self.points.iter().enumerate() {
            let middle = top + bar * (number as f64 + 1.0) - 0.5 * BAR;
            let (x_of, y_of, anchor) =
                if above { (left + 2.0, middle - 12.0, "start") } else { (left - 8.0, middle + 4.0, "end") };
            let _ = write!(
                svg,
                "<text x=\"{x_of:.1}\" y=\"{y_of:.1}\" text-anchor=\"{anchor}\">{}</text>",
                escaped(&point.label)
            );
            if let Some(value) = point.row.value {
                let (zero, end) = (x.at(0.0), x.at(value));
                let _ = write!(
                    svg,
                    "<rect class=\"bar s0\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\">{}</rect>",
                    zero.min(end),
                    middle - 7.0,
                    (end - zero).abs(),
                    14.0,
                    tooltip(&point.label, point.row)
                );
            }
            if let Some([low, high]) = point.row.interval.filter(|[low, high]| high > low) {
                let (low, high) = (x.at(low), x.at(high));
                let _ = write!(
                    svg,
                    "<path class=\"whisker s0\" d=\"M{low:.1} {middle:.1}H{high:.1}M{low:.1} {:.1}v8M{high:.1} {:.1}v8\"/>",
                    middle - 4.0,
                    middle - 4.0
                );
            }
            if let Some(figure) = &point.row.published {
                if let Some([low, high]) = point.row.published_interval {
                    let (low, high, below) = (x.at(low), x.at(high), middle + 4.0);
                    let _ = write!(
                        svg,
                        "<path class=\"stated\" d=\"M{low:.1} {below:.1}H{high:.1}M{low:.1} {0:.1}v5M{high:.1} {0:.1}v5\"/>",
                        below - 2.5
                    );
                }
                svg.push_str(&diamond(x.at(figure.value), middle + 4.0));
            }
        }
        let _ = write!(
            svg,
            "<path class=\"frame\" d=\"M{:.1} {top:.1}V{bottom:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            x.at(0.0),
            0.5 * (left + width - 20.0),
            bottom + 34.0,
            escaped(self.x)
        );
        framed(self.title, [width, bottom + 44.0], &svg)
    }
}
