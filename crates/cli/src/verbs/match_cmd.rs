//! `match`: a match between two players.

use banmen_arena::{
    Adjudication, Contestant, GameRecord, Match, MatchSpec, OpeningList, Openings, Plan, Score, SequentialTest,
    SideClock, Store, Workers, signed,
};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_programs::waits_for_connection;
use banmen_search::Limits;
use banmen_stats::{Decision, Scale, Sprt};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use super::queue::{concurrency, workers};
use super::records::line;
use super::{Ask, Done, processors};
use crate::args::{ClockArg, Conditions, Match as Args, ModelArg, OpeningsArg};
use crate::failure::Failure;
use crate::output::{bar, columns, counted, remark, say, say_json, thousands};

/// The time per move if no limit is given.
const DEFAULT_TIME: Duration = Duration::from_millis(100);

/// Games of a match if no number is given.
const DEFAULT_GAMES: usize = 100;

pub(crate) fn run(args: &Args, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let conditions = &args.conditions;
    let limits = limits_of(conditions);
    let other = &args.other;
    let others = Limits {
        time: other.b_time,
        clock: other.b_tc,
        nodes: other.b_nodes,
        playouts: other.b_playouts,
        depth: other.b_depth,
        ..Limits::default()
    };
    let a = Contestant::new(&args.a, limits);
    let b = Contestant::new(&args.b, if others == Limits::default() { limits } else { others });
    let matchup = Match::new(game, spec_of(conditions, game, a, b)?)
        .with_programs(args.programs.programs().stopped_by(&ask.stop));
    let test = args.sprt.map(|test| match args.sprt_model {
        ModelArg::Normalised => test,
        ModelArg::Logistic => SequentialTest { scale: Scale::Logistic, ..test },
    });
    let plan = Plan {
        games: args.games.or(test.is_none().then_some(DEFAULT_GAMES)),
        workers: workers_of(
            conditions,
            game,
            &[&args.a, &args.b],
            &format!("match {} {} {}", args.game, args.a, args.b),
            ask,
        )?,
        test,
    };
    let store = ask.store()?;
    ask.on_interrupt();
    let (number, score) = played(&matchup, &store, &plan, args, ask)?;
    if args.json.json {
        say_json(&as_json(number, &score, &matchup)?);
    } else {
        say(&describe(&score, &matchup));
    }
    if ask.stop.stopped() {
        return Err(Failure::Resumable("games"));
    }
    Ok(0)
}

/// Plays, with a progress bar. Returns the number of the match in the store, and its score.
fn played(matchup: &Match<'_>, store: &Store, plan: &Plan, args: &Args, ask: &Ask) -> Result<(i64, Score), Error> {
    let bar = match plan.games {
        Some(games) => bar(games as u64, "{bar:30} {pos}/{len} games  {msg}  eta {eta}"),
        None => bar(0, "{pos} games  {msg}"),
    };
    // An error of the store while games are printed from it.
    let mut failed = None;
    let mut number = 0;
    let score = matchup.play(store, plan, &ask.stop, &mut |progress| {
        number = progress.id;
        let score = progress.score;
        let llr = score.test().map_or_else(String::new, |test| format!("  LLR {}", ratio(test)));
        bar.set_message(format!("{}-{}-{}{llr}", score.wins, score.draws, score.losses));
        let Some(game) = progress.game else {
            bar.set_position(score.games());
            if score.games() > 0 {
                remark(&format!("{} games were in the store", score.games()));
            }
            if args.games_out {
                let wanted = |game: &GameRecord| plan.games.is_none_or(|games| game.pair < games / 2);
                let printed = store.visit_games(progress.id, &mut |game| {
                    if wanted(&game) {
                        bar.suspend(|| print_game(&game, args));
                    }
                    Ok(())
                });
                failed = printed.err();
            }
            return;
        };
        bar.inc(1);
        if let Some(complaint) = &game.complaint {
            let cost = match game.lost_turns.len() {
                0 => "lost".to_owned(),
                1 => "a turn lost".to_owned(),
                turns => format!("{turns} turns lost, the first"),
            };
            let by = game.failed_by().unwrap_or_default();
            bar.suspend(|| remark(&format!("{}.{} {cost} by {by}: {complaint}", game.pair, game.game)));
        }
        if args.games_out {
            bar.suspend(|| print_game(game, args));
        }
    });
    bar.finish_and_clear();
    failed.map_or(score, Err).map(|score| (number, score))
}

/// Prints a game on one line.
fn print_game(game: &GameRecord, args: &Args) {
    if args.json.json {
        say_json(&json!({ "game": game }));
    } else {
        say(&format!("{}.{} {:+} {}", game.pair, game.game, game.score, line(game)));
    }
}

/// A match of these players under the conditions.
pub(crate) fn spec_of(
    conditions: &Conditions,
    game: &dyn AnyGame,
    a: Contestant,
    b: Contestant,
) -> Result<MatchSpec, Failure> {
    let clock = match conditions.clock {
        ClockArg::Cpu => SideClock::Cpu,
        ClockArg::Wall => SideClock::Wall,
    };
    Ok(MatchSpec {
        rules: conditions.rules.clone(),
        openings: openings_of(conditions, game)?,
        clock,
        adjudication: Adjudication { resign: conditions.resign, draw: conditions.draw, plies: conditions.max_plies },
        seed: conditions.seed,
        threads: conditions.threads,
        ..MatchSpec::new(game, a, b)
    })
}

