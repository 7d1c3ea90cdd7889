//! Experiments as operations: their results in the store, and running them.
//!
//! Everything but `reproduce` only reads the store, anew for each request, whichever process plays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_programs::is_program;
use banmen_protocol::messages::NoInfo;
use banmen_protocol::{Call, Operation, search_thread};
use banmen_search::StopFlag;

use crate::experiment::{Begun, Conditions, StoredResults, Work, lock_name, stored};
use crate::messages::{
    ExperimentAnswer, ExperimentPicture, ExperimentPoint, ExperimentRequest, ExperimentRun, ExperimentSeries,
    ExperimentSummary, ExperimentsAnswer, ExperimentsRequest, InterruptAnswer, InterruptRequest, MIN_SCALE,
    ReportAnswer, ReportRequest, ReproduceRequest,
};
use crate::operations::open_to_read;
use crate::store::PlanKey;
use crate::{Experiment, Row, Store, library, report, version};

/// The number of experiments whose scores are kept; the least recently used one is dropped.
const MAX_RESULTS: usize = 4;

/// How long a laboratory that is dropped waits for its run to end.
const GRACE: Duration = Duration::from_secs(1);

/// The experiments on the store of one file. It runs one of them at a time, on one thread, and stops it when it is dropped.
pub struct Laboratory {
    store: Option<PathBuf>,
    library: OnceLock<Result<Vec<Experiment>, Error>>,
    results: Mutex<Vec<Kept>>,
    run: Mutex<Option<Run>>,
}

/// Results that were read before.
struct Kept {
    experiment: String,
    seed: u64,
    results: Arc<Mutex<StoredResults>>,
}

/// The last run.
struct Run {
    experiment: String,
    run: ExperimentRun,
    stop: StopFlag,
    /// The thread; `None` once it has ended.
    thread: Option<JoinHandle<Result<(), Error>>>,
    failed: Option<Error>,
}

impl Run {
    /// Whether it still runs.
    fn running(&mut self) -> bool {
        if self.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            self.join();
        }
        self.thread.is_some()
    }

    /// Waits until it has ended.
    fn join(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        // The thread catches its panics.
        if let Ok(Err(error)) = thread.join() {
            self.failed = Some(error).filter(|error| error.code != ErrorCode::Stopped);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Laboratory {
    /// The laboratory on this store.
    #[must_use]
    pub fn new(store: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Laboratory { store, library: OnceLock::new(), results: Mutex::default(), run: Mutex::default() })
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

    fn named(&self, games: &Catalog, name: &str) -> Result<&Experiment, Error> {
        let known = self.library(games)?;
        known.iter().find(|experiment| experiment.id == name).ok_or_else(|| {
            let names = known.iter().map(|experiment| experiment.id.as_str());
            Error::unknown(ErrorCode::UnknownExperiment, "experiment", name, names)
        })
    }

    fn open(&self) -> Result<Option<Store>, Error> {
        open_to_read(self.store.as_deref())
    }

    fn list(&self, games: &Catalog, request: &ExperimentsRequest, allowed: bool) -> Result<ExperimentsAnswer, Error> {
        let store = self.open()?;
        let locked = store.as_ref().map(Store::locked).unwrap_or_default();
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
                running: locked.contains(&lock_name(experiment)),
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
        let stop = StopFlag::default();
        let conditions = Conditions { store: &store, scale, planned, seed, workers: 1.into(), stop: &stop };
        let begun = Begun::new(&experiment, &conditions)?;
        let run = ExperimentRun { seed, target: experiment.sizes(begun.scale()).sum() };
        let (id, flag) = (experiment.id.clone(), stop.clone());
        let play = move || {
            let conditions = Conditions { store: &store, scale, planned, seed, workers: 1.into(), stop: &flag };
            let run = || begun.run(game.as_ref(), &experiment, &conditions, &mut |_| {}).map(drop);
            catch_unwind(AssertUnwindSafe(run))
                .unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "internal error: the run was aborted")))
        };
        let thread = search_thread().name("experiment".to_owned()).spawn(play).map_err(|error| {
            Error::new(ErrorCode::Busy, format!("cannot start a thread for the experiment: {error}"))
        })?;
        *last = Some(Run { experiment: id, run, stop, thread: Some(thread), failed: None });
        Ok(run)
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
        let mut command = format!("banmen reproduce {}", experiment.id);
        if found.plan.scale != 1.0 {
            command.push_str(&format!(" --plan {}", found.plan.scale));
        }
        if request.seed != 1 {
            command.push_str(&format!(" --seed {}", request.seed));
        }
        Ok(ReportAnswer { html: report(&[found], &command, None, None).html })
    }
}

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
