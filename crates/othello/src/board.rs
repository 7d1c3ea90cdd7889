//! One face for the two ways to keep a board: two words ([`Bits`]), or lines and a table ([`crate::lines::Lines`]).

use std::fmt::Debug;

use crate::moves;

/// A board as one side sees it, the side to move: what the published player and the comparison of boards ask of it.
///
/// Squares and masks are numbered as everywhere, a1 = 0, b1 = 1, ..., h8 = 63. No square of the discs handed in may
/// be set on both sides.
pub trait Board: Copy + Eq + Debug {
    /// The board with these discs.
    fn from_discs(own: u64, opp: u64) -> Self;

    /// The discs of the side to move, and those of the other side.
    fn discs(&self) -> (u64, u64);

    /// The squares where the side to move may play.
    fn legal(&self) -> u64;

    /// The board with a disc of the side to move on `square` (below 64) and what it encloses turned, still seen by
    /// the same side. The move is legal.
    #[must_use]
    fn played(self, square: u32) -> Self;

    /// The board as the other side sees it.
    #[must_use]
    fn reversed(self) -> Self;

    /// The board after a legal move, as the side sees it that moves next.
    #[must_use]
    fn after(self, square: u32) -> Self {
        self.played(square).reversed()
    }

    /// How many discs the side to move has, and how many the other side.
    fn counts(&self) -> (u32, u32);

    /// Which of three squares (below 64) hold a disc of the side to move, and which one of the other side: bit `k` of
    /// a pattern stands for `squares[k]`.
    fn pattern(&self, squares: [u32; 3]) -> (u8, u8);
}

/// The board as two words of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    own: u64,
    opp: u64,
}

impl Board for Bits {
    fn from_discs(own: u64, opp: u64) -> Self {
        Bits { own, opp }
    }

    fn discs(&self) -> (u64, u64) {
        (self.own, self.opp)
    }

    #[inline]
    fn legal(&self) -> u64 {
        moves::legal(self.own, self.opp)
    }

    #[inline]
    fn played(self, square: u32) -> Self {
        let (opp, own) = moves::after(self.own, self.opp, square);
        Bits { own, opp }
    }

    #[inline]
    fn reversed(self) -> Self {
        Bits { own: self.opp, opp: self.own }
    }

    fn counts(&self) -> (u32, u32) {
        (self.own.count_ones(), self.opp.count_ones())
    }

    fn pattern(&self, squares: [u32; 3]) -> (u8, u8) {
        let pattern = |discs: u64| {
            let bit = |k: usize| (discs >> (squares[k] & 63) & 1) as u8;
            bit(0) | bit(1) << 1 | bit(2) << 2
        };
        (pattern(self.own), pattern(self.opp))
    }
}
