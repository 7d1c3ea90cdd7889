//! Takes jobs from queues, most of them pairs of games, and does them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::connection::State;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, Event};
use banmen_arena::{ContentFile, FleetJob, FleetResult, PlayedBy, PlayerCache, version};
use banmen_catalog::{AnyTask, Catalog, CpuClock, Error, ErrorCode};
use banmen_programs::Programs;
use banmen_search::threads::{lock, spawn_search};
use banmen_search::{Limits, StopFlag};
use futures_util::StreamExt;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{Notify, oneshot};

use crate::coordinator::{NEWS_INTERVAL, PRESENCE};
use crate::files::Fetched;
use crate::messages::{JobMessage, Outcome, ResultMessage, RunNews, WorkerNews, clean, is_name, most_bytes, parse};
use crate::queue::{Queue, WORKERS, failed, in_words};

/// How long a worker waits for a pair of the only run, and of each of several.
const LONG_WAIT: Duration = Duration::from_secs(5);
const SHORT_WAIT: Duration = Duration::from_millis(300);

/// How long a pair is left to other workers when this one cannot play it. A worker that still cannot takes none for twice as
/// long, and so on.
const LEFT: Duration = Duration::from_secs(1);

/// How long a worker takes no pair of a run in which its player failed, twice as long the next time in a row.
const FAILURE_PAUSE: Duration = Duration::from_secs(1);

/// At most so long a worker takes no pair of a run for a passing fault.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The causes that are reported of a run.
const MAX_REPORTED: usize = 100;

/// The processor time in which a machine's speed is measured.
const MEASURED: Duration = Duration::from_millis(200);

/// A worker.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its name, which no other worker has: letters, digits and hyphens.
    pub name: String,
    /// Its machine: the name and the processor.
    pub machine: String,
    /// Pairs that it plays at the same time.
    pub threads: usize,
}

/// What becomes of a job, or `None` when it was stopped.
pub type Played = Result<Option<FleetResult>, Error>;

/// Does a job, for which it is given the files that it needs.
type Play = dyn Fn(FleetJob, Vec<ContentFile>, StopFlag) -> Pin<Box<dyn Future<Output = Played> + Send>> + Send + Sync;

/// What a worker reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It plays for a run: the run, and what is played, in words.
    Joined(String, String),
    /// It does not play for a run, and why.
    Refused(String, String),
    /// Its games are not accepted any more.
    Distrusted(String),
    /// The connection to the queue is lost.
    Lost,
    /// There is a connection to the queue.
    Found,
    /// It played a pair: the number of games so far.
    Played(u64),
}

/// Works until `stop` is set: plays pairs on threads of this process. Programs are started if `programs` allows it.
///
/// # Errors
/// `queue_failed` when the queue cannot be used.
pub fn work(
    queue: &Queue,
    catalog: &Catalog,
    worker: Worker,
    programs: &Programs,
    stop: &StopFlag,
    report: impl Fn(WorkerEvent) + Send + Sync + 'static,
) -> Result<u64, Error> {
    /// A pair for a thread.
    struct Request {
        job: FleetJob,
        files: Vec<ContentFile>,
        stop: StopFlag,
        answer: oneshot::Sender<Played>,
    }

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| failed(format!("the system starts no thread: {error}")))?;
    let (sender, requests) = mpsc::channel::<Request>();
    let requests = Mutex::new(requests);
    let speeds = Speeds::default();
    std::thread::scope(|scope| {
        for _ in 0..worker.threads {
            let (requests, speeds) = (&requests, &speeds);
            spawn_search(scope, move || {
                let mut players = PlayerCache::default();
                loop {
                    let next = lock(requests).recv();
                    let Ok(Request { job, files, stop, answer }) = next else { break };
                    if let Ok(game) = catalog.game(job.game()) {
                        files.into_iter().for_each(|(name, contents)| game.keep_file(&name, contents));
                    }
                    let run = || {
                        speeds.measure(catalog, job.game());
                        job.run(catalog, programs, &mut players, &stop)
                    };
                    let played = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                        players = PlayerCache::default();
                        Err(Error::new(ErrorCode::Internal, "internal error: the game was aborted"))
                    });
                    // Nobody waits for a job that was cancelled.
                    let _ = answer.send(played);
                }
            });
        }
        let play = move |job: FleetJob,
                         files: Vec<ContentFile>,
                         stop: StopFlag|
              -> Pin<Box<dyn Future<Output = Played> + Send>> {
            let (answer, played) = oneshot::channel();
            let sent = sender.send(Request { job, files, stop, answer });
            Box::pin(async move {
                let ended = |_| failed("the thread of the games has ended");
                sent.map_err(|_| failed("the threads of the games have ended"))?;
                played.await.map_err(ended)?
            })
        };
        // The sender is dropped with the closure, which ends the threads.
        runtime.block_on(serve(queue, worker, speeds.clone(), Arc::new(play), stop, Arc::new(report)))
    })
}

