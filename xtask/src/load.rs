//! `cargo xtask load`: a server under the load that it is built for. Everything stays on the loopback interface.
//!
//! It starts `banmen serve`, opens idle WebSockets, and plays games with the engine on others, while plain requests are
//! timed. Then the same goes on under attack: requests that are never finished, sockets that never read, connections
//! from forged origins, and a flood of connections.

pub(crate) mod client;

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::{Random, Socket, field, get, list, post};

use crate::page::Server;
use crate::report::{Trouble, Verdict};
use crate::tool;

/// Thinking time of the engine for a move.
const MOVE_MS: u64 = 50;
/// A person's time for a move, in milliseconds: from the first to the second.
const PERSON_MS: (u64, u64) = (1000, 3000);
/// Memory that the server may take, in mebibytes.
const MEMORY_MIB: f64 = 256.0;
/// Time within which 99 of 100 requests must be answered, in milliseconds.
const LATENCY_MS: f64 = 100.0;

/// A run of so many seconds sees the end of connections that the server closes: after 10 s without the whole head of a request,
/// or 20 s without reading.
const CLOSED_AFTER_S: u64 = 30;

/// What is loaded, and how much.
pub(crate) struct Options {
    /// Games that are played at once.
    games: usize,
    /// Sockets that are open and send nothing.
    sockets: usize,
    /// Length of each of the two parts, with and without attack.
    seconds: u64,
    /// The program; the release build if it is not given.
    program: Option<PathBuf>,
}

impl Options {
    /// Reads the command line's options.
    pub(crate) fn read(words: &[&str]) -> Option<Self> {
        let mut options = Options { games: 50, sockets: 2000, seconds: 30, program: None };
        for pair in words.chunks(2) {
            match *pair {
                ["--games", n] => options.games = n.parse().ok()?,
                ["--sockets", n] => options.sockets = n.parse().ok()?,
                ["--seconds", n] => options.seconds = n.parse().ok().filter(|&n| n > 0)?,
                ["--program", path] => options.program = Some(path.into()),
                _ => return None,
            }
        }
        Some(options)
    }

    /// A few seconds of a small load on the given program, to see that everything here works.
    pub(crate) fn small(program: PathBuf) -> Self {
        Options { games: 4, sockets: 50, seconds: 3, program: Some(program) }
    }
}

/// What the games and the timed requests have seen.
#[derive(Default)]
struct Seen {
    moves: AtomicUsize,
    finished: AtomicUsize,
    failures: Mutex<Vec<String>>,
    /// Milliseconds of each timed request.
    latencies: Mutex<Vec<f64>>,
}

impl Seen {
    fn fail(&self, why: String) {
        self.failures.lock().expect("no panic").push(why);
    }
}

/// Loads a server and prints the figures. Fails when something went wrong: a game, a refusal that is due. A figure that
/// misses its bar is shown as such, and fails only if `figures_count`, since it depends on what else the machine does.
pub(crate) fn run(options: &Options, figures_count: bool) -> Verdict {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            tool::run(&mut tool::cargo(&["build", "--release", "--package", "banmen"]))?;
            tool::target_folder().join(format!("release/banmen{}", std::env::consts::EXE_SUFFIX))
        }
    };
    let data = tool::scratch("load")?;
    let places = (options.sockets + options.games + 512).to_string();
    let data = data.to_string_lossy().into_owned();
    let limits = ["--connections", &places, "--connections-per-peer", &places, "--data", &data, "--metrics"];
    let server = Server::start(&program, &limits)?;
    let address = server.address().ok_or_else(|| Trouble::failed("the server's address is no socket address"))?;
    let games = names(address).map_err(|why| Trouble::failed(format!("the list of games: {why}")))?;

    let mut idle = Vec::new();
    for _ in 0..options.sockets {
        idle.push(Socket::open(address, None).map_err(|why| Trouble::failed(format!("socket {}: {why}", idle.len())))?);
    }
    let (calm, attacked, attack) = (Seen::default(), Seen::default(), Attack::default());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| keep_alive(&mut idle, &over));
        part(address, &games, options, &calm, None);
        part(address, &games, options, &attacked, Some(&attack));
        over.store(true, Ordering::Relaxed);
    });

    let open = idle.iter_mut().filter_map(|socket| socket.ask("\"op\":\"games\"").ok()).count();
    let memory = server.peak_memory_mib();
    let mut table = String::new();
    let mut missed = false;
    let mut row = |what: &str, value: String, bar: &str, holds: Option<bool>| {
        missed |= holds == Some(false);
        let verdict = holds.map_or("", |holds| if holds { "holds" } else { "MISSED" });
        let _ = writeln!(table, "{what:<52}{value:>14}   {bar:<12}{verdict}");
    };
    let all = options.sockets;
    row("idle sockets that answer at the end", format!("{open} of {all}"), "all", Some(open == all));
    for (when, seen) in [("", &calm), (" under attack", &attacked)] {
        let latencies = seen.latencies.lock().expect("no panic");
        let p99 = percentile(&latencies, 0.99);
        row(&format!("moves of the engine{when}"), seen.moves.load(Ordering::Relaxed).to_string(), "", None);
        row(&format!("games finished{when}"), seen.finished.load(Ordering::Relaxed).to_string(), "", None);
        row(&format!("other requests{when}"), latencies.len().to_string(), "", None);
        row(&format!("  median{when}"), format!("{:.1} ms", percentile(&latencies, 0.5)), "", None);
        row(&format!("  99th percentile{when}"), format!("{p99:.1} ms"), "100 ms", Some(p99 < LATENCY_MS));
    }
    if let Some(memory) = memory {
        row("memory at most", format!("{memory:.0} MiB"), "256 MiB", Some(memory < MEMORY_MIB));
    }
    println!("{} games at once with {MOVE_MS} ms a move, {} s without and with attack", options.games, options.seconds);
    print!("{table}{}", attack.table());

    let mut failures = calm.failures.into_inner().expect("no panic");
    failures.extend(attacked.failures.into_inner().expect("no panic"));
    failures.extend(attack.failures(options.seconds));
    if let Some(first) = failures.first() {
        return Err(Trouble::failed(format!("{} failures; the first: {first}", failures.len())));
    }
    if open < all {
        return Err(Trouble::failed(format!("{} idle sockets were lost", all - open)));
    }
    if missed && figures_count {
        return Err(Trouble::failed("a figure misses its bar"));
    }
    Ok(())
}

