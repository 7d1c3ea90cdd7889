//! The solver's transposition table: proven bounds of positions and the move that proved them.
//!
//! Threads share a table without locks. An entry is four words that are written one after the other, so a thread may
//! read an entry that another thread has half written. The two words that identify the position are therefore stored
//! combined with the entry's data (Hyatt and Mann 2002): the words of different writes do not match any position,
//! except with a probability of about 2⁻⁶⁴ for each race. A table that one thread uses has no such races, and its hits
//! are exact.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// Bounds and best move of a position. Scores are final scores from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    /// The exact score is at least this.
    pub(super) lower: i8,
    /// The exact score is at most this.
    pub(super) upper: i8,
    /// The move that gave the last bound: a square, or [`NO_MOVE`].
    pub(super) best: u8,
}

/// No move is stored.
pub(super) const NO_MOVE: u8 = 64;

impl TableEntry {
    /// The bounds of a position that is not in the table.
    pub(super) const UNKNOWN: TableEntry = TableEntry { lower: -64, upper: 64, best: NO_MOVE };

    /// What a null-window search found: the score is at least `best` if that is more than `alpha`, else at most `best`.
    #[inline]
    pub(super) fn of(best: i32, alpha: i32, best_move: u8) -> Self {
        let (lower, upper) = if best > alpha { (best as i8, 64) } else { (-64, best as i8) };
        TableEntry { lower, upper, best: best_move }
    }

    /// The bound with which a null-window search at `alpha` is over.
    #[inline]
    pub(super) fn bound(self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (i32::from(self.lower), i32::from(self.upper));
        if lower > alpha { Some(lower) } else { (upper <= alpha).then_some(upper) }
    }

    fn pack(self, age: u8) -> u32 {
        u32::from_le_bytes([self.lower as u8, self.upper as u8, self.best, age])
    }

    fn unpack(data: u32) -> Self {
        let [lower, upper, best, _] = data.to_le_bytes();
        TableEntry { lower: lower as i8, upper: upper as i8, best }
    }
}

/// The age in an entry's data; 0 in a free slot.
fn age_of(data: u32) -> u8 {
    (data >> 24) as u8
}

/// A hash table of whole positions.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// Number of the current solve, 1 to 255: entries of earlier ones are replaced first.
    age: u8,
}

/// Three entries in one cache line. A free slot is zero everywhere: it would be a position without discs, which no
/// search stores.
#[repr(C, align(64))]
struct Bucket {
    /// The mover's discs, combined with the data.
    own: [AtomicU64; 3],
    /// The opponent's discs, combined with the mover's and with the data.
    opp: [AtomicU64; 3],
    /// Bounds, move and age.
    data: [AtomicU32; 3],
    /// Binary logarithm of the nodes searched below the position.
    cost: [AtomicU8; 3],
}

/// A position prepared for a look-up.
#[derive(Clone, Copy)]
struct Key {
    slot: usize,
    own: u64,
    /// The opponent's discs combined with the mover's, so that words of two positions do not make up a third.
    opp: u64,
}

impl Key {
    /// The two words of an entry of this position that holds `data`.
    #[inline(always)]
    fn words(self, data: u32) -> [u64; 2] {
        let spread = u64::from(data).wrapping_mul(0x2545_f491_4f6c_dd1d);
        [self.own ^ spread, self.opp ^ spread.rotate_left(32)]
    }
}

impl Bucket {
    /// Three free slots.
    const fn empty() -> Self {
        Bucket {
            own: [const { AtomicU64::new(0) }; 3],
            opp: [const { AtomicU64::new(0) }; 3],
            data: [const { AtomicU32::new(0) }; 3],
            cost: [const { AtomicU8::new(0) }; 3],
        }
    }

    /// The slot of a position and its data.
    #[inline(always)]
    fn find(&self, key: Key) -> Option<(usize, u32)> {
        (0..3).find_map(|slot| {
            let data = self.data[slot].load(Relaxed);
            let words = [self.own[slot].load(Relaxed), self.opp[slot].load(Relaxed)];
            (words == key.words(data)).then_some((slot, data))
        })
    }

    #[inline(always)]
    fn write(&self, slot: usize, key: Key, data: u32, cost: u8) {
        let [own, opp] = key.words(data);
        self.own[slot].store(own, Relaxed);
        self.opp[slot].store(opp, Relaxed);
        self.data[slot].store(data, Relaxed);
        self.cost[slot].store(cost, Relaxed);
    }
}

