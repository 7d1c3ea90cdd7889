//! The null-window search of the solver.
//!
//! [`Search::above`] tells whether the mover scores more than `alpha`; everything that the solver proves is put
//! together from such questions.

use super::evaluation::Evaluation;
use super::kernel::flips;
use super::last::{self, final_score};
use super::order::{self, MOST, Move, Moves};
use super::parity;
use super::preview;
use super::stability::{Edges, stable};
use super::table::{Known, NO_MOVE, Table};
use crate::moves::legal;

/// Up to this many empty squares the search does without the table.
const SHALLOW: u32 = 6;

/// The X and C squares: with five empty squares, where moves are tried in order of parity, they come later.
const POOR: u64 = 0x42c3_0000_0000_c342;

/// Up to this many empty squares positions are kept in the near table, others in the far one.
const NEAR: u32 = 11;

/// From this many empty squares on, the table is asked about every move before the first is searched (enhanced
/// transposition cut-off, Plaat et al. 1996).
const ASK_CHILDREN: u32 = 10;

/// From this many empty squares on, moves are put in order by a search with the evaluation too, one ply deeper for
/// every two empty squares more.
const PREVIEW: u32 = 13;

/// No preview is deeper, so that even far from the end it takes milliseconds.
const DEEPEST_PREVIEW: u32 = 6;

/// What a preview must find, in hundredths of a disc, for a move to be worth one point more in the order.
const PER_POINT: i32 = 8;

/// Moves that a preview finds so far behind the best, in hundredths of a disc, need no exact value to be put in order.
const MARGIN: i32 = 600;

/// Nodes between two polls.
const PERIOD: u64 = 8192;

