//! `stats`: match statistics from numbers.

mod rating;
mod score;
mod test;

use std::fmt::Display;
use std::io::Read;
use std::path::Path;

use banmen_arena::signed;
use banmen_catalog::{Error, ErrorCode};
use banmen_stats::{EloEstimate, Interval};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Done;
use crate::args::{Json, Question, Stats};
use crate::failure::Failure;
use crate::output::{columns, say, say_json};

pub(crate) fn run(args: &Stats) -> Done {
    match &args.question {
        Question::Elo(args) => score::elo(args),
        Question::Sprt(args) => score::sprt(args),
        Question::Length(args) => score::length(args),
        Question::Los(args) => score::los(args),
        Question::Compare(args) => score::compare(args),
        Question::Ttest(args) => test::ttest(args),
        Question::Prop(args) => test::prop(args),
        Question::Size(args) => test::size(args),
        Question::Holm(args) => test::holm(args),
        Question::Bt(args) => rating::bt(args),
        Question::Glicko2(args) => rating::glicko2(args),
    }
}

/// An answer, for people or for programs.
fn answer(json: Json, value: &Value, rows: &[Vec<String>]) -> Done {
    if json.json {
        say_json(value);
    } else {
        say(columns(rows).trim_end());
    }
    Ok(0)
}

fn row(name: &str, value: impl Display) -> Vec<String> {
    vec![name.to_owned(), value.to_string()]
}

/// The failure for numbers that are refused.
fn refused(message: impl Into<String>) -> Failure {
    Error::new(ErrorCode::OutOfRange, message).into()
}

/// Reads a JSON file, `-` being standard input.
fn read<T: DeserializeOwned>(file: &Path) -> Result<T, Failure> {
    let name = file.display();
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().lock().read_to_string(&mut text).map(|_| ())
    } else {
        std::fs::read_to_string(file).map(|whole| text = whole)
    };
    read.map_err(|error| Failure::System(name.to_string(), error))?;
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| Error::new(ErrorCode::BadRequest, format!("{name}: {error}")).into())
}

fn percent(share: f64) -> String {
    format!("{:.2}", share * 100.0)
}

/// A score and its interval in percent.
fn score_text(score: f64, interval: Interval) -> String {
    format!("{} %  [{}, {}]", percent(score), percent(interval.low), percent(interval.high))
}

/// An Elo difference with its interval; an end that does not exist is infinite.
fn elo_text(elo: EloEstimate) -> String {
    let end = |value: Option<f64>, none: &str| value.map_or(none.to_owned(), |value| signed(value, 2));
    format!("{}  [{}, {}]", end(elo.value, "n/a"), end(elo.low, "-inf"), end(elo.high, "+inf"))
}

fn elo_json(elo: EloEstimate) -> Value {
    json!({ "value": elo.value, "low": elo.low, "high": elo.high })
}

/// A p value; small ones in scientific notation.
fn p_text(p: f64) -> String {
    if p == 0.0 || p >= 1e-4 { format!("{p:.5}") } else { format!("{p:.1e}") }
}
