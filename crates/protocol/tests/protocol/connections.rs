//! One connection: ids, concurrent searches, sessions, and players that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use banmen_catalog::Data;
use banmen_protocol::{Policy, Service, SessionCache};
use banmen_search::Clock;
use serde_json::{Value, json};

use crate::connection::{Client, endless};
use crate::nim;

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_else(|| panic!("no refusal: {answer}"))
}

fn counted(client: &mut Client, session: &str, more: Value) -> u64 {
    let mut request = json!({ "op": "think", "game": "nim", "player": "counter", "session": session });
    request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let answer = client.ask(request);
    answer["ok"]["depth"].as_u64().unwrap_or_else(|| panic!("no report: {answer}"))
}

#[test]
fn answers_carry_the_id_of_their_request() {
    let mut client = Client::new(Policy::LOCAL);
    for id in [json!(1), json!("1"), json!(-3), json!(1.5), json!("盤"), json!(null)] {
        client.send(&json!({ "id": id, "op": "games" }));
        assert_eq!(client.read()["id"], id);
    }
    client.send(&json!({ "op": "games" }));
    assert_eq!(client.read()["id"], Value::Null, "without one it is null");
    for id in [json!(true), json!([]), json!({})] {
        client.send(&json!({ "id": id, "op": "games" }));
        let answer = client.read();
        assert_eq!((&answer["id"], code(&answer)), (&Value::Null, "bad_request"));
    }
}

#[test]
fn runs_searches_concurrently_and_answers_short_requests_meanwhile() {
    let mut client = Client::new(Policy::LOCAL);
    for id in 0..5 {
        client.send(&endless(id));
    }
    let mut answered = [false; 5];
    while answered.contains(&false) {
        let message = client.read();
        assert!(message["info"]["depth"].is_u64(), "{message}");
        answered[message["id"].as_u64().expect("its id") as usize] = true;
    }
    let shown = client.ask(json!({ "op": "show", "game": "nim" }));
    assert_eq!(shown["ok"]["position"], "21 first");
    for id in [3, 0, 4, 1, 2] {
        client.send(&json!({ "id": "stop", "op": "stop", "target": id }));
        assert_eq!(client.answer(&json!("stop"))["ok"]["stopped"], true);
        assert_eq!(client.answer(&json!(id))["ok"]["move"], "1");
    }
    assert_eq!(client.finish(), Vec::<Value>::new(), "no message follows the answers");
}

#[test]
fn stops_only_running_searches() {
    let mut client = Client::new(Policy::LOCAL);
    let stop = |target: Value| json!({ "op": "stop", "target": target });
    assert_eq!(client.ask(stop(json!(7)))["ok"]["stopped"], false);
    client.send(&endless("a"));
    assert_eq!(client.ask(stop(json!("b")))["ok"]["stopped"], false);
    client.send(&endless(1));
    assert_eq!(client.ask(stop(json!("1")))["ok"]["stopped"], false, "1 and \"1\" differ");
    assert_eq!(client.ask(stop(json!("a")))["ok"]["stopped"], true);
    assert!(client.answer(&json!("a"))["ok"].is_object());
    assert_eq!(client.ask(stop(json!("a")))["ok"]["stopped"], false, "it has ended");
    assert_eq!(code(&client.ask(stop(json!([1])))), "bad_request");
}

#[test]
fn an_id_names_one_search() {
    let mut client = Client::new(Policy::LOCAL);
    client.send(&endless(1));
    assert!(client.read()["info"].is_object());
    client.send(&endless(1));
    assert_eq!(code(&client.answer(&json!(1))), "bad_request");
    client.send(&json!({ "id": 2, "op": "stop", "target": 1 }));
    assert!(client.answer(&json!(1))["ok"].is_object(), "the first one was not disturbed");
    client.send(&json!({ "id": 1, "op": "think", "game": "nim", "player": "random" }));
    assert!(client.answer(&json!(1))["ok"].is_object(), "the id is free again");
}

#[test]
fn limits_the_searches_of_a_connection() {
    let mut client = Client::new(Policy { searches: 2, ..Policy::LOCAL });
    client.send(&endless(1));
    client.send(&endless(2));
    client.send(&endless(3));
    assert_eq!(code(&client.answer(&json!(3))), "busy");
    client.send(&json!({ "id": 4, "op": "stop", "target": 1 }));
    assert!(client.answer(&json!(1))["ok"].is_object());
    client.send(&json!({ "id": 3, "op": "think", "game": "nim", "player": "random" }));
    assert!(client.answer(&json!(3))["ok"].is_object());
}

