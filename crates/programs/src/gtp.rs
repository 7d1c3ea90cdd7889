//! Programs that speak GTP, the Go text protocol, version 2 (Gunnar Farnebäck's draft), for other games than Go.
//!
//! Every command has an id that its answer repeats. The program keeps the game on its own board: only new moves are
//! sent, and the board is cleared when the game does not continue its moves.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyTask, Error, ErrorCode, GtpRules, quote};
use banmen_game::{Side, mix};
use banmen_search::{Limits, Report};

use crate::exchange::{Exchange, Received};
use crate::player::EngineProtocol;
use banmen_protocol::gtp::{colour, rules as gtp_rules};

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, seed: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    let gtp = gtp_rules(game)?;
    let start = game.state(rules, None)?.origin("");
    Ok(Box::new(Gtp {
        gtp,
        start,
        seed,
        asked: 0,
        commands: Vec::new(),
        board: None,
        settings: None,
        whole_seconds: false,
    }))
}

struct Gtp {
    gtp: GtpRules,
    /// The start position.
    start: String,
    seed: u64,
    asked: u64,
    /// The commands that the program lists.
    commands: Vec<String>,
    /// The moves on the program's board; `None` before `clear_board`.
    board: Option<Vec<u32>>,
    /// The last time settings that the program accepted, and whether they are of a clock.
    settings: Option<(String, bool)>,
    /// The program has refused a fraction of a second, and accepted whole seconds.
    whole_seconds: bool,
}

impl EngineProtocol for Gtp {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        (self.board, self.settings) = (None, None);
        self.commands = match self.command(exchange, "list_commands")? {
            Ok(list) => list.split_whitespace().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        };
        if self.knows("set_game") {
            let title = self.gtp.title;
            self.require(exchange, &format!("set_game {title}"))?;
        }
        if let Some(size) = self.gtp.size {
            let command = format!("boardsize {size}");
            // Some programs know it without listing it, and others have one size only.
            if self.knows("boardsize") {
                self.require(exchange, &command)?;
            } else {
                let _ = self.command(exchange, &command)?;
            }
        }
        Ok(())
    }

    fn new_game(&mut self, seed: u64) {
        (self.board, self.seed) = (None, seed);
    }

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.origin("") != self.start {
            return Err(Error::new(ErrorCode::Unsupported, "over GTP games are played from their start"));
        }
        self.follow(exchange, task)?;
        let colour = colour(task.state.side_to_move());
        self.send_time(exchange, &task.limits, colour)?;
        let text = self.require(exchange, &format!("genmove {colour}"))?;
        if text.eq_ignore_ascii_case("resign") {
            return Err(exchange.resigned());
        }
        let best = exchange.read(task.state, self.gtp.text(&text))?;
        if let Some(board) = &mut self.board {
            board.push(best);
        }
        Ok(Report::of(best, 0.5))
    }

    fn quit_command(&self) -> Option<&'static str> {
        Some("quit")
    }
}

impl Gtp {
    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Whether the program runs a clock.
    fn has_clock(&self) -> bool {
        self.settings.as_ref().is_some_and(|(_, clocked)| *clocked)
    }

    /// Sends a command and returns its answer: the result, or the error text.
    fn command(&mut self, exchange: &mut Exchange<'_>, command: &str) -> Result<Result<String, String>, Error> {
        self.asked += 1;
        // Ids have 31 bits; counted ids could be guessed by a program that answers before it is asked.
        let id = mix(self.seed ^ mix(self.asked)) >> 33;
        exchange.send(&format!("{id} {command}"));
        let mut answer: Option<(bool, String)> = None;
        loop {
            // All commands but `genmove` are answered at once.
            let received = if command.starts_with("genmove") {
                exchange.receive()?
            } else {
                Received::Line(exchange.receive_line()?)
            };
            let Received::Line(line) = received else {
                if self.knows("gogui-interrupt") {
                    exchange.send("# interrupt");
                }
                continue;
            };
            match (&mut answer, line.trim()) {
                (None, "") => {}
                (None, first) => {
                    let own = |sign| {
                        first.strip_prefix(sign).map(|rest| rest.split_once(char::is_whitespace).unwrap_or((rest, "")))
                    };
                    let (good, (number, text)) = match (own('='), own('?')) {
                        (Some(rest), _) => (true, rest),
                        (_, Some(rest)) => (false, rest),
                        _ => {
                            return Err(
                                exchange.garbage(&format!("sent a line that is not an answer: {}", quote(first)))
                            );
                        }
                    };
                    if number.parse() != Ok(id) {
                        return Err(
                            exchange.garbage(&format!("sent an answer that was not requested: {}", quote(first)))
                        );
                    }
                    answer = Some((good, text.trim().to_owned()));
                }
                (Some((true, text)), "") => return Ok(Ok(std::mem::take(text))),
                (Some((false, text)), "") => return Ok(Err(std::mem::take(text))),
                (Some((_, text)), more) => {
                    text.push('\n');
                    text.push_str(more);
                }
            }
        }
    }

