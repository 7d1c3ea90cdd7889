//! AI2's board: rows of bits, and the paper's own formulas for a generation (Suzuki and Ito 2019, section 4.2).
//!
//! A row is one integer, its bits the columns. With `S2` and `S3` the cells that have exactly two and three living
//! neighbours, and `S0r` and `S1r` those that have none and exactly one red one:
//!
//! ```text
//! RedBB'  = ~AllBB & (S3 & ~S0r) & (S3 & ~S1r) | RedBB & (S2 | S3)
//! BlueBB' = ~AllBB & (S3 & S0r | S3 & S1r) | BlueBB & (S2 | S3)
//! ```
//!
//! The paper does not say how the counts are computed: here neighbour by neighbour, a cell moves from "exactly n" to
//! "exactly n + 1". Red is the first side.

use banmen_game::Side;

use super::field::{AgentBoard, CellSet, count};
use crate::board::{Board, Cell, ROWS, Rows};
use crate::moves::nth;
use crate::step::SMALL;

/// A board as two arrays of rows.
#[derive(Clone, Debug)]
pub(crate) struct Formulas {
    red: Rows,
    blue: Rows,
    /// The columns of the board.
    columns: u32,
    height: usize,
}

/// The eight neighbours of all cells of a row, as rows of bits.
#[inline(always)]
fn neighbours(above: u32, row: u32, below: u32) -> [u32; 8] {
    [above << 1, above, above >> 1, row << 1, row >> 1, below << 1, below, below >> 1]
}

/// The cells of a row that have none of these neighbours, exactly one, two, three.
#[inline(always)]
fn exactly(neighbours: [u32; 8]) -> [u32; 4] {
    let mut s = [u32::MAX, 0, 0, 0];
    for n in neighbours {
        s[3] = s[3] & !n | s[2] & n;
        s[2] = s[2] & !n | s[1] & n;
        s[1] = s[1] & !n | s[0] & n;
        s[0] &= !n;
    }
    s
}

impl Formulas {
    fn rows(&self, of: CellSet) -> Rows {
        let Formulas { red, blue, .. } = self;
        std::array::from_fn(|y| match of {
            CellSet::Side(Side::First) => red[y],
            CellSet::Side(Side::Second) => blue[y],
            CellSet::Living => red[y] | blue[y],
            CellSet::Dead if y < self.height => !(red[y] | blue[y]) & self.columns,
            CellSet::Dead => 0,
        })
    }

    /// One generation of the first `H` rows; `P` is `H + 2`, with the empty rows above and below.
    #[inline(always)]
    fn generation<const H: usize, const P: usize>(&mut self) {
        let (mut all, mut red) = ([0; P], [0; P]);
        for y in 0..H {
            all[y + 1] = self.red[y] | self.blue[y];
            red[y + 1] = self.red[y];
        }
        for y in 0..H {
            let [_, _, s2, s3] = exactly(neighbours(all[y], all[y + 1], all[y + 2]));
            let [s0r, s1r, ..] = exactly(neighbours(red[y], red[y + 1], red[y + 2]));
            let dead = !all[y + 1] & if y < self.height { self.columns } else { 0 };
            self.red[y] = dead & ((s3 & !s0r) & (s3 & !s1r)) | self.red[y] & (s2 | s3);
            self.blue[y] = dead & (s3 & s0r | s3 & s1r) | self.blue[y] & (s2 | s3);
        }
    }
}

impl AgentBoard for Formulas {
    const STEPS_PER_CHECK: u64 = 1024;

    fn read(board: &Board) -> Self {
        let [red, blue] = board.colours;
        Formulas { red, blue, columns: board.mask(), height: board.height() }
    }

    fn write(&self, board: &mut Board) {
        board.colours = [self.red, self.blue];
    }

    fn set(&mut self, cell: Cell, owner: Option<Side>) {
        let bit = 1 << cell.x();
        for (rows, side) in [(&mut self.red, Side::First), (&mut self.blue, Side::Second)] {
            rows[cell.y()] = rows[cell.y()] & !bit | if owner == Some(side) { bit } else { 0 };
        }
    }

