//! The protocol of TUBSTAP's network games.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{BANMEN, folder, json, run};
/// The engine of these tests.
fn engine(args: &[&str]) -> Child {
    super::engine(&[&["tubstap", "--protocol", "tubstap", "--player", "smaef"], args].concat())
}

#[test]
fn programs_play_whole_games() {
    let home = folder("tubstap-match");
    let program = format!("tubstap:'{BANMEN}' engine tubstap --protocol tubstap --player smaef");
    let play = |rest: &[&str]| {
        let args = ["match", "tubstap", &program, "random", "--position", "map02", "--games", "4", "--json"];
        run(&home, &[&args[..], rest].concat())
    };
    let score = json(&play(&["--openings", "random:0"]));
    assert_eq!(score["games"], 4, "{score}");
    for player in 0..2 {
        let spent = &score["totals"][player];
        assert_eq!(spent["faults"], 0, "{score}");
        assert!(spent["moves"].as_u64() > Some(20), "{score}");
    }
    let refused = play(&["--openings", "random:2"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("games cannot begin with opening moves"), "{message}");
    let stored = json(&run(&home, &["records", "list", "--json"]));
    assert_eq!(stored["matches"].as_array().map(Vec::len), Some(1), "a refused match is not stored: {stored}");
    let _ = std::fs::remove_dir_all(home);
}

/// The text of a map's file has several lines; a game in a list or in a file of openings has one.
#[test]
fn a_match_may_begin_with_the_text_of_a_file() {
    let home = folder("tubstap-text");
    let text = |args: &[&str]| String::from_utf8(run(&home, args).stdout).expect("UTF-8");
    let map = text(&["convert", "tubstap", "map02", "--to", "tbsmap"]);
    assert!(map.lines().count() > 5, "{map}");
    let begin = ["match", "tubstap", "smaef", "random", "--position", &map, "--games", "2", "--json"];
    assert_eq!(json(&run(&home, &begin))["games"], 2);
    let games = text(&["records", "export", "1", "--format", "moves"]);
    assert_eq!(games.lines().count(), 2, "{games}");
    let openings = home.join("openings.txt");
    std::fs::write(&openings, games).expect("a file");
    let openings = format!("file:{}", openings.display());
    let listed = ["match", "tubstap", "smaef", "random", "--openings", &openings, "--games", "2"];
    let refused = run(&home, &listed);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("is over"), "the openings are read, and are whole games: {message}");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn engines_listen_and_connect() {
    let home = folder("tubstap-tcp");
    let mut listening = engine(&["--listen", "0"]);
    let mut line = String::new();
    BufReader::new(listening.stderr.take().expect("messages")).read_line(&mut line).expect("a line");
    let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let think = |player: &str| {
        json(&run(&home, &["think", "tubstap", "--player", player, "--position", "map03", "--moves", "end", "--json"]))
    };
    let best = think(&format!("tubstap:tcp:{address}"))["move"].as_str().expect("a move").to_owned();
    assert!(best.contains('@'), "{best}");
    assert_eq!(think(&format!("tubstap:tcp:{address}"))["move"].as_str(), Some(best.as_str()), "another connection");
    listening.kill().and_then(|()| listening.wait()).expect("it ends");
    // The other way round, as the original's players connect to its server.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let connecting = std::thread::spawn(move || {
        // Until somebody listens, the connection is refused.
        while !engine(&["--connect", &port.to_string()]).wait().expect("it ends").success() {}
    });
    for _ in 0..2 {
        assert_eq!(think(&format!("tubstap:tcp-listen:{port}"))["move"].as_str(), Some(best.as_str()));
    }
    connecting.join().expect("no panic");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn answers_have_the_line_ends_of_the_original() {
    let mut child = engine(&[]);
    let commands = "name\r\nMAP map01\r\nColor 2\r\nGenmove\r\nquit\r\nname\r\n";
    child.stdin.take().expect("an input").write_all(commands.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let answers = ["= Banmen smaef", "= ", "= error: a color is 0 or 1, not `2`", "= -1,0,0,0,0,-1,0,0,3,0,0", "= "];
    assert_eq!(String::from_utf8_lossy(&output.stdout), answers.map(|answer| format!("{answer}\r\n\r\n")).concat());
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && log.contains("a color is 0 or 1") && log.contains("the turn ends"), "{log}");
}

