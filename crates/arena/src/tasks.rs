//! Experiments as tasks: what a worker is asked to do that shares no memory with the store, as in a browser.
//!
//! `tasks` gives out what a run lacks, `work` does one task in any process with the same build, `take` stores what became of
//! it. The games and samples are those of [`reproduce`](crate::experiment), whoever plays them and in whatever order.

use std::sync::{Arc, Mutex};

use banmen_catalog::{AnyGame, Catalog, CpuClock, Error, ErrorCode, Observation, Sampling, Value};
use banmen_programs::Programs;
use banmen_protocol::messages::NoInfo;
use banmen_protocol::{Call, Operation};
use banmen_search::StopFlag;
use banmen_search::threads::lock;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dates::LATEST;
use crate::experiment::{ROUNDS, Work, measures, plan_again, sample_seed};
use crate::job_queue::JobQueue;
use crate::laboratory::Run;
use crate::messages::MIN_SCALE;
use crate::opening::OpeningSequence;
use crate::played::check_played;
use crate::stored::PlanKey;
use crate::{Experiment, GameRecord, Job, Laboratory, Match, MatchSpec, PlayerCache, Store, version};

/// What a worker is asked to do.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Task {
    /// A game of the match of a cell.
    Game { cell: usize, spec: Box<MatchSpec>, job: Job },
    /// A sample of the measurement of a cell.
    Sample { cell: usize, number: usize, seed: u64, game: String, rules: Option<String>, measure: String },
}

/// What became of a task.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Done {
    /// A game of the match of a cell.
    Game { cell: usize, record: Box<GameRecord> },
    /// A sample of the measurement of a cell.
    Sample { cell: usize, number: usize, observations: Vec<Observed> },
    /// Before all tasks: the plan, as an earlier store had it. `written` is in seconds since 1970.
    Plan { scale: f64, written: i64 },
}

/// An observation: its point, its quantity, and its value as text, which every build reads exactly: `WON/OF` or a number.
#[derive(Debug, Serialize, Deserialize)]
struct Observed(usize, usize, String);

impl From<&Observation> for Observed {
    fn from(&Observation { point, quantity, value }: &Observation) -> Self {
        let text = match value {
            Value::Share { won, of } => format!("{won}/{of}"),
            Value::Number(number) => format!("{number:?}"),
        };
        Observed(point, quantity, text)
    }
}

impl Observed {
    fn observation(&self) -> Option<Observation> {
        let Observed(point, quantity, text) = self;
        let value = match text.split_once('/') {
            Some((won, of)) => {
                let (won, of) = (won.parse().ok()?, of.parse().ok()?);
                // No sum of them overflows.
                if won > of || of >= 1 << 40 {
                    return None;
                }
                Value::Share { won, of }
            }
            None => Value::Number(text.parse().ok().filter(|number: &f64| number.is_finite())?),
        };
        Some(Observation { point: *point, quantity: *quantity, value })
    }
}

/// What the run of an experiment lacks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TasksRequest {
    /// The name of the experiment.
    experiment: String,
    /// The largest number of tasks.
    count: usize,
    /// The names of tasks that were given out before, and are not stored yet.
    #[serde(default)]
    skip: Vec<String>,
}

/// Tasks, in the order in which they are to be done.
#[derive(Serialize, JsonSchema)]
struct TasksAnswer {
    /// The tasks; none where the run has ended.
    tasks: Vec<NamedTask>,
}

/// A task with its name in the run.
#[derive(Serialize, JsonSchema)]
struct NamedTask {
    /// The name: cell, pair and game, or cell and number of the sample.
    name: String,
    /// The task, as JSON in a text: a host in JavaScript would round its seeds.
    task: String,
}

/// Does a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkRequest {
    /// The task, as `tasks` gave it.
    task: String,
}

/// What became of a task.
#[derive(Serialize, JsonSchema)]
struct WorkAnswer {
    /// The game or the observations, as JSON in a text.
    done: String,
}

/// Stores what became of a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeRequest {
    /// The name of the experiment.
    experiment: String,
    /// Seed of everything random.
    seed: u64,
    /// What became of it, as `work` answered.
    done: String,
}

/// An empty answer.
#[derive(Serialize, JsonSchema)]
struct TakeAnswer {}

