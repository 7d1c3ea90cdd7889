//! Writes and checks the documents that come from the program's own tables: the help texts, and the players with their keys.

use std::path::PathBuf;
use std::process::Command;

use crate::report::{Trouble, Verdict};
use crate::tool;

/// The pages, by the words after `banmen docs`.
const PAGES: [&str; 2] = ["cli", "players"];

fn path(page: &str) -> PathBuf {
    tool::root().join("docs").join(format!("{page}.md"))
}

/// The text of a page as the program prints it.
fn printed(page: &str) -> Result<String, Trouble> {
    let failed = |what: String| Trouble::failed(format!("banmen docs {page}: {what}"));
    let output =
        Command::new(tool::banmen()?).args(["docs", page]).output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(error.to_string()))
}

/// Writes the pages.
pub(crate) fn write() -> Verdict {
    for page in PAGES {
        let path = path(page);
        std::fs::write(&path, printed(page)?).map_err(|error| tool::failed(&path, &error))?;
    }
    Ok(())
}

/// Checks that the pages equal what `write` would write.
pub(crate) fn check() -> Verdict {
    for page in PAGES {
        let text = printed(page)?;
        let written = std::fs::read_to_string(path(page)).unwrap_or_default().replace("\r\n", "\n");
        if text != written {
            let first = text.lines().zip(written.lines()).take_while(|(text, written)| text == written).count() + 1;
            let message = format!("docs/{page}.md is out of date from line {first} on: run `cargo xtask docs`");
            return Err(Trouble::failed(message));
        }
    }
    Ok(())
}