/// The protocol states no limit: the time of a turn is 9.7 s or that of the option.
#[test]
fn an_engine_takes_the_time_of_its_option() {
    let mut child = super::engine(&["tubstap", "--protocol", "tubstap", "--player", "m-uct-plus", "--time", "500ms"]);
    let begun = Instant::now();
    let commands = format!("MAP map01\nColor 0\n{}quit\n", "Genmove\n".repeat(6));
    child.stdin.take().expect("an input").write_all(commands.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let (text, took) = (String::from_utf8_lossy(&output.stdout).into_owned(), begun.elapsed());
    assert_eq!(text.matches(',').count(), 60, "six actions: {text}");
    assert!((Duration::from_millis(400)..Duration::from_secs(5)).contains(&took), "{took:?}");
    let other = run(&folder("tubstap-time"), &["engine", "othello", "--protocol", "gtp", "--time", "1s"]);
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.code() == Some(2) && message.contains("in `gtp` the other program states"), "{message}");
}

#[test]
fn an_endless_line_ends_an_engine() {
    for protocol in ["tubstap", "gtp"] {
        let game = if protocol == "gtp" { "othello" } else { "tubstap" };
        let mut command = Command::new(BANMEN);
        command.args(["engine", game, "--protocol", protocol, "--player", "random"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut input = child.stdin.take().expect("an input");
        // It closes its input before the end of the line.
        let part = vec![b'x'; 1 << 16];
        assert!((0..1000).any(|_| input.write_all(&part).is_err()), "{protocol}");
        let output = child.wait_with_output().expect("it ends");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains("a line is longer than 1 MiB"), "{protocol}: {message}");
    }
}

#[test]
fn other_games_are_refused() {
    let output = run(&folder("tubstap-bad"), &["engine", "othello", "--protocol", "tubstap"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = "othello is not played over the protocol of TUBSTAP";
    assert!(output.status.code() == Some(2) && message.contains(why), "{message}");
}

/// Each map has a line, whose columns are those of the heading.
#[test]
fn the_test_positions_are_solved_in_a_table() {
    let home = folder("tubstap-suite");
    let output = run(&home, &["solve", "tubstap", "--suite", "--nodes", "2000"]);
    assert_eq!(output.status.code(), Some(1), "some are open");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let heading = text.lines().next().expect("a heading");
    let columns = ["position", "result", "plies", "time", "nodes", "line"].map(|name| heading.find(name).expect(name));
    let rows: Vec<&str> = text.lines().skip(2).filter(|row| row.contains(" ms ")).collect();
    assert_eq!(rows.len(), 34, "{text}");
    for row in &rows {
        let begun =
            |at: usize| row.as_bytes().get(at).is_none_or(|&byte| byte != b' ') && row.as_bytes()[at - 1] == b' ';
        let open = row.contains(" open ");
        assert!(columns[1..4].iter().all(|&at| begun(at) || (open && at == columns[2])), "{row} under {heading}");
        assert!(begun(columns[4]) && (open || begun(columns[5])), "{row} under {heading}");
    }
    let won = rows.iter().filter(|row| row.contains(" won ")).count();
    assert!(won > 5 && text.trim_end().ends_with(&format!("solved: {won} of 34")), "{text}");
    let _ = std::fs::remove_dir_all(home);
}

/// What was solved before an interrupt is shown, in a document too.
#[test]
#[cfg(unix)]
fn an_interrupt_keeps_the_test_positions_that_were_solved() {
    let home = folder("tubstap-suite-interrupted");
    let interrupted = |options: &[&str]| {
        // The search of the fourth map does not end.
        let mut command = Command::new(BANMEN);
        command.args(["solve", "tubstap", "--suite", "--time", "1h", "--data"]).arg(&home).args(options);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut output = BufReader::new(child.stdout.take().expect("an output"));
        let mut remarks = BufReader::new(child.stderr.take().expect("a standard error"));
        // The heading, its rule, and the first map, while the others are to come.
        let rows: &mut dyn BufRead = if options.is_empty() { &mut output } else { &mut remarks };
        let mut text = String::new();
        for _ in 0..3 {
            rows.read_line(&mut text).expect("a line");
        }
        assert!(text.contains(" won "), "{text}");
        assert!(child.try_wait().expect("a status").is_none(), "it goes on");
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(interrupt.success());
        if !options.is_empty() {
            text.clear();
        }
        output.read_to_string(&mut text).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{text}");
        text
    };
    let text = interrupted(&[]);
    let rows = text.lines().filter(|row| row.contains(" ms ")).count();
    let last = text.lines().last().expect("a line");
    assert!(rows >= 1 && text.contains(" won ") && last.ends_with(&format!(" of {rows}")), "{text}");
    let document: serde_json::Value = serde_json::from_str(&interrupted(&["--json"])).expect("one object");
    let positions = document["positions"].as_array().expect("a list");
    assert!(positions.iter().any(|position| position["answer"]["score"].is_i64()), "{document}");
    let _ = std::fs::remove_dir_all(home);
}
