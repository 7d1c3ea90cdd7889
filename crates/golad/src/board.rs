//! The board: the living cells of each colour as rows of bits.

use banmen_game::Side;

/// Rows and columns of the largest board.
pub const ROWS: usize = 32;

/// Columns of the usual board.
pub const WIDTH: u8 = 18;

/// Rows of the usual board.
pub const HEIGHT: u8 = 16;

/// A cell of a board of any size, counted row by row on the largest one: 32 y + x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u16);

impl Cell {
    /// Column `x` from the left and row `y` from the top, both from 0; `None` off the largest board.
    #[must_use]
    pub fn new(x: usize, y: usize) -> Option<Cell> {
        (x < ROWS && y < ROWS).then_some(Cell((y * ROWS + x) as u16))
    }

    /// The column, from the left.
    #[inline]
    #[must_use]
    pub fn x(self) -> usize {
        self.0 as usize % ROWS
    }

    /// The row, from the top.
    #[inline]
    #[must_use]
    pub fn y(self) -> usize {
        self.0 as usize / ROWS
    }

    /// The number of the cell, 0 to 1023.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell of this number, below 1024.
    #[inline]
    pub(crate) fn at(index: usize) -> Cell {
        Cell((index % (ROWS * ROWS)) as u16)
    }
}

/// The living cells of one colour: bit x of row y. Rows below the board are empty.
pub(crate) type Rows = [u32; ROWS];

/// The living cells of both colours. No cell has two colours, none is outside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Sixteen rows are 64 bytes, a cache line: loads across two lines cost 4 % of a generation in batch.
#[repr(C, align(64))]
pub struct Board {
    pub(crate) colours: [Rows; 2],
    pub(crate) width: u8,
    pub(crate) height: u8,
}

impl Board {
    /// A board without living cells. The sides are at least 1 and at most 32.
    ///
    /// # Panics
    /// On another size.
    #[must_use]
    pub fn empty(width: u8, height: u8) -> Board {
        let fits = |side: u8| (1..=ROWS).contains(&usize::from(side));
        assert!(fits(width) && fits(height), "a board of {width} by {height}");
        Board { colours: [[0; ROWS]; 2], width, height }
    }

    /// Cells in a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width.into()
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height.into()
    }

    /// The bits of a whole row.
    #[inline]
    pub(crate) fn mask(&self) -> u32 {
        u32::MAX >> (ROWS as u32 - u32::from(self.width))
    }

    /// Whether a cell is on the board.
    #[inline]
    #[must_use]
    pub fn holds(&self, cell: Cell) -> bool {
        cell.x() < self.width() && cell.y() < self.height()
    }

    /// The side that owns a cell; `None` for a dead one.
    #[inline]
    #[must_use]
    pub fn owner(&self, cell: Cell) -> Option<Side> {
        let bit = 1 << cell.x();
        if self.colours[0][cell.y()] & bit != 0 {
            Some(Side::First)
        } else if self.colours[1][cell.y()] & bit != 0 {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// Makes a cell of the board dead, or alive for a side.
    #[inline]
    pub fn set(&mut self, cell: Cell, owner: Option<Side>) {
        debug_assert!(self.holds(cell), "{cell:?} is outside the board");
        let bit = 1 << cell.x();
        for (colour, side) in self.colours.iter_mut().zip([Side::First, Side::Second]) {
            colour[cell.y()] &= !bit;
            if owner == Some(side) {
                colour[cell.y()] |= bit;
            }
        }
    }

    /// The number of living cells of a side.
    #[inline]
    #[must_use]
    pub fn count(&self, side: Side) -> u32 {
        self.colours[side.index()].iter().map(|row| row.count_ones()).sum()
    }

    /// The rows of one side.
    #[inline]
    pub(crate) fn rows(&self, side: Side) -> &Rows {
        &self.colours[side.index()]
    }

    /// The dead cells of row `y`.
    #[inline]
    pub(crate) fn dead(&self, y: usize) -> u32 {
        !(self.colours[0][y] | self.colours[1][y]) & self.mask()
    }

    /// The living cells of one side, row by row.
    pub fn cells(&self, side: Side) -> impl Iterator<Item = Cell> + '_ {
        cells_of(self.rows(side)[..self.height()].iter().copied())
    }

    /// The living cells of both sides, row by row.
    pub fn living_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        cells_of((0..self.height()).map(|y| self.colours[0][y] | self.colours[1][y]))
    }

    /// The dead cells, row by row.
    pub fn dead_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        cells_of((0..self.height()).map(|y| self.dead(y)))
    }

    /// The board with left and right swapped, top and bottom swapped, or both.
    #[must_use]
    pub(crate) fn mirrored(&self, sideways: bool, upside_down: bool) -> Board {
        let mut image = Board::empty(self.width, self.height);
        for (to, from) in image.colours.iter_mut().zip(&self.colours) {
            for y in 0..self.height() {
                let row = from[if upside_down { self.height() - 1 - y } else { y }];
                to[y] = if sideways { row.reverse_bits() >> (ROWS - self.width()) } else { row };
            }
        }
        image
    }

    /// The cell to which the same reflection moves a cell.
    pub(crate) fn mirror_cell(&self, cell: Cell, sideways: bool, upside_down: bool) -> Cell {
        let x = if sideways { self.width() - 1 - cell.x() } else { cell.x() };
        let y = if upside_down { self.height() - 1 - cell.y() } else { cell.y() };
        Cell::at(y * ROWS + x)
    }

    /// The board rotated by 180 degrees with the colours swapped, as the lower half of a start is made from the upper
    /// one.
    #[must_use]
    pub(crate) fn turned(&self) -> Board {
        let image = self.mirrored(true, true);
        Board { colours: [image.colours[1], image.colours[0]], ..image }
    }
}

/// The cells whose bits are set, row by row.
#[inline]
pub(crate) fn cells_of(rows: impl IntoIterator<Item = u32>) -> impl Iterator<Item = Cell> {
    rows.into_iter().enumerate().flat_map(|(y, row)| bits(row).map(move |x| Cell::at(y * ROWS + x)))
}

/// The indices of the set bits, from the lowest.
#[inline]
pub(crate) fn bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            place
        })
    })
}
