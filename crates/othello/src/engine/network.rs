//! The network of the evaluation: what the patterns of a position mean together, beyond the sum of their weights.
//!
//! Every feature has a vector of [`HIDDEN`] numbers, the same in all phases of the game. Their sum over the states of a
//! position, with a bias, is clamped to the range 0 to 1; with the squares of these numbers it is the input of a small
//! network of the phase: [`NEURONS`] neurons, clamped likewise, and one output to which the inputs also lead directly. The
//! output is added to the sum of the weights. All numbers are integers, so every machine has the same values.
//!
//! It is the shape of the evaluations of chess programs (Nasu 2018, "Efficiently Updatable Neural-Network-based
//! Evaluation Functions"), over states of patterns instead of pieces.

mod kernel;

use super::patterns::{Patterns, STATES, TABLE, TERMS, table};

/// The numbers of a feature.
pub(crate) const HIDDEN: usize = 16;

/// The inputs of the network of a phase: the clamped sums, then their squares.
pub(crate) const INPUTS: usize = 2 * HIDDEN;

/// The neurons of the network of a phase.
pub(crate) const NEURONS: usize = 8;

/// The phases, of [`PHASE_EMPTIES`] empty squares each, from the end of the game on.
pub(crate) const PHASES: usize = 10;

/// The numbers of empty squares of a phase; the last one has also those above.
const PHASE_EMPTIES: u32 = 6;

/// The sums, inputs and neurons are multiples of 1 / `ONE`.
pub(crate) const ONE: i32 = 512;

/// The weights behind the sums are multiples of 1 / `WEIGHT_ONE`.
pub(crate) const WEIGHT_ONE: i32 = 4096;

/// The discs that an output of 1 is worth.
pub(crate) const OUTPUT_DISCS: i32 = 16;

/// The greatest bias: with it no sum of vectors overflows.
pub(crate) const MAX_BIAS: i16 = 4096;

/// The phase of a number of empty squares.
#[inline]
pub(crate) fn phase(empties: u32) -> usize {
    ((empties / PHASE_EMPTIES) as usize).min(PHASES - 1)
}

/// The numbers of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetworkWeights {
    /// By feature, in 1 / [`ONE`].
    pub(crate) features: Vec<[i8; HIDDEN]>,
    /// In 1 / [`ONE`], at most [`MAX_BIAS`].
    pub(crate) bias: [i16; HIDDEN],
    /// By phase.
    pub(crate) phases: Vec<PhaseWeights>,
}

/// The numbers of one phase: weights in 1 / [`WEIGHT_ONE`], biases in 1 / [`ONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhaseWeights {
    /// Of each neuron, its inputs' weights.
    pub(crate) neurons: [[i16; INPUTS]; NEURONS],
    /// The neurons' biases.
    pub(crate) bias: [i16; NEURONS],
    /// The output's weights of the neurons.
    pub(crate) output: [i16; NEURONS],
    /// The output's weights of the inputs.
    pub(crate) direct: [i16; INPUTS],
    /// The output's bias.
    pub(crate) constant: i16,
}

impl PhaseWeights {
    const ZERO: PhaseWeights = PhaseWeights {
        neurons: [[0; INPUTS]; NEURONS],
        bias: [0; NEURONS],
        output: [0; NEURONS],
        direct: [0; INPUTS],
        constant: 0,
    };

    /// All numbers, in the order of a file.
    pub(crate) fn numbers(&mut self) -> impl Iterator<Item = &mut i16> {
        let PhaseWeights { neurons, bias, output, direct, constant } = self;
        neurons.as_flattened_mut().iter_mut().chain(bias).chain(output).chain(direct).chain([constant])
    }
}

impl NetworkWeights {
    /// A network whose output is zero.
    pub(crate) fn zero() -> Self {
        NetworkWeights {
            features: vec![[0; HIDDEN]; Patterns::get().feature_count()],
            bias: [0; HIDDEN],
            phases: vec![PhaseWeights::ZERO; PHASES],
        }
    }
}

/// The network with the table of its states.
pub(super) struct Network {
    states: Box<[[i8; HIDDEN]; TABLE]>,
    bias: [i16; HIDDEN],
    phases: [Head; PHASES],
}

/// The clamped sums, then their squares.
#[repr(align(32))]
struct Inputs([i16; INPUTS]);

/// The numbers behind the sums in one phase, as [`PhaseWeights`].
#[repr(C, align(32))]
struct Head {
    /// By pair of inputs, the weights of all neurons. This and the next three fill whole registers.
    pairs: [[[i16; 2]; NEURONS]; INPUTS / 2],
    bias: [i32; NEURONS],
    output: [i32; NEURONS],
    direct: [i16; INPUTS],
    constant: i32,
}

impl Head {
    fn new(weights: &PhaseWeights) -> Self {
        Head {
            pairs: std::array::from_fn(|pair| weights.neurons.map(|neuron| [neuron[2 * pair], neuron[2 * pair + 1]])),
            bias: weights.bias.map(i32::from),
            output: weights.output.map(i32::from),
            direct: weights.direct,
            constant: weights.constant.into(),
        }
    }

    /// The output, in 1 / ([`ONE`] [`WEIGHT_ONE`]).
    #[inline(always)]
    fn output(&self, inputs: &Inputs) -> i32 {
        self.constant * WEIGHT_ONE + kernel::terms(self, inputs)
    }
}

