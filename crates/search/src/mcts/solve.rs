//! Score bounds: what is certain (Cazenave and Saffidine 2010).
//!
//! A node is worth at least `low` and at most `high` to the first side. An ended game is worth its reward, both bounds
//! at once; where the first side chooses, each bound is the highest of the children's, where the second, the lowest. A
//! child whose better bound does not beat what the chooser has for certain cannot change the value of its parent, and is
//! visited no more. Bounds come from ended games only, never from playouts.

use std::sync::atomic::Ordering::Relaxed;

use super::amaf::Counters;
use super::node::{Node, TOP};
use super::tree::Tree;

/// Whether the value is known.
pub(super) fn is_solved<X: Counters>(node: &Node<X>) -> bool {
    let (low, high) = node.bounds();
    low >= high
}

/// Takes the bounds of a node from its children. `highest`: the first side chooses here. False when nothing changed.
///
/// Threads may do this at once: bounds only get tighter, and the worst that a late look gives is a looser one.
pub(super) fn tighten<X: Counters>(tree: &Tree<X>, node: &Node<X>, highest: bool) -> bool {
    let (_, children) = tree.children(node);
    if children.is_empty() {
        return false;
    }
    let (mut low, mut high) = if highest { (0, 0) } else { (TOP, TOP) };
    for child in children {
        let (child_low, child_high) = child.bounds();
        if highest {
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
