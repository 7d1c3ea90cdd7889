//! External programs as players: each kind of fault gets its verdict in bounded time, and no process is left.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use banmen_catalog::{AnyGame, AnyPlayer, AnyTask, Error, ErrorCode, WallClock};
use banmen_programs::{Charge, Programs, player};
use banmen_search::{Limits, Report, StopFlag, TimeControl};

/// The game of this name, without a data directory.
fn game(name: &str) -> Box<dyn AnyGame> {
    match name {
        "othello" => Box::new(banmen_othello::entry().in_memory()),
        "golad" => Box::new(banmen_golad::entry().in_memory()),
        "blokus" => Box::new(banmen_blokus::entry().in_memory()),
        _ => Box::new(banmen_dobutsu::entry().in_memory()),
    }
}

/// The game used with a kind of program, a move that is legal at its start, and a move of the other side. `pentobi` is GTP
/// as Pentobi speaks it.
fn spoken(protocol: &str) -> (Box<dyn AnyGame>, &'static str, &'static str) {
    match protocol {
        "usi" => (game("dobutsu"), "2c2b", "2b2c"),
        "uci" => (game("dobutsu"), "b2b3", "b3b2"),
        "pentobi" => (game("blokus"), "f9,e10,f10,g10,f11", "i4,h5,i5,j5,i6"),
        "fpt" => (game("blokus"), "65u0", "aaa0"),
        "riddles" => (game("golad"), "kill 4,0", "birth 0,0 2,15 6,15"),
        _ => (game("othello"), "f5", "f4"),
    }
}

/// A running fake program.
struct Fake {
    game: Box<dyn AnyGame>,
    player: Result<Box<dyn AnyPlayer>, Error>,
    log: PathBuf,
}

impl Fake {
    fn start(protocol: &str, fault: &str, programs: Programs) -> Fake {
        let (_, best, other) = spoken(protocol);
        Fake::start_playing(protocol, fault, if fault == "moves for the wrong side" { other } else { best }, programs)
    }

    /// Starts a fake program that plays this move.
    fn start_playing(protocol: &str, fault: &str, best: &str, programs: Programs) -> Fake {
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("programs-{}-{number}", std::process::id()));
        fs::create_dir_all(&log).expect("a folder");
        let (game, ..) = spoken(protocol);
        let word = if protocol == "pentobi" { "gtp" } else { protocol };
        let text = format!("{word}:'{}' {protocol} '{fault}' '{best}'", env!("CARGO_BIN_EXE_fake-program"));
        let programs = Programs { log: Some(log.clone()), ..programs };
        let player = player(game.as_ref(), None, &text, 1, &programs);
        Fake { game, player, log }
    }

    fn ask(&mut self, limits: Limits) -> Result<Report<u32>, Error> {
        self.ask_until(limits, &StopFlag::default())
    }

    fn ask_until(&mut self, limits: Limits, stop: &StopFlag) -> Result<Report<u32>, Error> {
        let state = self.game.state(None, None).expect("the start");
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: &WallClock::default(),
            stop,
            threads: 1,
            lines: 1,
            progress: None,
        })
    }

    /// Starts a new game, if the program has started.
    fn new_game(&mut self) {
        let start = self.game.state(None, None).expect("the start");
        if let Ok(player) = &mut self.player {
            player.new_game(start.as_ref(), 2).expect("its game");
        }
    }

    /// The processes that are still alive, from all starts. The logs give their process groups.
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

/// The peak memory use of this process, in MiB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the most memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10
}

const NODES: Limits = Limits { nodes: Some(1000), ..NONE };
const NONE: Limits =
    Limits { time: None, clock: None, nodes: None, playouts: None, depth: None, turn_used: Duration::ZERO };

/// Limits for programs that answer: generous, so that a busy machine changes no verdict.
const PATIENT: Programs = Programs { patience: Duration::from_secs(60), memory: Some(512 << 20), ..Programs::ALLOWED };

/// Limits for programs that never answer.
const HASTY: Programs = Programs { patience: Duration::from_secs(3), ..PATIENT };

/// A kind of fault and its verdict; `None` if the move is accepted.
struct Kind {
    fault: &'static str,
    programs: Programs,
    limits: Limits,
    verdict: Option<ErrorCode>,
    words: &'static str,
}

fn kind(fault: &'static str, verdict: Option<ErrorCode>, words: &'static str) -> Kind {
    Kind { fault, programs: PATIENT, limits: NODES, verdict, words }
}