impl Laboratory {
    /// The operations by which a run is played: `tasks`, `work` and `take`.
    #[must_use]
    pub fn task_operations(self: &Arc<Self>) -> Vec<Operation> {
        let [give, take] = [(); 2].map(|()| Arc::clone(self));
        let players = Mutex::new(PlayerCache::default());
        vec![
            Operation::short("tasks", "what the run of an experiment lacks", move |service, request, call| {
                give.tasks(&service.catalog, &request, call.stop)
            }),
            Operation::search("work", "does a task of an experiment", {
                move |service, request: WorkRequest, call: &mut Call<'_, NoInfo>| {
                    let task: Task = read("task", &request.task)?;
                    let done = task.work(&service.catalog, &mut lock(&players), call.stop)?;
                    Ok(WorkAnswer { done: write(&done)? })
                }
            }),
            Operation::short("take", "stores what became of a task", move |service, request, call| {
                take.take(&service.catalog, request, call.stop)
            }),
        ]
    }

    fn tasks(&self, games: &Catalog, request: &TasksRequest, stop: &StopFlag) -> Result<TasksAnswer, Error> {
        let experiment = self.named(games, &request.experiment)?;
        let game = games.game(&experiment.game)?.as_ref();
        let none = Ok(TasksAnswer { tasks: Vec::new() });
        let run =
            |run: &mut Run| (run.experiment == experiment.id && run.running()).then_some((run.run.seed, run.scale));
        let Some((seed, scale)) = lock(&self.run).as_mut().and_then(run) else { return none };
        let Some(store) = self.open_to_write()? else { return none };
        let mut found = Found { tasks: Vec::new(), request };
        found.games(&store, game, experiment, (seed, scale), stop)?;
        found.samples(&store, experiment, (seed, scale))?;
        let tasks = found.tasks;
        if tasks.is_empty()
            && request.count > 0
            && request.skip.is_empty()
            && let Some(run) = lock(&self.run).as_mut()
        {
            run.end();
        }
        Ok(TasksAnswer { tasks })
    }

    fn take(
        &self,
        games: &Catalog,
        TakeRequest { experiment, seed, done }: TakeRequest,
        stop: &StopFlag,
    ) -> Result<TakeAnswer, Error> {
        let experiment = self.named(games, &experiment)?;
        let game = games.game(&experiment.game)?.as_ref();
        let Some(store) = self.open_to_write()? else { return Ok(TakeAnswer {}) };
        let unknown =
            |cell: usize| Error::new(ErrorCode::UnknownRecord, format!("{} has no such cell: {cell}", experiment.id));
        let wrong = |what: &str| Error::new(ErrorCode::BadRequest, format!("`done`: {what}"));
        let planned = || {
            let plan = store.plan(PlanKey { experiment: &experiment.id, seed, version: version() })?;
            let none = || Error::new(ErrorCode::UnknownRecord, format!("{} has no plan of this seed", experiment.id));
            plan.map(|plan| plan.scale).ok_or_else(none)
        };
        match read("done", &done)? {
            Done::Game { cell, record } => {
                let found = experiment.matches(game, seed, planned()?).find(|(number, ..)| *number == cell);
                let (_, matchup, pairs) = found.ok_or_else(|| unknown(cell))?;
                if record.pair >= pairs || record.game > 1 {
                    return Err(wrong("it is no game of its match"));
                }
                let job = self.job(&matchup, &store, pairs, (record.pair, record.game), stop)?;
                check_played(game, &matchup.spec, &job, &record).map_err(|why| wrong(&why))?;
                let event = experiment.enter(&store, seed)?;
                let id = store.enter_match(&matchup, event, Some(2 * pairs), None)?;
                store.save_game(id, &record, None)?;
            }
            Done::Sample { cell, number, observations } => {
                let found = experiment.measures(seed, planned()?).find(|(number, ..)| *number == cell);
                let (_, spec, count) = found.ok_or_else(|| unknown(cell))?;
                if number >= count {
                    return Err(wrong("it is no sample of its cell"));
                }
                let observations: Option<Vec<_>> = observations.iter().map(Observed::observation).collect();
                let observations = observations.ok_or_else(|| wrong("an observation is no number and no share"))?;
                store.save_sample(&spec, number, &observations)?;
            }
            Done::Plan { scale, written } => {
                if !(MIN_SCALE..=1.0).contains(&scale) {
                    return Err(wrong(&format!("the scale of a plan is from {MIN_SCALE} to 1")));
                }
                if !(0..=LATEST).contains(&written) {
                    return Err(wrong("the time of a plan is not from 1970 to 9999"));
                }
                plan_again(experiment, &store, seed, (scale, written))?;
                // In their order, so that they have the same numbers again.
                let event = experiment.enter(&store, seed)?;
                for (_, matchup, pairs) in experiment.matches(game, seed, scale) {
                    store.enter_match(&matchup, event, Some(2 * pairs), None)?;
                }
            }
        }
        Ok(TakeAnswer {})
    }

    /// A game of a match of so many pairs, by the numbers of its pair and in it.
    fn job(
        &self,
        matchup: &Match<'_>,
        store: &Store,
        pairs: usize,
        (pair, game): (usize, usize),
        stop: &StopFlag,
    ) -> Result<Job, Error> {
        let digest = matchup.digest()?;
        let mut openings = lock(&self.openings);
        // An opening may depend on those before it, so all are drawn once, not those up to each game anew.
        let all = openings.entry(digest.clone()).or_default();
        if all.len() < pairs {
            let mut sequence = OpeningSequence::new(matchup, store)?;
            *all = (0..pairs).map(|_| sequence.next_opening(stop)).collect::<Result<_, _>>()?;
        }
        Ok(matchup.job(&digest, pair, game, &all[pair]))
    }
}

