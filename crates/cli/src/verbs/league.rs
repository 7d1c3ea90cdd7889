//! `league`: bots of a folder, who play each other without end.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_arena::{League, LeagueEvent, Standings, Store};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_search::{Limits, TimeControl};
use serde_json::json;

use super::tournament::{conditions_of, ranking};
use super::{Ask, Done, processors};
use crate::args::League as Args;
use crate::failure::Failure;
use crate::output::{bar, remark, say, say_json};

/// The clock where none is given: that of riddles.io, on which Suzuki and Ito's player of GOLAD ran: ten seconds in the
/// bank, a tenth more each turn, and never above ten.
const CLOCK: TimeControl = TimeControl {
    main: Duration::from_secs(10),
    increment: Duration::from_millis(100),
    cap: Some(Duration::from_secs(10)),
    byoyomi: Duration::ZERO,
};

/// How often the folder is looked at.
const SCAN: Duration = Duration::from_secs(5);

/// How often the ranking is printed at most, when its order has changed.
const PRINTED: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &Args, ask: &Ask, store: Option<PathBuf>) -> Done {
    let system = |path: &Path, error| Failure::System(path.display().to_string(), error);
    let folder = args.folder.canonicalize().map_err(|error| system(&args.folder, error))?;
    let path = store.unwrap_or_else(|| folder.join("league.sqlite"));
    let game = game(args, ask, &path, &folder)?;
    let store = Store::open(&path)?;
    let logs = folder.join("logs");
    std::fs::create_dir_all(&logs).map_err(|error| system(&logs, error))?;
    let mut conditions = conditions_of(&args.conditions, game)?;
    if args.conditions.tc.is_none() && Limits::from(args.conditions.limits) == Limits::default() {
        let limits = Limits { clock: Some(CLOCK), ..Limits::default() };
        (conditions.spec.a.limits, conditions.spec.b.limits) = (limits, limits);
    }
    let programs = &mut conditions.programs;
    // Given, from where the command was; by default where the league keeps the latest.
    programs.log = programs.log.take().map_or(Some(logs), |given| std::path::absolute(given).ok());
    // Commands in the files are meant from where the files are.
    std::env::set_current_dir(&folder).map_err(|error| system(&folder, error))?;
    let league = League { folder, conditions, rounds: args.rounds, pause: args.pause, scan: SCAN };
    let table = played(&league, args, ask, &store)?;
    if args.json.json {
        say_json(&json!({ "standings": table }));
    } else {
        say(ranking(&table).trim_end());
    }
    if ask.stop.stopped() {
        remark("interrupted: every finished game is stored; the same command goes on from here");
        return Err(Failure::Interrupted);
    }
    Ok(0)
}

/// The game that is named, or that was played here last.
fn game<'a>(args: &Args, ask: &'a Ask, store: &Path, folder: &Path) -> Result<&'a dyn AnyGame, Failure> {
    let name = match &args.game {
        Some(name) => name.clone(),
        None => {
            let last = Store::existing(store)?.map(|store| League::last_game(&store, folder)).transpose()?.flatten();
            last.ok_or_else(|| {
                Error::new(
                    ErrorCode::UnknownGame,
                    "no league was played in this folder yet: --game says which game it is",
                )
            })?
        }
    };
    Ok(ask.service.catalog.game(&name)?.as_ref())
}

/// Plays, and tells what happens: a line each, or a JSON object.
fn played(league: &League<'_>, args: &Args, ask: &Ask, store: &Store) -> Result<Standings, Failure> {
    ask.on_interrupt();
    let bar = bar(0, "{pos} games  {msg}");
    let mut order: Vec<String> = Vec::new();
    let mut printed: Option<Instant> = None;
    let concurrency = args.conditions.concurrency.unwrap_or_else(processors);
    let tell = |what: &str, name: &str, reason: Option<&str>| {
        if args.json.json {
            say_json(&json!({ "news": what, "bot": name, "reason": reason }));
        } else {
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            say(&format!("{name} {what}{reason}"));
        }
    };
    let table = league.play(store, concurrency, &ask.stop, &mut |news| match news {
        LeagueEvent::Joined(bot) => tell("plays", &bot.name, None),
        LeagueEvent::Retired(bot) => tell("retires", &bot.name, bot.reason.as_deref()),
        LeagueEvent::Suspended(bot) => tell("is suspended", &bot.name, bot.reason.as_deref()),
        LeagueEvent::Rejected(refused) if args.json.json => {
            say_json(
                &json!({ "news": "refused", "file": refused.file, "line": refused.line, "reason": refused.reason }),
            );
        }
        LeagueEvent::Rejected(refused) => say(&format!("passed over: {refused}")),
        LeagueEvent::Game(_, [a, b]) => {
            bar.set_message(format!("{a} - {b}"));
            bar.inc(1);
        }
        LeagueEvent::Ranking(table) => {
            let now: Vec<String> = table.players.iter().map(|player| player.entrant.name.clone()).collect();
            if now != order && !args.json.json && printed.is_none_or(|printed| printed.elapsed() >= PRINTED) {
                bar.suspend(|| say(&ranking(table)));
                (order, printed) = (now, Some(Instant::now()));
            }
        }
    });
    bar.finish_and_clear();
    Ok(table?)
}
