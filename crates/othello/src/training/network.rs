//! The fit of the network: descent on the squared error that the sum of the weights leaves.

use banmen_catalog::{Error, ErrorCode};
use banmen_game::Rng;
use banmen_search::StopFlag;

use crate::engine::network::{
    HIDDEN, INPUTS, MAX_BIAS, NEURONS, NetworkWeights, ONE, OUTPUT_DISCS, PHASES, WEIGHT_ONE, phase,
};
use crate::engine::patterns::{Patterns, TERMS};
use crate::engine::{Evaluation, Weights};

use super::{Example, Fit};

/// How the network is fitted: by Adam (Kingma and Ba 2015) with a rate that falls to zero.
#[derive(Clone, Copy, Debug)]
pub struct NetworkFit {
    /// How often every example is used.
    pub epochs: u32,
    /// Examples of a step.
    pub batch: usize,
    /// The rate of the first step.
    pub rate: f32,
    /// Pulls every number of a feature towards zero: the gradient of the mean squared error, in units of the output, has
    /// this multiple of the number added. Without it rare features overfit their few examples.
    pub ridge: f32,
}

impl Default for NetworkFit {
    fn default() -> Self {
        NetworkFit { epochs: 10, batch: 16_384, rate: 0.002, ridge: 2e-5 }
    }
}

/// An example whose sum of weights is known.
struct Sample {
    own: u64,
    opp: u64,
    /// What the network should add, in units of its output.
    target: f32,
    /// How much the example counts.
    weight: f32,
}

/// Real numbers with their gradient and Adam's averages.
struct Parameters {
    values: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    /// The greatest magnitude.
    most: f32,
    /// What the steps so far have left of the averages' zeros, at the beginning 1.
    left: [f32; 2],
}

impl Parameters {
    fn new(values: Vec<f32>, most: f32) -> Self {
        let zero = vec![0.0; values.len()];
        Parameters { values, gradient: zero.clone(), mean: zero.clone(), square: zero, most, left: [1.0; 2] }
    }

    /// A step against the gradient, which is cleared.
    fn step(&mut self, rate: f32, ridge: f32) {
        const DECAY: [f32; 2] = [0.9, 0.999];
        self.left = [0, 1].map(|average| self.left[average] * DECAY[average]);
        let [mean_scale, square_scale] = self.left.map(|left| 1.0 / (1.0 - left));
        let averages = self.mean.iter_mut().zip(&mut self.square);
        for ((value, gradient), (mean, square)) in self.values.iter_mut().zip(&mut self.gradient).zip(averages) {
            let slope = *gradient + ridge * *value;
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
            *value -= rate * *mean * mean_scale / ((*square * square_scale).sqrt() + 1e-8);
            *value = value.clamp(-self.most, self.most);
            *gradient = 0.0;
        }
    }
}

/// Where the numbers of a phase stand: the neurons' weights, their biases, the output's weights of the neurons and of the
/// inputs, its bias.
const BIAS: usize = NEURONS * INPUTS;
const OUTPUT: usize = BIAS + NEURONS;
const DIRECT: usize = OUTPUT + NEURONS;
const CONSTANT: usize = DIRECT + INPUTS;
const PHASE_NUMBERS: usize = CONSTANT + 1;

/// The network in real numbers.
struct Model {
    features: Parameters,
    bias: Parameters,
    phases: Parameters,
}

/// What the network computes for a position on the way to its output.
struct Pass {
    sums: [f32; HIDDEN],
    inputs: [f32; INPUTS],
    neurons: [f32; NEURONS],
    output: f32,
}

