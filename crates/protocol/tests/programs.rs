//! Outside programs as players: each kind of fault gets its verdict in bounded time, and nothing is left of it.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use banmen_catalog::{AnyGame, AnyPlayer, AnyTask, Error, WallClock};
use banmen_protocol::{Charge, Programs, player};
use banmen_search::{Limits, Report, StopFlag};

/// A house with the games that are played over one protocol or another.
fn game(name: &str) -> Box<dyn AnyGame> {
    match name {
        "othello" => Box::new(banmen_othello::entry()),
        _ => Box::new(banmen_dobutsu::entry()),
    }
}

/// Which game is asked about over a protocol, and a move that is legal at its start; then one that is the other side's.
fn spoken(protocol: &str) -> (Box<dyn AnyGame>, &'static str, &'static str) {
    match protocol {
        "usi" => (game("dobutsu"), "2c2b", "2b2c"),
        "uci" => (game("dobutsu"), "b2b3", "b3b2"),
        _ => (game("othello"), "f5", "f4"),
    }
}

/// A fake program that was started.
struct Fake {
    game: Box<dyn AnyGame>,
    player: Result<Box<dyn AnyPlayer>, Error>,
    log: PathBuf,
}

impl Fake {
    fn start(protocol: &str, fault: &str, programs: Programs) -> Fake {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("programs-{}-{number}", std::process::id()));
        fs::create_dir_all(&log).expect("a folder");
        let (game, best, other) = spoken(protocol);
        let best = if fault == "moves for the wrong side" { other } else { best };
        let text = format!("{protocol}:'{}' {protocol} '{fault}' {best}", env!("CARGO_BIN_EXE_fake-program"));
        let programs = Programs { log: Some(log.clone()), ..programs };
        let player = player(game.as_ref(), None, &text, 1, &programs);
        Fake { game, player, log }
    }

    fn ask(&mut self, limits: Limits) -> Result<Report<u32>, Error> {
        self.ask_until(limits, &StopFlag::default())
    }

    fn ask_until(&mut self, limits: Limits, stop: &StopFlag) -> Result<Report<u32>, Error> {
        let walk = self.game.walk(None, None).expect("the start");
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        player.think(AnyTask {
            walk: walk.as_ref(),
            limits,
            clock: &WallClock::default(),
            stop,
            lines: 1,
            progress: &mut |_| {},
        })
    }

    /// The processes of every start that still live, by the groups that they told of.
    fn left(&self) -> Vec<String> {
        let logs = fs::read_dir(&self.log).expect("logs").flatten();
        let groups: Vec<String> = logs
            .filter_map(|log| {
                let bytes = fs::read(log.path()).ok()?;
                let text = String::from_utf8_lossy(&bytes[..bytes.len().min(100)]).into_owned();
                Some(text.lines().next()?.strip_prefix("pid ")?.to_owned())
            })
            .collect();
        if groups.is_empty() {
            return vec!["the log is not yet written".to_owned()];
        }
        let processes = fs::read_dir("/proc").expect("processes").flatten();
        let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
        stats
            .filter(|stat| {
                let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
                fields.len() > 2 && fields[0] != "Z" && groups.iter().any(|group| group == fields[2])
            })
            .collect()
    }

    #[track_caller]
    fn nothing_is_left(&self, what: &str) {
        let until = Instant::now() + Duration::from_secs(2);
        while !self.left().is_empty() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(self.left(), Vec::<String>::new(), "{what}");
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.log);
    }
}

/// The memory that this process has held at most, in MiB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

const NODES: Limits = Limits { nodes: Some(1000), ..NONE };
const NONE: Limits =
    Limits { time: None, clock: None, nodes: None, playouts: None, depth: None, turn_used: Duration::ZERO };

/// Generous where a program answers, so that a busy machine changes no verdict.
const PATIENT: Programs = Programs { patience: Duration::from_secs(60), memory: Some(512 << 20), ..Programs::ALLOWED };

/// For what never answers.
const HASTY: Programs = Programs { patience: Duration::from_secs(3), ..PATIENT };

/// A kind of fault, and what it is called; `None`: nothing is wrong with the move.
struct Kind {
    fault: &'static str,
    programs: Programs,
    limits: Limits,
    verdict: Option<&'static str>,
    words: &'static str,
}

fn kind(fault: &'static str, verdict: Option<&'static str>, words: &'static str) -> Kind {
    Kind { fault, programs: PATIENT, limits: NODES, verdict, words }
}

