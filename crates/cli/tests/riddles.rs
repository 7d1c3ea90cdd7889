//! Both ends of the riddles.io protocol: built-in players run as bots of the site, in Banmen's arena.

#![cfg(unix)]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const BANMEN: &str = env!("CARGO_BIN_EXE_banmen");

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("riddles-{name}-{}", std::process::id()))
}

fn banmen(folder: &std::path::Path, args: &[&str]) -> Output {
    let mut command = Command::new(BANMEN);
    let output = command.arg("--data").arg(folder).args(args).stdin(Stdio::null()).output().expect("it starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn said(folder: &std::path::Path, args: &[&str]) -> String {
    String::from_utf8(banmen(folder, args).stdout).expect("text")
}

#[test]
fn riddles_bots_play_without_faults_and_export_site_logs() {
    let home = folder("pair");
    let bot = |player: &str| format!("riddles:'{BANMEN}' engine golad --protocol riddles --player {player}");
    let (first, second) = (bot("random"), bot("mcts:playouts=2"));
    let score = said(&home, &["match", "golad", &first, &second, "--games", "2", "--tc", "20s+100ms/20s", "--json"]);
    let score: Value = serde_json::from_str(score.trim()).expect("JSON");
    assert_eq!(score["games"], 2);
    for player in 0..2 {
        let spent = &score["totals"][player];
        assert_eq!(spent["faults"], 0, "{score}");
        assert!(spent["moves"].as_u64() > Some(1), "{score}");
    }
    let log = said(&home, &["records", "export", "1"]);
    let first_game: Value = serde_json::from_str(log.lines().next().expect("a game")).expect("a log");
    assert_eq!(first_game["settings"]["players"]["names"], serde_json::json!([first, second]));
    assert_eq!(first_game["settings"]["board"], serde_json::json!({ "width": 18, "height": 16 }));
    let moves = said(&home, &["records", "export", "1", "--format", "moves"]);
    let (other, file) = (folder("import"), home.join("games.json"));
    std::fs::write(&file, &log).expect("a file");
    let imported = said(&other, &["records", "import", "golad", &file.display().to_string()]);
    assert!(imported.starts_with("2 games"), "{imported}");
    // The starting position is written in a different way.
    let behind = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.rsplit_once("\" ").expect("a position and moves").1.to_owned()).collect()
    };
    let mut again: Vec<String> = Vec::new();
    for id in ["1", "2"] {
        again.extend(behind(&said(&other, &["records", "export", id, "--format", "moves"])));
    }
    assert_eq!(again, behind(&moves));
    for folder in [home, other] {
        let _ = std::fs::remove_dir_all(folder);
    }
}

#[test]
fn reports_lost_turns_with_games() {
    let home = folder("lost");
    // A bot with one legal move, then an illegal one.
    let script = "while read -r line; do case $line in action*) echo ${move:-pass}; move='kill 99,99';; esac; done";
    let bot = format!("riddles:sh -c \"{}\"", script.replace('\\', "\\\\").replace('"', "\\\""));
    let output = banmen(&home, &["match", "golad", &bot, "random", "--games", "2", "--openings", "random:0"]);
    let (printed, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains("failed in 2 games"), "{printed}");
    assert!(
        warned.contains("turns lost, the first by illegal move") && warned.contains("99,99 is off the board"),
        "{warned}"
    );
    let shown = said(&home, &["records", "show", "1", "0.0"]);
    let lost = shown.lines().find(|line| line.starts_with("lost turns")).expect("the lost turns");
    assert_eq!(lost.split_once("  ").expect("two columns").1.trim(), "from move 3 on by illegal move");
    let game: Value = serde_json::from_str(&said(&home, &["records", "show", "1", "0.0", "--json"])).expect("JSON");
    assert_eq!(game["game"]["lost_turns"][0], serde_json::json!({ "ply": 2, "by": "illegal move" }));
    // The log has an exception for a lost turn, but none for a chosen pass.
    let log = said(&home, &["records", "export", "1", "0.0"]);
    let log: Value = serde_json::from_str(log.trim()).expect("a log");
    let made = |state: usize| &log["states"][state]["players"][0]["move"];
    assert_eq!((&made(1)["moveType"], &made(1)["exception"]), (&"pass".into(), &Value::Null));
    assert_eq!((&made(5)["moveType"], &made(5)["exception"]), (&"pass".into(), &"illegal move".into()));
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn continues_a_game_after_a_bots_bad_line() {
    let bot = "riddles:sh -c \"while read -r line; do case $line in *' move pass') exit 3;; action*) echo 'kill 99,99';; esac; done\"";
    let mut child = Command::new(BANMEN)
        .args(["play", "golad", "--second", bot])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = b"kill 4,0\npass\npass\nquit\n";
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let (printed, warned) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{warned}");
    assert_eq!(printed.matches("plays pass").count(), 3, "{printed}");
    assert_eq!(warned.matches("99,99 is off the board: the turn is lost").count(), 1, "{warned}");
    assert_eq!(warned.matches("this turn and all further ones are lost").count(), 1, "{warned}");
}

#[test]
fn ends_a_match_when_a_bot_does_not_start() {
    let home = folder("stillborn");
    for verb in [&["match", "golad", "random"][..], &["play", "golad", "--first", "random", "--second"]] {
        let mut command = Command::new(BANMEN);
        let bot = "riddles:sh -c 'echo no such file >&2; exit 2'";
        let output =
            command.arg("--data").arg(&home).args(verb).arg(bot).stdin(Stdio::null()).output().expect("it starts");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{complaint}");
        assert!(
            complaint
                .contains("did not start: it ended (exit status: 2); its last output on standard error: no such file"),
            "{complaint}"
        );
    }
    let _ = std::fs::remove_dir_all(home);
}
