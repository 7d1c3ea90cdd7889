//! The binary, with the built-in games.

use std::process::ExitCode;

fn main() -> ExitCode {
    banmen::main(banmen::catalog)
}
