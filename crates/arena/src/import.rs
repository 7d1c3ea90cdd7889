//! Imports games from other programs into the store.

use std::collections::BTreeMap;

use banmen_catalog::{AnyGame, AnyRecord, AnyState, Error, ErrorCode};
use banmen_game::{Side, digest};
use serde::Serialize;

use crate::{GameRecord, GameSource, Store, Usage};

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// The matches of the games, one for each first player with each second player.
    pub matches: Vec<i64>,
    /// Games in the text.
    pub games: usize,
    /// The numbers, from 1, of the games without a result, which are not imported.
    pub unfinished: Vec<usize>,
}

/// The side that makes move `ply` of a game, counted from 0.
fn side_at(game: &dyn AnyGame, rules: &str, state: &dyn AnyState, ply: usize) -> Option<Side> {
    let mut replay = game.state(Some(rules), Some(&state.origin(""))).ok()?;
    let moves = state.moves();
    moves.iter().take(ply).try_for_each(|&m| replay.play(m)).ok()?;
    Some(replay.side_to_move())
}

/// Imports the games of a text: those with the same first player and the same second player are one match. Importing a
/// text again adds nothing.
///
/// # Errors
/// `unknown_format`, `unknown_rules`, or `bad_record` with the place, also for a text without a game that has a result; an
/// error of the store.
pub fn import(
    store: &Store,
    game: &dyn AnyGame,
    format: &str,
    rules: Option<&str>,
    text: &[u8],
) -> Result<Imported, Error> {
    let name = game.info().name;
    let formats = game.record_formats().ok_or_else(|| {
        Error::new(ErrorCode::UnknownFormat, format!("there is no format of whole games of {name}")).arg("name", format)
    })?;
    // The mark that some editors put before a text.
    let records = formats.read(format, rules, text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text))?;
    if records.is_empty() {
        return Err(Error::record(text, 0, "no_games", "there is no game in this text"));
    }
    let rules = rules.or_else(|| game.info().rules.first().copied()).unwrap_or_default();
    let mut imported = Imported { matches: Vec::new(), games: records.len(), unfinished: Vec::new() };
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    let (source, usual) = (digest(text), game.state(Some(rules), None)?.position(""));
    for (number, AnyRecord { header, state }) in (1..).zip(&records) {
        let stated = header.termination.as_ref().map(|end| (end.winner, None, end.by.clone()));
        let by_rules = state.outcome().map(|outcome| {
            (outcome.winner, outcome.margin.map(|_| outcome.signed_margin(Side::First)), outcome.by.to_owned())
        });
        let Some((winner, margin, by)) = stated.or(by_rules) else {
            imported.unfinished.push(number);
            continue;
        };
        let named = |name: &str| if name.is_empty() { "unknown".to_owned() } else { name.to_owned() };
        let players = [named(&header.first), named(&header.second)];
        let id = store.enter_import(game.info().name, rules, &players, source)?;
        let count = counts.entry(id).or_default();
        let lost_turns = header.lost_turns.clone();
        let fault = lost_turns.first().and_then(|lost| side_at(game, rules, state.as_ref(), lost.ply));
        let start = state.origin("");
        store.save_game(
            id,
            &GameRecord {
                pair: *count,
                game: 0,
                seed: 0,
                position: (start != usual).then_some(start),
                moves: state.move_texts(""),
                opening: 0,
                score: winner.map_or(0.5, |winner| if winner == Side::First { 1.0 } else { 0.0 }),
                margin,
                by,
                fault: fault.map(Side::index),
                lost_turns,
                complaint: None,
                times: Vec::new(),
                spent: [Usage::default(); 2],
                source: Some(GameSource { event: header.event.clone(), date: header.date.clone() }),
            },
            None,
        )?;
        *count += 1;
    }
    if imported.unfinished.len() == records.len() {
        return Err(Error::record(text, 0, "no_result", "no game in this text has a result"));
    }
    imported.matches = counts.into_keys().collect();
    Ok(imported)
}
