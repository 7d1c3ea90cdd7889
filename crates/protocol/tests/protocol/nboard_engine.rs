//! Sessions in NBoard's protocol, as interfaces conduct them.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::{AnyGame, Catalog, ErrorCode};
use banmen_protocol::{Conversation, NBoardEngine};
use proptest::prelude::*;

/// The timeout of a test for one line, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// After f5: white to move.
const GAME: &str = "(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]\
    BO[8 --------------------------- O* ------ *O --------------------------- *]B[F5];)";

fn game(name: &str) -> Arc<dyn AnyGame> {
    let catalog = Catalog::default().with(banmen_othello::entry()).with(banmen_dobutsu::entry());
    Arc::clone(catalog.game(name).expect("the game"))
}

struct Session {
    engine: NBoardEngine,
    lines: Receiver<String>,
}

impl Session {
    fn new(player: &str) -> Session {
        let (sender, lines) = channel();
        let sender = Mutex::new(sender);
        let out = Arc::new(move |line| drop(sender.lock().expect("no panic").send(line)));
        let engine = NBoardEngine::new(game("othello"), None, player, out);
        let mut session = Session { engine: engine.unwrap_or_else(|error| panic!("{error}")), lines };
        session.say("nboard 2");
        let name = session.receive();
        assert!(name.starts_with("set myname Banmen ") && name.ends_with(player), "{name}");
        session
    }

    fn say(&mut self, line: &str) {
        assert!(self.engine.read(line), "{line}");
    }

    fn receive(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line comes")
    }

    /// The lines up to one that begins with `end`.
    fn until(&self, end: &str) -> Vec<String> {
        let mut received = vec![self.receive()];
        while !received.last().expect("one").starts_with(end) {
            received.push(self.receive());
        }
        received
    }

    /// The engine's output until it is ready again.
    fn said(&mut self) -> Vec<String> {
        self.say("ping 77");
        let mut said = self.until("pong");
        assert_eq!(said.pop().as_deref(), Some("pong 77"));
        said
    }
}

#[test]
fn go_answers_with_a_move_and_does_not_play_it() {
    let mut session = Session::new("engine");
    session.say("set depth 4");
    session.say(&format!("set game {GAME}"));
    for _ in 0..2 {
        session.say("go");
        let received = session.until("===");
        assert_eq!(received[0], "status thinking");
        let search: Vec<&str> =
            received.iter().rev().find(|line| line.starts_with("search")).expect("a search line").split(' ').collect();
        assert_eq!((search[3], search[4]), ("0", "4"), "{search:?}");
        assert!(search[2].parse::<f64>().is_ok(), "{search:?}");
        let nodes = received.iter().find_map(|line| line.strip_prefix("nodestats ")).expect("it counts");
        assert!(nodes.split(' ').next().expect("a count").parse::<u64>().expect("a number") > 10);
        assert!(received.contains(&"status".to_owned()), "it is idle again");
        let answer = received.last().expect("an answer").trim_start_matches("=== ");
        let parts: Vec<&str> = answer.split('/').collect();
        assert!(["D6", "F4", "F6"].contains(&parts[0]), "white's three moves: {answer}");
        assert_eq!(parts[0], &search[1][..2], "the line begins with it");
        assert!(parts[1..].iter().all(|part| part.parse::<f64>().is_ok()) && parts.len() == 3, "{answer}");
    }
}

#[test]
fn moves_are_followed() {
    let mut session = Session::new("random");
    session.say(&format!("set game {GAME}"));
    session.say("move D6/1.50/0.2");
    session.say("move C3//7");
    session.say("move d3");
    assert!(session.said().is_empty(), "legal moves have no answer");
    session.say("move D3");
    assert!(session.said()[0].starts_with("status the move was refused: move 1: d3 is occupied"));
    session.say("move");
    session.say("move PA");
    assert_eq!(session.said().len(), 2);
    // A move in another position than the interface's would be wrong.
    for lost in ["move zz", "set game (;GM[Othello]B[A1];)", "move"] {
        session.say(&format!("set game {GAME}"));
        session.say(lost);
        assert_eq!(session.said().len(), 1, "{lost}");
        session.say("go");
        assert_eq!(session.said(), ["status there is no position to search: the last game or move was refused"]);
    }
    session.say(&format!("set game {GAME}"));
    session.say("go");
    session.until("===");
}

