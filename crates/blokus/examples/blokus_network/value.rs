//! The fit of the network that values positions, by logistic regression (Adam).
//!
//! The target is the reward at the end of the game, mixed with the values of the searches on the way (TD(λ), Sutton 1988);
//! before a random move, the value of the search there. The loss and the squared error of the games left out against their
//! rewards are printed after each epoch, at the end by phase beside those of the searches.

use std::error::Error;

use banmen_blokus::Blokus;
use banmen_blokus::engine::network::{
    CELLS, CLASSES, FEATURES, HIDDEN, PHASES, SCALE, phase, transposed, visit_features,
};
use banmen_blokus::engine::reward;
use banmen_game::{GameState, Outcome, Rng, Side};

use crate::games::{Played, Record, read};
use crate::training::{RINGS, Training, add_to, in_bytes, print_means, ring};

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
    /// Adds the positions of a game in which a search chose the move.
    fn add(&mut self, game: &Record) {
        let winner = match game.lead {
            0 => None,
            1.. => Some(Side::First),
            _ => Some(Side::Second),
        };
        let margin = u32::try_from(game.lead.unsigned_abs()).ok();
        let result = reward(&Outcome { winner, margin, by: "" }, MARGIN) as f32;
        let mut state = GameState::new(Blokus::STANDARD);
        let mut sides = Vec::new();
        let first = self.of.len();
        for &Played { m, value, .. } in &game.moves {
            if let Some(value) = value {
                let (position, start) = (state.position(), self.features.len());
                visit_features(state.game(), position, |feature| self.features.push(feature as u16));
                let features = [start, self.features.len()];
                let (phase, held) = (phase(position), game.held);
                self.of.push(Example { features, phase, held, result, value, target: 0.0 });
            }
            sides.push(state.side_to_move());
            state.play(m);
        }
        let mut later = Some(result);
        let mut examples = self.of[first..].iter_mut().rev();
        for (played, side) in game.moves.iter().zip(sides).rev() {
            // A random move says nothing about the position before it.
            later = played.value.map(|value| later.map_or(value, |later| LATER * later + (1.0 - LATER) * value));
            if let (Some(target), Some(example)) = (later, later.and_then(|_| examples.next())) {
                let own = |value: f32| if side == Side::First { value } else { 1.0 - value };
                (example.result, example.value, example.target) =
                    (own(example.result), own(example.value), own(target));
            }
        }
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
        print_means(sums, by_phase, |[_, loss, squared, of_search, squared_of_search]| {
            format!("loss {loss:.4}, squared error {squared:.4}; of the search {of_search:.4}, {squared_of_search:.4}")
        });
    }
}

/// The weights in the order of the fit: of the input by feature and hidden unit, of the output by phase and hidden unit, the biases of
/// the hidden units and of the output by phase; then those that the cells of a class share, all and those of each ring around
/// the centre. The file has the sums of a cell's own and shared ones.
const OUTPUT: usize = FEATURES * HIDDEN;
const BIAS: usize = OUTPUT + PHASES * HIDDEN;
const LAST: usize = BIAS + HIDDEN;
const SHARED: usize = LAST + PHASES;
const WEIGHTS: usize = SHARED + CLASSES * (1 + RINGS) * HIDDEN;

/// Where the shared weights of a feature of a cell are: those of its class, and those of its ring.
fn shared(feature: usize) -> [usize; 2] {
    let (class, cell) = (feature / CELLS, feature % CELLS);
    [class, CLASSES + RINGS * class + ring(cell)].map(|row| SHARED + HIDDEN * row)
}

const EPOCHS: usize = 8;
const BATCH: usize = 256;
/// The step of Adam at the start.
const STEP: f32 = 0.002;
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
        add_to(&mut hidden, &weights[HIDDEN * usize::from(feature)..]);
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
        add_to(&mut slope[HIDDEN * usize::from(feature)..], &back);
    }
}

/// Fits the network to the games in files. The bytes of its file.
pub(crate) fn fit(files: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut examples = Examples::default();
    read(files)?.iter().for_each(|game| examples.add(game));
    let mut rng = Rng::new(1);
    let mut around = |width: f32| (2.0 * rng.unit() as f32 - 1.0) * width;
    let weights: Vec<f32> = (0..WEIGHTS)
        .map(|at| match at {
            ..OUTPUT => around(0.02),
            OUTPUT..BIAS => around(0.3),
            BIAS..SHARED => 0.0,
            _ => around(0.04),
        })
        .collect();
    let mirrored: Vec<u16> = (0..FEATURES).map(|feature| transposed(feature) as u16).collect();
    let training = Training {
        epochs: EPOCHS,
        batch: BATCH,
        step: STEP,
        own: SHARED,
        of_cells: HIDDEN * CLASSES * CELLS,
        shared: (0..CLASSES * CELLS).map(|feature| Some(shared(feature))).collect(),
    };
    let fitted = examples.of.iter().filter(|example| !example.held).collect();
    let add_slope = |weights: &[f32], example: &Example, mirror: bool, slope: &mut [f32]| {
        let features = examples.features(example);
        if mirror {
            let features: Vec<u16> = features.iter().map(|&feature| mirrored[usize::from(feature)]).collect();
            add_slope(weights, &features, example, slope);
        } else {
            add_slope(weights, features, example, slope);
        }
    };
    let report = |weights: &[f32], by_phase: bool| examples.print_errors(weights, by_phase);
    let mut whole = training.fit::<HIDDEN, _>(weights, fitted, &mut rng, add_slope, report);
    let mut bytes = in_bytes(&mut whole[..OUTPUT], SCALE, 127.0);
    let rest = [&whole[BIAS..LAST], &whole[OUTPUT..BIAS], &whole[LAST..SHARED]].concat();
    bytes.extend(rest.into_iter().flat_map(f32::to_le_bytes));
    println!("in bytes");
    examples.print_errors(&whole, true);
    Ok(bytes)
}
