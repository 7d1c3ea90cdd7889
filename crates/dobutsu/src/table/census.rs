//! Counts all reachable positions, with Tanaka's (2009) test for the end of a game.
//!
//! Positions are counted once, from the point of view of the side to move and up to the mirror. If the side to move can
//! catch the lion, the position is over and that side has won. Otherwise, if the other lion stands on its far rank, the
//! position is over and the other side has won. So a completed try counts as a position, and positions after a catch do
//! not.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use banmen_game::Game;

use super::build::{LONGEST, share};
use super::index::{Block, Index};
use super::probe::{Source, Table, Value};
use crate::board::{Hen, Piece};
use crate::game::Dobutsu;
use crate::moves;
use crate::position::Position;

/// Words of 64 positions processed together.
const CHUNK: u32 = 64;

/// The counts. Plies are the table's: a safe try is the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Census {
    /// Positions that are not over.
    pub unfinished: u64,
    /// Positions in which the side to move can catch the lion.
    pub catches: u64,
    /// Positions in which the other side has tried, and its lion cannot be caught.
    pub tries: u64,
    /// Unfinished positions won for the side to move.
    pub won: u64,
    /// Unfinished positions that are drawn.
    pub drawn: u64,
    /// Unfinished positions lost for the side to move.
    pub lost: u64,
    /// Unfinished positions by plies to the end; odd ones are won, even ones lost.
    pub plies: Vec<u64>,
    /// Unfinished positions by their number of moves.
    pub moves: Vec<u64>,
}

impl Census {
    /// All positions.
    #[must_use]
    pub fn reachable(&self) -> u64 {
        self.unfinished + self.catches + self.tries
    }

    /// The moves of all unfinished positions together.
    #[must_use]
    pub fn all_moves(&self) -> u64 {
        (0..).zip(&self.moves).map(|(moves, positions)| moves * positions).sum()
    }
}

/// Counts the positions reachable from the start under the rules `catch`, each once. `table` must be the table of these
/// rules; for another variant's table the function returns `None`. The census takes 155 MiB in addition to the table.
/// `threads` as for [`super::build()`]. After every pass the census calls `report` with the number of positions counted
/// so far. If `report` stops the census, the function returns `None`.
#[must_use]
pub fn census(table: &Table, threads: usize, report: &dyn Fn(u64) -> ControlFlow<()>) -> Option<Census> {
    if table.rules() != crate::game::Variant::Catch {
        return None;
    }
    let index = Index::wide();
    let words = index.slots().div_ceil(64);
    let chunks = words.div_ceil(CHUNK);
    let zeros = || (0..words).map(|_| AtomicU64::new(0)).collect();
    let state = Traversal {
        table,
        index,
        met: zeros(),
        done: zeros(),
        flags: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
        totals: (0..TOTALS).map(|_| AtomicU64::new(0)).collect(),
    };
    state.mark_reached(&Position::START);
    while state.flags.iter().any(|flag| flag.load(Ordering::Acquire)) {
        share(threads, chunks, &|chunk| {
            state.expand_chunk(chunk);
            ControlFlow::Continue(())
        });
        let met = [UNFINISHED, CATCHES, TRIES].iter().map(|&total| state.totals[total].load(Ordering::Relaxed)).sum();
        if report(met).is_break() {
            return None;
        }
    }
    let totals: Vec<u64> = state.totals.into_iter().map(AtomicU64::into_inner).collect();
    Some(Census {
        unfinished: totals[UNFINISHED],
        catches: totals[CATCHES],
        tries: totals[TRIES],
        won: totals[WON],
        drawn: totals[DRAWN],
        lost: totals[LOST],
        plies: totals[PLIES..MOVES].to_vec(),
        moves: totals[MOVES..].to_vec(),
    })
}

/// Indices into the list of totals.
const UNFINISHED: usize = 0;
const CATCHES: usize = 1;
const TRIES: usize = 2;
const WON: usize = 3;
const DRAWN: usize = 4;
const LOST: usize = 5;
const PLIES: usize = 6;
const MOVES: usize = PLIES + LONGEST as usize + 1;
/// No side ever has more than 8 pieces with 8 moves each, or 3 kinds to drop on 10 squares.
const TOTALS: usize = MOVES + 128;

struct Traversal<'t> {
    table: &'t Table,
    index: Index,
    /// A bit for each position that was reached, and one for each that was expanded.
    met: Vec<AtomicU64>,
    done: Vec<AtomicU64>,
    /// Stretches that contain a reached position that was not expanded.
    flags: Vec<AtomicBool>,
    totals: Vec<AtomicU64>,
}

impl Traversal<'_> {
    fn mark_reached(&self, position: &Position) {
        let Some(slot) = self.index.slot(position) else { return };
        let (word, bit) = (slot.number / 64, 1 << (slot.number % 64));
        let met = &self.met[word as usize];
        if met.load(Ordering::Relaxed) & bit == 0 {
            met.fetch_or(bit, Ordering::Relaxed);
            // Set after the bit, so that a thread that sees the flag also sees the bit.
            self.flags[(word / CHUNK) as usize].store(true, Ordering::Release);
        }
    }

    fn expand_chunk(&self, chunk: u32) {
        if !self.flags[chunk as usize].swap(false, Ordering::AcqRel) {
            return;
        }
        let mut totals = [0; TOTALS];
        let mut block: Option<Block> = None;
        for word in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.met.len() as u32) {
            let done = &self.done[word as usize];
            let known = done.load(Ordering::Relaxed);
            let mut fresh = self.met[word as usize].load(Ordering::Relaxed) & !known;
            // No other thread works on this chunk now.
            done.store(known | fresh, Ordering::Relaxed);
            while fresh != 0 {
                let number = 64 * word + fresh.trailing_zeros();
                fresh &= fresh - 1;
                let block = match &mut block {
                    Some(block) if number < block.end => block,
                    other => other.insert(self.index.block(number)),
                };
                self.expand(&self.index.position(block, number), &mut totals);
            }
        }
        for (total, &count) in self.totals.iter().zip(&totals) {
            if count > 0 {
                total.fetch_add(count, Ordering::Relaxed);
            }
        }
    }

    fn expand(&self, position: &Position, totals: &mut [u64; TOTALS]) {
        let (own, other) = (position.side(), position.side().other());
        if position.attacked_by(own) & position.mask(other, Piece::Lion) != 0 {
            totals[CATCHES] += 1;
            return;
        }
        if position.is_on_far_rank(other) {
            totals[TRIES] += 1;
            return;
        }
        totals[UNFINISHED] += 1;
        totals[MOVES + moves::count(position, Hen::Six).min(127) as usize] += 1;
        let Ok(value) = self.table.value(position);
        match value {
            Value::Win(plies) => {
                totals[WON] += 1;
                totals[PLIES + plies.min(u32::from(LONGEST)) as usize] += 1;
            }
            Value::Loss(plies) => {
                totals[LOST] += 1;
                totals[PLIES + plies.min(u32::from(LONGEST)) as usize] += 1;
            }
            Value::Draw => totals[DRAWN] += 1,
        }
        let _ = Dobutsu::CATCH.visit_moves(position, |m| {
            let mut next = *position;
            next.play(m);
            self.mark_reached(&next);
            ControlFlow::<()>::Continue(())
        });
    }
}