/// All faults in the first request for a move.
fn kinds(protocol: &str) -> Vec<Kind> {
    let time = Limits { time: Some(Duration::from_millis(100)), ..NONE };
    let mut kinds = vec![
        Kind { programs: HASTY, ..kind("hangs", Some(ErrorCode::ProgramSilent), "did not answer in time") },
        Kind {
            programs: HASTY,
            limits: time,
            ..kind("hangs", Some(ErrorCode::ProgramSilent), "did not answer in time")
        },
        Kind { programs: HASTY, ..kind("stops itself", Some(ErrorCode::ProgramSilent), "did not answer in time") },
        kind("plays an illegal move", Some(ErrorCode::ProgramIllegal), "played `a1`"),
        kind("plays no move", Some(ErrorCode::ProgramIllegal), "played `"),
        kind("moves for the wrong side", Some(ErrorCode::ProgramIllegal), "played `"),
        kind("says no UTF-8", Some(ErrorCode::ProgramGarbage), "not UTF-8"),
        kind("says a line without an end", Some(ErrorCode::ProgramGarbage), "longer than 1 MiB"),
        kind("floods stdout", Some(ErrorCode::ProgramGarbage), "too many lines"),
        kind("floods stderr", None, ""),
        kind("closes stdin", Some(ErrorCode::ProgramExit), "closed its standard input"),
        kind("ignores quit", None, ""),
        kind("leaves a grandchild", None, ""),
        kind("leaves a grandchild and exits", Some(ErrorCode::ProgramExit), "ended (exit status: 0)"),
        kind("answers before being asked", Some(ErrorCode::ProgramGarbage), "not requested"),
        kind("tells impossible scores", None, ""),
        kind("balloons", Some(ErrorCode::ProgramExit), "SIGABRT"),
    ];
    if protocol != "nboard" {
        kinds.push(Kind { limits: time, ..kind("answers late", Some(ErrorCode::ProgramLate), "100 were allowed") });
    }
    if ["rpc", "gtp", "pentobi"].contains(&protocol) {
        kinds.push(kind("answers another id", Some(ErrorCode::ProgramGarbage), "not requested"));
    }
    if protocol != "rpc" && protocol != "nboard" {
        kinds.push(kind("resigns", Some(ErrorCode::Resigned), "resigns"));
    }
    kinds
}

fn matrix(protocol: &'static str) {
    faults(protocol, kinds(protocol));
}

/// Runs all kinds of faults at the same time, since most of them only wait.
fn faults(protocol: &'static str, kinds: Vec<Kind>) {
    thread::scope(|scope| {
        for kind in kinds {
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
                        assert!(words || error.code == ErrorCode::ProgramIllegal, "{what}: {error}");
                        assert!(error.forfeit().is_some(), "{what}");
                    }
                    (answer, verdict) => panic!("{what}: {verdict:?} was expected: {answer:?}"),
                }
                if kind.verdict.is_some_and(|code| code != ErrorCode::ProgramLate && code != ErrorCode::Resigned) {
                    fake.nothing_is_left(&what);
                }
                // The program is restarted for the next game.
                fake.new_game();
                if kind.programs.patience == PATIENT.patience {
                    assert_eq!(fake.ask(kind.limits).map_err(|error| error.code).err(), kind.verdict, "{what}, again");
                }
                fake.player = Err(Error::new(ErrorCode::Internal, "dropped"));
                fake.nothing_is_left(&what);
                assert!(begun.elapsed() < Duration::from_secs(50), "{what}: no stall");
            });
        }
    });
    // Neither an endless line nor floods nor principal variations use much memory.
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
fn pentobi() {
    matrix("pentobi");
}

#[test]
fn pentobi_is_sent_only_what_it_knows() {
    let mut fake = Fake::start("pentobi", "tells what it hears", PATIENT);
    // A game in which one side has to pass, and the other one goes on.
    let game = game("blokus");
    let mut state = game.state(None, None).expect("the start");
    let mut rng = banmen_game::Rng::new(1);
    while state.legal() != [state.pass().unwrap_or(u32::MAX)] {
        if state.outcome().is_some() {
            state = game.state(None, None).expect("the start");
        }
        let legal = state.legal();
        state.play(legal[rng.index(legal.len())]).expect("a legal move");
    }
    let placed = state.move_texts("text");
    let other = if placed.len() % 2 == 0 { "w" } else { "b" };
    let clock = TimeControl { main: Duration::from_secs(60), ..TimeControl::default() };
    let limits = Limits { time: Some(Duration::from_secs(50)), clock: Some(clock), ..NONE };
    // It plays its opening move, which is not legal there.
    let mut moves: Vec<&str> = placed.iter().map(String::as_str).collect();
    moves.push("pass");
    assert!(fake.ask(limits).is_ok());
    assert_eq!(fake.ask_after(&moves, limits).expect_err("an opening move").code, ErrorCode::ProgramIllegal);
    until(|| fake.told().last().is_some_and(|told| told.iter().filter(|line| line.contains("genmove")).count() == 2));
    let told = fake.told().concat();
    let commands: Vec<&str> = told.iter().map(|line| line.split_once(' ').expect("an id").1).collect();
    assert_eq!(
        commands[..6],
        [
            "list_commands",
            "set_game Blokus Duo",
            "clear_board",
            &format!("set_random_seed {}", 1u64 >> 33),
            "genmove b",
            "clear_board"
        ]
    );
    let mut plays: Vec<String> =
        placed.iter().enumerate().map(|(at, text)| format!("play {} {text}", ["b", "w"][at % 2])).collect();
    assert!(plays.last().is_some_and(|play| play.starts_with(&format!("play {other} "))), "{plays:?}");
    plays.push(format!("genmove {other}"));
    assert_eq!(commands[7..], plays, "no pass, and no time");
}

