//! Moves put together from their parts.
//!
//! A birth has three parts, and the parts of a good one are mostly good alone. So every single change is tried, some
//! 300 where there are 160,000 moves, and births are made of the best (Ontañón 2013, *The combinatorial multi-armed
//! bandit problem*, reasons likewise). No move is taken for the sum of its parts: what is put together is tried as a
//! whole.

use std::cmp::Reverse;

use banmen_game::Side;

use crate::board::{Board, Cell, ROWS, bits};
use crate::moves::Move;
use crate::step::stirring;
use crate::trial::{Change, Weights, try_all};

/// A move and its value for the mover.
pub(crate) type Valued = (Move, i32);

/// The moves of one position at a time, in buffers that are kept.
#[derive(Default)]
pub(crate) struct Parts {
    changes: Vec<Change>,
    values: Vec<i32>,
    /// The dead cells whose birth stirs anything, those first whose birth alone is the best.
    pub(crate) births: Vec<(i32, Cell)>,
    /// The own cells, those first whose death alone is the best.
    pub(crate) sacrifices: Vec<(i32, Cell)>,
    /// The moves that were tried as a whole, in no order.
    pub(crate) moves: Vec<Valued>,
    /// Changes tried since this was last taken.
    pub(crate) tried: u64,
}

impl Parts {
    /// Tries the single changes of a position: the pass and the kills become its first moves, of births and sacrifices
    /// no more than so many are left, the best ones.
    pub(crate) fn single(&mut self, board: &Board, side: Side, weights: &Weights, [births, sacrifices]: [usize; 2]) {
        let changes = &mut self.changes;
        changes.clear();
        changes.push(Change::default());
        changes.extend(board.cells(side).map(Change::death));
        let own = changes.len();
        changes.extend(board.cells(side.other()).map(Change::death));
        let living = changes.len();
        // A birth that stirs nothing is worth as much as none.
        for (y, row) in stirring(board).into_iter().enumerate() {
            changes.extend(bits(row).map(|x| Change::birth(Cell::at(y * ROWS + x))));
        }
        self.values.clear();
        try_all(board, side, changes, weights, &mut self.values);
        self.tried += changes.len() as u64;

        let tried = || changes.iter().zip(&self.values);
        let died = |(change, &value): (&Change, &i32)| change.dead[0].map(|cell| (value, cell));
        self.births.clear();
        self.births.extend(tried().skip(living).filter_map(|(change, &value)| change.born.map(|cell| (value, cell))));
        best_first(&mut self.births, births);
        self.sacrifices.clear();
        self.sacrifices.extend(tried().take(own).filter_map(died));
        best_first(&mut self.sacrifices, sacrifices);
        self.moves.clear();
        self.moves.push((Move::Pass, self.values[0]));
        self.moves.extend(tried().take(living).filter_map(died).map(|(value, cell)| (Move::Kill(cell), value)));
    }

    /// Tries changes of the same position; their values come in their order.
    pub(crate) fn try_more(
        &mut self,
        board: &Board,
        side: Side,
        weights: &Weights,
        changes: impl Iterator<Item = Change>,
    ) -> &[i32] {
        self.changes.clear();
        self.changes.extend(changes);
        self.values.clear();
        try_all(board, side, &self.changes, weights, &mut self.values);
        self.tried += self.changes.len() as u64;
        &self.values
    }

    /// Tries births and adds them to the moves.
    pub(crate) fn add(&mut self, board: &Board, side: Side, weights: &Weights, births: impl Iterator<Item = Move>) {
        let begun = self.moves.len();
        self.moves.extend(births.map(|m| (m, 0)));
        self.changes.clear();
        self.changes.extend(self.moves[begun..].iter().map(|&(m, _)| Change::from(m)));
        self.values.clear();
        try_all(board, side, &self.changes, weights, &mut self.values);
        self.tried += self.changes.len() as u64;
        self.moves[begun..].iter_mut().zip(&self.values).for_each(|(m, value)| m.1 = *value);
    }

    /// The value of the best move.
    pub(crate) fn highest(&self) -> i32 {
        self.moves.iter().map(|&(_, value)| value).max().unwrap_or(0)
    }

    /// The so many best moves, the best first.
    pub(crate) fn best(&mut self, count: usize) -> &[Valued] {
        let order = |&(m, value): &Valued| (Reverse(value), m.pack());
        // A move may have been put together in two ways.
        let enough = count.saturating_mul(2);
        if enough < self.moves.len() {
            self.moves.select_nth_unstable_by_key(enough, order);
            self.moves.truncate(enough);
        }
        self.moves.sort_unstable_by_key(order);
        self.moves.dedup();
        self.moves.truncate(count);
        &self.moves
    }
}

/// Leaves so many of the best cells, in their order; of equals those listed first.
pub(crate) fn best_first(cells: &mut Vec<(i32, Cell)>, count: usize) {
    let order = |&(value, cell): &(i32, Cell)| (Reverse(value), cell);
    if cells.len() > count {
        cells.select_nth_unstable_by_key(count, order);
        cells.truncate(count);
    }
    cells.sort_unstable_by_key(order);
}
