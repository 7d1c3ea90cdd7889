//! The protocol of Blokus Duo's contests.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{BANMEN, folder, json, run};
/// The engine of these tests.
fn engine(args: &[&str]) -> Child {
    super::engine(&[&["blokus", "--protocol", "fpt", "--player", "random"], args].concat())
}

#[test]
fn contest_engines_play_whole_games() {
    let home = folder("blokus-contest");
    let program = format!("fpt:'{BANMEN}' engine blokus --protocol fpt --rules contest --player random");
    let args = [
        "match",
        "blokus",
        &program,
        "random",
        "--rules",
        "contest",
        "--openings",
        "random:0",
        "--games",
        "4",
        "--json",
    ];
    let openings = args.map(|word| if word == "random:0" { "random:2" } else { word });
    let refused = run(&home, &openings);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("games cannot begin with opening moves"), "{message}");
    let stored = json(&run(&home, &["records", "list", "--json"]));
    assert_eq!(stored["matches"], serde_json::json!([]), "a refused match is not stored");
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

/// The protocol states no limit: the time of a move is 900 ms or that of the option.
#[test]
fn a_contest_engine_takes_the_time_of_its_option() {
    let mut child = super::engine(&["blokus", "--protocol", "fpt", "--player", "uct", "--time", "2s"]);
    let begun = Instant::now();
    child.stdin.take().expect("an input").write_all(b"259").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.stdout.len(), 4, "a move: {output:?}");
    assert!(begun.elapsed() >= Duration::from_millis(1_800), "{:?}", begun.elapsed());
}

#[test]
fn engines_listen_and_connect() {
    let home = folder("blokus-tcp");
    let mut listening = engine(&["--listen", "0"]);
    let mut line = String::new();
    BufReader::new(listening.stderr.take().expect("messages")).read_line(&mut line).expect("a line");
    let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let player = format!("fpt:tcp:{address}");
    let think = |player: &str| {
        json(&run(&home, &["think", "blokus", "--player", player, "--moves", "f9,e10,f10,g10,f11", "--json"]))
    };
    assert!(think(&player)["move"].as_str().is_some_and(|text| text.contains("j5")));
    // Each game of a match has a connection.
    let args = ["match", "blokus", "random", &player, "--openings", "random:0", "--games", "2", "--concurrency", "1"];
    let score = json(&run(&home, &[&args[..], &["--time", "20s", "--json"]].concat()));
    assert_eq!((&score["games"], &score["totals"][1]["faults"]), (&2.into(), &0.into()), "{score}");
    listening.kill().and_then(|()| listening.wait()).expect("it ends");
    // The other way round, the game is where the engine connects.
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let connecting = std::thread::spawn(move || {
        // Until somebody listens, the connection is refused.
        while !engine(&["--connect", &port.to_string()]).wait().expect("it ends").success() {}
    });
    for _ in 0..2 {
        assert!(think(&format!("fpt:tcp-listen:{port}"))["move"].as_str().is_some_and(|text| text.contains("j5")));
    }
    connecting.join().expect("no panic");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn learned_ratings_are_played_with() {
    let home = folder("blokus-ratings");
    let file = home.join("own, ratings.toml").display().to_string();
    let learned = run(
        &home,
        &["learn", "ratings", "blokus", "--games", "2", "--held-out", "0", "--playouts", "20", "--out", &file],
    );
    assert!(learned.status.success(), "{}", String::from_utf8_lossy(&learned.stderr));
    let player = format!("amaf:playout=roulette,ratings=\"{file}\"");
    let play =
        || json(&run(&home, &["match", "blokus", &player, "random", "--games", "2", "--playouts", "10", "--json"]));
    let matches =
        || (1..=9).take_while(|id| run(&home, &["records", "export", &id.to_string()]).status.success()).count();
    let before = matches();
    for _ in 0..2 {
        assert_eq!(play()["games"], 2);
    }
    assert_eq!(matches(), before + 1, "the games are there already");
    // Other strengths are another player.
    let text = std::fs::read_to_string(&file).expect("the file").replacen("gamma = ", "gamma = 1", 1);
    std::fs::write(&file, text).expect("a file");
    assert_eq!((play()["games"].as_u64(), matches()), (Some(2), before + 2));
    // Requests do not read files.
    let request = format!(
        "{{\"op\":\"think\",\"game\":\"blokus\",\"player\":{},\"limits\":{{\"playouts\":9}}}}\n",
        serde_json::json!(player)
    );
    for (args, code) in [(&["rpc"][..], "files_not_allowed"), (&["rpc", "--allow-programs"], "")] {
        let mut child =
            Command::new(BANMEN).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        child.stdin.take().expect("an input").write_all(request.as_bytes()).expect("it reads");
        let answer: Value = serde_json::from_slice(&child.wait_with_output().expect("it ends").stdout).expect("JSON");
        assert_eq!(answer["error"]["code"].as_str().unwrap_or_default(), code, "{answer}");
    }
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn strengths_in_a_file_decide_the_moves() {
    let home = folder("blokus-strengths");
    let file = home.join("x.toml");
    // Only the piece X is strong.
    let text = include_str!("../../../blokus/src/players/ratings-own.toml");
    let changed = text.lines().map(|line| match line.split_once("gamma = ") {
        Some((name, rest)) => {
            let gamma = if name.contains("\"X\"") { "1e9" } else { "1.0" };
            format!("{name}gamma = {gamma},{}\n", rest.split_once(',').expect("more follows").1)
        }
        None => format!("{line}\n"),
    });
    std::fs::write(&file, changed.collect::<String>()).expect("a file");
    let player = format!("rated:ratings={}", file.display());
    for seed in ["1", "2", "3", "4", "5"] {
        let answer = json(&run(&home, &["think", "blokus", "--player", &player, "--seed", seed, "--json"]));
        let best = banmen_blokus::notation::parse_move(answer["move"].as_str().expect("a move")).expect("a placement");
        assert_eq!(best.piece().map(|piece| piece.name()), Some("X"), "{answer}");
    }
    // What is wrong with a file is said with its name and line.
    let refused = |why: &str| {
        let output = run(&home, &["think", "blokus", "--player", &player]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(why), "{why}: {message}");
    };
    std::fs::write(&file, "game = 1\n").expect("a file");
    refused("x.toml: line 1: ");
    std::fs::write(&file, text.replace("\"blokus\"", "\"othello\"")).expect("a file");
    refused("x.toml: the ratings are of othello, paper, not of blokus, paper or priors");
    std::fs::remove_file(&file).expect("it was there");
    refused("x.toml cannot be read: ");
    let _ = std::fs::remove_dir_all(home);
}

#[test]
fn an_address_that_is_none_is_refused() {
    for (args, why) in [
        (
            &["engine", "blokus", "--protocol", "fpt", "--listen", "host:1"][..],
            "an IP address or localhost, a colon and a port",
        ),
        (&["engine", "blokus", "--protocol", "fpt", "--listen", "1", "--connect", "1"], "cannot be used with"),
        (&["engine", "othello", "--protocol", "fpt"], "is not played over the protocol of the FPGA contests"),
        (
            &["think", "blokus", "--player", "fpt:tcp:host"],
            "character 5: `tcp:host`: a port is expected, or an IP address",
        ),
    ] {
        let output = run(&folder("blokus-bad"), args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(why), "{args:?}: {message}");
    }
}
