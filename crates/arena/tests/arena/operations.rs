//! The operations on the store, and their JSON Schema.

use std::num::NonZeroUsize;
use std::path::Path;

use banmen_arena::{Contestant, LockName, Match, MatchSpec, Openings, Plan, Score, SequentialTest, Store, operations};
use banmen_catalog::{AnyGame, Catalog};
use banmen_protocol::{Policy, Request, Service};
use banmen_search::{Limits, StopFlag};
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::schema_parts::{Tried, requests_and_answers_fit};

fn service(store: &Path) -> Service {
    Service::new(Catalog::default().with(banmen_othello::entry()), Policy::SERVER)
        .with(operations(Some(store.to_owned())))
}

fn ask(service: &Service, op: &str, body: Value) -> Value {
    let Value::Object(body) = body else { panic!("{body}") };
    service.answer(Request { op: op.to_owned(), body }, &StopFlag::default(), None)
}

fn ok(service: &Service, op: &str, body: Value) -> Value {
    let mut answer = ask(service, op, body);
    assert!(answer.get("ok").is_some(), "{answer}");
    answer["ok"].take()
}

fn matchup<'g>(game: &'g dyn AnyGame, a: &str, b: &str) -> Match<'g> {
    let [a, b] = [a, b].map(|player| Contestant::new(player, Limits::nodes(100)));
    Match::new(game, MatchSpec { openings: Openings::Random(6), ..MatchSpec::new(game, a, b) })
}

fn play(store: &Store, matchup: &Match<'_>, event: Option<i64>, plan: &Plan) -> Score {
    matchup.play_in(store, event, plan, &StopFlag::default(), &mut |_| ()).expect("a match")
}

/// A store with a match of a fixed number of games, one with a test, and an event of three players.
fn filled(path: &Path) {
    let (othello, dobutsu) = (banmen_othello::entry().in_memory(), banmen_dobutsu::entry().in_memory());
    let store = Store::open(path).expect("a store");
    play(&store, &matchup(&othello, "greedy", "random"), None, &Plan::games(12, 1));
    let test: SequentialTest = "0,50".parse().expect("a test");
    let tested = Plan { games: None, workers: 1.into(), test: Some(test) };
    play(&store, &matchup(&dobutsu, "engine:level=4", "random"), None, &tested);
    let event = store.enter_event("tournament", "three", "three").expect("an event");
    for (a, b) in [("greedy", "random"), ("random", "classic:depth=1"), ("classic:depth=1", "greedy")] {
        play(&store, &matchup(&othello, a, b), Some(event), &Plan::games(8, 1));
    }
}

/// Requests that are answered with `ok`, all fields among them.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("matches", json!({})),
        (
            "matches",
            json!({ "id": 1, "game": "othello", "player": "gre", "event": 1, "alone": false, "limit": 2, "offset": 0 }),
        ),
        ("matches", json!({ "id": "x", "game": null, "player": null, "event": null, "alone": true })),
        ("standings", json!({ "match": 1 })),
        ("standings", json!({ "id": 1.5, "match": 2, "event": null })),
        ("standings", json!({ "id": null, "event": 1, "match": null })),
        ("record", json!({ "match": 1 })),
        (
            "record",
            json!({ "id": 2, "match": 1, "result": "won", "limit": 3, "offset": 1, "pair": null, "game": null }),
        ),
        ("record", json!({ "id": 3, "match": 1, "pair": 2, "game": 1 })),
        ("rerun", json!({ "id": 4, "match": 1, "pair": 2, "game": 1, "ply": 9 })),
    ]
}

#[test]
fn real_requests_and_answers_fit_the_schema_and_changed_ones_do_not() {
    let folder = Folder::new("schema");
    filled(&folder.file());
    let service = service(&folder.file());
    let names: Vec<&str> = service.operations.iter().map(|operation| operation.name).collect();
    assert!(names.ends_with(&["matches", "standings", "record", "rerun"]), "{names:?}");
    let Tried { refused, taken, changed } = requests_and_answers_fit(&service, &service, requests());
    assert!(refused > 60 && taken > 20 && changed > 1000, "{refused} refused, {taken} taken, {changed} changed");
}