/// The search of one solve.
pub(super) struct Search<'a> {
    /// The near and the far table.
    tables: &'a mut [Table; 2],
    edges: &'static Edges,
    pub(super) evaluation: &'static Evaluation,
    poll: &'a mut dyn FnMut(u64) -> bool,
    next_poll: u64,
    /// Positions visited.
    pub(super) nodes: u64,
    /// The poll said stop: results are worthless from here on.
    pub(super) stopped: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(tables: &'a mut [Table; 2], poll: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Search {
            tables,
            edges: Edges::get(),
            evaluation: Evaluation::get(),
            poll,
            next_poll: 0,
            nodes: 0,
            stopped: false,
        }
    }

    /// Whether the mover scores more than `alpha`: a result above it is a lower bound, any other an upper bound.
    /// Worthless when `stopped` is set afterwards.
    pub(super) fn above(&mut self, own: u64, opp: u64, alpha: i32) -> i32 {
        let empties = !(own | opp);
        match empties.count_ones() {
            0..=4 => last::few(own, opp, alpha, &mut self.nodes),
            count => self.some(own, opp, alpha, count, parity::of(empties)),
        }
    }

    /// As [`Search::above`], with the move: the one that scores more than `alpha`, else the one of the best bound.
    /// `None` when the mover has no move.
    pub(super) fn best_above(&mut self, own: u64, opp: u64, alpha: i32) -> (i32, Option<Move>) {
        let empties = !(own | opp);
        let count = empties.count_ones();
        let parity = parity::of(empties);
        let mut moves = Moves::<MOST>::new(own, opp, legal(own, opp));
        let best = self.tables[far(count)].probe(own, opp).map_or(NO_MOVE, |known| known.best);
        self.nodes += 1;
        self.sort(own, opp, &mut moves, best, count, parity);
        let mut found = (-65, None);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            let score = -self.above(next_own, next_opp, !alpha);
            if score > found.0 {
                found = (score, Some(m));
                if score > alpha {
                    break;
                }
            }
            index += 1;
        }
        match found.1 {
            None if legal(opp, own) == 0 => (final_score(own, opp), None),
            None => (-self.above(opp, own, !alpha), None),
            Some(_) => found,
        }
    }

    /// Five or more empty squares.
    #[inline]
    fn some(&mut self, own: u64, opp: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        if count <= SHALLOW {
            self.shallow(own, opp, alpha, count, parity)
        } else {
            self.deep(own, opp, alpha, count, parity)
        }
    }

    /// Counts a position, and asks from time to time whether to stop.
    #[inline]
    pub(super) fn visit(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_poll {
            self.next_poll = self.nodes + PERIOD;
            self.stopped |= (self.poll)(self.nodes);
        }
    }

    /// An upper bound by the other side's stable discs, looked for where it may matter.
    #[inline]
    fn stability_bound(&self, own: u64, opp: u64, alpha: i32, count: u32) -> Option<i32> {
        if alpha < STABILITY[(count & 63) as usize] {
            return None;
        }
        let bound = 64 - 2 * stable(self.edges, opp, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// Five or six empty squares: without the table.
    fn shallow(&mut self, own: u64, opp: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        self.nodes += 1;
        if let Some(bound) = self.stability_bound(own, opp, alpha, count) {
            return bound;
        }
        let squares = legal(own, opp);
        if squares == 0 {
            return if legal(opp, own) == 0 {
                final_score(own, opp)
            } else {
                -self.shallow(opp, own, !alpha, count, parity)
            };
        }
        let mut best = -64;
        if count == 5 {
            let odd = squares & parity::odd(parity);
            let even = squares ^ odd;
            for mut group in [odd & !POOR, odd & POOR, even & !POOR, even & POOR] {
                while group != 0 {
                    let square = group.trailing_zeros();
                    group &= group - 1;
                    let turned = flips(own, opp, square);
                    let (next_own, next_opp) = (opp ^ turned, own ^ turned | 1 << square);
                    let next_parity = parity ^ parity::bit(square);
                    best = best.max(-last::four(next_own, next_opp, !alpha, next_parity, false, &mut self.nodes));
                    if best > alpha {
                        return best;
                    }
                }
            }
            return best;
        }
        let mut moves = Moves::<6>::new(own, opp, squares);
        for m in moves.as_mut_slice() {
            m.worth = order::worth_by_replies(own, opp, m, parity);
        }
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            best = best.max(-self.shallow(next_own, next_opp, !alpha, count - 1, parity ^ parity::bit(m.square)));
            if best > alpha {
                break;
            }
            index += 1;
        }
        best
    }

    /// More than [`SHALLOW`] empty squares.
    fn deep(&mut self, own: u64, opp: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        let start = self.nodes;
        self.visit();
        if self.stopped {
            return alpha;
        }
        if let Some(bound) = self.stability_bound(own, opp, alpha, count) {
            return bound;
        }
        let known = self.tables[far(count)].probe(own, opp).unwrap_or(Known::NOTHING);
        if i32::from(known.lower) > alpha {
            return known.lower.into();
        }
        if i32::from(known.upper) <= alpha {
            return known.upper.into();
        }
        let squares = legal(own, opp);
        if squares == 0 {
            return if legal(opp, own) == 0 {
                final_score(own, opp)
            } else {
                -self.deep(opp, own, !alpha, count, parity)
            };
        }
        let mut moves = Moves::<MOST>::new(own, opp, squares);
        for m in moves.as_slice() {
            if m.turned == opp {
                return 64;
            }
            let (next_own, next_opp) = m.play(own, opp);
            self.tables[far(count - 1)].prefetch(next_own, next_opp);
        }
        if count >= ASK_CHILDREN {
            for m in moves.as_slice() {
                let (next_own, next_opp) = m.play(own, opp);
                if let Some(child) = self.tables[far(count - 1)].probe(next_own, next_opp)
                    && -i32::from(child.upper) > alpha
                {
                    return -i32::from(child.upper);
                }
            }
        }
        self.sort(own, opp, &mut moves, known.best, count, parity);
        let (mut best, mut best_move) = (-65, NO_MOVE);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            let score = -self.some(next_own, next_opp, !alpha, count - 1, parity ^ parity::bit(m.square));
            if self.stopped {
                return alpha;
            }
            if score > best {
                (best, best_move) = (score, m.square as u8);
                if best > alpha {
                    break;
                }
            }
            index += 1;
        }
        let (lower, upper) = if best > alpha { (best as i8, 64) } else { (-64, best as i8) };
        self.tables[far(count)].store(own, opp, Known { lower, upper, best: best_move }, self.nodes - start);
        best
    }

    /// Says of each move how promising it looks; the table's move is the best.
    fn sort(&mut self, own: u64, opp: u64, moves: &mut Moves<MOST>, best: u8, count: u32, parity: u32) {
        for m in moves.as_mut_slice() {
            m.worth = if m.square == u32::from(best) { i32::MAX } else { order::worth(own, opp, m, parity) };
        }
        if count < PREVIEW {
            return;
        }
        let depth = ((count - PREVIEW) / 2).min(DEEPEST_PREVIEW);
        let mut leader = -preview::INFINITE;
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            let value = -self.preview(next_own, next_opp, -preview::INFINITE, MARGIN - leader, depth);
            leader = leader.max(value);
            if m.worth != i32::MAX {
                moves.as_mut_slice()[index].worth += value / PER_POINT;
            }
            index += 1;
        }
    }
}

/// Which table holds positions with `count` empty squares.
#[inline]
fn far(count: u32) -> usize {
    usize::from(count > NEAR)
}

/// By empty squares: the least `alpha` from which stable discs are counted. The more empty squares, the more one-sided
/// the position must be for a cut-off.
const STABILITY: [i32; 64] = {
    let mut table = [0; 64];
    let mut count = 0;
    while count < 64 {
        table[count] = if count < 6 { 99 } else { 3 * count as i32 - 12 };
        count += 1;
    }
    table
};