impl Model {
    /// Small random numbers; the same for all phases.
    fn new(rng: &mut Rng) -> Self {
        let mut uniform = |from: f32, to: f32| from + (to - from) * (rng.bits() >> 40) as f32 / (1u64 << 24) as f32;
        let count = Patterns::get().feature_count() * HIDDEN;
        let features = (0..count).map(|_| uniform(-0.05, 0.05)).collect();
        let bias = (0..HIDDEN).map(|_| uniform(0.0, 1.0)).collect();
        let one: Vec<f32> = (0..PHASE_NUMBERS)
            .map(|at| match at {
                0..BIAS => uniform(-0.25, 0.25),
                BIAS..OUTPUT => uniform(0.0, 0.5),
                CONSTANT => 0.0,
                _ => uniform(-0.05, 0.05),
            })
            .collect();
        let greatest = |number: i32, one: i32| number as f32 / one as f32;
        Model {
            features: Parameters::new(features, greatest(i8::MAX.into(), ONE)),
            bias: Parameters::new(bias, greatest(MAX_BIAS.into(), ONE)),
            // The biases have the smaller unit, so they cannot exceed the range either.
            phases: Parameters::new(one.repeat(PHASES), greatest(i16::MAX.into(), WEIGHT_ONE)),
        }
    }

    fn pass(&self, terms: &[u32; TERMS], phase: usize) -> Pass {
        let mut sums: [f32; HIDDEN] = std::array::from_fn(|at| self.bias.values[at]);
        let features = self.features.values.as_chunks::<HIDDEN>().0;
        for &term in terms {
            for (sum, number) in sums.iter_mut().zip(&features[term as usize]) {
                *sum += number;
            }
        }
        let mut inputs = [0.0; INPUTS];
        for (at, sum) in sums.into_iter().enumerate() {
            let clamped = sum.clamp(0.0, 1.0);
            (inputs[at], inputs[HIDDEN + at]) = (clamped, clamped * clamped);
        }
        let numbers = &self.phases.values[phase * PHASE_NUMBERS..][..PHASE_NUMBERS];
        let mut neurons = [0.0; NEURONS];
        let mut output = numbers[CONSTANT] + dot(&numbers[DIRECT..CONSTANT], &inputs);
        for (at, row) in numbers[..BIAS].chunks_exact(INPUTS).enumerate() {
            neurons[at] = numbers[BIAS + at] + dot(row, &inputs);
            output += numbers[OUTPUT + at] * neurons[at].clamp(0.0, 1.0);
        }
        Pass { sums, inputs, neurons, output }
    }

    /// Adds the gradient of a position, for this derivative of the loss by the output.
    fn back(&mut self, terms: &[u32; TERMS], phase: usize, pass: &Pass, slope: f32) {
        let first = phase * PHASE_NUMBERS;
        let numbers = &self.phases.values[first..][..PHASE_NUMBERS];
        let gradient = &mut self.phases.gradient[first..][..PHASE_NUMBERS];
        let mut inputs = [0.0; INPUTS];
        gradient[CONSTANT] += slope;
        for at in 0..INPUTS {
            gradient[DIRECT + at] += slope * pass.inputs[at];
            inputs[at] = slope * numbers[DIRECT + at];
        }
        for (neuron, &sum) in pass.neurons.iter().enumerate() {
            gradient[OUTPUT + neuron] += slope * sum.clamp(0.0, 1.0);
            if sum > 0.0 && sum < 1.0 {
                let slope = slope * numbers[OUTPUT + neuron];
                gradient[BIAS + neuron] += slope;
                let row = neuron * INPUTS..(neuron + 1) * INPUTS;
                for ((gradient, number), (input, sum)) in
                    gradient[row.clone()].iter_mut().zip(&numbers[row]).zip(pass.inputs.iter().zip(&mut inputs))
                {
                    *gradient += slope * input;
                    *sum += slope * number;
                }
            }
        }
        let mut sums = [0.0; HIDDEN];
        for (at, &sum) in pass.sums.iter().enumerate() {
            if sum > 0.0 && sum < 1.0 {
                sums[at] = inputs[at] + 2.0 * sum * inputs[HIDDEN + at];
            }
            self.bias.gradient[at] += sums[at];
        }
        let features = self.features.gradient.as_chunks_mut::<HIDDEN>().0;
        for &term in terms {
            for (gradient, sum) in features[term as usize].iter_mut().zip(&sums) {
                *gradient += sum;
            }
        }
    }

