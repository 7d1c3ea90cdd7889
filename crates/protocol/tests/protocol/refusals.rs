//! Invalid input: the error messages and the places that they report.

use banmen_protocol::Policy;
use serde_json::{Value, json};

use crate::connection::Client;

/// Sends the operation `op` for `nim`, with `fields` added or replaced.
fn ask(op: &str, fields: &Value) -> Value {
    let mut request = json!({ "op": op, "game": "nim" });
    request.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    Client::new(Policy::LOCAL).ask(request)
}

#[track_caller]
fn refused(op: &str, fields: &Value, code: &str, reason: Option<&str>, at: Option<u64>, words: &str) -> Value {
    let answer = ask(op, fields);
    let error = &answer["error"];
    assert_eq!(error["code"], code, "{fields}: {answer}");
    assert_eq!(error["reason"].as_str(), reason, "{fields}: {answer}");
    assert_eq!(error["at"].as_u64(), at, "{fields}: {answer}");
    let message = error["message"].as_str().expect("a sentence");
    assert!(message.contains(words), "{fields}: {message}");
    error["args"].clone()
}

#[test]
fn unknown_names() {
    let args = refused(
        "show",
        &json!({ "game": "nmi" }),
        "unknown_game",
        None,
        None,
        "no game `nmi`; the nearest name is `nim`",
    );
    assert_eq!(args, json!({ "name": "nmi", "nearest": "nim" }));
    refused("shwo", &json!({}), "unknown_op", None, None, "the nearest name is `show`");
    refused("show", &json!({ "rules": "misery" }), "unknown_rules", None, None, "the nearest name is `misere`");
    refused("show", &json!({ "dialect": "wrods" }), "unknown_dialect", None, None, "the nearest name is `words`");
    refused("think", &json!({ "player": "radnom" }), "unknown_player", None, None, "the nearest name is `random`");
    refused("think", &json!({ "player": "" }), "unknown_player", None, None, "there is no player ``");
    refused("think", &json!({ "player": "engine:levle=3" }), "unknown_key", None, None, "the nearest name is `level`");
    refused("players", &json!({ "game": "" }), "unknown_game", None, None, "there is no game ``");
    refused("show", &json!({ "game": null }), "bad_request", None, None, "names no `game`");
}

#[test]
fn invalid_values_of_keys_and_fields() {
    for (player, code, words) in [
        ("engine:level=11", "out_of_range", "`level` must be an integer from 1 to 10, not `11`"),
        ("engine:level=-1", "out_of_range", "from 1 to 10"),
        ("engine:level=ten", "bad_value", "an integer from 1 to 10, not `ten`"),
        ("engine:level=99999999999999999999", "bad_value", "from 1 to 10"),
        ("engine:level", "bad_player", "key=value"),
        ("deaf:noise=1.5", "out_of_range", "a number from 0 to 1"),
        ("deaf:noise=NaN", "out_of_range", "a number from 0 to 1"),
        ("deaf:mood=god", "bad_value", "the nearest name is `good`"),
        ("deaf:list=1/2/3", "bad_value", "2 integers from 0 to 9, separated by `/`, but `1/2/3` has 3"),
        ("deaf:list=1/10", "out_of_range", "2 integers from 0 to 9"),
    ] {
        refused("think", &json!({ "player": player }), code, None, None, words);
    }
    for (op, field, value, range) in [
        ("think", "lines", 0, "1..64"),
        ("think", "lines", 65, "1..64"),
        ("think", "threads", 0, "1..256"),
        ("think", "threads", 257, "1..256"),
        ("solve", "threads", 0, "1..256"),
        ("solve", "threads", 257, "1..256"),
        ("solve", "table", 0, "1..1048576"),
        ("solve", "table", 1_048_577, "1..1048576"),
        ("perft", "depth", 101, "0..100"),
        ("legal", "limit", 4097, "0..4096"),
    ] {
        let args = refused(
            op,
            &json!({ field: value }),
            "out_of_range",
            None,
            None,
            &format!("`{field}` must be from {}, not `{value}`", range.replace("..", " to ")),
        );
        assert_eq!(args, json!({ "key": field, "range": range }));
    }
}

#[test]
fn trees_are_bounded_and_need_a_player_that_has_one() {
    for (tree, key, range) in [
        (json!({ "depth": 101 }), "tree.depth", "0..100"),
        (json!({ "nodes": 0 }), "tree.nodes", "1..2000"),
        (json!({ "nodes": 2001 }), "tree.nodes", "1..2000"),
    ] {
        let args = refused("think", &json!({ "player": "mcts", "tree": tree }), "out_of_range", None, None, key);
        assert_eq!(args, json!({ "key": key, "range": range }));
    }
    for player in ["random", "engine", "patient"] {
        let words = "shows no search tree, as `mcts` does";
        refused("think", &json!({ "player": player, "tree": {} }), "unsupported", None, None, words);
    }
}

