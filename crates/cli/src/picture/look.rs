//! How the games of this project look: the shapes and colours of the page's views. A browser test compares them.

use std::fmt::Write;

use banmen_catalog::{Cell, SideName};

use super::{blokus, dobutsu, golad, othello, tubstap};

/// A colour of the picture: what it is for, the property, and its value in a light and in a dark scheme.
pub(super) type Colour = (&'static str, &'static str, &'static str, &'static str);

/// How a game is drawn. A cell is 100 units wide and high; pieces, terrain and marks are drawn around its centre.
pub(super) struct Look {
    /// The view that the game names.
    pub(super) view: &'static str,
    /// Pieces point away from their owner, and those in hand lie in trays beside the board.
    pub(super) facing: bool,
    /// Marks the cells whose names are legal moves.
    pub(super) legal: bool,
    /// What does not depend on the colour scheme, as declarations of a selector.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    pub(super) colours: &'static [Colour],
    /// What is below the lines, of a board of so many columns and rows.
    pub(super) ground: fn(usize, usize) -> String,
    /// The terrain of a cell, with the terrains above it, to the right, below and to the left.
    pub(super) terrain: fn(&str, [Option<&str>; 4]) -> String,
    pub(super) piece: fn(&str, SideName) -> String,
    /// A mark of the game's own, with the side to move.
    pub(super) mark: fn(&str, &Cell, SideName) -> Option<String>,
    pub(super) last: &'static str,
}

const LOOKS: [&Look; 6] =
    [&othello::LOOK, &dobutsu::LOOK, &dobutsu::ARTICLE, &golad::LOOK, &blokus::LOOK, &tubstap::LOOK];

/// The rules of every picture.
const FIXED: &[(&str, &str)] = &[
    (".label", "font-weight:500;text-anchor:middle;dominant-baseline:central"),
    (".lines", "fill:none;stroke-width:2.5"),
    (".last-cell", "fill:none;stroke-width:4"),
    (".flipped", "fill:none;stroke-width:2.5;stroke-dasharray:5 6"),
    (".badge", "fill:#4d4a44;stroke:#ffffff;stroke-width:2"),
    (".count", "fill:#ffffff;font-weight:600;font-size:22px;text-anchor:middle;dominant-baseline:central"),
    (".check", "stroke:#ffffff;stroke-width:1.5;stroke-linejoin:round"),
    (".bang", "stroke:#ffffff;stroke-width:2.6;stroke-linecap:round"),
];

impl Look {
    /// The look of the games that name a view, if it is one of the project's own.
    pub(super) fn of(view: &str) -> Option<&'static Self> {
        LOOKS.into_iter().find(|look| look.view == view)
    }

    /// The style sheet. Its rules hold in this picture only, so that a document can contain several.
    pub(super) fn sheet(&self) -> String {
        let view = self.view;
        let mut sheet = format!(
            "<style>.banmen-{view}{{color-scheme:light dark;font-family:system-ui,sans-serif;font-variant-numeric:tabular-nums}}"
        );
        for (selector, rules) in FIXED.iter().chain(self.fixed) {
            let _ = write!(sheet, ".banmen-{view} {selector}{{{rules}}}");
        }
        for (selector, property, light, _) in self.colours {
            let _ = write!(sheet, ".banmen-{view} {selector}{{{property}:{light}}}");
        }
        sheet.push_str("@media(prefers-color-scheme:dark){");
        for (selector, property, _, dark) in self.colours.iter().filter(|(_, _, light, dark)| light != dark) {
            let _ = write!(sheet, ".banmen-{view} {selector}{{{property}:{dark}}}");
        }
        sheet + "}</style>"
    }
}

/// A closed disc, as a part of a path.
pub(super) fn disc(x: f64, y: f64, r: f64) -> String {
    format!("M{} {y}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 {} 0z", x - r, 2.0 * r, -2.0 * r)
}

/// A rounded square around the centre.
pub(super) fn square(class: &str, half: usize, radius: usize) -> String {
    let edge = 2 * half;
    format!("<rect class=\"{class}\" x=\"-{half}\" y=\"-{half}\" width=\"{edge}\" height=\"{edge}\" rx=\"{radius}\"/>")
}

/// The ground of a board of one colour.
pub(super) fn field(width: usize, height: usize) -> String {
    format!("<rect class=\"field\" width=\"{}\" height=\"{}\" rx=\"3\"/>", width * 100, height * 100)
}

pub(super) const fn no_terrain(_: &str, _: [Option<&str>; 4]) -> String {
    String::new()
}

pub(super) const fn no_mark(_: &str, _: &Cell, _: SideName) -> Option<String> {
    None
}
