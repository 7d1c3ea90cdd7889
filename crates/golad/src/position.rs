//! A position: the board, the side to move, and the number of generations.

use banmen_game::{Side, mix};

use crate::board::{Board, ROWS};
use crate::moves::Move;
use crate::step::step;

/// A position. It has no invariants beyond those of the board: any board may be a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The living cells.
    pub board: Board,
    /// The side to move.
    pub side: Side,
    /// Generations that have passed: one a turn.
    pub generations: u16,
}

impl Position {
    /// A position before the first turn.
    #[must_use]
    pub fn new(board: Board) -> Position {
        Position { board, side: Side::First, generations: 0 }
    }

    /// Places the cells of a legal move, without the generation that follows.
    #[inline]
    pub fn place(&mut self, m: Move) {
        m.place(self.side, |cell, owner| self.board.set(cell, owner));
    }

    /// Plays a legal move: its cells, one generation, and the other side's turn.
    #[inline]
    pub fn play(&mut self, m: Move) {
        debug_assert!(crate::moves::check(&self.board, self.side, m).is_ok(), "{m:?} in {self:?}");
        self.place(m);
        step(&mut self.board);
        self.side = self.side.other();
        self.generations = self.generations.saturating_add(1);
    }

    /// A 64-bit key of the whole position.
    #[must_use]
    pub fn key(&self) -> u64 {
        let [first, second] = &self.board.colours;
        let size = u64::from(self.board.width) << 8 | u64::from(self.board.height);
        let rest = size << 32 | u64::from(self.generations) << 1 | self.side.index() as u64;
        (0..ROWS).fold(mix(rest), |key, y| {
            let word = u64::from(first[y]) | u64::from(second[y]) << 32;
            // Empty rows add nothing; the contribution of a row depends on its height.
            if word == 0 { key } else { key ^ mix(word.wrapping_add(mix(y as u64))) }
        })
    }
}
