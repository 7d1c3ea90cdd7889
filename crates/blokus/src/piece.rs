//! The 21 pieces, and the 91 orientations in which they can be placed.

use std::fmt;
use std::ops::Range;

use crate::cells::{Cell, Cells, SIZE};

/// How many pieces each colour has.
pub const PIECES: usize = 21;

/// How many different orientations all pieces have together.
pub const ORIENTATIONS: usize = 91;

/// How many placements the board has: all pieces, orientations and places.
pub const PLACEMENTS: usize = 13_729;

/// One of the 21 pieces: the free polyominoes of one to five squares, numbered as the contests' letters `a` to `u`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece(u8);

/// A set of pieces: bit `i` is the piece with the number `i`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PieceSet(u32);

/// One way in which a piece can lie on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Orientation(u8);

/// A piece as it is defined: its name, and its cells beside (0, 0) as the contests draw it, `y` downwards.
struct Definition {
    name: &'static str,
    others: &'static [(i8, i8)],
}

const fn define(name: &'static str, others: &'static [(i8, i8)]) -> Definition {
    Definition { name, others }
}

/// The pieces `a` to `u`: cells from the reference cell at orientation 0 of the four-character code of the FPGA design
/// contests (ICFPT 2013), and the usual names.
const DEFINITIONS: [Definition; PIECES] = [
    define("1", &[]),
    define("2", &[(0, 1)]),
    define("I3", &[(0, 1), (0, -1)]),
    define("V3", &[(1, 0), (0, -1)]),
    define("I4", &[(0, 1), (0, 2), (0, -1)]),
    define("L4", &[(0, -1), (0, 1), (-1, 1)]),
    define("T4", &[(1, 0), (0, 1), (0, -1)]),
    define("O", &[(1, 0), (0, 1), (1, 1)]),
    define("Z4", &[(-1, 0), (0, 1), (1, 1)]),
    define("I5", &[(0, 1), (0, 2), (0, -1), (0, -2)]),
    define("L5", &[(0, 1), (0, -2), (0, -1), (-1, 1)]),
    define("N", &[(0, -2), (0, -1), (-1, 0), (-1, 1)]),
    define("P", &[(0, -1), (-1, 0), (-1, 1), (0, 1)]),
    define("U", &[(0, 1), (-1, 1), (0, -1), (-1, -1)]),
    define("Y", &[(0, -1), (1, 0), (0, 1), (0, 2)]),
    define("T5", &[(0, -1), (0, 1), (-1, 1), (1, 1)]),
    define("V5", &[(1, 0), (2, 0), (0, -1), (0, -2)]),
    define("W", &[(1, 0), (1, 1), (0, -1), (-1, -1)]),
    define("Z5", &[(1, 0), (1, 1), (-1, 0), (-1, -1)]),
    define("F", &[(-1, -1), (-1, 0), (1, 0), (0, 1)]),
    define("X", &[(1, 0), (0, 1), (-1, 0), (0, -1)]),
];

/// An orientation in the table.
#[derive(Clone, Copy)]
struct Entry {
    piece: u8,
    width: u8,
    height: u8,
    /// The cells from the upper left corner of their bounding box, at bit `16 y + x`. A polyomino of at most five cells
    /// takes at most five rows, which are 80 bits.
    shape: u128,
    /// The steps from the corner to the cells, by [`step`], each moved by [`step_place`]; one is repeated where there are fewer
    /// than 5.
    steps: u64,
    /// The number of its first placement.
    first: u16,
    /// The smallest orientation number of the contests' codes for it.
    code_orientation: u8,
}

/// The number of a step of `dx` columns and `dy` rows, from the corner of a bounding box to a cell. The width and the height
/// of a polyomino of five cells add up to at most 6, so the steps to at most 4: there are 15, for each `dx` those of all
/// `dy` in a row.
pub(crate) const fn step(dx: usize, dy: usize) -> usize {
    [0, 5, 9, 12, 14][dx] + dy
}

/// The lowest bit of a step in [`Entry::steps`]. The bits below it are as many as count the bytes of [`Cells`]: the compiler
/// masks the step and takes it as an offset in an array of these, without a second shift.
const fn step_place(number: usize) -> u32 {
    12 * number as u32 + size_of::<Cells>().trailing_zeros()
}

/// What an orientation number of the contests' codes denotes: an orientation of the piece, and the step from the corner of
/// its bounding box to the reference cell.
#[derive(Clone, Copy)]
struct CodeOrientation {
    orientation: u8,
    reference: (u8, u8),
}

struct Tables {
    entries: [Entry; ORIENTATIONS],
    /// For each piece the number of its first orientation, and at the end the count.
    first: [u8; PIECES + 1],
    /// For each piece those of the numbers 0 to 7.
    code_orientations: [[CodeOrientation; 8]; PIECES],
}

