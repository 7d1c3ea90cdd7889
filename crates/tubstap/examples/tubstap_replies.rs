//! Measures how well the engine sees the replies to its plans.
//!
//! `cargo run --release -p banmen-tubstap --example tubstap_replies -- PLAYER [MILLISECONDS]` lets a player plan the turn of
//! each position of `replies.txt`, in 300 ms of processor time if nothing else is said. The position after the plan is searched
//! by the engine with the other side to move, in 300 ms and without second beams, but at its root with the wide beam. It
//! prints the mean score that the player expects, the mean that is left after the plan, and how many plans lose more than
//! 0.15. The positions are from turns 0 to 11 of games between the engine and `m-uct-plus` on map01.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example prints")]

use std::error::Error;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, AnyTask, CpuClock};
use banmen_search::{Limits, Report, StopFlag};
use banmen_tubstap::entry;

const POSITIONS: &str = include_str!("replies.txt");

/// Searches the position after the plan.
const JUDGE: &str = "engine:widen=0,root=64/64/12";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (player, milliseconds) = match words[..] {
        [player] => (player, 300),
        [player, time] => (player, time.parse()?),
        _ => return Err("usage: `PLAYER [MILLISECONDS]`".into()),
    };
    let game = entry().in_memory();
    let (mut count, mut expected, mut left, mut lost) = (0, 0.0, 0.0, 0);
    for position in POSITIONS.lines() {
        let mut state = game.state(None, Some(position))?;
        let side = state.side_to_move();
        let report = think(&game, state.as_ref(), player, milliseconds)?;
        let line = report.lines.first().ok_or("a report without a line")?;
        for &m in &line.moves {
            if state.outcome().is_some() || state.side_to_move() != side {
                break;
            }
            state.play(m)?;
        }
        let after = match state.outcome() {
            Some(outcome) => outcome.score(side),
            None => {
                let report = think(&game, state.as_ref(), JUDGE, 300)?;
                1.0 - report.lines.first().ok_or("a report without a line")?.value
            }
        };
        count += 1;
        expected += line.value;
        left += after;
        lost += u32::from(line.value - after > 0.15);
    }
    let mean = |sum: f64| sum / f64::from(count);
    println!("{count} plans: expected {:.3}, left {:.3}, {lost} lose more than 0.15", mean(expected), mean(left));
    Ok(())
}

fn think(
    game: &dyn AnyGame,
    state: &dyn AnyState,
    player: &str,
    milliseconds: u64,
) -> Result<Report<u32>, Box<dyn Error>> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let limits = Limits::time(Duration::from_millis(milliseconds));
    let task = AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
    Ok(game.player(None, player, 1)?.think(task)?)
}
