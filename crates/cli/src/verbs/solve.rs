//! `solve`: solves a position, builds a game's table, or counts its positions.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use banmen_catalog::{AnyGame, Error, ErrorCode, Progress, Sides, Tablebases, WallClock};
use banmen_protocol::messages::{Building, Solution, SolveInfo, SolveRequest};
use banmen_protocol::{MAX_TABLE_MIB, operations};
use serde_json::json;

use super::question::result;
use super::{Ask, Done, about, limits, processors};
use crate::args::{Place, Solve, SolveLimits};
use crate::failure::Failure;
use crate::output::{bar, columns, remark, say, say_json, table, thousands};

const BAR: &str = "{prefix} {bar:30} {percent} %  eta {eta}";

pub(crate) fn run(args: &Solve, ask: &Ask) -> Done {
    ask.on_interrupt();
    match (args.build, args.census) {
        (true, _) => build(args, ask),
        (_, true) => census(args, ask),
        _ if args.suite => suite(args, ask),
        _ => position(args, ask),
    }
}

fn build(args: &Solve, ask: &Ask) -> Done {
    if ask.folder.is_none() {
        return Err(Error::new(
            ErrorCode::DataFolder,
            "this system has no default data directory: give `--data FOLDER`",
        )
        .into());
    }
    let game = ask.service.catalog.game(&args.place.game)?;
    let (tablebases, threads) = (tablebases(game.as_ref())?, processors());
    let build = |progress: Progress<'_>| tablebases.build(args.place.rules.as_deref(), threads, true, progress);
    let file = shown("building the table", ask, build)?;
    if args.json.json {
        say_json(&json!({ "table": file }));
    } else {
        let path = file.path.as_deref().unwrap_or_else(|| Path::new("memory"));
        say(&format!("{}: {} bytes in {}", file.name, thousands(file.bytes), path.display()));
    }
    Ok(0)
}

fn tablebases(game: &dyn AnyGame) -> Result<&dyn Tablebases, Error> {
    let name = game.info().name;
    game.tablebases().ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{name} has no tables")))
}

fn census(args: &Solve, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.place.game)?;
    let (tablebases, threads) = (tablebases(game.as_ref())?, processors());
    let count = |progress: Progress<'_>| tablebases.census(args.place.rules.as_deref(), threads, progress);
    let figures = shown("counting", ask, count)?;
    if args.json.json {
        say_json(&json!({ "census": figures }));
    } else {
        say(&format!("{}{}", table(&figures.columns, &figures.rows), figures.notes.join("\n")));
    }
    Ok(0)
}

