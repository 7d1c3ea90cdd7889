//! Stable discs: those that can never be flipped again.
//!
//! [`stable`] finds most of them: on the edges by a table of all edge states; inside, those on four full lines, and
//! those that have in each of the four directions a full line or a stable neighbour of their colour. All discs that it
//! finds are stable; it may miss some.

use std::sync::LazyLock;

/// The stable discs of the owner of `own`.
#[must_use]
pub(super) fn stable(edges: &Edges, own: u64, opp: u64) -> u64 {
    let lines = full_lines(own | opp);
    let inside = own & INSIDE;
    let mut found = edges.stable(own, opp) | (inside & lines[0] & lines[1] & lines[2] & lines[3]);
    loop {
        let ranks = lines[0] | found << 1 | found >> 1;
        let files = lines[1] | found << 8 | found >> 8;
        let falling = lines[2] | found << 7 | found >> 7;
        let rising = lines[3] | found << 9 | found >> 9;
        let more = found | (inside & ranks & files & falling & rising);
        if more == found {
            return found;
        }
        found = more;
    }
}

/// The 36 squares that touch no edge: the propagation never wraps around there.
const INSIDE: u64 = 0x007e_7e7e_7e7e_7e00;

/// The squares whose rank, file, falling diagonal (towards h1) and rising diagonal (towards h8) have no empty square.
fn full_lines(discs: u64) -> [u64; 4] {
    const LEFT: u64 = 0x0101_0101_0101_0101;
    const RIGHT: u64 = LEFT << 7;
    const TOP: u64 = 0xff;
    const BOTTOM: u64 = TOP << 56;
    let mut ranks = discs & discs >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    ranks &= ranks >> 2;
    ranks = (ranks & ranks >> 1 & LEFT) * 0xff;
    let mut files = discs & discs.rotate_left(32);
    files &= files.rotate_left(16);
    files &= files.rotate_left(8);
    // A diagonal is full when both its halves are; squares off the board count as full. Steps of 1, 2, 4 squares.
    const fn edge(shift: u32, up: bool) -> u64 {
        // The squares from which a step of `shift` upwards (or downwards) leaves the board.
        let side = match (shift % 8, up) {
            (7, true) | (1, false) => LEFT,
            _ => RIGHT,
        };
        side | if up { BOTTOM } else { TOP }
    }
    const fn widen(outside: u64, shift: u32, up: bool, step: u32) -> u64 {
        // The squares from which `step` steps leave the board.
        let mut squares = outside;
        let mut count = 1;
        while count < step {
            squares |= if up { squares >> shift } else { squares << shift };
            squares |= outside;
            count += 1;
        }
        squares
    }
    fn diagonals<const SHIFT: u32>(discs: u64) -> u64 {
        let (mut up, mut down) = (discs, discs);
        up &= up >> SHIFT | const { widen(edge(SHIFT, true), SHIFT, true, 1) };
        down &= down << SHIFT | const { widen(edge(SHIFT, false), SHIFT, false, 1) };
        up &= up >> (2 * SHIFT) | const { widen(edge(SHIFT, true), SHIFT, true, 2) };
        down &= down << (2 * SHIFT) | const { widen(edge(SHIFT, false), SHIFT, false, 2) };
        up &= up >> (4 * SHIFT) | const { widen(edge(SHIFT, true), SHIFT, true, 4) };
        down &= down << (4 * SHIFT) | const { widen(edge(SHIFT, false), SHIFT, false, 4) };
        up & down
    }
    [ranks, files, diagonals::<7>(discs), diagonals::<9>(discs)]
}

/// The stable discs of every state of an edge.
pub(super) struct Edges {
    /// The stable own discs, indexed by the edge read in base 3: per square 0 empty, 1 own, 2 the opponent's.
    discs: [u8; STATES],
    /// The own discs of a byte read in base 3.
    digits: [u16; 256],
}

/// States of an edge: 3 to the 8th.
const STATES: usize = 6561;

impl Edges {
    /// The table, computed at the first call in about 10^5 steps.
    #[must_use]
    pub(super) fn get() -> &'static Edges {
        static EDGES: LazyLock<Box<Edges>> = LazyLock::new(|| Box::new(Edges::new()));
        &EDGES
    }

    /// A disc of an edge is stable when no sequence of moves on that edge flips it, by either side on any empty square
    /// of the edge. Every such move is assumed to be legal, so a disc may be missed but none is found wrongly. Computed
    /// from full edges (all discs stable) to empty ones.
    fn new() -> Self {
        let digits = edge_digits();
        let mut edges = Edges { discs: [0; STATES], digits };
        for discs in (0..=255u8).rev() {
            // Every subset of `discs` may be the own discs. A set is a larger number than its subsets.
            let mut own = discs;
            loop {
                let stable = edges.settle(own, discs ^ own);
                let index = edges.index(own, discs ^ own);
                edges.discs[index] = stable;
                if own == 0 {
                    break;
                }
                own = (own - 1) & discs;
            }
        }
        edges
    }

    /// The own discs that are stable after every possible next move, given the table of fuller edges.
    fn settle(&self, own: u8, opp: u8) -> u8 {
        let empties = (0..8).filter(|square| (own | opp) & 1 << square == 0);
        empties.fold(own, |stable, square| {
            let place = 1 << square;
            let gain = edge_flips(own, opp, square);
            let loss = edge_flips(opp, own, square);
            stable
                & self.discs[self.index(own | place | gain, opp & !gain)]
                & self.discs[self.index(own & !loss, opp | place | loss)]
        })
    }

    fn index(&self, own: u8, opp: u8) -> usize {
        usize::from(self.digits[own as usize]) + 2 * usize::from(self.digits[opp as usize])
    }

    /// The stable discs of the owner of `own` on the four edges, corners included.
    #[inline]
    #[must_use]
    pub(super) fn stable(&self, own: u64, opp: u64) -> u64 {
        let [top, bottom, left, right] = edge_bytes(own);
        let others = edge_bytes(opp);
        u64::from(self.stable_edge(top, others[0]))
            | u64::from(self.stable_edge(bottom, others[1])) << 56
            | spread(self.stable_edge(left, others[2]))
            | spread(self.stable_edge(right, others[3])) << 7
    }

    /// The stable own discs of one edge.
    #[inline]
    pub(super) fn stable_edge(&self, own: u8, opp: u8) -> u8 {
        self.discs[self.index(own, opp)]
    }
}

