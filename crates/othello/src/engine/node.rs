//! The search of a node of the midgame: principal variation search (Marsland 1983) with null windows, the table of
//! values, enhanced transposition cut-offs (Plaat et al. 1996) and multi-ProbCut.
//!
//! Values are in hundredths of a disc from the mover's view. A forced pass costs no depth, so a node that is searched as
//! deep as it has empty squares is searched to the end of the game. There scores are even numbers of discs, and the last
//! plies are left to the exact solver.

use banmen_search::Budget;
use banmen_search::windows::{Recorder, VisitEnd};

use super::evaluation::{Evaluation, Parent};
use super::kernel::{Baseline, Kernel};
use super::last::final_score;
use super::order::{self, MAX_MOVES, Move, Moves};
use super::parity;
use super::probcut::{self, Selectivity};
use super::search::Search;
use super::stability::{Edges, stable};
use super::table::{NO_MOVE, Table};
use super::values::{ValueEntry, Values};
use crate::moves::legal;

/// Hundredths of a disc: the unit of values.
pub(super) const DISC: i32 = 100;

/// The value of a win by all discs: no value is greater.
pub(super) const MAX_VALUE: i32 = 64 * DISC;

/// Beyond every value.
pub(super) const INFINITE: i32 = MAX_VALUE + 1;

/// A pass, packed as the moves of lines are.
pub(super) const PASS: u32 = 64;

/// From this depth on a node uses the table; below, it costs more than it saves.
const TABLE_DEPTH: u32 = 3;

/// From this depth on the table is probed for every child before the first one is searched.
const ETC_DEPTH: u32 = 5;

/// From this depth on moves are ordered by the evaluation, below by the opponent's mobility.
const ORDER_BY_VALUE_DEPTH: u32 = 4;

/// Positions with up to this many empty squares are searched to the end of the game by the exact solver.
const SOLVED_EMPTIES: u32 = 10;

/// A stable disc bounds the final score only; it is counted where at most this many squares are empty.
const STABILITY_EMPTIES: u32 = 30;

/// One thread's search.
pub(super) struct Node<'a, 'b> {
    pub(super) evaluation: &'a Evaluation,
    pub(super) edges: &'static Edges,
    pub(super) values: &'a Values,
    /// The solver's table for the last plies, of this thread alone.
    pub(super) last_plies: &'a Table,
    pub(super) budget: &'a mut Budget<'b>,
    /// Which cuts are made.
    pub(super) selectivity: Selectivity,
    /// The budget is over: results are invalid.
    pub(super) stopped: bool,
    /// The principal variation from each ply on: squares, without passes.
    pub(super) lines: Vec<Vec<u8>>,
    /// Records the visits near the root, where that is asked for.
    pub(super) record: Option<Box<Recorder>>,
}

impl<'a, 'b> Node<'a, 'b> {
    pub(super) fn new(
        evaluation: &'a Evaluation,
        values: &'a Values,
        last_plies: &'a Table,
        budget: &'a mut Budget<'b>,
    ) -> Self {
        Node {
            evaluation,
            edges: Edges::get(),
            values,
            last_plies,
            budget,
            selectivity: Selectivity::FULL,
            stopped: false,
            lines: vec![Vec::new(); 64],
            record: None,
        }
    }

    /// Counts a node. False when the search must unwind.
    #[inline]
    fn count(&mut self) -> bool {
        let more = self.budget.node();
        self.stopped |= !more;
        more
    }

    /// The value of a position without a search: by the evaluation, that of the next position after a pass, or the final
    /// score.
    #[inline]
    pub(super) fn leaf(&self, own: u64, opp: u64) -> i32 {
        if legal(own, opp) != 0 {
            self.evaluate(own, opp)
        } else if legal(opp, own) != 0 {
            -self.evaluate(opp, own)
        } else {
            DISC * final_score(own, opp)
        }
    }

    /// [`Node::leaf`] after a move whose replies are known.
    #[inline]
    fn leaf_after(&self, parent: &Parent<'_>, m: &Move) -> i32 {
        if m.replies != 0 {
            parent.value_after(m).clamp(-MAX_VALUE, MAX_VALUE)
        } else {
            let (own, opp) = parent.play(m);
            self.leaf(own, opp)
        }
    }

    #[inline]
    fn evaluate(&self, own: u64, opp: u64) -> i32 {
        self.evaluation.value(own, opp).clamp(-MAX_VALUE, MAX_VALUE)
    }

