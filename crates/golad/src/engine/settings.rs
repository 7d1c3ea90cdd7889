//! The keys of the player `engine`, and the settings read from them.

use banmen_catalog::{Error, Key, Kind, Options};
use banmen_game::Side;

use super::births::Breadth;
use super::lists::{Lists, WIDTHS};
use super::memory::CHILDREN;
use crate::board::Board;
use crate::trial::Weights;

/// The number of generations that have a weight.
const WEIGHTS: usize = 8;

/// Everything that can be set.
pub const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: below 10 it searches fewer plies and moves, and its evaluation has errors",
        source: "own",
    },
    Key {
        name: "weights",
        kind: Kind::Integers(WEIGHTS, 0, 100),
        default: "40/30/20/10/0/0/0/0",
        summary: "weights of the cell balances after 1 to 8 generations in the value of a move",
        source: "small trials against balance3: docs/golad.md",
    },
    Key {
        name: "lead",
        kind: Kind::Integer(0, 100),
        default: "65",
        summary: "share of all cells, in percent, from which the side to move uses lead-weights at level 10; 100: never",
        source: "matches against balance3: docs/golad.md",
    },
    Key {
        name: "lead-weights",
        kind: Kind::Integers(WEIGHTS, 0, 100),
        default: "70/20/10/5/0/0/0/0",
        summary: "weights of the cell balances for a side that leads",
        source: "matches against balance3: docs/golad.md",
    },
    Key {
        name: "territory",
        kind: Kind::Integer(0, 1000),
        default: "80",
        summary: "weight of territory in the value of a move: empty cells that one side's cells reach first",
        source: "a regression and small trials: docs/golad.md",
    },
    Key {
        name: "ground",
        kind: Kind::Integer(1, WEIGHTS as i64),
        default: "2",
        summary: "generations after which the territory is counted",
        source: "a regression and small trials: docs/golad.md",
    },
    Key {
        name: "reach",
        kind: Kind::Integer(1, 31),
        default: "3",
        summary: "maximum distance of territory from living cells",
        source: "a regression and small trials: docs/golad.md",
    },
    Key {
        name: "edge",
        kind: Kind::Integer(0, 15),
        default: "1",
        summary: "rows and columns at each edge of the board that do not count as territory",
        source: "a regression and small trials: docs/golad.md",
    },
    Key {
        name: "root",
        kind: Kind::Integers(3, 0, 1024),
        default: "0/0/0",
        summary: "births composed at the root: birth cells, sacrifices tried with each, and how many of these are paired with all others; 0: by the trials that the limits allow",
        source: "matches by the number of trials: docs/golad.md",
    },
    Key {
        name: "inner",
        kind: Kind::Integers(3, 0, 1024),
        default: "0/0/0",
        summary: "the same below the root",
        source: "matches by the number of trials: docs/golad.md",
    },
    Key {
        name: "survey",
        kind: Kind::Integer(0, 1024),
        default: "0",
        summary: "root moves whose replies are searched, halved at each further ply, but never fewer than the first width and the lines asked for; 0: by the trials that the limits allow",
        source: "matches by the number of trials: docs/golad.md",
    },
    Key {
        name: "widths",
        kind: Kind::Integers(WIDTHS, 0, CHILDREN as i64),
        default: "0/0/0/0/0/0",
        summary: "moves searched at each ply from the root, the last number at all deeper plies; 0: 32/32/20/16/12/8",
        source: "matches by the number of trials: docs/golad.md",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "32",
        summary: "transposition table in MiB",
        source: "a second of search fills a few MiB",
    },
];

/// The settings read from the keys.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Weights of the generations, without zeros at the end.
    weights: Weights,
    /// Weights for a side that leads.
    lead_weights: Weights,
    /// The share of all cells, in percent, from which a side leads.
    lead: u32,
    /// The lengths of the lists that the keys give; 0 where they give none.
    lists: Lists,
}

impl Settings {
    /// Reads the values of [`KEYS`].
    ///
    /// # Errors
    /// `bad_player` where all weights are 0.
    pub(super) fn new(options: &Options) -> Result<Settings, Error> {
        let sizes = |name| options.integers(name).iter().map(|&size| size as usize).collect::<Vec<_>>();
        let weights = |name| {
            let shares = options.integers(name).iter().map(|&weight| weight as f64).collect::<Vec<_>>();
            let territory = options.integer("territory") as f64;
            let mut weights = Weights::new(name, &shares, territory, options.integer("ground") as usize)?;
            (weights.reach, weights.edge) = (options.integer("reach") as u32, options.integer("edge") as usize);
            Ok::<_, Error>(weights)
        };
        let breadth = |name| {
            let sizes = sizes(name);
            Breadth::new([sizes[0], sizes[1], sizes[2]])
        };
        let widths = sizes("widths");
        let lists = Lists {
            root: breadth("root"),
            inner: breadth("inner"),
            survey: options.integer("survey") as usize,
            widths: std::array::from_fn(|ply| widths[ply]),
        };
        Ok(Settings {
            weights: weights("weights")?,
            lead_weights: weights("lead-weights")?,
            lead: options.integer("lead") as u32,
            lists,
        })
    }

    /// Whether a side has so many of the cells that it leads.
    pub(super) fn leads(&self, board: &Board, side: Side) -> bool {
        let (own, other) = (board.count(side), board.count(side.other()));
        other > 0 && 100 * own >= self.lead * (own + other)
    }

    /// The weights of a side that leads, or of one that does not.
    pub(super) fn weights(&self, leads: bool) -> &Weights {
        if leads { &self.lead_weights } else { &self.weights }
    }

    /// The lengths of the lists of a search with so many trials.
    pub(super) fn lists(&self, trials: f64) -> Lists {
        self.lists.or(&Lists::for_trials(trials))
    }
}
