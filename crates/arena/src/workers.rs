//! Where games are played: on threads of this process, or on other machines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use banmen_catalog::Error;
use banmen_search::StopFlag;
use serde::{Deserialize, Serialize};

use crate::fleet_jobs::{ContentFile, FleetJob, FleetResult, PairJob};
use crate::match_pool::{Next, PairTask, Scheduler};
use crate::{Job, MatchSpec, Store};

/// Where games are played.
#[derive(Clone)]
pub struct Workers {
    /// Threads of this process, at least one. They play the games unless a fleet does, and take samples in any case.
    pub threads: usize,
    /// Other machines.
    pub fleet: Option<Arc<dyn Fleet>>,
}

impl From<usize> for Workers {
    /// Threads of this process alone.
    fn from(threads: usize) -> Self {
        Workers { threads, fleet: None }
    }
}

impl Default for Workers {
    /// One thread of this process.
    fn default() -> Self {
        1.into()
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fleet = self.fleet.as_ref().map(|_| "…");
        f.debug_struct("Workers").field("threads", &self.threads).field("fleet", &fleet).finish()
    }
}

/// Machines that do jobs.
pub trait Fleet: Send + Sync {
    /// Has the jobs done that `jobs` gives out, and returns their results to it, until there are no more, or `stop` is set.
    ///
    /// # Errors
    /// Errors of `jobs`; why the machines cannot be reached.
    fn play(&self, jobs: &mut dyn FleetJobs, stop: &StopFlag) -> Result<(), Error>;
}

/// The jobs of a command: pairs of games, training games, or stored games whose positions are searched.
pub trait FleetJobs {
    /// The next job.
    ///
    /// # Errors
    /// Errors of the store, of a player or of an opening.
    fn next(&mut self) -> Result<NextJob, Error>;

    /// Whether none of the jobs that were given out is needed any more.
    fn over(&self) -> bool;

    /// Why this cannot be the result of a job that was given out. It may come from an untrusted machine.
    ///
    /// # Errors
    /// The reason, in words.
    fn check(&self, key: &str, result: &FleetResult) -> Result<(), String>;

    /// Stores the result of a job that was given out, once.
    ///
    /// # Errors
    /// Errors of the store.
    fn on_result(&mut self, key: &str, result: FleetResult, by: &PlayedBy) -> Result<(), Error>;

    /// A job cannot be done.
    ///
    /// # Errors
    /// The error that was passed in, where it ends the run.
    fn on_failure(&mut self, key: &str, error: Error) -> Result<(), Error>;

    /// Does a job that was given out here, on this machine. `None` when `stop` was set.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn do_here(&self, key: &str, stop: &StopFlag) -> Result<Option<FleetResult>, Error>;

    /// Sets all stored games of a worker aside, so that they are played again, and returns their number.
    ///
    /// # Errors
    /// Errors of the store.
    fn distrust(&mut self, worker: &str, why: &str) -> Result<u64, Error>;

    /// Keeps what plays at the moment, for those who watch.
    ///
    /// # Errors
    /// Errors of the store.
    fn on_status(&mut self, status: &FleetStatus) -> Result<(), Error>;
}

/// What plays the games of a command on other machines at the moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetStatus {
    /// Games that were handed out and wait for a worker.
    pub waiting: u64,
    /// Games that workers play.
    pub running: u64,
    /// Games that are stored in an hour, at the speed since the command began; `None` in its first seconds.
    pub hourly: Option<u64>,
    /// The workers, by name: at most [`FleetStatus::MAX_WORKERS`].
    pub workers: Vec<FleetWorker>,
    /// Workers that are not listed.
    pub others: u64,
}

impl FleetStatus {
    /// How many workers are listed.
    pub const MAX_WORKERS: usize = 100;
}

/// A worker that plays for a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FleetWorker {
    /// Its name.
    pub name: String,
    /// Its machine: the name and the processor.
    pub machine: String,
    /// Pairs of games that it plays at the same time.
    pub threads: u64,
    /// Pairs of the command that it plays now.
    pub running: u64,
    /// Games that it has played, for all commands.
    pub games: u64,
    /// Nodes that each game's engine searches there in a second of processor time.
    pub speeds: BTreeMap<String, f64>,
}

/// What [`FleetJobs::next`] returns.
pub enum NextJob {
    /// A job.
    Do(Box<NamedJob>),
    /// There may be one later.
    Wait,
    /// There are no more.
    Done,
}

/// A job that is given out.
pub struct NamedJob {
    /// Its name, which no other job of the command has: letters, digits and hyphens.
    pub key: String,
    /// What is to be done.
    pub job: FleetJob,
    /// The files that it needs.
    pub files: Vec<ContentFile>,
    /// Whether every machine finds the same.
    pub reproducible: bool,
}

/// A machine that played games for the store of another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    /// The name of the worker, which no other worker has.
    pub worker: String,
    /// The machine: its name and its processor.
    pub machine: String,
    /// Nodes that the game's engine searches there in a second of processor time, from the start position; `None` where
    /// this was not measured.
    pub speed: Option<f64>,
}

