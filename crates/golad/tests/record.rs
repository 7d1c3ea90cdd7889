//! Whole games as logs of the official engine: written, read again, and rejected with the place of the error.

use banmen_catalog::{AnyGame, AnyRecord, AnyState, Error, ErrorCode, Header, LostTurn, RecordFormats, Termination};
use banmen_game::Side;
use banmen_golad::entry;
use serde_json::{Value, json};

/// The first round of the example game of golad-matchviewer, the viewer of the site: the engine's own boards, scores
/// and moves.
const ENGINE: &str = include_str!("data/engine-log.json");

fn formats(game: &dyn AnyGame) -> &dyn RecordFormats {
    game.record_formats().expect("GOLAD has a format of records")
}

fn read(text: &str) -> Result<Vec<AnyRecord>, Error> {
    formats(&entry().in_memory()).read("riddles", None, text.as_bytes())
}

fn written(header: &Header, state: &dyn AnyState) -> String {
    formats(&entry().in_memory()).write("riddles", header, state).expect("a log")
}

fn played(position: Option<&str>, moves: &[&str]) -> Box<dyn AnyState> {
    let mut state = entry().in_memory().state(None, position).expect("a position");
    state.play_texts(moves).expect("moves");
    state
}

/// A small game that ends by extinction on the third turn: the second side starves.
const SMALL: &str = "00..../00..../....../....1./....1.";

fn small() -> (Header, Box<dyn AnyState>) {
    let header = Header { first: "a".to_owned(), second: "b \"x\"".to_owned(), ..Header::default() };
    (header, played(Some(SMALL), &["pass"]))
}

#[test]
fn reads_and_rewrites_the_log_of_the_official_engine() {
    let games = read(ENGINE).unwrap_or_else(|error| panic!("{error}"));
    let [AnyRecord { header, state }] = games.as_slice() else { panic!("one game") };
    assert_eq!(state.move_texts(""), ["kill 12,2", "pass"]);
    assert_eq!((header.first.as_str(), header.second.as_str()), ("player0", "player1"));
    // The engine writes finished games: both sides live, so this was the last round.
    assert_eq!(state.outcome().map(|outcome| (outcome.winner, outcome.by)), Some((None, "rounds")));
    assert_eq!(written(header, state.as_ref()), ENGINE);
}

#[test]
fn reads_back_a_written_game() {
    let (header, state) = small();
    let text = written(&header, state.as_ref());
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["winner"], 0);
    assert_eq!(log["score"], 1);
    assert_eq!(log["settings"]["board"], json!({ "width": 6, "height": 5 }));
    assert_eq!(log["states"].as_array().map(Vec::len), Some(3));
    assert_eq!(log["states"][0]["board"].as_str().map(|board| board.matches("1>.").count()), Some(2));
    // A file may hold several games.
    let games = read(&text.repeat(2)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(games.len(), 2);
    for game in &games {
        assert_eq!(game.header, header);
        assert_eq!(game.state.origin(""), state.origin(""));
        assert_eq!(game.state.move_texts(""), state.move_texts(""));
        assert_eq!(game.state.outcome(), state.outcome());
    }
}

#[test]
fn reads_back_births_of_either_side_and_later_starts() {
    let state = played(None, &["birth 0,4 10,2 8,3", "pass", "kill 4,0", "pass"]);
    let text = written(&Header::default(), state.as_ref());
    let first: Value = serde_json::from_str::<Value>(&text).expect("JSON")["states"][1]["players"][0]["move"].clone();
    let point = |x, y| json!({ "x": x, "y": y });
    assert_eq!(
        first,
        json!({ "exception": null, "moveType": "birth", "birthCell": point(0, 4), "sacrificeCells": [point(10, 2), point(8, 3)] })
    );
    let again = &read(&text).expect("a log")[0];
    assert_eq!((again.state.move_texts(""), again.state.position("")), (state.move_texts(""), state.position("")));
    // From the middle of a game, with the second side to move.
    let middle = played(Some(&state.position("")), &["pass", "pass", "pass"]);
    let odd = played(Some(&played(Some(&state.position("")), &["pass"]).position("")), &["pass", "pass"]);
    for state in [middle, odd] {
        let text = written(&Header::default(), state.as_ref());
        let again = &read(&text).unwrap_or_else(|error| panic!("{error}"))[0];
        assert_eq!((again.state.origin(""), again.state.position("")), (state.origin(""), state.position("")));
    }
    // Without a move nothing says that the second side is to move.
    let unmoved = played(Some(&format!("{SMALL} 1 5")), &[]);
    let game = entry().in_memory();
    let refused = formats(&game).write("riddles", &Header::default(), unmoved.as_ref()).expect_err("no side to move");
    assert_eq!(refused.code, ErrorCode::Unsupported);
}

