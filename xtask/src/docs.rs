//! Writes and checks `docs/cli.md`, the help texts of the command line.

use std::path::PathBuf;
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

fn page() -> PathBuf {
    tool::root().join("docs").join("cli.md")
}

/// The help texts of all commands, as Markdown.
fn help_texts() -> Result<String, Trouble> {
    let output = Command::new(tool::banmen()?)
        .arg("docs")
        .output()
        .map_err(|error| Trouble::failed(format!("banmen docs: {error}")))?;
    if !output.status.success() {
        return Err(Trouble::failed(format!("banmen docs: {}", output.status)));
    }
    String::from_utf8(output.stdout).map_err(|error| Trouble::failed(format!("banmen docs: {error}")))
}

/// Writes the page.
pub(crate) fn write() -> Verdict {
    let texts = help_texts()?;
    std::fs::write(page(), texts).map_err(|error| Trouble::failed(format!("{}: {error}", page().display())))
}

/// Checks that the page equals what `write` would write.
pub(crate) fn check() -> Verdict {
    let texts = help_texts()?;
    let written = std::fs::read_to_string(page()).unwrap_or_default().replace("\r\n", "\n");
    if texts == written {
        return Ok(());
    }
    let first = texts.lines().zip(written.lines()).take_while(|(text, written)| text == written).count() + 1;
    Err(Trouble::failed(format!("docs/cli.md is out of date from line {first} on: run `cargo xtask docs`")))
}
