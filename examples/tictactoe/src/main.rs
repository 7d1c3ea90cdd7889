//! Banmen with one game more: everything that `banmen` does, for tic-tac-toe too.
//!
//! ```text
//! cargo run --release -- match tictactoe engine random --games 10
//! ```

#[cfg(test)]
mod laws;
mod tictactoe;

use std::process::ExitCode;

fn main() -> ExitCode {
    banmen::main(|data| banmen::catalog(data).with(tictactoe::entry()))
}
