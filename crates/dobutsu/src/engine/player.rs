//! The player `engine`.

use banmen_catalog::{Key, Kind, Options};
use banmen_game::{GameState, Rng, mix};
use banmen_search::{Budget, Player, Report, Task};

use super::evaluation::Evaluation;
use super::level::{LEVELS, Level, Sight};
use super::memory::Memory;
use super::order::Order;
use super::root;
use super::search::{MAX_PLY, Search};
use crate::Dobutsu;
use crate::position::Move;

/// Everything that can be set.
pub const KEYS: &[Key] = &[
    Key {
        name: "level",
        kind: Kind::Integer(1, 10),
        default: "10",
        summary: "strength for people: below 10 it looks less far, overlooks moves of the other side and misjudges",
        source: "graded by the value lost a move, docs/measured.md",
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
    memory: Memory,
    order: Order,
    rng: Rng,
}

impl Engine {
    /// The player with these settings. What levels below 10 overlook follows from the seed.
    #[must_use]
    pub fn new(options: &Options, seed: u64) -> Self {
        let level = usize::try_from(options.integer("level") - 1).ok().and_then(|level| LEVELS.get(level)).copied();
        let mebibytes = if level.is_some() { 1 } else { options.integer("table").max(1) as usize };
        Engine { level, memory: Memory::new(mebibytes << 20), order: Order::default(), rng: Rng::new(seed) }
    }
}

impl Player<Dobutsu> for Engine {
    fn new_game(&mut self, _: &GameState<Dobutsu>, seed: u64) {
        self.rng = Rng::new(seed);
        self.memory.clear();
        self.order = Order::default();
    }

    fn think(&mut self, mut task: Task<'_, Dobutsu>) -> Report<Move> {
        let limits = task.limits;
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let sight = self.level.map(|level| Sight { level, salt: self.rng.bits() });
        let twice = task.state.history().twice();
        // What a level overlooked at the last move it may see at this one, and a way to a win may now be one to a draw.
        let rules = task.state.game().variant as u64;
        let salt = twice.iter().fold(sight.map_or(rules, |sight| sight.salt), |salt, &key| mix(salt ^ key));
        self.memory.age();
        self.order.age();
        let depth = limits.depth.unwrap_or(u32::MAX).min(self.level.map_or(MAX_PLY as u32, |level| level.depth));
        let mut search = Search {
            game: *task.state.game(),
            evaluation: Evaluation::get(),
            memory: &mut self.memory,
            order: &mut self.order,
            budget: &mut budget,
            sight,
            twice,
            salt,
            path: Vec::with_capacity(MAX_PLY),
            lines: vec![Vec::new(); MAX_PLY + 1],
        };
        let mut report = root::deepen(&mut search, &mut task, depth as i32);
        report.nodes = budget.count();
        report.time = budget.elapsed();
        report
    }
}
