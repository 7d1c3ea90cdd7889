//! Plays the games that the network of the engine is fitted to, and fits it: the file `src/engine/net.bin`.
//!
//! `cargo run --release -p banmen-blokus --example blokus_network -- games 1000 1 250 > games.txt` plays 1,000 games of the
//! engine against itself, with 250 playouts for a move. Up to four random placements begin a game, one move in 24 is
//! random, and for one in eight a move is drawn from the best four. Each game is a line: its number (from 1 on), the
//! first side's lead in points at the end, and each move as a number, with the score that the search expected for the first side, or
//! `-` where the move was random.
//!
//! `... -- fit net.bin games.txt` fits the network to such files by logistic regression (Adam, Kingma and Ba 2015). The
//! target is the reward at the end of the game, mixed with the values of the searches on the way (TD(λ), Sutton 1988); before a
//! random move, the value of the search there. A tenth of the games is left out; the loss and the squared error against
//! their rewards are printed after each epoch, at the end by phase beside those of the searches. The order of every sum is
//! fixed and the functions are `libm`'s, so every machine writes the same bytes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads and writes files and prints")]

use std::error::Error;
use std::fmt::Write;
use std::fs;

use banmen_blokus::engine::network::{
    CELLS, CLASSES, FEATURES, HIDDEN, PHASES, SCALE, phase, transposed, visit_features,
};
use banmen_blokus::engine::reward;
use banmen_blokus::{Blokus, Move, SIZE, entry};
use banmen_catalog::{AnyGame, AnyState, AnyTask, WallClock};
use banmen_game::{Game, GameState, Outcome, Rng, Side, mix};
use banmen_search::{Limits, StopFlag};

/// The player of the games.
const PLAYER: &str = "engine:early-stop=0,table=8";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["games", count, first, playouts] => {
            let (count, first): (u64, u64) = (count.parse()?, first.parse()?);
            (first..first + count).try_for_each(|number| play(number, playouts.parse()?))
        }
        ["fit", weights, ref files @ ..] if !files.is_empty() => {
            fs::write(weights, fit(&Examples::read(files)?))?;
            Ok(())
        }
        _ => Err("usage: `games COUNT FIRST PLAYOUTS`, or `fit WEIGHTS FILE...`".into()),
    }
}

/// Plays a game and prints it.
fn play(number: u64, playouts: u64) -> Result<(), Box<dyn Error>> {
    let game = entry().in_memory();
    let mut rng = Rng::new(number);
    let mut state = game.state(None, None)?;
    let mut record = String::new();
    let any = |state: &dyn AnyState, rng: &mut Rng| {
        let legal = state.legal();
        legal[rng.index(legal.len())]
    };
    for _ in 0..rng.index(5) {
        let m = any(state.as_ref(), &mut rng);
        write!(record, " {m}:-")?;
        state.play(m)?;
    }
    let mut players = [game.player(None, PLAYER, 2 * number)?, game.player(None, PLAYER, 2 * number + 1)?];
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let limits = Limits { playouts: Some(playouts), ..Limits::default() };
    let outcome = loop {
        if let Some(outcome) = state.outcome() {
            break outcome;
        }
        let side = state.side_to_move();
        let m = if rng.index(24) == 0 {
            let m = any(state.as_ref(), &mut rng);
            write!(record, " {m}:-")?;
            m
        } else {
            let lines = if rng.index(8) == 0 { 4 } else { 1 };
            let state: &dyn AnyState = state.as_ref();
            let task = AnyTask { state, limits, clock: &clock, stop: &stop, threads: 1, lines, progress: None };
            let report = players[side.index()].think(task)?;
            let best = report.lines.first().ok_or("a report without a line")?;
            let m = *report.lines[rng.index(report.lines.len())].moves.first().ok_or("a line without a move")?;
            write!(record, " {m}:{:.3}", if side == Side::First { best.value } else { 1.0 - best.value })?;
            m
        };
        state.play(m)?;
    };
    let lead = i64::from(outcome.margin.unwrap_or(0)) * if outcome.winner == Some(Side::Second) { -1 } else { 1 };
    println!("{number} {lead}{record}");
    Ok(())
}

