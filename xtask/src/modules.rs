//! The games as WebAssembly modules, and the comparison of their answers with the program's.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The target triple of a browser.
const WASM: &str = "wasm32-unknown-unknown";

/// A copy of up to 12 words is loads and stores, as in `.cargo/config.toml`.
const COPIES: &str =
    "-C llvm-args=-max-store-memcpy=12 -C llvm-args=-max-store-memmove=12 -C llvm-args=-max-store-memset=12";

/// What the modules for several threads need beside vector instructions: a memory that is made by the page, of these sizes (those
/// of `crates/wasm/web/instance.js`), and what gives a thread its own stack and variables.
const THREADS: &str = "-C target-feature=+atomics,+bulk-memory,+mutable-globals \
     -C link-arg=--shared-memory -C link-arg=--import-memory \
     -C link-arg=--initial-memory=33554432 -C link-arg=--max-memory=1073741824 \
     -C link-arg=--export=__stack_pointer -C link-arg=--export=__wasm_init_tls -C link-arg=--export=__tls_size";

/// Browsers that a module is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Without vector instructions.
    Plain,
    /// With them.
    Simd,
    /// With them, on pages whose workers share memory. The standard library is compiled anew, from its sources, which needs
    /// the unstable option `build-std` of cargo.
    Threads,
}

impl Kind {
    /// The folder of the modules, and, with a prefix, that of their build.
    fn name(self) -> &'static str {
        match self {
            Kind::Plain => "plain",
            Kind::Simd => "simd",
            Kind::Threads => "threads",
        }
    }

    fn target_folder(self) -> PathBuf {
        tool::target_folder().join(if self == Kind::Simd { "wasm".to_owned() } else { format!("wasm-{}", self.name()) })
    }

    /// The flags that replace those of `.cargo/config.toml`, which are for `simd`.
    fn flags(self) -> Option<String> {
        match self {
            Kind::Plain => Some(format!("-C target-feature=-simd128 {COPIES}")),
            Kind::Simd => None,
            Kind::Threads => Some(format!("-C target-feature=+simd128 {THREADS} {COPIES}")),
        }
    }
}

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
    let modules = for_checks()?;
    let node = tool::find(&["node"]).ok_or_else(|| Trouble::Skipped("node is not installed".to_owned()))?;
    let mut tests = Command::new(node);
    tests.args(["--test", "--test-concurrency=2", "--test-timeout=900000"]);
    tests.args(["answers", "lab"].map(|name| tool::root().join(format!("crates/wasm/test/{name}.test.mjs"))));
    tool::run(tests.env("MODULES", modules).env("BANMEN", tool::banmen()?))
}

/// The modules for the checks. Steps of one run compile them once: cargo would compile and link each again, since all modules of
/// a target are one file to it.
pub(crate) fn for_checks() -> Result<PathBuf, Trouble> {
    static COMPILED: Mutex<Option<PathBuf>> = Mutex::new(None);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    match &*compiled {
        Some(folder) => Ok(folder.clone()),
        None => Ok(compiled.insert(modules(Build::Quick)?).clone()),
    }
}

/// The games that have a module: the features of the crate `wasm`.
fn games() -> Result<Vec<String>, Trouble> {
    let manifest = tool::read(&tool::root().join("crates/wasm/Cargo.toml"))?;
    let features = manifest.lines().filter(|line| line.contains("= [\"dep:banmen-"));
    Ok(features.filter_map(|line| line.split_once(' ').map(|(name, _)| name.to_owned())).collect())
}

