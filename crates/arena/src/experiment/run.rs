//! Runs an experiment: plays its matches and takes its samples, into the store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use banmen_catalog::{AnyGame, CpuClock, Error, ErrorCode, Observation, Sampling};
use banmen_search::StopFlag;
use banmen_search::threads::spawn_search;

use super::measured::Measured;
use super::plan::{Planned, plan};
use super::reproduction::Reproduction;
use super::size::{ROUNDS, lock_name, sample_seed, scaled};
use super::{Cell, Experiment, Work, measures};
use crate::{ExperimentPlan, Lock, Match, Plan, Score, Store, Workers};

/// How an experiment is run.
pub struct Conditions<'a> {
    /// The store of games and samples. Those that it has are not repeated.
    pub store: &'a Store,
    /// 1 for the full experiment; smaller numbers scale it, down to one pair or sample per cell. A larger scale continues a
    /// smaller one. At most the scale of the plan, which is the default.
    pub scale: Option<f64>,
    /// The scale at which verdicts are given, for the plan that is written before the first game; 1 by default.
    pub planned: Option<f64>,
    /// Seed of everything random.
    pub seed: u64,
    /// Where games are played, and how many samples are taken at the same time.
    pub workers: Workers,
    /// Ends the run early. Finished games and samples are kept.
    pub stop: &'a StopFlag,
}

impl Conditions<'_> {
    /// What is planned and run.
    pub(crate) fn planned(&self) -> Planned {
        Planned { seed: self.seed, scale: self.scale, planned: self.planned }
    }
}

impl Experiment {
    /// The event of the experiment's matches; `None` for an experiment without matches.
    ///
    /// # Errors
    /// An error of the store.
    pub fn event(&self, conditions: &Conditions<'_>) -> Result<Option<i64>, Error> {
        self.enter(conditions.store, conditions.seed)
    }
}

/// Runs an experiment: plays the games and takes the samples that the store lacks, and compares all results with the
/// published figures. `progress` receives the share that is done, 0 to 1. Time is processor time.
///
/// # Errors
/// `match_busy` when another process runs it, `plan_changed` when it is not as planned, or an error of a player or of the
/// store; what is stored so far stays.
pub fn reproduce(
    game: &dyn AnyGame,
    experiment: &Experiment,
    conditions: &Conditions<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<Reproduction, Error> {
    Begun::new(experiment, conditions)?.run(game, experiment, conditions, progress)
}

/// A run that has begun: its plan is written, and no other process can run the experiment.
pub(crate) struct Begun {
    _lock: Lock,
    plan: ExperimentPlan,
    scale: f64,
}

impl Begun {
    /// Begins a run.
    ///
    /// # Errors
    /// `match_busy` when another process runs it, `plan_changed` when it is not as planned, or an error of the store.
    pub(crate) fn new(experiment: &Experiment, conditions: &Conditions<'_>) -> Result<Begun, Error> {
        let lock = conditions.store.lock(&lock_name(experiment))?;
        let (plan, scale) = plan(experiment, conditions.store, conditions.planned())?;
        Ok(Begun { _lock: lock, plan, scale })
    }

    /// The scale of the run.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Plays and measures, under the conditions under which the run has begun.
    ///
    /// # Errors
    /// An error of a player or of the store; what is stored so far stays.
    pub(crate) fn run(
        self,
        game: &dyn AnyGame,
        experiment: &Experiment,
        conditions: &Conditions<'_>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Reproduction, Error> {
        let Begun { _lock, plan, scale } = self;
        let mut measured = matches(game, experiment, conditions, scale, progress)?;
        measured.extend(samples(game, experiment, conditions, scale, progress)?);
        measured.sort_by_key(|measured| (measured.cell, measured.point, measured.quantity));
        let complete = !conditions.stop.stopped();
        Ok(Reproduction::new(experiment, &measured, (scale, plan), conditions.seed, complete))
    }
}

/// The match of a cell, and its score so far.
struct CellMatch<'g> {
    cell: usize,
    matchup: Match<'g>,
    pairs: usize,
    /// Its number in the store, and its score.
    score: Option<(i64, Score)>,
}

