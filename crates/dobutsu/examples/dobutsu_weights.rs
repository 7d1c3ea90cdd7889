//! Fits the weights of the engine's evaluation to the solved game, and writes the files `src/engine/uniform.bin` and
//! `src/engine/weights.bin`.
//!
//! The training set is every position in which neither side can win at once and whose end is more than three plies
//! away: 39 million positions in a pseudo-random order, 12 bytes each in memory. The network is that of `engine/evaluation.rs` in
//! floating point. Each position moves the weights against the gradient of the cross entropy between the network's output and
//! the position's value (1, ½, 0). The step size decreases to zero. Weights of the first layer are clamped to the range
//! of a byte.
//!
//! That is `uniform.bin`. With a file of positions, as `judge … hard games` prints it, the network has more units, and a position
//! weighs more the more often searches of them with the uniform weights evaluate it: `weights.bin`.
//!
//! `cargo run --release -p banmen-dobutsu --example dobutsu_weights -- FILE [table [positions]]` takes some minutes on one
//! core, and with positions some ten. That includes building the table, unless a packed one is named. The training error is printed to
//! standard error during training. The order of every sum is fixed and powers are `libm`'s, so every machine writes the same bytes.

#![allow(clippy::print_stderr, clippy::disallowed_methods, reason = "an example reads and writes files and prints")]

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use banmen_dobutsu::Variant;
use banmen_dobutsu::engine::features::{FEATURES, MATERIALS, PAIRS, PIECES, features, is_quiet, material};
use banmen_dobutsu::engine::{FixedNodes, ONE, OUT_ONE, UNIFORM_WIDTH, WIDTH};
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::Position;
use banmen_dobutsu::table::{Index, PackedTable, SLOTS, Table, build};
use banmen_game::Rng;

const SEED: u64 = 1;

/// How the weights are fitted.
struct Schedule {
    /// Passes over the positions.
    passes: u32,
    /// The initial step size, which decreases linearly.
    step: f32,
    /// Of the positions that no search evaluated a pass takes each so-many-th, which then weighs so many times as much.
    share: u32,
    /// The weight of a position that the searches evaluated so often.
    weight: fn(u8) -> f32,
}

const UNIFORM: Schedule = Schedule { passes: 4, step: 0.02, share: 1, weight: |_| 1.0 };
const WEIGHTED: Schedule = Schedule { passes: 120, step: 0.005, share: 5, weight };

/// 0.2 for every position, and *n*^0.7 for *n* evaluations, at most 20.
fn weight(count: u8) -> f32 {
    0.2 + libm::powf(f32::from(count), 0.7).min(20.0)
}

/// Nodes for each of the searched positions, and the bytes of the engine's table.
const NODES: u64 = 10_000;
const TABLE_BYTES: usize = 1 << 20;

/// Positions that end within this many plies are left to the search.
const SEARCHED: u8 = 3;

/// The byte of a draw.
const DRAW: u8 = 255;

/// An odd number, so its multiples modulo 2²⁸ visit every number once.
const STRIDE: u32 = 0x9E37_79B1;
const NUMBERS: u32 = 1 << 28;

/// The largest weight of the first layer: the largest that fits the byte.
const LARGEST: f32 = 127.0 / ONE as f32;

/// A position to learn.
struct Sample {
    features: [u8; PIECES],
    /// The table's byte.
    value: u8,
    /// How often searches evaluated it.
    count: u8,
    /// Its place in the order, below [`NUMBERS`].
    at: u32,
}

struct Net<const UNITS: usize> {
    rows: Vec<[f32; UNITS]>,
    bias: [f32; UNITS],
    out: [f32; UNITS],
    out_bias: f32,
}

impl<const UNITS: usize> Net<UNITS> {
    fn new(rng: &mut Rng) -> Self {
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
        let mut slopes = [0.0; UNITS];
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
    let weights = match arguments.next() {
        Some(positions) => {
            let counts = evaluations(&std::fs::read_to_string(positions)?)?;
            let samples = samples(&table, MATERIALS, material, |number| counts[number as usize].load(Relaxed));
            fit::<WIDTH>(&samples, &WEIGHTED)
        }
        None => fit::<UNIFORM_WIDTH>(&samples(&table, 1, |_| 0, |_| 0), &UNIFORM),
    };
    std::fs::write(file, weights)?;
    Ok(())
}

/// Does the work on all cores, each piece once.
fn on_all_cores<T: Send>(pieces: impl Iterator<Item = T> + Send, work: impl Fn(&mut dyn Iterator<Item = T>) + Sync) {
    let pieces = Mutex::new(pieces);
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| work(&mut std::iter::from_fn(next)));
        }
    });
}

