//! Which moves were made in one simulation.

use banmen_game::{Side, mix};

/// A set of packed moves by side, emptied in one step: an entry counts only with the current stamp.
#[derive(Clone, Debug)]
pub(super) struct MoveSet {
    entries: Vec<(u64, u32)>,
    stamp: u32,
    count: usize,
}

impl Default for MoveSet {
    fn default() -> Self {
        MoveSet { entries: vec![(0, 0); 256], stamp: 1, count: 0 }
    }
}

fn key(side: Side, m: u32) -> u64 {
    (side.index() as u64) << 32 | u64::from(m)
}

impl MoveSet {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.entries.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Where the key is, or the free place where it belongs.
    fn place(&self, key: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = mix(key) as usize & mask;
        while self.entries[place].1 == self.stamp && self.entries[place].0 != key {
            place = (place + 1) & mask;
        }
        place
    }

    pub(super) fn insert(&mut self, side: Side, m: u32) {
        if 2 * self.count >= self.entries.len() {
            let old = std::mem::take(&mut self.entries);
            self.entries = vec![(0, 0); 2 * old.len()];
            for entry in old.into_iter().filter(|entry| entry.1 == self.stamp) {
                let place = self.place(entry.0);
                self.entries[place] = entry;
            }
        }
        let place = self.place(key(side, m));
        self.count += usize::from(self.entries[place].1 != self.stamp);
        self.entries[place] = (key(side, m), self.stamp);
    }

    pub(super) fn contains(&self, side: Side, m: u32) -> bool {
        self.entries[self.place(key(side, m))].1 == self.stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_grows_and_is_emptied() {
        let mut made = MoveSet::default();
        for round in 0..3u32 {
            for m in 0..1000 {
                made.insert(Side::First, 7 * m + round);
                made.insert(Side::First, 7 * m + round);
            }
            for m in 0..7000 {
                assert_eq!(made.contains(Side::First, m), m % 7 == round);
                assert!(!made.contains(Side::Second, m));
            }
            made.clear();
        }
    }
}
