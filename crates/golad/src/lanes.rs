//! The cells of a colour as one word, and the operations on words: a generation, territory, counts. A word is sixteen
//! rows in vector registers ([`crate::simd`]), or an array of rows. Kernels over many boards are written once, on
//! [`Lanes`], and monomorphised for each form.

use crate::board::{Board, Cell, Rows};
use crate::step::rows;

/// The number of boards that are computed together: their instructions do not depend on each other, and their cells are
/// counted together.
pub(crate) const BATCH: usize = 4;

/// The cells of both sides.
pub(crate) type Both<L> = [<L as Lanes>::Word; 2];

/// The number of cells of the first and of the second side on each board.
pub(crate) type Counts = [[i32; BATCH]; 2];

/// A form of words. A value of the type proves that this machine supports the form. Every function is inlined into its
/// caller, which enables the instructions of the form; this works in the body of a function or a loop, not in a
/// closure.
pub(crate) trait Lanes: Copy {
    /// Sets of cells, a row in each lane.
    type Word: Copy;

    /// The first rows, as many as there are lanes.
    fn load(self, rows: &Rows) -> Self::Word;

    /// Writes what [`Lanes::load`] reads.
    fn store(self, word: Self::Word, rows: &mut Rows);

    /// The bits of `row` in each of the rows whose number is a bit of `places`.
    fn fill(self, places: u32, row: u32) -> Self::Word;

