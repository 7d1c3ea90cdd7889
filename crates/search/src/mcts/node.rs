//! One node of the tree: 48 bytes, all of them atomic.
//!
//! Sums are kept in fixed point, so they are exact and do not depend on the order in which threads add to them.

use std::sync::atomic::{
    AtomicU16, AtomicU32, AtomicU64,
    Ordering::{Relaxed, Release},
};

use super::amaf::Counters;
use super::settings::Settings;

/// 1 in the fixed point of weights and rewards: 2³² visits fit.
pub(super) const ONE: u64 = 1 << 31;

/// 1 in the fixed point of score bounds. The rewards of ended games in the tree are rounded to it.
pub(super) const TOP: u16 = 1 << 15;

/// A number of [0, 2³²) in the fixed point of sums.
pub(super) fn fixed(x: f64) -> u64 {
    (x * ONE as f64 + 0.5) as u64
}

/// The number that [`fixed`] took; exact up to 2⁵³ / 2³¹ visits.
pub(super) fn float(x: u64) -> f64 {
    x as i64 as f64 / ONE as f64
}

/// A reward in the fixed point of bounds.
pub(super) fn bound(reward: f64) -> u16 {
    (reward * f64::from(TOP) + 0.5) as u16
}

/// Values of `Node::first` that are not the index of the first child. This one: not visited yet.
pub(super) const FRESH: u32 = 0;
/// A leaf: the game is not over here.
pub(super) const LEAF: u32 = u32::MAX;
/// A thread is making the children.
pub(super) const EXPANDING: u32 = u32::MAX - 1;
/// Terminal: both bounds are its value.
pub(super) const ENDED: u32 = u32::MAX - 2;
/// A leaf for good: all moves were filtered out.
pub(super) const CHILDLESS: u32 = u32::MAX - 3;
/// A leaf without children whose mean is the guide's value. It stays one while the tree is full, and for good where `count`
/// is not 0: all its moves were filtered out.
pub(super) const EVALUATED: u32 = u32::MAX - 4;
/// No index of a node reaches this.
pub(super) const LAST_STATE: u32 = EVALUATED;

/// A node, and the edge that leads to it.
#[derive(Debug)]
pub(super) struct Node<X> {
    /// Σw over simulations through this node.
    pub(super) weight: AtomicU64,
    /// Σw·r, the rewards seen by the first side.
    pub(super) sum: AtomicU64,
    /// Σw·r².
    pub(super) squares: AtomicU64,
    /// The packed move that leads here.
    pub(super) m: AtomicU32,
    /// Index of the first child, or one of the states above.
    pub(super) first: AtomicU32,
    /// The number of children; they are adjacent in the arena.
    pub(super) count: AtomicU32,
    /// Descents through this node that are not finished, that of the thread which selects here among them. Between searches a
    /// mark of the compaction.
    pub(super) pending: AtomicU32,
    /// The prior, an `f32`.
    pub(super) prior: AtomicU32,
    /// Proven lower bound for the first side.
    pub(super) low: AtomicU16,
    /// Proven upper bound for the first side.
    pub(super) high: AtomicU16,
    pub(super) extra: X,
}

const _: () = assert!(size_of::<Node<()>>() == 48, "a child takes 48 bytes");

impl<X: Counters> Default for Node<X> {
    fn default() -> Self {
        Node {
            weight: AtomicU64::new(0),
            sum: AtomicU64::new(0),
            squares: AtomicU64::new(0),
            m: AtomicU32::new(0),
            first: AtomicU32::new(FRESH),
            count: AtomicU32::new(0),
            pending: AtomicU32::new(0),
            prior: AtomicU32::new(0),
            low: AtomicU16::new(0),
            high: AtomicU16::new(TOP),
            extra: X::default(),
        }
    }
}

impl<X: Counters> Node<X> {
    /// Resets a used node to a new one, reached by a move. No other thread can reach it yet.
    pub(super) fn reset(&self, m: u32, prior: f32) {
        for sum in [&self.weight, &self.sum, &self.squares] {
            sum.store(0, Relaxed);
        }
        self.m.store(m, Relaxed);
        self.first.store(FRESH, Relaxed);
        self.count.store(0, Relaxed);
        self.pending.store(0, Relaxed);
        self.prior.store(prior.to_bits(), Relaxed);
        self.low.store(0, Relaxed);
        self.high.store(TOP, Relaxed);
        if let Some(amaf) = self.extra.amaf() {
            amaf.weight.store(0, Relaxed);
            amaf.sum.store(0, Relaxed);
        }
    }

    /// The visits, rounded down.
    pub(super) fn visits(&self) -> u64 {
        self.weight.load(Relaxed) / ONE
    }

    /// Σw of simulations alone: without virtual visits and what AMAF added.
    pub(super) fn own_weight(&self, settings: &Settings) -> u64 {
        let by_amaf = match self.extra.amaf() {
            Some(counters) if settings.amaf.is_some() => counters.weight.load(Relaxed),
            _ => 0,
        };
        let virtual_visits = settings.virtual_visits.map_or(0, |initial| fixed(initial.visits));
        // Another thread may have added to one of the two only.
        self.weight.load(Relaxed).saturating_sub(by_amaf + virtual_visits)
    }

    /// Gives a new node its virtual visits. `value`: for the first side.
    pub(super) fn add_virtual_visits(&self, visits: f64, value: f64) {
        self.weight.store(fixed(visits), Relaxed);
        self.sum.store(fixed(visits * value), Relaxed);
        self.squares.store(fixed(visits * value * value), Relaxed);
    }

    pub(super) fn prior(&self) -> f32 {
        f32::from_bits(self.prior.load(Relaxed))
    }

    /// The bounds, low and high.
    pub(super) fn bounds(&self) -> (u16, u16) {
        (self.low.load(Relaxed), self.high.load(Relaxed))
    }

    /// Marks the node as terminal, with this reward of the first side.
    pub(super) fn end(&self, reward: f64) {
        let reward = bound(reward.clamp(0.0, 1.0));
        self.low.store(reward, Relaxed);
        self.high.store(reward, Relaxed);
        // Pairs with the acquire of a descent: whoever meets the end finds its reward.
        self.first.store(ENDED, Release);
    }
}

/// Adds to a sum. A single thread needs no locked instruction.
#[inline]
pub(super) fn add(cell: &AtomicU64, x: u64, shared: bool) {
    if shared {
        cell.fetch_add(x, Relaxed);
    } else {
        cell.store(cell.load(Relaxed).wrapping_add(x), Relaxed);
    }
}
