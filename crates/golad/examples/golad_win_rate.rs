//! Plays the games to which the engine's win rate is fitted, and fits it: the constants of `src/engine/win_rate.rs`.
//!
//! `cargo run --release -p banmen-golad --example golad_win_rate -- games 0 2000 > positions` plays the games 0 to 1,999 with
//! 60,000 trials a move, some thirty a minute, and writes a line for each position that an engine valued; parts of them may
//! be played elsewhere and joined. `golad_win_rate -- fit < positions` prints the constants, and how well the values that
//! were reported and the fitted ones predict the results of every fifth eight of games, which the fit does not use. The
//! games depend only on the engine in the build.
//!
//! Of each eight games from official starts four are of the engine against itself, where one side has few trials for some
//! turns, so that positions arise which are far from equal, and one with the same trials at all times. In one it plays
//! `balance3`, in two itself with a third and a twelfth of its trials.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads its arguments and prints")]

use std::array::from_fn;
use std::error::Error;

use banmen_catalog::{Options, WallClock};
use banmen_game::{GameState, Rng, Side};
use banmen_golad::engine::{self, Engine};
use banmen_golad::players::balance3::{self, Balance3};
use banmen_golad::{Golad, Move, Position, start};
use banmen_search::{Limits, Player, Report, StopFlag, Task};

/// The trials of a move, and the fewest with which a position counts.
const TRIALS: u64 = 60_000;
const FEWEST: u64 = 5_000;
/// `balance3` with them takes about as much time.
const BALANCE3_TRIALS: u64 = 200_000;
/// A side's trials during a handicap of at least, and fewer than so many turns.
const HANDICAPS: [(u64, [usize; 2]); 4] = [(500, [1, 11]), (1_000, [2, 22]), (2_000, [4, 44]), (4_000, [10, 100])];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["games", first, count] => {
            let first: u64 = first.parse()?;
            (first..first + count.parse::<u64>()?).try_for_each(play)
        }
        ["fit"] => fit(&std::io::read_to_string(std::io::stdin())?),
        _ => Err("`games FIRST COUNT` or `fit`".into()),
    }
}

fn think(player: &mut dyn Player<Golad>, state: &GameState<Golad>, trials: u64) -> Report<Move> {
    player.think(Task {
        state,
        limits: Limits { nodes: Some(trials), ..Limits::default() },
        clock: &WallClock::default(),
        stop: &StopFlag::default(),
        threads: 1,
        lines: 1,
        progress: None,
    })
}

/// Plays a game and prints its positions: number, kind, whether nothing told the players apart from there on, turns played, cells of
/// the side to move and of the other, the value in the engine's unit, whether that unit is plies, the reported win rate, the
/// depth, and the result for the side to move: 1, 0 or -1.
fn play(number: u64) -> Result<(), Box<dyn Error>> {
    let game = Golad::STANDARD;
    let mut rng = Rng::new(number);
    let (kind, weak) = (number % 8, if (number / 8).is_multiple_of(2) { Side::First } else { Side::Second });
    let first = rng.index(150);
    let handicaps = HANDICAPS.map(|(trials, [least, more])| (trials, first..first + least + rng.index(more - least)));
    let (fewer, handicap) = &handicaps[kind as usize % 4];
    let mut players: Vec<Box<dyn Player<Golad>>> = Vec::new();
    for side in Side::BOTH {
        players.push(if kind == 5 && side == weak {
            Box::new(Balance3::new(&Options::new(balance3::KEYS, &[])?)?)
        } else {
            Box::new(Engine::new(&Options::new(engine::KEYS, &[("table", "4")])?, number)?)
        });
    }
    let mut state = GameState::from(game, Position::new(start(&game, &format!("w-{number}"))?));
    let mut lines = Vec::new();
    let outcome = loop {
        if let Some(outcome) = state.outcome() {
            break outcome;
        }
        let Position { board, side, generations } = *state.position();
        let turn = usize::from(generations);
        let trials = match kind {
            0..=3 if side == weak && handicap.contains(&turn) => *fewer,
            5 if side == weak => BALANCE3_TRIALS,
            6 if side == weak => TRIALS / 3,
            7 if side == weak => TRIALS / 12,
            _ => TRIALS,
        };
        let report = think(&mut *players[side.index()], &state, trials);
        if trials >= FEWEST && !(kind == 5 && side == weak) {
            let equal = kind == 4 || kind < 4 && turn >= handicap.end;
            let value = report.eval().ok_or("no value")?;
            let counts = [side, side.other()].map(|side| board.count(side));
            let numbers = [number, kind, equal.into(), turn as u64, counts[0].into(), counts[1].into()];
            let numbers = numbers.map(|number| number.to_string()).join(" ");
            let plies = u8::from(value.unit == "plies");
            lines.push((side, format!("{numbers} {} {plies} {:.4} {}", value.n, report.value(), report.depth)));
        }
        state.play(report.best().ok_or("no move")?);
    };
    for (side, line) in lines {
        println!("{line} {}", outcome.winner.map_or(0, |winner| if winner == side { 1 } else { -1 }));
    }
    Ok(())
}

/// A position whose result no search has found.
struct Sample {
    held_out: bool,
    equal: bool,
    /// The turns after this one.
    turns: f64,
    /// The balance, 1 where all cells are the mover's.
    balance: f64,
    reported: f64,
    /// 1, 0 or -1.
    result: f64,
}

impl Sample {
    /// The terms whose weighted sum is the logarithm of the odds of a win to a draw; from the other side's view those of a
    /// loss.
    fn terms(&self, view: f64) -> [f64; 4] {
        let balance = view * self.balance;
        [1.0, balance, balance * balance.abs(), libm::log(self.turns)]
    }

