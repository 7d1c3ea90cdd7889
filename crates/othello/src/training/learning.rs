//! The recipe of the weights, and its steps for the crate `learn`.

use std::sync::Arc;

use banmen_catalog::{Error, ErrorCode, Fitted, Generation, HeldOut, Learning, Shard};
use banmen_search::StopFlag;

use super::games::{EXAMPLE_BYTES, Example, Generator, begins};
use super::{Fit, NetworkFit, held_out};
use crate::engine::{Evaluation, Weights};
use crate::moves::legal;

/// The generations, from an evaluation that knows nothing. See docs/othello-engine.md for what each brings.
const RECIPE: [Generation; 4] = [
    Generation { games: 100_000, depth: 2, exact: 12, result: 1.0 },
    Generation { games: 200_000, depth: 4, exact: 14, result: 0.2 },
    Generation { games: 400_000, depth: 6, exact: 16, result: 0.0 },
    Generation { games: 400_000, depth: 8, exact: 16, result: 0.0 },
];

/// Empty squares of a phase, in reports.
const PHASE: u32 = 6;

/// How the weights of the engine's evaluation are learned.
pub struct OthelloLearning;

impl Learning for OthelloLearning {
    fn recipe(&self) -> &'static [Generation] {
        &RECIPE
    }

    fn play(
        &self,
        generation: &Generation,
        weights: Option<&[u8]>,
        seed: u64,
        games: usize,
        stop: &StopFlag,
    ) -> Result<Vec<u8>, Error> {
        let weights = match weights {
            None => Weights::zero(),
            Some(bytes) => {
                Weights::from_bytes(bytes).map_err(|error| Error::new(ErrorCode::BadWeights, error.to_string()))?
            }
        };
        let evaluation = Arc::new(Evaluation::new(weights));
        let mut generator = Generator::new(evaluation, seed, generation.depth, generation.exact);
        let mut examples = Vec::new();
        for game in 0..games {
            if stop.stopped() {
                return Err(Error::new(ErrorCode::Stopped, format!("stopped after {game} of {games} games")));
            }
            generator.play(&mut examples);
        }
        Ok(examples.into_iter().flat_map(Example::to_bytes).collect())
    }

    fn check(&self, generation: &Generation, games: usize, examples: &[u8]) -> Result<(), String> {
        let examples = read(examples).map_err(|error| error.message)?;
        let mut begun = 0;
        for (at, example) in examples.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| examples.get(at));
            begun += usize::from(before.is_none_or(|before| begins(before, example)));
            let exact = example.empties() <= generation.exact;
            let value = i32::from(example.value);
            let fits = example.exact == exact && (-6400..=6400).contains(&value);
            if !fits || exact && value != 100 * i32::from(example.result) || legal(example.own, example.opp) == 0 {
                return Err(format!("number {at} is no position of a game that was played so"));
            }
        }
        // Rarely, a game begins with fewer empty squares than the one before had at its end.
        let unseen = 2 + games / 50;
        if begun > games || begun + unseen < games {
            return Err(format!("they are of {begun} games instead of {games}"));
        }
        Ok(())
    }

    fn fit(
        &self,
        generation: &Generation,
        shards: &[Shard],
        stop: &StopFlag,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Fitted, Error> {
        let latest = shards.iter().map(|shard| shard.generation).max().unwrap_or(0);
        let (mut training, mut validation) = (Vec::new(), Vec::new());
        for shard in shards {
            let examples = read(&shard.examples)?;
            let (fitted, held) = held_out(&examples);
            let current = shard.generation == latest;
            training.extend(fitted.iter().filter(|example| current || example.exact));
            if current {
                validation.extend_from_slice(held);
            }
        }
        let fit = Fit { result: generation.result, ..Fit::default() };
        let weights = fit.run(&training, stop, progress)?;
        let weights = NetworkFit::default().run(&fit, weights, &training, stop, progress)?;
        let bytes = weights.to_bytes();
        let evaluation = Evaluation::new(weights);
        Ok(Fitted {
            weights: bytes,
            positions: training.len() as u64,
            held_out: errors(&fit, &evaluation, &validation),
        })
    }
}

/// Reads examples that stand one after the other.
fn read(bytes: &[u8]) -> Result<Vec<Example>, Error> {
    let bad = |what: String| Error::new(ErrorCode::BadExamples, what);
    let (all, rest) = bytes.as_chunks::<EXAMPLE_BYTES>();
    if !rest.is_empty() {
        return Err(bad(format!("{} bytes are no whole number of positions of {EXAMPLE_BYTES} bytes", bytes.len())));
    }
    let example = |(number, bytes)| {
        Example::from_bytes(bytes).ok_or_else(|| bad(format!("number {number} is no position of a training game")))
    };
    all.iter().enumerate().map(example).collect()
}

/// The errors of an evaluation by phase.
fn errors(fit: &Fit, evaluation: &Evaluation, examples: &[Example]) -> Vec<HeldOut> {
    let mut sums = [(0u64, 0.0, 0.0); (60 / PHASE + 1) as usize];
    for example in examples {
        let value = f64::from(evaluation.value(example.own, example.opp)) / 100.0;
        let (positions, target, result) = &mut sums[(example.empties() / PHASE) as usize];
        *positions += 1;
        *target += (value - fit.target(example)).abs();
        *result += (value - f64::from(example.result)).abs();
    }
    let phase = |(number, (positions, target, result)): (usize, (u64, f64, f64))| {
        let first = number as u32 * PHASE;
        let mean = |sum: f64| sum / positions as f64;
        let phase = format!("{first} to {} empty squares", (first + PHASE - 1).min(60));
        (positions > 0).then(|| HeldOut { phase, positions, target: mean(target), result: mean(result) })
    };
    sums.into_iter().enumerate().filter_map(phase).collect()
}