/// Everything that goes wrong in the first question.
fn kinds(protocol: &str) -> Vec<Kind> {
    let time = Limits { time: Some(Duration::from_millis(100)), ..NONE };
    let mut kinds = vec![
        Kind { programs: HASTY, ..kind("hangs", Some("program_silent"), "said nothing in time") },
        Kind { programs: HASTY, limits: time, ..kind("hangs", Some("program_silent"), "said nothing in time") },
        Kind { programs: HASTY, ..kind("stops itself", Some("program_silent"), "said nothing in time") },
        kind("plays an illegal move", Some("program_illegal"), "plays `a1`"),
        kind("plays no move", Some("program_illegal"), "plays `"),
        kind("moves for the wrong side", Some("program_illegal"), "plays `"),
        kind("says no UTF-8", Some("program_garbage"), "no UTF-8"),
        kind("says a line without an end", Some("program_garbage"), "more than a mebibyte"),
        kind("floods stdout", Some("program_garbage"), "more than anybody reads"),
        kind("floods stderr", None, ""),
        kind("closes stdin", Some("program_exit"), "closed its standard input"),
        kind("ignores quit", None, ""),
        kind("leaves a grandchild", None, ""),
        kind("leaves a grandchild and exits", Some("program_exit"), "ended (exit status: 0)"),
        kind("answers before being asked", Some("program_garbage"), "not asked"),
        kind("tells impossible scores", None, ""),
        kind("balloons", Some("program_exit"), "SIGABRT"),
    ];
    if protocol != "nboard" {
        kinds.push(Kind { limits: time, ..kind("answers late", Some("program_late"), "100 were allowed") });
    }
    if protocol == "rpc" || protocol == "gtp" {
        kinds.push(kind("answers another id", Some("program_garbage"), "not asked"));
    }
    if protocol != "rpc" && protocol != "nboard" {
        kinds.push(kind("resigns", Some("resigned"), "resigns"));
    }
    kinds
}

/// All at once: most of them wait.
fn matrix(protocol: &'static str) {
    thread::scope(|scope| {
        for kind in kinds(protocol) {
            scope.spawn(move || {
                let what = format!("{protocol} {}", kind.fault);
                let begun = Instant::now();
                let mut fake = Fake::start(protocol, kind.fault, kind.programs.clone());
                let answer = fake.ask(kind.limits);
                match (&answer, kind.verdict) {
                    (Ok(report), None) => assert!(
                        report.best().is_some() && (0.0..=1.0).contains(&report.value()) && report.nodes <= 5,
                        "{what}: {report:?}"
                    ),
                    (Err(error), Some(code)) => {
                        assert_eq!(error.code, code, "{what}: {error}");
                        let words = error.message.contains(kind.words);
                        assert!(words || error.code == "program_illegal", "{what}: {error}");
                        assert!(error.forfeit().is_some(), "{what}");
                    }
                    (answer, verdict) => panic!("{what}: {verdict:?} was expected: {answer:?}"),
                }
                if kind.verdict.is_some_and(|code| code != "program_late" && code != "resigned") {
                    fake.nothing_is_left(&what);
                }
                // The next game finds it well: it starts anew.
                if let Ok(player) = &mut fake.player {
                    player.new_game(2);
                }
                if kind.programs.patience == PATIENT.patience {
                    assert_eq!(fake.ask(kind.limits).map_err(|error| error.code).err(), kind.verdict, "{what}, again");
                }
                fake.player = Err(Error::new("internal", "dropped"));
                fake.nothing_is_left(&what);
                assert!(begun.elapsed() < Duration::from_secs(50), "{what}: no stall");
            });
        }
    });
    // An endless line, two floods, and a line of play: none of it costs memory.
    assert!(most_memory() < 400, "{} MiB", most_memory());
}

#[test]
fn rpc() {
    matrix("rpc");
}

#[test]
fn gtp() {
    matrix("gtp");
}

#[test]
fn nboard() {
    matrix("nboard");
}

#[test]
fn usi() {
    matrix("usi");
}

#[test]
fn uci() {
    matrix("uci");
}

