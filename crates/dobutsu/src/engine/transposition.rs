//! The transposition table: what the search found out about a position.
//!
//! All threads of a search read and write one table without locks, as Hyatt and Mann (2002) do: the key in an entry is
//! combined with a hash of the rest, so that two halves written by different threads are not taken for an entry.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use banmen_game::mix;

/// How a stored value bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    /// Nothing: an empty slot.
    None,
    /// The true value is this one.
    Exact,
    /// The true value is this or more.
    Lower,
    /// The true value is this or less.
    Upper,
}

/// What the table contains about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    /// Its value, wins counted from this position.
    pub(super) value: i16,
    /// The static evaluation.
    pub(super) evaluation: i16,
    /// The best move, packed.
    pub(super) m: u8,
    /// Plies searched below the position.
    pub(super) depth: i8,
    /// How the value bounds the true one.
    pub(super) bound: Bound,
}

/// No move packs to this.
pub(super) const NO_MOVE: u8 = u8::MAX;

impl TableEntry {
    /// From the high bits down: value 16, evaluation 16, move 8, depth 8, age 8, bound 8. 0 only in an empty slot.
    fn pack(self, age: u8) -> u64 {
        u64::from(self.value as u16) << 48
            | u64::from(self.evaluation as u16) << 32
            | u64::from_be_bytes([0, 0, 0, 0, self.m, self.depth as u8, age, self.bound as u8])
    }

    fn unpack(bits: u64) -> Self {
        let [.., m, depth, _, bound] = bits.to_be_bytes();
        let bound = match bound {
            0 => Bound::None,
            1 => Bound::Exact,
            2 => Bound::Lower,
            _ => Bound::Upper,
        };
        TableEntry { value: (bits >> 48) as i16, evaluation: (bits >> 32) as i16, m, depth: depth as i8, bound }
    }
}

fn age_of(bits: u64) -> u8 {
    (bits >> 8) as u8
}

/// An entry of 16 bytes: the key XOR a hash of the packed entry, and the packed entry. No two positions have the same key,
/// so that an entry belongs to the position that is looked up.
#[derive(Debug, Default)]
struct Slot([AtomicU64; 2]);

impl Slot {
    /// The key and the packed entry.
    fn load(&self) -> (u64, u64) {
        let data = self.0[1].load(Relaxed);
        (self.0[0].load(Relaxed) ^ mix(data), data)
    }

    fn store(&self, key: u64, data: u64) {
        self.0[0].store(key ^ mix(data), Relaxed);
        self.0[1].store(data, Relaxed);
    }
}

/// Four entries: one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// A table of fixed size.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
    age: u8,
}

impl TranspositionTable {
    /// A table of so many bytes, rounded down to a power of two, at least 64.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        let buckets = if buckets.is_power_of_two() { buckets } else { buckets.next_power_of_two() / 2 };
        TranspositionTable { buckets: (0..buckets).map(|_| Bucket::default()).collect(), age: 0 }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.age = 0;
    }

    /// A new search begins: entries of earlier ones are replaced first.
    pub(super) fn age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<TableEntry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let (of, data) = slot.load();
            let entry = TableEntry::unpack(data);
            (of == key && entry.bound != Bound::None).then_some(entry)
        })
    }

    #[inline]
    pub(super) fn put(&self, key: u64, m: u8, value: i32, evaluation: i32, depth: i32, bound: Bound) {
        // The same position, else the least deep entry, those of earlier searches first.
        let slots = self.bucket(key).0.iter().map(|slot| (slot, slot.load()));
        let oldest = slots.min_by_key(|&(_, (of, data))| {
            let entry = TableEntry::unpack(data);
            (of != key || entry.bound == Bound::None, entry.bound != Bound::None, age_of(data) == self.age, entry.depth)
        });
        if let Some((slot, (of, data))) = oldest {
            // A known move is kept when there is no new one.
            let m = if m == NO_MOVE && of == key { TableEntry::unpack(data).m } else { m };
            let entry = TableEntry { value: value as i16, evaluation: evaluation as i16, m, depth: depth as i8, bound };
            slot.store(key, entry.pack(self.age));
        }
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[key as usize & (self.buckets.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes_and_a_bucket_a_cache_line() {
        assert_eq!((size_of::<Slot>(), size_of::<Bucket>()), (16, 64));
        assert_eq!(TranspositionTable::new(1 << 20).buckets.len(), 1 << 14);
        assert_eq!(TranspositionTable::new((1 << 20) + 700_000).buckets.len(), 1 << 14);
        assert_eq!(TranspositionTable::new(0).buckets.len(), 1);
    }

    #[test]
    fn entries_are_returned_as_stored() {
        for value in [0, 1, -1, 32_000, -32_000] {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                for (m, depth, age) in [(0, 0, 0), (NO_MOVE, -1, 255), (128, 127, 7)] {
                    let entry = TableEntry { value, evaluation: -value / 2, m, depth, bound };
                    assert_eq!(TableEntry::unpack(entry.pack(age)), entry);
                    assert_eq!(age_of(entry.pack(age)), age);
                }
            }
        }
    }

    #[test]
    fn halves_of_different_entries_are_not_an_entry() {
        let (one, two) = (TranspositionTable::new(64), TranspositionTable::new(64));
        for n in 0..1000 {
            let key = mix(n);
            one.put(key, 1, 5, 6, 7, Bound::Exact);
            two.put(key, 1, 5, 6, 7, Bound::Lower);
            for (a, b) in one.buckets[0].0.iter().zip(&two.buckets[0].0) {
                a.0[1].store(b.0[1].load(Relaxed), Relaxed);
            }
            assert_eq!(one.get(key), None);
        }
    }

    #[test]
    fn deep_and_new_entries_are_kept() {
        let mut table = TranspositionTable::new(64);
        for n in 1..=4 {
            table.put(n, n as u8, 0, 0, n as i32, Bound::Exact);
        }
        table.put(5, 5, 0, 0, 9, Bound::Exact);
        assert!(table.get(1).is_none(), "the least deep one was replaced");
        table.age();
        table.put(6, 6, 0, 0, 0, Bound::Exact);
        assert!(table.get(2).is_none());
        table.put(7, 7, 0, 0, 0, Bound::Exact);
        assert!(table.get(3).is_none(), "an old deep entry is replaced before a new shallow one");
        table.put(7, NO_MOVE, -3, 4, 1, Bound::Lower);
        let entry = table.get(7).expect("just written");
        assert_eq!((entry.m, entry.value, entry.evaluation), (7, -3, 4));
        assert_eq!((entry.depth, entry.bound), (1, Bound::Lower));
        table.clear();
        assert!(table.get(7).is_none());
    }
}
