//! One generation in vectors: all rows of a colour in one register of 512 bits, or in two of 256. Boards of more than
//! 16 rows take the portable form, and so does every machine without these instructions.

use banmen_game::Side;

use crate::board::{Board, Rows};
use crate::changes::changes_plain;
use crate::step::{SMALL, step_plain};
use crate::trial::{Change, Weights, try_plain};
use crate::wide::values_plain;

/// See [`crate::step::step_times`].
#[inline]
pub(crate) fn step_times(board: &mut Board, generations: u32) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { avx512::step_times(board, generations) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::step_times(board, generations) };
        }
    }
    for _ in 0..generations {
        step_plain(board);
    }
}

/// See [`crate::step::step_all`].
pub(crate) fn step_all(boards: &mut [Board]) {
    #[cfg(target_arch = "x86_64")]
    if boards.iter().all(|board| board.height() <= SMALL) {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { avx512::step_all(boards) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2::step_all(boards) };
        }
    }
    boards.iter_mut().for_each(step_plain);
}

/// The values of all moves of a side after so many generations; see [`crate::Wide`].
pub(crate) fn values(board: &Board, side: Side, generations: u32, values: &mut Vec<i16>) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    {
        // SAFETY: the processor has AVX-512F and its population counts.
        return unsafe { avx512::values(board, side, generations, values) };
    }
    values_avx2(board, side, generations, values);
}

/// The same by AVX2, or plainly where there is none.
pub(crate) fn values_avx2(board: &Board, side: Side, generations: u32, values: &mut Vec<i16>) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::values(board, side, generations, values) };
    }
    values_plain(board, side, generations, values);
}

/// The values of changes, added to `values`; see [`crate::trial`].
pub(crate) fn try_all(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    {
        // SAFETY: the processor has AVX-512F and its population counts.
        return unsafe { avx512::try_all(board, side, changes, weights, values) };
    }
    try_avx2(board, side, changes, weights, values);
}

/// The same by AVX2, or plainly where there is none.
pub(crate) fn try_avx2(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::try_all(board, side, changes, weights, values) };
    }
    try_plain(board, side, changes, weights, values);
}

/// The counts after every change of a cell; see [`crate::changes`].
pub(crate) fn changes(board: &Board, cells: &Rows, owner: Option<Side>, generations: u32, counts: &mut Vec<[u16; 2]>) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    {
        // SAFETY: the processor has AVX-512F and its population counts.
        return unsafe { avx512::changes(board, cells, owner, generations, counts) };
    }
    changes_avx2(board, cells, owner, generations, counts);
}

/// The same by AVX2, or plainly where there is none.
pub(crate) fn changes_avx2(
    board: &Board,
    cells: &Rows,
    owner: Option<Side>,
    generations: u32,
    counts: &mut Vec<[u16; 2]>,
) {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::changes(board, cells, owner, generations, counts) };
    }
    changes_plain(board, cells, owner, generations, counts);
}

