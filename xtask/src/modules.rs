//! The games as WebAssembly modules, and the comparison of their answers with the program's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The target triple of a browser.
const WASM: &str = "wasm32-unknown-unknown";

/// How modules are compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// To be published: with and without vector instructions.
    Whole,
    /// For the checks: barely optimised, which takes half the time, and with vector instructions only.
    Quick,
}

/// Compiles the modules, and compares their answers with those of the program, in Node.
pub(crate) fn answers() -> Verdict {
    let modules = modules(Build::Quick)?;
    let node = tool::find(&["node"]).ok_or_else(|| Trouble::Skipped("node is not installed".to_owned()))?;
    let mut tests = Command::new(node);
    tests.arg("--test").arg(tool::root().join("crates/wasm/test/answers.test.mjs"));
    tool::run(tests.env("MODULES", modules.join("simd")).env("BANMEN", tool::banmen()?))
}

/// The games that have a module: the features of the crate `wasm`.
fn games() -> Result<Vec<String>, Trouble> {
    let manifest = tool::read(&tool::root().join("crates/wasm/Cargo.toml"))?;
    let features = manifest.lines().filter(|line| line.contains("= [\"dep:banmen-"));
    Ok(features.filter_map(|line| line.split_once(' ').map(|(name, _)| name.to_owned())).collect())
}

/// Compiles the modules into a folder with a folder for each kind of browser: `simd`, and where it is asked for `plain`.
pub(crate) fn modules(build: Build) -> Result<PathBuf, Trouble> {
    let mut rustc = Command::new("rustc");
    let libraries = rustc.args(["--print", "target-libdir", "--target", WASM]).current_dir(tool::root()).output();
    let libraries = libraries.map_err(|error| Trouble::failed(format!("rustc: {error}")))?;
    if !Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir() {
        return Err(Trouble::Skipped(format!("{WASM} is not installed: rustup target add {WASM}")));
    }
    let folder = tool::scratch("modules")?;
    compile(&folder.join("simd"), build, None)?;
    if build == Build::Whole {
        compile(&folder.join("plain"), build, Some("-C target-feature=-simd128"))?;
    }
    Ok(folder)
}

/// Compiles the module of each game. `flags` replace those of `.cargo/config.toml`.
fn compile(folder: &Path, build: Build, flags: Option<&str>) -> Verdict {
    fs::create_dir_all(folder).map_err(|error| tool::failed(folder, &error))?;
    let target = tool::target_folder().join(if flags.is_some() { "wasm-plain" } else { "wasm" });
    for game in games()? {
        let package = ["--package", "banmen-wasm", "--lib", "--features", game.as_str()];
        let mut cargo = tool::cargo(&["build", "--profile", "wasm", "--target", WASM, "--target-dir"]);
        cargo.arg(&target).args(package);
        if let Some(flags) = flags {
            cargo.env("RUSTFLAGS", flags);
        }
        if build == Build::Quick {
            cargo.env("CARGO_PROFILE_WASM_OPT_LEVEL", "1");
        }
        tool::run(&mut cargo)?;
        let module = target.join(WASM).join("wasm/banmen_wasm.wasm");
        fs::copy(&module, folder.join(format!("{game}.wasm"))).map_err(|error| tool::failed(&module, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_game_of_the_program_has_a_module() {
        let games = games().unwrap_or_else(|trouble| panic!("{trouble}"));
        assert_eq!(games, ["othello", "dobutsu", "golad", "blokus", "tubstap"]);
        let program =
            tool::read(&tool::root().join("crates/cli/src/lib.rs")).unwrap_or_else(|trouble| panic!("{trouble}"));
        let module =
            tool::read(&tool::root().join("crates/wasm/src/lib.rs")).unwrap_or_else(|trouble| panic!("{trouble}"));
        let entries = |text: &str| -> BTreeSet<String> {
            text.split(".with(")
                .skip(1)
                .filter_map(|rest| rest.split_once(')'))
                .map(|(entry, _)| entry.to_owned())
                .collect()
        };
        // The tests of the crate add none.
        assert_eq!(
            entries(&program).into_iter().filter(|entry| entry.starts_with("banmen_")).collect::<BTreeSet<_>>(),
            entries(&module)
        );
    }
}
