//! The board in the form in which an agent computes: what the three agents of the paper do alike, whatever a step costs
//! them.

use banmen_game::Side;

use crate::board::{Board, Cell, Rows, cells_of};
use crate::moves::{Move, nth};
use crate::step;
use crate::trial::{Change, count_all};

/// Some of the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// The living cells of a side.
    Side(Side),
    /// The living cells of both.
    Living,
    /// The dead cells.
    Dead,
}

impl Of {
    /// Whether a cell is one of them.
    pub(crate) fn holds(self, owner: Option<Side>) -> bool {
        match self {
            Of::Side(side) => owner == Some(side),
            Of::Living => owner.is_some(),
            Of::Dead => owner.is_none(),
        }
    }
}

/// A board to compute with.
pub(crate) trait Field: Clone {
    /// The same as a board.
    fn read(board: &Board) -> Self;

    /// Writes the cells to a board of the same size.
    fn write(&self, board: &mut Board);

    /// Makes a cell dead, or somebody's.
    fn set(&mut self, cell: Cell, owner: Option<Side>);

    /// One generation.
    fn step(&mut self);

    /// So many generations.
    fn step_times(&mut self, generations: u32) {
        for _ in 0..generations {
            self.step();
        }
    }

    /// How many there are of such cells.
    fn count(&self, of: Of) -> usize;

    /// The cell at a place among such cells, row by row from 0; any cell where there are no more of them.
    fn nth(&self, of: Of, place: usize) -> Cell;

    /// How many cells each side has.
    fn counts(&self) -> [u16; 2];

    /// Whether a side has a cell.
    fn lives(&self, side: Side) -> bool {
        self.count(Of::Side(side)) > 0
    }

    /// Makes one cell after another of `cells` dead, or, where all of them are dead, somebody's, and pushes the counts so
    /// many generations later.
    fn changes(&self, cells: &Rows, owner: Option<Side>, generations: u32, counts: &mut Vec<[u16; 2]>) {
        for cell in cells_of(*cells) {
            let mut field = self.clone();
            field.set(cell, owner);
            field.step_times(generations);
            counts.push(field.counts());
        }
    }

    /// Places the cells of a legal move.
    fn place(&mut self, side: Side, m: Move) {
        m.place(side, |cell, owner| self.set(cell, owner));
    }
}

/// Such cells of a board, as rows.
pub(crate) fn rows_of(board: &Board, of: Of) -> Rows {
    std::array::from_fn(|y| match of {
        _ if y >= board.height() => 0,
        Of::Side(side) => board.rows(side)[y],
        Of::Living => board.colours[0][y] | board.colours[1][y],
        Of::Dead => board.dead(y),
    })
}

/// How many cells are set.
pub(crate) fn count(rows: &[u32]) -> usize {
    rows.iter().map(|row| row.count_ones() as usize).sum()
}

/// The form of the rules themselves: the fastest step of this machine, and all changes of a cell at once.
impl Field for Board {
    fn read(board: &Board) -> Self {
        *board
    }

    fn write(&self, board: &mut Board) {
        *board = *self;
    }

    fn set(&mut self, cell: Cell, owner: Option<Side>) {
        Board::set(self, cell, owner);
    }

    fn step(&mut self) {
        step::step(self);
    }

    fn step_times(&mut self, generations: u32) {
        step::step_times(self, generations);
    }

    fn count(&self, of: Of) -> usize {
        count(&rows_of(self, of))
    }

    fn nth(&self, of: Of, place: usize) -> Cell {
        nth(rows_of(self, of), place)
    }

    fn counts(&self) -> [u16; 2] {
        [0, 1].map(|side| count(&self.colours[side][..self.height()]) as u16)
    }

    fn lives(&self, side: Side) -> bool {
        self.rows(side).iter().any(|&row| row != 0)
    }

    fn changes(&self, cells: &Rows, owner: Option<Side>, generations: u32, counts: &mut Vec<[u16; 2]>) {
        let change = |cell| if owner.is_some() { Change::birth(cell) } else { Change::death(cell) };
        let side = owner.unwrap_or(Side::First);
        count_all(self, side, cells_of(*cells).map(change), generations, counts);
    }
}
