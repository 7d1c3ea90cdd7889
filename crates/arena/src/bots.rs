//! The bots of a league: one small text file for each, in a folder.
//!
//! ```text
//! # Lines that begin with # are passed over, and so are blank ones.
//! player = rpc:python3 my_bot.py
//! note = breadth first, by Suzuki
//! ```
//!
//! `NAME.bot` is the bot NAME. `player` is a player of the house or an outside program, as on the command line; `note`
//! is for people. Commands run in the folder from which the league is played.

use std::path::Path;

use banmen_catalog::{Error, ErrorCode};

/// What the name of a bot's file ends with.
const EXTENSION: &str = "bot";

/// A larger file is no bot's.
const LARGEST: u64 = 4096;

/// The longest name, in letters.
const LONGEST: usize = 40;

/// A bot, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bot {
    pub(crate) name: String,
    /// The file's own name.
    pub(crate) file: String,
    /// The player, as text, and the line that says so.
    pub(crate) player: String,
    pub(crate) line: usize,
}

/// A file that is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The file's name.
    pub file: String,
    /// The line, from 1, where one is at fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Refused { file, line, reason } = self;
        match line {
            Some(line) => write!(f, "{file}, line {line}: {reason}"),
            None => write!(f, "{file}: {reason}"),
        }
    }
}

/// The bots of a folder by name, and the files that are none.
///
/// # Errors
/// `folder` when it cannot be read.
pub(crate) fn look(folder: &Path) -> Result<(Vec<Bot>, Vec<Refused>), Error> {
    let failed = |error: std::io::Error| Error::new(ErrorCode::Folder, format!("{}: {error}", folder.display()));
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut bots, mut refused) = (Vec::new(), Vec::new());
    for path in paths {
        match read(&path) {
            Ok(bot) => bots.push(bot),
            Err(refusal) => refused.push(refusal),
        }
    }
    Ok((bots, refused))
}

fn read(path: &Path) -> Result<Bot, Refused> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let refuse = |line, reason: String| Refused { file: file.clone(), line, reason };
    let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
        return Err(refuse(None, format!("a bot's name has 1 to {LONGEST} letters")));
    }
    let found = std::fs::metadata(path).map_err(|error| refuse(None, error.to_string()))?;
    // A pipe would be waited for without end.
    if !found.is_file() {
        return Err(refuse(None, "it is no file".to_owned()));
    }
    let size = found.len();
    if size > LARGEST {
        return Err(refuse(None, format!("{size} bytes are more than the {LARGEST} that a bot's file may have")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(None, error.to_string()))?;
    let (player, line) = parse(&text).map_err(|(line, reason)| refuse(line, reason))?;
    Ok(Bot { name: name.to_owned(), file: file.clone(), player, line })
}

/// The player and its line.
fn parse(text: &str) -> Result<(String, usize), (Option<usize>, String)> {
    let mut player = None;
    for (number, line) in (1..).zip(text.lines()) {
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
    fn a_file_names_a_player() {
        let text = "# mine\n\n note = good \nplayer = rpc:python3 'my bot.py' --depth=3\n";
        assert_eq!(parse(text), Ok(("rpc:python3 'my bot.py' --depth=3".to_owned(), 4)));
        assert_eq!(parse("player=engine:level=3"), Ok(("engine:level=3".to_owned(), 1)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, reason) in [
            ("", None, "no line says player"),
            ("# only\nnote = this\n", None, "no line says player"),
            ("player =\n", Some(1), "the player is missing"),
            ("player = a\nplayer = b", Some(2), "a second player"),
            ("\nrandom", Some(2), "KEY = VALUE"),
            ("plaier = random", Some(1), "no key \"plaier\""),
        ] {
            let (found, said) = parse(text).expect_err(text);
            assert!(found == line && said.contains(reason), "{text:?}: {found:?} {said}");
        }
    }
}