#[test]
fn hint_reports_the_best_moves() {
    let mut session = Session::new("engine");
    session.say("set depth 3");
    session.say(&format!("set game {GAME}"));
    session.say("hint 3");
    let received = session.until("nodestats");
    let last: Vec<&String> = received.iter().filter(|line| line.starts_with("search")).collect();
    let mut first: Vec<&str> = last[last.len() - 3..].iter().map(|line| &line["search ".len()..][..2]).collect();
    first.sort_unstable();
    assert_eq!(first, ["D6", "F4", "F6"], "{received:?}");
    assert_eq!(session.receive(), "status");
    assert!(session.said().is_empty(), "no move was asked for");
    for (wrong, why) in [("hint 0", true), ("hint", true), ("hint x", true), ("hint 9999", false)] {
        session.say(wrong);
        if !why {
            session.until("nodestats");
        }
        assert_eq!(session.said().iter().any(|line| line.starts_with("status a hint")), why, "{wrong}");
    }
}

#[test]
fn ping_stops_the_search() {
    let mut session = Session::new("engine");
    session.say("set depth 60");
    for order in ["go", "hint 5"] {
        session.say(order);
        let received = session.said();
        assert!(
            !received.iter().any(|line| line.starts_with("===")),
            "the move of a stopped search is not sent: {received:?}"
        );
    }
}

#[test]
fn ignores_unknown_commands_and_reports_wrong_values() {
    let mut session = Session::new("engine:level=2");
    for line in ["", "  ", "hello", "set", "set contempt 3", "set colour blue", "GO", "\u{1b}[2J", "nboard"] {
        session.say(line);
    }
    assert_eq!(session.said(), ["set myname Banmen ".to_owned() + env!("CARGO_PKG_VERSION") + " engine:level=2"]);
    session.say("set depth 9999999999");
    assert!(session.said().is_empty(), "deeper than any search");
    for (line, words) in [
        ("set depth 0", "a depth is a number"),
        ("set depth x", "a depth is a number"),
        ("set game (;GM[Othello]B[A1];)", "the game was refused: character"),
        ("set game (;GM[Go];)", "`Go` is not Othello"),
        ("set game", "the game was refused"),
    ] {
        session.say(line);
        let said = session.said();
        assert!(said.len() == 1 && said[0].contains(words), "{line}: {said:?}");
    }
    session.say("learn");
    assert_eq!(session.said(), ["learned"]);
    assert!(!session.engine.read("quit"));
}

#[test]
fn a_finished_game_has_no_move() {
    let mut session = Session::new("engine");
    let full = "*".repeat(64);
    session.say(&format!("set game (;GM[Othello]BO[8 {full} *];)"));
    session.say("go");
    assert_eq!(session.said(), ["status the game is over"]);
    let error = NBoardEngine::new(game("dobutsu"), None, "engine", Arc::new(drop)).err().expect("no GGF");
    assert_eq!(error.code, ErrorCode::Unsupported);
}

#[test]
fn plays_a_forced_pass() {
    let mut session = Session::new("greedy");
    // Black has to pass: neither g8 nor h8 flips a disc. White can play g8.
    let board = format!("{}O*--", "*".repeat(60));
    session.say(&format!("set game (;GM[Othello]BO[8 {board} *];)"));
    session.say("go");
    assert!(session.until("===").last().expect("an answer").starts_with("=== PA/"));
}

proptest! {
    #[test]
    fn survives_any_line(
        lines in proptest::collection::vec("(set|move|hint|ping|learn|nboard) (game|depth)? ?[^\\n]{0,12}|\\PC{0,12}", 0..6)
    ) {
        let mut session = Session::new("random");
        for line in lines.iter().filter(|line| !line.trim_start().starts_with("quit")) {
            prop_assert!(session.engine.read(line));
        }
        session.say("ping last");
        prop_assert!(session.until("pong last").len() < 100);
    }
}