/// The limits of both sides: those given, or the default time.
pub(crate) fn limits_of(conditions: &Conditions) -> Limits {
    let limits = Limits { clock: conditions.tc, ..Limits::from(conditions.limits) };
    if limits == Limits::default() { Limits::time(DEFAULT_TIME) } else { limits }
}

/// The number of games played at once: as given, or as many as the processors can search; one where a player waits for its
/// program to connect.
fn concurrency_of(conditions: &Conditions, one_at_a_time: bool) -> Result<usize, Error> {
    match concurrency(&conditions.queue, conditions.concurrency)? {
        Some(given) if one_at_a_time && given > 1 => {
            let message = "--concurrency must be 1 with tcp-listen: one game at a time can use its address";
            Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "concurrency"))
        }
        Some(given) => Ok(given),
        None if one_at_a_time => Ok(1),
        None => Ok((processors() / conditions.threads.get()).max(1)),
    }
}

/// Where the games between these players are played; `about` says what is played.
pub(crate) fn workers_of(
    conditions: &Conditions,
    game: &dyn AnyGame,
    players: &[&str],
    about: &str,
    ask: &Ask,
) -> Result<Workers, Error> {
    let one_at_a_time = players.iter().any(|player| waits_for_connection(game, player));
    workers(&conditions.queue, concurrency_of(conditions, one_at_a_time)?, about, ask)
}

/// The openings, read from the file if one is given.
fn openings_of(conditions: &Conditions, game: &dyn AnyGame) -> Result<Openings, Failure> {
    if let Some(position) = &conditions.position {
        let plies = match conditions.openings {
            None => 0,
            Some(OpeningsArg::Random(plies)) => plies,
            Some(_) => {
                let message = "--position goes with no openings or with random ones";
                return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "openings").into());
            }
        };
        // Names are read in either case, and a match is the same however its position is written.
        let named = game.info().positions.iter().find(|name| name.eq_ignore_ascii_case(position.trim()));
        let position = match named {
            Some(&name) => name.to_owned(),
            // The text of a file: a game's position is one line, in lists and in files of openings too.
            None if position.contains(char::is_control) => {
                game.state(conditions.rules.as_deref(), Some(position))?.position("")
            }
            None => position.clone(),
        };
        return Ok(Openings::From { position, plies });
    }
    Ok(match &conditions.openings {
        None => Openings::usual(game),
        Some(OpeningsArg::Starts) => Openings::Starts,
        Some(OpeningsArg::Random(plies)) => Openings::Random(*plies),
        Some(OpeningsArg::Balanced(plies)) => Openings::Balanced(*plies),
        Some(OpeningsArg::File(path)) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| Failure::System(path.display().to_string(), error))?;
            let name = path.display().to_string();
            Openings::Listed(Arc::new(OpeningList::read(&name, &text, game, conditions.rules.as_deref())?))
        }
    })
}

/// A log-likelihood ratio between its bounds.
pub(super) fn ratio(test: &Sprt<5>) -> String {
    format!("{:.2} ({:.2}, {:.2})", test.llr(), test.bounds().lower, test.bounds().upper)
}

