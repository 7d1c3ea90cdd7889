//! The evaluation of unfinished positions: the sum of the weights of its patterns, by stage of the game, and the output of
//! the network.

use std::sync::{Arc, LazyLock, OnceLock};

use super::network::Network;
use super::order::Move;
use super::patterns::{Lanes, Patterns, STATES, TABLE, TERMS, table};
use super::weights::{EMPTIES, UNIT, Weights, between};
use crate::moves::legal;

/// Stages, one for every two empty squares.
const STAGES: usize = EMPTIES.div_ceil(2);

/// The weights of a stage are multiples of this many discs: finer than the stored ones, between which they lie.
const STAGE_UNIT: f64 = 1.0 / 128.0;

/// The evaluation with its tables.
pub struct Evaluation {
    patterns: &'static Patterns,
    weights: Weights,
    network: Network,
    /// By half the number of empty squares, made when it is first used.
    stages: [OnceLock<Stage>; STAGES],
}

/// The weights of one stage.
struct Stage {
    /// By state of a pattern.
    states: Box<[i16; TABLE]>,
    /// By the lowest bit of the number of empty squares.
    constants: [i32; 2],
}

impl Stage {
    /// The value in hundredths of a disc of states whose weights have this sum.
    #[inline]
    fn centidiscs(&self, sum: i32, empties: u32) -> i32 {
        ((self.constants[(empties & 1) as usize] + sum) * 25) >> 5
    }
}

impl Evaluation {
    /// The evaluation with our own weights.
    ///
    /// # Panics
    /// Never: a test reads the same bytes.
    #[must_use]
    pub fn own() -> Arc<Evaluation> {
        static OWN: LazyLock<Arc<Evaluation>> = LazyLock::new(|| {
            let weights = Weights::from_bytes(include_bytes!("weights.bin"));
            Arc::new(Evaluation::new(weights.expect("the weights of this build are whole")))
        });
        Arc::clone(&OWN)
    }

    /// The evaluation with these weights.
    #[must_use]
    pub fn new(weights: Weights) -> Self {
        let network = Network::new(&weights.network);
        Evaluation { patterns: Patterns::get(), weights, network, stages: [const { OnceLock::new() }; STAGES] }
    }

    /// The value of a position where the mover has a move: the expected final score from its view, in
    /// hundredths of a disc. It may exceed ±6,400 slightly.
    #[must_use]
    #[inline]
    pub fn value(&self, own: u64, opp: u64) -> i32 {
        self.value_of(&self.patterns.states(own, opp), (!(own | opp)).count_ones())
    }

    #[inline]
    fn value_of(&self, states: &[u32; TERMS], empties: u32) -> i32 {
        let Some(stage) = self.stage(empties) else { return 0 };
        let (sum, output) = self.network.value(&stage.states, states, empties);
        stage.centidiscs(sum, empties) + output
    }

    /// Prepares to evaluate positions after moves of this one.
    #[inline]
    pub(super) fn parent(&self, own: u64, opp: u64) -> Parent<'_> {
        Parent { evaluation: self, own, opp, turned: self.patterns.places(opp, own) }
    }

    /// The value by the sum of the patterns' weights alone: less exact, but much cheaper than [`Evaluation::value`].
    pub(super) fn sum(&self, own: u64, opp: u64) -> i32 {
        self.sum_of(&self.patterns.states(own, opp), (!(own | opp)).count_ones())
    }

    #[inline]
    fn sum_of(&self, states: &[u32; TERMS], empties: u32) -> i32 {
        let Some(stage) = self.stage(empties) else { return 0 };
        let sum = states.iter().map(|&state| i32::from(stage.states[state as usize & (TABLE - 1)])).sum();
        stage.centidiscs(sum, empties)
    }

    #[inline]
    fn stage(&self, empties: u32) -> Option<&Stage> {
        let half = empties as usize / 2;
        self.stages.get(half).map(|stage| stage.get_or_init(|| self.interpolate(half)))
    }

    /// The weights of a stage, interpolated.
    #[cold]
    fn interpolate(&self, half: usize) -> Stage {
        let (knot, part) = between(2.0 * half as f64 + 0.5);
        let scale = UNIT / STAGE_UNIT;
        let states = (0..STATES).map(|state| {
            let weights = &self.weights.features[self.patterns.feature(state)];
            let (a, b) = (f64::from(weights[knot]), f64::from(weights[knot + 1]));
            let weight = scale * (a + part * (b - a));
            // Rounded to the nearest, halves away from zero, and within the range of the type.
            (weight + 0.5_f64.copysign(weight)) as i16
        });
        let constant = |empties: usize| self.weights.constants.get(empties).copied().unwrap_or(0);
        let constants = [0, 1].map(|odd| i32::from(constant(2 * half + odd)) * scale as i32);
        Stage { states: table(0, states), constants }
    }
}