    /// Sends a command whose failure is a fault.
    fn require(&mut self, exchange: &mut Exchange<'_>, command: &str) -> Result<String, Error> {
        self.command(exchange, command)?
            .map_err(|why| exchange.garbage(&format!("answered {} with an error: {}", quote(command), quote(&why))))
    }

    /// Sets the program's board to the game state.
    fn follow(&mut self, exchange: &mut Exchange<'_>, task: &AnyTask<'_>) -> Result<(), Error> {
        let moves = task.state.moves();
        let known = match self.board.take() {
            Some(board) if moves.starts_with(&board) => board.len(),
            _ => {
                self.require(exchange, "clear_board")?;
                if self.knows("set_random_seed") {
                    self.require(exchange, &format!("set_random_seed {}", self.seed >> 33))?;
                }
                0
            }
        };
        let texts = task.state.move_texts(self.gtp.dialect);
        for (at, text) in texts.iter().enumerate().skip(known) {
            let colour = colour(if at % 2 == 0 { Side::First } else { Side::Second });
            if text == self.gtp.pass {
                // Forced, so the program knows it; Rhino refuses the command.
                if self.gtp.sends_passes {
                    let _ = self.command(exchange, &format!("play {colour} pass"))?;
                }
            } else {
                self.require(exchange, &format!("play {colour} {text}"))?;
            }
        }
        self.board = Some(moves);
        Ok(())
    }

    /// Sends the limits, of which GTP has only times.
    fn send_time(&mut self, exchange: &mut Exchange<'_>, limits: &Limits, colour: &str) -> Result<(), Error> {
        // The time settings are those of the game's start; later only the time left is sent.
        if let Some(clock) = limits.clock.filter(|_| self.has_clock() && self.knows("time_left")) {
            let (left, stones) = if clock.main > Duration::ZERO { (clock.main, 0) } else { (clock.byoyomi, 1) };
            let command = |whole| format!("time_left {colour} {} {stones}", seconds(left, whole));
            // A program that refuses it plays by the time settings.
            return self.send_seconds(exchange, command).map(drop);
        }
        let command = |whole| format!("time_settings {}", settings(limits, whole));
        let clocked = limits.clock.is_some();
        if !self.knows("time_settings") || self.settings == Some((command(self.whole_seconds), clocked)) {
            return Ok(());
        }
        match self.send_seconds(exchange, command)? {
            Ok(accepted) => {
                self.settings = Some((accepted, clocked));
                Ok(())
            }
            // In the last second of a clock the program plays by the settings before.
            Err(_) if command(true).contains('.') && clocked && self.has_clock() => Ok(()),
            Err(why) if command(true).contains('.') => {
                let refusal = format!("refuses times with parts of a second, give it whole ones: {}", quote(&why));
                Err(exchange.fault(ErrorCode::Unsupported, &refusal))
            }
            Err(why) => Err(exchange.garbage(&format!("answered time_settings with an error: {}", quote(&why)))),
        }
    }

    /// Sends a command with times: `command(true)`, with whole seconds, once the program has refused a fraction. Returns
    /// the command that it accepted, or the error text.
    fn send_seconds(
        &mut self,
        exchange: &mut Exchange<'_>,
        command: impl Fn(bool) -> String,
    ) -> Result<Result<String, String>, Error> {
        let mut text = command(self.whole_seconds);
        let mut answer = self.command(exchange, &text)?;
        if answer.is_err() && text != command(true) {
            text = command(true);
            answer = self.command(exchange, &text)?;
            self.whole_seconds = answer.is_ok();
        }
        Ok(answer.map(|_| text))
    }
}

/// The arguments of `time_settings`, in which less than a second is not rounded down: the program would have no time at all.
fn settings(limits: &Limits, whole: bool) -> String {
    let (main, byoyomi) = match (limits.clock, limits.time) {
        (Some(clock), _) => (clock.main, clock.byoyomi),
        (None, Some(time)) => (Duration::ZERO, time),
        // Byoyomi time without moves means no limit.
        (None, None) => return "0 1 0".to_owned(),
    };
    let whole = whole && main.max(byoyomi) >= Duration::from_secs(1);
    let byoyomi = seconds(byoyomi, whole);
    let stones = u32::from(byoyomi != "0");
    format!("{} {byoyomi} {stones}", seconds(main, whole))
}

/// Seconds in GTP, rounded down if they are to be whole. The draft has no fractions, but some programs accept them.
fn seconds(time: Duration, whole: bool) -> String {
    if whole || time.subsec_millis() == 0 { time.as_secs().to_string() } else { format!("{:.3}", time.as_secs_f64()) }
}