/// Formats the result as engine testers expect it.
fn describe(score: &Score, matchup: &Match<'_>) -> String {
    let none = || "n/a".to_owned();
    let number = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.2}"));
    let interval = score.interval();
    let elo = score.elo();
    let end = |value: Option<f64>, open: &str| value.map_or(open.to_owned(), |value| signed(value, 1));
    let counts = score.pairs.counts;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![
        row(
            "match",
            format!(
                "{} against {} ({}, {})",
                score.a,
                score.b,
                describe_sides(matchup),
                describe_conditions(&matchup.spec)
            ),
        ),
        row(
            "games",
            format!(
                "{}{}: {} won, {} drawn, {} lost",
                score.games(),
                score.planned.map_or_else(String::new, |planned| format!(" of {planned}")),
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
                let margin = elo.margin().map_or_else(String::new, |margin| format!(" ± {margin:.1}"));
                format!("{}{margin}  [{}, {}]", end(elo.value, "n/a"), end(elo.low, "-inf"), end(elo.high, "+inf"))
            }),
        ),
        row(
            "nElo",
            score.normalised_elo().map_or_else(none, |elo| format!("{} ± {:.1}", signed(elo.value, 1), elo.margin)),
        ),
        row("LOS", score.pairs.superiority().map_or_else(none, |los| format!("{:.2} %", los * 100.0))),
        row(
            "pairs",
            format!(
                "{counts:?} by points 0, ½, 1, 1½, 2; ratio {}, drawn {}",
                number(score.pairs.pair_ratio()),
                score.pairs.draw_ratio().map_or_else(none, |ratio| format!("{:.2} %", ratio * 100.0)),
            ),
        ),
    ];
    if let Some(test) = score.test() {
        let plan = test.plan();
        let found = match test.decision() {
            Some(Decision::AcceptH0) => format!(": rather {}", plan.elo0),
            Some(Decision::AcceptH1) => format!(": rather {}", plan.elo1),
            None => ": open".to_owned(),
        };
        let scale = match plan.scale {
            Scale::Normalised => "nElo",
            Scale::Logistic => "Elo",
        };
        rows.push(row("LLR", format!("{} for {scale} [{}, {}]{found}", ratio(test), plan.elo0, plan.elo1)));
        // For `stats sprt --overshoot`, which sees only the counts.
        let [lower, upper] = test.overshoot();
        rows.push(row("overshoot", format!("{lower:.4},{upper:.4}, by which the bounds are narrowed")));
        // The plain estimate is biased: a test stops after an extreme run.
        if let Some(elo) = test.estimate(0.95).map(|estimate| estimate.elo) {
            let ends = format!("[{}, {}]", end(elo.low, "-inf"), end(elo.high, "+inf"));
            rows.push(row("tested", format!("Elo {}  {ends}, corrected for stopping early", end(elo.value, "n/a"))));
        }
    }
    if let Some(mean) = score.mean_margin() {
        let games = match score.margin_games {
            some if some < score.games() => format!(", in the {some} that the rules ended"),
            _ => String::new(),
        };
        rows.push(row("margin", format!("{} a game{games}", signed(mean, 2))));
    }
    let repeats = score.repeats;
    let copies = if repeats.games > 0 { ": copies, which intervals and test count like other games" } else { "" };
    rows.push(row("repeated", format!("{} games, {} openings{copies}", repeats.games, repeats.openings)));
    for (name, totals) in [&score.a, &score.b].into_iter().zip(&score.totals) {
        let faults = match totals.faults {
            0 => String::new(),
            faults => format!(", failed in {}", counted(faults, "game", "games")),
        };
        rows.push(row(
            "spent",
            format!(
                "{name}: {:.1} ms a move, longest {:.0} ms, mean depth {:.1}, {} nodes a move{faults}",
                totals.mean_ms,
                totals.longest_ms,
                totals.mean_depth,
                thousands(totals.nodes / totals.moves.max(1)),
            ),
        ));
    }
    columns(&rows).trim_end().to_owned()
}

/// The limits of both sides, written once if they are the same.
fn describe_sides(matchup: &Match<'_>) -> String {
    let [a, b] = matchup.spec.sides().map(|side| {
        let limits = banmen_programs::effective_limits(matchup.game, &side.player, &side.limits);
        // The site's wrapper measures wall time.
        let clock = if limits.clock == side.limits.clock { matchup.spec.clock } else { SideClock::Wall };
        describe_limits(&limits, clock)
    });
    if a == b { a } else { format!("{a} against {b}") }
}

/// The conditions of a match besides its limits; rules, threads and early ends only where they are not the usual ones.
pub(super) fn describe_conditions(spec: &MatchSpec) -> String {
    let mut text = format!("{} openings, seed {}", spec.openings.name(), spec.seed);
    if let Some(rules) = &spec.rules {
        text.push_str(&format!(", rules {rules}"));
    }
    if spec.threads.get() > 1 {
        text.push_str(&format!(", {} threads", spec.threads));
    }
    let early = spec.adjudication.to_string();
    if !early.is_empty() {
        text.push_str(&format!("; games end early: {early}"));
    }
    text
}

pub(crate) fn describe_limits(limits: &Limits, clock: SideClock) -> String {
    let clock = match clock {
        SideClock::Cpu => "CPU",
        SideClock::Wall => "wall",
    };
    let mut parts = Vec::new();
    if let Some(time) = limits.time {
        parts.push(format!("{} {clock} a move", humantime::format_duration(time)));
    }
    if let Some(control) = limits.clock {
        parts.push(format!("{control} {clock}"));
    }
    if let Some(nodes) = limits.nodes {
        parts.push(format!("{} a move", counted(nodes, "node", "nodes")));
    }
    if let Some(playouts) = limits.playouts {
        parts.push(format!("{} a move", counted(playouts, "playout", "playouts")));
    }
    if let Some(depth) = limits.depth {
        parts.push(format!("depth {depth}"));
    }
    if parts.is_empty() { "no limit".to_owned() } else { parts.join(", ") }
}

fn as_json(number: i64, score: &Score, matchup: &Match<'_>) -> Result<Value, Error> {
    let mut result = json!({
        "match": number, "game": matchup.spec.game, "rules": matchup.rules_name()?,
        "a": score.a, "b": score.b, "planned": score.planned,
        "limits": matchup.spec.sides().map(|side| {
            banmen_arena::limits(&banmen_programs::effective_limits(matchup.game, &side.player, &side.limits))
        }),
        "openings": matchup.spec.openings.name(), "seed": matchup.spec.seed, "clock": matchup.spec.clock,
        "adjudication": matchup.spec.adjudication, "threads": matchup.spec.threads,
    });
    if let (Value::Object(result), Value::Object(score)) = (&mut result, score.as_json()) {
        result.extend(score);
    }
    Ok(result)
}
