//! Answers as JSON.

use std::time::Duration;

use banmen_catalog::{AnyState, Error, Solution};
use banmen_game::{Outcome, Side};
use banmen_search::{Eval, Report};
use serde_json::{Value, json};

/// The final answer to the request `id`.
pub(crate) fn envelope(id: &Value, result: Result<Value, Error>) -> Value {
    match result {
        Ok(value) => json!({ "id": id, "ok": value }),
        Err(error) => json!({ "id": id, "error": error }),
    }
}

pub(crate) fn outcome(outcome: &Outcome) -> Value {
    json!({ "winner": outcome.winner.map(Side::name), "margin": outcome.margin, "by": outcome.by })
}

/// A time in whole milliseconds, as requests and answers write it.
#[must_use]
pub fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn eval(eval: Option<Eval>) -> Value {
    eval.map_or(Value::Null, |eval| json!({ "n": round(eval.n, 100.0), "unit": eval.unit }))
}

/// Rounds to `1 / steps`: further digits carry no information.
fn round(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

/// The report of a search on this game state, in progress or final.
pub(crate) fn report(state: &dyn AnyState, report: &Report<u32>) -> Value {
    let lines: Vec<Value> = report
        .lines
        .iter()
        .map(|line| {
            json!({
                "moves": state.write_line(&line.moves, ""),
                "value": round(line.value, 10_000.0),
                "eval": eval(line.eval),
            })
        })
        .collect();
    json!({
        "move": report.best().map(|m| state.write(m, "")),
        "value": round(report.value(), 10_000.0),
        "eval": eval(report.eval()),
        "lines": lines,
        "nodes": report.nodes,
        "playouts": report.playouts,
        "depth": report.depth,
        "proven": report.proven,
        "ms": ms(report.time),
    })
}

/// The result of a solver on this game state, in progress or final.
pub(crate) fn solution(state: &dyn AnyState, solution: &Solution) -> Value {
    let moves: Vec<Value> = solution
        .moves
        .iter()
        .map(|solved| {
            json!({
                "move": state.write(solved.m, ""),
                "score": solved.score,
                "bounds": [solved.bounds.0, solved.bounds.1],
                "distance": solved.distance,
            })
        })
        .collect();
    json!({
        "outcome": solution.outcome.as_ref().map(outcome),
        "score": solution.score,
        "bounds": [solution.bounds.0, solution.bounds.1],
        "distance": solution.distance,
        "moves": moves,
        "best": solution.best.iter().map(|&m| state.write(m, "")).collect::<Vec<_>>(),
        "line": state.write_line(&solution.line, ""),
        "nodes": solution.nodes,
        "ms": ms(solution.time),
    })
}
