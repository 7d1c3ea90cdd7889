//! A set and a map by the keys of positions, which are mixed already: to hash them again takes as long as the rest of a look-up.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use banmen_game::mix;

/// A set of keys.
#[derive(Default)]
pub(super) struct KeySet {
    /// A hash table with linear probing: keys, 0 in free slots. Only the first `size` slots are in use.
    slots: Vec<u64>,
    /// A power of two, or 0 at first.
    size: usize,
    count: usize,
}

impl KeySet {
    /// The smallest number of slots in use.
    const LEAST: usize = 64;

    /// Removes all keys, and keeps space for about as many.
    pub(super) fn clear(&mut self) {
        self.size = (4 * self.count).next_power_of_two().clamp(KeySet::LEAST, self.size.max(KeySet::LEAST));
        self.slots.resize(self.slots.len().max(self.size), 0);
        self.slots[..self.size].fill(0);
        self.count = 0;
    }

    /// Adds a key. Returns whether it was not there before.
    pub(super) fn insert(&mut self, key: u64) -> bool {
        if self.size < 2 * (self.count + 1) {
            self.grow();
        }
        let key = key.max(1);
        let slots = &mut self.slots[..self.size];
        let mask = slots.len() - 1;
        let mut place = key as usize & mask;
        loop {
            match slots[place] {
                0 => break,
                known if known == key => return false,
                _ => place = (place + 1) & mask,
            }
        }
        slots[place] = key;
        self.count += 1;
        true
    }

    /// The number of keys.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    fn grow(&mut self) {
        let keys: Vec<u64> = self.slots[..self.size].iter().copied().filter(|&key| key != 0).collect();
        self.size = (2 * self.size).max(KeySet::LEAST);
        self.slots.resize(self.slots.len().max(self.size), 0);
        self.slots[..self.size].fill(0);
        self.count = 0;
        for key in keys {
            self.insert(key);
        }
    }
}

/// A map by key.
pub(super) type KeyMap<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

/// The hash of a key is the key.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| mix(hash ^ u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
