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

/// How long a step took.
#[derive(Clone, Copy)]
struct Took {
    time: Duration,
    /// The time of all processors that its programs used, where the system says so.
    processors: Option<Duration>,
}

impl Took {
    fn since(begun: Instant, used: Option<Duration>) -> Self {
        Took {
            time: begun.elapsed(),
            processors: processor_time().zip(used).map(|(now, used)| now.saturating_sub(used)),
        }
    }
}

/// The processor time of this program and of the programs that it has waited for, on Linux.
fn processor_time() -> Option<Duration> {
    const TICKS_PER_SECOND: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets: state, ten other fields, and user and system time of the program and of its children.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 = fields.split_whitespace().skip(11).take(4).map(|ticks| ticks.parse().unwrap_or(0)).sum();
    Some(Duration::from_millis(ticks * (1000 / TICKS_PER_SECOND)))
}

/// Runs the steps, continues after a failure, and ends with a summary of the failures and of each step's time.
/// With `strict` a skipped step fails the run.
pub(crate) fn run(steps: &[&Step], strict: bool) -> ExitCode {
    let (start, used_before) = (Instant::now(), processor_time());
    let mut done = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.summary);
        let (begun, used) = (Instant::now(), processor_time());
        let verdict = (step.run)();
        if let Err(trouble) = &verdict {
            println!("{trouble}");
        }
        let took = Took::since(begun, used);
        println!("== {} {} ({})", step.name, word(&verdict), time(took.time));
        done.push((step.name, verdict, took));
    }

    let line = |name: &str, result: &str, columns: [String; 2], reason: &str| {
        let [time, processors] = columns;
        println!("{}", format!("{name:10}  {result:7}  {time:>12}  {processors:>12}  {reason}").trim_end());
    };
    let columns = |took: Took| [time(took.time), took.processors.map(time).unwrap_or_default()];
    println!();
    line("step", "", ["time", "processors"].map(str::to_owned), "");
    for (name, verdict, took) in &done {
        let reason = verdict.as_ref().err().map(Trouble::to_string).unwrap_or_default();
        line(name, word(verdict), columns(*took), reason.lines().next().unwrap_or_default());
    }
    line("all", "", columns(Took::since(start, used_before)), "");

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