#[test]
fn dropping_a_connection_stops_its_searches() {
    let mut client = Client::new(Policy::LOCAL);
    client.send(&endless(1));
    client.send(&endless(2));
    client.read();
    let last = client.leave();
    let finals: Vec<&Value> = last.iter().filter(|message| message.get("info").is_none()).collect();
    assert_eq!(finals.len(), 2);
    assert!(finals.iter().all(|answer| answer["ok"]["move"] == "1"), "{finals:?}");
}

#[test]
fn progress_reports_precede_the_answer() {
    let mut client = Client::new(Policy::LOCAL);
    client.send(&json!({ "id": 1, "op": "think", "game": "nim", "player": "patient", "limits": { "nodes": 20 } }));
    client.send(&json!({ "id": 2, "op": "solve", "game": "nim" }));
    let messages = client.finish();
    for id in [1, 2] {
        let own: Vec<bool> = messages.iter().filter(|m| m["id"] == id).map(|m| m.get("info").is_some()).collect();
        let (last, before) = own.split_last().expect("an answer");
        assert!(!last && !before.is_empty() && before.iter().all(|info| *info), "{own:?}");
    }
}

#[test]
fn refuses_large_and_malformed_requests() {
    let mut client = Client::new(Policy { request_bytes: 100, ..Policy::LOCAL });
    client.text(&" ".repeat(101));
    let answer = client.read();
    assert_eq!((&answer["id"], code(&answer)), (&Value::Null, "too_large"));
    assert!(answer["error"]["message"].as_str().expect("a sentence").contains("at most 100 bytes, this one 101"));

    for (text, at) in
        [("", 0), ("{", 0), ("{\"id\":1,}", 8), ("{}x", 2), ("nul", 2), ("\"盤\" 1", 4), ("[1,\n 2,\n!", 8)]
    {
        client.text(text);
        let answer = client.read();
        assert_eq!(code(&answer), "bad_json", "{text}");
        assert_eq!(answer["error"]["at"], at, "{text}: {answer}");
    }
    for text in ["[]", "1", "null", "\"games\"", "{}", "{\"op\":1}", "{\"op\":null,\"id\":1}"] {
        client.text(text);
        assert_eq!(code(&client.read()), "bad_request", "{text}");
    }
    client.text("{\"id\":5,\"op\":[]}");
    assert_eq!(client.read()["id"], 5, "the id is returned if it can be read");
    let deep = "[".repeat(1000) + &"]".repeat(1000);
    client = Client::new(Policy::LOCAL);
    client.text(&deep);
    assert_eq!(code(&client.read()), "bad_json");
}

#[test]
fn a_session_keeps_its_player() {
    let mut client = Client::new(Policy::LOCAL);
    assert_eq!(counted(&mut client, "a", json!({})), 1);
    assert_eq!(counted(&mut client, "a", json!({ "moves": ["1"] })), 2);
    assert_eq!(counted(&mut client, "a", json!({ "moves": ["1", "2", "3"] })), 3);
    assert_eq!(counted(&mut client, "b", json!({})), 1, "another name, another player");
    assert_eq!(
        counted(&mut client, "a", json!({ "moves": ["2"] })),
        1,
        "the moves do not continue the game: a new one"
    );
    let alone = client.ask(json!({ "op": "think", "game": "nim", "player": "counter" }));
    assert_eq!(alone["ok"]["depth"], 1, "without a session each request has a new player");
}

#[test]
fn another_player_seed_or_start_is_another_session() {
    for change in [
        json!({ "seed": 2 }),
        json!({ "rules": "misere" }),
        json!({ "position": "20 first" }),
        json!({ "game": "nim-plain" }),
    ] {
        let mut client = Client::new(Policy::LOCAL);
        assert_eq!(counted(&mut client, "a", json!({})), 1);
        assert_eq!(counted(&mut client, "a", json!({})), 2);
        assert_eq!(counted(&mut client, "a", change.clone()), 1, "{change}");
        assert_eq!(counted(&mut client, "a", json!({})), 1, "the first session was replaced");
    }
}

#[test]
fn drops_the_least_recently_used_session() {
    let mut client = Client::new(Policy { sessions: 2, ..Policy::LOCAL });
    assert_eq!(counted(&mut client, "a", json!({})), 1);
    assert_eq!(counted(&mut client, "b", json!({})), 1);
    assert_eq!(counted(&mut client, "a", json!({})), 2);
    assert_eq!(counted(&mut client, "c", json!({})), 1);
    assert_eq!(counted(&mut client, "a", json!({})), 3);
    assert_eq!(counted(&mut client, "b", json!({})), 1);
}

