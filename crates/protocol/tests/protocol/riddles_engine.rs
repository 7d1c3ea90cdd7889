//! Sessions in the protocol of riddles.io, as its wrapper and older engines conduct them.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, ErrorCode};
use banmen_protocol::{Conversation, Lines, RiddlesEngine};
use proptest::prelude::*;

/// The timeout of a test for one line, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The settings that the site sends before a game, in its order.
const SETTINGS: [&str; 8] = [
    "settings player_names player0,player1",
    "settings your_bot player0",
    "settings timebank 10000",
    "settings time_per_move 100",
    "settings your_botid 0",
    "settings field_width 18",
    "settings field_height 16",
    "settings max_rounds 100",
];

/// The input of a bot in the first months of 2017, with settings in a later form (test_golad.txt of golad-engine).
const EARLY: &str = "settings timebank 5000
settings time_per_move 200
settings player_names player0,player1
settings your_bot player0
settings your_botid 0
settings field_width 18
settings field_height 16
settings max_rounds 100
update game round 0
update game board FIELD
update player0 living_cells 40
update player1 living_cells 40
action move 5000";

struct Session {
    engine: Option<Box<RiddlesEngine>>,
    answers: Receiver<String>,
    remarks: Receiver<String>,
}

fn collector() -> (Lines, Receiver<String>) {
    let (sender, lines) = channel();
    let sender = Mutex::new(sender);
    (Arc::new(move |line| drop(sender.lock().expect("no panic").send(line))), lines)
}

fn golad() -> Arc<dyn AnyGame> {
    Arc::new(banmen_golad::entry().in_memory())
}

fn start() -> Box<dyn AnyState> {
    golad().state(None, None).expect("the start")
}

fn field(state: &dyn AnyState) -> String {
    state.position("riddles").split(' ').next().expect("cells").to_owned()
}

impl Session {
    fn new(player: &str) -> Session {
        let ((out, answers), (log, remarks)) = (collector(), collector());
        let engine = RiddlesEngine::new(golad(), None, player, out, log).unwrap_or_else(|error| panic!("{error}"));
        Session { engine: Some(Box::new(engine)), answers, remarks }
    }

    fn say(&mut self, line: &str) {
        assert!(self.engine.as_mut().expect("it listens").read(line), "{line}");
    }

    fn turn(&mut self, round: &str, field: &str, reply: &str) -> String {
        self.say(&format!("update game round {round}"));
        self.say(&format!("update game field {field}"));
        self.say("update player0 living_cells 40");
        self.say("update player1 living_cells 40");
        self.say(&format!("update player1 move {reply}"));
        self.say("action move 10000");
        self.answer()
    }