/// A match as it is sent.
struct Sent {
    spec: MatchSpec,
    digest: String,
    files: Vec<ContentFile>,
}

/// The pairs of a scheduler, for a fleet.
pub(crate) struct RemotePairs<'s, 'g, S> {
    store: &'s Store,
    pub(crate) scheduler: S,
    /// The tasks that were given out and whose games are not stored.
    tasks: HashMap<String, (PairTask<'g>, PairJob)>,
    /// The matches, by their numbers in the store, as they are sent.
    sent: HashMap<i64, Sent>,
    /// Whether games were set aside, so that the command has to begin again.
    pub(crate) again: bool,
    /// The matches of which the store says what plays them.
    shown: BTreeSet<i64>,
}

impl<'s, 'g, S: Scheduler<'g>> RemotePairs<'s, 'g, S> {
    pub(crate) fn new(store: &'s Store, scheduler: S) -> Self {
        RemotePairs {
            store,
            scheduler,
            tasks: HashMap::new(),
            sent: HashMap::new(),
            again: false,
            shown: BTreeSet::new(),
        }
    }

    /// Ends what the store says of what plays.
    pub(crate) fn hide(&mut self) -> Result<(), Error> {
        let shown: Vec<i64> = std::mem::take(&mut self.shown).into_iter().collect();
        self.store.remove_fleet(&shown)
    }

    /// The task as it is sent: its key, its games, and the files that its players name.
    fn job(&mut self, task: &PairTask<'g>) -> Result<(String, PairJob, Vec<ContentFile>), Error> {
        let Sent { spec, digest, files } = match self.sent.get(&task.id) {
            Some(sent) => sent,
            None => {
                let (spec, digest, files) = task.matchup.by_contents()?;
                self.sent.entry(task.id).or_insert(Sent { spec, digest, files })
            }
        };
        let jobs = task.jobs.iter().map(|job| Job { spec: digest.clone(), ..job.clone() }).collect();
        // The match's own digest: two matches may differ in their openings only.
        let own = task.jobs.first().map_or("", |job| job.spec.as_str());
        Ok((format!("{own}-{}", task.pair), PairJob { spec: spec.clone(), jobs }, files.clone()))
    }
}

impl<'g, S: Scheduler<'g>> FleetJobs for RemotePairs<'_, 'g, S> {
    fn next(&mut self) -> Result<NextJob, Error> {
        Ok(match self.scheduler.next()? {
            Next::Play(task) => {
                let (key, job, files) = self.job(&task)?;
                let reproducible = job.spec.is_reproducible(task.matchup.game);
                self.tasks.insert(key.clone(), (task, job.clone()));
                NextJob::Do(Box::new(NamedJob { key, job: FleetJob::Games(Box::new(job)), files, reproducible }))
            }
            Next::Wait => NextJob::Wait,
            Next::Done => NextJob::Done,
        })
    }

    fn over(&self) -> bool {
        self.again || self.scheduler.over()
    }

    fn check(&self, key: &str, result: &FleetResult) -> Result<(), String> {
        let (task, job) = self.tasks.get(key).ok_or("nobody asked for it")?;
        let FleetResult::Games(records) = result else { return Err("it is no pair of games".to_owned()) };
        job.check(task.matchup.game, records)
    }

    fn on_result(&mut self, key: &str, result: FleetResult, by: &PlayedBy) -> Result<(), Error> {
        let FleetResult::Games(records) = result else { return Ok(()) };
        let Some((task, _)) = self.tasks.remove(key) else { return Ok(()) };
        for record in &records {
            self.store.save_game(task.id, record, Some((by, task.matchup.game.info().name)))?;
            self.scheduler.on_result(&task, Ok(record))?;
        }
        self.scheduler.on_task_end(&task)
    }

    fn on_failure(&mut self, key: &str, error: Error) -> Result<(), Error> {
        let Some((task, _)) = self.tasks.remove(key) else { return Ok(()) };
        self.scheduler.on_result(&task, Err(error))?;
        self.scheduler.on_task_end(&task)
    }

    fn do_here(&self, key: &str, stop: &StopFlag) -> Result<Option<FleetResult>, Error> {
        let Some((task, _)) = self.tasks.get(key) else { return Ok(None) };
        let mut players = task.matchup.players()?;
        let played = task.jobs.iter().map(|job| task.matchup.play_job(job, &mut players, stop).transpose());
        Ok(played.collect::<Option<_>>().transpose()?.map(FleetResult::Games))
    }

    fn distrust(&mut self, worker: &str, why: &str) -> Result<u64, Error> {
        let games = self.store.set_aside_worker(worker, why)?;
        self.again |= games > 0;
        Ok(games)
    }

    fn on_status(&mut self, status: &FleetStatus) -> Result<(), Error> {
        let playing: BTreeSet<i64> = self.tasks.values().map(|(task, _)| task.id).collect();
        let ended: Vec<i64> = self.shown.difference(&playing).copied().collect();
        self.store.remove_fleet(&ended)?;
        self.store.save_fleet(&playing.iter().copied().collect::<Vec<_>>(), status)?;
        self.shown = playing;
        Ok(())
    }
}