#[test]
fn reads_back_lost_turns_and_terminations() {
    let lost = |ply, by: &str| LostTurn { ply, by: by.to_owned() };
    let state = played(None, &["pass", "pass", "kill 4,0"]);
    let header = Header {
        lost_turns: vec![lost(1, "time")],
        termination: Some(Termination { winner: Some(Side::Second), by: "resignation".to_owned() }),
        ..Header::default()
    };
    let text = written(&header, state.as_ref());
    let again = &read(&text).expect("a log")[0];
    assert_eq!((&again.header.lost_turns, &again.header.termination), (&header.lost_turns, &header.termination));
    // An exception of the official engine is a sentence; the cells of a rejected birth have no meaning.
    let mut log: Value = serde_json::from_str(&text).expect("JSON");
    let cell = json!({ "x": 0, "y": 0 });
    log["states"][3]["players"][1]["move"] = json!({
        "exception": "You can only birth a dead cell", "moveType": "birth", "birthCell": cell, "sacrificeCells": [cell, cell],
    });
    let again = &read(&log.to_string()).expect("a log")[0];
    assert_eq!(again.header.lost_turns, [lost(1, "illegal move")]);
}

#[test]
fn refuses_to_write_a_game_that_ended_undecided_before_its_last_round() {
    let drawn =
        |by: &str| Header { termination: Some(Termination { winner: None, by: by.to_owned() }), ..Header::default() };
    let game = entry().in_memory();
    for moves in [0, 3, 4] {
        let state = played(None, &vec!["pass"; moves]);
        let refused = formats(&game).write("riddles", &drawn("length"), state.as_ref()).expect_err("no result");
        assert_eq!(refused.code, ErrorCode::Unsupported);
        assert!(refused.message.ends_with(&format!("after {moves} moves this one ended by `length`")), "{refused}");
    }
    // After the last round it is a draw by the rules, whatever else ended it.
    let state = played(None, &["pass"; 200]);
    assert_eq!(state.outcome().map(|outcome| outcome.by), Some("rounds"));
    let again = &read(&written(&drawn("length"), state.as_ref())).expect("a log")[0];
    assert_eq!(again.state.outcome(), state.outcome());
}

#[test]
fn finds_a_log_in_the_wrappers_of_the_site() {
    let log: Value = serde_json::from_str(ENGINE).expect("JSON");
    let page = json!({ "playerData": [{ "name": "golad1" }, { "name": "Golad_test" }], "matchData": log });
    let game = &read(&page.to_string()).expect("a page")[0];
    assert_eq!((game.header.first.as_str(), game.header.second.as_str()), ("golad1", "Golad_test"));
    let results = json!({ "details": "{}", "timeElapsed": 1, "game": ENGINE });
    assert_eq!(read(&results.to_string()).expect("results")[0].state.moves().len(), 2);
    // Either is an object or the text of one.
    let page = json!({ "playerData": [{ "name": "golad1" }, { "name": "Golad_test" }], "matchData": ENGINE });
    let game = &read(&page.to_string()).expect("a page")[0];
    assert_eq!((game.header.first.as_str(), game.state.moves().len()), ("golad1", 2));
    assert_eq!(read(&json!({ "game": log }).to_string()).expect("results")[0].state.moves().len(), 2);
}

