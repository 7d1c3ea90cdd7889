//! Moves numbered without gaps.

use crate::Game;

/// A game whose moves have numbers 0 to n − 1, so that tables of moves are arrays instead of hash tables.
///
/// The numbers are those of the rules, not of a position: the same move has the same number everywhere, and two moves
/// that differ have different numbers.
pub trait MoveIndex: Game {
    /// How many moves there are: n.
    fn move_count(&self) -> usize;

    /// The number of a move, below [`MoveIndex::move_count`].
    fn move_index(&self, m: Self::Move) -> usize;

    /// The move with this number; `None` where no move has it.
    fn indexed_move(&self, index: usize) -> Option<Self::Move>;
}
