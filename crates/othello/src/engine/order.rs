//! The moves of a position, the promising ones first.

use super::features::{CORNERS, around};
use super::kernel::flips;
use super::parity;
use crate::moves::legal;

/// A move with what it does.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// The discs that turn.
    pub(super) turned: u64,
    /// The square played on.
    pub(super) square: u32,
    /// How promising it looks: higher first.
    pub(super) worth: i32,
}

impl Move {
    /// The position after the move, from the view of the other side.
    #[inline]
    pub(super) fn play(&self, own: u64, opp: u64) -> (u64, u64) {
        (opp ^ self.turned, own ^ self.turned | 1 << (self.square & 63))
    }
}

/// No position has more moves: a move needs a disc of each side on the board.
pub(super) const MOST: usize = 62;

/// The moves of one position, with room for `N`.
pub(super) struct Moves<const N: usize> {
    moves: [Move; N],
    length: usize,
}

impl<const N: usize> Moves<N> {
    /// The moves on these squares, which must be legal, in the order of the squares.
    #[inline]
    pub(super) fn new(own: u64, opp: u64, mut squares: u64) -> Self {
        let mut list = Moves { moves: [Move { turned: 0, square: 0, worth: 0 }; N], length: 0 };
        while squares != 0 && list.length < list.moves.len() {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            list.moves[list.length] = Move { turned: flips(own, opp, square), square, worth: 0 };
            list.length += 1;
        }
        list
    }

    pub(super) fn as_slice(&self) -> &[Move] {
        &self.moves[..self.length]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.moves[..self.length]
    }

    /// The most promising move from place `index` on, which it is moved to; the first of equals.
    #[inline]
    pub(super) fn pick(&mut self, index: usize) -> Option<Move> {
        let rest = self.moves.get_mut(index..self.length)?;
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].worth > rest[best].worth {
                best = i;
            }
        }
        if best > 0 {
            rest.swap(0, best);
        }
        rest.first().copied()
    }
}

/// What counts how much: a reply of the other side, an empty square beside own discs, an odd quadrant.
///
/// Measured on 77 positions of 18 to 22 empty squares from games of the engine and on FFO #40 to #44: of the ratios
/// near these none takes clearly fewer nodes; a corner and stable discs, tried beside them, take more.
const REPLY: i32 = 24;
const LIBERTY: i32 = 8;
const ODD: i32 = 8;

/// How promising a move looks near the end: few replies above all ("fastest first": the smallest tree is tried
/// first), corners among the replies twice; few empty squares next to own discs, where the other side may come to
/// move; an odd quadrant.
#[inline]
pub(super) fn worth(own: u64, opp: u64, m: &Move, parity: u32) -> i32 {
    let (next_own, next_opp) = m.play(own, opp);
    worth_by_replies(own, opp, m, parity) - LIBERTY * doubled(around(next_opp) & !(next_own | next_opp))
}

/// The same from replies and quadrant alone.
#[inline]
pub(super) fn worth_by_replies(own: u64, opp: u64, m: &Move, parity: u32) -> i32 {
    let (next_own, next_opp) = m.play(own, opp);
    let odd = parity::odd(parity) >> (m.square & 63) & 1;
    ODD * odd as i32 - REPLY * doubled(legal(next_own, next_opp))
}

/// Squares counted, corners twice.
#[inline]
fn doubled(squares: u64) -> i32 {
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}
