//! The arena: all nodes of a tree in one block of memory of fixed size, allocated when a game begins.

use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::amaf::Counters;
use super::node::{FRESH, LAST_STATE, Node};
use crate::threads::CacheLine;

/// The root is node 0; the children of a node are adjacent and come after it.
#[derive(Debug)]
pub(super) struct Tree<X> {
    /// The root alone until [`Tree::reserve`], then `capacity` nodes.
    nodes: Box<[Node<X>]>,
    capacity: usize,
    /// Written while other threads read the rest.
    used: CacheLine<AtomicU32>,
    full: AtomicBool,
    refused: AtomicU64,
    /// Visits of this decision, in fixed point, that are not among the root's: those of earlier roots.
    pub(super) outside: u64,
}

/// Nodes that a thread reserves in one step in a shared tree.
const CHUNK: u32 = 256;

/// Marks a node that stays, in the compaction.
const LIVE: u32 = u32::MAX;

impl<X: Counters> Tree<X> {
    pub(super) const MIN_BYTES: usize = 4096;
    pub(super) const MAX_BYTES: usize = (LAST_STATE as usize - 1).saturating_mul(size_of::<Node<X>>());

    /// A tree of a root alone that can have as many nodes as fit into `bytes`. Making one is cheap: the memory of the other
    /// nodes is allocated by [`Tree::reserve`].
    pub(super) fn new(bytes: usize) -> Self {
        Tree {
            nodes: Box::new([Node::default()]),
            capacity: bytes / size_of::<Node<X>>(),
            used: CacheLine(AtomicU32::new(1)),
            full: AtomicBool::new(false),
            refused: AtomicU64::new(0),
            outside: 0,
        }
    }

    /// Allocates the memory of all nodes, once. Before it nothing may be searched.
    pub(super) fn reserve(&mut self) {
        if self.nodes.len() < self.capacity {
            self.nodes = std::iter::repeat_with(Node::default).take(self.capacity).collect();
        }
    }

    pub(super) fn node(&self, index: u32) -> &Node<X> {
        &self.nodes[index as usize]
    }

    /// The index of the first child and all children; empty for a node without.
    #[inline]
    pub(super) fn children(&self, node: &Node<X>) -> (u32, &[Node<X>]) {
        // Pairs with the release in `publish`: what is found there was written before.
        let first = node.first.load(Ordering::Acquire);
        if first == FRESH || first >= LAST_STATE {
            return (0, &[]);
        }
        let count = node.count.load(Ordering::Relaxed);
        (first, &self.nodes[first as usize..][..count as usize])
    }

    /// Space for the children of the node `parent`, after it; `None` once the arena is full, and always from then on.
    /// Threads that share the tree have a `chunk` each, from which they take small pieces without synchronisation.
    pub(super) fn allocate(
        &self,
        count: usize,
        parent: u32,
        chunk: Option<&mut Range<u32>>,
    ) -> Option<(u32, &[Node<X>])> {
        let first = match chunk {
            Some(chunk) if count < CHUNK as usize => {
                let count = count as u32;
                if chunk.start <= parent || chunk.end - chunk.start < count {
                    // Near the end of the arena the rest is handed out piece by piece.
                    let next = self.take(CHUNK).map(|first| first..first + CHUNK);
                    *chunk = next.or_else(|| self.take(count).map(|first| first..first + count)).unwrap_or(0..0);
                }
                (chunk.end - chunk.start >= count).then(|| {
                    chunk.start += count;
                    chunk.start - count
                })
            }
            _ => u32::try_from(count).ok().and_then(|count| self.take(count)),
        };
        if first.is_none() {
            self.mark_full();
        }
        first.map(|first| (first, &self.nodes[first as usize..][..count]))
    }

    /// Takes nodes that are free.
    fn take(&self, count: u32) -> Option<u32> {
        let end = |used: u32| {
            let end = used as usize + count as usize;
            (end <= self.nodes.len()).then_some(end as u32)
        };
        self.used.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, end).ok()
    }

    /// Makes finished children visible to all threads.
    pub(super) fn publish(&self, node: &Node<X>, first: u32, count: usize) {
        node.count.store(count as u32, Ordering::Relaxed);
        node.first.store(first, Ordering::Release);
    }

    /// Free nodes.
    pub(super) fn left(&self) -> usize {
        self.nodes.len() - self.used() as usize
    }

    /// How often the free space has halved since the tree was empty: 0 up to half of the space.
    pub(super) fn scarcity(&self) -> u32 {
        (self.nodes.len() / self.left().max(1)).max(1).ilog2()
    }

    /// Marks the tree as full, because some expansion did not fit: from now on none does.
    pub(super) fn mark_full(&self) {
        self.full.store(true, Ordering::Relaxed);
        self.refuse(1);
    }

    /// Whether some expansion did not fit.
    pub(super) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Counts leaves that could not be expanded for lack of space.
    pub(super) fn refuse(&self, count: u64) {
        self.refused.fetch_add(count, Ordering::Relaxed);
    }

    /// How often a leaf could not be expanded for lack of space, since the tree was cleared.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    pub(super) fn used(&self) -> u32 {
        self.used.0.load(Ordering::Relaxed)
    }

    pub(super) fn capacity(&self) -> u32 {
        self.capacity as u32
    }

    /// Removes all nodes, and leaves a new root.
    pub(super) fn clear(&mut self) {
        *self.used.0.get_mut() = 1;
        *self.full.get_mut() = false;
        *self.refused.get_mut() = 0;
        self.nodes[0].reset(0, 0.0);
    }

    /// The node becomes the root; what is not below it is removed.
    ///
    /// In one pass and in place: children always come after their parent, so a pass in ascending order meets a node
    /// after its parent, and moving the nodes that stay toward the front keeps the order and the blocks.
    pub(super) fn advance(&mut self, root: u32) {
        let used = *self.used.0.get_mut();
        *self.nodes[root as usize].pending.get_mut() = LIVE;
        let mut to = 0u32;
        for from in root..used {
            let mark = take(self.nodes[from as usize].pending.get_mut());
            if mark == 0 {
                continue;
            }
            if mark != LIVE {
                // The first of a block carries its parent's new index plus 1.
                *self.nodes[mark as usize - 1].first.get_mut() = to;
            }
            self.nodes.swap(to as usize, from as usize);
            let node = &mut self.nodes[to as usize];
            let (first, count) = (*node.first.get_mut(), *node.count.get_mut());
            to += 1;
            if first != FRESH && first < LAST_STATE {
                let block = &mut self.nodes[first as usize..][..count as usize];
                for (index, child) in block.iter_mut().enumerate() {
                    *child.pending.get_mut() = if index == 0 { to } else { LIVE };
                }
            }
        }
        *self.used.0.get_mut() = to;
        *self.full.get_mut() = false;
    }
}
