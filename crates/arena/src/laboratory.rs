//! Experiments as operations: their results in the store, and running them.
//!
//! Everything but `reproduce` only reads the store, anew for each request, whichever process plays.

use std::collections::HashMap;
#[cfg(feature = "store")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
#[cfg(feature = "store")]
use std::thread::JoinHandle;
#[cfg(feature = "store")]
use std::time::{Duration, Instant};

use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_programs::is_program;
use banmen_protocol::messages::NoInfo;
use banmen_protocol::{Call, Operation};
use banmen_search::StopFlag;
use banmen_search::threads::lock;
#[cfg(feature = "store")]
use banmen_search::threads::search_thread;

#[cfg(feature = "store")]
use crate::experiment::{Begun, Conditions};
use crate::experiment::{Planned, StoredResults, Work, lock_name, plan, stored};
use crate::messages::{
    ExperimentAnswer, ExperimentPicture, ExperimentPoint, ExperimentRequest, ExperimentRun, ExperimentSeries,
    ExperimentSummary, ExperimentsAnswer, ExperimentsRequest, InterruptAnswer, InterruptRequest, MIN_SCALE,
    ReportAnswer, ReportRequest, ReproduceRequest,
};
use crate::operations::open_to_read;
use crate::stored::PlanKey;
use crate::{Experiment, Opening, Row, Store, library, report, version};

/// The number of experiments whose scores are kept; the least recently used one is dropped.
const MAX_RESULTS: usize = 4;

/// How long a laboratory that is dropped waits for its run to end.
#[cfg(feature = "store")]
const GRACE: Duration = Duration::from_secs(1);

/// The experiments on the store of one file. It runs one of them at a time, on one thread, and stops it when it is dropped.
pub struct Laboratory {
    store: Option<PathBuf>,
    /// Whether the caller plays the games of a run, as tasks.
    by_tasks: bool,
    library: OnceLock<Result<Vec<Experiment>, Error>>,
    results: Mutex<Vec<Kept>>,
    pub(crate) run: Mutex<Option<Run>>,
    /// The openings of the matches of which games were taken, in the order of their pairs, by the digest of the match.
    pub(crate) openings: Mutex<HashMap<String, Vec<Opening>>>,
}

/// Results that were read before.
struct Kept {
    experiment: String,
    seed: u64,
    results: Arc<Mutex<StoredResults>>,
}

/// The last run.
pub(crate) struct Run {
    pub(crate) experiment: String,
    pub(crate) run: ExperimentRun,
    /// The share of the whole experiment that is run.
    pub(crate) scale: f64,
    pub(crate) stop: StopFlag,
    plays: Plays,
    failed: Option<Error>,
}

/// What plays the games of a run.
enum Plays {
    /// A thread of this process.
    #[cfg(feature = "store")]
    Thread(JoinHandle<Result<(), Error>>),
    /// The caller, as tasks.
    Tasks,
    /// Nothing any more.
    Nothing,
}

impl Run {
    /// Whether it still runs.
    pub(crate) fn running(&mut self) -> bool {
        let ended = match &self.plays {
            #[cfg(feature = "store")]
            Plays::Thread(thread) => thread.is_finished(),
            Plays::Tasks => self.stop.stopped(),
            Plays::Nothing => return false,
        };
        if ended {
            self.end();
        }
        !ended
    }

    /// Waits until it has ended.
    pub(crate) fn end(&mut self) {
        match std::mem::replace(&mut self.plays, Plays::Nothing) {
            // The thread catches its panics.
            #[cfg(feature = "store")]
            Plays::Thread(thread) => {
                if let Ok(Err(error)) = thread.join() {
                    self.failed = Some(error).filter(|error| error.code != ErrorCode::Stopped);
                }
            }
            Plays::Tasks | Plays::Nothing => {}
        }
    }
}

impl Laboratory {
    /// The laboratory on this store.
    #[cfg(feature = "store")]
    #[must_use]
    pub fn new(store: Option<PathBuf>) -> Arc<Self> {
        Laboratory::with(store, false)
    }

