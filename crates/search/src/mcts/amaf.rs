//! All moves as first: the counters of a node, and the set of the moves of one simulation.

use std::sync::atomic::AtomicU64;

use banmen_game::{Game, MoveIndex, Side, mix};

/// Counters that a node holds beside its own statistics.
pub trait Counters: Default + Send + Sync + 'static {
    /// Whether there are AMAF counters.
    const AMAF: bool = false;

    /// The AMAF counters, where there are some.
    fn amaf(&self) -> Option<&AmafCounters> {
        None
    }
}

/// The results of simulations in which the side made a child's move at the node or later, in the fixed point of sums.
#[derive(Debug, Default)]
pub struct AmafCounters {
    pub(super) weight: AtomicU64,
    pub(super) sum: AtomicU64,
}

/// What a node holds beside its own statistics, and how it writes the move that leads to it: `()`, [`Amaf`] or
/// [`IndexedAmaf`].
pub trait Payload<G: Game>: Counters {
    /// The moves of one simulation.
    type Made: MoveSet;

    /// The move in 32 bits.
    fn pack(game: &G, m: G::Move) -> u32;

    /// The move that [`Payload::pack`] gave these bits.
    fn unpack(game: &G, bits: u32) -> Option<G::Move>;
}

/// A set of packed moves by side. Made once for each thread.
pub trait MoveSet: Default + Send {
    /// Removes all moves.
    fn clear(&mut self);

    /// Adds a move of a side.
    fn insert(&mut self, side: Side, m: u32);

    /// Whether a side has made the move.
    fn contains(&self, side: Side, m: u32) -> bool;
}

/// Nothing more: 48 bytes a node.
impl Counters for () {}

impl<G: Game> Payload<G> for () {
    type Made = ();

    fn pack(game: &G, m: G::Move) -> u32 {
        game.pack(m)
    }

    fn unpack(game: &G, bits: u32) -> Option<G::Move> {
        game.unpack(bits)
    }
}

impl MoveSet for () {
    fn clear(&mut self) {}

    fn insert(&mut self, _: Side, _: u32) {}

    fn contains(&self, _: Side, _: u32) -> bool {
        false
    }
}

/// All moves as first (Brügmann 1993), for any game: the moves of a simulation are found by hashing. 64 bytes a node.
#[derive(Debug, Default)]
pub struct Amaf(AmafCounters);

impl Counters for Amaf {
    const AMAF: bool = true;

    fn amaf(&self) -> Option<&AmafCounters> {
        Some(&self.0)
    }
}

impl<G: Game> Payload<G> for Amaf {
    type Made = HashedMoves;

    fn pack(game: &G, m: G::Move) -> u32 {
        game.pack(m)
    }

    fn unpack(game: &G, bits: u32) -> Option<G::Move> {
        game.unpack(bits)
    }
}

/// All moves as first, for a game whose moves have numbers: the moves of a simulation are bits of an array, which pays where
/// nodes have hundreds of children. The same tree as with [`Amaf`]. 64 bytes a node.
#[derive(Debug, Default)]
pub struct IndexedAmaf(AmafCounters);

impl Counters for IndexedAmaf {
    const AMAF: bool = true;

    fn amaf(&self) -> Option<&AmafCounters> {
        Some(&self.0)
    }
}

impl<G: MoveIndex> Payload<G> for IndexedAmaf {
    type Made = IndexedMoves;

    fn pack(game: &G, m: G::Move) -> u32 {
        let index = game.move_index(m);
        debug_assert!(index < game.move_count() && game.indexed_move(index) == Some(m), "{m:?} has the number {index}");
        index as u32
    }

    fn unpack(game: &G, bits: u32) -> Option<G::Move> {
        game.indexed_move(bits as usize)
    }
}

/// A hash table that is emptied in one step: an entry counts only with the current stamp.
#[derive(Clone, Debug)]
pub struct HashedMoves {
    entries: Vec<(u64, u32)>,
    stamp: u32,
    count: usize,
}

impl Default for HashedMoves {
    fn default() -> Self {
        HashedMoves { entries: vec![(0, 0); 256], stamp: 1, count: 0 }
    }
}

fn key(side: Side, m: u32) -> u64 {
    (side.index() as u64) << 32 | u64::from(m)
}

impl HashedMoves {
    /// The slot that holds the key, or the free one where it belongs.
    fn slot(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut slot = mix(key) as usize & mask;
        while self.entries[slot].1 == self.stamp && self.entries[slot].0 != key {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

impl MoveSet for HashedMoves {
    fn clear(&mut self) {
        self.count = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entries.fill((0, 0));
            self.stamp = 1;
        }
    }

    fn insert(&mut self, side: Side, m: u32) {
        if 2 * self.count >= self.entries.len() {
            let old = std::mem::take(&mut self.entries);
            self.entries = vec![(0, 0); 2 * old.len()];
            for entry in old.into_iter().filter(|entry| entry.1 == self.stamp) {
                let slot = self.slot(entry.0);
                self.entries[slot] = entry;
            }
        }
        let slot = self.slot(key(side, m));
        self.count += usize::from(self.entries[slot].1 != self.stamp);
        self.entries[slot] = (key(side, m), self.stamp);
    }

    fn contains(&self, side: Side, m: u32) -> bool {
        self.entries[self.slot(key(side, m))].1 == self.stamp
    }
}

/// A bit for each numbered move of each side.
#[derive(Clone, Debug, Default)]
pub struct IndexedMoves {
    /// The bits of both sides: word `2 i` the first side's moves 64 i to 64 i + 63, word `2 i + 1` the second side's.
    words: Vec<u64>,
    /// Words that are not 0.
    used: Vec<u32>,
}

impl IndexedMoves {
    fn place(side: Side, m: u32) -> (usize, u64) {
        (m as usize / 64 * 2 + side.index(), 1 << (m % 64))
    }
}

impl MoveSet for IndexedMoves {
    fn clear(&mut self) {
        for word in self.used.drain(..) {
            self.words[word as usize] = 0;
        }
    }

    fn insert(&mut self, side: Side, m: u32) {
        let (word, bit) = Self::place(side, m);
        if word >= self.words.len() {
            self.words.resize((word + 1).next_power_of_two(), 0);
        }
        if self.words[word] == 0 {
            self.used.push(word as u32);
        }
        self.words[word] |= bit;
    }

    fn contains(&self, side: Side, m: u32) -> bool {
        let (word, bit) = Self::place(side, m);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grows_and_clears(mut made: impl MoveSet) {
        for round in 0..3u32 {
            for m in 0..1000 {
                made.insert(Side::First, 7 * m + round);
                made.insert(Side::First, 7 * m + round);
            }
            for m in 0..9000 {
                assert_eq!(made.contains(Side::First, m), m < 7000 && m % 7 == round);
                assert!(!made.contains(Side::Second, m));
            }
            made.clear();
        }
    }

    #[test]
    fn hashed_set_grows_and_clears() {
        grows_and_clears(HashedMoves::default());
    }

    #[test]
    fn indexed_set_grows_and_clears() {
        grows_and_clears(IndexedMoves::default());
    }
}
