//! Whole games in formats that other programs read.

use banmen_protocol::Policy;
use serde_json::{Value, json};

use crate::connection::Client;

fn ask(request: Value) -> Value {
    Client::new(Policy::LOCAL).ask(request)
}

#[test]
fn imports_the_games_of_a_text() {
    let answer = ask(json!({ "op": "import", "game": "nim", "text": "Ann 9 3,1 resigns\nBo 4 1,3\n" }));
    let game = json!({ "position": "9 first", "moves": ["3", "1"], "sides": ["first", "second"], "first": "Ann",
        "second": "", "date": "", "termination": { "winner": "second", "by": "resigns" } });
    assert_eq!(answer["ok"]["games"][0], game);
    assert_eq!(answer["ok"]["games"][1]["termination"], json!(null));
    assert_eq!(answer["ok"]["games"].as_array().map(Vec::len), Some(2));
}

#[test]
fn exports_a_game_as_it_is_imported() {
    let answer =
        ask(json!({ "op": "export", "game": "nim", "position": "9 first", "moves": ["3", "1"], "format": "line",
        "first": "Ann", "termination": { "winner": "second", "by": "resigns" } }));
    assert_eq!(answer["ok"], json!({ "text": "Ann 9 3,1 resigns\n" }));
}

#[test]
fn refuses_what_is_no_record_and_games_without_formats() {
    let code = |request: Value| ask(request)["error"]["code"].clone();
    let text = ask(json!({ "op": "import", "game": "nim", "text": "nonsense" }));
    assert_eq!((&text["error"]["code"], &text["error"]["reason"]), (&json!("bad_record"), &json!("no_game")));
    let empty = ask(json!({ "op": "import", "game": "nim", "text": "" }));
    assert_eq!((&empty["error"]["code"], &empty["error"]["reason"]), (&json!("bad_record"), &json!("no_games")));
    assert_eq!(code(json!({ "op": "import", "game": "nim", "rules": "x", "text": "" })), "unknown_rules");
    assert_eq!(code(json!({ "op": "import", "game": "nim-plain", "text": "" })), "unsupported");
    assert_eq!(code(json!({ "op": "export", "game": "nim-plain", "format": "line" })), "unsupported");
    assert_eq!(code(json!({ "op": "export", "game": "nim", "format": "lines" })), "unknown_format");
}

#[test]
fn an_import_may_be_longer_than_other_requests() {
    let policy = Policy { request_bytes: 100, import_bytes: 200, ..Policy::LOCAL };
    let mut client = Client::new(policy);
    let import = |game: &str, size: usize| {
        let text = format!("{{\"id\":1,\"op\":\"{game}\",\"game\":\"nim\",\"text\":\"Ann 9 3\"");
        format!("{text}{}}}", " ".repeat(size - text.len() - 1))
    };
    for (text, code) in [
        (import("import", 200), json!(null)),
        (import("import", 201), json!("too_large")),
        (import("show", 101), json!("too_large")),
    ] {
        client.text(&text);
        assert_eq!(client.read()["error"]["code"], code, "{}", text.len());
    }
}