    /// The laboratory on this store, whose runs are [played as tasks](Laboratory::task_operations) by the caller.
    #[must_use]
    pub fn by_tasks(store: PathBuf) -> Arc<Self> {
        Laboratory::with(Some(store), true)
    }

    fn with(store: Option<PathBuf>, by_tasks: bool) -> Arc<Self> {
        let (library, results, run) = (OnceLock::new(), Mutex::default(), Mutex::default());
        Arc::new(Laboratory { store, by_tasks, library, results, run, openings: Mutex::default() })
    }

    /// Its operations. They belong to one service: the experiments are those on its games.
    #[must_use]
    pub fn operations(self: &Arc<Self>) -> Vec<Operation> {
        let [list, one, begin, end, page] = [(); 5].map(|()| Arc::clone(self));
        vec![
            Operation::short(
                "experiments",
                "experiments on published claims, and what the store has of them",
                move |service, request, _| list.list(&service.catalog, &request, service.policy.experiments),
            ),
            Operation::short(
                "experiment",
                "the results of an experiment so far, beside the published figures",
                move |service, request, _| one.show(&service.catalog, &request, service.policy.experiments),
            ),
            Operation::short(
                "reproduce",
                "runs an experiment, which goes on after the answer",
                move |service, request, _| begin.begin(&service.catalog, &request, service.policy.experiments),
            ),
            Operation::short("interrupt", "ends a run of an experiment", move |_, request: InterruptRequest, _| {
                Ok(InterruptAnswer { interrupted: end.interrupt(&request.experiment) })
            }),
            Operation::search(
                "report",
                "a page with the results of an experiment so far, and its games",
                move |service, request, call: &mut Call<'_, NoInfo>| page.report(&service.catalog, &request, call.stop),
            ),
        ]
    }

    /// Asks the run to end; games that have ended stay. Does not wait for it.
    pub fn stop(&self) {
        if let Some(run) = lock(&self.run).as_ref() {
            run.stop.stop();
        }
    }

    fn library(&self, games: &Catalog) -> Result<&[Experiment], Error> {
        self.library.get_or_init(|| library(games)).as_ref().map(Vec::as_slice).map_err(Clone::clone)
    }

    pub(crate) fn named(&self, games: &Catalog, name: &str) -> Result<&Experiment, Error> {
        let known = self.library(games)?;
        known.iter().find(|experiment| experiment.id == name).ok_or_else(|| {
            let names = known.iter().map(|experiment| experiment.id.as_str());
            Error::unknown(ErrorCode::UnknownExperiment, "experiment", name, names)
        })
    }

    pub(crate) fn open(&self) -> Result<Option<Store>, Error> {
        open_to_read(self.store.as_deref())
    }

    /// Opens the store to write; `None` where there is none.
    pub(crate) fn open_to_write(&self) -> Result<Option<Store>, Error> {
        self.store.as_deref().map(Store::open).transpose()
    }

    fn list(&self, games: &Catalog, request: &ExperimentsRequest, allowed: bool) -> Result<ExperimentsAnswer, Error> {
        let store = self.open()?;
        let locked = store.as_ref().map(Store::locked).unwrap_or_default();
        // In a browser no lock says so.
        let own = lock(&self.run).as_mut().and_then(|run| run.running().then(|| run.experiment.clone()));
        let wanted = |experiment: &&Experiment| request.game.as_ref().is_none_or(|game| *game == experiment.game);
        let summary = |experiment: &Experiment| {
            let (planned, stored) = match &store {
                Some(store) => {
                    let key = PlanKey { experiment: &experiment.id, seed: 1, version: version() };
                    (store.plan(key)?.map(|plan| plan.scale), stored(experiment, store, 1)?)
                }
                None => (None, 0),
            };
            Ok(ExperimentSummary {
                id: experiment.id.clone(),
                game: experiment.game.clone(),
                title: experiment.title.clone(),
                question: experiment.question.clone(),
                kind: experiment.kind,
                source: experiment.source.clone(),
                minutes: experiment.minutes,
                size: experiment.sizes(1.0).sum(),
                planned,
                stored,
                running: own.as_ref() == Some(&experiment.id) || locked.contains(&lock_name(experiment)),
            })
        };
        let experiments = self.library(games)?.iter().filter(wanted).map(summary).collect::<Result<_, Error>>()?;
        Ok(ExperimentsAnswer { experiments, allowed })
    }

