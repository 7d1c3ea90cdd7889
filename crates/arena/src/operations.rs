//! The operations on the store: `matches`, `standings` and `record`. They only read.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_protocol::{Body, Operation, Service, fields, in_range};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Entrant, EventInfo, GameFilter, GameRecord, HeadToHead, MatchFilter, MatchInfo, Outcome, Standings, StandingsRow,
    Store, Tally, Usage, Window, standings,
};

/// The largest number of matches, or games, in an answer.
const MAX_PAGE: u32 = 500;

/// The number of matches, or games, in an answer by default.
const DEFAULT_PAGE: u32 = 50;

/// The events in an answer: the newest ones.
const EVENTS: Window = Window { limit: 100, offset: 0 };

/// The number of tallies that are kept; the least recently used one is dropped.
const MAX_TALLIES: usize = 16;

/// The arena's operations on the store of this file. While the file does not exist there are no matches.
#[must_use]
pub fn operations(store: Option<PathBuf>) -> Vec<Operation> {
    let reader = Arc::new(StoreReader { store, tallies: Mutex::default() });
    let [lists, scores, games] = [(); 3].map(|()| Arc::clone(&reader));
    vec![
        Operation::short("matches", "matches and events of the store, the newest first", move |_, body, _| {
            lists.matches(body)
        }),
        Operation::short("standings", "the score of a match, or the table of an event", move |_, body, _| {
            scores.standings(body)
        }),
        Operation::short("record", "the games of a match, or one of them with its moves", move |service, body, _| {
            games.record(service, body)
        }),
    ]
}

