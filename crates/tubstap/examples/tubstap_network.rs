//! Plays the games that the network of the engine is fitted to, and fits it: the file `src/engine/net.bin`.
//!
//! `cargo run --release -p banmen-tubstap --example tubstap_network -- games 1000 1 24 > games.txt` plays 1,000 games of the
//! engine with 24 playouts for a turn, in half of them against itself and in the others against M-UCT or `m-uct-plus` with
//! 400 playouts for an action, alternately on random maps and on maps of the papers. One unit in 32 is missing and one
//! in ten has any number of hit points; up to 12 random actions begin a game, and one turn of 12 begins with one. Each
//! decision is a line: the number of the game (from 1 on), Red's result, the score that the engine's search expects for
//! Red (at decisions of its opponent the result again), the position.
//!
//! `... -- fit net.bin games.txt` fits the network to such files by logistic regression (Adam, Kingma and Ba 2015). The
//! target is the result of the game, and by a quarter the value of the search. Positions at the start of a turn count in the
//! view of both sides. A tenth of the games is left out; the loss against their results is printed after each epoch, and
//! by `... -- loss net.bin games.txt` for any network. The order of every sum is fixed and the exponential is `libm`'s, so
//! every machine writes the same bytes.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads and writes files and prints")]

use std::error::Error;
use std::fs;

use banmen_catalog::{AnyGame, AnyState, AnyTask, WallClock};
use banmen_game::{Notation, Rng, Side, mix};
use banmen_search::{Limits, StopFlag};
use banmen_tubstap::engine::HIDDEN;
use banmen_tubstap::engine::features::{COUNT, Features, features};
use banmen_tubstap::{entry, maps};

/// The named maps; those listed several times are played more often.
const MAPS: [&str; 24] = [
    "map01",
    "map01",
    "map01",
    "map01",
    "map01",
    "map02",
    "map03",
    "map03",
    "map05",
    "map05",
    "GAT_fujiki",
    "GAT_masuda",
    "GAT_takahashi",
    "GAT_Ishitobi",
    "GPW_Fujiki",
    "GPW_Ishitobi",
    "GPW_Ishitobi",
    "GPW_Ishitobi",
    "GPW_Sato",
    "genmap0",
    "genmap1",
    "genmap2",
    "genmap4",
    "genmap6",
];

/// The player of the games, and its opponents in half of them.
const PLAYER: &str = "engine:root=24/24/6";
const OTHERS: [&str; 2] = ["m-uct:time=0,playouts=400", "m-uct-plus:time=0,playouts=400"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["games", count, first, playouts] => {
            let (count, first): (u64, u64) = (count.parse()?, first.parse()?);
            (first..first + count).try_for_each(|number| play(number, playouts.parse()?))
        }
        ["loss", weights, ref files @ ..] if !files.is_empty() => {
            let bytes = fs::read(weights)?;
            let weights: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
            if weights.len() != WEIGHTS {
                return Err(format!("{} weights instead of {WEIGHTS}", weights.len()).into());
            }
            let examples = read_all(files)?;
            println!("{:.4}", loss(&weights, examples.iter().filter(|example| example.held && example.begins)));
            Ok(())
        }
        ["fit", weights, ref files @ ..] if !files.is_empty() => {
            fs::write(weights, fit(&read_all(files)?))?;
            Ok(())
        }
        _ => Err("usage: `games COUNT FIRST PLAYOUTS`, `fit WEIGHTS FILE...`, or `loss WEIGHTS FILE...`".into()),
    }
}

/// The start of a game: a map with some units missing or damaged, and some random actions. `None` where a side has no units
/// or the game ends at once.
fn start(game: &dyn AnyGame, number: u64, rng: &mut Rng) -> Result<Option<Box<dyn AnyState>>, Box<dyn Error>> {
    let random = format!("random:{number}");
    let map = if number.is_multiple_of(2) { &random } else { MAPS[rng.index(MAPS.len())] };
    let whole = game.state(None, Some(map))?.position("");
    let (rules, units) = whole.split_once("UNITS").ok_or("a position without units")?;
    let mut text = format!("{rules}UNITS");
    for unit in units.split_whitespace() {
        // Number, type, team, cell, hit points, acted.
        let mut parts: Vec<&str> = unit.split(':').collect();
        let hit_points = (1 + rng.index(10)).to_string();
        if rng.index(32) == 0 {
            parts.splice(1.., ["dead"]);
        } else if let (Some(part), 0) = (parts.get_mut(4), rng.index(10)) {
            *part = &hit_points;
        }
        text.extend([" ", &parts.join(":")]);
    }
    let Ok(mut state) = game.state(None, Some(&text)) else { return Ok(None) };
    for _ in 0..rng.index(13) {
        if state.outcome().is_some() {
            return Ok(None);
        }
        any_action(state.as_mut(), rng)?;
    }
    Ok(state.outcome().is_none().then_some(state))
}