/// All faults in the first request in the protocol of the FPGA contests, which has no lines.
fn kinds_of_contestants() -> Vec<Kind> {
    let time = Limits { time: Some(Duration::from_millis(100)), ..NONE };
    let silent = |fault| Kind { programs: HASTY, ..kind(fault, Some(ErrorCode::ProgramSilent), "in time") };
    let garbage = Some(ErrorCode::ProgramGarbage);
    vec![
        silent("hangs"),
        silent("stops itself"),
        silent("answers half"),
        silent("says an empty line"),
        Kind { limits: time, ..kind("answers late", Some(ErrorCode::ProgramLate), "100 were allowed") },
        kind("plays an illegal code", Some(ErrorCode::ProgramIllegal), ""),
        kind("plays a broken code", Some(ErrorCode::ProgramIllegal), ""),
        kind("moves for the wrong side", Some(ErrorCode::ProgramIllegal), ""),
        kind("plays no move", garbage, "instead of 4 characters"),
        kind("resigns", garbage, "sent `resign` instead of 4 characters"),
        kind("says no UTF-8", garbage, "not UTF-8"),
        kind("says a line without an end", garbage, "instead of 4 characters"),
        kind("floods stdout", garbage, "instead of 4 characters"),
        kind("floods stderr", None, ""),
        kind("closes stdin", Some(ErrorCode::ProgramExit), "closed its standard input"),
        kind("leaves a grandchild", None, ""),
        kind("leaves a grandchild and exits", Some(ErrorCode::ProgramExit), "ended (exit status: 0)"),
        kind("ignores quit", None, ""),
        kind("balloons", Some(ErrorCode::ProgramExit), "SIGABRT"),
    ]
}

#[test]
fn fpt() {
    faults("fpt", kinds_of_contestants());
}

#[test]
fn a_contestant_plays_one_game_from_its_start() {
    let mut fake = Fake::start("fpt", "tells what it hears", PATIENT);
    assert!(fake.ask_after(&[], NODES).is_ok());
    // Its code is legal only once.
    let second = fake.ask_after(&["65u0", "aau0"], NODES).expect_err("the same piece");
    assert_eq!((second.code, second.reason), (ErrorCode::ProgramIllegal, Some("piece_used")), "{second}");
    fake.new_game();
    let error = fake.ask_after(&["55a0"], NODES).expect_err("not its start cell");
    assert_eq!(error.code, ErrorCode::ProgramIllegal, "{error}");
    fake.new_game();
    let error = fake.ask_after(&["55a0", "aaa0"], NODES).expect_err("an opening");
    assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
    assert!(error.message.ends_with("plays whole games, without openings"), "{error}");
    fake.new_game();
    assert!(fake.ask_after(&[], NODES).is_ok());
    fake.new_game();
    assert!(fake.ask_after(&[], NODES).is_ok());
    fake.player = Err(Error::new(ErrorCode::Internal, "dropped"));
    until(|| fake.told().last().is_some_and(|told| told.last().is_some_and(|line| line == "9")));
    assert_eq!(
        fake.told(),
        [&["0", "25", "4aau0"][..], &["0", "3A55a0"], &["0", "9"], &["0", "25", "9"], &["0", "25", "9"]]
            .map(<[_]>::to_vec)
    );
}

/// A peer on TCP that answers each request with the next of these texts. After the last one it closes the connection at
/// the next request, or at its end.
fn peer(mut stream: std::net::TcpStream, answers: &[&str]) -> String {
    use std::io::{Read, Write};
    let (mut heard, mut bytes) = (String::new(), [0; 16]);
    for answer in answers {
        match stream.read(&mut bytes) {
            Ok(length @ 1..) => heard.push_str(&String::from_utf8_lossy(&bytes[..length])),
            _ => return heard,
        }
        if *answer == "sleep" {
            thread::sleep(Duration::from_millis(700));
        }
        let _ = stream.write_all(answer.as_bytes());
        heard.push(' ');
    }
    let _ = stream.read(&mut bytes).map(|length| heard.push_str(&String::from_utf8_lossy(&bytes[..length])));
    heard
}

