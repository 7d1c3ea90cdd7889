//! Compares the schema with the requests accepted and the responses sent.

use std::collections::BTreeSet;
use std::time::Duration;

use banmen_protocol::Policy;
use serde_json::{Map, Value, json};

use crate::connection::{Client, service};
use crate::schema_parts::{changed_parts_are_refused, part, places, schema, with};

fn policy() -> Policy {
    Policy { time: Some(Duration::from_millis(200)), ..Policy::LOCAL }
}

fn generated() -> Value {
    schema(&service(policy()))
}

/// Requests that succeed. Together they use all fields of all operations.
fn requests() -> Vec<Value> {
    let place = json!({ "game": "nim", "rules": "misere", "position": "9 second", "moves": ["two", "1"] });
    let at_place = |more: Value| {
        let mut request = place.as_object().expect("an object").clone();
        request.extend(more.as_object().expect("an object").clone());
        Value::Object(request)
    };
    let limits = json!({ "time_ms": 1000.5, "nodes": 10_000, "playouts": 5, "depth": 4, "turn_used_ms": 1,
        "clock": { "main_ms": 60_000.0, "increment_ms": 10, "cap_ms": 90_000, "byoyomi_ms": 5 } });
    let solver_limits = json!({ "time_ms": 1000, "nodes": 10_000, "playouts": 5, "depth": null, "turn_used_ms": 1,
        "clock": { "main_ms": 60_000, "increment_ms": 10, "cap_ms": 90_000, "byoyomi_ms": 5 } });
    let nulls = json!({ "time_ms": null, "nodes": null, "playouts": null, "depth": null, "clock": null });
    vec![
        json!({ "id": 1, "op": "games" }),
        json!({ "id": "two", "op": "players", "game": "nim" }),
        json!({ "op": "show", "game": "nim" }),
        json!({ "op": "show", "game": "nim", "position": "start", "moves": null, "rules": null, "dialect": null }),
        json!({ "op": "show", "game": "nim", "position": "2 second", "moves": ["2"] }),
        at_place(json!({ "id": 1.5, "op": "show", "dialect": "words" })),
        json!({ "op": "legal", "game": "nim" }),
        at_place(json!({ "id": 2, "op": "legal", "prefix": "1", "limit": 1 })),
        json!({ "op": "perft", "game": "nim", "depth": 0 }),
        at_place(json!({ "id": 3, "op": "perft", "depth": 2, "passes": "free" })),
        json!({ "op": "think", "game": "nim", "player": "random" }),
        json!({ "op": "think", "game": "nim", "player": "patient", "limits": nulls, "session": null }),
        json!({ "op": "think", "game": "nim", "player": "mcts:rave=20", "limits": { "playouts": 600 }, "tree": {} }),
        json!({ "op": "think", "game": "nim", "player": "mcts", "limits": { "playouts": 9 }, "tree": { "depth": 2, "visits": 0, "nodes": 20, "last": true } }),
        json!({ "op": "think", "game": "nim", "player": "engine", "limits": { "depth": 3 }, "windows": { "at": [], "depth": 2, "nodes": 20 } }),
        at_place(
            json!({ "id": 4, "op": "think", "player": "engine:level=3", "seed": u64::MAX, "threads": 2, "here": { "legal": ["1"] },
            "limits": limits, "lines": 3, "session": "a" }),
        ),
        json!({ "op": "solve", "game": "nim" }),
        at_place(json!({ "id": 5, "op": "solve", "all": true, "limits": solver_limits })),
        json!({ "id": null, "op": "stop", "target": "two" }),
        json!({ "id": 6, "op": "build", "game": "nim-table", "rules": "default" }),
        json!({ "id": 7, "op": "import", "game": "nim", "rules": "misere", "text": "Ann 9 3,1 resigns" }),
        at_place(json!({ "id": 8, "op": "export", "format": "line", "first": "Ann", "second": "Bo", "date": "today",
            "termination": { "winner": "first", "by": "resigns" } })),
    ]
}

/// The responses to a request, the final one last.
fn responses(request: &Value) -> Vec<Value> {
    let mut client = Client::new(policy());
    client.send(request);
    client.finish()
}

