//! Games on other machines: `worker`, `queue`, and the workers of the verbs that play games.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use banmen_arena::Workers;
use banmen_catalog::{Error, ErrorCode};
use banmen_fleet::{
    Coordinator, Queue, RunStatus, Settings, Status, Worker, WorkerEvent, WorkerNews, clear, status, work,
};
use banmen_game::digest;
use serde_json::json;

use super::reproduce::machine;
use super::{Ask, Done, processors};
use crate::args::{QueueArgs, QueueStatus, QueueVerb, Worker as WorkerArgs};
use crate::output::{program, remark, say, say_json, table, thousands};

/// The letters of a version that are shown in a table.
const VERSION_SHOWN: usize = 16;

/// Where the games of a command are played: by `threads` of this process, or at a queue. `about` says what is played.
pub(crate) fn workers(args: &QueueArgs, threads: usize, about: &str, ask: &Ask) -> Result<Workers, Error> {
    let Some(queue) = &args.queue else { return Ok(threads.into()) };
    let queue = args.sign_in.at(queue);
    // The same command with the same store is the same run.
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    let own = format!("{} {} {:?} {}", host(), folder.display(), ask.store, words.join("\n"));
    let settings = Settings {
        run: format!("{:016x}", digest(own.as_bytes())),
        about: about.to_owned(),
        ack_wait: args.worker_timeout.max(Duration::from_secs(1)),
        audit: args.audit,
    };
    let coordinator = Coordinator::connect(&queue, settings, remark)?;
    Ok(Workers { threads, fleet: Some(Arc::new(coordinator)) })
}

/// The number of games played at once, where this process plays them.
///
/// # Errors
/// `out_of_range` for a number given with a queue: it would have no effect.
pub(crate) fn concurrency(args: &QueueArgs, given: Option<usize>) -> Result<Option<usize>, Error> {
    if args.queue.is_some() && given.is_some() {
        let message = format!(
            "--concurrency does not go with --queue: each worker decides how many games it plays at once, by `{} worker \
             --concurrency`",
            program()
        );
        return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "concurrency"));
    }
    Ok(given)
}

/// The name of this machine, as far as the system says.
fn host() -> String {
    let read = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    read.or_else(|| std::env::var("COMPUTERNAME").ok())
        .map_or_else(|| "worker".to_owned(), |name| name.trim().to_owned())
}

pub(crate) fn worker(args: &WorkerArgs, ask: &Ask) -> Done {
    let queue = args.sign_in.at(&args.queue);
    let name = args.name.clone().unwrap_or_else(|| {
        let plain: String =
            host().chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(40).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let drawn = digest(format!("{now} {}", std::process::id()).as_bytes());
        format!("{plain}-{:06x}", drawn & 0xff_ffff)
    });
    let programs = args.programs.allowed_if(args.allow_programs)?.stopped_by(&ask.stop);
    let threads = args.concurrency.unwrap_or_else(processors);
    let worker = Worker { name: name.clone(), machine: format!("{}, {}", host(), machine()), threads };
    ask.on_interrupt();
    remark(&format!("worker {name} at the queue {queue}, {threads} pairs of games at once"));
    let games = work(&queue, &ask.service.catalog, worker, &programs, &ask.stop, |event| match event {
        WorkerEvent::Joined(_, about) => remark(&format!("plays for `{about}`")),
        WorkerEvent::Refused(about, why) => remark(&format!("does not play for `{about}`: {why}")),
        WorkerEvent::Distrusted(about) => remark(&format!("is not trusted by `{about}`")),
        WorkerEvent::Lost => remark("the queue is gone; waiting for it"),
        WorkerEvent::Found => remark("connected"),
        WorkerEvent::Played(_) => {}
    })?;
    remark(&format!("played {} games", thousands(games)));
    Ok(0)
}

pub(crate) fn queue(what: &QueueVerb) -> Done {
    match what {
        QueueVerb::Status(args) => {
            let found = status(&at(args))?;
            if args.json.json {
                say_json(&json!(found));
            } else {
                say(&described(&found));
            }
        }
        QueueVerb::Clear(args) => {
            let cleared = clear(&at(args))?;
            if args.json.json {
                say_json(&json!({ "cleared": cleared }));
            } else {
                say(&format!("{} runs without a command were removed", cleared.len()));
            }
        }
    }
    Ok(0)
}

fn at(args: &QueueStatus) -> Queue {
    args.sign_in.at(&args.queue)
}

/// A status as a person reads it.
fn described(found: &Status) -> String {
    let mut text = if found.runs.is_empty() {
        "nothing is played\n".to_owned()
    } else {
        let head = ["run", "games waiting", "running", "stored", "an hour", "version"].map(str::to_owned);
        let rows: Vec<Vec<String>> = found.runs.iter().map(run_row).collect();
        table(&head, &rows)
    };
    text.push('\n');
    if found.workers.is_empty() {
        text.push_str("no workers\n");
    } else {
        let head = ["worker", "pairs", "of", "games played", "speed", "machine", "version"].map(str::to_owned);
        let rows: Vec<Vec<String>> = found.workers.iter().map(worker_row).collect();
        text.push_str(&table(&head, &rows));
        for worker in &found.workers {
            for why in worker.unable.values() {
                text.push_str(&format!("{} cannot play: {why}\n", worker.name));
            }
        }
    }
    text.trim_end().to_owned()
}

fn short(version: &str) -> String {
    version.chars().take(VERSION_SHOWN).collect()
}

fn run_row(run: &RunStatus) -> Vec<String> {
    let news = &run.news;
    if !run.coordinated {
        let stopped = format!("{} (its command has ended; `queue clear` removes it)", news.run);
        return vec![stopped, thousands(run.games_waiting), thousands(run.games_running)];
    }
    vec![
        news.about.clone(),
        thousands(run.games_waiting),
        thousands(run.games_running),
        thousands(news.games),
        run.games_an_hour.map_or_else(String::new, thousands),
        short(&news.version),
    ]
}

fn worker_row(news: &WorkerNews) -> Vec<String> {
    let speeds: Vec<String> =
        news.speeds.iter().map(|(game, speed)| format!("{game} {} nodes/s", thousands(*speed as u64))).collect();
    vec![
        news.name.clone(),
        news.running.values().sum::<usize>().to_string(),
        news.threads.to_string(),
        thousands(news.games),
        speeds.join(", "),
        news.machine.clone(),
        short(&news.version),
    ]
}
