//! Parity: the quadrants with an odd number of empty squares.
//!
//! A side that moves into an odd region tends to get its last move too, so such moves are tried first. Quadrants of
//! 4x4 squares approximate the regions. The state is four bits, one per quadrant: 1 a1-d4, 2 e1-h4, 4 a5-d8,
//! 8 e5-h8.

/// The squares of each quadrant.
pub(super) const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// The state of a set of empty squares.
pub(super) fn of(empties: u64) -> u32 {
    (0..4).map(|i| ((empties & QUADRANTS[i]).count_ones() & 1) << i).sum()
}

/// The bit of the quadrant of a square: a move there toggles it.
#[inline(always)]
pub(super) fn bit(square: u32) -> u32 {
    1 << (square >> 2 & 1 | square >> 4 & 2)
}

/// The squares of the odd quadrants of a state.
#[inline(always)]
pub(super) fn odd(state: u32) -> u64 {
    const ODD: [u64; 16] = {
        let mut table = [0; 16];
        let mut state = 0;
        while state < 16 {
            let mut quadrant = 0;
            while quadrant < 4 {
                if state >> quadrant & 1 == 1 {
                    table[state] |= QUADRANTS[quadrant];
                }
                quadrant += 1;
            }
            state += 1;
        }
        table
    };
    ODD[(state & 15) as usize]
}
