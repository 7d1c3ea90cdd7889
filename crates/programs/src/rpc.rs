//! Programs that speak our own JSON protocol: `think` with a position, answered by a move.
//!
//! The first request is `games`. A program answers with the games that it plays, or with anything else under the same
//! `id`, an error included: then it is ready. Each question is a `think` whose `here` holds what `show` would answer, for
//! programs that do not know the rules; `session` differs between games. `stop` is sent when the search is stopped.

use std::time::Instant;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, MAX_LISTED_MOVES, quote};
use banmen_game::mix;
use banmen_protocol::messages::LimitsRequest;
use banmen_search::{Eval, Line, Report};
use serde_json::{Map, Value, json};

use crate::exchange::{Exchange, Received, read_line};
use crate::player::EngineProtocol;

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, seed: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    Ok(Box::new(Rpc {
        game: game.info().name,
        rules: rules.map(str::to_owned),
        start: game.state(rules, None)?.origin(""),
        seed,
        asked: 0,
        games: 0,
        pending_stop: None,
    }))
}

struct Rpc {
    game: &'static str,
    rules: Option<String>,
    /// The start position.
    start: String,
    seed: u64,
    asked: u64,
    games: u64,
    /// The id of a `stop` whose answer may still arrive.
    pending_stop: Option<u64>,
}

impl EngineProtocol for Rpc {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        self.pending_stop = None;
        let id = self.next_id();
        exchange.send(&json!({ "id": id, "op": "games" }).to_string());
        let answer = loop {
            let line = exchange.receive_line()?;
            let mut answer = self.read(exchange, &line, id)?;
            match answer.remove("ok") {
                Some(games) => break games,
                None if answer.contains_key("error") => return Ok(()),
                None => {}
            }
        };
        let Some(games) = answer.get("games").and_then(Value::as_array) else { return Ok(()) };
        let names: Vec<&str> =
            games.iter().filter_map(|game| game.get("name").and_then(Value::as_str).or(game.as_str())).collect();
        // A program that lists none makes no restriction: it learns the game from its first request.
        if games.is_empty() || names.contains(&self.game) {
            return Ok(());
        }
        Err(exchange.garbage(&format!("does not play {}, but {}", self.game, quote(&names.join(" ")))))
    }

    fn new_game(&mut self, seed: u64) {
        self.games += 1;
        self.seed = seed;
    }

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        while let Some(line) = exchange.receive_until(Instant::now())? {
            self.stray(exchange, &line)?;
        }
        let id = self.next_id();
        exchange.send(&self.question(id, task).to_string());
        loop {
            let line = match exchange.receive()? {
                Received::Line(line) => line,
                Received::Stop => {
                    let stop = self.next_id();
                    self.pending_stop = Some(stop);
                    exchange.send(&json!({ "id": stop, "op": "stop", "target": id }).to_string());
                    continue;
                }
            };
            let answer = self.read(exchange, &line, id)?;
            if let Some(ok) = answer.get("ok") {
                let Some(text) = ok.get("move").and_then(Value::as_str) else {
                    return Err(exchange.garbage(&format!("sent an answer without a move: {}", quote(&line))));
                };
                let best = exchange.read(task.state, text)?;
                return Ok(report(task.state, ok, Some(best)));
            }
            if let Some(error) = answer.get("error") {
                let why = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
                return Err(exchange.garbage(&format!("answered with an error: {}", quote(&why))));
            }
            if let Some(info) = answer.get("info")
                && let Some(progress) = &mut task.progress
            {
                progress(&report(task.state, info, None));
            }
        }
    }

    fn quit_command(&self) -> Option<&'static str> {
        None
    }
}

impl Rpc {
    /// Ids are not counted: a program that answers before it is asked could guess the next one.
    fn next_id(&mut self) -> u64 {
        self.asked += 1;
        mix(self.seed ^ mix(self.asked)) >> 16
    }

