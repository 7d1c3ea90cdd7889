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

/// The AMAF results of a child, in the fixed point of sums: those of simulations in which the side made the child's
/// move at the node or later; with [`AmafUpdates`](super::AmafUpdates), the part of its ordinary sums that came from
/// later moves.
#[derive(Debug, Default)]
pub struct AmafCounters {
    pub(super) weight: AtomicU64,
    pub(super) sum: AtomicU64,
}

/// What a node holds beside its own statistics, and how it writes the move that leads to it: `()`, [`Amaf`] or
/// [`IndexedAmaf`].
pub trait Payload<G: Game>: Counters {
    /// The moves of one simulation.
    type Moves: MoveSet;

    /// The move in 32 bits.
    fn pack(game: &G, m: G::Move) -> u32;

    /// The move that [`Payload::pack`] gave these bits.
    fn unpack(game: &G, bits: u32) -> Option<G::Move>;
}

/// The packed moves of a simulation by side, each with its ply. Made once for each thread.
pub trait MoveSet: Default + Send {
    /// Removes all moves.
    fn clear(&mut self);

    /// Adds a move of a side, or changes its ply.
    fn insert(&mut self, side: Side, m: u32, ply: u32);

    /// The ply at which a side has made the move: the one that was inserted last.
    fn ply(&self, side: Side, m: u32) -> Option<u32>;
}

/// No further counters: 48 bytes a node.
impl Counters for () {}

impl<G: Game> Payload<G> for () {
    type Moves = ();

    fn pack(game: &G, m: G::Move) -> u32 {
        game.pack(m)
    }

    fn unpack(game: &G, bits: u32) -> Option<G::Move> {
        game.unpack(bits)
    }
}

impl MoveSet for () {
    fn clear(&mut self) {}

    fn insert(&mut self, _: Side, _: u32, _: u32) {}

    fn ply(&self, _: Side, _: u32) -> Option<u32> {
        None
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
    type Moves = HashedMoves;

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
    type Moves = IndexedMoves;

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
    entries: Vec<HashedMove>,
    stamp: u32,
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct HashedMove {
    key: u64,
    stamp: u32,
    ply: u32,
}

impl Default for HashedMoves {
    fn default() -> Self {
        HashedMoves { entries: vec![HashedMove::default(); 256], stamp: 1, count: 0 }
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
        while self.entries[slot].stamp == self.stamp && self.entries[slot].key != key {
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
            self.entries.fill(HashedMove::default());
            self.stamp = 1;
        }
    }

    fn insert(&mut self, side: Side, m: u32, ply: u32) {
        if 2 * self.count >= self.entries.len() {
            let old = std::mem::take(&mut self.entries);
            self.entries = vec![HashedMove::default(); 2 * old.len()];
            for entry in old.into_iter().filter(|entry| entry.stamp == self.stamp) {
                let slot = self.slot(entry.key);
                self.entries[slot] = entry;
            }
        }
        let key = key(side, m);
        let slot = self.slot(key);
        self.count += usize::from(self.entries[slot].stamp != self.stamp);
        self.entries[slot] = HashedMove { key, stamp: self.stamp, ply };
    }

    fn ply(&self, side: Side, m: u32) -> Option<u32> {
        let entry = self.entries[self.slot(key(side, m))];
        (entry.stamp == self.stamp).then_some(entry.ply)
    }
}

/// A bit for each numbered move of each side, and its ply.
#[derive(Clone, Debug, Default)]
pub struct IndexedMoves {
    /// The bits of both sides: word `2 i` the first side's moves 64 i to 64 i + 63, word `2 i + 1` the second side's.
    words: Vec<u64>,
    /// Words that are not 0.
    used: Vec<u32>,
    /// The plies of the moves of both sides, in the order of the bits; a ply is valid only where the bit is set.
    plies: Vec<u32>,
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

    fn insert(&mut self, side: Side, m: u32, ply: u32) {
        let (word, bit) = Self::place(side, m);
        if word >= self.words.len() {
            self.words.resize((word + 1).next_power_of_two(), 0);
            self.plies.resize(64 * self.words.len(), 0);
        }
        if self.words[word] == 0 {
            self.used.push(word as u32);
        }
        self.words[word] |= bit;
        self.plies[64 * word + m as usize % 64] = ply;
    }

    fn ply(&self, side: Side, m: u32) -> Option<u32> {
        let (word, bit) = Self::place(side, m);
        let made = self.words.get(word).is_some_and(|word| word & bit != 0);
        made.then(|| self.plies[64 * word + m as usize % 64])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grows_and_clears(mut made: impl MoveSet) {
        for round in 0..3u32 {
            for m in 0..1000 {
                made.insert(Side::First, 7 * m + round, 9);
                made.insert(Side::First, 7 * m + round, m + round);
            }
            made.insert(Side::Second, round, 5);
            for m in 0..9000 {
                let ply = (m < 7000 && m % 7 == round).then_some(m / 7 + round);
                assert_eq!(made.ply(Side::First, m), ply);
                assert_eq!(made.ply(Side::Second, m), (m == round).then_some(5));
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
