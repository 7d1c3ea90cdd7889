//! Hands out jobs, most of them pairs of games, and stores what returns.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, Message};
use async_nats::{Client, Event, Subscriber};
use banmen_arena::{ContentFile, Fleet, FleetJobs, FleetResult, FleetStatus, FleetWorker, NextJob, PlayedBy, version};
use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::lock;
use futures_util::StreamExt;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::failures::Failures;
use crate::files::Published;
use crate::messages::{JobMessage, Outcome, ResultMessage, RunNews, SentFile, WorkerNews, clean, is_name, most_bytes};
use crate::queue::{COORDINATOR, Queue, WORKERS, failed, in_words};

/// How often the loop looks at the stop flag and the window.
const TICK: Duration = Duration::from_millis(50);

/// How often a coordinator and its workers say who they are, and how long they count as present after that.
pub(crate) const NEWS_INTERVAL: Duration = Duration::from_secs(1);
pub(crate) const PRESENCE: Duration = Duration::from_secs(5);

/// How long nothing is handed out after the queue refused something, and at most, when it does so again and again.
const REFUSED_PAUSE: Duration = Duration::from_millis(500);
const MAX_REFUSED_PAUSE: Duration = Duration::from_secs(5);

/// How long no result must have come before the queue is compared with what was handed out.
const SILENCE: Duration = Duration::from_secs(2);

/// Pairs that are handed out while no worker is known.
const FIRST_PAIRS: usize = 4;

/// How long a worker that takes no pairs for a while, or that is silent, still counts as one that can play a pair at which
/// others failed: twice the longest pause of a worker.
const RETURN_PATIENCE: Duration = Duration::from_secs(120);

/// How long a pair waits at least for a second worker before it is stored without a comparison, and how many times as long as
/// the longest pair so far.
const SECOND_PATIENCE: Duration = Duration::from_secs(60);
const SECOND_RATIO: u32 = 4;

/// The beginning of the key of a pair that a second worker plays.
const SECOND: &str = "second-";

/// How a coordinator works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What distinguishes its run from others on the same server: the same command gives the same run, so that it finds
    /// what an interrupted one left.
    pub run: String,
    /// What is played, in words, for `queue status`.
    pub about: String,
    /// How long a worker may be silent before its pair goes to another one.
    pub ack_wait: Duration,
    /// The share of the pairs that a second worker plays, too, where every machine plays the same moves.
    pub audit: f64,
}

/// A run on a queue: a [`Fleet`] for the arena.
pub struct Coordinator {
    runtime: Runtime,
    state: Mutex<State>,
}

/// What lasts from one match of a command to the next.
struct State {
    queue: Queue,
    settings: Settings,
    client: Client,
    jetstream: Context,
    events: UnboundedReceiver<Event>,
    news: Subscriber,
    /// `None` before the first match.
    streams: Option<Streams>,
    /// The workers that were heard.
    workers: BTreeMap<String, (WorkerNews, Instant)>,
    /// When each worker last played for this run, or was ready to.
    usable_at: BTreeMap<String, Instant>,
    distrusted: BTreeSet<String>,
    /// What the coordinator says once a second; a task of its own sends it.
    own: Arc<Mutex<RunNews>>,
    /// Distinguishes the messages of this process from those of one before it.
    started: u128,
    /// Draws the pairs that two workers play, with keys of this process alone.
    draw: RandomState,
    connected: Instant,
    remark: Box<dyn Fn(&str) + Send + Sync>,
    /// Remarks that were made, so that none is repeated each second.
    remarked: HashSet<String>,
    files: Published,
    /// Since the queue refused something: until when nothing is handed out, and after which pause.
    refused: Option<(Instant, Duration)>,
}

struct Streams {
    jobs: Stream,
    results: Stream,
    /// The results; `None` after an error, until it is opened again.
    incoming: Option<pull::Stream>,
}