#[test]
fn connections_may_share_a_session_cache() {
    let cache = SessionCache::new(2);
    let mut one = Client::new(Policy::LOCAL).with_session_cache(&cache);
    let mut two = Client::new(Policy::LOCAL).with_session_cache(&cache);
    assert_eq!(counted(&mut one, "a", json!({})), 1);
    assert_eq!(counted(&mut two, "a", json!({})), 1, "one name, two connections");
    assert_eq!(counted(&mut one, "a", json!({})), 2);
    assert_eq!(counted(&mut one, "b", json!({})), 1);
    assert_eq!(cache.len(), 2);
    assert_eq!(counted(&mut two, "a", json!({})), 1, "it was dropped");
    two.finish();
    assert_eq!(cache.len(), 1, "sessions end with their connection");
}

#[test]
fn answers_requests_of_one_session_in_sequence() {
    // A player takes so long to make that the requests find none when they begin.
    let service = Service::new(nim::catalog(Data::in_memory()), Policy::LOCAL);
    let mut client = Client::of(Arc::new(service.with_players(Box::new(|game, rules, text, seed, _| {
        std::thread::sleep(Duration::from_millis(200));
        game.partial_player(rules, text, seed)
    }))));
    for id in 0..8 {
        let request = json!({ "id": id, "op": "think", "game": "nim", "player": "counter", "session": "a" });
        client.send(&request);
    }
    let mut counts: Vec<u64> =
        client.finish().iter().map(|answer| answer["ok"]["depth"].as_u64().expect("a count")).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn searches_are_timed_by_the_clock_of_the_service() {
    /// A second passes between any two looks at it.
    struct Leaps(AtomicU32);
    impl Clock for Leaps {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed).into())
        }
    }
    let service = Service::new(nim::catalog(Data::in_memory()), Policy::LOCAL);
    let mut client = Client::of(Arc::new(service.with_clock(|| Box::new(Leaps(AtomicU32::new(0))))));
    let mut request = endless(1);
    request["limits"] = json!({ "time_ms": 100_000 });
    client.send(&request);
    let answers = client.finish();
    let answer = &answers.last().expect("an answer")["ok"];
    assert!(answer["ms"].as_f64().is_some_and(|ms| ms >= 100_000.0), "the time is over: {answer}");
    assert!(answer["nodes"].as_u64().is_some_and(|nodes| nodes <= 100), "a millisecond each: {answer}");
}

#[test]
fn a_search_that_waits_for_its_session_can_be_stopped() {
    let mut client = Client::new(Policy::LOCAL);
    let in_session = |id: u64| {
        let mut request = endless(id);
        request["session"] = json!("a");
        request
    };
    client.send(&in_session(1));
    assert!(client.read()["info"].is_object(), "it searches");
    client.send(&in_session(2));
    client.send(&json!({ "id": 3, "op": "stop", "target": 2 }));
    assert_eq!(code(&client.answer(&json!(2))), "stopped");
    client.send(&json!({ "id": 4, "op": "stop", "target": 1 }));
    assert_eq!(client.answer(&json!(1))["ok"]["move"], "1");
}

#[test]
fn a_player_that_panics_ends_only_its_request() {
    let mut client = Client::new(Policy::LOCAL);
    client.send(&endless(1));
    let request = json!({ "op": "think", "game": "nim", "player": "panics" });
    for _ in 0..3 {
        let answer = client.ask(request.clone());
        assert_eq!(code(&answer), "internal");
        assert!(
            !answer["error"]["message"].as_str().expect("a sentence").contains("on purpose"),
            "the panic's message is not sent"
        );
    }
    client.send(&json!({ "id": 2, "op": "stop", "target": 1 }));
    assert!(client.answer(&json!(1))["ok"].is_object(), "the other search goes on");
}

#[test]
fn restarts_a_session_whose_player_panicked() {
    let mut client = Client::new(Policy::LOCAL);
    let request = json!({ "op": "think", "game": "nim", "player": "broken", "session": "a" });
    assert_eq!(client.ask(request.clone())["ok"]["depth"], 1);
    assert_eq!(code(&client.ask(request.clone())), "internal");
    assert_eq!(client.ask(request)["ok"]["depth"], 1);
}

#[test]
fn answers_contain_the_windows_that_were_asked_for() {
    let mut client = Client::new(Policy::LOCAL);
    let mut ask = |windows: Value| {
        let request = json!({ "id": 1, "op": "think", "game": "nim", "position": "7 first", "player": "engine",
            "limits": { "depth": 4 }, "windows": windows });
        client.ask(request)["ok"].clone()
    };
    let answer = ask(json!({}));
    let windows = &answer["windows"];
    assert_eq!((&windows["depth"], windows.get("unit")), (&answer["depth"], None));
    let visits = windows["visits"].as_array().expect("visits");
    assert_eq!(
        (&visits[0]["parent"], &visits[0]["move"], &visits[0]["window"]),
        (&Value::Null, &Value::Null, &json!([null, null]))
    );
    let best = visits.iter().find(|visit| visit["parent"] == 0 && visit["move"] == answer["move"]);
    assert_eq!(best.map(|best| &best["side"]), Some(&json!("second")));
    assert!(visits.iter().any(|visit| visit["end"] == "cut" && visit["cut"].is_array()), "{windows}");
    // Below a move: only this one of the root's.
    let below = ask(json!({ "at": ["2"], "depth": 1 }));
    let below = below["windows"]["visits"].as_array().expect("visits").clone();
    assert!(below.iter().filter(|visit| visit["parent"] == 0).all(|visit| visit["move"] == "2"));
    assert!(below.iter().any(|visit| visit["parent"] == 1));
}