#[test]
fn matches_are_listed_newest_first_and_filtered() {
    let folder = Folder::new("list");
    filled(&folder.file());
    let service = service(&folder.file());
    let ids = |body: Value| -> Vec<i64> {
        let answer = ok(&service, "matches", body);
        answer["matches"].as_array().expect("a list").iter().filter_map(|info| info["id"].as_i64()).collect()
    };
    assert_eq!(ids(json!({})), [5, 4, 3, 2, 1]);
    assert_eq!(ids(json!({ "limit": 2, "offset": 1 })), [4, 3]);
    assert_eq!(ids(json!({ "alone": true })), [2, 1]);
    assert_eq!(ids(json!({ "event": 1 })), [5, 4, 3]);
    assert_eq!(ids(json!({ "game": "dobutsu" })), [2]);
    assert_eq!(ids(json!({ "player": "classic" })), [5, 4]);
    assert!(ids(json!({ "player": "lassic" })).is_empty());
    let answer = ok(&service, "matches", json!({ "limit": 1 }));
    assert_eq!(answer["total"], 5);
    assert_eq!(
        answer["events"],
        json!([{ "id": 1, "kind": "tournament", "name": "three", "created": answer["events"][0]["created"],
            "game": "othello", "matches": 3, "games": 24, "planned": 24, "running": false }])
    );
    assert!(ok(&service, "matches", json!({ "game": "dobutsu" }))["events"] == json!([]));
}

#[test]
fn the_score_of_a_stored_match_is_that_of_its_run() {
    let folder = Folder::new("score");
    filled(&folder.file());
    let game = banmen_dobutsu::entry().in_memory();
    let store = Store::open(&folder.file()).expect("a store");
    let test: SequentialTest = "0,50".parse().expect("a test");
    let plan = Plan { games: None, workers: 2.into(), test: Some(test) };
    let score = play(&store, &matchup(&game, "engine:level=4", "random"), None, &plan);
    // The store may have games that the test has not counted.
    let counted = store.score(&store.one_match(2).expect("the match")).expect("a score");
    assert_eq!((counted.games(), counted.pairs), (score.games(), score.pairs));
    assert_eq!(counted.test().map(|test| test.llr().to_bits()), score.test().map(|test| test.llr().to_bits()));
    let service = service(&folder.file());
    let mut answer = ok(&service, "standings", json!({ "match": 2 }))["score"].take();
    let curve = answer["test"].as_object_mut().and_then(|test| test.remove("curve")).expect("a curve");
    assert_eq!(answer, score.as_json());
    let curve = curve.as_array().expect("a list");
    assert_eq!(curve.len() as u64, score.games() / 2, "a point for each pair");
    assert_eq!(curve.last().map(|last| &last[1]), Some(&answer["test"]["llr"]));
    assert_eq!(answer["test"]["accepted"], "elo1");
}

/// The score of match 1.
fn scored(service: &Service) -> Value {
    untimed(ok(service, "standings", json!({ "match": 1 }))["score"].take())
}

/// A score without times: the store rounds them.
fn untimed(mut score: Value) -> Value {
    for totals in score["totals"].as_array_mut().expect("two players") {
        totals["mean_ms"].take();
        totals["longest_ms"].take();
    }
    score
}

