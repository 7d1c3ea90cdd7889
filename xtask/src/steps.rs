//! Every check that a change must pass, in order.

use std::process::Command;

use crate::report::{Step, Trouble, Verdict};
use crate::{console, docs, load, modules, page, programs, site, targets, tool};

pub(crate) const STEPS: &[Step] = &[
    Step { name: "format", summary: "rustfmt has nothing to change", run: format },
    Step { name: "clippy", summary: "no warning in any target, the fuzzing driver included", run: clippy },
    Step { name: "build", summary: "everything compiles, with all tests", run: build },
    Step { name: "tests", summary: "tests of all crates, and of their dependencies on each other", run: tests },
    Step {
        name: "wasm",
        summary: "the games as WebAssembly modules answer as the program does, in Node",
        run: modules::answers,
    },
    Step {
        name: "portable",
        summary: "tests of the games with vector code on plain x86-64, without vectors",
        run: targets::portable,
    },
    Step { name: "rustdoc", summary: "no link in a doc comment is broken", run: rustdoc },
    Step { name: "docs", summary: "docs/cli.md and docs/players.md say what the program says", run: docs::check },
    Step { name: "console", summary: "the commands shown in the documents do what is shown", run: console::check },
    Step {
        name: "tictactoe",
        summary: "a game from outside the workspace builds and passes its tests",
        run: tictactoe,
    },
    Step {
        name: "python",
        summary: "the Python client drives banmen, and bots play in its arena",
        run: programs::python,
    },
    Step { name: "rhino", summary: "gtp-rhino plays Othello against ours over GTP", run: programs::rhino },
    Step {
        name: "fleet",
        summary: "matches at a NATS server, while workers, the command and the server are killed",
        run: programs::fleet,
    },
    Step { name: "load", summary: "a server plays games under load and attack, for a few seconds", run: small_load },
    Step { name: "solved", summary: "Dobutsu shogi solved and counted gives the published figures", run: solved },
    Step { name: "types", summary: "the page's JSDoc types agree", run: page::types },
    Step { name: "browser", summary: "the page in Chromium, against a running server", run: page::browser },
    Step { name: "site", summary: "the page without a server, in Chromium", run: site::browser },
];

/// The example's directory, which is a separate workspace.
const TICTACTOE: &str = "examples/tictactoe";

fn format() -> Verdict {
    tool::run(&mut tool::cargo(&["fmt", "--all", "--check"]))?;
    tool::run(tool::cargo(&["fmt", "--check"]).current_dir(tool::root().join(TICTACTOE)))
}

/// The fuzzing driver is not part of the workspace's default build, which needs no C++. Here libFuzzer is not compiled
/// either, since nothing is linked.
fn clippy() -> Verdict {
    let mut clippy = tool::cargo(&["clippy", "--workspace", "--all-targets", "--features", "banmen-fuzz/libfuzzer"]);
    clippy.env("CUSTOM_LIBFUZZER_PATH", "none/libnone.a");
    tool::run(clippy.args(["--keep-going", "--", "-D", "warnings"]))
}

fn build() -> Verdict {
    tool::run(&mut tool::cargo(&["test", "--workspace", "--no-run"]))
}

/// Integration tests, in two halves by their names, unit tests and those of documents: alone, each has programs that leave a core
/// without work.
fn tests() -> Verdict {
    let test = |which: &[&str]| {
        let mut cargo = tool::cargo(&["test", "--workspace", "--no-fail-fast"]);
        cargo.args(which);
        cargo
    };
    let beside = [["--test", "[o-z]*"].as_slice(), &["--lib", "--bins"], &["--doc"]];
    tool::run_beside(&mut test(&["--test", "[!o-z]*"]), &mut beside.map(test))
}

/// With private items, since the readers are developers. Help texts are doc comments too, and may contain a bare URL.
fn rustdoc() -> Verdict {
    let mut doc = tool::cargo(&["doc", "--workspace", "--no-deps", "--document-private-items", "--keep-going"]);
    tool::run(doc.env("RUSTDOCFLAGS", "-D warnings -A rustdoc::private-intra-doc-links -A rustdoc::bare-urls"))
}

/// Only what must happen is checked: the figures depend on the build and on what else the machine does.
fn small_load() -> Verdict {
    load::run(&load::Options::small(tool::banmen()?), false)
}

/// Takes two minutes of processor time: too long for a unit test, but the only complete check of the table.
fn solved() -> Verdict {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut solve = tool::cargo(&["run", "--release", "--package", "banmen-dobutsu", "--features", "threads"]);
    tool::run(solve.args(["--example", "solve", "--", "catch", &threads]))
}

/// The example uses the workspace's lock file and target directory, so that common dependencies are compiled once.
fn tictactoe() -> Verdict {
    let folder = tool::root().join(TICTACTOE);
    std::fs::copy(tool::root().join("Cargo.lock"), folder.join("Cargo.lock"))
        .map_err(|error| Trouble::failed(format!("Cargo.lock: {error}")))?;
    let in_example =
        |mut cargo: Command| tool::run(cargo.current_dir(&folder).env("CARGO_TARGET_DIR", tool::target_folder()));
    in_example(tool::cargo(&["clippy", "--all-targets", "--", "-D", "warnings"]))?;
    in_example(tool::cargo(&["test"]))
}
