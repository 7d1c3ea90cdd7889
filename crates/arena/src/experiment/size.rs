//! The matches and samples of a run of some scale.

use banmen_catalog::{AnyGame, Error};
use banmen_game::mix;
use serde_json::json;

use super::{Cell, Experiment, Work};
use crate::{LockName, Match, MatchSpec, SideClock, Store, version};

/// The number of rounds over the grid in which matches are played, an equal share of each match per round, so that an
/// interrupted experiment has games of all cells.
pub(crate) const ROUNDS: usize = 8;

/// The kind of the events of experiments.
pub(crate) const EVENT: &str = "experiment";

/// `full` times the scale, at least 1.
pub(crate) fn scaled(full: usize, scale: f64) -> usize {
    ((full as f64 * scale).round() as usize).max(1)
}

impl Experiment {
    /// The event of the experiment's matches, which is entered if it is new; `None` for an experiment without matches.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn enter(&self, store: &Store, seed: u64) -> Result<Option<i64>, Error> {
        if !self.cells.iter().any(|cell| matches!(cell.work, Work::Match { .. })) {
            return Ok(None);
        }
        store.enter_event(EVENT, &self.id, &self.event_spec(seed)).map(Some)
    }

    /// The event of the experiment's matches, if it was entered.
    pub(crate) fn stored_event(&self, store: &Store, seed: u64) -> Result<Option<i64>, Error> {
        store.event_of(EVENT, &self.event_spec(seed))
    }

    /// What distinguishes the event from others. The spec of each match contains everything on which its games depend, so this
    /// one need not contain the texts of the file: correcting them costs no games.
    fn event_spec(&self, seed: u64) -> String {
        format!("{} seed {seed}", self.id)
    }

    /// The numbers of games or samples of the cells.
    pub(crate) fn sizes(&self, scale: f64) -> impl Iterator<Item = u64> {
        let size = move |cell: &Cell| match cell.work {
            Work::Match { games, .. } => 2 * scaled(games / 2, scale),
            Work::Measure { samples, .. } => scaled(samples, scale),
        };
        self.cells.iter().map(move |cell| size(cell) as u64)
    }

    /// The numbers of the cells with a match, the matches, and their numbers of pairs.
    pub(crate) fn matches<'g>(
        &self,
        game: &'g dyn AnyGame,
        seed: u64,
        scale: f64,
    ) -> impl Iterator<Item = (usize, Match<'g>, usize)> {
        self.cells.iter().enumerate().filter_map(move |(number, cell)| {
            let Work::Match { sides, openings, games } = &cell.work else { return None };
            let [a, b] = sides.as_ref();
            let spec = MatchSpec {
                rules: cell.rules.clone(),
                openings: openings.clone(),
                clock: SideClock::Cpu,
                seed,
                ..MatchSpec::new(game, a.clone(), b.clone())
            };
            Some((number, Match::new(game, spec), scaled(games / 2, scale)))
        })
    }

    /// The numbers of the cells with a measurement, what distinguishes their samples, and the numbers of samples.
    pub(crate) fn measures(&self, seed: u64, scale: f64) -> impl Iterator<Item = (usize, String, usize)> {
        self.cells.iter().enumerate().filter_map(move |(number, cell)| {
            let Work::Measure { measure, samples } = &cell.work else { return None };
            Some((number, self.sample_spec(cell.rules.as_deref(), measure, seed), scaled(*samples, scale)))
        })
    }

    /// What distinguishes the samples of a cell.
    pub(crate) fn sample_spec(&self, rules: Option<&str>, measure: &str, seed: u64) -> String {
        let spec = json!({
            "game": self.game, "rules": rules, "measure": measure, "seed": seed, "version": version(),
        });
        spec.to_string()
    }
}

/// The seed of a sample of an experiment with this seed.
pub(crate) fn sample_seed(seed: u64, number: usize) -> u64 {
    mix(seed ^ mix(number as u64))
}

/// What a process locks while it runs an experiment.
pub(crate) fn lock_name(experiment: &Experiment) -> LockName {
    LockName::Experiment(experiment.id.clone())
}
