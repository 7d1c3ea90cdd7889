//! The transposition table of the midgame search: bounds of a position's value with the depth and the selectivity of
//! the search that found them.
//!
//! Threads share a table without locks, as in `table`: a word of an entry is combined with the other one, so that two
//! halves written by different threads do not match any position (Hyatt and Mann 2002).

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::probcut::Selectivity;

/// What the table contains about a position. Values are in hundredths of a disc from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueEntry {
    /// The value is at least this.
    pub(super) lower: i16,
    /// The value is at most this.
    pub(super) upper: i16,
    /// Plies searched below the position, at most 63.
    pub(super) depth: u8,
    /// Which cuts that search made.
    pub(super) selectivity: Selectivity,
    /// The best move: a square, or [`NO_MOVE`](super::table::NO_MOVE).
    pub(super) best: u8,
}

impl ValueEntry {
    /// Whether the bounds hold for a search of this depth and selectivity: they come from one that was as deep and as
    /// reliable.
    #[inline]
    pub(super) fn serves(&self, depth: u32, selectivity: Selectivity) -> bool {
        u32::from(self.depth) >= depth && self.selectivity >= selectivity
    }

    fn pack(self, age: u8) -> u64 {
        let [l0, l1] = self.lower.to_le_bytes();
        let [u0, u1] = self.upper.to_le_bytes();
        u64::from_le_bytes([l0, l1, u0, u1, self.depth, self.selectivity as u8, self.best, age])
    }

    fn unpack(data: u64) -> Self {
        let [l0, l1, u0, u1, depth, selectivity, best, _] = data.to_le_bytes();
        ValueEntry {
            lower: i16::from_le_bytes([l0, l1]),
            upper: i16::from_le_bytes([u0, u1]),
            depth,
            selectivity: Selectivity::from_index(selectivity),
            best,
        }
    }
}

/// The age in an entry's data; 0 in an empty slot.
fn age_of(data: u64) -> u8 {
    (data >> 56) as u8
}

/// Four entries in one cache line. An entry is a hash of the position combined with the data, and the data.
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; 4]);

impl Bucket {
    /// Four free slots.
    const fn empty() -> Self {
        Bucket([const { [const { AtomicU64::new(0) }; 2] }; 4])
    }
}

/// A hash table of fixed size.
pub(super) struct Values {
    buckets: Vec<Bucket>,
    /// Number of the current search, 1 to 255: entries of earlier ones are replaced first.
    age: u8,
}

/// A hash of a position.
#[inline(always)]
fn hash(own: u64, opp: u64) -> u64 {
    let mixed = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ opp.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 29
}

/// A hash of the data; 0 for 0.
#[inline(always)]
fn spread(data: u64) -> u64 {
    let mixed = data.wrapping_mul(0x2545_f491_4f6c_dd1d);
    mixed ^ mixed >> 32
}

