//! Full width: the value of every legal move after one or two generations, and the best moves.
//!
//! The value of a move is the number of the mover's cells minus that of the opponent's, after the move's own
//! generation, or after one more generation of a pass. A start has 162,321 moves; nothing is allocated for a single
//! one.

use banmen_game::Side;

use crate::board::{Board, ROWS};
use crate::lanes::{Kernel, Lanes};
use crate::moves::{self, Move};
use crate::simd::{self, Form};
use crate::trial::{BoardBatch, Change, Counted, Value, changed};

/// The values of all moves of a board, in the order in which the rules list them: the pass, the kills, the births.
#[derive(Clone, Debug, Default)]
pub struct Wide {
    board: Option<(Board, Side)>,
    values: Vec<i16>,
}

/// The largest absolute value, on the largest board.
const MOST: i16 = (ROWS * ROWS) as i16;

impl Wide {
    /// An empty buffer of values; it grows to the largest board that is ranked.
    #[must_use]
    pub fn new() -> Wide {
        Wide::default()
    }

    /// Values every move of `side` after `generations`, one or two.
    ///
    /// # Panics
    /// On another number of generations.
    pub fn rank(&mut self, board: &Board, side: Side, generations: u32) {
        self.rank_by(Form::BEST, board, side, generations);
    }

    /// The same in the fastest form that is not above `most`.
    #[doc(hidden)]
    pub fn rank_by(&mut self, most: Form, board: &Board, side: Side, generations: u32) {
        assert!((1..=2).contains(&generations), "values are taken after one or two generations");
        self.values.clear();
        self.values.reserve(moves::count(board, side));
        self.board = Some((*board, side));
        let value = Counted { generations, convert: |[own, other]: [i32; 2]| (own - other) as i16 };
        simd::run(most, board.height(), AllMoves { board, side, value, values: &mut self.values });
        debug_assert_eq!(self.values.len(), moves::count(board, side));
    }

    /// The number of moves that were valued.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no board was ranked yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, in the order of the rules' list.
    #[must_use]
    pub fn values(&self) -> &[i16] {
        &self.values
    }

    /// The `count` moves of the highest values, the best first; of equals those listed first.
    pub fn best(&self, count: usize) -> impl Iterator<Item = (Move, i16)> + '_ {
        // Counts the moves of each value, and finds from the counts the least value among the best.
        let mut tally = vec![0_usize; 2 * MOST as usize + 1];
        for &value in &self.values {
            tally[(value + MOST) as usize] += 1;
        }
        let (mut least, mut taken) = (tally.len(), 0);
        while least > 0 && taken < count {
            least -= 1;
            taken += tally[least];
        }
        let least = least as i16 - MOST;
        let mut best: Vec<(i16, usize)> =
            self.values.iter().zip(0..).filter(|&(&value, _)| value >= least).map(|(&value, at)| (value, at)).collect();
        best.sort_by_key(|&(value, at)| (std::cmp::Reverse(value), at));
        best.truncate(count);
        let board = self.board.as_ref();
        best.into_iter()
            .filter_map(move |(value, at)| board.map(|(board, side)| (moves::listed(board, *side, at), value)))
    }
}

/// Adds the value of every move to `values`, in the order of the rules' list.
struct AllMoves<'m, V: Value> {
    board: &'m Board,
    side: Side,
    value: V,
    values: &'m mut Vec<V::Out>,
}

impl<V: Value> Kernel for AllMoves<'_, V> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let AllMoves { board, side, value, values } = self;
        let [own, other] = [lanes.load(board.rows(side)), lanes.load(board.rows(side.other()))];
        let mut boards = BoardBatch::new(lanes, board, value, values);
        let kills = board.living_cells().map(Change::death);
        for change in std::iter::once(Change::default()).chain(kills) {
            boards.push(changed(lanes, [own, other], change));
        }
        let mut sacrifices = Vec::with_capacity(board.count(side) as usize);
        for cell in board.cells(side) {
            sacrifices.push(lanes.one(cell));
        }
        for cell in board.dead_cells() {
            let born = lanes.or(own, lanes.one(cell));
            for (index, &a) in sacrifices.iter().enumerate() {
                let once = lanes.without(born, a);
                for &b in &sacrifices[index + 1..] {
                    boards.push([lanes.without(once, b), other]);
                }
            }
        }
        boards.finish();
    }
}
