//! The operations on boards that the three agents of the paper share, whatever their representation of a board.

use banmen_game::Side;

use crate::board::{Board, Cell, Rows, cells_of};
use crate::moves::{Move, nth};
use crate::step;
use crate::trial::{Change, count_all};

/// Some of the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellSet {
    /// The living cells of a side.
    Side(Side),
    /// The living cells of both.
    Living,
    /// The dead cells.
    Dead,
}

impl CellSet {
    /// Whether a cell is one of them.
    pub(crate) fn holds(self, owner: Option<Side>) -> bool {
        match self {
            CellSet::Side(side) => owner == Some(side),
            CellSet::Living => owner.is_some(),
            CellSet::Dead => owner.is_none(),
        }
    }
}

/// A board to compute with.
pub(crate) trait AgentBoard: Clone {
    /// Generations between two looks at the clock: a fraction of a millisecond on the usual board.
    const STEPS_PER_CHECK: u64;

    /// Converts a board.
    fn read(board: &Board) -> Self;

    /// Writes the cells to a board of the same size.
    fn write(&self, board: &mut Board);

    /// Makes a cell dead, or alive for a side.
    fn set(&mut self, cell: Cell, owner: Option<Side>);

    /// One generation.
    fn step(&mut self);

    /// Several generations.
    fn step_times(&mut self, generations: u32) {
        for _ in 0..generations {
            self.step();
        }
    }

    /// The number of such cells.
    fn count(&self, of: CellSet) -> usize;

    /// The cell of this number among such cells, row by row from 0; any cell where there are not so many.
    fn nth(&self, of: CellSet, place: usize) -> Cell;

    /// The number of cells of each side.
    fn counts(&self) -> [u16; 2];

    /// Whether a side has a cell.
    fn lives(&self, side: Side) -> bool {
        self.count(CellSet::Side(side)) > 0
    }

    /// For each of `cells`, changes its owner and appends the counts after `generations`. With an owner, all of `cells`
    /// are dead.
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

/// The cells of the set, as rows.
pub(crate) fn rows_of(board: &Board, of: CellSet) -> Rows {
    std::array::from_fn(|y| match of {
        _ if y >= board.height() => 0,
        CellSet::Side(side) => board.rows(side)[y],
        CellSet::Living => board.colours[0][y] | board.colours[1][y],
        CellSet::Dead => board.dead(y),
    })
}

/// How many cells are set.
pub(crate) fn count(rows: &[u32]) -> usize {
    rows.iter().map(|row| row.count_ones() as usize).sum()
}

/// The board of the rules: the fastest step of this machine, and all changes of a cell in one pass.
impl AgentBoard for Board {
    const STEPS_PER_CHECK: u64 = 8192;

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

    fn count(&self, of: CellSet) -> usize {
        count(&rows_of(self, of))
    }

    fn nth(&self, of: CellSet, place: usize) -> Cell {
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
