//! Runs the commands that the documents show.
//!
//! In a block fenced as `console`, a line that begins with `$ ` is a command, lines that begin with `> ` continue it,
//! and the lines below are its output. `sh` runs all commands of a document in one directory, empty at first, with
//! `banmen` on the path. Every command must exit with code 0 and print the shown lines in this order; `…` matches any
//! text, also omitted lines.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The time limit of a command: readers of a document do not wait longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command that a document shows.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown<'t> {
    /// Its line number in the document.
    line: usize,
    command: String,
    /// The output shown below it.
    output: Vec<&'t str>,
}

/// Runs every command of the README and the documents.
pub(crate) fn check() -> Verdict {
    if tool::find(&["sh"]).is_none() {
        return Err(Trouble::Skipped("sh is not installed".to_owned()));
    }
    let banmen = tool::banmen()?;
    let mut faults = Vec::new();
    for document in documents() {
        let name = document.strip_prefix(tool::root()).unwrap_or(&document).display().to_string();
        let text = fs::read_to_string(&document).map_err(|error| Trouble::failed(format!("{name}: {error}")))?;
        let folder = tool::scratch("console")?;
        for shown in commands(&text) {
            println!("{name}:{}: {}", shown.line, shown.command);
            if let Err(fault) = try_out(&shown, &banmen, &folder) {
                println!("{fault}");
                faults.push(format!("{name}:{}", shown.line));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Trouble::failed(format!("not as shown: {}", faults.join(", ")))) }
}

/// The README, the documents beside it, and those in `docs`.
pub(crate) fn documents() -> Vec<PathBuf> {
    let markdown = |folder: &str| {
        let entries = fs::read_dir(tool::root().join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|extension| extension == "md"))
    };
    let mut documents: Vec<PathBuf> = markdown("").chain(markdown("docs")).collect();
    documents.sort();
    documents
}

/// The commands of a document's `console` blocks.
fn commands(text: &str) -> Vec<Shown<'_>> {
    let mut commands: Vec<Shown<'_>> = Vec::new();
    let (mut fenced, mut console) = (false, false);
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(kind) = line.strip_prefix("```") {
            fenced = !fenced;
            console = fenced && kind == "console";
        } else if console {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => {
                    commands.push(Shown { line: number, command: command.to_owned(), output: Vec::new() });
                }
                (None, Some(last)) => match line.strip_prefix("> ") {
                    Some(more) if last.output.is_empty() => last.command = format!("{}\n{more}", last.command),
                    _ => last.output.push(line),
                },
                (None, None) => {}
            }
        }
    }
    commands
}

fn try_out(shown: &Shown<'_>, banmen: &Path, folder: &Path) -> Result<(), String> {
    let trouble = |error: io::Error| error.to_string();
    let printed = folder.join(".printed");
    let own = banmen.parent().map(Path::to_owned);
    let path = env::join_paths(own.into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())));
    let mut child = Command::new("sh")
        .args(["-c", &shown.command])
        .current_dir(folder)
        .env("PATH", path.map_err(|error| error.to_string())?)
        // This is also the data directory, whatever the platform's default is.
        .envs(["HOME", "XDG_DATA_HOME"].map(|name| (name, folder)))
        .stdin(Stdio::null())
        .stdout(File::create(&printed).map_err(trouble)?)
        .spawn()
        .map_err(trouble)?;
    let ended = wait(&mut child).map_err(trouble)?;
    let printed = fs::read_to_string(&printed).map_err(trouble)?;
    match ended {
        None => Err(format!("still runs after {} s; it printed\n{printed}", PATIENCE.as_secs())),
        Some(false) => Err(format!("fails; it printed\n{printed}")),
        Some(true) => match missing(&shown.output, &printed) {
            Some(line) => Err(format!("the line\n{line}\nis not in its place in what it printed:\n{printed}")),
            None => Ok(()),
        },
    }
}

/// Whether the program succeeded; `None` when it exceeded the time limit and was killed.
fn wait(child: &mut Child) -> io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The first shown line that is not printed after the ones before it.
fn missing<'t>(shown: &[&'t str], printed: &str) -> Option<&'t str> {
    let mut lines = printed.lines();
    shown.iter().copied().find(|pattern| !pattern.trim().is_empty() && !lines.any(|line| matches(pattern, line)))
}

/// Whether a printed line matches a shown one.
fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.trim_end().split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.trim_end().strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[test]
fn commands_come_from_console_blocks_only() {
    let text = "$ no\n```console\n$ one\nshown\n> too\n$ two\n> on\n```\n```sh\n$ neither\n```\n";
    let one = Shown { line: 3, command: "one".to_owned(), output: vec!["shown", "> too"] };
    assert_eq!(commands(text), [one, Shown { line: 6, command: "two\non".to_owned(), output: Vec::new() }]);
}

#[test]
fn shown_lines_come_in_their_order() {
    let printed = "first 12 ms\nsecond\n\nthird, and more\n";
    assert_eq!(missing(&["first … ms", "second", "", "…", "third…"], printed), None);
    assert_eq!(missing(&["second", "first …"], printed), Some("first …"));
    assert_eq!(missing(&["third"], printed), Some("third"));
    assert_eq!(missing(&["first … s"], printed), Some("first … s"));
}
