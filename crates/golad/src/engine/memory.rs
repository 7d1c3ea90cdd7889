//! What is known of positions: bounds of their values, and their best moves in the order last found.

use crate::moves::Move;
use crate::parts::Valued;

/// The most moves that are kept of a position.
pub(super) const CHILDREN: usize = 32;

/// What a kept value says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing: only the moves count.
    #[default]
    None,
    Lower,
    Upper,
    Exact,
}

/// A position that was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    key: u64,
    pub(super) value: i32,
    pub(super) depth: u8,
    pub(super) bound: Bound,
    count: u8,
    moves: [(u32, i32); CHILDREN],
}

impl Default for Known {
    fn default() -> Known {
        Known { key: 0, value: 0, depth: 0, bound: Bound::None, count: 0, moves: [(0, 0); CHILDREN] }
    }
}

impl Known {
    /// A position with these moves, the best first, of which no more are kept than there is room for.
    pub(super) fn new(key: u64, moves: &[Valued]) -> Known {
        let mut known = Known { key, ..Known::default() };
        known.keep(moves);
        known
    }

    /// The same with the moves in another order.
    pub(super) fn keep(&mut self, moves: &[Valued]) {
        self.count = moves.len().min(CHILDREN) as u8;
        self.moves.iter_mut().zip(moves).for_each(|(to, (m, value))| *to = (m.pack(), *value));
    }

    /// The moves.
    pub(super) fn moves(&self) -> impl Iterator<Item = Valued> + '_ {
        self.moves[..usize::from(self.count)].iter().filter_map(|&(m, value)| Some((Move::unpack(m)?, value)))
    }
}

/// A table in which a newer position takes the place of an older one.
pub(super) struct Memory(Vec<Known>);

impl Memory {
    /// A table of at most so many bytes.
    pub(super) fn new(bytes: usize) -> Memory {
        Memory(vec![Known::default(); (bytes / size_of::<Known>()).max(1)])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(Known::default());
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.0.len() as u128) >> 64) as usize
    }

    /// What is known of a position.
    pub(super) fn get(&self, key: u64) -> Option<&Known> {
        let known = &self.0[self.place(key)];
        (known.key == key && known.count > 0).then_some(known)
    }

    pub(super) fn put(&mut self, known: Known) {
        let place = self.place(known.key);
        self.0[place] = known;
    }
}
