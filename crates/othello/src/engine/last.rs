//! The last four empty squares.
//!
//! All functions search with a null window: they decide whether the mover scores more than `alpha`. The result is a
//! lower bound when it is more than `alpha`, else an upper bound. Each counts the positions that it visits, including
//! its root; full boards are not counted, because the score with one empty square is computed directly.

use super::kernel::Kernel;
use super::kernel::flips::last_change;
use super::parity;

/// Less than every score: no legal move so far.
const NONE: i32 = -128;

/// The neighbours of each square: a move flips nothing where none of them is the opponent's.
static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let at = 1u64 << square;
        let rank = (at << 1 & 0xfefe_fefe_fefe_fefe) | (at >> 1 & 0x7f7f_7f7f_7f7f_7f7f);
        let row = rank | at;
        table[square] = rank | row << 8 | row >> 8;
        square += 1;
    }
    table
};

/// The flipped discs; a cheap test first excludes squares without an opponent's disc beside them.
#[inline(always)]
fn flipped<K: Kernel>(kernel: K, own: u64, opp: u64, square: u32) -> u64 {
    if NEIGHBOURS[(square & 63) as usize] & opp == 0 { 0 } else { kernel.flips(own, opp, square) }
}

/// The score of a finished game: own discs less the opponent's, empty squares to the winner.
pub(crate) fn final_score(own: u64, opp: u64) -> i32 {
    let (own, opp) = (own.count_ones() as i32, opp.count_ones() as i32);
    let empties = 64 - own - opp;
    own - opp + empties * (own - opp).signum()
}

/// The exact score with one empty square.
#[inline(always)]
fn one(own: u64, square: u32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    // 63 discs: the difference is odd.
    let difference = 2 * own.count_ones() as i32 - 63;
    let change = last_change(own, square);
    // If neither side can move, the square goes to the winner.
    difference + std::hint::select_unpredictable(change == 0, difference >> 31 | 1, change)
}

/// Two empty squares.
#[inline(always)]
fn two<K: Kernel>(kernel: K, own: u64, opp: u64, alpha: i32, squares: [u32; 2], nodes: &mut u64) -> i32 {
    *nodes += 1;
    let mut best = NONE;
    for (square, rest) in [(squares[0], squares[1]), (squares[1], squares[0])] {
        let flipped = flipped(kernel, own, opp, square);
        if flipped != 0 {
            best = best.max(-one(opp ^ flipped, rest, nodes));
            if best > alpha {
                return best;
            }
        }
    }
    if best != NONE {
        return best;
    }
    // The mover passes: the minimum over the opponent's two moves, from the mover's view.
    *nodes += 1;
    let mut least = -NONE;
    for (square, rest) in [(squares[0], squares[1]), (squares[1], squares[0])] {
        let flipped = flipped(kernel, opp, own, square);
        if flipped != 0 {
            least = least.min(one(own ^ flipped, rest, nodes));
            if least <= alpha {
                return least;
            }
        }
    }
    if least == -NONE { final_score(own, opp) } else { least }
}

/// Three empty squares. A square alone in its quadrant is tried first.
#[inline(always)]
pub(super) fn three<K: Kernel>(
    kernel: K,
    own: u64,
    opp: u64,
    alpha: i32,
    parity: u32,
    passed: bool,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let empties = !(own | opp);
    let first = (empties & parity::odd(parity)).trailing_zeros();
    let pair = empties & !(1 << (first & 63));
    let (second, third) = (pair.trailing_zeros(), 63 - pair.leading_zeros());
    let mut best = NONE;
    for (square, rest) in [(first, [second, third]), (second, [first, third]), (third, [first, second])] {
        let flipped = flipped(kernel, own, opp, square);
        if flipped != 0 {
            best = best.max(-two(kernel, opp ^ flipped, own ^ flipped | 1 << square, !alpha, rest, nodes));
            if best > alpha {
                return best;
            }
        }
    }
    if best != NONE {
        best
    } else if passed {
        final_score(own, opp)
    } else {
        -kernel.three(opp, own, !alpha, parity, true, nodes)
    }
}

/// Four empty squares.
#[inline(always)]
pub(super) fn four<K: Kernel>(
    kernel: K,
    own: u64,
    opp: u64,
    alpha: i32,
    parity: u32,
    passed: bool,
    nodes: &mut u64,
) -> i32 {
    *nodes += 1;
    let empties = !(own | opp);
    let odd = empties & parity::odd(parity);
    let mut best = NONE;
    for mut group in [odd, empties ^ odd] {
        while group != 0 {
            let square = group.trailing_zeros();
            group &= group - 1;
            let flipped = flipped(kernel, own, opp, square);
            if flipped != 0 {
                let at = 1 << square;
                let parity = parity ^ parity::bit(square);
                best = best.max(-kernel.three(opp ^ flipped, own ^ flipped | at, !alpha, parity, false, nodes));
                if best > alpha {
                    return best;
                }
            }
        }
    }
    if best != NONE {
        best
    } else if passed {
        final_score(own, opp)
    } else {
        -kernel.four(opp, own, !alpha, parity, true, nodes)
    }
}

/// Any position with at most four empty squares.
pub(super) fn at_most_four<K: Kernel>(kernel: K, own: u64, opp: u64, alpha: i32, nodes: &mut u64) -> i32 {
    let empties = !(own | opp);
    let parity = parity::of(empties);
    let (low, high) = (empties.trailing_zeros(), 63u32.wrapping_sub(empties.leading_zeros()));
    match empties.count_ones() {
        0 => final_score(own, opp),
        1 => one(own, low, nodes),
        2 => two(kernel, own, opp, alpha, [low, high], nodes),
        3 => kernel.three(own, opp, alpha, parity, false, nodes),
        _ => kernel.four(own, opp, alpha, parity, false, nodes),
    }
}
