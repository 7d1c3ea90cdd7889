//! The protocol of TUBSTAP's network games.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use banmen_catalog::ErrorCode::{
    ProgramExit, ProgramGarbage, ProgramIllegal, ProgramLate, ProgramSilent, ProgramStart, Resigned, Unsupported,
};
use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, WallClock};
use banmen_programs::{Programs, player};
use banmen_protocol::{Conversation, TubstapEngine};
use banmen_search::{Limits, Report, StopFlag};

use crate::fake::{Fake, HASTY, NODES, NONE, PATIENT, game, until};
use crate::faults::{Kind, faults, kind};

/// A legal action of red, and one of blue.
const RED: &str = "0,1,1,1,1,-1,0,0,1,0,0";
const BLUE: &str = "6,6,4,6,4,-1,0,0,1,0,0";

/// The end of the turn.
const END: &str = "-1,0,0,0,0,-1,0,0,3,0,0";

/// All faults in the first request, in a protocol without ids.
fn kinds() -> Vec<Kind> {
    let time = Limits { time: Some(Duration::from_millis(100)), ..NONE };
    let silent = |fault| Kind { programs: HASTY, ..kind(fault, Some(ProgramSilent), "in time") };
    let (garbage, illegal) = (Some(ProgramGarbage), Some(ProgramIllegal));
    vec![
        silent("hangs"),
        silent("stops itself"),
        silent("answers half"),
        Kind { limits: time, ..kind("answers late", Some(ProgramLate), "100 were allowed") },
        kind("plays an illegal move", illegal, "played `a1`: that is not an action"),
        kind("moves for the wrong side", illegal, "unit 6 belongs to the other side"),
        kind("plays no move", illegal, "that is not an action"),
        kind("resigns", illegal, "played `resign`"),
        kind("says an empty line", garbage, "sent a line that is not an answer: ``"),
        kind("says no UTF-8", garbage, "not UTF-8"),
        kind("says a line without an end", garbage, "longer than 1 MiB"),
        kind("floods stdout", garbage, "sent a line that is not an answer: `info nodes 1`"),
        kind("floods stderr", None, ""),
        kind("closes stdin", Some(ProgramExit), "closed its standard input"),
        kind("leaves a grandchild", None, ""),
        kind("leaves a grandchild and exits", Some(ProgramExit), "ended (exit status: 0)"),
        kind("ignores quit", None, ""),
        kind("balloons", Some(ProgramExit), "SIGABRT"),
    ]
}

#[test]
fn faults_of_players() {
    faults("tubstap", kinds());
}

#[test]
fn a_player_is_sent_its_map_its_side_and_the_actions_of_the_other() {
    let mut fake = Fake::start("tubstap", "logs its input", PATIENT);
    let map = fake.game.state(None, None).expect("the start").origin("tubstap");
    assert!(fake.ask_after(&[], NODES).is_ok());
    // The same unit again.
    let acted = fake.ask_after(&[RED], NODES).expect_err("it has acted");
    assert_eq!((acted.code, acted.reason), (ProgramIllegal, Some("acted")), "{acted}");
    fake.new_game();
    // Blue gets red's turn at its first action.
    let moves = ["1@1,2", "end"];
    let wrong = fake.ask_after(&moves, NODES).expect_err("a unit of red");
    assert_eq!((wrong.code, wrong.reason), (ProgramIllegal, Some("wrong_side")), "{wrong}");
    fake.new_game();
    // On a map with a unit each, red is sent blue's action before its own second one.
    assert!(fake.ask_from(Some(DUEL), &[], NODES).is_ok());
    assert!(fake.ask_from(Some(DUEL), &[RED, "1@5,3"], NODES).is_ok());
    until(|| fake.inputs().last().is_some_and(|input| input.iter().filter(|line| *line == "Genmove").count() == 2));
    let begin = |map: &str, color: &str, more: &[&str]| -> Vec<String> {
        let (map, color) = (format!("MAP {map}"), format!("Color {color}"));
        ["name", "opponent Banmen", &map, &color].iter().chain(more).map(|&line| line.to_owned()).collect()
    };
    let duel = fake.game.state(None, Some(DUEL)).expect("a position").origin("tubstap");
    let ended = format!("play {END}");
    assert_eq!(
        fake.inputs(),
        [
            begin(&map, "0", &["Genmove", "Genmove"]),
            begin(&map, "1", &["play 1,1,2,1,2,-1,0,0,1,0,0", &ended, "Genmove"]),
            begin(&duel, "0", &["Genmove", "play 1,5,3,6,3,-1,0,0,1,0,0", "Genmove"]),
        ]
    );
}

