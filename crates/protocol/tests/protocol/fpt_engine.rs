//! Sessions with a host of the FPGA contests.

use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Catalog, ErrorCode};
use banmen_protocol::fpt::{PASS, rotated};
use banmen_protocol::{Conversation, FptEngine};

use crate::output::Output;

fn game(name: &str) -> Arc<dyn AnyGame> {
    let catalog = Catalog::default().with(banmen_blokus::entry()).with(banmen_othello::entry());
    Arc::clone(catalog.game(name).expect("the game"))
}

struct Session {
    engine: FptEngine,
    answers: Output,
    log: Output,
}

impl Session {
    fn new(rules: &str) -> Session {
        let (answers, log) = (Output::default(), Output::default());
        let engine = FptEngine::new(game("blokus"), Some(rules), "random", answers.sink(), log.sink());
        Session { engine: engine.unwrap_or_else(|error| panic!("{error}")), answers, log }
    }

    /// Sends a request without an error, and returns the answer.
    #[track_caller]
    fn ask(&mut self, request: &str) -> String {
        assert!(self.engine.read(request), "{request}");
        assert_eq!(self.log.take(), [""; 0], "{request}");
        let answers = self.answers.take();
        assert_eq!(answers.len(), 1, "{request}: {answers:?}");
        answers.concat()
    }

    /// Sends a request that cannot be followed: the engine passes and says why.
    #[track_caller]
    fn refuse(&mut self, request: &str, why: &str) {
        assert!(self.engine.read(request), "{request}");
        assert_eq!(self.answers.take(), [PASS], "{request}");
        let log = self.log.take().join(" ");
        assert!(log.contains(why), "{request}: {log}");
    }
}

/// Plays a code of the host, whose board is rotated by 180° against that of the state if `turned`.
fn play(state: &mut dyn AnyState, code: &str, turned: bool) {
    let text = if turned { rotated(code) } else { code.to_owned() };
    let m = state.read(&text).unwrap_or_else(|error| panic!("{code}: {error}"));
    state.play(m).expect("it is legal");
}

/// Plays a whole game: the host's side moves at random, and each answer has to be legal.
fn whole_game(first: &str, turned: bool, upper: bool) {
    let blokus = game("blokus");
    let mut state = blokus.state(Some("contest"), None).expect("the start");
    let mut host = blokus.player(None, "random", 7).expect("a player");
    let mut session = Session::new("contest");
    assert_eq!(session.ask("0"), "1BM");
    let mut request = first.to_owned();
    if first.len() > 2 {
        play(state.as_mut(), &first[2..], turned);
    }
    let mut plies = 0;
    while state.outcome().is_none() {
        let request_text = if upper { request.to_uppercase() } else { request.clone() };
        play(state.as_mut(), &session.ask(&request_text), turned);
        if state.outcome().is_some() {
            break;
        }
        let task = banmen_catalog::AnyTask {
            state: state.as_ref(),
            limits: banmen_search::Limits::default(),
            clock: &banmen_catalog::WallClock::default(),
            stop: &banmen_search::StopFlag::default(),
            threads: 1,
            lines: 1,
            progress: None,
        };
        let best = host.think(task).expect("a move").best().expect("a move");
        let code = state.write(best, "fpt");
        state.play(best).expect("it is legal");
        request = format!("4{}", if turned { rotated(&code) } else { code });
        plies += 1;
    }
    assert!(plies > 8);
    // A host may ask once more before it says that the game is over.
    assert_eq!(session.ask(&format!("4{PASS}")), PASS);
    assert!(!session.engine.read("9"));
    assert_eq!(session.answers.take(), [""; 0]);
}

#[test]
fn plays_whole_games_on_either_side() {
    whole_game("25", false, false);
    whole_game("3a65u0", false, true);
    // The side that covers (a, a) begins.
    whole_game("2A", true, false);
    whole_game("35aau0", true, false);
}

#[test]
fn reads_requests_split_anywhere() {
    let mut session = Session::new("standard");
    for piece in ["", "\r\n", "3", "a6", "5\n", "u"] {
        assert!(session.engine.read(piece));
        assert_eq!(session.answers.take(), [""; 0], "{piece:?}");
    }
    let code = session.ask("0");
    assert!(game("blokus").state(None, None).expect("the start").read(&rotated(&code)).is_ok(), "{code}");
    assert!(session.engine.read("0 0"));
    assert_eq!(session.answers.take(), ["1BM", "1BM"]);
}

#[test]
fn both_sides_may_be_asked_to_begin() {
    // As in 2013: the first piece of either side is asked for before the other one is known.
    for (begin, next) in [("25", "35aaa0"), ("2a", "3A55a0")] {
        let mut session = Session::new("contest");
        let first = session.ask(begin);
        let second = session.ask(next);
        let mut state = game("blokus").state(None, None).expect("the start");
        let turned = begin == "2a";
        play(state.as_mut(), &first, turned);
        play(state.as_mut(), &next[2..], turned);
        play(state.as_mut(), &second, turned);
        // Another game on the other side.
        assert_eq!(session.ask("0"), "1BM");
        assert_ne!(session.ask("2A"), PASS);
    }
}

#[test]
fn the_other_side_may_pass_while_it_can_place_a_piece() {
    let mut session = Session::new("contest");
    let mut state = game("blokus").state(None, None).expect("the start");
    play(state.as_mut(), &session.ask("25"), false);
    let code = session.ask(&format!("4{PASS}"));
    let again = game("blokus").other_side(state.as_ref()).expect("a position");
    assert!(code != PASS && again.read(&code).is_ok(), "{code}");
}

#[test]
fn answers_and_logs_requests_that_it_cannot_execute() {
    let mut session = Session::new("contest");
    session.refuse("465u0", "the game is not known");
    session.refuse("3A65v0", "`65v0` is not a code");
    session.refuse("465u0", "the game is not known");
    session.refuse("3A11a0", "`11a0`: the first piece must cover e10");
    // The piece is not all on the board.
    session.refuse("3A15e2", "does not fit on the board");
    assert!(session.ask("3A65u0") != PASS);
    session.refuse("465u0", "piece X has been placed before");
    assert!(session.engine.read("x盤27"));
    assert_eq!(
        session.log.take(),
        ["`x` is not a request", "`盤` is not a request", "`2` is not a request", "`7` is not a request"]
    );
    assert_eq!(session.ask("0"), "1BM");
}

#[test]
fn other_games_and_rules_are_refused() {
    let error = |name, rules| {
        let error = FptEngine::new(game(name), rules, "random", Arc::new(drop), Arc::new(drop)).err();
        error.map(|error| (error.code, error.message))
    };
    let (code, message) = error("othello", None).expect("no such dialect");
    assert_eq!(
        (code, message.as_str()),
        (ErrorCode::Unsupported, "othello is not played over the protocol of the FPGA contests")
    );
    let (code, message) = error("blokus", Some("free-start")).expect("no start cell for each side");
    assert!(
        code == ErrorCode::Unsupported && message.ends_with("only where each side has its start cell"),
        "{message}"
    );
    assert_eq!(error("blokus", Some("rules")).map(|(code, _)| code), Some(ErrorCode::UnknownRules));
    assert_eq!(error("blokus", None), None);
}

#[test]
fn a_request_that_the_input_ends_in_is_reported() {
    let mut session = Session::new("contest");
    assert!(session.engine.read("0 4a"));
    let Session { engine, log, .. } = session;
    Box::new(engine).end(Duration::MAX);
    assert_eq!(log.take(), ["the input ended within the request `4a`"]);
}
