//! `show`, `perft`, `think`: one request, one answer.

use serde_json::{Value, json};

use super::{Ask, Done, about, limits, processors};
use crate::args::{Passes, Perft, Show, Think};
use crate::draw;
use crate::failure::Failure;
use crate::output::{columns, remark, say, say_json, thousands};
use crate::picture;

pub(crate) fn show(args: &Show, ask: &Ask) -> Done {
    let answer = ask.ask("show", about(&args.place, json!({ "dialect": args.dialect })), &mut |_| {})?;
    if args.json.json {
        say_json(&answer);
    } else if args.svg {
        say(&picture::board(&answer["board"]));
    } else {
        say(&position(&answer, ask, &args.place.game)?);
    }
    Ok(0)
}

/// Formats a `show` answer as text.
pub(crate) fn position(answer: &Value, ask: &Ask, game: &str) -> Result<String, Failure> {
    let sides = ask.service.catalog.game(game)?.info().sides;
    let name = |side: &Value| if side == "first" { sides.first.en } else { sides.second.en };
    let mut text = draw::board(&answer["board"]);
    text.push_str("\n\n");
    match &answer["outcome"] {
        Value::Null => {
            text.push_str(&format!("{} to move\n", name(&answer["side"])));
            let count = answer["legal_count"].as_u64().unwrap_or(0);
            match answer["legal"].as_array() {
                Some(legal) if count <= 60 => text.push_str(&format!("legal     {}\n", words(legal))),
                _ => text.push_str(&format!("legal     {} moves\n", thousands(count))),
            }
        }
        outcome => text.push_str(&format!("{}\n", result(outcome, &name))),
    }
    if let Some(extra) = answer["board"]["extra"].as_object()
        && !extra.is_empty()
    {
        // Counts of a side, such as `first` and `second_next`, come first, with the side's name.
        let mut facts: Vec<_> = extra
            .iter()
            .map(|(key, value)| match (key.strip_prefix("first"), key.strip_prefix("second")) {
                (Some(what), _) => (0, what, 0, format!("{}{what} {value}", sides.first.en)),
                (_, Some(what)) => (0, what, 1, format!("{}{what} {value}", sides.second.en)),
                _ => (1, key.as_str(), 0, format!("{key} {value}")),
            })
            .collect();
        facts.sort();
        let facts: Vec<_> = facts.into_iter().map(|(.., fact)| fact.replace('_', " ")).collect();
        text.push_str(&format!("count     {}\n", facts.join(", ")));
    }
    text.push_str(&format!("position  {}", answer["position"].as_str().unwrap_or_default()));
    Ok(text)
}

pub(crate) fn result(outcome: &Value, name: &dyn Fn(&Value) -> &'static str) -> String {
    // The reason of the result is printed only without a margin.
    let how = match (outcome["margin"].is_null(), outcome["by"].as_str()) {
        (true, Some(by)) => format!(" ({by})"),
        _ => String::new(),
    };
    match (&outcome["winner"], outcome["margin"].as_u64()) {
        (Value::Null, _) => format!("drawn{how}"),
        (winner, Some(margin)) => format!("{} won by {margin}", name(winner)),
        (winner, None) => format!("{} won{how}", name(winner)),
    }
}

pub(crate) fn words(texts: &[Value]) -> String {
    texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

pub(crate) fn perft(args: &Perft, ask: &Ask) -> Done {
    ask.on_interrupt();
    let passes = match args.passes {
        Passes::Cost => "cost",
        Passes::Free => "free",
    };
    let body = about(&args.place, json!({ "depth": args.depth, "passes": passes }));
    match ask.ask("perft", body, &mut |_| {}) {
        Ok(answer) if args.json.json => say_json(&answer),
        Ok(answer) => {
            let (count, ms) = (answer["count"].as_u64().unwrap_or(0), answer["ms"].as_u64().unwrap_or(0));
            say(&count.to_string());
            if ms > 0 {
                remark(&format!("{ms} ms{}", rate(count, ms)));
            }
        }
        Err(_) if ask.stop.stopped() => return Err(Failure::Interrupted),
        Err(failure) => return Err(failure),
    }
    Ok(0)
}

/// The leaves per second, if they can have been counted one by one. A rate above the processors' clocks means that most
/// leaves were computed, such as GOLAD's births from the numbers of cells, and is not printed.
fn rate(count: u64, ms: u64) -> String {
    /// Clock ticks of a processor in a microsecond, roughly.
    const TICKS: f64 = 5e3;
    let millions = count as f64 / ms as f64 / 1e3;
    if millions > TICKS * processors() as f64 { String::new() } else { format!(", {millions:.0} M leaves/s") }
}

pub(crate) fn think(args: &Think, ask: &Ask) -> Done {
    ask.on_interrupt();
    let body = about(
        &args.place,
        json!({
            "player": args.player, "seed": args.seed, "lines": args.lines, "limits": limits(&args.limits),
            "threads": args.threads.threads,
        }),
    );
    let clock = &*args.clock.clock();
    if args.json.json {
        say_json(&ask.ask_by(clock, "think", body, &mut |info| say_json(&json!({ "info": info })))?);
        return Ok(0);
    }
    let answer = ask.ask_by(clock, "think", body, &mut |info| remark(&summary(&info)))?;
    say(&format!("{}\n{}", answer["move"].as_str().unwrap_or("?"), lines(&answer)));
    Ok(0)
}

/// One line of a search's progress.
pub(crate) fn summary(info: &Value) -> String {
    let line = info["lines"][0]["moves"].as_array().map(|moves| words(moves)).unwrap_or_default();
    format!(
        "depth {:>2}  {:>8}  {:>14} nodes  {:>6} ms  {line}",
        info["depth"],
        worth(info),
        thousands(info["nodes"].as_u64().unwrap_or(0)),
        info["ms"],
    )
}

/// A value in the game's unit, or the expected score.
fn worth(line: &Value) -> String {
    match line["eval"]["n"].as_f64() {
        Some(n) => format!("{n:+.2}"),
        None => format!("{:.1} %", line["value"].as_f64().unwrap_or(0.5) * 100.0),
    }
}

fn lines(answer: &Value) -> String {
    let rows: Vec<Vec<String>> = answer["lines"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|line| {
            let percent = format!("{:.1} %", line["value"].as_f64().unwrap_or(0.5) * 100.0);
            let moves = line["moves"].as_array().map(|moves| words(moves)).unwrap_or_default();
            if line["eval"].is_null() { vec![percent, moves] } else { vec![worth(line), percent, moves] }
        })
        .collect();
    let head = format!(
        "depth {}, {} nodes, {} ms",
        answer["depth"],
        thousands(answer["nodes"].as_u64().unwrap_or(0)),
        answer["ms"],
    );
    format!("{head}\n{}", columns(&rows)).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_rates_that_exceed_the_clock() {
        // Othello to depth 11, eight boards at a time, and as many leaves as GOLAD has at depth 2.
        assert_eq!(rate(212_258_800, 64), ", 3317 M leaves/s");
        assert_eq!(rate(25_729_400_000, 9), "");
    }
}