/// The score is updated without reading complete pairs again.
#[test]
fn scores_a_running_match() {
    let folder = Folder::new("on");
    let game = banmen_othello::entry().in_memory();
    let store = Store::open(&folder.file()).expect("a store");
    let service = service(&folder.file());
    // With so few openings that some repeat.
    let mut matchup = matchup(&game, "greedy", "random");
    matchup.spec.openings = Openings::Random(1);
    for most in [4, 1, 6, 19] {
        let (stop, mut played) = (StopFlag::default(), 0);
        let score = matchup
            .play(&store, &Plan::games(40, 1), &stop, &mut |progress| {
                played += usize::from(progress.game.is_some());
                if played == most {
                    stop.stop();
                }
            })
            .expect("a match");
        assert_eq!(scored(&service), untimed(score.as_json()), "{most} more");
    }
    let score = play(&store, &matchup, None, &Plan::games(40, 1));
    assert!(score.repeats.openings > 10, "{:?}", score.repeats);
    assert_eq!(scored(&service), untimed(score.as_json()));
    let again = operations(Some(folder.file().clone()));
    let service = Service::new(Catalog::default(), Policy::SERVER).with(again);
    assert_eq!(scored(&service), untimed(score.as_json()), "read at once");
}

#[test]
fn conditions_name_the_threads_of_a_search() {
    let folder = Folder::new("threads");
    let (game, store) = (banmen_othello::entry().in_memory(), Store::open(&folder.file()).expect("a store"));
    for threads in [1, 2] {
        let mut matchup = matchup(&game, "greedy", "random");
        matchup.spec.threads = NonZeroUsize::new(threads).expect("at least one");
        play(&store, &matchup, None, &Plan::games(2, 1));
    }
    let answer = ok(&service(&folder.file()), "matches", json!({}));
    let mut threads: Vec<Option<u64>> = Vec::new();
    threads.extend(answer["matches"].as_array().into_iter().flatten().map(|one| one["conditions"]["threads"].as_u64()));
    threads.sort();
    assert_eq!(threads, [Some(1), Some(2)]);
}

#[test]
fn an_event_has_standings() {
    let folder = Folder::new("table");
    filled(&folder.file());
    let answer = ok(&service(&folder.file()), "standings", json!({ "event": 1 }));
    let players = answer["players"].as_array().expect("a list");
    assert_eq!(players.len(), 3);
    let ratings: Vec<f64> = players.iter().filter_map(|player| player["elo"]["value"].as_f64()).collect();
    assert_eq!(ratings.len(), 3);
    assert!(ratings.is_sorted_by(|a, b| a >= b) && ratings.iter().sum::<f64>().abs() < 1e-6, "{ratings:?}");
    let games: u64 = players.iter().filter_map(|player| player["games"].as_u64()).sum();
    assert_eq!(games, 2 * 24);
    // The cells agree with the matches, whichever player is `a` in them.
    let store = Store::open(&folder.file()).expect("a store");
    let cells = answer["cells"].as_array().expect("a list");
    assert_eq!(cells.len(), 3);
    for cell in cells {
        let info = store.one_match(cell["matches"][0].as_i64().expect("a number")).expect("a match");
        let first = players.iter().find(|player| player["id"] == cell["players"][0]).expect("a player");
        let results = ["wins", "draws", "losses"].map(|field| cell[field].as_u64().expect("a count"));
        let [won, drawn, lost] = info.results;
        let wanted = if first["player"] == json!(info.players[0]) { [won, drawn, lost] } else { [lost, drawn, won] };
        assert_eq!(results, wanted, "{cell}");
    }
    let empty = store.enter_event("tournament", "nobody", "nobody").expect("an event");
    let answer = ok(&service(&folder.file()), "standings", json!({ "event": empty }));
    assert_eq!((&answer["players"], &answer["event"]["matches"]), (&json!([]), &json!(0)));
}

