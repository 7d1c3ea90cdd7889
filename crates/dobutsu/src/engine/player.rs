//! The player `engine`.

use std::sync::atomic::AtomicU32;

use banmen_catalog::{Key, Kind, Options};
use banmen_game::{GameState, Rng, mix};
use banmen_search::{Budget, Player, Report, Task, threads};

use super::evaluation::Evaluation;
use super::level::{Handicap, LEVELS, Level};
use super::order::MoveOrder;
use super::root;
use super::search::{MAX_PLY, Search, SearchContext};
use super::transposition::TranspositionTable;
use crate::Dobutsu;
use crate::position::Move;

/// Everything that can be set.
pub const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength: below 10 the search is shallower, overlooks replies, and its evaluation has errors",
        source: "calibrated by the value lost per move: docs/measured.md",
    },
    Key {
        name: "table",
        kind: Kind::Integer(1, 4096),
        default: "32",
        summary: "transposition table in MiB, 1 below level 10",
        source: "a second of search fills a few MiB",
    },
];

/// The engine, one session.
pub struct Engine {
    /// Below level 10.
    level: Option<Level>,
    table: TranspositionTable,
    order: MoveOrder,
    rng: Rng,
}

impl Engine {
    /// The player with these settings. The seed decides what levels below 10 overlook.
    #[must_use]
    pub fn new(options: &Options, seed: u64) -> Self {
        let level = options.level(&LEVELS);
        let mebibytes = if level.is_some() { 1 } else { options.integer("table").max(1) as usize };
        let table = TranspositionTable::new(mebibytes << 20);
        Engine { level, table, order: MoveOrder::default(), rng: Rng::new(seed) }
    }
}

impl Player<Dobutsu> for Engine {
    fn new_game(&mut self, _: &GameState<Dobutsu>, seed: u64) {
        self.rng = Rng::new(seed);
        self.table.clear();
        self.order = MoveOrder::default();
    }

    fn think(&mut self, mut task: Task<'_, Dobutsu>) -> Report<Move> {
        let limits = task.limits;
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let handicap = self.level.map(|level| Handicap { level, salt: self.rng.bits() });
        let twice = task.state.history().twice();
        // A level may recognise at this move what it overlooked at the last one; a win may have become a draw.
        let rules = task.state.game().variant as u64;
        let salt = twice.iter().fold(handicap.map_or(rules, |handicap| handicap.salt), |salt, &key| mix(salt ^ key));
        self.table.age();
        self.order.age();
        let depth = limits.depth.unwrap_or(u32::MAX).min(self.level.map_or(MAX_PLY as u32, |level| level.depth)) as i32;
        let context = SearchContext {
            game: *task.state.game(),
            evaluation: Evaluation::get(),
            table: &self.table,
            handicap,
            twice: &twice,
            salt,
        };
        // Levels below 10 search too few plies to gain from helpers.
        let helpers = if threads::AVAILABLE && handicap.is_none() { task.threads.saturating_sub(1) } else { 0 };
        let (position, lines, current) = (*task.state.position(), task.lines, &AtomicU32::new(1));
        let helpers: Vec<_> = (0..helpers)
            .map(|index| {
                let mut order = self.order.clone();
                move |budget: &mut Budget<'_>| {
                    root::help(&mut Search::new(context, &mut order, budget), position, index, lines, depth, current);
                }
            })
            .collect();
        let order = &mut self.order;
        let mut report = budget
            .share(helpers, |budget| root::deepen(&mut Search::new(context, order, budget), &mut task, depth, current));
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}
