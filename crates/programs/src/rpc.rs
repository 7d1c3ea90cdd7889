//! Programs that speak our own vocabulary: `think` with a position, and a move as the answer.
//!
//! First comes `games`. A program answers with the games that it plays, or with anything else under the same `id`, an
//! error included: it is ready. Then each question is a `think` whose `here` says what `show` would, for programs that
//! do not know the rules; its `session` is another one for each game. `stop` comes when somebody waits no longer.

use std::time::Instant;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, MAX_LISTED_MOVES, quote};
use banmen_game::mix;
use banmen_search::{Eval, Limits, Line, Report};
use serde_json::{Map, Value, json};

use crate::player::EngineProtocol;
use crate::talk::{Heard, Talk, read_line};
use banmen_protocol::whole_ms;

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, seed: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    Ok(Box::new(Rpc {
        game: game.info().name,
        rules: rules.map(str::to_owned),
        start: game.state(rules, None)?.origin(""),
        seed,
        asked: 0,
        games: 0,
        loose: None,
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
    /// A request to stop whose answer may still come.
    loose: Option<u64>,
}

impl EngineProtocol for Rpc {
    fn greet(&mut self, talk: &mut Talk<'_>) -> Result<(), Error> {
        self.loose = None;
        let id = self.next_id();
        talk.say(&json!({ "id": id, "op": "games" }).to_string());
        let answer = loop {
            let line = talk.line()?;
            let mut answer = self.read(talk, &line, id)?;
            match answer.remove("ok") {
                Some(games) => break games,
                None if answer.contains_key("error") => return Ok(()),
                None => {}
            }
        };
        let Some(games) = answer.get("games").and_then(Value::as_array) else { return Ok(()) };
        let names: Vec<&str> =
            games.iter().filter_map(|game| game.get("name").and_then(Value::as_str).or(game.as_str())).collect();
        if names.contains(&self.game) {
            return Ok(());
        }
        Err(talk.garbage(&format!("does not play {}, but {}", self.game, quote(&names.join(" ")))))
    }

    fn new_game(&mut self, seed: u64) {
        self.games += 1;
        self.seed = seed;
    }

    fn ask(&mut self, talk: &mut Talk<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        while let Some(line) = talk.overhear(Instant::now())? {
            self.stray(talk, &line)?;
        }
        let id = self.next_id();
        talk.say(&self.question(id, task).to_string());
        loop {
            let line = match talk.hear()? {
                Heard::Line(line) => line,
                Heard::Stop => {
                    let stop = self.next_id();
                    self.loose = Some(stop);
                    talk.say(&json!({ "id": stop, "op": "stop", "target": id }).to_string());
                    continue;
                }
            };
            let answer = self.read(talk, &line, id)?;
            if let Some(ok) = answer.get("ok") {
                let Some(text) = ok.get("move").and_then(Value::as_str) else {
                    return Err(talk.garbage(&format!("answers without a move: {}", quote(&line))));
                };
                let best = talk.read(task.state, text)?;
                return Ok(report(task.state, ok, Some(best)));
            }
            if let Some(error) = answer.get("error") {
                let why = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
                return Err(talk.garbage(&format!("answers with an error: {}", quote(&why))));
            }
            if let Some(info) = answer.get("info") {
                if let Some(progress) = &mut task.progress {
                    progress(&report(task.state, info, None));
                }
            }
        }
    }

    fn farewell(&self) -> Option<&'static str> {
        None
    }
}

impl Rpc {
    /// Not counted up: who answers before being asked would know the next one.
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
            "limits": limits(&task.limits),
            "session": format!("game {}", self.games),
        })
    }

    /// An answer to the question `id`. What answers the last request to stop is passed over: an object of nothing.
    fn read(&mut self, talk: &Talk<'_>, line: &str, id: u64) -> Result<Map<String, Value>, Error> {
        let Ok(Value::Object(answer)) = serde_json::from_str(line) else {
            return Err(talk.garbage(&format!("says what is no JSON object: {}", quote(line))));
        };
        let own = answer.get("id").and_then(Value::as_u64);
        if own == Some(id) {
            if !["ok", "info", "error"].iter().any(|key| answer.contains_key(*key)) {
                return Err(talk.garbage(&format!("answers neither ok nor error: {}", quote(line))));
            }
            return Ok(answer);
        }
        if own.is_some() && own == self.loose {
            self.loose = None;
            return Ok(Map::new());
        }
        Err(talk.garbage(&format!("answers what it was not asked: {}", quote(line))))
    }

    /// A line that came without a question.
    fn stray(&mut self, talk: &Talk<'_>, line: &str) -> Result<(), Error> {
        // Nothing that is asked has this id: they have 48 bits.
        self.read(talk, line, u64::MAX).map(drop)
    }
}

fn limits(limits: &Limits) -> Value {
    json!({
        "time_ms": limits.time.map(whole_ms),
        "nodes": limits.nodes,
        "playouts": limits.playouts,
        "depth": limits.depth,
        "clock": limits.clock.map(|clock| json!({
            "main_ms": whole_ms(clock.main),
            "increment_ms": whole_ms(clock.increment),
            "cap_ms": clock.cap.map(whole_ms),
            "byoyomi_ms": whole_ms(clock.byoyomi),
        })),
        "turn_used_ms": whole_ms(limits.turn_used),
    })
}

/// A report as the program gives it. What it leaves out, or what makes no sense, is nothing or as good as unknown.
fn report(state: &dyn AnyState, told: &Value, best: Option<u32>) -> Report<u32> {
    let value = |told: &Value| {
        told.get("value").and_then(Value::as_f64).filter(|value| (0.0..=1.0).contains(value)).unwrap_or(0.5)
    };
    let line = |told: &Value| {
        let texts = told.get("moves").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        Line { moves: read_line(state, texts), value: value(told), eval: eval(told) }
    };
    let mut lines: Vec<Line<u32>> =
        told.get("lines").and_then(Value::as_array).into_iter().flatten().take(64).map(line).collect();
    lines.retain(|line| !line.moves.is_empty());
    if let Some(best) = best
        && lines.first().is_none_or(|line| line.moves.first() != Some(&best))
    {
        lines.insert(0, Line { moves: vec![best], value: value(told), eval: eval(told) });
    }
    Report {
        lines,
        nodes: told.get("nodes").and_then(Value::as_u64).unwrap_or(0),
        playouts: told.get("playouts").and_then(Value::as_u64),
        depth: told.get("depth").and_then(Value::as_u64).and_then(|depth| u32::try_from(depth).ok()).unwrap_or(0),
        time: std::time::Duration::ZERO,
        proven: false,
    }
}

/// A value in the game's unit; only those are understood that our own players use.
fn eval(told: &Value) -> Option<Eval> {
    const UNITS: [&str; 4] = ["discs", "plies", "cells", "points"];
    let unit = told.pointer("/eval/unit").and_then(Value::as_str)?;
    let unit = UNITS.into_iter().find(|known| *known == unit)?;
    let n = told.pointer("/eval/n").and_then(Value::as_f64).filter(|n| n.is_finite())?;
    Some(Eval { n, unit })
}
