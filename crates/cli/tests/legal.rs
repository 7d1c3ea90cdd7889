//! The operation `legal` when there are too many moves to list.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The answers to `legal` requests, in order.
fn legal(requests: &[Value]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_banmen"))
        .arg("rpc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    for (id, request) in requests.iter().enumerate() {
        let mut request = request.clone();
        request["id"] = id.into();
        request["op"] = "legal".into();
        writeln!(input, "{request}").expect("the program reads");
    }
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let mut answers: Vec<Value> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON on each line"))
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), requests.len());
    answers.into_iter().map(|answer| answer["ok"].clone()).collect()
}

/// A reference implementation of `legal`, for a list of all moves.
fn plainly(all: &[String], prefix: &str, limit: usize) -> Value {
    let found: Vec<&String> = all.iter().filter(|text| text.starts_with(prefix)).collect();
    let mut next: Vec<&str> = Vec::new();
    for rest in found.iter().map(|text| &text[prefix.len()..]).filter(|rest| !rest.is_empty()) {
        let part = rest[1..].find([' ', ',']).map_or(rest, |at| &rest[..at + 1]);
        if next.len() < limit && !next.contains(&part) {
            next.push(part);
        }
    }
    let moves = &found[..limit.min(found.len())];
    json!({ "count": found.len(), "moves": moves, "next": next })
}

#[test]
fn finds_moves_by_prefix() {
    let board = "0.1..1/.10.../.0.1../00..1. 0 0";
    let all = legal(&[json!({ "game": "golad", "position": board })]).remove(0);
    let all: Vec<String> = serde_json::from_value(all["moves"].clone()).expect("texts");
    assert_eq!(all.len(), 1 + 10 + 14 * 10, "pass, kills, births");
    let prefixes = [
        "",
        "b",
        "birth",
        "birth ",
        "birth 1",
        "birth 1,",
        "birth 1,0",
        "birth 1,0 ",
        "birth 1,0 0",
        "birth 1,0 0,0",
        "birth 1,0 0,0 ",
        "birth 1,0 0,0 1,2",
        "birth 1,0 0,0 1,2 ",
        "birth 1,0 1,3",
        "kill",
        "kill 0,",
        "kill 0,0",
        "kill 0,0 ",
        "pass",
        "pass ",
        "birth 0,0",
        "birth  1,0",
        "q",
    ];
    let cases: Vec<(&str, usize)> =
        prefixes.iter().flat_map(|&prefix| [0, 1, 3, 4096].map(|limit| (prefix, limit))).collect();
    let ask = |&(prefix, limit): &(&str, usize)| json!({ "game": "golad", "position": board, "prefix": prefix, "limit": limit });
    let answers = legal(&cases.iter().map(ask).collect::<Vec<_>>());
    for ((prefix, limit), answer) in cases.into_iter().zip(answers) {
        assert_eq!(answer, plainly(&all, prefix, limit), "`{prefix}` up to {limit}");
    }
}

#[test]
fn counts_a_million_moves_by_prefix() {
    let ask = |prefix: &str, limit: u64| json!({ "game": "golad", "prefix": prefix, "limit": limit });
    let answers = legal(&[ask("", 4096), ask("birth 0,0 ", 2), ask("birth 0,0 4,0 ", 2)]);
    assert_eq!(answers[0]["count"], 162_321);
    assert_eq!(answers[0]["moves"].as_array().map(Vec::len), Some(4096));
    assert_eq!(answers[0]["next"], json!(["pass", "kill", "birth"]));
    let expected = json!({ "count": 780, "moves": ["birth 0,0 4,0 5,0", "birth 0,0 4,0 11,0"], "next": ["4", "5"] });
    assert_eq!(answers[1], expected);
    let expected = json!({ "count": 39, "moves": ["birth 0,0 4,0 5,0", "birth 0,0 4,0 11,0"], "next": ["5", "11"] });
    assert_eq!(answers[2], expected);
}
