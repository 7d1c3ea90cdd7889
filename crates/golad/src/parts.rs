//! Moves composed of their parts.
//!
//! A birth has three parts, and the parts of a good birth are mostly good alone. So every single change is tried, some
//! 300 where there are 160,000 moves, and births are composed of the best (compare Ontañón 2013, *The combinatorial
//! multi-armed bandit problem*). The value of a move is not the sum of its parts: composed moves are tried as a whole.

use std::cmp::Reverse;

use banmen_game::Side;
use banmen_search::Budget;

use crate::board::{Board, Cell, cells_of};
use crate::moves::Move;
use crate::step::effective_births;
use crate::trial::{Change, Weights, try_all};

/// A move and its value for the mover.
pub(crate) type Valued = (Move, i32);

/// The moves of one position at a time, in buffers that are kept.
#[derive(Default)]
pub(crate) struct Parts {
    changes: Vec<Change>,
    values: Vec<i32>,
    /// The dead cells whose birth affects the next generation, sorted by the value of that birth alone, the best first.
    pub(crate) births: Vec<(i32, Cell)>,
    /// The own cells, sorted by the value of their death alone, the best first.
    pub(crate) sacrifices: Vec<(i32, Cell)>,
    /// The moves that were tried as a whole, unsorted.
    pub(crate) moves: Vec<Valued>,
}

/// The board and the side for which changes are tried, and the weights that value the resulting boards.
#[derive(Clone, Copy)]
pub(crate) struct TrialContext<'g> {
    pub(crate) board: &'g Board,
    pub(crate) side: Side,
    pub(crate) weights: &'g Weights,
}

// Each trial counts as a node. When the budget runs out the remaining changes are omitted.
impl Parts {
    /// Tries the single changes of a position. The pass and the kills become its first moves; of the births and the
    /// sacrifices only the best are kept, as many as given. The pass is always tried.
    pub(crate) fn single(
        &mut self,
        context: TrialContext<'_>,
        [births, sacrifices]: [usize; 2],
        budget: &mut Budget<'_>,
    ) {
        let TrialContext { board, side, .. } = context;
        self.changes.clear();
        self.changes.push(Change::default());
        self.changes.extend(board.cells(side).map(Change::death));
        let own = self.changes.len();
        self.changes.extend(board.cells(side.other()).map(Change::death));
        let living = self.changes.len();
        // A birth without an effect has the value of a pass.
        self.changes.extend(cells_of(effective_births(board)).map(Change::birth));
        self.value(context, budget);

        let tried = || self.changes.iter().zip(&self.values);
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

    /// Tries changes of the same position and returns their values in the same order.
    pub(crate) fn try_more(
        &mut self,
        context: TrialContext<'_>,
        changes: impl Iterator<Item = Change>,
        budget: &mut Budget<'_>,
    ) -> &[i32] {
        self.changes.clear();
        self.changes.extend(changes);
        self.value(context, budget);
        &self.values
    }

    /// Tries births and adds them to the moves.
    pub(crate) fn add(
        &mut self,
        context: TrialContext<'_>,
        births: impl Iterator<Item = Move>,
        budget: &mut Budget<'_>,
    ) {
        let begun = self.moves.len();
        self.moves.extend(births.map(|m| (m, 0)));
        self.changes.clear();
        self.changes.extend(self.moves[begun..].iter().map(|&(m, _)| Change::from(m)));
        self.value(context, budget);
        self.moves.truncate(begun + self.values.len());
        self.moves[begun..].iter_mut().zip(&self.values).for_each(|(m, value)| m.1 = *value);
    }

    /// Values the changes in chunks that take a fraction of a millisecond each.
    fn value(&mut self, context: TrialContext<'_>, budget: &mut Budget<'_>) {
        let TrialContext { board, side, weights } = context;
        self.values.clear();
        let changes_per_check = weights.changes_per_check(board);
        for some in self.changes.chunks(changes_per_check) {
            try_all(board, side, some, weights, &mut self.values);
            // The budget itself reads the clock once in a period, which may be long on a large board.
            if !budget.nodes(some.len() as u64) || (changes_per_check as u64) < Budget::PERIOD && !budget.go_on() {
                break;
            }
        }
    }

    /// The best move, the pass without moves, and its value.
    pub(crate) fn first(&self) -> Valued {
        self.moves.iter().copied().max_by_key(|&(_, value)| value).unwrap_or((Move::Pass, 0))
    }

    /// The `count` best moves, the best first.
    pub(crate) fn best(&mut self, count: usize) -> &[Valued] {
        let order = |&(m, value): &Valued| (Reverse(value), m.pack());
        // A move may have been composed in two ways.
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

/// Keeps the `count` best cells, sorted; of equal ones those listed first.
pub(crate) fn best_first(cells: &mut Vec<(i32, Cell)>, count: usize) {
    let order = |&(value, cell): &(i32, Cell)| (Reverse(value), cell);
    if cells.len() > count {
        cells.select_nth_unstable_by_key(count, order);
        cells.truncate(count);
    }
    cells.sort_unstable_by_key(order);
}
