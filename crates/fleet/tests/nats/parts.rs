//! A coordinator, workers, and a match of Othello, for tests.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_arena::{
    ContentFile, Contestant, FleetJob, FleetResult, GameRecord, Match, MatchSpec, Openings, Plan, PlayerCache, Score,
    Store, Usage, Workers,
};
use banmen_catalog::{AnyGame, Catalog, Error};
use banmen_fleet::{Coordinator, Played, Queue, Settings, Speeds, Status, Worker, WorkerEvent, serve, status, work};
use banmen_programs::Programs;
use banmen_search::{Limits, StopFlag};

use crate::server::Server;

pub(crate) fn catalog() -> Catalog {
    Catalog::default().with(banmen_othello::entry())
}

pub(crate) fn spec(game: &dyn AnyGame, nodes: u64) -> MatchSpec {
    let [a, b] = ["engine:level=2", "greedy"].map(|player| Contestant::new(player, Limits::nodes(nodes)));
    MatchSpec { openings: Openings::Random(6), seed: 5, ..MatchSpec::new(game, a, b) }
}

pub(crate) fn queue(server: &Server) -> Queue {
    server.address().parse().expect("an address")
}

/// What a coordinator remarks.
pub(crate) type Remarks = Arc<Mutex<Vec<String>>>;

pub(crate) fn coordinator(server: &Server, audit: f64) -> Result<(Workers, Remarks), Error> {
    coordinator_at(&queue(server), audit)
}

pub(crate) fn coordinator_at(queue: &Queue, audit: f64) -> Result<(Workers, Remarks), Error> {
    let remarks = Remarks::default();
    let settings =
        Settings { run: "test".to_owned(), about: "a test".to_owned(), ack_wait: Duration::from_secs(1), audit };
    let heard = Arc::clone(&remarks);
    let say = move |text: &str| heard.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    let coordinator = Coordinator::connect(queue, settings, say)?;
    Ok((Workers { threads: 1, fleet: Some(Arc::new(coordinator)) }, remarks))
}

/// A worker in a thread, until it is dropped.
pub(crate) struct Helper {
    stop: StopFlag,
    thread: Option<std::thread::JoinHandle<Result<u64, Error>>>,
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic").expect("a queue");
        }
    }
}

pub(crate) fn named(name: &str, threads: usize) -> Worker {
    Worker { name: name.to_owned(), machine: format!("the machine of {name}"), threads }
}

/// A worker that plays honestly.
pub(crate) fn helper(server: &Server, name: &str, catalog: Catalog) -> Helper {
    helper_at(queue(server), name, catalog)
}

pub(crate) fn helper_at(queue: Queue, name: &str, catalog: Catalog) -> Helper {
    helper_heard(queue, name, catalog).0
}

/// A worker, and for which reasons it does not play.
pub(crate) fn helper_heard(queue: Queue, name: &str, catalog: Catalog) -> (Helper, Remarks) {
    let (worker, stop, refusals) = (named(name, 1), StopFlag::default(), Remarks::default());
    let (own, heard) = (stop.clone(), Arc::clone(&refusals));
    let report = move |event| {
        if let WorkerEvent::Refused(_, why) = event {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(why);
        }
    };
    let thread = std::thread::spawn(move || work(&queue, &catalog, worker, &Programs::REFUSED, &own, report));
    (Helper { stop, thread: Some(thread) }, refusals)
}

/// Runs a task of a client of the server.
pub(crate) fn with_client<T>(server: &Server, task: impl AsyncFnOnce(async_nats::Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    runtime.block_on(async { task(async_nats::connect(server.address()).await.expect("a server")).await })
}

/// A worker that changes the games that it played.
pub(crate) fn forger(server: &Server, name: &str, forge: fn(&mut Vec<GameRecord>)) -> Helper {
    forger_of(server, name, move |found| {
        if let FleetResult::Games(records) = found {
            forge(records);
        }
    })
}

/// A worker that changes what it found.
pub(crate) fn forger_of(
    server: &Server,
    name: &str,
    forge: impl Fn(&mut FleetResult) + Send + Sync + 'static,
) -> Helper {
    worker_with(server, name, move |mut found| {
        forge(&mut found);
        Ok(found)
    })
}

/// A worker whose answer is made of what it found.
pub(crate) fn worker_with(
    server: &Server,
    name: &str,
    answer: impl Fn(FleetResult) -> Result<FleetResult, Error> + Send + Sync + 'static,
) -> Helper {
    let (queue, worker, stop) = (queue(server), named(name, 1), StopFlag::default());
    let own = stop.clone();
    let thread = std::thread::spawn(move || {
        let catalog = Arc::new(catalog());
        type Answer = std::pin::Pin<Box<dyn Future<Output = Played> + Send>>;
        let answer = Arc::new(answer);
        let play = move |job: FleetJob, files: Vec<ContentFile>, stop: StopFlag| -> Answer {
            let (catalog, answer) = (Arc::clone(&catalog), Arc::clone(&answer));
            Box::pin(async move {
                let game = catalog.game(job.game())?;
                files.into_iter().for_each(|(name, contents)| game.keep_file(&name, contents));
                let played = job.run(&catalog, &Programs::REFUSED, &mut PlayerCache::default(), &stop)?;
                played.map(|found| answer(found)).transpose()
            })
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        runtime.block_on(serve(&queue, worker, Speeds::default(), Arc::new(play), &own, Arc::new(|_| {})))
    });
    Helper { stop, thread: Some(thread) }
}

/// The games of the first match of a store, without times.
pub(crate) fn games(store: &Store) -> Vec<GameRecord> {
    let mut games = Vec::new();
    store
        .visit_games(1, &mut |game| {
            let spent = game.spent.map(|spent| Usage { seconds: 0.0, longest: 0.0, ..spent });
            games.push(GameRecord { times: Vec::new(), spent, complaint: None, ..game });
            Ok(())
        })
        .expect("games");
    games
}

pub(crate) fn play(catalog: &Catalog, nodes: u64, games: usize, workers: Workers) -> Result<(Store, Score), Error> {
    let game = catalog.game("othello")?.as_ref();
    let store = Store::memory()?;
    let matchup = Match::new(game, spec(game, nodes));
    let score = matchup.play(&store, &Plan::games(games, workers), &StopFlag::default(), &mut |_| {})?;
    Ok((store, score))
}

/// Waits until a worker speaks, so that a coordinator knows of it.
pub(crate) fn until(server: &Server, enough: impl Fn(&Status) -> bool) {
    until_at(&queue(server), enough);
}

pub(crate) fn until_at(queue: &Queue, enough: impl Fn(&Status) -> bool) {
    let start = Instant::now();
    while !enough(&status(queue).expect("a status")) {
        assert!(start.elapsed() < Duration::from_secs(60), "the status changes");
    }
}

pub(crate) fn heard(remarks: &Remarks) -> String {
    remarks.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
}
