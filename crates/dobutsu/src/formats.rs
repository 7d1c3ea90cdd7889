//! Converts whole games between the catalog and [`record`].

use banmen_catalog::{Error, Header, Termination};
use banmen_game::GameState;

use crate::Dobutsu;
use crate::record::{self, Record};

pub(crate) fn write(header: &Header, state: &GameState<Dobutsu>) -> String {
    let mut record = Record::new(*state.origin(), state.moves().iter().copied());
    // Event, date and players in the usual order, one per line.
    let said = [("棋戦", &header.event), ("開始日時", &header.date), ("先手", &header.first), ("後手", &header.second)];
    let said = said.into_iter().filter(|(_, value)| !value.is_empty());
    record.headers = said.map(|(name, value)| (name.to_owned(), value.replace(['\n', '\r'], " "))).collect();
    // The end words of KIF refer to the side to move. Any other end is written as a remark.
    if let Some(Termination { winner, by }) = &header.termination {
        let lost = *winner == Some(state.side_to_move().other());
        let word = match by.as_str() {
            "time" if lost => "切れ負け",
            "illegal move" if lost => "反則負け",
            _ if lost => "投了",
            _ => "中断",
        };
        record.end = Some(word.to_owned());
        record.remarks.push(by.replace(['\n', '\r'], " "));
    }
    record.kif()
}

pub(crate) fn read(game: &Dobutsu, text: &[u8]) -> Result<Vec<(Header, GameState<Dobutsu>)>, Error> {
    let text = std::str::from_utf8(text)
        .map_err(|error| Error::record("the text is not in UTF-8", "encoding", error.valid_up_to()))?;
    // A file may hold several games. Each begins with its header.
    let mut games = Vec::new();
    let mut begin = 0;
    for part in parts(text) {
        let record = record::read(*game, part).map_err(|error| {
            let line = begin + error.line;
            Error::record(format!("line {line}: {error}"), "kif", error.at).arg("line", line)
        })?;
        begin += part.lines().count();
        let line = |name| record.header(name).unwrap_or_default().to_owned();
        let header = Header {
            first: line("先手"),
            second: line("後手"),
            event: line("棋戦"),
            date: line("開始日時"),
            ..Header::default()
        };
        let mut state = GameState::from(*game, record.start);
        for noted in &record.moves {
            if state.outcome().is_some() {
                return Err(Error::record("the game goes on after it is drawn by repetition", "after_end", 0));
            }
            state.play(noted.played);
        }
        let by = match record.end.as_deref() {
            Some("投了") => Some("resignation"),
            Some("切れ負け") => Some("time"),
            Some("反則負け") => Some("illegal move"),
            _ => None,
        };
        let winner = Some(state.side_to_move().other());
        let termination = by.map(|by| Termination { winner, by: by.to_owned() });
        games.push((Header { termination, ..header }, state));
    }
    Ok(games)
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
