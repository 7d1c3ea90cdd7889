//! `match`: two players, pit against each other.

use banmen_arena::{Match, Score, SideClock};
use banmen_search::Limits;
use serde_json::{Value, json};

use super::{Ask, Done, processors};
use crate::args::{ClockArg, Match as Args};
use crate::failure::Failure;
use crate::output::{bar, columns, remark, say, say_json, thousands};
use banmen_catalog::Error;

pub(crate) fn run(args: &Args, ask: &Ask) -> Done {
    let limits = Limits::from(args.limits);
    if limits == Limits::default() {
        return Err(Error::new(
            "out_of_range",
            "a match needs a limit for each move: --time, --nodes, --playouts or --depth",
        )
        .into());
    }
    let bout = Match {
        game: ask.service.catalog.game(&args.game)?.as_ref(),
        rules: args.rules.clone(),
        a: args.a.clone(),
        b: args.b.clone(),
        games: args.games,
        limits,
        plies: args.openings,
        concurrency: args.concurrency.unwrap_or_else(processors),
        clock: match args.clock {
            ClockArg::Cpu => SideClock::Cpu,
            ClockArg::Wall => SideClock::Wall,
        },
        seed: args.seed,
    };
    ask.on_interrupt();
    let bar = bar(args.games as u64, "{bar:30} {pos}/{len} games  {msg}  eta {eta}");
    let score = bout.play(&ask.stop, &mut |progress| {
        bar.inc(1);
        bar.set_message(format!("{}-{}-{}", progress.score.wins, progress.score.draws, progress.score.losses));
        if args.games_out {
            let game = progress.game;
            if args.json.json {
                say_json(&json!({ "game": game }));
            } else {
                say(&format!("{}.{} {:+} {}", game.pair, game.game, game.score, game.moves.join("")));
            }
        }
    })?;
    bar.finish_and_clear();
    if args.json.json {
        say_json(&as_json(&score, &bout));
    } else {
        say(&describe(&score, &bout));
    }
    if ask.stop.stopped() {
        remark("interrupted: the games finished so far are counted");
        return Err(Failure::Interrupted);
    }
    Ok(0)
}

/// The result as engine testers know it.
fn describe(score: &Score, bout: &Match<'_>) -> String {
    let none = || "n/a".to_owned();
    let interval = score.interval();
    let elo = score.elo();
    let end = |value: Option<f64>, open: &str| value.map_or(open.to_owned(), |value| format!("{value:+.1}"));
    let counts = score.pairs.counts;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let limits = describe_limits(&bout.limits, bout.clock);
    let mut rows = vec![
        row(
            "match",
            format!("{} against {} ({limits}, random:{} openings, seed {})", score.a, score.b, bout.plies, bout.seed),
        ),
        row(
            "games",
            format!(
                "{} of {}: {} won, {} drawn, {} lost",
                score.games(),
                score.planned,
                score.wins,
                score.draws,
                score.losses
            ),
        ),
        row(
            "score",
            match (score.score(), interval) {
                (Some(score), Some(interval)) => {
                    format!("{:.2} %  [{:.2}, {:.2}]", score * 100.0, interval.low * 100.0, interval.high * 100.0)
                }
                _ => none(),
            },
        ),
        row(
            "Elo",
            elo.map_or_else(none, |elo| {
                format!("{}  [{}, {}]", end(elo.value, "n/a"), end(elo.low, "-inf"), end(elo.high, "+inf"))
            }),
        ),
        row("nElo", score.normalised_elo().map_or_else(none, |elo| format!("{:+.1} ± {:.1}", elo.value, elo.margin))),
        row("LOS", score.pairs.superiority().map_or_else(none, |los| format!("{:.2} %", los * 100.0))),
        row("pairs", format!("{counts:?} by points 0, ½, 1, 1½, 2")),
        row("repeated", format!("{} games, {} openings", score.repeated_games, score.repeated_openings)),
    ];
    if let Some(sum) = score.margin {
        rows.insert(7, row("margin", format!("{:+.2} a game", sum as f64 / score.games().max(1) as f64)));
    }
    for (name, totals) in [&score.a, &score.b].into_iter().zip(&score.totals) {
        rows.push(row(
            "spent",
            format!(
                "{name}: {:.1} ms a move, longest {:.0} ms, mean depth {:.1}, {} nodes a move",
                totals.mean_ms,
                totals.longest_ms,
                totals.mean_depth,
                thousands(totals.nodes / totals.moves.max(1)),
            ),
        ));
    }
    columns(&rows).trim_end().to_owned()
}

fn describe_limits(limits: &Limits, clock: SideClock) -> String {
    let clock = match clock {
        SideClock::Cpu => "CPU",
        SideClock::Wall => "wall",
    };
    let mut parts = Vec::new();
    if let Some(time) = limits.time {
        parts.push(format!("{} {clock} a move", humantime::format_duration(time)));
    }
    if let Some(nodes) = limits.nodes {
        parts.push(format!("{nodes} nodes a move"));
    }
    if let Some(playouts) = limits.playouts {
        parts.push(format!("{playouts} playouts a move"));
    }
    if let Some(depth) = limits.depth {
        parts.push(format!("depth {depth}"));
    }
    parts.join(", ")
}

fn as_json(score: &Score, bout: &Match<'_>) -> Value {
    let interval = score.interval().map(|interval| [interval.low, interval.high]);
    let elo = score.elo();
    let normalised = score.normalised_elo();
    json!({
        "a": score.a, "b": score.b, "planned": score.planned, "games": score.games(),
        "wins": score.wins, "draws": score.draws, "losses": score.losses,
        "score": score.score(), "interval": interval,
        "elo": elo.map(|elo| json!({ "value": elo.value, "low": elo.low, "high": elo.high })),
        "normalised_elo": normalised.map(|elo| json!({ "value": elo.value, "margin": elo.margin })),
        "superiority": score.pairs.superiority(),
        "pairs": score.pairs.counts,
        "margin": score.margin,
        "repeated_games": score.repeated_games, "repeated_openings": score.repeated_openings,
        "totals": score.totals,
        "seed": bout.seed, "plies": bout.plies, "clock": bout.clock,
    })
}
