//! Programs that speak GTP, the Go text protocol, version 2 (Gunnar Farnebäck's draft), for other games than Go.
//!
//! Every command carries an id that comes back with its answer. The program keeps the game on its own board: it is told
//! the moves that it does not know yet, and the board is cleared where they part.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyTask, Error, ErrorCode, quote};
use banmen_game::{Side, mix};
use banmen_search::{Limits, Report};

use crate::player::EngineProtocol;
use crate::talk::{Heard, Talk};
use banmen_protocol::gtp::{Spoken, colour};

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, seed: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    let spoken = Spoken::of(game)?;
    let start = game.state(rules, None)?.origin("");
    Ok(Box::new(Gtp { spoken, start, seed, asked: 0, commands: Vec::new(), board: None, settings: None }))
}

struct Gtp {
    spoken: &'static Spoken,
    /// The start position.
    start: String,
    seed: u64,
    asked: u64,
    /// What the program says that it knows.
    commands: Vec<String>,
    /// The moves on the program's board; `None` before it was cleared.
    board: Option<Vec<u32>>,
    /// The time settings that it was told last, and whether they are a clock's.
    settings: Option<(String, bool)>,
}

impl EngineProtocol for Gtp {
    fn greet(&mut self, talk: &mut Talk<'_>) -> Result<(), Error> {
        (self.board, self.settings) = (None, None);
        self.commands = match self.command(talk, "list_commands")? {
            Ok(list) => list.split_whitespace().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        };
        if self.knows("set_game") {
            let title = self.spoken.title;
            self.must(talk, &format!("set_game {title}"))?;
        }
        if let Some(size) = self.spoken.size {
            self.must(talk, &format!("boardsize {size}"))?;
        }
        Ok(())
    }

    fn new_game(&mut self, seed: u64) {
        (self.board, self.seed) = (None, seed);
    }

    fn ask(&mut self, talk: &mut Talk<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        if task.state.origin("") != self.start {
            return Err(Error::new(ErrorCode::Unsupported, "over GTP games are played from their start"));
        }
        self.follow(talk, task)?;
        let colour = colour(task.state.side_to_move());
        self.tell_time(talk, &task.limits, colour)?;
        let text = self.must(talk, &format!("genmove {colour}"))?;
        if text.eq_ignore_ascii_case("resign") {
            return Err(talk.resigned());
        }
        let best = talk.read(task.state, self.spoken.text(&text))?;
        if let Some(board) = &mut self.board {
            board.push(best);
        }
        Ok(Report::of(best, 0.5))
    }

    fn farewell(&self) -> Option<&'static str> {
        Some("quit")
    }
}

impl Gtp {
    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    /// Whether the program keeps a clock.
    fn is_clocked(&self) -> bool {
        self.settings.as_ref().is_some_and(|(_, clocked)| *clocked)
    }

    /// Gives a command, and takes its answer: a result, or why it failed.
    fn command(&mut self, talk: &mut Talk<'_>, command: &str) -> Result<Result<String, String>, Error> {
        self.asked += 1;
        // Ids have 31 bits; who answers before being asked would know one that is counted up.
        let id = mix(self.seed ^ mix(self.asked)) >> 33;
        talk.say(&format!("{id} {command}"));
        let mut answer: Option<(bool, String)> = None;
        loop {
            // All but a move is answered at once.
            let heard = if command.starts_with("genmove") { talk.hear()? } else { Heard::Line(talk.line()?) };
            let Heard::Line(line) = heard else {
                if self.knows("gogui-interrupt") {
                    talk.say("# interrupt");
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
                        _ => return Err(talk.garbage(&format!("says what is no answer: {}", quote(first)))),
                    };
                    if number.parse() != Ok(id) {
                        return Err(talk.garbage(&format!("answers what it was not asked: {}", quote(first))));
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

    /// Gives a command that a program has to obey.
    fn must(&mut self, talk: &mut Talk<'_>, command: &str) -> Result<String, Error> {
        self.command(talk, command)?
            .map_err(|why| talk.garbage(&format!("answers {} with an error: {}", quote(command), quote(&why))))
    }

    /// Brings the program's board to where the game state stands.
    fn follow(&mut self, talk: &mut Talk<'_>, task: &AnyTask<'_>) -> Result<(), Error> {
        let moves = task.state.moves();
        let known = match self.board.take() {
            Some(board) if moves.starts_with(&board) => board.len(),
            _ => {
                self.must(talk, "clear_board")?;
                if self.knows("set_random_seed") {
                    self.must(talk, &format!("set_random_seed {}", self.seed >> 33))?;
                }
                0
            }
        };
        let texts = task.state.move_texts(self.spoken.dialect);
        for (at, text) in texts.iter().enumerate().skip(known) {
            let colour = colour(if at % 2 == 0 { Side::First } else { Side::Second });
            if text == self.spoken.pass {
                // Forced, and so known to who knows the rules: Rhino takes no word for it.
                let _ = self.command(talk, &format!("play {colour} pass"))?;
            } else {
                self.must(talk, &format!("play {colour} {text}"))?;
            }
        }
        self.board = Some(moves);
        Ok(())
    }

    /// Tells the limits, of which GTP knows times alone.
    fn tell_time(&mut self, talk: &mut Talk<'_>, limits: &Limits, colour: &str) -> Result<(), Error> {
        let settings = match (limits.clock, limits.time) {
            (Some(clock), _) => {
                let stones = u32::from(clock.byoyomi > Duration::ZERO);
                format!("{} {} {stones}", seconds(clock.main), seconds(clock.byoyomi))
            }
            (None, Some(time)) => format!("0 {} 1", seconds(time)),
            // Byoyomi time without moves means no limit.
            (None, None) => "0 1 0".to_owned(),
        };
        // The clock runs from the settings of the game's start: later ones say what is left.
        if let Some(clock) = limits.clock.filter(|_| self.is_clocked() && self.knows("time_left")) {
            let (left, stones) = if clock.main > Duration::ZERO { (clock.main, 0) } else { (clock.byoyomi, 1) };
            return self.must(talk, &format!("time_left {colour} {} {stones}", seconds(left))).map(drop);
        }
        let told = Some((settings, limits.clock.is_some()));
        let Some((settings, _)) = told.as_ref().filter(|_| self.knows("time_settings") && self.settings != told) else {
            return Ok(());
        };
        match self.command(talk, &format!("time_settings {settings}"))? {
            Ok(_) => {
                self.settings = told;
                Ok(())
            }
            Err(why) if settings.contains('.') => {
                let message = format!("the program takes whole seconds only: {}", quote(&why));
                Err(Error::new(ErrorCode::Unsupported, message))
            }
            Err(why) => Err(talk.garbage(&format!("answers time_settings with an error: {}", quote(&why)))),
        }
    }
}

/// Seconds as GTP writes them. Parts of one are not in the draft, but some programs take them.
fn seconds(time: Duration) -> String {
    if time.subsec_millis() == 0 { time.as_secs().to_string() } else { format!("{:.3}", time.as_secs_f64()) }
}
