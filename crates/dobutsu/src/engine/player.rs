//! The player `engine`.

use std::sync::atomic::AtomicU32;

use banmen_catalog::{Key, Kind, Options};
use banmen_game::{GameState, Rng, mix};
use banmen_search::windows::{Recorder, WindowQuery, Windows};
use banmen_search::{Budget, Player, Report, Task, threads};

use super::evaluation::Evaluation;
use super::level::{Handicap, LEVELS, Level};
use super::order::MoveOrder;
use super::root;
use super::search::{INFINITE, MAX_PLY, PROVEN, Search, SearchContext, WIN};
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
        default: "4",
        summary: "transposition table in MiB, 1 below level 10",
        source: "measured: a larger one misses the caches of the processor, docs/measured.md",
    },
];

/// The engine, one session.
pub struct Engine {
    /// Below level 10.
    level: Option<Level>,
    table: TranspositionTable,
    order: MoveOrder,
    rng: Rng,
    query: Option<WindowQuery>,
    windows: Option<Windows>,
}

impl Engine {
    /// The player with these settings. The seed decides what levels below 10 overlook.
    #[must_use]
    pub fn new(options: &Options, seed: u64) -> Self {
        let level = options.level(&LEVELS);
        let mebibytes = if level.is_some() { 1 } else { options.integer("table").max(1) as usize };
        let table = TranspositionTable::new(mebibytes << 20);
        Engine { level, table, order: MoveOrder::default(), rng: Rng::new(seed), query: None, windows: None }
    }
}

impl Player<Dobutsu> for Engine {
    fn new_game(&mut self, _: &GameState<Dobutsu>, seed: u64) {
        self.rng = Rng::new(seed);
        self.table.clear();
        self.order = MoveOrder::default();
    }

    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        self.query = query;
        true
    }

    fn take_windows(&mut self) -> Option<Windows> {
        self.windows.take()
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
            mixes: handicap.is_none(),
            handicap,
            twice: &twice,
            salt,
        };
        // Levels below 10 search too few plies to gain from helpers.
        let helpers = if handicap.is_none() { threads::helpers(task.threads) } else { 0 };
        let (position, lines, current) = (*task.state.position(), task.lines, &AtomicU32::new(1));
        let helpers: Vec<_> = (0..helpers)
            .map(|index| {
                let mut order = self.order.clone();
                move |budget: &mut Budget<'_>| {
                    root::help(&mut Search::new(context, &mut order, budget), position, index, lines, depth, current);
                }
            })
            .collect();
        let Engine { order, query, windows, .. } = self;
        let mut report = budget.share(helpers, |budget| {
            let mut search = Search::new(context, order, budget);
            search.record = query.clone().map(|query| Box::new(Recorder::new(query)));
            let report = root::deepen(&mut search, &mut task, depth, current);
            *windows = search.record.and_then(|record| record.windows([PROVEN, WIN, INFINITE], None));
            report
        });
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}
