//! Where games are played: on threads of this process, or on other machines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use banmen_catalog::{AnyGame, Catalog, Error};
use banmen_programs::Programs;
use banmen_search::StopFlag;
use serde::{Deserialize, Serialize};

use crate::check::check_played;
use crate::match_pool::{Next, PairTask, Scheduler};
use crate::{Adjudication, GameRecord, Job, Match, MatchSpec, Openings, PlayerCache, Store};

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

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fleet = self.fleet.as_ref().map(|_| "…");
        f.debug_struct("Workers").field("threads", &self.threads).field("fleet", &fleet).finish()
    }
}

/// Machines that play pairs of games.
pub trait Fleet: Send + Sync {
    /// Plays the pairs that `pairs` gives out, and returns their games to it, until there are no more, or `stop` is set.
    ///
    /// # Errors
    /// Errors of `pairs`; why the machines cannot be reached.
    fn play(&self, pairs: &mut dyn Pairs, stop: &StopFlag) -> Result<(), Error>;
}

/// The pairs of games that a command plays.
pub trait Pairs {
    /// The next pair.
    ///
    /// # Errors
    /// Errors of the store, of a player or of an opening.
    fn next(&mut self) -> Result<NextPair, Error>;

    /// Whether none of the pairs that were given out is needed any more.
    fn over(&self) -> bool;

    /// Why these cannot be the games of a pair that was given out. They may come from an untrusted machine.
    ///
    /// # Errors
    /// The reason, in words.
    fn check(&self, key: &str, records: &[GameRecord]) -> Result<(), String>;

    /// Stores the games of a pair that was given out, once.
    ///
    /// # Errors
    /// Errors of the store.
    fn on_games(&mut self, key: &str, records: Vec<GameRecord>, by: &PlayedBy) -> Result<(), Error>;

    /// A pair cannot be played.
    ///
    /// # Errors
    /// The error that was passed in, where it ends the run.
    fn on_failure(&mut self, key: &str, error: Error) -> Result<(), Error>;

    /// Plays a pair that was given out here, on this machine. `None` when `stop` was set.
    ///
    /// # Errors
    /// Why it cannot be played.
    fn play_here(&self, key: &str, stop: &StopFlag) -> Result<Option<Vec<GameRecord>>, Error>;

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

/// What [`Pairs::next`] returns.
pub enum NextPair {
    /// A pair.
    Play(Box<NamedPair>),
    /// There may be one later.
    Wait,
    /// There are no more.
    Done,
}

/// A pair that is given out.
pub struct NamedPair {
    /// Its name, which no other pair of the command has: letters, digits and hyphens.
    pub key: String,
    /// Its games.
    pub job: PairJob,
    /// Whether every machine plays the same moves.
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

/// The games of a pair that are to be played, one or two: all that another machine needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairJob {
    /// The match. Its openings are left out: each game has its own.
    pub spec: MatchSpec,
    /// The games.
    pub jobs: Vec<Job>,
}

impl PairJob {
    /// Plays the games. Returns `None` when `stop` was set before they ended.
    ///
    /// # Errors
    /// As for [`MatchSpec::play`].
    pub fn play(
        &self,
        catalog: &Catalog,
        programs: &Programs,
        players: &mut PlayerCache,
        stop: &StopFlag,
    ) -> Result<Option<Vec<GameRecord>>, Error> {
        self.jobs
            .iter()
            .map(|job| self.spec.play(catalog, programs, job, players, stop).transpose())
            .collect::<Option<_>>()
            .transpose()
    }

    /// Why these cannot be the games of this pair: their beginning, moves or results.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn check(&self, game: &dyn AnyGame, records: &[GameRecord]) -> Result<(), String> {
        if records.len() != self.jobs.len() {
            return Err(format!("{} games instead of {}", records.len(), self.jobs.len()));
        }
        let rules = self.spec.rules.as_deref();
        self.jobs.iter().zip(records).try_for_each(|(job, record)| {
            if (record.pair, record.game, record.seed) != (job.pair, job.game, job.seed) {
                return Err("it is another game than the one that was asked for".to_owned());
            }
            let begun = job.opening.state(game, rules).map_err(|error| error.message)?.move_texts("");
            if record.position != job.opening.position || record.moves.get(..record.opening) != Some(&begun) {
                return Err("it does not begin with its opening".to_owned());
            }
            check_played(game, rules, record, self.spec.adjudication != Adjudication::default())
        })
    }
}

/// The pairs of a scheduler, for a fleet.
pub(crate) struct RemotePairs<'s, 'g, S> {
    store: &'s Store,
    pub(crate) scheduler: S,
    /// The tasks that were given out and whose games are not stored.
    tasks: HashMap<String, (PairTask<'g>, PairJob)>,
    /// The matches, by their numbers in the store, as they are sent, and the digests of these.
    sent: HashMap<i64, (MatchSpec, String)>,
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

    /// The task as it is sent.
    fn job(&mut self, task: &PairTask<'g>) -> Result<(String, PairJob), Error> {
        let (spec, digest) = match self.sent.get(&task.id) {
            Some(sent) => sent,
            None => {
                let matchup = Match {
                    spec: MatchSpec { openings: Openings::Starts, ..task.matchup.spec.clone() },
                    ..(*task.matchup).clone()
                };
                let digest = matchup.digest()?;
                self.sent.entry(task.id).or_insert((matchup.spec, digest))
            }
        };
        let jobs = task.jobs.iter().map(|job| Job { spec: digest.clone(), ..job.clone() }).collect();
        // The match's own digest: two matches may differ in their openings only.
        let own = task.jobs.first().map_or("", |job| job.spec.as_str());
        Ok((format!("{own}-{}", task.pair), PairJob { spec: spec.clone(), jobs }))
    }
}

impl<'g, S: Scheduler<'g>> Pairs for RemotePairs<'_, 'g, S> {
    fn next(&mut self) -> Result<NextPair, Error> {
        Ok(match self.scheduler.next()? {
            Next::Play(task) => {
                let (key, job) = self.job(&task)?;
                let reproducible = job.spec.is_reproducible(task.matchup.game);
                self.tasks.insert(key.clone(), (task, job.clone()));
                NextPair::Play(Box::new(NamedPair { key, job, reproducible }))
            }
            Next::Wait => NextPair::Wait,
            Next::Done => NextPair::Done,
        })
    }

    fn over(&self) -> bool {
        self.again || self.scheduler.over()
    }

    fn check(&self, key: &str, records: &[GameRecord]) -> Result<(), String> {
        let (task, job) = self.tasks.get(key).ok_or("nobody asked for it")?;
        job.check(task.matchup.game, records)
    }

    fn on_games(&mut self, key: &str, records: Vec<GameRecord>, by: &PlayedBy) -> Result<(), Error> {
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

    fn play_here(&self, key: &str, stop: &StopFlag) -> Result<Option<Vec<GameRecord>>, Error> {
        let Some((task, _)) = self.tasks.get(key) else { return Ok(None) };
        let mut players = task.matchup.players()?;
        let played = task.jobs.iter().map(|job| task.matchup.play_job(job, &mut players, stop).transpose());
        played.collect::<Option<_>>().transpose()
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
