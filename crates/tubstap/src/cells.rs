//! Cells, and sets of cells: one word for maps of at most 8 by 8 cells, four words for larger ones.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

/// A cell of a map. Its coordinates are those of the original's files, which count the border: the first cell inside is
/// 1,1, the last possible one 16,16.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u8);

impl Cell {
    /// How many cells there can be.
    pub const COUNT: usize = 256;

    /// The most columns and rows inside the border.
    pub const LAST: usize = 16;

    /// The cell of this column and row, 1 to 16.
    #[must_use]
    pub const fn new(x: usize, y: usize) -> Option<Cell> {
        if x == 0 || y == 0 || x > Cell::LAST || y > Cell::LAST {
            return None;
        }
        Some(Cell(((y - 1) << 4 | (x - 1)) as u8))
    }

    /// The column, 1 to 16.
    #[must_use]
    #[inline]
    pub const fn x(self) -> usize {
        (self.0 & 15) as usize + 1
    }

    /// The row, 1 to 16, from the top.
    #[must_use]
    #[inline]
    pub const fn y(self) -> usize {
        (self.0 >> 4) as usize + 1
    }

    /// The number of the cell, row by row with 16 columns, 0 to 255.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The cell of a number.
    #[must_use]
    #[inline]
    pub const fn of_index(index: u8) -> Cell {
        Cell(index)
    }

    /// All cells, row by row.
    pub fn all() -> impl Iterator<Item = Cell> {
        (0..=u8::MAX).map(Cell)
    }

    /// The Manhattan distance.
    #[must_use]
    #[inline]
    pub const fn distance(self, other: Cell) -> usize {
        self.x().abs_diff(other.x()) + self.y().abs_diff(other.y())
    }
}

/// `x,y`
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x(), self.y())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of cells.
pub(crate) trait Cells:
    Copy + Eq + fmt::Debug + Default + Send + Sync + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// The set without cells.
    const EMPTY: Self;
    /// The most columns and rows.
    const SIZE: usize;

    /// The set of one cell, which must lie within [`Cells::SIZE`].
    fn only(cell: Cell) -> Self;

    /// The cells above, below, to the left and to the right of those of the set, each as a set.
    fn steps(self) -> [Self; 4];

    /// The size of the set.
    fn count(self) -> u32;

    /// Removes the first cell of the set, row by row, and returns it.
    fn pop(&mut self) -> Option<Cell>;

    /// The cell that `rank` cells of the set precede. A cell of no meaning when the set has no more than `rank` cells.
    fn nth(self, rank: u32) -> Cell;

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether a cell is in the set.
    fn contains(&self, cell: Cell) -> bool;

    /// The cells beside those of the set.
    #[inline(always)]
    fn beside(self) -> Self {
        let [up, down, left, right] = self.steps();
        up | down | left | right
    }
}

/// All cells but those of the first column.
const NOT_FIRST: u64 = 0xFEFE_FEFE_FEFE_FEFE;

/// Rows of 8 cells.
impl Cells for u64 {
    const EMPTY: u64 = 0;
    const SIZE: usize = 8;

    #[inline(always)]
    fn only(cell: Cell) -> u64 {
        1 << (cell.0 >> 1 & 0x38 | cell.0 & 7)
    }

    #[inline(always)]
    fn contains(&self, cell: Cell) -> bool {
        self & u64::only(cell) != 0
    }

    #[inline(always)]
    fn steps(self) -> [u64; 4] {
        [self >> 8, self << 8, (self & NOT_FIRST) >> 1, self << 1 & NOT_FIRST]
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.count_ones()
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Cell> {
        if *self == 0 {
            return None;
        }
        let index = self.trailing_zeros() as u8;
        *self &= *self - 1;
        Some(Cell(index << 1 & 0x70 | index & 7))
    }

    #[inline(always)]
    fn nth(mut self, rank: u32) -> Cell {
        for _ in 0..rank {
            self &= self.wrapping_sub(1);
        }
        let index = self.trailing_zeros() as u8;
        Cell(index << 1 & 0x70 | index & 7)
    }
}

/// Rows of 16 cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wide([u64; 4]);

/// All cells of four rows but those of the first column.
const NOT_FIRST_OF_16: u64 = 0xFFFE_FFFE_FFFE_FFFE;

impl BitAnd for Wide {
    type Output = Wide;
    #[inline(always)]
    fn bitand(self, other: Wide) -> Wide {
        Wide(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }
}

impl BitOr for Wide {
    type Output = Wide;
    #[inline(always)]
    fn bitor(self, other: Wide) -> Wide {
        Wide(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }
}

impl Not for Wide {
    type Output = Wide;
    #[inline(always)]
    fn not(self) -> Wide {
        Wide(self.0.map(|word| !word))
    }
}

impl Cells for Wide {
    const EMPTY: Wide = Wide([0; 4]);
    const SIZE: usize = 16;

