//! Any input gets exactly one final answer and causes no panic.

use std::time::Duration;

use banmen_protocol::Policy;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::connection::{Client, service};

/// Short searches, so that the test can send many requests.
fn policy() -> Policy {
    Policy { time: Some(Duration::from_millis(5)), table_mib: Some(1), ..Policy::LOCAL }
}

/// The final answer to a text.
fn answer(text: &str) -> Value {
    let mut client = Client::new(policy());
    client.text(text);
    let mut finals: Vec<Value> = client.finish().into_iter().filter(|message| message.get("info").is_none()).collect();
    assert_eq!(finals.len(), 1, "{text}: {finals:?}");
    let answer = finals.remove(0);
    assert!(answer.get("ok").is_some() != answer.get("error").is_some(), "{text}: {answer}");
    assert_ne!(answer["error"]["code"], "internal", "{text}: a panic");
    answer
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Values, many of which are valid for some field.
fn likely() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "nim",
        "nim-plain",
        "misere",
        "start",
        "12 second",
        "999 first",
        "1000 first",
        "0 first",
        "words",
        "digits",
        "1",
        "two",
        "3 1 2",
        "engine",
        "engine:level=2",
        "engine:table=1",
        "engine:table=9",
        "random",
        "counter",
        "patient",
        "rpc:x",
        "free",
        "cost",
        "",
    ];
    prop_oneof![
        4 => proptest::sample::select(WORDS).prop_map(Value::from),
        1 => (0_u64..5).prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => vec(proptest::sample::select(vec!["1", "2", "three", "4", "x", "1 1"]), 0..9).prop_map(Value::from),
        1 => proptest::sample::select(vec!["time_ms", "nodes", "depth", "clock", "x"])
            .prop_flat_map(|name| any_json().prop_map(move |value| json!({ name: value }))),
        1 => any_json(),
    ]
}

/// Requests, many of which are nearly valid.
fn nearly_right() -> impl Strategy<Value = Value> {
    const NAMES: &[&str] = &[
        "game", "rules", "position", "moves", "dialect", "prefix", "limit", "depth", "passes", "player", "seed",
        "threads", "limits", "lines", "session", "all", "target", "other",
    ];
    let names = service(policy()).operations.iter().map(|operation| operation.name).collect::<Vec<_>>();
    let op = proptest::sample::select(names);
    let fields = btree_map(proptest::sample::select(NAMES), likely(), 0..5);
    (op, fields, any::<bool>()).prop_map(|(op, fields, named)| {
        let mut request: Map<String, Value> =
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        request.insert("op".to_owned(), op.into());
        request.insert("id".to_owned(), 17.into());
        if named {
            request.insert("game".to_owned(), "nim".into());
        }
        Value::Object(request)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_text_is_answered_once(text in "\\PC{0,200}") {
        answer(&text);
    }

    #[test]
    fn any_json_is_answered_once(json in any_json()) {
        answer(&json.to_string());
    }

    #[test]
    fn any_request_is_answered_once(request in nearly_right()) {
        prop_assert_eq!(&answer(&request.to_string())["id"], 17);
    }

    #[test]
    fn a_cut_request_is_answered_once(request in nearly_right(), cut in any::<prop::sample::Index>()) {
        let text = request.to_string();
        let end = text.char_indices().map(|(at, _)| at).nth(cut.index(text.chars().count())).unwrap_or(0);
        prop_assert_eq!(&answer(&text[..end])["error"]["code"], "bad_json");
    }
}