#[test]
fn lists_games_by_result_and_shows_one() {
    let folder = Folder::new("games");
    filled(&folder.file());
    let service = service(&folder.file());
    let list = |body| ok(&service, "record", body);
    let all = list(json!({ "match": 1 }));
    assert_eq!(all["total"], 12);
    let part = list(json!({ "match": 1, "limit": 3, "offset": 4 }));
    assert_eq!(part["games"].as_array().map(Vec::as_slice), Some(&all["games"].as_array().expect("a list")[4..7]));
    let counted: u64 = ["won", "drawn", "lost"]
        .iter()
        .filter_map(|result| list(json!({ "match": 1, "result": result }))["total"].as_u64())
        .sum();
    assert_eq!(counted, 12);
    assert_eq!(list(json!({ "match": 1, "result": "fault" }))["total"], 0);

    let game = ok(&service, "record", json!({ "match": 1, "pair": 3, "game": 1 }));
    assert_eq!(game["match"]["players"], json!(["greedy", "random"]));
    let game = &game["game"];
    let moves: Vec<&str> = game["moves"].as_array().expect("moves").iter().filter_map(Value::as_str).collect();
    let othello = banmen_othello::entry().in_memory();
    let mut state = othello.state(None, None).expect("the start");
    for (text, side) in moves.iter().zip(game["sides"].as_array().expect("sides")) {
        assert_eq!(side, state.side_to_move().name());
        state.play_texts(&[text]).expect("a legal game");
    }
    assert!(state.outcome().is_some());
    assert_eq!(game["times_ms"].as_array().map(Vec::len), Some(moves.len() - 6));
}

/// Every move of a stored game that a player chose is found again, by a search with the same seed.
#[test]
fn searches_for_moves_of_stored_games_are_made_again() {
    let folder = Folder::new("again");
    filled(&folder.file());
    let service = service(&folder.file());
    for (id, pair, number) in [(1, 3, 1), (1, 0, 0), (4, 2, 0)] {
        let game = ok(&service, "record", json!({ "match": id, "pair": pair, "game": number }))["game"].take();
        let moves = game["moves"].as_array().expect("moves");
        for (ply, played) in moves.iter().enumerate().skip(6) {
            let body = json!({ "match": id, "pair": pair, "game": number, "ply": ply });
            let again = ok(&service, "rerun", body);
            assert_eq!((&again["chosen"], &again["played"]), (played, played), "{again}");
            assert_eq!((&again["same"], &again["timed"]), (&json!(true), &json!(false)));
            assert_eq!(&again["report"]["move"], played);
            assert_eq!(again["versions"][0], again["versions"][1]);
        }
        let refused = |ply: usize| {
            let body = json!({ "match": id, "pair": pair, "game": number, "ply": ply });
            ask(&service, "rerun", body)["error"]["code"].clone()
        };
        assert_eq!([refused(5), refused(moves.len())], ["unknown_record", "unknown_record"]);
    }
}

/// The server starts no programs, whatever a stored match names.
#[test]
fn searches_of_programs_are_not_made_again() {
    let folder = Folder::new("programs");
    filled(&folder.file());
    let connection = rusqlite::Connection::open(folder.file()).expect("a store");
    let renamed = connection.execute("UPDATE player SET text = 'rpc:true' WHERE text = 'random'", []);
    assert!(renamed.expect("changed") > 0);
    drop(connection);
    let service = service(&folder.file());
    let codes: Vec<Value> = [6, 7]
        .map(|ply| ask(&service, "rerun", json!({ "match": 1, "pair": 0, "game": 0, "ply": ply })))
        .map(|answer| answer["error"]["code"].clone())
        .into();
    assert!(codes.contains(&json!("programs_not_allowed")), "{codes:?}");
}

