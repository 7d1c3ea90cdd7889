//! The fit of the network that says how likely placements are, by cross entropy (Adam).
//!
//! The target of a position is a mixture of two distributions over the placements that the engine considers: the placement
//! that the search preferred, and a softmax over the values that the other network gives the positions after the
//! placements, times their strengths. Positions near the end, and those of which the search knew the result, are left
//! out. After each epoch the mean log probability of the preferred placements of the games left out is printed, beside those of
//! the softmax and of the strengths alone, and the parts of them that have the highest probability and one of the ten highest;
//! at the end by phase.

use std::error::Error;

use banmen_blokus::engine::considered;
use banmen_blokus::engine::network::{self, CELLS, FEATURES, visit_features};
use banmen_blokus::engine::policy::{HIDDEN, LARGEST, PHASES, ROW_GROUPS, ROWS, Rows, SCALE, group, phase, transposed};
use banmen_blokus::{Blokus, Move, Orientation, PIECES};
use banmen_game::{Game, GameState, Rng};

use crate::games::{Played, Record, read};
use crate::training::{RINGS, Training, add_to, in_bytes, print_means, ring};

/// The part of a target that the preferred placement has.
const PREFERRED: f32 = 0.8;

/// The powers of the strength and of the odds of winning in the softmax; the latter falls to 0 where the positions end.
const POWERS: [f32; 2] = [0.75, 8.0];

/// Positions with fewer placements are fitted.
const PLACEMENTS: u32 = 26;

/// Placements whose probability is so near to the target have no slope.
const EXACT: f32 = 2e-4;

const EPOCHS: usize = 6;
const BATCH: usize = 256;
/// The step of Adam at the start.
const STEP: f32 = 0.0007;

/// A position, in the view of the side to move.
struct Example {
    features: Vec<u16>,
    phase: usize,
    held: bool,
    rows: Rows,
    placements: Vec<Placement>,
    /// The index of the preferred placement.
    preferred: usize,
}

struct Placement {
    m: Move,
    /// The logarithm of its strength.
    strength: f32,
    /// Its probability in the softmax.
    valued: f32,
}

/// Adds the positions of a game in which the search preferred the move that was played.
fn add(game: &Record, examples: &mut Vec<Example>) {
    let mut state = GameState::new(Blokus::STANDARD);
    for &Played { m, value, best } in &game.moves {
        let open = value.is_some_and(|value| value > 0.0 && value < 1.0);
        if best && open && state.position().placements() < PLACEMENTS {
            examples.extend(example(&state, m, game.held));
        }
        state.play(m);
    }
}

/// The example of a position; `None` with a single placement, or where the engine would not consider the preferred one.
fn example(state: &GameState<Blokus>, preferred: Move, held: bool) -> Option<Example> {
    let (game, position) = (state.game(), state.position());
    let last = state.moves().last().copied().unwrap_or(Move::PASS);
    let considered = considered(game, position, last);
    let preferred = considered.iter().position(|&(_, m)| m == preferred)?;
    if considered.len() < 2 {
        return None;
    }
    let power = POWERS[1] * (1.0 - position.placements() as f32 / PLACEMENTS as f32);
    let mut placements: Vec<Placement> = considered
        .into_iter()
        .map(|(strength, m)| {
            let mut after = *position;
            game.play(&mut after, m);
            let value = (1.0 - network::value(game, &after)).clamp(1e-5, 1.0 - 1e-5);
            let strength = libm::logf(strength);
            Placement { m, strength, valued: POWERS[0] * strength + power * libm::logf(value / (1.0 - value)) }
        })
        .collect();
    let logarithms: Vec<f32> = placements.iter().map(|placement| placement.valued).collect();
    let log_sum = log_sum(&logarithms);
    for placement in &mut placements {
        placement.valued = libm::expf(placement.valued - log_sum);
    }
    let mut features = Vec::new();
    visit_features(game, position, |feature| features.push(feature as u16));
    let rows = Rows::new(game, position, last, |_| {});
    Some(Example { features, phase: phase(position), held, rows, placements, preferred })
}

/// The logarithm of the sum of the numbers with these logarithms.
fn log_sum(logarithms: &[f32]) -> f32 {
    let highest = logarithms.iter().copied().fold(f32::MIN, f32::max);
    highest + libm::logf(logarithms.iter().map(|logarithm| libm::expf(logarithm - highest)).sum())
}