/// The speeds of the engines on this machine, by game, in nodes in a second of processor time.
#[derive(Clone, Default)]
pub struct Speeds(Arc<Mutex<BTreeMap<String, f64>>>);

impl Speeds {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, f64>> {
        lock(&self.0)
    }

    /// Measures the speed of the game's engine at its start position, unless it is known.
    fn measure(&self, catalog: &Catalog, name: &str) {
        if self.all().contains_key(name) {
            return;
        }
        let measured = || {
            let game = catalog.game(name).ok()?;
            let state = game.state(None, None).ok()?;
            let mut player = game.player(None, "engine", 1).ok()?;
            let clock = CpuClock::default();
            let start = banmen_search::Clock::now(&clock);
            let limits = Limits::time(MEASURED);
            let task = AnyTask {
                state: state.as_ref(),
                limits,
                clock: &clock,
                stop: &StopFlag::default(),
                threads: 1,
                lines: 1,
                progress: None,
            };
            let report = player.think(task).ok()?;
            let used = (banmen_search::Clock::now(&clock) - start).as_secs_f64();
            (used > 0.0).then(|| report.nodes as f64 / used)
        };
        // Not under the lock, for which the connection would wait. A game that is not measured is not measured again.
        let speed = measured().unwrap_or(0.0);
        self.all().entry(name.to_owned()).or_insert(speed);
    }

    fn of(&self, game: &str) -> Option<f64> {
        self.all().get(game).copied().filter(|speed| *speed > 0.0)
    }
}

/// What the slots of a worker share.
struct Shared {
    queue: Queue,
    worker: Worker,
    client: Client,
    jetstream: Context,
    speeds: Speeds,
    play: Arc<Play>,
    report: Arc<dyn Fn(WorkerEvent) + Send + Sync>,
    /// The runs that were heard.
    runs: Mutex<BTreeMap<String, (RunNews, Instant)>>,
    /// Runs for which the worker cannot play, or could not.
    unable: Mutex<BTreeMap<String, Refusal>>,
    /// The pairs that are played, by run.
    running: Mutex<HashMap<u64, (String, StopFlag)>>,
    files: Fetched,
    next: AtomicU64,
    games: AtomicU64,
    ended: StopFlag,
    /// Set off when there is a new run or a new connection, or the worker ends.
    wake: Notify,
}

/// Why a worker takes no pair of a run.
#[derive(Default)]
struct Refusal {
    why: String,
    until: Until,
    /// How often a fault that passes was seen since a pair was delivered.
    times: u32,
    /// The causes that were reported.
    reported: HashSet<String>,
}

/// How long a refusal holds.
#[derive(Default)]
enum Until {
    /// Not any more.
    #[default]
    Over,
    /// Until then.
    Then(Instant),
    /// As long as the worker runs.
    Ever,
}

impl Refusal {
    fn holds(&self) -> bool {
        match self.until {
            Until::Over => false,
            Until::Then(then) => Instant::now() < then,
            Until::Ever => true,
        }
    }
}