    /// The results that were read before, to be read on.
    fn results(&self, experiment: &Experiment, seed: u64) -> Arc<Mutex<StoredResults>> {
        let mut kept = lock(&self.results);
        let results = match kept.iter().position(|known| known.experiment == experiment.id && known.seed == seed) {
            Some(known) => kept.remove(known).results,
            None => Arc::new(Mutex::new(StoredResults::new(seed))),
        };
        kept.push(Kept { experiment: experiment.id.clone(), seed, results: Arc::clone(&results) });
        let spare = kept.len().saturating_sub(MAX_RESULTS);
        kept.drain(..spare);
        results
    }

    fn show(&self, games: &Catalog, request: &ExperimentRequest, allowed: bool) -> Result<ExperimentAnswer, Error> {
        let experiment = self.named(games, &request.experiment)?;
        let game = games.game(&experiment.game)?.as_ref();
        let kept = self.results(experiment, request.seed);
        let mut kept = lock(&kept);
        // A store in memory, where nothing is stored yet, has no results either.
        let store = self.open()?.map_or_else(Store::memory, Ok)?;
        let results = kept.read(&store, game, experiment)?;
        drop(kept);
        let (run, failed) = match lock(&self.run).as_mut().filter(|run| run.experiment == experiment.id) {
            Some(run) => {
                let running = run.running().then_some(run.run);
                (running, run.failed.clone().filter(|_| run.run.seed == request.seed))
            }
            None => (None, None),
        };
        let rows = results.rows(experiment);
        Ok(ExperimentAnswer {
            experiment: experiment.clone(),
            seed: request.seed,
            version: version(),
            size: experiment.sizes(1.0).sum(),
            planned: results.cells.iter().map(|cell| cell.planned).sum(),
            stored: results.cells.iter().map(|cell| cell.stored).sum(),
            preliminary: results.preliminary(),
            pictures: pictures(experiment, &rows),
            rows,
            running: run.is_some() || store.locked().contains(&lock_name(experiment)),
            run,
            failed,
            allowed,
            plan: results.plan,
            cells: results.cells,
        })
    }