/// Positions in the view of the side to move.
#[derive(Default)]
struct Examples {
    /// The features of all, one position after another.
    features: Vec<u16>,
    of: Vec<Example>,
}

struct Example {
    /// Where its features begin and end.
    features: [usize; 2],
    phase: usize,
    /// Whether its game is left out of the fit.
    held: bool,
    /// The reward at the end of the game.
    result: f32,
    /// What the search expected.
    value: f32,
    /// What is fitted.
    target: f32,
}

/// The part of a reward that depends on the margin: the default of the engine's key `margin`.
const MARGIN: f64 = 0.3;

/// The weight of what comes later in the game in a target, beside the value of the search: λ.
const LATER: f32 = 0.9;

impl Examples {
    /// Reads the games in files.
    fn read(files: &[&str]) -> Result<Examples, Box<dyn Error>> {
        let mut examples = Examples::default();
        for file in files {
            for (line, text) in (1..).zip(fs::read_to_string(file)?.lines()) {
                examples.add(text).map_err(|error| format!("{file}: line {line}: {error}"))?;
            }
        }
        Ok(examples)
    }

    /// Adds the positions of a game in which a search chose the move.
    fn add(&mut self, game: &str) -> Result<(), Box<dyn Error>> {
        let mut words = game.split(' ');
        let number: u64 = words.next().ok_or("expected the number of the game")?.parse()?;
        let lead: i64 = words.next().ok_or("expected the lead at the end")?.parse()?;
        let winner = match lead {
            0 => None,
            1.. => Some(Side::First),
            _ => Some(Side::Second),
        };
        let margin = Some(u32::try_from(lead.unsigned_abs())?);
        let result = reward(&Outcome { winner, margin, by: "" }, MARGIN) as f32;
        let held = mix(number).is_multiple_of(10);
        let mut state = GameState::new(Blokus::STANDARD);
        // The values, in the first side's view, and the examples of all moves; of a random move neither.
        let mut values = Vec::new();
        let first = self.of.len();
        for word in words {
            let (m, value) = word.split_once(':').ok_or("expected a move, a colon and a value")?;
            let value: Option<f32> = if value == "-" { None } else { Some(value.parse()?) };
            let m = Move::unpack(m.parse()?).ok_or("there is no such move")?;
            if !state.game().is_legal(state.position(), m) {
                return Err(format!("{m} is not legal").into());
            }
            if let Some(value) = value {
                let (position, start) = (state.position(), self.features.len());
                visit_features(state.game(), position, |feature| self.features.push(feature as u16));
                let features = [start, self.features.len()];
                self.of.push(Example { features, phase: phase(position), held, result, value, target: 0.0 });
            }
            values.push((value, state.side_to_move()));
            state.play(m);
        }
        let mut later = Some(result);
        let mut examples = self.of[first..].iter_mut().rev();
        for (value, side) in values.into_iter().rev() {
            // A random move says nothing about the position before it.
            later = value.map(|value| later.map_or(value, |later| LATER * later + (1.0 - LATER) * value));
            if let (Some(target), Some(example)) = (later, later.and_then(|_| examples.next())) {
                let own = |value: f32| if side == Side::First { value } else { 1.0 - value };
                (example.result, example.value, example.target) =
                    (own(example.result), own(example.value), own(target));
            }
        }
        Ok(())
    }

    fn features(&self, example: &Example) -> &[u16] {
        &self.features[example.features[0]..example.features[1]]
    }

