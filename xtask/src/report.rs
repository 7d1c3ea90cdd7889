//! Runs steps and reports their results.

use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// One check.
pub(crate) struct Step {
    /// Its name in `--only`.
    pub name: &'static str,
    /// One line on what it checks.
    pub summary: &'static str,
    /// Runs the check.
    pub run: fn() -> Verdict,
}

/// The result of a step.
pub(crate) type Verdict = Result<(), Trouble>;

/// Why a step did not pass, in one line.
pub(crate) enum Trouble {
    /// The check failed.
    Failed(String),
    /// A tool that the step needs is not installed.
    Skipped(String),
}

impl Trouble {
    pub(crate) fn failed(reason: impl Into<String>) -> Self {
        Trouble::Failed(reason.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Trouble::Failed(reason) | Trouble::Skipped(reason)) = self;
        f.write_str(reason)
    }
}

/// Runs the steps, continues after a failure, and ends with a summary of the failures and of each step's time.
/// With `strict` a skipped step fails the run.
pub(crate) fn run(steps: &[&Step], strict: bool) -> ExitCode {
    let start = Instant::now();
    let mut done = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.summary);
        let begun = Instant::now();
        let verdict = (step.run)();
        if let Err(trouble) = &verdict {
            println!("{trouble}");
        }
        println!("== {} {} ({})", step.name, word(&verdict), time(begun.elapsed()));
        done.push((step.name, verdict, begun.elapsed()));
    }

    println!("\n{:10}  {:7}  {:>9}", "step", "", "time");
    for (name, verdict, took) in &done {
        let reason = verdict.as_ref().err().map(Trouble::to_string).unwrap_or_default();
        let first = reason.lines().next().unwrap_or_default();
        println!("{}", format!("{name:10}  {:7}  {:>9}  {first}", word(verdict), time(*took)).trim_end());
    }
    println!("{:10}  {:7}  {:>9}", "all", "", time(start.elapsed()));

    let count = |wanted: &str| done.iter().filter(|(_, verdict, _)| word(verdict) == wanted).count();
    let (passed, failed, skipped) = (count("passed"), count("failed"), count("skipped"));
    if strict && skipped > 0 {
        println!("a check that is skipped is not passed: under CI=true this run fails");
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed > 0 || (strict && skipped > 0) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Ok(()) => "passed",
        Err(Trouble::Failed(_)) => "failed",
        Err(Trouble::Skipped(_)) => "skipped",
    }
}

fn time(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    match tenths / 600 {
        0 => format!("{}.{} s", tenths / 10, tenths % 10),
        minutes => format!("{minutes} min {:02} s", tenths / 10 % 60),
    }
}