#[test]
fn windows_are_bounded_and_need_a_player_that_has_them() {
    for (windows, key, range) in
        [(json!({ "depth": 0 }), "windows.depth", "1..100"), (json!({ "nodes": 2001 }), "windows.nodes", "1..2000")]
    {
        let args =
            refused("think", &json!({ "player": "engine", "windows": windows }), "out_of_range", None, None, key);
        assert_eq!(args, json!({ "key": key, "range": range }));
    }
    let words = "shows no windows of an alpha-beta search";
    refused("think", &json!({ "player": "mcts", "windows": {} }), "unsupported", None, None, words);
    for field in ["windows", "tree"] {
        let player = if field == "tree" { "mcts" } else { "engine" };
        refused(
            "think",
            &json!({ "player": player, field: { "at": ["9"] } }),
            "illegal_move",
            Some("count"),
            None,
            "1 to 3 stones",
        );
    }
}

#[test]
fn fields_of_the_wrong_kind_are_named() {
    for (op, fields, field) in [
        ("think", json!({ "seed": -1 }), "seed"),
        ("think", json!({ "lines": "two" }), "lines"),
        ("think", json!({ "limits": { "time_ms": "long" } }), "limits.time_ms"),
        ("think", json!({ "limits": { "clock": { "main_ms": -5 } } }), "limits.clock.main_ms"),
        ("think", json!({ "limits": { "tiem_ms": 5 } }), "limits.tiem_ms"),
        ("show", json!({ "moves": ["1", 2] }), "moves[1]"),
        ("show", json!({ "position": 5 }), "position"),
        ("think", json!({ "tree": 5 }), "tree"),
        ("think", json!({ "tree": { "nodes": "all" } }), "tree.nodes"),
        ("think", json!({ "tree": { "height": 5 } }), "tree.height"),
        ("perft", json!({ "depth": 1, "passes": "dear" }), "passes"),
        ("show", json!({ "colour": 1 }), "colour"),
    ] {
        let args = refused(op, &fields, "bad_request", None, None, field);
        assert_eq!(args, json!({ "field": field }));
    }
    // In the words of JSON, not in those of Rust.
    for (op, fields, sentence) in [
        ("think", json!({ "seed": -1 }), "`seed`: invalid value: integer `-1`, expected a whole number from 0"),
        ("think", json!({ "lines": true }), "`lines`: invalid type: boolean `true`, expected a whole number from 0"),
        (
            "perft",
            json!({ "depth": 1_u64 << 32 }),
            "`depth`: invalid value: integer `4294967296`, expected a whole number from 0 to 4294967295",
        ),
        (
            "think",
            json!({ "limits": { "time_ms": -0.5 } }),
            "`limits.time_ms`: invalid value: floating point `-0.5`, expected a number of milliseconds from 0 to 2^64",
        ),
        ("think", json!({ "limits": 5 }), "`limits`: invalid type: integer `5`, expected an object"),
        ("show", json!({ "moves": {} }), "`moves`: invalid type: object, expected a list"),
    ] {
        refused(op, &fields, "bad_request", None, None, sentence);
    }
    // All that a request may have is listed, but not below a field.
    refused(
        "show",
        &json!({ "colour": 1 }),
        "bad_request",
        None,
        None,
        "beside `game`, `rules`, `position` and `moves`",
    );
    let nested = Client::new(Policy::LOCAL).ask(json!({ "op": "think", "game": "nim", "limits": { "tiem_ms": 5 } }));
    assert!(!nested["error"]["message"].as_str().expect("a message").contains("beside"), "{nested}");
    refused("perft", &json!({}), "bad_request", None, None, "missing field `depth`");
    let answer = Client::new(Policy::LOCAL).ask(json!({ "op": "games", "game": "nim" }));
    assert_eq!(answer["error"]["code"], "bad_request", "no operation takes what it does not use");
}

#[test]
fn invalid_positions() {
    for (text, code, reason, at) in [
        ("", "bad_position", "no_side", 0),
        ("twelve first", "bad_position", "no_number", 0),
        ("12", "bad_position", "no_side", 2),
        ("12 third", "bad_position", "no_side", 3),
        ("1000 first", "bad_position", "too_many", 0),
    ] {
        let words = format!("character {}", at + 1);
        refused("show", &json!({ "position": text }), code, Some(reason), Some(at), &words);
    }
}

