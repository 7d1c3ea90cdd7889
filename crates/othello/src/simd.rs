//! Vectorised move generation. Tests compare each function with its portable version.
//!
//! With AVX2 the four lines through a square (row, column, both diagonals) are the four lanes of one register.
//! `legal` fills runs by parallel prefix; `flips` looks up the eight rays of the square and finds the nearest square on
//! each that is not `opp`'s: on rays to higher squares by the lowest set bit, on rays to lower squares by smearing the
//! blockers down the ray. [`Avx512`] is the perft kernel for eight positions at a time, and chooses the solver's kernel.

#[cfg(target_arch = "x86_64")]
use std::ops::ControlFlow;

#[cfg(target_arch = "x86_64")]
use crate::perft::{self, CAPACITY, Kernel, Level, Work};

/// See [`crate::moves::legal`].
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
pub(crate) fn legal(own: u64, opp: u64) -> u64 {
    // SAFETY: the function is compiled only where the whole build requires AVX2.
    unsafe { avx2::legal(own, opp) }
}

/// See [`crate::moves::flips`].
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
pub(crate) fn flips(own: u64, opp: u64, square: u32) -> u64 {
    // SAFETY: the function is compiled only where the whole build requires AVX2.
    unsafe { avx2::flips(own, opp, square) }
}

/// The four lines as the lanes of a register.
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes {
    use std::arch::x86_64::*;

    /// The union of the four lanes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn union(lanes: __m256i) -> u64 {
        let halves = _mm_or_si128(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes));
        _mm_cvtsi128_si64(_mm_or_si128(halves, _mm_unpackhi_epi64(halves, halves))) as u64
    }

    /// The squares behind the runs of `opp`'s discs that begin beside one of `own`'s, for boards in all lanes. The owner of
    /// `own` may play on those that are empty.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn ends(own: __m256i, opp: __m256i) -> u64 {
        const INNER: i64 = 0x7E7E_7E7E_7E7E_7E7E;
        let step = _mm256_set_epi64x(9, 7, 8, 1);
        let two_steps = _mm256_add_epi64(step, step);
        let runs = _mm256_and_si256(opp, _mm256_set_epi64x(INNER, INNER, -1, INNER));
        let pairs_up = _mm256_and_si256(runs, _mm256_sllv_epi64(runs, step));
        let pairs_down = _mm256_srlv_epi64(pairs_up, step);
        let mut up = _mm256_and_si256(_mm256_sllv_epi64(own, step), runs);
        let mut down = _mm256_and_si256(_mm256_srlv_epi64(own, step), runs);
        up = _mm256_or_si256(up, _mm256_and_si256(_mm256_sllv_epi64(up, step), runs));
        down = _mm256_or_si256(down, _mm256_and_si256(_mm256_srlv_epi64(down, step), runs));
        for _ in 0..2 {
            up = _mm256_or_si256(up, _mm256_and_si256(_mm256_sllv_epi64(up, two_steps), pairs_up));
            down = _mm256_or_si256(down, _mm256_and_si256(_mm256_srlv_epi64(down, two_steps), pairs_down));
        }
        let ends = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
        union(ends)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::*;

    use super::lanes::{ends, union};

    /// The rays from each square, one lane per line: row, column, antidiagonal, diagonal (steps 1, 8, 7, 9).
    #[repr(align(32))]
    struct Rays([[i64; 4]; 64]);

    /// Rays to higher squares.
    static UP: Rays = rays(1);
    /// Rays to lower squares.
    static DOWN: Rays = rays(-1);

    const fn rays(sign: i32) -> Rays {
        // Steps of (row, column).
        let steps = [(0, 1), (1, 0), (1, -1), (1, 1)];
        let mut rays = [[0; 4]; 64];
        let mut square = 0;
        while square < 64 {
            let mut line = 0;
            while line < 4 {
                let (down, right) = (sign * steps[line].0, sign * steps[line].1);
                let mut row = square as i32 / 8 + down;
                let mut column = square as i32 % 8 + right;
                while row >= 0 && row < 8 && column >= 0 && column < 8 {
                    rays[square][line] |= 1 << (8 * row + column);
                    row += down;
                    column += right;
                }
                line += 1;
            }
            square += 1;
        }
        Rays(rays)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn legal(own: u64, opp: u64) -> u64 {
        ends(_mm256_set1_epi64x(own as i64), _mm256_set1_epi64x(opp as i64)) & !(own | opp)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn flips(own: u64, opp: u64, square: u32) -> u64 {
        let square = (square & 63) as usize;
        if (own | opp) >> square & 1 == 1 {
            return 0;
        }
        let zero = _mm256_setzero_si256();
        // SAFETY: each entry is 32 bytes long and aligned to 32, and the index is below 64.
        let (ray_up, ray_down) = unsafe {
            (_mm256_load_si256(UP.0[square].as_ptr().cast()), _mm256_load_si256(DOWN.0[square].as_ptr().cast()))
        };
        let discs = _mm256_set1_epi64x(own as i64);
        let runs = _mm256_set1_epi64x(opp as i64);

        // On a ray upwards the nearest blocker is the lowest one; the flipped discs lie below it.
        let blockers = _mm256_andnot_si256(runs, ray_up);
        let nearest = _mm256_and_si256(blockers, _mm256_sub_epi64(zero, blockers));
        let below = _mm256_andnot_si256(blockers, _mm256_sub_epi64(blockers, _mm256_set1_epi64x(1)));
        let not_own = _mm256_cmpeq_epi64(_mm256_and_si256(nearest, discs), zero);
        let up = _mm256_andnot_si256(not_own, _mm256_and_si256(below, ray_up));

        // On a ray downwards the nearest blocker is the one with no other above it; the flipped discs lie above it.
        // Smearing in steps of the line may pass the edge, but never returns to the ray.
        let step = _mm256_set_epi64x(9, 7, 8, 1);
        let blockers = _mm256_andnot_si256(runs, ray_down);
        let mut behind = _mm256_srlv_epi64(blockers, step);
        behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, step));
        behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, _mm256_add_epi64(step, step)));
        behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, _mm256_set_epi64x(36, 28, 32, 4)));
        let nearest = _mm256_and_si256(_mm256_andnot_si256(behind, blockers), discs);
        // −2x: every bit above the one of x, and nothing where x is 0.
        let above = _mm256_sub_epi64(zero, _mm256_add_epi64(nearest, nearest));
        union(_mm256_or_si256(up, _mm256_and_si256(above, ray_down)))
    }
}

