//! The keys of the player `engine`, and the settings read from them.

use banmen_catalog::{Key, Kind, Options};

/// Everything that can be set.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: below 10 it searches fewer plans, and misjudges positions",
        source: "graded by games: docs/measured.md",
    },
    Key {
        name: "root",
        kind: Kind::Integers(3, 1, 512),
        default: "64/64/12",
        summary: "width of the beam that makes the plans of the root, how many of them are searched, and to how many cells a unit goes without an attack",
        source: "own",
    },
    Key {
        name: "inner",
        kind: Kind::Integers(3, 1, 512),
        default: "16/16/6",
        summary: "the same below the root",
        source: "own",
    },
    Key {
        name: "wide",
        kind: Kind::Integers(3, 1, 512),
        default: "64/48/12",
        summary: "the same for the second beam at a position below the root",
        source: "own",
    },
    Key {
        name: "widen",
        kind: Kind::Integer(0, 1_000_000),
        default: "12",
        summary: "visits of a position before the second beam; with 0 there is none",
        source: "own",
    },
    Key {
        name: "leaf",
        kind: Kind::Integers(2, 1, 512),
        default: "4/6",
        summary: "the width and the cells at the first visit of a position, whose plans are not kept",
        source: "own",
    },
    Key {
        name: "playouts",
        kind: Kind::Integer(0, 1000),
        default: "16",
        summary: "playouts when a position is searched for the first time",
        source: "own",
    },
    Key {
        name: "share",
        kind: Kind::Number(0.0, 1.0),
        default: "0.5",
        summary: "share of the playouts in the value of a position; the rest is the network's value of its best plan",
        source: "own: the least logistic loss on games of the engine",
    },
    Key {
        name: "attack",
        kind: Kind::Number(0.0, 1.0),
        default: "0.98",
        summary: "probability of an attack in playouts, where there is one",
        source: "Okuda, Ikeda and Hashimoto 2022",
    },
    Key {
        name: "choices",
        kind: Kind::Integer(1, 16),
        default: "3",
        summary: "random attacks of which a playout plays the best one",
        source: "own",
    },
    Key {
        name: "contempt",
        kind: Kind::Number(0.0, 0.5),
        default: "0.25",
        summary: "how much less than half a win the side that searches values a draw",
        source: "own",
    },
    Key {
        name: "explore",
        kind: Kind::Number(0.0, 10.0),
        default: "0.5",
        summary: "weight of the urgency of plans with few visits",
        source: "PUCT: Silver and others 2017, Methods",
    },
    Key {
        name: "spread",
        kind: Kind::Number(1.0, 10_000.0),
        default: "300",
        summary: "difference of values that makes the prior e times as large, in thousandths of the logarithm of the odds",
        source: "own",
    },
];

/// How many plans are made and searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Breadth {
    /// The width of the beam.
    pub(super) width: usize,
    /// The plans that get into the tree.
    pub(super) plans: usize,
    /// The cells to which a unit goes without an attack; see [`super::plan::Planner::plans`].
    pub(super) cells: usize,
}

/// The settings read from the keys.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) root: Breadth,
    pub(super) inner: Breadth,
    /// The second beam of a position below the root.
    pub(super) wide: Breadth,
    /// The visits before it; 0: never.
    pub(super) widen: u32,
    /// At the first visit of a position, of which the best plan alone counts.
    pub(super) leaf: Breadth,
    /// Playouts at the first visit of a position.
    pub(super) playouts: u32,
    /// Their share in its value.
    pub(super) share: f32,
    pub(super) attack: f64,
    pub(super) choices: u32,
    /// What a draw is worth less than half to the side that searches.
    pub(super) contempt: f32,
    pub(super) explore: f32,
    pub(super) spread: f32,
}

impl Settings {
    /// Reads the values of [`KEYS`].
    pub(super) fn new(options: &Options) -> Settings {
        let sizes = |name| options.integers(name).iter().map(|&size| size as usize).collect::<Vec<_>>();
        let breadth = |name| {
            let sizes = sizes(name);
            Breadth { width: sizes[0], plans: sizes[1], cells: sizes[2] }
        };
        let leaf = sizes("leaf");
        Settings {
            root: breadth("root"),
            inner: breadth("inner"),
            wide: breadth("wide"),
            widen: options.integer("widen") as u32,
            leaf: Breadth { width: leaf[0], plans: 1, cells: leaf[1] },
            playouts: options.integer("playouts") as u32,
            share: options.number("share") as f32,
            attack: options.number("attack"),
            choices: options.integer("choices") as u32,
            contempt: options.number("contempt") as f32,
            explore: options.number("explore") as f32,
            spread: options.number("spread") as f32,
        }
    }
}
