//! Conversion of whole games between the catalog's types and [`record`].

use banmen_catalog::{Error, Header, Termination};
use banmen_game::{GameState, Side};

use crate::Blokus;
use crate::notation::{letter, side};
use crate::record::{self, Record};

pub(crate) fn write_blksgf(header: &Header, state: &GameState<Blokus>) -> String {
    let mut record = Record::new(state);
    let texts = [("PB", &header.first), ("PW", &header.second), ("EV", &header.event), ("DT", &header.date)];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        record.add_property(name, text);
    }
    let won = |side: Side, how: &str| format!("{}+{how}", letter(side).to_ascii_uppercase());
    let result = match (&header.termination, state.outcome()) {
        (Some(Termination { winner: Some(winner), by }), _) => won(*winner, mark(by)),
        (Some(Termination { winner: None, .. }), _) => "Draw".to_owned(),
        (None, Some(outcome)) => {
            let margin = outcome.margin.unwrap_or_default().to_string();
            outcome.winner.map_or_else(|| "0".to_owned(), |winner| won(winner, &margin))
        }
        (None, None) => "?".to_owned(),
    };
    record.add_property("RE", result);
    record.blksgf()
}

/// How SGF writes a result that the rules did not give.
fn mark(by: &str) -> &'static str {
    match by {
        "time" => "T",
        "resignation" => "R",
        _ => "F",
    }
}

/// Reads such a result; `None` for the result of a game that ended by the rules, or of none.
fn termination(text: &str) -> Option<Termination> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("draw") {
        return Some(Termination { winner: None, by: "agreement".to_owned() });
    }
    let (winner, how) = text.split_once('+')?;
    let mut letters = winner.trim().chars();
    let winner = letters.next().and_then(side).filter(|_| letters.next().is_none())?;
    let by = match how.trim().to_ascii_lowercase().as_str() {
        "t" | "time" => "time",
        "r" | "resign" => "resignation",
        "f" | "forfeit" => "forfeit",
        _ => return None,
    };
    Some(Termination { winner: Some(winner), by: by.to_owned() })
}

pub(crate) fn read_blksgf(game: &Blokus, text: &[u8]) -> Result<Vec<(Header, GameState<Blokus>)>, Error> {
    let records = record::read(game, text)
        .map_err(|error| Error::record(text, error.at, error.fault.reason(), &error.to_string()))?;
    Ok(records.iter().map(|record| (header(record), record.state(game))).collect())
}

fn header(record: &Record) -> Header {
    let text = |name| record.property(name).unwrap_or_default().to_owned();
    let termination = record.property("RE").and_then(termination);
    Header {
        first: text("PB"),
        second: text("PW"),
        event: text("EV"),
        date: text("DT"),
        termination,
        ..Header::default()
    }
}
