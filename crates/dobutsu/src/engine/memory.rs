//! The transposition table: what the search found of a position.

/// What a stored value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    /// Nothing: an empty entry.
    None,
    /// The true value is this one.
    Exact,
    /// The true value is this or more.
    Lower,
    /// The true value is this or less.
    Upper,
}

/// What the table knows of a position: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// All of the key, which no two positions share: what is found belongs to the position asked for.
    key: u64,
    /// Its value, wins counted from this position.
    pub(super) value: i16,
    /// The evaluation.
    pub(super) evaluation: i16,
    /// The best move, packed.
    pub(super) m: u8,
    /// Plies searched below the position.
    pub(super) depth: i8,
    /// What the value says.
    pub(super) bound: Bound,
    /// The search that wrote it.
    age: u8,
}

/// No move packs to this.
pub(super) const NO_MOVE: u8 = u8::MAX;

const EMPTY: Known = Known { key: 0, value: 0, evaluation: 0, m: NO_MOVE, depth: 0, bound: Bound::None, age: 0 };

/// Four entries: one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Bucket([Known; 4]);

/// A table of fixed size.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    buckets: Vec<Bucket>,
    age: u8,
}

impl Memory {
    /// A table of so many bytes, rounded down to a power of two, at least 64.
    pub(super) fn new(bytes: usize) -> Self {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        let buckets = if buckets.is_power_of_two() { buckets } else { buckets.next_power_of_two() / 2 };
        Memory { buckets: vec![Bucket([EMPTY; 4]); buckets], age: 0 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.fill(Bucket([EMPTY; 4]));
        self.age = 0;
    }

    /// A new search begins: entries of earlier ones give way first.
    pub(super) fn age(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let bucket = &self.buckets[self.index(key)].0;
        bucket.iter().find(|known| known.key == key && known.bound != Bound::None).copied()
    }

    #[inline]
    pub(super) fn put(&mut self, key: u64, m: u8, value: i32, evaluation: i32, depth: i32, bound: Bound) {
        let (index, age) = (self.index(key), self.age);
        // The same position, else the least deep entry, those of earlier searches first.
        let slot = self.buckets[index]
            .0
            .iter_mut()
            .min_by_key(|known| (known.key != key, known.bound != Bound::None, known.age == age, known.depth));
        if let Some(slot) = slot {
            // A move is kept when nothing better is known.
            let m = if m == NO_MOVE && slot.key == key { slot.m } else { m };
            *slot =
                Known { key, value: value as i16, evaluation: evaluation as i16, m, depth: depth as i8, bound, age };
        }
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.buckets.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_sixteen_bytes_and_a_bucket_a_cache_line() {
        assert_eq!((size_of::<Known>(), size_of::<Bucket>()), (16, 64));
        assert_eq!(Memory::new(1 << 20).buckets.len(), 1 << 14);
        assert_eq!(Memory::new((1 << 20) + 700_000).buckets.len(), 1 << 14);
        assert_eq!(Memory::new(0).buckets.len(), 1);
    }

    #[test]
    fn deep_and_fresh_entries_stay() {
        let mut memory = Memory::new(64);
        for n in 1..=4 {
            memory.put(n, n as u8, 0, 0, n as i32, Bound::Exact);
        }
        memory.put(5, 5, 0, 0, 9, Bound::Exact);
        assert!(memory.get(1).is_none(), "the least deep one gave way");
        memory.age();
        memory.put(6, 6, 0, 0, 0, Bound::Exact);
        assert!(memory.get(2).is_none());
        memory.put(7, 7, 0, 0, 0, Bound::Exact);
        assert!(memory.get(3).is_none(), "an old deep entry gives way before a fresh shallow one");
        memory.put(7, NO_MOVE, -3, 4, 1, Bound::Lower);
        let known = memory.get(7).expect("just written");
        assert_eq!((known.m, known.value, known.evaluation), (7, -3, 4));
        assert_eq!((known.depth, known.bound), (1, Bound::Lower));
        memory.clear();
        assert!(memory.get(7).is_none());
    }
}
