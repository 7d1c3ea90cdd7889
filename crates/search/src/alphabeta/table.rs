//! The transposition table: what earlier searches found of a position.

/// What a stored value says of the true one.
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

/// The depth of an entry whose whole subtree was searched to the ends of the game.
pub(super) const COMPLETE: u8 = u8::MAX;

/// What the table knows of a position: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry {
    /// The upper half of the key; the lower half chose the bucket.
    check: u32,
    /// The best move, packed.
    pub(super) m: u32,
    /// Its value, wins counted from this position.
    pub(super) value: i32,
    /// Plies searched below the position, or [`COMPLETE`].
    pub(super) depth: u8,
    /// What the value says.
    pub(super) bound: Bound,
    /// The search that wrote it; 0 in an empty slot.
    age: u16,
}

const EMPTY: TableEntry = TableEntry { check: 0, m: 0, value: 0, depth: 0, bound: Bound::Upper, age: 0 };

/// Four entries: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket([TableEntry; 4]);

/// A table of fixed size. An entry is found again by 32 bits of the key beside those that choose the bucket, so a move
/// from it must be checked against the legal ones before it is played.
#[derive(Clone, Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    age: u16,
}

impl Table {
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        let buckets = if buckets.is_power_of_two() { buckets } else { buckets.next_power_of_two() / 2 };
        Table { buckets: vec![Bucket([EMPTY; 4]); buckets], age: 1 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(Bucket([EMPTY; 4]));
        self.age = 1;
    }

    /// A new search begins: entries of earlier ones give way first.
    pub(super) fn age(&mut self) {
        self.age = self.age.checked_add(1).unwrap_or(1);
    }

    pub(super) fn get(&self, key: u64) -> Option<TableEntry> {
        let check = (key >> 32) as u32;
        self.bucket(key).0.iter().find(|known| known.age != 0 && known.check == check).copied()
    }

    pub(super) fn put(&mut self, key: u64, m: u32, value: i32, depth: u8, bound: Bound) {
        let check = (key >> 32) as u32;
        let age = self.age;
        let index = self.index(key);
        // The same position, else the least deep entry, those of earlier searches first.
        let slot = self.buckets[index]
            .0
            .iter_mut()
            .min_by_key(|known| (known.age == 0 || known.check != check, known.age == age, known.depth));
        if let Some(slot) = slot {
            *slot = TableEntry { check, m, value, depth, bound, age };
        }
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[self.index(key)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes_and_a_bucket_a_cache_line() {
        assert_eq!((size_of::<TableEntry>(), size_of::<Bucket>()), (16, 64));
        assert_eq!(Table::new(1 << 20).buckets.len(), 1 << 14);
        assert_eq!(Table::new((1 << 20) + 700_000).buckets.len(), 1 << 14);
        assert_eq!(Table::new(0).buckets.len(), 1);
    }

    #[test]
    fn deep_and_fresh_entries_stay() {
        let mut table = Table::new(64);
        let key = |n: u64| n << 32;
        for n in 1..=4 {
            table.put(key(n), n as u32, 0, n as u8, Bound::Exact);
        }
        table.put(key(5), 5, 0, 9, Bound::Exact);
        assert!(table.get(key(1)).is_none(), "the least deep one gave way");
        table.age();
        table.put(key(6), 6, 0, 0, Bound::Exact);
        assert!(table.get(key(2)).is_none());
        table.put(key(7), 7, 0, 0, Bound::Exact);
        assert!(table.get(key(3)).is_none(), "an old deep entry gives way before a fresh shallow one");
        table.put(key(7), 8, 3, 1, Bound::Lower);
        let known = table.get(key(7)).expect("just written");
        assert_eq!((known.m, known.value, known.depth, known.bound), (8, 3, 1, Bound::Lower));
        table.clear();
        assert!(table.get(key(7)).is_none());
    }
}