    fn step(&mut self) {
        if self.height <= SMALL {
            self.generation::<SMALL, { SMALL + 2 }>();
        } else {
            self.generation::<ROWS, { ROWS + 2 }>();
        }
    }

    fn count(&self, of: CellSet) -> usize {
        count(&self.rows(of))
    }

    fn nth(&self, of: CellSet, place: usize) -> Cell {
        nth(self.rows(of), place)
    }

    fn counts(&self) -> [u16; 2] {
        [&self.red, &self.blue].map(|rows| count(&rows[..self.height]) as u16)
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::super::cells::Cells;
    use super::*;
    use crate::reference::Naive;

    #[test]
    fn formulas_hold_in_all_135_cases() {
        let mut cases = 0;
        let mut rng = Rng::new(1);
        for centre in [None, Some(Side::First), Some(Side::Second)] {
            for reds in 0..=8 {
                for blues in 0..=8 - reds {
                    cases += 1;
                    let after = match (centre, reds + blues) {
                        (Some(owner), 2 | 3) => Some(owner),
                        (None, 3) => Some(if reds >= 2 { Side::First } else { Side::Second }),
                        _ => None,
                    };
                    // The neighbours in some orders, at some places of the board.
                    for _ in 0..20 {
                        let mut around: Vec<(usize, usize)> = (0..9).map(|at| (at % 3, at / 3)).collect();
                        around.remove(4);
                        let mut board = Board::empty(18, 16);
                        let (left, top) = (rng.index(16), rng.index(14));
                        let at = |x: usize, y: usize| Cell::at((top + y) * ROWS + left + x);
                        board.set(at(1, 1), centre);
                        for count in 0..reds + blues {
                            let (x, y) = around.swap_remove(rng.index(around.len()));
                            board.set(at(x, y), Some(if count < reds { Side::First } else { Side::Second }));
                        }
                        let mut formulas = Formulas::read(&board);
                        formulas.step();
                        let mut stepped = Board::empty(18, 16);
                        formulas.write(&mut stepped);
                        assert_eq!(stepped.owner(at(1, 1)), after, "{centre:?} with {reds} red and {blues} blue");
                    }
                }
            }
        }
        assert_eq!(cases, 135);
    }

    /// A representation agrees with the board of the rules.
    fn agrees<F: AgentBoard>() {
        let mut rng = Rng::new(2);
        for (width, height) in [(1, 1), (1, 3), (3, 1), (4, 4), (18, 16), (17, 32), (32, 32)] {
            for _ in 0..20 {
                let mut board = Board::empty(width, height);
                let all: Vec<Cell> = board.dead_cells().collect();
                let mut field = F::read(&board);
                for &cell in &all {
                    let owner = [None, Some(Side::First), Some(Side::Second)][rng.index(3)];
                    board.set(cell, owner);
                    field.set(cell, owner);
                }
                for _ in 0..4 {
                    for of in [CellSet::Side(Side::First), CellSet::Side(Side::Second), CellSet::Living, CellSet::Dead]
                    {
                        let such: Vec<Cell> = all.iter().copied().filter(|&cell| of.holds(board.owner(cell))).collect();
                        assert_eq!(field.count(of), such.len());
                        assert!(such.iter().zip(0..).all(|(&cell, place)| field.nth(of, place) == cell));
                    }
                    for side in [Side::First, Side::Second] {
                        assert_eq!(field.lives(side), board.count(side) > 0);
                        assert_eq!(u32::from(field.counts()[side.index()]), board.count(side));
                    }
                    let slow = Naive::of(&board).step();
                    field.step();
                    field.write(&mut board);
                    assert_eq!(Naive::of(&board), slow, "{width} by {height}");
                }
            }
        }
    }

    #[test]
    fn all_representations_agree() {
        agrees::<Cells>();
        agrees::<Formulas>();
        agrees::<Board>();
    }
}