impl Coordinator {
    /// Connects to a queue. `remark` receives what a user should know: workers that are refused, a server that is gone.
    ///
    /// # Errors
    /// `queue_failed`: why the queue cannot be used.
    pub fn connect(
        queue: &Queue,
        settings: Settings,
        remark: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| failed(format!("the system starts no thread: {error}")))?;
        let started =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.as_micros());
        let own = Arc::new(Mutex::new(RunNews {
            run: settings.run.clone(),
            version: version().to_owned(),
            about: settings.about.clone(),
            ..RunNews::default()
        }));
        let state = runtime.block_on(async {
            let (sender, events) = unbounded_channel();
            let client = queue.connect(&format!("banmen {}", settings.run), sender).await?;
            let subscribed = client.subscribe(queue.subject("worker", "*")).await;
            let news = subscribed.map_err(|error| failed(error.to_string()))?;
            let (speaker, subject, said) = (client.clone(), queue.subject("run", &settings.run), Arc::clone(&own));
            let start = Instant::now();
            tokio::spawn(async move {
                loop {
                    let text = {
                        let mut news = lock(&said);
                        news.seconds = start.elapsed().as_secs_f64();
                        serde_json::to_vec(&*news).unwrap_or_default()
                    };
                    // Not sent while the server is gone.
                    let _ = speaker.publish(subject.clone(), text.into()).await;
                    tokio::time::sleep(NEWS_INTERVAL).await;
                }
            });
            let jetstream = queue.jetstream(&client);
            Ok::<_, Error>(State {
                queue: queue.clone(),
                settings,
                client,
                jetstream,
                events,
                news,
                streams: None,
                workers: BTreeMap::new(),
                usable_at: BTreeMap::new(),
                distrusted: BTreeSet::new(),
                own,
                started,
                draw: RandomState::new(),
                connected: Instant::now(),
                remark: Box::new(remark),
                remarked: HashSet::new(),
                files: Published::default(),
                refused: None,
            })
        })?;
        Ok(Coordinator { runtime, state: Mutex::new(state) })
    }
}

impl Drop for Coordinator {
    /// Removes the streams: what is not stored is handed out again by the next run.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let State { queue, jetstream, settings, streams, client, .. } = state;
        if streams.take().is_some() {
            let names = ["jobs", "results", "files"].map(|kind| queue.stream(kind, &settings.run));
            self.runtime.block_on(async {
                for name in names {
                    // A server that is gone keeps them until the next run.
                    let _ = tokio::time::timeout(Duration::from_secs(2), jetstream.delete_stream(name)).await;
                }
                let _ = tokio::time::timeout(Duration::from_secs(1), client.flush()).await;
            });
        }
    }
}

impl Fleet for Coordinator {
    fn play(&self, jobs: &mut dyn FleetJobs, stop: &StopFlag) -> Result<(), Error> {
        let mut state = lock(&self.state);
        self.runtime.block_on(async {
            let mut run = Run {
                state: &mut state,
                jobs,
                stop,
                out: HashMap::new(),
                exhausted: false,
                last_result: Instant::now(),
                longest: Duration::ZERO,
                missing: HashSet::new(),
                undelivered: false,
                unread: false,
                looked: Instant::now(),
                described: None,
            };
            let played = run.play().await;
            run.end().await;
            played
        })
    }
}

/// A pair that was handed out.
struct Out {
    job: JobMessage,
    /// Whether a second worker is to play it, too.
    audited: bool,
    /// How often it was published.
    attempts: u32,
    failures: Failures,
    handed_out: Instant,
    /// The result of the first worker, and since when it waits for that of the second.
    first: Option<(PlayedBy, FleetResult, Instant)>,
}

/// A match that is played.
struct Run<'r> {
    state: &'r mut State,
    jobs: &'r mut dyn FleetJobs,
    stop: &'r StopFlag,
    out: HashMap<String, Out>,
    /// Whether there are no more pairs.
    exhausted: bool,
    last_result: Instant,
    /// The longest time from handing out a pair to its result.
    longest: Duration,
    /// The keys that the queue lacked at the last look.
    missing: HashSet<String>,
    /// Whether jobs were queued at the last look that nobody gets, and results that are not read.
    undelivered: bool,
    unread: bool,
    looked: Instant,
    /// When it was last said what plays.
    described: Option<Instant>,
}

impl State {
    /// Says something once.
    fn remark(&mut self, text: String) {
        if self.remarked.insert(text.clone()) {
            (self.remark)(&text);
        }
    }

