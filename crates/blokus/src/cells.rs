//! Sets of cells as bitboards.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// Columns of the board, and rows.
pub const SIZE: u8 = 14;

/// A set of cells of the board.
///
/// A row takes 16 bits, four rows a word: the cell in column `x` and row `y`, both from 0 with `y` downwards, is bit
/// `16 y + x`. Columns 14 and 15 and rows 14 and 15 are guards and always empty, so that shifts do not wrap around the
/// board's edges once the guards are masked off.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(align(32))]
pub struct Cells([u64; 4]);

/// One cell: its bit in [`Cells`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u8);

impl Cell {
    /// The cell in column `x` and row `y`, both from 0, `y` downwards; `None` off the board.
    #[must_use]
    pub const fn at(x: u8, y: u8) -> Option<Cell> {
        if x < SIZE && y < SIZE { Some(Cell(16 * y + x)) } else { None }
    }

    /// The cell of a bit; `None` for a guard.
    #[must_use]
    pub const fn of_bit(bit: u8) -> Option<Cell> {
        Cell::at(bit & 15, bit >> 4)
    }

    /// All cells, row by row from the top left.
    pub fn all() -> impl Iterator<Item = Cell> {
        Cells::BOARD.iter()
    }

    /// The bit in [`Cells`].
    #[must_use]
    pub const fn bit(self) -> u8 {
        self.0
    }

    /// The column, from 0.
    #[must_use]
    pub const fn x(self) -> u8 {
        self.0 & 15
    }

    /// The row, from 0 at the top.
    #[must_use]
    pub const fn y(self) -> u8 {
        self.0 >> 4
    }

    /// The number of the cell, 0 to 195, row by row from the top left.
    #[must_use]
    pub const fn index(self) -> usize {
        SIZE as usize * self.y() as usize + self.x() as usize
    }

    /// The cell mirrored at the diagonal through both start cells.
    #[must_use]
    pub const fn transposed(self) -> Cell {
        Cell(self.0.rotate_left(4))
    }

    /// The cell after a rotation of the board by 180°.
    #[must_use]
    pub const fn rotated(self) -> Cell {
        Cell(16 * (SIZE - 1 - self.y()) + SIZE - 1 - self.x())
    }
}