impl Table {
    /// A table of at most `bytes`, rounded down to a power of two, but at least 64.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        Table {
            buckets: std::iter::repeat_with(|| const { Bucket::empty() }).take(1 << count.ilog2()).collect(),
            age: 1,
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.buckets.fill_with(|| const { Bucket::empty() });
        self.age = 1;
    }

    /// Begins a new solve: the entries stored so far are replaced before newer ones.
    pub(super) fn advance_age(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or(1);
    }

    #[inline(always)]
    fn key(&self, own: u64, opp: u64) -> Key {
        let spread = own.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (spread ^ opp.rotate_left(32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Key { slot: (mixed ^ mixed >> 32) as usize & (self.buckets.len() - 1), own, opp: opp ^ spread }
    }

    /// Prefetches the cache line that would hold a position.
    #[inline]
    pub(super) fn prefetch(&self, own: u64, opp: u64) {
        super::kernel::flips::prefetch(&self.buckets[self.key(own, opp).slot]);
    }

    /// The entry of a position.
    #[inline]
    pub(super) fn probe(&self, own: u64, opp: u64) -> Option<TableEntry> {
        let key = self.key(own, opp);
        self.buckets[key.slot].find(key).map(|(_, data)| TableEntry::unpack(data))
    }

    /// Stores the bounds and the move of a position, which took `nodes` nodes to prove. Bounds of an entry that is
    /// there already are intersected with the new ones.
    #[inline]
    pub(super) fn store(&self, own: u64, opp: u64, new: TableEntry, nodes: u64) {
        let key = self.key(own, opp);
        let bucket = &self.buckets[key.slot];
        let cost = nodes.max(1).ilog2() as u8;
        if let Some((slot, data)) = bucket.find(key) {
            let old = TableEntry::unpack(data);
            let best = if new.best == NO_MOVE { old.best } else { new.best };
            let merged = TableEntry { lower: old.lower.max(new.lower), upper: old.upper.min(new.upper), best };
            bucket.write(slot, key, merged.pack(self.age), cost.max(bucket.cost[slot].load(Relaxed)));
            return;
        }
        // The entry of the least cost is replaced, those of earlier solves first.
        let priority = |slot: usize| {
            let current = age_of(bucket.data[slot].load(Relaxed)) == self.age;
            (current, bucket.cost[slot].load(Relaxed), bucket.own[slot].load(Relaxed) != 0)
        };
        let mut slot = 0;
        for other in 1..3 {
            if priority(other) < priority(slot) {
                slot = other;
            }
        }
        bucket.write(slot, key, new.pack(self.age), cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lower: i8, upper: i8, best: u8) -> TableEntry {
        TableEntry { lower, upper, best }
    }

    #[test]
    fn bounds_are_intersected_and_costly_entries_kept() {
        let mut table = Table::new(64);
        assert_eq!(table.probe(1, 2), None);
        table.store(1, 2, entry(-4, 64, 9), 100);
        table.store(1, 2, entry(-64, 6, NO_MOVE), 10);
        assert_eq!(table.probe(1, 2), Some(entry(-4, 6, 9)));
        for own in 3..=5 {
            table.store(own, 0, entry(0, 64, 1), 1 << own);
        }
        assert_eq!(table.probe(3, 0), None, "the entry of the least cost is replaced");
        assert!(table.probe(1, 2).is_some() && table.probe(4, 0).is_some() && table.probe(5, 0).is_some());
        table.advance_age();
        table.store(6, 0, entry(0, 64, 1), 1);
        assert_eq!(table.probe(4, 0), None, "entries of earlier solves are replaced first");
        assert!(table.probe(6, 0).is_some());
        table.clear();
        assert_eq!(table.probe(6, 0), None);
    }

    #[test]
    fn solves_after_any_number_of_earlier_ones_use_free_slots() {
        let mut table = Table::new(64);
        for solve in 0..600 {
            table.clear();
            for _ in 0..solve {
                table.advance_age();
            }
            table.store(1, 0, entry(0, 64, 1), 100);
            table.advance_age();
            table.store(2, 0, entry(0, 64, 1), 1);
            assert!(table.probe(1, 0).is_some() && table.probe(2, 0).is_some(), "after {solve} solves");
        }
    }

    #[test]
    fn cleared_table_is_like_a_new_one() {
        let mut table = Table::new(64);
        table.advance_age();
        table.clear();
        assert_eq!(table.age, Table::new(64).age);
    }

    /// Every mixture of the words of two entries, as two threads that write the same slot at once may leave it, must
    /// be a miss for both positions and for the two that mix their discs, unless it is one of the two entries
    /// unchanged.
    #[test]
    fn half_written_entries_are_misses() {
        let table = Table::new(64);
        let positions = [(0x1234_5678u64, 0x8765_4321_0000u64), (0xff00_0000_0000, 0x0f0f)];
        for entries in [[entry(-4, 6, 9), entry(2, 2, 30)], [entry(0, 64, 7), entry(0, 64, 7)]] {
            let full = [0, 1].map(|i| {
                let key = table.key(positions[i].0, positions[i].1);
                let data = entries[i].pack(3);
                (key.words(data), data)
            });
            for mixture in 0..8usize {
                let [own, opp, data] = [0, 1, 2].map(|word| mixture >> word & 1);
                let bucket = &table.buckets[0];
                bucket.own[0].store(full[own].0[0], Relaxed);
                bucket.opp[0].store(full[opp].0[1], Relaxed);
                bucket.data[0].store(full[data].1, Relaxed);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let same_data = full[0].1 == full[1].1;
                    let intact = i == j && own == i && opp == i && (data == i || same_data);
                    let expected = intact.then_some(entries[i]);
                    assert_eq!(table.probe(positions[i].0, positions[j].1), expected, "{mixture} {i} {j}");
                }
            }
        }
    }
}
