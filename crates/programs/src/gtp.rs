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
    Ok(Box::new(Gtp { gtp, start, seed, asked: 0, commands: Vec::new(), board: None, settings: None }))
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
    /// The last time settings sent, and whether they are of a clock.
    settings: Option<(String, bool)>,
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
        let settings = match (limits.clock, limits.time) {
            (Some(clock), _) => {
                let stones = u32::from(clock.byoyomi > Duration::ZERO);
                format!("{} {} {stones}", seconds(clock.main), seconds(clock.byoyomi))
            }
            (None, Some(time)) => format!("0 {} 1", seconds(time)),
            // Byoyomi time without moves means no limit.
            (None, None) => "0 1 0".to_owned(),
        };
        // The time settings are those of the game's start; later only the time left is sent.
        if let Some(clock) = limits.clock.filter(|_| self.has_clock() && self.knows("time_left")) {
            let (left, stones) = if clock.main > Duration::ZERO { (clock.main, 0) } else { (clock.byoyomi, 1) };
            return self.require(exchange, &format!("time_left {colour} {} {stones}", seconds(left))).map(drop);
        }
        let wanted = Some((settings, limits.clock.is_some()));
        let Some((settings, _)) = wanted.as_ref().filter(|_| self.knows("time_settings") && self.settings != wanted)
        else {
            return Ok(());
        };
        match self.command(exchange, &format!("time_settings {settings}"))? {
            Ok(_) => {
                self.settings = wanted;
                Ok(())
            }
            Err(why) if settings.contains('.') => {
                Err(exchange.fault(ErrorCode::Unsupported, &format!("takes whole seconds only: {}", quote(&why))))
            }
            Err(why) => Err(exchange.garbage(&format!("answered time_settings with an error: {}", quote(&why)))),
        }
    }
}

/// Seconds in GTP. The draft has no fractions, but some programs accept them.
fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 { time.as_secs().to_string() } else { format!("{:.3}", time.as_secs_f64()) }
}
