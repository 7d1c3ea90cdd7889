//! The nodes of the exact search compiled for an instruction set that is found at run time.

pub(super) mod flips;

use self::flips::flips;
use super::last;
use super::search::Search;
use crate::moves;
#[cfg(target_arch = "x86_64")]
use crate::simd::Avx512;

/// The operations on the board and the nodes of the exact search, compiled for one instruction set. A value proves that
/// the processor supports it.
///
/// The nodes call each other through these methods: each is a function of that instruction set, in which the operations
/// are inlined.
pub(super) trait Kernel: Copy + Send {
    /// The flipped discs, as [`moves::flips`]; the square must be empty.
    fn flips(self, own: u64, opp: u64, square: u32) -> u64;

    /// See [`moves::legal`].
    fn legal(self, own: u64, opp: u64) -> u64;

    /// The flipped discs of a move, and the opponent's moves after it.
    #[inline(always)]
    fn flips_and_replies(self, own: u64, opp: u64, square: u32) -> (u64, u64) {
        let flipped = self.flips(own, opp, square);
        (flipped, self.legal(opp ^ flipped, own ^ flipped | 1 << (square & 63)))
    }

    /// See [`last::three`].
    fn three(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32;

    /// See [`last::four`].
    fn four(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32;

    /// See [`Search::node_of`].
    fn node<const KIND: u8>(
        search: &mut Search<'_, '_, Self>,
        own: u64,
        opp: u64,
        squares: u64,
        alpha: i32,
        count: u32,
        parity: u32,
    ) -> i32;
}

/// The kernel for the baseline of the build.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

impl Kernel for Baseline {
    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u32) -> u64 {
        flips(own, opp, square)
    }

    #[inline(always)]
    fn legal(self, own: u64, opp: u64) -> u64 {
        moves::legal(own, opp)
    }

    fn three(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32 {
        last::three(self, own, opp, alpha, parity, passed, nodes)
    }

    fn four(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32 {
        last::four(self, own, opp, alpha, parity, passed, nodes)
    }

    fn node<const KIND: u8>(
        search: &mut Search<'_, '_, Self>,
        own: u64,
        opp: u64,
        squares: u64,
        alpha: i32,
        count: u32,
        parity: u32,
    ) -> i32 {
        search.node_of::<KIND>(own, opp, squares, alpha, count, parity)
    }
}

#[cfg(target_arch = "x86_64")]
impl Kernel for Avx512 {
    #[inline(always)]
    fn flips(self, own: u64, opp: u64, square: u32) -> u64 {
        // SAFETY: a value of this type exists only where `detect` has found the features. So in all methods.
        unsafe { self::flips::avx512::flips(own, opp, square) }
    }

    #[inline(always)]
    fn legal(self, own: u64, opp: u64) -> u64 {
        // SAFETY: as above.
        unsafe { self::flips::avx512::legal(own, opp) }
    }

    #[inline(always)]
    fn flips_and_replies(self, own: u64, opp: u64, square: u32) -> (u64, u64) {
        // SAFETY: as above.
        unsafe { self::flips::avx512::flips_and_replies(own, opp, square) }
    }

    #[inline]
    fn three(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32 {
        // SAFETY: as above.
        unsafe { avx512::three(self, own, opp, alpha, parity, passed, nodes) }
    }

    #[inline]
    fn four(self, own: u64, opp: u64, alpha: i32, parity: u32, passed: bool, nodes: &mut u64) -> i32 {
        // SAFETY: as above.
        unsafe { avx512::four(self, own, opp, alpha, parity, passed, nodes) }
    }

    #[inline]
    fn node<const KIND: u8>(
        search: &mut Search<'_, '_, Self>,
        own: u64,
        opp: u64,
        squares: u64,
        alpha: i32,
        count: u32,
        parity: u32,
    ) -> i32 {
        // SAFETY: as above.
        unsafe { avx512::node::<KIND>(search, own, opp, squares, alpha, count, parity) }
    }
}

/// The functions with these instructions, in which the generic ones are inlined.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::*;

    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(super) fn three(
        kernel: Avx512,
        own: u64,
        opp: u64,
        alpha: i32,
        parity: u32,
        passed: bool,
        nodes: &mut u64,
    ) -> i32 {
        last::three(kernel, own, opp, alpha, parity, passed, nodes)
    }

    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(super) fn four(
        kernel: Avx512,
        own: u64,
        opp: u64,
        alpha: i32,
        parity: u32,
        passed: bool,
        nodes: &mut u64,
    ) -> i32 {
        last::four(kernel, own, opp, alpha, parity, passed, nodes)
    }

    #[target_feature(enable = "avx512f,avx512cd,avx512vl")]
    pub(super) fn node<const KIND: u8>(
        search: &mut Search<'_, '_, Avx512>,
        own: u64,
        opp: u64,
        squares: u64,
        alpha: i32,
        count: u32,
        parity: u32,
    ) -> i32 {
        search.node_of::<KIND>(own, opp, squares, alpha, count, parity)
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves::portable;

    fn follows_the_rules(kernel: impl Kernel) {
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            let discs = rng.bits() | rng.bits() | rng.bits() & rng.bits();
            let own = discs & rng.bits();
            let opp = discs ^ own;
            assert_eq!(kernel.legal(own, opp), portable::legal(own, opp), "{own:#x} {opp:#x}");
            for square in (0..64).filter(|square| discs & 1 << square == 0) {
                let flipped = portable::flips(own, opp, square);
                assert_eq!(kernel.flips(own, opp, square), flipped, "{own:#x} {opp:#x} {square}");
                let replies = portable::legal(opp ^ flipped, own ^ flipped | 1 << square);
                assert_eq!(
                    kernel.flips_and_replies(own, opp, square),
                    (flipped, replies),
                    "{own:#x} {opp:#x} {square}"
                );
            }
        }
    }

    #[test]
    fn every_kernel_of_this_processor_follows_the_rules() {
        follows_the_rules(Baseline);
        #[cfg(target_arch = "x86_64")]
        if let Some(kernel) = Avx512::detect() {
            follows_the_rules(kernel);
        }
    }
}
