//! The features of the evaluation: hand-made counts, each from the mover's view.
//!
//! There are three kinds. *Board* features are counted over the whole board, separately for the mover and the opponent
//! where a count is not worth the same to both. *Edge* and *corner* features depend on one edge of eight squares or one
//! corner of four squares and are sums over the four of them; each changes its sign when the colours are exchanged. The
//! rows of the table of weights name them in the order of this module.

use super::parity;
use super::stability::{Edges, edge_flips, stable};
use crate::moves::legal;

/// Number of board features.
pub(super) const BOARD: usize = 28;

/// Edge features by special rules; the others are the pairs of squares.
const EDGE_RULES: usize = 6;

/// Number of edge features.
pub(super) const EDGE: usize = EDGE_RULES + 28;

/// Number of corner features.
pub(super) const CORNER: usize = 26;

/// Number of features: board, edge, corner, in this order.
pub const FEATURES: usize = BOARD + EDGE + CORNER;

/// The four corners.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// All features of a position, for fitting. [`super::Evaluation::value`] sums the same features by tables.
#[must_use]
pub fn features(own: u64, opp: u64) -> [i32; FEATURES] {
    let mut all = [0; FEATURES];
    all[..BOARD].copy_from_slice(&board(own, opp));
    for (own, opp) in edges(own).into_iter().zip(edges(opp)) {
        for (sum, one) in all[BOARD..].iter_mut().zip(edge(own, opp)) {
            *sum += i32::from(one);
        }
    }
    for (turn, (own, opp)) in corners(own).into_iter().zip(corners(opp)).enumerate() {
        if let Some((class, sign)) = corner(own, opp, turn) {
            all[BOARD + EDGE + class] += sign;
        }
    }
    all
}

/// The board features.
#[inline]
pub(super) fn board(own: u64, opp: u64) -> [i32; BOARD] {
    let count = |squares: u64| squares.count_ones() as i32;
    let lead = |squares: u64| count(own & squares) - count(opp & squares);
    let share = |own: i32, opp: i32| 64 * (own - opp) / (own + opp + 2);
    let empties = !(own | opp);
    // Squares next to an empty corner.
    let open = empties & CORNERS;
    let risky = around(open) & !open;
    let (own_moves, opp_moves) = (legal(own, opp), legal(opp, own));
    let (own_mobility, opp_mobility) = (count(own_moves), count(opp_moves));
    let (own_risks, opp_risks) = (count(own_moves & risky), count(opp_moves & risky));
    let last = count(empties) & 1;
    let parity = parity::of(empties);
    let odd = parity.count_ones() as i32;
    let odd_squares = parity::odd(parity);
    let edges = Edges::get();
    [
        1,
        last,
        own_mobility,
        opp_mobility,
        (4 - own_mobility).max(0),
        (4 - opp_mobility).max(0),
        i32::from(opp_mobility == 0),
        share(own_mobility, opp_mobility),
        share(own_mobility - own_risks, opp_mobility - opp_risks),
        own_risks,
        opp_risks,
        count(own_moves & CORNERS),
        count(opp_moves & CORNERS),
        count(own_moves & odd_squares),
        count(opp_moves & odd_squares),
        (1 - last) * odd,
        last * odd,
        count(around(opp) & empties),
        count(around(own) & empties),
        count(around(empties) & own),
        count(around(empties) & opp),
        count(own) - count(opp),
        count(stable(edges, own, opp)) - count(stable(edges, opp, own)),
        lead(0x0024_4200_0042_2400),
        lead(0x0018_0042_4200_1800),
        lead(0x0000_2400_0024_0000),
        lead(0x0000_1824_2418_0000),
        lead(0x0000_0018_1800_0000),
    ]
}

/// The squares and their neighbours.
#[inline]
pub(super) fn around(squares: u64) -> u64 {
    let rows = squares | squares << 1 & 0xfefe_fefe_fefe_fefe | squares >> 1 & 0x7f7f_7f7f_7f7f_7f7f;
    rows | rows << 8 | rows >> 8
}

