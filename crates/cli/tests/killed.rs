//! A match that is killed repeatedly at random moments loses and repeats no game, and has the same result as an
//! uninterrupted run.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How often the running match is killed.
const KILLS: u32 = 200;

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("killed-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Starts the match, with the same command each time.
fn start(folder: &Folder, seed: u32, games: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_banmen"))
        .args([
            "match",
            "dobutsu",
            "engine:level=3,table=1",
            "random",
            "--nodes",
            "200",
            "--openings",
            "random:3",
            "--json",
        ])
        .args(["--concurrency", "2", "--games", &games.to_string(), "--seed", &seed.to_string(), "--data"])
        .arg(&folder.0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn finish(child: Child) -> Value {
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("one object");
    // Times differ between runs.
    for totals in result["totals"].as_array_mut().expect("two players") {
        for time in ["mean_ms", "longest_ms"] {
            totals[time].take();
        }
    }
    result
}

/// The games of match 1, without their times.
fn games(folder: &Folder) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_banmen"))
        .args(["records", "export", "1", "--format", "json", "--data"])
        .arg(&folder.0)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut games = Vec::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let mut line: Value = serde_json::from_str(line).expect("an object");
        let game = &mut line["game"];
        game["times"].take();
        for spent in game["spent"].as_array_mut().expect("two players") {
            spent["seconds"].take();
            spent["longest"].take();
        }
        games.push(game.take());
    }
    games
}

#[test]
fn a_match_that_is_killed_200_times_loses_no_game_and_doubles_none() {
    const GAMES: usize = 600;
    let (mut killed, mut seed, mut delay) = (0, 0, 1_u64);
    while killed < KILLS {
        seed += 1;
        let (whole, parts) = (Folder::new(&format!("whole-{seed}")), Folder::new(&format!("parts-{seed}")));
        let expected = finish(start(&whole, seed, GAMES));
        let mut slack = 0;
        let result = loop {
            let mut child = start(&parts, seed, GAMES);
            // Some processes are killed before they open the store, others during their games. Later processes run
            // longer, so that the match ends even on a slow machine.
            delay = delay.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let until = Instant::now() + Duration::from_micros(5_000 + (delay >> 33) % (60_000 + slack));
            let ended = loop {
                if child.try_wait().expect("a state").is_some() {
                    break true;
                }
                if Instant::now() >= until {
                    break false;
                }
                std::thread::sleep(Duration::from_millis(1));
            };
            if ended {
                break finish(child);
            }
            child.kill().expect("a kill");
            child.wait().expect("an end");
            killed += 1;
            slack += 1_000;
        };
        assert_eq!(result, expected, "seed {seed} after {killed} kills");
        let (these, those) = (games(&parts), games(&whole));
        assert_eq!(these.len(), GAMES);
        assert!(these == those, "seed {seed}: the same games");
    }
}
