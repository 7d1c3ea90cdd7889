//! Each kind of fault in the line-based protocols, and behaviour that these protocols share.

use std::thread;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyTask, Error, ErrorCode, WallClock};
use banmen_programs::{Charge, Programs, player};
use banmen_search::{Limits, StopFlag};

use crate::fake::{Fake, HASTY, NODES, NONE, PATIENT, game, most_memory, spoken, supervisor};

/// A kind of fault and its verdict; `None` if the move is accepted.
pub(crate) struct Kind {
    pub(crate) fault: &'static str,
    pub(crate) programs: Programs,
    pub(crate) limits: Limits,
    pub(crate) verdict: Option<ErrorCode>,
    pub(crate) words: &'static str,
}

pub(crate) fn kind(fault: &'static str, verdict: Option<ErrorCode>, words: &'static str) -> Kind {
    Kind { fault, programs: PATIENT, limits: NODES, verdict, words }
}

/// All faults in the first request for a move.
pub(crate) fn kinds(protocol: &str) -> Vec<Kind> {
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
        kind("leaves a daemon", None, ""),
        kind("leaves a daemon that moves", None, ""),
        kind("leaves a grandchild and exits", Some(ErrorCode::ProgramExit), "ended (exit status: 0)"),
        kind("answers before being asked", Some(ErrorCode::ProgramGarbage), "not requested"),
        kind("sends impossible scores", None, ""),
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

pub(crate) fn matrix(protocol: &'static str) {
    faults(protocol, kinds(protocol));
}

/// Runs all kinds of faults at the same time, since most of them only wait.
pub(crate) fn faults(protocol: &'static str, kinds: Vec<Kind>) {
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
                        assert!(error.forfeit().is_some() && error.time.is_some(), "{what}");
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
fn names_a_program_that_does_not_start_with_its_last_output() {
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
fn restarts_a_program_that_crashed_for_the_next_game() {
    for protocol in ["rpc", "gtp", "pentobi", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "exits in the game", PATIENT);
        for _ in 0..2 {
            assert!(fake.ask(NODES).is_ok(), "{protocol}");
            let error = fake.ask(NODES).expect_err("it crashes");
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
fn a_second_answer_is_not_the_answer_to_the_next_question() {
    for protocol in ["rpc", "gtp", "pentobi", "nboard", "usi", "uci"] {
        let mut fake = Fake::start(protocol, "answers twice", PATIENT);
        assert!(fake.ask(NODES).is_ok(), "{protocol}: the first answer is good");
        let error = fake.ask(NODES).expect_err(protocol);
        assert_eq!((error.code, error.forfeit()), (ErrorCode::ProgramGarbage, Some("garbage")), "{protocol}: {error}");
    }
}

#[test]
fn the_answer_to_a_ping_that_a_move_overtook_is_no_fault() {
    let mut fake = Fake::start("nboard", "answers late", PATIENT);
    let stop = StopFlag::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.stop();
        });
        // On a busy machine the program may be too late, and is started again.
        let _: Result<_, _> = fake.ask_until(NODES, &stop);
    });
    fake.ask(NODES).expect("a move");
}

#[test]
fn an_empty_list_of_games_is_any_game() {
    assert!(Fake::start("rpc", "lists no games", PATIENT).ask(NODES).is_ok());
    assert!(Fake::start("gtp", "knows no boardsize", PATIENT).ask(NODES).is_ok());
    let error = Fake::start("rpc", "lists another game", PATIENT).ask(NODES).expect_err("it plays chess");
    assert_eq!(error.code, ErrorCode::ProgramStart);
    assert!(error.message.contains("but `chess`"), "{error}");
}

#[test]
fn reports_what_a_program_reports() {
    for protocol in ["rpc", "usi", "uci"] {
        let report = Fake::start(protocol, "nothing", PATIENT).ask(NODES).expect("an answer");
        assert_eq!((report.nodes, report.depth), (5, 3), "{protocol}");
        assert!(report.value() > 0.6 && report.value() < 0.8, "{protocol}: {}", report.value());
    }
}

#[test]
fn a_program_that_is_asked_to_stop_has_one_second() {
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
fn child_processes_are_charged_to_their_program() {
    for supervisor in [None, supervisor()] {
        let (game, best, _) = spoken("rpc");
        let words = format!("'{}' rpc \\\"burns the processor\\\" {best}", env!("CARGO_BIN_EXE_fake-program"));
        // The shell waits for the program and then prints `done` on standard error.
        let text = format!("rpc:sh -c \"{words}; echo done >&2\"");
        let programs = Programs { charge: Charge::Cpu, supervisor, ..PATIENT };
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
}

#[test]
fn a_supervisor_is_not_charged() {
    let cpu = |supervisor| {
        let programs = Programs { charge: Charge::Cpu, ..PATIENT };
        let mut fake = Fake::start_under(supervisor, "rpc", "burns the processor", spoken("rpc").1, programs);
        let report = fake.ask(NODES).expect("an answer");
        let all = fake.player.as_mut().expect("it runs").time_outside().expect("a time");
        (report.time, all)
    };
    let ((alone, all_alone), (supervised, all)) = (cpu(None), cpu(supervisor()));
    // It burns 0.4 s in all; the rest of its own is its start.
    for time in [alone, supervised, all_alone, all] {
        assert!(time > Duration::from_millis(300) && time < Duration::from_millis(440), "{time:?}");
    }
}

#[test]
fn without_a_supervisor_children_end_with_their_program() {
    let mut fake = Fake::start_under(None, "rpc", "leaves a grandchild", spoken("rpc").1, PATIENT);
    assert!(fake.ask(NODES).is_ok());
    fake.player = Err(Error::new(ErrorCode::Internal, "dropped"));
    fake.nothing_is_left("without a supervisor");
}

#[test]
fn a_signal_that_ends_a_program_is_reported_under_a_supervisor() {
    let (game, ..) = spoken("rpc");
    for signal in ["SEGV", "PIPE", "TERM", "KILL"] {
        let text = format!("rpc:sh -c 'kill -{signal} $$'");
        let programs = Programs { supervisor: supervisor(), ..PATIENT };
        let error = player(game.as_ref(), None, &text, 1, &programs).err().expect("it ends");
        assert!(error.message.contains(&format!("(SIG{signal})")) || signal == "PIPE", "{error}");
        assert!(error.message.contains("ended ("), "{error}");
    }
}

#[test]
fn names_a_program_that_does_not_exist_under_a_supervisor() {
    let (game, ..) = spoken("rpc");
    for (command, reason) in [
        ("/no/such/program", "No such file"),
        ("no-such-program", "No such file"),
        ("/etc/passwd", "Permission denied"),
    ] {
        let messages = [None, supervisor()].map(|supervisor| {
            let programs = Programs { supervisor, ..PATIENT };
            let error = player(game.as_ref(), None, &format!("rpc:{command}"), 1, &programs).err().expect("no program");
            assert_eq!(error.code, ErrorCode::ProgramStart, "{error}");
            error.message
        });
        for message in messages {
            assert!(message.contains(&format!("{command}` did not start")) && message.contains(reason), "{message}");
        }
    }
}

#[test]
fn silence_costs_five_seconds_beyond_the_limit_on_every_clock() {
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let allowed = Duration::from_millis(300) + PATIENT.margin;
    thread::scope(|scope| {
        for charge in [Charge::Wall, Charge::Cpu] {
            for fault in ["hangs", "stops itself", "never answers, but computes"] {
                scope.spawn(move || {
                    let mut fake = Fake::start("rpc", fault, Programs { charge, ..PATIENT });
                    let begun = Instant::now();
                    let error = fake.ask(limits).expect_err("no answer");
                    let cost = begun.elapsed();
                    assert_eq!(error.code, ErrorCode::ProgramSilent, "{charge:?}, {fault}: {error}");
                    assert!(cost >= allowed + Duration::from_secs(5), "{charge:?}, {fault}: {cost:?}");
                    // A busy machine delays the CPU time of the one that computes, up to the patience of a minute.
                    let most = if fault == "hangs" || charge == Charge::Wall { 8 } else { 45 };
                    assert!(cost < Duration::from_secs(most), "{charge:?}, {fault}: {cost:?}");
                });
            }
        }
    });
}

#[test]
fn a_program_on_a_busy_machine_may_take_longer_by_wall_time() {
    // It computes 0.4 s, but only for a tenth of the time, and so takes longer than silence would cost.
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let programs = Programs { charge: Charge::Cpu, margin: Duration::from_millis(700), ..PATIENT };
    let mut fake = Fake::start("rpc", "computes slowly", programs);
    let begun = Instant::now();
    let report = fake.ask(limits).expect("in time");
    assert!(begun.elapsed() > Duration::from_millis(6_500), "{:?}", begun.elapsed());
    assert!(report.time < Duration::from_secs(1), "{:?}", report.time);
}

#[test]
fn charges_cpu_time_if_set() {
    // It sleeps, so it is late by wall-clock time but not by CPU time.
    let limits = Limits { time: Some(Duration::from_millis(300)), ..NONE };
    let mut fake = Fake::start("rpc", "answers late", Programs { charge: Charge::Cpu, ..PATIENT });
    let report = fake.ask(limits).expect("in time");
    assert!(report.time < Duration::from_millis(300), "{:?}", report.time);
    let player = fake.player.as_mut().expect("it runs");
    assert!(player.time_outside().is_some_and(|time| time > Duration::ZERO && time < Duration::from_secs(5)));
}