#[test]
fn errors_name_what_is_missing() {
    let folder = Folder::new("none");
    let service = service(&folder.file());
    assert_eq!(ok(&service, "matches", json!({})), json!({ "matches": [], "total": 0, "events": [] }));
    let code = |op, body| ask(&service, op, body)["error"]["code"].as_str().map(str::to_owned);
    let none = |code: &str| Some(code.to_owned());
    assert_eq!(code("standings", json!({ "match": 1 })), none("unknown_match"));
    assert_eq!(code("record", json!({ "match": 1 })), none("unknown_match"));
    assert_eq!(code("standings", json!({ "event": 1 })), none("unknown_event"));
    assert!(!folder.file().exists(), "reading creates no store");

    // The file is created while the service runs.
    filled(&folder.file());
    assert_eq!(ok(&service, "matches", json!({}))["total"], 5);
    assert_eq!(code("standings", json!({ "match": 6 })), none("unknown_match"));
    assert_eq!(code("standings", json!({ "event": 2 })), none("unknown_event"));
    assert_eq!(code("standings", json!({ "match": 1, "event": 1 })), none("bad_request"));
    assert_eq!(code("record", json!({ "match": 1, "pair": 6, "game": 0 })), none("unknown_record"));
    assert_eq!(code("record", json!({ "match": 1, "pair": 0 })), none("bad_request"));
    assert_eq!(code("record", json!({ "match": 1, "pair": 0, "game": 2 })), none("out_of_range"));
    assert_eq!(code("matches", json!({ "limit": 501 })), none("out_of_range"));
    assert_eq!(code("matches", json!({ "game": "chess" })), none("unknown_game"));

    // A file that is not a store is refused, and not changed.
    std::fs::write(folder.file(), "no store").expect("a file");
    assert_eq!(code("matches", json!({})), none("store_refused"));
    assert_eq!(std::fs::read(folder.file()).expect("the file"), b"no store");
}

#[test]
fn matches_and_events_are_running_until_they_end() {
    let folder = Folder::new("running");
    filled(&folder.file());
    let (service, store) = (service(&folder.file()), Store::open(&folder.file()).expect("a store"));
    let running = || ok(&service, "standings", json!({ "match": 3 }))["match"]["running"].clone();
    let event = || ok(&service, "standings", json!({ "event": 1 }))["event"]["running"].clone();
    assert_eq!((running(), event()), (json!(false), json!(false)));
    let lock = store.lock(&LockName::Match(3)).expect("no other process has it");
    assert_eq!((running(), event()), (json!(true), json!(true)));
    drop(lock);
    assert_eq!((running(), event()), (json!(false), json!(false)));
    // A process that was killed leaves its file, but not its lock.
    let left = folder.file().with_file_name("store.sqlite.match-3.lock");
    std::fs::write(&left, "").expect("a file");
    assert_eq!((running(), event()), (json!(false), json!(false)));
    assert!(left.exists(), "checking a lock does not remove its file");
}

/// A tournament has one lock, and writes for each match what plays it.
#[test]
fn matches_of_a_tournament_are_running_as_far_as_they_are_not_played() {
    let folder = Folder::new("running-tournament");
    filled(&folder.file());
    let (service, store) = (service(&folder.file()), Store::open(&folder.file()).expect("a store"));
    let change = |statement: &str| {
        let connection = rusqlite::Connection::open(folder.file()).expect("a database");
        connection.execute_batch(statement).expect(statement);
    };
    change(
        "DELETE FROM game WHERE match = 4 AND pair = 1;
         INSERT INTO fleet (match, written, status)
           SELECT id, unixepoch(), '{\"waiting\":1,\"running\":2,\"hourly\":3,\"workers\":[],\"others\":0}'
           FROM match WHERE event = 1",
    );
    let shown = |id: i64| {
        let answer = ok(&service, "standings", json!({ "match": id }));
        (answer["match"]["running"] == json!(true), answer["fleet"]["running"].as_u64())
    };
    assert_eq!([3, 4].map(shown), [(false, None), (false, None)]);
    let _lock = store.lock(&LockName::Event(1)).expect("no other process has it");
    assert_eq!([3, 4].map(shown), [(false, Some(2)), (true, Some(2))]);
    // In a league no match has a plan.
    change("UPDATE match SET planned = NULL WHERE id = 3");
    assert_eq!(shown(3), (true, Some(2)));
}
