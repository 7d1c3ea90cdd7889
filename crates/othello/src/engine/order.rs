//! Move lists and move ordering.

use arrayvec::ArrayVec;

use super::kernel::Kernel;
use super::parity;

/// A move with its flips and its priority.
#[derive(Clone, Copy)]
pub(super) struct Move {
    /// The flipped discs.
    pub(super) flipped: u64,
    /// The opponent's moves after it, once [`Move::find_replies`] has been called.
    pub(super) replies: u64,
    /// The square of the new disc.
    pub(super) square: u32,
    /// Ordering score: higher first.
    pub(super) priority: i32,
}

impl Move {
    /// The move on this square, which must be legal.
    #[inline]
    pub(super) fn new<K: Kernel>(kernel: K, own: u64, opp: u64, square: u32) -> Self {
        Move { flipped: kernel.flips(own, opp, square), replies: 0, square, priority: 0 }
    }

    /// Sets [`Move::replies`]. The search of the position after the move begins with them.
    #[inline]
    pub(super) fn find_replies<K: Kernel>(&mut self, kernel: K, own: u64, opp: u64) {
        let (next_own, next_opp) = self.play(own, opp);
        self.replies = kernel.legal(next_own, next_opp);
    }

    /// The position after the move, from the opponent's view.
    #[inline]
    pub(super) fn play(&self, own: u64, opp: u64) -> (u64, u64) {
        (opp ^ self.flipped, own ^ self.flipped | 1 << (self.square & 63))
    }
}

/// An upper bound of the moves of a position: a move needs a disc of each side on the board.
pub(super) const MAX_MOVES: usize = 62;

/// The priority of a move that was taken: less than every other.
const TAKEN: i32 = i32::MIN;

/// The moves of one position, at most `N`.
pub(super) struct Moves<const N: usize>(ArrayVec<Move, N>);

impl<const N: usize> Moves<N> {
    /// No moves. A list is filled where it is: to return it would copy all of it.
    #[inline(always)]
    pub(super) fn empty() -> Self {
        Moves(ArrayVec::new_const())
    }

    /// Makes this the moves on these squares, which must be legal, in ascending order. Calls `prepare` with each.
    #[inline(always)]
    pub(super) fn fill<K: Kernel>(
        &mut self,
        kernel: K,
        own: u64,
        opp: u64,
        mut squares: u64,
        mut prepare: impl FnMut(&mut Move),
    ) {
        self.0.clear();
        while squares != 0 && !self.0.is_full() {
            let mut m = Move::new(kernel, own, opp, squares.trailing_zeros());
            squares &= squares - 1;
            prepare(&mut m);
            self.0.push(m);
        }
    }

    /// Like [`Moves::fill`], with the replies; then takes the first one of the greatest priority, as [`Moves::take`] would.
    #[inline(always)]
    pub(super) fn fill_and_take<K: Kernel>(
        &mut self,
        kernel: K,
        own: u64,
        opp: u64,
        mut squares: u64,
        mut prepare: impl FnMut(&mut Move),
    ) -> Option<usize> {
        let (mut index, mut best, mut greatest) = (0, 0, TAKEN);
        // A loop of its own: where `fill` has the loop for both, the solver takes a tenth more time.
        self.0.clear();
        while squares != 0 && !self.0.is_full() {
            let square = squares.trailing_zeros();
            squares &= squares - 1;
            let (flipped, replies) = kernel.flips_and_replies(own, opp, square);
            let mut m = Move { flipped, replies, square, priority: 0 };
            prepare(&mut m);
            if m.priority > greatest {
                (best, greatest) = (index, m.priority);
            }
            index += 1;
            self.0.push(m);
        }
        self.0.get_mut(best)?.priority = TAKEN;
        Some(best)
    }

    /// Takes the first move of the greatest priority among those that are left, and returns its place. Unlike
    /// [`Moves::pick`] it copies no move: a copy of one that was just written in parts waits for these writes.
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<usize> {
        let (mut best, mut greatest) = (0, TAKEN);
        for (at, m) in self.0.iter().enumerate() {
            if m.priority > greatest {
                (best, greatest) = (at, m.priority);
            }
        }
        if greatest == TAKEN {
            return None;
        }
        self.0[best].priority = TAKEN;
        Some(best)
    }

    pub(super) fn as_slice(&self) -> &[Move] {
        &self.0
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.0
    }

    /// Swaps the move of the highest priority from `index` on to `index` and returns it; the first of equals.
    #[inline]
    pub(super) fn pick(&mut self, index: usize) -> Option<Move> {
        let rest = self.as_mut_slice().get_mut(index..)?;
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

/// The squares in three groups, in the order in which they are tried where nothing better is known: corners, most squares,
/// and those beside corners.
pub(super) const GROUPS: [u64; 3] = [CORNERS, !(CORNERS | X_AND_C), X_AND_C];

/// The priority of squares in the midgame, by row and column of a quarter of the board: corners first, their neighbours
/// last.
const SQUARE_PRIORITY: [[i32; 4]; 4] = [[18, 4, 10, 9], [4, 0, 5, 5], [10, 5, 7, 6], [9, 5, 6, 6]];

/// The priority of a move in the midgame: by few moves of the opponent, corners counted twice, and by its square. The replies
/// must be known.
#[inline]
pub(super) fn priority_in_midgame(m: &Move) -> i32 {
    let fold = |place: u32| if place < 4 { place } else { 7 - place } as usize & 3;
    let square = SQUARE_PRIORITY[fold(m.square >> 3 & 7)][fold(m.square & 7)];
    square - 4 * count_corners_twice(m.replies)
}

/// Weights of the move ordering near the end: a move of the opponent, an empty square beside own discs, an odd quadrant.
///
/// Measured on 77 positions of 18 to 22 empty squares from games of the engine and on FFO #40 to #44: no ratio near
/// these takes clearly fewer nodes; further terms for corners and stable discs take more.
const MOBILITY: i32 = 24;
const POTENTIAL_MOBILITY: i32 = 8;
const PARITY: i32 = 8;

/// The priority of a move near the end by three terms: few replies ("fastest first": the smallest subtree first), corners
/// among them counted twice; few empty squares next to own discs (the opponent's potential mobility); an odd quadrant
/// (parity). The replies must be known.
#[inline]
pub(super) fn priority(own: u64, opp: u64, m: &Move, parity: u32) -> i32 {
    let (next_own, next_opp) = m.play(own, opp);
    priority_by_mobility(m, parity)
        - POTENTIAL_MOBILITY * count_corners_twice(around(next_opp) & !(next_own | next_opp))
}

/// The same without potential mobility.
#[inline]
pub(super) fn priority_by_mobility(m: &Move, parity: u32) -> i32 {
    let odd = parity::odd(parity) >> (m.square & 63) & 1;
    PARITY * odd as i32 - MOBILITY * count_corners_twice(m.replies)
}

/// The number of squares, corners counted twice.
#[inline]
fn count_corners_twice(squares: u64) -> i32 {
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}

/// The four corners.
const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The X and C squares: those beside corners.
pub(super) const X_AND_C: u64 = 0x42c3_0000_0000_c342;

/// The squares and their neighbours.
#[inline]
fn around(squares: u64) -> u64 {
    let rows = squares | squares << 1 & 0xfefe_fefe_fefe_fefe | squares >> 1 & 0x7f7f_7f7f_7f7f_7f7f;
    rows | rows << 8 | rows >> 8
}
