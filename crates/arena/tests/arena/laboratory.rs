//! The operations on experiments, and their JSON Schema.

use std::path::Path;
use std::time::{Duration, Instant};

use banmen_arena::{Conditions, Laboratory, LockName, Store, find, operations, reproduce};
use banmen_catalog::Catalog;
use banmen_protocol::{Policy, Request, Service};
use banmen_search::StopFlag;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::schema_parts::{Tried, requests_and_answers_fit};

/// How long a run may take, ample even on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A match of quick games.
const MATCH: &str = "golad-fig5";
/// Quick samples.
const MEASURE: &str = "dobutsu-random";
/// An experiment that takes minutes.
const LONG: &str = "dobutsu-uct";

fn games() -> Catalog {
    Catalog::default().with(banmen_dobutsu::entry()).with(banmen_dobutsu::article::entry()).with(banmen_golad::entry())
}

fn service(store: &Path, policy: Policy) -> Service {
    let laboratory = Laboratory::new(Some(store.to_owned()));
    Service::new(games(), policy).with(operations(Some(store.to_owned()))).with(laboratory.operations())
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

/// The code and the reason of a refusal.
fn refused(service: &Service, op: &str, body: Value) -> (String, Value) {
    let answer = ask(service, op, body);
    (
        answer["error"]["code"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned(),
        answer["error"]["reason"].clone(),
    )
}

fn show(service: &Service, id: &str) -> Value {
    ok(service, "experiment", json!({ "experiment": id }))
}

/// Waits until the results are as wanted, and returns them; `each` sees all of them.
fn until(service: &Service, id: &str, wanted: impl Fn(&Value) -> bool, mut each: impl FnMut(&Value)) -> Value {
    let start = Instant::now();
    loop {
        let answer = show(service, id);
        each(&answer);
        if wanted(&answer) {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "{answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn ended(answer: &Value) -> bool {
    answer["running"] == json!(false)
}

/// The table as `reproduce` makes it of a store where nothing is missing.
fn table(path: &Path, id: &str, scale: f64) -> Value {
    let (games, store, stop) = (games(), Store::open(path).expect("a store"), StopFlag::default());
    let experiment = find(id, &games).expect("an experiment").remove(0);
    let game = games.game(&experiment.game).expect("a game").as_ref();
    let conditions =
        Conditions { store: &store, scale: Some(scale), planned: None, seed: 1, workers: 1.into(), stop: &stop };
    let reproduction = reproduce(game, &experiment, &conditions, &mut |_| {}).expect("a reproduction");
    assert!(!reproduction.preliminary());
    json!(reproduction.rows)
}

#[test]
fn a_match_is_played_and_its_table_fills() {
    let folder = Folder::new("match");
    let service = service(&folder.file(), Policy::LOCAL);
    let before = show(&service, MATCH);
    assert_eq!((&before["plan"], &before["stored"], &before["size"]), (&Value::Null, &json!(0), &json!(500)));
    assert_eq!((&before["preliminary"], &before["allowed"]), (&json!(true), &json!(true)));
    assert_eq!(before["rows"][0]["published"]["value"], json!(90.6));
    assert!(before["rows"][0]["published_interval"][0].as_f64().is_some_and(|low| low > 86.0), "{before}");
    // How a mean varies is not known before it is measured: there is only the imprecision of the figure.
    let means = show(&service, "dobutsu-first");
    let published = means["rows"].as_array().expect("rows").iter().find(|row| row["published"]["value"] == json!(61.1));
    let ends = [0, 1].map(|end| published.expect("a mean")["published_interval"][end].as_f64().expect("a number"));
    assert!(ends[0] > 61.0 && ends[1] < 61.2, "{ends:?}");
    assert_eq!((&before["rows"][0]["value"], &before["cells"][0]["match"]), (&Value::Null, &Value::Null));
    assert!(!folder.file().exists(), "reading creates no store");

    let run = ok(&service, "reproduce", json!({ "experiment": MATCH, "scale": 0.008, "plan": 0.016 }));
    assert_eq!(run, json!({ "seed": 1, "target": 4 }));
    let mut stored = 0;
    let half = until(&service, MATCH, ended, |answer| {
        let now = answer["stored"].as_u64().expect("a count");
        assert!(now >= stored && now <= 4, "{answer}");
        stored = now;
        assert_eq!((&answer["preliminary"], &answer["rows"][0]["comparison"]), (&json!(true), &Value::Null));
    });
    assert_eq!((&half["stored"], &half["planned"], &half["failed"]), (&json!(4), &json!(8), &Value::Null));
    assert_eq!(half["plan"]["scale"], json!(0.016));
    let listed = ok(&service, "experiments", json!({ "game": "golad" }));
    let listed = listed["experiments"].as_array().and_then(|all| all.iter().find(|one| one["id"] == MATCH)).cloned();
    let listed = listed.expect("it is listed");
    assert_eq!((&listed["stored"], &listed["planned"], &listed["size"]), (&json!(4), &json!(0.016), &json!(500)));

    // It continues where it was, up to the plan; then there is a verdict, and nothing more to play.
    ok(&service, "reproduce", json!({ "experiment": MATCH }));
    let done = until(&service, MATCH, ended, |_| {});
    assert_eq!((&done["stored"], &done["preliminary"]), (&json!(8), &json!(false)));
    assert!(done["rows"][0]["comparison"]["verdict"].is_string(), "{done}");
    assert_eq!(done["rows"], table(&folder.file(), MATCH, 0.016), "the table is that of the command line");
    let id = done["cells"][0]["match"].clone();
    assert_eq!(ok(&service, "record", json!({ "match": id }))["total"], json!(8));
    assert_eq!(refused(&service, "reproduce", json!({ "experiment": MATCH, "scale": 0.5 })).0, "plan_changed");
}

#[test]
fn samples_are_taken_and_judged_as_by_the_command_line() {
    let folder = Folder::new("measure");
    let service = service(&folder.file(), Policy::LOCAL);
    let scale = 0.1;
    ok(&service, "reproduce", json!({ "experiment": MEASURE, "scale": scale, "plan": scale }));
    let done = until(&service, MEASURE, ended, |_| {});
    assert_eq!((&done["stored"], &done["planned"], &done["preliminary"]), (&json!(10), &json!(10), &json!(false)));
    assert_eq!(done["rows"], table(&folder.file(), MEASURE, scale));
    assert_eq!(done["pictures"][0]["series"][0]["points"][0]["row"], json!(0));
    // Another seed has samples of its own.
    let other = ok(&service, "experiment", json!({ "experiment": MEASURE, "seed": 2 }));
    assert_eq!((&other["stored"], &other["plan"]), (&json!(0), &Value::Null));
}

#[test]
fn one_experiment_runs_at_a_time_until_it_is_interrupted() {
    let folder = Folder::new("one");
    let service = service(&folder.file(), Policy::LOCAL);
    assert_eq!(ok(&service, "interrupt", json!({ "experiment": LONG })), json!({ "interrupted": false }));
    ok(&service, "reproduce", json!({ "experiment": LONG }));
    let here = ("match_busy".to_owned(), json!("here"));
    assert_eq!(refused(&service, "reproduce", json!({ "experiment": LONG })), here);
    assert_eq!(refused(&service, "reproduce", json!({ "experiment": MATCH })), here);
    let running = until(&service, LONG, |answer| answer["stored"].as_u64() > Some(3), |_| {});
    assert_eq!((&running["running"], &running["run"]["seed"]), (&json!(true), &json!(1)));
    let listed = ok(&service, "experiments", json!({}));
    let names = listed["experiments"].as_array().expect("a list").iter().filter(|one| one["running"] == json!(true));
    assert_eq!(names.map(|one| one["id"].clone()).collect::<Vec<_>>(), [json!(LONG)]);
    assert_eq!(ok(&service, "interrupt", json!({ "experiment": MATCH })), json!({ "interrupted": false }));
    assert_eq!(ok(&service, "interrupt", json!({ "experiment": LONG })), json!({ "interrupted": true }));
    let ended = until(&service, LONG, ended, |_| {});
    assert_eq!((&ended["failed"], &ended["run"]), (&Value::Null, &Value::Null));
    assert!(ended["stored"].as_u64() >= running["stored"].as_u64() && ended["stored"].as_u64() < Some(6400), "{ended}");
}

#[test]
fn a_run_ends_with_its_laboratory() {
    let folder = Folder::new("end");
    let service = service(&folder.file(), Policy::LOCAL);
    ok(&service, "reproduce", json!({ "experiment": LONG }));
    until(&service, LONG, |answer| answer["stored"].as_u64() > Some(0), |_| {});
    drop(service);
    let (start, store) = (Instant::now(), Store::open(&folder.file()).expect("a store"));
    while !store.locked().is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", store.locked());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_run_of_another_process_is_shown_and_not_begun_again() {
    let folder = Folder::new("other");
    let store = Store::open(&folder.file()).expect("a store");
    let service = service(&folder.file(), Policy::LOCAL);
    let lock = store.lock(&LockName::Experiment(MATCH.to_owned())).expect("no other process has it");
    let shown = show(&service, MATCH);
    assert_eq!((&shown["running"], &shown["run"]), (&json!(true), &Value::Null));
    assert_eq!(refused(&service, "reproduce", json!({ "experiment": MATCH })), ("match_busy".to_owned(), Value::Null));
    drop(lock);
    assert_eq!(show(&service, MATCH)["running"], json!(false));
}

#[test]
fn nothing_is_run_where_it_is_not_allowed() {
    let folder = Folder::new("refused");
    let service = service(&folder.file(), Policy::SERVER);
    assert_eq!(ok(&service, "experiments", json!({}))["allowed"], json!(false));
    assert_eq!(show(&service, MATCH)["allowed"], json!(false));
    assert_eq!(refused(&service, "reproduce", json!({ "experiment": MATCH })).0, "experiments_not_allowed");
    assert!(!folder.file().exists());
    assert_eq!(refused(&service, "experiment", json!({ "experiment": "golad-fig6" })).0, "unknown_experiment");
    // A store elsewhere does not become known.
    std::fs::write(folder.file(), "no store").expect("a file");
    let answer = ask(&service, "experiment", json!({ "experiment": MATCH }));
    assert_eq!(answer["error"]["code"], json!("store_refused"));
    assert!(!answer.to_string().contains("banmen-laboratory"), "{answer}");
}

#[test]
fn the_report_has_the_table_and_the_games() {
    let folder = Folder::new("report");
    let service = service(&folder.file(), Policy::LOCAL);
    assert_eq!(refused(&service, "report", json!({ "experiment": MATCH })).0, "unknown_record");
    ok(&service, "reproduce", json!({ "experiment": MATCH, "scale": 0.008 }));
    until(&service, MATCH, ended, |_| {});
    let report = ok(&service, "report", json!({ "experiment": MATCH }));
    let html = report["html"].as_str().expect("a page");
    for part in [
        "<!doctype html>",
        "AI3 against AI2",
        &format!("{} reproduce golad-fig5 --scale 0.008<", banmen_arena::program()),
        "preliminary",
        ": 4 games<",
        "<svg",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

/// A table without what differs from run to run.
fn without_times(mut rows: Value) -> Value {
    for row in rows.as_array_mut().expect("rows") {
        row["others"].as_array_mut().expect("values").retain(|other| other[0] != json!("ms a move"));
    }
    rows
}

#[test]
fn tasks_give_the_table_of_a_run() {
    for (id, scale, size) in [(MATCH, 0.016, 8), (MEASURE, 0.1, 10)] {
        let [folder, elsewhere, whole] = ["tasks", "worker", "whole"].map(|name| Folder::new(&format!("{name}-{id}")));
        let by_tasks = |path: &Path| {
            let laboratory = Laboratory::by_tasks(path.to_owned());
            let more = laboratory.operations().into_iter().chain(laboratory.task_operations());
            Service::new(games(), Policy::LOCAL).with(operations(Some(path.to_owned()))).with(more)
        };
        let (service, worker) = (by_tasks(&folder.file()), by_tasks(&elsewhere.file()));
        let none = json!({ "tasks": [] });
        assert_eq!(ok(&service, "tasks", json!({ "experiment": id, "count": 9 })), none, "nothing runs");
        let begin = json!({ "experiment": id, "scale": scale, "plan": scale });
        assert_eq!(ok(&service, "reproduce", begin.clone()), json!({ "seed": 1, "target": size }));
        assert_eq!(refused(&service, "reproduce", begin.clone()).0, "match_busy");
        // Asking for no task does not end it.
        assert_eq!(ok(&service, "tasks", json!({ "experiment": id, "count": 0 })), none);
        let listed = ok(&service, "experiments", json!({}));
        let running =
            listed["experiments"].as_array().expect("a list").iter().filter(|one| one["running"] == json!(true));
        assert_eq!(running.map(|one| &one["id"]).collect::<Vec<_>>(), [&json!(id)]);
        let take = |done: &Value| ok(&service, "take", json!({ "experiment": id, "seed": 1, "done": done["done"] }));
        let names = |given: &Value| -> Vec<Value> {
            given["tasks"].as_array().expect("tasks").iter().map(|task| task["name"].clone()).collect()
        };
        // Two tasks are given out; one is done, and the run is interrupted.
        let first = ok(&service, "tasks", json!({ "experiment": id, "count": 2 }));
        let second = ok(&service, "tasks", json!({ "experiment": id, "count": 2, "skip": names(&first) }));
        assert!(names(&first).len() == 2 && names(&first).iter().all(|name| !names(&second).contains(name)));
        take(&ok(&worker, "work", json!({ "task": first["tasks"][1]["task"] })));
        assert_eq!(ok(&service, "interrupt", json!({ "experiment": id })), json!({ "interrupted": true }));
        assert_eq!(ok(&service, "tasks", json!({ "experiment": id, "count": 1 })), none);
        let shown = show(&service, id);
        assert_eq!(
            (&shown["stored"], &shown["running"], &shown["preliminary"]),
            (&json!(1), &json!(false), &json!(true))
        );
        // What is not of this run is refused.
        let done = ok(&worker, "work", json!({ "task": first["tasks"][0]["task"] }))["done"].take();
        let done: Value = serde_json::from_str(done.as_str().expect("a text")).expect("JSON");
        let mut wrong = Vec::new();
        let mut change = |place: &str, value: Value| {
            let mut done = done.clone();
            if let Some(changed) = done.pointer_mut(place) {
                *changed = value;
                wrong.push(done);
            }
        };
        let other_score = if done["game"]["record"]["score"] == json!(1.0) { 0.0 } else { 1.0 };
        let fewer = &done["game"]["record"]["moves"].as_array().map_or(&[][..], |moves| &moves[1..]);
        for (field, value) in [
            ("pair", json!(4)),
            ("game", json!(2)),
            ("seed", json!(7)),
            ("score", json!(7.0)),
            ("score", json!(other_score)),
            ("moves", json!(fewer)),
            ("opening", json!(1)),
            ("position", json!(null)),
        ] {
            change(&format!("/game/record/{field}"), value);
        }
        change("/sample/number", json!(size));
        for value in ["3/2", "1/99999999999999999", "NaN", "?"] {
            change("/sample/observations/0/2", json!(value));
        }
        wrong.push(json!({ "plan": { "scale": 1e300, "written": 0 } }));
        wrong.extend([i64::MIN, -1, i64::MAX].map(|written| json!({ "plan": { "scale": 1.0, "written": written } })));
        let take_wrong = |seed: u64, done: &Value| {
            refused(&service, "take", json!({ "experiment": id, "seed": seed, "done": done.to_string() })).0
        };
        for wrong in &wrong {
            assert_eq!(take_wrong(1, wrong), "bad_request", "{wrong}");
        }
        assert_eq!(take_wrong(2, &done), "unknown_record", "this seed has no plan");
        assert_eq!(show(&service, id)["stored"], json!(1));
        // It continues, and the tasks are done in another order than they are given out.
        ok(&service, "reproduce", begin);
        loop {
            let given = ok(&service, "tasks", json!({ "experiment": id, "count": 3 }));
            let tasks = given["tasks"].as_array().expect("tasks");
            if tasks.is_empty() {
                break;
            }
            for task in tasks.iter().rev() {
                take(&ok(&worker, "work", json!({ "task": task["task"] })));
            }
        }
        let done = show(&service, id);
        assert_eq!(
            (&done["stored"], &done["running"], &done["preliminary"]),
            (&json!(size), &json!(false), &json!(false))
        );
        assert!(!elsewhere.file().exists(), "a worker stores nothing");
        let store = Store::open(&whole.file()).expect("a store");
        let stop = StopFlag::default();
        let conditions =
            Conditions { store: &store, scale: None, planned: Some(scale), seed: 1, workers: 2.into(), stop: &stop };
        let (games, experiment) = (games(), find(id, &games()).expect("an experiment").remove(0));
        let game = games.game(&experiment.game).expect("a game").as_ref();
        let reproduction = reproduce(game, &experiment, &conditions, &mut |_| {}).expect("a reproduction");
        assert_eq!(without_times(done["rows"].clone()), without_times(json!(reproduction.rows)));
        // A match of an experiment names it.
        if let Some(number) = done["cells"][0]["match"].as_i64() {
            let score = ok(&service, "standings", json!({ "match": number }));
            assert_eq!(score["match"]["experiment"], json!(id));
        }
    }
}

/// Requests that are answered with `ok`, all fields among them.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("experiments", json!({})),
        ("experiments", json!({ "id": 1, "game": "golad" })),
        ("experiment", json!({ "experiment": MATCH })),
        ("experiment", json!({ "id": "x", "experiment": MEASURE, "seed": 1 })),
        ("report", json!({ "experiment": MEASURE, "seed": 1 })),
        ("interrupt", json!({ "experiment": MEASURE })),
        ("reproduce", json!({ "experiment": MEASURE, "seed": 1, "scale": 0.05, "plan": 0.1 })),
    ]
}

#[test]
fn real_requests_and_answers_fit_the_schema_and_changed_ones_do_not() {
    let folder = Folder::new("schema");
    let own = service(&folder.file(), Policy::LOCAL);
    ok(&own, "reproduce", json!({ "experiment": MATCH, "scale": 0.008, "plan": 0.008 }));
    until(&own, MATCH, ended, |_| {});
    ok(&own, "reproduce", json!({ "experiment": MEASURE, "scale": 0.1, "plan": 0.1 }));
    until(&own, MEASURE, ended, |_| {});
    // Changed requests are made where none of them runs anything.
    let server = service(&folder.file(), Policy::SERVER);
    let Tried { refused, taken, changed } = requests_and_answers_fit(&own, &server, requests());
    assert!(refused > 50 && taken > 10 && changed > 1000, "{refused} refused, {taken} taken, {changed} changed");
}