/// The name in Pentobi's notation: column `a` to `n`, row 1 to 14, a1 at the lower left.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x()), SIZE - self.y())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Cells {
    /// No cell.
    pub const EMPTY: Cells = Cells([0; 4]);

    /// All 196 cells.
    pub const BOARD: Cells = Cells([COLUMNS[0], COLUMNS[0], COLUMNS[0], COLUMNS[0] & 0xFFFF_FFFF]);

    /// One cell.
    #[must_use]
    pub const fn only(cell: Cell) -> Cells {
        let mut words = [0; 4];
        words[(cell.0 >> 6) as usize] = 1 << (cell.0 & 63);
        Cells(words)
    }

    /// The cells of the low bits `shape`, moved by so many bits. What leaves the 16 rows is lost.
    #[must_use]
    #[inline]
    pub(crate) fn from_shape(shape: u128, bit: u8) -> Cells {
        let (low, high) = (shape as u64, (shape >> 64) as u64);
        let (word, shift) = (usize::from(bit >> 6), bit & 63);
        // Shifting twice makes a shift by 64 - 0 give zero.
        let parts = [low << shift, high << shift | low >> 1 >> (63 - shift), high >> 1 >> (63 - shift)];
        let mut words = [0; 4];
        for (part, word) in parts.into_iter().zip(&mut words[word..]) {
            *word = part;
        }
        Cells(words)
    }

    /// A function of each word. The functions of arrays for this are inlined only when a crate is compiled as one unit
    /// or optimised at link time.
    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Cells {
        let [a, b, c, d] = self.0;
        Cells([f(a), f(b), f(c), f(d)])
    }

    /// A function of each word and the other set's.
    #[inline(always)]
    fn zip(self, other: Cells, f: impl Fn(u64, u64) -> u64) -> Cells {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, other.0);
        Cells([f(a, e), f(b, g), f(c, h), f(d, i)])
    }

    /// The set as four words of four rows.
    #[must_use]
    pub const fn words(self) -> [u64; 4] {
        self.0
    }

    /// Whether no cell is in the set.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// How many cells are in the set.
    #[must_use]
    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether a cell is in the set.
    #[must_use]
    pub fn contains(self, cell: Cell) -> bool {
        self.0[usize::from(cell.0 >> 6)] >> (cell.0 & 63) & 1 == 1
    }

    /// Whether the sets share a cell.
    #[must_use]
    #[inline]
    pub fn intersects(self, other: Cells) -> bool {
        !(self & other).is_empty()
    }

    /// The first cell, row by row from the top left.
    #[must_use]
    pub fn first(self) -> Option<Cell> {
        self.iter().next()
    }

    /// The cells, row by row from the top left.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        (0..4u8).flat_map(move |index| {
            let mut word = self.0[usize::from(index)];
            std::iter::from_fn(move || {
                let bit = (word != 0).then_some(word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(Cell(64 * index + bit))
            })
        })
    }

    /// The cell with `rank` cells of the set before it.
    ///
    /// # Panics
    /// When the set has no more than `rank` cells.
    #[must_use]
    #[inline]
    pub(crate) fn nth(self, mut rank: u32) -> Cell {
        for (index, mut word) in (0..).zip(self.0) {
            let count = word.count_ones();
            if rank < count {
                for _ in 0..rank {
                    word &= word - 1;
                }
                return Cell(64 * index + word.trailing_zeros() as u8);
            }
            rank -= count;
        }
        panic!("the set has too few cells");
    }

    /// The cells from which a step of `dx` columns to the right, at most 4, leads into the set.
    #[must_use]
    #[inline(always)]
    pub(crate) fn left_of(self, dx: usize) -> Cells {
        self.map(|word| word >> dx & COLUMNS[dx])
    }

    /// The cells from which a step of a row down leads into the set.
    #[must_use]
    #[inline(always)]
    pub(crate) fn above(self) -> Cells {
        let [a, b, c, d] = self.0;
        Cells([a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16])
    }

    /// The cells to which a step of a row down leads from the set, guards included.
    #[must_use]
    #[inline(always)]
    pub(crate) fn below(self) -> Cells {
        let [a, b, c, d] = self.0;
        Cells([a << 16, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48])
    }

    /// The cells to which a step of `dx` columns to the right, at most 4, leads from the set. No step leaves the board.
    #[must_use]
    #[inline(always)]
    pub(crate) fn right_of(self, dx: usize) -> Cells {
        self.map(|word| word << dx)
    }

    /// The neighbours in the row, guards included.
    #[inline(always)]
    fn sideways(self) -> Cells {
        self.map(|word| word << 1 | word >> 1)
    }

    /// The neighbours in the column, guards included.
    #[inline(always)]
    fn vertical(self) -> Cells {
        let [a, b, c, d] = self.0;
        Cells([
            a << 16 | a >> 16 | b << 48,
            b << 16 | b >> 16 | a >> 48 | c << 48,
            c << 16 | c >> 16 | b >> 48 | d << 48,
            d << 16 | d >> 16 | c >> 48,
        ])
    }

    /// The cells of which the neighbour below, above, to the right and to the left is in the set.
    #[must_use]
    #[inline]
    pub(crate) fn neighbours(self) -> [Cells; 4] {
        let right = self.map(|word| word << 1) & Cells::BOARD;
        [self.above(), self.below() & Cells::BOARD, self.left_of(1), right]
    }

    /// The cells that share an edge with one of the set.
    #[must_use]
    #[inline]
    pub fn edges(self) -> Cells {
        (self.sideways() | self.vertical()) & Cells::BOARD
    }

    /// The cells that touch one of the set diagonally.
    #[must_use]
    #[inline]
    pub fn corners(self) -> Cells {
        // The guards are masked off in between: from a guard column a second step would reach the board again.
        (self.sideways() & Cells::BOARD).vertical() & Cells::BOARD
    }
}