/// Proof that the processor supports the instructions of the 512-bit perft kernel, and of the solver's kernel.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The proof, if this processor supports them.
    pub(crate) fn detect() -> Option<Avx512> {
        let found = !cfg!(banmen_portable)
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vpopcntdq");
        found.then_some(Avx512(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx512 {
    fn advance(self, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()> {
        // SAFETY: a value of this type exists only where `detect` has found the features.
        unsafe { avx512::advance(self, levels, work) }
    }

    #[inline(always)]
    fn flips_at(self, own: u64, opp: u64, at: u64) -> u64 {
        avx512::flips_at(own, opp, at)
    }

    #[inline(always)]
    fn scatter(self, level: &mut Level, own: u64, opp: u64, legal: u64) {
        // SAFETY: a value of this type exists only where `detect` has found the features.
        unsafe { avx512::scatter(level, own, opp, legal) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::*;

    /// The portable loops, compiled for 512-bit registers: the compiler vectorises them with eight lanes.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi2,avx512vpopcntdq")]
    pub(super) fn advance(kernel: Avx512, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()> {
        perft::advance(kernel, levels, work)
    }

    /// Like [`crate::moves::portable::flips_at`], with leading-zero counts and variable shifts per lane: finds on each
    /// ray from `at` the nearest square that is not an inner disc of `opp`. If it is `own`'s, the discs before it flip.
    ///
    /// A ray is the ray of a1 or h8 shifted to the square, so it may wrap around to the other side of the board; but it
    /// reaches the edge first, and edge columns hold no inner discs.
    #[inline(always)]
    pub(super) fn flips_at(own: u64, opp: u64, at: u64) -> u64 {
        let inner = opp & 0x7E7E_7E7E_7E7E_7E7E;
        let square = at.trailing_zeros() & 63;
        let mut between = 0;
        for (ray, runs) in [
            (0x0000_0000_0000_00FE_u64, inner),
            (0x0101_0101_0101_0100, opp),
            (0x0002_0408_1020_4080, inner),
            (0x8040_2010_0804_0200, inner),
        ] {
            let up = ray << square;
            let blockers = up & !runs;
            let end = blockers & blockers.wrapping_neg() & own;
            if end != 0 {
                between |= up & end.wrapping_sub(1);
            }
            let down = ray.reverse_bits() >> (63 - square);
            let blockers = down & !runs;
            // Without a blocker this is h8, which lies on no ray to lower squares.
            let end = 1 << 63 >> (blockers.leading_zeros() & 63) & own;
            between |= down & end.wrapping_neg();
        }
        // The ends are `own`'s, the squares between are `opp`'s. A pass flips nothing.
        if at == 0 { 0 } else { between & opp }
    }

    /// Appends one entry for each bit of `legal`, eight at a time; the squares are a compression of 0..64.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2")]
    pub(super) fn scatter(level: &mut Level, own: u64, opp: u64, legal: u64) {
        static SQUARES: [u8; 64] = {
            let mut squares = [0; 64];
            let mut square = 0;
            while square < 64 {
                squares[square] = square as u8;
                square += 1;
            }
            squares
        };
        let count = legal.count_ones() as usize;
        assert!(level.len + 64 <= CAPACITY, "a level is emptied before it has fewer than 64 free entries");
        let (own, opp) = (_mm512_set1_epi64(own as i64), _mm512_set1_epi64(opp as i64));
        // SAFETY: the table is 64 bytes long.
        let squares = unsafe { _mm512_loadu_si512(SQUARES.as_ptr().cast()) };
        let mut squares = _mm512_maskz_compress_epi8(legal, squares);
        for begin in (0..count).step_by(8) {
            let at = _mm512_sllv_epi64(_mm512_set1_epi64(1), _mm512_cvtepu8_epi64(_mm512_castsi512_si128(squares)));
            let place = level.len + begin;
            // SAFETY: `begin` is at most 56, so that eight words from `place` end within the capacity asserted above.
            unsafe {
                _mm512_storeu_si512(level.own.as_mut_ptr().add(place).cast(), own);
                _mm512_storeu_si512(level.opp.as_mut_ptr().add(place).cast(), opp);
                _mm512_storeu_si512(level.at.as_mut_ptr().add(place).cast(), at);
            }
            squares = _mm512_alignr_epi64::<1>(squares, squares);
        }
        level.len += count;
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::moves::portable;

    #[test]
    fn ray_flips_match_fill_flips() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random ^ random >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        for round in 0..1_000_000 {
            let (a, b, colour) = (next(), next(), next());
            let occupied = if round % 2 == 0 { a | b } else { a & b };
            let (own, opp) = (occupied & colour, occupied & !colour);
            assert_eq!(avx512::flips_at(own, opp, 0), 0);
            for square in (0..64).filter(|square| occupied >> square & 1 == 0) {
                let at = 1 << square;
                assert_eq!(avx512::flips_at(own, opp, at), portable::flips_at(own, opp, at), "{own:x} {opp:x} {at:x}");
            }
        }
    }
}