#[test]
fn rejects_inconsistent_logs_with_the_place() {
    let log: Value = serde_json::from_str(ENGINE).expect("JSON");
    let change = |path: &str, value: Value| {
        let mut log = log.clone();
        *log.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value;
        log.to_string()
    };
    let board = |state: usize, from: &str, to: &str| {
        let path = format!("/states/{state}/board");
        let text = log.pointer(&path).and_then(Value::as_str).expect("a board").replacen(from, to, 1);
        change(&path, text.into())
    };
    let dropped = |count: usize| {
        let mut log = log.clone();
        log["states"].as_array_mut().expect("states").truncate(count);
        log.to_string()
    };
    let without_first_move = || {
        let mut log = log.clone();
        let states = log["states"].as_array_mut().expect("states");
        states.drain(1..3);
        log.to_string()
    };
    for (text, why) in [
        ("{".to_owned(), "line 1, character 1: invalid JSON: EOF"),
        ("{}".to_owned(), "missing field `settings`"),
        ("[]".to_owned(), "game 1: it is not a log of the engine: expected an object"),
        ("7".to_owned(), "it is not a log of the engine: expected an object"),
        (json!({ "matchData": [log] }).to_string(), "it contains no log of the engine: expected an object"),
        (json!({ "matchData": "soon" }).to_string(), "its text `matchData` is not JSON: "),
        (json!({ "game": "" }).to_string(), "its text `game` is not JSON: "),
        (change("/settings", ENGINE.into()), "settings: invalid type: string "),
        (change("/states/1/round", ENGINE.into()), "states[1].round: invalid type: string "),
        (change("/states/0/board", format!("x{}", "y".repeat(10_000)).into()), "state 0: the board has 1 cells"),
        (board(0, "1>.", &"x".repeat(10_000)), "state 0: cell 10,0 is `xxx"),
        (change("/states/1/players/0/move/moveType", "m".repeat(10_000).into()), "do not fit the moveType mmm"),
        (change("/states/1/round", json!("one")), "states[1].round"),
        (change("/states/1/round", json!(2)), "state 1: it is in round 2, not 1"),
        (change("/states/2/players/1/score", json!(61)), "state 2: player 1 has 61 cells, not 60"),
        (change("/states/1/players/0/move/killCell/x", json!(11)), "state 1: 11,2 is dead already"),
        (change("/states/1/players/0/move/killCell/x", json!(13)), "state 1: cell 14,1 is `.`, not `.>1`"),
        (change("/states/1/players/0/move/killCell/x", json!(99)), "state 1: 99,2 is off the board"),
        (
            change("/states/1/players/0/move/moveType", json!("birth")),
            "state 1: the cells do not fit the moveType birth",
        ),
        (change("/states/3/players/1/move", Value::Null), "state 3: player 1 is to move"),
        (
            change("/states/2/players/0/move", json!({ "exception": null, "moveType": "pass" })),
            "in the state after a generation",
        ),
        (change("/states/0/players/0/id", json!(1)), "state 0: its players are [1, 1]"),
        (board(0, "1>.", "1"), "state 0: cell 10,0 is `1`, not `1>.`"),
        (board(0, "1>.", "x"), "state 0: cell 10,0 is `x`"),
        (board(2, ",.", ""), "state 2: the board has 287 cells, not 288"),
        (board(4, ".,1", "1,1"), "state 4: cell 0,0 is `1`, not `.`"),
        (change("/score", json!(2)), "its score is 2, where the last round is 1"),
        (change("/winner", json!(2)), "the winner is 2, who is not a player"),
        (change("/settings/board/width", json!(40)), "40 by 16"),
        (change("/settings/board/width", json!(17)), "288 cells, where 17 by 16 are 272"),
        (change("/settings/players/count", json!(3)), "it counts 3 players"),
        (change("/settings/players/names", json!(["one"])), "it does not have two players"),
        (dropped(4), "state 3: a move without its generation"),
        (without_first_move(), "state 0: player 1 moves first, where round 0 begins with player 0"),
        (dropped(0), "it has no states"),
    ] {
        let error = read(&text).err().unwrap_or_else(|| panic!("{why}: {text}"));
        assert!(error.message.contains(why), "{why}: {error}");
        assert_eq!(error.code, ErrorCode::BadRecord, "{why}");
        assert!(error.message.chars().count() < 200, "{why}: {error}");
    }
    // The rules determine the winner.
    let (header, state) = small();
    let text = written(&header, state.as_ref()).replace("\"winner\":0", "\"winner\":null");
    let error = read(&(ENGINE.to_owned() + &text)).err().expect("refused");
    assert_eq!(error.message, "line 2, character 1: game 2: the winner is 0, not null");
    assert_eq!(error.at, Some(ENGINE.len()));
    assert!(read("").expect("nothing").is_empty());
}

#[test]
fn places_count_characters_behind_names_in_japanese() {
    let (header, state) = small();
    let header = Header { first: "先手の人".to_owned(), ..header };
    let good = written(&header, state.as_ref());
    let broken = good.replace("\"winner\":0", "\"winner\":?");
    let error = read(&format!("{good} {broken}")).err().expect("refused");
    let at = error.at.expect("a place");
    let text: Vec<char> = format!("{good} {broken}").chars().collect();
    assert_eq!(text[at], '?', "{error}");
    assert!(error.message.contains("invalid JSON: expected value"), "{error}");
    let second = read(&format!("{good} []")).err().expect("refused");
    assert_eq!(second.at, Some(good.chars().count() + 1));
}
