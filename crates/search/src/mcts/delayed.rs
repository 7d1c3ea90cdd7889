//! Results on their way to the nodes that every thread comes through.
//!
//! Two threads that write to the same node with every simulation spend their time on handing the node's memory to and
//! fro. In a node with many visits a few more or less change no choice: there each thread gathers the results of several
//! simulations and adds them at once. At the end of a search all of them have arrived.

use super::amaf::Counters;
use super::node::{ONE, add};
use super::tree::Tree;

/// From so many visits on virtual loss is left out: it would change little and cost a wait.
pub(super) const VIRTUAL_LOSS_MAX_VISITS: u64 = 64 * ONE;

/// From so many visits on results of a shared tree may come late.
pub(super) const DELAY_MIN_VISITS: u64 = 1024 * ONE;

/// So many results are gathered.
const MOST: u32 = 8;

/// Nodes that a thread gathers for at once, a power of two.
const PLACES: usize = 64;

/// What one thread has gathered for one node.
#[derive(Clone, Copy, Debug, Default)]
struct PendingUpdate {
    node: u32,
    count: u32,
    weight: u64,
    sum: u64,
    squares: u64,
}

/// What one thread has gathered.
#[derive(Debug)]
pub(super) struct DelayedUpdates([PendingUpdate; PLACES]);

impl Default for DelayedUpdates {
    fn default() -> Self {
        DelayedUpdates([PendingUpdate::default(); PLACES])
    }
}

impl DelayedUpdates {
    /// Gathers one result for a node.
    pub(super) fn add<X: Counters>(&mut self, tree: &Tree<X>, node: u32, weight: u64, sum: u64, squares: u64) {
        let bundle = &mut self.0[node as usize % PLACES];
        if bundle.node != node {
            bundle.deliver(tree);
            bundle.node = node;
        }
        bundle.count += 1;
        bundle.weight += weight;
        bundle.sum += sum;
        bundle.squares += squares;
        if bundle.count == MOST {
            bundle.deliver(tree);
        }
    }

    /// Everything reaches its node.
    pub(super) fn deliver<X: Counters>(&mut self, tree: &Tree<X>) {
        self.0.iter_mut().for_each(|bundle| bundle.deliver(tree));
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
