//! Blokus Duo with other programs: the contests' protocol at both ends, on standard streams and over TCP.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

const BANMEN: &str = env!("CARGO_BIN_EXE_banmen");

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("blokus-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn run(folder: &std::path::Path, args: &[&str]) -> Output {
    let mut command = Command::new(BANMEN);
    command.arg("--data").arg(folder).args(args).stdin(Stdio::null()).output().expect("it starts")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// An engine of the contests.
fn engine(args: &[&str]) -> Child {
    let mut command = Command::new(BANMEN);
    command.args(["engine", "blokus", "--protocol", "fpt", "--player", "random"]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

#[test]
fn contest_engines_play_whole_games() {
    let home = folder("contest");
    let program = format!("fpt:'{BANMEN}' engine blokus --protocol fpt --rules contest --player random");
    let args = ["match", "blokus", &program, "random", "--rules", "contest", "--openings", "random:0", "--games", "4", "--json"];
    let score = json(&run(&home, &args));
    assert_eq!(score["games"], 4, "{score}");
    for player in 0..2 {
        let spent = &score["totals"][player];
        assert_eq!(spent["faults"], 0, "{score}");
        assert!(spent["moves"].as_u64() > Some(20), "{score}");
    }
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn contest_engine_answers_without_line_ends() {
    let mut child = engine(&[]);
    let mut input = child.stdin.take().expect("an input");
    // Each answer is awaited: nothing waits for a line end.
    let mut output = child.stdout.take().expect("an output");
    for (request, length) in [("0", 3), ("3A65", 0), ("u0", 4)] {
        input.write_all(request.as_bytes()).and_then(|()| input.flush()).expect("it reads");
        let mut answer = vec![0; length];
        std::io::Read::read_exact(&mut output, &mut answer).expect("an answer");
        assert!(answer.is_ascii() && !answer.contains(&b'\n'));
    }
    input.write_all(b"9").expect("it reads");
    assert!(child.wait().expect("it ends").success(), "the end of the game ends it");
}

#[test]
fn engines_listen_and_connect() {
    let home = folder("tcp");
    let mut listening = engine(&["--listen", "0"]);
    let mut line = String::new();
    BufReader::new(listening.stderr.take().expect("messages")).read_line(&mut line).expect("a line");
    let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let player = format!("fpt:tcp:{address}");
    let think = |player: &str| json(&run(&home, &["think", "blokus", "--player", player, "--moves", "f9,e10,f10,g10,f11", "--json"]));
    assert!(think(&player)["move"].as_str().is_some_and(|text| text.contains("j5")));
    assert!(listening.wait().expect("it ends").success());
    // The other way round, the game is where the engine connects.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let connecting = std::thread::spawn(move || {
        // Until somebody listens, the connection is refused.
        while !engine(&["--connect", &port.to_string()]).wait().expect("it ends").success() {}
    });
    assert!(think(&format!("fpt:tcp-listen:{port}"))["move"].as_str().is_some_and(|text| text.contains("j5")));
    connecting.join().expect("no panic");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn an_address_that_is_none_is_refused() {
    for (args, why) in [
        (&["engine", "blokus", "--protocol", "fpt", "--listen", "host:1"][..], "an IP address, a colon and a port"),
        (&["engine", "blokus", "--protocol", "fpt", "--listen", "1", "--connect", "1"], "cannot be used with"),
        (&["engine", "othello", "--protocol", "fpt"], "is not played over the protocol of the FPGA contests"),
        (&["think", "blokus", "--player", "fpt:tcp:host"], "character 5: `tcp:host`: a port, or an IP address"),
    ] {
        let output = run(&folder("bad"), args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(why), "{args:?}: {message}");
    }
}
