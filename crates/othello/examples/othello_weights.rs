//! Fits the weights of the evaluation and prints their table, `src/engine/weights.rs`.
//!
//! The engine plays itself from random openings, a few plies deep, and perfectly at the end; the target of each
//! position after the random part is the game's final score. The weights are the least-squares solution over all
//! positions, with less weight for one-sided games. Better weights give better games: the table is the result of a few
//! runs, each from the weights of the run before, the first from mobility and corners alone.
//!
//! `cargo run --release -p banmen-othello --example othello_weights > weights` takes some ten minutes of one core;
//! progress and the residual errors are written to standard error. The result depends only on the weights in the build.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::fmt::Write;

use banmen_catalog::WallClock;
use banmen_game::Rng;
use banmen_othello::engine::features::{FEATURES, features};
use banmen_othello::engine::{Evaluation, KNOTS, Solver, WEIGHTS, knot_weights};
use banmen_othello::moves;
use banmen_search::{Budget, Limits, StopFlag};

/// Games to play.
const GAMES: usize = 16_000;
/// Search depth of the players in plies.
const DEPTH: u32 = 5;
/// Empty squares from which they play perfectly.
const EXACT: u32 = 18;
const SEED: u64 = 1;

/// A final score of this many discs has half the weight of an even one: the linear model does not fit extreme scores,
/// and they matter less.
const HALF_WEIGHT: f64 = 24.0;
/// Regularisation of every weight towards 0, and of neighbouring knots towards each other, in positions.
const RIDGE: f64 = 30.0;
const SMOOTH: f64 = 100.0;

/// A position from the mover's view with its target.
struct Example {
    own: u64,
    opp: u64,
    score: i32,
}

fn main() {
    let mut rng = Rng::new(SEED);
    let mut solver = Solver::new(1 << 24);
    let mut examples = Vec::new();
    for game in 1..=GAMES {
        play(&mut rng, &mut solver, &mut examples);
        if game % 1000 == 0 {
            eprintln!("{game} games, {} positions", examples.len());
        }
    }
    // The last games are held out for validation.
    let (training, validation) = examples.split_at(examples.len() / 20 * 19);
    let weights = fit(training);
    show(validation, &weights);
    println!("{}", table(&weights));
}

/// Plays one game and adds its positions.
fn play(rng: &mut Rng, solver: &mut Solver, examples: &mut Vec<Example>) {
    let random = if rng.below(4) == 0 { 4 + rng.below(36) } else { 4 + rng.below(12) };
    let (mut own, mut opp) = (0x0000_0008_1000_0000u64, 0x0000_0010_0800_0000u64);
    // The positions in order, from the mover's view, and whether the first player moved.
    let (mut history, mut first) = (Vec::new(), true);
    let mut ending = Vec::new().into_iter();
    let mut ply = 0;
    loop {
        let legal = moves::legal(own, opp);
        if legal == 0 {
            if moves::legal(opp, own) == 0 {
                break;
            }
            (own, opp, first) = (opp, own, !first);
            continue;
        }
        let empties = (!(own | opp)).count_ones();
        let square = if ply < random {
            nth(legal, rng.below(legal.count_ones().into()))
        } else {
            history.push((own, opp, first));
            if empties == EXACT || (empties < EXACT && history.len() == 1) {
                let (clock, stop) = (WallClock::default(), StopFlag::default());
                let mut budget = Budget::start(&Limits::default(), &clock, &stop);
                ending = solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {}).line.into_iter();
            }
            ending.next().unwrap_or_else(|| choose(own, opp))
        };
        let turned = moves::flips(own, opp, square);
        (own, opp, first) = (opp ^ turned, own | turned | 1 << square, !first);
        ply += 1;
    }
    let score = final_score(own, opp);
    examples.extend(history.into_iter().map(|(own, opp, mover)| Example {
        own,
        opp,
        score: if mover == first { score } else { -score },
    }));
}

/// The index of the set bit with `below` set bits below it.
fn nth(set: u64, below: u64) -> u32 {
    (0..below).fold(set, |left, _| left & (left - 1)).trailing_zeros()
}

fn final_score(own: u64, opp: u64) -> i32 {
    let (own, opp) = (own.count_ones() as i32, opp.count_ones() as i32);
    own - opp + (64 - own - opp) * (own - opp).signum()
}

/// The positions after each move of the mover, from the opponent's view, the best by the ordering first.
fn successors(own: u64, opp: u64, deep: bool) -> Vec<(i32, u32, u64, u64)> {
    let legal = moves::legal(own, opp);
    let mut all: Vec<_> = (0..64)
        .filter(|square| legal & 1 << square != 0)
        .map(|square| {
            let turned = moves::flips(own, opp, square);
            let (own, opp) = (opp ^ turned, own | turned | 1 << square);
            let value =
                if deep { Evaluation::get().value(own, opp) } else { moves::legal(own, opp).count_ones() as i32 };
            (value, square, own, opp)
        })
        .collect();
    all.sort_unstable();
    all
}

