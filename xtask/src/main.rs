//! Development tasks of the workspace. `cargo xtask help` lists them.
//!
//! It depends only on the standard library, so that it compiles in a second or two, and on no crate of the workspace.
//! To learn about the program, it runs it.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod advisories;
mod console;
#[cfg(test)]
mod dependencies;
mod docs;
mod fuzz;
mod load;
mod modules;
mod page;
mod programs;
mod report;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod security;
mod site;
mod steps;
mod targets;
mod tool;

use std::process::ExitCode;

use report::Step;
use steps::STEPS;

const USAGE: &str = "\
cargo xtask test               every check that a change must pass
cargo xtask test --only STEP   one of them; may be given several times
cargo xtask test --skip STEP   all but this one; may be given several times
cargo xtask test --list        their names
cargo xtask ci                 the same, but a check that is skipped counts as failed (as under CI=true)
cargo xtask docs               writes docs/cli.md and docs/players.md from the program's own tables
cargo xtask fuzz               fuzzes every parser for a minute each; in detail:
    --seconds N    for N seconds each
    --runs N       until N inputs have run
    --total N      until N inputs have run, those of earlier calls included
    --target NAME  only this one; may be given several times
    --minimise     then writes the inputs worth keeping to fuzz/corpus
cargo xtask load               a server under load and attack, on this machine alone; in detail:
    --games N      N games with the engine at once (50)
    --sockets N    N open sockets that send nothing (2000)
    --seconds N    N seconds without and N with attack (30)
    --program FILE this program, not the release build
cargo xtask advisories         asks the lists of known faults, where they can be reached, about all dependencies
cargo xtask site               writes the page that needs no server to target/site; in detail:
    --program FILE with the page of this program, not of one that is built first
";

/// The exit code for an invalid command line.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let strict = std::env::var("CI").is_ok_and(|ci| ci == "true");
    match words.as_slice() {
        ["test", "--list"] => {
            for step in STEPS {
                println!("{:10}  {}", step.name, step.summary);
            }
            ExitCode::SUCCESS
        }
        ["test", rest @ ..] => test(rest, strict),
        ["ci"] => test(&[], true),
        ["docs"] => done(docs::write()),
        ["advisories"] => done(advisories::check()),
        ["site"] => done(site::write(None)),
        ["site", "--program", file] => done(site::write(Some(file))),
        ["fuzz", options @ ..] => match fuzz::Options::read(options) {
            Some(options) => done(fuzz::run(&options)),
            None => {
                eprint!("{USAGE}");
                ExitCode::from(WRONG_USAGE)
            }
        },
        ["load", options @ ..] => match load::Options::read(options) {
            Some(options) => done(load::run(&options, true)),
            None => {
                eprint!("{USAGE}");
                ExitCode::from(WRONG_USAGE)
            }
        },
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(WRONG_USAGE)
        }
    }
}

/// Reports the result of a task.
fn done(verdict: report::Verdict) -> ExitCode {
    match verdict {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all steps, or those chosen by the options.
fn test(options: &[&str], strict: bool) -> ExitCode {
    let (mut only, mut skipped) = (Vec::new(), Vec::new());
    for option in options.chunks(2) {
        let (names, name) = match *option {
            ["--only", name] => (&mut only, name),
            ["--skip", name] => (&mut skipped, name),
            _ => {
                eprint!("{USAGE}");
                return ExitCode::from(WRONG_USAGE);
            }
        };
        if STEPS.iter().all(|step| step.name != name) {
            let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
            eprintln!("there is no step `{name}`; the steps are {}", known.join(", "));
            return ExitCode::from(WRONG_USAGE);
        }
        names.push(name);
    }
    let wanted = |step: &&Step| (only.is_empty() || only.contains(&step.name)) && !skipped.contains(&step.name);
    let chosen: Vec<&Step> = STEPS.iter().filter(wanted).collect();
    report::run(&chosen, strict)
}