fn matches(
    game: &dyn AnyGame,
    experiment: &Experiment,
    conditions: &Conditions<'_>,
    scale: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Measured>, Error> {
    let mut matches: Vec<CellMatch<'_>> = experiment
        .matches(game, conditions.seed, scale)
        .map(|(cell, matchup, pairs)| CellMatch { cell, matchup, pairs, score: None })
        .collect();
    let Some(event) = experiment.event(conditions)? else { return Ok(Vec::new()) };
    let all: usize = matches.iter().map(|one| 2 * one.pairs).sum();
    for round in 1..=ROUNDS {
        for number in 0..matches.len() {
            if conditions.stop.stopped() {
                break;
            }
            let elsewhere: u64 =
                matches.iter().filter_map(|one| one.score.as_ref()).map(|(_, score)| score.games()).sum();
            let CellMatch { matchup, pairs, score, .. } = &mut matches[number];
            let here = score.as_ref().map_or(0, |(_, score)| score.games());
            let plan = Plan::games(2 * (*pairs * round).div_ceil(ROUNDS), conditions.workers.clone());
            if plan.games == Some(here as usize) {
                continue;
            }
            let mut id = 0;
            let planned = Some(2 * *pairs);
            let (store, stop) = (conditions.store, conditions.stop);
            let played = matchup.play_part(store, Some(event), &plan, planned, stop, &mut |state| {
                id = state.id;
                progress((elsewhere - here + state.score.games()) as f64 / all as f64);
            })?;
            *score = Some((id, played));
        }
    }
    Ok(matches.into_iter().filter_map(|one| Some(Measured::of_match(one.cell, &one.score?))).collect())
}

fn samples(
    game: &dyn AnyGame,
    experiment: &Experiment,
    conditions: &Conditions<'_>,
    scale: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Measured>, Error> {
    struct Series<'e> {
        cell: usize,
        rules: Option<&'e str>,
        measure: &'e str,
        spec: String,
        count: usize,
        samples: BTreeMap<usize, Vec<Observation>>,
    }
    let mut series = Vec::new();
    for (cell, Cell { rules, work, .. }) in experiment.cells.iter().enumerate() {
        let Work::Measure { measure, samples } = work else { continue };
        let spec = experiment.sample_spec(rules.as_deref(), measure, conditions.seed);
        let count = scaled(*samples, scale);
        let samples = conditions.store.samples(&spec, count)?;
        series.push(Series { cell, rules: rules.as_deref(), measure, spec, count, samples });
    }
    // The first sample of every cell, then the second of every cell, so that an interrupted run has samples of all cells.
    let longest = series.iter().map(|series| series.count).max().unwrap_or(0);
    let lacking = |number: usize| {
        let lacks =
            move |(_, series): &(usize, &Series<'_>)| number < series.count && !series.samples.contains_key(&number);
        series.iter().enumerate().filter(lacks).map(move |(at, _)| (at, number))
    };
    let tasks: Vec<(usize, usize)> = (0..longest).flat_map(lacking).collect();
    let all: usize = series.iter().map(|series| series.count).sum();
    let mut done = all - tasks.len();
    let next = AtomicUsize::new(0);
    let threads = conditions.workers.threads.clamp(1, tasks.len().max(1));
    let (sender, taken) = sync_channel(threads);
    let own_stop = StopFlag::default();
    let halt = || conditions.stop.stopped() || own_stop.stopped();
    let mut failure = None;
    let mut kept: Vec<(usize, usize, Vec<Observation>)> = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, tasks, series, halt) = (sender.clone(), &next, &tasks, &series, &halt);
            spawn_search(scope, move || {
                while !halt() {
                    let Some(&(at, number)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let clock = CpuClock::default();
                    let seed = sample_seed(conditions.seed, number);
                    let sampling = Sampling { clock: &clock, seed, stop: conditions.stop };
                    let sample = measures(game)
                        .and_then(|measures| measures.sample(series[at].rules, series[at].measure, &sampling));
                    if sender.send((at, number, sample)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (at, number, sample) in taken {
            let stored = sample
                .and_then(|sample| conditions.store.save_sample(&series[at].spec, number, &sample).map(|()| sample));
            match stored {
                Ok(sample) => kept.push((at, number, sample)),
                Err(error) => {
                    own_stop.stop();
                    if error.code != ErrorCode::Stopped {
                        failure.get_or_insert(error);
                    }
                }
            }
            done += 1;
            progress(done as f64 / all as f64);
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    for (at, number, sample) in kept {
        series[at].samples.insert(number, sample);
    }
    let mut measured = Vec::new();
    for Series { cell, samples, .. } in series {
        measured.extend(Measured::of_samples(experiment, cell, samples.values().flatten()));
    }
    Ok(measured)
}
