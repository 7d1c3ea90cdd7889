//! The supervisor of an external program: this program, started with a word that is no command of the user's.

use std::ffi::OsString;
use std::process::ExitCode;

use banmen_programs::{NOT_STARTED, supervise};

use crate::output;

/// The first word of the command line of a supervisor.
const WORD: &str = "supervise-program";

/// The first words of the command of a supervisor.
pub(crate) fn command() -> Vec<String> {
    // Also when the program's file was replaced while it runs.
    vec!["/proc/self/exe".to_owned(), WORD.to_owned()]
}

/// The words for the supervisor, if the command line is that of one.
pub(crate) fn words() -> Option<impl Iterator<Item = OsString>> {
    let mut words = std::env::args_os().skip(1);
    words.next().filter(|word| word == WORD).map(|_| words)
}

/// Runs the supervisor.
pub(crate) fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    supervise(words).unwrap_or_else(|error| {
        output::complain(&format!("the program does not start: {error}"));
        ExitCode::from(NOT_STARTED)
    })
}
