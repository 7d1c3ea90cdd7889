//! AI1's board: an array of cells, and a step that reads the eight neighbours of each, one by one (Suzuki and Ito 2019,
//! sections 4.1 and 6.1: about 16 × 18 × 8 reads of the array for a generation).

use banmen_game::Side;

use super::field::{AgentBoard, CellSet};
use crate::board::{Board, Cell, ROWS};

/// A dead cell.
const DEAD: u8 = 0;

/// The code of a cell in the array: 0 for a dead one, 1 and 2 for those of the sides.
fn code(owner: Option<Side>) -> u8 {
    owner.map_or(DEAD, |side| 1 + side.index() as u8)
}

/// The inverse of [`code`].
fn owner(code: u8) -> Option<Side> {
    match code {
        DEAD => None,
        1 => Some(Side::First),
        _ => Some(Side::Second),
    }
}

/// A board as an array of cells, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    cells: [u8; ROWS * ROWS],
    width: usize,
    height: usize,
}

/// The offsets of the neighbours of a cell.
const AROUND: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

impl Cells {
    /// The next value of a cell. Outside the board all cells are dead.
    fn next(&self, x: usize, y: usize) -> u8 {
        let (mut red, mut blue) = (0, 0);
        for (right, down) in AROUND {
            let (x, y) = (x.wrapping_add_signed(right), y.wrapping_add_signed(down));
            if x < self.width && y < self.height {
                let cell = self.cells[y * self.width + x];
                red += u8::from(cell == 1);
                blue += u8::from(cell == 2);
            }
        }
        match (self.cells[y * self.width + x], red + blue) {
            (DEAD, 3) => {
                if red >= 2 {
                    1
                } else {
                    2
                }
            }
            (cell, 2 | 3) => cell,
            _ => DEAD,
        }
    }
}

impl AgentBoard for Cells {
    const STEPS_PER_CHECK: u64 = 64;

    fn read(board: &Board) -> Self {
        let (width, height) = (board.width(), board.height());
        let mut cells = [DEAD; ROWS * ROWS];
        for side in [Side::First, Side::Second] {
            for cell in board.cells(side) {
                cells[cell.y() * width + cell.x()] = code(Some(side));
            }
        }
        Cells { cells, width, height }
    }

    fn write(&self, board: &mut Board) {
        for y in 0..self.height {
            for x in 0..self.width {
                board.set(Cell::at(y * ROWS + x), owner(self.cells[y * self.width + x]));
            }
        }
    }

    fn set(&mut self, cell: Cell, owner: Option<Side>) {
        self.cells[cell.y() * self.width + cell.x()] = code(owner);
    }

    fn step(&mut self) {
        let old = self.clone();
        for y in 0..self.height {
            for x in 0..self.width {
                self.cells[y * self.width + x] = old.next(x, y);
            }
        }
    }

    fn count(&self, of: CellSet) -> usize {
        self.cells[..self.width * self.height].iter().filter(|&&cell| of.holds(owner(cell))).count()
    }

    fn counts(&self) -> [u16; 2] {
        let mut counts = [0; 2];
        for &cell in &self.cells[..self.width * self.height] {
            counts[0] += u16::from(cell == 1);
            counts[1] += u16::from(cell == 2);
        }
        counts
    }

    fn nth(&self, of: CellSet, place: usize) -> Cell {
        let mut such = (0..self.width * self.height).filter(|&index| of.holds(owner(self.cells[index])));
        let index = such.nth(place).unwrap_or(0);
        Cell::at(index / self.width * ROWS + index % self.width)
    }
}