/// A position whose moves are evaluated: the states of the patterns after a move follow from those before it, which takes
/// half the time.
pub(super) struct Parent<'a> {
    evaluation: &'a Evaluation,
    own: u64,
    opp: u64,
    /// The states of the instances from the opponent's view.
    turned: Lanes,
}

impl Parent<'_> {
    /// The position after a move, from the opponent's view.
    #[inline]
    pub(super) fn play(&self, m: &Move) -> (u64, u64) {
        m.play(self.own, self.opp)
    }

    /// [`Evaluation::value`] of the position after a move whose replies are known, from the opponent's view.
    #[inline]
    pub(super) fn value_after(&self, m: &Move) -> i32 {
        let (states, empties) = self.states_after(m);
        self.evaluation.value_of(&states, empties)
    }

    /// [`Evaluation::sum`] of the same.
    #[inline]
    pub(super) fn sum_after(&self, m: &Move) -> i32 {
        let (states, empties) = self.states_after(m);
        self.evaluation.sum_of(&states, empties)
    }

    #[inline(always)]
    fn states_after(&self, m: &Move) -> ([u32; TERMS], u32) {
        let (own, opp) = self.play(m);
        let patterns = self.evaluation.patterns;
        let places = patterns.places_after(&self.turned, m.flipped, m.square);
        (patterns.states_at(&places, [m.replies, legal(opp, own)]), (!(own | opp)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::engine::kernel::Baseline;
    use crate::engine::order::{MAX_MOVES, Moves};
    use crate::engine::weights::KNOTS;
    use crate::testing::positions;

    #[test]
    fn the_weights_of_this_build_are_whole() {
        assert_eq!(
            Weights::from_bytes(include_bytes!("weights.bin")).map(|weights| weights.to_bytes()).as_deref(),
            Ok(&include_bytes!("weights.bin")[..])
        );
    }

    #[test]
    fn a_value_is_the_sum_of_interpolated_weights() {
        let mut rng = Rng::new(2);
        let mut weights = Weights::zero();
        for weight in weights.constants.iter_mut().chain(weights.features.iter_mut().flatten()) {
            *weight = rng.below(400) as i16 - 200;
        }
        let evaluation = Evaluation::new(weights.clone());
        let patterns = Patterns::get();
        for (own, opp) in positions(40) {
            let empties = (!(own | opp)).count_ones();
            let (knot, part) = between(f64::from(empties & !1) + 0.5);
            assert!(knot + 1 < KNOTS.len());
            let states = patterns.states(own, opp);
            let sum: f64 = states
                .iter()
                .map(|&state| {
                    let weights = &weights.features[patterns.feature(state as usize)];
                    (1.0 - part) * f64::from(weights[knot]) + part * f64::from(weights[knot + 1])
                })
                .sum();
            let expected = 100.0 * UNIT * (sum + f64::from(weights.constants[empties as usize]));
            let value = f64::from(evaluation.value(own, opp));
            // Every weight is rounded by at most half a unit, in hundredths of a disc.
            let rounding = states.len() as f64 * 0.5 * STAGE_UNIT * 100.0;
            assert!((value - expected).abs() <= 1.0 + rounding, "{value} {expected}");
        }
    }

    /// The weights of a stage are finer than those of a file, whose greatest are beyond their range.
    #[test]
    fn the_greatest_weights_keep_their_sign() {
        let mut weights = Weights::zero();
        let mut values = [i16::MAX, i16::MIN].map(|weight| {
            weights.features.iter_mut().flatten().for_each(|each| *each = weight);
            Evaluation::new(weights.clone()).sum(0x0000_0008_1000_0000, 0x0000_0010_0800_0000)
        });
        values.sort_unstable();
        assert!(values[0] < -1_000_000 && values[1] > 1_000_000, "{values:?}");
    }

    #[test]
    fn values_after_moves_are_those_of_the_positions() {
        let evaluation = Evaluation::own();
        let mut count = 0;
        for (own, opp) in positions(20) {
            let parent = evaluation.parent(own, opp);
            let mut moves = Moves::<MAX_MOVES>::empty();
            moves.fill(Baseline, own, opp, legal(own, opp), |m| m.find_replies(Baseline, own, opp));
            for m in moves.as_slice() {
                if m.replies != 0 {
                    let (own, opp) = m.play(own, opp);
                    assert_eq!(parent.value_after(m), evaluation.value(own, opp), "{own:x} {opp:x}");
                    assert_eq!(parent.sum_after(m), evaluation.sum(own, opp), "{own:x} {opp:x}");
                    count += 1;
                }
            }
        }
        assert!(count > 1000, "{count}");
    }

    #[test]
    fn a_won_position_has_a_high_value_and_a_lost_one_a_low_value() {
        let evaluation = Evaluation::own();
        // The upper half is the mover's, the lower the opponent's, with an empty row between them but for one disc each.
        let (own, opp) = (0x0000_0008_ffff_ffff_u64, 0xff00_0010_0000_0000_u64);
        assert!(evaluation.value(own, opp) > 500);
        assert!(evaluation.value(opp, own) < -500);
    }
}
