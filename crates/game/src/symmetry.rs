//! Symmetries of the board.

use crate::Game;

/// A game whose rules do not change under a group of symmetries.
///
/// Symmetry 0 is the identity. Transforming commutes with playing.
pub trait Symmetries: Game {
    /// How many symmetries there are, the identity included. It depends on the rules alone.
    fn symmetry_count(&self) -> usize;

    /// The image of a position under a symmetry, by its number below [`symmetry_count`](Self::symmetry_count).
    fn transform(&self, position: &Self::Position, symmetry: usize) -> Self::Position;

    /// The image of a move under a symmetry, by its number below [`symmetry_count`](Self::symmetry_count).
    fn transform_move(&self, m: Self::Move, symmetry: usize) -> Self::Move;
}
