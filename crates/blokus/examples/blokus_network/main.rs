//! Plays the games that the networks of the engine are fitted to, and fits them: the files `src/engine/net.bin`, which values
//! positions, and `src/engine/policy.bin`, which says how likely placements are.
//!
//! `cargo run --release -p banmen-blokus --example blokus_network -- games 1000 1 250 > games.txt` plays 1,000 games of the
//! engine against itself, with 250 playouts for a move. Up to four random placements begin a game, one move in 24 is
//! random, and for one in eight a move is drawn from the best four. Each game is a line: its number (from 1 on), the
//! first side's lead in points at the end, and each move as a number, with the score that the search expected for the first
//! side, or `-` where the move was random. `*` follows the score where the search preferred another move.
//!
//! `... -- fit-value net.bin games.txt` and `... -- fit-policy policy.bin games.txt` fit the networks to such files: see
//! `value.rs` and `policy.rs`. A tenth of the games is left out to print errors. The order of every sum is fixed and the
//! functions are `libm`'s, so every machine writes the same bytes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads and writes files and prints")]

use std::error::Error;
use std::fmt::Write;
use std::fs;

use banmen_blokus::entry;
use banmen_catalog::{AnyGame, AnyState, AnyTask, WallClock};
use banmen_game::{Rng, Side};
use banmen_search::{Limits, StopFlag};

mod adam;
mod games;
mod policy;
mod training;
mod value;

/// The player of the games.
const PLAYER: &str = "engine:early-stop=0,table=8";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["games", count, first, playouts] => {
            let (count, first): (u64, u64) = (count.parse()?, first.parse()?);
            (first..first + count).try_for_each(|number| play(number, playouts.parse()?))
        }
        ["fit-value", weights, ref files @ ..] if !files.is_empty() => Ok(fs::write(weights, value::fit(files)?)?),
        ["fit-policy", weights, ref files @ ..] if !files.is_empty() => Ok(fs::write(weights, policy::fit(files)?)?),
        _ => {
            Err("usage: `games COUNT FIRST PLAYOUTS`, `fit-value WEIGHTS FILE...` or `fit-policy WEIGHTS FILE...`"
                .into())
        }
    }
}

/// Plays a game and prints it.
fn play(number: u64, playouts: u64) -> Result<(), Box<dyn Error>> {
    let game = entry().in_memory();
    let mut rng = Rng::new(number);
    let mut state = game.state(None, None)?;
    let mut record = String::new();
    let any = |state: &dyn AnyState, rng: &mut Rng| {
        let legal = state.legal();
        legal[rng.index(legal.len())]
    };
    for _ in 0..rng.index(5) {
        let m = any(state.as_ref(), &mut rng);
        write!(record, " {m}:-")?;
        state.play(m)?;
    }
    let mut players = [game.player(None, PLAYER, 2 * number)?, game.player(None, PLAYER, 2 * number + 1)?];
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let limits = Limits { playouts: Some(playouts), ..Limits::default() };
    let outcome = loop {
        if let Some(outcome) = state.outcome() {
            break outcome;
        }
        let side = state.side_to_move();
        let m = if rng.index(24) == 0 {
            let m = any(state.as_ref(), &mut rng);
            write!(record, " {m}:-")?;
            m
        } else {
            let lines = if rng.index(8) == 0 { 4 } else { 1 };
            let state: &dyn AnyState = state.as_ref();
            let task = AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines, progress: None };
            let report = players[side.index()].think(task)?;
            let best = report.lines.first().ok_or("a report without a line")?;
            let m = *report.lines[rng.index(report.lines.len())].moves.first().ok_or("a line without a move")?;
            let mark = if best.moves.first() == Some(&m) { "" } else { "*" };
            write!(record, " {m}:{:.3}{mark}", if side == Side::First { best.value } else { 1.0 - best.value })?;
            m
        };
        state.play(m)?;
    };
    let lead = i64::from(outcome.margin.unwrap_or(0)) * if outcome.winner == Some(Side::Second) { -1 } else { 1 };
    println!("{number} {lead}{record}");
    Ok(())
}
