//! The bots of a league: one small text file for each, in a folder.
//!
//! ```text
//! # Lines that begin with # and blank lines are ignored.
//! player = rpc:python3 my_bot.py
//! note = breadth first, by Suzuki
//! ```
//!
//! `NAME.bot` is the bot NAME. `player` is a built-in player or an external program, as on the command line; `note` is a
//! comment. Commands run in the working directory of the league.

use std::path::Path;

use banmen_catalog::{Error, ErrorCode};

/// The extension of a bot's file.
const EXTENSION: &str = "bot";

/// The largest size of a bot's file, in bytes.
const MAX_BYTES: u64 = 4096;

/// The longest name, in characters.
const MAX_NAME: usize = 40;

/// A bot, as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bot {
    pub(crate) name: String,
    /// The file's name.
    pub(crate) file: String,
    /// The player, as text, and the number of its line.
    pub(crate) player: String,
    pub(crate) line: usize,
}

/// A file that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedFile {
    /// The file's name.
    pub file: String,
    /// The number of the wrong line, from 1; `None` if the fault is not in one line.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

impl std::fmt::Display for RejectedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RejectedFile { file, line, reason } = self;
        match line {
            Some(line) => write!(f, "{file}, line {line}: {reason}"),
            None => write!(f, "{file}: {reason}"),
        }
    }
}

/// Reads the bots of a folder, in the order of their names, and the files that were rejected.
///
/// # Errors
/// `folder` when it cannot be read.
pub(crate) fn read_folder(folder: &Path) -> Result<(Vec<Bot>, Vec<RejectedFile>), Error> {
    let failed = |error: std::io::Error| Error::new(ErrorCode::Folder, format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        // Editors and programs that copy folders leave hidden files beside the others.
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut bots, mut rejected) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(bot) => bots.push(bot),
            Err(file) => rejected.push(file),
        }
    }
    Ok((bots, rejected))
}

fn read(path: &Path) -> Result<Bot, RejectedFile> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().replace(char::is_control, " ");
    let reject = |line, reason: String| RejectedFile { file: file.clone(), line, reason };
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(reject(
            None,
            format!("a bot's name has 1 to {MAX_NAME} characters, none of which is a control character"),
        ));
    }
    let found = std::fs::metadata(path).map_err(|error| reject(None, error.to_string()))?;
    // Reading a pipe could block.
    if !found.is_file() {
        return Err(reject(None, "it is not a file".to_owned()));
    }
    let size = found.len();
    if size > MAX_BYTES {
        return Err(reject(None, format!("{size} bytes are more than the {MAX_BYTES} that a bot's file may have")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| reject(None, error.to_string()))?;
    let (player, line) = parse_bot(&text).map_err(|(line, reason)| reject(line, reason))?;
    Ok(Bot { name: name.to_owned(), file: file.clone(), player, line })
}

/// Parses the text of a bot's file. Returns the player and the number of its line.
///
/// # Errors
/// The number of the wrong line, from 1, if the fault is in one line, and what is wrong.
pub fn parse_bot(text: &str) -> Result<(String, usize), (Option<usize>, String)> {
    let mut player = None;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fault = |reason: String| (Some(number), reason);
        let Some((key, value)) = line.split_once('=') else {
            return Err(fault("a line is KEY = VALUE, such as player = random".to_owned()));
        };
        let value = value.trim();
        match key.trim() {
            "player" if value.is_empty() => return Err(fault("the player is missing".to_owned())),
            "player" if player.is_some() => return Err(fault("a second player".to_owned())),
            "player" => player = Some((value.to_owned(), number)),
            "note" => {}
            other => return Err(fault(format!("there is no key {other:?}; the keys are player and note"))),
        }
    }
    player.ok_or_else(|| (None, "no line says player = …".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_player_of_a_file() {
        let text = "# mine\n\n note = good \nplayer = rpc:python3 'my bot.py' --depth=3\n";
        assert_eq!(parse_bot(text), Ok(("rpc:python3 'my bot.py' --depth=3".to_owned(), 4)));
        assert_eq!(parse_bot("player=engine:level=3"), Ok(("engine:level=3".to_owned(), 1)));
        assert_eq!(parse_bot("\u{feff}player = rated\r\n"), Ok(("rated".to_owned(), 1)));
    }

    #[test]
    fn rejects_wrong_lines_with_their_number() {
        for (text, line, reason) in [
            ("", None, "no line says player"),
            ("# only\nnote = this\n", None, "no line says player"),
            ("player =\n", Some(1), "the player is missing"),
            ("player = a\nplayer = b", Some(2), "a second player"),
            ("\nrandom", Some(2), "KEY = VALUE"),
            ("plaier = random", Some(1), "no key \"plaier\""),
        ] {
            let (found, message) = parse_bot(text).expect_err(text);
            assert!(found == line && message.contains(reason), "{text:?}: {found:?} {message}");
        }
    }
}