    /// The probabilities of a win and of a loss.
    fn predict(&self, weights: &[f64; 4]) -> [f64; 2] {
        let odds = [1.0, -1.0].map(|view| libm::exp(dot(&self.terms(view), weights)));
        odds.map(|one| one / (1.0 + odds[0] + odds[1]))
    }
}

fn dot(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn read(text: &str) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut samples = Vec::new();
    let (mut decided, mut came_true) = (0, 0);
    for line in text.lines() {
        let numbers = line.split(' ').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let &[number, _, equal, turn, _, _, value, plies, reported, _, result] = &numbers[..] else {
            return Err(format!("not eleven numbers: {line}").into());
        };
        let turns = f64::from(Golad::STANDARD.turns()) - turn - 1.0;
        if plies == 1.0 {
            // A win at once is certain.
            decided += u32::from(value != 1.0);
            came_true += u32::from(value != 1.0 && value * result > 0.0);
        } else if turns > 0.0 {
            let held_out = (number as u64 / 8).is_multiple_of(5);
            samples.push(Sample { held_out, equal: equal == 1.0, turns, balance: value / 100.0, reported, result });
        }
    }
    println!("{} positions; of {decided} wins and losses in more than one ply {came_true} came true", samples.len());
    Ok(samples)
}

/// Fits the weights by Newton's method: the likelihood of the results has one maximum.
fn fit(text: &str) -> Result<(), Box<dyn Error>> {
    let samples = read(text)?;
    let mut weights = [-5.0, 2.0, 0.0, 0.0];
    for _ in 0..50 {
        let mut gradient = [0.0; 4];
        let mut curvature = [[0.0; 4]; 4];
        for sample in samples.iter().filter(|sample| !sample.held_out) {
            let terms = [1.0, -1.0].map(|view| sample.terms(view));
            let chances = sample.predict(&weights);
            let happened = [1.0, -1.0].map(|result| f64::from(u8::from(sample.result == result)));
            for row in 0..4 {
                let mean = chances[0] * terms[0][row] + chances[1] * terms[1][row];
                for view in 0..2 {
                    gradient[row] += (happened[view] - chances[view]) * terms[view][row];
                    for column in 0..4 {
                        curvature[row][column] += chances[view] * (terms[view][row] - mean) * terms[view][column];
                    }
                }
            }
        }
        let step = solve(curvature, gradient);
        let longest = step.iter().fold(1.0, |longest: f64, part| longest.max(part.abs()));
        weights = from_fn(|at| weights[at] + step[at] / longest);
        if step.iter().all(|part| part.abs() < 1e-9) {
            break;
        }
    }
    println!("constant, balance, its square with its sign, logarithm of the turns: {weights:.3?}");
    let fitted = |sample: &Sample| {
        let [win, loss] = sample.predict(&weights);
        (0.5 + (win - loss) / 2.0).clamp(0.01, 0.99)
    };
    for (name, equal) in [("all held-out positions", false), ("those of equal players", true)] {
        let held_out: Vec<&Sample> = samples.iter().filter(|one| one.held_out && (one.equal || !equal)).collect();
        println!("{name}: {}", held_out.len());
        errors("reported", &held_out, |sample| sample.reported);
        errors("fitted", &held_out, fitted);
        reliability("reported", &held_out, |sample| sample.reported);
        reliability("fitted", &held_out, fitted);
        for turns in [1..10, 10..20, 20..50, 50..100, 100..200] {
            let name = format!("{} to {} turns left", turns.start, turns.end - 1);
            let some: Vec<&Sample> =
                held_out.iter().filter(|one| turns.contains(&(one.turns as u32))).copied().collect();
            println!("{name}: {}", some.len());
            errors("reported", &some, |sample| sample.reported);
            errors("fitted", &some, fitted);
        }
    }
    Ok(())
}

/// Prints the mean logarithmic loss and the mean squared error of predicted scores.
fn errors(name: &str, samples: &[&Sample], predict: impl Fn(&Sample) -> f64) {
    let (mut loss, mut square) = (0.0, 0.0);
    for sample in samples {
        let (predicted, score) = (predict(sample), (1.0 + sample.result) / 2.0);
        loss -= score * libm::log(predicted) + (1.0 - score) * libm::log(1.0 - predicted);
        square += (predicted - score) * (predicted - score);
    }
    let count = samples.len() as f64;
    println!("  {name}: log loss {:.4}, Brier score {:.4}", loss / count, square / count);
}

/// Prints mean predictions and scores from the view of the side that leads, by the prediction.
fn reliability(name: &str, samples: &[&Sample], predict: impl Fn(&Sample) -> f64) {
    println!("  {name}: predicted, scored, positions");
    let mut bins = [[0.0; 3]; 10];
    for sample in samples {
        let (predicted, score) = (predict(sample), (1.0 + sample.result) / 2.0);
        let (predicted, score) = if predicted < 0.5 { (1.0 - predicted, 1.0 - score) } else { (predicted, score) };
        let bin = &mut bins[((predicted - 0.5) * 20.0).min(9.0) as usize];
        *bin = [bin[0] + predicted, bin[1] + score, bin[2] + 1.0];
    }
    for [predicted, score, count] in bins.into_iter().filter(|bin| bin[2] > 0.0) {
        println!("    {:.3} {:.3} {count}", predicted / count, score / count);
    }
}

/// Solves linear equations by elimination.
fn solve(mut rows: [[f64; 4]; 4], mut right: [f64; 4]) -> [f64; 4] {
    for at in 0..4 {
        for other in (0..4).filter(|&other| other != at) {
            let factor = rows[other][at] / rows[at][at];
            rows[other] = from_fn(|column| rows[other][column] - factor * rows[at][column]);
            right[other] -= factor * right[at];
        }
    }
    from_fn(|at| right[at] / rows[at][at])
}
