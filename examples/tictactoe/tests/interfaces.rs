//! The game in every interface: command line, protocol, match, HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// The program, with a data directory for these tests: matches are stored.
fn program(arguments: &[&str]) -> Command {
    let data = format!("{}/data-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tictactoe"));
    command.args(arguments).args(["--data", &data]);
    command
}

/// The JSON that a call prints.
fn printed(arguments: &[&str]) -> Value {
    let output = program(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// A process that is killed when dropped, also when the test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn is_listed_with_the_built_in_games() {
    let games = printed(&["games", "--json"]);
    let names: Vec<&str> =
        games["games"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"othello") && names.contains(&"tictactoe"), "{names:?}");
}

#[test]
fn is_shown_and_searched_over_the_protocol() {
    let mut child = Running(program(&["rpc"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    // In the second one, the side to move completes its row.
    let requests = [
        json!({ "id": 1, "op": "show", "game": "tictactoe", "moves": ["b2", "a1"] }),
        json!({ "id": 2, "op": "think", "game": "tictactoe", "position": "xx./oo./...", "limits": { "depth": 9 } }),
    ];
    let mut input = child.0.stdin.take().unwrap();
    for request in requests {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let answers: Vec<Value> = BufReader::new(child.0.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    let answer = |id: u64| &answers.iter().find(|answer| answer["id"] == id && answer["info"].is_null()).unwrap()["ok"];

    assert_eq!(answer(1)["position"], "o../.x./...");
    assert_eq!(answer(1)["legal"], json!(["b1", "c1", "a2", "c2", "a3", "b3", "c3"]));
    assert_eq!(answer(1)["board"]["cells"][0]["tags"], json!(["last"]));
    assert_eq!(answer(1)["board"]["cells"][1]["tags"], json!(["legal"]), "the default view plays a cell by its name");
    assert_eq!((&answer(2)["move"], &answer(2)["value"]), (&json!("c1"), &json!(1.0)));
}

#[test]
fn never_loses_with_the_generic_engine() {
    let score = printed(&[
        "match",
        "tictactoe",
        "engine",
        "random",
        "--games",
        "10",
        "--depth",
        "9",
        "--openings",
        "random:0",
        "--json",
    ]);
    assert_eq!((&score["games"], &score["losses"]), (&json!(10), &json!(0)), "{score}");
    assert!(score["wins"].as_u64() > Some(0), "{score}");
}

/// The player with a selection rule of this crate finds the move that wins, by its key too, and its tree names the rule.
#[test]
fn plays_by_a_rule_of_its_own() {
    let position = ["think", "tictactoe", "--position", "xx./oo./...", "--playouts", "200"];
    for player in ["cube-root", "cube-root:c=0.5"] {
        let report = printed(&[&position[..], &["--json", "--player", player]].concat());
        assert_eq!(report["move"], json!("c1"), "{report}");
    }
    let shown = ["think", "tictactoe", "--player", "cube-root", "--playouts", "20", "--tree"];
    let output = program(&shown).output().expect("the program runs");
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(tree.contains("q + cube-root, c = 1"), "{tree}");
    let score = printed(&["match", "tictactoe", "cube-root", "random", "--games", "20", "--playouts", "200", "--json"]);
    assert!(score["wins"].as_u64() > score["losses"].as_u64(), "{score}");
}

#[test]
fn is_shown_by_the_server() {
    let command = &mut program(&["serve", "--listen", "127.0.0.1:0"]);
    let mut server = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut output = BufReader::new(server.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = output
        .find_map(|line| line.split_whitespace().find_map(|word| word.strip_prefix("http://")).map(str::to_owned))
        .expect("the server prints its address");
    let address = address.trim_end_matches('/');

    let body = json!({ "game": "tictactoe", "position": "xxx/oo./..." }).to_string();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/show HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let answer: Value = serde_json::from_str(body).expect("JSON, in one piece");
    assert_eq!(answer["ok"]["outcome"], json!({ "winner": "first", "margin": null, "by": "line" }));
}
