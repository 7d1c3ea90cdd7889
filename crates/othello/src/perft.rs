//! Counting move sequences: the yardstick of the move generator.
//!
//! The counts run breadth first in batches. Each ply has a [`Level`]: a queue of positions with a move not yet played.
//! When a queue is full it is worked off with one straight loop (play, find the legal moves) that the compiler turns
//! into vector code, four or eight positions at a time, and the moves found go into the next queue. The last ply is
//! counted, not played. Nothing is remembered between positions: no table, no symmetry.

use std::ops::ControlFlow;

pub use banmen_game::PassCost;

use crate::board::Board;
use crate::moves::portable;
use crate::position::Position;

/// The number of sequences of exactly `depth` moves from `position`; a game that ended earlier is one sequence.
///
/// `None` when `stop` asked to break off. It is asked about every 100,000 leaves, and not at all for less than two plies.
#[must_use]
pub fn perft(position: &Position, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = crate::simd::Avx512::detect() {
        return count(kernel, position, depth, passes, stop);
    }
    perft_portable(position, depth, passes, stop)
}

/// The same on the kernel that every processor runs, the twin of the one that [`perft`] may choose.
#[must_use]
pub fn perft_portable(position: &Position, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64> {
    count(Portable, position, depth, passes, stop)
}

/// The same on any [`Board`], depth first, to compare boards.
#[must_use]
pub fn perft_on<B: Board>(board: &B, depth: u32, passes: PassCost) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut board = *board;
    let mut left = depth - 1;
    let mut legal = board.legal();
    if legal == 0 {
        board = board.reversed();
        legal = board.legal();
        if legal == 0 {
            return 1;
        }
        match passes {
            PassCost::Free => {}
            PassCost::Ply if left == 0 => return 1,
            PassCost::Ply => left -= 1,
        }
    }
    if left == 0 {
        return u64::from(legal.count_ones());
    }
    let mut total = 0;
    while legal != 0 {
        total += perft_on(&board.after(legal.trailing_zeros()), left, passes);
        legal &= legal - 1;
    }
    total
}

/// How many entries a level holds: large enough that batches are full, small enough that two levels stay in the
/// second cache.
pub(crate) const CAPACITY: usize = 1024;

/// A queue of positions, each with a move not yet played: the bit of the square, or 0 for a pass.
///
/// Aligned to cache lines, so that no vector lies across two of them.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Level {
    /// The discs of the side whose move it is.
    pub(crate) own: [u64; CAPACITY],
    /// The discs of the other side.
    pub(crate) opp: [u64; CAPACITY],
    /// The move.
    pub(crate) at: [u64; CAPACITY],
    /// Filled when the moves have been played: the legal squares of the side that moves next.
    legal: [u64; CAPACITY],
    /// How many entries are valid.
    pub(crate) len: usize,
}

/// Batches are filled up to a multiple of this with empty boards, so that all work is done in full vectors.
const LANES: usize = 8;

/// What a count carries along.
pub(crate) struct Work<'s> {
    total: u64,
    passes: PassCost,
    stop: &'s dyn Fn() -> bool,
}

