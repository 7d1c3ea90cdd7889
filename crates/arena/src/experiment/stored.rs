//! The results of an experiment in a store, read again and again while it is played.

use std::collections::BTreeMap;

use banmen_catalog::{AnyGame, Error};
use schemars::JsonSchema;
use serde::Serialize;

use super::measured::Measured;
use super::{Experiment, Reproduction, Row};
use crate::stored::PlanKey;
use crate::{ExperimentPlan, Store, Tally, version};

/// The largest size of the games in a report that is made of a store, compressed, in bytes: it is sent as one answer.
const MAX_GAMES: u64 = 8 << 20;

/// Reads the results of an experiment with one seed. Games that were read before are not read again.
pub(crate) struct StoredResults {
    seed: u64,
    /// By the number of the cell: the score of its match so far.
    matches: BTreeMap<usize, Tally>,
    /// By the number of the cell: how many samples it has, and what they measured.
    samples: BTreeMap<usize, (u64, Vec<Measured>)>,
}

/// What a cell has of its games or samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ExperimentCell")]
pub(crate) struct CellState {
    /// The number of its match, once it has one.
    #[serde(rename = "match")]
    pub(crate) id: Option<i64>,
    /// Games or samples that are stored.
    pub(crate) stored: u64,
    /// Games or samples of the planned size.
    pub(crate) planned: u64,
}

/// The results so far.
pub(crate) struct Results {
    /// The plan; `None` before there is one that fits the experiment.
    pub(crate) plan: Option<ExperimentPlan>,
    /// The cells.
    pub(crate) cells: Vec<CellState>,
    measured: Vec<Measured>,
}

impl Results {
    /// Whether the planned sample is not there yet.
    pub(crate) fn preliminary(&self) -> bool {
        self.plan.is_none() || self.cells.iter().any(|cell| cell.stored < cell.planned)
    }

    /// The rows of the table.
    pub(crate) fn rows(&self, experiment: &Experiment) -> Vec<Row> {
        experiment.rows(&self.measured, self.preliminary())
    }

    /// The share of the whole experiment that is stored.
    pub(crate) fn share(&self, experiment: &Experiment) -> f64 {
        let whole: u64 = experiment.sizes(1.0).sum();
        let stored: u64 = self.cells.iter().map(|cell| cell.stored).sum();
        stored as f64 / whole.max(1) as f64
    }
}

impl StoredResults {
    pub(crate) fn new(seed: u64) -> StoredResults {
        StoredResults { seed, matches: BTreeMap::new(), samples: BTreeMap::new() }
    }

    /// Reads what is new in the store.
    ///
    /// # Errors
    /// An error of the store.
    pub(crate) fn read(
        &mut self,
        store: &Store,
        game: &dyn AnyGame,
        experiment: &Experiment,
    ) -> Result<Results, Error> {
        let plan = stored_plan(store, experiment, self.seed)?;
        let scale = plan.as_ref().map_or(1.0, |plan| plan.scale);
        let mut cells: Vec<CellState> =
            experiment.sizes(scale).map(|planned| CellState { planned, ..CellState::default() }).collect();
        let mut measured = Vec::new();
        if let Some(event) = experiment.stored_event(store, self.seed)? {
            for (cell, matchup, _) in experiment.matches(game, self.seed, scale) {
                let Some(id) = store.match_of(&matchup, Some(event))? else { continue };
                let info = store.one_match(id)?;
                let tally = self.matches.entry(cell).or_insert_with(|| Tally::new(&info));
                if !tally.is_of(&info) {
                    *tally = Tally::new(&info);
                }
                let score = tally.read(store)?.0;
                if let Some(state) = cells.get_mut(cell) {
                    (state.id, state.stored) = (Some(id), score.games());
                }
                if score.games() > 0 {
                    measured.push(Measured::of_match(cell, &(id, score)));
                }
            }
        }
        for (cell, spec, samples) in experiment.measures(self.seed, scale) {
            let stored = store.count_samples(&spec, samples)?;
            if self.samples.get(&cell).is_none_or(|(known, _)| *known != stored) {
                let samples = store.samples(&spec, samples)?;
                let found = Measured::of_samples(experiment, cell, samples.values().flatten());
                self.samples.insert(cell, (samples.len() as u64, found));
            }
            if let (Some((stored, found)), Some(state)) = (self.samples.get(&cell), cells.get_mut(cell)) {
                state.stored = *stored;
                measured.extend(found.iter().cloned());
            }
        }
        Ok(Results { plan, cells, measured })
    }

    /// The reproduction of what is stored so far, with its games; `None` where nothing is.
    ///
    /// # Errors
    /// An error of the store, or of a game that cannot be replayed; `stopped` when `halt` says so.
    pub(crate) fn reproduction(
        &mut self,
        store: &Store,
        game: &dyn AnyGame,
        experiment: &Experiment,
        halt: &dyn Fn() -> bool,
    ) -> Result<Option<Reproduction>, Error> {
        let results = self.read(store, game, experiment)?;
        let complete = !results.preliminary();
        let Some(plan) = results.plan.clone().filter(|_| !results.measured.is_empty()) else { return Ok(None) };
        let planned = plan.scale;
        // In ten-thousandths: it is shown.
        let share = (1e4 * results.share(experiment)).ceil() / 1e4;
        let scale = if complete { planned } else { share.min(planned) };
        let mut reproduction = Reproduction::new(experiment, &results.measured, (scale, plan), self.seed, complete);
        let event = experiment.stored_event(store, self.seed)?;
        let bytes = MAX_GAMES / experiment.cells.len().max(1) as u64;
        reproduction.add_games_within(store, game, event, planned, bytes, halt)?;
        Ok(Some(reproduction))
    }
}

/// The plan of an experiment that was written before, if it is a plan of this experiment.
pub(super) fn stored_plan(store: &Store, experiment: &Experiment, seed: u64) -> Result<Option<ExperimentPlan>, Error> {
    let plan = store.plan(PlanKey { experiment: &experiment.id, seed, version: version() })?;
    let judged = experiment.judged().to_string();
    Ok(plan.filter(|plan| plan.judged == judged))
}