/// How often searches of the listed positions evaluate each stored position, at most 255.
fn evaluations(positions: &str) -> Result<Vec<AtomicU8>, Box<dyn Error>> {
    let parse = |line: &str| parse_position(line.split(':').next().unwrap_or_default());
    let positions: Vec<Position> = positions.lines().map(parse).collect::<Result<_, _>>()?;
    let index = Index::new();
    let counts: Vec<AtomicU8> = std::iter::repeat_with(AtomicU8::default).take(SLOTS as usize).collect();
    on_all_cores(positions.iter(), |positions| {
        let mut engine = FixedNodes::with_table(TABLE_BYTES);
        for evaluated in positions.flat_map(|position| engine.evaluated(position, NODES)) {
            let count = index.slot(&evaluated).and_then(|slot| counts.get(slot.number as usize));
            // At 255 it stays.
            if let Some(count) = count {
                let _ = count.fetch_update(Relaxed, Relaxed, |count| count.checked_add(1));
            }
        }
    });
    Ok(counts)
}

/// The training set by pairs of lions, and of each by so many classes.
fn samples(
    table: &Table,
    classes: usize,
    class: fn(&Position) -> usize,
    count: impl Fn(u32) -> u8,
) -> Vec<Vec<Sample>> {
    let index = Index::new();
    let mut samples: Vec<Vec<Sample>> = (0..PAIRS * classes).map(|_| Vec::new()).collect();
    for at in 0..NUMBERS {
        let number = at.wrapping_mul(STRIDE) % NUMBERS;
        let Some(&value) = table.bytes().get(number as usize).filter(|&&byte| byte > SEARCHED) else { continue };
        let Some(position) = index.stored(number).filter(|position| is_quiet(Variant::Catch, position)) else {
            continue;
        };
        let Some((pair, features)) = features(&position) else { continue };
        let count = count(number);
        samples[pair * classes + class(&position)].push(Sample { features, value, count, at });
    }
    samples
}

fn fit<const UNITS: usize>(samples: &[Vec<Sample>], schedule: &Schedule) -> Vec<u8> {
    let mut rng = Rng::new(SEED);
    let mut nets: Vec<Net<UNITS>> = samples.iter().map(|_| Net::new(&mut rng)).collect();
    on_all_cores(nets.iter_mut().zip(samples).enumerate(), |nets| {
        nets.for_each(|(at, (net, samples))| {
            let (entropy, wrong) = train(net, samples, schedule);
            eprintln!(
                "network {at}, {} positions: {entropy:.4} nats, {wrong:.2} % of wins and losses taken for the opposite",
                samples.len()
            );
        });
    });
    let mut bytes = Vec::new();
    nets.iter().for_each(|net| net.write(&mut bytes));
    bytes
}

/// Trains a network. Returns the cross entropy, and the percentage of wins and losses taken for the opposite, in the last pass.
fn train<const UNITS: usize>(net: &mut Net<UNITS>, samples: &[Sample], schedule: &Schedule) -> (f64, f64) {
    let weights: [f32; 256] = std::array::from_fn(|count| (schedule.weight)(count as u8));
    let mut errors = (f64::NAN, f64::NAN);
    for pass in 0..schedule.passes {
        let (mut total, mut entropy, mut decided, mut wrong) = (0.0, 0.0, 0.0, 0.0);
        for (place, sample) in (pass..).zip(samples) {
            let share = if sample.count == 0 { schedule.share } else { 1 };
            if place % share != 0 {
                continue;
            }
            let target = if sample.value == DRAW { 0.5 } else { f32::from(sample.value % 2) };
            let left = 1.0 - (pass as f32 + sample.at as f32 / NUMBERS as f32) / schedule.passes as f32;
            let weight = share as f32 * weights[usize::from(sample.count)];
            let thought = net.learn(sample.features, target, schedule.step * left * weight);
            let weight = f64::from(weight);
            total += weight;
            entropy -= weight * f64::from(target * libm::logf(thought) + (1.0 - target) * libm::logf(1.0 - thought));
            if sample.value != DRAW {
                decided += weight;
                wrong += if (thought > 0.5) == (target > 0.5) { 0.0 } else { weight };
            }
        }
        errors = (entropy / total, 100.0 * wrong / decided);
    }
    errors
}
