//! The player `engine`.

use banmen_catalog::{Error, Options};
use banmen_game::{GameState, Rng, mix};
use banmen_search::{Budget, Player, Report, Task};

use super::level::{LEVELS, Level};
use super::lists::Forecast;
use super::memory::TranspositionTable;
use super::root;
use super::search::{Killers, MAX_PLY, Search};
use super::settings::Settings;
use crate::Golad;
use crate::moves::Move;
use crate::parts::Parts;

/// The engine. Its nodes are trials: changes of a board that were valued.
pub struct Engine {
    settings: Settings,
    /// Set below level 10.
    level: Option<Level>,
    parts: Parts,
    memory: TranspositionTable,
    forecast: Forecast,
    rng: Rng,
}

/// The turns of its own over which the engine spreads a clock, if the game has so many left. Games between nearly equal
/// players mostly last all 100 turns of a side (docs/golad.md); of those against `balance3` half last 58 or fewer. No match
/// has compared it with other numbers.
const TURNS: u32 = 50;

impl Engine {
    /// The player with these settings. Only the errors of levels below 10 depend on the seed.
    ///
    /// # Errors
    /// `bad_player` where all weights are 0.
    pub fn new(options: &Options, seed: u64) -> Result<Self, Error> {
        let level = options.level(&LEVELS);
        let mebibytes = if level.is_some() { 1 } else { options.integer("table").max(1) as usize };
        let settings = Settings::new(options)?;
        let memory = TranspositionTable::new(mebibytes << 20);
        let (parts, forecast, rng) = (Parts::default(), Forecast::default(), Rng::new(seed));
        Ok(Engine { settings, level, parts, memory, forecast, rng })
    }
}

impl Player<Golad> for Engine {
    fn new_game(&mut self, _: &GameState<Golad>, seed: u64) {
        self.rng = Rng::new(seed);
        self.memory.clear();
    }

    fn think(&mut self, mut task: Task<'_, Golad>) -> Report<Move> {
        let position = task.state.position();
        let left = task.state.game().turns().saturating_sub(position.generations).div_ceil(2);
        let limits = task.limits.spread_over(u32::from(left).min(TURNS));
        let mut budget = Budget::start(&limits, task.clock, task.stop);
        let depth = limits.depth.unwrap_or(u32::MAX).min(self.level.map_or(MAX_PLY as u32, |level| level.depth));
        let salt = self.level.map(|_| mix(self.rng.bits() ^ task.state.position().key()));
        // A level below 10 plays alike under all limits.
        let trials = if self.level.is_none() { self.forecast.trials(&limits) } else { f64::INFINITY };
        let mut lists = self.settings.lists(trials);
        if let Some(level) = self.level {
            level.narrow(&mut lists);
        }
        let leads = self.level.is_none() && self.settings.leads(&position.board, position.side);
        let mut search = Search {
            game: *task.state.game(),
            weights: self.settings.weights(leads),
            lists,
            parts: &mut self.parts,
            memory: &mut self.memory,
            salt: mix(lists.salt() ^ u64::from(leads)),
            killers: &mut [Killers::default(); MAX_PLY],
            budget: &mut budget,
        };
        let errors = self.level.zip(salt);
        let report = root::deepen(&mut search, &mut task, depth, errors);
        self.forecast.learn(report.nodes, report.time.as_secs_f64());
        report
    }
}