/// The best move of a search of [`DEPTH`] plies.
fn choose(own: u64, opp: u64) -> u32 {
    let (mut alpha, mut best) = (-10_000, 0);
    for (_, square, own, opp) in successors(own, opp, true) {
        let value = -search(own, opp, -10_000, -alpha, DEPTH - 1);
        if value > alpha {
            (alpha, best) = (value, square);
        }
    }
    best
}

/// Plain alpha-beta.
fn search(own: u64, opp: u64, mut alpha: i32, beta: i32, depth: u32) -> i32 {
    if moves::legal(own, opp) == 0 {
        return if moves::legal(opp, own) == 0 {
            100 * final_score(own, opp)
        } else {
            -search(opp, own, -beta, -alpha, depth)
        };
    }
    if depth == 0 {
        return Evaluation::get().value(own, opp).clamp(-6400, 6400);
    }
    for (_, _, own, opp) in successors(own, opp, depth > 2) {
        alpha = alpha.max(-search(own, opp, -beta, -alpha, depth - 1));
        if alpha >= beta {
            break;
        }
    }
    alpha
}

/// Unknowns: one weight for each feature at each knot.
const UNKNOWNS: usize = FEATURES * KNOTS.len();

/// The non-zero coefficients of a position, by unknown in order.
fn row(example: &Example) -> Vec<(usize, f64)> {
    let knot_weights = knot_weights((!(example.own | example.opp)).count_ones().into());
    let mut row = Vec::new();
    for (feature, count) in features(example.own, example.opp).into_iter().enumerate().filter(|&(_, count)| count != 0)
    {
        for (knot, hat) in knot_weights.into_iter().enumerate().filter(|&(_, hat)| hat > 0.0) {
            row.push((feature * KNOTS.len() + knot, hat * f64::from(count)));
        }
    }
    row
}

fn importance(score: i32) -> f64 {
    1.0 / (1.0 + (f64::from(score) / HALF_WEIGHT).powi(2))
}

/// Weighted least squares by the normal equations (lower triangle) and a Cholesky decomposition.
fn fit(examples: &[Example]) -> Vec<f64> {
    let mut matrix = vec![vec![0.0; UNKNOWNS]; UNKNOWNS];
    let mut right = vec![0.0; UNKNOWNS];
    for example in examples {
        let importance = importance(example.score);
        let row = row(example);
        for (at, &(i, x)) in row.iter().enumerate() {
            right[i] += importance * x * f64::from(example.score);
            for &(j, y) in &row[..=at] {
                matrix[i][j] += importance * x * y;
            }
        }
    }
    for i in 0..UNKNOWNS {
        matrix[i][i] += RIDGE;
        if i % KNOTS.len() != 0 {
            matrix[i][i] += SMOOTH;
            matrix[i - 1][i - 1] += SMOOTH;
            matrix[i][i - 1] -= SMOOTH;
        }
    }
    for i in 0..UNKNOWNS {
        for j in 0..=i {
            let (above, below) = matrix.split_at_mut(i);
            let known = if i == j { &below[0] } else { &above[j] };
            let sum = below[0][j] - dot(&below[0][..j], &known[..j]);
            below[0][j] = if i == j { sum.sqrt() } else { sum / known[j] };
        }
        right[i] = (right[i] - dot(&matrix[i][..i], &right[..i])) / matrix[i][i];
    }
    for i in (0..UNKNOWNS).rev() {
        right[i] /= matrix[i][i];
        for j in 0..i {
            right[j] -= matrix[i][j] * right[i];
        }
    }
    right
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Prints the errors of the new weights and of those in the build, by stage.
fn show(examples: &[Example], weights: &[f64]) {
    let mut errors = [[0.0; 3]; 6];
    for example in examples {
        let score = f64::from(example.score);
        let new: f64 = row(example).into_iter().map(|(i, x)| x * weights[i]).sum();
        let old = f64::from(Evaluation::get().value(example.own, example.opp)) / 100.0;
        let stage = &mut errors[(!(example.own | example.opp)).count_ones() as usize / 10];
        let importance = importance(example.score);
        for (sum, term) in stage.iter_mut().zip([1.0, (new - score).powi(2), (old - score).powi(2)]) {
            *sum += importance * term;
        }
    }
    for (stage, [sum, new, old]) in errors.into_iter().enumerate() {
        let (new, old) = ((new / sum).sqrt(), (old / sum).sqrt());
        eprintln!("{:2} to {:2} empty squares: error {new:.2} discs, before {old:.2}", 10 * stage, 10 * stage + 9);
    }
}

/// The table as source text.
fn table(weights: &[f64]) -> String {
    let mut text = String::new();
    for ((name, _), weights) in WEIGHTS.iter().zip(weights.chunks(KNOTS.len())) {
        let weights: Vec<String> = weights.iter().map(|weight| ((100.0 * weight).round() as i64).to_string()).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    ({name:?}, [{}]),", weights.join(", "));
    }
    text
}
