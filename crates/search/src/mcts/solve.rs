//! Score bounds: proven results (Cazenave and Saffidine 2010).
//!
//! The value of a node for the first side is at least `low` and at most `high`. Both bounds of a terminal node are its
//! reward. Where the first side chooses, each bound is the maximum over the children, else the minimum. A child whose
//! optimistic bound does not exceed the bound that the chooser has already proven cannot change the value of its parent,
//! and is no longer visited. Bounds come from terminal nodes only, never from playouts.

use std::sync::atomic::Ordering::Relaxed;

use super::amaf::Counters;
use super::node::{Node, TOP};
use super::tree::Tree;

/// Whether the value is proven.
pub(super) fn is_solved<X: Counters>(node: &Node<X>) -> bool {
    let (low, high) = node.bounds();
    low >= high
}

/// Updates the bounds of a node from those of its children. `maximises`: the first side chooses here. Returns whether
/// they changed.
///
/// Threads may do this concurrently: bounds only get tighter, and an outdated read of a child gives a looser bound.
pub(super) fn tighten<X: Counters>(tree: &Tree<X>, node: &Node<X>, maximises: bool) -> bool {
    let (_, children) = tree.children(node);
    if children.is_empty() {
        return false;
    }
    let (mut low, mut high) = if maximises { (0, 0) } else { (TOP, TOP) };
    for child in children {
        let (child_low, child_high) = child.bounds();
        if maximises {
            low = low.max(child_low);
            high = high.max(child_high);
        } else {
            low = low.min(child_low);
            high = high.min(child_high);
        }
    }
    let raised = node.low.fetch_max(low, Relaxed) < low;
    let lowered = node.high.fetch_min(high, Relaxed) > high;
    raised || lowered
}
