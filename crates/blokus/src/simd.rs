//! Sets of cells moved by all steps of a bounding box, with AVX2. A test compares the function with its portable version.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use crate::cells::Cells;

/// See [`crate::moves::shifted`].
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(crate) fn shifted(cells: Cells) -> [Cells; 16] {
    // SAFETY: the function is compiled only where the whole build requires AVX2.
    unsafe { avx2::shifted(cells) }
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::*;

    use crate::cells::{COLUMNS, Cells};
    use crate::piece::step;

    /// The portable version is compiled to shifts of single words. Vectors that are loaded right after their words were stored
    /// have to wait for them; here each set is stored as a vector.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn shifted(cells: Cells) -> [Cells; 16] {
        let [a, b, c, d] = cells.words().map(u64::cast_signed);
        let mut rows = _mm256_set_epi64x(d, c, b, a);
        let mut shifted = [Cells::EMPTY; 16];
        for dy in 0..5 {
            for dx in 0..5 - dy {
                let moved = _mm256_srl_epi64(rows, _mm_cvtsi64_si128(dx as i64));
                let moved = _mm256_and_si256(moved, _mm256_set1_epi64x(COLUMNS[dx].cast_signed()));
                // SAFETY: a set is four words, aligned to 32 bytes.
                unsafe { _mm256_store_si256((&raw mut shifted[step(dx, dy)]).cast(), moved) }
            }
            // The words below each word, and none below the last.
            let below = _mm256_permute4x64_epi64::<0b11_11_10_01>(rows);
            let below = _mm256_blend_epi32::<0b1100_0000>(below, _mm256_setzero_si256());
            rows = _mm256_or_si256(_mm256_srli_epi64::<16>(rows), _mm256_slli_epi64::<48>(below));
        }
        shifted
    }
}

#[cfg(all(test, target_arch = "x86_64", target_feature = "avx2"))]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::cells::Cell;
    use crate::moves::portable;

    #[test]
    fn sets_move_like_the_portable_ones() {
        let mut rng = Rng::new(5);
        let random: Vec<Cells> =
            (1..=200).map(|number| Cell::all().filter(|_| rng.index(200) < number).collect()).collect();
        for cells in Cell::all().map(Cells::only).chain(random).chain([Cells::EMPTY, Cells::BOARD]) {
            assert_eq!(shifted(cells), portable::shifted(cells), "{cells:?}");
        }
    }
}
