//! How fast endings are solved: `cargo run --release -p banmen-blokus --example blokus_endings -- GAMES PLACEMENTS [PLAYOUTS]`.
//!
//! The engine plays against itself, without its own exact ending and after two random plies. Every position of these games
//! with at most so many placements still to come is solved from scratch. Prints for each number of placements how many
//! positions there were, and nodes and processor time of the median, the 95th of a hundred and the slowest. With `PLAYOUTS`
//! the engine also chooses a move in each of them by so many playouts, without its exact ending: printed is how often
//! this move brings a worse result than the best, a draw instead of a win for instance. A proof that takes more than ten
//! seconds is given up and counted.

#![allow(clippy::disallowed_methods, reason = "an example reads its arguments")]

use std::io::Write;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Catalog, CpuClock, Data, Error, ErrorCode, SolveTask};
use banmen_game::Rng;
use banmen_search::{Clock, Limits, StopFlag};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1).map(|text| text.parse().unwrap_or(0));
    let (games, most) = (args.next().unwrap_or(40), args.next().unwrap_or(7));
    let playouts = args.next();
    let catalog = Catalog::new(Data::default()).with(banmen_blokus::entry());
    let game = catalog.game("blokus")?.as_ref();
    let mut solved: Vec<(usize, f64, u64)> = Vec::new();
    // By placements to go: proofs given up, and moves of the tree search that were judged, and those that were worse.
    let mut failed = vec![0; most as usize + 1];
    let mut judged = vec![(0, 0); most as usize + 1];
    for seed in 0..games {
        for (left, position) in play(game, seed)?.into_iter().filter(|(left, _)| *left <= most as usize) {
            let (seconds, nodes, score) = solve(game, &position)?;
            let Some(score) = score else {
                failed[left] += 1;
                continue;
            };
            solved.push((left, seconds, nodes));
            if let Some(playouts) = playouts {
                let mut state = game.state(None, Some(&position))?;
                let mut player = game.player(None, &format!("engine:playouts={playouts},exact=0"), seed)?;
                let side = state.side_to_move();
                state.play(choose(player.as_mut(), state.as_ref())?)?;
                let after = match state.outcome() {
                    Some(outcome) => Some(outcome.signed_margin(side)),
                    None => solve(game, &state.position(""))?.2.map(|after| -after),
                };
                if let Some(after) = after {
                    judged[left].0 += 1;
                    judged[left].1 += usize::from(after.signum() < score.signum());
                }
            }
        }
    }
    let mut out = std::io::stdout();
    for left in 1..=most as usize {
        let _ = write!(out, "{left} to go: {}", summary(solved.iter().filter(|(of, ..)| *of == left)));
        if failed[left] > 0 {
            let _ = write!(out, ", {} not solved", failed[left]);
        }
        if playouts.is_some() {
            let (moves, worse) = judged[left];
            let _ = write!(out, "; {worse} of {moves} moves of the tree search bring a worse result");
        }
        let _ = writeln!(out);
    }
    let _ = writeln!(out, "all: {}", summary(solved.iter()));
    Ok(())
}

/// The positions of a game in which the side to move placed a piece, with the number of placements from there to the end.
fn play(game: &dyn AnyGame, seed: u64) -> Result<Vec<(usize, String)>, Error> {
    let mut player = game.player(None, "engine:playouts=400,exact=0", seed)?;
    let (mut state, mut rng) = (game.state(None, None)?, Rng::new(seed));
    for _ in 0..2 {
        let legal = state.legal();
        state.play(legal[rng.index(legal.len())])?;
    }
    let mut positions = Vec::new();
    while state.outcome().is_none() {
        if state.pass().is_none() {
            positions.push(state.position(""));
        }
        let m = choose(player.as_mut(), state.as_ref())?;
        state.play(m)?;
    }
    let count = positions.len();
    Ok(positions.into_iter().enumerate().map(|(index, position)| (count - index, position)).collect())
}

/// The player's move.
fn choose(player: &mut dyn AnyPlayer, state: &dyn AnyState) -> Result<u32, Error> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let limits = Limits::default();
    let task = AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
    player.think(task)?.best().ok_or_else(|| Error::new(ErrorCode::Internal, "no move"))
}

/// The processor time and the nodes of a proof, and the score if it was found.
fn solve(game: &dyn AnyGame, position: &str) -> Result<(f64, u64, Option<i32>), Error> {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let state = game.state(None, Some(position))?;
    let Some(solver) = game.solver() else { return Ok((0.0, 0, None)) };
    let begun = clock.now();
    let task = SolveTask {
        limits: Limits::time(Duration::from_secs(10)),
        clock: &clock,
        stop: &stop,
        threads: 1,
        table: SolveTask::TABLE,
    };
    let solution = solver.solve(state.as_ref(), false, &task, &mut |_| {})?;
    Ok(((clock.now() - begun).as_secs_f64(), solution.nodes, solution.score))
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
