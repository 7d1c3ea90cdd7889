//! Programs that speak USI or UCI, for games whose positions have such a dialect.
//!
//! An `isready` before each question makes sure that the program is idle. Only the mover's clock is known: it is sent as
//! the other side's too.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, quote};
use banmen_search::{Limits, Report};

use crate::exchange::{Exchange, Received, read_line};
use crate::info::SearchInfo;
use crate::player::EngineProtocol;
use banmen_protocol::TextProtocol;

pub(crate) fn usi(game: &dyn AnyGame, rules: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    make(game, rules, TextProtocol::Usi)
}

pub(crate) fn uci(game: &dyn AnyGame, rules: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    make(game, rules, TextProtocol::Uci)
}

fn make(game: &dyn AnyGame, rules: Option<&str>, protocol: TextProtocol) -> Result<Box<dyn EngineProtocol>, Error> {
    protocol.check(game)?;
    let start = game.state(rules, None)?.origin(protocol.dialect());
    Ok(Box::new(Usi { protocol, game: game.info().name, start, options: Vec::new(), lines: 1, new: true }))
}

struct Usi {
    protocol: TextProtocol,
    game: &'static str,
    /// The start position.
    start: String,
    /// The options that the program offers.
    options: Vec<String>,
    /// The number of lines sent last.
    lines: usize,
    /// A new game has begun.
    new: bool,
}

impl EngineProtocol for Usi {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        (self.lines, self.new) = (1, true);
        let (hello, welcome) = match self.protocol {
            TextProtocol::Usi => ("usi", "usiok"),
            TextProtocol::Uci => ("uci", "uciok"),
        };
        exchange.send(hello);
        self.options.clear();
        loop {
            let line = exchange.receive_line()?;
            match line.trim() {
                line if line == welcome => break,
                line => self.options.extend(option_name(line).filter(|_| self.options.len() < 1000)),
            }
        }
        if self.offers("UCI_Variant") {
            exchange.send(&format!("setoption name UCI_Variant value {}", self.game));
        }
        self.wait(exchange)
    }

    fn new_game(&mut self, _: u64) {
        self.new = true;
    }

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.lines != self.lines && self.offers("MultiPV") {
            exchange.send(&format!("setoption name MultiPV value {}", task.lines));
            self.lines = task.lines;
        }
        if std::mem::take(&mut self.new) {
            exchange.send(if self.protocol == TextProtocol::Usi { "usinewgame" } else { "ucinewgame" });
        }
        self.wait(exchange)?;
        exchange.send(&self.position(task.state));
        exchange.send(&go(&task.limits));
        let mut info = SearchInfo::default();
        loop {
            let line = match exchange.receive()? {
                Received::Line(line) => line,
                Received::Stop => {
                    exchange.send("stop");
                    continue;
                }
            };
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => {
                    let line = parse_info(&mut info, task.state, words);
                    if line && let Some(progress) = &mut task.progress {
                        progress(&info.report(None));
                    }
                }
                Some("bestmove") => {
                    let text = words.next().unwrap_or_default();
                    if text == "resign" {
                        return Err(exchange.resigned());
                    }
                    let best = exchange.read(task.state, text)?;
                    return Ok(info.report(Some(best)));
                }
                // Other lines are for people.
                _ => {}
            }
        }
    }

    fn quit_command(&self) -> Option<&'static str> {
        Some("quit")
    }
}

impl Usi {
    fn offers(&self, option: &str) -> bool {
        self.options.iter().any(|name| name.eq_ignore_ascii_case(option))
    }

    /// Waits until the program is idle.
    fn wait(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        exchange.send("isready");
        loop {
            let line = exchange.receive_line()?;
            match line.split_whitespace().next() {
                Some("readyok") => return Ok(()),
                Some("bestmove") => {
                    return Err(exchange.garbage(&format!("sent an answer that was not requested: {}", quote(&line))));
                }
                _ => {}
            }
        }
    }

    fn position(&self, state: &dyn AnyState) -> String {
        let dialect = self.protocol.dialect();
        let origin = state.origin(dialect);
        let mut text =
            if origin == self.start { "position startpos".to_owned() } else { format!("position {dialect} {origin}") };
        let moves = state.move_texts(dialect);
        if !moves.is_empty() {
            text.push_str(" moves ");
            text.push_str(&moves.join(" "));
        }
        text
    }
}

/// The name in `option name Some Name type check …`.
fn option_name(line: &str) -> Option<String> {
    let rest = line.strip_prefix("option")?.trim_start().strip_prefix("name ")?;
    Some(rest.split(" type ").next().unwrap_or(rest).trim().to_owned())
}

fn go(limits: &Limits) -> String {
    let ms = |time: Duration| time.as_millis().to_string();
    let mut words = vec!["go".to_owned()];
    let mut push = |name: &str, value: String| words.extend([name.to_owned(), value]);
    if let Some(clock) = limits.clock {
        for name in ["btime", "wtime"] {
            push(name, ms(clock.main));
        }
        if clock.increment > Duration::ZERO {
            for name in ["binc", "winc"] {
                push(name, ms(clock.increment));
            }
        }
        if clock.byoyomi > Duration::ZERO {
            push("byoyomi", ms(clock.byoyomi));
        }
    }
    if let Some(time) = limits.time {
        push("movetime", ms(time.saturating_sub(limits.turn_used)));
    }
    if let Some(nodes) = [limits.nodes, limits.playouts].into_iter().flatten().min() {
        push("nodes", nodes.to_string());
    }
    if let Some(depth) = limits.depth {
        push("depth", depth.to_string());
    }
    if words.len() == 1 {
        words.push("infinite".to_owned());
    }
    words.join(" ")
}

/// Parses an `info` line. Returns whether it held a principal variation.
fn parse_info<'t>(info: &mut SearchInfo, state: &dyn AnyState, mut words: impl Iterator<Item = &'t str>) -> bool {
    let (mut number, mut value) = (0, 0.5);
    while let Some(word) = words.next() {
        match word {
            "string" => return false,
            "depth" => info.depth = parsed(words.next()).unwrap_or(info.depth),
            "nodes" => info.nodes = parsed(words.next()).unwrap_or(info.nodes),
            "multipv" => number = parsed::<usize>(words.next()).map_or(0, |number| number.saturating_sub(1)),
            "score" => match (words.next(), words.next()) {
                (Some("cp"), Some(pawns)) => value = pawns.parse().map_or(value, expected),
                (Some("mate"), Some(moves)) => value = if moves.starts_with('-') { 0.0 } else { 1.0 },
                _ => {}
            },
            "pv" => {
                info.line(number, read_line(state, words), value, None);
                return true;
            }
            _ => {}
        }
    }
    false
}

fn parsed<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word.and_then(|word| word.parse().ok())
}

/// The expected score of a value in centipawns, by the curve with which our own engines report them.
fn expected(pawns: f64) -> f64 {
    if pawns.is_nan() { 0.5 } else { 1.0 / (1.0 + 10f64.powf(-pawns / 400.0)) }
}