    /// Prints the errors of a network on the held-out games, at the end of the fit by phase beside those of the search.
    fn print_errors(&self, weights: &[f32], by_phase: bool) {
        // The number of examples; then loss and squared error of the network and of the search.
        let mut sums = [[0.0; 5]; PHASES + 1];
        for example in self.of.iter().filter(|example| example.held) {
            let own = probability(forward(weights, self.features(example), example.phase).0);
            let squared = |value: f32| (value - example.result) * (value - example.result);
            let (found, result) = (example.value, example.result);
            let row = [1.0, loss(own, result), squared(own), loss(found, result), squared(found)];
            for phase in [example.phase, PHASES] {
                sums[phase].iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(value));
            }
        }
        for (phase, [count, sums @ ..]) in sums.into_iter().enumerate() {
            let name = if phase < PHASES { format!("  phase {phase}") } else { "  all".to_owned() };
            if count > 0.0 && (by_phase || phase == PHASES) {
                let [loss, squared, of_search, squared_of_search] = sums.map(|sum| sum / count);
                println!(
                    "{name}: {count} positions, loss {loss:.4}, squared error {squared:.4}; of the search {of_search:.4}, {squared_of_search:.4}"
                );
            }
        }
    }
}

/// The weights in the order of the fit: of the input by feature and hidden unit, of the output by phase and hidden unit, the biases of
/// the hidden units and of the output by phase; then those that the cells of a class share, all and those of each ring around
/// the centre. The file has the sums of a cell's own and shared ones.
const OUTPUT: usize = FEATURES * HIDDEN;
const BIAS: usize = OUTPUT + PHASES * HIDDEN;
const LAST: usize = BIAS + HIDDEN;
const SHARED: usize = LAST + PHASES;
const RINGS: usize = 7;
const WEIGHTS: usize = SHARED + CLASSES * (1 + RINGS) * HIDDEN;

/// Where the shared weights of a feature of a cell are: those of its class, and those of its ring.
fn shared(feature: usize) -> [usize; 2] {
    let (class, cell) = (feature / CELLS, feature % CELLS);
    let size = usize::from(SIZE);
    let ring =
        [cell / size, cell % size].map(|place| (2 * place).abs_diff(size - 1) / 2).into_iter().max().unwrap_or(0);
    [class, CLASSES + RINGS * class + ring].map(|row| SHARED + HIDDEN * row)
}

const EPOCHS: usize = 8;
const BATCH: usize = 256;
/// The step of Adam at the start; it falls to 0.
const STEP: f32 = 0.002;
/// The part of a step by which a weight moves toward 0: of a cell, and of all others.
const DECAY: [f32; 2] = [1.0, 0.01];
/// The decay rates of Adam's averages of the slope and its square.
const AVERAGES: [f32; 2] = [0.9, 0.999];

fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-odds))
}

/// The cross entropy.
fn loss(p: f32, result: f32) -> f32 {
    let p = p.clamp(0.01, 0.99);
    -result * libm::logf(p) - (1.0 - result) * libm::logf(1.0 - p)
}

/// The logarithm of the odds, and the sums of the hidden units.
fn forward(weights: &[f32], features: &[u16], phase: usize) -> (f32, [f32; HIDDEN]) {
    let mut hidden: [f32; HIDDEN] = std::array::from_fn(|unit| weights[BIAS + unit]);
    for &feature in features {
        for (sum, weight) in hidden.iter_mut().zip(&weights[HIDDEN * usize::from(feature)..]) {
            *sum += weight;
        }
    }
    let mut odds = weights[LAST + phase];
    for (sum, weight) in hidden.iter().zip(&weights[OUTPUT + HIDDEN * phase..]) {
        odds += sum.max(0.0) * weight;
    }
    (odds, hidden)
}

/// Adds the slope of the cross entropy of an example with these features.
fn add_slope(weights: &[f32], features: &[u16], example: &Example, slope: &mut [f32]) {
    let phase = example.phase;
    let (odds, hidden) = forward(weights, features, phase);
    let error = (probability(odds) - example.target) / BATCH as f32;
    slope[LAST + phase] += error;
    let mut back = [0.0; HIDDEN];
    for (unit, &sum) in hidden.iter().enumerate() {
        let output = OUTPUT + HIDDEN * phase + unit;
        slope[output] += error * sum.max(0.0);
        back[unit] = if sum > 0.0 { error * weights[output] } else { 0.0 };
        slope[BIAS + unit] += back[unit];
    }
    for &feature in features {
        for (slope, back) in slope[HIDDEN * usize::from(feature)..].iter_mut().zip(&back) {
            *slope += back;
        }
    }
}

