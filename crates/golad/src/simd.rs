//! The vector forms of [`crate::lanes::Lanes`]: all rows of a colour in one register of 512 bits, in two of 256, or in
//! four of 128. Boards of more than 16 rows use the portable form, and so does every machine without these instructions.

use crate::board::ROWS;
use crate::lanes::{Kernel, Plain};
use crate::step::SMALL;

/// The forms of the kernels, the slowest first. In WebAssembly with SIMD128 all but the first mean four registers of 128
/// bits.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Plain rows.
    Plain,
    /// Two registers of 256 bits.
    Avx2,
    /// One register of 512 bits.
    Avx512,
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 3] = [Form::Plain, Form::Avx2, Form::Avx512];

    /// The fastest.
    pub(crate) const BEST: Form = Form::Avx512;

    /// Whether this machine supports it.
    #[must_use]
    pub(crate) fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Form::Plain => {}
            Form::Avx2 => return avx2::Avx2::detect().is_some(),
            Form::Avx512 => return avx512::Avx512::detect().is_some(),
        }
        self == Form::Plain
    }
}

/// Runs a kernel on boards of at most `height` rows, in the fastest form of this machine that is not above `most`. The
/// form is chosen once, here.
#[inline]
pub(crate) fn run(most: Form, height: usize, work: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if height <= SMALL {
        if most >= Form::Avx512
            && let Some(lanes) = avx512::Avx512::detect()
        {
            return lanes.run(work);
        }
        if most >= Form::Avx2
            && let Some(lanes) = avx2::Avx2::detect()
        {
            return lanes.run(work);
        }
    }
    #[cfg(all(target_family = "wasm", target_feature = "simd128"))]
    if height <= SMALL && most > Form::Plain {
        return work.run(v128::V128);
    }
    let _ = most;
    if height <= SMALL { work.run(Plain::<SMALL, { SMALL + 2 }>) } else { work.run(Plain::<ROWS, { ROWS + 2 }>) }
}

