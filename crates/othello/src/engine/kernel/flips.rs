//! The most frequent board operations of the search: flipped discs, and the flips of the last empty square for both
//! sides.
//!
//! Each has a scalar version, used in builds without AVX2 or BMI2. The operations for AVX-512 are those of a
//! [`Kernel`](super::Kernel), which is chosen at run time; its tests compare all versions.

/// How the last empty square `square` changes the score from the view of the owner of `own`, who is to move. All other
/// squares hold discs, those outside `own` the opponent's. A side that can move there gets the square and what it flips;
/// the result is 0 where neither can.
#[inline(always)]
pub(in crate::engine) fn last_change(own: u64, square: u32) -> i32 {
    // Which side can move is hard to predict: the table takes the place of two branches.
    i32::from(CHANGES[(last_flips(own, square) & (CHANGES.len() as u32 - 1)) as usize])
}

/// [`last_change`] by the numbers of discs that the two sides flip, as in [`last_flips`].
static CHANGES: [i8; 1 << (2 * COUNT_BITS)] = {
    let mut table = [0; 1 << (2 * COUNT_BITS)];
    let mut flips = 1;
    while flips < table.len() {
        let (gain, loss) = (flips & ((1 << COUNT_BITS) - 1), flips >> COUNT_BITS);
        table[flips] = if gain > 0 { 1 + 2 * gain as i8 } else { -1 - 2 * loss as i8 };
        flips += 1;
    }
    table
};

/// A move flips at most 19 discs.
const COUNT_BITS: u32 = 5;

/// The number of discs that a move on the last empty square flips: by the owner of `own` in the low [`COUNT_BITS`] bits, by
/// the opponent in the bits above.
#[inline(always)]
fn last_flips(own: u64, square: u32) -> u32 {
    let lines = &SQUARE_LINES[(square & 63) as usize];
    let mut flips = u32::from(LINE_FLIPS[lines.rows[0] as usize + (own >> (square & 56)) as u8 as usize]);
    for (line, row) in lines.masks.iter().zip(&lines.rows[1..]) {
        flips += u32::from(LINE_FLIPS[(*row as usize + extract(own, *line) as usize) & (LINE_FLIPS.len() - 1)]);
    }
    flips
}

/// The file and the two diagonals through a square, and the rows of [`LINE_FLIPS`] for its index on the rank and on
/// these lines.
struct SquareLines {
    masks: [u64; 3],
    rows: [u16; 4],
}

/// Flipped discs on a line of 1 to 8 squares with one empty square, for both sides as in [`last_flips`], indexed by the
/// row of (length, index of the empty square) plus the line's own discs as bits.
static LINE_FLIPS: [u16; 4096] = {
    let mut table = [0; 4096];
    let mut length = 1;
    while length <= 8 {
        let mut place = 0;
        while place < length {
            let mut own = 0;
            while own < 1 << length {
                let other = !own & ((1 << length) - 1);
                table[line_row(length, place) as usize + own] =
                    line_flips(own, length, place) | line_flips(other & !(1 << place), length, place) << COUNT_BITS;
                own += 1;
            }
            place += 1;
        }
        length += 1;
    }
    table
};

/// The start of the row of (length, index): the rows of longer lines come first.
const fn line_row(length: usize, place: usize) -> u16 {
    let mut row = place << length;
    let mut longer = 8;
    while longer > length {
        row += longer << longer;
        longer -= 1;
    }
    row as u16
}

/// The number of discs that flip on one line when the owner of the bits `own` plays on `place` and all other squares
/// are occupied.
const fn line_flips(own: usize, length: usize, place: usize) -> u16 {
    let mut flips = 0;
    let mut up = place + 1;
    while up < length && own & 1 << up == 0 {
        up += 1;
    }
    if up < length {
        flips += up - place - 1;
    }
    let mut down = place;
    while down > 0 && own & 1 << (down - 1) == 0 {
        down -= 1;
    }
    if down > 0 {
        flips += place - down;
    }
    flips as u16
}