/// Fits the network. The bytes of its file.
fn fit(examples: &Examples) -> Vec<u8> {
    let mut rng = Rng::new(1);
    let mut around = |width: f32| (2.0 * rng.unit() as f32 - 1.0) * width;
    let mut weights: Vec<f32> = (0..WEIGHTS)
        .map(|at| match at {
            ..OUTPUT => around(0.02),
            OUTPUT..BIAS => around(0.3),
            BIAS..SHARED => 0.0,
            _ => around(0.04),
        })
        .collect();
    let rows: Vec<[usize; 2]> = (0..CLASSES * CELLS).map(shared).collect();
    let mirrored: Vec<u16> = (0..FEATURES).map(|feature| transposed(feature) as u16).collect();
    let mut order: Vec<&Example> = examples.of.iter().filter(|example| !example.held).collect();
    let steps = EPOCHS * order.len().div_ceil(BATCH);
    let (mut means, mut second_moments) = (vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]);
    let (mut whole, mut slope) = (Vec::new(), vec![0.0; WEIGHTS]);
    // The powers of both decay rates: the weight that the averages still give to the 0 from which they began.
    let mut powers = [1.0, 1.0];
    let mut done = 0;
    for epoch in 1..=EPOCHS {
        for last in (1..order.len()).rev() {
            order.swap(last, rng.index(last + 1));
        }
        for batch in order.chunks(BATCH) {
            slope.fill(0.0);
            add_shared(&weights, &rows, &mut whole);
            for example in batch {
                let features = examples.features(example);
                if rng.index(2) == 0 {
                    add_slope(&whole, features, example, &mut slope);
                } else {
                    let features: Vec<u16> = features.iter().map(|&feature| mirrored[usize::from(feature)]).collect();
                    add_slope(&whole, &features, example, &mut slope);
                }
            }
            for (feature, row) in rows.iter().enumerate() {
                for unit in 0..HIDDEN {
                    let own = slope[HIDDEN * feature + unit];
                    row.iter().for_each(|row| slope[row + unit] += own);
                }
            }
            let step = STEP * (1.0 - done as f32 / steps as f32);
            done += 1;
            for (power, rate) in powers.iter_mut().zip(AVERAGES) {
                *power *= rate;
            }
            let bias_correction = powers.map(|power| 1.0 - power);
            let moments = means.iter_mut().zip(&mut second_moments);
            for (at, ((weight, slope), (mean, second_moment))) in
                weights.iter_mut().zip(&slope).zip(moments).enumerate()
            {
                *mean = AVERAGES[0] * *mean + (1.0 - AVERAGES[0]) * slope;
                *second_moment = AVERAGES[1] * *second_moment + (1.0 - AVERAGES[1]) * slope * slope;
                let spread = libm::sqrtf(*second_moment / bias_correction[1]) + 1e-8;
                let decay = DECAY[usize::from(at >= HIDDEN * rows.len())];
                *weight -= step * (*mean / bias_correction[0] / spread + decay * *weight);
            }
        }
        add_shared(&weights, &rows, &mut whole);
        println!("epoch {epoch}");
        examples.print_errors(&whole, epoch == EPOCHS);
    }
    let input =
        whole[..OUTPUT].iter().map(|weight| ((weight * SCALE).round().clamp(-127.0, 127.0) as i8).cast_unsigned());
    let rest = [&whole[BIAS..LAST], &whole[OUTPUT..BIAS], &whole[LAST..SHARED]].concat();
    input.chain(rest.into_iter().flat_map(f32::to_le_bytes)).collect()
}

/// Makes `whole` the weights with the shared ones added to those of each cell.
fn add_shared(weights: &[f32], rows: &[[usize; 2]], whole: &mut Vec<f32>) {
    whole.clear();
    whole.extend_from_slice(&weights[..SHARED]);
    for (own, rows) in whole.chunks_exact_mut(HIDDEN).zip(rows) {
        for (unit, own) in own.iter_mut().enumerate() {
            *own += weights[rows[0] + unit] + weights[rows[1] + unit];
        }
    }
}