#[test]
fn a_program_may_be_reached_by_tcp() {
    use std::net::{TcpListener, TcpStream};
    let blokus = game("blokus");
    let state = blokus.state(None, None).expect("the start");
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let ask = |text: &str| -> Result<Option<u32>, ErrorCode> {
        let programs = Programs { patience: Duration::from_secs(2), ..PATIENT };
        let mut player = player(blokus.as_ref(), None, text, 1, &programs).map_err(|error| error.code)?;
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let task =
            AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let report = player.think(task).map_err(|error| error.code)?;
        assert_eq!(player.time_outside(), None, "its time is not known");
        Ok(report.best())
    };
    let good = state.read("65u0").ok();
    for (answers, verdict, heard) in [
        (&["1FK", "65u0"][..], Ok(good), "0 25 9"),
        (&["1FK", "65u0\r\n"], Ok(good), "0 25 9"),
        (&["1FK", "sleep"], Err(ErrorCode::ProgramGarbage), "0 25 "),
        (&["1FK", "aaa0"], Err(ErrorCode::ProgramIllegal), "0 25 "),
        (&["1FK", "11a0"], Err(ErrorCode::ProgramIllegal), "0 25 "),
        (&["1FK", "= 65u0"], Err(ErrorCode::ProgramGarbage), "0 25 "),
        (&["1FK", "65"], Err(ErrorCode::ProgramSilent), "0 25 "),
        (&["1FK"], Err(ErrorCode::ProgramExit), "0 25"),
        (&["hello"], Err(ErrorCode::ProgramStart), "0 "),
        (&[""], Err(ErrorCode::ProgramStart), "0 "),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::scope(|scope| {
            let peer = scope.spawn(|| peer(listener.accept().expect("a connection").0, answers));
            assert_eq!(ask(&format!("fpt:tcp:{port}")), verdict, "{answers:?}");
            let said = peer.join().expect("no panic");
            assert!(said.starts_with(heard), "{answers:?}: {said}");
        });
    }
    // The other way round: the program connects.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    thread::scope(|scope| {
        let peer = scope.spawn(|| {
            let end = Instant::now() + Duration::from_secs(20);
            let stream = loop {
                match TcpStream::connect(("127.0.0.1", port)) {
                    Ok(stream) => break stream,
                    Err(error) => assert!(Instant::now() < end, "{error}"),
                }
            };
            peer(stream, &["1FK", "65u0"])
        });
        assert_eq!(ask(&format!("fpt:tcp-listen:{port}")), Ok(good));
        assert_eq!(peer.join().expect("no panic").trim_end(), "0 25 9");
    });
    // Nobody is there.
    assert_eq!(ask(&format!("fpt:tcp:{port}")), Err(ErrorCode::ProgramStart));
    let error = player(blokus.as_ref(), None, "fpt: tcp:example.org", 1, &PATIENT).err().expect("no address");
    assert_eq!((error.code, error.at), (ErrorCode::BadCommand, Some(4)));
    assert!(error.message.contains("a port, or an IP address, a colon and a port are expected"), "{error}");
    assert_eq!(
        player(blokus.as_ref(), None, "fpt:tcp:9", 1, &Programs::REFUSED).err().map(|error| error.code),
        Some(ErrorCode::ProgramsNotAllowed)
    );
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

/// All faults in the first request to a riddles.io bot, whose time is its bank.
fn kinds_of_bots() -> Vec<Kind> {
    let clock = |ms| Limits { clock: Some(bank(ms)), ..NONE };
    let late = Some(ErrorCode::ProgramLate);
    let illegal = |fault| kind(fault, Some(ErrorCode::ProgramIllegal), "");
    vec![
        Kind { limits: clock(300), ..kind("hangs", late, "has used up its time: 300 ms were in the bank") },
        Kind { limits: clock(300), ..kind("stops itself", late, "has used up its time") },
        Kind { limits: clock(300), ..kind("answers late", late, "has used up its time") },
        illegal("plays an illegal move"),
        illegal("plays no move"),
        illegal("moves for the wrong side"),
        illegal("says an empty line"),
        illegal("says no UTF-8"),
        illegal("resigns"),
        illegal("floods stdout"),
        kind("says a line without an end", Some(ErrorCode::ProgramGarbage), "longer than 1 MiB"),
        kind("closes stdin", Some(ErrorCode::ProgramStart), "closed its standard input"),
        kind("exits at start", Some(ErrorCode::ProgramStart), "the licence has run out"),
        kind("leaves a grandchild and exits", Some(ErrorCode::ProgramStart), "ended (exit status: 0)"),
        // A loaded machine may need more than the site's 10 s to fill the memory.
        Kind { limits: clock(60_000), ..kind("balloons", Some(ErrorCode::ProgramStart), "SIGABRT") },
        kind("floods stderr", None, ""),
        kind("ignores quit", None, ""),
        kind("leaves a grandchild", None, ""),
        kind("answers before being asked", None, ""),
        kind("answers twice", None, ""),
        kind("changes its mind", None, ""),
        kind("nothing", None, ""),
    ]
}

