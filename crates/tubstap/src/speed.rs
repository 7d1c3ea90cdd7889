//! The speed of actions and playouts, which the benchmark shows beside the searches.

use std::hint::black_box;

use banmen_catalog::{Measure, MeasureInfo, Observation, Options, Quantity, Sampling};
use banmen_game::{Game, Rng};

use crate::game::Tubstap;
use crate::maps;
use crate::moves::Move;
use crate::playout::AttackLeaning;
use crate::position::Position;

/// Actions applied, moves listed, and playouts.
pub(crate) const SPEED: Measure<Tubstap> = Measure {
    info: MeasureInfo {
        name: "speed",
        summary: "actions of random games played and checked, positions of these games whose moves are listed, and \
                  attack-leaning playouts, a CPU-second",
        keys: &[],
        quantities: &[
            Quantity::mean("actions on map01", "actions/s"),
            Quantity::mean("all moves on map01", "positions/s"),
            Quantity::mean("playouts on map01", "playouts/s"),
            Quantity::mean("playouts on map02", "playouts/s"),
            Quantity::mean("playouts on map03", "playouts/s"),
            Quantity::mean("playouts on map04", "playouts/s"),
            Quantity::mean("playouts on map05", "playouts/s"),
        ],
        axis: None,
    },
    sample,
};

/// Readings, of which the fastest counts: other work on the machine can only make one slower.
const READINGS: u32 = 10;

/// Playouts and games of one reading: some 10 ms.
const PLAYOUTS: u32 = 1_000;
const GAMES: u64 = 1_000;

fn sample(_: &Tubstap, _: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let playouts = AttackLeaning::default();
    let game = maps::standard();
    let start = game.start();
    let games: Vec<Vec<Move>> = (0..GAMES)
        .map(|seed| {
            let mut moves = Vec::new();
            playouts.run(&game, &mut start.clone(), u32::MAX, &mut Rng::new(seed), |_, m| moves.push(m));
            moves
        })
        .collect();
    let count: usize = games.iter().map(Vec::len).sum();
    let actions = seconds(sampling, || {
        for moves in &games {
            let mut position = start;
            moves.iter().for_each(|&m| game.play(&mut position, m));
            black_box(position);
        }
    })?;
    let positions: Vec<Position> = games
        .iter()
        .take(100)
        .flat_map(|moves| {
            moves.iter().scan(start, |position, &m| {
                let before = *position;
                game.play(position, m);
                Some(before)
            })
        })
        .collect();
    let listed = seconds(sampling, || {
        positions.iter().for_each(|position| {
            let _ = game.visit_moves(position, |m| {
                black_box(m);
                std::ops::ControlFlow::<()>::Continue(())
            });
        });
    })?;
    let mut seen =
        vec![Observation::number(0, count as f64 / actions), Observation::number(1, positions.len() as f64 / listed)];
    for (quantity, name) in (2..).zip(["map01", "map02", "map03", "map04", "map05"]) {
        let Some(game) = maps::named(name) else { continue };
        let mut rng = Rng::new(sampling.seed);
        let spent = seconds(sampling, || {
            for _ in 0..PLAYOUTS {
                black_box(playouts.run(&game, &mut game.start(), u32::MAX, &mut rng, |_, _| ()));
            }
        })?;
        seen.push(Observation::number(quantity, f64::from(PLAYOUTS) / spent));
    }
    Some(seen)
}

/// The least seconds that one call of `run` takes.
fn seconds(sampling: &Sampling<'_>, mut run: impl FnMut()) -> Option<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..READINGS {
        if sampling.stop.stopped() {
            return None;
        }
        let begun = sampling.clock.now();
        run();
        least = least.min((sampling.clock.now() - begun).as_secs_f64());
    }
    Some(least)
}
