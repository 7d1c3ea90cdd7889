//! What the doors may ask of the store: `matches`, `standings` and `record`. Nothing here writes to it.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use banmen_catalog::{Catalog, Error, ErrorCode};
use banmen_protocol::{Body, Operation, Service, fields, in_range};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Encounter, Entrant, EventInfo, GameFilter, GameRecord, MatchFilter, MatchInfo, Outcome, Ranked, Spent, Standings,
    Store, Tally, Window, standings,
};

/// The most matches, or games, that one answer lists.
const MOST_LISTED: u32 = 500;

/// As many are listed where nobody says how many.
const MAX_LISTED_MOVES: u32 = 50;

/// Events that are listed, the newest.
const EVENTS: Window = Window { limit: 100, offset: 0 };

/// Tallies that are kept for whoever watches; the one used longest ago gives way.
const TALLIES: usize = 16;

/// The arena's operations, on the store in this file. It may come into being later: until then there are no matches.
#[must_use]
pub fn operations(store: Option<PathBuf>) -> Vec<Operation> {
    let shelf = Arc::new(SessionCache { store, tallies: Mutex::default() });
    let [lists, scores, games] = [(); 3].map(|()| Arc::clone(&shelf));
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

/// Where the store lies, and what was read of it.
struct SessionCache {
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
        MatchesFields { game: None, player: None, event: None, alone: false, limit: MAX_LISTED_MOVES, offset: 0 }
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
    #[serde(default = "listed")]
    limit: u32,
    #[serde(default)]
    offset: u64,
}

fn listed() -> u32 {
    MAX_LISTED_MOVES
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
    in_range("limit", limit.into(), 0, MOST_LISTED.into())?;
    Ok(Some(Window { limit, offset }))
}

impl SessionCache {
    fn open(&self) -> Result<Option<Store>, Error> {
        let Some(path) = self.store.as_deref() else { return Ok(None) };
        // Where it lies is nothing to whoever asks from afar.
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
        let events: Result<Vec<Value>, Error> = events.iter().map(|event| running.event(&store, event)).collect();
        Ok(json!({
            "matches": matches.iter().map(|info| running.told(info)).collect::<Vec<_>>(),
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
        let mut told = score.as_json();
        if let Some(test) = told.get_mut("test").and_then(Value::as_object_mut) {
            test.insert("curve".to_owned(), json!(curve.points()));
        }
        Ok(json!({ "match": Running::in_store(&store)?.told(&info), "score": told }))
    }

    /// What was read of a match before, made where there is nothing. Who reads it locks it, so that others need not wait.
    fn tally(&self, info: &MatchInfo) -> Arc<Mutex<Tally>> {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = match tallies.iter().position(|(id, _)| *id == info.id) {
            Some(known) => tallies.remove(known).1,
            None => Arc::new(Mutex::new(Tally::new(info))),
        };
        tallies.push((info.id, Arc::clone(&tally)));
        let spare = tallies.len().saturating_sub(TALLIES);
        tallies.drain(..spare);
        tally
    }

    fn table(&self, id: i64) -> Result<Value, Error> {
        let unknown =
            || Error::new(ErrorCode::UnknownEvent, format!("there is no event {id} in the store")).arg("event", id);
        let store = self.open()?.ok_or_else(unknown)?;
        let event = store.one_event(id)?;
        let told = Running::in_store(&store)?.event(&store, &event)?;
        let table = standings(&store, id, None)?;
        Ok(json!({
            "event": told, "players": table.players.iter().map(told_player).collect::<Vec<_>>(), "cells": cells(&table),
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
        let mut game = told_game(&record);
        game["sides"] = json!(sides(&service.catalog, &info, &record));
        Ok(json!({ "match": Running::in_store(&store)?.told(&info), "game": game }))
    }

    fn games(&self, body: Body) -> Result<Value, Error> {
        let GamesFields { of_match: id, result, limit, offset } = fields(body)?;
        let filter = GameFilter { outcome: result, page: page(limit, offset)? };
        let store = self.open()?.ok_or_else(|| unknown_match(id))?;
        let info = store.one_match(id)?;
        let games = store.games(id, filter)?;
        Ok(json!({
            "match": Running::in_store(&store)?.told(&info),
            "games": games.iter().map(told_result).collect::<Vec<_>>(),
            "total": store.count_games(id, filter)?,
        }))
    }
}

fn unknown_match(id: i64) -> Error {
    Error::new(ErrorCode::UnknownMatch, format!("there is no match {id} in the store")).arg("match", id)
}

/// What is being played now.
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

    fn told(&self, info: &MatchInfo) -> Value {
        let [wins, draws, losses] = info.results;
        json!({
            "id": info.id, "event": info.event, "game": info.game, "rules": info.rules,
            "players": info.players, "versions": info.versions,
            "planned": info.planned, "games": info.games, "wins": wins, "draws": draws, "losses": losses,
            "created": info.created, "running": self.matches.contains(&info.id), "conditions": conditions(&info.spec),
        })
    }

    /// An event, and what its matches have come to.
    fn event(&self, store: &Store, event: &EventInfo) -> Result<Value, Error> {
        let totals = store.event_totals(event.id)?;
        Ok(json!({
            "id": event.id, "kind": event.kind, "name": event.name, "created": event.created,
            "game": totals.game, "matches": totals.matches, "games": totals.games, "planned": totals.planned,
            "running": self.events.contains(&event.id),
        }))
    }
}

/// A line of an event's table.
fn told_player(player: &Ranked) -> Value {
    let Entrant { id, name, player: text, version, state, .. } = &player.entrant;
    let [wins, draws, losses] = player.results;
    json!({
        "id": id, "name": name, "player": text, "version": version, "state": state, "rank": player.rank,
        "elo": player.elo, "games": player.games(), "wins": wins, "draws": draws, "losses": losses,
        "score": player.score, "faults": player.faults,
    })
}

/// Who did what against whom, once for each two players that met.
fn cells(table: &Standings) -> Vec<Value> {
    let mut met: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for Encounter { id, players: [a, b], .. } in &table.encounters {
        if a != b {
            met.entry((*a.min(b), *a.max(b))).or_default().push(*id);
        }
    }
    let told = met.into_iter().map(|((a, b), matches)| {
        let [wins, draws, losses] = table.between(a, b);
        json!({ "players": [a, b], "wins": wins, "draws": draws, "losses": losses, "matches": matches })
    });
    told.collect()
}

/// A game as a list shows it.
fn told_result(record: &GameRecord) -> Value {
    json!({
        "pair": record.pair, "game": record.game, "score": record.score, "margin": record.margin,
        "by": record.by, "fault": record.fault, "failed_by": record.failed_by(), "plies": record.moves.len(), "opening": record.opening,
    })
}

/// A game with all that is known of it.
fn told_game(record: &GameRecord) -> Value {
    let spent = |spent: &Spent| {
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
        "spent": record.spent.each_ref().map(spent),
    })
}

/// All but the players that the games of a match depend on.
fn conditions(spec: &Value) -> Value {
    let Spec { a, b, openings, clock, seed, adjudication } = Spec::deserialize(spec).unwrap_or_default();
    json!({
        "limits": [a.limits, b.limits], "openings": openings, "clock": clock, "seed": seed, "adjudication": adjudication,
    })
}

/// Whose choice each move was; `None` where this house does not know the game, or not these moves.
fn sides(catalog: &Catalog, info: &MatchInfo, record: &GameRecord) -> Option<Vec<&'static str>> {
    let game = catalog.game(&info.game).ok()?;
    let mut state = game.state(Some(&info.rules), record.position.as_deref()).ok()?;
    let choices = record.moves.iter().map(|text| {
        let side = state.side_to_move().name();
        state.play_texts(&[text]).ok().map(|_| side)
    });
    choices.collect()
}

/// What the store keeps of a match, as far as it is told; what does not fit is left empty.
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