static TABLES: Tables = tables();

/// Rotates and mirrors every piece in eight ways and keeps what is new: in the order of the contests' numbers.
const fn tables() -> Tables {
    let none = Entry { piece: 0, width: 0, height: 0, shape: 0, steps: 0, first: 0, code_orientation: 0 };
    let mut tables = Tables {
        entries: [none; ORIENTATIONS],
        first: [0; PIECES + 1],
        code_orientations: [[CodeOrientation { orientation: 0, reference: (0, 0) }; 8]; PIECES],
    };
    let (mut count, mut placements, mut piece) = (0, 0, 0);
    while piece < PIECES {
        tables.first[piece] = count as u8;
        let mut number = 0;
        while number < 8 {
            let (entry, reference) = oriented(piece, number);
            let mut same = tables.first[piece] as usize;
            while same < count && tables.entries[same].shape != entry.shape {
                same += 1;
            }
            if same == count {
                tables.entries[count] = Entry { first: placements, ..entry };
                placements += (SIZE as u16 + 1 - entry.width as u16) * (SIZE as u16 + 1 - entry.height as u16);
                count += 1;
            }
            tables.code_orientations[piece][number as usize] = CodeOrientation { orientation: same as u8, reference };
            number += 1;
        }
        piece += 1;
    }
    tables.first[PIECES] = count as u8;
    assert!(count == ORIENTATIONS && placements as usize == PLACEMENTS);
    tables
}

/// A piece in the orientation of this number in the contests' codes, with the step to its reference cell. 2, 4 and 6 are
/// rotations by 90, 180 and 270 degrees clockwise; an odd number is the one before it, mirrored left to right.
const fn oriented(piece: usize, code_orientation: u8) -> (Entry, (u8, u8)) {
    let others = DEFINITIONS[piece].others;
    let mut cells = [(0, 0); 5];
    let (mut left, mut top, mut right, mut bottom) = (0, 0, 0, 0);
    let mut index = 0;
    while index < others.len() {
        let (mut x, mut y) = others[index];
        let mut quarter = 0;
        while quarter < code_orientation / 2 {
            (x, y) = (-y, x);
            quarter += 1;
        }
        if code_orientation % 2 == 1 {
            x = -x;
        }
        if x < left {
            left = x;
        }
        if x > right {
            right = x;
        }
        if y < top {
            top = y;
        }
        if y > bottom {
            bottom = y;
        }
        cells[index + 1] = (x, y);
        index += 1;
    }
    let mut entry = Entry {
        piece: piece as u8,
        width: (right - left + 1) as u8,
        height: (bottom - top + 1) as u8,
        shape: 0,
        steps: 0,
        first: 0,
        code_orientation,
    };
    index = 0;
    while index < 5 {
        // Beyond the last cell the reference cell is repeated.
        let (dx, dy) = ((cells[index].0 - left) as u8, (cells[index].1 - top) as u8);
        entry.shape |= 1 << (16 * dy + dx);
        entry.steps |= (step(dx as usize, dy as usize) as u64) << step_place(index);
        index += 1;
    }
    (entry, ((-left) as u8, (-top) as u8))
}

impl Piece {
    /// The piece of one square.
    pub const MONOMINO: Piece = Piece(0);

