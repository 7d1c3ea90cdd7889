//! Bots of riddles.io.

use std::path::PathBuf;
use std::time::Duration;
use std::{fs, thread};

use banmen_catalog::{AnyPlayer, AnyTask, Error, ErrorCode, WallClock};
use banmen_programs::player;
use banmen_search::{Limits, StopFlag, TimeControl};

use crate::fake::{Fake, NODES, NONE, PATIENT, bank, game, most_memory, until};
use crate::faults::{Kind, kind};

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

#[test]
fn the_last_line_before_a_poll_counts() {
    let mut fake = Fake::start("riddles", "changes its mind", PATIENT);
    let best = fake.game.state(None, None).expect("the start").read("kill 4,0").expect("a move");
    // A loaded machine may deliver some of the lines after the poll.
    let counted = (0..100).any(|_| {
        let answer = fake.ask(NONE);
        fake.new_game();
        match answer {
            Ok(report) => report.best() == Some(best),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ProgramIllegal, "{error}");
                false
            }
        }
    });
    assert!(counted, "the first or second line counted in every game");
}

#[test]
fn a_bot_is_sent_what_the_site_sends() {
    let mut fake = Fake::start("riddles", "logs its input", PATIENT);
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
    until(|| fake.inputs().last().is_some_and(|input| input.iter().any(|line| line.starts_with("action"))));
    let input = fake.inputs();
    let [first, second] = input.as_slice() else { panic!("a process for each game: {input:?}") };
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
fn a_bot_is_sent_boards_of_any_size() {
    let mut fake = Fake::start_playing("riddles", "logs its input", "pass", PATIENT);
    assert!(fake.ask_from(Some("0.1./.0.1/.... 1 1"), &[], NONE).is_ok());
    until(|| fake.inputs().last().is_some_and(|input| input.iter().any(|line| line.starts_with("action"))));
    let input = fake.inputs().concat();
    for line in [
        "settings field_width 4",
        "settings field_height 3",
        "update game round 1",
        "update game field 0,.,1,.,.,0,.,1,.,.,.,.",
    ] {
        assert!(input.iter().any(|read| read == line), "{line}: {input:?}");
    }
}

#[test]
fn an_exit_before_the_first_answer_is_a_failed_start_and_a_later_one_a_crash() {
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
            let error = fake.ask(NODES).expect_err("it crashes");
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
fn refuses_an_empty_time_bank() {
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
        let received = effective_limits(golad.as_ref(), player, &Limits { nodes: Some(1), ..limits });
        assert_eq!(received.nodes.is_none(), player.starts_with("riddles"), "{player}");
    }
    // What a protocol cannot send does not bound the program.
    let all = Limits { nodes: Some(1), playouts: Some(2), depth: Some(3), time: Some(Duration::from_secs(4)), ..NONE };
    for (player, sent) in [
        ("gtp:bot", [false, false, false]),
        ("nboard:bot", [false, false, true]),
        ("usi:bot", [true, true, true]),
        ("rpc:bot", [true, true, true]),
    ] {
        let received = effective_limits(golad.as_ref(), player, &all);
        assert_eq!([received.nodes.is_some(), received.playouts.is_some(), received.depth.is_some()], sent, "{player}");
        assert_eq!(received.time, all.time, "{player}");
    }
}

#[test]
fn reads_answers_as_the_site_does() {
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
fn a_refused_move_uses_up_time_but_does_not_end_the_bot() {
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
fn ends_a_bot_that_writes_too_much() {
    let mut fake = Fake::start("riddles", "says more and more", PATIENT);
    let codes: Vec<Option<ErrorCode>> = (0..5).map(|_| fake.ask(NODES).err().map(|error| error.code)).collect();
    // Each answer has 300,000 characters.
    assert_eq!(codes[3..], [Some(ErrorCode::ProgramSilent); 2], "{codes:?}");
    assert!(!codes[..3].contains(&Some(ErrorCode::ProgramSilent)), "{codes:?}");
    fake.nothing_is_left("it is ended");
}
