//! The operations on positions and players.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

use banmen_catalog::{AnyTask, Bounds, Error, ErrorCode, MAX_LISTED_MOVES, Tablebases};
use banmen_game::PassCost;
use banmen_search::Limits;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::request::{LimitsRequest, Place, fields, is_id};
use crate::service::report;
use crate::session::SessionPlayer;
use crate::{Call, Service, answer, players};

/// The fields of a request beside `id` and `op`.
pub type Body = Map<String, Value>;

/// A function that answers requests for an operation.
pub type Run = dyn Fn(&Service, Body, &mut Call<'_>) -> Result<Value, Error> + Send + Sync;

/// One operation.
pub struct Operation {
    /// The name in `op`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it may take long, and so runs on a thread of its own and needs admission.
    pub searches: bool,
    /// The function that answers a request.
    pub run: Box<Run>,
}

impl Operation {
    /// An operation that takes no noticeable time.
    pub fn short<F>(name: &'static str, summary: &'static str, run: F) -> Self
    where
        F: Fn(&Service, Body, &mut Call<'_>) -> Result<Value, Error> + Send + Sync + 'static,
    {
        Operation { name, summary, searches: false, run: Box::new(run) }
    }

    /// An operation that may take long.
    pub fn search<F>(name: &'static str, summary: &'static str, run: F) -> Self
    where
        F: Fn(&Service, Body, &mut Call<'_>) -> Result<Value, Error> + Send + Sync + 'static,
    {
        Operation { name, summary, searches: true, run: Box::new(run) }
    }
}

/// The operations on positions and players, with which every table begins.
pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::short("games", "the games, with their rules, dialects and sides", games),
        Operation::short("players", "the players of a game, with all their keys", players),
        Operation::short("show", "a position: side, outcome, legal moves, board", show),
        Operation::short("legal", "legal moves by prefix, and what may follow it", legal),
        Operation::search("perft", "the number of move sequences of a length", perft),
        Operation::search("think", "a player's choice, with lines and values", think),
        Operation::search("solve", "the proven score of a position", solve),
        Operation::short("stop", "makes a search answer with its best result so far", stop),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn games(service: &Service, body: Body, _: &mut Call<'_>) -> Result<Value, Error> {
    let Nothing {} = fields(body)?;
    let games: Vec<_> = service.catalog.games().iter().map(|game| game.info()).collect();
    Ok(json!({ "games": games }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayersFields {
    game: String,
}

fn players(service: &Service, body: Body, _: &mut Call<'_>) -> Result<Value, Error> {
    let PlayersFields { game } = fields(body)?;
    Ok(json!({ "players": service.catalog.game(&game)?.players() }))
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ShowFields {
    dialect: Option<String>,
}

fn show(service: &Service, mut body: Body, _: &mut Call<'_>) -> Result<Value, Error> {
    let place = Place::take(&mut body)?;
    let ShowFields { dialect } = fields(body)?;
    let (game, state) = place.open(&service.catalog)?;
    let known = game.info().dialects;
    let dialect = dialect.as_deref().unwrap_or(known.first().copied().unwrap_or_default());
    if !known.contains(&dialect) {
        return Err(Error::unknown(ErrorCode::UnknownDialect, "dialect", dialect, known.iter().copied()));
    }
    let count = state.legal_count();
    let legal = (count <= MAX_LISTED_MOVES).then(|| state.legal_texts(dialect));
    Ok(json!({
        "position": state.position(dialect),
        "side": state.side_to_move().name(),
        "outcome": state.outcome().as_ref().map(answer::outcome),
        "legal_count": count,
        "legal": legal,
        "moves": state.move_texts(dialect),
        "board": state.board(),
    }))
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LegalFields {
    prefix: String,
    limit: usize,
}

impl Default for LegalFields {
    fn default() -> Self {
        LegalFields { prefix: String::new(), limit: MAX_LISTED_MOVES }
    }
}

/// Complete moves with the prefix, and the next parts that can follow it: up to a space or comma at which moves differ.
fn legal(service: &Service, mut body: Body, _: &mut Call<'_>) -> Result<Value, Error> {
    let place = Place::take(&mut body)?;
    let LegalFields { prefix, limit } = fields(body)?;
    in_range("limit", limit as u64, 0, MAX_LISTED_MOVES as u64)?;
    let (_, state) = place.open(&service.catalog)?;
    let mut count = 0;
    let (mut moves, mut next, mut known) = (Vec::new(), Vec::new(), HashSet::new());
    // The stem whose moves are already counted; the visit descends below it only to list them.
    let mut counted = String::new();
    let below = |text: &str, stem: &str| text.strip_prefix(stem).is_some_and(|rest| rest.starts_with(' '));
    state.visit_texts(&mut |stem| {
        let Some(rest) = stem.text.strip_prefix(prefix.as_str()) else { return below(&prefix, stem.text) };
        if counted.is_empty() || !below(stem.text, &counted) {
            count += stem.moves;
            stem.text.clone_into(&mut counted);
        }
        let part =
            rest.char_indices().skip(1).find(|(_, c)| matches!(c, ' ' | ',')).map_or(rest, |(at, _)| &rest[..at]);
        if !part.is_empty() && next.len() < limit && !known.contains(part) {
            known.insert(part.to_owned());
            next.push(part.to_owned());
        }
        if stem.whole && moves.len() < limit {
            moves.push(stem.text.to_owned());
        }
        moves.len() < limit || rest.is_empty() && next.len() < limit
    });
    Ok(json!({ "count": count, "moves": moves, "next": next }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PerftFields {
    depth: u32,
    #[serde(default)]
    passes: Passes,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Passes {
    #[default]
    Cost,
    Free,
}

/// The largest depth of a count; a count may go this deep before it checks the stop flag.
const MOST_DEPTH: u64 = 100;

fn perft(service: &Service, mut body: Body, call: &mut Call<'_>) -> Result<Value, Error> {
    let place = Place::take(&mut body)?;
    let PerftFields { depth, passes } = fields(body)?;
    in_range("depth", depth.into(), 0, MOST_DEPTH)?;
    let (_, state) = place.open(&service.catalog)?;
    let passes = match passes {
        Passes::Cost => PassCost::Ply,
        Passes::Free => PassCost::Free,
    };
    let start = call.clock.now();
    let elapsed = || call.clock.now().saturating_sub(start);
    let stop = call.stop;
    let late = || stop.stopped() || service.policy.time.is_some_and(|time| elapsed() > time);
    match state.perft(depth, passes, &late) {
        Some(count) => Ok(json!({ "count": count, "ms": answer::ms(elapsed()) })),
        None => Err(Error::new(ErrorCode::Stopped, "the count was stopped before it was complete")),
    }
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ThinkFields {
    player: String,
    seed: u64,
    threads: u32,
    /// The answer of `show`, for programs that do not know the rules; ignored here.
    #[serde(rename = "here")]
    _here: serde::de::IgnoredAny,
    limits: LimitsRequest,
    lines: usize,
    session: Option<String>,
}

impl Default for ThinkFields {
    fn default() -> Self {
        ThinkFields {
            player: "engine".to_owned(),
            seed: 1,
            threads: 1,
            _here: serde::de::IgnoredAny,
            limits: LimitsRequest::default(),
            lines: 1,
            session: None,
        }
    }
}

/// The most lines of a search.
const MOST_LINES: usize = 64;
/// The largest number of threads that a search may be asked to use; a player uses as many of them as it can.
pub const MAX_THREADS: usize = 256;

fn think(service: &Service, mut body: Body, call: &mut Call<'_>) -> Result<Value, Error> {
    let place = Place::take(&mut body)?;
    let asked: ThinkFields = fields(body)?;
    in_range("lines", asked.lines as u64, 1, MOST_LINES as u64)?;
    in_range("threads", asked.threads.into(), 1, MAX_THREADS as u64)?;
    let (game, state) = place.open(&service.catalog)?;
    players::within(&asked.player, game, &service.policy)?;
    let limits = service.bounded(asked.limits.try_into()?);
    let threads = call.threads(asked.threads as usize);
    let think = |entry: &mut SessionPlayer| {
        entry.follow(state.as_ref())?;
        entry.player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: call.clock,
            stop: call.stop,
            threads,
            lines: asked.lines,
            progress: Some(&mut |found| report(&call.info, answer::report(state.as_ref(), found))),
        })
    };
    let found = match &asked.session {
        None => {
            let player = (service.make_player)(game, place.rules.as_deref(), &asked.player, asked.seed)?;
            think(&mut SessionPlayer::new(player, asked.seed))?
        }
        Some(name) => {
            let entry = call.sessions.player(
                name,
                game,
                &asked.player,
                asked.seed,
                place.rules.as_deref(),
                place.position.as_deref(),
                service,
            )?;
            // Requests of one session are answered one after the other.
            think(&mut entry.lock().unwrap_or_else(PoisonError::into_inner))?
        }
    };
    Ok(answer::report(state.as_ref(), &found))
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SolveFields {
    all: bool,
    threads: u32,
    limits: LimitsRequest,
}

impl Default for SolveFields {
    fn default() -> Self {
        SolveFields { all: false, threads: 1, limits: LimitsRequest::default() }
    }
}

fn solve(service: &Service, mut body: Body, call: &mut Call<'_>) -> Result<Value, Error> {
    let place = Place::take(&mut body)?;
    let SolveFields { all, threads, limits } = fields(body)?;
    in_range("threads", threads.into(), 1, MAX_THREADS as u64)?;
    let (game, state) = place.open(&service.catalog)?;
    let limits = service.bounded(limits.try_into()?);
    let bounds = Bounds { limits, clock: call.clock, stop: call.stop, threads: call.threads(threads as usize) };
    let solver = game
        .solver()
        .ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{} has no solver", game.info().name)))?;
    let solve = |call: &Call<'_>| {
        let progress = &mut |solution: &_| report(&call.info, answer::solution(state.as_ref(), solution));
        solver.solve(state.as_ref(), all, &bounds, progress)
    };
    let solution = match solve(call) {
        Err(missing) if missing.code == ErrorCode::TableMissing && service.policy.builds_tables => {
            build_table(game.tablebases().ok_or(missing)?, place.rules.as_deref(), call)?;
            solve(call)?
        }
        solution => solution?,
    };
    Ok(answer::solution(state.as_ref(), &solution))
}

/// Builds the table that a game is solved by, and reports how much of it is done.
fn build_table(tablebases: &dyn Tablebases, rules: Option<&str>, call: &Call<'_>) -> Result<(), Error> {
    let (stop, info) = (call.stop, &call.info);
    let building = |percent: u32| report(info, json!({ "building": f64::from(percent) / 100.0 }));
    building(0);
    let reported = AtomicU32::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    // The builder calls this on any of its threads.
    let built = tablebases.build(rules, threads, false, &|share| {
        let percent = (share * 100.0) as u32;
        if percent > reported.fetch_max(percent, Ordering::Relaxed) {
            building(percent);
        }
        if stop.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    built.map(drop)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StopFields {
    target: Value,
}

fn stop(_: &Service, body: Body, call: &mut Call<'_>) -> Result<Value, Error> {
    let StopFields { target } = fields(body)?;
    if !is_id(&target) {
        return Err(Error::new(ErrorCode::BadRequest, "`target` is an id: a number or a string"));
    }
    Ok(json!({ "stopped": (call.stop_other)(&target) }))
}

/// Refuses a number outside its range.
///
/// # Errors
/// `out_of_range`, with the name and the range.
pub fn in_range(name: &str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::OutOfRange, format!("{name}={value} is outside {min}..{max}"))
        .arg("key", name)
        .arg("range", format!("{min}..{max}")))
}

impl Service {
    /// The limits of a request, within those of the interface.
    fn bounded(&self, limits: Limits) -> Limits {
        limits.and(Limits { time: self.policy.time, ..Limits::default() })
    }
}