/// What distinguishes the code of the modules from that of others: games of different builds are not counted together.
pub(crate) fn build_digest() -> Result<String, Trouble> {
    let mut files = BTreeSet::new();
    sources(&tool::root().join("crates"), &mut files)?;
    files.insert(tool::root().join("Cargo.lock"));
    files.insert(tool::root().join("Cargo.toml"));
    let mut hasher = DefaultHasher::new();
    for file in files {
        fs::read(&file).map_err(|error| tool::failed(&file, &error))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The files on which code depends, in this folder and those below.
fn sources(folder: &Path, found: &mut BTreeSet<PathBuf>) -> Verdict {
    for entry in fs::read_dir(folder).map_err(|error| tool::failed(folder, &error))?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if !path.is_dir() {
            found.insert(path);
        } else if ["web", "test", "tests", "benches", "examples"].iter().all(|other| name != *other) {
            sources(&path, found)?;
        }
    }
    Ok(())
}

/// Compiles the modules into a folder with a folder for each kind: `simd`, `threads`, and where it is asked for `plain`. In all
/// but `threads` the folder `lab` has the modules with the experiments. Without the sources of the standard library there are
/// no `threads`, and it says so.
pub(crate) fn modules(build: Build) -> Result<PathBuf, Trouble> {
    let libraries = rustc(&["--print", "target-libdir", "--target", WASM])?;
    if !Path::new(&libraries).is_dir() {
        return Err(Trouble::Skipped(format!("{WASM} is not installed: rustup target add {WASM}")));
    }
    let folder = tool::scratch("modules")?;
    let mut kinds = vec![Kind::Simd];
    if build == Build::Whole {
        kinds.push(Kind::Plain);
    }
    let sources = Path::new(&rustc(&["--print", "sysroot"])?).join("lib/rustlib/src/rust/library");
    if sources.is_dir() {
        kinds.push(Kind::Threads);
    } else {
        println!("without modules for several threads: rustup component add rust-src");
    }
    // At the same time: the crates of one module depend on each other, so that most of its build has one of them at work.
    let compiled: Vec<Verdict> = std::thread::scope(|scope| {
        let compile = |kind| {
            let folder = &folder;
            scope.spawn(move || compile(folder, build, kind))
        };
        let builds: Vec<_> = kinds.into_iter().map(compile).collect();
        builds.into_iter().map(|build| build.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    compiled.into_iter().collect::<Verdict>()?;
    Ok(folder)
}

/// What the compiler prints.
fn rustc(arguments: &[&str]) -> Result<String, Trouble> {
    let output = Command::new("rustc").args(arguments).current_dir(tool::root()).output();
    let output = output.map_err(|error| Trouble::failed(format!("rustc: {error}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Compiles the module of each game, of this kind.
fn compile(folder: &Path, build: Build, kind: Kind) -> Verdict {
    let folder = folder.join(kind.name());
    let labs = folder.join("lab");
    fs::create_dir_all(&labs).map_err(|error| tool::failed(&labs, &error))?;
    let digest = build_digest()?;
    let target = kind.target_folder();
    for game in games()? {
        let forms = match kind {
            Kind::Threads => vec![(format!("{game},threads"), &folder)],
            _ => vec![(game.clone(), &folder), (format!("{game},laboratory"), &labs)],
        };
        for (features, to) in forms {
            let package = ["--package", "banmen-wasm", "--lib", "--features", features.as_str()];
            let mut cargo = tool::cargo(&["build", "--profile", "wasm", "--target", WASM, "--target-dir"]);
            cargo.arg(&target).args(package).env("BANMEN_BUILD", &digest);
            if let Some(flags) = kind.flags() {
                cargo.env("RUSTFLAGS", flags);
            }
            if kind == Kind::Threads {
                cargo.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
            }
            if build == Build::Quick {
                cargo.env("CARGO_PROFILE_WASM_OPT_LEVEL", "1");
            }
            tool::run(&mut cargo)?;
            let module = target.join(WASM).join("wasm/banmen_wasm.wasm");
            fs::copy(&module, to.join(format!("{game}.wasm"))).map_err(|error| tool::failed(&module, &error))?;
        }
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
                // Both have more than games, such as operations.
                .filter(|entry| entry.starts_with("banmen_") && entry.ends_with("::entry("))
                .collect()
        };
        assert_eq!(entries(&program).len(), games.len() + 1, "dobutsu has a game of its own for the article");
        assert_eq!(entries(&program), entries(&module));
    }
}
