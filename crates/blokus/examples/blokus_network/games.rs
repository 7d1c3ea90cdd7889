//! The games that were played.

use std::error::Error;
use std::fs;

use banmen_blokus::{Blokus, Move};
use banmen_game::{Game, GameState, mix};

/// A game, and what the searches in it found.
pub(crate) struct Record {
    /// The first side's lead in points at the end.
    pub(crate) lead: i64,
    pub(crate) moves: Vec<Played>,
    /// Whether it is left out of the fit.
    pub(crate) held: bool,
}

pub(crate) struct Played {
    pub(crate) m: Move,
    /// The score that the search expected for the first side; `None` where the move was random.
    pub(crate) value: Option<f32>,
    /// Whether the search preferred this move.
    pub(crate) best: bool,
}

/// Reads the games in files.
pub(crate) fn read(files: &[&str]) -> Result<Vec<Record>, Box<dyn Error>> {
    let mut games = Vec::new();
    for file in files {
        for (line, text) in (1..).zip(fs::read_to_string(file)?.lines()) {
            games.push(parse(text).map_err(|error| format!("{file}: line {line}: {error}"))?);
        }
    }
    Ok(games)
}

fn parse(line: &str) -> Result<Record, Box<dyn Error>> {
    let mut words = line.split(' ');
    let number: u64 = words.next().ok_or("expected the number of the game")?.parse()?;
    let lead = words.next().ok_or("expected the lead at the end")?.parse()?;
    let mut state = GameState::new(Blokus::STANDARD);
    let mut moves = Vec::new();
    for word in words {
        let (m, score) = word.split_once(':').ok_or("expected a move, a colon and a value")?;
        let m = Move::unpack(m.parse()?).ok_or("there is no such move")?;
        if !state.game().is_legal(state.position(), m) {
            return Err(format!("{m} is not legal").into());
        }
        let value = score.trim_end_matches('*');
        let value = if value == "-" { None } else { Some(value.parse()?) };
        moves.push(Played { m, value, best: value.is_some() && !score.ends_with('*') });
        state.play(m);
    }
    Ok(Record { lead, moves, held: mix(number).is_multiple_of(10) })
}
