//! The table of operations, and the operations on positions and players.
//!
//! An operation is a function from a request to an answer, both types of [`messages`](crate::messages), and a row in the
//! table. A program that has a [`Service`] in its own process calls the functions with [`Service::call`]; interfaces send
//! JSON to [`Service::handle`].

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use banmen_catalog::{
    AnyGame, AnyTask, Error, ErrorCode, Header, MAX_LISTED_MOVES, RecordFormats, SolveTask, TableFile, Tablebases,
    Termination, quote,
};
use banmen_search::threads::lock;
use banmen_search::{Limits, StopFlag, threads};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::messages::{
    BuildAnswer, BuildRequest, Building, ExportAnswer, ExportRequest, FromBody, GamesAnswer, GamesRequest,
    ImportAnswer, ImportRequest, ImportedGame, LegalAnswer, LegalRequest, MAX_DEPTH, MAX_LINES, MAX_TABLE_MIB,
    MAX_THREADS, NoInfo, Outcome, PerftAnswer, PerftRequest, PlayersAnswer, PlayersRequest, PositionRequest, Report,
    ShowAnswer, ShowRequest, Solution, SolveInfo, SolveRequest, StopAnswer, StopRequest, ThinkRequest, Windows,
    whole_ms,
};
use crate::session::{SessionPlayer, turn};
use crate::{Call, Service, TablePolicy, players};

/// The fields of a request beside `id` and `op`.
pub type Body = Map<String, Value>;

/// A function that answers requests for an operation, in JSON.
pub type Run = dyn Fn(&Service, Body, &mut Call<'_>) -> Result<Value, Error> + Send + Sync;

/// A function that generates the JSON Schema of a type.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One operation.
pub struct Operation {
    /// The name in `op`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// How it is run.
    pub work: Work,
    /// The function that answers a request.
    pub run: Box<Run>,
    pub(crate) request: SchemaOf,
    pub(crate) answer: SchemaOf,
    pub(crate) info: SchemaOf,
}

/// How an operation is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// It takes no noticeable time, and is answered at once.
    Short,
    /// As a short one, of a request that holds a whole file.
    Import,
    /// It may take long: it runs on a thread of its own, and needs admission.
    Search,
    /// It takes minutes, once: it runs on a thread of its own, beside the searches.
    Build,
}

impl Work {
    /// Whether it runs on a thread of its own.
    #[must_use]
    pub fn takes_time(self) -> bool {
        matches!(self, Work::Search | Work::Build)
    }
}

