//! Conversion of whole games between the catalog's types and [`record`].

use banmen_catalog::{Error, Header, Termination};
use banmen_game::{GameState, Side};

use crate::Blokus;
use crate::notation::{letter, side};
use crate::record::{self, Record, result_text, single};

pub(crate) fn write_blksgf(header: &Header, state: &GameState<Blokus>) -> String {
    let mut record = Record::new(state);
    let texts = [("PB", &header.first), ("PW", &header.second), ("EV", &header.event), ("DT", &header.date)];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        record.add_property(name, text);
    }
    let won = |side: Side, how: &str| format!("{}+{how}", letter(side).to_ascii_uppercase());
    let result = match (state.outcome(), &header.termination) {
        (Some(outcome), _) => result_text(&outcome),
        (None, Some(Termination { winner: Some(winner), by })) => won(*winner, mark(by)),
        (None, Some(Termination { winner: None, .. })) => "Draw".to_owned(),
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
    let winner = single(winner).and_then(side)?;
    let by = match how.trim().to_ascii_lowercase().as_str() {
        "t" | "time" => "time",
        "r" | "resign" => "resignation",
        "f" | "forfeit" => "forfeit",
        _ => return None,
    };
    Some(Termination { winner: Some(winner), by: by.to_owned() })
}

fn records(game: &Blokus, text: &[u8]) -> Result<Vec<Record>, Error> {
    record::read(game, text).map_err(|error| Error::record(text, error.at, error.fault.reason(), &error.to_string()))
}

/// Reads all games of a text, and writes them again with their variations and properties.
pub(crate) fn rewrite_blksgf(game: &Blokus, text: &[u8]) -> Result<Vec<String>, Error> {
    Ok(records(game, text)?.iter().map(Record::blksgf).collect())
}

pub(crate) fn read_blksgf(game: &Blokus, text: &[u8]) -> Result<Vec<(Header, GameState<Blokus>)>, Error> {
    let records = records(game, text)?;
    Ok(records.iter().map(|record| (header(record), record.state())).collect())
}

/// What a record says about its game.
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

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;

    fn read(text: &str) -> (Header, GameState<Blokus>) {
        let games = read_blksgf(&Blokus::STANDARD, text.as_bytes()).expect("a valid text");
        games.into_iter().next().expect("a game")
    }

    #[test]
    fn games_are_written_again_with_their_variations_and_properties() {
        let text = "(;GM[Blokus Duo]CA[UTF-8]PB[a]C[x \\] y];B[e10]C[good](;W[j5])(;W[i5,j5]C[or]))";
        assert_eq!(rewrite_blksgf(&Blokus::STANDARD, text.as_bytes()), Ok(vec![text.to_owned()]));
        assert!(rewrite_blksgf(&Blokus::STANDARD, b"(;GM[Go];B[e10])").is_err());
    }

    #[test]
    fn results_outside_the_rules_are_those_of_games_that_go_on() {
        let (header, state) = read("(;GM[Blokus Duo]RE[W+T];B[e10])");
        let by_time = Termination { winner: Some(Side::Second), by: "time".to_owned() };
        assert_eq!(header.termination, Some(by_time.clone()));
        assert!(write_blksgf(&header, &state).contains("RE[W+T]"));
        let mut state = state;
        while state.outcome().is_none() {
            // The largest pieces for the first side, the smallest for the second.
            let moves = Blokus::STANDARD.moves(state.position());
            let m = if state.side_to_move() == Side::First { moves.last() } else { moves.first() };
            state.play(*m.expect("a move"));
        }
        let outcome = state.outcome().expect("the end");
        let result = format!("RE[B+{}]", outcome.margin.expect("points"));
        let header = Header { termination: Some(by_time), ..Header::default() };
        let text = write_blksgf(&header, &state);
        assert!(text.contains(&result), "{text}");
        assert_eq!(read(&text).1.outcome(), Some(outcome));
    }
}
