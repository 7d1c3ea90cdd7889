//! Programs that speak the protocol of the FPGA contests, as their host does: see [`banmen_protocol::fpt`].
//!
//! A program plays one game, from its start on. The protocol has no command to stop a search, and no limits: the
//! contests allowed a second for a move. They also allow a pass while a piece can be placed, which is illegal here.

use std::time::Instant;

use banmen_catalog::{AnyGame, AnyState, AnyTask, Error, ErrorCode, quote};
use banmen_game::Side;
use banmen_protocol::fpt::{CODE_LENGTH, DIALECT, NAME_LENGTH, StartCell, check, is_code};
use banmen_search::Report;

use crate::exchange::{Exchange, Received};
use crate::player::EngineProtocol;
use crate::streams::Framing;

pub(crate) fn make(game: &dyn AnyGame, rules: Option<&str>, _: u64) -> Result<Box<dyn EngineProtocol>, Error> {
    check(game, rules)?;
    let start = game.state(rules, None)?.origin("");
    Ok(Box::new(Fpt { start, moves: Vec::new(), begun: false }))
}

fn whole_games_only() -> Error {
    let message = "over the protocol of the FPGA contests a program plays whole games from their start, so games cannot \
                   begin with opening moves (their openings must have no random plies) or at another position";
    Error::new(ErrorCode::Unsupported, message)
}

/// Refuses the first position of a match if a program could not play both sides from it.
pub(crate) fn check_opening(game: &dyn AnyGame, rules: Option<&str>, state: &dyn AnyState) -> Result<(), Error> {
    let from_start = state.moves().is_empty() && state.origin("") == game.state(rules, None)?.origin("");
    if from_start { Ok(()) } else { Err(whole_games_only()) }
}

struct Fpt {
    /// The start position.
    start: String,
    /// The moves that the program has made or been sent.
    moves: Vec<u32>,
    /// Whether the program has been asked for a move.
    begun: bool,
}

impl EngineProtocol for Fpt {
    fn handshake(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Error> {
        (self.moves, self.begun) = (Vec::new(), false);
        exchange.write("0");
        let name = receive(exchange, NAME_LENGTH)?;
        if name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(char::is_control) {
            return Ok(());
        }
        Err(exchange.garbage(&format!("sent {} instead of a digit and the two characters of a team", quote(&name))))
    }

    fn new_game(&mut self, _: u64) {}

    fn ask(&mut self, exchange: &mut Exchange<'_>, task: &mut AnyTask<'_>) -> Result<Report<u32>, Error> {
        let (state, moves) = (task.state, task.state.moves());
        let side = state.side_to_move();
        // The program's own moves so far, and the other side's answer to each.
        let follows = if self.begun {
            moves.len() == self.moves.len() + 1 && moves.starts_with(&self.moves)
        } else {
            moves.len() == side.index()
        };
        if state.origin("") != self.start || !follows {
            return Err(whole_games_only());
        }
        if let Some(stray) = exchange.receive_until(Instant::now())? {
            return Err(exchange.garbage(&format!("sent an answer that was not requested: {}", quote(&stray))));
        }
        let last = state.move_texts(DIALECT).pop().unwrap_or_default();
        exchange.write(&match (self.begun, side) {
            (true, _) => format!("4{last}"),
            (false, Side::First) => format!("2{}", StartCell::Five.letter()),
            (false, Side::Second) => format!("3{}{last}", StartCell::A.letter()),
        });
        self.begun = true;
        let text = receive(exchange, CODE_LENGTH)?;
        if !is_code(&text) {
            return Err(exchange.illegal(&text, "that is not a code"));
        }
        let best = exchange.read(state, &text)?;
        self.moves = moves;
        self.moves.push(best);
        Ok(Report::of(best, 0.5))
    }

    fn quit_command(&self) -> Option<&'static str> {
        Some("9")
    }

    fn framing(&self) -> Framing {
        Framing::Pieces
    }

    fn plays_one_game(&self) -> bool {
        true
    }
}

/// Receives an answer of this number of characters.
fn receive(exchange: &mut Exchange<'_>, length: usize) -> Result<String, Error> {
    let mut text = String::new();
    while text.chars().count() < length {
        if let Received::Line(piece) = exchange.receive()? {
            text.push_str(&piece);
        }
    }
    if text.chars().count() > length {
        return Err(exchange.garbage(&format!("sent {} instead of {length} characters", quote(&text))));
    }
    Ok(text)
}