/// A map with a unit for each side.
const DUEL: &str = "SIZE 8 5 LIMIT 9 THRESHOLD 2 TERRAIN 00000000/01111110/01111110/01111110/00000000 UNITS \
                    0:I:0:1,1:10:0 1:I:1:6,3:10:0";

#[test]
fn a_player_plays_whole_games_from_a_map() {
    let mut fake = Fake::start("tubstap", "nothing", PATIENT);
    let later = DUEL.replace("UNITS", "TURN 2 UNITS");
    let lost = format!("{DUEL} 2:dead");
    // Actions of red that it has not chosen; positions after the begin of a map.
    for (position, moves) in [(None, &["0@1,1"][..]), (Some(later.as_str()), &[]), (Some(lost.as_str()), &[])] {
        let error = fake.ask_from(position, moves, NODES).expect_err("an opening");
        assert_eq!(error.code, Unsupported, "{error}");
        assert!(error.message.contains("their openings must have no random plies"), "{error}");
    }
    assert!(fake.ask_from(Some(DUEL), &[], NODES).is_ok());
    // Neither its moves, nor its map, nor its side change in a game.
    for (position, moves) in [(DUEL, &["0@2,1", "1@5,3"][..]), ("map01", &[RED]), (DUEL, &[RED])] {
        let error = fake.ask_from(Some(position), moves, NODES).expect_err("another game");
        assert_eq!(error.code, Unsupported, "{moves:?}: {error}");
    }
    assert!(fake.ask_from(Some(DUEL), &[RED, "1@5,3"], NODES).is_ok());
}

#[test]
fn actions_are_those_of_the_rules() {
    let answer = |action: &str| Fake::start_playing("tubstap", "nothing", action, PATIENT).ask(NODES);
    for (action, stands_for) in [
        (RED, "0@1,1"),
        ("2,1,4,0,0,7,7,7,1,9,9", "2@1,4"),
        (" 2, 1,4,0,0,-1,0,0,1,0,0 ", "2@1,4"),
        ("-1,-1,-1,0,0,-1,0,0,3,0,0", "end"),
    ] {
        let best = answer(action).unwrap_or_else(|error| panic!("{action}: {error}")).best().expect("a move");
        assert_eq!(game("tubstap").state(None, None).expect("the start").write(best, ""), stands_for);
    }
    for (action, why) in [
        ("0,6,1,1,1,-1,0,0,1,0,0", "unit 0 cannot reach 6,1"),
        ("0,1,2,1,1,-1,0,0,1,0,0", "unit 1 is on 1,2"),
        ("0,1,1,1,1,6,6,4,2,0,0", "out of the range of unit 0"),
        ("5,3,1,2,1,6,6,4,2,0,0", "unit 5 attacks only from where it stands"),
        ("12,1,1,1,1,-1,0,0,1,0,0", "there is no unit 12"),
        ("0,1,1,1,1,-1,0,0,7,0,0", "7 is not the type of a move"),
        ("0@1,1", "that is not an action"),
        ("end", "that is not an action"),
    ] {
        let error = answer(action).expect_err(action);
        assert_eq!(error.code, ProgramIllegal, "{action}: {error}");
        assert!(error.message.contains(why), "{action}: {error}");
    }
    let error = answer("-1,-1,-1,0,0,-1,0,0,0,0,0").expect_err("a surrender");
    assert_eq!((error.code, error.forfeit()), (Resigned, Some("resignation")), "{error}");
}

