//! Legal moves and turned discs on two 64-bit words.
//!
//! Bit `i` is square `i`, a1 = 0, b1 = 1, ..., h1 = 7, a2 = 8, ..., h8 = 63. `own` holds the discs of the side to
//! move, `opp` those of the other side; no bit may be set in both.

/// The six inner columns: a run along a row or diagonal may only pass through these.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The mask of the squares where the owner of `own` may play. Zero when it has to pass.
#[must_use]
pub fn legal(own: u64, opp: u64) -> u64 {
    let inner = opp & INNER_COLUMNS;
    let mut reach = 0;
    for (shift, runs) in [(1, inner), (8, opp), (7, inner), (9, inner)] {
        // Discs of `opp` in an unbroken run that starts next to an own disc: at most six, so six steps.
        let mut up = (own << shift) & runs;
        let mut down = (own >> shift) & runs;
        for _ in 0..5 {
            up |= (up << shift) & runs;
            down |= (down >> shift) & runs;
        }
        reach |= (up << shift) | (down >> shift);
    }
    reach & !(own | opp)
}

/// The discs of `opp` that turn when the owner of `own` plays on `square` (0..64). Zero: the move is illegal.
#[must_use]
pub fn flips(own: u64, opp: u64, square: u32) -> u64 {
    let at = 1u64.wrapping_shl(square);
    if (own | opp) & at != 0 {
        return 0;
    }
    let inner = opp & INNER_COLUMNS;
    let mut turned = 0;
    for (shift, runs) in [(1, inner), (8, opp), (7, inner), (9, inner)] {
        let mut up = (at << shift) & runs;
        let mut down = (at >> shift) & runs;
        for _ in 0..5 {
            up |= (up << shift) & runs;
            down |= (down >> shift) & runs;
        }
        if (up << shift) & own != 0 {
            turned |= up;
        }
        if (down >> shift) & own != 0 {
            turned |= down;
        }
    }
    turned
}
