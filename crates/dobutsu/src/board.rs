//! Squares, pieces, and masks of the squares that pieces reach.
//!
//! Squares are numbered in reading order: 0, 1, 2 are A1, B1, C1, the second side's home rank on top, and 9, 10, 11
//! are A4, B4, C4, the first side's home rank. A mask has bit `s` for square `s`; the first side moves towards bit 0.

use std::fmt;

use banmen_game::Side;

/// All twelve squares.
pub const BOARD: u16 = 0xFFF;

/// The squares of the files A and C.
const FILE_A: u16 = 0b001_001_001_001;
const FILE_C: u16 = 0b100_100_100_100;

/// A square of the board: 0 to 11 in reading order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The top left square.
    pub const A1: Square = Square(0);

    /// The square with this number, if it is below 12.
    #[must_use]
    pub fn new(index: usize) -> Option<Square> {
        if index < 12 { Some(Square(index as u8)) } else { None }
    }

    /// The square in this column (0 to 2 from file A) and row (0 to 3 from the top).
    #[must_use]
    pub fn at(column: usize, row: usize) -> Option<Square> {
        if column < 3 && row < 4 { Square::new(3 * row + column) } else { None }
    }

    /// The lowest square of a mask, unless it is empty.
    #[must_use]
    #[inline]
    pub fn lowest(mask: u16) -> Option<Square> {
        if mask & BOARD == 0 { None } else { Some(Square((mask & BOARD).trailing_zeros() as u8)) }
    }

    /// The number, 0 to 11.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The column, 0 (file A) to 2.
    #[must_use]
    pub fn column(self) -> usize {
        self.index() % 3
    }

    /// The row, 0 on top to 3.
    #[must_use]
    pub fn row(self) -> usize {
        self.index() / 3
    }

    /// The mask with this square only.
    #[must_use]
    #[inline]
    pub fn mask(self) -> u16 {
        1 << (self.0 & 15)
    }

    /// The square mirrored left to right: the files A and C are exchanged.
    #[must_use]
    pub fn mirrored(self) -> Square {
        Square((3 * self.row() + 2 - self.column()) as u8)
    }
}

impl fmt::Display for Square {
    /// The name that Tanaka and the Japanese texts use: `A1` is the corner of the second side's giraffe.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", ["A", "B", "C"][self.column()], self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The squares of a mask, in ascending order.
pub fn squares(mut mask: u16) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let square = Square::lowest(mask)?;
        mask &= mask - 1;
        Some(square)
    })
}

/// The five kinds of pieces. The first three can be held in hand and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// One step straight forward. It becomes a hen when it moves onto the far rank.
    Chick,
    /// One step along a diagonal.
    Elephant,
    /// One step along a rank or file.
    Giraffe,
    /// One step in any direction. A side that loses it loses the game.
    Lion,
    /// A promoted chick: one step in any direction but the two backward diagonals. When captured it becomes a chick
    /// again.
    Hen,
}

impl Piece {
    /// All five kinds.
    pub const ALL: [Piece; 5] = [Piece::Chick, Piece::Elephant, Piece::Giraffe, Piece::Lion, Piece::Hen];
    /// The kinds that can be dropped, in the order of hands.
    pub const DROPPED: [Piece; 3] = [Piece::Chick, Piece::Elephant, Piece::Giraffe];

    /// The index in [`Piece::ALL`].
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The kind that it becomes in the hand of its captor.
    #[must_use]
    #[inline]
    pub fn captured(self) -> Piece {
        if self == Piece::Hen { Piece::Chick } else { self }
    }

    /// The English name, as the board of a game state shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["chick", "elephant", "giraffe", "lion", "hen"][self.index()]
    }

    /// The squares that a piece of this kind and `side` reaches from `square`.
    #[must_use]
    #[inline]
    pub fn reach(self, side: Side, square: Square) -> u16 {
        self.reach_as(Hen::Six, side, square)
    }

    /// As [`Piece::reach`], with the given movement for hens.
    #[must_use]
    #[inline]
    pub(crate) fn reach_as(self, hen: Hen, side: Side, square: Square) -> u16 {
        let squares = REACH[side.index()][self.index()][usize::from(square.0 & 15)];
        let back = if hen == Hen::Five && self == Piece::Hen { forward(side.other(), square.mask()) } else { 0 };
        squares & !back
    }
}

/// How a hen steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hen {
    /// Under all other rules: all directions but the two backward diagonals.
    Six,
    /// In the article's game: not straight back either.
    Five,
}

/// The far rank of a side: where its chicks promote and its lion tries.
#[must_use]
#[inline]
pub(crate) fn far_rank(side: Side) -> u16 {
    match side {
        Side::First => 0b111,
        Side::Second => 0b111 << 9,
    }
}

/// The mask mirrored left to right: the files A and C are exchanged.
#[must_use]
pub fn mirrored(mask: u16) -> u16 {
    (mask & FILE_A) << 2 | (mask & FILE_C) >> 2 | mask & !(FILE_A | FILE_C)
}

/// The squares one step forward of those in `mask`, from `side`'s point of view.
#[inline]
pub(crate) const fn forward(side: Side, mask: u16) -> u16 {
    match side {
        Side::First => mask >> 3,
        Side::Second => mask << 3 & BOARD,
    }
}

/// One step to the left and right.
#[inline]
pub(crate) const fn left(mask: u16) -> u16 {
    (mask & !FILE_A) >> 1
}

#[inline]
pub(crate) const fn right(mask: u16) -> u16 {
    (mask & !FILE_C) << 1
}

/// `REACH[side][piece][square]`; empty for the four numbers that are not squares.
static REACH: [[[u16; 16]; 5]; 2] = {
    let mut table = [[[0; 16]; 5]; 2];
    let mut square = 0;
    while square < 12 {
        let here = 1u16 << square;
        let sides = left(here) | right(here);
        let files = here >> 3 | (here << 3 & BOARD);
        let across = sides >> 3 | (sides << 3 & BOARD);
        let mut side = 0;
        while side < 2 {
            let mover = if side == 0 { Side::First } else { Side::Second };
            let ahead = forward(mover, here | sides);
            table[side][Piece::Chick as usize][square] = forward(mover, here);
            table[side][Piece::Elephant as usize][square] = across;
            table[side][Piece::Giraffe as usize][square] = sides | files;
            table[side][Piece::Lion as usize][square] = sides | files | across;
            table[side][Piece::Hen as usize][square] = sides | files | ahead;
            side += 1;
        }
        square += 1;
    }
    table
};

/// The groups of equal pieces other than lions: their kind, and whether they belong to the side to move. This is the
/// order of the table's numbers and of the evaluation's features.
pub(crate) const GROUPS: [(Piece, bool); 8] = [
    (Piece::Chick, true),
    (Piece::Chick, false),
    (Piece::Hen, true),
    (Piece::Hen, false),
    (Piece::Elephant, true),
    (Piece::Elephant, false),
    (Piece::Giraffe, true),
    (Piece::Giraffe, false),
];
