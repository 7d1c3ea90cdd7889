//! `banmen play`: a game in the terminal.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the terminal prints and remarks when a person plays with this input.
fn played(args: &[&str], input: &str) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_banmen"))
        .arg("play")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that needs no input may have ended already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let remarks = text(output.stderr);
    assert_eq!(output.status.code(), Some(0), "{remarks}");
    (text(output.stdout), remarks)
}

#[test]
fn plays_a_whole_game() {
    let (text, remarks) = played(&["othello", "--second", "greedy"], "e4\nhint\nf5\nundo\nmoves\nd3\nquit\n");
    assert!(remarks.contains("e4 is occupied"), "{remarks}");
    assert!(remarks.contains("hint: ") && remarks.contains("d3 c4 f5 e6"), "{remarks}");
    assert_eq!(text.matches("plays ").count(), 2, "{text}");
    // Two players finish a game without user input.
    let (over, _) = played(&["othello", "--first", "greedy", "--second", "random"], "");
    assert!(over.contains("won by") || over.contains("drawn"), "{over}");
}

#[test]
fn a_move_may_be_typed_in_parts() {
    let input = "birth 0,0\n99,99\n4,0\n5,0\nquit\n";
    let (text, remarks) = played(&["golad", "--second", "random"], input);
    assert!(remarks.contains("780 moves begin with `birth 0,0`"), "{remarks}");
    assert!(remarks.contains("39 moves begin with `birth 0,0 4,0`"), "{remarks}");
    assert!(remarks.contains("99,99"), "a wrong part is refused: {remarks}");
    assert_eq!(text.matches("plays ").count(), 1, "the move was played: {text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");

    // Taken back, and another one begun.
    let (text, remarks) = played(&["golad", "--second", "random"], "birth 0,0\nundo\n4,0\nkill 4,0\nquit\n");
    assert!(remarks.contains("`4,0`"), "what was taken back is not continued: {remarks}");
    assert_eq!(text.matches("plays ").count(), 1, "{text}");
}

#[test]
fn the_terminal_helps_and_lets_resign() {
    let (text, remarks) = played(&["othello", "--color", "always"], "help\nposition\nresign\n");
    assert!(text.ends_with("\nBlack resigns: White won\n"), "{text}");
    assert!(text.contains("\n---------------------------OX------XO--------------------------- X\n"), "{text}");
    assert!(!text.contains("position  "), "{text}");
    assert!(text.contains("\u{1b}[36mX\u{1b}[0m"), "{text:?}");
    for part in ["resign     gives", "X Black, O White, · a legal move, [ ] the last move"] {
        assert!(remarks.contains(part), "{part} in {remarks}");
    }
    let (text, _) = played(&["othello"], "quit\n");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe: {text:?}");
}

#[test]
fn summarises_many_moves_by_count_and_prefix() {
    let input = "moves\nmoves birth 0,0\nm birth 0,0 4,0\nmoves death\nquit\n";
    let (_, remarks) = played(&["golad", "--second", "random"], input);
    let begin = "; `moves BEGINNING` lists those with that prefix";
    for line in [
        format!("162,321 moves, such as pass, kill 4,0, birth 0,0 4,0 5,0{begin}"),
        format!(
            "780 moves begin with `birth 0,0`, such as birth 0,0 4,0 5,0, birth 0,0 5,0 11,0, birth 0,0 11,0 15,0{begin}"
        ),
        "birth 0,0 4,0 5,0".to_owned(),
        "no move begins with `death`".to_owned(),
    ] {
        assert!(remarks.lines().any(|remark| remark == line), "{line} in {remarks}");
    }
    assert!(remarks.lines().filter(|line| line.starts_with("birth 0,0 4,0 ")).count() == 39, "{remarks}");
}