/// The lines through each square.
static SQUARE_LINES: [SquareLines; 64] = {
    let mut table = [const { SquareLines { masks: [0; 3], rows: [0; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        let at = 1u64 << square;
        let file = ray(square, 0, 1) | at | ray(square, 0, -1);
        let rising = ray(square, 1, 1) | at | ray(square, -1, -1);
        let falling = ray(square, -1, 1) | at | ray(square, 1, -1);
        let masks = [file, rising, falling];
        let mut rows = [line_row(8, square % 8), 0, 0, 0];
        let mut line = 0;
        while line < 3 {
            let before = (masks[line] & (at - 1)).count_ones() as usize;
            rows[line + 1] = line_row(masks[line].count_ones() as usize, before);
            line += 1;
        }
        table[square] = SquareLines { masks, rows };
        square += 1;
    }
    table
};

/// The rays of a square to higher squares, where `sign` is 1, and to lower ones, where it is −1.
#[cfg(target_arch = "x86_64")]
const fn rays(square: usize, sign: i32) -> [u64; 4] {
    [ray(square, sign, 0), ray(square, 0, sign), ray(square, -sign, sign), ray(square, sign, sign)]
}

/// The squares after `square` in one direction.
const fn ray(square: usize, columns: i32, rows: i32) -> u64 {
    let (mut column, mut row) = ((square % 8) as i32 + columns, (square / 8) as i32 + rows);
    let mut squares = 0;
    while column >= 0 && column < 8 && row >= 0 && row < 8 {
        squares |= 1u64 << (row * 8 + column);
        column += columns;
        row += rows;
    }
    squares
}

/// The bits of `word` selected by `mask`, packed at the low end.
#[inline(always)]
fn extract(word: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the build has BMI2 enabled, which the condition above states.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    extract_scalar(word, mask)
}

/// The scalar version of [`extract`].
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn extract_scalar(word: u64, mut mask: u64) -> u64 {
    let (mut bits, mut place) = (0, 0);
    while mask != 0 {
        bits |= u64::from(word & mask & mask.wrapping_neg() != 0) << place;
        mask &= mask - 1;
        place += 1;
    }
    bits
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(in crate::engine) use crate::moves::flips;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(in crate::engine) use avx2::flips;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::*;

    use super::rays;
    use crate::simd::lanes::union;

    /// The rays of each square, in two vectors. The first has the four rays to higher squares. The second has those to
    /// lower squares, mirrored vertically so that they run upwards too. The ray to the left cannot be mirrored so: the
    /// first word of the second vector is zero, and `flips` computes that ray separately.
    #[repr(align(64))]
    struct Rays([[u64; 8]; 64]);

    static RAYS: Rays = {
        let mut table = [[0; 8]; 64];
        let mut square = 0;
        while square < 64 {
            let ([a, b, c, d], [_, e, f, g]) = (rays(square, 1), rays(square, -1));
            table[square] = [a, b, c, d, 0, e.swap_bytes(), f.swap_bytes(), g.swap_bytes()];
            square += 1;
        }
        Rays(table)
    };

    /// Like [`crate::moves::flips`], but `square` must be empty. In a search each call depends on the one before, so
    /// latency matters: with mirroring, all rays but one take the six steps of [`upward`]. This saves the solver 5 to 8
    /// % of its time.
    #[inline(always)]
    pub(crate) fn flips(own: u64, opp: u64, square: u32) -> u64 {
        let rays = &RAYS.0[(square & 63) as usize];
        // To the left, the highest square that is not `opp` ends the run; bit 0 where there is none.
        let at = 1u64 << (square & 63);
        let left = (at - 1) & (0xff << (square & 56));
        let stop = (1 << 63) >> ((left & !opp) | 1).leading_zeros();
        let end = stop & left & own;
        let flipped = left & (end << 1).wrapping_neg();
        // SAFETY: the build has AVX2 enabled, as the condition of this module states; the two loads read the eight
        // words of `rays`, which the table's alignment puts at a multiple of 64 bytes.
        unsafe {
            let table = rays.as_ptr().cast::<__m256i>();
            let own = _mm256_set1_epi64x(own as i64);
            let opp = _mm256_set1_epi64x(opp as i64);
            let up = upward(own, opp, _mm256_load_si256(table));
            let down = upward(mirror(own), mirror(opp), _mm256_load_si256(table.add(1)));
            flipped | union(_mm256_or_si256(up, mirror(down)))
        }
    }

    /// Each board's rows in reverse order.
    #[inline(always)]
    unsafe fn mirror(boards: __m256i) -> __m256i {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let rows =
                _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
            _mm256_shuffle_epi8(boards, rows)
        }
    }

    /// The discs of `opp` that flip on rays to higher bits: on each ray the lowest square that is not `opp` must be
    /// own; all squares below it flip.
    #[inline(always)]
    unsafe fn upward(own: __m256i, opp: __m256i, rays: __m256i) -> __m256i {
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let zero = _mm256_setzero_si256();
            let open = _mm256_andnot_si256(opp, rays);
            let end = _mm256_and_si256(open, _mm256_sub_epi64(zero, open));
            let unbounded = _mm256_cmpeq_epi64(_mm256_and_si256(end, own), zero);
            let run = _mm256_and_si256(rays, _mm256_add_epi64(end, _mm256_set1_epi64x(-1)));
            _mm256_andnot_si256(unbounded, run)
        }
    }
}

/// The operations with leading zeros and functions of three words.
#[cfg(target_arch = "x86_64")]
pub(in crate::engine) mod avx512 {
    use std::arch::x86_64::*;

    use super::rays;
    use crate::simd::lanes::{ends, union};

    /// The rays of each square, to higher squares and to lower ones.
    #[repr(align(64))]
    struct Rays([[[u64; 4]; 2]; 64]);

    static RAYS: Rays = {
        let mut table = [[[0; 4]; 2]; 64];
        let mut square = 0;
        while square < 64 {
            table[square] = [rays(square, 1), rays(square, -1)];
            square += 1;
        }
        Rays(table)
    };

    /// The flipped discs in four lanes, one a line, for boards in all lanes. The nearest square that is not `opp`'s is the
    /// lowest one on rays to higher squares; on the others it follows from the number of leading zeros.
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    fn lines(own: __m256i, opp: __m256i, square: u32) -> __m256i {
        // Functions of three bits, by their table of truth: all are 1; the first two alone; the first two differ, and the third is 1.
        const ALL: i32 = 0x80;
        const FIRST_TWO_ONLY: i32 = 0x40;
        const DIFFERENCE_WITHIN: i32 = 0x28;
        let table = RAYS.0[(square & 63) as usize].as_ptr().cast::<__m256i>();
        // SAFETY: the two loads read the eight words of the square, which the table's alignment puts at a multiple of 64 bytes.
        let (up, down) = unsafe { (_mm256_load_si256(table), _mm256_load_si256(table.add(1))) };
        let zero = _mm256_setzero_si256();
        let open = _mm256_andnot_si256(opp, up);
        let end = _mm256_ternarylogic_epi64::<ALL>(open, _mm256_sub_epi64(zero, open), own);
        let below = _mm256_add_epi64(end, _mm256_set1_epi64x(-1));
        let up = _mm256_ternarylogic_epi64::<FIRST_TWO_ONLY>(below, up, _mm256_cmpeq_epi64(end, zero));
        let open = _mm256_andnot_si256(opp, down);
        let end = _mm256_and_si256(_mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(open)), own);
        let down = _mm256_ternarylogic_epi64::<DIFFERENCE_WITHIN>(end, _mm256_sub_epi64(zero, end), down);
        _mm256_or_si256(up, down)
    }

    /// Like the other [`flips`](super::flips).
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(crate) fn flips(own: u64, opp: u64, square: u32) -> u64 {
        union(lines(_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64), square))
    }

    /// Like [`crate::moves::legal`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(crate) fn legal(own: u64, opp: u64) -> u64 {
        ends(_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64)) & !(own | opp)
    }

    /// Both: the flipped discs of a move, and the opponent's moves after it. The boards stay in vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(crate) fn flips_and_replies(own: u64, opp: u64, square: u32) -> (u64, u64) {
        let at = 1 << (square & 63);
        let [owns, opps, ats] = [own, opp, at].map(|board| _mm256_set1_epi64x(board as i64));
        let lines = lines(owns, opps, square);
        let halves = _mm256_or_si256(lines, _mm256_permute4x64_epi64::<0b_01_00_11_10>(lines));
        let flipped = _mm256_or_si256(halves, _mm256_shuffle_epi32::<0b_01_00_11_10>(halves));
        let replies = ends(_mm256_xor_si256(opps, flipped), _mm256_or_si256(_mm256_or_si256(owns, flipped), ats));
        (_mm_cvtsi128_si64(_mm256_castsi256_si128(flipped)) as u64, replies & !(own | opp | at))
    }
}

/// Prefetches the cache line at `place`.
#[inline(always)]
pub(in crate::engine) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of a valid reference; SSE is part of every x86-64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;

    #[test]
    fn last_flips_count_both_sides() {
        let mut rng = Rng::new(2);
        for _ in 0..20_000 {
            let square = rng.below(64) as u32;
            let own = rng.bits() & !(1 << square);
            let opp = !own & !(1 << square);
            let gain = moves::flips(own, opp, square).count_ones();
            let loss = moves::flips(opp, own, square).count_ones();
            assert_eq!(last_flips(own, square), gain | loss << COUNT_BITS);
            let change = match (gain, loss) {
                (0, 0) => 0,
                (0, loss) => -1 - 2 * loss as i32,
                (gain, _) => 1 + 2 * gain as i32,
            };
            assert_eq!(last_change(own, square), change);
        }
    }

    #[test]
    fn extract_matches_scalar() {
        let mut rng = Rng::new(3);
        for _ in 0..20_000 {
            let (word, mask) = (rng.bits(), rng.bits() & rng.bits());
            assert_eq!(extract(word, mask), extract_scalar(word, mask));
        }
    }
}
