//! Runs steps and says how they went.

use std::fmt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// One check.
pub(crate) struct Step {
    /// What `--only` calls it.
    pub name: &'static str,
    /// What it checks, in a line.
    pub summary: &'static str,
    /// Does it.
    pub run: fn() -> Verdict,
}

/// How a step went.
pub(crate) type Verdict = Result<(), Trouble>;

/// Why a step did not pass, in a line.
pub(crate) enum Trouble {
    /// What it checks does not hold.
    Failed(String),
    /// What it needs is not installed here.
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

/// Runs the steps, also after one has failed, and closes with what was found and where the time went.
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