/// A value from its JSON in the field of a request.
fn read<T: DeserializeOwned>(field: &str, text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| Error::new(ErrorCode::BadRequest, format!("`{field}`: {error}")))
}

/// A value as JSON.
fn write<T: Serialize>(value: &T) -> Result<String, Error> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("a task cannot be written: {error}")))
}

/// The tasks that were found so far.
struct Found<'r> {
    tasks: Vec<NamedTask>,
    request: &'r TasksRequest,
}

impl Found<'_> {
    fn full(&self) -> bool {
        self.tasks.len() >= self.request.count
    }

    fn add(&mut self, name: String, task: &Task) -> Result<(), Error> {
        if !self.request.skip.contains(&name) {
            self.tasks.push(NamedTask { name, task: write(task)? });
        }
        Ok(())
    }

    /// Games, an equal share of each match a round.
    fn games(
        &mut self,
        store: &Store,
        game: &dyn AnyGame,
        experiment: &Experiment,
        (seed, scale): (u64, f64),
        stop: &StopFlag,
    ) -> Result<(), Error> {
        let event = experiment.enter(store, seed)?;
        let matches: Vec<(usize, Match<'_>, usize)> = experiment.matches(game, seed, scale).collect();
        let mut queues = Vec::new();
        for (cell, matchup, pairs) in &matches {
            let id = store.enter_match(matchup, event, Some(2 * pairs), None)?;
            store.plan_match(id, Some(2 * pairs), None)?;
            queues.push((*cell, matchup, *pairs, JobQueue::new(matchup, store, id, 0)?));
        }
        for round in 1..=ROUNDS {
            for (cell, matchup, pairs, queue) in &mut queues {
                queue.extend_to((*pairs * round).div_ceil(ROUNDS));
                while !self.full()
                    && let Some(job) = queue.next_job(stop)?
                {
                    let name = format!("{cell}.{}.{}", job.pair, job.game);
                    self.add(name, &Task::Game { cell: *cell, spec: Box::new(matchup.spec.clone()), job })?;
                }
                if self.full() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Samples, the first of every cell before the second of any.
    fn samples(&mut self, store: &Store, experiment: &Experiment, (seed, scale): (u64, f64)) -> Result<(), Error> {
        let mut series = Vec::new();
        for (cell, spec, count) in experiment.measures(seed, scale) {
            series.push((cell, count, store.samples(&spec, count)?));
        }
        let longest = series.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
        for number in 0..longest {
            for (cell, count, known) in &series {
                if number >= *count || known.contains_key(&number) {
                    continue;
                }
                if self.full() {
                    return Ok(());
                }
                let Some(described) = experiment.cells.get(*cell) else { continue };
                let Work::Measure { measure, .. } = &described.work else { continue };
                let task = Task::Sample {
                    cell: *cell,
                    number,
                    seed: sample_seed(seed, number),
                    game: experiment.game.clone(),
                    rules: described.rules.clone(),
                    measure: measure.clone(),
                };
                self.add(format!("{cell}.{number}"), &task)?;
            }
        }
        Ok(())
    }
}

impl Task {
    /// Does it.
    fn work(self, games: &Catalog, players: &mut PlayerCache, stop: &StopFlag) -> Result<Done, Error> {
        match self {
            Task::Game { cell, spec, job } => {
                let record = spec.play(games, &Programs::REFUSED, &job, players, stop)?;
                let stopped = || Error::new(ErrorCode::Stopped, "stopped before the game ended");
                Ok(Done::Game { cell, record: Box::new(record.ok_or_else(stopped)?) })
            }
            Task::Sample { cell, number, seed, game, rules, measure } => {
                let game = games.game(&game)?.as_ref();
                let sampling = Sampling { clock: &CpuClock::default(), seed, stop };
                let observations = measures(game)?.sample(rules.as_deref(), &measure, &sampling)?;
                Ok(Done::Sample { cell, number, observations: observations.iter().map(Observed::from).collect() })
            }
        }
    }
}
