//! Symmetries of the board.

use crate::Game;

/// A game whose rules do not change under a group of symmetries.
///
/// Symmetry 0 is the identity. Transforming commutes with playing.
pub trait Symmetries: Game {
    /// How many symmetries there are, the identity included.
    const COUNT: usize;

    /// The image of a position under symmetry `symmetry < COUNT`.
    fn transform(&self, position: &Self::Position, symmetry: usize) -> Self::Position;

    /// The image of a move under symmetry `symmetry < COUNT`.
    fn transform_move(&self, m: Self::Move, symmetry: usize) -> Self::Move;
}