/// How the batches are worked off on one kind of processor. A value is the right to run there.
pub(crate) trait Kernel: Copy {
    /// [`advance`], compiled for this processor.
    fn advance(self, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()>;

    /// What [`portable::flips_at`] gives, by the steps that are fastest here.
    fn flips_at(self, own: u64, opp: u64, at: u64) -> u64;

    /// Appends to `level` the position `own`, `opp` once with each move of `legal`. There is room for 64 entries.
    fn scatter(self, level: &mut Level, own: u64, opp: u64, legal: u64);
}

/// The kernel of the build's own baseline.
#[derive(Clone, Copy)]
struct Portable;

impl Kernel for Portable {
    fn advance(self, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()> {
        advance(self, levels, work)
    }

    #[inline(always)]
    fn flips_at(self, own: u64, opp: u64, at: u64) -> u64 {
        portable::flips_at(own, opp, at)
    }

    #[inline(always)]
    fn scatter(self, level: &mut Level, own: u64, opp: u64, mut legal: u64) {
        while legal != 0 {
            level.own[level.len] = own;
            level.opp[level.len] = opp;
            level.at[level.len] = legal & legal.wrapping_neg();
            level.len += 1;
            legal &= legal - 1;
        }
    }
}

fn count<K: Kernel>(
    kernel: K,
    position: &Position,
    depth: u32,
    passes: PassCost,
    stop: &dyn Fn() -> bool,
) -> Option<u64> {
    if depth == 0 {
        return Some(1);
    }
    // At most 60 discs are placed, and no pass follows another: deeper than 120 plies every game has ended.
    let depth = depth.min(120) as usize;
    let empty = Level { len: 0, own: [0; CAPACITY], opp: [0; CAPACITY], at: [0; CAPACITY], legal: [0; CAPACITY] };
    let mut levels = vec![empty; depth];
    // The position is what a pass of the other side leads to.
    levels[0].len = 1;
    levels[0].own[0] = position.opp();
    levels[0].opp[0] = position.own();
    let mut work = Work { total: 0, passes, stop };
    match kernel.advance(&mut levels, &mut work) {
        ControlFlow::Continue(()) => Some(work.total),
        ControlFlow::Break(()) => None,
    }
}

/// Works off the first level and all that follows from it; `levels.len()` plies are left after its moves.
#[inline(always)]
pub(crate) fn advance<K: Kernel>(kernel: K, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()> {
    let Some((level, rest)) = levels.split_first_mut() else { return ControlFlow::Continue(()) };
    let len = std::mem::take(&mut level.len).min(CAPACITY);
    let filled = len.next_multiple_of(LANES).min(CAPACITY);
    for i in len..filled {
        (level.own[i], level.opp[i], level.at[i]) = (0, 0, 0);
    }
    let plies_left = rest.len() + 1;
    let Some(mut next) = rest.first_mut() else {
        work.total += match work.passes {
            // An empty board has no move: it counts one.
            PassCost::Ply => count_leaves(kernel, level, filled) - (filled - len) as u64,
            PassCost::Free => {
                play(kernel, level, filled);
                count_leaves_of_free_passes(level, len)
            }
        };
        return ControlFlow::Continue(());
    };
    if plies_left == 2 && (work.stop)() {
        return ControlFlow::Break(());
    }
    play(kernel, level, filled);
    for i in 0..len {
        let (own, opp, legal) = (level.own[i], level.opp[i], level.legal[i]);
        if legal != 0 {
            kernel.scatter(next, own, opp, legal);
        } else {
            let other = portable::legal(opp, own);
            match work.passes {
                _ if other == 0 => work.total += 1,
                PassCost::Free => kernel.scatter(next, opp, own, other),
                PassCost::Ply => {
                    next.own[next.len] = own;
                    next.opp[next.len] = opp;
                    next.at[next.len] = 0;
                    next.len += 1;
                }
            }
        }
        if next.len + 64 > CAPACITY {
            kernel.advance(rest, work)?;
            next = &mut rest[0];
        }
    }
    if next.len > 0 { kernel.advance(rest, work) } else { ControlFlow::Continue(()) }
}

/// Plays the moves of the first `len` entries: the words become those of the side that moves next.
#[inline(always)]
fn play<K: Kernel>(kernel: K, level: &mut Level, len: usize) {
    for i in 0..len {
        let turned = kernel.flips_at(level.own[i], level.opp[i], level.at[i]);
        let own = level.opp[i] ^ turned;
        let opp = level.own[i] | turned | level.at[i];
        level.own[i] = own;
        level.opp[i] = opp;
        level.legal[i] = portable::legal(own, opp);
    }
}

/// The number of moves after each entry, summed. Without a legal square there is one: the pass, or the game's end.
#[inline(always)]
fn count_leaves<K: Kernel>(kernel: K, level: &Level, len: usize) -> u64 {
    let mut total = 0;
    for i in 0..len {
        let turned = kernel.flips_at(level.own[i], level.opp[i], level.at[i]);
        let legal = portable::legal(level.opp[i] ^ turned, level.own[i] | turned | level.at[i]);
        total += u64::from(legal.count_ones()).max(1);
    }
    total
}

/// The number of placed discs that may follow each entry once it has been played, a pass in between costing nothing.
#[inline(always)]
fn count_leaves_of_free_passes(level: &Level, len: usize) -> u64 {
    let mut total = 0;
    for i in 0..len {
        let legal = match level.legal[i] {
            0 => portable::legal(level.opp[i], level.own[i]),
            legal => legal,
        };
        total += u64::from(legal.count_ones()).max(1);
    }
    total
}
