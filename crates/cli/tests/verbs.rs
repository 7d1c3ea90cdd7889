//! The command line as people and scripts use it: output and exit codes.

mod program;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use program::{answered, banmen, json, program, refused, rpc, said};
use serde_json::{Value, json};

/// A program of NBoard's protocol that sleeps for longer than its limit.
#[cfg(unix)]
const SLEEPER: &str = "nboard:sh -c 'while read -r word rest; do case $word in ping) echo pong $rest;; go) sleep 1; echo === f5;; esac; done'";

#[test]
#[cfg(unix)]
fn the_clock_of_a_search_measures_outside_programs_too() {
    let think = |clock: &str| banmen(&["think", "othello", "--player", SLEEPER, "--time", "100ms", "--clock", clock]);
    let wall = think("wall");
    assert_eq!(wall.status.code(), Some(3), "{}", String::from_utf8_lossy(&wall.stderr));
    // Sleeping takes no processor time.
    let cpu = think("cpu");
    assert_eq!(cpu.status.code(), Some(0), "{}", String::from_utf8_lossy(&cpu.stderr));
    assert!(String::from_utf8_lossy(&cpu.stdout).starts_with("f5\n"));
    let game = said(&["play", "othello", "--first", SLEEPER, "--second", "human", "--time", "100ms", "--clock", "cpu"]);
    assert!(game.contains("plays f5"), "{game}");
}

/// FFO #40. Black's score is 38, and a2 is the only best move.
const FFO_40: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

#[test]
fn lists_games_and_players() {
    assert!(said(&["games"]).starts_with("othello"));
    assert_eq!(json(&["games", "--json"])["games"][0]["title"]["ja"], "オセロ");
    let players = said(&["players", "othello"]);
    for name in ["engine", "classic", "greedy", "mcts", "random", "level=10", "corners=", "integer 1..10"] {
        assert!(players.contains(name), "{name} in {players}");
    }
}

#[test]
fn learn_refuses_a_game_without_move_features() {
    let refused = banmen(&["learn", "ratings", "othello", "--games", "2"]);
    assert_eq!(refused.status.code(), Some(2));
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("othello describes no features of its moves"), "{why}");
}

#[test]
fn show_reads_moves_with_and_without_separators() {
    let shown = json(&["show", "othello", "--moves", "f5d6c3", "--json"]);
    assert_eq!(shown, json(&["show", "othello", "--moves", "f5", "D6", "c3", "--json"]));
    assert_eq!((&shown["side"], &shown["legal_count"]), (&json!("second"), &json!(4)));
    let text = said(&["show", "othello", "--moves", "f5d6c3"]);
    assert!(text.contains("[X]") && text.contains("White to move"), "{text}");
}

#[test]
fn perft_counts_in_both_conventions() {
    assert_eq!(said(&["perft", "othello", "9"]).trim(), "3005288");
    assert_eq!(said(&["perft", "othello", "9", "--passes", "free"]).trim(), "3005320");
    assert_eq!(json(&["perft", "othello", "4", "--moves", "f5", "--json"])["count"], 349);
}

#[test]
fn solves_an_ending() {
    let answer = json(&["solve", "othello", "--position", FFO_40, "--json"]);
    assert_eq!((&answer["score"], &answer["best"]), (&json!(38), &json!(["a2"])));
    assert_eq!(answer["outcome"], json!({ "winner": "first", "margin": 38, "by": "discs" }));
    let open = banmen(&["solve", "othello", "--nodes", "1000", "--json"]);
    assert_eq!(open.status.code(), Some(1), "an open position is a negative answer");
    let open: Value = serde_json::from_slice(&open.stdout).expect("JSON");
    assert_eq!((&open["score"], &open["outcome"]), (&Value::Null, &Value::Null));
    assert_eq!(open["bounds"], json!([-64, 64]));
}

