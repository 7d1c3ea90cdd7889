//! Exposes a built-in player to a server of TUBSTAP's network games.
//!
//! Every command is answered, also after an error, since the original server waits for an answer indefinitely. A
//! command that cannot be executed is refused with the reason, and logged. From then on, until the next map, the engine
//! answers `Genmove` with the end of the turn, so that the server's game continues.
//!
//! Besides the commands of the original server the engine accepts `gameover` and `quit`, for servers that send them and
//! for trying it by hand. Commands are read in either case.

use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, Error, quote};
use banmen_game::Side;
use banmen_search::Limits;

use crate::engine_session::EngineSession;
use crate::tubstap::{DIALECT, END, REFUSED, check, is_surrender, side};
use crate::{Conversation, Lines};

/// A game in progress.
struct Playing {
    state: Box<dyn AnyState>,
    /// The own side; `None` before it is sent.
    own: Option<Side>,
    /// The time that the own turn has taken so far.
    turn_used: Duration,
}

/// One session with a server.
pub struct TubstapEngine {
    session: EngineSession,
    name: String,
    /// The time of a turn, all actions together.
    time: Duration,
    /// `None` before the map, and when the game cannot be followed.
    playing: Option<Playing>,
}

impl TubstapEngine {
    /// The usual time of a turn: that of M-UCT in the original distribution. The tournaments allow less than 10 s.
    pub const TIME: Duration = Duration::from_millis(9_700);

    /// Builds the player from its text, for games under the named rules. It has [`Self::TIME`] a turn. Answers go to `out`,
    /// each without its last line feed, messages to `log`.
    ///
    /// # Errors
    /// `unsupported` if the game lacks the protocol's dialect; otherwise the error in the rules or the player.
    pub fn new(
        game: Arc<dyn AnyGame>,
        rules: Option<&str>,
        player: &str,
        out: Lines,
        log: Lines,
    ) -> Result<Self, Error> {
        check(game.as_ref())?;
        let name = on_one_line(&format!("Banmen {player}"));
        let session = EngineSession::new(game, rules, player, out, log)?;
        Ok(TubstapEngine { session, name, time: Self::TIME, playing: None })
    }

    /// With another time of a turn: the protocol sends none.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        TubstapEngine { time, ..self }
    }

    /// Writes an answer.
    fn answer(&self, text: &str) {
        (self.session.out)(format!("= {text}\r\n\r"));
    }

    /// Starts a game on a map.
    fn map(&mut self, text: &str) -> Result<(), String> {
        self.playing = None;
        let state = self.session.state(Some(text))?;
        self.playing = Some(Playing { state, own: None, turn_used: Duration::ZERO });
        Ok(())
    }

    fn color(&mut self, text: &str) -> Result<(), String> {
        let mut playing = self.playing.take().ok_or(NO_MAP)?;
        if playing.own.is_some() {
            return Err("the color is known already".to_owned());
        }
        let own = side(text).ok_or_else(|| format!("a color is 0 or 1, not {}", quote(text)))?;
        self.session.begin(playing.state.as_ref())?;
        playing.own = Some(own);
        self.playing = Some(playing);
        Ok(())
    }

    /// Plays an action of the other side.
    fn play(&mut self, text: &str) -> Result<(), String> {
        let (mut playing, own) = self.take()?;
        if playing.state.side_to_move() == own {
            return Err(format!("{}: it is this player's turn", quote(text)));
        }
        if is_surrender(text) {
            return Ok(());
        }
        let m = playing.state.read(text).map_err(|error| format!("{}: {error}", quote(text)))?;
        playing.state.play(m).map_err(|error| error.message)?;
        playing.turn_used = Duration::ZERO;
        self.playing = Some(playing);
        Ok(())
    }

    /// Chooses an action, and plays it.
    fn act(&mut self) -> Result<String, String> {
        let (mut playing, own) = self.take()?;
        if playing.state.side_to_move() != own {
            return Err("it is the other side's turn".to_owned());
        }
        let limits = Limits { turn_used: playing.turn_used, ..Limits::time(self.time) };
        let (best, time) = self.session.choose(playing.state.as_ref(), limits)?;
        let action = playing.state.write(best, DIALECT);
        playing.state.play(best).map_err(|error| error.message)?;
        playing.turn_used += time;
        self.playing = Some(playing);
        Ok(action)
    }

    /// Takes the game, which must not be over, and the own side. The caller puts the game back unless there was an
    /// error.
    fn take(&mut self) -> Result<(Playing, Side), String> {
        let playing = self.playing.take().ok_or(NO_MAP)?;
        let own = playing.own.ok_or("the color is not known")?;
        match playing.state.outcome() {
            Some(outcome) => Err(format!("the game is over by {}", outcome.by)),
            None => Ok((playing, own)),
        }
    }
}

/// Why a command is refused while there is no game.
const NO_MAP: &str = "there is no map, or its game is over or could not be followed";

impl Conversation for TubstapEngine {
    fn set_threads(&mut self, threads: usize) {
        self.session.player.threads = threads;
    }

    fn read(&mut self, line: &str) -> bool {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let done = match word.to_ascii_lowercase().as_str() {
            "" => return true,
            "name" => {
                self.answer(&self.name);
                return true;
            }
            "genmove" => {
                let action = self.act().unwrap_or_else(|why| {
                    (self.session.log)(format!("{}: the turn ends", on_one_line(&why)));
                    END.to_owned()
                });
                self.answer(&action);
                return true;
            }
            "opponent" | "quit" => Ok(()),
            "gameover" => {
                self.playing = None;
                Ok(())
            }
            "map" => self.map(rest),
            "color" => self.color(rest),
            "play" => self.play(rest),
            _ => Err(format!("{} is not a command", quote(word))),
        };
        match done {
            Ok(()) => self.answer(""),
            Err(why) => {
                let why = on_one_line(&why);
                self.answer(&format!("{REFUSED}{why}"));
                (self.session.log)(why);
            }
        }
        !word.eq_ignore_ascii_case("quit")
    }

    fn end(mut self: Box<Self>, patience: Duration) {
        self.session.player.end(patience);
    }
}

/// A text on one line.
fn on_one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