/// The AVX2 form on a machine that may have AVX-512; `None` on one without AVX2.
#[doc(hidden)]
#[must_use]
pub fn step_avx2(board: &mut Board, generations: u32) -> Option<()> {
    #[cfg(target_arch = "x86_64")]
    if board.height() <= SMALL && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::step_times(board, generations) };
        return Some(());
    }
    let _ = (board, generations);
    None
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use banmen_game::Side;

    use super::{Board, Rows};
    use crate::board::Cell;
    use crate::changes::every_single;
    use crate::trial::{ABREAST, Change, Counts, Form, Weights, every_change, values_of};
    use crate::wide::{Words, every_move};

    /// a ^ b ^ c.
    const XOR: i32 = 0x96;
    /// Two or three of them.
    const MAJORITY: i32 = 0xe8;
    /// a | b | c.
    const ANY: i32 = 0xfe;

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(rows: &[u32]) -> __m512i {
        let rows = &rows[..16];
        // SAFETY: the slice holds sixteen words.
        unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(rows: &mut [u32], word: __m512i) {
        let rows = &mut rows[..16];
        // SAFETY: the slice holds sixteen words.
        unsafe { _mm512_storeu_si512(rows.as_mut_ptr().cast(), word) }
    }

    /// Each row's upper neighbour, and its lower one.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn around(rows: __m512i) -> (__m512i, __m512i) {
        let none = _mm512_setzero_si512();
        (_mm512_alignr_epi32::<15>(rows, none), _mm512_alignr_epi32::<1>(none, rows))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn generation(first: __m512i, second: __m512i, mask: __m512i) -> (__m512i, __m512i) {
        let all = _mm512_or_si512(first, second);
        let (left, right) = (_mm512_slli_epi32::<1>(all), _mm512_srli_epi32::<1>(all));
        let (u0, d0) = around(_mm512_ternarylogic_epi32::<XOR>(left, all, right));
        let (u1, d1) = around(_mm512_ternarylogic_epi32::<MAJORITY>(left, all, right));
        let (m0, m1) = (_mm512_xor_si512(left, right), _mm512_and_si512(left, right));
        let ones = _mm512_ternarylogic_epi32::<XOR>(u0, d0, m0);
        let carry = _mm512_ternarylogic_epi32::<MAJORITY>(u0, d0, m0);
        let odd = _mm512_ternarylogic_epi32::<XOR>(u1, d1, m1);
        let many = _mm512_ternarylogic_epi32::<MAJORITY>(u1, d1, m1);
        // (odd ^ carry) & !many
        let keep = _mm512_ternarylogic_epi32::<0x06>(many, odd, carry);

        let (left, right) = (_mm512_slli_epi32::<1>(first), _mm512_srli_epi32::<1>(first));
        let (u0, d0) = around(_mm512_ternarylogic_epi32::<XOR>(left, first, right));
        let (u1, d1) = around(_mm512_ternarylogic_epi32::<MAJORITY>(left, first, right));
        let (n0, n1) = (_mm512_xor_si512(left, right), _mm512_and_si512(left, right));
        let twos = _mm512_ternarylogic_epi32::<ANY>(u1, d1, n1);
        let most = _mm512_or_si512(twos, _mm512_ternarylogic_epi32::<MAJORITY>(u0, d0, n0));

        // keep & ones & !all & mask
        let birth = _mm512_and_si512(_mm512_ternarylogic_epi32::<0x40>(keep, ones, all), mask);
        // birth & most | first & keep, and birth & !most | second & keep
        let first = _mm512_ternarylogic_epi32::<0xf8>(_mm512_and_si512(first, keep), birth, most);
        let second = _mm512_ternarylogic_epi32::<0xf4>(_mm512_and_si512(second, keep), birth, most);
        (first, second)
    }

    /// The cells of a board of at most 16 rows.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rows_of(board: &Board) -> __m512i {
        let rows = (u32::MAX >> (32 - board.height() as u32)) as __mmask16;
        _mm512_maskz_set1_epi32(rows, board.mask().cast_signed())
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn step_times(board: &mut Board, generations: u32) {
        let mask = rows_of(board);
        let (mut first, mut second) = (load(&board.colours[0]), load(&board.colours[1]));
        for _ in 0..generations {
            (first, second) = generation(first, second, mask);
        }
        store(&mut board.colours[0], first);
        store(&mut board.colours[1], second);
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn step_all(boards: &mut [Board]) {
        for board in boards {
            step_times(board, 1);
        }
    }

    /// Cells of `own` less those of `other`, after so many generations from there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn balance(mut own: __m512i, mut other: __m512i, mask: __m512i, generations: u32) -> i16 {
        for _ in 0..generations {
            (own, other) = generation(own, other, mask);
        }
        _mm512_reduce_add_epi32(_mm512_sub_epi32(_mm512_popcnt_epi32(own), _mm512_popcnt_epi32(other))) as i16
    }

    /// Cells of each colour, after so many generations from there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn living(mut first: __m512i, mut second: __m512i, mask: __m512i, generations: u32) -> [u16; 2] {
        for _ in 0..generations {
            (first, second) = generation(first, second, mask);
        }
        // Both in one sum: no board has 2^16 cells.
        let upper = _mm512_slli_epi32::<16>(_mm512_popcnt_epi32(second));
        let sum = _mm512_reduce_add_epi32(_mm512_or_si512(_mm512_popcnt_epi32(first), upper)).cast_unsigned();
        [sum as u16, (sum >> 16) as u16]
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn changes(
        board: &Board,
        cells: &Rows,
        owner: Option<Side>,
        generations: u32,
        counts: &mut Vec<[u16; 2]>,
    ) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| _mm512_maskz_set1_epi32(1 << cell.y(), 1 << cell.x()),
            with: |a, b| _mm512_or_si512(a, b),
            without: |a, b| _mm512_andnot_si512(b, a),
        };
        let both = (load(&board.colours[0]), load(&board.colours[1]));
        every_single(cells, owner, both, &words, |a, b| counts.push(living(a, b, mask, generations)));
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn values(board: &Board, side: Side, generations: u32, values: &mut Vec<i16>) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| _mm512_maskz_set1_epi32(1 << cell.y(), 1 << cell.x()),
            with: |a, b| _mm512_or_si512(a, b),
            without: |a, b| _mm512_andnot_si512(b, a),
        };
        // A generation is the same for both colours, but for the majority, which is the mover's here.
        let both = (load(board.rows(side)), load(board.rows(side.other())));
        every_move(board, side, both, &words, |own, other| values.push(balance(own, other, mask, generations)));
    }

    /// The cells themselves and those beside them, off the board too.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn beside(rows: __m512i) -> __m512i {
        let (left, right) = (_mm512_slli_epi32::<1>(rows), _mm512_srli_epi32::<1>(rows));
        let wide = _mm512_ternarylogic_epi32::<ANY>(left, rows, right);
        let (above, below) = around(wide);
        _mm512_ternarylogic_epi32::<ANY>(above, wide, below)
    }

    /// See [`Form::spread`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn spread(own: __m512i, other: __m512i, mask: __m512i) -> (__m512i, __m512i) {
        let (near, far) = (beside(own), beside(other));
        // A side's cells are among those beside it: what is not beside the other's cells is none of them.
        let gained = |by, against| _mm512_and_si512(_mm512_andnot_si512(against, by), mask);
        (_mm512_or_si512(own, gained(near, far)), _mm512_or_si512(other, gained(far, near)))
    }

    /// The cells of both sides of some boards. No board has more than fit into half a word.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn count(boards: &[(__m512i, __m512i); ABREAST]) -> Counts {
        let rows = |(own, other)| {
            let others = _mm512_slli_epi32::<16>(_mm512_popcnt_epi32(other));
            _mm512_or_si512(_mm512_popcnt_epi32(own), others)
        };
        let two = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (a, b) = (two(rows(boards[0]), rows(boards[1])), two(rows(boards[2]), rows(boards[3])));
        // In each quarter the sums of a quarter of the rows, board by board.
        let quarters = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let halves = _mm256_add_epi32(_mm512_castsi512_si256(quarters), _mm512_extracti64x4_epi64::<1>(quarters));
        let all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        let lower = _mm_and_si128(all, _mm_set1_epi32(0xffff));
        [words(lower), words(_mm_srli_epi32::<16>(all))]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn words(four: __m128i) -> [i32; ABREAST] {
        let (low, high) = (_mm_cvtsi128_si64(four), _mm_extract_epi64::<1>(four));
        [low as i32, (low >> 32) as i32, high as i32, (high >> 32) as i32]
    }

    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    pub(super) fn try_all(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| _mm512_maskz_set1_epi32(1 << cell.y(), 1 << cell.x()),
            with: |a, b| _mm512_or_si512(a, b),
            without: |a, b| _mm512_andnot_si512(b, a),
        };
        let both = (load(board.rows(side)), load(board.rows(side.other())));
        let (land, size) = weights.land(board);
        let land = load(&land);
        let form = Form {
            step: |(own, other)| generation(own, other, mask),
            spread: |(own, other)| spread(own, other, mask),
            land: |(own, other)| (_mm512_and_si512(own, land), _mm512_and_si512(other, land)),
            count: |boards: &_| count(boards),
        };
        every_change(both, changes, &words, values, |boards| values_of(boards, size, weights, &form));
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use banmen_game::Side;

    use super::{Board, Rows};
    use crate::board::Cell;
    use crate::changes::every_single;
    use crate::trial::{ABREAST, Change, Form, Weights, every_change, values_of};
    use crate::wide::{Words, every_move};

    /// Sixteen rows, the upper eight first.
    #[derive(Clone, Copy)]
    struct Word(__m256i, __m256i);

    #[inline]
    #[target_feature(enable = "avx2")]
    fn map(a: Word, f: impl Fn(__m256i) -> __m256i) -> Word {
        Word(f(a.0), f(a.1))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn zip(a: Word, b: Word, f: impl Fn(__m256i, __m256i) -> __m256i) -> Word {
        Word(f(a.0, b.0), f(a.1, b.1))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn xor(a: Word, b: Word) -> Word {
        zip(a, b, |a, b| _mm256_xor_si256(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn and(a: Word, b: Word) -> Word {
        zip(a, b, |a, b| _mm256_and_si256(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn or(a: Word, b: Word) -> Word {
        zip(a, b, |a, b| _mm256_or_si256(a, b))
    }

    /// Without the bits of `b`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn without(a: Word, b: Word) -> Word {
        zip(a, b, |a, b| _mm256_andnot_si256(b, a))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn majority(a: Word, b: Word, c: Word) -> Word {
        or(and(a, b), and(or(a, b), c))
    }

    /// Each cell's left and right neighbour in its row.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn beside(a: Word) -> (Word, Word) {
        (map(a, |a| _mm256_slli_epi32::<1>(a)), map(a, |a| _mm256_srli_epi32::<1>(a)))
    }

    /// Each row's upper neighbour, and its lower one.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn around(Word(upper, lower): Word) -> (Word, Word) {
        let none = _mm256_setzero_si256();
        let turn_down = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
        let turn_up = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
        let (a, b) = (_mm256_permutevar8x32_epi32(upper, turn_down), _mm256_permutevar8x32_epi32(lower, turn_down));
        let above = Word(_mm256_blend_epi32::<1>(a, none), _mm256_blend_epi32::<1>(b, a));
        let (a, b) = (_mm256_permutevar8x32_epi32(upper, turn_up), _mm256_permutevar8x32_epi32(lower, turn_up));
        let below = Word(_mm256_blend_epi32::<0x80>(a, b), _mm256_blend_epi32::<0x80>(b, none));
        (above, below)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(rows: &[u32]) -> Word {
        let rows = &rows[..16];
        // SAFETY: the slice holds sixteen words, eight for each half.
        unsafe { Word(_mm256_loadu_si256(rows.as_ptr().cast()), _mm256_loadu_si256(rows[8..].as_ptr().cast())) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(rows: &mut [u32], Word(upper, lower): Word) {
        let rows = &mut rows[..16];
        // SAFETY: the slice holds sixteen words, eight for each half.
        unsafe {
            _mm256_storeu_si256(rows.as_mut_ptr().cast(), upper);
            _mm256_storeu_si256(rows[8..].as_mut_ptr().cast(), lower);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn generation(first: Word, second: Word, mask: Word) -> (Word, Word) {
        let all = or(first, second);
        let (left, right) = beside(all);
        let (m0, m1) = (xor(left, right), and(left, right));
        let (u0, d0) = around(xor(m0, all));
        let (u1, d1) = around(or(m1, and(or(left, right), all)));
        let ones = xor(xor(u0, d0), m0);
        let carry = majority(u0, d0, m0);
        let odd = xor(xor(u1, d1), m1);
        let keep = without(xor(odd, carry), majority(u1, d1, m1));

        let (left, right) = beside(first);
        let (n0, n1) = (xor(left, right), and(left, right));
        let (u0, d0) = around(xor(n0, first));
        let (u1, d1) = around(or(n1, and(or(left, right), first)));
        let most = or(or(u1, d1), or(n1, majority(u0, d0, n0)));

        let birth = and(without(and(keep, ones), all), mask);
        (or(and(first, keep), and(birth, most)), or(and(second, keep), without(birth, most)))
    }

    /// The numbers of the rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn numbers() -> Word {
        let upper = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        Word(upper, _mm256_add_epi32(upper, _mm256_set1_epi32(8)))
    }

    /// The cells of a board of at most 16 rows: those of rows whose number is below its height.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn rows_of(board: &Board) -> Word {
        let (bits, height) = (_mm256_set1_epi32(board.mask().cast_signed()), _mm256_set1_epi32(board.height() as i32));
        map(numbers(), |row| _mm256_and_si256(bits, _mm256_cmpgt_epi32(height, row)))
    }

    /// How many cells are in each byte of both halves together.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn cells_by_byte(Word(upper, lower): Word) -> __m256i {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let nibble = _mm256_set1_epi8(15);
        let of = |word: __m256i| {
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(word, nibble));
            let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(word), nibble));
            _mm256_add_epi8(low, high)
        };
        _mm256_add_epi8(of(upper), of(lower))
    }

    /// Cells of `own` less those of `other`, after so many generations from there.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn balance(mut own: Word, mut other: Word, mask: Word, generations: u32) -> i16 {
        for _ in 0..generations {
            (own, other) = generation(own, other, mask);
        }
        let none = _mm256_setzero_si256();
        let (own, other) = (_mm256_sad_epu8(cells_by_byte(own), none), _mm256_sad_epu8(cells_by_byte(other), none));
        let four = _mm256_sub_epi64(own, other);
        let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
        (_mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)) as i16
    }

    /// Cells of each colour, after so many generations from there.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn living(mut first: Word, mut second: Word, mask: Word, generations: u32) -> [u16; 2] {
        for _ in 0..generations {
            (first, second) = generation(first, second, mask);
        }
        let count = |word: Word| {
            let four = _mm256_sad_epu8(cells_by_byte(word), _mm256_setzero_si256());
            let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
            (_mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)) as u16
        };
        [count(first), count(second)]
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn changes(
        board: &Board,
        cells: &Rows,
        owner: Option<Side>,
        generations: u32,
        counts: &mut Vec<[u16; 2]>,
    ) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| {
                let (bit, row) = (_mm256_set1_epi32(1 << cell.x()), _mm256_set1_epi32(cell.y() as i32));
                map(numbers(), |number| _mm256_and_si256(bit, _mm256_cmpeq_epi32(number, row)))
            },
            with: |a, b| or(a, b),
            without: |a, b| without(a, b),
        };
        let both = (load(&board.colours[0]), load(&board.colours[1]));
        every_single(cells, owner, both, &words, |a, b| counts.push(living(a, b, mask, generations)));
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn values(board: &Board, side: Side, generations: u32, values: &mut Vec<i16>) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| {
                let (bit, row) = (_mm256_set1_epi32(1 << cell.x()), _mm256_set1_epi32(cell.y() as i32));
                map(numbers(), |number| _mm256_and_si256(bit, _mm256_cmpeq_epi32(number, row)))
            },
            with: |a, b| or(a, b),
            without: |a, b| without(a, b),
        };
        let both = (load(board.rows(side)), load(board.rows(side.other())));
        every_move(board, side, both, &words, |own, other| values.push(balance(own, other, mask, generations)));
    }

    /// The cells themselves and those beside them, off the board too.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn with_neighbours(cells: Word) -> Word {
        let (left, right) = beside(cells);
        let wide = or(or(left, right), cells);
        let (above, below) = around(wide);
        or(or(above, below), wide)
    }

    /// See [`Form::spread`].
    #[inline]
    #[target_feature(enable = "avx2")]
    fn spread(own: Word, other: Word, mask: Word) -> (Word, Word) {
        let (near, far) = (with_neighbours(own), with_neighbours(other));
        (or(own, and(without(near, far), mask)), or(other, and(without(far, near), mask)))
    }

    /// The cells of a colour.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn count(word: Word) -> i32 {
        let four = _mm256_sad_epu8(cells_by_byte(word), _mm256_setzero_si256());
        let two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256::<1>(four));
        (_mm_cvtsi128_si64(two) + _mm_extract_epi64::<1>(two)) as i32
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn try_all(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
        let mask = rows_of(board);
        let words = Words {
            one: |cell: Cell| {
                let (bit, row) = (_mm256_set1_epi32(1 << cell.x()), _mm256_set1_epi32(cell.y() as i32));
                map(numbers(), |number| _mm256_and_si256(bit, _mm256_cmpeq_epi32(number, row)))
            },
            with: |a, b| or(a, b),
            without: |a, b| without(a, b),
        };
        let both = (load(board.rows(side)), load(board.rows(side.other())));
        let (land, size) = weights.land(board);
        let land = load(&land);
        let form = Form {
            step: |(own, other)| generation(own, other, mask),
            spread: |(own, other)| spread(own, other, mask),
            land: |(own, other)| (and(own, land), and(other, land)),
            count: |boards: &[(Word, Word); ABREAST]| {
                [boards.map(|both| count(both.0)), boards.map(|both| count(both.1))]
            },
        };
        every_change(both, changes, &words, values, |boards| values_of(boards, size, weights, &form));
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn step_times(board: &mut Board, generations: u32) {
        let mask = rows_of(board);
        let (mut first, mut second) = (load(&board.colours[0]), load(&board.colours[1]));
        for _ in 0..generations {
            (first, second) = generation(first, second, mask);
        }
        store(&mut board.colours[0], first);
        store(&mut board.colours[1], second);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn step_all(boards: &mut [Board]) {
        for board in boards {
            step_times(board, 1);
        }
    }
}
