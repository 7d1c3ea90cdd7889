//! The keys of the player `engine`, and the settings read from them.

use banmen_catalog::{Key, Kind, Options};

use super::eval::Weights;

/// Everything that can be set.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: below 10 it searches fewer plans, and its evaluation has errors",
        source: "own",
    },
    Key {
        name: "root",
        kind: Kind::Integers(2, 1, 512),
        default: "64/64",
        summary: "width of the beam that makes the plans of the root, and how many of them are searched",
        source: "own",
    },
    Key {
        name: "inner",
        kind: Kind::Integers(2, 1, 512),
        default: "16/16",
        summary: "the same below the root",
        source: "own",
    },
    Key {
        name: "threshold",
        kind: Kind::Integer(1, 1_000_000),
        default: "64",
        summary: "playouts of a position before its plans are made",
        source: "own",
    },
    Key {
        name: "batch",
        kind: Kind::Integer(1, 1000),
        default: "4",
        summary: "playouts at each visit of a leaf",
        source: "own",
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
        name: "margin",
        kind: Kind::Number(0.0, 1.0),
        default: "0.2",
        summary: "share of the lead in hit points in the reward of a playout",
        source: "own",
    },
    Key {
        name: "margin-scale",
        kind: Kind::Number(0.1, 1000.0),
        default: "10",
        summary: "lead in hit points that gives half of that share",
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
        summary: "difference of values that makes the prior e times as large, in hundredths of a hit point",
        source: "own",
    },
    Key {
        name: "scale",
        kind: Kind::Number(1.0, 10_000.0),
        default: "900",
        summary: "value at which the expected score is 0.73, in hundredths of a hit point",
        source: "own",
    },
    Key {
        name: "values",
        kind: Kind::Integers(6, 0, 1000),
        default: "220/300/220/220/160/100",
        summary: "value of a hit point of fighter, attacker, panzer, cannon, antiair and infantry, in hundredths",
        source: "own, from the ratios of RHEA's evaluation",
    },
    Key {
        name: "unit",
        kind: Kind::Integer(0, 1000),
        default: "50",
        summary: "value of a unit beside its hit points, in hundredths of a hit point",
        source: "own",
    },
    Key {
        name: "threats",
        kind: Kind::Integers(3, 0, 200),
        default: "90/60/20",
        summary: "percent of what attacks gain: of units that can still act in this turn, of the other side's, of units that have acted",
        source: "own",
    },
    Key {
        name: "approach",
        kind: Kind::Integer(0, 1000),
        default: "60",
        summary: "value of being near to what a unit can attack",
        source: "own, after the rule of SMAEF",
    },
    Key {
        name: "shelter",
        kind: Kind::Integer(0, 1000),
        default: "10",
        summary: "value of a defence star under a whole ground unit, in hundredths of a hit point",
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
}

/// The settings read from the keys.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) root: Breadth,
    pub(super) inner: Breadth,
    pub(super) threshold: u32,
    /// Playouts at each visit of a leaf.
    pub(super) playouts: u32,
    pub(super) attack: f64,
    pub(super) choices: u32,
    pub(super) margin: f32,
    pub(super) margin_scale: f32,
    pub(super) explore: f32,
    pub(super) spread: f32,
    pub(super) scale: f32,
    pub(super) weights: Weights,
}

impl Settings {
    /// Reads the values of [`KEYS`].
    pub(super) fn new(options: &Options) -> Settings {
        let integers = |name| options.integers(name).iter().map(|&n| n as i32).collect::<Vec<_>>();
        let breadth = |name| {
            let sizes = options.integers(name);
            Breadth { width: sizes[0] as usize, plans: sizes[1] as usize }
        };
        let (values, threats) = (integers("values"), integers("threats"));
        Settings {
            root: breadth("root"),
            inner: breadth("inner"),
            threshold: options.integer("threshold") as u32,
            playouts: options.integer("batch") as u32,
            attack: options.number("attack"),
            choices: options.integer("choices") as u32,
            margin: options.number("margin") as f32,
            margin_scale: options.number("margin-scale") as f32,
            explore: options.number("explore") as f32,
            spread: options.number("spread") as f32,
            scale: options.number("scale") as f32,
            weights: Weights {
                hit_point: std::array::from_fn(|kind| values[kind]),
                unit: options.integer("unit") as i32,
                threats: std::array::from_fn(|index| threats[index]),
                approach: options.integer("approach") as i32,
                shelter: options.integer("shelter") as i32,
            },
        }
    }
}

impl Default for Settings {
    /// The defaults of [`KEYS`].
    fn default() -> Self {
        Settings::new(&Options::new(KEYS, &[]).unwrap_or_else(|_| unreachable!("defaults are in range")))
    }
}