#[test]
fn who_does_not_start_is_named_with_its_last_words() {
    for protocol in ["rpc", "gtp", "nboard", "usi", "uci"] {
        let fake = Fake::start(protocol, "exits at start", PATIENT);
        let error = fake.player.as_ref().err().expect("it does not start");
        assert_eq!((error.code, error.forfeit()), ("program_start", Some("no start")));
        assert!(error.message.contains("did not start: it ended (exit status: 3); its last words: "), "{error}");
        assert!(error.message.ends_with("the licence has run out"), "{error}");
        fake.nothing_is_left(protocol);
    }
    let error = player(game("othello").as_ref(), None, "gtp:/no/such/program", 1, &PATIENT).err().expect("no program");
    assert_eq!(error.code, "program_start");
    let silent = Programs { patience: Duration::from_millis(300), ..PATIENT };
    let error = player(game("othello").as_ref(), None, "rpc:sleep 1000", 1, &silent).err().expect("says nothing");
    assert!(error.message.ends_with("did not start: it said nothing in time"), "{error}");
}

#[test]
fn who_dies_in_the_game_starts_anew_in_the_next() {
    for protocol in ["rpc", "gtp", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "exits in the game", PATIENT);
        for _ in 0..2 {
            assert!(fake.ask(NODES).is_ok(), "{protocol}");
            let error = fake.ask(NODES).expect_err("it dies");
            assert_eq!((error.code, error.forfeit()), ("program_exit", Some("crash")), "{protocol}");
            assert!(error.message.contains("ended (exit status: 7); its last words: "), "{protocol}: {error}");
            assert!(error.message.ends_with("out of ideas"), "{protocol}: {error}");
            fake.nothing_is_left(protocol);
        }
    }
}

#[test]
fn a_second_answer_is_no_answer_to_the_next_question() {
    for protocol in ["rpc", "gtp", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "answers twice", PATIENT);
        assert!(fake.ask(NODES).is_ok(), "{protocol}: the first answer is good");
        let error = fake.ask(NODES).expect_err(protocol);
        assert_eq!((error.code, error.forfeit()), ("program_garbage", Some("garbage")), "{protocol}: {error}");
    }
}

#[test]
fn what_a_program_tells_is_reported() {
    for protocol in ["rpc", "usi", "uci"] {
        let report = Fake::start(protocol, "nothing", PATIENT).ask(NODES).expect("an answer");
        assert_eq!((report.nodes, report.depth), (5, 3), "{protocol}");
        assert!(report.value() > 0.6 && report.value() < 0.8, "{protocol}: {}", report.value());
    }
}

#[test]
fn who_is_asked_to_stop_has_a_second() {
    let mut fake = Fake::start("rpc", "hangs", PATIENT);
    let stop = StopFlag::default();
    stop.stop();
    let begun = Instant::now();
    let error = fake.ask_until(NODES, &stop).expect_err("it hangs");
    assert_eq!((error.code, error.forfeit()), ("stopped", None));
    assert!(begun.elapsed() < Duration::from_secs(30));
    fake.nothing_is_left("stopped");
}

#[test]
fn what_a_program_starts_is_charged_to_it() {
    let (game, best, _) = spoken("rpc");
    let words = format!("'{}' rpc \\\"burns the processor\\\" {best}", env!("CARGO_BIN_EXE_fake-program"));
    // The shell waits for the program, and says `done` on standard error after it.
    let text = format!("rpc:sh -c \"{words}; echo done >&2\"");
    let programs = Programs { charge: Charge::Cpu, ..PATIENT };
    let mut player = player(game.as_ref(), None, &text, 1, &programs).unwrap_or_else(|error| panic!("{error}"));
    let walk = game.walk(None, None).expect("the start");
    let limits = Limits { time: Some(Duration::from_millis(10)), ..NONE };
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let task = AnyTask { walk: walk.as_ref(), limits, clock: &clock, stop: &stop, lines: 1, progress: &mut |_| {} };
    let error = player.think(task).expect_err("it takes longer");
    assert_eq!(error.code, "program_late", "{error}");
    let used = player.time_outside().expect("a time");
    // On a busy machine 700 ms of the wall's time are fewer of the processor's.
    assert!(used > Duration::from_millis(111) && used < Duration::from_secs(5), "{used:?}");
}

#[test]
fn processor_time_is_what_is_charged_if_so_wished() {
    // It sleeps: by the wall's time it is late, by the processor's it is not.
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let mut fake = Fake::start("rpc", "answers late", Programs { charge: Charge::Cpu, ..PATIENT });
    let report = fake.ask(limits).expect("in time");
    assert!(report.time < Duration::from_millis(300), "{:?}", report.time);
    let player = fake.player.as_mut().expect("it runs");
    assert!(player.time_outside().is_some_and(|time| time > Duration::ZERO && time < Duration::from_secs(5)));
}