    fn answer(&self) -> String {
        self.answers.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The log lines since the last call.
    fn remarks(&self) -> Vec<String> {
        self.remarks.try_iter().collect()
    }

    /// Ends the session and checks that no more answers arrive.
    fn end(mut self) {
        self.engine.take().expect("it listens").end(Duration::MAX);
        assert_eq!(self.answers.try_iter().collect::<Vec<_>>(), Vec::<String>::new());
    }
}

#[test]
fn a_game_is_played_with_moves_that_the_site_reads() {
    let mut session = Session::new("random");
    SETTINGS.iter().for_each(|line| session.say(line));
    let mut state = start();
    let mut reply = "null".to_owned();
    for round in 1..=5 {
        let answer = session.turn(&round.to_string(), &field(state.as_ref()), &reply);
        let m = state.read(&answer).unwrap_or_else(|error| panic!("{answer}: {error}"));
        assert!(!answer.contains('_'), "{answer}");
        state.play(m).expect("legal");
        let legal = state.legal();
        let theirs = legal[legal.len() / 3 * 2];
        reply = state.write(theirs, "riddles");
        assert!(reply.contains('_'), "a move is sent with underscores: {reply}");
        state.play(theirs).expect("legal");
    }
    assert_eq!(session.remarks(), Vec::<String>::new());
    session.end();
}

#[test]
fn accepts_settings_in_any_order_and_without_some() {
    let field = field(start().as_ref());
    let mut shuffled = SETTINGS;
    shuffled.reverse();
    for lines in
        [&shuffled[..], &["settings player_names player0,player1", "settings your_bot player0"], &SETTINGS[4..5]]
    {
        let mut session = Session::new("mcts:playouts=5");
        session.say("settings anything else");
        session.say("hello");
        session.say("");
        lines.iter().for_each(|line| session.say(line));
        session.say("update player2 hair blue");
        let answer = session.turn("1", &field, "null");
        assert!(start().read(&answer).is_ok(), "{answer}");
        assert_eq!(session.remarks(), Vec::<String>::new(), "{lines:?}");
        session.end();
    }
}

#[test]
fn supports_the_first_engines_of_the_site() {
    let mut session = Session::new("random");
    EARLY.replace("FIELD", &field(start().as_ref())).lines().for_each(|line| session.say(line));
    let answer = session.answer();
    assert!(start().read(&answer).is_ok(), "{answer}");
    assert_eq!(session.remarks(), Vec::<String>::new());
    // Early engines send the round of the state before the turn: 99 is the last turn of the first player.
    session.say("update game round 99");
    session.say(&format!("update game board {}", field(start().as_ref())));
    session.say("action move 5000");
    assert_ne!(session.answer(), "");
    assert_eq!(session.remarks(), Vec::<String>::new());
    session.say("update game round 100");
    session.say(&format!("update game board {}", field(start().as_ref())));
    session.say("action move 5000");
    assert_eq!(session.answer(), "pass");
    assert_eq!(session.remarks(), ["the game is over by rounds: pass"]);
}

#[test]
fn any_size_is_played_and_both_sides() {
    // One cell of each side: two kills and a pass are legal, and no birth.
    for (width, height) in [(32, 32), (3, 2), (2, 3), (1, 4)] {
        let mut cells = vec!["."; width * height];
        (cells[0], cells[width * height - 1]) = ("0", "1");
        let mut session = Session::new("random");
        session.say("settings your_botid 1");
        session.say(&format!("settings field_width {width}"));
        session.say(&format!("settings field_height {height}"));
        let last = format!("kill {},{}", width - 1, height - 1);
        for _ in 0..10 {
            let answer = session.turn("7", &cells.join(","), "kill_0,1");
            assert!(["pass".to_owned(), "kill 0,0".to_owned(), last.clone()].contains(&answer), "{answer}");
        }
        assert_eq!(session.remarks(), Vec::<String>::new());
    }
}

#[test]
fn passes_and_logs_the_reason_if_the_board_is_unknown() {
    let good = field(start().as_ref());
    for (lines, why) in [
        (vec![], "the settings do not say which player this is"),
        (vec!["settings your_bot player7", "settings player_names player0,player1"], "do not say which player"),
        (vec!["settings your_botid 0"], "no field was given"),
        (vec!["settings your_botid 0", "update game field .,0,1"], "the field has 3 cells, where 18 by 16"),
        (vec!["settings your_botid 0", "update game field"], "the field has 1 cells"),
        (vec!["settings your_botid 0", "settings field_width 99", "settings field_height 99"], "outside 1 to 32"),
    ] {
        let mut session = Session::new("random");
        lines.iter().for_each(|line| session.say(line));
        session.say("action move 100");
        assert_eq!(session.answer(), "pass", "{why}");
        let remarks = session.remarks();
        assert!(remarks.iter().any(|remark| remark.contains(why)), "{why}: {remarks:?}");
        // The bot plays the next valid turn.
        SETTINGS.iter().for_each(|line| session.say(line));
        let answer = session.turn("2", &good, "null");
        assert!(start().read(&answer).is_ok(), "{answer}");
        session.end();
    }
    let mut session = Session::new("random");
    SETTINGS.iter().for_each(|line| session.say(line));
    for (line, why) in [
        ("settings timebank soon", "timebank is not a number: `soon`"),
        ("settings your_botid 3", "your_botid is 0 or 1, not `3`"),
        ("settings field_width 33", "field_width is `33`, outside 1 to 32"),
        ("settings board_height 0", "board_height is `0`, outside 1 to 32"),
        ("settings field_width -1", "field_width is not a number: `-1`"),
        ("settings field_width", "field_width has no number"),
        ("settings max_rounds 18446744073709551615", "max_rounds is `18446744073709551615`, outside 0 to 1000000"),
        ("update game round one", "the round is not a number: `one`"),
        ("update game round", "the round has no number"),
        ("update game round 18446744073709551615", "the round is `18446744073709551615`, outside 0 to 1000000"),
        ("update game round 18446744073709551616", "the round is not a number: `18446744073709551616`"),
    ] {
        session.say(line);
        assert_eq!(session.remarks(), [why]);
    }
    // The bot plays in the highest valid round, and without a valid round.
    for round in ["1000000", "18446744073709551615"] {
        let answer = session.turn(round, &good, "null");
        assert!(start().read(&answer).is_ok(), "{answer}");
        assert!(
            session
                .remarks()
                .iter()
                .all(|remark| remark.contains("game is over by rounds") || remark.contains("outside"))
        );
    }
    assert_eq!(session.turn("3", &good.replacen('0', "x", 1), "null"), "pass");
    let remarks = session.remarks();
    assert!(remarks[0].contains("of the field is `x`, not one of . 0 1: pass"), "{remarks:?}");
    // The bot answers a request without a time.
    session.say(&format!("update game field {good}"));
    session.say("action move");
    assert!(start().read(&session.answer()).is_ok());
    assert_eq!(session.remarks(), ["the request has no time: 100 ms are assumed"]);
    for bank in ["-5", "18446744073709551616", "soon"] {
        session.say(&format!("update game field {good}"));
        session.say(&format!("action move {bank}"));
        assert!(start().read(&session.answer()).is_ok());
        let why = format!("the time of the request is not a number: `{bank}`: 100 ms are assumed");
        assert_eq!(session.remarks(), [why]);
    }
    session.end();
}

/// Before its first move a bot may know the board and its side alone.
#[test]
fn both_sides_play_without_the_number_of_the_round() {
    for side in [0, 1] {
        let mut session = Session::new("random");
        session.say(&format!("settings your_botid {side}"));
        session.say(&format!("update game field {}", field(start().as_ref())));
        session.say("action move 100");
        session.answer();
        assert_eq!(session.remarks(), Vec::<String>::new(), "side {side}: it does not pass for want of a round");
        session.end();
    }
}

#[test]
fn the_time_bank_limits_the_search() {
    // Only the bank ends these searches.
    let mut session = Session::new("mcts");
    SETTINGS.iter().for_each(|line| session.say(line));
    session.say("settings timebank 1000");
    // The last bank is more than there can be.
    for bank in [0_u64, 1, 50, 99_999_999] {
        session.say("update game round 1");
        session.say(&format!("update game field {}", field(start().as_ref())));
        session.say(&format!("action move {bank}"));
        assert!(start().read(&session.answer()).is_ok());
    }
    session.end();
    // Where the settings do not say the bank, the most is that of the site.
    let mut session = Session::new("mcts");
    SETTINGS.iter().filter(|line| !line.contains("timebank")).for_each(|line| session.say(line));
    session.say(&format!("update game field {}", field(start().as_ref())));
    session.say("action move 99999999");
    assert!(start().read(&session.answer()).is_ok());
    session.end();
}

#[test]
fn answers_the_last_request_after_the_end_of_the_input() {
    let mut session = Session::new("mcts:playouts=20");
    SETTINGS.iter().for_each(|line| session.say(line));
    session.say("update game round 1");
    session.say(&format!("update game field {}", field(start().as_ref())));
    session.say("action move 10000");
    session.engine.take().expect("it listens").end(Duration::MAX);
    assert!(start().read(&session.answer()).is_ok());
}

#[test]
fn answers_come_in_the_order_of_the_requests() {
    let mut session = Session::new("engine:level=2");
    let field = format!("update game field {}", field(start().as_ref()));
    let engine = session.engine.as_mut().expect("an engine");
    for line in SETTINGS.into_iter().chain([field.as_str(), "action move 10000", "action move 10000"]) {
        assert!(engine.read(line), "{line}");
    }
    let answers = [0; 2].map(|_| session.answers.recv_timeout(PATIENCE).expect("an answer"));
    assert!(answers[0] != "pass" && answers[1] == "pass", "{answers:?}");
}

#[test]
fn refuses_other_games() {
    let ((out, _), (log, _)) = (collector(), collector());
    let error = RiddlesEngine::new(Arc::new(banmen_othello::entry().in_memory()), None, "random", out, log)
        .err()
        .expect("refused");
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Unsupported, "othello is not played over the protocol of riddles.io")
    );
}

