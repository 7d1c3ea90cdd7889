//! A trait over the two board representations: bitboards ([`Bits`]), or lines and a table ([`crate::lines::Lines`]).

use std::fmt::Debug;

use crate::moves;

/// A board from the view of the side to move, with the operations that the published player and perft need.
///
/// Squares and masks are numbered as everywhere, a1 = 0, b1 = 1, ..., h8 = 63. A square must not hold
/// discs of both sides.
pub trait Board: Copy + Eq + Debug {
    /// The board with these discs.
    fn from_discs(own: u64, opp: u64) -> Self;

    /// The discs of the side to move, and those of the opponent.
    fn discs(&self) -> (u64, u64);

    /// The squares where the side to move may play.
    fn legal(&self) -> u64;

    /// The board after the side to move has placed a disc on `square` (below 64) and flipped the discs that it
    /// encloses, from the view of the same side. The move must be legal.
    #[must_use]
    fn played(self, square: u32) -> Self;

    /// The board from the opponent's view.
    #[must_use]
    fn reversed(self) -> Self;

    /// The board after a legal move, from the view of the side that moves next.
    #[must_use]
    fn after(self, square: u32) -> Self {
        self.played(square).reversed()
    }

    /// The number of discs of the side to move, and of the opponent.
    fn counts(&self) -> (u32, u32);

    /// Which of three squares (below 64) hold a disc of the side to move, and which hold one of the opponent: bit `k`
    /// of a pattern stands for `squares[k]`.
    fn pattern(&self, squares: [u32; 3]) -> (u8, u8);
}

/// The board as two bitboards.
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