#[test]
fn riddles() {
    thread::scope(|scope| {
        for kind in kinds_of_bots() {
            scope.spawn(move || {
                let what = format!("riddles {}", kind.fault);
                let mut fake = Fake::start("riddles", kind.fault, PATIENT);
                for game in 0..2 {
                    let answer = fake.ask(kind.limits);
                    match (&answer, kind.verdict) {
                        (Ok(report), None) => assert!(report.best().is_some(), "{what}: {report:?}"),
                        (Err(error), Some(code)) => {
                            assert_eq!(error.code, code, "{what}: {error}");
                            assert!(error.message.contains(kind.words), "{what}: {error}");
                            assert!(error.forfeit().is_some(), "{what}");
                        }
                        (answer, verdict) => panic!("{what}: {verdict:?} was expected: {answer:?}"),
                    }
                    // A fault that costs more than the turn ends the process for the rest of the game.
                    if kind.verdict.is_some_and(|code| code != ErrorCode::ProgramIllegal) {
                        fake.nothing_is_left(&what);
                        assert_eq!(fake.ask(kind.limits), answer, "{what}, in game {game} again");
                        fake.nothing_is_left(&what);
                    }
                    fake.new_game();
                }
                fake.player = Err(Error::new(ErrorCode::Internal, "dropped"));
                fake.nothing_is_left(&what);
            });
        }
    });
    assert!(most_memory() < 400, "{} MiB", most_memory());
}

/// A bank of this many milliseconds, without an increment.
fn bank(ms: u64) -> TimeControl {
    TimeControl { main: Duration::from_millis(ms), ..TimeControl::default() }
}

impl Fake {
    /// The input lines of the program, for each start, without the time left in the bank.
    fn told(&self) -> Vec<Vec<String>> {
        let mut logs: Vec<PathBuf> = fs::read_dir(&self.log).expect("logs").flatten().map(|log| log.path()).collect();
        let number = |log: &PathBuf| -> u64 {
            let name = log.file_stem().expect("a name").to_string_lossy().into_owned();
            name.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number")
        };
        logs.sort_by_key(number);
        let read = |log: PathBuf| fs::read_to_string(log).expect("a log").lines().skip(1).map(str::to_owned).collect();
        logs.into_iter().map(read).collect()
    }

    /// Requests a move after these moves.
    fn ask_after(&mut self, moves: &[&str], limits: Limits) -> Result<Report<u32>, Error> {
        self.ask_from(None, moves, limits)
    }

    /// Requests a move after these moves from a position.
    fn ask_from(&mut self, position: Option<&str>, moves: &[&str], limits: Limits) -> Result<Report<u32>, Error> {
        let mut state = self.game.state(None, position).expect("a position");
        state.play_texts(moves).expect("moves");
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let player = self.player.as_mut().map_err(|error| error.clone())?;
        player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: &clock,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        })
    }
}