fn any_action(state: &mut dyn AnyState, rng: &mut Rng) -> Result<(), Box<dyn Error>> {
    let legal = state.legal();
    Ok(state.play(legal[rng.index(legal.len())])?)
}

/// Plays a game and prints its decisions.
fn play(number: u64, playouts: u64) -> Result<(), Box<dyn Error>> {
    let game = entry().in_memory();
    let mut rng = Rng::new(number);
    let mut state = loop {
        if let Some(state) = start(&game, number, &mut rng)? {
            break state;
        }
    };
    // The side of the opponent, if the engine does not play both.
    let opponent = (rng.index(2) == 0).then(|| Side::BOTH[rng.index(2)]);
    let other = OTHERS[rng.index(OTHERS.len())];
    let text = |side| if opponent == Some(side) { other } else { PLAYER };
    let mut players =
        [game.player(None, text(Side::First), 2 * number)?, game.player(None, text(Side::Second), 2 * number + 1)?];
    let (clock, stop) = (WallClock::default(), StopFlag::default());
    let limits = Limits { playouts: Some(playouts), ..Limits::default() };
    let (mut decisions, mut last) = (Vec::new(), None);
    let outcome = loop {
        if let Some(outcome) = state.outcome() {
            break outcome;
        }
        let side = state.side_to_move();
        if last.replace(side) != Some(side) && rng.index(12) == 0 {
            any_action(state.as_mut(), &mut rng)?;
            continue;
        }
        let position = state.position("");
        let limits = if opponent == Some(side) { Limits::default() } else { limits };
        let task =
            AnyTask { state: state.as_ref(), limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let report = players[side.index()].think(task)?;
        let line = report.lines.first().ok_or("a report without a line")?;
        let value = if side == Side::First { line.value } else { 1.0 - line.value };
        decisions.push(((opponent != Some(side)).then_some(value), position));
        state.play(*line.moves.first().ok_or("a line without a move")?)?;
    };
    let result = outcome.score(Side::First);
    for (value, position) in decisions {
        println!("{number} {result} {:.3} {position}", value.unwrap_or(result));
    }
    Ok(())
}

/// A position in the view of a side.
struct Example {
    features: Features,
    /// The score of this side in the game: 1 for a win, 0.5 for a draw.
    result: f32,
    /// What the search expected for it.
    value: f32,
    /// Whether its game is left out of the fit.
    held: bool,
    /// Whether a turn begins here.
    begins: bool,
}

/// Reads the decisions in files.
fn read_all(files: &[&str]) -> Result<Vec<Example>, Box<dyn Error>> {
    let mut examples = Vec::new();
    for (number, file) in (0..).zip(files) {
        read(&fs::read_to_string(file)?, number, &mut examples).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(examples)
}

/// Reads the decisions of games. The number of the file distinguishes games that have the same number.
fn read(text: &str, file: u64, examples: &mut Vec<Example>) -> Result<(), Box<dyn Error>> {
    let mut game = maps::standard();
    let mut last = None;
    for (line, text) in (1..).zip(text.lines()) {
        let words: Vec<&str> = text.splitn(4, ' ').collect();
        let [number, result, value, position] = words[..] else {
            return Err(format!("line {line}: expected a number, a result, a value and a position").into());
        };
        let (number, red, value): (u64, f32, f32) = (number.parse()?, result.parse()?, value.parse()?);
        let (rules, position) = game.parse_position(position).map_err(|error| format!("line {line}: {error}"))?;
        game = rules;
        let held = mix(file ^ mix(number)).is_multiple_of(10);
        let side = position.side();
        let begins = last.replace((number, position.turn())) != Some((number, position.turn()));
        let views = [Some(side), begins.then_some(side.other())];
        examples.extend(views.into_iter().flatten().map(|view| Example {
            features: features(&game, &position, view),
            result: if view == Side::First { red } else { 1.0 - red },
            value: if view == Side::First { value } else { 1.0 - value },
            held,
            begins,
        }));
    }
    Ok(())
}

/// The weights in the order of the file: by feature and hidden unit, the biases of the hidden units, their output weights, the
/// direct weights, and the bias of the output.
const BIAS: usize = COUNT * HIDDEN;
const OUTPUT: usize = BIAS + HIDDEN;
const DIRECT: usize = OUTPUT + HIDDEN;
const LAST: usize = DIRECT + COUNT;
const WEIGHTS: usize = LAST + 1;

/// The weight of the value of the search beside the result of the game.
const SEARCHED: f32 = 0.25;

const EPOCHS: usize = 6;
const BATCH: usize = 64;
/// The step of Adam at the start; it falls to 0.
const STEP: f32 = 0.004;
/// The part of a step by which a weight moves toward 0.
const DECAY: f32 = 0.003;
/// The decay rates of Adam's averages of the slope and its square.
const AVERAGES: [f32; 2] = [0.9, 0.999];

fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-odds))
}

