//! Judges players by the values of all moves of positions of the middle of the game.
//!
//! `cargo run --release -p banmen-othello --example othello_judge -- COMMAND`:
//!
//! * `list COUNT SEED` prints positions with the value of every move, in the OBF format. Each is of a game of its own: eight
//!   random moves, then the engine's search with [`DEPTH`] plies; no training saw these games. Positions that are decided, or
//!   in which there is no choice, are left out. The values are those of selective searches to the end of the game: for moves
//!   within [`NEAR`] discs of the best with cuts at 2 standard deviations (95 %), for the others at 1.1 (73 %).
//! * `judge FILE PLAYER MS` prints how often the player plays a best move, what its moves lose, and how far its value is from
//!   that of the best move, with MS milliseconds of processor time for each position.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads files and prints")]

use std::error::Error;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyTask, CpuClock, WallClock};
use banmen_game::{Game, Rng};
use banmen_othello::engine::{Midgame, Selectivity};
use banmen_othello::notation::parse_obf_line;
use banmen_othello::position::{Move, Position};
use banmen_othello::{Othello, entry};
use banmen_search::{Budget, Limits, StopFlag};
use banmen_stats::wilson;

/// The empty squares of the positions.
const EMPTIES: u32 = 30;
/// Random moves at the beginning of each game.
const RANDOM: u32 = 8;
/// Plies of the searches that play on.
const DEPTH: u32 = 8;
/// A position is decided when its value is beyond this many discs.
const DECIDED: i32 = 20;
/// Moves whose value at 73 % is this far below the best, in discs, keep it.
const NEAR: i32 = 8;
/// Bytes of the tables of the searches.
const TABLE: usize = 1 << 26;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["list", count, seed] => list(count.parse()?, seed.parse()?),
        ["judge", file, player, time] => {
            judge(&std::fs::read_to_string(file)?, player, Limits::time(Duration::from_millis(time.parse()?)))
        }
        _ => Err("list COUNT SEED, or judge FILE PLAYER MS".into()),
    }
}

fn list(count: usize, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut rng = Rng::new(seed);
    let mut midgame = Midgame::new(TABLE);
    let mut listed = 0;
    while listed < count {
        let Some(position) = position(&mut rng, &mut midgame) else { continue };
        midgame.clear();
        let after = |m| {
            let mut next = position;
            next.play(m);
            next
        };
        let mut values: Vec<(Move, i32)> =
            moves_of(&position).map(|m| (m, -to_the_end(&mut midgame, &after(m), Selectivity::P73))).collect();
        let best = values.iter().map(|&(_, value)| value).max().unwrap_or(0);
        if best.abs() > DECIDED {
            continue;
        }
        for (m, value) in values.iter_mut().filter(|(_, value)| *value >= best - NEAR) {
            *value = -to_the_end(&mut midgame, &after(*m), Selectivity::P95);
        }
        values.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        if values.len() < 2 {
            continue;
        }
        let moves: Vec<String> = values.iter().map(|(m, value)| format!("{m}:{value:+}")).collect();
        println!("{position}; {};", moves.join("; "));
        listed += 1;
    }
    Ok(())
}

/// The squares of the legal moves.
fn moves_of(position: &Position) -> impl Iterator<Item = Move> {
    let legal = position.legal();
    (0..64).filter(move |square| legal >> square & 1 != 0).filter_map(Move::at)
}

/// A position of a game; `None` where the game ends before, or a side must pass.
fn position(rng: &mut Rng, midgame: &mut Midgame) -> Option<Position> {
    let mut position = Position::START;
    midgame.clear();
    while position.empties().count_ones() > EMPTIES {
        let legal = position.legal();
        if legal == 0 {
            return None;
        }
        let square = if 60 - position.empties().count_ones() < RANDOM {
            (0..rng.below(legal.count_ones().into())).fold(legal, |left, _| left & (left - 1)).trailing_zeros()
        } else {
            (1..=DEPTH).filter_map(|depth| value(midgame, &position, depth, Selectivity::P87).1).last()?
        };
        position.play(Move::at(square)?);
    }
    (position.legal() != 0).then_some(position)
}

/// The value of a search in hundredths of a disc, and its move.
fn value(midgame: &mut Midgame, position: &Position, depth: u32, selectivity: Selectivity) -> (i32, Option<u32>) {
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    midgame.value(position.own(), position.opp(), depth, selectivity, &mut budget).unwrap_or_default()
}

/// The final score by a selective search.
fn to_the_end(midgame: &mut Midgame, position: &Position, selectivity: Selectivity) -> i32 {
    let empties = position.empties().count_ones();
    // Shallower searches order the moves, unless they were made before.
    if selectivity == Selectivity::P73 {
        for depth in 1..empties.saturating_sub(6) {
            value(midgame, position, depth, Selectivity::P73);
        }
    }
    value(midgame, position, empties, selectivity).0 / 100
}

fn judge(file: &str, player: &str, limits: Limits) -> Result<(), Box<dyn Error>> {
    let game = entry().in_memory();
    let mut player = game.player(None, player, 1)?;
    let (mut positions, mut best_moves, mut lost, mut errors, mut bias, mut depths) = (0, 0, 0.0, 0.0, 0.0, 0);
    for line in file.lines() {
        let Some(problem) = parse_obf_line(line)? else { continue };
        let state = game.state(None, Some(&problem.position.to_string()))?;
        player.new_game(state.as_ref(), 1)?;
        let (clock, stop) = (CpuClock::default(), StopFlag::default());
        let task =
            AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let report = player.think(task)?;
        let first = report.lines.first().ok_or("no line")?;
        let played = report.best().and_then(|m| Othello.unpack(m)).ok_or("no move")?;
        let best = problem.scores.iter().map(|&(_, score)| score).max().ok_or("a position without moves")?;
        let score = problem.scores.iter().find(|(m, _)| *m == played).ok_or("a move without a value")?.1;
        let error = first.eval.as_ref().ok_or("no value")?.n - f64::from(best);
        positions += 1;
        best_moves += u64::from(score == best);
        lost += f64::from(best - score);
        errors += error.abs();
        bias += error;
        depths += u64::from(report.depth);
    }
    let interval = wilson(best_moves, positions, 0.95).ok_or("no positions")?;
    let mean = |sum: f64| sum / positions as f64;
    println!(
        "a best move in {best_moves} of {positions}: {:.1} %, 95 % interval {:.1} to {:.1}",
        100.0 * mean(best_moves as f64),
        100.0 * interval.low,
        100.0 * interval.high
    );
    println!(
        "discs lost a move {:.2}, mean error of the value {:.2}, mean of value less truth {:+.2}, depth {:.1}",
        mean(lost),
        mean(errors),
        mean(bias),
        mean(depths as f64)
    );
    Ok(())
}
