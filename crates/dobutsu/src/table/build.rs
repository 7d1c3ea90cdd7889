//! Retrograde analysis: exact distances of all stored positions, computed backward from the won ones.
//!
//! Each position has one byte. Once its distance in plies is known, the byte holds it (odd: the side to move wins;
//! even: it loses). Until then it holds 255 minus the number of moves that are not known to lose. The initial pass
//! marks the positions won at once by the rules alone. The move counts of the other positions leave out moves into such
//! positions, so those 132 million positions are never taken back. From then on rounds alternate. Every position before
//! one lost in `n` plies wins in `n + 1`. Every position before one won in `n + 1` has one move less, and if none is
//! left, it loses in `n + 2`. Each decided position is taken back once.
//!
//! The threads share only the bytes. Within a round they either all write one value or all count down, so relaxed
//! operations suffice, and the result does not depend on the number of threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use banmen_search::threads::run_with_helpers;

use super::index::{Block, Index, SLOTS};
use super::probe::{Table, Value};
use super::rules::Rules;
use super::unmoves;
use super::verdict::{holding_moves, wins_at_once};
use crate::game::Variant;
use crate::moves;
use crate::position::Position;

/// The upper bound of a distance; larger bytes count moves.
pub(super) const LONGEST: u8 = 200;

/// A drawn position. During the analysis, a position without a move that avoids a loss.
pub(super) const DRAW: u8 = 255;

/// The numbers processed together. A round visits only the chunks that have work to do.
const CHUNK: u32 = 512;

/// The progress of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The distance in plies of the current round; 0 during the initial pass.
    pub plies: u32,
    /// During the initial pass, the positions processed, of [`SLOTS`]. Afterwards the positions decided so far, without
    /// those won at once.
    pub positions: u64,
}

/// Why there is no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The rules `legal` have no table of their own: their wins and losses are those of `catch`.
    #[error("there is no table for the rules `{}`", .0.name())]
    Variant(Variant),
    /// The caller stopped the build.
    #[error("the construction of the table was stopped")]
    Stopped,
    /// A distance does not fit into the byte.
    #[error("a distance is longer than {LONGEST} plies")]
    TooLong,
}

/// Solves the game under the rules `catch` or `any-try`, or under the article's rules without their history. `threads`
/// is the number of worker threads; it is 1 without the feature `threads`. Calls `report` with the progress; `report`
/// may stop the build. Takes 238 MiB for the bytes and a few MiB for the rest.
///
/// # Errors
/// Fails if the rules have no table, or if `report` stopped the build.
pub fn build<R: Rules>(
    rules: R,
    threads: usize,
    report: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
) -> Result<Table<R>, BuildError> {
    rules.code()?;
    let chunks = SLOTS.div_ceil(CHUNK) as usize;
    let analysis = Analysis {
        rules,
        index: Index::new(),
        bytes: (0..SLOTS).map(|_| AtomicU8::new(0)).collect(),
        won: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
        lost: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
        decided: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
    };
    analysis.each_chunk(threads, |chunk| {
        analysis.initial_pass(chunk);
        if chunk % 4096 == 0 {
            analysis.report_progress(report, 0, u64::from(chunk) * u64::from(CHUNK));
        }
    });
    let unless_stopped = || if analysis.stopped.load(Relaxed) { Err(BuildError::Stopped) } else { Ok(()) };
    unless_stopped()?;
    let mut plies = 2;
    while analysis.lost.iter().any(|flag| flag.load(Relaxed)) {
        if plies + 2 > LONGEST {
            return Err(BuildError::TooLong);
        }
        analysis.each_chunk(threads, |chunk| analysis.take_back_losses(chunk, plies));
        analysis.each_chunk(threads, |chunk| analysis.take_back_wins(chunk, plies + 1));
        analysis.report_progress(report, u32::from(plies), analysis.decided.load(Relaxed));
        unless_stopped()?;
        plies += 2;
    }
    let settle = |byte: AtomicU8| match byte.into_inner() {
        undecided if undecided > LONGEST => DRAW,
        known => known,
    };
    // The conversion reuses the memory.
    let bytes = analysis.bytes.into_iter().map(settle).collect();
    Ok(Table::new(rules, analysis.index, bytes))
}

struct Analysis<R> {
    rules: R,
    index: Index,
    bytes: Vec<AtomicU8>,
    /// Stretches that contain newly won positions, and newly lost ones.
    won: Vec<AtomicBool>,
    lost: Vec<AtomicBool>,
    decided: AtomicU64,
    stopped: AtomicBool,
}

impl<R: Rules> Analysis<R> {
    fn report_progress(&self, report: &(dyn Fn(Progress) -> ControlFlow<()> + Sync), plies: u32, positions: u64) {
        if report(Progress { plies, positions }).is_break() {
            self.stopped.store(true, Relaxed);
        }
    }

