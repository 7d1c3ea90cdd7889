//! Who works for whom.

use std::error::Error as _;
use std::time::Duration;

use async_nats::jetstream::context::{RequestError, RequestErrorKind};
use async_nats::jetstream::{self, Context, ErrorCode};
use banmen_catalog::Error;
use futures_util::StreamExt;
use serde::Serialize;
use tokio::sync::mpsc::unbounded_channel;

use crate::messages::{RunNews, WorkerNews, is_name};
use crate::queue::{Queue, WORKERS, failed, in_words, without_jetstream};

/// How long is listened: everybody speaks once a second.
const LISTENED: Duration = Duration::from_millis(2200);

/// A run, as its coordinator and the server describe it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunStatus {
    /// What its coordinator says; without one, only the run is known.
    #[serde(flatten)]
    pub news: RunNews,
    /// Whether a coordinator was heard. Without one nothing is handed out.
    pub coordinated: bool,
    /// Pairs that wait for a worker.
    pub waiting: u64,
    /// Pairs that workers have taken.
    pub running: u64,
    /// The games of the pairs that wait, and of those that workers have taken.
    pub games_waiting: u64,
    /// See `games_waiting`.
    pub games_running: u64,
    /// Games that are stored in an hour; `None` in the first seconds.
    pub games_an_hour: Option<u64>,
}

/// Who was heard at a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// The runs, by name.
    pub runs: Vec<RunStatus>,
    /// The workers, by name.
    pub workers: Vec<WorkerNews>,
}

fn run<T>(task: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| failed(format!("the system starts no thread: {error}")))?.block_on(task)
}

/// Listens at a queue for a moment.
///
/// # Errors
/// `queue_failed` when it cannot be used.
pub fn status(queue: &Queue) -> Result<Status, Error> {
    run(async {
        let (sender, _events) = unbounded_channel();
        let client = queue.connect("banmen queue status", sender).await?;
        let jetstream = queue.jetstream(&client);
        let heard =
            |message: Result<_, _>| message.map_err(|error: async_nats::SubscribeError| failed(error.to_string()));
        let mut runs = heard(client.subscribe(queue.subject("run", "*")).await)?;
        let mut workers = heard(client.subscribe(queue.subject("worker", "*")).await)?;
        let mut status = Status::default();
        for name in stopped(queue, &jetstream).await? {
            let news = RunNews { run: name, ..RunNews::default() };
            status.runs.push(RunStatus { news, ..RunStatus::default() });
        }
        let listen = async {
            loop {
                tokio::select! {
                    Some(message) = runs.next() => {
                        if let Some(news) = RunNews::read(&message.payload) {
                            status.runs.retain(|run| run.news.run != news.run);
                            status.runs.push(RunStatus { news, coordinated: true, ..RunStatus::default() });
                        }
                    }
                    Some(message) = workers.next() => {
                        if let Some(news) = WorkerNews::read(&message.payload) {
                            status.workers.retain(|worker| worker.name != news.name);
                            status.workers.push(news);
                        }
                    }
                }
            }
        };
        let _: Result<(), _> = tokio::time::timeout(LISTENED, listen).await;
        for run in &mut status.runs {
            let Ok(stream) = jetstream.get_stream_no_info(queue.stream("jobs", &run.news.run)).await else { continue };
            if let Ok(info) = stream.consumer_info(WORKERS).await {
                (run.waiting, run.running) = (info.num_pending, info.num_ack_pending as u64);
            }
            run.games_waiting = run.news.games_in(run.waiting);
            run.games_running = run.news.games_in(run.running);
            run.games_an_hour = run.news.hourly();
        }
        status.runs.sort_by(|a, b| a.news.run.cmp(&b.news.run));
        status.workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(status)
    })
}

/// Whether the server keeps no streams, at all or for this user.
fn is_without_jetstream(error: &RequestError) -> bool {
    let answer = error.source().and_then(|cause| cause.downcast_ref::<jetstream::Error>());
    let missing = [ErrorCode::JETSTREAM_NOT_ENABLED, ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT];
    error.kind() == RequestErrorKind::NoResponders
        || answer.is_some_and(|answer| missing.contains(&answer.error_code()))
}

/// The runs that have a stream of jobs.
async fn stopped(queue: &Queue, jetstream: &Context) -> Result<Vec<String>, Error> {
    let mut names = jetstream.stream_names();
    let mut runs = Vec::new();
    while let Some(name) = names.next().await {
        let name = name.map_err(|error| {
            let cause = error.source().and_then(|cause| cause.downcast_ref::<RequestError>());
            match cause {
                Some(cause) if is_without_jetstream(cause) => without_jetstream(queue),
                _ => failed(format!(
                    "the queue {queue} does not list its streams, for which the account may lack the permission: {}",
                    in_words(&error)
                )),
            }
        })?;
        runs.extend(queue.run_of(&name).filter(|run| is_name(run)).map(str::to_owned));
    }
    Ok(runs)
}

/// Removes what killed coordinators left: the streams of runs without one. Returns the runs.
///
/// # Errors
/// `queue_failed` when the queue cannot be used.
pub fn clear(queue: &Queue) -> Result<Vec<String>, Error> {
    let left: Vec<String> =
        status(queue)?.runs.into_iter().filter(|run| !run.coordinated).map(|run| run.news.run).collect();
    run(async {
        let (sender, _events) = unbounded_channel();
        let client = queue.connect("banmen queue clear", sender).await?;
        let jetstream = queue.jetstream(&client);
        for run in &left {
            for kind in ["jobs", "results", "files"] {
                // A run may have been killed between the two.
                let _ = jetstream.delete_stream(queue.stream(kind, run)).await;
            }
        }
        Ok(left.clone())
    })
}