/// Instructions of a form, where a value of it is at hand.
#[cfg(target_arch = "x86_64")]
macro_rules! proven {
    ($($instructions:tt)*) => {{
        // SAFETY: a value of the form exists only where `detect` found that the processor has its instructions.
        unsafe { $($instructions)* }
    }};
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use crate::board::Rows;
    use crate::lanes::{BATCH, Both, Counts, Kernel, Lanes};

    /// Proof that the processor has AVX-512F and its population counts.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    impl Avx512 {
        #[inline]
        pub(super) fn detect() -> Option<Avx512> {
            let found = !cfg!(banmen_portable)
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vpopcntdq");
            found.then_some(Avx512(()))
        }

        #[inline]
        pub(super) fn run(self, work: impl Kernel) {
            proven!(expanded(self, work))
        }
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn expanded(lanes: Avx512, work: impl Kernel) {
        work.run(lanes);
    }

    impl Lanes for Avx512 {
        type Word = __m512i;

        #[inline(always)]
        fn load(self, rows: &Rows) -> __m512i {
            let rows = &rows[..16];
            // SAFETY: the processor has the instruction, and the slice holds sixteen words.
            unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
        }

        #[inline(always)]
        fn store(self, word: __m512i, rows: &mut Rows) {
            let rows = &mut rows[..16];
            // SAFETY: the processor has the instruction, and the slice holds sixteen words.
            unsafe { _mm512_storeu_si512(rows.as_mut_ptr().cast(), word) }
        }

        #[inline(always)]
        fn fill(self, places: u32, row: u32) -> __m512i {
            proven!(_mm512_maskz_set1_epi32(places as __mmask16, row.cast_signed()))
        }

        #[inline(always)]
        fn and(self, a: __m512i, b: __m512i) -> __m512i {
            proven!(_mm512_and_si512(a, b))
        }

        #[inline(always)]
        fn or(self, a: __m512i, b: __m512i) -> __m512i {
            proven!(_mm512_or_si512(a, b))
        }

        #[inline(always)]
        fn xor(self, a: __m512i, b: __m512i) -> __m512i {
            proven!(_mm512_xor_si512(a, b))
        }

        #[inline(always)]
        fn without(self, a: __m512i, b: __m512i) -> __m512i {
            proven!(_mm512_andnot_si512(b, a))
        }

        #[inline(always)]
        fn odd(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            proven!(_mm512_ternarylogic_epi32::<0x96>(a, b, c))
        }

        #[inline(always)]
        fn majority(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            proven!(_mm512_ternarylogic_epi32::<0xe8>(a, b, c))
        }

        #[inline(always)]
        fn beside(self, word: __m512i) -> [__m512i; 2] {
            proven!([_mm512_slli_epi32::<1>(word), _mm512_srli_epi32::<1>(word)])
        }

        #[inline(always)]
        fn around(self, word: __m512i) -> [__m512i; 2] {
            proven!({
                let none = _mm512_setzero_si512();
                [_mm512_alignr_epi32::<15>(word, none), _mm512_alignr_epi32::<1>(none, word)]
            })
        }

        #[inline(always)]
        fn count(self, boards: &[Both<Self>; BATCH]) -> Counts {
            proven!(count(boards))
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn count(boards: &[[__m512i; 2]; BATCH]) -> Counts {
        let rows = |[own, other]: [__m512i; 2]| {
            let others = _mm512_slli_epi32::<16>(_mm512_popcnt_epi32(other));
            _mm512_or_si512(_mm512_popcnt_epi32(own), others)
        };
        let two = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (a, b) = (two(rows(boards[0]), rows(boards[1])), two(rows(boards[2]), rows(boards[3])));
        // In each quarter the sums of a quarter of the rows, board by board.
        let quarters = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let halves = _mm256_add_epi32(_mm512_castsi512_si256(quarters), _mm512_extracti64x4_epi64::<1>(quarters));
        let all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        let words = |four| {
            let (low, high) = (_mm_cvtsi128_si64(four), _mm_extract_epi64::<1>(four));
            [low as i32, (low >> 32) as i32, high as i32, (high >> 32) as i32]
        };
        [words(_mm_and_si128(all, _mm_set1_epi32(0xffff))), words(_mm_srli_epi32::<16>(all))]
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::board::Rows;
    use crate::lanes::{BATCH, Both, Counts, Kernel, Lanes};

    /// Proof that the processor has AVX2.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx2 {
        #[inline]
        pub(super) fn detect() -> Option<Avx2> {
            (!cfg!(banmen_portable) && is_x86_feature_detected!("avx2")).then_some(Avx2(()))
        }

        #[inline]
        pub(super) fn run(self, work: impl Kernel) {
            proven!(expanded(self, work))
        }
    }

    #[target_feature(enable = "avx2")]
    fn expanded(lanes: Avx2, work: impl Kernel) {
        work.run(lanes);
    }

    /// Sixteen rows, the upper eight first.
    type Word = [__m256i; 2];

    impl Lanes for Avx2 {
        type Word = Word;

        #[inline(always)]
        fn load(self, rows: &Rows) -> Word {
            let rows = &rows[..16];
            // SAFETY: the processor has the instruction, and the slice holds sixteen words, eight for each half.
            unsafe { [_mm256_loadu_si256(rows.as_ptr().cast()), _mm256_loadu_si256(rows[8..].as_ptr().cast())] }
        }

        #[inline(always)]
        fn store(self, [upper, lower]: Word, rows: &mut Rows) {
            let rows = &mut rows[..16];
            // SAFETY: the processor has the instruction, and the slice holds sixteen words, eight for each half.
            unsafe {
                _mm256_storeu_si256(rows.as_mut_ptr().cast(), upper);
                _mm256_storeu_si256(rows[8..].as_mut_ptr().cast(), lower);
            }
        }

        #[inline(always)]
        fn fill(self, places: u32, row: u32) -> Word {
            proven!({
                let (places, row) = (_mm256_set1_epi32(places.cast_signed()), _mm256_set1_epi32(row.cast_signed()));
                let upper = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let lower = _mm256_slli_epi32::<8>(upper);
                [
                    _mm256_and_si256(row, _mm256_cmpeq_epi32(_mm256_and_si256(places, upper), upper)),
                    _mm256_and_si256(row, _mm256_cmpeq_epi32(_mm256_and_si256(places, lower), lower)),
                ]
            })
        }

        #[inline(always)]
        fn and(self, a: Word, b: Word) -> Word {
            proven!([_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])])
        }

        #[inline(always)]
        fn or(self, a: Word, b: Word) -> Word {
            proven!([_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])])
        }

        #[inline(always)]
        fn xor(self, a: Word, b: Word) -> Word {
            proven!([_mm256_xor_si256(a[0], b[0]), _mm256_xor_si256(a[1], b[1])])
        }

        #[inline(always)]
        fn without(self, a: Word, b: Word) -> Word {
            proven!([_mm256_andnot_si256(b[0], a[0]), _mm256_andnot_si256(b[1], a[1])])
        }

        #[inline(always)]
        fn beside(self, [upper, lower]: Word) -> [Word; 2] {
            proven!([
                [_mm256_slli_epi32::<1>(upper), _mm256_slli_epi32::<1>(lower)],
                [_mm256_srli_epi32::<1>(upper), _mm256_srli_epi32::<1>(lower)],
            ])
        }

        #[inline(always)]
        fn around(self, [upper, lower]: Word) -> [Word; 2] {
            proven!({
                let none = _mm256_setzero_si256();
                let turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
                let (a, b) = (_mm256_permutevar8x32_epi32(upper, turn), _mm256_permutevar8x32_epi32(lower, turn));
                let above = [_mm256_blend_epi32::<1>(a, none), _mm256_blend_epi32::<1>(b, a)];
                let turn = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
                let (a, b) = (_mm256_permutevar8x32_epi32(upper, turn), _mm256_permutevar8x32_epi32(lower, turn));
                [above, [_mm256_blend_epi32::<0x80>(a, b), _mm256_blend_epi32::<0x80>(b, none)]]
            })
        }

        #[inline(always)]
        fn count(self, boards: &[Both<Self>; BATCH]) -> Counts {
            proven!(count(boards))
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn count(boards: &[[Word; 2]; BATCH]) -> Counts {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let nibble = _mm256_set1_epi8(15);
        let bytes = |half: __m256i| {
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(half, nibble));
            let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(half), nibble));
            _mm256_add_epi8(low, high)
        };
        let quarters = |[a, b]: Word| _mm256_sad_epu8(_mm256_add_epi8(bytes(a), bytes(b)), _mm256_setzero_si256());
        let mut cells = [[0; BATCH]; 2];
        for (board, &[own, other]) in boards.iter().enumerate() {
            // Both colours in one sum.
            let four = _mm256_or_si256(quarters(own), _mm256_slli_epi64::<32>(quarters(other)));
            let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
            let sum = _mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two);
            (cells[0][board], cells[1][board]) = (sum as i32, (sum >> 32) as i32);
        }
        cells
    }
}

