//! Programs that speak the protocol of TUBSTAP's network games. This side is the server: see
//! [`banmen_protocol::tubstap`].
//!
//! A program plays one game, from its map on; the original's player then closes its connection. The protocol has no
//! limits and no command to stop a search. The original server sends each side the name of the other one, which is not
//! known here: the name sent is this project's. At the end of a game it sends nothing and closes the connection, as is
//! done here. The other side's actions after the program's last one are not sent, since no request follows them.
//!
//! Of an action only the unit, its goal, the target and the type count, as in the original, whose players send 0 for the
//! damage. An action that the rules forbid is a fault, even if the original accepts it.

use std::time::Instant;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, ErrorCode, quote};
use banmen_game::Side;
use banmen_protocol::tubstap::{DIALECT, REFUSED, check, colour, is_action, is_surrender};
use banmen_search::Report;

use crate::exchange::{Exchange, Received};
use crate::player::EngineProtocol;

/// The name of the other side's player.
const OPPONENT: &str = "Banmen";

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    check(game)?;
    game.state(rules, None)?;
    Ok(Box::new(Tubstap { game: None, moves: Vec::new() }))
}

fn whole_games_only() -> Error {
    let message = "over TUBSTAP's network a program plays whole games from a map, so games cannot begin with opening \
                   moves (their openings must have no random plies) or at a position that is no map at turn 0";
    Error::new(ErrorCode::Unsupported, message)
}

/// Whether a position can be sent: it begins a game as a map does.
fn is_map(text: &str) -> bool {
    text.contains('[')
}

/// Refuses the first position of a match if a program could not play both sides from it.
pub(crate) fn check_opening(_: &dyn AnyGame, _: Option<&str>, state: &dyn AnyState) -> Result<(), Error> {
    let from_map = state.moves().is_empty() && is_map(&state.origin(DIALECT));
    if from_map { Ok(()) } else { Err(whole_games_only()) }
}

struct Tubstap {
    /// The map and the side that the program was sent; `None` before its first action.
    game: Option<(String, Side)>,
    /// The moves that the program has made or been sent.
    moves: Vec<u32>,
}

impl EngineProtocol for Tubstap {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        (self.game, self.moves) = (None, Vec::new());
        command(exchange, "name").map(drop)
    }

    fn new_game(&mut self, _: u64) {}

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        let state = task.state;
        let (own, map, moves) = (state.side_to_move(), state.origin(DIALECT), state.moves());
        let same = self.game.as_ref().is_none_or(|(known, side)| *known == map && *side == own);
        let new = moves.strip_prefix(self.moves.as_slice()).filter(|_| same && is_map(&map));
        let sides = state.move_sides();
        if new.is_none_or(|new| sides.iter().rev().take(new.len()).any(|&side| side == own)) {
            return Err(whole_games_only());
        }
        if self.game.is_none() {
            command(exchange, &format!("opponent {OPPONENT}"))?;
            command(exchange, &format!("MAP {map}"))?;
            command(exchange, &format!("Color {}", colour(own)))?;
            self.game = Some((map, own));
        }
        for text in state.move_texts(DIALECT).iter().skip(self.moves.len()) {
            command(exchange, &format!("play {text}"))?;
        }
        self.moves = moves;
        let text = command(exchange, GENMOVE)?;
        if is_surrender(&text) {
            return Err(exchange.resigned());
        }
        if !is_action(&text) {
            return Err(exchange.illegal(&text, "that is not an action"));
        }
        let best = exchange.read(state, &text)?;
        self.moves.push(best);
        Ok(Report::of(best, 0.5))
    }

    fn quit_command(&self) -> Option<&'static str> {
        None
    }

    fn plays_one_game(&self) -> bool {
        true
    }
}

/// The command that asks for an action.
const GENMOVE: &str = "Genmove";

/// Characters of a reason that are shown.
const MAX_REASON: usize = 200;

/// Sends a command and returns the text of its answer.
fn command(exchange: &mut Exchange<'_>, command: &str) -> Result<String, Error> {
    if let Some(stray) = exchange.receive_until(Instant::now())? {
        return Err(exchange.garbage(&format!("sent an answer that was not requested: {}", quote(&stray))));
    }
    exchange.write(&format!("{command}\r\n"));
    let first = answer_line(exchange, command)?;
    let Some(text) = first.strip_prefix('=').map(str::trim) else {
        return Err(exchange.garbage(&format!("sent a line that is not an answer: {}", quote(&first))));
    };
    let end = answer_line(exchange, command)?;
    if !end.trim().is_empty() {
        return Err(exchange.garbage(&format!("sent {} where an empty line ends the answer", quote(&end))));
    }
    if let Some(why) = text.strip_prefix(REFUSED) {
        let why: String = why.chars().take(MAX_REASON).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        return Err(exchange.garbage(&format!("refused {}: {why}", quote(command))));
    }
    if command != GENMOVE && is_action(text) {
        return Err(exchange.garbage(&format!("answered {} with an action: {}", quote(command), quote(text))));
    }
    Ok(text.to_owned())
}

/// The next line of the answer to a command.
fn answer_line(exchange: &mut Exchange<'_>, command: &str) -> Result<String, Error> {
    // All commands but `Genmove` are answered at once.
    if command != GENMOVE {
        return exchange.receive_line();
    }
    loop {
        // The protocol has no stop.
        if let Received::Line(line) = exchange.receive()? {
            return Ok(line);
        }
    }
}
