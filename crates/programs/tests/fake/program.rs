//! A program that implements just enough of every protocol to be asked for a move, and then commits one fault:
//! `fake-program PROTOCOL FAULT MOVE`. It has no rules: it always plays MOVE.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{self, BufRead, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than the timeout of any test.
const FOREVER: Duration = Duration::from_secs(1000);

struct Fake {
    protocol: String,
    fault: String,
    best: String,
    questions: u32,
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == "supervise") {
        return banmen_programs::supervise(words).unwrap_or_else(|error| {
            eprintln!("{error}");
            ExitCode::from(banmen_programs::NOT_STARTED)
        });
    }
    run();
    ExitCode::SUCCESS
}

fn run() {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().unwrap_or_default();
    let mut fake = Fake { protocol: word(), fault: word(), best: word(), questions: 0 };
    match fake.protocol.as_str() {
        "sleep" => return std::thread::sleep(FOREVER),
        "daemon" => return daemon(&fake.fault),
        _ => {}
    }
    // The test uses this to find leftover processes.
    eprintln!("pid {}", std::process::id());
    if fake.fault == "exits at start" {
        eprintln!("the licence has run out");
        std::process::exit(3);
    }
    if fake.protocol == "fpt" {
        fake.contest();
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let words: Vec<&str> = line.split_whitespace().collect();
        if fake.fault == "logs its input" || fake.fault.starts_with("takes ") {
            eprintln!("{line}");
        }
        match (fake.protocol.as_str(), words.as_slice()) {
            ("rpc", _) => {
                let request: Value = serde_json::from_str(&line).unwrap_or_default();
                match request["op"].as_str() {
                    Some("think") => fake.question(&request["id"]),
                    Some("games") if fake.fault == "lists no games" => {
                        fake.greet(&json!({ "id": request["id"], "ok": { "games": [] } }).to_string());
                    }
                    Some("games") if fake.fault == "lists another game" => {
                        fake.greet(&json!({ "id": request["id"], "ok": { "games": ["chess"] } }).to_string());
                    }
                    _ => fake.greet(&json!({ "id": request["id"], "ok": {} }).to_string()),
                }
            }
            ("gtp" | "pentobi", [id, "genmove", ..]) => fake.question(&json!(id.parse::<u64>().unwrap_or(0))),
            ("gtp", [id, "list_commands"]) => {
                let times = match fake.fault.as_str() {
                    "takes whole seconds" | "takes no time left" => "\ntime_settings\ntime_left",
                    "takes whole seconds of settings" => "\ntime_settings",
                    _ => "",
                };
                say(&format!("={id} play\ngenmove\nclear_board{times}\n"));
            }
            ("gtp", [id, "time_settings" | "time_left", times @ ..])
                if fake.fault.starts_with("takes whole seconds") && times.concat().contains('.') =>
            {
                say(&format!("?{id} syntax error\n"));
            }
            ("gtp", [id, "time_left", ..]) if fake.fault == "takes no time left" => {
                say(&format!("?{id} unknown\n"));
            }
            ("gtp", [id, "boardsize", _]) if fake.fault == "knows no boardsize" => {
                fake.greet(&format!("?{id} unknown command\n"));
            }
            ("gtp", [id, "boardsize", _]) => fake.greet(&format!("={id}\n")),
            // What Pentobi knows: no board size, no time, no pass.
            ("pentobi", [id, "list_commands"]) => {
                say(&format!("={id} all_legal\nclear_board\ngenmove\nplay\nset_game\nset_random_seed\nundo\n"));
            }
            ("pentobi", [id, "set_game", "Blokus", "Duo"]) => fake.greet(&format!("={id}\n")),
            ("pentobi", [id, "play", "b" | "w", cells]) if *cells != "pass" => say(&format!("={id}\n")),
            ("pentobi", [id, "clear_board"] | [id, "set_random_seed", _]) => say(&format!("={id}\n")),
            ("pentobi", [id, command, ..]) if *command != "quit" => say(&format!("?{id} unknown command\n")),
            ("gtp", [id, command, ..]) if *command != "quit" => say(&format!("={id}\n")),
            ("nboard", ["go"]) => fake.question(&Value::Null),
            ("nboard", ["ping", number]) => fake.greet(&format!("pong {number}")),
            ("usi" | "uci", ["go", ..]) => fake.question(&Value::Null),
            ("usi" | "uci", ["isready"]) => fake.greet("readyok"),
            ("tubstap", ["Genmove"]) => fake.question(&Value::Null),
            ("tubstap", ["name"]) => fake.greet("= fake\n"),
            ("tubstap", [_, ..]) => say("= \n"),
            ("usi" | "uci", [word @ ("usi" | "uci")]) => say(&format!("{word}ok")),
            ("riddles", ["action", "move", _]) => fake.question(&Value::Null),
            ("riddles", ["settings", "max_rounds", _]) => fake.greet(""),
            (_, ["quit", ..] | [_, "quit"]) if fake.fault != "ignores quit" => return,
            _ => {}
        }
    }
    if fake.fault == "ignores quit" {
        std::thread::sleep(FOREVER);
    }
}

