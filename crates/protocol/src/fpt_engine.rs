//! Exposes a built-in player to a host of the FPGA contests.
//!
//! The player has 900 ms a move, since the contests allow a second. It answers every request, also after an error: if it
//! cannot follow the game, it passes and logs the reason. A host may let the side that covers (a, a) begin, or, as in 2013,
//! ask both sides to begin at once; the board is turned by half where that makes the own side the first one, or the second.

use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, quote};
use banmen_search::Limits;

use crate::engine_session::EngineSession;
use crate::fpt::{CODE_LENGTH, Corner, DIALECT, PASS, check, is_code, rotated};
use crate::{Conversation, Lines};

/// The time of a move.
const TIME: Duration = Duration::from_millis(900);

/// The answer to `0`: a digit, and the name of the team.
const NAME: &str = "1BM";

/// A request.
#[derive(Debug, PartialEq)]
enum Request {
    Hello,
    /// Begin on this start cell, after the other side's first move, if there was one.
    Begin(Corner, Option<String>),
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
    corner: Corner,
    /// Whether codes are those of the board after half a turn.
    turned: bool,
}

/// One session with a host.
pub struct FptEngine {
    session: EngineSession,
    /// Input that is no whole request yet.
    input: String,
    /// `None` before the first game, and when the game cannot be followed.
    playing: Option<Playing>,
}

impl FptEngine {
    /// Builds the player from its text, for games under the named rules. Answers go to `out`, without line ends, messages
    /// to `log`.
    ///
    /// # Errors
    /// `unsupported` if the game is not played so; otherwise the error in the rules or the player.
    pub fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        out: Lines,
        log: Lines,
    ) -> Result<Self, Error> {
        check(game.as_ref(), rules)?;
        let session = EngineSession::new(game, rules, player, out, log)?;
        Ok(FptEngine { session, input: String::new(), playing: None })
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
                (self.session.log)(format!("{} is no request", quote(&c.to_string())));
                return true;
            }
            // Both sides were asked to begin at once: this is the other side's move after the own one.
            Request::Begin(corner, Some(code)) if self.has_begun(corner) => self.reply(&code),
            Request::Begin(corner, code) => self.begin(corner, code.as_deref()),
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

    /// Whether the own side has begun on this corner, and nothing else was played.
    fn has_begun(&self, corner: Corner) -> bool {
        self.playing.as_ref().is_some_and(|playing| playing.corner == corner && playing.state.moves().len() == 1)
    }

    /// Starts a game.
    fn begin(&mut self, corner: Corner, code: Option<&str>) -> Result<(), String> {
        let state = self.session.state(None)?;
        self.session.begin(state.as_ref())?;
        // The side that moves first starts on (5, 5).
        let usual = if code.is_none() { Corner::Five } else { Corner::A };
        self.playing = Some(Playing { state, corner, turned: corner != usual });
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
            // The contests allow to pass with a move in hand.
            let passed = self.session.game.other_side(state.as_ref());
            *state = passed.ok_or_else(|| "the other side may not pass".to_owned())?;
            return Ok(());
        }
        let m = state.read(&text).map_err(|error| format!("{}: {error}", quote(code)))?;
        state.play(m).map_err(|error| error.message)
    }

    /// Chooses a move, and plays it.
    fn choose(&mut self) -> Result<String, String> {
        let playing = self.playing.as_mut().ok_or("the game is not known")?;
        if playing.state.outcome().is_some() {
            return Ok(PASS.to_owned());
        }
        let (best, _) = self.session.choose(playing.state.as_ref(), Limits::time(TIME))?;
        let code = playing.state.write(best, DIALECT);
        playing.state.play(best).map_err(|error| error.message)?;
        Ok(if playing.turned { rotated(&code) } else { code })
    }
}

/// Takes the first request off the input; `None` until there is a whole one.
fn next_request(input: &mut String) -> Option<Request> {
    let characters: Vec<char> = input.chars().take(2 + CODE_LENGTH).collect();
    let code = |from: usize| -> Option<String> {
        Some(characters.get(from..from + CODE_LENGTH)?.iter().collect::<String>().to_ascii_lowercase())
    };
    let corner = characters.get(1).map(|&letter| Corner::of(letter));
    let (request, length) = match *characters.first()? {
        '0' => (Request::Hello, 1),
        '9' => (Request::End, 1),
        '4' => (Request::Move(code(1)?), 1 + CODE_LENGTH),
        first @ ('2' | '3') => match corner? {
            Some(corner) if first == '2' => (Request::Begin(corner, None), 2),
            Some(corner) => (Request::Begin(corner, Some(code(2)?)), 2 + CODE_LENGTH),
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

    fn end(mut self: Box<Self>) {
        self.session.player.wait();
    }
}
