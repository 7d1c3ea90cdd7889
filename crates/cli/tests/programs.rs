//! External programs end with the program that runs them, however it ends.

#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The banmen under test.
const BANMEN: &str = env!("CARGO_BIN_EXE_banmen");

/// The living processes whose command line contains this text, other than `except`.
fn processes(text: &str, except: u32) -> Vec<String> {
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    let named = all.filter(|process| process.file_name().to_string_lossy() != except.to_string());
    // The command line of a process that has ended is empty.
    let commands = named.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    commands
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .filter(|line| line.contains(text))
        .collect()
}

fn wait_for(what: &str, done: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A match against a program that leaves two processes in sessions of their own, whose parents have ended, and one in its
/// process group. Each of them carries `mark` in its command line.
fn hostile_match(mark: &str) -> Child {
    let leave = format!("setsid -f sleep {mark}1; setsid sh -c 'sleep {mark}2 & exit'; sleep {mark}3 &");
    let program = format!("rpc:sh -c \"{leave} exec '{BANMEN}' rpc --data {mark}\"");
    Command::new(BANMEN)
        .args(["match", "othello", &program, "random", "--games", "100000", "--nodes", "100", "--store"])
        .arg(std::env::temp_dir().join(format!("{mark}.sqlite")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

/// S20.
#[test]
fn no_process_of_a_program_outlives_an_arena_that_is_killed() {
    for signal in ["KILL", "TERM", "ABRT"] {
        // No other test has this number of seconds.
        let mark = format!("{}000.{}", 7 + signal.len(), std::process::id());
        let mut arena = hostile_match(&mark);
        let left = || processes(&mark, arena.id());
        wait_for("the program and its processes", || {
            (1..=3).all(|n| left().iter().any(|line| line.contains(&format!("sleep {mark}{n}"))))
        });
        wait_for("the program", || left().iter().any(|line| line.starts_with(BANMEN)));
        let killed = Command::new("kill").args(["-s", signal, &arena.id().to_string()]).status();
        assert!(killed.expect("kill").success());
        arena.wait().expect("an end");
        wait_for("nothing is left", || processes(&mark, arena.id()).is_empty());
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(std::env::temp_dir().join(format!("{mark}.sqlite{end}")));
        }
    }
}

/// A value in the game's unit, as our own engines report it, is the same when their program plays over `rpc`.
#[test]
fn evaluations_of_our_engines_are_read_over_rpc() {
    for (game, nodes, unit) in
        [("othello", "300", "discs"), ("golad", "300", "% of the cells"), ("tubstap", "3000", "hit points")]
    {
        let [here, there] = ["engine", &format!("rpc:{BANMEN} rpc")].map(|player| {
            let think = ["think", game, "--player", player, "--nodes", nodes, "--json"];
            let output = Command::new(BANMEN).args(think).output().expect("the program starts");
            let text = String::from_utf8(output.stdout).expect("text");
            let last = text.lines().last().unwrap_or_else(|| panic!("{game}: no answer of {player}"));
            serde_json::from_str::<serde_json::Value>(last).expect("JSON")["eval"].clone()
        });
        assert_eq!(here["unit"], unit, "{game}");
        assert_eq!(there, here, "{game}");
    }
}

/// A program may resign: that is an answer, and no fault of anybody.
#[test]
fn a_resignation_is_a_negative_answer() {
    let bot = "while read -r line; do case $line in usi) echo usiok ;; isready) echo readyok ;; \
               go*) echo bestmove resign ;; quit) exit ;; esac; done";
    let player = format!("usi:sh -c \"{bot}\"");
    let think = ["think", "dobutsu", "--player", &player, "--time", "100ms"];
    let output = Command::new(BANMEN).args(think).output().expect("the program starts");
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(complaint.contains("resigns"), "{complaint}");
}
