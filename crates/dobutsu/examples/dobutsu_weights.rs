//! Fits the weights of the engine's evaluation to the solved game, and writes the files `src/engine/uniform.bin` and
//! `src/engine/weights.bin`.
//!
//! The training set is every position in which neither side can win at once and whose end is more than three plies
//! away: 39 million positions in a pseudo-random order. The network is that of `engine/evaluation.rs` in floating
//! point. Each position moves the weights against the gradient of the cross entropy between the network's output and
//! the position's value (1, ½, 0). The step size decreases to zero. Weights of the first layer are clamped to the range
//! of a byte.
//!
//! That is `uniform.bin`. With a file of positions, as `judge … hard games` prints it, a position weighs more the more often
//! searches of them with the uniform weights evaluate it: `weights.bin`.
//!
//! `cargo run --release -p banmen-dobutsu --example dobutsu_weights -- FILE [table [positions]]` takes some minutes on one
//! core. That includes building the table, unless a packed one is named. The training error is printed to standard error
//! during training. The order of every sum is fixed and the exponential is `libm`'s, so every machine writes the same bytes.

#![allow(clippy::print_stderr, clippy::disallowed_methods, reason = "an example reads and writes files and prints")]

use std::error::Error;
use std::ops::ControlFlow;

use banmen_dobutsu::Variant;
use banmen_dobutsu::engine::features::{FEATURES, PAIRS, PIECES, features, is_quiet};
use banmen_dobutsu::engine::{FixedNodes, ONE, OUT_ONE, WIDTH};
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::table::{Index, PackedTable, SLOTS, Table, build};
use banmen_game::Rng;

const SEED: u64 = 1;

/// The number of passes over all positions, and the initial step size, which decreases linearly.
const PASSES: u32 = 4;
const STEP: f32 = 0.02;

/// With a file of positions: passes, initial step size, nodes for each of its positions, and the bytes of the engine's table.
const WEIGHTED_PASSES: u32 = 6;
const WEIGHTED_STEP: f32 = 0.01;
const NODES: u64 = 10_000;
const TABLE_BYTES: usize = 1 << 20;

/// There the weight of a position: this, and the square root of the times that it was evaluated, up to the second number.
const LEAST_WEIGHT: f32 = 0.2;
const MOST_WEIGHT: f32 = 8.0;

/// Positions that end within this many plies are left to the search.
const SEARCHED: u8 = 3;

/// The byte of a draw.
const DRAW: u8 = 255;

/// An odd number, so its multiples modulo 2²⁸ visit every number once.
const STRIDE: u32 = 0x9E37_79B1;
const NUMBERS: u32 = 1 << 28;

/// The largest weight of the first layer: the largest that fits the byte.
const LARGEST: f32 = 127.0 / ONE as f32;

struct Net {
    rows: Vec<[f32; WIDTH]>,
    bias: [f32; WIDTH],
    out: [f32; WIDTH],
    out_bias: f32,
}

impl Net {
    fn new(rng: &mut Rng) -> Net {
        let mut around = |middle: f32, width: f32| middle + (2.0 * rng.unit() as f32 - 1.0) * width;
        Net {
            rows: (0..FEATURES).map(|_| std::array::from_fn(|_| around(0.0, 0.25))).collect(),
            bias: std::array::from_fn(|_| around(0.3, 0.2)),
            out: std::array::from_fn(|unit| if unit % 2 == 0 { 0.3 } else { -0.3 }),
            out_bias: 0.0,
        }
    }