/// Reads the store, and keeps the scores that were read.
struct StoreReader {
    store: Option<PathBuf>,
    tallies: Mutex<Vec<(i64, Arc<Mutex<Tally>>)>>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MatchesFields {
    game: Option<String>,
    player: Option<String>,
    event: Option<i64>,
    alone: bool,
    limit: u32,
    offset: u64,
}

impl Default for MatchesFields {
    fn default() -> Self {
        MatchesFields { game: None, player: None, event: None, alone: false, limit: DEFAULT_PAGE, offset: 0 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StandingsFields {
    #[serde(default, rename = "match")]
    of_match: Option<i64>,
    #[serde(default)]
    event: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GamesFields {
    #[serde(rename = "match")]
    of_match: i64,
    #[serde(default)]
    result: Option<Outcome>,
    #[serde(default = "default_page")]
    limit: u32,
    #[serde(default)]
    offset: u64,
}

fn default_page() -> u32 {
    DEFAULT_PAGE
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GameFields {
    #[serde(rename = "match")]
    of_match: i64,
    pair: u32,
    game: u8,
}

fn page(limit: u32, offset: u64) -> Result<Option<Window>, Error> {
    in_range("limit", limit.into(), 0, MAX_PAGE.into())?;
    Ok(Some(Window { limit, offset }))
}

impl StoreReader {
    fn open(&self) -> Result<Option<Store>, Error> {
        let Some(path) = self.store.as_deref() else { return Ok(None) };
        // A remote client must not learn the path.
        let hidden =
            |error: Error| Error { message: error.message.replace(&path.display().to_string(), "the store"), ..error };
        Store::reading(path).map_err(hidden)
    }

    fn matches(&self, body: Body) -> Result<Value, Error> {
        let MatchesFields { game, player, event, alone, limit, offset } = fields(body)?;
        let filter = MatchFilter { game, player, event, alone, id: None, page: page(limit, offset)? };
        let Some(store) = self.open()? else {
            return Ok(json!({ "matches": [], "total": 0, "events": [] }));
        };
        let mut matches = store.matches(&filter)?;
        matches.reverse();
        let running = Running::in_store(&store)?;
        let events = store.newest_events(filter.game.as_deref(), Some(EVENTS))?;
        let events: Result<Vec<Value>, Error> = events.iter().map(|event| running.event_json(&store, event)).collect();
        Ok(json!({
            "matches": matches.iter().map(|info| running.match_json(info)).collect::<Vec<_>>(),
            "total": store.count_matches(&filter)?,
            "events": events?,
        }))
    }

    fn standings(&self, body: Body) -> Result<Value, Error> {
        let asked: StandingsFields = fields(body)?;
        match (asked.of_match, asked.event) {
            (Some(id), None) => self.score(id),
            (None, Some(id)) => self.table(id),
            _ => Err(Error::new(ErrorCode::BadRequest, "standings are those of one `match` or of one `event`")),
        }
    }

    fn score(&self, id: i64) -> Result<Value, Error> {
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let tally = self.tally(&info);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        if !tally.is_of(&info) {
            *tally = Tally::new(&info);
        }
        let (score, curve) = tally.read(&store)?;
        drop(tally);
        let mut answer = score.as_json();
        if let Some(test) = answer.get_mut("test").and_then(Value::as_object_mut) {
            test.insert("curve".to_owned(), json!(curve.points()));
        }
        Ok(json!({ "match": Running::in_store(&store)?.match_json(&info), "score": answer }))
    }

    /// The tally of a match. Its lock is separate, so that readers of other matches need not wait.
    fn tally(&self, info: &MatchInfo) -> Arc<Mutex<Tally>> {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = match tallies.iter().position(|(id, _)| *id == info.id) {
            Some(known) => tallies.remove(known).1,
            None => Arc::new(Mutex::new(Tally::new(info))),
        };
        tallies.push((info.id, Arc::clone(&tally)));
        let spare = tallies.len().saturating_sub(MAX_TALLIES);
        tallies.drain(..spare);
        tally
    }

    fn table(&self, id: i64) -> Result<Value, Error> {
        let unknown =
            || Error::new(ErrorCode::UnknownEvent, format!("there is no event {id} in the store")).arg("event", id);
        let store = self.open()?.ok_or_else(unknown)?;
        let event = store.one_event(id)?;
        let event = Running::in_store(&store)?.event_json(&store, &event)?;
        let table = standings(&store, id, None)?;
        Ok(json!({
            "event": event, "players": table.players.iter().map(player_json).collect::<Vec<_>>(), "cells": cells(&table),
            "advantage": table.advantage, "separate": table.separate,
        }))
    }

    fn record(&self, service: &Service, mut body: Body) -> Result<Value, Error> {
        body.retain(|name, value| !(["pair", "game"].contains(&name.as_str()) && value.is_null()));
        if body.contains_key("pair") || body.contains_key("game") { self.game(service, body) } else { self.games(body) }
    }

    fn game(&self, service: &Service, body: Body) -> Result<Value, Error> {
        let GameFields { of_match: id, pair, game } = fields(body)?;
        in_range("game", game.into(), 0, 1)?;
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let record = store.one_game(id, pair as usize, game.into())?;
        let mut game = game_json(&record);
        game["sides"] = json!(sides(&service.catalog, &info, &record));
        Ok(json!({ "match": Running::in_store(&store)?.match_json(&info), "game": game }))
    }

    fn games(&self, body: Body) -> Result<Value, Error> {
        let GamesFields { of_match: id, result, limit, offset } = fields(body)?;
        let filter = GameFilter { outcome: result, page: page(limit, offset)? };
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let games = store.games(id, filter)?;
        Ok(json!({
            "match": Running::in_store(&store)?.match_json(&info),
            "games": games.iter().map(result_json).collect::<Vec<_>>(),
            "total": store.count_games(id, filter)?,
        }))
    }
}

fn unknown_match(id: i64) -> Error {
    Error::new(ErrorCode::UnknownMatch, format!("there is no match {id} in the store")).arg("match", id)
}

/// The matches and events that are being played now.
struct Running {
    matches: HashSet<i64>,
    events: HashSet<i64>,
}

impl Running {
    fn in_store(store: &Store) -> Result<Running, Error> {
        let locked = store.locked();
        let of = |kind: &str| {
            let numbers = locked.iter().filter_map(|what| what.strip_prefix(kind)?.parse().ok());
            numbers.collect::<HashSet<i64>>()
        };
        let (matches, mut events) = (of("match-"), of("event-"));
        for &id in &matches {
            let played = store.matches(&MatchFilter { id: Some(id), ..MatchFilter::default() })?;
            events.extend(played.iter().filter_map(|info| info.event));
        }
        Ok(Running { matches, events })
    }

    fn match_json(&self, info: &MatchInfo) -> Value {
        let [wins, draws, losses] = info.results;
        json!({
            "id": info.id, "event": info.event, "game": info.game, "rules": info.rules,
            "players": info.players, "versions": info.versions,
            "planned": info.planned, "games": info.games, "wins": wins, "draws": draws, "losses": losses,
            "created": info.created, "running": self.matches.contains(&info.id), "conditions": conditions(&info.spec),
        })
    }

    /// An event with the number of its matches and games.
    fn event_json(&self, store: &Store, event: &EventInfo) -> Result<Value, Error> {
        let totals = store.event_totals(event.id)?;
        Ok(json!({
            "id": event.id, "kind": event.kind, "name": event.name, "created": event.created,
            "game": totals.game, "matches": totals.matches, "games": totals.games, "planned": totals.planned,
            "running": self.events.contains(&event.id),
        }))
    }
}

/// A row of an event's standings.
fn player_json(player: &StandingsRow) -> Value {
    let Entrant { id, name, player: text, version, state, .. } = &player.entrant;
    let [wins, draws, losses] = player.results;
    json!({
        "id": id, "name": name, "player": text, "version": version, "state": state, "rank": player.rank,
        "elo": player.elo, "games": player.games(), "wins": wins, "draws": draws, "losses": losses,
        "score": player.score, "faults": player.faults,
    })
}

/// The results of each two players against each other.
fn cells(table: &Standings) -> Vec<Value> {
    let mut pairs: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for HeadToHead { id, players: [a, b], .. } in &table.encounters {
        if a != b {
            pairs.entry((*a.min(b), *a.max(b))).or_default().push(*id);
        }
    }
    let cells = pairs.into_iter().map(|((a, b), matches)| {
        let [wins, draws, losses] = table.between(a, b);
        json!({ "players": [a, b], "wins": wins, "draws": draws, "losses": losses, "matches": matches })
    });
    cells.collect()
}

/// A game in a list.
fn result_json(record: &GameRecord) -> Value {
    json!({
        "pair": record.pair, "game": record.game, "score": record.score, "margin": record.margin,
        "by": record.by, "fault": record.fault, "failed_by": record.failed_by(), "plies": record.moves.len(), "opening": record.opening,
    })
}

/// A game with its moves and times.
fn game_json(record: &GameRecord) -> Value {
    let usage = |spent: &Usage| {
        json!({
            "moves": spent.moves, "nodes": spent.nodes, "depth": spent.depth,
            "seconds": spent.seconds, "longest": spent.longest,
        })
    };
    json!({
        "pair": record.pair, "game": record.game, "score": record.score, "margin": record.margin,
        "by": record.by, "fault": record.fault, "failed_by": record.failed_by(), "plies": record.moves.len(), "opening": record.opening,
        "lost_turns": record.lost_turns, "position": record.position, "moves": record.moves,
        "times_ms": record.times.iter().map(|time| time.as_micros() as f64 / 1e3).collect::<Vec<_>>(),
        "spent": record.spent.each_ref().map(usage),
    })
}

/// The conditions on which the games of a match depend, without the players.
fn conditions(spec: &Value) -> Value {
    let Spec { a, b, openings, clock, seed, adjudication } = Spec::deserialize(spec).unwrap_or_default();
    json!({
        "limits": [a.limits, b.limits], "openings": openings, "clock": clock, "seed": seed, "adjudication": adjudication,
    })
}

/// The side that made each move; `None` if this program does not know the game or cannot read the moves.
fn sides(catalog: &Catalog, info: &MatchInfo, record: &GameRecord) -> Option<Vec<&'static str>> {
    let game = catalog.game(&info.game).ok()?;
    let mut state = game.state(Some(&info.rules), record.position.as_deref()).ok()?;
    let sides = record.moves.iter().map(|text| {
        let side = state.side_to_move().name();
        state.play_texts(&[text]).ok().map(|_| side)
    });
    sides.collect()
}

/// The conditions in a stored match. Missing fields have defaults: imported matches have none.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    a: SpecSide,
    b: SpecSide,
    openings: String,
    clock: String,
    seed: u64,
    adjudication: SpecAdjudication,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpecSide {
    limits: SpecLimits,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SpecLimits {
    time_ms: Option<f64>,
    nodes: Option<u64>,
    playouts: Option<u64>,
    depth: Option<u64>,
    clock: Option<SpecClock>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SpecClock {
    main_ms: f64,
    increment_ms: f64,
    cap_ms: Option<f64>,
    byoyomi_ms: f64,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SpecAdjudication {
    resign: Option<SpecStretch>,
    draw: Option<SpecStretch>,
    plies: Option<u64>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct SpecStretch {
    value: f64,
    moves: u64,
}
