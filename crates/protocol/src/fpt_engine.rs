//! Exposes a built-in player to a host of the FPGA contests.
//!
//! The player has 900 ms a move by default, since the contests allow a second. It answers every request, also after an
//! error: if it cannot follow the game, it passes and logs the reason. A host may let the side that covers (a, a) begin, or,
//! as in 2013, ask both sides to begin at the same time. In these cases the engine plays on a board rotated by 180°, on
//! which its start cell is the one that its place in the order requires.

use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, quote};
use banmen_search::Limits;

use crate::engine_session::EngineSession;
use crate::fpt::{CODE_LENGTH, DIALECT, PASS, StartCell, check, is_code, rotated};
use crate::{Conversation, Lines};

/// The answer to `0`: a digit, and the name of the team.
const NAME: &str = "1BM";

/// A request.
#[derive(Debug, PartialEq)]
enum Request {
    Hello,
    /// Begin on this start cell, after the other side's first move, if there was one.
    Begin(StartCell, Option<String>),
    /// The other side's move.
    Move(String),
    End,
    /// A character that begins no request.
    Unknown(char),
}

/// A game in progress.
struct Playing {
    state: Box<dyn AnyState>,
    /// The own start cell.
    start_cell: StartCell,
    /// Whether the codes of the host are those of the board rotated by 180°.
    turned: bool,
}

/// One session with a host.
pub struct FptEngine {
    session: EngineSession,
    /// The time of a move.
    time: Duration,
    /// Input that is not a complete request yet.
    input: String,
    /// `None` before the first game, and after an error in the game.
    playing: Option<Playing>,
}

impl FptEngine {
    /// The usual time of a move.
    pub const TIME: Duration = Duration::from_millis(900);

    /// Builds the player from its text, for games under the named rules. It has [`Self::TIME`] a move. Answers go to `out`,
    /// without line ends, messages to `log`.
    ///
    /// # Errors
    /// `unsupported` if the game cannot be played over the protocol; otherwise the error in the rules or the player.
    pub fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        out: Lines,
        log: Lines,
    ) -> Result<Self, Error> {
        check(game.as_ref(), rules)?;
        let session = EngineSession::new(game, rules, player, out, log)?;
        Ok(FptEngine { session, time: Self::TIME, input: String::new(), playing: None })
    }

    /// With another time of a move: the protocol sends none.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        FptEngine { time, ..self }
    }

    /// Handles a request. Returns false after the end of the game.
    fn handle(&mut self, request: Request) -> bool {
        let ready = match request {
            Request::Hello => {
                self.playing = None;
                (self.session.out)(NAME.to_owned());
                return true;
            }
            Request::End => return false,
            Request::Unknown(c) => {
                (self.session.log)(format!("{} is not a request", quote(&c.to_string())));
                return true;
            }
            // Both sides were asked to begin at once: this is the other side's move after the own one.
            Request::Begin(start_cell, Some(code)) if self.has_begun(start_cell) => self.reply(&code),
            Request::Begin(start_cell, code) => self.begin(start_cell, code.as_deref()),
            Request::Move(code) => self.reply(&code),
        };
        let code = ready.and_then(|()| self.choose()).unwrap_or_else(|why| {
            self.playing = None;
            (self.session.log)(why);
            PASS.to_owned()
        });
        (self.session.out)(code);
        true
    }

    /// Whether the own side has begun on this start cell, and nothing else was played.
    fn has_begun(&self, start_cell: StartCell) -> bool {
        self.playing
            .as_ref()
            .is_some_and(|playing| playing.start_cell == start_cell && playing.state.moves().len() == 1)
    }

    /// Starts a game.
    fn begin(&mut self, start_cell: StartCell, code: Option<&str>) -> Result<(), String> {
        let state = self.session.state(None)?;
        self.session.begin(state.as_ref())?;
        // The side that moves first starts on (5, 5).
        let usual = if code.is_none() { StartCell::Five } else { StartCell::A };
        self.playing = Some(Playing { state, start_cell, turned: start_cell != usual });
        code.map_or(Ok(()), |code| self.reply(code))
    }

    /// Plays the other side's move.
    fn reply(&mut self, code: &str) -> Result<(), String> {
        let playing = self.playing.as_mut().ok_or("the game is not known")?;
        if !is_code(code) {
            return Err(format!("{} is not a code", quote(code)));
        }
        let text = if playing.turned { rotated(code) } else { code.to_owned() };
        let state = &mut playing.state;
        if text == PASS && state.pass().is_none() {
            // The contests allow a pass while a piece can be placed.
            let passed = self.session.game.other_side(state.as_ref());
            *state = passed.ok_or_else(|| "the other side may not pass".to_owned())?;
            return Ok(());
        }
        let m = state.read(&text).map_err(|error| format!("{}: {error}", quote(code)))?;
        state.play(m).map_err(|error| error.message)
    }

    /// Chooses a move and plays it.
    fn choose(&mut self) -> Result<String, String> {
        let playing = self.playing.as_mut().ok_or("the game is not known")?;
        if playing.state.outcome().is_some() {
            return Ok(PASS.to_owned());
        }
        let (best, _) = self.session.choose(playing.state.as_ref(), Limits::time(self.time))?;
        let code = playing.state.write(best, DIALECT);
        playing.state.play(best).map_err(|error| error.message)?;
        Ok(if playing.turned { rotated(&code) } else { code })
    }
}

/// Removes the first request from the input; `None` if it is not complete yet.
fn next_request(input: &mut String) -> Option<Request> {
    let characters: Vec<char> = input.chars().take(2 + CODE_LENGTH).collect();
    let code = |from: usize| -> Option<String> {
        Some(characters.get(from..from + CODE_LENGTH)?.iter().collect::<String>().to_ascii_lowercase())
    };
    let start_cell = characters.get(1).map(|&letter| StartCell::of(letter));
    let (request, length) = match *characters.first()? {
        '0' => (Request::Hello, 1),
        '9' => (Request::End, 1),
        '4' => (Request::Move(code(1)?), 1 + CODE_LENGTH),
        first @ ('2' | '3') => match start_cell? {
            Some(start_cell) if first == '2' => (Request::Begin(start_cell, None), 2),
            Some(start_cell) => (Request::Begin(start_cell, Some(code(2)?)), 2 + CODE_LENGTH),
            None => (Request::Unknown(first), 1),
        },
        first => (Request::Unknown(first), 1),
    };
    *input = input.chars().skip(length).collect();
    Some(request)
}

impl Conversation for FptEngine {
    fn set_threads(&mut self, threads: usize) {
        self.session.player.threads = threads;
    }

    fn read(&mut self, text: &str) -> bool {
        self.input.extend(text.chars().filter(|c| !c.is_whitespace()));
        while let Some(request) = next_request(&mut self.input) {
            if !self.handle(request) {
                return false;
            }
        }
        true
    }

    fn reads_lines(&self) -> bool {
        false
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        if !self.input.is_empty() {
            (self.session.log)(format!("the input ended within the request {}", quote(&self.input)));
        }
        self.session.player.end(patience);
    }
}