    fn rounded(&self) -> NetworkWeights {
        let round = |&number: &f32, one: i32, most: i16| {
            (number * one as f32).round().clamp(-f32::from(most), f32::from(most)) as i16
        };
        let mut weights = NetworkWeights::zero();
        for (number, value) in weights.features.as_flattened_mut().iter_mut().zip(&self.features.values) {
            *number = round(value, ONE, i8::MAX.into()) as i8;
        }
        for (number, value) in weights.bias.iter_mut().zip(&self.bias.values) {
            *number = round(value, ONE, MAX_BIAS);
        }
        for (phase, values) in weights.phases.iter_mut().zip(self.phases.values.chunks_exact(PHASE_NUMBERS)) {
            for (at, (number, value)) in phase.numbers().zip(values).enumerate() {
                let bias = (BIAS..OUTPUT).contains(&at) || at == CONSTANT;
                *number = round(value, if bias { ONE } else { WEIGHT_ONE }, i16::MAX);
            }
        }
        weights
    }
}

fn dot(a: &[f32], b: &[f32; INPUTS]) -> f32 {
    // Eight sums, which the compiler keeps in a register.
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    sums.iter().sum()
}

impl NetworkFit {
    /// The weights with a network for what they leave. The same examples in the same order give the same network on every
    /// machine. `progress` gets the steps that are done and their number.
    ///
    /// # Errors
    /// `stopped` when `stop` was set.
    pub fn run(
        &self,
        fit: &Fit,
        weights: Weights,
        examples: &[Example],
        stop: &StopFlag,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Weights, Error> {
        let sums = Evaluation::new(Weights { network: NetworkWeights::zero(), ..weights.clone() });
        let mut samples: Vec<Sample> = examples
            .iter()
            .map(|example| {
                let Example { own, opp, .. } = *example;
                let target = fit.target(example);
                let rest = target - f64::from(sums.value(own, opp)) / 100.0;
                let weight = fit.weight(target) as f32;
                Sample { own, opp, target: (rest / f64::from(OUTPUT_DISCS)) as f32, weight }
            })
            .collect();
        let mut rng = Rng::new(1);
        for last in (1..samples.len()).rev() {
            samples.swap(last, rng.index(last + 1));
        }
        let mut model = Model::new(&mut rng);
        let steps = self.epochs * samples.len().div_ceil(self.batch) as u32;
        let mut step = 0;
        for _ in 0..self.epochs {
            for batch in samples.chunks(self.batch) {
                if stop.stopped() {
                    return Err(Error::new(ErrorCode::Stopped, format!("stopped after {step} of {steps} steps")));
                }
                for sample in batch {
                    let (terms, phase) = sample.place();
                    let pass = model.pass(&terms, phase);
                    let slope = 2.0 * sample.weight * (pass.output - sample.target) / batch.len() as f32;
                    model.back(&terms, phase, &pass, slope);
                }
                let rate = self.rate * (1.0 - step as f32 / steps as f32);
                step += 1;
                model.features.step(rate, self.ridge);
                model.bias.step(rate, 0.0);
                model.phases.step(rate, 0.0);
                progress(step, steps);
            }
        }
        Ok(Weights { network: model.rounded(), ..weights })
    }
}

impl Sample {
    /// The features of the position, and its phase.
    fn place(&self) -> ([u32; TERMS], usize) {
        let patterns = Patterns::get();
        let terms = patterns.states(self.own, self.opp).map(|state| patterns.feature(state as usize) as u32);
        (terms, phase((!(self.own | self.opp)).count_ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::legal;
    use crate::testing::positions;

    /// What no sum of weights can express is learned: whether both sides have many moves or both have few.
    #[test]
    fn what_no_sum_expresses_is_learned() {
        let example = |(own, opp): (u64, u64)| {
            let (ours, theirs) = (legal(own, opp).count_ones(), legal(opp, own).count_ones());
            let value = if (ours > 8) == (theirs > 8) { 2000 } else { -2000 };
            Example { own, opp, result: 0, exact: false, value }
        };
        let all: Vec<Example> = positions(400).into_iter().map(example).collect();
        let (training, held_out) = all.split_at(all.len() / 10 * 9);
        let fit = Fit { result: 0.0, half_weight: 64.0, ..Fit::default() };
        let error = |weights: Weights| {
            let evaluation = Evaluation::new(weights);
            let difference = |example: &Example| i32::from(example.value) - evaluation.value(example.own, example.opp);
            held_out.iter().map(|example| f64::from(difference(example).abs())).sum::<f64>() / held_out.len() as f64
        };
        let stop = StopFlag::default();
        let sums = fit.run(training, &stop, &mut |_, _| {}).expect("it is not stopped");
        let network = NetworkFit { epochs: 12, batch: 512, rate: 0.01, ridge: 1e-3 };
        let mut last = (0, 0);
        let fitted = network.run(&fit, sums.clone(), training, &stop, &mut |step, all| last = (step, all));
        let fitted = fitted.expect("it is not stopped");
        assert!(last.0 == last.1 && last.0 == 12 * training.len().div_ceil(512) as u32, "{last:?}");
        assert_eq!(Weights { network: NetworkWeights::zero(), ..fitted.clone() }, sums);
        let (before, after) = (error(sums), error(fitted));
        assert!(after < 0.8 * before, "{before} {after}");
    }

    fn part(model: &mut Model, kind: usize) -> &mut Parameters {
        match kind {
            0 => &mut model.features,
            1 => &mut model.bias,
            _ => &mut model.phases,
        }
    }

    /// The gradient of every kind of number is the change of the loss.
    #[test]
    fn gradients_are_those_of_the_loss() {
        let mut model = Model::new(&mut Rng::new(4));
        let sample = Sample { own: 0x0000_1c18_1000_0000, opp: 0x0000_0004_0838_0000, target: 0.3, weight: 1.0 };
        let (terms, phase) = sample.place();
        let pass = model.pass(&terms, phase);
        model.back(&terms, phase, &pass, 2.0 * (pass.output - sample.target));
        let loss = |model: &Model| {
            let error = model.pass(&terms, phase).output - sample.target;
            error * error
        };
        let first = phase * PHASE_NUMBERS;
        let mut slopes = 0;
        let feature = terms[7] as usize * HIDDEN;
        let places = (0..HIDDEN)
            .map(|at| (0, feature + at))
            .chain((0..HIDDEN).map(|at| (1, at)))
            .chain((0..PHASE_NUMBERS).map(|at| (2, first + at)));
        for (kind, at) in places {
            let gradient = part(&mut model, kind).gradient[at];
            let mut moved = |by: f32| {
                let before = part(&mut model, kind).values[at];
                part(&mut model, kind).values[at] += by;
                let loss = loss(&model);
                part(&mut model, kind).values[at] = before;
                loss
            };
            let change = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((change - gradient).abs() < 2e-3 + 0.05 * gradient.abs(), "{kind} {at}: {change} {gradient}");
            slopes += u32::from(gradient.abs() > 1e-2);
        }
        assert!(slopes > 20, "{slopes}");
    }

    #[test]
    fn a_fit_can_be_stopped() {
        let stop = StopFlag::default();
        stop.stop();
        let example = Example { own: 1 << 28, opp: 1 << 27, result: 0, exact: false, value: 0 };
        let result = NetworkFit::default().run(&Fit::default(), Weights::zero(), &[example], &stop, &mut |_, _| {});
        assert_eq!(result.expect_err("it was stopped").code, ErrorCode::Stopped);
    }
}