impl Values {
    /// A table of at most `bytes`, rounded down to a power of two, but at least 64.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        Values {
            buckets: std::iter::repeat_with(|| const { Bucket::empty() }).take(1 << count.ilog2()).collect(),
            age: 1,
        }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.buckets.fill_with(|| const { Bucket::empty() });
        self.age = 1;
    }

    /// Begins a new search: the entries stored so far are replaced before newer ones.
    pub(super) fn advance_age(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or(1);
    }

    fn bucket(&self, hash: u64) -> &Bucket {
        &self.buckets[hash as usize & (self.buckets.len() - 1)]
    }

    /// Prefetches the cache line that would hold a position.
    #[inline]
    pub(super) fn prefetch(&self, own: u64, opp: u64) {
        super::kernel::flips::prefetch(self.bucket(hash(own, opp)));
    }

    /// The entry of a position.
    #[inline]
    pub(super) fn probe(&self, own: u64, opp: u64) -> Option<ValueEntry> {
        let hash = hash(own, opp);
        self.bucket(hash).0.iter().find_map(|slot| {
            let data = slot[1].load(Relaxed);
            (slot[0].load(Relaxed) ^ spread(data) == hash && age_of(data) != 0).then(|| ValueEntry::unpack(data))
        })
    }

    /// Stores what a search has found out about a position. Bounds of equal depth and selectivity are intersected; an
    /// entry of this search that is deeper, or as deep and more reliable, is kept.
    #[inline]
    pub(super) fn store(&self, own: u64, opp: u64, mut new: ValueEntry) {
        let hash = hash(own, opp);
        let bucket = self.bucket(hash);
        let mut slot = 0;
        let mut least = (u8::MAX, u8::MAX, u8::MAX);
        for (index, words) in bucket.0.iter().enumerate() {
            let data = words[1].load(Relaxed);
            let old = ValueEntry::unpack(data);
            let age = age_of(data);
            if words[0].load(Relaxed) ^ spread(data) == hash && age != 0 {
                if new.best == super::table::NO_MOVE {
                    new.best = old.best;
                }
                if (old.depth, old.selectivity) == (new.depth, new.selectivity) {
                    let (lower, upper) = (new.lower.max(old.lower), new.upper.min(old.upper));
                    // Bounds of selective searches may contradict each other: the new ones then hold.
                    if lower <= upper {
                        (new.lower, new.upper) = (lower, upper);
                    }
                } else if age == self.age && (old.depth, old.selectivity) > (new.depth, new.selectivity) {
                    return;
                }
                slot = index;
                break;
            }
            // Empty slots first, then entries of earlier searches, then the least deep ones.
            let priority = match age {
                0 => (0, 0, 0),
                age => (1 + u8::from(age == self.age), old.depth, old.selectivity as u8),
            };
            if priority < least {
                (slot, least) = (index, priority);
            }
        }
        let data = new.pack(self.age);
        bucket.0[slot][0].store(hash ^ spread(data), Relaxed);
        bucket.0[slot][1].store(data, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::NO_MOVE;
    use super::*;

    fn entry(lower: i16, upper: i16, depth: u8, selectivity: Selectivity) -> ValueEntry {
        ValueEntry { lower, upper, depth, selectivity, best: 9 }
    }

    #[test]
    fn entries_are_returned_as_stored() {
        for lower in [-6400, -1, 0, 1, 6400] {
            for selectivity in Selectivity::ALL {
                for depth in [0, 1, 60] {
                    let values = Values::new(1 << 12);
                    let entry = entry(lower, lower.max(77), depth, selectivity);
                    let own = u64::from(lower as u16) << 16 | u64::from(depth);
                    let opp = 1 << (40 + selectivity as u32);
                    values.store(own, opp, entry);
                    assert_eq!(values.probe(own, opp), Some(entry));
                    for bit in 0..64 {
                        assert_eq!(values.probe(own ^ 1 << bit, opp), None, "another position");
                        assert_eq!(values.probe(own, opp ^ 1 << bit), None, "another position");
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_serve_only_searches_that_are_no_deeper_and_no_more_reliable() {
        let [selective, reliable] = [Selectivity::P73, Selectivity::FULL];
        let stored = entry(0, 10, 8, selective);
        assert!(stored.serves(8, selective) && stored.serves(3, selective));
        assert!(!stored.serves(9, selective) && !stored.serves(8, reliable) && !stored.serves(1, reliable));
        assert!(entry(0, 10, 8, reliable).serves(8, selective));
    }

    #[test]
    fn bounds_of_one_search_are_intersected_and_better_entries_kept() {
        let mut values = Values::new(64);
        let [selective, reliable] = [Selectivity::P73, Selectivity::P95];
        values.store(1, 2, entry(-40, 6400, 6, selective));
        values.store(1, 2, ValueEntry { best: NO_MOVE, ..entry(-6400, 60, 6, selective) });
        assert_eq!(values.probe(1, 2), Some(entry(-40, 60, 6, selective)));
        values.store(1, 2, entry(100, 6400, 6, selective));
        assert_eq!(values.probe(1, 2), Some(entry(100, 6400, 6, selective)), "contradicting bounds");
        values.store(1, 2, entry(0, 6400, 6, reliable));
        assert_eq!(values.probe(1, 2), Some(entry(0, 6400, 6, reliable)), "bounds of different selectivity do not mix");
        for less in [entry(5, 5, 6, selective), entry(5, 5, 4, Selectivity::FULL)] {
            values.store(1, 2, less);
            assert_eq!(values.probe(1, 2), Some(entry(0, 6400, 6, reliable)));
        }
        values.advance_age();
        let less = entry(5, 5, 4, selective);
        values.store(1, 2, less);
        assert_eq!(values.probe(1, 2), Some(less), "an entry of an earlier search is replaced");
        values.clear();
        assert_eq!(values.probe(1, 2), None);
    }

    #[test]
    fn least_deep_entry_is_replaced_those_of_earlier_searches_first() {
        let mut values = Values::new(64);
        for own in 1..=4 {
            values.store(own, 0, entry(0, 0, own as u8 + 1, Selectivity::FULL));
        }
        values.store(5, 0, entry(0, 0, 9, Selectivity::FULL));
        assert_eq!(values.probe(1, 0), None);
        values.advance_age();
        values.store(6, 0, entry(0, 0, 0, Selectivity::FULL));
        values.store(7, 0, entry(0, 0, 0, Selectivity::FULL));
        assert!(values.probe(2, 0).is_none() && values.probe(3, 0).is_none());
        assert!(values.probe(4, 0).is_some() && values.probe(5, 0).is_some() && values.probe(6, 0).is_some());
    }

    #[test]
    fn halves_of_different_entries_are_not_an_entry() {
        let (one, two) = (Values::new(64), Values::new(64));
        for own in 1..1000 {
            one.store(own, 0, entry(5, 6, 7, Selectivity::P73));
            two.store(own, 0, entry(5, 6, 7, Selectivity::P95));
            for (a, b) in one.bucket(0).0.iter().zip(&two.bucket(0).0) {
                a[1].store(b[1].load(Relaxed), Relaxed);
            }
            assert_eq!(one.probe(own, 0), None);
        }
    }
}