impl Operation {
    /// An operation that takes no noticeable time.
    pub fn short<Q, A, F>(name: &'static str, summary: &'static str, run: F) -> Self
    where
        Q: FromBody + JsonSchema,
        A: Serialize + JsonSchema,
        F: Fn(&Service, Q, &mut Call<'_, NoInfo>) -> Result<A, Error> + Send + Sync + 'static,
    {
        Operation::new(name, summary, Work::Short, run)
    }

    /// An operation that may take long, and may report its progress.
    pub fn search<Q, A, I, F>(name: &'static str, summary: &'static str, run: F) -> Self
    where
        Q: FromBody + JsonSchema,
        A: Serialize + JsonSchema,
        I: Serialize + JsonSchema,
        F: Fn(&Service, Q, &mut Call<'_, I>) -> Result<A, Error> + Send + Sync + 'static,
    {
        Operation::new(name, summary, Work::Search, run)
    }

    fn new<Q, A, I, F>(name: &'static str, summary: &'static str, work: Work, run: F) -> Self
    where
        Q: FromBody + JsonSchema,
        A: Serialize + JsonSchema,
        I: Serialize + JsonSchema,
        F: Fn(&Service, Q, &mut Call<'_, I>) -> Result<A, Error> + Send + Sync + 'static,
    {
        let run = move |service: &Service, body: Body, call: &mut Call<'_>| {
            let request = Q::from_body(body)?;
            let info = &call.info;
            let mut send = |report: I| lock(info)(json!(report));
            let mut call = Call {
                sessions: call.sessions,
                stop: call.stop,
                clock: call.clock,
                info: Mutex::new(&mut send),
                stop_other: call.stop_other,
                permit: call.permit,
            };
            Ok(json!(run(service, request, &mut call)?))
        };
        Operation {
            name,
            summary,
            work,
            run: Box::new(run),
            request: Q::json_schema,
            answer: |generator| generator.subschema_for::<A>(),
            info: |generator| generator.subschema_for::<I>(),
        }
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
        Operation::new("build", "builds the table that solves a game", Work::Build, build),
        Operation::new("import", "the games of a text in a format of whole games", Work::Import, import),
        Operation::short("export", "a game as text in a format of whole games", export),
        Operation::short("stop", "makes a search answer with its best result so far", stop),
    ]
}

/// `games`: the games of the catalog.
///
/// # Errors
/// None.
pub fn games(service: &Service, _: GamesRequest, _: &mut Call<'_, NoInfo>) -> Result<GamesAnswer, Error> {
    Ok(GamesAnswer {
        games: service.catalog.games().iter().map(|game| game.info().clone()).collect(),
        builds_tables: service.policy.tables != TablePolicy::Never,
    })
}

/// `players`: the players of a game.
///
/// # Errors
/// `unknown_game`.
pub fn players(service: &Service, request: PlayersRequest, _: &mut Call<'_, NoInfo>) -> Result<PlayersAnswer, Error> {
    Ok(PlayersAnswer { players: service.catalog.game(&request.game)?.players() })
}

/// `show`: a position.
///
/// # Errors
/// Those of a position, and `unknown_dialect`.
pub fn show(
    service: &Service,
    request: PositionRequest<ShowRequest>,
    _: &mut Call<'_, NoInfo>,
) -> Result<ShowAnswer, Error> {
    let (game, state) = request.place.open(&service.catalog)?;
    let known = game.info().dialects;
    let dialect = request.own.dialect.as_deref().unwrap_or(known.first().copied().unwrap_or_default());
    if !known.contains(&dialect) {
        return Err(Error::unknown(ErrorCode::UnknownDialect, "dialect", dialect, known.iter().copied()));
    }
    let legal_count = state.legal_count();
    Ok(ShowAnswer {
        position: state.position(dialect),
        side: state.side_to_move().into(),
        outcome: state.outcome().as_ref().map(Outcome::from),
        legal_count,
        legal: (legal_count <= MAX_LISTED_MOVES).then(|| state.legal_texts(dialect)),
        moves: state.move_texts(dialect),
        board: state.board(),
    })
}

/// `legal`: complete moves with the prefix, and the next parts that can follow it, up to a space or comma at which moves
/// differ.
///
/// # Errors
/// Those of a position, and `out_of_range`.
pub fn legal(
    service: &Service,
    request: PositionRequest<LegalRequest>,
    _: &mut Call<'_, NoInfo>,
) -> Result<LegalAnswer, Error> {
    let LegalRequest { prefix, limit } = request.own;
    in_range("limit", limit as u64, 0, MAX_LISTED_MOVES as u64)?;
    let (_, state) = request.place.open(&service.catalog)?;
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
    Ok(LegalAnswer { count, moves, next })
}

/// `perft`: the number of move sequences.
///
/// # Errors
/// Those of a position, `out_of_range`, and `stopped`.
pub fn perft(
    service: &Service,
    request: PositionRequest<PerftRequest>,
    call: &mut Call<'_, NoInfo>,
) -> Result<PerftAnswer, Error> {
    let PerftRequest { depth, passes } = request.own;
    in_range("depth", depth.into(), 0, MAX_DEPTH.into())?;
    let (_, state) = request.place.open(&service.catalog)?;
    let start = call.clock.now();
    let elapsed = || call.clock.now().saturating_sub(start);
    let stop = call.stop;
    let late = || stop.stopped() || service.policy.time.is_some_and(|time| elapsed() > time);
    match state.perft(depth, passes.into(), &late) {
        Some(count) => Ok(PerftAnswer { count, ms: whole_ms(elapsed()) }),
        None => Err(Error::new(ErrorCode::Stopped, "the count was stopped before it was complete")),
    }
}

/// `think`: a player's choice. Reports what it has found so far.
///
/// # Errors
/// Those of a position, of a player and of limits, `game_over`, and `unsupported` where a tree or windows are wanted of a
/// player that shows none; an external program may fail in ways of its own.
pub fn think(
    service: &Service,
    request: PositionRequest<ThinkRequest>,
    call: &mut Call<'_, Report>,
) -> Result<Report, Error> {
    let PositionRequest { place, own: asked } = request;
    in_range("lines", asked.lines as u64, 1, MAX_LINES as u64)?;
    in_range("threads", asked.threads as u64, 1, MAX_THREADS as u64)?;
    let (game, state) = place.open(&service.catalog)?;
    players::within(&asked.player, game, &service.policy)?;
    let limits = service.bounded(asked.limits.try_into()?);
    let tree = asked.tree.as_ref().map(|tree| tree.query(state.as_ref())).transpose()?;
    let windows = asked.windows.as_ref().map(|windows| windows.query(state.as_ref())).transpose()?;
    let threads = call.threads(asked.threads);
    let think = |entry: &mut SessionPlayer| {
        entry.follow(state.as_ref())?;
        let (wants_tree, wants_windows) = (tree.is_some(), windows.is_some());
        let unsupported =
            |what: &str| Err(Error::new(ErrorCode::Unsupported, format!("{} {what}", quote(&asked.player))));
        if !entry.player.show_tree(tree) && wants_tree {
            return unsupported("shows no search tree, as `mcts` does");
        }
        if !entry.player.record_windows(windows) && wants_windows {
            return unsupported("shows no windows of an alpha-beta search");
        }
        let found = entry.player.think(AnyTask {
            state: state.as_ref(),
            limits,
            clock: call.clock,
            stop: call.stop,
            threads,
            lines: asked.lines,
            progress: Some(&mut |found| call.report(Report::new(state.as_ref(), found))),
        })?;
        let windows = entry.player.take_windows().map(|windows| Windows::new(state.as_ref(), &windows));
        Ok(Report { windows, ..Report::new(state.as_ref(), &found) })
    };
    let found = match &asked.session {
        None => {
            let player = (service.make_player)(game, place.rules.as_deref(), &asked.player, asked.seed, call.stop)?;
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
                call.stop,
            )?;
            let mut player = turn(&entry, call.stop)?;
            think(&mut player)?
        }
    };
    Ok(found)
}

/// `solve`: the proven score. Reports what is proven so far, and the progress of a table that has to be built first.
///
/// # Errors
/// Those of a position, of limits and of a solver, `unsupported` where the game has none or the solver lacks a limit that
/// is asked for, and `stopped` while a table is built.
pub fn solve(
    service: &Service,
    request: PositionRequest<SolveRequest>,
    call: &mut Call<'_, SolveInfo>,
) -> Result<Solution, Error> {
    let PositionRequest { place, own: SolveRequest { all, threads, table, limits } } = request;
    in_range("threads", threads as u64, 1, MAX_THREADS as u64)?;
    let most_table = service.policy.table_mib.map_or(MAX_TABLE_MIB, i64::unsigned_abs);
    let table = table.unwrap_or(most_table.min((SolveTask::TABLE >> 20) as u64));
    in_range("table", table, 1, most_table)?;
    let (game, state) = place.open(&service.catalog)?;
    let limits: Limits = limits.try_into()?;
    let unsupported = |what: &str| Error::new(ErrorCode::Unsupported, format!("{} {what}", game.info().name));
    let solver = game.solver().ok_or_else(|| unsupported("has no solver"))?;
    if game.tablebases().is_some() && limits != Limits::default() {
        return Err(unsupported("is solved by a table, which takes no limits"));
    }
    if limits.depth.is_some() {
        return Err(unsupported("is solved to the end of the game, without a limit of depth"));
    }
    let limits = service.bounded(limits);
    let (threads, table) = (call.threads(threads), (table as usize) << 20);
    let task = SolveTask { limits, clock: call.clock, stop: call.stop, threads, table };
    let solve = |call: &Call<'_, SolveInfo>| {
        let progress = &mut |solution: &_| call.report(SolveInfo::Solution(Solution::new(state.as_ref(), solution)));
        solver.solve(state.as_ref(), all, &task, progress)
    };
    let solution = match solve(call) {
        Err(missing) if missing.code == ErrorCode::TableMissing && service.policy.tables == TablePolicy::WhenNeeded => {
            let tablebases = game.tablebases().ok_or(missing)?;
            build_table(tablebases, place.rules.as_deref(), call.stop, &call.info, SolveInfo::Building)?;
            solve(call)?
        }
        solution => solution?,
    };
    Ok(Solution::new(state.as_ref(), &solution))
}