/// A client on TCP that answers each line with the next of these texts: after a pause if it begins with `late `, and
/// closing the connection after it if it begins with `close `; `long` is a line of 2 MiB. After the last text it closes the
/// connection at the next line, or at its end. Returns the lines, with their ends.
fn client(stream: TcpStream, answers: &[&str]) -> Vec<String> {
    let (mut received, mut writer) = (Vec::new(), stream.try_clone().expect("a second handle"));
    let mut lines = BufReader::new(stream);
    let mut next = || {
        let mut line = String::new();
        lines.read_line(&mut line).ok().filter(|&length| length > 0).map(|_| line)
    };
    for answer in answers {
        let Some(line) = next() else { return received };
        received.push(line);
        if *answer == "long" {
            drop(std::io::copy(&mut std::io::repeat(b'=').take(2 << 20), &mut writer));
            continue;
        }
        let late = answer.strip_prefix("late ");
        if late.is_some() {
            thread::sleep(Duration::from_millis(900));
        }
        let closed = answer.strip_prefix("close ");
        let _ = writer.write_all(late.or(closed).unwrap_or(answer).as_bytes());
        if closed.is_some() {
            return received;
        }
    }
    received.extend(next());
    received
}

/// Asks for a move from the start.
fn ask(player: &mut dyn AnyPlayer, state: &dyn AnyState, limits: Limits) -> Result<Report<u32>, Error> {
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    player.think(AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None })
}

#[test]
fn faults_of_clients_over_tcp() {
    let tubstap = game("tubstap");
    let state = tubstap.state(None, None).expect("the start");
    let limits = Limits { time: Some(Duration::from_millis(500)), ..NONE };
    let connected = |text: &str| -> Result<u32, Error> {
        let programs = Programs { patience: Duration::from_secs(2), ..PATIENT };
        let mut player = player(tubstap.as_ref(), None, text, 1, &programs)?;
        ask(player.as_mut(), state.as_ref(), limits).map(|report| report.best().expect("a move"))
    };
    let good = state.read(RED).ok();
    let (empty, red) = ("= \r\n\r\n", format!("= {RED}\r\n\r\n"));
    let blue = format!("= {BLUE}\r\n\r\n");
    let late = format!("late {red}");
    let twice = format!("{red}{red}");
    let ahead = format!("{empty}{red}");
    let ready = ["= me\r\n\r\n", empty, empty, empty];
    let last = |answer| [&ready[..], &[answer]].concat();
    for (answers, verdict, why, lines) in [
        (last(&red), None, "", 5),
        // Line feeds alone, and no space after the sign.
        (last("=0,1,1,1,1,-1,0,0,1,0,0\n\n"), None, "", 5),
        // Output after the last answer is not read.
        (last(&twice), None, "", 5),
        (last(&late), Some(ProgramLate), "500 were allowed", 5),
        (last("= 0,1,1,1"), Some(ProgramSilent), "did not answer in time", 5),
        (last("close = 0,1,1,1"), Some(ProgramExit), "closed", 5),
        (last("close "), Some(ProgramExit), "closed", 5),
        (ready.to_vec(), Some(ProgramExit), "closed", 5),
        (last("= 0,1,1,1\r\n\r\n"), Some(ProgramIllegal), "that is not an action", 5),
        (last(&blue), Some(ProgramIllegal), "unit 6 belongs to the other side", 5),
        (last("= 0,6,1,1,1,-1,0,0,1,0,0\r\n\r\n"), Some(ProgramIllegal), "unit 0 cannot reach 6,1", 5),
        (last("hello\r\n\r\n"), Some(ProgramGarbage), "not an answer: `hello`", 5),
        (last("? unknown command\r\n\r\n"), Some(ProgramGarbage), "not an answer: `? unknown command`", 5),
        (last("= 0,1,1,1,1\r\n,-1,0,0,1,0,0\r\n\r\n"), Some(ProgramGarbage), "where an empty line ends the answer", 5),
        (last("long"), Some(ProgramGarbage), "longer than 1 MiB", 5),
        // In the wrong order: a client that answers before it is asked.
        (vec!["= me\r\n\r\n", &ahead, empty], Some(ProgramGarbage), "", 2),
        (vec!["= me\r\n\r\n", empty, &red], Some(ProgramGarbage), "with an action: `0,1,1,1,1", 3),
        (
            vec!["= me\r\n\r\n", empty, "= error: the map is too large\r\n\r\n"],
            Some(ProgramGarbage),
            "refused `MAP SIZEX[8];SIZEY[8];TURNLIMIT[29];HPTH…`: the map is too large",
            3,
        ),
        (vec!["= me\r\n\r\n", empty, empty, "= error: a color\r\n\r\n"], Some(ProgramGarbage), "refused `Color 0`", 4),
        (vec!["me\r\n\r\n"], Some(ProgramStart), "not an answer: `me`", 1),
        (vec!["= me\r\n"], Some(ProgramStart), "did not answer in time", 1),
        (vec!["close = me\r\n"], Some(ProgramStart), "closed", 1),
        (vec!["close "], Some(ProgramStart), "closed", 1),
        (vec![], Some(ProgramStart), "closed", 1),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::scope(|scope| {
            let client = scope.spawn(|| client(listener.accept().expect("a connection").0, &answers));
            let answer = connected(&format!("tubstap:tcp:{port}"));
            match verdict {
                None => assert_eq!(answer.as_ref().ok(), good.as_ref(), "{answers:?}: {answer:?}"),
                Some(code) => {
                    let error = answer.expect_err("a fault");
                    assert!(error.code == code && error.message.contains(why), "{answers:?}: {error:?}");
                }
            }
            let received = client.join().expect("no panic");
            assert!(received.len() >= lines, "{answers:?}: {received:?}");
            assert!(received.iter().all(|line| line.ends_with("\r\n") && line.trim_end().len() + 2 == line.len()));
        });
    }
}

