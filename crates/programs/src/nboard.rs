//! Programs that speak NBoard's protocol, version 2 (Chris Welty), for Othello.
//!
//! Each question gives the whole position as GGF and asks `go`; before it a `ping` shows that the program waits for
//! one. The protocol knows a depth, and no time: limits of time hold, but are not told.

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, ErrorCode, quote};
use banmen_search::{Eval, Report};

use crate::info::Told;
use crate::player::EngineProtocol;
use crate::talk::{Heard, Talk, read_line};
use banmen_protocol::nboard::{DIALECT, check, expected};

pub(crate) fn make(game: &dyn AnyGame, _: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    check(game)?;
    Ok(Box::new(NBoard { pings: 0, depth: None }))
}

struct NBoard {
    pings: u32,
    /// The depth that the program was told last.
    depth: Option<u32>,
}

impl EngineProtocol for NBoard {
    fn greet(&mut self, talk: &mut Talk<'_>) -> Result<(), Error> {
        self.depth = None;
        talk.say("nboard 2");
        self.ping(talk)
    }

    fn new_game(&mut self, _: u64) {}

    fn ask(&mut self, talk: &mut Talk<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        self.ping(talk)?;
        if let Some(depth) = task.limits.depth.filter(|_| task.limits.depth != self.depth) {
            talk.say(&format!("set depth {depth}"));
            self.depth = Some(depth);
        }
        talk.say(&format!("set game {}", task.state.position(DIALECT)));
        talk.say("go");
        let mut told = Told::default();
        let mut stop = None;
        loop {
            let line = match talk.hear()? {
                Heard::Line(line) => line,
                Heard::Stop => {
                    self.pings += 1;
                    stop = Some(format!("pong {}", self.pings));
                    talk.say(&format!("ping {}", self.pings));
                    continue;
                }
            };
            let line = line.trim();
            if stop.as_deref() == Some(line) {
                return Err(Error::new(ErrorCode::Stopped, "the search was stopped before it had an answer"));
            }
            let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match word {
                "===" => {
                    let mut parts = rest.trim().split(['/', ' ']);
                    let text = parts.next().unwrap_or_default();
                    let best = talk.read(task.state, text)?;
                    if let Some(discs) = parts.find(|part| !part.is_empty()).and_then(number) {
                        told.line(0, vec![best], expected(discs), eval(discs));
                    }
                    return Ok(told.report(Some(best)));
                }
                "search" | "book" => {
                    search(&mut told, task.state, rest);
                    if let Some(progress) = &mut task.progress {
                        progress(&told.report(None));
                    }
                }
                "nodestats" => {
                    told.nodes = rest.split_whitespace().next().and_then(|nodes| nodes.parse().ok()).unwrap_or(0);
                }
                // What a program says otherwise is for people.
                _ => {}
            }
        }
    }

    fn farewell(&self) -> Option<&'static str> {
        Some("quit")
    }
}

impl NBoard {
    /// Waits until the program waits.
    fn ping(&mut self, talk: &mut Talk<'_>) -> Result<(), Error> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        talk.say(&format!("ping {}", self.pings));
        loop {
            let line = talk.line()?;
            let line = line.trim();
            if line == pong {
                return Ok(());
            }
            if line.starts_with("===") {
                return Err(talk.garbage(&format!("answers what it was not asked: {}", quote(line))));
            }
            if line.starts_with("pong") {
                return Err(talk.garbage(&format!("answers another ping: {}", quote(line))));
            }
        }
    }
}

/// `<line> <value> 0 <depth> <remarks>`, the value perhaps a pair for the two values of a draw.
fn search(told: &mut Told, state: &dyn AnyState, text: &str) {
    let mut words = text.split_whitespace();
    let moves = read_moves(state, words.next().unwrap_or_default());
    let discs = words.next().and_then(|pair| number(pair.split(',').next().unwrap_or_default()));
    told.depth = words.nth(1).and_then(|depth| depth.trim_end_matches('%').parse().ok()).unwrap_or(told.depth);
    told.line(0, moves, discs.map_or(0.5, expected), discs.and_then(eval));
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