/// `build`: the table that a game is solved by, built if it is missing. Reports how much of it is done.
///
/// # Errors
/// `unknown_game`, `unknown_rules`, `table_missing` where no tables are built, `unsupported` for a game or rules without a
/// table, `busy` while another one is built, `stopped`, and `data_folder`.
pub fn build(service: &Service, request: BuildRequest, call: &mut Call<'_, Building>) -> Result<BuildAnswer, Error> {
    let BuildRequest { game, rules } = request;
    let game = service.catalog.game(&game)?;
    if service.policy.tables == TablePolicy::Never {
        return Err(Error::new(ErrorCode::TableMissing, "no tables are built here"));
    }
    let name = game.info().name;
    let tablebases = game
        .tablebases()
        .ok_or_else(|| Error::new(ErrorCode::Unsupported, format!("{name} is not solved by a table")))?;
    let Ok(_building) = service.building.try_lock() else {
        return Err(Error::new(ErrorCode::Busy, "a table is being built"));
    };
    let file = build_table(tablebases, rules.as_deref(), call.stop, &call.info, |building| building)?;
    Ok(BuildAnswer { table: file.name, bytes: file.bytes })
}

/// Builds the table that a game is solved by, and reports how much of it is done.
fn build_table<I>(
    tablebases: &dyn Tablebases,
    rules: Option<&str>,
    stop: &StopFlag,
    info: &Mutex<&mut (dyn FnMut(I) + Send)>,
    report: fn(Building) -> I,
) -> Result<TableFile, Error> {
    // The percentages below this one were reported.
    let reported = AtomicU32::new(0);
    let threads = std::thread::available_parallelism().map_or(threads::most(), usize::from);
    // The builder calls this on any of its threads.
    tablebases.build(rules, threads, false, &|share| {
        let percent = (share * 100.0) as u32;
        if percent >= reported.fetch_max(percent + 1, Ordering::Relaxed) {
            let building = report(Building { building: f64::from(percent) / 100.0 });
            lock(info)(building);
        }
        if stop.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// `import`: the games of a text in the first format of whole games that fits it.
///
/// # Errors
/// `unknown_game`, `unknown_rules`, `unsupported` for a game without formats, `bad_record` with the place.
pub fn import(service: &Service, request: ImportRequest, _: &mut Call<'_, NoInfo>) -> Result<ImportAnswer, Error> {
    let ImportRequest { game, rules, text } = request;
    let records = formats(service.catalog.game(&game)?.as_ref())?.read_any(rules.as_deref(), text.as_bytes())?;
    Ok(ImportAnswer { games: records.iter().map(ImportedGame::from).collect() })
}

/// `export`: a game in a format of whole games.
///
/// # Errors
/// Those of a position, `unknown_format`, and `unsupported` for a game without formats, or one that the format cannot hold.
pub fn export(
    service: &Service,
    request: PositionRequest<ExportRequest>,
    _: &mut Call<'_, NoInfo>,
) -> Result<ExportAnswer, Error> {
    let PositionRequest { place, own } = request;
    let (game, state) = place.open(&service.catalog)?;
    let header = Header {
        first: own.first,
        second: own.second,
        date: own.date,
        termination: own.termination.map(Termination::from),
        ..Header::default()
    };
    Ok(ExportAnswer { text: formats(game)?.write(&own.format, &header, state.as_ref())? })
}

/// The formats of whole games of a game.
fn formats(game: &dyn AnyGame) -> Result<&dyn RecordFormats, Error> {
    let none =
        || Error::new(ErrorCode::Unsupported, format!("there is no format of whole games of {}", game.info().name));
    game.record_formats().ok_or_else(none)
}

/// `stop`: makes a search of the same connection answer with its best result so far.
///
/// # Errors
/// None.
pub fn stop(_: &Service, request: StopRequest, call: &mut Call<'_, NoInfo>) -> Result<StopAnswer, Error> {
    Ok(StopAnswer { stopped: (call.stop_other)(request.target.as_value()) })
}

/// Refuses a number outside its range.
///
/// # Errors
/// `out_of_range`, with the name and the range.
pub fn in_range(name: &str, value: u64, min: u64, max: u64) -> Result<(), Error> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(Error::new(ErrorCode::OutOfRange, format!("`{name}` must be from {min} to {max}, not `{value}`"))
        .arg("key", name)
        .arg("range", format!("{min}..{max}")))
}

impl Service {
    /// The limits of a request, within those of the interface.
    fn bounded(&self, limits: Limits) -> Limits {
        limits.and(Limits { time: self.policy.time, ..Limits::default() })
    }
}
