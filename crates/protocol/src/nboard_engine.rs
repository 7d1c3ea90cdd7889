//! Exposes a built-in player as an engine for NBoard's protocol, version 2, which Othello interfaces use.
//!
//! Any known command stops a running search, whose move is then not sent. Unknown commands are ignored. Without a set
//! depth the player has one second per move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error};
use banmen_search::{Limits, Line, Report};

use crate::background::Background;
use crate::nboard::{DIALECT, check, discs};
use crate::{Conversation, Lines};

/// The time per move without a set depth.
const TIME: Duration = Duration::from_secs(1);

/// The largest number of moves that a `hint` evaluates.
const MAX_HINTS: usize = 64;

/// One NBoard session.
pub struct NBoardEngine {
    game: Arc<dyn AnyGame>,
    rules: Option<String>,
    name: String,
    out: Lines,
    player: Background,
    state: Box<dyn AnyState>,
    /// A game or move was refused, so that `state` is not the interface's position until it sends a game again.
    refused: bool,
    depth: Option<u32>,
    /// Set when the result of the search is to be discarded. Each search has its own flag.
    muted: Arc<AtomicBool>,
}

impl NBoardEngine {
    /// Builds the player from its text, for games under the named rules.
    ///
    /// # Errors
    /// `unsupported` if the game has no GGF dialect; otherwise the error in the rules or the player.
    pub fn new(game: Arc<dyn AnyGame>, rules: Option<&str>, player: &str, out: Lines) -> Result<Self, Error> {
        check(game.as_ref())?;
        Ok(NBoardEngine {
            rules: rules.map(str::to_owned),
            name: format!("Banmen {} {player}", env!("CARGO_PKG_VERSION")),
            out,
            player: Background::new(Arc::clone(&game), rules, player)?,
            state: game.state(rules, None)?,
            refused: false,
            depth: None,
            muted: Arc::default(),
            game,
        })
    }

    fn say(&self, line: &str) {
        (self.out)(line.to_owned());
    }

    /// Reports an error in the status line, where users see it.
    fn complain(&self, why: &str) {
        self.say(&format!("status {why}"));
    }

    /// Stops the search, waits for its end and discards its result.
    fn halt(&mut self) {
        self.muted.store(true, Ordering::Release);
        self.player.stop();
        self.player.wait();
    }

    fn set(&mut self, name: &str, value: &str) {
        match name {
            "depth" => match value.parse::<u64>() {
                Ok(depth @ 1..) => self.depth = Some(depth.try_into().unwrap_or(u32::MAX)),
                _ => self.complain("a depth is a number from 1 on"),
            },
            "game" => match self.game.state(self.rules.as_deref(), Some(value)) {
                Ok(state) => (self.state, self.refused) = (state, false),
                Err(error) => {
                    self.refused = true;
                    self.complain(&format!("the game was refused: {error}"));
                }
            },
            // Other settings, such as the value of a draw and names, have no effect.
            _ => {}
        }
    }

    fn play(&mut self, text: &str) {
        let text = text.split('/').next().unwrap_or_default();
        let played = match text {
            "" => Err("the move is missing: move F5/0.50/1.2".to_owned()),
            _ => self.state.play_texts(&[text]).map_err(|error| format!("the move was refused: {error}")),
        };
        if let Err(why) = played {
            self.refused = true;
            self.complain(&why);
        }
    }

    fn limits(&self) -> Limits {
        Limits { depth: self.depth, time: self.depth.is_none().then_some(TIME), ..Limits::default() }
    }

    /// Starts a search. With `moves` it ends with a move; otherwise it only reports its best `lines`.
    fn think(&mut self, lines: usize, moves: bool) {
        if self.refused {
            return self.complain("there is no position to search: the last game or move was refused");
        }
        if self.state.outcome().is_some() {
            return self.complain("the game is over");
        }
        self.muted = Arc::default();
        self.say("status thinking");
        let (out, end, silent) = (Arc::clone(&self.out), Arc::clone(&self.out), Arc::clone(&self.muted));
        let progress =
            move |state: &dyn AnyState, report: &Report<u32>| searched(state, report).into_iter().for_each(&*out);
        let done = move |state: &dyn AnyState, report: Result<Report<u32>, Error>| {
            let report = match report {
                _ if silent.load(Ordering::Acquire) => return end("status".to_owned()),
                Err(error) => return end(format!("status {error}")),
                Ok(report) => report,
            };
            searched(state, &report).into_iter().for_each(&*end);
            let seconds = report.time.as_secs_f64();
            end(format!("nodestats {} {seconds:.2}", report.nodes));
            end("status".to_owned());
            if let Some(line) = report.lines.first().filter(|_| moves) {
                let best = state.write_line(&line.moves, DIALECT).into_iter().next().unwrap_or_default();
                end(format!("=== {best}/{:.2}/{seconds:.2}", value(line)));
            }
        };
        if let Err(error) = self.player.think(self.state.copy(), self.limits(), lines, progress, done) {
            self.complain(&error.message);
        }
    }
}

impl Conversation for NBoardEngine {
    fn set_threads(&mut self, threads: usize) {
        self.player.threads = threads;
    }

    fn read(&mut self, line: &str) -> bool {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if !["nboard", "set", "move", "hint", "go", "ping", "learn", "quit"].contains(&word) {
            return true;
        }
        self.halt();
        match word {
            "nboard" => self.say(&format!("set myname {}", self.name)),
            "set" => {
                let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                self.set(name, value.trim());
            }
            "move" => self.play(rest),
            "hint" => match rest.parse() {
                Ok(lines @ 1..=MAX_HINTS) => self.think(lines, false),
                Ok(1..) => self.think(MAX_HINTS, false),
                _ => self.complain("a hint needs a number of moves: hint 3"),
            },
            "go" => self.think(1, true),
            "ping" => self.say(&format!("pong {rest}")),
            // The players do not learn from games, so this is always done.
            "learn" => self.say("learned"),
            _ => return false,
        }
        true
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        self.player.end(patience);
    }
}

/// The lines of a report as `search` lines.
fn searched(state: &dyn AnyState, report: &Report<u32>) -> Vec<String> {
    let text = |line: &Line<u32>| {
        let moves = state.write_line(&line.moves, DIALECT).concat();
        format!("search {moves} {:.2} 0 {} {:.2} s", value(line), report.depth, report.time.as_secs_f64())
    };
    report.lines.iter().map(text).collect()
}

/// The value of a line in discs.
fn value(line: &Line<u32>) -> f64 {
    line.eval.filter(|eval| eval.unit == "discs").map_or_else(|| discs(line.value), |eval| eval.n)
}