    /// The bits of both.
    fn and(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The bits of either.
    fn or(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The bits of one of them.
    fn xor(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The bits of `a` that are not in `b`.
    fn without(self, a: Self::Word, b: Self::Word) -> Self::Word;

    /// The bits of one or three of them.
    #[inline(always)]
    fn odd(self, a: Self::Word, b: Self::Word, c: Self::Word) -> Self::Word {
        self.xor(self.xor(a, b), c)
    }

    /// The bits of two or three of them.
    #[inline(always)]
    fn majority(self, a: Self::Word, b: Self::Word, c: Self::Word) -> Self::Word {
        self.or(self.and(a, b), self.and(self.or(a, b), c))
    }

    /// The left and the right neighbours of the cells, outside the board too.
    fn beside(self, word: Self::Word) -> [Self::Word; 2];

    /// The neighbours above and below the cells, outside the board too.
    fn around(self, word: Self::Word) -> [Self::Word; 2];

    /// The number of cells on the boards. No board has more cells than fit into half a word.
    fn count(self, boards: &[Both<Self>; BATCH]) -> Counts;

    /// The cells of the board.
    #[inline(always)]
    fn whole(self, board: &Board) -> Self::Word {
        self.fill(u32::MAX >> (32 - board.height() as u32), board.mask())
    }

    /// A single cell.
    #[inline(always)]
    fn one(self, cell: Cell) -> Self::Word {
        self.fill(1 << cell.y(), 1 << cell.x())
    }

    /// One generation of a board with these cells, by the formulas of [`crate::step`]. The sides may be in either
    /// order, since a generation depends on majorities only.
    #[inline(always)]
    fn generation(self, both: &mut Both<Self>, whole: Self::Word) {
        let [first, second] = *both;
        let all = self.or(first, second);
        let [left, right] = self.beside(all);
        let [u0, d0] = self.around(self.odd(left, right, all));
        let [u1, d1] = self.around(self.majority(left, right, all));
        let (m0, m1) = (self.xor(left, right), self.and(left, right));
        let ones = self.odd(u0, d0, m0);
        let carry = self.majority(u0, d0, m0);
        let twos = self.odd(u1, d1, m1);
        let keep = self.without(self.xor(twos, carry), self.majority(u1, d1, m1));

        let [left, right] = self.beside(first);
        let [u0, d0] = self.around(self.odd(left, right, first));
        let [u1, d1] = self.around(self.majority(left, right, first));
        let (n0, n1) = (self.xor(left, right), self.and(left, right));
        let most = self.or(self.or(self.or(u1, d1), n1), self.majority(u0, d0, n0));

        let birth = self.and(self.without(self.and(keep, ones), all), whole);
        *both = [
            self.or(self.and(first, keep), self.and(birth, most)),
            self.or(self.and(second, keep), self.without(birth, most)),
        ];
    }

    /// The cells and their neighbours, outside the board too.
    #[inline(always)]
    fn grown(self, cells: Self::Word) -> Self::Word {
        let [left, right] = self.beside(cells);
        let wide = self.or(self.or(left, right), cells);
        let [above, below] = self.around(wide);
        self.or(self.or(above, below), wide)
    }

    /// Every free cell with neighbours of one side only becomes a cell of that side.
    #[inline(always)]
    fn spread(self, both: &mut Both<Self>, whole: Self::Word) {
        let [own, other] = *both;
        // Cells that are not neighbours of the other side's cells are none of these either.
        let (near, far) = (self.grown(own), self.grown(other));
        let own = self.or(own, self.and(self.without(near, far), whole));
        *both = [own, self.or(other, self.and(self.without(far, near), whole))];
    }
}

/// A computation over many boards, in words of any form.
pub(crate) trait Kernel {
    /// Runs the computation. Inlined into its caller, as the functions of [`Lanes`] are.
    fn run<L: Lanes>(self, lanes: L);
}

/// The first `H` rows as an array; `P` is `H + 2`.
#[derive(Clone, Copy)]
pub(crate) struct Plain<const H: usize, const P: usize>;

impl<const H: usize, const P: usize> Lanes for Plain<H, P> {
    type Word = [u32; H];

    #[inline(always)]
    fn load(self, rows: &Rows) -> [u32; H] {
        std::array::from_fn(|y| rows[y])
    }

    #[inline(always)]
    fn store(self, word: [u32; H], rows: &mut Rows) {
        rows[..H].copy_from_slice(&word);
    }

    #[inline(always)]
    fn fill(self, places: u32, row: u32) -> [u32; H] {
        std::array::from_fn(|y| if places >> y & 1 == 0 { 0 } else { row })
    }

    #[inline(always)]
    fn and(self, a: [u32; H], b: [u32; H]) -> [u32; H] {
        std::array::from_fn(|y| a[y] & b[y])
    }

    #[inline(always)]
    fn or(self, a: [u32; H], b: [u32; H]) -> [u32; H] {
        std::array::from_fn(|y| a[y] | b[y])
    }

    #[inline(always)]
    fn xor(self, a: [u32; H], b: [u32; H]) -> [u32; H] {
        std::array::from_fn(|y| a[y] ^ b[y])
    }

    #[inline(always)]
    fn without(self, a: [u32; H], b: [u32; H]) -> [u32; H] {
        std::array::from_fn(|y| a[y] & !b[y])
    }

    #[inline(always)]
    fn beside(self, word: [u32; H]) -> [[u32; H]; 2] {
        [word.map(|row| row << 1), word.map(|row| row >> 1)]
    }

    #[inline(always)]
    fn around(self, word: [u32; H]) -> [[u32; H]; 2] {
        let row = |y: usize| word.get(y).copied().unwrap_or(0);
        [std::array::from_fn(|y| row(y.wrapping_sub(1))), std::array::from_fn(|y| row(y + 1))]
    }

    #[inline(always)]
    fn count(self, boards: &[Both<Self>; BATCH]) -> Counts {
        let cells = |rows: &[u32; H]| rows.iter().map(|row| row.count_ones() as i32).sum();
        [0, 1].map(|side| std::array::from_fn(|board| cells(&boards[board][side])))
    }

    /// Two loops over the rows, which the compiler vectorises; it does not vectorise operations on whole words.
    #[inline(always)]
    fn generation(self, both: &mut Both<Self>, whole: [u32; H]) {
        rows::<H, P>(both, &whole);
    }
}
