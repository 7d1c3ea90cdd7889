//! The null-window search of the solver.
//!
//! [`Search::null_window`] decides whether the mover scores more than `alpha`; the solver finds a score by several such
//! searches. A search may share its nodes with other workers (see `split`).

use std::sync::Arc;

use banmen_search::Budget;

use super::evaluation::Evaluation;
use super::kernel::{Baseline, Kernel};
use super::last::{self, final_score};
use super::midgame::Stage;
use super::node::{self, Node};
use super::order::{self, MAX_MOVES, Moves, X_AND_C};
use super::parity;
use super::preview::{self, ValueBy};
use super::split::{Job, SplitPoint, Workers};
use super::stability::{Edges, stable};
use super::table::{NO_MOVE, Table, TableEntry};
use super::values::Values;
use crate::moves::legal;

/// Up to this many empty squares the search does not use the tables. With 6 it visits 3 % fewer nodes, and takes longer.
const SHALLOW: u32 = 7;

/// The kinds of nodes: with up to [`SHALLOW`] empty squares, with less than [`ETC_EMPTIES`], and with at least so many.
const SHALLOW_NODE: u8 = 0;
const NEAR_NODE: u8 = 1;
const DEEP_NODE: u8 = 2;

/// Positions with up to this many empty squares are stored in the small table, others in the main table, which misses the
/// caches at nearly every access: with 11 the search visits 1 % fewer nodes, and takes 4 % longer.
const SMALL_TABLE_EMPTIES: u32 = 13;

/// From this many empty squares on, the table is probed for every child before the first one is searched (enhanced
/// transposition cut-off, Plaat et al. 1996).
const ETC_EMPTIES: u32 = 10;

/// From this many empty squares on, moves are also ordered by a shallow search with the evaluation. A move from a table
/// needs none.
const PREVIEW_EMPTIES: u32 = 13;

/// Plies of that search for every [`PREVIEW_EMPTIES_STEP`] empty squares more.
const PREVIEW_STEP: u32 = 2;

/// See [`PREVIEW_STEP`].
const PREVIEW_EMPTIES_STEP: u32 = 8;

/// The greatest depth of that search: it takes milliseconds even far from the end.
const PREVIEW_MAX_DEPTH: u32 = 6;

/// Below this many empty squares its leaves are valued by the sum of the patterns' weights alone.
const PREVIEW_BY_SUM_EMPTIES: u32 = 14;

/// Hundredths of a disc in the preview's value that are worth one point in the move ordering.
const CENTIDISCS_PER_POINT: i32 = 10;

/// Moves whose preview is this far below the best, in hundredths of a disc, are ordered by a bound instead of the
/// value.
const PREVIEW_MARGIN: i32 = 600;

/// Nodes between two checks of the limits.
const LIMIT_PERIOD: u64 = 8192;

/// Nodes between two checks of a worker whether its move is still of use.
const CHECK_PERIOD: u64 = 1024;

/// Nodes with fewer empty squares are not split: their moves take less time than handing them over.
const SPLIT_EMPTIES: u32 = 13;

/// Moves of a node that are searched before it is split, where no cut-off is expected. With 1 the second thread
/// searches nodes in vain more often: FFO #44 takes 10 % more of them than with one thread, with 2 it takes 3 % more.
const ALL_NODE_MOVES: usize = 2;

/// The same where a cut-off is expected. With 3 FFO #44 takes 5 % fewer nodes, but on two threads as much time is lost by
/// waiting.
const CUT_NODE_MOVES: usize = 2;