#[cfg(all(target_family = "wasm", target_feature = "simd128"))]
mod v128 {
    use std::arch::wasm32::*;
    use std::array::from_fn;

    use crate::board::Rows;
    use crate::lanes::{BATCH, Both, Counts, Lanes};

    /// The instructions are part of the build.
    #[derive(Clone, Copy)]
    pub(super) struct V128;

    /// Sixteen rows, the upper four first.
    type Word = [v128; 4];

    impl Lanes for V128 {
        type Word = Word;

        #[inline(always)]
        fn load(self, rows: &Rows) -> Word {
            let rows = &rows[..16];
            // SAFETY: each of the four parts of the slice holds four words.
            from_fn(|part| unsafe { v128_load(rows[4 * part..].as_ptr().cast()) })
        }

        #[inline(always)]
        fn store(self, word: Word, rows: &mut Rows) {
            for (rows, part) in rows[..16].chunks_exact_mut(4).zip(word) {
                // SAFETY: the part of the slice holds four words.
                unsafe { v128_store(rows.as_mut_ptr().cast(), part) }
            }
        }

        #[inline(always)]
        fn fill(self, places: u32, row: u32) -> Word {
            let (places, row) = (u32x4_splat(places), u32x4_splat(row));
            from_fn(|part| {
                let own = u32x4_shl(u32x4(1, 2, 4, 8), 4 * part as u32);
                v128_and(row, u32x4_eq(v128_and(places, own), own))
            })
        }

        #[inline(always)]
        fn and(self, a: Word, b: Word) -> Word {
            from_fn(|part| v128_and(a[part], b[part]))
        }

        #[inline(always)]
        fn or(self, a: Word, b: Word) -> Word {
            from_fn(|part| v128_or(a[part], b[part]))
        }

        #[inline(always)]
        fn xor(self, a: Word, b: Word) -> Word {
            from_fn(|part| v128_xor(a[part], b[part]))
        }

        #[inline(always)]
        fn without(self, a: Word, b: Word) -> Word {
            from_fn(|part| v128_andnot(a[part], b[part]))
        }

        #[inline(always)]
        fn beside(self, word: Word) -> [Word; 2] {
            [word.map(|part| u32x4_shl(part, 1)), word.map(|part| u32x4_shr(part, 1))]
        }

        #[inline(always)]
        fn around(self, [a, b, c, d]: Word) -> [Word; 2] {
            let none = u32x4_splat(0);
            let above = |before, part| u32x4_shuffle::<3, 4, 5, 6>(before, part);
            let below = |part, after| u32x4_shuffle::<1, 2, 3, 4>(part, after);
            [
                [above(none, a), above(a, b), above(b, c), above(c, d)],
                [below(a, b), below(b, c), below(c, d), below(d, none)],
            ]
        }

        #[inline(always)]
        fn count(self, boards: &[Both<Self>; BATCH]) -> Counts {
            // At most 32 in each of sixteen bytes.
            let cells = |[a, b, c, d]: Word| {
                let bytes = |a, b| u8x16_add(u8x16_popcnt(a), u8x16_popcnt(b));
                let pairs = u16x8_extadd_pairwise_u8x16(u8x16_add(bytes(a, b), bytes(c, d)));
                let fours = u32x4_extadd_pairwise_u16x8(pairs);
                let two = i32x4_add(fours, u32x4_shuffle::<2, 3, 0, 1>(fours, fours));
                i32x4_extract_lane::<0>(two) + i32x4_extract_lane::<1>(two)
            };
            [0, 1].map(|side| from_fn(|board| cells(boards[board][side])))
        }
    }
}