/// The weights in the order of the fit: of the features and then the rows by hidden unit, the biases of the hidden units, and by
/// phase the weights of the output, the weight of the strength's logarithm, and the bias of each piece; then those that the
/// cells of a class share, and those of a group of rows, all and those of each ring around the centre. The file has the sums of
/// a cell's own and shared ones.
const OF_ROWS: usize = FEATURES * HIDDEN;
const BIAS: usize = OF_ROWS + ROWS * HIDDEN;
const OUTPUT: usize = BIAS + HIDDEN;
const STRENGTH: usize = OUTPUT + PHASES * HIDDEN;
const PIECE: usize = STRENGTH + PHASES;
const SHARED: usize = PIECE + PHASES * PIECES;
const WEIGHTS: usize = SHARED + (network::CLASSES + ROW_GROUPS) * (1 + RINGS) * HIDDEN;

/// Where the shared weights of a feature, or after them of a row, are: those of its group, and those of its ring.
fn shared(index: usize) -> Option<[usize; 2]> {
    let (group, cell) = match index.checked_sub(FEATURES) {
        None => (index < network::CLASSES * CELLS).then_some((index / CELLS, index % CELLS))?,
        Some(row) => group(row).map(|(group, cell)| (network::CLASSES + group, cell))?,
    };
    let first = SHARED + (1 + RINGS) * HIDDEN * group;
    Some([first, first + HIDDEN * (1 + ring(cell))])
}

/// What the features and rows of a mirrored position are instead; or all as they are.
struct View {
    features: Vec<u16>,
    rows: Vec<u16>,
}

/// What an example gives under weights.
struct Found {
    /// Of each placement the sums of the hidden units, and its row's numbers.
    hidden: Vec<([f32; HIDDEN], Vec<u16>)>,
    /// The logarithms of the probabilities.
    logarithms: Vec<f32>,
}

/// The piece of a placement and its orientation's parts.
fn parts(m: Move) -> (usize, Orientation, banmen_blokus::Cell) {
    let (orientation, corner) = m.parts().expect("a placement");
    (orientation.piece().index(), orientation, corner)
}

fn forward(weights: &[f32], example: &Example, view: &View) -> Found {
    let mut base: [f32; HIDDEN] = std::array::from_fn(|unit| weights[BIAS + unit]);
    for &feature in &example.features {
        add_to(&mut base, &weights[HIDDEN * usize::from(view.features[usize::from(feature)])..]);
    }
    let output = &weights[OUTPUT + HIDDEN * example.phase..][..HIDDEN];
    let (mut hidden, mut logarithms) = (Vec::new(), Vec::new());
    for placement in &example.placements {
        let (piece, orientation, corner) = parts(placement.m);
        let rows: Vec<u16> = example.rows.of(orientation, corner).map(|row| view.rows[row]).collect();
        let mut sums = base;
        rows.iter().for_each(|&row| add_to(&mut sums, &weights[OF_ROWS + HIDDEN * usize::from(row)..]));
        let of_units: f32 = sums.iter().zip(output).map(|(sum, weight)| sum.max(0.0) * weight).sum();
        let of_strength = weights[STRENGTH + example.phase] * placement.strength;
        logarithms.push(of_strength + weights[PIECE + PIECES * example.phase + piece] + of_units);
        hidden.push((sums, rows));
    }
    let log_sum = log_sum(&logarithms);
    logarithms.iter_mut().for_each(|logarithm| *logarithm -= log_sum);
    Found { hidden, logarithms }
}