/// Runs a long operation with a progress bar; an interrupt stops it.
fn shown<T>(name: &'static str, ask: &Ask, work: impl FnOnce(Progress<'_>) -> Result<T, Error>) -> Result<T, Failure> {
    let bar = bar(1000, BAR).with_prefix(name);
    let done = work(&|share| {
        bar.set_position((share * 1000.0) as u64);
        if ask.stop.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    done.map_err(|error| if ask.stop.stopped() { Failure::Interrupted } else { error.into() })
}

fn position(args: &Solve, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.place.game)?;
    let own = SolveRequest { all: args.all, ..request(args) };
    let bar = bar(1000, BAR).with_prefix("building the table");
    let mut shown = None;
    let mut report = |info| match info {
        SolveInfo::Building(Building { building }) => {
            if building == 0.0 {
                remark("There is no table for these rules yet; building it once.");
            }
            bar.set_position((building * 1000.0) as u64);
        }
        // With `--all` a report may prove another move and nothing about the position.
        SolveInfo::Solution(solution) => {
            let proven = Some((solution.score, solution.bounds, solution.best.clone()));
            if proven != shown {
                remark(&progress(&solution));
                shown = proven;
            }
        }
    };
    let answer = ask.ask_by(&WallClock::default(), operations::solve, about(&args.place, own), &mut report);
    bar.finish_and_clear();
    let answer = answer.map_err(|failure| if ask.stop.stopped() { Failure::Interrupted } else { failure })?;
    if args.json.json {
        say_json(&answer);
    } else {
        say(&solution(&answer, &game.info().sides));
    }
    // An unsolved position is a negative answer, unless an interrupt was the reason.
    Ok(if answer.score.is_none() { ask.code().max(1) } else { 0 })
}

/// A table that no solver gains much by exceeding: FFO #55, with 29 empty squares, takes 0.4 % fewer nodes with 2 GiB.
const USUAL_TABLE_MIB: u64 = 256;

/// The time for each test position where no limit is given.
const SUITE_TIME: Duration = Duration::from_secs(10);

/// What the options ask of a solver.
fn request(args: &Solve) -> SolveRequest {
    let table = args.table.or_else(|| Some(quarter_of_free_memory()?.min(USUAL_TABLE_MIB)));
    let SolveLimits { time, nodes } = args.limits;
    let usual = if args.suite && nodes.is_none() { Some(SUITE_TIME) } else { None };
    let within = SolveLimits { time: time.or(usual), nodes };
    SolveRequest { all: false, threads: args.threads.threads, table, limits: limits(&within.into()) }
}

/// A quarter of the memory that is free, in mebibytes, at least 1; `None` where the system does not say.
fn quarter_of_free_memory() -> Option<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib = line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?;
    Some((kib / 4 / 1024).clamp(1, MAX_TABLE_MIB))
}

/// Solves each of the game's test positions, and counts those that were proven. Each is shown when its search has ended, so
/// that an interrupt loses no other than the one that is being solved; beside a JSON answer, which comes at the end, as a
/// remark.
fn suite(args: &Solve, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.place.game)?;
    let positions = game.solver().map(|solver| solver.suite()).unwrap_or_default();
    if positions.is_empty() {
        return Err(Error::new(ErrorCode::Unsupported, format!("{} has no test positions", args.place.game)).into());
    }
    let longest = positions.iter().map(|(name, _)| *name).max_by_key(|name| name.len()).unwrap_or_default();
    let show: fn(&str) = if args.json.json { remark } else { say };
    let (mut answers, mut solved) = (Vec::new(), 0);
    let bar = bar(positions.len() as u64, "{prefix} {bar:30} {pos} of {len}").with_prefix("solving");
    for &(name, position) in positions {
        let place = Place { position: Some(position.to_owned()), ..args.place.clone() };
        let answer = ask.ask_by(&WallClock::default(), operations::solve, about(&place, request(args)), &mut |_| {});
        if ask.stop.stopped() {
            break;
        }
        let answer = answer?;
        bar.inc(1);
        solved += usize::from(answer.score.is_some());
        bar.suspend(|| show(&tested(longest, name, &answer, answers.is_empty())));
        answers.push(json!({ "position": name, "answer": answer }));
    }
    bar.finish_and_clear();
    let done = answers.len();
    if args.json.json {
        say_json(&json!({ "solved": solved, "positions": answers }));
    }
    show(&format!("solved: {solved} of {done}"));
    if done < positions.len() {
        remark(&format!(
            "interrupted: {} of {} positions were not tried to their end",
            positions.len() - done,
            positions.len()
        ));
    }
    Ok(if solved < positions.len() { ask.code().max(1) } else { 0 })
}

