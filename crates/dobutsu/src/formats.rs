//! Converts whole games between the catalog and [`record`].

use std::borrow::Cow;

use banmen_catalog::{Error, Header, Termination};
use banmen_game::{GameState, Side};
use encoding_rs::SHIFT_JIS;

use crate::Dobutsu;
use crate::record::{self, Record};

pub(crate) fn write(header: &Header, state: &GameState<Dobutsu>) -> String {
    let mut record = Record::new(*state.origin(), state.moves().iter().copied());
    // Event, date and players in the usual order, one per line.
    let fields =
        [("棋戦", &header.event), ("開始日時", &header.date), ("先手", &header.first), ("後手", &header.second)];
    let fields = fields.into_iter().filter(|(_, value)| !value.is_empty());
    record.headers = fields.map(|(name, value)| (name.to_owned(), value.replace(['\n', '\r'], " "))).collect();
    // The end words of KIF refer to the side to move: the summary says that it has won. The reason becomes a remark.
    if let Some(Termination { winner, by }) = &header.termination {
        match winner {
            Some(winner) if *winner == state.side_to_move() => {
                record.summary = Some(format!("まで{}手で{}の勝ち", state.moves().len(), name(*winner)));
            }
            Some(_) => {
                let word = match by.as_str() {
                    "time" => "切れ負け",
                    "illegal move" => "反則負け",
                    _ => "投了",
                };
                record.end = Some(word.to_owned());
            }
            None => record.end = Some("持将棋".to_owned()),
        }
        record.remarks.push(by.replace(['\n', '\r'], " "));
    }
    record.kif()
}

/// The name of a side.
fn name(side: Side) -> &'static str {
    match side {
        Side::First => "先手",
        Side::Second => "後手",
    }
}

pub(crate) fn read(game: &Dobutsu, text: &[u8]) -> Result<Vec<(Header, GameState<Dobutsu>)>, Error> {
    let with_header = |(record, state)| (header(&record, &state), state);
    Ok(records(game, text)?.into_iter().map(with_header).collect())
}

/// Reads all games of a text, and writes them again with their headers, times and comments.
pub(crate) fn rewrite(game: &Dobutsu, text: &[u8]) -> Result<Vec<String>, Error> {
    Ok(records(game, text)?.iter().map(|(record, _)| record.kif()).collect())
}

/// Reads all games of a text, each of which begins with its header.
fn records(game: &Dobutsu, text: &[u8]) -> Result<Vec<(Record, GameState<Dobutsu>)>, Error> {
    let text = &*decoded(text)?;
    let refuse = |offset, reason, message: &str| Error::record(text.as_bytes(), offset, reason, message);
    let mut games = Vec::new();
    let mut begin = 0;
    for part in parts(text) {
        let record = record::read(*game, part).map_err(|error| {
            refuse(begin + offset(part, error.line, error.at), error.fault.reason(), &error.fault.to_string())
        })?;
        let mut state = GameState::from(*game, record.start);
        for (index, noted) in record.moves.iter().enumerate() {
            if state.outcome().is_some() {
                let at = begin + offset(part, line_of_move(part, index), 0);
                return Err(refuse(at, "after_end", "the game is a draw by repetition before this move"));
            }
            state.play(noted.played);
        }
        begin += part.len();
        games.push((record, state));
    }
    Ok(games)
}

/// The text of a file, which is in UTF-8 or in Shift-JIS.
fn decoded(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let utf8 = std::str::from_utf8(bytes).map(Cow::Borrowed);
    utf8.or_else(|error| {
        let refused = || {
            let message = "the text is neither in UTF-8 nor in Shift-JIS";
            Error::record(bytes, error.valid_up_to(), "encoding", message)
        };
        SHIFT_JIS.decode_without_bom_handling_and_without_replacement(bytes).ok_or_else(refused)
    })
}

/// What a record says about its game.
fn header(record: &Record, state: &GameState<Dobutsu>) -> Header {
    let line = |name| record.header(name).unwrap_or_default().to_owned();
    Header {
        first: line("先手"),
        second: line("後手"),
        event: line("棋戦"),
        date: line("開始日時"),
        termination: termination(record, state),
        ..Header::default()
    }
}

