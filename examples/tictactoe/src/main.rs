//! Banmen with one more game: everything that `banmen` does, also for tic-tac-toe.
//!
//! ```text
//! cargo run --release -- match tictactoe engine random --games 10
//! ```

#[cfg(test)]
mod laws;
mod rule;
mod tictactoe;

use std::process::ExitCode;

fn main() -> ExitCode {
    banmen::main(|data| banmen::catalog(data).with(tictactoe::entry().tree_player(rule::player())))
}
