//! Conversion of whole games between the catalog's types and [`record`].

use banmen_catalog::{Error, ErrorCode, Header, Termination};
use banmen_game::{GameState, Side};

use crate::Othello;
use crate::position::Position;
use crate::record::{self, Record, Tag};

pub(crate) fn write_ggf(header: &Header, state: &GameState<Othello>) -> String {
    let mut record = Record::new(*state.origin(), state.moves().iter().copied());
    let tag = |name: &str, value: String| Tag { after: 0, name: name.to_owned(), value };
    // The usual order of the tags.
    let tags = [("PC", &header.event), ("DT", &header.date), ("PB", &header.first), ("PW", &header.second)];
    let tags = tags.into_iter().filter(|(_, value)| !value.is_empty());
    record.tags = tags.map(|(name, value)| tag(name, value.clone())).collect();
    // The result is from Black's view.
    let result = match (&header.termination, state.outcome()) {
        (Some(stated), _) => stated_result(stated),
        (None, Some(outcome)) => format!("{:+}", outcome.signed_margin(Side::First)),
        (None, None) => "?".to_owned(),
    };
    record.tags.push(tag("RE", result));
    record.tags.push(tag("TY", "8".to_owned()));
    record.ggf()
}

/// The GGF result of a game that ended outside the rules: all squares to the winner, and `t` for a loss on time, `s` for
/// an agreement or any other draw, or `r` for any other reason.
fn stated_result(Termination { winner, by }: &Termination) -> String {
    let mark = match by.as_str() {
        "time" => "t",
        "agreement" => "s",
        _ if winner.is_none() => "s",
        _ => "r",
    };
    match winner {
        Some(Side::First) => format!("+64:{mark}"),
        Some(Side::Second) => format!("-64:{mark}"),
        None => format!("+0:{mark}"),
    }
}

/// Reads such a result; `None` for the result of a game that ended by the rules.
fn read_stated(text: &str) -> Option<Termination> {
    let (margin, mark) = text.split_once(':')?;
    let margin: f64 = margin.trim().parse().ok()?;
    let winner = match margin.partial_cmp(&0.0)? {
        std::cmp::Ordering::Greater => Some(Side::First),
        std::cmp::Ordering::Less => Some(Side::Second),
        std::cmp::Ordering::Equal => None,
    };
    let by = match mark.trim() {
        "t" => "time",
        "r" if winner.is_some() => "resignation",
        _ => "agreement",
    };
    Some(Termination { winner, by: by.to_owned() })
}

/// A transcript has no position and no header: a game from another position, or without moves, would be read as another
/// game, or as none.
pub(crate) fn write_transcript(_: &Header, state: &GameState<Othello>) -> Result<String, Error> {
    let refused = |why: &str| Err(Error::new(ErrorCode::Unsupported, format!("{why}: write it as ggf")));
    if *state.origin() != Position::START {
        return refused("a transcript cannot hold a game from another position than the start");
    }
    if state.moves().is_empty() {
        return refused("a transcript cannot hold a game without moves");
    }
    Ok(Record::new(Position::START, state.moves().iter().copied()).transcript())
}

/// Reads all games of a text in GGF, and writes them again with their tags, evaluations and times. Without games for transcripts,
/// which have none of these.
pub(crate) fn rewrite_ggf(_: &Othello, text: &[u8]) -> Result<Vec<String>, Error> {
    if record::is_ggf(text) { Ok(records(text)?.iter().map(Record::ggf).collect()) } else { Ok(Vec::new()) }
}

pub(crate) fn read(_: &Othello, text: &[u8]) -> Result<Vec<(Header, GameState<Othello>)>, Error> {
    Ok(records(text)?.iter().map(|record| (header(record), state(record))).collect())
}

fn records(text: &[u8]) -> Result<Vec<Record>, Error> {
    record::read(text).map_err(|error| Error::record(text, error.at, error.fault.reason(), &error.to_string()))
}

fn header(record: &Record) -> Header {
    let tag = |name| record.tag(name).unwrap_or_default().to_owned();
    let termination = record.tag("RE").and_then(read_stated);
    Header { first: tag("PB"), second: tag("PW"), event: tag("PC"), date: tag("DT"), termination, ..Header::default() }
}

fn state(record: &Record) -> GameState<Othello> {
    let mut state = GameState::from(Othello, record.start);
    for m in record.played() {
        state.play(m);
    }
    // Some programs omit a forced pass at the end.
    while state.outcome().is_none() && state.position().must_pass() {
        state.play(crate::position::Move::PASS);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_a_game_outside_the_rules_is_kept() {
        for (text, by) in [("+64:t", "time"), ("-64:r", "resignation"), ("+64:s", "agreement"), ("+0:s", "agreement")] {
            let stated = read_stated(text).expect("a result");
            assert_eq!((stated.by.as_str(), stated_result(&stated).as_str()), (by, text));
        }
        // A draw that is no agreement, since a limit ended the game, is no resignation.
        let drawn = Termination { winner: None, by: "length".to_owned() };
        assert_eq!(stated_result(&drawn), "+0:s");
        // The marks of other programs.
        assert_eq!(read_stated("2:00").as_ref().map(stated_result).as_deref(), Some("+64:s"));
    }

    #[test]
    fn games_are_written_again_with_their_notes() {
        let text = "(;GM[Othello]PC[GGS]RB[2000]TI[15:00]RE[?]BO[8 ---------------------------O*------*O--------------------------- *]\
                    B[F5/1.2/3.4]C[a \\] b]W[D6//0.5];)";
        // A game without tags, beside one that has some.
        let bare = "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- *]B[F5/0.5];)";
        let both = format!("{text}\n{bare}\n");
        assert_eq!(rewrite_ggf(&Othello, both.as_bytes()), Ok(vec![text.to_owned(), bare.to_owned()]));
        assert_eq!(rewrite_ggf(&Othello, b"F5D6"), Ok(Vec::new()), "a transcript");
        assert!(rewrite_ggf(&Othello, b"(;GM[Othello]PC[x]B[A1];)").is_err());
    }

    #[test]
    fn places_count_characters_behind_a_comment_in_japanese() {
        let text = "(;GM[Othello]C[黒の解説]B[F5]\nW[F5];)";
        let error = read(&Othello, text.as_bytes()).expect_err("f5 is occupied");
        assert_eq!(error.message, "line 2, character 3: game 1: move 2, `F5`: f5 is occupied");
        assert_eq!(error.at, Some("(;GM[Othello]C[黒の解説]B[F5]\nW[".chars().count()));
    }
}
