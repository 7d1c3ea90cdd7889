//! Fits the errors of ProbCut and prints their tables, `src/engine/errors.rs`.
//!
//! Positions of games with random moves are searched without cuts to every depth, and endings exactly. For each stage of
//! the game and each pair of depths, the deep value is regressed on the shallow one: slope, mean error and standard
//! deviation (from the mean absolute residual, which few wild positions do not dominate). Rows for depths that take too long
//! to measure repeat the deepest measured ones of the same parity: by a search of half the depth, the deviation hardly
//! depends on the depth.
//!
//! The tables depend on the evaluation, so they are fitted again after each change of its weights:
//! `cargo run --release -p banmen-othello --example othello_probcut > errors` takes some ten minutes of one core. Progress
//! is written to standard error. The result depends only on the weights in the build.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use banmen_catalog::WallClock;
use banmen_game::Rng;
use banmen_othello::engine::{Evaluation, Midgame, Selectivity, Solver, stage};
use banmen_othello::moves;
use banmen_search::{Budget, Limits, StopFlag};

/// Positions for each stage of the midgame, and for each number of empty squares of endings.
const POSITIONS: usize = 200;
/// The deepest search without cuts.
const DEEPEST: usize = 10;
/// The endings that are solved: 12, 14, … empty squares.
const ENDINGS: std::ops::RangeInclusive<usize> = 12..=20;
/// The deepest search of an ending whose errors are measured.
const ENDING_DEPTH: usize = 8;
/// Depths and numbers of empty squares in the tables; greater ones use the last rows.
const MIDGAME_DEPTHS: std::ops::RangeInclusive<usize> = 3..=20;
const ENDGAME_DEPTHS: std::ops::RangeInclusive<usize> = 11..=24;
/// Positions with a value beyond this many hundredths of a disc are left out: they are decided, and their errors say little
/// about others.
const DECIDED: i32 = 4000;
const SEED: u64 = 1;

/// The depth of the shallow search that predicts one of depth `deep`: about half, of the same parity, so that the odd–even
/// effect of the evaluation cancels out.
fn shallow(deep: usize) -> usize {
    2 * (deep / 4) + deep % 2
}

/// The depth of the search that predicts the score with this many empty squares.
fn shallow_ending(empties: usize) -> usize {
    ((empties / 3) & !1).clamp(2, ENDING_DEPTH)
}

/// Values of one position from the mover's view, by depth from 0 on.
type Values = Vec<i32>;

fn main() {
    let mut rng = Rng::new(SEED);
    let mut midgame = Midgame::new(1 << 24);
    let stages = stage(60) + 1;
    let mut samples: Vec<Vec<Values>> = vec![Vec::new(); stages];
    for (index, samples) in samples.iter_mut().enumerate() {
        while samples.len() < POSITIONS {
            let empties = 10 + 6 * index + rng.index(6);
            if empties <= 56 && empties > 10 {
                let (own, opp) = position(&mut rng, &mut midgame, empties as u32);
                samples.push(values(&mut midgame, own, opp, DEEPEST.min(empties - 1)));
            }
        }
        eprintln!("stage {index}: {} positions", samples.len());
    }
    let mut solver = Solver::new(1 << 26);
    let mut endings: Vec<(usize, Vec<Values>)> = Vec::new();
    for empties in ENDINGS.step_by(2) {
        let samples = (0..POSITIONS).map(|_| {
            let (own, opp) = position(&mut rng, &mut midgame, empties as u32);
            let mut values = values(&mut midgame, own, opp, ENDING_DEPTH);
            let (clock, stop) = (WallClock::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let solution = solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {});
            values.push(100 * solution.score().expect("no limit"));
            values
        });
        endings.push((empties, samples.collect()));
        eprintln!("{empties} empty squares: {POSITIONS} positions");
    }
    print(&samples, &endings);
}

/// A position with this many empty squares where the mover has a choice: the first moves are random, the others the best
/// ones of a shallow search, with some random ones between them.
fn position(rng: &mut Rng, midgame: &mut Midgame, empties: u32) -> (u64, u64) {
    'game: loop {
        let (mut own, mut opp) = (0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000u64);
        let random = 4 + rng.below(16) as u32;
        loop {
            let legal = moves::legal(own, opp);
            let left = (!(own | opp)).count_ones();
            if legal == 0 {
                if moves::legal(opp, own) == 0 {
                    continue 'game;
                }
                (own, opp) = (opp, own);
                continue;
            }
            if left == empties && legal.count_ones() > 1 {
                return (own, opp);
            }
            if left <= empties {
                continue 'game;
            }
            let square = if 60 - left < random || rng.below(12) == 0 {
                (0..rng.below(legal.count_ones().into())).fold(legal, |left, _| left & (left - 1)).trailing_zeros()
            } else {
                let squares = (0..64).filter(|square| legal >> square & 1 != 0);
                let value = |square: &u32| {
                    let (own, opp) = moves::after(own, opp, *square);
                    search(midgame, own, opp, 2)
                };
                squares.min_by_key(value).expect("a legal move")
            };
            (own, opp) = moves::after(own, opp, square);
        }
    }
}

