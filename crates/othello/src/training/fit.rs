//! The fit of the weights whose sum is the evaluation: least squares by conjugate gradients.

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

use crate::engine::network::NetworkWeights;
use crate::engine::patterns::{Patterns, TERMS};
use crate::engine::weights::{EMPTIES, KNOTS, UNIT, Weights, between};

use super::Example;

/// Number of knots.
const K: usize = KNOTS.len();

/// How the weights are fitted.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// The share of the game's result in the target of positions whose score is not known; the rest is the value of the
    /// search.
    pub result: f64,
    /// A position with a target of so many discs has half the weight of an even one: the sum of patterns does not fit
    /// one-sided positions well, and they matter less.
    pub half_weight: f64,
    /// Pulls every weight towards zero with the force of so many examples.
    pub ridge: f64,
    /// Pulls neighbouring knots of a weight towards each other with the force of so many examples.
    pub smooth: f64,
    /// Steps of conjugate gradients.
    pub steps: u32,
}

impl Default for Fit {
    fn default() -> Self {
        Fit { result: 0.3, half_weight: 24.0, ridge: 3.0, smooth: 3.0, steps: 60 }
    }
}

/// The features that occur in examples, numbered in their order: the weights of the others are zero, and no unknowns.
struct Places {
    /// By feature; [`NOWHERE`] where it does not occur.
    of_feature: Vec<u32>,
    count: usize,
}

const NOWHERE: u32 = u32::MAX;

impl Places {
    fn of(examples: &[Example]) -> Places {
        let patterns = Patterns::get();
        let mut of_feature = vec![NOWHERE; patterns.feature_count()];
        for example in examples {
            for state in patterns.states(example.own, example.opp) {
                of_feature[patterns.feature(state as usize)] = 0;
            }
        }
        let mut count = 0;
        for place in of_feature.iter_mut().filter(|place| **place != NOWHERE) {
            *place = count;
            count += 1;
        }
        Places { of_feature, count: count as usize }
    }
}

/// An example as a row of the equations. The unknowns are the weights of the features that occur, by feature and then by knot,
/// and after them the constants by empty squares, all in discs.
struct Row {
    /// Where the weights of each term begin, at the first of the two knots.
    terms: [u32; TERMS],
    /// Where the constant is.
    constant: u32,
    /// The weight of the second knot.
    part: f64,
    /// What the sum should be.
    target: f64,
    /// How much the example counts.
    weight: f64,
}

impl Fit {
    /// What the evaluation of a position should be, in discs.
    pub(super) fn target(&self, example: &Example) -> f64 {
        let (result, value) = (f64::from(example.result), f64::from(example.value) / 100.0);
        if example.exact { result } else { self.result * result + (1.0 - self.result) * value }
    }

    /// How much an example with this target counts.
    pub(super) fn weight(&self, target: f64) -> f64 {
        let distance = target / self.half_weight;
        1.0 / (1.0 + distance * distance)
    }

    fn row(&self, example: &Example, places: &Places) -> Row {
        let target = self.target(example);
        let patterns = Patterns::get();
        let empties = example.empties();
        let (knot, part) = between(empties.into());
        let states = patterns.states(example.own, example.opp);
        let terms = states.map(|state| places.of_feature[patterns.feature(state as usize)] * K as u32 + knot as u32);
        Row { terms, constant: (places.count * K) as u32 + empties, part, target, weight: self.weight(target) }
    }