/// The search of one worker during one solve.
pub(super) struct Search<'a, 'b, K> {
    /// The instruction set for which the nodes are compiled.
    kernel: K,
    /// This worker's own table, for the last plies.
    small_table: &'a Table,
    /// The table of all workers.
    main_table: &'a Table,
    /// What the selective searches before this one have found.
    values: &'a Values,
    edges: &'static Edges,
    pub(super) evaluation: &'a Evaluation,
    /// Limits and stop flag of the solve: the caller's, or a helper's part of it.
    budget: &'a mut Budget<'b>,
    /// Called after each check of the limits by the worker that began the search; helpers have none.
    progress: Option<&'a mut dyn FnMut(&Budget<'_>)>,
    next_limit_check: u64,
    next_check: u64,
    /// The workers of the search, where it has more than one.
    workers: Option<&'a Workers>,
    /// The innermost split point that this worker searches a move of.
    split_point: Option<Arc<SplitPoint>>,
    /// The `alpha` of the nodes where no move is expected to score more: those of one side.
    all_node_alpha: i32,
    /// The part of `nodes` that the budget has counted.
    counted: u64,
    /// Positions visited by this worker.
    pub(super) nodes: u64,
    /// The search is stopped when it has visited this many.
    most_nodes: u64,
    /// The search is over, or the move of the split point is obsolete: results are invalid.
    pub(super) stopped: bool,
}

impl<'a, 'b, K: Kernel> Search<'a, 'b, K> {
    /// A worker with its own small table and the main table. `progress` is called by the worker that begins the search,
    /// not by helpers.
    pub(super) fn new(
        kernel: K,
        evaluation: &'a Evaluation,
        [small_table, main_table]: [&'a Table; 2],
        values: &'a Values,
        workers: Option<&'a Workers>,
        budget: &'a mut Budget<'b>,
        progress: Option<&'a mut dyn FnMut(&Budget<'_>)>,
    ) -> Self {
        Search {
            kernel,
            small_table,
            main_table,
            values,
            edges: Edges::get(),
            evaluation,
            budget,
            progress,
            next_limit_check: 0,
            next_check: 0,
            workers,
            split_point: None,
            all_node_alpha: 0,
            counted: 0,
            nodes: 0,
            most_nodes: u64::MAX,
            stopped: false,
        }
    }

    /// Searches jobs for other workers until the search ends.
    pub(super) fn help(&mut self, workers: &Workers) {
        while let Some(job) = workers.next_of_helper() {
            self.run(workers, job, None);
        }
        self.count_rest();
        workers.add_helper_nodes(self.nodes);
    }

    /// Ends the search: counts the rest of the nodes.
    pub(super) fn count_rest(&mut self) {
        self.budget.nodes(self.nodes - self.counted);
        self.counted = self.nodes;
    }

    /// The value of a selective search in hundredths of a disc. Invalid when `stopped` is set afterwards.
    pub(super) fn selective(&mut self, own: u64, opp: u64, stage: Stage) -> i32 {
        self.count_rest();
        let start = self.budget.count();
        let mut node = Node::new(self.evaluation, self.values, self.small_table, self.budget);
        node.selectivity = stage.selectivity;
        let value = node.principal(own, opp, stage.depth, -node::INFINITE, node::INFINITE, 0);
        self.stopped |= node.stopped;
        // The budget has counted them.
        let nodes = self.budget.count() - start;
        self.nodes += nodes;
        self.counted += nodes;
        self.stopped |= self.limit_reached();
        value
    }

    /// Whether the mover scores more than `alpha`: a result above it is a lower bound, any other an upper bound.
    /// Invalid when `stopped` is set afterwards.
    pub(super) fn null_window(&mut self, own: u64, opp: u64, alpha: i32) -> i32 {
        let empties = !(own | opp);
        match empties.count_ones() {
            0..=4 => last::at_most_four(self.kernel, own, opp, alpha, &mut self.nodes),
            count => self.node(own, opp, legal(own, opp), alpha, count, parity::of(empties)),
        }
    }

    /// Whether about `nodes` nodes of this worker alone suffice to decide whether the mover scores more than `alpha`. What they
    /// prove is in the tables.
    pub(super) fn tries(&mut self, own: u64, opp: u64, alpha: i32, nodes: u64) -> bool {
        let workers = self.workers.take();
        self.most_nodes = self.nodes + nodes;
        self.null_window_root(own, opp, alpha, true);
        self.most_nodes = u64::MAX;
        self.workers = workers;
        let decided = !self.stopped;
        self.stopped = self.limit_reached() || workers.is_some_and(Workers::stopped);
        decided
    }