/// The value by a search without cuts.
fn search(midgame: &mut Midgame, own: u64, opp: u64, depth: usize) -> i32 {
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    midgame.value(own, opp, depth as u32, Selectivity::FULL, &mut budget).expect("no limit").0
}

/// The values of a position by depth, 0 to `depth`.
fn values(midgame: &mut Midgame, own: u64, opp: u64, depth: usize) -> Values {
    midgame.clear();
    let evaluated = Evaluation::own().value(own, opp);
    std::iter::once(evaluated).chain((1..=depth).map(|depth| search(midgame, own, opp, depth))).collect()
}

/// A regression of deep values on shallow ones: slope, mean and standard deviation in hundredths of a disc.
#[derive(Clone, Copy)]
struct Fit {
    slope: f64,
    mean: f64,
    sigma: f64,
}

fn regress(pairs: impl Iterator<Item = (i32, i32)>) -> Fit {
    let pairs: Vec<(f64, f64)> = pairs
        .filter(|(shallow, deep)| shallow.abs().max(deep.abs()) <= DECIDED)
        .map(|(shallow, deep)| (shallow.into(), deep.into()))
        .collect();
    let n = pairs.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let slope = mean(&|pair| (pair.0 - x) * (pair.1 - y)) / mean(&|pair| (pair.0 - x) * (pair.0 - x));
    let residue = mean(&|pair| (pair.1 - y - slope * (pair.0 - x)).abs());
    Fit { slope, mean: y - slope * x, sigma: residue * (std::f64::consts::PI / 2.0).sqrt() }
}

/// Slope, mean error and standard deviation as in the tables.
fn prediction(fit: Fit) -> [i16; 3] {
    [1000.0 * fit.slope, fit.mean, fit.sigma].map(|number| number.round() as i16)
}

fn print(samples: &[Vec<Values>], endings: &[(usize, Vec<Values>)]) {
    println!(
        "//! The errors of shallow searches as predictions of deep ones, printed by the example `othello_probcut`."
    );
    println!("//!");
    println!(
        "//! Each row has a slope in thousandths, a mean and a standard deviation in hundredths of a disc for each stage."
    );
    println!();
    println!("use super::probcut::Pair;");
    println!();
    println!("/// Stages of the midgame, see [`stage`](super::probcut::stage).");
    println!("pub(super) const STAGES: usize = {};", samples.len());
    println!();
    let first = MIDGAME_DEPTHS.start();
    println!("/// For each depth from {first} on: the evaluation, then a search, as a prediction of it.");
    println!("#[rustfmt::skip]");
    println!("pub(super) static MIDGAME: &[Pair] = &[");
    for deep in MIDGAME_DEPTHS {
        for shallow in [0, shallow(deep)] {
            row(deep, shallow, samples.iter().map(|samples| prediction(midgame_fit(samples, deep, shallow))));
        }
    }
    println!("];");
    println!();
    let first = ENDGAME_DEPTHS.start();
    println!("/// The same for searches to the end of the game, by the number of empty squares from {first} on.");
    println!("#[rustfmt::skip]");
    println!("pub(super) static ENDGAME: &[Pair] = &[");
    for empties in ENDGAME_DEPTHS {
        for shallow in [0, shallow_ending(empties)] {
            // Neighbouring numbers of empty squares together: they differ little.
            let middle = empties.clamp(ENDINGS.start() + 2, ENDINGS.end() - 2);
            let near = endings.iter().filter(|(empties, _)| empties.abs_diff(middle) <= 3);
            let pairs = near.flat_map(|(_, samples)| samples).map(|values| (values[shallow], values[ENDING_DEPTH + 1]));
            row(empties, shallow, std::iter::once(prediction(regress(pairs))));
        }
    }
    println!("];");
}

/// The regression of a pair of depths, or of the deepest measured pair of the same parity instead.
fn midgame_fit(samples: &[Values], deep: usize, shallow: usize) -> Fit {
    let measured = |deep: usize| samples.iter().filter(|values| values.len() > deep).count() >= POSITIONS / 3;
    let nearest = (0..=deep).rev().step_by(2).find(|&deep| measured(deep)).expect("depth 4 is measured");
    let shallow = if nearest == deep || shallow == 0 { shallow } else { self::shallow(nearest) };
    let pairs = samples.iter().filter_map(|values| Some((*values.get(shallow)?, *values.get(nearest)?)));
    regress(pairs)
}

fn row(deep: usize, shallow: usize, stages: impl Iterator<Item = [i16; 3]>) {
    let stages: Vec<[i16; 3]> = stages.collect();
    println!("    Pair {{ deep: {deep}, shallow: {shallow}, stages: &{stages:?} }},");
}
