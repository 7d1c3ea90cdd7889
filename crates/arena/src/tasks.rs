//! Experiments as tasks: what a worker is asked to do that shares no memory with the store, as in a browser.
//!
//! `tasks` gives out what a run lacks, `work` does one task in any process with the same build, `take` stores what became of
//! it. The games and samples are those of [`reproduce`](crate::experiment), whoever plays them and in whatever order.

use std::sync::{Arc, Mutex};

use banmen_catalog::{AnyGame, Catalog, CpuClock, Error, ErrorCode, Observation, Sampling};
use banmen_programs::Programs;
use banmen_protocol::messages::NoInfo;
use banmen_protocol::{Call, Operation};
use banmen_search::StopFlag;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experiment::{ROUNDS, Work, measures, plan_again, sample_seed};
use crate::job_queue::JobQueue;
use crate::laboratory::{Run, lock};
use crate::{Experiment, GameRecord, Job, Laboratory, Match, MatchSpec, PlayerCache, Store};

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
    Sample { cell: usize, number: usize, observations: Vec<Observation> },
    /// Before all tasks: the plan, as an earlier store had it. `written` is in seconds since 1970.
    Plan { scale: f64, written: i64 },
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
    /// The task.
    #[schemars(with = "serde_json::Value")]
    task: Task,
}

/// Does a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkRequest {
    /// The task.
    #[schemars(with = "serde_json::Value")]
    task: Task,
}

/// What became of a task.
#[derive(Serialize, JsonSchema)]
struct WorkAnswer {
    /// The game or the observations.
    #[schemars(with = "serde_json::Value")]
    done: Done,
}

/// Stores what became of a task.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TakeRequest {
    /// The name of the experiment.
    experiment: String,
    /// Seed of everything random.
    seed: u64,
    /// The game or the observations.
    #[schemars(with = "serde_json::Value")]
    done: Done,
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
                    let done = request.task.work(&service.catalog, &mut lock(&players), call.stop)?;
                    Ok(WorkAnswer { done })
                }
            }),
            Operation::short("take", "stores what became of a task", move |service, request, _| {
                take.take(&service.catalog, request)
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
            && request.skip.is_empty()
            && let Some(run) = lock(&self.run).as_mut()
        {
            run.end();
        }
        Ok(TasksAnswer { tasks })
    }

    fn take(&self, games: &Catalog, TakeRequest { experiment, seed, done }: TakeRequest) -> Result<TakeAnswer, Error> {
        let experiment = self.named(games, &experiment)?;
        let game = games.game(&experiment.game)?.as_ref();
        let Some(store) = self.open_to_write()? else { return Ok(TakeAnswer {}) };
        let unknown =
            |cell: usize| Error::new(ErrorCode::UnknownRecord, format!("{} has no such cell: {cell}", experiment.id));
        match done {
            Done::Game { cell, record } => {
                let found = experiment.matches(game, seed, 1.0).find(|(number, ..)| *number == cell);
                let (_, matchup, pairs) = found.ok_or_else(|| unknown(cell))?;
                let event = experiment.enter(&store, seed)?;
                let id = store.enter_match(&matchup, event, Some(2 * pairs), None)?;
                store.save_game(id, &record, None)?;
            }
            Done::Sample { cell, number, observations } => {
                let found = experiment.measures(seed, 1.0).find(|(number, ..)| *number == cell);
                let (_, spec, _) = found.ok_or_else(|| unknown(cell))?;
                store.save_sample(&spec, number, &observations)?;
            }
            Done::Plan { scale, written } => plan_again(experiment, &store, seed, (scale, written))?,
        }
        Ok(TakeAnswer {})
    }
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

    fn add(&mut self, name: String, task: Task) {
        if !self.request.skip.contains(&name) {
            self.tasks.push(NamedTask { name, task });
        }
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
            queues.push((*cell, matchup, *pairs, JobQueue::new(matchup, store, id, 0)?));
        }
        for round in 1..=ROUNDS {
            for (cell, matchup, pairs, queue) in &mut queues {
                queue.extend_to((*pairs * round).div_ceil(ROUNDS));
                while !self.full()
                    && let Some(job) = queue.next_job(stop)?
                {
                    let name = format!("{cell}.{}.{}", job.pair, job.game);
                    self.add(name, Task::Game { cell: *cell, spec: Box::new(matchup.spec.clone()), job });
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
                self.add(format!("{cell}.{number}"), task);
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
                Ok(Done::Sample { cell, number, observations })
            }
        }
    }
}