/// Serves one connection as `banmen engine` does.
fn serve(stream: TcpStream, player: &str) -> Vec<String> {
    let writer = stream.try_clone().expect("a second handle");
    let out = Arc::new(move |text: String| drop((&writer).write_all(format!("{text}\n").as_bytes())));
    let (log, logged) = std::sync::mpsc::channel();
    let tubstap: Arc<dyn AnyGame> = Arc::from(game("tubstap"));
    let engine = TubstapEngine::new(tubstap, None, player, out, Arc::new(move |line| drop(log.send(line))));
    let mut engine = engine.unwrap_or_else(|error| panic!("{error}"));
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    while lines.read_line(&mut line).is_ok_and(|length| length > 0) && engine.read(&line) {
        line.clear();
    }
    Box::new(engine).end(Duration::MAX);
    logged.try_iter().collect()
}

/// The moves of a game of two players on a map.
fn play(map: &str, players: [&mut dyn AnyPlayer; 2]) -> Vec<String> {
    let tubstap = game("tubstap");
    let mut state = tubstap.state(None, Some(map)).expect("a map");
    let [red, blue] = players;
    for player in [&mut *red, &mut *blue] {
        player.new_game(state.as_ref(), 1).expect("a game");
    }
    while state.outcome().is_none() {
        let player = if state.side_to_move().index() == 0 { &mut *red } else { &mut *blue };
        let report =
            ask(player, state.as_ref(), Limits::time(Duration::from_secs(9))).unwrap_or_else(|e| panic!("{e}"));
        state.play(report.best().expect("a move")).expect("it is legal");
    }
    state.move_texts("")
}

#[test]
fn a_game_over_tcp_is_the_game_without_it() {
    let tubstap = game("tubstap");
    let local = |text: &str, seed| tubstap.player(None, text, seed).expect("a player");
    for (map, text, color) in [
        ("map01", "smaef", 0),
        ("map02", "smaef", 1),
        ("map01", "m-uct:playouts=30", 1),
        ("random:7", "m-uct:playouts=20", 0),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (near, far) = thread::scope(|scope| {
            let engine = scope.spawn(|| serve(listener.accept().expect("a connection").0, text));
            let mut remote = player(tubstap.as_ref(), None, &format!("tubstap:tcp:{port}"), 1, &PATIENT)
                .unwrap_or_else(|error| panic!("{error}"));
            let game_with = |player: &mut dyn AnyPlayer| {
                let mut other = local("smaef", 7);
                play(map, if color == 0 { [player, other.as_mut()] } else { [other.as_mut(), player] })
            };
            let far = game_with(remote.as_mut());
            drop(remote);
            assert_eq!(engine.join().expect("no panic"), [""; 0], "{map} {text}");
            (game_with(local(text, 1).as_mut()), far)
        });
        assert!(near.len() > 20, "{map} {text}: {near:?}");
        assert_eq!(far, near, "{map} {text}");
    }
}