/// The end of a game that its moves do not end, by its end word or else by its summary.
fn termination(record: &Record, state: &GameState<Dobutsu>) -> Option<Termination> {
    if state.outcome().is_some() {
        return None;
    }
    let opponent = Some(state.side_to_move().other());
    let (winner, by) = match record.end.as_deref() {
        Some("投了") => (opponent, "resignation"),
        Some("切れ負け") => (opponent, "time"),
        Some("反則負け") => (opponent, "illegal move"),
        Some("詰み") => (opponent, "mate"),
        Some("トライ") => (opponent, "try"),
        Some("千日手") => (None, "repetition"),
        Some("持将棋") => (None, "agreement"),
        _ => summed_up(record.summary.as_deref()?)?,
    };
    Some(Termination { winner, by: by.to_owned() })
}

/// The winner by a summary, and the reason: `まで2手で後手の勝ち`, `まで2手で千日手`, and the like.
fn summed_up(summary: &str) -> Option<(Option<Side>, &'static str)> {
    let has = |word: &str| summary.contains(word);
    if has("千日手") || has("持将棋") {
        return Some((None, if has("千日手") { "repetition" } else { "agreement" }));
    }
    let named = Side::BOTH.into_iter().find(|&side| has(&format!("{}の", name(side))))?;
    let by = [("切れ", "time"), ("反則", "illegal move")].into_iter().find(|(word, _)| has(word));
    let by = by.map_or("resignation", |(_, by)| by);
    let won = summary.ends_with("勝ち").then_some(named);
    let winner = won.or_else(|| summary.ends_with("負け").then(|| named.other()))?;
    Some((Some(winner), by))
}

/// The byte offset of a character, from 0, in a line, from 1.
fn offset(text: &str, line: usize, character: usize) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line - 1).map(str::len).sum();
    let within: usize = lines.next().unwrap_or_default().chars().take(character).map(char::len_utf8).sum();
    before + within
}

/// The number of the line, from 1, with the move of this index, from 0.
fn line_of_move(text: &str, index: usize) -> usize {
    let moves = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    moves.map(|(number, _)| number).nth(index).unwrap_or(1)
}

