//! Errors of verbs, and their exit codes.

use std::fmt;
use std::io;

use banmen_catalog::{Error, ErrorCode};

use crate::output::program;

/// Why a verb failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something in the input was refused.
    Refused(Error),
    /// The system failed: a port, a file, a pipe.
    System(String, io::Error),
    /// Interrupted; everything is saved.
    Interrupted,
    /// Interrupted; the named items are stored, and the same command resumes from them.
    Resumable(&'static str),
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Refused(error) if error.code == ErrorCode::Resigned => 1,
            Failure::Refused(error) if error.code.is_program_fault() => 3,
            Failure::Refused(_) | Failure::System(..) => 2,
            Failure::Interrupted | Failure::Resumable(_) => 130,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "{error}{}", advice(error).unwrap_or_default()),
            Failure::System(what, error) => write!(f, "{what}: {error}"),
            Failure::Interrupted => f.write_str("interrupted"),
            Failure::Resumable(stored) => {
                write!(f, "interrupted: the finished {stored} are stored; the same command continues")
            }
        }
    }
}

/// The command that builds a missing table, rebuilds a damaged one, or says what of a store is damaged.
fn advice(error: &Error) -> Option<String> {
    let does = match error.code {
        ErrorCode::StoreDamaged => return Some(format!("; `{} records check` says what is damaged", program())),
        ErrorCode::TableMissing => "builds it",
        ErrorCode::TableRefused => "builds it again",
        _ => return None,
    };
    let game = error.args.get("game")?.as_str()?;
    let rules = error.args.get("rules").and_then(|rules| rules.as_str());
    let rules = rules.map_or_else(String::new, |rules| format!(" --rules {rules}"));
    Some(format!("; `{} solve {game}{rules} --build` {does}", program()))
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if error.code == ErrorCode::Stopped { Failure::Interrupted } else { Failure::Refused(error) }
    }
}
