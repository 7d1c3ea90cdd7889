//! `records`: lists, shows, exports and imports stored games.

use std::io::Read as _;
use std::num::NonZeroUsize;
use std::path::Path;

use banmen_arena::{
    Adjudication, Bundled, Check, Contestant, Dataset, DatasetOptions, ExportedBundle, GameRecord, GameSource,
    LostRows, MatchFilter, MatchInfo, Rerun, RerunBounds, SequentialTest, Store, Values, WorkerGames, date,
    export_dataset,
};
use banmen_catalog::{AnyGame, Error, ErrorCode, Header, LostTurn, Termination};
use banmen_game::Side;
use banmen_protocol::messages::Report;
use banmen_search::Limits;
use banmen_stats::{Decision, Scale, Sprt};
use serde_json::{Value, json};

use super::match_cmd::ratio;
use super::question::lines;
use super::queue::{concurrency, workers};
use super::{Ask, Done, processors};
use crate::args::{
    ProgramArgs, RecordsCheck, RecordsExport, RecordsImport, RecordsList, RecordsShow, RecordsThink, RecordsVerb,
};
use crate::failure::Failure;
use crate::output::{bar, columns, counted, program, quoted, remark, say, say_json, table, thousands};

pub(crate) fn run(what: &RecordsVerb, ask: &Ask) -> Done {
    match what {
        RecordsVerb::List(args) => list(args, ask),
        RecordsVerb::Show(args) => show(args, ask),
        RecordsVerb::Export(args) => export(args, ask),
        RecordsVerb::Import(args) => import(args, ask),
        RecordsVerb::Check(args) => check(args, ask),
        RecordsVerb::Think(args) => think(args, ask),
    }
}

fn list(args: &RecordsList, ask: &Ask) -> Done {
    if let Some(name) = &args.game {
        ask.service.catalog.game(name)?;
    }
    let store = ask.stored()?;
    let filter = MatchFilter {
        game: args.game.clone(),
        player: args.player.clone(),
        event: args.event,
        ..MatchFilter::default()
    };
    let matches = store.matches(&filter)?;
    if args.json.json {
        let counted = |found: &MatchInfo| {
            let mut listed = json!(found);
            listed["counted"] = Counted::new(&store, found)?.as_json(found);
            Ok(listed)
        };
        let matches: Vec<Value> = matches.iter().map(counted).collect::<Result<_, Error>>()?;
        say_json(&json!({ "matches": matches }));
    } else if matches.is_empty() {
        remark("no such match is stored");
    } else {
        let head = ["match", "game", "first", "second", "limits", "games", "won-drawn-lost", "begun", "openings"]
            .map(str::to_owned);
        let row = |found: &MatchInfo| {
            let counted = Counted::new(&store, found)?;
            let [a, b] = found.players.clone();
            Ok(vec![
                found.id.to_string(),
                found.game.clone(),
                a,
                b,
                found.limits(),
                counted.games(found),
                counted.results(),
                // The day: the time of day is shown with the match.
                date(found.created).split('T').next().unwrap_or_default().to_owned(),
                beginnings(found, ask),
            ])
        };
        let rows: Vec<Vec<String>> = matches.iter().map(row).collect::<Result<_, Error>>()?;
        say(table(&head, &rows).trim_end());
    }
    Ok(0)
}

/// The games of a match that count: with a test, those that it has counted.
struct Counted {
    games: u64,
    /// Games that the first player won, drew and lost.
    results: [u64; 3],
    test: Option<Sprt<5>>,
    /// The test as a message.
    message: Value,
}

impl Counted {
    fn new(store: &Store, found: &MatchInfo) -> Result<Counted, Error> {
        if found.test.is_none() {
            return Ok(Counted { games: found.games, results: found.results, test: None, message: Value::Null });
        }
        let score = store.score(found)?;
        Ok(Counted {
            games: score.games(),
            results: [score.wins, score.draws, score.losses],
            test: score.test().copied(),
            message: score.as_json()["test"].take(),
        })
    }