/// Prints text, its lines in one write. Ignores a closed pipe, so that the program does not end.
fn say(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush());
}

impl Fake {
    /// Plays in the protocol of the FPGA contests, which has no lines.
    fn contest(&mut self) {
        let mut input = io::stdin().lock().bytes().map_while(Result::ok).map(char::from);
        while let Some(first) = input.next() {
            let rest = match first {
                '2' => 1,
                '3' => 5,
                '4' => 4,
                _ => 0,
            };
            let request: String = [first].into_iter().chain(input.by_ref().take(rest)).collect();
            if self.fault == "logs its input" {
                eprintln!("{request}");
            }
            match first {
                '0' => self.greet("1FK"),
                '2'..='4' => self.question(&Value::Null),
                '9' if self.fault != "ignores quit" => std::process::exit(0),
                _ => {}
            }
        }
    }

    /// Responds to a command other than a request for a move.
    fn greet(&self, words: &str) {
        if self.fault == "is ready only once" && self.questions > 0 {
            return;
        }
        // riddles.io bots do not answer settings.
        if self.protocol != "riddles" {
            say(words);
        }
        if self.questions > 0 {
            return;
        }
        match self.fault.as_str() {
            "answers before being asked" => self.answer(&json!(2), &self.best),
            "closes stdin" => {
                close_stdin();
                std::thread::sleep(FOREVER);
            }
            "leaves a grandchild" => leave_a_grandchild(),
            "leaves a daemon" => leave_a_daemon("sleeps"),
            "leaves a daemon that moves" => leave_a_daemon("moves"),
            _ => {}
        }
    }

    fn answer(&self, id: &Value, best: &str) {
        say(&match self.protocol.as_str() {
            "rpc" => json!({ "id": id, "ok": { "move": best, "value": 0.75, "nodes": 5, "depth": 3 } }).to_string(),
            "gtp" | "pentobi" => format!("={id} {best}\n"),
            "nboard" => format!("=== {best}/1.5/0.1"),
            "riddles" | "fpt" => best.to_owned(),
            "tubstap" => format!("= {best}\n"),
            _ => format!("info depth 3 nodes 5 score cp 100 pv {best}\nbestmove {best}"),
        });
    }

