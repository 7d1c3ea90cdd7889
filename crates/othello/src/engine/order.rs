//! Move lists and move ordering.

use super::kernel::flips;
use super::parity;
use crate::moves::legal;

/// A move with its flips and its priority.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// The flipped discs.
    pub(super) flipped: u64,
    /// The square of the new disc.
    pub(super) square: u32,
    /// Ordering score: higher first.
    pub(super) priority: i32,
}

impl Move {
    /// The position after the move, from the opponent's view.
    #[inline]
    pub(super) fn play(&self, own: u64, opp: u64) -> (u64, u64) {
        (opp ^ self.flipped, own ^ self.flipped | 1 << (self.square & 63))
    }
}

/// An upper bound of the moves of a position: a move needs a disc of each side on the board.
pub(super) const MAX_MOVES: usize = 62;

/// The moves of one position, at most `N`.
pub(super) struct Moves<const N: usize> {
    moves: [Move; N],
    length: usize,
}

impl<const N: usize> Moves<N> {
    /// The moves on these squares, which must be legal, in ascending order.
    #[inline]
    pub(super) fn new(own: u64, opp: u64, mut squares: u64) -> Self {
        let mut list = Moves { moves: [Move { flipped: 0, square: 0, priority: 0 }; N], length: 0 };
        while squares != 0 && list.length < list.moves.len() {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            list.moves[list.length] = Move { flipped: flips(own, opp, square), square, priority: 0 };
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

    /// Swaps the move of the highest priority from `index` on to `index` and returns it; the first of equals.
    #[inline]
    pub(super) fn pick(&mut self, index: usize) -> Option<Move> {
        let rest = self.moves.get_mut(index..self.length)?;
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].priority > rest[best].priority {
                best = i;
            }
        }
        if best > 0 {
            rest.swap(0, best);
        }
        rest.first().copied()
    }
}

/// The position after a legal move, from the opponent's view.
#[inline]
pub(super) fn play(own: u64, opp: u64, square: u32) -> (u64, u64) {
    Move { flipped: flips(own, opp, square), square, priority: 0 }.play(own, opp)
}

/// The squares in three groups, in the order in which they are tried where nothing better is known: corners, most squares,
/// and those beside corners.
pub(super) const GROUPS: [u64; 3] = [CORNERS, !(CORNERS | 0x42c3_0000_0000_c342), 0x42c3_0000_0000_c342];

/// The priority of squares in the midgame, by row and column of a quarter of the board: corners first, their neighbours
/// last.
const SQUARE_PRIORITY: [[i32; 4]; 4] = [[18, 4, 10, 9], [4, 0, 5, 5], [10, 5, 7, 6], [9, 5, 6, 6]];

/// The priority of a move in the midgame: by few moves of the opponent, corners counted twice, and by its square.
#[inline]
pub(super) fn priority_in_midgame(own: u64, opp: u64, m: &Move) -> i32 {
    let fold = |place: u32| if place < 4 { place } else { 7 - place } as usize & 3;
    let square = SQUARE_PRIORITY[fold(m.square >> 3 & 7)][fold(m.square & 7)];
    let (next_own, next_opp) = m.play(own, opp);
    square - 4 * count_corners_twice(legal(next_own, next_opp))
}

/// Weights of the move ordering near the end: a move of the opponent, an empty square beside own discs, an odd quadrant.
///
/// Measured on 77 positions of 18 to 22 empty squares from games of the engine and on FFO #40 to #44: no ratio near
/// these takes clearly fewer nodes; further terms for corners and stable discs take more.
const MOBILITY: i32 = 24;
const POTENTIAL_MOBILITY: i32 = 8;
const PARITY: i32 = 8;

/// The priority of a move near the end, by three terms: few moves of the opponent ("fastest first": the smallest
/// subtree first), corners among them counted twice; few empty squares next to own discs (the opponent's potential
/// mobility); an odd quadrant (parity).
#[inline]
pub(super) fn priority(own: u64, opp: u64, m: &Move, parity: u32) -> i32 {
    let (next_own, next_opp) = m.play(own, opp);
    priority_by_mobility(own, opp, m, parity)
        - POTENTIAL_MOBILITY * count_corners_twice(around(next_opp) & !(next_own | next_opp))
}

/// The same without potential mobility.
#[inline]
pub(super) fn priority_by_mobility(own: u64, opp: u64, m: &Move, parity: u32) -> i32 {
    let (next_own, next_opp) = m.play(own, opp);
    let odd = parity::odd(parity) >> (m.square & 63) & 1;
    PARITY * odd as i32 - MOBILITY * count_corners_twice(legal(next_own, next_opp))
}

/// The number of squares, corners counted twice.
#[inline]
fn count_corners_twice(squares: u64) -> i32 {
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}

/// The four corners.
const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The squares and their neighbours.
#[inline]
fn around(squares: u64) -> u64 {
    let rows = squares | squares << 1 & 0xfefe_fefe_fefe_fefe | squares >> 1 & 0x7f7f_7f7f_7f7f_7f7f;
    rows | rows << 8 | rows >> 8
}