#[test]
fn moves_that_cannot_be_played_are_numbered() {
    let args = refused(
        "show",
        &json!({ "moves": ["1", "4", "1"] }),
        "illegal_move",
        Some("count"),
        Some(2),
        "move 2: a move takes 1 to 3",
    );
    assert_eq!(args, json!({ "move": "4" }));
    refused("show", &json!({ "moves": ["1 2 3", "two nine"] }), "bad_move", Some("no_number"), Some(5), "move 5: ");
    let end = json!({ "position": "2 first", "moves": ["3"] });
    refused("show", &end, "illegal_move", Some("too_few"), Some(1), "move 1: only 2 stones are left");
    let after = json!({ "position": "2 first", "moves": ["2", "1"] });
    refused("show", &after, "illegal_move", Some("game_over"), Some(2), "move 2: `1` comes after the end of the game");
    for op in ["legal", "think", "solve"] {
        refused(op, &json!({ "moves": ["9"] }), "illegal_move", Some("count"), Some(1), "move 1: ");
    }
    refused("perft", &json!({ "moves": ["9"], "depth": 1 }), "illegal_move", Some("count"), Some(1), "move 1: ");
}

#[test]
fn operations_that_do_not_apply() {
    refused("think", &json!({ "position": "0 first" }), "game_over", None, None, "the game is over");
    refused("solve", &json!({ "game": "nim-plain" }), "unsupported", None, None, "nim-plain has no solver");
}

#[test]
fn an_unknown_player_is_named_before_its_keys_are_read() {
    let words = "there is no player `riddle`";
    refused("think", &json!({ "player": "riddle:python3 bot.py" }), "unknown_player", None, None, words);
    let bounded = Client::new(Policy { table_mib: Some(8), ..Policy::LOCAL })
        .ask(json!({ "op": "think", "game": "nim", "player": "riddle:python3 bot.py" }));
    assert_eq!(bounded["error"]["code"], "unknown_player", "{bounded}");
}

#[test]
fn limits_of_zero() {
    for op in ["think", "solve"] {
        for name in ["nodes", "playouts", "depth"] {
            let words = format!("{name}=0 allows nothing: it begins at 1");
            refused(op, &json!({ "limits": { name: 0 } }), "out_of_range", None, None, &words);
        }
    }
}

#[test]
fn limits_that_a_solver_lacks() {
    let words = "nim is solved to the end of the game, without a limit of depth";
    refused("solve", &json!({ "limits": { "depth": 4, "nodes": 1000 } }), "unsupported", None, None, words);
    let words = "nim-table is solved by a table, which takes no limits";
    for limits in [
        json!({ "time_ms": 1000 }),
        json!({ "nodes": 5 }),
        json!({ "playouts": 5 }),
        json!({ "depth": 4 }),
        json!({ "clock": { "main_ms": 1000 } }),
        json!({ "turn_used_ms": 1 }),
    ] {
        refused("solve", &json!({ "game": "nim-table", "limits": limits }), "unsupported", None, None, words);
    }
    let none = json!({ "time_ms": null, "nodes": null, "playouts": null, "depth": null, "clock": null });
    for limits in [none, json!({ "time_ms": 1000, "nodes": 1000, "playouts": 1000, "clock": { "main_ms": 1000 } })] {
        let answer = ask("solve", &json!({ "limits": limits }));
        assert!(answer.get("ok").is_some(), "{limits}: {answer}");
    }
}

#[test]
fn table_sizes_above_the_policy() {
    let ask = |policy: Policy, player: &str| {
        Client::new(policy).ask(json!({ "op": "think", "game": "nim", "position": "3 first", "player": player }))
    };
    let small = Policy { table_mib: Some(8), ..Policy::LOCAL };
    assert_eq!(ask(small.clone(), "engine:table=9")["error"]["args"]["range"], "integer 1..8");
    assert!(ask(small, "engine:table=8")["ok"].is_object());
    assert!(ask(Policy::LOCAL, "engine:table=32")["ok"].is_object());
    let solve = |mib: Option<u64>| {
        let small = Policy { table_mib: Some(8), ..Policy::LOCAL };
        Client::new(small).ask(json!({ "op": "solve", "game": "nim", "position": "3 first", "table": mib }))
    };
    assert_eq!(solve(Some(9))["error"]["args"]["range"], "1..8");
    assert!(solve(Some(8))["ok"].is_object() && solve(None)["ok"].is_object());
}

#[test]
fn quoted_text_is_short_and_has_no_control_characters() {
    let nasty = format!("\u{1b}[31m{}", "x".repeat(50_000));
    for (op, fields) in [
        ("show", json!({ "game": nasty })),
        ("show", json!({ "rules": nasty })),
        ("show", json!({ "dialect": nasty })),
        ("show", json!({ "moves": [nasty] })),
        ("show", json!({ nasty.as_str(): 1 })),
        ("think", json!({ "player": nasty })),
        ("think", json!({ "limits": { nasty.as_str(): 1 } })),
        ("think", json!({ "lines": nasty })),
        ("think", json!({ "player": format!("engine:{nasty}=1") })),
        ("think", json!({ "player": format!("engine:level={nasty}") })),
        (nasty.as_str(), json!({})),
    ] {
        let answer = ask(op, &fields);
        let error = answer["error"].to_string();
        assert!(error.len() < 2000, "{} bytes: {error:.200}", error.len());
        assert!(!error.contains("\\u001b"), "{error}");
    }
}
