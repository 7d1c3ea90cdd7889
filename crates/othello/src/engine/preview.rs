//! A shallow search with the evaluation, to guess scores and to order moves before the exact search.

use super::evaluation::Parent;
use super::kernel::{Baseline, Kernel};
use super::last::final_score;
use super::order::{MAX_MOVES, Move, Moves};
use super::search::Search;
use crate::moves::legal;

/// Greater than every value.
pub(super) const INFINITE: i32 = 10_000;

/// How the leaves of a preview are valued.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueBy {
    /// By the whole evaluation.
    Network,
    /// By the sum of the patterns' weights alone.
    Sum,
}

impl<K: Kernel> Search<'_, '_, K> {
    /// The value of a position in hundredths of a disc from the mover's view, searched `depth` plies deep, at least one:
    /// exact between `alpha` and `beta`, else a bound. Plain alpha-beta. Invalid when `stopped` is set afterwards.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn preview(
        &mut self,
        own: u64,
        opp: u64,
        squares: u64,
        mut alpha: i32,
        beta: i32,
        depth: u32,
        by: ValueBy,
    ) -> i32 {
        self.visit();
        if self.stopped {
            return alpha;
        }
        if squares == 0 {
            let replies = legal(opp, own);
            return if replies == 0 {
                100 * final_score(own, opp)
            } else {
                -self.preview(opp, own, replies, -beta, -alpha, depth, by)
            };
        }
        if depth == 0 {
            return match by {
                ValueBy::Network => self.evaluation.value(own, opp),
                ValueBy::Sum => self.evaluation.sum(own, opp),
            };
        }
        let parent = self.evaluation.parent(own, opp);
        let mut moves = Moves::<MAX_MOVES>::empty();
        moves.fill(Baseline, own, opp, squares, |_| ());
        if depth > 1 {
            for m in moves.as_mut_slice() {
                m.find_replies(Baseline, own, opp);
                // A better ordering costs more, which only larger subtrees repay.
                m.priority = if depth == 2 { -(m.replies.count_ones() as i32) } else { -value_after(&parent, m, by) };
            }
        }
        let mut best = -INFINITE;
        let mut index = 0;
        while let Some(mut m) = moves.pick(index) {
            if depth == 1 {
                m.find_replies(Baseline, own, opp);
            }
            best = best.max(-self.preview_after(&parent, &m, -beta, -alpha, depth - 1, by));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
            index += 1;
        }
        best
    }

    /// [`Search::preview`] of the position after a move whose replies are known.
    pub(super) fn preview_after(
        &mut self,
        parent: &Parent<'_>,
        m: &Move,
        alpha: i32,
        beta: i32,
        depth: u32,
        by: ValueBy,
    ) -> i32 {
        if depth > 0 || m.replies == 0 {
            let (own, opp) = parent.play(m);
            return self.preview(own, opp, m.replies, alpha, beta, depth, by);
        }
        self.visit();
        if self.stopped { alpha } else { value_after(parent, m, by) }
    }
}

#[inline]
fn value_after(parent: &Parent<'_>, m: &Move, by: ValueBy) -> i32 {
    match by {
        ValueBy::Network => parent.value_after(m),
        ValueBy::Sum => parent.sum_after(m),
    }
}