/// Works until `stop` is set: `play` plays the pairs. Returns the number of games.
///
/// # Errors
/// As for [`work`].
pub async fn serve(
    queue: &Queue,
    worker: Worker,
    speeds: Speeds,
    play: Arc<Play>,
    stop: &StopFlag,
    report: Arc<dyn Fn(WorkerEvent) + Send + Sync>,
) -> Result<u64, Error> {
    if !is_name(&worker.name) {
        let message = "the name of a worker has letters, digits, hyphens and underscores, up to 80";
        return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "name"));
    }
    let (sender, mut events) = unbounded_channel();
    let client = queue.connect(&format!("banmen worker {}", worker.name), sender).await?;
    let subscribe =
        async |kind| client.subscribe(queue.subject(kind, "*")).await.map_err(|error| failed(error.to_string()));
    let (mut runs, mut cancels) = (subscribe("run").await?, subscribe("cancel").await?);
    let slots = worker.threads;
    let shared = Arc::new(Shared {
        queue: queue.clone(),
        jetstream: queue.jetstream(&client),
        worker,
        client: client.clone(),
        speeds,
        play,
        report,
        runs: Mutex::default(),
        unable: Mutex::default(),
        running: Mutex::default(),
        files: Fetched::default(),
        next: AtomicU64::new(0),
        games: AtomicU64::new(0),
        ended: StopFlag::default(),
        wake: Notify::new(),
    });
    let tasks: Vec<_> = (0..slots).map(|_| tokio::spawn(slot(Arc::clone(&shared)))).collect();
    let mut news = tokio::time::interval(NEWS_INTERVAL);
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    while !stop.stopped() {
        tokio::select! {
            Some(message) = runs.next() => shared.hear(&message),
            Some(message) = cancels.next() => {
                let run = message.subject.rsplit('.').next().unwrap_or_default();
                shared.cancel(|of| of == run);
            }
            Some(event) = events.recv() => match event {
                Event::Disconnected => (shared.report)(WorkerEvent::Lost),
                Event::Connected => {
                    (shared.report)(WorkerEvent::Found);
                    // A server that was restarted does not know who waits.
                    shared.wake.notify_waiters();
                }
                _ => {}
            },
            _ = news.tick() => shared.speak().await,
            _ = tick.tick() => {}
        }
    }
    // The pairs that are played go to other workers.
    shared.ended.stop();
    shared.cancel(|_| true);
    shared.wake.notify_waiters();
    for task in tasks {
        let _ = tokio::time::timeout(Duration::from_secs(5), task).await;
    }
    let _ = tokio::time::timeout(Duration::from_secs(1), client.flush()).await;
    Ok(shared.games.load(Ordering::Relaxed))
}

impl Shared {
    /// A coordinator speaks.
    fn hear(&self, message: &async_nats::Message) {
        let Some(news) = RunNews::read(&message.payload) else { return };
        if *message.subject != *self.queue.subject("run", &news.run) {
            return;
        }
        let mut runs = lock(&self.runs);
        let known = runs.get(&news.run).is_some_and(|(_, heard)| heard.elapsed() < PRESENCE);
        if !known {
            if news.version != version() {
                let why = format!("it needs version {}, and this is {}", news.version, version());
                (self.report)(WorkerEvent::Refused(news.about.clone(), why));
            } else {
                (self.report)(WorkerEvent::Joined(news.run.clone(), news.about.clone()));
            }
        }
        let distrusted = |news: &RunNews| news.distrusted.contains(&self.worker.name);
        if distrusted(&news) && !runs.get(&news.run).is_some_and(|(before, _)| distrusted(before)) {
            (self.report)(WorkerEvent::Distrusted(news.about.clone()));
        }
        runs.insert(news.run.clone(), (news, Instant::now()));
        runs.retain(|_, (_, heard)| heard.elapsed() < 4 * PRESENCE);
        lock(&self.unable)
            .retain(|run, refusal| matches!(refusal.until, Until::Ever) || runs.contains_key(run.as_str()));
        drop(runs);
        if !known {
            self.wake.notify_waiters();
        }
    }

    async fn speak(&self) {
        let unable = lock(&self.unable)
            .iter()
            .filter(|(_, refusal)| refusal.holds())
            .map(|(run, refusal)| (run.clone(), refusal.why.clone()))
            .collect();
        let mut running: BTreeMap<String, usize> = BTreeMap::new();
        for (run, _) in lock(&self.running).values() {
            *running.entry(run.clone()).or_default() += 1;
        }
        let news = WorkerNews {
            name: self.worker.name.clone(),
            version: version().to_owned(),
            machine: self.worker.machine.clone(),
            threads: self.worker.threads,
            running,
            games: self.games.load(Ordering::Relaxed),
            speeds: self.speeds.all().clone(),
            unable,
        };
        let text = serde_json::to_vec(&news).unwrap_or_default();
        // Not sent while the server is gone.
        let _ = self.client.publish(self.queue.subject("worker", &news.name), text.into()).await;
    }

    /// The runs that this worker can play for.
    fn runs(&self) -> Vec<String> {
        let runs = lock(&self.runs);
        let unable = lock(&self.unable);
        let usable = runs.values().filter(|(news, heard)| {
            heard.elapsed() < PRESENCE
                && news.version == version()
                && !news.distrusted.contains(&self.worker.name)
                && !unable.get(&news.run).is_some_and(Refusal::holds)
        });
        usable.map(|(news, _)| news.run.clone()).collect()
    }

    /// Stops the pairs of some runs.
    fn cancel(&self, which: impl Fn(&str) -> bool) {
        for (run, stop) in lock(&self.running).values() {
            if which(run) {
                stop.stop();
            }
        }
    }