/// Waits until the program has logged its input.
fn until(done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_bot_hears_what_the_site_says() {
    let mut fake = Fake::start("riddles", "tells what it hears", PATIENT);
    let full = |main| TimeControl {
        main: Duration::from_millis(main),
        increment: Duration::from_millis(100),
        cap: Some(Duration::from_secs(10)),
        byoyomi: Duration::ZERO,
    };
    let limits = Limits { clock: Some(full(9_000)), ..NONE };
    let mut state = fake.game.state(None, None).expect("the start");
    state.play_texts(&["kill 4,0"]).expect("a move");
    let birth = state.write(state.legal().pop().expect("a birth"), "");
    assert!(birth.starts_with("birth "), "{birth}");
    let before = ["kill 4,0", &birth];
    let lost = [&before[..], &["pass", "pass"]].concat();
    let after = [&lost[..], &["pass", "pass"]].concat();
    // The answer is legal only in the first of these turns.
    assert!(fake.ask_after(&[], limits).is_ok());
    let _ = fake.ask_after(&before, limits);
    // The other side lost its turn, so the pass is not its own move.
    fake.player.as_mut().expect("it runs").lost_turn(3);
    let _ = fake.ask_after(&lost, limits);
    let _ = fake.ask_after(&after, limits);
    // In the next game another process plays the other side, under the site's clock.
    fake.new_game();
    let _ = fake.ask_after(&["kill 4,0"], NONE);
    until(|| fake.told().last().is_some_and(|told| told.iter().any(|line| line.starts_with("action"))));
    let told = fake.told();
    let [first, second] = told.as_slice() else { panic!("a process for each game: {told:?}") };
    let field = |moves: &[&str]| {
        let mut state = fake.game.state(None, None).expect("the start");
        state.play_texts(moves).expect("moves");
        state.position("riddles").split(' ').next().expect("cells").to_owned()
    };
    let living = |field: &str| [field.matches('0').count(), field.matches('1').count()];
    let settings = |own: usize, bank: u64| {
        [
            "player_names player0,player1".to_owned(),
            format!("your_bot player{own}"),
            format!("timebank {bank}"),
            "time_per_move 100".to_owned(),
            format!("your_botid {own}"),
            "field_width 18".to_owned(),
            "field_height 16".to_owned(),
            "max_rounds 100".to_owned(),
        ]
        .map(|line| format!("settings {line}"))
    };
    let update = |own: usize, round: usize, moves: &[&str], reply: &str| {
        let field = field(moves);
        let living = living(&field);
        let mut lines = vec![format!("update game round {round}"), format!("update game field {field}")];
        for (player, living) in living.into_iter().enumerate() {
            lines.push(format!("update player{player} living_cells {living}"));
            if player != own {
                lines.push(format!("update player{player} move {reply}"));
            }
        }
        lines
    };
    let banks: Vec<u64> =
        first.iter().filter_map(|line| line.strip_prefix("action move ")).map(|ms| ms.parse().expect("ms")).collect();
    assert_eq!(banks.len(), 4);
    assert!(banks[0] == 9_000 && banks.iter().all(|bank| (1..=10_000).contains(bank)), "{banks:?}");
    let turns = [
        update(0, 1, &[], "null"),
        update(0, 2, &before, &birth.replace(' ', "_")),
        update(0, 3, &lost, "null"),
        update(0, 4, &after, "pass"),
    ];
    let turns =
        turns.into_iter().zip(&banks).flat_map(|(turn, bank)| [turn, vec![format!("action move {bank}")]].concat());
    assert_eq!(*first, settings(0, 10_000).into_iter().chain(turns).collect::<Vec<_>>());
    let turn = [update(1, 1, &["kill 4,0"], "kill_4,0"), vec!["action move 10000".to_owned()]].concat();
    assert_eq!(*second, settings(1, 10_000).into_iter().chain(turn).collect::<Vec<_>>());
}

#[test]
fn a_bot_hears_of_boards_of_any_size() {
    let mut fake = Fake::start_playing("riddles", "tells what it hears", "pass", PATIENT);
    assert!(fake.ask_from(Some("0.1./.0.1/.... 1 1"), &[], NONE).is_ok());
    until(|| fake.told().last().is_some_and(|told| told.iter().any(|line| line.starts_with("action"))));
    let told = fake.told().concat();
    for line in [
        "settings field_width 4",
        "settings field_height 3",
        "update game round 1",
        "update game field 0,.,1,.,.,0,.,1,.,.,.,.",
    ] {
        assert!(told.iter().any(|heard| heard == line), "{line}: {told:?}");
    }
}

#[test]
fn a_bot_that_never_answers_did_not_start_and_one_that_has_crashes() {
    let mut fake = Fake::start("riddles", "exits at start", PATIENT);
    for _ in 0..2 {
        let error = fake.ask(NODES).expect_err("it ends before its first answer");
        assert_eq!((error.code, error.forfeit()), (ErrorCode::ProgramStart, Some("no start")), "{error}");
        assert!(
            error.message.contains("did not start: it ended (exit status: 3); its last output on standard error: "),
            "{error}"
        );
        assert!(error.message.ends_with("the licence has run out"), "{error}");
        fake.new_game();
    }
    // After one answer the program counts as started, in whichever game and process it exits later.
    let mut fake = Fake::start("riddles", "exits in the game", PATIENT);
    for game in 0..2 {
        assert!(fake.ask(NODES).is_ok(), "game {game}");
        for _ in 0..2 {
            let error = fake.ask(NODES).expect_err("it dies");
            assert_eq!(
                (error.code, error.forfeit(), error.silences()),
                (ErrorCode::ProgramExit, Some("crash"), true),
                "{error}"
            );
            assert!(error.message.ends_with("out of ideas"), "{error}");
        }
        fake.nothing_is_left("it is not started again in its game");
        fake.new_game();
    }
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("up-{}", std::process::id()));
    let once = format!(
        "[ -e '{0}' ] && exit 3; touch '{0}'; while read -r line; do case $line in action*) echo pass;; esac; done",
        path.display()
    );
    let text = format!("riddles:sh -c \"{once}\"");
    let golad = game("golad");
    let mut bot = player(golad.as_ref(), None, &text, 1, &PATIENT).unwrap_or_else(|error| panic!("{error}"));
    let state = golad.state(None, None).expect("the start");
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let ask = |bot: &mut Box<dyn AnyPlayer>| {
        let task = AnyTask {
            state: state.as_ref(),
            limits: NODES,
            clock: &clock,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        };
        bot.think(task)
    };
    assert!(ask(&mut bot).is_ok());
    bot.new_game(state.as_ref(), 2).expect("its game");
    assert_eq!(ask(&mut bot).expect_err("its second process ends at once").code, ErrorCode::ProgramExit);
    let _ = fs::remove_file(path);
}

