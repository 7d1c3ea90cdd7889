//! How fast endings are solved: `cargo run --release -p banmen-blokus --example blokus_endings -- GAMES PLACEMENTS`.
//!
//! The engine plays against itself, without its own exact ending and after two random plies. Every position of these games
//! with at most so many placements still to come is solved from scratch. Prints for each number of placements how many
//! positions there were, and nodes and processor time of the median, the 95th of a hundred and the slowest.

#![allow(clippy::disallowed_methods, reason = "an example reads its arguments")]

use std::io::Write;

use banmen_catalog::{AnyGame, AnyTask, Catalog, CpuClock, Data, Error, SolveTask};
use banmen_game::Rng;
use banmen_search::{Clock, Limits, StopFlag};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1).map(|text| text.parse().unwrap_or(0));
    let (games, most) = (args.next().unwrap_or(40), args.next().unwrap_or(7));
    let catalog = Catalog::new(Data::default()).with(banmen_blokus::entry());
    let game = catalog.game("blokus")?.as_ref();
    let mut solved: Vec<(usize, f64, u64)> = Vec::new();
    for seed in 0..games {
        for (left, position) in play(game, seed)?.into_iter().filter(|(left, _)| *left <= most as usize) {
            let (seconds, nodes) = solve(game, &position)?;
            solved.push((left, seconds, nodes));
        }
    }
    let mut out = std::io::stdout();
    for left in 1..=most as usize {
        let _ = writeln!(out, "{left} to go: {}", summary(solved.iter().filter(|(of, ..)| *of == left)));
    }
    let _ = writeln!(out, "all: {}", summary(solved.iter()));
    Ok(())
}

/// The positions of a game in which the side to move placed a piece, with the number of placements from there to the end.
fn play(game: &dyn AnyGame, seed: u64) -> Result<Vec<(usize, String)>, Error> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut player = game.player(None, "engine:playouts=400,exact=0", seed)?;
    let (mut state, mut rng) = (game.state(None, None)?, Rng::new(seed));
    for _ in 0..2 {
        let legal = state.legal();
        state.play(legal[rng.index(legal.len())])?;
    }
    let mut positions = Vec::new();
    while state.outcome().is_none() {
        let passes = state.pass().is_some();
        let (state_now, limits) = (state.as_ref(), Limits::default());
        let task =
            AnyTask { state: state_now, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let Some(m) = player.think(task)?.best() else { break };
        if !passes {
            positions.push(state.position(""));
        }
        state.play(m)?;
    }
    let count = positions.len();
    Ok(positions.into_iter().enumerate().map(|(index, position)| (count - index, position)).collect())
}

/// The processor time and the nodes of a proof.
fn solve(game: &dyn AnyGame, position: &str) -> Result<(f64, u64), Error> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let state = game.state(None, Some(position))?;
    let Some(solver) = game.solver() else { return Ok((0.0, 0)) };
    let begun = clock.now();
    let task = SolveTask { limits: Limits::default(), clock: &clock, stop: &stop, threads: 1 };
    let solution = solver.solve(state.as_ref(), false, &task, &mut |_| {})?;
    Ok(((clock.now() - begun).as_secs_f64(), solution.nodes))
}

fn summary<'a>(solved: impl Iterator<Item = &'a (usize, f64, u64)>) -> String {
    let (mut seconds, mut nodes): (Vec<f64>, Vec<u64>) = solved.map(|&(_, seconds, nodes)| (seconds, nodes)).unzip();
    let count = seconds.len();
    if count == 0 {
        return "no positions".to_owned();
    }
    seconds.sort_by(f64::total_cmp);
    nodes.sort_unstable();
    let places = [count / 2, (95 * count).div_ceil(100) - 1, count - 1];
    let [ms, counts] =
        [places.map(|at| format!("{:.1} ms", 1e3 * seconds[at])), places.map(|at| nodes[at].to_string())];
    format!("{count} positions, {}, nodes {}", ms.join(", "), counts.join(", "))
}