proptest! {
    /// Each request for a move gets one answer, whatever the other lines are.
    #[test]
    fn survives_noise(lines in prop::collection::vec(noise(), 0..30)) {
        let mut session = Session::new("random");
        for line in lines {
            session.say(&line);
            let mut words = line.split_whitespace();
            if words.next() == Some("action") && words.next() == Some("move") {
                let answer = session.answer();
                prop_assert!(["pass", "kill", "birt"].contains(&&answer[..4]), "{answer}");
            }
        }
        session.end();
    }
}

/// Lines similar to those of the site.
fn noise() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "settings",
        "update",
        "action",
        "move",
        "game",
        "field",
        "board",
        "round",
        "player0",
        "player1",
        "your_botid",
        "your_bot",
        "field_width",
        "field_height",
        "max_rounds",
        "timebank",
        "time_per_move",
        "player_names",
        "0",
        "1",
        "2",
        "-1",
        "99999999999999999999",
        "18446744073709551615",
        ".,0,1,.",
        "0,1",
        "null",
        "kill_0,0",
        "\u{fffd}",
    ]);
    let words = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    prop_oneof![3 => words, 1 => ".*", 2 => Just("action move 10".to_owned()), 1 => Just("settings your_botid 1".to_owned()),
        1 => Just("settings field_width 2".to_owned()), 1 => Just("settings field_height 2".to_owned()),
        1 => Just("update game field 0,.,1,.".to_owned())]
}
