//! `show`, `perft`, `think`: one request, one answer.

use banmen_arena::signed;
use banmen_catalog::{SideName, Sides};
use banmen_protocol::messages::{
    ClockRequest, LimitsRequest, Line, Outcome, PerftAnswer, PerftRequest, Report, ShowAnswer, ShowRequest,
    ThinkRequest, TreeRequest,
};
use banmen_protocol::{messages, operations};
use serde_json::json;

use super::{Ask, Done, about, limits, processors};
use crate::args::{ColourArg, Passes, Perft, Show, Think};
use crate::draw;
use crate::failure::Failure;
use crate::output::{columns, remark, say, say_json, thousands, wrapped};
use crate::{picture, tree};

pub(crate) fn show(args: &Show, ask: &Ask) -> Done {
    let answer = ask.ask(operations::show, about(&args.place, ShowRequest { dialect: args.dialect.clone() }))?;
    if args.json.json {
        say_json(&answer);
    } else if args.svg {
        let view = ask.service.catalog.game(&args.place.game)?.info().view;
        say(&picture::board(&answer.board, view, answer.side));
    } else {
        say(&position(&answer, ask, &args.place.game, args.color)?);
    }
    Ok(0)
}

/// Formats a `show` answer as text.
fn position(answer: &ShowAnswer, ask: &Ask, game: &str, colour: ColourArg) -> Result<String, Failure> {
    let sides = ask.service.catalog.game(game)?.info().sides;
    let mut text = without_position(answer, &sides, colour);
    text.push_str(&format!("position  {}", answer.position));
    Ok(text)
}

/// The board, the side to move or the result, the legal moves if they fit on a line or so, and the counts.
pub(super) fn without_position(answer: &ShowAnswer, sides: &Sides, colour: ColourArg) -> String {
    let mut text = draw::board(&answer.board, colour.is_wanted().then(|| draw::Colours::of(sides)));
    text.push_str("\n\n");
    match &answer.outcome {
        None => {
            text.push_str(&format!("{} to move\n", name(answer.side, sides)));
            match &answer.legal {
                Some(legal) if legal.len() <= 60 => {
                    let gap = if legal.iter().any(|text| text.contains(' ')) { ", " } else { " " };
                    text.push_str(&format!("legal     {}\n", wrapped(legal, gap, 10)));
                }
                _ => text.push_str(&format!("legal     {} moves\n", thousands(answer.legal_count as u64))),
            }
        }
        Some(outcome) => text.push_str(&format!("{}\n", result(outcome, sides))),
    }
    // Lists and tables are not printed: they are for pictures.
    let extra = answer.board.extra.iter().filter(|(_, value)| !value.is_array() && !value.is_object());
    if extra.clone().next().is_some() {
        // Counts of a side, such as `first` and `second_next`, come first, with the side's name.
        let mut facts: Vec<_> = extra
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
    text
}

/// The game's name for a side.
pub(super) fn name(side: SideName, sides: &Sides) -> &'static str {
    match side {
        SideName::First => sides.first.en,
        SideName::Second => sides.second.en,
    }
}

pub(crate) fn result(outcome: &Outcome, sides: &Sides) -> String {
    // The reason of the result is printed only without a margin.
    let Outcome { winner, margin, by } = outcome;
    match (winner, margin) {
        (None, None) => format!("drawn ({by})"),
        (None, Some(_)) => "drawn".to_owned(),
        (Some(winner), Some(margin)) => format!("{} won by {margin}", name(*winner, sides)),
        (Some(winner), None) => format!("{} won ({by})", name(*winner, sides)),
    }
}

pub(crate) fn perft(args: &Perft, ask: &Ask) -> Done {
    ask.on_interrupt();
    let passes = match args.passes {
        Passes::Cost => messages::Passes::Cost,
        Passes::Free => messages::Passes::Free,
    };
    match ask.ask(operations::perft, about(&args.place, PerftRequest { depth: args.depth, passes })) {
        Ok(answer) if args.json.json => say_json(&answer),
        Ok(PerftAnswer { count, ms }) => {
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

/// The leaves per second, unless the rate is above the processors' clock rates: then most leaves were not counted one
/// by one but computed, such as GOLAD's births from the numbers of cells.
fn rate(count: u64, ms: u64) -> String {
    /// Clock ticks of a processor in a microsecond, roughly.
    const TICKS: f64 = 5e3;
    let millions = count as f64 / ms as f64 / 1e3;
    if millions > TICKS * processors() as f64 { String::new() } else { format!(", {millions:.0} M leaves/s") }
}

pub(crate) fn think(args: &Think, ask: &Ask) -> Done {
    ask.on_interrupt();
    let own = ThinkRequest {
        player: args.player.clone(),
        seed: args.seed,
        lines: args.lines,
        limits: LimitsRequest { clock: args.tc.map(ClockRequest::from), ..limits(&args.limits) },
        threads: args.threads.threads,
        tree: args.tree.then_some(TreeRequest {
            depth: args.tree_depth,
            visits: args.tree_visits,
            nodes: args.tree_nodes,
            ..TreeRequest::default()
        }),
        ..ThinkRequest::default()
    };
    let request = about(&args.place, own);
    let clock = &*args.clock.clock();
    if args.json.json {
        let mut report = |info| say_json(&json!({ "info": info }));
        say_json(&ask.ask_by(clock, operations::think, request, &mut report)?);
        return Ok(0);
    }
    let answer = ask.ask_by(clock, operations::think, request, &mut |info| remark(&summary(&info)))?;
    say(&format!("{}\n{}", answer.best.as_deref().unwrap_or("?"), lines(&answer)));
    if args.tree && answer.trees.is_empty() {
        say("\nThe move was found without a tree.");
    }
    answer.trees.iter().for_each(|shown| say(&format!("\n{}", tree::text(shown))));
    Ok(0)
}

/// One line of a search's progress.
fn summary(info: &Report) -> String {
    let line = info.lines.first().map(|line| line.moves.join(" ")).unwrap_or_default();
    let worth = info.eval.map_or_else(|| percent(info.value), |eval| signed(eval.n, 2));
    let (confidence, nodes) = (confidence(info), thousands(info.nodes));
    format!("depth {:>2}  {worth:>8}  {nodes:>14} nodes  {:>6} ms{confidence}  {line}", info.depth, info.ms)
}

/// The confidence of a selective search, to be appended to other facts.
fn confidence(info: &Report) -> String {
    info.confidence.map(|confidence| format!(" at {confidence} %")).unwrap_or_default()
}

/// An expected score.
fn percent(value: f64) -> String {
    format!("{:.1} %", value * 100.0)
}

/// The lines of a search, below its depth, nodes and time.
pub(super) fn lines(answer: &Report) -> String {
    let row = |Line { moves, value, eval }: &Line| {
        let worth = eval.map(|eval| signed(eval.n, 2));
        worth.into_iter().chain([percent(*value), moves.join(" ")]).collect()
    };
    let rows: Vec<Vec<String>> = answer.lines.iter().map(row).collect();
    let (confidence, nodes) = (confidence(answer), thousands(answer.nodes));
    let head = format!("depth {}{confidence}, {nodes} nodes, {} ms", answer.depth, answer.ms);
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