    /// Like [`Search::null_window`], with the best move: the one that scores more than `alpha`, else the one of the
    /// best bound. `None` when the mover has no move. `expects_more` is a guess of the result, which several workers
    /// use to divide their work.
    pub(super) fn null_window_root(
        &mut self,
        own: u64,
        opp: u64,
        alpha: i32,
        expects_more: bool,
    ) -> (i32, Option<u32>) {
        self.all_node_alpha = if expects_more { !alpha } else { alpha };
        let empties = !(own | opp);
        let count = empties.count_ones();
        let parity = parity::of(empties);
        let mut moves = Moves::<MAX_MOVES>::empty();
        moves.fill(Baseline, own, opp, legal(own, opp), |_| ());
        let best = self.table(count).probe(own, opp).map_or(NO_MOVE, |entry| entry.best);
        self.nodes += 1;
        for m in moves.as_mut_slice() {
            m.find_replies(Baseline, own, opp);
        }
        self.sort(own, opp, &mut moves, best, count, parity);
        let mut found = (-65, None);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            if let Some(workers) = self.worth_splitting(alpha, count, index, &moves) {
                let best = found.1.map_or(NO_MOVE, |square| square as u8);
                let split = self.split(workers, (own, opp, alpha), &mut moves, index, found.0, best);
                return (split.0, Some(u32::from(split.1)));
            }
            let (next_own, next_opp) = m.play(own, opp);
            let score = -self.null_window(next_own, next_opp, !alpha);
            if score > found.0 {
                found = (score, Some(m.square));
                if score > alpha {
                    break;
                }
            }
            index += 1;
        }
        match found.1 {
            None if legal(opp, own) == 0 => (final_score(own, opp), None),
            None => (-self.null_window(opp, own, !alpha), None),
            Some(_) => found,
        }
    }

    /// The table for positions with `count` empty squares.
    #[inline]
    fn table(&self, count: u32) -> &'a Table {
        if count > SMALL_TABLE_EMPTIES { self.main_table } else { self.small_table }
    }

    /// The workers to share the moves from `index` on with, or `None` when the node is not split. It is split when a
    /// worker waits, enough moves are searched to make a cut-off unlikely, and at least two moves are left.
    #[inline]
    fn worth_splitting(&self, alpha: i32, count: u32, index: usize, moves: &Moves<MAX_MOVES>) -> Option<&'a Workers> {
        self.workers.filter(|workers| {
            count >= SPLIT_EMPTIES
                && index >= if alpha == self.all_node_alpha { ALL_NODE_MOVES } else { CUT_NODE_MOVES }
                && moves.as_slice().len() - index >= 2
                && !self.stopped
                && workers.want_moves()
        })
    }

    /// Searches the moves from `index` on together with other workers. `score` and `best` are those of the moves
    /// before. Returns the best score, its move, and the nodes of the other workers.
    #[cold]
    fn split(
        &mut self,
        workers: &Workers,
        node: (u64, u64, i32),
        moves: &mut Moves<MAX_MOVES>,
        index: usize,
        score: i32,
        best: u8,
    ) -> (i32, u8, u64) {
        let rest = &mut moves.as_mut_slice()[index..];
        rest.sort_by_key(|m| m.priority);
        let point = workers.open(node, self.all_node_alpha, rest.to_vec(), score, best, self.split_point.clone());
        loop {
            match workers.next_of_owner(&point, &mut || self.limit_reached_while_waiting()) {
                Ok(job) => self.run(workers, job, Some(&point)),
                Err(result) => {
                    self.stopped |= workers.stopped() || self.is_obsolete();
                    return (result.score, result.best, result.nodes);
                }
            }
        }
    }

    /// Searches the move of a job and records the result. `owned` is the split point that this worker owns.
    fn run(&mut self, workers: &Workers, job: Job, owned: Option<&Arc<SplitPoint>>) {
        let before = self.split_point.replace(Arc::clone(&job.point));
        let (start, all_node_alpha) = (self.nodes, self.all_node_alpha);
        self.all_node_alpha = job.point.all_node_alpha;
        let (own, opp) = job.m.play(job.point.own, job.point.opp);
        let score = -self.null_window(own, opp, !job.point.alpha);
        let score = (!self.stopped).then_some(score);
        let own_point = owned.is_some_and(|owned| Arc::ptr_eq(owned, &job.point));
        workers.record(&job, score, if own_point { 0 } else { self.nodes - start });
        self.split_point = before;
        self.all_node_alpha = all_node_alpha;
        // What made the job obsolete need not end the work that this worker was doing before.
        self.stopped = workers.stopped() || self.is_obsolete();
    }

    /// As [`Search::limit_reached`] when no node was visited since the last check.
    fn limit_reached_while_waiting(&mut self) -> bool {
        self.limit_reached() || !self.budget.go_on()
    }

    /// Whether this worker searches a move whose result is of no use any more.
    fn is_obsolete(&self) -> bool {
        self.split_point.as_ref().is_some_and(|point| point.is_obsolete())
    }

    /// A node with five or more empty squares, whose moves are on `squares`.
    #[inline]
    fn node(&mut self, own: u64, opp: u64, squares: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        if count <= SHALLOW {
            K::node::<SHALLOW_NODE>(self, own, opp, squares, alpha, count, parity)
        } else if count < ETC_EMPTIES {
            K::node::<NEAR_NODE>(self, own, opp, squares, alpha, count, parity)
        } else {
            K::node::<DEEP_NODE>(self, own, opp, squares, alpha, count, parity)
        }
    }

    /// A node of one kind. In it are inlined the operations of the instruction set whose function calls it.
    #[inline(always)]
    pub(super) fn node_of<const KIND: u8>(
        &mut self,
        own: u64,
        opp: u64,
        squares: u64,
        alpha: i32,
        count: u32,
        parity: u32,
    ) -> i32 {
        match KIND {
            SHALLOW_NODE => self.shallow(own, opp, squares, alpha, count, parity),
            NEAR_NODE => self.near(own, opp, squares, alpha, count, parity),
            _ => self.deep(own, opp, squares, alpha, count, parity),
        }
    }

    /// Counts a position and checks from time to time whether to stop.
    #[inline]
    pub(super) fn visit(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check();
        }
    }

    #[cold]
    fn check(&mut self) {
        let Some(workers) = self.workers else {
            self.next_check = self.nodes + LIMIT_PERIOD;
            self.stopped |= self.limit_reached() || self.nodes >= self.most_nodes;
            return;
        };
        self.next_check = self.nodes + CHECK_PERIOD;
        if self.nodes >= self.next_limit_check {
            self.next_limit_check = self.nodes + LIMIT_PERIOD;
            if self.limit_reached() {
                workers.stop();
            }
        }
        self.stopped |= workers.stopped() || self.is_obsolete();
    }

    /// Counts the nodes since the last check, and reports whether a limit or the stop flag ends the search.
    fn limit_reached(&mut self) -> bool {
        let over = !self.budget.nodes(self.nodes - self.counted);
        self.counted = self.nodes;
        if let Some(progress) = &mut self.progress {
            progress(self.budget);
        }
        over
    }

    /// An upper bound by the opponent's stable discs, if it is a cut-off.
    #[inline]
    fn stability_bound(&self, own: u64, opp: u64, alpha: i32, count: u32) -> Option<i32> {
        // No more discs are stable than there are.
        if alpha < STABILITY[(count & 63) as usize] || 64 - 2 * opp.count_ones() as i32 > alpha {
            return None;
        }
        let bound = 64 - 2 * stable(self.edges, opp, own).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// A node with five to [`SHALLOW`] empty squares, without the table.
    #[inline(always)]
    fn shallow(&mut self, own: u64, opp: u64, squares: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        let kernel = self.kernel;
        self.nodes += 1;
        if let Some(bound) = self.stability_bound(own, opp, alpha, count) {
            return bound;
        }
        if squares == 0 {
            let replies = kernel.legal(opp, own);
            return if replies == 0 {
                final_score(own, opp)
            } else {
                -K::node::<SHALLOW_NODE>(self, opp, own, replies, !alpha, count, parity)
            };
        }
        let mut best = -64;
        if count == 5 {
            let odd = squares & parity::odd(parity);
            let even = squares ^ odd;
            // Moves are tried in order of parity; in each half of them the X and C squares are tried last.
            for mut group in [odd & !X_AND_C, odd & X_AND_C, even & !X_AND_C, even & X_AND_C] {
                while group != 0 {
                    let square = group.trailing_zeros();
                    group &= group - 1;
                    let flipped = kernel.flips(own, opp, square);
                    let (next_own, next_opp) = (opp ^ flipped, own ^ flipped | 1 << square);
                    let next_parity = parity ^ parity::bit(square);
                    best = best.max(-kernel.four(next_own, next_opp, !alpha, next_parity, false, &mut self.nodes));
                    if best > alpha {
                        return best;
                    }
                }
            }
            return best;
        }
        let mut moves = Moves::<{ SHALLOW as usize }>::empty();
        let mut next = moves.fill_and_take(kernel, own, opp, squares, |m| {
            m.priority = order::priority_by_mobility(m, parity);
        });
        while let Some(at) = next {
            let m = &moves.as_slice()[at];
            let (next_own, next_opp) = m.play(own, opp);
            let next_parity = parity ^ parity::bit(m.square);
            best =
                best.max(-K::node::<SHALLOW_NODE>(self, next_own, next_opp, m.replies, !alpha, count - 1, next_parity));
            if best > alpha {
                break;
            }
            next = moves.take();
        }
        best
    }

    /// A node with more than [`SHALLOW`] and less than [`ETC_EMPTIES`] empty squares.
    #[inline(always)]
    fn near(&mut self, own: u64, opp: u64, squares: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        let (kernel, start) = (self.kernel, self.nodes);
        self.visit();
        if self.stopped {
            return alpha;
        }
        if let Some(bound) = self.stability_bound(own, opp, alpha, count) {
            return bound;
        }
        let stored = self.small_table.probe(own, opp).unwrap_or(TableEntry::UNKNOWN);
        if let Some(bound) = stored.bound(alpha) {
            return bound;
        }
        if squares == 0 {
            let replies = kernel.legal(opp, own);
            return if replies == 0 {
                final_score(own, opp)
            } else {
                -K::node::<NEAR_NODE>(self, opp, own, replies, !alpha, count, parity)
            };
        }
        let mut moves = Moves::<{ ETC_EMPTIES as usize - 1 }>::empty();
        let mut wins_all = false;
        let mut next = moves.fill_and_take(kernel, own, opp, squares, |m| {
            wins_all |= m.flipped == opp;
            if count > SHALLOW + 1 {
                let (next_own, next_opp) = m.play(own, opp);
                self.small_table.prefetch(next_own, next_opp);
            }
            let known = m.square == u32::from(stored.best);
            m.priority = if known { i32::MAX } else { order::priority(own, opp, m, parity) };
        });
        if wins_all {
            return 64;
        }
        let (mut best, mut best_move) = (-65, NO_MOVE);
        while let Some(at) = next {
            let m = &moves.as_slice()[at];
            let (next_own, next_opp) = m.play(own, opp);
            let next_parity = parity ^ parity::bit(m.square);
            let score = -self.node(next_own, next_opp, m.replies, !alpha, count - 1, next_parity);
            if self.stopped {
                return alpha;
            }
            if score > best {
                (best, best_move) = (score, m.square as u8);
                if best > alpha {
                    break;
                }
            }
            next = moves.take();
        }
        self.small_table.store(own, opp, TableEntry::of(best, alpha, best_move), self.nodes - start);
        best
    }

    /// A node with at least [`ETC_EMPTIES`] empty squares.
    #[inline(always)]
    fn deep(&mut self, own: u64, opp: u64, squares: u64, alpha: i32, count: u32, parity: u32) -> i32 {
        let (kernel, start) = (self.kernel, self.nodes);
        self.visit();
        if self.stopped {
            return alpha;
        }
        if count >= PREVIEW_EMPTIES {
            self.values.prefetch(own, opp);
        }
        if let Some(bound) = self.stability_bound(own, opp, alpha, count) {
            return bound;
        }
        let table = self.table(count);
        let stored = table.probe(own, opp).unwrap_or(TableEntry::UNKNOWN);
        if let Some(bound) = stored.bound(alpha) {
            return bound;
        }
        if squares == 0 {
            let replies = kernel.legal(opp, own);
            return if replies == 0 {
                final_score(own, opp)
            } else {
                -K::node::<DEEP_NODE>(self, opp, own, replies, !alpha, count, parity)
            };
        }
        let child_table = self.table(count - 1);
        let mut moves = Moves::<MAX_MOVES>::empty();
        let mut wins_all = false;
        moves.fill(kernel, own, opp, squares, |m| {
            wins_all |= m.flipped == opp;
            let (next_own, next_opp) = m.play(own, opp);
            child_table.prefetch(next_own, next_opp);
        });
        if wins_all {
            return 64;
        }
        // They are needed later, but the prefetched lines take a while to arrive.
        for m in moves.as_mut_slice() {
            m.find_replies(kernel, own, opp);
        }
        for m in moves.as_slice() {
            let (next_own, next_opp) = m.play(own, opp);
            if let Some(child) = child_table.probe(next_own, next_opp)
                && -i32::from(child.upper) > alpha
            {
                return -i32::from(child.upper);
            }
        }
        self.sort(own, opp, &mut moves, stored.best, count, parity);
        let (mut best, mut best_move, mut helper_nodes) = (-65, NO_MOVE, 0);
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            if let Some(workers) = self.worth_splitting(alpha, count, index, &moves) {
                (best, best_move, helper_nodes) =
                    self.split(workers, (own, opp, alpha), &mut moves, index, best, best_move);
                if self.stopped {
                    return alpha;
                }
                break;
            }
            let (next_own, next_opp) = m.play(own, opp);
            let next_parity = parity ^ parity::bit(m.square);
            let score = -self.node(next_own, next_opp, m.replies, !alpha, count - 1, next_parity);
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
        let nodes = self.nodes - start + helper_nodes;
        table.store(own, opp, TableEntry::of(best, alpha, best_move), nodes);
        best
    }

    /// Sets the priorities of the moves, whose replies are known; the table's move has the highest.
    fn sort(&mut self, own: u64, opp: u64, moves: &mut Moves<MAX_MOVES>, mut best: u8, count: u32, parity: u32) {
        if best == NO_MOVE && count >= PREVIEW_EMPTIES {
            best = self.values.probe(own, opp).map_or(NO_MOVE, |entry| entry.best);
        }
        for m in moves.as_mut_slice() {
            m.priority = if m.square == u32::from(best) { i32::MAX } else { order::priority(own, opp, m, parity) };
        }
        if count < PREVIEW_EMPTIES {
            return;
        }
        // Where a good move is known already, the order of the others matters less.
        let depth = (PREVIEW_STEP * (count - PREVIEW_EMPTIES) / PREVIEW_EMPTIES_STEP).min(PREVIEW_MAX_DEPTH);
        let depth = if best == NO_MOVE { depth } else { depth.saturating_sub(1) };
        let by = if count < PREVIEW_BY_SUM_EMPTIES { ValueBy::Sum } else { ValueBy::Network };
        let parent = self.evaluation.parent(own, opp);
        let mut leader = -preview::INFINITE;
        let mut index = 0;
        while let Some(m) = moves.pick(index) {
            if m.priority != i32::MAX {
                let bound = PREVIEW_MARGIN - leader;
                let value = -self.preview_after(&parent, &m, -preview::INFINITE, bound, depth, by);
                leader = leader.max(value);
                moves.as_mut_slice()[index].priority += value / CENTIDISCS_PER_POINT;
            }
            index += 1;
        }
    }
}

/// By empty squares: the least `alpha` from which stable discs are counted. With more empty squares a cut-off needs a
/// more one-sided position.
const STABILITY: [i32; 64] = {
    let mut table = [0; 64];
    let mut count = 0;
    while count < 64 {
        table[count] = if count < 6 { 99 } else { 5 * count as i32 / 2 - 12 };
        count += 1;
    }
    table
};