/// Adds the slope of the cross entropy of an example.
fn add_slope(weights: &[f32], example: &Example, view: &View, slope: &mut [f32]) {
    let Found { hidden, logarithms } = forward(weights, example, view);
    let output = OUTPUT + HIDDEN * example.phase;
    let mut of_base = [0.0; HIDDEN];
    for (index, ((sums, rows), logarithm)) in hidden.iter().zip(logarithms).enumerate() {
        let placement = &example.placements[index];
        let preferred = if index == example.preferred { PREFERRED } else { 0.0 };
        let error = libm::expf(logarithm) - preferred - (1.0 - PREFERRED) * placement.valued;
        if error.abs() < EXACT {
            continue;
        }
        let error = error / BATCH as f32;
        slope[STRENGTH + example.phase] += error * placement.strength;
        slope[PIECE + PIECES * example.phase + parts(placement.m).0] += error;
        let mut back = [0.0; HIDDEN];
        for (unit, &sum) in sums.iter().enumerate() {
            slope[output + unit] += error * sum.max(0.0);
            back[unit] = if sum > 0.0 { error * weights[output + unit] } else { 0.0 };
        }
        rows.iter().for_each(|&row| add_to(&mut slope[OF_ROWS + HIDDEN * usize::from(row)..], &back));
        add_to(&mut of_base, &back);
    }
    add_to(&mut slope[BIAS..], &of_base);
    for &feature in &example.features {
        add_to(&mut slope[HIDDEN * usize::from(view.features[usize::from(feature)])..], &of_base);
    }
}

/// Fits the network to the games in files. The bytes of its file.
pub(crate) fn fit(files: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut examples = Vec::new();
    read(files)?.iter().for_each(|game| add(game, &mut examples));
    let mut rng = Rng::new(1);
    let mut around = |width: f32| (2.0 * rng.unit() as f32 - 1.0) * width;
    let weights: Vec<f32> = (0..WEIGHTS)
        .map(|at| match at {
            ..BIAS => around(0.02),
            OUTPUT..STRENGTH => around(0.3),
            STRENGTH..PIECE => 0.7,
            SHARED.. => around(0.04),
            _ => 0.0,
        })
        .collect();
    let same = View { features: (0..FEATURES as u16).collect(), rows: (0..ROWS as u16).collect() };
    let mirrored = View {
        features: (0..FEATURES).map(|feature| network::transposed(feature) as u16).collect(),
        rows: (0..ROWS).map(|row| transposed(row) as u16).collect(),
    };
    let training = Training {
        epochs: EPOCHS,
        batch: BATCH,
        step: STEP,
        own: SHARED,
        of_cells: BIAS,
        shared: (0..FEATURES + ROWS).map(shared).collect(),
    };
    let fitted = examples.iter().filter(|example| !example.held).collect();
    let add_slope = |weights: &[f32], example: &Example, mirror: bool, slope: &mut [f32]| {
        add_slope(weights, example, if mirror { &mirrored } else { &same }, slope);
    };
    let report = |weights: &[f32], by_phase: bool| print_errors(&examples, weights, &same, by_phase);
    let mut whole = training.fit::<HIDDEN, _>(weights, fitted, &mut rng, add_slope, report);
    let mut bytes = in_bytes(&mut whole[..OF_ROWS], SCALE, LARGEST[0]);
    bytes.extend(in_bytes(&mut whole[OF_ROWS..BIAS], SCALE, LARGEST[1]));
    bytes.extend(whole[BIAS..SHARED].iter().copied().flat_map(f32::to_le_bytes));
    println!("in bytes");
    print_errors(&examples, &whole, &same, true);
    Ok(bytes)
}

/// Prints how likely the preferred placements of the games left out are.
fn print_errors(examples: &[Example], weights: &[f32], view: &View, by_phase: bool) {
    let mut sums = [[0.0; 6]; PHASES + 1];
    for example in examples.iter().filter(|example| example.held) {
        let Found { logarithms, .. } = forward(weights, example, view);
        let own = logarithms[example.preferred];
        let before = logarithms.iter().filter(|&&logarithm| logarithm > own).count();
        let preferred = &example.placements[example.preferred];
        let valued = libm::logf(preferred.valued.max(1e-9));
        let strengths: Vec<f32> = example.placements.iter().map(|placement| placement.strength).collect();
        let strength = preferred.strength - log_sum(&strengths);
        let among = |most: usize| f32::from(u8::from(before < most));
        for phase in [example.phase, PHASES] {
            let row = [1.0, own, valued, strength, among(1), among(10)];
            sums[phase].iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(value));
        }
    }
    print_means(sums, by_phase, |[_, own, valued, strength, first, ten]| {
        format!(
            "log probability {own:.3}, of the softmax {valued:.3}, of the strengths {strength:.3}; first {first:.3}, of the first ten {ten:.3}"
        )
    });
}