    /// Whether the value of a position at this depth is more than `alpha`: a result above it is a lower bound, any other
    /// an upper bound. Invalid when `stopped` is set afterwards.
    pub(super) fn null_window(&mut self, own: u64, opp: u64, depth: u32, alpha: i32) -> i32 {
        if depth == 0 {
            self.count();
            self.end(VisitEnd::Leaf);
            return self.leaf(own, opp);
        }
        let empties = (!(own | opp)).count_ones();
        if depth >= empties && empties <= SOLVED_EMPTIES {
            self.end(VisitEnd::Solved);
            return self.solve(own, opp, alpha);
        }
        if !self.count() {
            return alpha;
        }
        let squares = legal(own, opp);
        if squares == 0 {
            return if legal(opp, own) == 0 {
                self.end(VisitEnd::Ended);
                DISC * final_score(own, opp)
            } else {
                -self.visit(PASS, opp, own, depth, !alpha)
            };
        }
        match depth {
            1 => self.frontier(own, opp, squares, alpha),
            2 if depth < TABLE_DEPTH => self.shallow(own, opp, squares, depth, alpha),
            _ => self.deep(own, opp, squares, depth, empties, alpha),
        }
    }

    /// The last plies of the game by the exact solver.
    fn solve(&mut self, own: u64, opp: u64, alpha: i32) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = crate::simd::Avx512::detect() {
            return self.solve_by(kernel, own, opp, alpha);
        }
        self.solve_by(Baseline, own, opp, alpha)
    }

    fn solve_by<K: Kernel>(&mut self, kernel: K, own: u64, opp: u64, alpha: i32) -> i32 {
        let tables = [self.last_plies, self.last_plies];
        let mut search = Search::new(kernel, self.evaluation, tables, self.values, None, self.budget, None);
        let score = search.null_window(own, opp, alpha.div_euclid(DISC));
        search.count_rest();
        let stopped = search.stopped;
        self.stopped |= stopped;
        DISC * score
    }

    /// A node one ply above the leaves.
    fn frontier(&mut self, own: u64, opp: u64, squares: u64, alpha: i32) -> i32 {
        let parent = self.evaluation.parent(own, opp);
        let mut best = -INFINITE;
        // Corners, then the other squares but those beside corners.
        for mut group in order::GROUPS.map(|group| squares & group) {
            while group != 0 {
                let mut m = Move::new(Baseline, own, opp, group.trailing_zeros());
                group &= group - 1;
                m.find_replies(Baseline, own, opp);
                self.count();
                best = best.max(-self.leaf_after(&parent, &m));
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }

    /// A node near the leaves, without the table.
    fn shallow(&mut self, own: u64, opp: u64, squares: u64, depth: u32, alpha: i32) -> i32 {
        let mut moves = Moves::<MAX_MOVES>::empty();
        moves.fill(Baseline, own, opp, squares, |_| ());
        for m in moves.as_mut_slice() {
            m.find_replies(Baseline, own, opp);
            m.priority = order::priority_in_midgame(m);
        }
        let mut best = -INFINITE;
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            best = best.max(-self.visit(m.square, next_own, next_opp, depth - 1, !alpha));
            if best > alpha || self.stopped {
                self.end_cut(&moves, index);
                break;
            }
            index += 1;
        }
        best
    }

    /// A node with the table and ProbCut. The mover has a move.
    fn deep(&mut self, own: u64, opp: u64, squares: u64, depth: u32, empties: u32, alpha: i32) -> i32 {
        let to_the_end = depth >= empties;
        // Final scores are even: all bounds between two of them ask the same.
        let alpha = if to_the_end { (alpha.div_euclid(2 * DISC) * 2 + 1) * DISC } else { alpha };
        if to_the_end
            && empties <= STABILITY_EMPTIES
            && let Some(bound) = self.stability_bound(own, opp, alpha, empties)
        {
            self.end(VisitEnd::Pruned);
            return bound;
        }
        let entry = self.values.probe(own, opp);
        if let Some(entry) = entry.filter(|entry| entry.serves(depth, self.selectivity)) {
            if i32::from(entry.lower) > alpha {
                self.end(VisitEnd::Table);
                return entry.lower.into();
            }
            if i32::from(entry.upper) <= alpha {
                self.end(VisitEnd::Table);
                return entry.upper.into();
            }
        }
        let mut moves = Moves::<MAX_MOVES>::empty();
        moves.fill(Baseline, own, opp, squares, |_| ());
        if depth > TABLE_DEPTH {
            for m in moves.as_slice() {
                if m.flipped == opp {
                    self.end(VisitEnd::Cut);
                    return MAX_VALUE;
                }
                let (next_own, next_opp) = m.play(own, opp);
                self.values.prefetch(next_own, next_opp);
            }
        }
        if depth >= ETC_DEPTH {
            for m in moves.as_slice() {
                let (next_own, next_opp) = m.play(own, opp);
                if let Some(child) = self.values.probe(next_own, next_opp)
                    && child.serves(depth - 1, self.selectivity)
                    && -i32::from(child.upper) > alpha
                {
                    self.end(VisitEnd::Table);
                    return -i32::from(child.upper);
                }
            }
        }
        let best_move = entry.map_or(NO_MOVE, |entry| entry.best);
        if self.selectivity < Selectivity::FULL {
            if let Some(record) = &mut self.record {
                record.pause();
            }
            let cut = self.probcut(own, opp, depth, empties, alpha);
            if let Some(record) = &mut self.record {
                record.resume();
            }
            if self.stopped {
                return alpha;
            }
            if let Some(value) = cut {
                self.store(own, opp, depth, alpha, value, best_move);
                self.end(VisitEnd::Pruned);
                return value;
            }
        }
        self.sort(own, opp, &mut moves, best_move, depth, empties);
        let (mut best, mut best_move) = (-INFINITE, NO_MOVE);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            let value = -self.visit(m.square, next_own, next_opp, depth - 1, !alpha);
            if self.stopped {
                return alpha;
            }
            if value > best {
                (best, best_move) = (value, m.square as u8);
                if best > alpha {
                    self.end_cut(&moves, index);
                    break;
                }
            }
            index += 1;
        }
        self.store(own, opp, depth, alpha, best, best_move);
        best
    }

    /// [`Node::null_window`] of the position after a move, recorded where that is asked for.
    #[inline]
    fn visit(&mut self, m: u32, own: u64, opp: u64, depth: u32, alpha: i32) -> i32 {
        if let Some(record) = &mut self.record {
            record.enter_reply(m, depth as i32, alpha, alpha + 1);
        }
        let value = self.null_window(own, opp, depth, alpha);
        self.leave(value);
        value
    }

    /// [`Node::principal`] of the position after a move, recorded where that is asked for.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    fn visit_principal(&mut self, m: u32, own: u64, opp: u64, depth: u32, alpha: i32, beta: i32, ply: usize) -> i32 {
        if let Some(record) = &mut self.record {
            record.enter_reply(m, depth as i32, alpha, beta);
        }
        let value = self.principal(own, opp, depth, alpha, beta, ply);
        self.leave(value);
        value
    }

    /// The visit under way is over.
    #[inline]
    fn leave(&mut self, value: i32) {
        if let Some(record) = &mut self.record {
            record.leave((!self.stopped).then_some(value));
        }
    }

    /// Says how the visit under way ends.
    #[inline]
    fn end(&mut self, end: VisitEnd) {
        if let Some(record) = &mut self.record {
            record.end(end);
        }
    }

    /// The visit under way ends by a cut after the move at `index`.
    #[inline]
    fn end_cut(&mut self, moves: &Moves<MAX_MOVES>, index: usize) {
        if let Some(record) = &mut self.record {
            record.cut(moves.as_slice().iter().skip(index + 1).map(|m| m.square));
        }
    }

    /// Stores the result of a null-window search.
    fn store(&self, own: u64, opp: u64, depth: u32, alpha: i32, value: i32, best: u8) {
        let (lower, upper) = if value > alpha { (value, MAX_VALUE) } else { (-MAX_VALUE, value) };
        self.store_bounds(own, opp, depth, lower, upper, best);
    }

    fn store_bounds(&self, own: u64, opp: u64, depth: u32, lower: i32, upper: i32, best: u8) {
        let (lower, upper, depth) = (lower as i16, upper as i16, depth as u8);
        let entry = ValueEntry { lower, upper, depth, selectivity: self.selectivity, best };
        self.values.store(own, opp, entry);
    }

    /// An upper bound of the final score by the opponent's stable discs, if it is a cut-off.
    fn stability_bound(&self, own: u64, opp: u64, alpha: i32, empties: u32) -> Option<i32> {
        if alpha < DISC * (3 * empties as i32 - 12) {
            return None;
        }
        let bound = MAX_VALUE - 2 * DISC * stable(self.edges, opp, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// A bound by ProbCut: a search of less depth whose value is far enough outside the window. That search makes such cuts
    /// too, which plays better than without.
    fn probcut(&mut self, own: u64, opp: u64, depth: u32, empties: u32, alpha: i32) -> Option<i32> {
        let probe = probcut::probe(depth, empties)?;
        let threshold = self.selectivity.threshold();
        let evaluated = self.evaluate(own, opp);
        // The search is tried where the evaluation alone makes a cut likely.
        let slack = probe.slack(threshold);
        let beta = alpha + 1;
        let step = if depth >= empties { DISC } else { 1 };
        let mut search = |bound: i32| self.null_window(own, opp, probe.depth, bound);
        if evaluated >= probe.by_evaluation.at_least(beta - slack, 0) {
            let bound = probe.by_search.at_least(beta, threshold);
            if bound <= MAX_VALUE && search(bound - 1) >= bound {
                return Some(alpha + step);
            }
        } else if evaluated <= probe.by_evaluation.at_most(alpha + slack, 0) {
            let bound = probe.by_search.at_most(alpha, threshold);
            if bound >= -MAX_VALUE && search(bound) <= bound {
                return Some(alpha + 1 - step);
            }
        }
        None
    }

    /// Sets the priorities of the moves; the table's move has the highest.
    pub(super) fn sort(&self, own: u64, opp: u64, moves: &mut Moves<MAX_MOVES>, best: u8, depth: u32, empties: u32) {
        let parity = parity::of(!(own | opp));
        let parent = (depth >= ORDER_BY_VALUE_DEPTH).then(|| self.evaluation.parent(own, opp));
        for m in moves.as_mut_slice() {
            if m.square == u32::from(best) {
                m.priority = i32::MAX;
                continue;
            }
            m.find_replies(Baseline, own, opp);
            m.priority = match &parent {
                None => order::priority_in_midgame(m),
                Some(parent) => {
                    let value = -self.leaf_after(parent, m);
                    if depth >= empties {
                        order::priority(own, opp, m, parity) + value / CENTIDISCS_PER_POINT_AT_END
                    } else {
                        order::priority_in_midgame(m) + value / CENTIDISCS_PER_POINT
                    }
                }
            };
        }
    }

    /// The value within `alpha..beta`, with the principal variation in [`Node::lines`] of `ply`. Invalid when `stopped`
    /// is set afterwards.
    pub(super) fn principal(&mut self, own: u64, opp: u64, depth: u32, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.lines[ply].clear();
        if !self.count() {
            return alpha;
        }
        let squares = legal(own, opp);
        if squares == 0 {
            if legal(opp, own) == 0 {
                self.end(VisitEnd::Ended);
                return DISC * final_score(own, opp);
            }
            return -self.visit_principal(PASS, opp, own, depth, -beta, -alpha, ply);
        }
        if depth == 0 {
            self.end(VisitEnd::Leaf);
            return self.evaluate(own, opp);
        }
        let empties = (!(own | opp)).count_ones();
        let table_move = self.values.probe(own, opp).map_or(NO_MOVE, |entry| entry.best);
        let mut moves = Moves::<MAX_MOVES>::empty();
        moves.fill(Baseline, own, opp, squares, |_| ());
        self.sort(own, opp, &mut moves, table_move, depth, empties);
        let (mut best, mut best_move, mut low) = (-INFINITE, NO_MOVE, alpha);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            let (next_own, next_opp) = m.play(own, opp);
            let value = self.child(m.square, next_own, next_opp, depth - 1, low, beta, ply + 1, index == 0);
            if self.stopped {
                return alpha;
            }
            if value > best {
                (best, best_move) = (value, m.square as u8);
                if value > low {
                    low = value;
                    self.extend_line(ply, best_move);
                    if value >= beta {
                        self.end_cut(&moves, index);
                        break;
                    }
                }
            }
            index += 1;
        }
        let lower = if best > alpha { best } else { -MAX_VALUE };
        let upper = if best < beta { best } else { MAX_VALUE };
        self.store_bounds(own, opp, depth, lower, upper, best_move);
        best
    }

    /// The value of a child from its parent's view: the first child with the full window, the others with a null window
    /// first.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn child(
        &mut self,
        m: u32,
        own: u64,
        opp: u64,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> i32 {
        if !first {
            let value = -self.visit(m, own, opp, depth, !alpha);
            if self.stopped || value <= alpha || value >= beta {
                self.lines[ply].clear();
                return value;
            }
        }
        -self.visit_principal(m, own, opp, depth, -beta, -alpha, ply)
    }

    /// Sets the principal variation of `ply` to a move followed by that of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, square: u8) {
        let (lines, deeper) = self.lines.split_at_mut(ply + 1);
        lines[ply].clear();
        lines[ply].push(square);
        lines[ply].extend_from_slice(&deeper[0]);
    }
}

/// Hundredths of a disc in a child's value that are worth one point in the move ordering.
const CENTIDISCS_PER_POINT: i32 = 25;

/// The same where the search reaches the end of the game.
const CENTIDISCS_PER_POINT_AT_END: i32 = 8;
