//! Full width: the value of every legal move after one generation or two, and the best of them.
//!
//! The value of a move is the mover's cells less the opponent's, after the move's own generation, and in the second
//! measure after one more in which nobody moves. A start has 162,321 moves; nothing is allocated for a single one.

use banmen_game::Side;

use crate::board::{Board, Cell, ROWS, Rows, bits};
use crate::moves::{self, Move};
use crate::simd;
use crate::step::step_plain;

/// The values of all moves of a board, in the order in which the rules list them: the pass, the kills, the births.
#[derive(Clone, Debug, Default)]
pub struct Wide {
    board: Option<(Board, Side)>,
    values: Vec<i16>,
}

/// What a value may be, on the largest board: this much either way.
const MOST: i16 = (ROWS * ROWS) as i16;

impl Wide {
    /// A room for values; it grows with the largest board that was ranked.
    #[must_use]
    pub fn new() -> Wide {
        Wide::default()
    }

    /// Values every move of `side` after so many generations, one or two.
    ///
    /// # Panics
    /// On another number of generations.
    pub fn rank(&mut self, board: &Board, side: Side, generations: u32) {
        self.fill(board, side, generations, simd::values);
    }

    /// The same without vectors.
    #[doc(hidden)]
    pub fn rank_plain(&mut self, board: &Board, side: Side, generations: u32) {
        self.fill(board, side, generations, values_plain);
    }

    /// The same with AVX2 at most.
    #[doc(hidden)]
    pub fn rank_avx2(&mut self, board: &Board, side: Side, generations: u32) {
        self.fill(board, side, generations, simd::values_avx2);
    }

    fn fill(&mut self, board: &Board, side: Side, generations: u32, by: fn(&Board, Side, u32, &mut Vec<i16>)) {
        assert!((1..=2).contains(&generations), "values are taken after one or two generations");
        self.values.clear();
        self.values.reserve(moves::count(board, side));
        self.board = Some((*board, side));
        by(board, side, generations, &mut self.values);
        debug_assert_eq!(self.values.len(), moves::count(board, side));
    }

    /// How many moves were valued.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was ranked yet.
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
        // How many moves there are of each value, and from them the least value that is among the best.
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

/// What is done with the cells of one colour as a word of some kind, by a form of the step.
pub(crate) struct Words<One, With, Without> {
    /// A word with one cell.
    pub(crate) one: One,
    /// The cells of both.
    pub(crate) with: With,
    /// The cells of the first that are not in the second.
    pub(crate) without: Without,
}

/// The rows of a board as words.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "closures, which are expanded where they are called, have no shorter type")]
pub(crate) fn plain_words() -> Words<impl Fn(Cell) -> Rows, impl Fn(Rows, Rows) -> Rows, impl Fn(Rows, Rows) -> Rows> {
    Words {
        one: |cell: Cell| {
            let mut rows = [0; ROWS];
            rows[cell.y()] = 1 << cell.x();
            rows
        },
        with: |a: Rows, b: Rows| std::array::from_fn(|y| a[y] | b[y]),
        without: |a: Rows, b: Rows| std::array::from_fn(|y| a[y] & !b[y]),
    }
}

/// Hands the mover's and the opponent's cells after every move, before the generation, to `value`, in the order of the
/// rules' list.
#[inline(always)]
pub(crate) fn every_move<W: Copy>(
    board: &Board,
    side: Side,
    (own, other): (W, W),
    words: &Words<impl Fn(Cell) -> W, impl Fn(W, W) -> W, impl Fn(W, W) -> W>,
    mut value: impl FnMut(W, W),
) {
    let Words { one, with, without } = words;
    value(own, other);
    for y in 0..board.height() {
        for x in bits(board.colours[0][y] | board.colours[1][y]) {
            let killed = one(Cell::at(y * ROWS + x));
            value(without(own, killed), without(other, killed));
        }
    }
    let mut buffer = [Cell::at(0); ROWS * ROWS];
    let cells = moves::own_cells(board, side, &mut buffer);
    let mut sacrifices = [own; ROWS * ROWS];
    let sacrifices = &mut sacrifices[..cells.len()];
    for (sacrifice, &cell) in sacrifices.iter_mut().zip(cells) {
        *sacrifice = one(cell);
    }
    for cell in board.dead_cells() {
        let born = with(own, one(cell));
        for (index, &a) in sacrifices.iter().enumerate() {
            let once = without(born, a);
            for &b in &sacrifices[index + 1..] {
                value(without(once, b), other);
            }
        }
    }
}

/// The portable form.
pub(crate) fn values_plain(board: &Board, side: Side, generations: u32, values: &mut Vec<i16>) {
    let words = plain_words();
    let both = (*board.rows(side), *board.rows(side.other()));
    every_move(board, side, both, &words, |own, other| {
        // The mover may be taken for the first side: a generation looks at no more than majorities.
        let mut board = Board { colours: [own, other], ..*board };
        for _ in 0..generations {
            step_plain(&mut board);
        }
        values.push(board.count(Side::First) as i16 - board.count(Side::Second) as i16);
    });
}
