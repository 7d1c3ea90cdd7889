//! External programs: the Python client, an engine that Debian packages, and a server for matches on many machines.

use std::path::PathBuf;
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

/// Where Debian installs games: on the path of users, but not of every service.
const GAMES: &str = "/usr/games";

/// Runs the tests of the Python client, by its own test module. `BANMEN` is the path of `banmen`.
pub(crate) fn python() -> Verdict {
    let Some(python) = tool::find(&["python3"]) else {
        return Err(Trouble::Skipped("python3 is not installed".to_owned()));
    };
    let banmen = tool::banmen()?;
    let mut tests = Command::new(python);
    // No bytecode files in the checkout.
    tests.args(["-B", "-m", "unittest"]).current_dir(tool::root().join("clients/python"));
    tool::run(tests.env("BANMEN", banmen))
}

/// Plays a match between this engine and the other one. Both are driven over GTP, so that the same code reads both.
pub(crate) fn rhino() -> Verdict {
    let debian = PathBuf::from(GAMES).join("gtp-rhino");
    let Some(rhino) = tool::find(&["gtp-rhino"]).or_else(|| debian.is_file().then_some(debian)) else {
        return Err(Trouble::Skipped("gtp-rhino (Debian's package grhino) is not installed".to_owned()));
    };
    let banmen = tool::banmen()?;
    let folder = tool::scratch("rhino")?;
    let ours = format!("gtp:'{}' engine othello --protocol gtp --player engine:level=3", banmen.display());
    let theirs = format!("gtp:'{}'", rhino.display());
    let mut command = Command::new(&banmen);
    command.arg("--data").arg(&folder).args(["match", "othello", &ours, &theirs, "--games", "10", "--time", "1s"]);
    let output = command.output().map_err(|error| Trouble::failed(format!("banmen: {error}")))?;
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("{said}{complained}");
    let games = said.lines().find(|line| line.starts_with("games"));
    if !output.status.success() || !games.is_some_and(|line| line.contains(" 10 of 10:")) {
        return Err(Trouble::failed("the match was not played to its end"));
    }
    if said.contains("failed in") {
        return Err(Trouble::failed("a game was lost by a fault, and not by its rules"));
    }
    Ok(())
}

/// Where Debian installs servers.
const SERVERS: &str = "/usr/sbin";

/// Runs the tests that need a NATS server: matches at a queue, while processes are killed.
pub(crate) fn fleet() -> Verdict {
    if tool::find(&["nats-server"]).is_none() && !PathBuf::from(SERVERS).join("nats-server").is_file() {
        return Err(Trouble::Skipped("nats-server (Debian's package of this name) is not installed".to_owned()));
    }
    // With the features of the whole workspace: after the step `build` nothing is left to compile.
    let tests = |name| {
        // Each test has servers, workers and queues of its own, and mostly waits: for a worker that is silent, a pause that ends.
        tool::cargo(&["test", "--workspace", "--test", name, "--", "--ignored", "--test-threads", "8"])
    };
    tool::run_beside(&mut tests("nats"), &mut [tests("queue")])
}