    /// Learns one position. Returns the network's output before the update, as a probability.
    fn learn(&mut self, features: [u8; PIECES], target: f32, step: f32) -> f32 {
        let mut sums = self.bias;
        for feature in features {
            for (sum, weight) in sums.iter_mut().zip(&self.rows[usize::from(feature)]) {
                *sum += weight;
            }
        }
        let units = sums.map(|sum| sum.clamp(0.0, 1.0));
        // Eight partial sums, so that the order of addition does not depend on the processor.
        let mut parts = [0.0; 8];
        for (at, (unit, weight)) in units.iter().zip(&self.out).enumerate() {
            parts[at % 8] += unit * unit * weight;
        }
        let thought = 1.0 / (1.0 + libm::expf(-(parts.iter().sum::<f32>() + self.out_bias).clamp(-15.0, 15.0)));
        let error = step * (thought - target);
        let mut slopes = [0.0; WIDTH];
        for (at, slope) in slopes.iter_mut().enumerate() {
            let inside = if sums[at] > 0.0 && sums[at] < 1.0 { 1.0 } else { 0.0 };
            *slope = inside * 2.0 * units[at] * self.out[at] * error;
            self.out[at] -= error * units[at] * units[at];
            self.bias[at] = (self.bias[at] - *slope).clamp(-LARGEST, LARGEST);
        }
        self.out_bias -= error;
        for feature in features {
            for (weight, slope) in self.rows[usize::from(feature)].iter_mut().zip(&slopes) {
                *weight = (*weight - slope).clamp(-LARGEST, LARGEST);
            }
        }
        thought
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let byte = |weight: &f32| (weight * f32::from(ONE)).round() as i8 as u8;
        let word = |weight: f32| ((weight * OUT_ONE as f32).round() as i16).to_le_bytes();
        bytes.extend(self.rows.iter().flatten().map(byte));
        bytes.extend(self.bias.iter().map(byte));
        bytes.extend(self.out.iter().flat_map(|&weight| word(weight)));
        bytes.extend(word(self.out_bias));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else { return Err("name the file to write the weights to".into()) };
    let table = match arguments.next() {
        Some(packed) => PackedTable::open(std::fs::read(packed)?, Variant::Catch)?.unpack()?,
        None => build(Variant::Catch, 1, &|_| ControlFlow::Continue(()))?,
    };
    let evaluated = arguments.next().map(std::fs::read_to_string).transpose()?;
    let evaluated = evaluated.map(|positions| evaluations(&positions)).transpose()?;
    let weights = fit(&table, evaluated.as_deref());
    std::fs::write(file, weights)?;
    Ok(())
}

/// How often searches of the listed positions evaluate each stored position, at most 255.
fn evaluations(positions: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let (index, mut engine) = (Index::new(), FixedNodes::with_table(TABLE_BYTES));
    let mut counts = vec![0u8; SLOTS as usize];
    for line in positions.lines() {
        let position = parse_position(line.split(':').next().unwrap_or_default())?;
        for position in engine.evaluated(&position, NODES) {
            let count = index.slot(&position).and_then(|slot| counts.get_mut(slot.number as usize));
            count.into_iter().for_each(|count| *count = count.saturating_add(1));
        }
    }
    Ok(counts)
}

fn fit(table: &Table, evaluated: Option<&[u8]>) -> Vec<u8> {
    let (passes, first_step) = if evaluated.is_some() { (WEIGHTED_PASSES, WEIGHTED_STEP) } else { (PASSES, STEP) };
    let index = Index::new();
    let mut rng = Rng::new(SEED);
    let mut nets: Vec<Net> = (0..PAIRS).map(|_| Net::new(&mut rng)).collect();
    for pass in 0..passes {
        let (mut positions, mut entropy, mut decided, mut wrong) = (0, 0.0, 0, 0);
        for at in 0..NUMBERS {
            let number = at.wrapping_mul(STRIDE) % NUMBERS;
            let Some(&byte) = table.bytes().get(number as usize).filter(|&&byte| byte > SEARCHED) else { continue };
            let Some(position) = index.stored(number).filter(|position| is_quiet(Variant::Catch, position)) else {
                continue;
            };
            let Some((pair, features)) = features(&position) else { continue };
            let drawn = byte == DRAW;
            let target = if drawn { 0.5 } else { f32::from(byte % 2) };
            let left = 1.0 - (pass as f32 + at as f32 / NUMBERS as f32) / passes as f32;
            let weight = evaluated
                .map_or(1.0, |counts| LEAST_WEIGHT + f32::from(counts[number as usize]).sqrt().min(MOST_WEIGHT));
            let thought = nets[pair].learn(features, target, first_step * left * weight);
            positions += 1;
            entropy -= f64::from(target * libm::logf(thought) + (1.0 - target) * libm::logf(1.0 - thought));
            decided += u32::from(!drawn);
            wrong += u32::from(!drawn && (thought > 0.5) != (target > 0.5));
        }
        let (entropy, wrong) = (entropy / f64::from(positions), 100.0 * f64::from(wrong) / f64::from(decided));
        eprintln!(
            "{positions} positions, {entropy:.4} nats each; of {decided} won or lost {wrong:.2} % taken for the opposite"
        );
    }
    let mut bytes = Vec::new();
    nets.iter().for_each(|net| net.write(&mut bytes));
    bytes
}