/// One part: games and timed requests, with or without an attack.
fn part(address: SocketAddr, games: &[String], options: &Options, seen: &Seen, attack: Option<&Attack>) {
    let end = Instant::now() + Duration::from_secs(options.seconds);
    std::thread::scope(|scope| {
        for number in 0..options.games {
            let game = &games[number % games.len()];
            scope.spawn(move || {
                if let Err(why) = play(address, game, number as u64, end, seen) {
                    seen.fail(format!("a game of {game}: {why}"));
                }
            });
        }
        scope.spawn(move || time_requests(address, end, seen));
        if let Some(attack) = attack {
            attack.run(scope, address, end);
        }
    });
}

/// Answers the pings on idle sockets.
fn keep_alive(idle: &mut [Socket], over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        for socket in idle.iter_mut() {
            // A socket that was lost is counted at the end.
            let _ = socket.answer_ping();
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// The names of the games.
fn names(address: SocketAddr) -> Result<Vec<String>, String> {
    let (_, answer) = post(address, "games", "{}")?;
    let names: Vec<String> =
        answer.split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
    if names.is_empty() { Err(answer) } else { Ok(names) }
}

/// Plays games until the end: a person with random moves and a break before each, against the engine.
fn play(address: SocketAddr, game: &str, seed: u64, end: Instant, seen: &Seen) -> Result<(), String> {
    let mut random = Random::new(seed);
    let mut socket = Socket::open(address, None)?;
    let mut moves: Vec<String> = Vec::new();
    while Instant::now() < end {
        let place = format!(
            "\"game\":\"{game}\",\"moves\":[{}]",
            moves.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(",")
        );
        let shown = socket.ask(&format!("\"op\":\"show\",{place}"))?;
        if shown.contains("\"outcome\":{") {
            seen.finished.fetch_add(1, Ordering::Relaxed);
            moves.clear();
            continue;
        }
        if field(&shown, "side").as_deref() == Some("first") {
            let wait = PERSON_MS.0 + random.below(PERSON_MS.1 - PERSON_MS.0);
            std::thread::sleep(Duration::from_millis(wait).min(end.saturating_duration_since(Instant::now())));
            // A list of tens of thousands of moves is not sent; the games that have one allow a pass.
            let legal = list(&shown, "legal").unwrap_or_else(|| vec!["pass".to_owned()]);
            moves.push(legal.get(random.below(legal.len() as u64) as usize).ok_or(shown)?.clone());
        } else {
            let think = format!("\"op\":\"think\",{place},\"player\":\"engine\",\"limits\":{{\"time_ms\":{MOVE_MS}}}");
            let report = socket.ask(&think)?;
            moves.push(field(&report, "move").ok_or(report)?);
            seen.moves.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Times requests of several kinds, one after the other, each on a connection of its own.
fn time_requests(address: SocketAddr, end: Instant, seen: &Seen) {
    let mut turn = 0;
    while Instant::now() < end {
        let start = Instant::now();
        let answer = match turn % 4 {
            0 => get(address, "/"),
            1 => get(address, "/healthz"),
            2 => get(address, "/js/main.js"),
            _ => post(address, "show", "{\"game\":\"othello\",\"moves\":[\"f5\"]}"),
        };
        let elapsed = start.elapsed();
        match answer {
            Ok((200, _)) => seen.latencies.lock().expect("no panic").push(elapsed.as_secs_f64() * 1000.0),
            Ok((status, text)) => seen.fail(format!("a request was answered with {status}: {text}")),
            Err(why) => seen.fail(format!("a request: {why}")),
        }
        turn += 1;
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The value below which this share of the values lies; 0 without values.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Clients that mean harm, and what became of them.
#[derive(Default)]
struct Attack {
    slow_heads: AtomicUsize,
    slow_heads_closed: AtomicUsize,
    deaf: AtomicUsize,
    deaf_closed: AtomicUsize,
    forged: AtomicUsize,
    forged_refused: AtomicUsize,
    flood: AtomicUsize,
}

impl Attack {
    fn run<'scope>(&'scope self, scope: &'scope std::thread::Scope<'scope, '_>, address: SocketAddr, end: Instant) {
        scope.spawn(move || self.send_slow_heads(address, end));
        scope.spawn(move || self.never_read(address, end));
        scope.spawn(move || self.forge_origins(address, end));
        scope.spawn(move || self.flood(address, end));
    }

    /// Requests of which a byte arrives each second.
    fn send_slow_heads(&self, address: SocketAddr, end: Instant) {
        let mut streams: Vec<TcpStream> = (0..100).filter_map(|_| TcpStream::connect(address).ok()).collect();
        self.slow_heads.store(streams.len(), Ordering::Relaxed);
        for stream in &mut streams {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nX-Slow: ");
            let _ = stream.set_nonblocking(true);
        }
        while Instant::now() < end && !streams.is_empty() {
            std::thread::sleep(Duration::from_secs(1).min(end.saturating_duration_since(Instant::now())));
            let open = |stream: &mut TcpStream| stream.write_all(b"x").is_ok() && !closed(stream);
            streams.retain_mut(open);
        }
        self.slow_heads_closed.store(self.slow_heads.load(Ordering::Relaxed) - streams.len(), Ordering::Relaxed);
    }

    /// Sockets that ask for long answers and read none of them.
    fn never_read(&self, address: SocketAddr, end: Instant) {
        let mut sockets: Vec<Socket> = (0..20).filter_map(|_| Socket::open(address, None).ok()).collect();
        self.deaf.store(sockets.len(), Ordering::Relaxed);
        let mut closed = 0;
        while Instant::now() < end && !sockets.is_empty() {
            let before = sockets.len();
            sockets.retain_mut(|socket| socket.send_without_waiting("\"op\":\"players\",\"game\":\"othello\""));
            closed += before - sockets.len();
            std::thread::sleep(Duration::from_millis(5));
        }
        self.deaf_closed.store(closed, Ordering::Relaxed);
    }

    /// Pages of other origins that open sockets.
    fn forge_origins(&self, address: SocketAddr, end: Instant) {
        while Instant::now() < end {
            let answer = Socket::open(address, Some("https://evil.example"));
            self.forged.fetch_add(1, Ordering::Relaxed);
            if answer.is_err_and(|why| why.contains("403")) {
                self.forged_refused.fetch_add(1, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Connections that are opened and dropped at once.
    fn flood(&self, address: SocketAddr, end: Instant) {
        while Instant::now() < end {
            if TcpStream::connect(address).is_ok() {
                self.flood.fetch_add(1, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn table(&self) -> String {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let of = |some: &AtomicUsize, all: &AtomicUsize| format!("{} of {}", count(some), count(all));
        format!(
            "{:<52}{:>14}\n{:<52}{:>14}\n{:<52}{:>14}\n{:<52}{:>14}\n",
            "requests never finished: closed by the server",
            of(&self.slow_heads_closed, &self.slow_heads),
            "sockets that never read: closed by the server",
            of(&self.deaf_closed, &self.deaf),
            "sockets of forged origins: refused",
            of(&self.forged_refused, &self.forged),
            "connections of the flood",
            count(&self.flood),
        )
    }

    /// What the server should have refused or closed in so many seconds, and did not.
    fn failures(&self, seconds: u64) -> Vec<String> {
        let patient = seconds >= CLOSED_AFTER_S;
        let left = |all: &AtomicUsize, some: &AtomicUsize| all.load(Ordering::Relaxed) - some.load(Ordering::Relaxed);
        let checks = [
            (true, left(&self.forged, &self.forged_refused), "forged origins were not refused"),
            (patient, left(&self.slow_heads, &self.slow_heads_closed), "requests never finished were not closed"),
            (patient, left(&self.deaf, &self.deaf_closed), "sockets that never read were not closed"),
        ];
        let failed = checks.into_iter().filter(|&(counts, left, _)| counts && left > 0);
        failed.map(|(_, left, what)| format!("{left} {what}")).collect()
    }
}

/// Whether the other end has closed a connection that does not block.
fn closed(stream: &mut TcpStream) -> bool {
    loop {
        match stream.read(&mut [0; 1024]) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != std::io::ErrorKind::WouldBlock,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = Options::read(&["--games", "3", "--seconds", "2"]).expect("valid");
        assert_eq!((options.games, options.sockets, options.seconds), (3, 2000, 2));
        for wrong in [&["--games"][..], &["--games", "x"], &["--seconds", "0"], &["--other", "1"]] {
            assert!(Options::read(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn percentiles_are_values_of_the_sample() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(
            (percentile(&values, 0.5), percentile(&values, 0.99), percentile(&values, 1.0)),
            (100.0, 198.0, 200.0)
        );
        assert_eq!(percentile(&[], 0.99), 0.0);
    }
}
