//! The transposition table: bounds of the values of positions, and their best moves in the order found last.

use crate::moves::Move;
use crate::parts::Valued;

/// The largest number of moves that is kept for a position.
pub(super) const CHILDREN: usize = 32;

/// The meaning of a kept value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    /// The value is unknown; only the moves are used.
    #[default]
    None,
    Lower,
    Upper,
    Exact,
}

/// The entry of a position that was searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableEntry {
    key: u64,
    pub(super) value: i32,
    depth: u8,
    bound: Bound,
    count: u8,
    moves: [(u32, i32); CHILDREN],
}

impl Default for TableEntry {
    fn default() -> TableEntry {
        TableEntry { key: 0, value: 0, depth: 0, bound: Bound::None, count: 0, moves: [(0, 0); CHILDREN] }
    }
}

impl TableEntry {
    /// An entry with the first [`CHILDREN`] of these moves, the best first.
    pub(super) fn new(key: u64, moves: &[Valued]) -> TableEntry {
        let mut known = TableEntry { key, ..TableEntry::default() };
        known.keep(moves);
        known
    }

    /// The entry with this value, found by a search `depth` plies deep.
    pub(super) fn with(self, value: i32, depth: i32, bound: Bound) -> TableEntry {
        TableEntry { value, depth: depth as u8, bound, ..self }
    }

    /// Whether the value decides a search of this depth and window.
    pub(super) fn decides(&self, depth: i32, alpha: i32, beta: i32) -> bool {
        let decides = match self.bound {
            Bound::None => false,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
            Bound::Exact => true,
        };
        decides && i32::from(self.depth) >= depth
    }

    /// Replaces the moves.
    pub(super) fn keep(&mut self, moves: &[Valued]) {
        self.count = moves.len().min(CHILDREN) as u8;
        self.moves.iter_mut().zip(moves).for_each(|(to, (m, value))| *to = (m.pack(), *value));
    }

    /// The moves.
    pub(super) fn moves(&self) -> impl Iterator<Item = Valued> + '_ {
        self.moves[..usize::from(self.count)].iter().filter_map(|&(m, value)| Some((Move::unpack(m)?, value)))
    }
}

/// A table in which newer positions always replace older ones.
pub(super) struct TranspositionTable(Vec<TableEntry>);

impl TranspositionTable {
    /// A table of at most this size in bytes.
    pub(super) fn new(bytes: usize) -> TranspositionTable {
        TranspositionTable(vec![TableEntry::default(); (bytes / size_of::<TableEntry>()).max(1)])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(TableEntry::default());
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.0.len() as u128) >> 64) as usize
    }

    /// The entry of a position.
    pub(super) fn get(&self, key: u64) -> Option<&TableEntry> {
        let known = &self.0[self.index(key)];
        (known.key == key && known.count > 0).then_some(known)
    }

    pub(super) fn put(&mut self, known: TableEntry) {
        let index = self.index(known.key);
        self.0[index] = known;
    }
}
