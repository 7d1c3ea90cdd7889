//! The value of a node: a mean of the value of its best move and its own static evaluation.

use super::search::PROVEN;

/// The share of a node's static evaluation in its value; the rest is that of the value of its best move. Measured:
/// docs/measured.md.
const STATIC_SHARE: i32 = 5;
const SHARES: i32 = 32;

/// How the static evaluation of a node and the value of its best move give its value.
#[derive(Clone, Copy)]
pub(super) struct Mix {
    evaluation: i32,
    /// The share of the evaluation, in parts of [`SHARES`].
    share: i32,
}

impl Mix {
    /// With the static evaluation, or of the best move's value alone, which then stays as it is.
    #[inline]
    pub(super) fn new(evaluation: i32, mixes: bool) -> Mix {
        Mix { evaluation, share: if mixes { STATIC_SHARE } else { 0 } }
    }

    /// The value of the node, from that of its best move. What is proven stays as it is, and nothing else becomes proven.
    #[inline]
    pub(super) fn value(self, best: i32) -> i32 {
        if best.abs() >= PROVEN {
            return best;
        }
        (best * (SHARES - self.share) + self.evaluation * self.share).div_euclid(SHARES).clamp(1 - PROVEN, PROVEN - 1)
    }

    /// The largest value of the best move with which the node's is at most `alpha`.
    #[inline]
    pub(super) fn alpha(self, alpha: i32) -> i32 {
        if alpha.abs() >= PROVEN {
            return alpha;
        }
        let most = (alpha + 1) * SHARES - 1 - self.evaluation * self.share;
        most.div_euclid(SHARES - self.share).clamp(-PROVEN, PROVEN - 1)
    }

    /// The smallest value of the best move with which the node's is at least `beta`.
    #[inline]
    pub(super) fn beta(self, beta: i32) -> i32 {
        if beta.abs() >= PROVEN { beta } else { self.alpha(beta - 1) + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::search::WIN;

    #[test]
    fn a_window_for_the_best_move_decides_as_the_window_for_the_node() {
        let near = |middle: i32| (middle - 40)..=(middle + 40);
        let values = || [-WIN, -PROVEN, -3_000, -500, 0, 70, 3_000, PROVEN, WIN].into_iter().flat_map(near);
        for evaluation in [-3_000, -711, -1, 0, 5, 96, 3_000] {
            let (mix, plain) = (Mix::new(evaluation, true), Mix::new(evaluation, false));
            for best in values() {
                assert_eq!([plain.value(best), plain.alpha(best), plain.beta(best)], [best; 3]);
                let value = mix.value(best);
                assert_eq!(value.abs() >= PROVEN, best.abs() >= PROVEN);
                for bound in values() {
                    assert_eq!(value > bound, best > mix.alpha(bound), "{evaluation} {best} {bound}");
                    assert_eq!(value >= bound, best >= mix.beta(bound), "{evaluation} {best} {bound}");
                }
            }
        }
    }
}
