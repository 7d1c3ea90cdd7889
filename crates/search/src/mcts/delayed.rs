//! Delayed updates of the nodes that every thread visits.
//!
//! Two threads that write to the same node in every simulation spend their time on moving its cache line between cores. In
//! a node with many visits a few more or less change no selection: there each thread collects the results of several
//! simulations, more of them the more visits the node has, and adds them in one step. At the end of a search all
//! results are in the tree.

use super::amaf::Counters;
use super::node::{ONE, add};
use super::tree::Tree;

/// From this many visits on there is no virtual loss: it would change little, and threads would wait for the cache line.
pub(super) const VIRTUAL_LOSS_MAX_VISITS: u64 = 16 * ONE;

/// A thread delays at most one result for so many visits of the node.
const VISITS_PER_RESULT: u64 = 32;

/// The most results that are added in one step.
const MAX_BATCH: u64 = 64;

/// Nodes that a thread collects results for, a power of two.
const SLOTS: usize = 64;

/// The number of results to add in one step to a node of this weight.
#[inline]
pub(super) fn batch(weight: u64) -> u32 {
    (weight / (VISITS_PER_RESULT * ONE)).clamp(1, MAX_BATCH) as u32
}

/// Results of one thread for one node.
#[derive(Clone, Copy, Debug, Default)]
struct PendingUpdate {
    node: u32,
    count: u32,
    weight: u64,
    sum: u64,
    squares: u64,
}

/// The results of one thread that are not in the tree yet.
#[derive(Debug)]
pub(super) struct DelayedUpdates([PendingUpdate; SLOTS]);

impl Default for DelayedUpdates {
    fn default() -> Self {
        DelayedUpdates([PendingUpdate::default(); SLOTS])
    }
}

impl DelayedUpdates {
    /// Records a result for a node, and adds the recorded ones to the tree once there are `batch` of them.
    pub(super) fn add<X: Counters>(
        &mut self,
        tree: &Tree<X>,
        node: u32,
        batch: u32,
        weight: u64,
        sum: u64,
        squares: u64,
    ) {
        let update = &mut self.0[node as usize % SLOTS];
        if update.node != node {
            update.deliver(tree);
            update.node = node;
        }
        update.count += 1;
        update.weight += weight;
        update.sum += sum;
        update.squares += squares;
        if update.count >= batch {
            update.deliver(tree);
        }
    }

    /// Adds all results to their nodes.
    pub(super) fn deliver<X: Counters>(&mut self, tree: &Tree<X>) {
        self.0.iter_mut().for_each(|update| update.deliver(tree));
    }
}

impl PendingUpdate {
    fn deliver<X: Counters>(&mut self, tree: &Tree<X>) {
        if self.count > 0 {
            let node = tree.node(self.node);
            add(&node.weight, self.weight, true);
            add(&node.sum, self.sum, true);
            if self.squares > 0 {
                add(&node.squares, self.squares, true);
            }
        }
        *self = PendingUpdate { node: self.node, ..PendingUpdate::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_with_the_visits_and_delay_less_than_a_thirtieth() {
        assert_eq!([0, 16, 63].map(|visits| batch(visits * ONE)), [1; 3], "few visits: nothing is delayed");
        assert_eq!([64, 256, 1 << 20].map(|visits| batch(visits * ONE)), [2, 8, 64]);
        for visits in 1..20_000 {
            let delayed = u64::from(batch(visits * ONE)) - 1;
            assert!(30 * delayed < visits, "{delayed} of {visits}");
        }
    }
}