/// For `dx` from 0 to 4, the columns of four rows from which a step of `dx` columns to the right stays on the board.
pub(crate) const COLUMNS: [u64; 5] = {
    let mut columns = [0; 5];
    let mut dx = 0;
    while dx < 5 {
        columns[dx] = ((1 << (SIZE as usize - dx)) - 1) * 0x0001_0001_0001_0001;
        dx += 1;
    }
    columns
};

/// Counts the cells of several sets. The sets are added up word by word, in one vector.
#[derive(Clone, Copy, Default)]
pub(crate) struct CellCount([u64; 4]);

impl CellCount {
    /// Adds the number of cells in a set.
    #[inline(always)]
    pub(crate) fn add(&mut self, cells: Cells) {
        let counts = cells.map(|word| word.count_ones().into()).0;
        for (sum, count) in self.0.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    /// The cells of all sets that were added.
    #[inline(always)]
    pub(crate) fn total(self) -> u64 {
        self.0.iter().sum()
    }
}

impl BitAnd for Cells {
    type Output = Cells;
    #[inline(always)]
    fn bitand(self, other: Cells) -> Cells {
        self.zip(other, |own, other| own & other)
    }
}

impl BitOr for Cells {
    type Output = Cells;
    #[inline(always)]
    fn bitor(self, other: Cells) -> Cells {
        self.zip(other, |own, other| own | other)
    }
}

impl BitOrAssign for Cells {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Cells) {
        *self = *self | other;
    }
}

/// The cells of the board that are not in the set.
impl Not for Cells {
    type Output = Cells;
    #[inline(always)]
    fn not(self) -> Cells {
        self.zip(Cells::BOARD, |own, board| !own & board)
    }
}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Cells {
        cells.into_iter().fold(Cells::EMPTY, |all, cell| all | Cells::only(cell))
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells at the given steps from a cell, where they are on the board.
    fn stepped(cell: Cell, steps: &[(i8, i8)]) -> Cells {
        let step = |&(dx, dy): &(i8, i8)| Cell::at(cell.x().wrapping_add_signed(dx), cell.y().wrapping_add_signed(dy));
        steps.iter().filter_map(step).collect()
    }

    #[test]
    fn shifts_stop_at_the_edges() {
        for cell in Cell::all() {
            let one = Cells::only(cell);
            assert_eq!(one.edges(), stepped(cell, &[(-1, 0), (1, 0), (0, -1), (0, 1)]), "{cell}");
            assert_eq!(one.corners(), stepped(cell, &[(-1, -1), (1, -1), (-1, 1), (1, 1)]), "{cell}");
            assert_eq!(one.above(), stepped(cell, &[(0, -1)]), "{cell}");
            for dx in 0..5 {
                assert_eq!(one.left_of(dx), stepped(cell, &[(-(dx as i8), 0)]), "{cell} {dx}");
            }
            assert_eq!((one.count(), one.first(), one.nth(0)), (1, Some(cell), cell));
            assert_eq!(Cells::from_shape(1, cell.bit()), one);
            assert_eq!(Cell::of_bit(cell.bit()), Some(cell));
            assert_eq!((cell.transposed().x(), cell.transposed().y()), (cell.y(), cell.x()));
            assert_eq!(cell.rotated().index(), 195 - cell.index());
        }
        assert_eq!((Cells::BOARD.count(), (!Cells::BOARD).count()), (196, 0));
        assert!(
            Cell::all()
                .enumerate()
                .all(|(index, cell)| cell.index() == index && Cells::BOARD.nth(index as u32) == cell)
        );
        assert_eq!((Cell::of_bit(14), Cell::of_bit(224)), (None, None));
    }

    #[test]
    fn cells_have_pentobis_names() {
        let name = |x, y| Cell::at(x, y).expect("on the board").to_string();
        assert_eq!([name(4, 4), name(9, 9), name(0, 13), name(13, 0)], ["e10", "j5", "a1", "n14"]);
    }
}