    fn question(&self, id: u64, task: &AnyTask<'_>) -> Value {
        let state = task.state;
        let origin = state.origin("");
        let legal = (state.legal_count() <= MAX_LISTED_MOVES).then(|| state.legal_texts(""));
        json!({
            "id": id,
            "op": "think",
            "game": self.game,
            "rules": self.rules,
            "position": (origin != self.start).then_some(origin),
            "moves": state.move_texts(""),
            "here": { "position": state.position(""), "side": state.side_to_move().name(), "legal": legal },
            "seed": self.seed,
            "lines": task.lines,
            "limits": LimitsRequest::from(task.limits),
            "session": format!("game {}", self.games),
        })
    }

    /// Parses an answer to the question `id`; an answer to the last `stop` gives an empty object.
    fn read(&mut self, exchange: &Exchange<'_>, line: &str, id: u64) -> Result<Map<String, Value>, Error> {
        let Ok(Value::Object(answer)) = serde_json::from_str(line) else {
            return Err(exchange.garbage(&format!("sent a line that is not a JSON object: {}", quote(line))));
        };
        let own = answer.get("id").and_then(Value::as_u64);
        if own == Some(id) {
            if !["ok", "info", "error"].iter().any(|key| answer.contains_key(*key)) {
                return Err(exchange.garbage(&format!("sent an answer with neither ok nor error: {}", quote(line))));
            }
            return Ok(answer);
        }
        if own.is_some() && own == self.pending_stop {
            self.pending_stop = None;
            return Ok(Map::new());
        }
        Err(exchange.garbage(&format!("sent an answer that was not requested: {}", quote(line))))
    }

    /// Checks a line that arrived before the question.
    fn stray(&mut self, exchange: &Exchange<'_>, line: &str) -> Result<(), Error> {
        // No question has this id: ids have 48 bits.
        self.read(exchange, line, u64::MAX).map(drop)
    }
}

/// Reads a report. Fields that are absent or invalid are treated as unknown.
fn report(state: &dyn AnyState, json: &Value, best: Option<u32>) -> Report<u32> {
    let value = |json: &Value| {
        json.get("value").and_then(Value::as_f64).filter(|value| (0.0..=1.0).contains(value)).unwrap_or(0.5)
    };
    let line = |json: &Value| {
        let texts = json.get("moves").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        Line { moves: read_line(state, texts), value: value(json), eval: eval(json) }
    };
    let mut lines: Vec<Line<u32>> =
        json.get("lines").and_then(Value::as_array).into_iter().flatten().take(64).map(line).collect();
    lines.retain(|line| !line.moves.is_empty());
    if let Some(best) = best
        && lines.first().is_none_or(|line| line.moves.first() != Some(&best))
    {
        lines.insert(0, Line { moves: vec![best], value: value(json), eval: eval(json) });
    }
    Report {
        lines,
        nodes: json.get("nodes").and_then(Value::as_u64).unwrap_or(0),
        playouts: json.get("playouts").and_then(Value::as_u64),
        depth: json.get("depth").and_then(Value::as_u64).and_then(|depth| u32::try_from(depth).ok()).unwrap_or(0),
        confidence: json
            .get("confidence")
            .and_then(Value::as_u64)
            .and_then(|percent| u8::try_from(percent).ok())
            .filter(|&percent| percent <= 100),
        ..Report::default()
    }
}

/// Reads a value in the game's unit; only the units of our own players are accepted.
fn eval(json: &Value) -> Option<Eval> {
    const UNITS: [&str; 5] = ["discs", "plies", "% of the cells", "points", "hit points"];
    let unit = json.pointer("/eval/unit").and_then(Value::as_str)?;
    let unit = UNITS.into_iter().find(|known| *known == unit)?;
    let n = json.pointer("/eval/n").and_then(Value::as_f64).filter(|n| n.is_finite())?;
    Some(Eval { n, unit })
}
