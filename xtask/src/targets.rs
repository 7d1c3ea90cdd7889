//! Builds for other targets.

use std::path::Path;
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The target triple of a browser.
const WASM: &str = "wasm32-unknown-unknown";

/// Directories of `crates` that cannot run in a browser: they need files, processes or the network.
const NATIVE: &[&str] = &["arena", "cli", "fleet", "learn", "programs", "server"];

/// The crates with vector code, and the crates that they use in their tests.
const VECTORS: &[&str] = &["banmen-game", "banmen-search", "banmen-othello", "banmen-golad"];

/// The packages that run in a browser.
fn browser_packages() -> Result<Vec<String>, Trouble> {
    let names = tool::crates()?.into_iter().filter(|name| !NATIVE.contains(&name.as_str()));
    Ok(names.map(|name| format!("banmen-{name}")).collect())
}

/// Checks that these packages compile for a browser. Whether they also run there is not tested here.
pub(crate) fn wasm() -> Verdict {
    let mut rustc = Command::new("rustc");
    let libraries = rustc.args(["--print", "target-libdir", "--target", WASM]).current_dir(tool::root()).output();
    let libraries = libraries.map_err(|error| Trouble::failed(format!("rustc: {error}")))?;
    if !Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir() {
        return Err(Trouble::Skipped(format!("{WASM} is not installed: rustup target add {WASM}")));
    }
    let mut check = tool::cargo(&["check", "--target", WASM]);
    for package in browser_packages()? {
        check.args(["--package", &package]);
    }
    tool::run(&mut check)
}

/// The tests of the crates with vector code on plain x86-64: neither the compiler nor the detection at run time chooses
/// AVX2 or AVX-512. They use a separate target directory, since other flags rebuild everything.
pub(crate) fn portable() -> Verdict {
    if !cfg!(target_arch = "x86_64") {
        println!("this machine is not an x86-64: all tests run without its vectors");
        return Ok(());
    }
    let mut test = tool::cargo(&["test", "--lib", "--tests", "--no-fail-fast"]);
    for package in VECTORS {
        test.args(["--package", package]);
    }
    test.arg("--target-dir").arg(tool::target_folder().join("portable"));
    // These flags replace those of `.cargo/config.toml`.
    tool::run(test.env("RUSTFLAGS", "-C target-cpu=x86-64 --cfg banmen_portable"))
}

#[test]
fn every_game_is_checked_for_the_browser() {
    let packages = browser_packages().unwrap_or_else(|trouble| panic!("{trouble}"));
    for package in ["banmen-game", "banmen-search", "banmen-catalog", "banmen-protocol", "banmen-othello"] {
        assert!(packages.iter().any(|known| known == package), "{package} is not among {packages:?}");
    }
    assert!(!packages.iter().any(|package| package == "banmen-server"), "{packages:?}");
}

/// Catalog and protocol have clocks, files and threads for hosts that allow them. All other crates that run in a browser
/// have the list of methods that clippy refuses.
#[test]
fn crates_for_the_browser_are_refused_clocks_files_and_threads() {
    let list =
        |folder: &str| std::fs::read_to_string(tool::root().join("crates").join(folder).join("clippy.toml")).ok();
    let expected = list("game");
    assert!(expected.as_deref().is_some_and(|list| list.contains("Instant::now")));
    let packages = browser_packages().unwrap_or_else(|trouble| panic!("{trouble}"));
    let folders = packages.iter().filter_map(|package| package.strip_prefix("banmen-"));
    for folder in folders.filter(|folder| !["catalog", "protocol", "wasm"].contains(folder)) {
        assert_eq!(list(folder), expected, "{folder}");
    }
}