/// The own discs of each byte read in base 3, the lowest bit last.
pub(super) fn edge_digits() -> [u16; 256] {
    std::array::from_fn(|own| (0..8).rev().fold(0, |index, square| index * 3 + (own >> square & 1) as u16))
}

/// The bits of a byte on the first file, the lowest on row 1.
#[inline]
fn spread(bits: u8) -> u64 {
    // Seven copies, each shifted by one bit less than a byte: bit i of copy i becomes the lowest bit of byte i.
    let low = (u64::from(bits & 0x7f).wrapping_mul(0x0002_0408_1020_4081)) & 0x0001_0101_0101_0101;
    low | u64::from(bits >> 7) << 56
}

/// The discs of `opp` that flip when the owner of `own` plays on `square` of an edge.
pub(super) fn edge_flips(own: u8, opp: u8, square: u32) -> u8 {
    let run = |step: fn(u8) -> u8| {
        let (mut at, mut flipped) = (step(1 << square), 0);
        while at & opp != 0 {
            flipped |= at;
            at = step(at);
        }
        if at & own == 0 { 0 } else { flipped }
    };
    run(|at| at << 1) | run(|at| at >> 1)
}

/// The four edges of one colour as bytes: top, bottom, left, right.
#[inline]
fn edge_bytes(discs: u64) -> [u8; 4] {
    // One bit per row, gathered in the top byte by a product whose partial products do not overlap.
    let column = |file: u32| ((discs >> file & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
    [discs as u8, (discs >> 56) as u8, column(0), column(7)]
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;

    /// The full lines, square by square.
    fn full_lines_slowly(discs: u64) -> [u64; 4] {
        [(1, 0), (0, 1), (-1, 1), (1, 1)].map(|(columns, rows)| {
            let line = |square: i32, sign: i32| {
                let mut squares = Vec::new();
                let (mut column, mut row) = (square % 8, square / 8);
                while (0..8).contains(&column) && (0..8).contains(&row) {
                    squares.push(8 * row + column);
                    (column, row) = (column + sign * columns, row + sign * rows);
                }
                squares
            };
            let full =
                |square: &i32| line(*square, 1).iter().chain(&line(*square, -1)).all(|square| discs & 1 << square != 0);
            (0..64).filter(full).fold(0, |squares, square| squares | 1u64 << square)
        })
    }

    #[test]
    fn full_lines_match_slow_version() {
        let mut rng = Rng::new(1);
        for round in 0..2000 {
            let holes = (0..round % 20).fold(0, |holes, _| holes | 1u64 << rng.below(64));
            assert_eq!(full_lines(!holes), full_lines_slowly(!holes), "{holes:#x}");
        }
    }

    /// In random games a disc found to be stable keeps its colour to the end.
    #[test]
    fn stable_discs_are_never_flipped() {
        let mut rng = Rng::new(2);
        let mut most = 0;
        for _ in 0..2000 {
            let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
            let (mut own_stable, mut opp_stable) = (0, 0);
            loop {
                let (found, other) = (stable(Edges::get(), own, opp), stable(Edges::get(), opp, own));
                assert_eq!((found & !own, other & !opp), (0, 0));
                assert_eq!((own_stable & !found, opp_stable & !other), (0, 0), "{own:#x} {opp:#x}");
                (own_stable, opp_stable) = (found, other);
                let squares = moves::legal(own, opp);
                if squares != 0 {
                    let pick = rng.below(squares.count_ones().into());
                    let square = (0..pick).fold(squares, |left, _| left & (left - 1)).trailing_zeros();
                    let flipped = moves::flips(own, opp, square);
                    (own, opp) = (own | flipped | 1 << square, opp ^ flipped);
                } else if moves::legal(opp, own) == 0 {
                    break;
                }
                (own, opp, own_stable, opp_stable) = (opp, own, opp_stable, own_stable);
            }
            most = most.max((own_stable | opp_stable).count_ones());
        }
        assert_eq!(most, 64, "a full board is all stable");
    }

    #[test]
    fn stable_edges_of_known_positions() {
        let edges = Edges::get();
        let of = |own: u64, opp: u64| edges.stable(own, opp);
        assert_eq!(of(0x01, 0), 0x01, "a corner");
        assert_eq!(of(0x02, 0), 0, "a disc beside an empty corner");
        assert_eq!(of(0x0f, 0x10), 0x0f, "a row from a corner");
        assert_eq!(of(0x7e, 0), 0, "six between empty corners");
        assert_eq!(of(0x55, 0xaa), 0x55, "a full edge");
        assert_eq!(of(1 << 56 | 1 << 48 | 1 << 40, 1 << 32), 1 << 56 | 1 << 48 | 1 << 40, "upwards from a8");
        assert_eq!(of(1 << 63 | 1 << 55, 1 << 7), 1 << 63 | 1 << 55, "upwards from h8");
    }
}