    #[inline(always)]
    fn only(cell: Cell) -> Wide {
        let mut words = [0; 4];
        words[usize::from(cell.0 >> 6)] = 1 << (cell.0 & 63);
        Wide(words)
    }

    #[inline(always)]
    fn contains(&self, cell: Cell) -> bool {
        self.0[usize::from(cell.0 >> 6)] >> (cell.0 & 63) & 1 == 1
    }

    #[inline(always)]
    fn steps(self) -> [Wide; 4] {
        let [a, b, c, d] = self.0;
        [
            Wide([a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16]),
            Wide([a << 16, b << 16 | a >> 48, c << 16 | b >> 48, d << 16 | c >> 48]),
            Wide(self.0.map(|word| (word & NOT_FIRST_OF_16) >> 1)),
            Wide(self.0.map(|word| word << 1 & NOT_FIRST_OF_16)),
        ]
    }

    #[inline(always)]
    fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<Cell> {
        let at = self.0.iter().position(|&word| word != 0)?;
        let word = &mut self.0[at];
        let index = word.trailing_zeros() as u8;
        *word &= *word - 1;
        Some(Cell((at as u8) << 6 | index))
    }

    #[inline(always)]
    fn nth(self, mut rank: u32) -> Cell {
        for (at, mut word) in (0..).zip(self.0) {
            let count = word.count_ones();
            if rank < count {
                for _ in 0..rank {
                    word &= word - 1;
                }
                return Cell(at << 6 | word.trailing_zeros() as u8);
            }
            rank -= count;
        }
        Cell(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of a set, row by row.
    fn list<B: Cells>(mut set: B) -> Vec<Cell> {
        std::iter::from_fn(|| set.pop()).collect()
    }

    /// Cells, counts, ranks and steps of sets of one form are those of lists of cells.
    fn check<B: Cells>() {
        let board: Vec<Cell> = Cell::all().filter(|cell| cell.x() <= B::SIZE && cell.y() <= B::SIZE).collect();
        assert_eq!(board.len(), B::SIZE * B::SIZE);
        for &cell in &board {
            let steps = B::only(cell).steps();
            let offsets = [(0, -1), (0, 1), (-1, 0), (1, 0)];
            for (step, (dx, dy)) in steps.into_iter().zip(offsets) {
                let (x, y) = (cell.x() as i32 + dx, cell.y() as i32 + dy);
                let inside = (1..=B::SIZE as i32).contains(&x) && (1..=B::SIZE as i32).contains(&y);
                let expected = inside.then(|| Cell::new(x as usize, y as usize)).flatten();
                assert_eq!(list(step).first().copied(), expected, "{dx},{dy} from {cell}");
                assert_eq!(step.count(), u32::from(inside));
            }
        }
        let some: Vec<Cell> = board.iter().copied().filter(|cell| (cell.x() * 7 + cell.y() * 5) % 3 == 0).collect();
        let set = some.iter().fold(B::EMPTY, |set, &cell| set | B::only(cell));
        assert_eq!(list(set), some);
        assert_eq!(set.count() as usize, some.len());
        for (rank, &cell) in (0..).zip(&some) {
            assert_eq!(set.nth(rank), cell);
        }
        assert!(board.iter().all(|&cell| set.contains(cell) == some.contains(&cell)));
    }

    #[test]
    fn sets_of_both_forms_equal_lists() {
        check::<u64>();
        check::<Wide>();
    }
}