    /// All pieces, the smallest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Piece> {
        (0..PIECES as u8).map(Piece)
    }

    /// The piece with this number; `None` from 21 on.
    #[must_use]
    pub fn of_index(index: usize) -> Option<Piece> {
        (index < PIECES).then_some(Piece(index as u8))
    }

    /// The piece of this letter in the contests' codes, `a` to `u` in either case.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Piece> {
        Piece::of_index((letter.to_ascii_lowercase() as usize).checked_sub('a' as usize)?)
    }

    /// The number, 0 to 20.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The letter in the contests' codes.
    #[must_use]
    pub fn letter(self) -> char {
        char::from(b'a' + self.0)
    }

    /// The usual name, such as `V3` or `W`.
    #[must_use]
    pub fn name(self) -> &'static str {
        DEFINITIONS[self.index()].name
    }

    /// How many squares it has.
    #[must_use]
    pub fn size(self) -> u32 {
        DEFINITIONS[self.index()].others.len() as u32 + 1
    }

    /// Its orientations, in the order of the contests' numbers.
    pub fn orientations(self) -> impl Iterator<Item = Orientation> {
        self.orientation_range().map(|index| Orientation(index as u8))
    }

    /// The numbers of its orientations.
    #[inline]
    pub(crate) fn orientation_range(self) -> Range<usize> {
        usize::from(TABLES.first[self.index()])..usize::from(TABLES.first[self.index() + 1])
    }

    /// The orientation of this number in the contests' codes, and the columns and rows from the corner of its bounding box
    /// to its reference cell; `None` from 8 on.
    pub(crate) fn of_code_orientation(self, number: usize) -> Option<(Orientation, (u8, u8))> {
        let found = TABLES.code_orientations[self.index()].get(number)?;
        Some((Orientation(found.orientation), found.reference))
    }

    /// The piece that has these cells in one of its orientations.
    pub(crate) fn of_cells(cells: Cells) -> Option<(Orientation, Cell)> {
        let left = cells.iter().map(Cell::x).min()?;
        let corner = Cell::at(left, cells.first()?.y())?;
        let has_cells = |orientation: &Orientation| orientation.fits(corner) && orientation.at(corner) == cells;
        Some(((0..ORIENTATIONS as u8).map(Orientation).find(has_cells)?, corner))
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Orientation {
    /// The orientation with this number; `None` from 91 on.
    #[must_use]
    pub fn of_index(index: usize) -> Option<Orientation> {
        (index < ORIENTATIONS).then_some(Orientation(index as u8))
    }

    fn entry(self) -> &'static Entry {
        &TABLES.entries[self.index()]
    }

    /// The number, 0 to 90: those of a piece are consecutive.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The piece.
    #[must_use]
    pub fn piece(self) -> Piece {
        Piece(self.entry().piece)
    }

    /// Columns of the bounding box.
    #[must_use]
    pub fn width(self) -> u8 {
        self.entry().width
    }

    /// Rows of the bounding box.
    #[must_use]
    pub fn height(self) -> u8 {
        self.entry().height
    }

    /// The smallest orientation number of the contests' codes for it, 0 to 7.
    pub(crate) fn code_orientation(self) -> u8 {
        self.entry().code_orientation
    }

    /// The numbers below 16, by [`step`], of the steps from the corner of the bounding box to the cells.
    #[inline(always)]
    pub(crate) fn steps(index: usize) -> [usize; 5] {
        let steps = TABLES.entries[index].steps;
        // The mask shows the compiler that the numbers are indices of 16 elements.
        let step = |number| (steps >> step_place(number)) as usize & 15;
        [step(0), step(1), step(2), step(3), step(4)]
    }

    /// The cells from the upper left corner of the bounding box, at bit `16 y + x`.
    pub(crate) const fn shape(index: usize) -> u128 {
        TABLES.entries[index].shape
    }

    /// The number of the first placement of the orientation with this number.
    pub(crate) const fn first_placement(index: usize) -> usize {
        TABLES.entries[index].first as usize
    }

    /// Whether it is all on the board with the upper left corner of its bounding box on `corner`.
    #[inline]
    pub(crate) fn fits(self, corner: Cell) -> bool {
        corner.x() + self.width() <= SIZE && corner.y() + self.height() <= SIZE
    }

    /// The cells, with the upper left corner of the bounding box on `corner`, where it fits.
    #[inline]
    pub(crate) fn at(self, corner: Cell) -> Cells {
        debug_assert!(self.fits(corner), "{self:?} is partly off the board at {corner}");
        Cells::from_shape(self.entry().shape, corner.bit())
    }
}

impl fmt::Debug for Orientation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.piece().name(), self.code_orientation())
    }
}

impl PieceSet {
    /// No piece.
    pub const EMPTY: PieceSet = PieceSet(0);

    /// All 21 pieces.
    pub const ALL: PieceSet = PieceSet((1 << PIECES) - 1);

    /// Whether a piece is in the set.
    #[must_use]
    #[inline]
    pub fn contains(self, piece: Piece) -> bool {
        self.0 >> piece.0 & 1 == 1
    }

    /// The set with a piece added.
    #[must_use]
    #[inline]
    pub fn with(self, piece: Piece) -> PieceSet {
        PieceSet(self.0 | 1 << piece.0)
    }

    /// The pieces that are not in the set.
    #[must_use]
    #[inline]
    pub fn complement(self) -> PieceSet {
        PieceSet(!self.0 & PieceSet::ALL.0)
    }

    /// How many pieces are in the set.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no piece.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The pieces, the smallest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Piece> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let piece = (rest != 0).then_some(Piece(rest.trailing_zeros() as u8))?;
            rest &= rest - 1;
            Some(piece)
        })
    }
}

impl FromIterator<Piece> for PieceSet {
    fn from_iter<I: IntoIterator<Item = Piece>>(pieces: I) -> PieceSet {
        pieces.into_iter().fold(PieceSet::EMPTY, PieceSet::with)
    }
}

impl fmt::Debug for PieceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
