//! Coverage-guided fuzzing of everything that reads text or bytes from outside, by libFuzzer.
//!
//! The targets are functions of the package `banmen-fuzz`, of which a program is linked for each. The stable toolchain
//! builds it: libFuzzer needs only a pass of LLVM from the compiler. No sanitizer is linked in, since all parsers are safe
//! Rust: a fault is a panic, an endless loop, or too much memory.

use std::env;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

/// Seconds for each target by default.
const SECONDS: u64 = 60;

/// Seconds of wall time after which an input counts as an endless loop: ample, also on a loaded machine.
const TIMEOUT: u64 = 120;

/// The largest number of inputs of one process with `--total`: the count of a process that is killed is lost.
const AT_ONCE: u64 = 1_000_000;

/// The largest total size of a target's inputs in the repository that fuzzing found, in bytes, and their largest
/// number.
const MAX_KEPT: u64 = 16 << 10;
const MAX_FILES: usize = 40;

/// The instrumentation for libFuzzer: edge counters and a table of their addresses. The operands of comparisons are not
/// recorded, since that doubles the time of an input: in the same time, none of six targets found much less code
/// without them, and three found more.
const COVERAGE: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// The options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Seconds for each target.
    seconds: Option<u64>,
    /// Inputs for each target.
    runs: Option<u64>,
    /// Inputs for each target, those of earlier calls included.
    total: Option<u64>,
    /// The targets; empty for all.
    targets: Vec<String>,
    /// Whether the corpora in the repository are rebuilt from the inputs that were found.
    minimise: bool,
}

impl Options {
    /// Parses the options. `None` where they are invalid.
    pub(crate) fn read(words: &[&str]) -> Option<Options> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--minimise" => options.minimise = true,
                "--seconds" => options.seconds = Some(words.next()?.parse().ok().filter(|&seconds| seconds > 0)?),
                "--runs" => options.runs = Some(words.next()?.parse().ok().filter(|&runs| runs > 0)?),
                "--total" => options.total = Some(words.next()?.parse().ok().filter(|&total| total > 0)?),
                "--target" => options.targets.push((*words.next()?).to_owned()),
                _ => return None,
            }
        }
        Some(options)
    }
}

/// The corpora in the repository.
fn corpora() -> PathBuf {
    tool::root().join("fuzz/corpus")
}

/// The output directory of fuzzing: inputs, failures, logs.
fn found() -> PathBuf {
    tool::target_folder().join("fuzz")
}

fn trouble(path: &Path) -> impl FnOnce(std::io::Error) -> Trouble {
    let path = path.display().to_string();
    move |error| Trouble::failed(format!("{path}: {error}"))
}

/// The entries of a directory, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let listed = fs::read_dir(folder).map_err(trouble(folder))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The variable of the environment that names the target of a program at compile time.
const TARGET: &str = "BANMEN_FUZZ_TARGET";

/// A target.
struct Target {
    name: String,
    /// The largest length of its inputs, in bytes.
    max_len: String,
}

/// The targets that are wanted, all by default.
fn targets(wanted: &[String]) -> Result<Vec<Target>, Trouble> {
    // Any program has the list.
    let program = build(None)?;
    let listed = Command::new(&program).env(TARGET, "list").output().map_err(trouble(&program))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let known: Vec<Target> = listed
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').map(str::to_owned);
            Some(Target { name: words.next()?, max_len: words.next()? })
        })
        .collect();
    if let Some(name) = wanted.iter().find(|name| known.iter().all(|target| target.name != **name)) {
        let known: Vec<&str> = known.iter().map(|target| target.name.as_str()).collect();
        return Err(Trouble::failed(format!("there is no target `{name}`; the targets are {}", known.join(", "))));
    }
    Ok(known.into_iter().filter(|target| wanted.is_empty() || wanted.contains(&target.name)).collect())
}

