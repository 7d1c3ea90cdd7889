//! A match at a queue while workers, the command and the server are killed. It needs a `nats-server`, so `cargo xtask test
//! --only fleet` runs it.

#[path = "../../fleet/tests/server/mod.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use banmen_arena::{GameRecord, MatchFilter, Store, Usage};
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
    let mut games = Vec::new();
    store
        .visit_games(matches[0].id, &mut |game| {
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