#[test]
fn think_prints_the_tree() {
    let think = |more: &[&str]| {
        let limits = ["think", "tubstap", "--playouts", "500", "--clock", "cpu", "--tree", "--tree-nodes", "5"];
        banmen(&[&limits, more].concat())
    };
    let output = think(&["--player", "m-uct"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let table: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("tree: ")).collect();
    assert!(table[0].contains("tree: 5 of ") && table[0].ends_with("score q + 0.15 √(ln N / n)"), "{text}");
    assert!(table[1].starts_with("move") && table[1].contains("visits") && table[2].starts_with("root"), "{text}");
    assert_eq!(table.len(), 7);
    assert!(table[3..].iter().all(|row| row.starts_with("  ") && row.contains(" + ") && row.contains(" = ")), "{text}");
    let stages = String::from_utf8(think(&["--player", "s-uct"]).stdout).expect("text");
    assert!(stages.contains("\ntree: 5 of ") && stages.contains("\ntree after ") && stages.contains("@…"), "{stages}");
    let refused = think(&["--player", "smaef"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`smaef` shows no search tree"));
}

#[test]
fn think_takes_a_part_of_a_game_clock() {
    let text = said(&["think", "othello", "--tc", "2s+10ms", "--clock", "cpu", "--json"]);
    let search: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert!((1..1_000).contains(&search["ms"].as_u64().expect("a time")), "{search}");
    assert!(refused(&["think", "othello", "--tc", "2"]).contains("a time is a number with a unit"));
}

#[test]
fn think_prints_lines() {
    let args = ["think", "othello", "--player", "classic:depth=4", "--lines", "1", "--json"];
    let text = said(&args);
    let last: Value = serde_json::from_str(text.lines().last().expect("an answer")).expect("JSON");
    assert_eq!(last["depth"], 4);
    let infos = text.lines().filter(|line| line.contains("\"info\"")).count();
    assert_eq!(infos, 2, "depths 3 and 4 are reported");
}

#[test]
fn converts_positions_between_notations() {
    let ggf = said(&["convert", "othello", "--to", "ggf", "start"]);
    assert!(ggf.starts_with("(;GM[Othello]"), "{ggf}");
    assert_eq!(said(&["convert", "othello", ggf.trim()]), said(&["convert", "othello", "start"]));
}

#[test]
fn refuses_a_dialect_that_cannot_hold_the_position() {
    // 16 by 18 and 18 by 16 have as many cells, and the dialect has no length of a row.
    let board = |width: usize, height: usize| vec![format!("01{}", ".".repeat(width - 2)); height].join("/");
    let usual = said(&["convert", "golad", "--to", "riddles", &board(18, 16)]);
    assert_eq!(said(&["convert", "golad", usual.trim()]), format!("{} 0 0\n", board(18, 16)));
    for (width, height) in [(16, 18), (5, 4)] {
        let complaint = refused(&["convert", "golad", "--to", "riddles", &board(width, height)]);
        assert!(complaint.contains("the dialect `riddles` cannot hold this position"), "{complaint}");
        assert!(said(&["convert", "golad", &board(width, height)]).starts_with("01"), "{width} by {height}");
    }
    // Also where the game is over.
    for over in ["0..../...../...../..... 0 0", "0...1/...../...../..... 0 200"] {
        let complaint = refused(&["convert", "golad", "--to", "riddles", over]);
        assert!(complaint.contains("the dialect `riddles` cannot hold this position"), "{complaint}");
    }
}

#[test]
fn converts_whole_games() {
    // A game with a comment and a variation, on several lines.
    let record = "(;GM[Blokus Duo]C[a \\] in\na comment]\n;B[f9,e10,f10,g10,f11]\n(;W[i4,h5,i5,j5,i6])\n(;W[j5]))\n";
    let kept = answered(&["convert", "blokus", "--to", "blksgf"], record.as_bytes());
    assert_eq!(said(&["convert", "blokus", "--to", "blksgf", record]), kept);
    let (b, w) = ("B[f9,e10,f10,g10,f11]", "W[i4,h5,i5,j5,i6]");
    assert!(kept.starts_with("(;GM[Blokus Duo]") && kept.contains(b) && kept.contains(w), "{kept}");
    // Nothing of a record is lost in its own format.
    assert!(kept.contains("C[a \\] in\na comment]") && kept.contains("(;W[j5])"), "{kept}");
    let end = json(&["show", "blokus", "--moves", "f9,e10,f10,g10,f11", "--moves", "i4,h5,i5,j5,i6", "--json"]);
    assert_eq!(json(&["convert", "blokus", record, "--json"])["position"], end["position"], "a notation of positions");
    assert_eq!(json(&["convert", "blokus", "--to", "blksgf", record, "--json"])["record"], kept.trim_end());
    // A position is a game without moves; a game that is also a position keeps its moves.
    let setup = said(&["convert", "blokus", "--to", "blksgf", end["position"].as_str().expect("a position")]);
    assert!(setup.contains("AB[") && setup.contains("AW["), "{setup}");
    let ggf = "(;GM[Othello]PB[one]B[F5]W[D6];)\n(;GM[Othello]PB[two]B[F5]W[F6];)\n";
    let kept = answered(&["convert", "othello", "--to", "ggf"], ggf.as_bytes());
    assert!(kept.contains("PB[one]") && kept.contains("W[F6]") && kept.lines().count() == 2, "{kept}");
    assert_eq!(answered(&["convert", "othello", "--to", "transcript"], ggf.as_bytes()), "f5d6\nf5f6\n");
    let ends = ["f5d6", "f5f6"].map(|moves| json(&["show", "othello", "--moves", moves, "--json"])["position"].clone());
    let positions = answered(&["convert", "othello"], b"f5d6\nf5f6\n");
    assert_eq!(positions.lines().map(|line| json!(line)).collect::<Vec<_>>(), ends);
}

#[test]
fn a_text_of_several_lines_is_refused_for_its_own_fault() {
    let file = format!("{}/short-{}.tbsmap", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let map = said(&["convert", "tubstap", "--to", "tbsmap", "map01"]);
    let rows = map.lines().filter(|line| line.starts_with("MAP[")).count();
    assert_eq!(rows, 8, "{map}");
    let last = map.lines().rfind(|line| line.starts_with("MAP[")).expect("a row");
    let short = map.replacen(&format!("{last}\n"), "", 1);
    std::fs::write(&file, &short).expect("a file");
    let complaint = refused(&["convert", "tubstap", "--file", &file]);
    assert!(complaint.contains("SIZEY is 8, but the text has 7 rows"), "{complaint}\n{short}");
    // Not as positions of one line each, whose first one lacks what follows.
    for (from, to, why) in [
        ("SIZEX[8];", "", "line 1, character 1: the text has no statement SIZEX[…], with which a map begins"),
        ("SIZEX[", "SizeX[", "line 1, character 1: the tag `SizeX` is written SIZEX"),
        ("SIZEX[8]", "SIZEX[99]", "line 1, character 7: `99` is not a possible SIZEX"),
        ("SIZEX[8]", "a map\nSIZEX[8]", "line 1, character 1: `a map"),
        ("infantry,0,10,0", "infantry,0,11,0", "`11` is not a possible number of hit points"),
    ] {
        std::fs::write(&file, map.replacen(from, to, 1)).expect("a file");
        let complaint = refused(&["convert", "tubstap", "--file", &file]);
        assert!(complaint.contains(&format!(": {why}")), "{complaint}");
    }
    let _ = std::fs::remove_file(&file);
    let complaint = refused(&["show", "tubstap", "--position", &map.replacen("infantry,0,10,0", "infantry,0,11,0", 1)]);
    let line = 1 + map.lines().position(|line| line.contains("infantry,0,10,0")).expect("a unit");
    let place = format!("banmen: line {line}, character 21: `11` is not");
    assert!(complaint.starts_with(&place), "the place is said once: {complaint}");
    let complaint = refused(&["convert", "blokus", "start", "xx"]);
    assert!(complaint.contains("text 2: ") && complaint.contains("`x`"), "{complaint}");
}

#[test]
fn a_game_in_one_line_keeps_its_moves() {
    let map: String = said(&["convert", "tubstap", "--to", "tbsmap", "map01"]).lines().collect();
    let replay = format!("{map}TURNINFO[0,0,1];ACTION[-1,0,0,0,0,-1,0,0,3,0,0];");
    assert!(said(&["convert", "tubstap", &replay]).contains(" TURN 1 "));
    assert_eq!(answered(&["convert", "tubstap"], replay.as_bytes()), said(&["convert", "tubstap", &replay]));
    assert!(said(&["convert", "tubstap", "--to", "tbsmap", &replay]).contains("ACTION["));
    let wrong = replay.replace("TURNINFO[0,0,1]", "TURNINFO[0,0,2]");
    for options in [&["--to", "tbsmap"][..], &[]] {
        let complaint = refused(&[&["convert", "tubstap", &wrong][..], options].concat());
        assert!(complaint.contains("the turn states 2 actions and has 1"), "{complaint}");
    }
    let complaint = refused(&["show", "tubstap", "--position", &replay]);
    assert!(complaint.contains("the text is a record of a game, and not a position"), "{complaint}");
}

#[test]
fn a_replay_without_its_turns_is_refused_for_its_result() {
    let map = said(&["convert", "tubstap", "--to", "tbsmap", "map01"]);
    let cut = format!("{map}PLAYERRED[A]PLAYERBLUE[B];COM[blue won: time,17];");
    let file = format!("{}/cut-{}.tbsmap", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    for text in [cut.lines().collect(), cut] {
        std::fs::write(&file, &text).expect("a file");
        let complaint = refused(&["convert", "tubstap", "--to", "tbsmap", "--file", &file]);
        assert!(complaint.contains("the comment states 17 actions, the game has 0"), "{complaint}");
        assert!(refused(&["convert", "tubstap", &text]).contains("the comment states 17 actions"), "{text}");
    }
    let _ = std::fs::remove_file(&file);
}

#[test]
fn converts_positions_of_several_lines() {
    for dialect in ["tanaka", "japanese"] {
        for position in ["gle/1c1/1C1/ELG b - 1", "l2/3/3/2L w GECgec 1"] {
            let written = said(&["convert", "dobutsu", "--to", dialect, position]);
            assert!(written.lines().count() > 4, "{written}");
            let read = answered(&["convert", "dobutsu", "--file", "-"], written.as_bytes());
            assert_eq!(read, said(&["convert", "dobutsu", position]), "{dialect}");
        }
    }
}

#[test]
fn converts_files_in_shift_jis() {
    let file = format!("{}/shift-jis-{}.tbsmap", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let mut map = said(&["convert", "tubstap", "--to", "tbsmap", "map02"]).into_bytes();
    map.extend_from_slice(b"PLAYERRED[\x83\x65\x83\x58\x83\x67]PLAYERBLUE[b];\nTURNINFO[0,0,0];\n");
    std::fs::write(&file, &map).expect("a file");
    let written = said(&["convert", "tubstap", "--to", "tbsmap", "--file", &file]);
    assert!(written.contains("SIZEX[") && written.contains("PLAYERRED[テスト]"), "{written}");
    assert_eq!(answered(&["convert", "tubstap", "--to", "tbsmap", "--file", "-"], &map), written);
    assert_eq!(said(&["convert", "tubstap", "--file", &file]), said(&["convert", "tubstap", "map02"]));
    let in_shift_jis = ["convert", "tubstap", "--to", "tbsmap", "--encoding", "shift-jis", "--file", &file];
    let again = program().args(in_shift_jis).output().expect("the program starts").stdout;
    assert!(again.windows(6).any(|bytes| bytes == b"\x83\x65\x83\x58\x83\x67"), "as it was read");
    assert_eq!(answered(&["convert", "tubstap", "--to", "tbsmap", "--file", "-"], &again), written);
    std::fs::write(&file, written.replace("[b]", "[🙂]")).expect("a file");
    assert!(refused(&in_shift_jis).contains("`🙂` cannot be written in Shift-JIS"));
    map.extend_from_slice(b"ACTION[77,0,0,0,0,-1,0,0,1,0,0];\n");
    std::fs::write(&file, &map).expect("a file");
    let complaint = refused(&["convert", "tubstap", "--file", &file]);
    assert!(complaint.contains(&format!("{file}: line ")) && complaint.contains("no unit 77"), "{complaint}");
    assert!(refused(&["convert", "tubstap", &file]).contains(&format!("`--file {file}` reads that file")));
    assert!(refused(&["convert", "tubstap", "--file", "no-such-file"]).contains("no-such-file"));
    let _ = std::fs::remove_file(&file);
}

#[test]
fn rejects_times_whose_sums_overflow() {
    let longest = "18446744073709551615s";
    for option in [&["--time", longest][..], &["--tc", &format!("{longest}+{longest}")], &["--b-tc", "1s+366d"]] {
        let complaint = refused(&[&["match", "othello", "random", "random", "--games", "2"], option].concat());
        assert!(complaint.contains("at most a year"), "{option:?}: {complaint}");
    }
    let played = json(&["match", "othello", "random", "random", "--games", "2", "--tc", "365d+365d", "--json"]);
    assert_eq!(played["games"], 2);
    let about = ["game", "rules", "a", "openings"].map(|name| played[name].as_str());
    assert_eq!(about, [Some("othello"), Some("default"), Some("random"), Some("random:8")]);
    assert!(played["match"].as_i64().is_some_and(|number| number > 0), "{played}");
}

#[test]
fn negative_numbers_and_times_are_values() {
    let players = ["match", "othello", "random", "random"];
    for option in [["--games", "-1"], ["--depth", "-2"], ["--time", "-5ms"], ["--tc", "-1s+1s"], ["--draw", "-1:8"]] {
        let words = &[&players[..], &option].concat()[..];
        let (option, value) = (words[words.len() - 2], words[words.len() - 1]);
        let complaint = refused(words);
        assert!(complaint.contains(&format!("invalid value '{value}' for '{option}")), "{complaint}");
    }
}

/// What could not have an effect, or would have an absurd one, is refused before anything is played.
#[test]
fn options_that_cannot_be_meant_are_refused() {
    let players = ["match", "othello", "random"];
    for (args, why) in [
        (&["random", "--concurrency", "18446744073709551615"][..], "a number from 1 to"),
        (&["gtp:tcp-listen:0", "--concurrency", "2"], "--concurrency must be 1 with tcp-listen"),
        (&["gtp:'tcp-listen:0'", "--concurrency", "2"], "--concurrency must be 1 with tcp-listen"),
        (&["rpc:\"x"], "rpc:\"x: character 5: the quote \" is not closed"),
        (&["usi:cat"], "usi:cat: othello is not written in sfen"),
    ] {
        let complaint = refused(&[&players[..], args].concat());
        assert!(complaint.contains(why), "{args:?}: {complaint}");
    }
    for (option, value) in [
        ("--origin", "https://example.org/"),
        ("--origin", "example.org"),
        ("--origin", "*"),
        ("--host", "http://proxy.example"),
        ("--host", "proxy.example:8080"),
        ("--host", ""),
    ] {
        let complaint = refused(&["serve", option, value]);
        assert!(complaint.contains(&format!("invalid value '{value}' for '{option}")), "{complaint}");
    }
    let queue = ["--queue", "nats://localhost:1"];
    assert!(refused(&[&["reproduce"], &queue[..]].concat()).contains("--queue goes with an experiment"));
    assert!(refused(&[&["reproduce", "--verify", "x"], &queue[..]].concat()).contains("cannot be used with"));
    for args in [
        &["match", "othello", "greedy", "random"][..],
        &["tournament", "othello", "greedy", "random"],
        &["ladder", "othello"],
        &["tune", "othello", "classic", "k"],
        &["learn", "ratings", "blokus"],
        &["learn", "othello", "--scale", "0.001"],
    ] {
        let complaint = refused(&[args, &["--concurrency", "2"], &queue[..]].concat());
        assert!(
            complaint.contains("--concurrency does not go with --queue: each worker decides"),
            "{args:?}: {complaint}"
        );
    }
}

#[test]
fn bench_signatures_are_reproducible() {
    let signatures = |args: &[&str]| -> Vec<String> {
        said(args).lines().filter_map(|line| line.split_once("signature ")).map(|(_, s)| s.to_owned()).collect()
    };
    let first = signatures(&["bench", "--depth", "2"]);
    assert_eq!(first.len(), 2, "one of the engines, one of the tree search");
    assert_eq!(first, signatures(&["bench", "--depth", "2"]));
    let other = signatures(&["bench", "--depth", "1"]);
    assert_ne!(first[0], other[0]);
    assert_eq!(first[1..], signatures(&["bench", "mcts"]));
    for verb in ["bench", "show"] {
        let complaint = refused(&[verb, "chess"]);
        assert!(complaint.contains("there is no game `chess`"), "{complaint}");
        for game in ["othello", "dobutsu", "golad", "blokus", "tubstap"] {
            assert!(complaint.contains(game), "{complaint}");
        }
    }
}

#[test]
fn selftest_and_reference_work() {
    assert!(said(&["selftest"]).lines().all(|line| line.ends_with("ok")));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(said(&["completions", shell]).contains("banmen"), "{shell}");
    }
    let man = said(&["man"]);
    assert!(man.contains(".TH") && man.contains("perft"), "{man}");
    assert!(said(&["docs"]).contains("## banmen match"));
    let help = said(&["--help"]);
    assert!(help.contains("Exit codes") && help.contains("Without a command"), "{help}");
}

#[test]
fn names_a_program_that_does_not_start() {
    let output = banmen(&["think", "othello", "--player", "gtp:no-such-program"]);
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(3), "{complaint}");
    assert!(complaint.contains("`no-such-program` did not start"), "{complaint}");
}

#[test]
fn rejects_bad_input_with_place_and_reason() {
    for (args, words) in [
        (&["show", "otello"][..], "the nearest name is `othello`"),
        (&["show", "othello", "--rules", "defualt"], "the nearest name is `default`"),
        (&["match", "othello", "random", "random", "--rules", "foo"], "banmen: there is no variant of the rules"),
        (&["match", "othello", "random", "random", "--store", env!("CARGO_TARGET_TMPDIR")], "is a folder"),
        (&["show", "othello", "--position", "XO"], "squares"),
        (&["show", "othello", "--position", &"-".repeat(64)], "side"),
        (&["show", "othello", "--position", &("-".repeat(64) + " X")], "centre"),
        (&["show", "othello", "--position", &("-".repeat(30) + "Q" + &"-".repeat(33) + " X")], "character 31"),
        (&["show", "othello", "--moves", "f5d6e4"], "move 3: e4 is occupied"),
        (&["show", "othello", "--moves", "f5", "z9"], "move 2"),
        (&["show", "othello", "--moves", "a1"], "move 1: a disc on a1 flips nothing"),
        (&["show", "othello", "--dialect", "gfg"], "the nearest name is `ggf`"),
        (
            &["convert", "blokus", "start", "--to", "sgf"],
            "format called `sgf`; blokus has the dialects text, fpt and the formats of whole games blksgf",
        ),
        (&["convert", "othello", "f5d6a1"], "line 1, character 5"),
        (&["players", "x"], "there is no game `x`"),
        (&["think", "othello", "--player", "engin"], "the nearest name is `engine`"),
        (&["think", "othello", "--player", "engine:levl=3"], "the nearest name is `level`"),
        (&["think", "othello", "--player", "engine:level=11"], "`level` must be an integer from 1 to 10, not `11`"),
        (&["think", "othello", "--lines", "0"], "`lines` must be from 1 to 64, not `0`"),
        (&["perft", "othello", "x"], "invalid value"),
        (&["match", "othello", "engine", "random", "--games", "3", "--depth", "1"], "even"),
        (&["match", "othello", "engine", "random", "--games", "3"], "even number"),
        (&["match", "othello", "engine", "random", "--sprt", "5,0"], "must be less than elo1"),
        (&["match", "othello", "engine", "random", "--resign", "0.7:2"], "below 0.5"),
        (&["match", "othello", "engine", "random", "--tc", "10s+x"], "`x`"),
        (&["match", "othello", "engine", "random", "--tc", "10s byoyomi"], "``: a time is a number with a unit"),
        (&["match", "othello", "engine", "random", "--openings", "file:no-such-file"], "no-such-file"),
        (
            &["match", "othello", "engine", "random", "--tc", "1s+1s/500ms"],
            "the initial time 1s is above the clock's maximum 500ms",
        ),
        (
            &["match", "othello", "engine", "random", "--b-tc", "2s/1s"],
            "the initial time 2s is above the clock's maximum 1s",
        ),
        (&["match", "golad", "random", "riddles:bot", "--tc", "0s+1s"], "must begin above 0"),
        (&["match", "golad", "random", "riddles:bot", "--b-tc", "0s+1s"], "must begin above 0"),
        (
            &["match", "golad", "random", "riddle:python3 bot.py"],
            "no player or protocol `riddle`; the nearest name is `riddles`",
        ),
        (&["match", "othello", "engine:level=1,level=10", "random"], "engine:level=1,level=10: `level` is given twice"),
        (&["show", "reversi"], "there is no game `reversi`; the names are `othello`, "),
        (&["tournament", "othello", "engine", "random", "--anchor", "foo=100"], "there is no player `foo`; the"),
        (&["think", "othello", "--depth", "0"], "1.."),
        (&["think", "othello", "--nodes", "0"], "1.."),
        (&["solve", "othello", "--nodes", "0"], "1.."),
        (&["solve", "othello", "--all", "--depth", "3"], "--depth"),
        (&["solve", "dobutsu", "--nodes", "5"], "dobutsu is solved by a table, which takes no limits"),
        (&["solve", "dobutsu", "--build", "--time", "1s"], "cannot be used with"),
        (&["solve", "dobutsu", "--build", "--threads", "1"], "cannot be used with"),
        (&["solve", "dobutsu", "--census", "--threads", "1"], "cannot be used with"),
        (&["match", "othello", "random", "random", "--concurrency", "0"], "a number from 1 to 1024"),
        (&["learn", "ratings", "blokus", "--games", "3"], "games=3 must be an even number from 2 to"),
        (&["records", "list", "--game", "otello"], "the nearest name is `othello`"),
        (&["play", "othello", "--playouts", "0"], "1.."),
        (&["match", "othello", "engine", "random", "--b-depth", "0"], "1.."),
        (&["tune", "othello", "classic", "k", "--nodes", "0"], "1.."),
        // No external program plays there.
        (&["tune", "othello", "classic", "k", "--program-margin", "1s"], "--program-margin"),
        (&["ladder", "othello", "--program-memory", "1"], "--program-memory"),
        (&["bench", "othello", "--depth", "0"], "1.."),
        (
            &["engine", "blokus", "--protocol", "fpt", "--player", "engin", "--connect", "127.0.0.1:9"],
            "the nearest name is `engine`",
        ),
        (
            &["engine", "othello", "--protocol", "gtp", "--player", "gtp:program"],
            "`gtp:program` is an external program; only the game's own players run as engines",
        ),
        (&["bench", "mcts", "--depth", "4"], "--depth goes with the engines"),
        (&["match", "othello", "random", "random", "--sprt-model", "logistic"], "--sprt <TEST>"),
        (&["reproduce", "--report", "folder"], "EXPERIMENT"),
        (
            &["reproduce", "othello-budget", "--report", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
            "Cargo.toml is a file, and a report needs a folder",
        ),
        (&["serve", "--store", env!("CARGO_MANIFEST_DIR")], "is a folder, not the file of a store"),
        (&["reproduce", "othello-budget", "--report", "folder", "--site", "example.org"], "begins with http://"),
        (&["reproduce", "othello-budget", "--site", "http://localhost/"], "--report"),
        (&["reproduce", "--seed", "2"], "EXPERIMENT"),
        (&["reproduce", "--concurrency", "2"], "EXPERIMENT"),
        (&["rpc", "--program-memory", "0"], "go with --allow-programs"),
        (&["records", "show", "1234567"], "no match 1234567"),
        (&["records", "show", "1", "7"], "PAIR.GAME"),
        (&["match", "othello", "engine", "random", "--openings", "book"], "random:PLIES"),
        (
            &["match", "othello", "engine", "random", "--openings", "starts", "--position", "start"],
            "--position goes with",
        ),
        (&["match", "tubstap", "smaef", "random", "--position", "map99"], "map99"),
        (&["reproduce", "othello-dept"], "the nearest name is `othello-depth`"),
        (&["reproduce", "othello", "--scale", "0"], "above 0"),
        (&["shwo", "othello"], "show"),
        (&["serve", "--listen", "here"], "invalid"),
    ] {
        let complaint = refused(args);
        assert!(complaint.contains(words), "{args:?}: `{words}` in `{complaint}`");
    }
}

#[test]
fn reads_moves_of_several_words_quoted_or_not() {
    let shown = |moves: &[&str]| answered(&[&["show", "golad", "--moves"], moves].concat(), b"");
    let (kill, birth) = ("kill 8,6", "birth 12,8 1,9 11,9");
    let expected = shown(&[kill, birth]);
    assert!(expected.contains("Red to move") && expected.contains("[1]"), "{expected}");
    assert_eq!(shown(&[&format!("{kill} {birth}")]), expected);
    assert_eq!(shown(&["kill", "8,6", "birth", "12,8", "1,9", "11,9"]), expected);
}

#[test]
fn shows_a_board_as_svg() {
    for (game, move_, living) in [
        ("golad", "kill 8,6", "class=\"life "),
        ("dobutsu", "2c2b", "class=\"tile "),
        ("othello", "f5", "class=\"disc "),
        ("blokus", "e10", "class=\"square "),
        ("tubstap", "0@3,1", "class=\"unit "),
    ] {
        let picture = answered(&["show", game, "--moves", move_, "--svg"], b"");
        assert!(picture.starts_with("<svg xmlns=") && picture.trim_end().ends_with("</svg>"), "{game}: {picture}");
        assert!(picture.contains(living) && picture.contains("class=\"last"), "{game}: {picture}");
        assert_eq!(picture.matches("<g").count(), picture.matches("</g>").count());
    }
}

#[test]
fn rpc_answers_by_id_and_survives_errors() {
    let mut input = b"{\"id\":1,\"op\":\"show\",\"game\":\"othello\",\"moves\":[\"f5\",\"d6\",\"c3\"]}\n".to_vec();
    input.extend_from_slice(b"not json\n\n{\"id\":2}\n\xff\xfe\n{\"id\":3,\"op\":\"sing\"}\n");
    input.extend_from_slice(&[b'x'; (16 << 20) + 100]);
    input.extend_from_slice(b"\n{\"id\":4,\"op\":\"think\",\"game\":\"othello\",\"player\":\"classic:depth=3\"}\n");
    let answers = rpc(&input);
    let by_id = |id: u64| answers.iter().rfind(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(by_id(1)["ok"]["legal_count"], 4);
    assert_eq!(by_id(2)["error"]["code"], "bad_request");
    assert_eq!(by_id(3)["error"]["code"], "unknown_op");
    assert_eq!(by_id(4)["ok"]["depth"], 3);
    let codes: Vec<&str> = answers
        .iter()
        .filter(|answer| answer["id"].is_null())
        .filter_map(|answer| answer["error"]["code"].as_str())
        .collect();
    assert_eq!(codes, ["bad_json", "bad_json", "too_large"]);
    assert!(answers.iter().any(|answer| answer["error"]["message"] == "byte 1: not UTF-8"), "{answers:?}");
    // Nobody can stop this search any more: it ends by itself.
    let answers = rpc(b"{\"id\":5,\"op\":\"think\",\"game\":\"othello\",\"player\":\"mcts\"}\n");
    assert!(answers.iter().any(|answer| answer["ok"]["lines"].is_array()), "{answers:?}");
}

#[test]
fn tune_prints_the_command_of_a_test_match() {
    let folder = format!("{}/tune-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = std::fs::remove_dir_all(&folder);
    let tune = |key: &str, steps: &str, limits: &[&str]| {
        let args = ["--data", &folder, "tune", "othello", "classic:depth=1,k=2", key, "--steps", steps, "--pairs", "1"];
        said(&[&args[..], limits].concat())
    };
    let output = tune("k:3", "2", &["--nodes", "300", "--rules", "default", "--threads", "2", "--tc", "1m byoyomi 5s"]);
    assert!(output.starts_with("2 steps of 1 pair, 4 games\n"), "{output}");
    let (player, next) = output.split_once("\n\nto test whether it is stronger: ").expect("what comes next");
    let player = player.lines().last().expect("a player");
    assert_ne!(player, "classic:depth=1,k=2.0000");
    let expected = "classic:depth=1,k=2 --rules default --nodes 300 --tc '60s+0s byoyomi 5s' --threads 2 --sprt 0,10";
    assert_eq!(next.trim(), format!("banmen match othello {player} {expected}"));
    // Such a small step has no effect on an integer parameter.
    let output = tune("corners[2]:0.01", "1", &["--time", "1ms", "--tc", "1m+1500ms/2m", "--clock", "wall"]);
    assert!(output.starts_with("1 step of 1 pair, 2 games\n"), "{output}");
    assert!(output.trim_end().ends_with("nothing changed: the rounded numbers are the same as before"), "{output}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn names_every_import_format() {
    let help = said(&["records", "import", "--help"]);
    for game in banmen::catalog(banmen_catalog::Data::in_memory()).games() {
        for format in game.record_formats().map_or_else(Vec::new, |formats| formats.names()) {
            assert!(help.contains(&format!("`{format}`")), "{format} of {} in {help}", game.info().name);
        }
    }
}

#[test]
fn learn_refuses_an_unwritable_file_before_it_plays() {
    let folder = format!("{}/learn-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let out = format!("{folder}/missing/ratings.toml");
    let args = ["learn", "ratings", "blokus", "--games", "2", "--held-out", "0", "--playouts", "2", "--out", &out];
    let complaint = refused(&[&["--data", &folder], &args[..]].concat());
    assert!(complaint.contains("ratings.toml"), "{complaint}");
    let listed = json(&["--data", &folder, "records", "list", "--json"]);
    assert_eq!(listed["matches"], json!([]), "nothing has been played");
    let _ = std::fs::remove_dir_all(folder);
}

/// The server limits only the key `table`, so no other key may allocate memory, and no default may exceed that limit.
#[test]
fn only_the_key_table_requests_memory() {
    let mut found = 0;
    for game in json(&["games", "--json"])["games"].as_array().expect("games") {
        let players = json(&["players", game["name"].as_str().expect("a name"), "--json"]);
        for player in players["players"].as_array().expect("players") {
            for key in player["keys"].as_array().expect("keys") {
                if key["summary"].as_str().expect("text").contains("MiB") {
                    assert_eq!(key["name"], "table", "{player}");
                    assert!(
                        key["default"].as_str().and_then(|text| text.parse().ok()).is_some_and(|mib: u32| mib <= 64)
                    );
                    found += 1;
                }
            }
        }
    }
    assert!(found >= 6, "{found}");
}

#[test]
fn rejects_wrong_tables_with_the_reason() {
    let folder = std::env::temp_dir().join(format!("banmen-verbs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.to_str().expect("a path in UTF-8");
    let refused_as = |bytes: &[u8]| {
        std::fs::write(folder.join("dobutsu-catch.table"), bytes).expect("a file");
        refused(&["solve", "dobutsu", "--data", path])
    };
    assert!(
        refused_as(b"not at all")
            .contains("this is not a table of Dobutsu shogi; `banmen solve dobutsu --build` builds it again")
    );
    assert!(refused_as(b"BANMENDT\x01\x00").contains("the table has 10 bytes"));
    assert!(refused_as(b"BANMENDT\x07\x00").contains("version 7"));
    assert!(refused(&["solve", "dobutsu", "--data", path, "--rules", "legal"]).contains("have no table"));
    assert!(
        refused(&["solve", "dobutsu", "--data", path, "--rules", "any-try", "--census"]).contains("--rules any-try")
    );
    let missing = refused(&["think", "dobutsu", "--data", path, "--rules", "any-try", "--player", "perfect"]);
    assert!(missing.contains("not been built; `banmen solve dobutsu --rules any-try --build` builds it"), "{missing}");
    // Where the player does without its table, it does not in a whole match, which is refused before its first game.
    std::fs::remove_file(folder.join("dobutsu-catch.table")).expect("the file");
    let perfect = ["think", "dobutsu", "--data", path, "--player", "perfect", "--moves", "2c2b"];
    assert!(answered(&perfect, b"").contains("1a2b"));
    let missing = refused(&["match", "dobutsu", "--data", path, "engine", "perfect", "--games", "2"]);
    assert!(missing.contains("not been built; `banmen solve dobutsu --build` builds it"), "{missing}");
    assert!(!answered(&["records", "list", "--data", path], b"").contains("perfect"));
    assert!(refused(&["solve", "othello", "--build"]).contains("othello has no tables"));
    assert!(refused(&["solve", "dobutsu", "--build", "--all"]).contains("cannot be used with"));
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn learns_an_evaluation() {
    let folder = std::env::temp_dir().join(format!("banmen-verbs-learn-{}", std::process::id()));
    let path = folder.to_str().expect("a path in UTF-8");
    let run = ["learn", "othello", "--scale", "0.000001", "--match-games", "2", "--folder", path];
    let learned = answered(&run, b"");
    assert!(learned.contains("generation") && !learned.contains("held out"), "nothing is: {learned}");
    assert_eq!(answered(&run, b""), learned, "a finished run is shown again");
    let last = learned.split_whitespace().find(|word| word.starts_with("engine:weights=")).expect("the player");
    let found = answered(&["think", "othello", "--player", last, "--depth", "2"], b"");
    assert!(found.contains("d3") || found.contains("c4") || found.contains("f5") || found.contains("e6"), "{found}");
    assert!(refused(&[&run[..], &["--seed", "2"]].concat()).contains("a run with other settings"));
    assert!(refused(&[&run[..], &["--store", "m.sqlite"]].concat()).contains("its matches in `matches.sqlite`"));
    let weights = last.trim_start_matches("engine:weights=");
    std::fs::write(weights, b"banmen othello evaluation 2\n").expect("it can be written");
    assert!(refused(&["think", "othello", "--player", last]).contains("their checksum does not match"));
    assert!(refused(&run).contains("is damaged"));
    std::fs::remove_dir_all(&folder).expect("the folder");
}

#[test]
fn serves_as_an_engine_over_usi_and_uci() {
    let options = answered(&["engine", "dobutsu", "--protocol", "usi", "--player", "engine:level=3"], b"usi\n");
    assert!(options.contains("option name level type spin default 3 min 1 max 10\n"), "{options}");
    let usi = answered(
        &["engine", "dobutsu", "--protocol", "usi"],
        b"isready\nposition startpos moves 2c2b\ngo nodes 1000\n",
    );
    // The chick on 2b attacks the lion. The elephant captures it, which is the correct move.
    assert!(usi.contains("\nbestmove 1a2b"), "{usi}");
    let uci = answered(&["engine", "dobutsu", "--protocol", "uci"], b"uci\nposition startpos\ngo infinite\nquit\n");
    assert!(uci.contains("uciok\n") && uci.contains("\nbestmove "), "{uci}");
    assert!(refused(&["engine", "othello", "--protocol", "usi"]).contains("othello is not written in sfen"));
}

#[test]
fn shows_hands_and_the_result() {
    let ended = said(&["show", "dobutsu", "--moves", "2c2b", "3a3b", "2b2a"]);
    let board = "    3  2  1\n a  - [H] e\n b  g [-] -\n c  -  -  -\n d  E  L  G\nhand C L\n\nSente won (catch)\n";
    assert!(ended.starts_with(board), "{ended}");
}

#[test]
fn asks_for_the_only_move_and_does_not_solve_a_finished_game() {
    // The lion has one legal escape, and there are no passes.
    let forced = "2c2b 1a2b 1d1c 2a3b 1c2c C*1d C*2a 2b1c 2d1d 1c2d C*1c 2d3c 2c2b 3b2b 3d2c G*3d 2c1b 2b1a 1d2c 3d2d";
    let mut args = vec!["play", "dobutsu", "--rules", "legal", "--moves"];
    args.extend(forced.split(' '));
    let text = answered(&args, b"quit\n");
    assert!(text.contains("Sente to move") && !text.contains("plays"), "{text}");
    let over = said(&["solve", "dobutsu", "--position", "2L/3/l2/3 b 2C2E2G 1"]);
    assert_eq!(over, "the game is over: Sente won (try)\n");
}

/// An answer that could not be written is a failure, not a success; a reader that has seen enough is none.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_and_a_closed_pipe_is_not() {
    let folder = format!("{}/full-disk-{}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let _ = std::fs::remove_dir_all(&folder);
    let data = ["--data", folder.as_str()];
    // With a game in the store, so that there is something to export, and a finished match to report.
    let a_match = [&data[..], &["match", "othello", "random", "random", "--games", "2", "--nodes", "1"]].concat();
    said(&a_match);
    for args in [
        &["completions", "bash"][..],
        &["perft", "othello", "2"],
        &["games"],
        &["show", "othello"],
        &["man"],
        &["docs"],
        &a_match,
        &[&data[..], &["records", "export", "1"]].concat(),
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device exists");
        let run = program().args(args).stdin(Stdio::null()).stdout(full).output().expect("the program starts");
        let complaint = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {complaint}");
        let fault = |line: &str| line.starts_with("banmen: standard output: No space left");
        assert!(complaint.lines().any(fault), "{args:?}: {complaint}");

        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = program().args(args).stdin(Stdio::null()).stdout(writer).output().expect("the program starts");
        assert_eq!(run.status.code(), Some(0), "{args:?}");
        let complaint = String::from_utf8_lossy(&run.stderr);
        assert!(!complaint.contains("banmen:") && !complaint.contains("panicked"), "{args:?}: {complaint}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

/// What talks with another program does not go on without its answers, either.
#[test]
#[cfg(target_os = "linux")]
fn a_conversation_ends_when_an_answer_cannot_be_written() {
    for (args, first) in
        [(&["engine", "dobutsu", "--protocol", "usi"][..], "usi\n"), (&["rpc"], "{\"id\":1,\"op\":\"games\"}\n")]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device exists");
        let mut program = program();
        let running = program.args(args).stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped());
        let mut running = running.spawn().expect("the program starts");
        // The input stays open.
        let mut input = running.stdin.take().expect("a pipe");
        input.write_all(first.as_bytes()).expect("the program reads");
        let run = running.wait_with_output().expect("it ends");
        let complaint = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{args:?}: {complaint}");
        assert!(complaint.starts_with("banmen: standard output: No space left"), "{args:?}: {complaint}");
        drop(input);
    }
}

/// S19: the server says where it listens, and nothing that comes from a request.
#[test]
fn the_server_prints_nothing_of_a_request() {
    let mut serve = program();
    serve.args(["serve", "--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = serve.spawn().expect("the program starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("a line");
    let address = first.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address").to_owned();
    let body = "{\"game\":\"oth\u{1b}[31mello\",\"position\":\"secret\"}";
    for request in [
        format!("POST /api/show HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
        format!("GET /secret%1b%5b31m HTTP/1.1\r\nHost: {address}\r\nUser-Agent: secret\r\n\r\n"),
        "GET / HTTP/1.1\r\nHost: secret\r\n\r\n".to_owned(),
        "\u{1b}[31msecret\r\n\r\n".to_owned(),
    ] {
        let mut stream = TcpStream::connect(&address).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("the request is taken");
        let mut byte = [0];
        let _ = stream.read(&mut byte);
    }
    child.kill().expect("the server runs");
    let mut rest = first;
    output.read_to_string(&mut rest).expect("text");
    child.stderr.take().expect("a pipe").read_to_string(&mut rest).expect("text");
    let _ = child.wait();
    assert_eq!(rest.lines().count(), 1, "{rest}");
    assert!(!rest.contains("secret") && !rest.contains('\u{1b}'), "{rest:?}");
}

#[test]
fn a_file_is_no_data_folder() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let complaint = refused(&["--data", file, "serve", "--listen", "127.0.0.1:0"]);
    assert!(complaint.contains("Cargo.toml is not a folder"), "{complaint}");
}