/// The logarithm of the odds, and the sums of the hidden units.
fn forward(weights: &[f32], features: &Features) -> (f32, [f32; HIDDEN]) {
    let mut hidden: [f32; HIDDEN] = std::array::from_fn(|unit| weights[BIAS + unit]);
    let mut odds = weights[LAST];
    for (at, &feature) in features.iter().enumerate().filter(|(_, feature)| **feature != 0.0) {
        for (sum, weight) in hidden.iter_mut().zip(&weights[at * HIDDEN..]) {
            *sum += feature * weight;
        }
        odds += feature * weights[DIRECT + at];
    }
    for (sum, weight) in hidden.iter().zip(&weights[OUTPUT..]) {
        odds += sum.max(0.0) * weight;
    }
    (odds, hidden)
}

/// Adds the slope of the cross entropy of an example.
fn add_slope(weights: &[f32], example: &Example, slope: &mut [f32]) {
    let (odds, hidden) = forward(weights, &example.features);
    let target = (1.0 - SEARCHED) * example.result + SEARCHED * example.value;
    let error = (probability(odds) - target) / BATCH as f32;
    slope[LAST] += error;
    let mut back = [0.0; HIDDEN];
    for (unit, &sum) in hidden.iter().enumerate() {
        slope[OUTPUT + unit] += error * sum.max(0.0);
        back[unit] = if sum > 0.0 { error * weights[OUTPUT + unit] } else { 0.0 };
        slope[BIAS + unit] += back[unit];
    }
    for (at, &feature) in example.features.iter().enumerate().filter(|(_, feature)| **feature != 0.0) {
        slope[DIRECT + at] += error * feature;
        for (slope, back) in slope[at * HIDDEN..].iter_mut().zip(&back) {
            *slope += feature * back;
        }
    }
}

/// The mean cross entropy of examples.
fn loss<'e>(weights: &[f32], examples: impl Iterator<Item = &'e Example>) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0);
    for example in examples {
        let p = probability(forward(weights, &example.features).0).clamp(1e-4, 1.0 - 1e-4);
        sum -= example.result * libm::logf(p) + (1.0 - example.result) * libm::logf(1.0 - p);
        count += 1.0;
    }
    sum / count
}

/// Fits the network. The bytes of its file.
fn fit(examples: &[Example]) -> Vec<u8> {
    let mut rng = Rng::new(1);
    let mut around = |width: f32| (2.0 * rng.unit() as f32 - 1.0) * width;
    let mut weights: Vec<f32> = (0..WEIGHTS)
        .map(|at| match at {
            ..BIAS => around(0.35) + around(0.175),
            OUTPUT..DIRECT => around(0.25),
            _ => 0.0,
        })
        .collect();
    let mut order: Vec<&Example> = examples.iter().filter(|example| !example.held).collect();
    let steps = EPOCHS * order.len().div_ceil(BATCH);
    let (mut means, mut squares) = (vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]);
    // The bias correction of the averages, which began at 0.
    let mut lacks = [1.0, 1.0];
    let mut done = 0;
    for epoch in 1..=EPOCHS {
        for last in (1..order.len()).rev() {
            order.swap(last, rng.index(last + 1));
        }
        for batch in order.chunks(BATCH) {
            let mut slope = vec![0.0; WEIGHTS];
            batch.iter().for_each(|example| add_slope(&weights, example, &mut slope));
            let step = STEP * (1.0 - done as f32 / steps as f32);
            done += 1;
            for (lack, average) in lacks.iter_mut().zip(AVERAGES) {
                *lack *= average;
            }
            let moments = means.iter_mut().zip(&mut squares);
            for ((weight, slope), (mean, square)) in weights.iter_mut().zip(slope).zip(moments) {
                *mean = AVERAGES[0] * *mean + (1.0 - AVERAGES[0]) * slope;
                *square = AVERAGES[1] * *square + (1.0 - AVERAGES[1]) * slope * slope;
                let spread = libm::sqrtf(*square / (1.0 - lacks[1])) + 1e-8;
                *weight -= step * (*mean / (1.0 - lacks[0]) / spread + DECAY * *weight);
            }
        }
        let fitted = loss(&weights, order.iter().copied().take(50_000));
        let held = loss(&weights, examples.iter().filter(|example| example.held && example.begins));
        println!("epoch {epoch}: {fitted:.4} of fitted positions, {held:.4} at the start of turns in other games");
    }
    weights.iter().flat_map(|weight| weight.to_le_bytes()).collect()
}