/// The line of a test position in the table of all, of whose names this is the longest; with the heading if it is the
/// first. The columns are as wide as the widest usual cells, since those that follow are not known yet.
fn tested(longest: &str, name: &str, answer: &Solution, first: bool) -> String {
    let head = ["position", "result", "plies", "time", "nodes", "line"].map(str::to_owned);
    // Its cells are never broken.
    let widest = [longest, "drawn", "100", "100000_ms", "100,000,000", ""].map(str::to_owned).to_vec();
    let margins = answer.outcome.as_ref().is_some_and(|outcome| outcome.margin.is_some());
    let verdict = match answer.score {
        Some(score) if !margins => ["lost", "drawn", "won"][(score.signum() + 1) as usize].to_owned(),
        Some(score) => format!("{score:+}"),
        None => "open".to_owned(),
    };
    let row = vec![
        name.to_owned(),
        verdict,
        if answer.line.is_empty() { String::new() } else { answer.line.len().to_string() },
        format!("{} ms", answer.ms),
        thousands(answer.nodes),
        answer.line.join(" "),
    ];
    let text = table(&head, &[row, widest]);
    let (text, _) = text.trim_end().rsplit_once('\n').unwrap_or_default();
    if first { text } else { text.split_once("─\n").map_or(text, |(_, rows)| rows) }.to_owned()
}

fn progress(info: &Solution) -> String {
    let proven = match (info.score, info.bounds) {
        (None, [low, high]) => format!("between {low:+} and {high:+}"),
        (Some(score), _) => format!("{score:+}"),
    };
    format!("{proven}  {}  {} nodes  {} ms", info.best.join(" "), thousands(info.nodes), info.ms)
}

/// The proven value of a position or a move: the margin, or in a game without margins the result and the distance in
/// plies.
fn verdict(score: Option<i32>, [low, high]: [i32; 2], distance: Option<u32>, margins: bool) -> String {
    match (score, distance) {
        (None, _) => format!("{low:+} to {high:+}"),
        (Some(0), _) if !margins => "drawn".to_owned(),
        (Some(score), Some(plies)) if !margins => format!("{} in {plies}", if score > 0 { "won" } else { "lost" }),
        (Some(score), _) => format!("{score:+}"),
    }
}

fn solution(answer: &Solution, sides: &Sides) -> String {
    // The game is over, so nothing was searched.
    if let (true, Some(outcome)) = (answer.moves.is_empty(), &answer.outcome) {
        return format!("the game is over: {}", result(outcome, sides));
    }
    let margins = answer.outcome.as_ref().is_some_and(|outcome| outcome.margin.is_some());
    let proven = verdict(answer.score, answer.bounds, answer.distance, margins);
    let mut rows = match answer.score {
        None => vec![("score", "open".to_owned()), ("proven", proven)],
        Some(_) => vec![("score", proven)],
    };
    let moves = [("best", answer.best.join(" ")), ("line", answer.line.join(" "))];
    rows.extend(moves.into_iter().filter(|(_, moves)| !moves.is_empty()));
    rows.push(("nodes", thousands(answer.nodes)));
    rows.push(("time", format!("{} ms", answer.ms)));
    let mut rows: Vec<Vec<String>> = rows.into_iter().map(|(name, text)| vec![name.to_owned(), text]).collect();
    if answer.moves.len() > 1 {
        rows.extend(answer.moves.iter().map(|solved| {
            vec![format!("  {}", solved.text), verdict(solved.score, solved.bounds, solved.distance, margins)]
        }));
    }
    columns(&rows).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use banmen_protocol::messages::LimitsRequest;
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Verb};

    #[test]
    fn test_positions_have_a_limit_of_time() {
        let limits = |options: &[&str]| {
            let args = Args::parse_from([&["banmen", "solve", "tubstap"], options].concat());
            let Some(Verb::Solve(args)) = args.verb else { panic!("a solver") };
            let LimitsRequest { time_ms, nodes, .. } = request(&args).limits;
            (time_ms.map(|time| time.0), nodes)
        };
        assert_eq!(limits(&["--suite"]), (Some(SUITE_TIME), None));
        assert_eq!(limits(&["--suite", "--time", "2s"]), (Some(Duration::from_secs(2)), None));
        assert_eq!(limits(&["--suite", "--nodes", "5"]), (None, Some(5)));
        assert_eq!(limits(&[]), (None, None), "a single position has no limit");
    }
}
