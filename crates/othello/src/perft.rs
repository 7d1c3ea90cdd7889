//! Perft: counts move sequences, to test and benchmark move generation.
//!
//! The search is breadth first in batches. Each ply has a `Level`: a queue of positions with a move not yet played.
//! When a queue is full, one loop plays its moves and finds the legal moves of the new positions, which go into the
//! next queue. The compiler vectorises this loop, four or eight positions at a time. The last ply is counted, not
//! played (bulk counting). No hash table and no symmetries are used.

use std::ops::ControlFlow;

pub use banmen_game::PassCost;

use crate::board::Board;
use crate::moves::portable;
use crate::position::Position;

/// The number of sequences of exactly `depth` moves from `position`; a game that ended earlier is one sequence.
///
/// `None` when `stop` returned true. It is called after every thousand positions or so that are played on, and not at all
/// where there are fewer.
#[must_use]
pub fn perft(position: &Position, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    if let Some(kernel) = crate::simd::Avx512::detect() {
        return count(kernel, position, depth, passes, stop);
    }
    perft_portable(position, depth, passes, stop)
}

/// The same with the portable kernel, to test the one that [`perft`] may choose.
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

/// Entries of a level: large enough that batches are full, small enough that two levels stay in the L2 cache.
pub(crate) const CAPACITY: usize = 1024;

/// A queue of positions, each with a move not yet played: the bit of the square, or 0 for a pass.
///
/// Aligned to cache lines, so that no vector crosses a line boundary.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Level {
    /// The discs of the side whose move it is.
    pub(crate) own: [u64; CAPACITY],
    /// The discs of the opponent.
    pub(crate) opp: [u64; CAPACITY],
    /// The move.
    pub(crate) at: [u64; CAPACITY],
    /// The legal squares of the side that moves next, once the moves have been played.
    legal: [u64; CAPACITY],
    /// Number of valid entries.
    pub(crate) len: usize,
}

/// Batches are padded to a multiple of this with empty boards, so that all vectors are full.
const LANES: usize = 8;

/// The state of one perft run.
pub(crate) struct Work<'s> {
    total: u64,
    passes: PassCost,
    /// Positions that were played on since `stop` was called.
    since_stop: usize,
    stop: &'s dyn Fn() -> bool,
}

/// The batch operations compiled for one instruction set. A value proves that the processor supports it.
pub(crate) trait Kernel: Copy {
    /// [`advance`], compiled for this processor.
    fn advance(self, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()>;

    /// The result of [`portable::flips_at`], computed in the way that is fastest for this instruction set.
    fn flips_at(self, own: u64, opp: u64, at: u64) -> u64;

    /// Appends to `level` the position `own`, `opp` once with each move of `legal`. The level must have at least 64
    /// free entries.
    fn scatter(self, level: &mut Level, own: u64, opp: u64, legal: u64);
}

/// The kernel for the baseline of the build.
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
    // At most 60 discs are placed, and no pass follows another: no game has more than 120 plies.
    let depth = depth.min(120) as usize;
    let empty = Level { len: 0, own: [0; CAPACITY], opp: [0; CAPACITY], at: [0; CAPACITY], legal: [0; CAPACITY] };
    let mut levels = vec![empty; depth];
    // The root is entered as the position after a pass of the opponent.
    levels[0].len = 1;
    levels[0].own[0] = position.opp();
    levels[0].opp[0] = position.own();
    let mut work = Work { total: 0, passes, since_stop: 0, stop };
    match kernel.advance(&mut levels, &mut work) {
        ControlFlow::Continue(()) => Some(work.total),
        ControlFlow::Break(()) => None,
    }
}

/// Processes the first level and its subtree; `levels.len()` is the number of plies left.
#[inline(always)]
pub(crate) fn advance<K: Kernel>(kernel: K, levels: &mut [Level], work: &mut Work<'_>) -> ControlFlow<()> {
    let Some((level, rest)) = levels.split_first_mut() else { return ControlFlow::Continue(()) };
    let len = std::mem::take(&mut level.len).min(CAPACITY);
    let filled = len.next_multiple_of(LANES).min(CAPACITY);
    for i in len..filled {
        (level.own[i], level.opp[i], level.at[i]) = (0, 0, 0);
    }
    let Some(mut next) = rest.first_mut() else {
        work.total += match work.passes {
            // An empty board of the padding has no move and is counted as one leaf.
            PassCost::Ply => count_leaves(kernel, level, filled) - (filled - len) as u64,
            PassCost::Free => {
                play(kernel, level, filled);
                count_leaves_of_free_passes(level, len)
            }
        };
        return ControlFlow::Continue(());
    };
    // By positions and not by plies: games may end long before the last ply.
    work.since_stop += len;
    if work.since_stop >= CAPACITY {
        work.since_stop = 0;
        if (work.stop)() {
            return ControlFlow::Break(());
        }
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

/// Plays the moves of the first `len` entries; the bitboards are then from the view of the side that moves next.
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

/// The sum of the numbers of moves after each entry. Without a legal square it is one: the pass, or the end of the
/// game.
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

/// The sum of the numbers of disc placements after each played entry, where a pass in between costs no ply.
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
