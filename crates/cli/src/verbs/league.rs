//! `league`: a continuous league of the bots in a folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use banmen_arena::{League, LeagueEvent, Standings, Store};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_search::{Limits, TimeControl};
use serde_json::json;

use super::match_cmd::workers_of;
use super::tournament::{conditions_of, ranking};
use super::{Ask, Done};
use crate::args::League as Args;
use crate::failure::Failure;
use crate::output::{bar, remark, say, say_json};

/// The default time control, that of riddles.io, where Suzuki and Ito's GOLAD player ran: ten seconds, an increment of a
/// tenth of a second, and at most ten seconds on the clock.
const CLOCK: TimeControl = TimeControl {
    main: Duration::from_secs(10),
    increment: Duration::from_millis(100),
    cap: Some(Duration::from_secs(10)),
    byoyomi: Duration::ZERO,
};

/// How often the folder is scanned.
const SCAN: Duration = Duration::from_secs(5);

/// The shortest time between two printed rankings; one is printed only after a change of order.
const PRINTED: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &Args, ask: &Ask, store: Option<PathBuf>) -> Done {
    let system = |path: &Path, error| Failure::System(path.display().to_string(), error);
    let folder = args.folder.canonicalize().map_err(|error| system(&args.folder, error))?;
    if !folder.is_dir() {
        let message = format!("{} is not a folder", args.folder.display());
        return Err(Error::new(ErrorCode::DataFolder, message).into());
    }
    let path = store.unwrap_or_else(|| folder.join("league.sqlite"));
    let game = game(args, ask, &path, &folder)?;
    let store = Store::open(&path)?;
    let logs = folder.join("logs");
    std::fs::create_dir_all(&logs).map_err(|error| system(&logs, error))?;
    let mut conditions = conditions_of(&args.conditions, args.programs.programs().stopped_by(&ask.stop), game)?;
    if args.conditions.tc.is_none() && Limits::from(args.conditions.limits) == Limits::default() {
        let limits = Limits { clock: Some(CLOCK), ..Limits::default() };
        (conditions.spec.a.limits, conditions.spec.b.limits) = (limits, limits);
    }
    let programs = &mut conditions.programs;
    // A given folder is relative to where the command was started; the default is the league's own.
    programs.log = programs.log.take().map_or(Some(logs), |given| std::path::absolute(given).ok());
    // Commands in the bots' files are relative to the folder.
    std::env::set_current_dir(&folder).map_err(|error| system(&folder, error))?;
    let league = League { folder, conditions, rounds: args.rounds, pause: args.pause, scan: SCAN };
    if let Some(other) = league.replaces(&store)? {
        remark(&format!("a new league: game or conditions are not those of league {other}, which stays in the store"));
    }
    let table = played(&league, args, ask, &store)?;
    if args.json.json {
        say_json(&json!({ "standings": table }));
    } else {
        say(ranking(&table).trim_end());
    }
    if ask.stop.stopped() {
        return Err(Failure::Resumable("games"));
    }
    Ok(0)
}

/// The named game, or the one that was played here last.
fn game<'a>(args: &Args, ask: &'a Ask, store: &Path, folder: &Path) -> Result<&'a dyn AnyGame, Failure> {
    let name = match &args.game {
        Some(name) => name.clone(),
        None => {
            let last = Store::existing(store)?.map(|store| League::last_game(&store, folder)).transpose()?.flatten();
            last.ok_or_else(|| {
                Error::new(ErrorCode::UnknownGame, "no league was played in this folder yet: give --game")
            })?
        }
    };
    Ok(ask.service.catalog.game(&name)?.as_ref())
}

/// Plays, and prints each event as a line or a JSON object.
fn played(league: &League<'_>, args: &Args, ask: &Ask, store: &Store) -> Result<Standings, Failure> {
    ask.on_interrupt();
    let bar = bar(0, "{pos} games  {msg}");
    let mut order: Vec<String> = Vec::new();
    let mut printed: Option<Instant> = None;
    let about = format!("league {}", league.folder.display());
    let workers = workers_of(&args.conditions, league.conditions.game, &[], &about, ask)?;
    let report = |what: &str, name: &str, reason: Option<&str>| {
        if args.json.json {
            say_json(&json!({ "news": what, "bot": name, "reason": reason }));
        } else {
            let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
            say(&format!("{name} {what}{reason}"));
        }
    };
    let table = league.play(store, workers, &ask.stop, &mut |news| match news {
        LeagueEvent::Joined(bot) => report("plays", &bot.name, None),
        LeagueEvent::Retired(bot) => report("retires", &bot.name, bot.reason.as_deref()),
        LeagueEvent::Suspended(bot) => report("is suspended", &bot.name, bot.reason.as_deref()),
        LeagueEvent::Rejected(refused) if args.json.json => {
            say_json(
                &json!({ "news": "refused", "file": refused.file, "line": refused.line, "reason": refused.reason }),
            );
        }
        LeagueEvent::Rejected(refused) => say(&format!("ignored: {refused}")),
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