    /// The queue did not take something, and why.
    fn on_refusal(&mut self, what: &str, why: &str) {
        let pause = self.refused.map_or(REFUSED_PAUSE, |(_, pause)| MAX_REFUSED_PAUSE.min(2 * pause));
        if self.refused.replace((Instant::now() + pause, pause)).is_none() {
            (self.remark)(&format!("the queue takes no {what}, and is asked again: {why}"));
        }
    }

    /// The queue took something.
    fn on_acceptance(&mut self) {
        if self.refused.take().is_some() {
            (self.remark)("the queue takes pairs again");
        }
    }

    /// Whether something may be handed out.
    fn may_hand_out(&self) -> bool {
        self.refused.is_none_or(|(until, _)| until <= Instant::now())
    }

    fn publish(&self, change: impl FnOnce(&mut RunNews)) {
        change(&mut lock(&self.own));
    }

    /// The streams and consumers, created where they are missing.
    async fn set_up(&mut self) -> Result<(), Error> {
        let first = self.streams.is_none();
        let run = self.settings.run.clone();
        let jobs = self.queue.open(&self.jetstream, "jobs", &run).await?;
        let results = self.queue.open(&self.jetstream, "results", &run).await?;
        // A server that lost its disk has no files.
        self.files.doubt();
        if first {
            // What a killed coordinator left: the store knows better what is needed. Its results are read.
            jobs.purge().await.map_err(|error| failed(format!("the queue {}: {error}", self.queue)))?;
            let _ = results.delete_consumer(COORDINATOR).await;
        }
        let consumers = async {
            jobs.create_consumer(Queue::workers(self.settings.ack_wait)).await?;
            results.create_consumer(Queue::results()).await
        };
        let results_consumer = consumers.await.map_err(|error| failed(format!("the queue {}: {error}", self.queue)))?;
        let incoming = incoming(&results_consumer).await;
        self.streams = Some(Streams { jobs, results, incoming });
        Ok(())
    }

    /// Workers that play for this run.
    fn usable(&self) -> impl Iterator<Item = &WorkerNews> {
        self.workers
            .values()
            .filter(|(news, heard)| {
                heard.elapsed() < PRESENCE
                    && news.version == version()
                    && !self.distrusted.contains(&news.name)
                    && !news.unable.contains_key(&self.settings.run)
            })
            .map(|(news, _)| news)
    }

    /// Workers that play for this run, or did a short time ago.
    fn able(&self) -> impl Iterator<Item = &str> {
        let recent =
            |(name, at): &(&String, &Instant)| at.elapsed() < RETURN_PATIENCE && !self.distrusted.contains(*name);
        self.usable_at.iter().filter(recent).map(|(name, _)| name.as_str())
    }

    /// How many pairs are handed out ahead.
    fn window(&self) -> usize {
        let threads: usize = self.usable().map(|news| news.threads.min(1 << 16)).sum();
        FIRST_PAIRS.max(2 * threads)
    }

    fn hear(&mut self, message: &async_nats::Message) {
        let Some(news) = WorkerNews::read(&message.payload) else { return };
        // The server may give rights by subjects: a worker speaks for itself only.
        if *message.subject != *self.queue.subject("worker", &news.name) {
            return;
        }
        if news.version != version() {
            self.remark(format!(
                "worker {} is refused: its program is version {}, and this one {}",
                news.name,
                news.version,
                version()
            ));
        }
        if let Some(why) = news.unable.get(&self.settings.run) {
            self.remark(format!("worker {} cannot play: {why}", news.name));
        }
        if news.version == version() && !news.unable.contains_key(&self.settings.run) {
            self.usable_at.insert(news.name.clone(), Instant::now());
        }
        self.workers.insert(news.name.clone(), (news, Instant::now()));
    }
}

/// The results as they come.
async fn incoming(consumer: &async_nats::jetstream::consumer::PullConsumer) -> Option<pull::Stream> {
    let stream = consumer.stream().max_messages_per_batch(256).expires(Duration::from_secs(10));
    stream.heartbeat(Duration::from_secs(2)).messages().await.ok()
}

