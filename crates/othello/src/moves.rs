//! Legal moves and flipped discs on two bitboards.
//!
//! Bit `i` is square `i`, a1 = 0, b1 = 1, ..., h1 = 7, a2 = 8, ..., h8 = 63. `own` holds the discs of the side to
//! move, `opp` those of the opponent; no bit may be set in both.
//!
//! The functions of this module call those of `crate::simd` in builds with AVX2 (the baseline of this repository's
//! builds), and those of [`portable`] in others.

/// The squares where the owner of `own` may play; zero when there is none.
#[must_use]
#[inline]
pub fn legal(own: u64, opp: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    return crate::simd::legal(own, opp);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    portable::legal(own, opp)
}

/// The discs of `opp` that flip when the owner of `own` plays on `square` (0..64, higher bits are ignored); zero when
/// the move is illegal.
#[must_use]
#[inline]
pub fn flips(own: u64, opp: u64, square: u32) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    return crate::simd::flips(own, opp, square);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    portable::flips(own, opp, square)
}

/// The two bitboards after the owner of `own` has played on `square`, from the view of the opponent, who moves next:
/// the opponent's discs, then those of the side that played. An illegal move changes nothing.
#[must_use]
#[inline]
pub fn after(own: u64, opp: u64, square: u32) -> (u64, u64) {
    let turned = flips(own, opp, square);
    let placed = if turned == 0 { 0 } else { 1u64.wrapping_shl(square) };
    (opp ^ turned, own | turned | placed)
}

/// The name of a square below 64: `a1` to `h8`.
#[must_use]
pub fn name(square: u32) -> String {
    let column = char::from(b'a' + (square & 7) as u8);
    let row = char::from(b'1' + (square >> 3 & 7) as u8);
    [column, row].iter().collect()
}

/// The same with 64-bit shifts only: the portable version of the vector code, and the form that the compiler
/// auto-vectorises in loops over many positions ([`crate::perft`]).
///
/// Runs of discs are filled by parallel prefix: after a step of one square the fill jumps by two squares twice, which
/// covers the longest run of six.
pub mod portable {
    /// The six inner columns: a run along a row or diagonal may only pass through these.
    const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;

    /// For one pair of opposite directions, the discs of `runs` in an unbroken run that starts next to `from`: in the
    /// direction of higher squares, and of lower squares.
    #[inline(always)]
    fn fill<const SHIFT: u32>(from: u64, runs: u64) -> (u64, u64) {
        let pairs_up = runs & runs << SHIFT;
        let pairs_down = pairs_up >> SHIFT;
        let mut up = from << SHIFT & runs;
        let mut down = from >> SHIFT & runs;
        up |= up << SHIFT & runs;
        down |= down >> SHIFT & runs;
        up |= up << (2 * SHIFT) & pairs_up;
        down |= down >> (2 * SHIFT) & pairs_down;
        up |= up << (2 * SHIFT) & pairs_up;
        down |= down >> (2 * SHIFT) & pairs_down;
        (up, down)
    }

    /// See [`super::legal`].
    #[must_use]
    #[inline(always)]
    pub fn legal(own: u64, opp: u64) -> u64 {
        #[inline(always)]
        fn ends<const SHIFT: u32>(own: u64, runs: u64) -> u64 {
            let (up, down) = fill::<SHIFT>(own, runs);
            up << SHIFT | down >> SHIFT
        }
        let inner = opp & INNER_COLUMNS;
        // In the direction of higher squares of a row the carry of an addition passes through the whole run at once.
        let row_up = inner.wrapping_add(own << 1 & inner) & !inner;
        let (_, row_down) = fill::<1>(own, inner);
        let row = row_up | row_down >> 1;
        let ends = row | ends::<8>(own, opp) | ends::<7>(own, inner) | ends::<9>(own, inner);
        ends & !(own | opp)
    }

    /// See [`super::flips`].
    #[must_use]
    #[inline]
    pub fn flips(own: u64, opp: u64, square: u32) -> u64 {
        flips_at(own, opp, 1u64.wrapping_shl(square) & !(own | opp))
    }

    /// The discs that a disc on the single square of `at` flips. The square must be empty; `at = 0` flips nothing.
    #[must_use]
    #[inline(always)]
    pub fn flips_at(own: u64, opp: u64, at: u64) -> u64 {
        #[inline(always)]
        fn line<const SHIFT: u32>(own: u64, runs: u64, at: u64) -> u64 {
            let (up, down) = fill::<SHIFT>(at, runs);
            let up = if up << SHIFT & own != 0 { up } else { 0 };
            let down = if down >> SHIFT & own != 0 { down } else { 0 };
            up | down
        }
        let inner = opp & INNER_COLUMNS;
        // In the direction of higher squares of a row the carry of an addition passes through the whole run at once.
        let next = at << 1 & inner;
        let end = inner.wrapping_add(next) & !inner & own;
        let row_up = if end != 0 { end.wrapping_sub(next) } else { 0 };
        let (_, row_down) = fill::<1>(at, inner);
        let row_down = if row_down >> 1 & own != 0 { row_down } else { 0 };
        row_up | row_down | line::<8>(own, opp, at) | line::<7>(own, inner, at) | line::<9>(own, inner, at)
    }
}
