//! Builds for other targets.

use crate::report::Verdict;
use crate::tool;

/// Directories of `crates` that cannot run in a browser: they need files, processes or the network.
#[cfg(test)]
const NATIVE: &[&str] = &["arena", "cli", "fleet", "learn", "programs", "server"];

/// Those that run in a browser, and also have what only other hosts allow: clocks, files and threads.
#[cfg(test)]
const HOSTED: &[&str] = &["catalog", "protocol", "wasm"];

/// The crates with vector code.
const VECTORS: &[&str] = &["banmen-othello", "banmen-golad", "banmen-blokus"];

/// The tests of the crates with vector code on plain x86-64: neither the compiler nor the detection at run time chooses
/// AVX2 or AVX-512. They use a separate target directory, since other flags rebuild everything.
pub(crate) fn portable() -> Verdict {
    if !cfg!(target_arch = "x86_64") {
        println!("this machine is not an x86-64: all tests run without its vectors");
        return Ok(());
    }
    let test = |which: &[&str]| {
        let mut test = tool::cargo(&["test", "--no-fail-fast"]);
        for package in VECTORS {
            test.args(["--package", package]);
        }
        test.args(which).arg("--target-dir").arg(tool::target_folder().join("portable"));
        // These flags replace those of `.cargo/config.toml`.
        test.env("RUSTFLAGS", "-C target-cpu=x86-64 --cfg banmen_portable");
        test
    };
    tool::run(&mut test(&["--lib", "--tests", "--no-run"]))?;
    tool::run_beside(&mut test(&["--test", "*"]), &mut [test(&["--lib"])])
}

/// The crates that run in a browser have the list of methods that clippy refuses. Only statistics, with which no game is
/// played, may use functions whose last bits differ between machines.
#[test]
fn crates_for_the_browser_are_refused_clocks_files_and_threads() {
    let list =
        |folder: &str| std::fs::read_to_string(tool::root().join("crates").join(folder).join("clippy.toml")).ok();
    let expected = list("game").expect("the list of the crate game");
    let (common, inexact) =
        expected.split_once("    # Their last bits").expect("the functions are a part of their own");
    assert!(common.contains("Instant::now") && inexact.contains("f64::exp"));
    let crates = std::fs::read_dir(tool::root().join("crates")).expect("the folder of the crates").flatten();
    let folders = crates.map(|entry| entry.file_name().to_string_lossy().into_owned());
    for folder in folders.filter(|folder| !NATIVE.contains(&folder.as_str()) && !HOSTED.contains(&folder.as_str())) {
        let expected = if folder == "stats" { format!("{common}]\n") } else { expected.clone() };
        assert_eq!(list(&folder), Some(expected), "{folder}");
    }
}