    /// Takes no pair of a run for a pause, which doubles each time until a pair is delivered, or for good. Each cause is
    /// reported once.
    fn refuse(&self, run: &str, why: String, pause: Option<Duration>) {
        let about = lock(&self.runs).get(run).map_or_else(String::new, |(news, _)| clean(&news.about));
        let mut unable = lock(&self.unable);
        let refusal = unable.entry(run.to_owned()).or_default();
        match pause {
            None => refusal.until = Until::Ever,
            // Another thread of this worker saw the same.
            Some(_) if refusal.holds() => {}
            Some(pause) => {
                refusal.until = Until::Then(Instant::now() + MAX_PAUSE.min(pause * (1 << refusal.times.min(10))));
                refusal.times += 1;
            }
        }
        refusal.why = why.clone();
        let new = refusal.reported.len() < MAX_REPORTED && refusal.reported.insert(why.clone());
        drop(unable);
        if new {
            (self.report)(WorkerEvent::Refused(about, why));
        }
    }

    /// Takes pairs of a run again, after one was delivered.
    fn relieve(&self, run: &str) {
        if let Some(refusal) = lock(&self.unable).get_mut(run)
            && !matches!(refusal.until, Until::Ever)
        {
            (refusal.until, refusal.times) = (Until::Over, 0);
        }
    }

    /// Waits for something to do, for a while.
    async fn rest(&self) {
        let _ = tokio::time::timeout(SHORT_WAIT, self.wake.notified()).await;
    }
}

/// Takes pairs and has them played, one after the other.
async fn slot(shared: Arc<Shared>) {
    let mut consumers: HashMap<String, PullConsumer> = HashMap::new();
    let mut turn = 0_usize;
    while !shared.ended.stopped() {
        let runs = shared.runs();
        consumers.retain(|run, _| runs.contains(run));
        let Some(run) = runs.get(turn % runs.len().max(1)).cloned() else {
            shared.rest().await;
            continue;
        };
        turn = turn.wrapping_add(1);
        if !consumers.contains_key(&run) {
            let stream = shared.queue.stream("jobs", &run);
            match shared.jetstream.get_consumer_from_stream(WORKERS, stream).await {
                Ok(consumer) => {
                    consumers.insert(run.clone(), consumer);
                }
                Err(_) => {
                    // The coordinator has not made it, or the server is gone.
                    shared.rest().await;
                    continue;
                }
            }
        }
        let wait = if runs.len() == 1 { LONG_WAIT } else { SHORT_WAIT };
        let taken = match consumers.get(&run) {
            Some(consumer) => take(&shared, consumer, wait).await,
            None => continue,
        };
        match taken {
            Ok(Some((message, ack_wait))) => {
                pair(&shared, &run, message, ack_wait).await;
            }
            Ok(None) => {}
            Err(()) => {
                consumers.remove(&run);
                shared.rest().await;
            }
        }
    }
}

/// The next pair, and after how long a silence it goes to another worker. An error means that the consumer is gone.
async fn take(shared: &Shared, consumer: &PullConsumer, wait: Duration) -> Result<Option<(Message, Duration)>, ()> {
    // Without heartbeats: async-nats 0.51 is not woken by the message after one.
    let batch = consumer.batch().max_messages(1).expires(wait);
    let mut messages = batch.messages().await.map_err(drop)?;
    let ack_wait = consumer.cached_info().config.ack_wait;
    tokio::select! {
        next = messages.next() => match next {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some((message, ack_wait))),
            Some(Err(_)) => Err(()),
        },
        () = shared.wake.notified() => Ok(None),
    }
}

