//! Programs that speak NBoard's protocol, version 2 (Chris Welty), for Othello.
//!
//! Each question sends the whole game as GGF and then `go`; a `ping` before it makes sure that the program is idle. The
//! protocol has a depth but no time: time limits are enforced, but not sent.

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, quote};
use banmen_search::{Eval, Report};

use crate::exchange::{Exchange, Received, read_line, stopped};
use crate::info::SearchInfo;
use crate::player::EngineProtocol;
use banmen_protocol::nboard::{DIALECT, check, expected};

pub(crate) fn make(game: &dyn AnyGame, _: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    check(game)?;
    Ok(Box::new(NBoard { pings: 0, depth: None }))
}

/// As good as no limit: no game of Othello is longer.
const LONGEST: u32 = 60;

struct NBoard {
    pings: u32,
    /// The depth sent last.
    depth: Option<u32>,
}

impl EngineProtocol for NBoard {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        self.depth = None;
        exchange.send("nboard 2");
        self.ping(exchange)
    }

    fn new_game(&mut self, _: u64) {}

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        self.ping(exchange)?;
        // A depth stays in force until another one is sent.
        let depth = task.limits.depth.or(self.depth.map(|_| LONGEST));
        if let Some(depth) = depth.filter(|_| depth != self.depth) {
            exchange.send(&format!("set depth {depth}"));
            self.depth = Some(depth);
        }
        exchange.send(&format!("set game {}", task.state.position(DIALECT)));
        exchange.send("go");
        let mut info = SearchInfo::default();
        let mut stop = None;
        loop {
            let line = match exchange.receive()? {
                Received::Line(line) => line,
                Received::Stop => {
                    self.pings += 1;
                    stop = Some(format!("pong {}", self.pings));
                    exchange.send(&format!("ping {}", self.pings));
                    continue;
                }
            };
            let line = line.trim();
            if stop.as_deref() == Some(line) {
                return Err(stopped());
            }
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match word {
                "===" => {
                    // `MOVE/VALUE/TIME`, where a value and a time may be missing, or `MOVE VALUE`.
                    let mut fields = rest.split('/');
                    let mut words = fields.next().unwrap_or_default().split_whitespace();
                    let best = exchange.read(task.state, words.next().unwrap_or_default())?;
                    if let Some(discs) = words.next().or(fields.next()).and_then(|value| number(value.trim())) {
                        info.line(0, vec![best], expected(discs), eval(discs));
                    }
                    return Ok(info.report(Some(best)));
                }
                "search" | "book" => {
                    search(&mut info, task.state, rest);
                    if let Some(progress) = &mut task.progress {
                        progress(&info.report(None));
                    }
                }
                "nodestats" => {
                    info.nodes = rest.split_whitespace().next().and_then(|nodes| nodes.parse().ok()).unwrap_or(0);
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

impl NBoard {
    /// Waits until the program is idle. The answer to an earlier ping may be on its way: a search that was stopped can have
    /// ended by its move.
    fn ping(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        self.pings += 1;
        exchange.send(&format!("ping {}", self.pings));
        loop {
            let line = exchange.receive_line()?;
            let line = line.trim();
            let pong = line.strip_prefix("pong ").and_then(|number| number.parse::<u32>().ok());
            match pong {
                Some(number) if number == self.pings => return Ok(()),
                Some(number) if (1..self.pings).contains(&number) => continue,
                _ => {}
            }
            if line.starts_with("===") {
                return Err(exchange.garbage(&format!("sent an answer that was not requested: {}", quote(line))));
            }
            if line.starts_with("pong") {
                return Err(exchange.garbage(&format!("answered a different ping: {}", quote(line))));
            }
        }
    }
}

/// `<line> <value> 0 <depth> <remarks>`, where the value may be a pair, one for each value of a draw.
fn search(info: &mut SearchInfo, state: &dyn AnyState, text: &str) {
    let mut words = text.split_whitespace();
    let moves = read_moves(state, words.next().unwrap_or_default());
    let discs = words.next().and_then(|pair| number(pair.split(',').next().unwrap_or_default()));
    info.depth = words.nth(1).and_then(|depth| depth.trim_end_matches('%').parse().ok()).unwrap_or(info.depth);
    info.line(0, moves, discs.map_or(0.5, expected), discs.and_then(eval));
}

/// A run such as `F5d6C3` or `F5-D6-C3`.
fn read_moves(state: &dyn AnyState, run: &str) -> Vec<u32> {
    let letters: Vec<char> = run.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let texts: Vec<String> = letters.chunks(2).map(|pair| pair.iter().collect()).collect();
    read_line(state, texts.iter().map(String::as_str))
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn eval(discs: f64) -> Option<Eval> {
    Some(Eval { n: discs, unit: "discs" })
}
