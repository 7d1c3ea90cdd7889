//! Every change of a single cell: what both colours have some generations later. Moves that are put together cell by cell
//! look at nothing else.

use banmen_game::Side;

use crate::board::{Board, Cell, ROWS, Rows, bits};
use crate::simd;
use crate::step::step_plain;
use crate::wide::Words;

/// Makes one cell after another of `cells` dead or somebody's, and pushes how many cells the first and the second side
/// have after so many generations in which nobody moves; in the order of the cells, row by row.
pub(crate) fn changes(board: &Board, cells: &Rows, owner: Option<Side>, generations: u32, counts: &mut Vec<[u16; 2]>) {
    simd::changes(board, cells, owner, generations, counts);
}

/// Hands both colours after every change, before any generation, to `count`.
#[inline(always)]
pub(crate) fn every_single<W: Copy>(
    cells: &Rows,
    owner: Option<Side>,
    (first, second): (W, W),
    words: &Words<impl Fn(Cell) -> W, impl Fn(W, W) -> W, impl Fn(W, W) -> W>,
    mut count: impl FnMut(W, W),
) {
    let Words { one, with, without } = words;
    for (y, &row) in cells.iter().enumerate() {
        for x in bits(row) {
            let cell = one(Cell::at(y * ROWS + x));
            match owner {
                None => count(without(first, cell), without(second, cell)),
                Some(Side::First) => count(with(first, cell), without(second, cell)),
                Some(Side::Second) => count(without(first, cell), with(second, cell)),
            }
        }
    }
}

/// The portable form.
pub(crate) fn changes_plain(
    board: &Board,
    cells: &Rows,
    owner: Option<Side>,
    generations: u32,
    counts: &mut Vec<[u16; 2]>,
) {
    for (y, &row) in cells.iter().enumerate() {
        for x in bits(row) {
            let mut board = *board;
            board.set(Cell::at(y * ROWS + x), owner);
            for _ in 0..generations {
                step_plain(&mut board);
            }
            counts.push([Side::First, Side::Second].map(|side| board.count(side) as u16));
        }
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::reference::Naive;

    #[test]
    fn every_form_counts_what_the_slow_rules_count() {
        let mut rng = Rng::new(3);
        for (width, height) in [(1, 1), (2, 5), (5, 2), (18, 16), (32, 16), (7, 17), (32, 32)] {
            for round in 0..6 {
                let mut board = Board::empty(width, height);
                let all: Vec<Cell> = board.dead_cells().collect();
                for &cell in &all {
                    board.set(cell, [None, None, Some(Side::First), Some(Side::Second)][rng.index(4)]);
                }
                let mut cells = [0; ROWS];
                for &cell in all.iter().filter(|_| rng.index(4) == 0) {
                    cells[cell.y()] |= 1 << cell.x();
                }
                let generations = round % 5;
                for owner in [None, Some(Side::First), Some(Side::Second)] {
                    let slow: Vec<[u16; 2]> = all
                        .iter()
                        .filter(|cell| cells[cell.y()] >> cell.x() & 1 != 0)
                        .map(|&cell| {
                            let mut board = board;
                            board.set(cell, owner);
                            let slow = (0..generations).fold(Naive::of(&board), |slow, _| slow.step());
                            [Side::First, Side::Second].map(|side| slow.count(side) as u16)
                        })
                        .collect();
                    for form in [changes, simd::changes_avx2, changes_plain] {
                        let mut counts = Vec::new();
                        form(&board, &cells, owner, generations, &mut counts);
                        assert_eq!(counts, slow, "{width} by {height}, {generations} generations");
                    }
                }
            }
        }
    }
}