#[test]
fn a_bank_of_a_bot_begins_above_nothing() {
    use banmen_programs::{check_limits, effective_limits};
    let golad = game("golad");
    let limits = |main| Limits { clock: Some(TimeControl { increment: Duration::from_secs(1), ..bank(main) }), ..NONE };
    let error = check_limits(golad.as_ref(), "riddles:bot", &limits(0)).expect_err("an empty bank");
    assert_eq!(error.code, ErrorCode::OutOfRange);
    assert!(error.message.contains("must begin above 0"), "{error}");
    for (player, limits) in
        [("riddles:bot", limits(1)), ("rpc:bot", limits(0)), ("random", limits(0)), ("riddles:bot", NONE)]
    {
        assert!(check_limits(golad.as_ref(), player, &limits).is_ok(), "{player}");
        let heard = effective_limits(golad.as_ref(), player, &Limits { nodes: Some(1), ..limits });
        assert_eq!(heard.nodes.is_none(), player.starts_with("riddles"), "{player}");
    }
}

#[test]
fn a_bot_is_read_as_the_site_reads_it() {
    let answer = |best: &str| Fake::start_playing("riddles", "nothing", best, PATIENT).ask(NODES);
    for (best, stands_for) in [
        ("pass", "pass"),
        ("pass my_comment", "pass"),
        ("PASS", "pass"),
        ("no_moves", "pass"),
        ("no_moves  ", "pass"),
        ("kill 4,0", "kill 4,0"),
        ("Kill 4,0,a_b  ", "kill 4,0"),
        ("kill +4,00", "kill 4,0"),
        ("birth 0,0,_ 4,0 5,0", "birth 0,0 4,0 5,0"),
    ] {
        let best = answer(best).unwrap_or_else(|error| panic!("{best}: {error}")).best().expect("a move");
        assert_eq!(game("golad").state(None, None).expect("the start").write(best, ""), stands_for);
    }
    // The site's output format is not its input format, and spaces matter.
    for best in ["kill_4,0", "birth_0,0_4,0_5,0", "Kill_4,0", "kill  4,0", "kill 4, 0", " pass", "pass_", "null", ""] {
        let error = answer(best).expect_err(best);
        assert_eq!(error.code, ErrorCode::ProgramIllegal, "{best}: {error}");
    }
}

#[test]
fn a_refused_move_costs_a_bot_its_time_and_not_its_life() {
    let mut fake = Fake::start("riddles", "thinks, and plays an illegal move", PATIENT);
    let limits = Limits { clock: Some(bank(60_000)), ..NONE };
    for _ in 0..3 {
        let error = fake.ask(limits).expect_err("a dead cell");
        assert_eq!((error.code, error.reason), (ErrorCode::ProgramIllegal, Some("dead")), "{error}");
    }
    // Rejected turns use up a smaller bank.
    let mut fake = Fake::start("riddles", "thinks, and plays an illegal move", PATIENT);
    let codes: Vec<ErrorCode> =
        (0..40).map(|_| fake.ask(Limits { clock: Some(bank(600)), ..NONE }).expect_err("a dead cell").code).collect();
    assert_eq!(codes.first(), Some(&ErrorCode::ProgramIllegal));
    assert_eq!(codes.last(), Some(&ErrorCode::ProgramLate), "40 times 30 ms are more than 600: {codes:?}");
}

