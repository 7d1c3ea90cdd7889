//! The midgame search: nodes and time to fixed depths, and the depth reached in a given time.
//!
//! `cargo bench -p banmen-othello --bench midgame -- [POSITIONS [MILLISECONDS [DEPTH]]]`, by default 20 positions for each
//! number of empty squares, 100 ms and depth 12. The positions come from games of the article's program against itself after
//! 8 random moves, so that they do not depend on the engine.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads its arguments and prints")]

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, AnyTask, CpuClock};
use banmen_game::Rng;
use banmen_othello::entry;
use banmen_search::{Limits, Report, StopFlag};

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let count = numbers.next().unwrap_or(20);
    let time = Duration::from_millis(numbers.next().unwrap_or(100));
    let depth = numbers.next().unwrap_or(12) as u32;
    println!("| empty | nodes to depth {depth} | CPU-s | M nodes/CPU-s | depth in {time:?}: mean | least | median |");
    println!("|---|---|---|---|---|---|---|");
    for empties in [48, 42, 36, 30, 26, 22] {
        let mut rng = Rng::new(empties);
        let (mut nodes, mut seconds, mut depths) = (0, 0.0, Vec::new());
        for _ in 0..count {
            let state = position(&mut rng, 60 - empties as usize);
            let report = think(state.as_ref(), "engine:exact=0", Limits::depth(depth));
            nodes += report.nodes;
            seconds += report.time.as_secs_f64();
            depths.push(think(state.as_ref(), "engine:exact=0", Limits::time(time)).depth);
        }
        depths.sort_unstable();
        let mean = f64::from(depths.iter().sum::<u32>()) / depths.len() as f64;
        println!(
            "| {empties} | {nodes} | {seconds:.2} | {:.2} | {mean:.1} | {} | {} |",
            nodes as f64 / 1e6 / seconds,
            depths[0],
            depths[depths.len() / 2]
        );
    }
}

/// A position after so many moves.
fn position(rng: &mut Rng, plies: usize) -> Box<dyn AnyState> {
    loop {
        let mut state = entry().in_memory().state(None, None).expect("the start");
        for ply in 0..plies {
            if state.outcome().is_some() {
                break;
            }
            let m = if ply < 8 {
                let moves = state.legal();
                moves[rng.index(moves.len())]
            } else {
                think(state.as_ref(), "classic:depth=4", Limits::default()).best().expect("a move")
            };
            state.play(m).expect("a legal move");
        }
        if state.outcome().is_none() {
            return state;
        }
    }
}

fn think(state: &dyn AnyState, player: &str, limits: Limits) -> Report<u32> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut player = entry().in_memory().player(None, player, 1).expect("a player");
    let task = AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
    player.think(task).expect("the game goes on")
}
