//! Matches at a queue by the program itself: while workers, the command and the server are killed, with workers of another
//! version, and with external programs. They need a `nats-server`, so `cargo xtask test --only fleet` runs them.

#[path = "../../fleet/tests/nats/server.rs"]
mod server;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_arena::{GameRecord, MatchFilter, MatchInfo, Store, Usage};
use banmen_fleet::status;
use server::Server;

/// How many processes are killed.
const KILLS: usize = 40;

/// The pause between two kills.
const PAUSE: Duration = Duration::from_millis(500);

/// The longest time that the match may take: ten times what it takes.
const PATIENCE: Duration = Duration::from_secs(900);

/// The games of the match: more than are played while processes are killed.
const GAMES: &str = "6000";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A process that is killed when it is dropped.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Process {
        Process(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("banmen starts"))
    }

    fn ended(&mut self) -> bool {
        self.0.try_wait().expect("a process").is_some_and(|status| {
            assert!(status.success(), "the command ends well");
            true
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn banmen() -> Command {
    Command::new(env!("CARGO_BIN_EXE_banmen"))
}

fn play(store: &Path, queue: Option<&str>) -> Command {
    let mut command = banmen();
    command
        .args(["match", "othello", "engine:level=2", "greedy", "--games", GAMES, "--nodes", "400", "--store"])
        .arg(store);
    if let Some(queue) = queue {
        command.args(["--queue", queue, "--worker-timeout", "1s", "--audit", "0.05"]);
    }
    command
}

fn games(path: &Path) -> Vec<GameRecord> {
    let store = Store::open(path).expect("a store");
    let matches = store.matches(&MatchFilter::default()).expect("a list");
    assert_eq!(matches.len(), 1);
    games_of(&store, matches[0].id)
}

/// The games of a match, without times.
fn games_of(store: &Store, id: i64) -> Vec<GameRecord> {
    let mut games = Vec::new();
    store
        .visit_games(id, &mut |game| {
            let spent = game.spent.map(|spent| Usage { seconds: 0.0, longest: 0.0, ..spent });
            games.push(GameRecord { times: Vec::new(), spent, ..game });
            Ok(())
        })
        .expect("games");
    games
}

#[test]
#[ignore = "needs nats-server"]
fn no_game_is_lost_or_doubled_while_anything_is_killed() {
    let folder = Folder(std::env::temp_dir().join(format!("banmen-queue-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let [local, remote] = ["local.sqlite", "remote.sqlite"].map(|name| folder.0.join(name));
    assert!(play(&local, None).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("banmen starts").success());

    let mut server = Server::start("kills", &["-js"]);
    let address = server.address();
    let worker = |number: usize| {
        let name = format!("worker-{number}");
        Process::start(banmen().args(["worker", &address, "--concurrency", "1", "--name", &name]))
    };
    let asks = || Process::start(&mut play(&remote, Some(&address)));
    let mut workers = [worker(0), worker(1)];
    let (mut asker, start) = (asks(), Instant::now());
    let mut kills = [0; 3];
    for number in 0..KILLS {
        std::thread::sleep(PAUSE);
        if asker.ended() {
            break;
        }
        // Workers, the command and the server in turn, each after different times.
        match number * 7 % 5 {
            0 | 3 => {
                workers[number % 2] = worker(number + 2);
                kills[0] += 1;
            }
            1 | 4 => {
                drop(std::mem::replace(&mut asker, asks()));
                kills[1] += 1;
                // The new one may have found the lock of the old one held.
                std::thread::sleep(Duration::from_millis(100));
                if asker.0.try_wait().expect("a process").is_some() {
                    asker = asks();
                }
            }
            _ => {
                server.kill();
                std::thread::sleep(PAUSE / 2);
                server.begin();
                kills[2] += 1;
            }
        }
    }
    assert_eq!(kills.iter().sum::<usize>(), KILLS, "the match lasts longer than the kills: {kills:?}");
    while !asker.ended() {
        assert!(start.elapsed() < PATIENCE, "the match ends");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (local, remote) = (games(&local), games(&remote));
    assert_eq!(local.len().to_string(), GAMES);
    assert!(local == remote, "the same games, none of them lost or doubled");
}

/// A process whose remarks are read.
struct Heard {
    process: Process,
    remarks: Arc<Mutex<String>>,
}

impl Heard {
    fn start(command: &mut Command) -> Heard {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("banmen starts");
        let stderr = child.stderr.take().expect("it was asked for");
        let remarks = Arc::new(Mutex::new(String::new()));
        let all = Arc::clone(&remarks);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                *all.lock().unwrap_or_else(PoisonError::into_inner) += &(line + "\n");
            }
        });
        Heard { process: Process(child), remarks }
    }

    fn remarks(&self) -> String {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn until(&self, words: &str) {
        let start = Instant::now();
        while !self.remarks().contains(words) {
            assert!(start.elapsed() < Duration::from_secs(60), "`{words}` is not in:\n{}", self.remarks());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn ends(&mut self) {
        let start = Instant::now();
        while !self.process.ended() {
            assert!(start.elapsed() < Duration::from_secs(120), "the command ends: {}", self.remarks());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn folder(name: &str) -> Folder {
    let folder = Folder(std::env::temp_dir().join(format!("banmen-queue-{name}-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    folder
}

/// A build with one more byte is another version: both sides say so, with both versions, and it plays nothing.
#[test]
#[ignore = "needs nats-server"]
fn a_worker_of_another_version_is_refused_by_both_sides() {
    let folder = folder("version");
    let server = Server::start("version", &["-js"]);
    let other = folder.0.join("banmen");
    let mut bytes = std::fs::read(env!("CARGO_BIN_EXE_banmen")).expect("the program");
    bytes.push(0);
    std::fs::write(&other, bytes).expect("a copy");
    let mode = std::fs::metadata(env!("CARGO_BIN_EXE_banmen")).expect("the program").permissions();
    std::fs::set_permissions(&other, mode).expect("it can be started");
    let worker = |program: &Path, name: &str| {
        Heard::start(Command::new(program).args(["worker", &server.address(), "--concurrency", "1", "--name", name]))
    };
    let stranger = worker(&other, "stranger");
    stranger.until("worker stranger at the queue");
    let store = folder.0.join("store.sqlite");
    let mut command = banmen();
    command.args(["match", "othello", "greedy", "random", "--games", "8", "--nodes", "10", "--store"]).arg(&store);
    let mut asker = Heard::start(command.args(["--queue", &server.address()]));
    asker.until("worker stranger is refused: its program is version ");
    stranger.until("does not play for `");
    let versions = |text: &str| -> Vec<String> {
        let words = text.split([' ', ',', '\n', ':']);
        let mut found: Vec<String> =
            words.filter(|word| word.len() > 20 && word.contains("+")).map(str::to_owned).collect();
        found.sort();
        found.dedup();
        found
    };
    let (said, heard) = (versions(&asker.remarks()), versions(&stranger.remarks()));
    assert!(said.len() == 2 && said == heard, "both versions on both sides: {said:?}, {heard:?}");
    let _worker = worker(Path::new(env!("CARGO_BIN_EXE_banmen")), "own");
    asker.ends();
    let by = Store::open(&store).expect("a store").workers(1).expect("workers");
    assert_eq!(by.iter().map(|worker| worker.by.worker.as_str()).collect::<Vec<_>>(), ["own"]);
}

#[test]
#[ignore = "needs nats-server"]
fn external_programs_are_started_by_workers_that_allow_them() {
    let folder = folder("programs");
    let server = Server::start("programs", &["-js"]);
    let program = env!("CARGO_BIN_EXE_banmen");
    let external = format!("gtp:'{program}' engine othello --protocol gtp --player greedy");
    let store = folder.0.join("store.sqlite");
    let mut command = banmen();
    command.args(["match", "othello", &external, "random", "--games", "4", "--nodes", "10", "--store"]).arg(&store);
    let mut asker = Heard::start(command.args(["--queue", &server.address()]));
    let worker = |name: &str, options: &[&str]| {
        let named = ["worker", &server.address(), "--concurrency", "1", "--name", name];
        Heard::start(banmen().args(named).args(options))
    };
    let careful = worker("careful", &[]);
    asker.until("worker careful cannot play: ");
    careful.until("does not play for `");
    let _bold = worker("bold", &["--allow-programs"]);
    asker.ends();
    let by = Store::open(&store).expect("a store").workers(1).expect("workers");
    assert_eq!(by.iter().map(|worker| worker.by.worker.as_str()).collect::<Vec<_>>(), ["bold"]);
}

#[test]
#[ignore = "needs nats-server"]
fn moves_are_rated_from_the_games_that_one_process_plays() {
    let folder = folder("ratings");
    let server = Server::start("ratings", &["-js"]);
    let address = server.address();
    let learn = |name: &str, more: &[&str]| {
        let (store, out) = (folder.0.join(format!("{name}.sqlite")), folder.0.join(format!("{name}.toml")));
        let mut command = banmen();
        command.args([
            "learn",
            "ratings",
            "blokus",
            "--player",
            "random",
            "--nodes",
            "1",
            "--games",
            "4",
            "--held-out",
            "2",
        ]);
        let command = command.arg("--store").arg(store).arg("--out").arg(&out).args(more);
        let output = command.output().expect("banmen starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(out).expect("strengths")
    };
    let own = learn("here", &[]);
    let _worker = Process::start(banmen().args(["worker", &address, "--concurrency", "1"]));
    assert_eq!(own, learn("there", &["--queue", &address]));
    let by = Store::open(&folder.0.join("there.sqlite")).expect("a store").workers(1).expect("workers");
    assert_eq!(by.iter().map(|worker| worker.games).sum::<u64>(), 6);
}

/// All matches of a store: the players with their limits, and the games without times.
fn matches(path: &Path) -> Vec<(String, Vec<GameRecord>)> {
    let store = Store::open(path).expect("a store");
    let mut found = store.matches(&MatchFilter::default()).expect("a list");
    found.sort_by_key(|one| one.id);
    let described = |one: &MatchInfo| format!("{:?} {}", one.players, one.limits());
    found.iter().map(|one| (described(one), games_of(&store, one.id))).collect()
}

/// A table without its column of times, whose heading `ms a move` may be broken into lines, and on whose width the length of
/// the rule below the headings depends.
fn untimed(text: &str) -> Vec<Vec<&str>> {
    let ruled = |cell| if str::trim_matches(cell, '─').is_empty() { "" } else { cell };
    let rows = text.lines().map(|line| line.split("  ").map(str::trim).map(ruled).filter(|cell| !cell.is_empty()));
    let mut rows: Vec<Vec<&str>> = rows.map(Iterator::collect).collect();
    let Some(time) = rows.iter().find_map(|row| row.iter().position(|cell| cell.starts_with("ms a"))) else {
        return rows;
    };
    rows.iter_mut().filter(|row| row.len() > time).for_each(|row| {
        row.remove(time);
    });
    rows
}

/// Runs a command here, and with two workers at a queue: it prints the same, and stores the same games.
fn does_the_same(name: &str, words: &[&str], stored: usize) {
    let folder = folder(name);
    let server = Server::start(name, &["-js"]);
    let run = |name: &str, more: &[&str]| {
        let store = folder.0.join(name);
        let output = banmen().args(words).args(more).arg("--store").arg(&store).output().expect("banmen starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8_lossy(&output.stdout).into_owned(), matches(&store))
    };
    let (said, games) = run("here.sqlite", &["--concurrency", "1"]);
    let workers = ["one", "two"]
        .map(|name| Heard::start(banmen().args(["worker", &server.address(), "--concurrency", "1", "--name", name])));
    workers.iter().for_each(|worker| worker.until("connected"));
    let (said_there, games_there) = run("there.sqlite", &["--queue", &server.address(), "--audit", "0.2"]);
    assert_eq!(untimed(&said), untimed(&said_there));
    assert_eq!(games.iter().map(|(_, games)| games.len()).sum::<usize>(), stored);
    assert!(games == games_there, "the same games");
    let status = status(&server.address().parse().expect("an address")).expect("a status");
    assert!(status.runs.is_empty() && status.workers.len() == 2, "{status:?}");
    assert!(status.workers.iter().all(|worker| worker.games > 0), "{status:?}");
}

#[test]
#[ignore = "needs nats-server"]
fn experiments_have_the_table_and_the_games_of_one_process() {
    let folder = folder("experiment");
    let file = folder.0.join("own.toml");
    let text = "id = \"othello-own\"\ntitle = \"Own\"\nquestion = \"Who?\"\nkind = \"match\"\ngame = \"othello\"\n\
                player = \"engine:level={level}\"\nopponent = \"greedy\"\nopenings = \"random:4\"\ngames = 40\n\
                minutes = 1\n[source]\ntext = \"me\"\nclaim = \"none\"\n[[factors]]\nname = \"level\"\n\
                values = [1, 2]\n[[budgets]]\nnodes = 100\n[[budgets]]\nnodes = 300\n";
    std::fs::write(&file, text).expect("a file");
    does_the_same("reproduce", &["reproduce", &file.display().to_string()], 160);
}

#[test]
#[ignore = "needs nats-server"]
fn players_are_tuned_by_the_games_of_one_process() {
    let words = ["tune", "othello", "classic:depth=2,k=2", "k:3", "--steps", "8", "--pairs", "6", "--nodes", "300"];
    // The store keeps the steps of a tuning, not its games.
    does_the_same("tune", &words, 0);
}

#[test]
#[ignore = "needs nats-server"]
fn datasets_have_the_bytes_of_one_process() {
    let folder = folder("dataset");
    let server = Server::start("dataset", &["-js"]);
    let store = folder.0.join("store.sqlite");
    let played = banmen()
        .args(["match", "othello", "engine:level=2", "greedy", "--games", "20", "--nodes", "100", "--store"])
        .arg(&store)
        .output()
        .expect("banmen starts");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let run = |place: &str, more: &[&str]| {
        // The card contains the name of the file.
        let file = folder.0.join(place).join("positions.parquet");
        std::fs::create_dir_all(folder.0.join(place)).expect("a folder");
        let mut command = banmen();
        command.args(["records", "export", "--searches", "--truth", "--per-game", "8", "--store"]).arg(&store);
        let output = command.arg("--dataset").arg(&file).args(more).output().expect("banmen starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let card = std::fs::read_to_string(file.with_extension("parquet.md")).expect("a card");
        let dated = |line: &&str| line.starts_with("- **Date:** ");
        let card: Vec<String> = card.lines().filter(|line| !dated(line)).map(str::to_owned).collect();
        (std::fs::read(&file).expect("a dataset"), card)
    };
    let own = run("here", &[]);
    let _worker = Process::start(banmen().args(["worker", &server.address(), "--concurrency", "2"]));
    let remote = run("there", &["--queue", &server.address(), "--audit", "0"]);
    assert_eq!(own.1, remote.1, "the card but for its date");
    assert!(own.0 == remote.0, "the same bytes");
    let refused = banmen().args(["records", "export", "--dataset", "a.parquet", "--queue", "nats://h"]).output();
    let refused = refused.expect("banmen starts");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--searches"));
}