    fn decision(&self) -> Option<Decision> {
        self.test.as_ref().and_then(Sprt::decision)
    }

    /// The number of games, with the number planned if that is larger and no test has ended the match, and the state of the
    /// test.
    fn games(&self, found: &MatchInfo) -> String {
        let planned = found.planned.filter(|&planned| self.games < planned as u64 && self.decision().is_none());
        let planned = planned.map_or_else(String::new, |planned| format!(" of {planned}"));
        let test = match (&self.test, self.decision()) {
            (None, _) => "",
            (Some(_), None) => ", test open",
            (Some(_), Some(_)) => ", test decided",
        };
        format!("{}{planned}{test}", self.games)
    }

    fn results(&self) -> String {
        let [won, drawn, lost] = self.results;
        format!("{won}-{drawn}-{lost}")
    }

    /// The test and its decision in words.
    fn facts(&self, found: &MatchInfo) -> Vec<(&'static str, String)> {
        let (Some(test), Some(plan)) = (&self.test, found.test) else { return Vec::new() };
        let SequentialTest { scale, elo0, elo1, alpha, beta } = plan;
        let unit = match scale {
            Scale::Normalised => "nElo",
            Scale::Logistic => "Elo",
        };
        let pairs = self.games / 2;
        let decision = match self.decision() {
            Some(Decision::AcceptH0) => format!("H0 accepted after {pairs} pairs: rather {elo0} {unit}"),
            Some(Decision::AcceptH1) => format!("H1 accepted after {pairs} pairs: rather {elo1} {unit}"),
            None => format!("open after {pairs} pairs"),
        };
        vec![
            ("test", format!("H0: {elo0} {unit}, H1: {elo1} {unit}, alpha {alpha}, beta {beta}")),
            ("decision", format!("{decision}; LLR {}", ratio(test))),
        ]
    }

    fn as_json(&self, found: &MatchInfo) -> Value {
        let mut test = self.message.clone();
        if let Some(SequentialTest { alpha, beta, .. }) = found.test {
            (test["alpha"], test["beta"]) = (alpha.into(), beta.into());
        }
        json!({ "games": self.games, "results": self.results, "test": test })
    }
}

fn show(args: &RecordsShow, ask: &Ask) -> Done {
    let store = ask.stored()?;
    let found = store.one_match(args.id)?;
    if let Some((pair, game)) = args.game {
        let record = store.one_game(args.id, pair, game)?;
        if args.json.json {
            say_json(&json!({ "match": found, "game": record }));
        } else {
            say(&described(&found, &record));
        }
        return Ok(0);
    }
    let mut records = Vec::new();
    store.visit_games(args.id, &mut |record| {
        if args.json.json {
            say_json(&json!({ "game": record }));
        } else {
            records.push(vec![
                format!("{}.{}", record.pair, record.game),
                format!("{}", record.score),
                record.margin.map_or_else(String::new, |margin| format!("{margin:+}")),
                record.by.clone(),
                record.moves.len().to_string(),
            ]);
        }
        Ok(())
    })?;
    let counted = Counted::new(&store, &found)?;
    if args.json.json {
        say_json(&json!({ "match": found, "counted": counted.as_json(&found) }));
        return Ok(0);
    }
    let [a, b] = &found.players;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let uncounted = match found.games.saturating_sub(counted.games) {
        0 => String::new(),
        more => format!("; {more} more in the store, not counted"),
    };
    let mut facts = vec![
        row("match", format!("{} of {} ({})", found.id, found.game, found.rules)),
        row("players", format!("{a} against {b}")),
        row("versions", found.versions.join(", ")),
        row("limits", conditions(&found)),
        row("begun", date(found.created)),
        row("games", format!("{}: {} for {a}{}", counted.games(&found), counted.results(), uncounted)),
    ];
    facts.extend(counted.facts(&found).into_iter().map(|(name, value)| row(name, value)));
    for WorkerGames { by, games } in store.workers(args.id)? {
        let speed = by.speed.map_or_else(String::new, |speed| format!(", {} nodes/s", thousands(speed as u64)));
        facts.push(row("worker", format!("{}: {games} games ({}{speed})", by.worker, by.machine)));
    }
    if records.is_empty() {
        say(columns(&facts).trim_end());
    } else {
        let head = ["game", "score", "margin", "ended by", "plies"].map(str::to_owned);
        say(&format!("{}\n{}", columns(&facts), table(&head, &records).trim_end()));
    }
    Ok(0)
}

