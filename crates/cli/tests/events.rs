//! Tournaments, ladders and leagues as people and scripts use them.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("events-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_banmen"));
        command.args(args).arg("--data").arg(&self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the program starts")
    }

    /// The last JSON object of a run's output.
    fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        serde_json::from_str(text.lines().last().expect("an answer")).expect("JSON")
    }

    fn refused(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let complaint = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {complaint}");
        complaint
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SHORT: [&str; 4] = ["--nodes", "60", "--openings", "random:3"];

#[test]
fn tournament_resumes_with_the_same_command() {
    let folder = Folder::new("tournament");
    let play = |games: &str| {
        let mut args = vec!["tournament", "dobutsu", "random", "engine:level=1,table=1", "engine:level=3,table=1"];
        args.extend(SHORT);
        args.extend(["--games", games, "--anchor", "random=1000", "--json"]);
        folder.json(&args)
    };
    let [four, eight, again] = ["4", "8", "8"].map(play);
    assert_eq!((&four["standings"]["games"], &eight["standings"]["games"]), (&12.into(), &24.into()));
    assert_eq!(eight, again);
    let players = eight["standings"]["players"].as_array().expect("players");
    assert_eq!(
        (players.len(), &players[2]["name"], &players[2]["elo"]["value"]),
        (3, &"random".into(), &1000.0.into())
    );
    assert_eq!(eight["event"], four["event"]);
    let text = folder.run(&["tournament", "dobutsu", "random", "engine:level=1", "--games", "2", "--nodes", "9"]);
    let text = String::from_utf8(text.stdout).expect("text");
    assert!(text.contains("won-drawn-lost") && text.contains("moving first"), "{text}");
    let again =
        folder.run(&["tournament", "dobutsu", "random", "engine:level=1", "--games", "2", "--nodes", "9", "--json"]);
    assert_eq!(String::from_utf8(again.stderr).expect("text"), "2 games were in the store\n");
    let refused = folder.refused(&["tournament", "dobutsu", "random", "engine", "--anchor", "engin=3"]);
    assert!(refused.contains("there is no player `engin`"), "{refused}");
    let refused = folder.refused(&["tournament", "dobutsu", "random", "engine", "--anchor", "random=abc"]);
    assert!(refused.contains("the anchor `random=abc` has no rating"), "{refused}");
    assert!(folder.refused(&["tournament", "dobutsu", "random"]).contains("2"));
}

#[test]
fn groups_of_players_are_separate_for_the_reason_that_is_stated() {
    let folder = Folder::new("groups");
    let said = |name: &str, nodes: &str, players: &[&str]| {
        let common = ["--name", name, "--nodes", nodes, "--games", "12", "--openings", "random:2"];
        let output = folder.run(&[&["tournament", "dobutsu"], players, &common].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        // Without the ends of lines.
        String::from_utf8(output.stdout).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let one_way = said("lost", "1", &["random", "engine:table=1"]);
    assert!(one_way.contains("points between these groups went one way only"), "{one_way}");
    let connected = said("parts", "1", &["random", "mcts"]);
    assert!(!connected.contains("groups"), "{connected}");
    let apart = said("parts", "1", &["mcts:c=1", "mcts:c=2"]);
    assert!(apart.contains("no games were played between these groups, so the rating"), "{apart}");
    let both = said("both", "1000", &["random", "engine:table=1", "mcts", "--gauntlet"]);
    assert!(both.contains("between these groups points went one way only, or no games were played"), "{both}");
}

#[test]
fn ladder_compares_each_level_with_the_one_below() {
    let folder = Folder::new("ladder");
    let mut args = vec!["ladder", "dobutsu", "--levels", "1..3", "--games", "4", "--json"];
    args.extend(SHORT);
    let ladder = folder.json(&args);
    // Random play against three levels, and each level against the higher ones.
    assert_eq!((&ladder["kind"], &ladder["planned"]), (&"ladder".into(), &24.into()));
    assert_eq!(
        (&ladder["game"], &ladder["rules"], &ladder["threads"]),
        (&"dobutsu".into(), &"catch".into(), &1.into())
    );
    let steps = ladder["steps"].as_array().expect("steps");
    let compared: Vec<&str> = steps.iter().filter_map(|step| step["above"].as_str()).collect();
    assert_eq!(compared, ["engine:level=1", "engine:level=2", "engine:level=3"]);
    for step in steps {
        let end = |name: &str| step["elo"][name].as_f64().expect("a number");
        let verdict = if end("low") > 0.0 {
            "stronger"
        } else if end("high") < 0.0 {
            "weaker"
        } else {
            "undecided"
        };
        assert_eq!(step["verdict"], verdict);
    }
    assert!(folder.refused(&["ladder", "dobutsu", "--levels", "3..1"]).contains("LOW..HIGH"));
    for name in ["", " ", "two\nlines"] {
        let complaint = folder.refused(&["tournament", "dobutsu", "random", "mcts", "--name", name]);
        assert!(complaint.contains("a name is a line"), "{complaint}");
    }
    assert!(folder.refused(&["ladder", "dobutsu", "--levels", "9..11", "--nodes", "9"]).contains("11"));
}

/// A folder with two bots and an invalid file.
fn league(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    for (bot, text) in [
        ("chance", "player = random\n"),
        ("one", "player = engine:level=1,table=1\n"),
        ("none", "# nothing\nplaier = random\n"),
    ] {
        fs::write(folder.0.join(format!("{bot}.bot")), text).expect("a file");
    }
    let path = folder.0.to_str().expect("text").to_owned();
    (folder, path)
}

/// Waits until the league has written a file.
fn wait_for(folder: &Folder, child: &mut Child, path: &str) {
    let start = Instant::now();
    while !folder.0.join(path).exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {path}");
        assert!(child.try_wait().expect("a state").is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn league_resumes_after_kill() {
    let (folder, path) = league("killed");
    let mut start = vec!["league", path.as_str(), "--game", "dobutsu", "--json"];
    start.extend(SHORT);
    for _ in 0..5 {
        let mut child = folder.command(&start).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a start");
        wait_for(&folder, &mut child, "ranking.md");
        std::thread::sleep(Duration::from_millis(100));
        child.kill().expect("it runs");
        child.wait().expect("an end");
    }
    // `--game` is optional now: the league's records have the game.
    let mut more = vec!["league", path.as_str(), "--rounds", "1", "--json"];
    more.extend(SHORT);
    let standings = &folder.json(&more)["standings"];
    let games = standings["games"].as_u64().expect("a number");
    // The league finished interrupted pairs before it started new ones, so only complete pairs remain.
    let again = folder.json(&more)["standings"]["games"].as_u64().expect("a number");
    assert!(games >= 4 && again > games, "{games} then {again}");
    let sums: Vec<u64> = standings["players"]
        .as_array()
        .expect("players")
        .iter()
        .map(|player| player["results"].as_array().expect("three").iter().filter_map(Value::as_u64).sum())
        .collect();
    assert_eq!(sums, [games, games], "each game is one of both");
    assert!(fs::read_to_string(folder.0.join("ranking.md")).expect("a file").contains("| 1 | one |"));
}

#[cfg(unix)]
#[test]
fn league_finishes_its_games_on_interrupt() {
    let (folder, path) = league("interrupted");
    let mut start = vec!["league", path.as_str(), "--game", "dobutsu"];
    start.extend(SHORT);
    let mut child = folder.command(&start).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a start");
    wait_for(&folder, &mut child, "ranking.md");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(130));
    let remarks = String::from_utf8(output.stderr).expect("text");
    let said =
        remarks.lines().filter(|line| line.starts_with("interrupted") || line.starts_with("banmen: interrupted"));
    let once = ["banmen: interrupted: the finished games are stored; the same command continues"];
    assert_eq!(said.collect::<Vec<_>>(), once, "{remarks}");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("ignored: none.bot, line 2: there is no key") && text.contains("moving first"), "{text}");
    let mut none = vec!["league", path.as_str(), "--rounds", "0", "--json"];
    none.extend(SHORT);
    let games = folder.json(&none)["standings"]["games"].as_u64().expect("a number");
    assert!(games > 0 && games.is_multiple_of(2), "{games}");
}

#[test]
fn rejects_an_impossible_league() {
    let folder = Folder::new("refused");
    let path = folder.0.to_str().expect("text").to_owned();
    assert!(folder.refused(&["league", "/no/such/folder"]).contains("/no/such/folder: No such file"));
    let file = format!("{path}/table.json");
    fs::write(&file, "{}").expect("a file");
    assert!(folder.refused(&["league", &file, "--game", "dobutsu"]).contains("table.json is not a folder"));
    assert!(folder.refused(&["league", &path]).contains("give --game"));
    assert!(folder.refused(&["league", &path, "--game", "otello"]).contains("nearest name is `othello`"));
    assert!(!folder.0.join("league.sqlite").exists(), "nothing was begun");
}