    fn question(&mut self, id: &Value) {
        self.questions += 1;
        let best = self.best.as_str();
        match self.fault.as_str() {
            "exits in the game" if self.questions == 2 => {
                eprintln!("out of ideas");
                std::process::exit(7);
            }
            "leaves a grandchild and exits" => {
                leave_a_grandchild();
                std::process::exit(0);
            }
            "hangs" => std::thread::sleep(FOREVER),
            "stops itself" => stop_itself(),
            "burns the processor" => {
                while cpu_ticks() < 40 {}
                self.answer(id, best);
            }
            "never answers, but computes" => loop {
                std::hint::spin_loop();
            },
            // As on a processor of which others use nine tenths.
            "computes slowly" => {
                for _ in 0..35 {
                    let until = Instant::now() + Duration::from_millis(20);
                    while Instant::now() < until {}
                    std::thread::sleep(Duration::from_millis(180));
                }
                self.answer(id, best);
            }
            "answers late" => {
                std::thread::sleep(Duration::from_millis(700));
                self.answer(id, best);
            }
            "plays an illegal move" => self.answer(id, "a1"),
            "plays an illegal code" => self.answer(id, "11a0"),
            "plays a broken code" => self.answer(id, "65z0"),
            "answers half" => say(if self.protocol == "tubstap" { "= 0,1,1,1,1,-1,0,0,1,0,0" } else { "65" }),
            "says an empty line" => say(""),
            "thinks, and plays an illegal move" => {
                std::thread::sleep(Duration::from_millis(30));
                self.answer(id, "kill 0,0");
            }
            "says more and more" => {
                say(&"x".repeat(300_000));
                self.answer(id, best);
            }
            "changes its mind" => say(&format!("pass\nhmm\n{best}")),
            "plays no move" => self.answer(id, "\u{1b}[2Jknight takes"),
            "says no UTF-8" => {
                let _ = io::stdout().write_all(b"\xff\xfe\x00 \xc3\n");
                // For a riddles.io bot the last line counts.
                if self.protocol != "riddles" {
                    self.answer(id, best);
                }
            }
            "says a line without an end" => {
                let part = vec![b'x'; 1 << 20];
                for _ in 0..100 {
                    let _ = io::stdout().write_all(&part);
                }
                self.answer(id, best);
            }
            "floods stdout" => loop {
                say(&match self.protocol.as_str() {
                    "rpc" => json!({ "id": id, "info": { "nodes": 1 } }).to_string(),
                    "gtp" | "pentobi" => format!("={id} {best}"),
                    "nboard" | "riddles" | "fpt" => "status thinking".to_owned(),
                    _ => "info nodes 1".to_owned(),
                });
            },
            "floods stderr" => {
                let part = vec![b'x'; 1 << 20];
                for _ in 0..100 {
                    let _ = io::stderr().write_all(&part);
                }
                self.answer(id, best);
            }
            "answers twice" => {
                self.answer(id, best);
                self.answer(id, best);
            }
            "answers another id" => self.answer(&json!(id.as_u64().unwrap_or(0) + 1), best),
            "sends impossible scores" => {
                say(&match self.protocol.as_str() {
                    "rpc" => json!({ "id": id, "ok": { "move": best, "value": -1e300, "nodes": -5, "depth": 1e99,
                        "eval": { "n": 1e308, "unit": "discs" }, "lines": [{ "moves": [best], "value": 7 }] } })
                    .to_string(),
                    "gtp" | "pentobi" => format!("={id} {best}\n"),
                    "nboard" => format!("search {best} 1e400 0 -9 x\n=== {best}/-1e308"),
                    _ => format!(
                        "info depth -1 nodes -5 score cp -{0} pv {best}\ninfo score cp NaN pv {best}\nbestmove {best}",
                        "9".repeat(400)
                    ),
                });
            }
            "balloons" => {
                let mut air = Vec::new();
                loop {
                    air.push(vec![1u8; 16 << 20]);
                }
            }
            "resigns" => self.answer(id, "resign"),
            _ => self.answer(id, best),
        }
    }
}

#[cfg(unix)]
fn close_stdin() {
    let nothing = std::fs::File::open("/dev/null").expect("there is nothing");
    let _ = rustix::stdio::dup2_stdin(nothing);
}

#[cfg(unix)]
fn stop_itself() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
}

/// The tests of these faults run on Linux.
#[cfg(not(unix))]
fn close_stdin() {}

#[cfg(not(unix))]
fn stop_itself() {}

/// Starts a grandchild that keeps this process's streams open.
fn leave_a_grandchild() {
    let program = std::env::current_exe().expect("it has a file");
    let _ = Command::new(program).arg("sleep").stdin(Stdio::inherit()).spawn();
}

/// Starts a daemon: a process in a session of its own, whose parent has ended. Its last word is the id of this process.
fn leave_a_daemon(kind: &str) {
    let program = std::env::current_exe().expect("it has a file");
    let id = std::process::id().to_string();
    let parent = Command::new(program).args(["daemon", kind, &id]).stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(parent.expect("it starts").success());
}

/// A daemon that sleeps, or that moves on to a new process and a new session again and again; the parent of each ends.
fn daemon(kind: &str) {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
    let next: &[&str] = if kind == "moves" { &["daemon", "moves"] } else { &["sleep"] };
    let program = std::env::current_exe().expect("it has a file");
    let _ = Command::new(program).args(next).args(std::env::args().skip(next.len() + 1)).spawn();
}

/// The CPU time of this process in hundredths of a second, from `/proc/self/stat` (proc_pid_stat(5), fields 14 and 15).
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().skip(11).take(2);
    let times: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    // On other systems, where no test uses this, the value is the maximum.
    if times.is_empty() { u64::MAX } else { times.iter().sum() }
}