/// The most characters of openings in a list: a position may have hundreds.
const LISTED: usize = 40;

/// How the games of a match begin and end, where not as usual, in short.
fn beginnings(found: &MatchInfo, ask: &Ask) -> String {
    let openings = found.spec["openings"].as_str().unwrap_or_default();
    let mut shown: String = openings.chars().take(LISTED).collect();
    if shown.len() < openings.len() {
        shown.push('…');
    }
    let usual = ask.service.catalog.game(&found.game).ok().and_then(|game| game.info().rules.first().copied());
    let rules = (usual != Some(found.rules.as_str())).then(|| format!("rules {}", found.rules));
    [Some(shown), rules, early_end(found)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The rules by which games of a match end early, if there are any.
fn early_end(found: &MatchInfo) -> Option<String> {
    let rule: Adjudication = serde_json::from_value(found.spec["adjudication"].clone()).ok()?;
    Some(rule.to_string()).filter(|text| !text.is_empty())
}

/// The limits of a match, and what else its games depend on.
fn conditions(found: &MatchInfo) -> String {
    let field = |name: &str| found.spec[name].as_str().map(str::to_owned);
    let seed = found.spec["seed"].as_u64().map(|seed| format!("seed {seed}"));
    let clock = field("clock").map(|clock| format!("{clock} time"));
    let openings = field("openings").map(|openings| format!("openings {openings}"));
    let early = early_end(found).map(|rules| format!("games end early: {rules}"));
    let parts = [Some(found.limits()).filter(|limits| !limits.is_empty()), clock, openings, seed, early];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Formats a game.
fn described(found: &MatchInfo, record: &GameRecord) -> String {
    let [first, second] = [record.game, 1 - record.game].map(|index| found.players[index].as_str());
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let (opening, played) = record.moves.split_at(record.opening.min(record.moves.len()));
    let mut rows = vec![row("game", format!("{}.{} of match {}", record.pair, record.game, found.id))];
    rows.push(row("first", first.to_owned()));
    rows.push(row("second", second.to_owned()));
    if let Some(GameSource { event, date }) = &record.source {
        let stated = [("event", event), ("date", date)].into_iter().filter(|(_, text)| !text.is_empty());
        rows.extend(stated.map(|(name, text)| row(name, text.replace(char::is_control, " "))));
    }
    if let Some(position) = &record.position {
        rows.push(row("position", position.clone()));
    }
    rows.push(row("opening", opening.join(" ")));
    rows.push(row("moves", played.join(" ")));
    if !record.lost_turns.is_empty() {
        rows.push(row("lost turns", lost_turns(record)));
    }
    let margin = record.margin.map_or_else(String::new, |margin| format!(" by {margin:+}"));
    rows.push(row("result", format!("{} for {}{margin}: {}", record.score, found.players[0], record.by)));
    columns(&rows).trim_end().to_owned()
}

/// The lost turns in words, with moves counted from 1. Consecutive turns of one player are one run. In games where a turn
/// can be lost the sides alternate, so every second move is a player's.
fn lost_turns(record: &GameRecord) -> String {
    let mut faults: Vec<(usize, String)> = Vec::new();
    for side in 0..2 {
        let own: Vec<&LostTurn> = record.lost_turns.iter().filter(|lost| lost.ply % 2 == side).collect();
        for run in own.chunk_by(|one, next| one.ply + 2 == next.ply && one.by == next.by) {
            let [first, .., last] = run else {
                faults.extend(run.iter().map(|lost| (lost.ply, format!("move {} by {}", lost.ply + 1, lost.by))));
                continue;
            };
            let whole = last.ply + 2 >= record.moves.len();
            let until = if whole { "on".to_owned() } else { format!("to move {}", last.ply + 1) };
            faults.push((first.ply, format!("from move {} {until} by {}", first.ply + 1, first.by)));
        }
    }
    faults.sort();
    faults.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", ")
}

fn think(args: &RecordsThink, ask: &Ask) -> Done {
    let store = ask.stored()?;
    let found = store.one_match(args.id)?;
    let record = store.one_game(args.id, args.game.0, args.game.1)?;
    let game = ask.service.catalog.game(&found.game)?;
    ask.on_interrupt();
    let bounds =
        RerunBounds { programs: ProgramArgs::default().programs().stopped_by(&ask.stop), threads: NonZeroUsize::MAX };
    let rerun = match banmen_arena::rerun(game.as_ref(), &found, &record, args.number - 1, &bounds, &ask.stop) {
        Err(_) if ask.stop.stopped() => return Err(Failure::Interrupted),
        rerun => rerun?,
    };
    let (same, report) = (rerun.same(), Report::new(rerun.state.as_ref(), &rerun.report));
    if args.json.json {
        let Rerun { player, versions, timed, played, chosen, .. } = &rerun;
        say_json(&json!({ "rerun": {
            "player": player, "versions": versions, "timed": timed, "played": played, "chosen": chosen, "same": same,
            "report": report,
        } }));
        return Ok(u8::from(!same));
    }
    let compared = if same { "as in the game".to_owned() } else { format!("and {} in the game", rerun.played) };
    let (pair, number) = args.game;
    say(&format!(
        "move {} of game {pair}.{number} of match {}, by {}: {}, {compared}\n{}",
        args.number,
        found.id,
        rerun.player,
        rerun.chosen,
        lines(&report)
    ));
    if rerun.timed {
        remark("the limit is a time, so that the move depends on the machine");
    }
    let [then, now] = &rerun.versions;
    if then != now {
        remark(&format!("played by version {then}; this is version {now}"));
    }
    Ok(u8::from(!same))
}

fn export(args: &RecordsExport, ask: &Ask) -> Done {
    if let Some(file) = &args.bundle {
        return bundle(file, args, ask);
    }
    if let Some(file) = &args.dataset.file {
        return dataset(file, args, ask);
    }
    let store = ask.stored()?;
    let found = store.one_match(args.id.unwrap_or_default())?;
    let game = ask.service.catalog.game(&found.game)?;
    let formats = game.record_formats().map_or_else(Vec::new, |formats| formats.names());
    let json = args.json.then_some("json");
    let format = json.or(args.format.as_deref()).or_else(|| formats.first().copied()).unwrap_or("moves");
    if !["moves", "json"].contains(&format) && !formats.contains(&format) {
        let known = formats.iter().copied().chain(["moves", "json"]);
        return Err(Error::unknown(ErrorCode::UnknownFormat, "format called", format, known).into());
    }
    let mut count = 0;
    let mut print = |record: GameRecord| -> Result<(), Error> {
        let score_of = |player| if player == 0 { record.score } else { 1.0 - record.score };
        if args.result.is_none_or(|(player, score)| score == score_of(player)) {
            count += 1;
            match format {
                "json" => say_json(&json!({ "game": record })),
                "moves" => say(&line(&record)),
                _ => say(written(game.as_ref(), &found, &record, format)?.trim_end()),
            }
        }
        Ok(())
    };
    match args.game {
        Some((pair, game)) => print(store.one_game(found.id, pair, game)?)?,
        None => store.visit_games(found.id, &mut print)?,
    }
    if count == 0 {
        let message = format!("match {} has no games that are selected", found.id);
        return Err(Error::new(ErrorCode::UnknownRecord, message).into());
    }
    Ok(0)
}

/// Writes the experiments of the store to a file.
fn bundle(file: &Path, args: &RecordsExport, ask: &Ask) -> Done {
    let ExportedBundle { bytes, experiments, unfinished } = banmen_arena::export_bundle(
        &ask.stored()?,
        &ask.service.catalog,
        args.experiment.as_deref(),
        Some(&args.machine.clone().unwrap_or_else(super::reproduce::machine)),
    )?;
    let named = |error| Failure::System(file.display().to_string(), error);
    std::fs::write(file, &bytes).map_err(named)?;
    if args.json {
        let unfinished: Vec<_> = unfinished.iter().map(|(id, seed)| json!({ "id": id, "seed": seed })).collect();
        say_json(
            &json!({ "bundle": file.display().to_string(), "experiments": experiments, "unfinished": unfinished }),
        );
        return Ok(0);
    }
    for Bundled { id, seed, games, samples, .. } in experiments {
        let [games, samples] = [counted(games, "game", "games"), counted(samples, "sample", "samples")];
        say(&format!("{id}, seed {seed}: {games}, {samples}"));
    }
    for (id, seed) in unfinished {
        remark(&format!("left out, as its run was interrupted: {id}, seed {seed}"));
    }
    Ok(0)
}

/// Writes the positions of games to a file, and its card.
fn dataset(file: &Path, args: &RecordsExport, ask: &Ask) -> Done {
    let of = &args.dataset;
    if let Some(name) = &of.game {
        ask.service.catalog.game(name)?;
    }
    let store = ask.stored()?;
    let limits = Limits { nodes: of.nodes, playouts: of.playouts, depth: of.depth, ..Limits::default() };
    let values = match &of.values {
        Some(player) => Values::By(Contestant::new(player, limits)),
        None if of.searches => Values::Own,
        None => Values::None,
    };
    let about = format!("records export --dataset {}", file.display());
    let threads = concurrency(&args.queue, of.concurrency)?.unwrap_or_else(processors);
    let options = DatasetOptions {
        matches: MatchFilter {
            game: of.game.clone(),
            player: of.player.clone(),
            event: of.event,
            id: args.id,
            ..MatchFilter::default()
        },
        result: args.result,
        per_game: of.per_game,
        seed: of.seed,
        values,
        truth: of.truth.then(|| Limits::nodes(of.truth_nodes)),
        workers: workers(&args.queue, threads, &about, ask)?,
        licence: of.licence.clone(),
        command: command(file, args),
        machine: args.machine.clone().unwrap_or_else(super::reproduce::machine),
    };
    ask.on_interrupt();
    let bar = bar(1, "{bar:30} game {pos} of {len}  eta {eta}");
    let written = export_dataset(&store, &ask.service.catalog, &options, file, &ask.stop, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let written = match written {
        Err(_) if ask.stop.stopped() && (of.searches || of.truth || of.values.is_some()) => {
            return Err(Failure::Resumable("searches"));
        }
        Err(_) if ask.stop.stopped() => return Err(Failure::Interrupted),
        written => written?,
    };
    if args.json {
        let Dataset { rows, games, matches, card } = written;
        let [file, card] = [file, &card].map(|path| path.display().to_string());
        say_json(&json!({ "dataset": file, "rows": rows, "games": games, "matches": matches, "card": card }));
        return Ok(0);
    }
    say(&format!(
        "{} of {} in {}; card: {}",
        counted(written.rows, "row", "rows"),
        counted(written.games, "game", "games"),
        counted(written.matches, "match", "matches"),
        written.card.display()
    ));
    Ok(0)
}

/// The command that writes this dataset again, without the place of the store.
fn command(file: &Path, args: &RecordsExport) -> String {
    let of = &args.dataset;
    let mut words = vec![format!("{} records export", program())];
    words.extend(args.id.map(|id| id.to_string()));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    words.push(format!("--dataset {}", quoted(&name)));
    let results = ["lost", "drawn", "won"];
    let result = args.result.map(|(player, score)| format!("{}:{}", player + 1, results[(2.0 * score) as usize]));
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let given = [
        ("--result", result),
        ("--game", of.game.clone()),
        ("--player", of.player.clone()),
        ("--event", of.event.map(|event| event.to_string())),
        ("--per-game", of.per_game.map(|count| count.to_string())),
        ("--values", of.values.clone()),
        ("--nodes", count(of.nodes)),
        ("--playouts", count(of.playouts)),
        ("--depth", count(of.depth.map(u64::from))),
        ("--truth-nodes", of.truth.then(|| of.truth_nodes.to_string())),
        ("--seed", Some(of.seed.to_string())),
    ];
    words.extend(of.searches.then(|| "--searches".to_owned()));
    words.extend(of.truth.then(|| "--truth".to_owned()));
    words.extend(given.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", quoted(&value?)))));
    words.join(" ")
}

/// A game on one line, as in files of openings: the start position, if it is not the default, and the moves.
pub(crate) fn line(record: &GameRecord) -> String {
    let position = record.position.as_ref().map(|position| format!("\"{position}\" "));
    position.unwrap_or_default() + &record.moves.join(" ")
}

/// A game in one of the game's formats.
fn written(game: &dyn AnyGame, found: &MatchInfo, record: &GameRecord, format: &str) -> Result<String, Error> {
    let mut state = game.state(Some(&found.rules), record.position.as_deref())?;
    for text in &record.moves {
        let m = state.read(text)?;
        state.play(m)?;
    }
    let [first, second] = [record.game, 1 - record.game].map(|index| found.players[index].clone());
    // The result of the rules, except after a loss by a fault.
    let sides = if record.game == 0 { [Side::First, Side::Second] } else { [Side::Second, Side::First] };
    let winner = match record.score {
        1.0 => Some(sides[0]),
        0.0 => Some(sides[1]),
        _ => None,
    };
    let by_rules = state.outcome().is_some_and(|outcome| outcome.winner == winner);
    let termination = (!by_rules).then(|| Termination { winner, by: record.by.clone() });
    let own = format!("banmen {}.{}.{}", found.id, record.pair, record.game);
    let (event, date) = match &record.source {
        Some(GameSource { event, date }) => (event.clone(), date.clone()),
        // An earlier version imported the game without its date: the time of the import is not that.
        None if found.spec.get("imported").is_some() => (own, String::new()),
        None => (own, date(found.created)),
    };
    let header = Header { first, second, event, date, termination, lost_turns: record.lost_turns.clone() };
    match game.record_formats() {
        Some(formats) => formats.write(format, &header, state.as_ref()),
        None => Err(Error::unknown(ErrorCode::UnknownFormat, "format called", format, ["moves", "json"])),
    }
}

fn import(args: &RecordsImport, ask: &Ask) -> Done {
    let game = ask.service.catalog.game(&args.game)?.as_ref();
    let name = args.file.display().to_string();
    let text = if name == "-" {
        let mut text = Vec::new();
        std::io::stdin().read_to_end(&mut text).map(|_| text)
    } else {
        std::fs::read(&args.file)
    };
    let text = text.map_err(|error| Failure::System(name.clone(), error))?;
    let formats = game.record_formats().map_or_else(Vec::new, |formats| formats.names());
    let format = args.format.as_deref().or_else(|| formats.first().copied()).unwrap_or_default();
    let imported = banmen_arena::import(&ask.store()?, game, format, args.rules.as_deref(), &text)
        .map_err(|error| Error { message: format!("{name}: {}", error.message), ..error })?;
    if args.json.json {
        say_json(&json!({ "imported": imported }));
        return Ok(0);
    }
    let numbers = |numbers: Vec<String>| if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
    let (kept, left) = (imported.games - imported.unfinished.len(), &imported.unfinished);
    let games = if kept == 1 { "game" } else { "games" };
    say(&format!("{kept} {games}, in matches: {}", numbers(imported.matches.iter().map(i64::to_string).collect())));
    if !left.is_empty() {
        let left = numbers(left.iter().map(usize::to_string).collect());
        remark(&format!("not imported, as without a result, by their numbers in the file: {left}"));
    }
    Ok(0)
}

fn check(args: &RecordsCheck, ask: &Ask) -> Done {
    let catalog = &ask.service.catalog;
    ask.on_interrupt();
    let bar = bar(1, "{bar:30} match {pos} of {len}  eta {eta}");
    let mut progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let found = match ask.store.as_deref().filter(|path| args.repair && path.exists()) {
        Some(path) => banmen_arena::repair(path, catalog, &ask.stop, &mut progress),
        // An absent store is reported as for the other verbs.
        None => match ask.stored() {
            Err(Failure::Refused(error)) if error.code == ErrorCode::StoreDamaged => Ok(Check::unopened(&error)),
            opened => banmen_arena::check(&opened?, catalog, &ask.stop, &mut progress),
        },
    };
    bar.finish_and_clear();
    let found = found?;
    if ask.stop.stopped() {
        return Err(Failure::Interrupted);
    }
    let sound = found.damages.is_empty() && found.kept.is_none();
    if args.json.json {
        say_json(&json!({ "check": found }));
    } else {
        let checked =
            [(found.matches, "match", "matches"), (found.games, "game", "games"), (found.samples, "sample", "samples")];
        let checked = checked.map(|(count, one, many)| counted(count, one, many)).join(", ");
        let result = if sound { "no damage found" } else { "damage found" };
        say(&format!("{checked}: {result}"));
        found.unchecked.iter().for_each(|line| say(&format!("not checked: {line}")));
        let rows: Vec<Vec<String>> =
            found.damages.iter().map(|damage| vec![damage.what.clone(), damage.why.clone()]).collect();
        if !rows.is_empty() {
            say(columns(&rows).trim_end());
        }
        match &found.kept {
            Some(kept) => {
                remark(&format!("the file was rebuilt from what can be read; the old one is {}", kept.display()))
            }
            None if !sound && !args.repair => {
                let set_aside = "records check --repair` sets this aside; the same commands play it again";
                remark(&format!("`{} {set_aside}", program()));
            }
            None => {}
        }
        if args.repair {
            lost(&found).iter().for_each(|line| say(line));
        }
    }
    Ok(u8::from(!sound && !args.repair))
}

/// What a repair took out of the store, a line for each way of doing so.
fn lost(found: &Check) -> Vec<String> {
    let list = |rows: &[LostRows]| rows.iter().map(described_rows).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    if found.kept.is_some() {
        lines.push(match found.unreadable.as_slice() {
            [] => "nothing is lost: every row could be read".to_owned(),
            rows => format!("lost, as they cannot be read: {}", list(rows)),
        });
    }
    if !found.set_aside.is_empty() {
        lines.push(format!("set aside, in the table `damaged`: {}", list(&found.set_aside)));
    }
    if !found.unreadable.is_empty() || !found.set_aside.is_empty() {
        lines.push("the same commands play this again".to_owned());
    }
    lines
}

/// The number of some rows in words.
fn described_rows(lost: &LostRows) -> String {
    let (one, several) = match lost.table {
        "match" => ("match", "matches"),
        "pair" => ("pair of games", "pairs of games"),
        "opening" => ("balanced opening", "balanced openings"),
        "step" => ("step of tunings", "steps of tunings"),
        "entrant" => ("entrant", "entrants"),
        "damaged" => ("place that was set aside before", "places that were set aside before"),
        "event" => ("event", "events"),
        "player" => ("player", "players"),
        "worker" => ("worker", "workers"),
        "game" => ("game", "games"),
        "sample" => ("sample", "samples"),
        "plan" => ("plan of experiments", "plans of experiments"),
        other => (other, other),
    };
    match lost.rows {
        None => format!("an unknown number of {several}"),
        Some(count) => counted(count, one, several),
    }
}