/// Builds the program of a target, of any if `None`, and returns its path.
fn build(target: Option<&Target>) -> Result<PathBuf, Trouble> {
    let host = tool::host()?;
    let built = found().join("build").join(&host).join("fuzz").join(format!("banmen-fuzz{}", env::consts::EXE_SUFFIX));
    let mut cargo = tool::cargo(&["build", "--package", "banmen-fuzz", "--features", "libfuzzer", "--profile", "fuzz"]);
    cargo.args(["--target", &host]).arg("--target-dir").arg(found().join("build"));
    // Only the code of the workspace is instrumented: after each input libFuzzer goes over all counters.
    cargo.env("RUSTC_BOOTSTRAP", "1").arg("-Zprofile-rustflags");
    cargo.args(["--config", &format!("profile.fuzz.rustflags={COVERAGE:?}")]);
    for others in ["package.\"*\"", "build-override"] {
        cargo.args(["--config", &format!("profile.fuzz.{others}.rustflags=[]")]);
    }
    let Some(target) = target else {
        tool::run(cargo.env_remove(TARGET))?;
        return Ok(built);
    };
    // Its output is not shown, since it only links.
    let output = cargo.env(TARGET, &target.name).output().map_err(trouble(Path::new("cargo")))?;
    if !output.status.success() {
        return Err(Trouble::failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // Another call may build the program of another target at the same time.
    let programs = found().join("programs");
    fs::create_dir_all(&programs).map_err(trouble(&programs))?;
    let program = programs.join(&target.name);
    fs::copy(&built, &program).map_err(trouble(&program))?;
    Ok(program)
}

/// Fuzzes the chosen targets in sequence, and continues after one has failed.
pub(crate) fn run(options: &Options) -> Verdict {
    let targets = targets(&options.targets)?;
    println!("{:20} {:>12} {:>9} {:>9} {:>12}", "target", "inputs", "a second", "coverage", "in all");
    let mut failed = Vec::new();
    for target in &targets {
        let program = build(Some(target))?;
        if let Err(trouble) = fuzz_until(&program, target, options) {
            println!("{trouble}");
            failed.push(target.name.as_str());
        }
        if options.minimise {
            minimise(&program, target)?;
        }
        fs::remove_file(&program).map_err(trouble(&program))?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Trouble::failed(format!("fuzzing found faults: {}", failed.join(", "))))
    }
}

/// Runs one target once, or until it has had the wanted total of inputs.
fn fuzz_until(program: &Path, target: &Target, options: &Options) -> Verdict {
    let Some(total) = options.total else { return fuzz(program, target, options.seconds, options.runs) };
    loop {
        let left = total.saturating_sub(tried(target));
        if left == 0 {
            return Ok(());
        }
        fuzz(program, target, options.seconds, Some(left.min(AT_ONCE)))?;
    }
}

/// The file with the number of inputs that a target has had in all calls.
fn count_of(target: &Target) -> PathBuf {
    found().join("inputs").join(&target.name)
}

fn tried(target: &Target) -> u64 {
    fs::read_to_string(count_of(target)).ok().and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// The command that runs the program on a target.
fn libfuzzer(program: &Path, target: &Target) -> Command {
    let mut command = Command::new(program);
    command.env(TARGET, &target.name).arg(format!("-max_len={}", target.max_len));
    command
}

/// Runs one target, starting from the inputs in the repository and those found before.
fn fuzz(program: &Path, target: &Target, seconds: Option<u64>, runs: Option<u64>) -> Verdict {
    let inputs = found().join("corpus").join(&target.name);
    let faults = found().join("faults").join(&target.name);
    let counts = found().join("inputs");
    for folder in [&inputs, &faults, &counts] {
        fs::create_dir_all(folder).map_err(trouble(folder))?;
    }
    let log_path = found().join(format!("{}.log", target.name));
    let log = File::create(&log_path).map_err(trouble(&log_path))?;
    let mut command = libfuzzer(program, target);
    command.args(["-print_final_stats=1", "-rss_limit_mb=4096"]).arg(format!("-timeout={TIMEOUT}"));
    command.arg(format!("-artifact_prefix={}/", faults.display()));
    let seconds = if runs.is_none() { seconds.or(Some(SECONDS)) } else { seconds };
    command
        .args(seconds.map(|seconds| format!("-max_total_time={seconds}")))
        .args(runs.map(|runs| format!("-runs={runs}")));
    command.arg(&inputs).arg(corpora().join(&target.name)).stdin(std::process::Stdio::null());
    let errors = log.try_clone().map_err(trouble(&log_path))?;
    let status = command.stdout(log).stderr(errors).status().map_err(trouble(program))?;
    let log = String::from_utf8_lossy(&fs::read(&log_path).map_err(trouble(&log_path))?).into_owned();
    let number = |name: &str| {
        let line = log.lines().rev().find(|line| line.starts_with("stat::") && line.contains(name));
        line.and_then(|line| line.rsplit(' ').next()).unwrap_or("?").to_owned()
    };
    let coverage = log.lines().rev().find_map(|line| line.split(" cov: ").nth(1)?.split(' ').next()).unwrap_or("?");
    let executed = number("number_of_executed_units");
    let tried = tried(target) + executed.parse().unwrap_or(0);
    let path = count_of(target);
    fs::write(&path, tried.to_string()).map_err(trouble(&path))?;
    println!("{:20} {executed:>12} {:>9} {coverage:>9} {tried:>12}", target.name, number("average_exec_per_sec"));
    // An input that the program could not write is shown at the end of its log.
    let _ = std::io::stdout().flush();
    if status.success() {
        return Ok(());
    }
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('#')).collect();
    let end = lines[lines.len().saturating_sub(60)..].join("\n");
    Err(Trouble::failed(format!("{end}\n{}: {status}; the input lies in {}", target.name, faults.display())))
}

/// Whether libFuzzer named the file, by the digest of its bytes.
fn is_digest(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Copies a minimal set of inputs with the coverage of all known ones into the repository, the shortest first, as many
/// as [`MAX_FILES`] and [`MAX_KEPT`] allow. Inputs written by hand stay.
fn minimise(program: &Path, target: &Target) -> Verdict {
    let merged = tool::scratch("fuzz")?;
    let kept = corpora().join(&target.name);
    let by_hand: Vec<PathBuf> = entries(&kept)?.into_iter().filter(|path| !is_digest(&name(path))).collect();
    for path in &by_hand {
        fs::copy(path, merged.join(name(path))).map_err(trouble(path))?;
    }
    let mut command = libfuzzer(program, target);
    command.arg("-merge=1").arg(&merged).arg(&kept).arg(found().join("corpus").join(&target.name));
    let output = command.output().map_err(trouble(program))?;
    if !output.status.success() {
        return Err(Trouble::failed(format!("{}: {}", target.name, String::from_utf8_lossy(&output.stderr))));
    }
    for path in entries(&kept)?.iter().filter(|path| is_digest(&name(path))) {
        fs::remove_file(path).map_err(trouble(path))?;
    }
    let mut new = Vec::new();
    for path in entries(&merged)?.into_iter().filter(|path| is_digest(&name(path))) {
        new.push((path.metadata().map_err(trouble(&path))?.len(), path));
    }
    new.sort();
    let mut bytes = 0;
    for (size, path) in new.into_iter().take(MAX_FILES) {
        bytes += size;
        if bytes > MAX_KEPT {
            break;
        }
        fs::copy(&path, kept.join(name(&path))).map_err(trouble(&path))?;
    }
    Ok(())
}

#[test]
fn options_are_read() {
    let options = Options { seconds: Some(10), targets: vec!["a".to_owned(), "b".to_owned()], ..Options::default() };
    assert_eq!(Options::read(&["--target", "a", "--seconds", "10", "--target", "b"]), Some(options));
    assert_eq!(
        Options::read(&["--runs", "5", "--total", "7", "--minimise"]).map(|options| (
            options.runs,
            options.total,
            options.minimise
        )),
        Some((Some(5), Some(7), true))
    );
    for wrong in [&["--seconds"][..], &["--seconds", "0"], &["--runs", "x"], &["othello"]] {
        assert_eq!(Options::read(wrong), None, "{wrong:?}");
    }
}
