//! A shallow search with the evaluation, to guess scores and to order moves before the exact search.

use super::evaluation::Evaluation;
use super::last::final_score;
use super::order::{MAX_MOVES, Moves};
use super::search::Search;
use crate::moves::legal;

/// Greater than every value.
pub(super) const INFINITE: i32 = 10_000;

/// How the leaves of a preview are valued: [`Evaluation::value`] or [`Evaluation::sum`].
pub(super) type Value = fn(&Evaluation, u64, u64) -> i32;

impl Search<'_, '_> {
    /// The value of a position in hundredths of a disc from the mover's view, searched `depth` plies deep: exact
    /// between `alpha` and `beta`, else a bound. Plain alpha-beta. Invalid when `stopped` is set afterwards.
    pub(super) fn preview(&mut self, own: u64, opp: u64, mut alpha: i32, beta: i32, depth: u32, value: Value) -> i32 {
        self.visit();
        if self.stopped {
            return alpha;
        }
        let squares = legal(own, opp);
        if squares == 0 {
            return if legal(opp, own) == 0 {
                100 * final_score(own, opp)
            } else {
                -self.preview(opp, own, -beta, -alpha, depth, value)
            };
        }
        if depth == 0 {
            return value(self.evaluation, own, opp);
        }
        let mut moves = Moves::<MAX_MOVES>::new(own, opp, squares);
        for m in moves.as_mut_slice() {
            let (next_own, next_opp) = m.play(own, opp);
            // A better ordering costs more, which only larger subtrees repay.
            m.priority = match depth {
                1 => 0,
                2 => -(legal(next_own, next_opp).count_ones() as i32),
                _ => -value(self.evaluation, next_own, next_opp),
            };
        }
        let mut best = -INFINITE;
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            best = best.max(-self.preview(next_own, next_opp, -beta, -alpha, depth - 1, value));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
            index += 1;
        }
        best
    }
}