/// Splits a text into games: a header line after a move begins the next one.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut at, mut moved) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        let visible = line.trim_start();
        let is_move = visible.starts_with(|first: char| first.is_ascii_digit());
        let is_header = visible.contains('：') && !visible.starts_with(['*', '#']) || visible.starts_with("手数");
        if moved && is_header && !is_move {
            parts.push(&text[begin..at]);
            (begin, moved) = (at, false);
        }
        moved |= is_move;
        at += line.len();
    }
    if !text[begin..].trim().is_empty() {
        parts.push(&text[begin..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;

    fn refused(text: &str) -> (String, String) {
        let error = read(&Dobutsu::CATCH, text.as_bytes()).expect_err("refused");
        (error.message, text.chars().skip(error.at.expect("a place")).take(4).collect())
    }

    #[test]
    fn places_count_characters_in_the_whole_text() {
        let first = "先手：甲\n*千日手に注意\n   1 B2ひよこ(B3)\n";
        assert_eq!(
            refused(&format!("{first}先手：乙\n  1 B2いぬ\n")),
            ("line 5, character 5: `B2いぬ` is not a move".to_owned(), "B2いぬ".to_owned())
        );
        assert_eq!(
            refused(&format!("{first}   3 C2ぞう(C1)\n")),
            ("line 4, character 4: move 3 follows move 1".to_owned(), "3 C2".to_owned())
        );
    }

    #[test]
    fn games_are_written_again_with_their_notes() {
        let first = "棋戦：春の会\n手合割：なし\n先手：甲\n後手：乙\n*前書き\n手数----指手---------消費時間--\n\
                     1 B2ひよこ(B3) ( 0:01/00:00:01)\n*よい手\n2 投了\n";
        let second = "先手：丙\n1 B2ひよこ(B3)\n";
        let games = rewrite(&Dobutsu::CATCH, format!("{first}{second}").as_bytes()).expect("two games");
        let [first, second] = &games[..] else { panic!("{games:?}") };
        for kept in ["棋戦：春の会", "手合割：なし", "*前書き", "0:01/00:00:01", "*よい手", "投了"]
        {
            assert!(first.contains(kept) && !second.contains(kept), "{kept} in {games:?}");
        }
        let again = rewrite(&Dobutsu::CATCH, games.concat().as_bytes());
        assert_eq!(again.as_ref(), Ok(&games));
        assert!(rewrite(&Dobutsu::CATCH, "1 B9ひよこ(B3)\n".as_bytes()).is_err());
    }

    /// The termination of the only game of a text.
    fn end(text: &str) -> Option<Termination> {
        let games = read(&Dobutsu::CATCH, text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"));
        let [(header, _)] = &games[..] else { panic!("one game in {text}") };
        header.termination.clone()
    }

    #[test]
    fn every_decided_game_keeps_its_result() {
        for moves in [0, 1, 2] {
            let mut state = GameState::new(Dobutsu::CATCH);
            (0..moves).for_each(|_| state.play(Dobutsu::CATCH.moves(state.position())[0]));
            for winner in [Some(Side::First), Some(Side::Second), None] {
                for by in ["resignation", "time", "illegal move", "both expect a win", "length"] {
                    let termination = Some(Termination { winner, by: by.to_owned() });
                    let text = write(&Header { termination, ..Header::default() }, &state);
                    assert_eq!(end(&text).map(|end| end.winner), Some(winner), "{text}");
                    // Written again it says the same.
                    let again = rewrite(&Dobutsu::CATCH, text.as_bytes()).expect("a game");
                    assert_eq!(again, [text]);
                }
            }
        }
    }

    #[test]
    fn end_words_and_summaries_say_the_result() {
        let [first, second] = [Some(Side::First), Some(Side::Second)];
        for (text, winner, by) in [
            ("   2 投了\nまで1手で先手の勝ち\n", first, "resignation"),
            ("   2 切れ負け\n", first, "time"),
            ("   2 反則負け\n", first, "illegal move"),
            ("   2 詰み\n", first, "mate"),
            ("   2 トライ\n", first, "try"),
            ("   2 千日手\n", None, "repetition"),
            ("   2 持将棋\n", None, "agreement"),
            ("まで1手で後手の勝ち\n", second, "resignation"),
            ("まで1手で先手の勝ち\n", first, "resignation"),
            ("まで1手で時間切れにより後手の勝ち\n", second, "time"),
            ("まで1手で先手の反則負け\n", second, "illegal move"),
            ("まで1手で千日手\n", None, "repetition"),
            ("   2 中断\nまで1手で持将棋\n", None, "agreement"),
        ] {
            let expected = Termination { winner, by: by.to_owned() };
            assert_eq!(end(&format!("   1 B2ひよこ(B3)\n{text}")), Some(expected), "{text}");
        }
        for text in ["   2 中断\nまで1手で中断\n", "まで1手\n", ""] {
            assert_eq!(end(&format!("   1 B2ひよこ(B3)\n{text}")), None, "{text}");
        }
        // The rules decide what the moves end.
        let start = "開始局面：1l1/3/1L1/3 b 2C2E2G 1\n";
        assert_eq!(end(&format!("{start}1 2c2b\n2 2a2b\n3 投了\n")), None);
    }

    #[test]
    fn files_in_shift_jis_are_read() {
        let text = "先手：甲\n後手：乙\n   1 B2ひよこ(B3)\n   2 投了\n";
        let read = |bytes: &[u8]| read(&Dobutsu::CATCH, bytes);
        let (bytes, ..) = SHIFT_JIS.encode(text);
        let named = |(header, state): &(Header, GameState<Dobutsu>)| (header.clone(), state.moves().to_vec());
        let games = |bytes: &[u8]| read(bytes).map(|games| games.iter().map(named).collect::<Vec<_>>());
        assert_eq!(games(&bytes), games(text.as_bytes()));
        assert_eq!(games(&bytes).map(|games| games[0].0.first.clone()).as_deref(), Ok("甲"));
        // Places are those of the text.
        let (bytes, ..) = SHIFT_JIS.encode("先手：甲\n  1 B2いぬ\n");
        let error = read(&bytes).expect_err("no move");
        assert_eq!((error.message.as_str(), error.at), ("line 2, character 5: `B2いぬ` is not a move", Some(9)));
        let error = read(b"\xff\xff\n").expect_err("of neither encoding");
        assert_eq!(error.message, "line 1, character 1: the text is neither in UTF-8 nor in Shift-JIS");
    }

    #[test]
    fn a_move_after_the_third_occurrence_is_refused_with_its_line() {
        let mut text = "*繰り返し\n".to_owned();
        for number in 0..9 {
            text.push_str(&format!("{} {}\n", number + 1, ["1d1c", "3a3b", "1c1d", "3b3a"][number % 4]));
        }
        let (message, found) = refused(&text);
        assert_eq!(message, "line 10, character 1: the game is a draw by repetition before this move");
        assert_eq!(found, "9 1d");
    }
}