impl Run<'_> {
    async fn play(&mut self) -> Result<(), Error> {
        if self.state.streams.is_none() {
            self.state.set_up().await?;
        }
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut refill = true;
        loop {
            if self.stop.stopped() || self.jobs.over() {
                return Ok(());
            }
            if refill {
                self.refill().await?;
            }
            self.describe()?;
            if self.exhausted && self.out.is_empty() {
                return Ok(());
            }
            let State { events, news, streams, .. } = &mut *self.state;
            let incoming = streams.as_mut().and_then(|streams| streams.incoming.as_mut());
            let has_incoming = incoming.is_some();
            let next = async {
                match incoming {
                    Some(incoming) => incoming.next().await,
                    None => std::future::pending().await,
                }
            };
            refill = false;
            tokio::select! {
                biased;
                Some(event) = events.recv() => self.on_event(&event).await?,
                Some(message) = news.next() => {
                    self.state.hear(&message);
                    refill = true;
                }
                result = next => match result {
                    Some(Ok(message)) => {
                        self.on_result(message).await?;
                        refill = true;
                    }
                    _ => {
                        if let Some(streams) = &mut self.state.streams {
                            streams.incoming = None;
                        }
                    }
                },
                _ = tick.tick() => {
                    refill = true;
                    if !has_incoming {
                        self.reopen().await;
                    }
                    self.release_unaudited()?;
                    if self.last_result.max(self.looked).elapsed() > SILENCE {
                        self.reconcile().await?;
                    }
                }
            }
        }
    }

    /// Hands out pairs until the window is full.
    async fn refill(&mut self) -> Result<(), Error> {
        let window = self.state.window();
        while !self.exhausted && self.out.len() < window && self.state.may_hand_out() && !self.stop.stopped() {
            match self.jobs.next()? {
                NextJob::Do(named) => {
                    // Which pairs are compared no worker can know.
                    let drawn = self.state.draw.hash_one(&named.key) as f64 / u64::MAX as f64;
                    let audited = named.reproducible && drawn < self.state.settings.audit;
                    let sent = |(name, contents): &ContentFile| SentFile { name: name.clone(), bytes: contents.len() };
                    let job =
                        JobMessage { job: named.job, files: named.files.iter().map(sent).collect(), except: None };
                    self.state.files.add(named.files);
                    self.out.insert(
                        named.key.clone(),
                        Out {
                            job,
                            audited,
                            attempts: 0,
                            failures: Failures::default(),
                            handed_out: Instant::now(),
                            first: None,
                        },
                    );
                    self.hand_out(&named.key).await?;
                }
                NextJob::Wait => break,
                NextJob::Done => self.exhausted = true,
            }
        }
        self.count();
        Ok(())
    }

    /// Counts what is out, for those who listen.
    fn count(&mut self) {
        let (pairs, out) = (self.out.len() as u64, self.out.values().map(|out| out.job.job.count()).sum());
        self.state.publish(|news| (news.pairs, news.out) = (pairs, out));
    }

    /// Says what plays, once a second, for those who watch the store.
    fn describe(&mut self) -> Result<(), Error> {
        if self.described.is_some_and(|at| at.elapsed() < NEWS_INTERVAL) {
            return Ok(());
        }
        self.described = Some(Instant::now());
        let run = &self.state.settings.run;
        let mut workers: Vec<FleetWorker> = self
            .state
            .usable()
            .map(|news| FleetWorker {
                name: news.name.clone(),
                machine: news.machine.clone(),
                threads: news.threads as u64,
                running: news.running.get(run).copied().unwrap_or(0) as u64,
                games: news.games,
                speeds: news.speeds.clone(),
            })
            .collect();
        let playing = workers.iter().map(|worker| worker.running).sum();
        let news = lock(&self.state.own).clone();
        let others = workers.len().saturating_sub(FleetStatus::MAX_WORKERS) as u64;
        workers.truncate(FleetStatus::MAX_WORKERS);
        let running = news.games_in(playing).min(news.out);
        let status = FleetStatus { waiting: news.out - running, running, hourly: news.hourly(), workers, others };
        self.jobs.on_status(&status)
    }

    /// Publishes a pair, or what a second worker is to play of it. A pair that the server does not take is published again
    /// by a later look at the queue.
    async fn hand_out(&mut self, key: &str) -> Result<(), Error> {
        let Some(out) = self.out.get_mut(key) else { return Ok(()) };
        out.attempts += 1;
        let id = format!("{key}/{}/{}", self.state.started, out.attempts);
        let name = if out.first.is_some() { format!("{SECOND}{key}") } else { key.to_owned() };
        let payload = serde_json::to_vec(&out.job).map_err(|error| failed(error.to_string()))?;
        let most = most_bytes(&self.state.client);
        if payload.len() > most {
            return Err(failed(format!("a pair of games takes {} bytes, of at most {most}", payload.len())));
        }
        let State { queue, jetstream, settings, files, .. } = &mut *self.state;
        if let Err(error) = files.publish(queue, jetstream, &settings.run, &out.job.files).await {
            self.state.on_refusal("file", &in_words(&error));
            return Ok(());
        }
        let subject = self.state.queue.subject("jobs", &format!("{}.{name}", self.state.settings.run));
        let message = PublishMessage::build().payload(payload.into()).message_id(id);
        let sent = self.state.jetstream.send_publish(subject, message).await;
        let answer = match sent {
            Ok(answer) => answer.await.map(drop).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match answer {
            // A pair that is in the queue already is refused: that is as good.
            Err(error) if !error.contains("per subject") => self.state.on_refusal("pair", &in_words(&error)),
            _ => self.state.on_acceptance(),
        }
        Ok(())
    }

    async fn on_event(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::Disconnected => (self.state.remark)("the queue is gone; waiting for it"),
            Event::Connected if self.state.streams.is_some() => {
                // A server that lost its disk has no streams.
                let there = self.set_up_again().await?;
                if there {
                    self.reconcile().await?;
                }
            }
            Event::ServerError(error) => self.state.remark(format!("the queue says: {}", clean(&error.to_string()))),
            _ => {}
        }
        Ok(())
    }

    /// Creates what is missing of the streams and consumers. Returns whether they are there; if not, it was said why.
    async fn set_up_again(&mut self) -> Result<bool, Error> {
        match self.state.set_up().await {
            Err(error) if error.code == ErrorCode::QueueRefused => Err(error),
            Err(error) => {
                self.state.remark(error.message);
                Ok(false)
            }
            Ok(()) => Ok(true),
        }
    }

    /// Opens the results again.
    async fn reopen(&mut self) {
        let Some(streams) = &mut self.state.streams else { return };
        if let Ok(consumer) = streams.results.get_consumer::<pull::Config>(COORDINATOR).await {
            streams.incoming = incoming(&consumer).await;
        }
    }

    /// Compares the queue with what was handed out: removes what nobody needs, and publishes again what is neither queued nor
    /// answered at two looks.
    async fn reconcile(&mut self) -> Result<(), Error> {
        self.looked = Instant::now();
        let Some(streams) = &self.state.streams else { return Ok(()) };
        let subject = |key: &str| self.state.queue.subject("jobs", &format!("{}.{key}", self.state.settings.run));
        let needed: HashMap<String, &String> = self
            .out
            .iter()
            .map(|(key, out)| (if out.first.is_some() { format!("{SECOND}{key}") } else { key.clone() }, key))
            .collect();
        let Ok(mut listed) = streams.jobs.info_with_subjects(subject(">")).await else {
            // The stream is missing, or the server does not answer.
            return self.set_up_again().await.map(drop);
        };
        let mut queued = HashSet::new();
        while let Some(entry) = listed.next().await {
            let Ok((subject, _)) = entry else { return Ok(()) };
            queued.extend(subject.rsplit('.').next().map(str::to_owned));
        }
        for key in queued.iter().filter(|key| !needed.contains_key(*key)) {
            // Not `purge` with a filter: it makes servers forget other messages that wait (2.9.10).
            if let Ok(message) = streams.jobs.get_last_raw_message_by_subject(&subject(key)).await {
                let _ = streams.jobs.delete_message(message.sequence).await;
            }
        }
        let consumers = async {
            let waiting = streams.jobs.consumer_info(WORKERS).await.ok()?;
            let coming = streams.results.consumer_info(COORDINATOR).await.ok()?;
            Some((waiting, coming))
        };
        let Some((waiting, coming)) = consumers.await else {
            // A consumer is missing.
            return self.set_up_again().await.map(drop);
        };
        let idle = |info: &async_nats::jetstream::consumer::Info| info.num_pending == 0 && info.num_ack_pending == 0;
        let drained = idle(&coming);
        let undelivered = idle(&waiting) && queued.iter().any(|key| needed.contains_key(key));
        if undelivered && self.undelivered {
            // The consumer has lost them: a new one delivers everything that is queued.
            let _ = streams.jobs.delete_consumer(WORKERS).await;
            let _ = streams.jobs.create_consumer(Queue::workers(self.state.settings.ack_wait)).await;
        }
        self.undelivered = undelivered;
        let unread = drained && streams.results.get_info().await.is_ok_and(|info| info.state.messages > 0);
        let lost: Vec<String> =
            needed.iter().filter(|(key, _)| !queued.contains(*key)).map(|(_, key)| (*key).clone()).collect();
        let again: Vec<String> = lost.iter().filter(|key| drained && self.missing.contains(*key)).cloned().collect();
        if unread && self.unread {
            let _ = streams.results.delete_consumer(COORDINATOR).await;
            let _ = streams.results.create_consumer(Queue::results()).await;
            if let Some(streams) = &mut self.state.streams {
                streams.incoming = None;
            }
        }
        self.unread = unread;
        self.missing = lost.into_iter().collect();
        let State { queue, jetstream, settings, files, .. } = &mut *self.state;
        if let Err(error) = files.repair(queue, jetstream, &settings.run).await {
            self.state.on_refusal("file", &in_words(&error));
        }
        for key in again {
            if self.state.may_hand_out() {
                self.hand_out(&key).await?;
            }
        }
        Ok(())
    }

    async fn on_result(&mut self, message: Message) -> Result<(), Error> {
        self.last_result = Instant::now();
        let mut words = message.subject.rsplit('.');
        let (key, worker) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
        let read = ResultMessage::read(&message.payload);
        self.take(&key, &worker, read).await?;
        // What is stored, or of no use, is removed from the queue.
        let _ = message.ack().await;
        Ok(())
    }

    /// Takes the result of a pair.
    async fn take(&mut self, name: &str, worker: &str, read: Result<ResultMessage, String>) -> Result<(), Error> {
        let (key, second) = name.strip_prefix(SECOND).map_or((name, false), |key| (key, true));
        let Some(out) = self.out.get(key).filter(|out| out.first.is_some() == second) else { return Ok(()) };
        if self.state.distrusted.contains(worker) {
            return self.hand_out(key).await;
        }
        let result = match read {
            Ok(result) if result.by.worker == worker && is_name(worker) => result,
            Ok(result) => return self.refuse(key, worker, &format!("it signs as {}", clean(&result.by.worker))).await,
            Err(why) => return self.refuse(key, worker, &format!("it sent {}", clean(&why))).await,
        };
        match result.outcome {
            Outcome::Failed { message, player } => {
                let message = format!("worker {worker}: {}", clean(&message));
                let Some(out) = self.out.get_mut(key) else { return Ok(()) };
                out.failures.add(worker);
                if out.failures.enough(self.state.able()) {
                    let error = player.map_or(failed(&message), |player| failed(&message).arg("player", player));
                    self.out.remove(key);
                    return self.jobs.on_failure(key, error);
                }
                self.state.remark(message);
                self.hand_out(key).await
            }
            Outcome::Done(found) => {
                // A worker does not confirm itself.
                if out.first.as_ref().is_some_and(|(by, ..)| by.worker == worker) {
                    return self.hand_out(key).await;
                }
                if let Err(why) = self.jobs.check(key, &found) {
                    return self.refuse(key, worker, &why).await;
                }
                self.longest = self.longest.max(out.handed_out.elapsed());
                if second {
                    return self.compare(key, result.by, found).await;
                }
                let others = self.state.usable().any(|news| news.name != worker);
                // At first not all workers have spoken.
                if out.audited && (others || self.state.connected.elapsed() < PRESENCE) {
                    if let Some(out) = self.out.get_mut(key) {
                        out.job.except = Some(worker.to_owned());
                        out.first = Some((result.by, found, Instant::now()));
                    }
                    return self.hand_out(key).await;
                }
                self.store(key, found, &result.by)
            }
        }
    }

    fn store(&mut self, key: &str, found: FleetResult, by: &PlayedBy) -> Result<(), Error> {
        let games = self.out.remove(key).map_or(0, |out| out.job.job.count());
        self.jobs.on_result(key, found, by)?;
        self.state.publish(|news| news.games += games);
        Ok(())
    }

    /// Compares the results of two workers. Where they differ, this machine does the job, and who differs from it is
    /// distrusted.
    async fn compare(&mut self, key: &str, by: PlayedBy, second: FleetResult) -> Result<(), Error> {
        let Some((first_by, first, _)) = self.out.get_mut(key).and_then(|out| out.first.take()) else { return Ok(()) };
        if first.same(&second) {
            return self.store(key, first, &first_by);
        }
        let Some(own) = self.jobs.do_here(key, self.stop)? else { return Ok(()) };
        let mut good = None;
        for (by, found) in [(first_by, first), (by, second)] {
            if own.same(&found) {
                good = Some((by, found));
            } else {
                self.distrust(&by.worker, "it found something else than this machine and another worker").await?;
            }
        }
        match good {
            Some((by, found)) => self.store(key, found, &by),
            None => {
                if let Some(out) = self.out.get_mut(key) {
                    out.job.except = None;
                }
                self.hand_out(key).await
            }
        }
    }

    /// Stores pairs for which there is no second worker.
    fn release_unaudited(&mut self) -> Result<(), Error> {
        let patience = SECOND_PATIENCE.max(SECOND_RATIO * self.longest);
        let waiting = |out: &Out| {
            let (by, _, since) = out.first.as_ref()?;
            let others = self.state.usable().any(|news| news.name != by.worker);
            Some(since.elapsed() > if others { patience } else { PRESENCE })
        };
        let late: Vec<String> =
            self.out.iter().filter(|(_, out)| waiting(out) == Some(true)).map(|(key, _)| key.clone()).collect();
        for key in late {
            if let Some((by, found, _)) = self.out.get_mut(&key).and_then(|out| out.first.take()) {
                self.state.remark("some pairs are stored without a comparison: no second worker plays them".to_owned());
                self.store(&key, found, &by)?;
            }
        }
        Ok(())
    }

    /// Has a pair played again that a worker answered with something else than its games.
    async fn refuse(&mut self, key: &str, worker: &str, why: &str) -> Result<(), Error> {
        self.distrust(worker, why).await?;
        self.hand_out(key).await
    }

    /// Accepts nothing more from a worker, and has its games played again.
    async fn distrust(&mut self, worker: &str, why: &str) -> Result<(), Error> {
        self.state.distrusted.insert(worker.to_owned());
        let names = self.state.distrusted.iter().cloned().collect();
        self.state.publish(|news| news.distrusted = names);
        let games = self.jobs.distrust(worker, &format!("worker {worker}: {why}"))?;
        (self.state.remark)(&format!(
            "worker {} is not trusted: {why}; {games} stored games of it, in all matches, are set aside, and those of this one \
             played again",
            clean(worker)
        ));
        // What it has returned, or played, of the pairs that are out.
        let mut again = Vec::new();
        for (key, out) in &mut self.out {
            if out.first.as_ref().is_some_and(|(by, ..)| by.worker == worker) {
                (out.first, out.job.except) = (None, None);
                again.push(key.clone());
            }
        }
        for key in again {
            self.hand_out(&key).await?;
        }
        Ok(())
    }

    /// Takes back what nobody needs any more.
    async fn end(&mut self) {
        self.state.files.clear();
        if self.out.is_empty() {
            return;
        }
        let State { streams, client, queue, settings, .. } = &*self.state;
        let short = Duration::from_secs(2);
        if let Some(streams) = streams {
            let _ = tokio::time::timeout(short, async { streams.jobs.purge().await }).await;
        }
        let _ = client.publish(queue.subject("cancel", &settings.run), Vec::new().into()).await;
        let _ = tokio::time::timeout(short, client.flush()).await;
        self.state.publish(|news| (news.pairs, news.out) = (0, 0));
    }
}
