//! The transposition table: what earlier searches found out about a position.
//!
//! All threads of a search read and write one table without locks, as Hyatt and Mann (2002) do: a word of the entry is
//! combined with a hash of the other one, so that two halves written by different threads are not taken for an entry.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use banmen_game::mix;

/// How a stored value bounds the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    /// The true value is this one.
    Exact,
    /// The true value is this or more.
    Lower,
    /// The true value is this or less.
    Upper,
}

/// The depth of an entry whose value does not rest on any evaluation: its whole subtree was searched to the ends of the
/// game.
pub(super) const COMPLETE: u8 = u8::MAX;

/// What the table contains about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    /// The best move, packed.
    pub(super) m: u32,
    /// Its value, wins counted from this position. 22 bits are stored.
    pub(super) value: i32,
    /// Plies searched below the position, or [`COMPLETE`].
    pub(super) depth: u8,
    /// How the value bounds the true one.
    pub(super) bound: Bound,
}

/// The largest value that an entry holds.
const VALUE_MAX: i32 = (1 << 21) - 1;

impl TableEntry {
    /// From the high bits down: move 32, value 22, depth 8, bound 2.
    fn pack(self) -> u64 {
        let value = self.value.clamp(-VALUE_MAX, VALUE_MAX) as u64 & 0x3F_FFFF;
        u64::from(self.m) << 32 | value << 10 | u64::from(self.depth) << 2 | self.bound as u64
    }

    fn unpack(bits: u64) -> Self {
        let bound = match bits & 3 {
            0 => Bound::Exact,
            1 => Bound::Lower,
            _ => Bound::Upper,
        };
        // The value's sign is its highest bit.
        TableEntry { m: (bits >> 32) as u32, value: bits as i32 >> 10, depth: (bits >> 2) as u8, bound }
    }
}

/// An entry of 16 bytes. The first word is 56 bits of the key and the age, XOR a hash of the second; the second is
/// [`TableEntry::pack`]. Both are 0 when empty.
#[derive(Debug, Default)]
struct Slot([AtomicU64; 2]);

impl Slot {
    /// The high 56 bits of the key above the age, and the packed entry.
    fn load(&self) -> (u64, u64) {
        let data = self.0[1].load(Relaxed);
        (self.0[0].load(Relaxed) ^ data_hash(data), data)
    }

    fn store(&self, tag: u64, data: u64) {
        self.0[0].store(tag ^ data_hash(data), Relaxed);
        self.0[1].store(data, Relaxed);
    }
}

/// A hash of the second word; 0 for 0.
fn data_hash(data: u64) -> u64 {
    mix(data) ^ mix(0)
}

/// Four entries: one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// A table of fixed size. Entries are found by 56 bits of the key and those that choose the bucket, which are all 64 from
/// 256 buckets on.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// The current search, 1 to 255. An empty slot has age 0.
    age: u8,
}

impl Table {
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        let buckets = if buckets.is_power_of_two() { buckets } else { buckets.next_power_of_two() / 2 };
        Table { buckets: (0..buckets).map(|_| Bucket::default()).collect(), age: 1 }
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::default);
        self.age = 1;
    }

    /// A new search begins: entries of earlier ones are replaced first.
    pub(super) fn age(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or(1);
    }

    pub(super) fn get(&self, key: u64) -> Option<TableEntry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let (tag, data) = slot.load();
            (tag as u8 != 0 && same(tag, key)).then(|| TableEntry::unpack(data))
        })
    }

    pub(super) fn put(&self, key: u64, entry: TableEntry) {
        // The same position, else the least deep entry, those of earlier searches first.
        let slot = self.bucket(key).0.iter().min_by_key(|slot| {
            let (tag, data) = slot.load();
            let age = tag as u8;
            (age == 0 || !same(tag, key), age == self.age, TableEntry::unpack(data).depth)
        });
        if let Some(slot) = slot {
            slot.store(key & !0xFF | u64::from(self.age), entry.pack());
        }
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[key as usize & (self.buckets.len() - 1)]
    }
}

/// Whether the tag of a slot is of this key.
fn same(tag: u64, key: u64) -> bool {
    (tag ^ key) >> 8 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alphabeta::WIN;

    fn entry(m: u32, value: i32, depth: u8, bound: Bound) -> TableEntry {
        TableEntry { m, value, depth, bound }
    }

    #[test]
    fn an_entry_is_sixteen_bytes_and_a_bucket_a_cache_line() {
        assert_eq!((size_of::<Slot>(), size_of::<Bucket>()), (16, 64));
        assert_eq!(Table::new(1 << 20).buckets.len(), 1 << 14);
        assert_eq!(Table::new((1 << 20) + 700_000).buckets.len(), 1 << 14);
        assert_eq!(Table::new(0).buckets.len(), 1);
    }

    #[test]
    fn entries_are_returned_as_stored() {
        let table = Table::new(1 << 12);
        for value in [0, 1, -1, WIN, -WIN, 2 * WIN, -2 * WIN] {
            for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                for (m, depth) in [(0, 0), (u32::MAX, COMPLETE), (0x8000_0001, 7)] {
                    let entry = entry(m, value, depth, bound);
                    let key = mix(value as u64 ^ u64::from(m));
                    table.put(key, entry);
                    assert_eq!(table.get(key), Some(entry));
                    for bit in 8..64 {
                        assert_eq!(table.get(key ^ 1 << bit), None, "another key");
                    }
                }
            }
        }
    }

    #[test]
    fn halves_of_different_entries_are_not_an_entry() {
        let (one, two) = (Table::new(64), Table::new(64));
        for n in 0..1000 {
            let key = mix(n);
            one.put(key, entry(n as u32, 5, 6, Bound::Exact));
            two.put(key, entry(n as u32, 5, 6, Bound::Lower));
            let (first, second) = (one.bucket(key), two.bucket(key));
            for (a, b) in first.0.iter().zip(&second.0) {
                a.0[1].store(b.0[1].load(Relaxed), Relaxed);
            }
            assert_eq!(one.get(key), None);
        }
    }

    #[test]
    fn deep_and_new_entries_are_kept() {
        let mut table = Table::new(64);
        let key = |n: u64| n << 32;
        for n in 1..=4 {
            table.put(key(n), entry(n as u32, 0, n as u8, Bound::Exact));
        }
        table.put(key(5), entry(5, 0, 9, Bound::Exact));
        assert!(table.get(key(1)).is_none(), "the least deep one was replaced");
        table.age();
        table.put(key(6), entry(6, 0, 0, Bound::Exact));
        assert!(table.get(key(2)).is_none());
        table.put(key(7), entry(7, 0, 0, Bound::Exact));
        assert!(table.get(key(3)).is_none(), "an old deep entry is replaced before a new shallow one");
        table.put(key(7), entry(8, 3, 1, Bound::Lower));
        assert_eq!(table.get(key(7)), Some(entry(8, 3, 1, Bound::Lower)));
        table.clear();
        assert!(table.get(key(7)).is_none());
    }
}