/// The four edges of one colour as bytes: top, bottom, left, right.
#[inline]
pub(super) fn edges(discs: u64) -> [u8; 4] {
    // One bit per row, gathered in the top byte by a product whose partial products do not overlap.
    let column = |file: u32| ((discs >> file & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
    [discs as u8, (discs >> 56) as u8, column(0), column(7)]
}

/// The features of one edge, from its own and the opponent's discs.
pub(super) fn edge(own: u8, opp: u8) -> [i8; EDGE] {
    let (ours, theirs) = (edge_rules(own, opp), edge_rules(opp, own));
    let mut all = [0; EDGE];
    for (place, (ours, theirs)) in all.iter_mut().zip(ours.into_iter().zip(theirs)) {
        *place = ours - theirs;
    }
    // Pairs of squares, mirror images together: the owner of the first, when the second holds a disc of either colour.
    let held = |square: u32| (own >> square & 1) as i8 - (opp >> square & 1) as i8;
    let full = |square: u32| ((own | opp) >> square & 1) as i8;
    let pairs = (0..8).flat_map(|first| (0..8).map(move |second| (first, second)));
    let halves = pairs.filter(|&(first, second)| first != second && first < 4);
    for (place, (first, second)) in all[EDGE_RULES..].iter_mut().zip(halves) {
        *place = held(first) * full(second) + held(7 - first) * full(7 - second);
    }
    all
}

/// The edge rules for one side.
fn edge_rules(own: u8, opp: u8) -> [i8; EDGE_RULES] {
    let empty = !(own | opp);
    let threatened =
        (0..8).filter(|square| empty & 1 << square != 0).fold(0, |discs, square| discs | edge_flips(opp, own, square));
    // Gaps between two own discs, by width.
    let gaps = |width: usize| {
        let gap = |at: &usize| {
            let inside = ((1u32 << width) - 1) << at;
            let bounds = 1 << (at - 1) | 1 << (at + width);
            u32::from(empty) & inside == inside && u32::from(own) & bounds == bounds
        };
        (1..8 - width).filter(gap).count() as i8
    };
    // The edge has exactly this pattern or its mirror image.
    let is = |discs: u8| i8::from(opp == 0 && (own == discs || own == discs.reverse_bits()));
    [threatened.count_ones() as i8, gaps(1), gaps(2), is(0b0111_1110), is(0b0011_1110), is(0b0011_1100)]
}

/// The four corner blocks of one colour, four bits each in the order of the squares: at a1, h1, a8, h8.
#[inline]
pub(super) fn corners(discs: u64) -> [u8; 4] {
    [0, 6, 48, 54].map(|first| (discs >> first & 3 | discs >> (first + 6) & 12) as u8)
}

/// The class of one corner block and the sign with which it counts, from its own and the opponent's discs, for the
/// corner `turn` of [`corners`]. `None` for blocks that are even by symmetry.
///
/// A block is the corner, its X square and its two C squares. Blocks that are mirror images are one class; blocks that
/// differ in all colours are one class with two signs.
pub(super) fn corner(own: u8, opp: u8, turn: usize) -> Option<(usize, i32)> {
    let state = |place: usize| usize::from(own >> place & 1) + 2 * usize::from(opp >> place & 1);
    // The bit of the corner is `turn`, that of the X square lies across.
    let [c1, c2] = if turn == 0 || turn == 3 { [1, 2] } else { [0, 3] };
    CLASSES[block([state(turn), state(3 - turn), state(c1), state(c2)])]
}

/// A block as a number: corner, X square, the C squares in either order; each 0 empty, 1 own, 2 the opponent's.
const fn block(states: [usize; 4]) -> usize {
    let [corner, x, c1, c2] = states;
    let (low, high) = if c1 < c2 { (c1, c2) } else { (c2, c1) };
    ((3 * corner + x) * 3 + low) * 3 + high
}

/// The class of each block.
const CLASSES: [Option<(usize, i32)>; 81] = {
    const fn exchanged(state: usize) -> usize {
        (3 - state) % 3
    }
    let mut classes = [None; 81];
    let (mut number, mut class) = (0, 0);
    while number < 81 {
        let states = [number / 27, number / 9 % 3, number / 3 % 3, number % 3];
        let [corner, x, c1, c2] = states;
        let twin = block([exchanged(corner), exchanged(x), exchanged(c1), exchanged(c2)]);
        if block(states) == number && number < twin {
            classes[number] = Some((class, 1));
            classes[twin] = Some((class, -1));
            class += 1;
        }
        number += 1;
    }
    assert!(class == CORNER);
    classes
};
