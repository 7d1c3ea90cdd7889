//! The speed of move generation and playouts, which the benchmark shows beside the searches.

use std::hint::black_box;

use banmen_catalog::{Measure, MeasureInfo, Observation, Options, Quantity, Sampling};
use banmen_game::{FastPlayout, Game, Rng};

use crate::game::Blokus;
use crate::moves::MoveSet;
use crate::position::Position;

/// Playouts from the start and from the middle game, and the placements of a position.
pub(crate) const SPEED: Measure<Blokus> = Measure {
    info: MeasureInfo {
        name: "playouts",
        summary: "uniform playouts a CPU-second, and the time to find all placements, in 32 positions of random games",
        keys: &[],
        quantities: &[
            Quantity::mean("from the start", "playouts/s"),
            Quantity::mean("from ply 12", "playouts/s"),
            Quantity::mean("all placements at the start", "ns"),
            Quantity::mean("all placements at ply 12", "ns"),
        ],
        axis: None,
    },
    sample,
};

/// Positions at each ply.
const POSITIONS: u64 = 32;

/// Readings, of which the fastest counts: other work on the machine can only make one slower.
const READINGS: u32 = 10;

/// Playouts from each position, and fillings of a move set, in one reading: some 30 ms.
const PLAYOUTS: u32 = 100;
const FILLS: u32 = 2_000;

fn sample(game: &Blokus, _: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut moves = MoveSet::default();
    let mut rng = Rng::new(sampling.seed);
    let mut seen = Vec::new();
    for (quantity, plies) in [(0, 0), (1, 12)] {
        let positions: Vec<Position> = (0..POSITIONS).map(|seed| position(game, seed, plies)).collect();
        let playouts = seconds(sampling, &positions, PLAYOUTS, |position| {
            game.playout(&mut { *position }, &mut (), u32::MAX, &mut rng, &mut moves, |_, _| ());
        })?;
        let fills = seconds(sampling, &positions, FILLS, |position| {
            black_box(moves.fill(&game.reach(black_box(position), position.side())));
        })?;
        seen.extend([Observation::number(quantity, 1.0 / playouts), Observation::number(quantity + 2, 1e9 * fills)]);
    }
    Some(seen)
}

/// Seconds of one call of `run`, which is called so often with each position.
fn seconds(sampling: &Sampling<'_>, positions: &[Position], times: u32, mut run: impl FnMut(&Position)) -> Option<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..READINGS {
        if sampling.stop.stopped() {
            return None;
        }
        let begun = sampling.clock.now();
        (0..times).for_each(|_| positions.iter().for_each(&mut run));
        least = least.min((sampling.clock.now() - begun).as_secs_f64());
    }
    Some(least / f64::from(times) / positions.len() as f64)
}

/// The position of a random game after so many plies.
fn position(game: &Blokus, seed: u64, plies: usize) -> Position {
    let mut rng = Rng::new(seed);
    let mut position = game.start();
    for _ in 0..plies {
        let moves = game.moves(&position);
        if moves.is_empty() {
            break;
        }
        game.play(&mut position, moves[rng.index(moves.len())]);
    }
    position
}