/// Visits every subschema.
fn subschemas<'s>(schema: &'s Value, path: &str, visit: &mut dyn FnMut(&str, &'s Map<String, Value>)) {
    match schema {
        Value::Object(fields) => {
            visit(path, fields);
            for (name, field) in fields {
                subschemas(field, &format!("{path}/{name}"), visit);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                subschemas(item, &format!("{path}/{index}"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn the_schema_is_valid() {
    assert!(jsonschema::meta::is_valid(&generated()));
}

#[test]
fn everything_is_described_and_closed() {
    let schema = generated();
    subschemas(&schema, "", &mut |path, fields| {
        if path.ends_with("/$defs") || path.ends_with("/properties") {
            for (name, field) in fields {
                let description = field["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{path}/{name} is not described");
                assert!(!description.contains("[`"), "{path}/{name} has a link of Rust's documentation");
            }
        }
        if fields.contains_key("properties") && !path.ends_with("/properties") {
            assert_eq!(
                fields.get("additionalProperties"),
                Some(&Value::Bool(false)),
                "{path} allows additional fields"
            );
        }
        if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
            assert!(schema.pointer(&target[1..]).is_some(), "{path} refers to a missing definition: {target}");
        }
    });
}

/// The generator adds a number to the name of a second type that has the name of another one.
#[test]
fn names_of_types_are_distinct() {
    let schema = generated();
    let numbered: Vec<&String> = schema["$defs"]
        .as_object()
        .expect("definitions")
        .keys()
        .filter(|name| name.ends_with(|last: char| last.is_ascii_digit()))
        .collect();
    assert!(numbered.is_empty(), "{numbered:?}");
}

#[test]
fn contains_every_operation() {
    let service = service(policy());
    let own = || service.operations.iter();
    let operations: BTreeSet<String> = own().map(|operation| operation.name.to_owned()).collect();
    let schema = generated();
    let defined = schema["$defs"].as_object().expect("definitions");
    for (end, searches_only) in [(".request", false), (".answer", false), (".info", true)] {
        let named: BTreeSet<String> =
            defined.keys().filter_map(|name| name.strip_suffix(end)).map(str::to_owned).collect();
        let wanted: BTreeSet<String> = if searches_only {
            // `perft` reports no progress.
            own().filter(|o| o.work.takes_time() && o.name != "perft").map(|o| o.name.to_owned()).collect()
        } else {
            operations.clone()
        };
        assert_eq!(named, wanted, "{end}");
    }
    for operation in own() {
        let request = &schema["$defs"][format!("{}.request", operation.name)];
        assert!(request["properties"]["op"]["const"] == operation.name);
        assert!(requests().iter().any(|request| request["op"] == operation.name), "a request for {}", operation.name);
    }
}

#[test]
fn accepts_requests_and_responses() {
    let schema = generated();
    let whole = jsonschema::draft202012::new(&schema).expect("usable");
    let (request, response) = (part(&schema, "request"), part(&schema, "response"));
    let mut infos = 0;
    for asked in requests() {
        assert!(request.is_valid(&asked) && whole.is_valid(&asked), "{asked}");
        let op = asked["op"].as_str().expect("an operation");
        assert!(part(&schema, &format!("{op}.request")).is_valid(&asked), "{asked}");
        let mut given = responses(&asked);
        let last = given.pop().expect("a final answer");
        assert_eq!(last["id"], asked["id"]);
        for message in given.iter().chain([&last]) {
            assert!(response.is_valid(message) && whole.is_valid(message), "{message}");
        }
        for info in given {
            part(&schema, &format!("{op}.info"))
                .validate(&info["info"])
                .unwrap_or_else(|error| panic!("{info}: {error}"));
            infos += 1;
        }
        assert!(last.get("ok").is_some(), "{asked}: {last}");
        part(&schema, &format!("{op}.answer")).validate(&last["ok"]).unwrap_or_else(|error| panic!("{last}: {error}"));
    }
    assert!(infos > 2);
}

#[test]
fn accepts_error_responses() {
    let response = part(&generated(), "response");
    for asked in [
        json!([]),
        json!({ "id": true, "op": "games" }),
        json!({ "op": "gaems" }),
        json!({ "op": "games", "x": 1 }),
        json!({ "op": "show", "game": "mill" }),
        json!({ "op": "show", "game": "nim", "rules": "x" }),
        json!({ "op": "show", "game": "nim", "dialect": "x" }),
        json!({ "op": "show", "game": "nim", "position": "x" }),
        json!({ "op": "show", "game": "nim", "position": "1000 first" }),
        json!({ "op": "show", "game": "nim", "moves": ["x"] }),
        json!({ "op": "show", "game": "nim", "moves": ["4"] }),
        json!({ "op": "perft", "game": "nim", "position": "999 first", "depth": 60 }),
        json!({ "op": "perft", "game": "nim", "depth": 101 }),
        json!({ "op": "think", "game": "nim", "player": "x" }),
        json!({ "op": "think", "game": "nim", "player": "engine:x=1" }),
        json!({ "op": "think", "game": "nim", "player": "engine:level=x" }),
        json!({ "op": "think", "game": "nim", "player": "engine:level=11" }),
        json!({ "op": "think", "game": "nim", "player": "engine:level" }),
        json!({ "op": "think", "game": "nim", "player": "rpc:x" }),
        json!({ "op": "think", "game": "nim", "player": "panics" }),
        json!({ "op": "think", "game": "nim", "position": "0 first" }),
        json!({ "op": "solve", "game": "nim-plain" }),
    ] {
        let given = responses(&asked);
        assert_eq!(given.len(), 1, "{asked}");
        assert!(given[0].get("error").is_some(), "{asked}");
        response.validate(&given[0]).unwrap_or_else(|error| panic!("{}: {error}", given[0]));
    }
}

/// The connection rejects exactly the requests that the schema rejects.
#[test]
fn changed_requests_are_refused_by_both_or_by_none() {
    let request = part(&generated(), "request");
    let others = [json!(null), json!(true), json!(-1), json!(1.5), json!(5000), json!("1"), json!({ "x": 1 })];
    let (mut refused, mut taken) = (0, 0);
    for asked in requests() {
        let mut found = Vec::new();
        places(&asked, String::new(), &mut found);
        let mut changed = Vec::new();
        for pointer in &found {
            if asked.pointer(pointer).is_some_and(Value::is_object) {
                changed.push(with(&asked, pointer, |place| place["unknown"] = json!(1)));
            }
            if !pointer.is_empty() {
                changed.extend(others.iter().map(|other| with(&asked, pointer, |place| *place = other.clone())));
            }
        }
        for asked in changed {
            let answer = responses(&asked).pop().expect("a final answer");
            let code = answer["error"]["code"].as_str().unwrap_or_default();
            // An unknown operation has its own error code.
            let bad = matches!(code, "bad_request" | "out_of_range" | "unknown_op");
            assert_eq!(request.is_valid(&asked), !bad, "{asked}: {answer}");
            if bad { refused += 1 } else { taken += 1 }
        }
    }
    assert!(refused > 300 && taken > 100, "{refused} refused, {taken} taken");
}

#[test]
fn accepts_progress_reports_of_a_table() {
    let info = part(&generated(), "solve.info");
    assert!(info.is_valid(&json!({ "building": 0.25 })));
    for wrong in [json!({ "building": 2 }), json!({ "building": "half" }), json!({ "building": 0.5, "score": 1 })] {
        assert!(!info.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn rejects_changed_responses() {
    let schema = generated();
    let mut changed = 0;
    // In trees fields may be absent: see the next test.
    for asked in requests().into_iter().filter(|asked| asked.get("tree").is_none()) {
        let op = asked["op"].as_str().expect("an operation");
        for message in responses(&asked) {
            let (name, kind) = if message.get("ok").is_some() { ("ok", "answer") } else { ("info", "info") };
            changed += changed_parts_are_refused(&part(&schema, &format!("{op}.{kind}")), &message[name]);
            if kind == "info" {
                break;
            }
        }
    }
    assert!(changed > 300, "{changed}");
}

#[test]
fn trees_fit_and_are_closed() {
    let fits = part(&generated(), "think.answer");
    let asked = requests().into_iter().filter(|asked| asked.get("tree").is_some());
    let mut changed = 0;
    for report in asked.map(|asked| responses(&asked).pop().expect("an answer")["ok"].clone()) {
        assert!(fits.is_valid(&report), "{report}");
        let mut found = Vec::new();
        places(&report["trees"], "/trees".to_owned(), &mut found);
        for pointer in found {
            let wrong = with(&report, &pointer, |place| *place = json!({ "wrong": 1 }));
            assert!(!fits.is_valid(&wrong), "{pointer}");
            if report.pointer(&pointer).is_some_and(Value::is_object) {
                let wrong = with(&report, &pointer, |place| place["unknown"] = json!(1));
                assert!(!fits.is_valid(&wrong), "{pointer}");
            }
            changed += 1;
        }
    }
    assert!(changed > 300, "{changed}");
}
