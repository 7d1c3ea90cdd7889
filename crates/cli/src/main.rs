//! The binary: the house's own games.

use std::process::ExitCode;

fn main() -> ExitCode {
    banmen::main(banmen::catalog)
}