#[test]
fn a_bot_that_says_too_much_is_heard_no_more() {
    let mut fake = Fake::start("riddles", "says more and more", PATIENT);
    let codes: Vec<Option<ErrorCode>> = (0..5).map(|_| fake.ask(NODES).err().map(|error| error.code)).collect();
    // Each answer has 300,000 characters.
    assert_eq!(codes[3..], [Some(ErrorCode::ProgramSilent); 2], "{codes:?}");
    assert!(!codes[..3].contains(&Some(ErrorCode::ProgramSilent)), "{codes:?}");
    fake.nothing_is_left("it is ended");
}

#[test]
fn who_does_not_start_is_named_with_its_last_words() {
    for protocol in ["rpc", "gtp", "pentobi", "nboard", "usi", "uci"] {
        let fake = Fake::start(protocol, "exits at start", PATIENT);
        let error = fake.player.as_ref().err().expect("it does not start");
        assert_eq!((error.code, error.forfeit()), (ErrorCode::ProgramStart, Some("no start")));
        assert!(
            error.message.contains("did not start: it ended (exit status: 3); its last output on standard error: "),
            "{error}"
        );
        assert!(error.message.ends_with("the licence has run out"), "{error}");
        fake.nothing_is_left(protocol);
    }
    let error = player(game("othello").as_ref(), None, "gtp:/no/such/program", 1, &PATIENT).err().expect("no program");
    assert_eq!(error.code, ErrorCode::ProgramStart);
    let silent = Programs { patience: Duration::from_millis(300), ..PATIENT };
    let error = player(game("othello").as_ref(), None, "rpc:sleep 1000", 1, &silent).err().expect("says nothing");
    assert!(error.message.ends_with("did not start: it did not answer in time"), "{error}");
}

#[test]
fn who_dies_in_the_game_starts_anew_in_the_next() {
    for protocol in ["rpc", "gtp", "pentobi", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "exits in the game", PATIENT);
        for _ in 0..2 {
            assert!(fake.ask(NODES).is_ok(), "{protocol}");
            let error = fake.ask(NODES).expect_err("it dies");
            assert_eq!((error.code, error.forfeit()), (ErrorCode::ProgramExit, Some("crash")), "{protocol}");
            assert!(
                error.message.contains("ended (exit status: 7); its last output on standard error: "),
                "{protocol}: {error}"
            );
            assert!(error.message.ends_with("out of ideas"), "{protocol}: {error}");
            fake.nothing_is_left(protocol);
        }
    }
}

#[test]
fn a_second_answer_is_no_answer_to_the_next_question() {
    for protocol in ["rpc", "gtp", "pentobi", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "answers twice", PATIENT);
        assert!(fake.ask(NODES).is_ok(), "{protocol}: the first answer is good");
        let error = fake.ask(NODES).expect_err(protocol);
        assert_eq!((error.code, error.forfeit()), (ErrorCode::ProgramGarbage, Some("garbage")), "{protocol}: {error}");
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
    assert_eq!((error.code, error.forfeit()), (ErrorCode::Stopped, None));
    assert!(begun.elapsed() < Duration::from_secs(30));
    fake.nothing_is_left("stopped");
}

#[test]
fn what_a_program_starts_is_charged_to_it() {
    let (game, best, _) = spoken("rpc");
    let words = format!("'{}' rpc \\\"burns the processor\\\" {best}", env!("CARGO_BIN_EXE_fake-program"));
    // The shell waits for the program and then prints `done` on standard error.
    let text = format!("rpc:sh -c \"{words}; echo done >&2\"");
    let programs = Programs { charge: Charge::Cpu, ..PATIENT };
    let mut player = player(game.as_ref(), None, &text, 1, &programs).unwrap_or_else(|error| panic!("{error}"));
    let state = game.state(None, None).expect("the start");
    let limits = Limits { time: Some(Duration::from_millis(10)), ..NONE };
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let task =
        AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
    let error = player.think(task).expect_err("it takes longer");
    assert_eq!(error.code, ErrorCode::ProgramLate, "{error}");
    let used = player.time_outside().expect("a time");
    // On a busy machine 700 ms of wall-clock time are less CPU time.
    assert!(used > Duration::from_millis(111) && used < Duration::from_secs(5), "{used:?}");
}

#[test]
fn processor_time_is_what_is_charged_if_so_wished() {
    // It sleeps, so it is late by wall-clock time but not by CPU time.
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let mut fake = Fake::start("rpc", "answers late", Programs { charge: Charge::Cpu, ..PATIENT });
    let report = fake.ask(limits).expect("in time");
    assert!(report.time < Duration::from_millis(300), "{:?}", report.time);
    let player = fake.player.as_mut().expect("it runs");
    assert!(player.time_outside().is_some_and(|time| time > Duration::ZERO && time < Duration::from_secs(5)));
}