    /// Runs `work` for all chunks, distributed over the threads.
    fn each_chunk(&self, threads: usize, work: impl Fn(u32) + Sync) {
        share(threads, SLOTS.div_ceil(CHUNK), &|chunk| {
            work(chunk);
            if self.stopped.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    /// Calls `visit` with each number of a chunk for which `wanted` holds, and with its block.
    #[inline]
    fn each_number(&self, chunk: u32, wanted: impl Fn(u8) -> bool, mut visit: impl FnMut(u32, &Block)) {
        let begin = chunk * CHUNK;
        let end = SLOTS.min(begin + CHUNK);
        let mut block: Option<Block> = None;
        for number in begin..end {
            if wanted(self.bytes[number as usize].load(Relaxed)) {
                let block = match &mut block {
                    Some(block) if number < block.end => block,
                    other => other.insert(self.index.block(number)),
                };
                visit(number, block);
            }
        }
    }

    fn initial_pass(&self, chunk: u32) {
        self.each_number(
            chunk,
            |_| true,
            |number, block| {
                let position = self.index.position(block, number);
                let image = self.index.is_symmetric(block)
                    && self.index.slot(&position).is_some_and(|slot| slot.number != number);
                if image {
                    return;
                }
                let byte = if wins_at_once(self.rules, &position) {
                    1
                } else {
                    match holding_moves(self.rules, &position) {
                        0 if R::STUCK == Value::Draw && moves::count(&position, R::HEN) == 0 => DRAW,
                        0 => {
                            self.lost[chunk as usize].store(true, Relaxed);
                            2
                        }
                        // No stored position has more than 39 moves.
                        count => DRAW - count.min(u32::from(DRAW - LONGEST) - 1) as u8,
                    }
                };
                self.bytes[number as usize].store(byte, Relaxed);
            },
        );
    }

    /// Marks every undecided position before one lost in `plies` as won one ply later.
    fn take_back_losses(&self, chunk: u32, plies: u8) {
        self.take_back(&self.lost, chunk, plies, |before, _| {
            let Some(slot) = self.index.slot(before) else { return };
            let byte = &self.bytes[slot.number as usize];
            if byte.load(Relaxed) > LONGEST {
                byte.store(plies + 1, Relaxed);
                mark(&self.won, slot.number);
            }
        });
    }

    /// Subtracts a move from every undecided position before one won in `plies`.
    fn take_back_wins(&self, chunk: u32, plies: u8) {
        self.take_back(&self.won, chunk, plies, |before, after_symmetric| {
            let Some(slot) = self.index.slot(before) else { return };
            let byte = &self.bytes[slot.number as usize];
            if byte.load(Relaxed) <= LONGEST {
                return;
            }
            let moves = match (slot.symmetric, after_symmetric) {
                // Two mirror-image moves lead from here to that position and to its mirror image.
                (true, false) => 2,
                // The position and its mirror image are both visited, but there is only one such move.
                (false, true) if !slot.canonical => return,
                _ => 1,
            };
            let less = |known: u8| match known {
                _ if known <= LONGEST => None,
                _ if DRAW - known <= moves => Some(plies + 1),
                _ => Some(known + moves),
            };
            if let Ok(known) = byte.fetch_update(Relaxed, Relaxed, less)
                && DRAW - known <= moves
            {
                mark(&self.lost, slot.number);
            }
        });
    }

    #[inline]
    fn take_back(&self, flags: &[AtomicBool], chunk: u32, plies: u8, mut visit: impl FnMut(&Position, bool)) {
        let flag = &flags[chunk as usize];
        if !flag.load(Relaxed) {
            return;
        }
        flag.store(false, Relaxed);
        let mut found = 0;
        self.each_number(
            chunk,
            |byte| byte == plies,
            |number, block| {
                found += 1;
                let position = self.index.position(block, number);
                let symmetric =
                    self.index.is_symmetric(block) && self.index.slot(&position).is_some_and(|slot| slot.symmetric);
                unmoves::visit(&position, R::HEN, |before| visit(before, symmetric));
            },
        );
        self.decided.fetch_add(found, Relaxed);
    }
}

fn mark(flags: &[AtomicBool], number: u32) {
    let flag = &flags[(number / CHUNK) as usize];
    // Most flags are set already. A store would take the cache line from the other threads.
    if !flag.load(Relaxed) {
        flag.store(true, Relaxed);
    }
}

/// Runs `work` for every number below `end`, distributed over `threads` threads, until one of them stops.
pub(super) fn share(threads: usize, end: u32, work: &(dyn Fn(u32) -> ControlFlow<()> + Sync)) {
    const SHARE: u32 = 64;
    let next = AtomicU32::new(0);
    let part = || {
        loop {
            let begin = next.fetch_add(SHARE, Relaxed);
            if begin >= end || (begin..end.min(begin + SHARE)).try_for_each(work).is_break() {
                break;
            }
        }
    };
    run_with_helpers((1..threads).map(|_| part), part);
}
