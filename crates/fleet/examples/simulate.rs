//! Many simulated workers at one queue: each answers from a table of games, after a delay that is drawn from an exponential
//! distribution. Prints what the fleet does in a second, how long a worker is idle between two pairs, and what the processes
//! use.
//!
//! `cargo run --release -p banmen-fleet --example simulate -- QUEUE WORKERS MEAN_MS PAIRS [SERVER_PID]`

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_arena::{
    ContentFile, Contestant, FleetJob, FleetResult, GameRecord, Match, MatchSpec, Openings, Plan, Store, Workers,
};
use banmen_catalog::Catalog;
use banmen_fleet::{Coordinator, Played, Queue, Settings, Speeds, Worker, serve};
use banmen_search::{Limits, StopFlag};

type Fault = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let mut word = |what: &str| words.next().ok_or_else(|| format!("{what} is missing"));
    let queue: Queue = word("QUEUE")?.parse()?;
    let workers: usize = word("WORKERS")?.parse()?;
    let mean = Duration::from_secs_f64(word("MEAN_MS")?.parse::<f64>()? / 1e3);
    let pairs: usize = word("PAIRS")?.parse()?;
    let server = words.next();

    let catalog = Catalog::default().with(banmen_othello::entry());
    let game = catalog.game("othello")?.as_ref();
    let random = || Contestant::new("random", Limits::nodes(1));
    let spec = MatchSpec { openings: Openings::Random(6), ..MatchSpec::new(game, random(), random()) };
    let matchup = Match::new(game, spec);
    let stop = StopFlag::default();
    let local = Store::memory()?;
    let table = Plan::games(2 * pairs, 2);
    matchup.play(&local, &table, &stop, &mut |_| {})?;
    let mut games: HashMap<usize, Vec<GameRecord>> = HashMap::new();
    local.visit_games(1, &mut |record| {
        games.entry(record.pair).or_default().push(record);
        Ok(())
    })?;
    let games = Arc::new(games);
    let idle = Arc::new(Mutex::new(Vec::new()));

    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut tasks = Vec::new();
    for number in 0..workers {
        let (queue, stop, games, idle) = (queue.clone(), stop.clone(), Arc::clone(&games), Arc::clone(&idle));
        let worker = Worker { name: format!("simulated-{number}"), machine: "a table".to_owned(), threads: 1 };
        let state = Arc::new(Mutex::new((banmen_game::Rng::new(number as u64 + 1), None::<Instant>)));
        let play = move |job: FleetJob,
                         _: Vec<ContentFile>,
                         _: StopFlag|
              -> std::pin::Pin<Box<dyn Future<Output = Played> + Send>> {
            let delay = {
                let (rng, ended) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(ended) = ended {
                    idle.lock().unwrap_or_else(PoisonError::into_inner).push(ended.elapsed());
                }
                mean.mul_f64(-(1.0 - rng.unit()).ln())
            };
            let (games, state) = (Arc::clone(&games), Arc::clone(&state));
            Box::pin(async move {
                tokio::time::sleep(delay).await;
                state.lock().unwrap_or_else(PoisonError::into_inner).1 = Some(Instant::now());
                let FleetJob::Games(job) = job else { return Ok(None) };
                Ok(job.jobs.first().and_then(|job| games.get(&job.pair)).cloned().map(FleetResult::Games))
            })
        };
        tasks.push(runtime.spawn(async move {
            serve(&queue, worker, Speeds::default(), Arc::new(play), &stop, Arc::new(|_| {})).await
        }));
    }
    // All workers have spoken, so that the coordinator knows of them soon.
    std::thread::sleep(Duration::from_secs(3));
    let settings = Settings {
        run: "simulation".to_owned(),
        about: format!("{workers} simulated workers"),
        ack_wait: Duration::from_secs(30),
        audit: 0.0,
    };
    let remark = |text: &str| println!("{text}");
    let folder = std::env::temp_dir().join(format!("banmen-simulate-{}", std::process::id()));
    let store = Store::open(&folder.join("store.sqlite"))?;
    let coordinator = Coordinator::connect(&queue, settings, remark)?;
    let played = Plan::games(2 * pairs, Workers { threads: 1, fleet: Some(Arc::new(coordinator)) });
    let (start, before) = (Instant::now(), server.as_deref().map(used));
    let score = matchup.play(&store, &played, &stop, &mut |_| {})?;
    let seconds = start.elapsed().as_secs_f64();
    let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner).clone();
    idle.sort_unstable();
    let at = |share: f64| idle.get((idle.len() as f64 * share) as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    println!("games stored            {}", score.games());
    println!(
        "pairs a second          {:.0} of {:.0} without a queue",
        pairs as f64 / seconds,
        workers as f64 / mean.as_secs_f64()
    );
    println!("idle between two pairs  {:.2} ms p50, {:.2} ms p99", at(0.5), at(0.99));
    println!("coordinator and workers {} MB", memory("self"));
    if let (Some(server), Some(before)) = (&server, before) {
        println!(
            "server                  {} MB, {:.0} % of a processor",
            memory(server),
            100.0 * (used(server) - before) / seconds
        );
    }
    stop.stop();
    for task in tasks {
        runtime.block_on(task)??;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The largest memory that a process had, in MB; 0 where the system does not say.
fn memory(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1000
}

/// The processor time of a process, in seconds; 0 where the system does not say.
fn used(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    // In hundredths of a second on Linux.
    (ticks(11) + ticks(12)) / 100.0
}