/// Plays a pair and answers it.
async fn pair(shared: &Shared, run: &str, message: Message, ack_wait: Duration) {
    let Some(key) = message.subject.rsplit('.').next().filter(|key| is_name(key)).map(str::to_owned) else {
        let _ = message.ack_with(AckKind::Term).await;
        return;
    };
    let (job, files) = match parse::<JobMessage>(&message.payload) {
        Ok(job) if job.except.as_ref() != Some(&shared.worker.name) => (job.job, job.files),
        Ok(_) => {
            // At once it might come back here for ever, and after a fixed time two workers can take turns in refusing.
            let drawn = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_micros() % 200);
            let _ = message.ack_with(AckKind::Nak(Some(Duration::from_millis(20 + u64::from(drawn))))).await;
            return;
        }
        Err(_) => {
            // No coordinator of this version sends it. One that misses a pair publishes it again.
            let _ = message.ack_with(AckKind::Term).await;
            return;
        }
    };
    let files = match shared.files.fetch(&shared.queue, &shared.jetstream, run, &files).await {
        Ok(files) => files,
        Err(why) => {
            shared.refuse(run, why, Some(LEFT));
            let _ = message.ack_with(AckKind::Nak(Some(LEFT))).await;
            return;
        }
    };
    let (game, count) = (job.game().to_owned(), job.count());
    let stop = StopFlag::default();
    let number = shared.next.fetch_add(1, Ordering::Relaxed);
    lock(&shared.running).insert(number, (run.to_owned(), stop.clone()));
    if shared.ended.stopped() {
        stop.stop();
    }
    let mut played = (shared.play)(job, files, stop);
    let played = loop {
        tokio::select! {
            played = &mut played => break played,
            () = tokio::time::sleep(ack_wait / 3) => {
                // Not sent while the server is gone.
                let _ = message.ack_with(AckKind::Progress).await;
            }
        }
    };
    lock(&shared.running).remove(&number);
    let outcome = match played {
        Ok(Some(found)) => Outcome::Done(found),
        Ok(None) => {
            // For another worker, unless the run was cancelled, which removes it.
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return;
        }
        // Another worker may have the game, the same files, and programs.
        Err(error) if is_own(error.code) => {
            shared.refuse(run, error.message, None);
            let _ = message.ack_with(AckKind::Nak(Some(LEFT))).await;
            return;
        }
        Err(error) => {
            let player = error.args.get("player").and_then(serde_json::Value::as_u64);
            // Another worker, where there is one, takes the pair first.
            shared.refuse(run, error.message.clone(), Some(FAILURE_PAUSE));
            Outcome::Failed { message: error.message, player }
        }
    };
    let mut done = matches!(outcome, Outcome::Done(_));
    let Worker { name, machine, .. } = &shared.worker;
    let by = PlayedBy { worker: name.clone(), machine: machine.clone(), speed: shared.speeds.of(&game) };
    let mut payload = ResultMessage { by: by.clone(), outcome }.bytes();
    let most = most_bytes(&shared.client);
    if payload.len() > most {
        let message = format!("the games take {} bytes, of at most {most}", payload.len());
        payload = ResultMessage { by, outcome: Outcome::Failed { message, player: None } }.bytes();
        done = false;
    }
    if deliver(shared, run, &key, &message, payload, ack_wait).await && done {
        shared.relieve(run);
        let games = shared.games.fetch_add(count, Ordering::Relaxed) + count;
        (shared.report)(WorkerEvent::Played(games));
    }
}

/// Whether an error says something about this worker rather than about the players.
fn is_own(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::UnknownGame
            | ErrorCode::UnknownMatch
            | ErrorCode::ProgramsNotAllowed
            | ErrorCode::FilesNotAllowed
            | ErrorCode::TableMissing
            | ErrorCode::TableRefused
    )
}

/// Publishes a result until the server has it, and then acknowledges the pair. Gives up when the worker ends.
async fn deliver(
    shared: &Shared,
    run: &str,
    key: &str,
    message: &Message,
    payload: Vec<u8>,
    ack_wait: Duration,
) -> bool {
    let subject = shared.queue.subject("results", &format!("{run}.{}.{key}", shared.worker.name));
    let sequence = message.info().map_or(0, |info| info.stream_sequence);
    let id = format!("{run}/{key}/{sequence}/{}", shared.worker.name);
    let mut pause = SHORT_WAIT;
    loop {
        let build = PublishMessage::build().payload(payload.clone().into()).message_id(&id);
        let sent = match shared.jetstream.send_publish(subject.clone(), build).await {
            Ok(answer) => answer.await.map(drop),
            Err(error) => Err(error),
        };
        let Err(error) = sent else {
            // An acknowledgement that is lost costs a delivery to another worker, whose games are dropped.
            let _ = message.double_ack().await;
            return true;
        };
        // The run may be over, and its streams gone.
        let over = lock(&shared.runs).get(run).is_none_or(|(_, heard)| heard.elapsed() > 4 * PRESENCE);
        if shared.ended.stopped() || over {
            return false;
        }
        // A server that is gone is reported already.
        if pause > SHORT_WAIT && shared.client.connection_state() == State::Connected {
            shared.refuse(run, format!("the queue takes no games: {}", in_words(&error)), Some(LEFT));
        }
        // It has been played, so no other worker should do it.
        let _ = message.ack_with(AckKind::Progress).await;
        tokio::time::sleep(pause).await;
        pause = (2 * pause).min(LONG_WAIT).min((ack_wait / 3).max(2 * SHORT_WAIT));
    }
}
