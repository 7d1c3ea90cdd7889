//! A choice among moves that prefers the better ones, for players that are weaker than their search.

use std::cmp::Ordering;

use banmen_game::mix;

/// The choice among valued moves by softmax: a move that is worse than another by the temperature is chosen 1/e times as
/// often. Near-equal moves are confused often, and bad ones rarely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softmax {
    /// In the unit of the values; with 0 the best move is chosen.
    pub temperature: f64,
    /// A move that is worse than the best one by more than this is never chosen.
    pub max_loss: f64,
}

impl Softmax {
    /// Sorts valued moves by choice: the chosen one comes first, then the one that would be chosen without it, and so on;
    /// last, by value, those that are never chosen. `of` returns the value of a move and a key that distinguishes it. The
    /// choice follows from the salt, the keys and the values, so it does not change from one iteration of a search to the
    /// next unless the values do.
    pub fn sort<T>(&self, salt: u64, moves: &mut [T], of: impl Fn(&T) -> (f64, u64)) {
        let best = moves.iter().map(|m| of(m).0).fold(f64::NEG_INFINITY, f64::max);
        // Gumbel-max: the highest of the values with Gumbel noise is distributed as the softmax of the values.
        let rank = |m: &T| {
            let (value, key) = of(m);
            let loss = best - value;
            let possible = loss <= self.max_loss;
            (possible, if possible { self.temperature * gumbel(mix(salt ^ mix(key))) - loss } else { -loss })
        };
        moves.sort_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            b.0.cmp(&a.0).then(b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal))
        });
    }
}

/// A number of the standard Gumbel distribution from random bits.
fn gumbel(bits: u64) -> f64 {
    let uniform = ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    -libm::log(-libm::log(uniform))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of the values is chosen in 20,000 games.
    fn frequencies(softmax: Softmax, values: &[f64]) -> Vec<f64> {
        let mut counts = vec![0.0; values.len()];
        for salt in 0..20_000 {
            let mut moves: Vec<usize> = (0..values.len()).collect();
            softmax.sort(mix(salt), &mut moves, |&m| (values[m], m as u64));
            counts[moves[0]] += 1.0 / 20_000.0;
        }
        counts
    }

    #[test]
    fn moves_are_chosen_by_the_exponential_of_their_loss() {
        let values = [1.0, 3.0, 2.0, -7.0, 3.0];
        let softmax = Softmax { temperature: 2.0, max_loss: 9.0 };
        let weights = values.map(|value| if value < -6.0 { 0.0 } else { libm::exp((value - 3.0) / 2.0) });
        let sum: f64 = weights.iter().sum();
        for (found, weight) in frequencies(softmax, &values).into_iter().zip(weights) {
            // Four standard deviations.
            assert!((found - weight / sum).abs() < 0.015, "{found} instead of {}", weight / sum);
        }
    }

    #[test]
    fn without_temperature_the_order_is_that_of_the_values() {
        let softmax = Softmax { temperature: 0.0, max_loss: 1.0 };
        let mut moves = [0.5, 2.0, -3.0, 1.5];
        softmax.sort(1, &mut moves, |&m| (m, m.to_bits()));
        assert_eq!(moves, [2.0, 1.5, 0.5, -3.0]);
    }

    #[test]
    fn the_same_salt_gives_the_same_order_and_excluded_moves_come_last() {
        let softmax = Softmax { temperature: 5.0, max_loss: 4.0 };
        let sorted = |salt| {
            let mut moves: Vec<i32> = (0..12).collect();
            softmax.sort(salt, &mut moves, |&m| (m.into(), m as u64));
            moves
        };
        assert_eq!(sorted(3), sorted(3));
        assert!((4..40).any(|salt| sorted(salt) != sorted(3)));
        assert_eq!(sorted(3)[5..], [6, 5, 4, 3, 2, 1, 0]);
    }
}
