//! The command line, and the list of built-in games.
//!
//! A program with a game of another crate is one line: `banmen::main(|data|
//! banmen::catalog(data).with(my_game::entry()))` has every command, the protocol and the page for the game.

mod args;
mod draw;
mod failure;
mod output;
mod picture;
mod supervisor;
mod tree;
mod verbs;

use std::process::ExitCode;

use banmen_catalog::{Catalog, Data};
use clap::FromArgMatches as _;

use crate::args::Args;

/// The built-in games, with this data directory.
#[must_use]
pub fn catalog(data: Data) -> Catalog {
    Catalog::new(data)
        .with(banmen_othello::entry())
        .with(banmen_dobutsu::entry())
        .with(banmen_dobutsu::article::entry())
        .with(banmen_golad::entry())
        .with(banmen_blokus::entry())
        .with(banmen_tubstap::entry())
}

/// Runs the program with the games of `catalog`, which is called once with the data directory. Reads the command line,
/// runs the command, and returns the exit code: 0 done, 1 a negative answer, 2 wrong usage or bad input, 3 an external
/// program failed, 130 interrupted with everything saved.
pub fn main(catalog: impl FnOnce(Data) -> Catalog) -> ExitCode {
    if let Some(missing) = missing_features() {
        output::complain(&format!(
            "this build needs a processor with {missing} (x86-64-v3); for an older one build it with \
             RUSTFLAGS='-C target-cpu=x86-64'"
        ));
        return ExitCode::from(2);
    }
    if let Some(words) = supervisor::words() {
        return supervisor::run(words);
    }
    // Usage errors end here, by clap: code 2.
    let args = Args::from_arg_matches(&args::command().get_matches()).unwrap_or_else(|error| error.exit());
    match verbs::run(args, catalog) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            output::complain(&failure.to_string());
            ExitCode::from(failure.code())
        }
    }
}

/// Parses a text as each kind of value that an option of the command line takes, and returns the errors of those that
/// refuse it: for fuzzing.
#[doc(hidden)]
#[must_use]
pub fn parse_values(text: &str) -> Vec<String> {
    args::parse_values(text)
}

/// A processor feature that the build relies on and this machine lacks.
fn missing_features() -> Option<&'static str> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return Some("AVX2");
        }
        if !std::arch::is_x86_feature_detected!("bmi2") {
            return Some("BMI2");
        }
        if !std::arch::is_x86_feature_detected!("fma") {
            return Some("FMA");
        }
    }
    None
}