#[test]
fn reports_contain_the_search_tree_that_was_asked_for() {
    let mut client = Client::new(Policy::LOCAL);
    let request = |more: Value| {
        let mut request = json!({ "id": 1, "op": "think", "game": "nim", "position": "7 first", "player": "mcts:solver=off",
            "limits": { "playouts": 1000 } });
        request.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        request
    };
    assert!(client.ask(request(json!({})))["ok"].get("trees").is_none());
    client.send(&request(json!({ "tree": { "depth": 2, "nodes": 9 } })));
    let mut reports = 0;
    let answer = loop {
        let message = client.read();
        match message.get("info") {
            // After so many playouts as the root counts, and the visits of its expansion.
            Some(info) => assert_eq!(info["trees"][0]["nodes"][0]["simulations"].as_f64(), info["playouts"].as_f64()),
            None => break message,
        }
        reports += 1;
    };
    assert!(reports > 0, "while the search goes on, too");
    let tree = &answer["ok"]["trees"][0];
    assert_eq!(answer["ok"]["trees"].as_array().map(Vec::len), Some(1));
    assert_eq!(tree["formula"]["name"], "ucb1");
    assert!(tree.get("last").is_none() && tree.get("decided").is_none());
    let nodes = tree["nodes"].as_array().expect("nodes");
    assert_eq!((nodes.len(), &nodes[0]["visits"], &nodes[0]["parent"]), (9, &json!(1000.0), &Value::Null));
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    for node in &nodes[1..] {
        let parent = &nodes[node["parent"].as_u64().expect("a parent") as usize];
        let [side, other] = [&node["side"], &parent["side"]];
        assert!(side != other && (side == "first" || side == "second"));
        // UCB1 with its default c, of the mean from the view of the side that chooses.
        let (total, visits) = (number(&parent["selection"]["total"]), number(&node["visits"]));
        let exploration = (2.0 * total.ln() / visits).sqrt();
        assert!((number(&node["score"]["exploration"]) - exploration).abs() < 2e-6);
        assert!((number(&node["score"]["mean"]) - number(&node["value"])).abs() < 1e-4);
    }
    // Taking three stones leaves four, from which the other side cannot win.
    assert_eq!((&nodes[1]["move"], &answer["ok"]["move"]), (&json!("3"), &json!("3")));
    // Below a move: the way to it, and its children.
    let below = client.ask(request(json!({ "tree": { "at": ["3"], "depth": 1 } })))["ok"]["trees"][0]["nodes"].clone();
    assert_eq!((&below[1]["move"], &below[1]["visits"]), (&json!("3"), &nodes[1]["visits"]));
    let below = below.as_array().expect("nodes");
    assert!(below.len() > 2 && below[2..].iter().all(|node| node["parent"] == 1), "{below:?}");
    let last = client.ask(request(json!({ "tree": { "depth": 0, "last": true } })))["ok"]["trees"][0]["last"].clone();
    let taken = ["line", "playout"].map(|part| {
        let moves = last[part].as_array().expect("moves").iter();
        moves.map(|m| m.as_str().and_then(|m| m.parse::<u64>().ok()).expect("a number")).collect::<Vec<_>>()
    });
    assert_eq!(taken.iter().flatten().sum::<u64>(), 7, "to the end of the game: {last}");
    assert_eq!(number(&last["value"]), f64::from(u8::from(taken.iter().flatten().count() % 2 == 1)));

    // With the solver a proof is shown at the node, and a session shows trees only where they are asked for.
    let proven = request(json!({ "player": "mcts", "session": "a", "tree": { "depth": 1 } }));
    let nodes = client.ask(proven.clone())["ok"]["trees"][0]["nodes"].clone();
    let three = nodes.as_array().expect("nodes").iter().find(|node| node["move"] == "3").expect("the best move");
    assert_eq!((&three["bounds"], &three["value"]), (&json!([1.0, 1.0]), &json!(1.0)));
    let mut without = proven;
    without.as_object_mut().expect("an object").remove("tree");
    assert!(client.ask(without)["ok"].get("trees").is_none());
}