impl Network {
    pub(super) fn new(weights: &NetworkWeights) -> Self {
        let patterns = Patterns::get();
        let states = (0..STATES).map(|state| weights.features[patterns.feature(state)]);
        let phases = std::array::from_fn(|phase| Head::new(weights.phases.get(phase).unwrap_or(&PhaseWeights::ZERO)));
        Network { states: table([0; HIDDEN], states), bias: weights.bias, phases }
    }

    /// For the states of a position with so many empty squares: the sum of `weights`, and the output in hundredths of a
    /// disc.
    #[inline(always)]
    pub(super) fn value(&self, weights: &[i16; TABLE], states: &[u32; TERMS], empties: u32) -> (i32, i32) {
        let (sum, inputs) = kernel::inputs(self, weights, states);
        let output = self.phases[phase(empties)].output(&inputs);
        (sum, (i64::from(output) * i64::from(100 * OUTPUT_DISCS) / i64::from(ONE * WEIGHT_ONE)) as i32)
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::testing::positions;

    static NO_WEIGHTS: [i16; TABLE] = [0; TABLE];

    fn random(rng: &mut Rng, extreme: bool) -> NetworkWeights {
        let mut weights = NetworkWeights::zero();
        let mut small = |most: i32| if extreme { most } else { rng.below(2 * most as u64 + 1) as i32 - most };
        for vector in &mut weights.features {
            *vector = std::array::from_fn(|_| small(if extreme { 127 } else { 30 }) as i8);
        }
        weights.bias = std::array::from_fn(|_| small(if extreme { MAX_BIAS.into() } else { ONE }) as i16);
        for phase in &mut weights.phases {
            for number in phase.numbers() {
                *number = small(if extreme { i16::MAX.into() } else { 2000 }) as i16;
            }
        }
        weights
    }

    /// The network in real numbers agrees but for the rounding of its layers.
    #[test]
    fn integers_agree_with_real_numbers() {
        let patterns = Patterns::get();
        let weights = random(&mut Rng::new(5), false);
        let network = Network::new(&weights);
        let unit = |number: i16, one: i32| f64::from(number) / f64::from(one);
        let (mut inside, mut greatest) = (0, 0.0f64);
        for (own, opp) in positions(20) {
            let states = patterns.states(own, opp);
            let empties = (!(own | opp)).count_ones();
            let mut inputs = [0.0; INPUTS];
            for at in 0..HIDDEN {
                let vectors = states.iter().map(|&state| weights.features[patterns.feature(state as usize)][at]);
                let sum = vectors.map(|number| unit(number.into(), ONE)).sum::<f64>() + unit(weights.bias[at], ONE);
                inside += u32::from(sum > 0.0 && sum < 1.0);
                inputs[at] = sum.clamp(0.0, 1.0);
                inputs[HIDDEN + at] = inputs[at] * inputs[at];
            }
            let head = &weights.phases[phase(empties)];
            let dot = |row: &[i16; INPUTS]| -> f64 {
                row.iter().zip(&inputs).map(|(&weight, input)| unit(weight, WEIGHT_ONE) * input).sum()
            };
            let mut output = unit(head.constant, ONE) + dot(&head.direct);
            for neuron in 0..NEURONS {
                let sum = (unit(head.bias[neuron], ONE) + dot(&head.neurons[neuron])).clamp(0.0, 1.0);
                output += unit(head.output[neuron], WEIGHT_ONE) * sum;
            }
            let expected = output * f64::from(100 * OUTPUT_DISCS);
            let value = f64::from(network.value(&NO_WEIGHTS, &states, empties).1);
            greatest = greatest.max(expected.abs());
            // Each of the squares and neurons is rounded by less than a unit.
            assert!((value - expected).abs() < 30.0, "{value} {expected}");
        }
        assert!(inside > 1000 && greatest > 300.0, "{inside} {greatest}");
    }

    /// The vector code computes the same numbers as the scalar code, with ordinary numbers and with the greatest.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[test]
    fn vectors_match_scalars() {
        for extreme in [false, true] {
            let mut rng = Rng::new(7);
            let network = Network::new(&random(&mut rng, extreme));
            let weights: Box<[i16; TABLE]> = table(0, (0..STATES).map(|_| rng.bits() as i16));
            for (own, opp) in positions(10) {
                let states = Patterns::get().states(own, opp);
                let (sum, inputs) = kernel::scalar::inputs(&network, &weights, &states);
                let (vector_sum, vector_inputs) = kernel::inputs(&network, &weights, &states);
                assert_eq!((sum, inputs.0), (vector_sum, vector_inputs.0));
                for head in &network.phases {
                    assert_eq!(kernel::scalar::terms(head, &inputs), kernel::terms(head, &inputs));
                }
            }
        }
    }

    /// Nothing overflows with the greatest numbers that a file can have.
    #[test]
    fn the_greatest_numbers_do_not_overflow() {
        let network = Network::new(&random(&mut Rng::new(1), true));
        for (own, opp) in positions(2) {
            let states = Patterns::get().states(own, opp);
            let value = network.value(&NO_WEIGHTS, &states, (!(own | opp)).count_ones()).1;
            assert!(value > 100_000, "{value}");
        }
    }
}
