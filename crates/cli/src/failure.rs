//! How a verb fails, and with which exit code.

use std::fmt;
use std::io;

use banmen_catalog::Error;

/// Why a verb did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something in the input was refused.
    Refused(Error),
    /// The system failed: a port, a file, a pipe.
    System(String, io::Error),
    /// Interrupted; everything is saved.
    Interrupted,
}

impl Failure {
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Refused(error) if error.code.is_program_fault() => 3,
            Failure::Refused(_) | Failure::System(..) => 2,
            Failure::Interrupted => 130,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(error) => write!(f, "{error}"),
            Failure::System(what, error) => write!(f, "{what}: {error}"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}
