//! `banmen play`: a game in the terminal.

use std::io::Write;
use std::process::{Command, Stdio};

/// What the terminal prints and remarks when a person plays with this input.
fn played(args: &[&str], input: impl AsRef<[u8]>) -> (String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_banmen"))
        .arg("play")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that needs no input may have ended already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_ref());
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
fn a_line_that_is_not_utf8_is_no_move() {
    let (text, remarks) = played(&["othello", "--second", "greedy"], b"\x83\x5c\nf5\nquit\n");
    assert!(remarks.contains("a move is typed as") && text.matches("plays ").count() == 1, "{text}{remarks}");
}

#[test]
fn programs_that_play_whole_games_take_no_move_back() {
    let program = env!("CARGO_BIN_EXE_banmen");
    let second = format!("fpt:'{program}' engine blokus --protocol fpt --player random");
    let (text, remarks) = played(&["blokus", "--second", &second, "--time", "10s"], "f9,e10,f10,g10,f11\nundo\nquit\n");
    assert!(remarks.contains("no move can be taken back: fpt:") && text.matches("plays ").count() == 1, "{remarks}");
}

#[test]
fn a_move_may_be_typed_in_parts() {
    let input = "birth 0,0\n99,99\n4,0\n5,0\nquit\n";
    let (text, remarks) = played(&["golad", "--second", "random"], input);
    assert!(remarks.contains("780 moves begin with `birth 0,0`"), "{remarks}");
    // Cells as a whole, in lines that fit.
    assert!(remarks.contains("What follows:\n4,0  4,2  4,3  "), "{remarks}");
    assert!(remarks.contains("39 moves begin with `birth 0,0 4,0`"), "{remarks}");
    assert!(remarks.lines().all(|line| line.chars().count() <= 130), "{remarks}");
    assert!(remarks.contains("99,99"), "a wrong part is refused: {remarks}");
    assert_eq!(text.matches("plays ").count(), 1, "the move was played: {text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");

    let (_, remarks) = played(&["tubstap", "--second", "random"], "0\nquit\n");
    assert!(remarks.contains("What follows:\n@1,1  "), "{remarks}");

    // In either case, as whole moves are read.
    let (_, remarks) = played(&["blokus", "--second", "random"], "E10,\nundo\nmoves E10,e1\nquit\n");
    assert!(remarks.contains("90 moves begin with `e10,`") && remarks.contains("e10,e11 e10,e11,e12"), "{remarks}");

    // Half of a coordinate begins nothing.
    let (_, remarks) = played(&["blokus", "--second", "random"], "a1\nquit\n");
    assert!(remarks.contains("must cover e10") && !remarks.contains("begins with"), "{remarks}");

    // Taken back, and another one begun.
    let (text, remarks) = played(&["golad", "--second", "random"], "birth 0,0\nhelp\n4,0\n5,0\nquit\n");
    assert!(remarks.contains("39 moves begin"), "help keeps what was begun: {remarks}");
    assert_eq!(text.matches("plays ").count(), 1, "{text}");
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
    for part in [
        "You are \u{1b}[36mBlack (X)\u{1b}[0m; \u{1b}[33mWhite (O)\u{1b}[0m is the engine, level 5.\n",
        "A move is typed as `d3`. `help` says what else you can type.\n",
        "resign     gives",
        "X Black, O White, · a legal move, [ ] the last move\nA move is typed as `d3`.\n",
    ] {
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

#[test]
fn says_who_plays_and_how_a_move_is_typed_in_each_game() {
    let engine = "is the engine, level 5.\n";
    let typed = "`help` says what else you can type.\n";
    for (game, who, how) in [
        ("othello", "You are Black (X); White (O)", "A move is typed as `d3`. `help`"),
        (
            "dobutsu",
            "You are Sente (upper case); Gote (lower case)",
            "Pieces: C chick, E elephant, G giraffe, L lion.\nA move is typed as `2c2b` (from 2c to 2b). `help`",
        ),
        (
            "golad",
            "You are Red (0); Blue (1)",
            "A move is typed as `pass`, `kill 4,0` or `birth 0,0 4,0 5,0`, whole or part by part.\n`help`",
        ),
        (
            "blokus",
            "You are Violet (X); Orange (O)",
            "A move is typed as `e10` or `e9,e10` (the cells of the piece).\n`help`",
        ),
        ("tubstap", "You are Red (upper case); Blue (lower case)", "A move is typed as `0@1,1` (unit 0 goes to 1,1)"),
    ] {
        let (text, remarks) = played(&[game], "help\nquit\n");
        assert!(remarks.starts_with(&format!("{who} {engine}")), "{game}: {remarks}");
        assert!(remarks.contains(how) && remarks.contains(typed), "{game}: {remarks}");
        let longest = remarks.lines().chain(text.lines()).map(|line| line.chars().count()).max();
        assert!(longest <= Some(110), "{game}: {longest:?}\n{remarks}{text}");
        assert!(!(text + &remarks).contains('\u{1b}'), "no colours in a pipe");
    }
    // Two people, a side that a player takes, and players alone.
    assert!(
        played(&["othello", "--second", "human"], "quit\n")
            .1
            .starts_with("Two people play: Black (X) and White (O).\n")
    );
    let (text, remarks) = played(&["othello", "--first", "greedy", "--second", "human"], "quit\n");
    assert!(remarks.starts_with("You are White (O); Black (X) is `greedy`.\n"), "{remarks}");
    assert!(text.contains("\nBlack plays "), "{text}");
    assert_eq!(played(&["othello", "--first", "greedy", "--second", "random"], "").1, "");
}