    fn begin(&self, games: &Catalog, request: &ReproduceRequest, allowed: bool) -> Result<ExperimentRun, Error> {
        let experiment = self.named(games, &request.experiment)?.clone();
        for (key, share) in [("scale", request.scale), ("plan", request.plan)] {
            if !share.is_none_or(|share| (MIN_SCALE..=1.0).contains(&share)) {
                return Err(Error::new(ErrorCode::OutOfRange, format!("`{key}` must be from {MIN_SCALE} to 1"))
                    .arg("key", key)
                    .arg("range", format!("{MIN_SCALE}..1")));
            }
        }
        if !allowed {
            return Err(Error::new(ErrorCode::ExperimentsNotAllowed, "no experiments are run here"));
        }
        let game = Arc::clone(games.game(&experiment.game)?);
        let starts_program = experiment.cells.iter().any(|cell| match &cell.work {
            Work::Match { sides, .. } => sides.iter().any(|side| is_program(game.as_ref(), &side.player)),
            Work::Measure { .. } => false,
        });
        let (Some(path), false) = (self.store.as_deref(), starts_program) else {
            let why = if starts_program { "external programs are not started here" } else { "there is no store" };
            return Err(Error::new(ErrorCode::Unsupported, format!("{}: {why}", experiment.id)));
        };
        let mut last = lock(&self.run);
        if let Some(run) = last.as_mut()
            && run.running()
        {
            let message = format!("{} is being run: one experiment runs at a time", run.experiment);
            let error = Error::new(ErrorCode::MatchBusy, message).reason("here");
            return Err(error.arg("experiment", run.experiment.as_str()));
        }
        let store = Store::open(path)?;
        let ReproduceRequest { seed, scale, plan: planned, .. } = *request;
        let (id, stop) = (experiment.id.clone(), StopFlag::default());
        let run = |scale: f64, plays: Plays, stop: StopFlag| Run {
            experiment: id.clone(),
            run: ExperimentRun { seed, target: experiment.sizes(scale).sum() },
            scale,
            stop,
            plays,
            failed: None,
        };
        if self.by_tasks {
            let (_, scale) = plan(&experiment, &store, Planned { seed, scale, planned })?;
            return Ok(last.insert(run(scale, Plays::Tasks, stop)).run);
        }
        #[cfg(not(feature = "store"))]
        return Err(Error::new(ErrorCode::Unsupported, "experiments are played as tasks here"));
        #[cfg(feature = "store")]
        {
            let conditions = Conditions { store: &store, scale, planned, seed, workers: 1.into(), stop: &stop };
            let begun = Begun::new(&experiment, &conditions)?;
            let ran = begun.scale();
            let (flag, played) = (stop.clone(), experiment.clone());
            let play = move || {
                let conditions = Conditions { store: &store, scale, planned, seed, workers: 1.into(), stop: &flag };
                let run = || begun.run(game.as_ref(), &played, &conditions, &mut |_| {}).map(drop);
                catch_unwind(AssertUnwindSafe(run))
                    .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "internal error: the run was aborted")))
            };
            let thread = search_thread().name("experiment".to_owned()).spawn(play).map_err(|error| {
                Error::new(ErrorCode::Busy, format!("cannot start a thread for the experiment: {error}"))
            })?;
            Ok(last.insert(run(ran, Plays::Thread(thread), stop)).run)
        }
    }

    fn interrupt(&self, experiment: &str) -> bool {
        let mut last = lock(&self.run);
        let Some(run) = last.as_mut().filter(|run| run.experiment == experiment) else { return false };
        let running = run.running();
        run.stop.stop();
        running
    }

    fn report(&self, games: &Catalog, request: &ReportRequest, stop: &StopFlag) -> Result<ReportAnswer, Error> {
        let experiment = self.named(games, &request.experiment)?;
        let game = games.game(&experiment.game)?.as_ref();
        let none = || Error::new(ErrorCode::UnknownRecord, format!("nothing of {} is stored yet", experiment.id));
        let store = self.open()?.ok_or_else(none)?;
        let mut results = StoredResults::new(request.seed);
        let found = results.reproduction(&store, game, experiment, &|| stop.stopped())?.ok_or_else(none)?;
        let command = found.command();
        Ok(ReportAnswer { html: report(&[found], &command, None, None).html })
    }
}

#[cfg(feature = "store")]
impl Drop for Laboratory {
    fn drop(&mut self) {
        self.stop();
        // A sample may take long to notice that it is stopped; it holds nothing that others wait for but the lock.
        let deadline = Instant::now() + GRACE;
        while lock(&self.run).as_mut().is_some_and(Run::running) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The pictures of a table, one for each quantity that is compared: of the rows with a published figure or a measured value.
fn pictures(experiment: &Experiment, rows: &[Row]) -> Vec<ExperimentPicture> {
    let picture = |quantity: usize| {
        let shown = |row: &Row| row.quantity == quantity && (row.published.is_some() || row.value.is_some());
        let (numbers, shown): (Vec<usize>, Vec<&Row>) = rows.iter().enumerate().filter(|(_, row)| shown(row)).unzip();
        let picture = experiment.picture(&shown);
        let series = picture.series.into_iter().map(|series| ExperimentSeries {
            name: series.name,
            points: series
                .points
                .into_iter()
                .filter_map(|point| {
                    Some(ExperimentPoint { x: point.x, label: point.label, row: *numbers.get(point.at)? })
                })
                .collect(),
        });
        ExperimentPicture { quantity, x: picture.x, series: series.collect() }
    };
    experiment.judged_quantities().into_iter().map(picture).collect()
}