    /// The weights whose sum fits the examples best, with a network that is zero. `progress` gets the steps that are done and their number.
    ///
    /// # Errors
    /// `stopped` when `stop` was set.
    pub fn run(
        &self,
        examples: &[Example],
        stop: &StopFlag,
        progress: &mut dyn FnMut(u32, u32),
    ) -> Result<Weights, Error> {
        let places = Places::of(examples);
        let features = places.count;
        let size = features * K + EMPTIES;
        let mut x = vec![0.0; size];
        // Residual of the normal equations, and their diagonal.
        let (mut residual, mut diagonal) = (vec![0.0; size], vec![0.0; size]);
        for example in examples {
            let row = self.row(example, &places);
            row.add(&mut residual, row.weight * row.target);
            row.add_squares(&mut diagonal);
        }
        for (i, d) in diagonal.iter_mut().enumerate() {
            let neighbours = if i >= features * K { 0 } else { usize::from(i % K > 0) + usize::from(i % K < K - 1) };
            *d += self.ridge + self.smooth * neighbours as f64;
        }
        let mut z: Vec<f64> = residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = z.clone();
        let mut rz = dot(&residual, &z);
        for step in 1..=self.steps {
            if stop.stopped() {
                return Err(Error::new(
                    ErrorCode::Stopped,
                    format!("stopped after {} of {} steps", step - 1, self.steps),
                ));
            }
            let mut image = vec![0.0; size];
            for example in examples {
                let row = self.row(example, &places);
                row.add(&mut image, row.weight * row.dot(&direction));
            }
            for i in 0..size {
                image[i] += self.ridge * direction[i];
                if i < features * K && i % K > 0 {
                    let pull = self.smooth * (direction[i] - direction[i - 1]);
                    image[i] += pull;
                    image[i - 1] -= pull;
                }
            }
            let length = rz / dot(&direction, &image);
            for i in 0..size {
                x[i] += length * direction[i];
                residual[i] -= length * image[i];
                z[i] = residual[i] / diagonal[i];
            }
            let next = dot(&residual, &z);
            let share = next / rz;
            rz = next;
            for i in 0..size {
                direction[i] = z[i] + share * direction[i];
            }
            progress(step, self.steps);
        }
        let round = |x: f64| (x / UNIT).round().clamp(-32000.0, 32000.0) as i16;
        let knots = x[..features * K].as_chunks::<K>().0;
        let rounded = |&place: &u32| knots.get(place as usize).map_or([0; K], |knots| knots.map(round));
        Ok(Weights {
            constants: x[features * K..].iter().map(|&x| round(x)).collect(),
            features: places.of_feature.iter().map(rounded).collect(),
            network: NetworkWeights::zero(),
        })
    }
}

impl Row {
    fn dot(&self, x: &[f64]) -> f64 {
        let (mut first, mut second) = (0.0, 0.0);
        for &term in &self.terms {
            first += x[term as usize];
            second += x[term as usize + 1];
        }
        first + self.part * (second - first) + x[self.constant as usize]
    }

    fn add(&self, x: &mut [f64], value: f64) {
        let (first, second) = (value * (1.0 - self.part), value * self.part);
        for &term in &self.terms {
            x[term as usize] += first;
            x[term as usize + 1] += second;
        }
        x[self.constant as usize] += value;
    }

    fn add_squares(&self, x: &mut [f64]) {
        for &term in &self.terms {
            x[term as usize] += self.weight * (1.0 - self.part) * (1.0 - self.part);
            x[term as usize + 1] += self.weight * self.part * self.part;
        }
        x[self.constant as usize] += self.weight;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::engine::Evaluation;
    use crate::testing::positions;

    /// Examples whose values come from known weights are predicted by the fitted ones.
    #[test]
    fn known_weights_are_found() {
        let patterns = Patterns::get();
        let mut rng = Rng::new(3);
        let mut truth = Weights::zero();
        // A few features, those of the numbers of moves, so that the examples determine them.
        for feature in patterns.feature_count() - 40..patterns.feature_count() {
            let weight = rng.below(64) as i16 - 32;
            truth.features[feature] = [weight; K];
        }
        let evaluation = Evaluation::new(truth);
        let example = |(own, opp)| {
            let value = evaluation.value(own, opp) as i16;
            Example { own, opp, result: 0, exact: false, value }
        };
        let all: Vec<Example> = positions(1_000).into_iter().map(example).collect();
        let (training, validation) = all.split_at(all.len() / 10 * 9);
        let fit = Fit { result: 0.0, half_weight: 64.0, ridge: 1.0, smooth: 10.0, steps: 60 };
        let mut steps = 0;
        let weights = fit.run(training, &StopFlag::default(), &mut |step, all| {
            steps += 1;
            assert_eq!((step, all), (steps, 60));
        });
        let fitted = Evaluation::new(weights.expect("it is not stopped"));
        let error = |evaluation: &Evaluation| {
            let difference = |example: &Example| i32::from(example.value) - evaluation.value(example.own, example.opp);
            validation.iter().map(|example| f64::from(difference(example).abs())).sum::<f64>() / validation.len() as f64
        };
        let (before, after) = (error(&Evaluation::new(Weights::zero())), error(&fitted));
        assert!(after < before / 2.0, "{before} {after}");
    }

    #[test]
    fn a_fit_can_be_stopped() {
        let stop = StopFlag::default();
        stop.stop();
        let error = Fit::default().run(&[], &stop, &mut |_, _| {}).expect_err("it was stopped");
        assert_eq!(error.code, ErrorCode::Stopped);
    }

    #[test]
    fn the_target_mixes_result_and_value_unless_the_score_is_exact() {
        let fit = Fit { result: 0.25, ..Fit::default() };
        let example = Example { own: 1, opp: 2, result: 8, exact: false, value: -400 };
        assert_eq!(fit.target(&example), -1.0);
        assert_eq!(fit.target(&Example { exact: true, ..example }), 8.0);
    }
}
