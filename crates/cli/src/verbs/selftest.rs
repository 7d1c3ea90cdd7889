//! `selftest`: checks that the program works on this machine.

use banmen_arena::{Contestant, Match, MatchSpec, Openings, Plan, Store};
use banmen_catalog::{AnyGame, Error, ErrorCode};
use banmen_game::{PassCost, Rng};
use banmen_search::{Limits, StopFlag};
use serde_json::json;

use super::{Ask, Done, reads_back};
use crate::args::Json;
use crate::output::{say, say_json};

/// One check of one game.
type Check = fn(&dyn AnyGame) -> Result<(), Error>;

const CHECKS: &[(&str, Check)] = &[
    ("positions and moves survive being written and read", text),
    ("perft counts the same twice, fast and by walking", count),
    ("every player finishes a game", players),
];

pub(crate) fn run(json: Json, ask: &Ask) -> Done {
    let mut failed = 0;
    for game in ask.service.catalog.games() {
        for (name, check) in CHECKS {
            let result = check(game.as_ref());
            failed += u8::from(result.is_err());
            let fault = result.err().map(|error| error.message);
            if json.json {
                say_json(&json!({ "game": game.info().name, "check": name, "ok": fault.is_none(), "fault": fault }));
            } else {
                let verdict = fault.map_or("ok".to_owned(), |fault| format!("FAILED: {fault}"));
                say(&format!("{}: {name}: {verdict}", game.info().name));
            }
        }
    }
    Ok(failed.min(1))
}

fn text(game: &dyn AnyGame) -> Result<(), Error> {
    let mut rng = Rng::new(1);
    let mut state = game.state(None, None)?;
    let remembers = game.info().remembers;
    while state.outcome().is_none() {
        for dialect in game.info().dialects {
            same(reads_back(game, None, state.as_ref(), dialect)?, "a position changed in its text")?;
        }
        let legal = state.legal();
        let m = legal[rng.index(legal.len())];
        let read = state.read(&state.write(m, ""))?;
        let mut other = state.copy();
        state.play(m)?;
        if read != m {
            other.play(read)?;
            same(remembers && other.key() == state.key(), "a move changed in its text")?;
        }
    }
    let texts = state.move_texts("");
    let mut again = game.state(None, None)?;
    again.play_texts(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    same(again.key() == state.key(), "a game changed in its texts")
}

fn count(game: &dyn AnyGame) -> Result<(), Error> {
    let state = game.state(None, None)?;
    // Deep enough for a check, and fast where a turn has very many moves.
    let depth = match state.legal_count() {
        0..100 => 3,
        100..1_000 => 2,
        _ => 1,
    };
    let mut by_walking = Some(0);
    for m in state.legal() {
        let mut next = state.copy();
        next.play(m)?;
        by_walking = by_walking.zip(next.perft(depth - 1, PassCost::Ply, &|| false)).map(|(sum, count)| sum + count);
    }
    same(state.perft(depth, PassCost::Ply, &|| false) == by_walking, "the counts differ")
}

fn players(game: &dyn AnyGame) -> Result<(), Error> {
    for player in game.players() {
        let limits = Limits { nodes: Some(2_000), depth: Some(3), playouts: Some(50), ..Limits::default() };
        let [a, b] = [player.name, "random"].map(|name| Contestant::new(name, limits));
        let matchup = Match::new(game, MatchSpec { openings: Openings::Random(1), ..MatchSpec::new(game, a, b) });
        let score = match matchup.play(&Store::memory()?, &Plan::games(2, 1), &StopFlag::default(), &mut |_| {}) {
            // A player that needs a table is skipped if the table has not been built.
            Err(missing) if missing.code == ErrorCode::TableMissing => continue,
            score => score?,
        };
        same(score.games() == 2, "a game was not finished")?;
    }
    Ok(())
}

fn same(holds: bool, fault: &str) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::new(ErrorCode::Selftest, fault)) }
}
