//! Moves, and the set of all legal placements of a colour.
//!
//! The set is recomputed for each position, for all places together: shifting the cells that a colour may cover by the
//! steps of an orientation's cells and intersecting the results gives every place where the orientation fits, 256 bits
//! in a few instructions. All placements of a position take a third of a microsecond (`docs/measured.md`), so no list
//! of moves is carried from ply to ply.

use std::fmt;
use std::ops::ControlFlow;

use crate::cells::{Cell, CellCount, Cells, SIZE};
use crate::piece::{ORIENTATIONS, Orientation, PIECES, PLACEMENTS, Piece, PieceSet};

/// A placement of a piece, or the pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

impl Move {
    /// The move of a side that cannot place a piece.
    pub const PASS: Move = Move(u16::MAX);

    /// How many moves there are: the placements and the pass.
    pub const COUNT: usize = PLACEMENTS + 1;

    /// The placement of an orientation with the upper left corner of its bounding box on a cell; `None` where a part would
    /// be off the board.
    #[must_use]
    pub fn place(orientation: Orientation, corner: Cell) -> Option<Move> {
        orientation.fits(corner).then_some(Move::placement(orientation.index(), corner))
    }

    /// The placement that covers exactly these cells; `None` if they are no piece.
    #[must_use]
    pub fn covering(cells: Cells) -> Option<Move> {
        let (orientation, corner) = Piece::of_cells(cells)?;
        Some(Move::placement(orientation.index(), corner))
    }

    #[inline]
    pub(crate) fn placement(orientation: usize, corner: Cell) -> Move {
        Move((orientation as u16) << 8 | u16::from(corner.bit()))
    }

    /// Orientation and upper left corner of the bounding box; `None` for the pass.
    #[must_use]
    #[inline]
    pub fn parts(self) -> Option<(Orientation, Cell)> {
        if self == Move::PASS {
            return None;
        }
        Some((Orientation::of_index(usize::from(self.0 >> 8))?, Cell::of_bit(self.0 as u8)?))
    }

    /// The piece that is placed; `None` for the pass.
    #[must_use]
    #[inline]
    pub fn piece(self) -> Option<Piece> {
        self.parts().map(|(orientation, _)| orientation.piece())
    }

    /// The cells that are covered; none by the pass.
    #[must_use]
    #[inline]
    pub fn cells(self) -> Cells {
        self.parts().map_or(Cells::EMPTY, |(orientation, corner)| orientation.at(corner))
    }

    /// The number of the move: 0 to 13,728 for placements, by piece, orientation, row and column of the upper left corner;
    /// 13,729 for the pass.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self.parts().map_or(PLACEMENTS, |(orientation, corner)| {
            let columns = usize::from(SIZE + 1 - orientation.width());
            Orientation::first_placement(orientation.index())
                + columns * usize::from(corner.y())
                + usize::from(corner.x())
        })
    }

    /// The move with this number; `None` from 13,730 on.
    #[must_use]
    pub fn of_index(index: usize) -> Option<Move> {
        if index == PLACEMENTS {
            return Some(Move::PASS);
        }
        let orientation = Orientation::of_index(usize::from(*ORIENTATION_OF.get(index)?))?;
        let columns = usize::from(SIZE + 1 - orientation.width());
        let place = index - Orientation::first_placement(orientation.index());
        let (x, y) = (u8::try_from(place % columns).ok()?, u8::try_from(place / columns).ok()?);
        Move::place(orientation, Cell::at(x, y)?)
    }

    /// All placements, by number.
    pub fn placements() -> impl Iterator<Item = Move> {
        (0..PLACEMENTS).filter_map(Move::of_index)
    }

    /// The move in bits.
    #[must_use]
    pub fn pack(self) -> u32 {
        self.0.into()
    }

    /// The move of these bits; `None` if no move has them.
    #[must_use]
    pub fn unpack(bits: u32) -> Option<Move> {
        let bits = u16::try_from(bits).ok()?;
        if bits == Move::PASS.0 {
            return Some(Move::PASS);
        }
        Move::place(Orientation::of_index(usize::from(bits >> 8))?, Cell::of_bit(bits as u8)?)
    }

    /// The move mirrored at the diagonal through both start cells.
    #[must_use]
    pub fn transposed(self) -> Move {
        Move::covering(self.cells().iter().map(Cell::transposed).collect()).unwrap_or(Move::PASS)
    }

    /// The move after a rotation of the board by 180°.
    #[must_use]
    pub fn rotated(self) -> Move {
        Move::covering(self.cells().iter().map(Cell::rotated).collect()).unwrap_or(Move::PASS)
    }
}

/// The orientation of each numbered placement: a tree search asks for it at every step.
static ORIENTATION_OF: [u8; PLACEMENTS] = {
    let mut orientations = [0; PLACEMENTS];
    let (mut orientation, mut index) = (0, 0);
    while index < PLACEMENTS {
        while orientation + 1 < ORIENTATIONS && Orientation::first_placement(orientation + 1) <= index {
            orientation += 1;
        }
        orientations[index] = orientation as u8;
        index += 1;
    }
    orientations
};

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where and with what a colour may place a piece.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// The cells that it may cover: empty, and not beside a cell of its own.
    pub free: Cells,
    /// The cells of which a placement must cover one: diagonal to a cell of its own, or the start cells.
    pub attach: Cells,
    /// The pieces that it has left.
    pub pieces: PieceSet,
}

/// The cells of a [`Reach`], moved back by each [`step`](crate::piece::step).
pub(crate) struct Shifted {
    free: [Cells; 16],
    attach: [Cells; 16],
}

impl Reach {
    #[inline(always)]
    pub(crate) fn shifted(&self) -> Shifted {
        Shifted { free: shifted(self.free), attach: shifted(self.attach) }
    }

    /// Calls `visit` with the number of each orientation of the pieces left, and with the corners where it can be placed.
    #[inline(always)]
    fn visit<B>(&self, mut visit: impl FnMut(usize, Cells) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.attach.is_empty() {
            return ControlFlow::Continue(());
        }
        let shifted = self.shifted();
        for piece in self.pieces.iter() {
            for orientation in piece.orientation_range() {
                visit(orientation, shifted.corners(orientation))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// How many placements there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        let mut count = 0;
        let _ = self.visit(|_, corners| {
            count += corners.count();
            ControlFlow::<()>::Continue(())
        });
        count
    }

    /// Whether there is a placement.
    #[must_use]
    pub fn any(&self) -> bool {
        self.visit(|_, corners| if corners.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
            .is_break()
    }

    /// The pieces that have a placement.
    #[must_use]
    pub(crate) fn fitting(&self) -> PieceSet {
        if self.attach.is_empty() {
            return PieceSet::EMPTY;
        }
        let shifted = self.shifted();
        let fits = |piece: &Piece| piece.orientation_range().any(|number| !shifted.corners(number).is_empty());
        self.pieces.iter().filter(fits).collect()
    }

    /// Calls `visit` with each placement, by number, until it breaks.
    pub fn visit_moves<B>(&self, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit(|orientation, corners| {
            corners.iter().try_for_each(|corner| visit(Move::placement(orientation, corner)))
        })
    }
}

/// The cells from which each [`step`](crate::piece::step) leads into the set.
#[inline(always)]
pub(crate) fn shifted(cells: Cells) -> [Cells; 16] {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    return crate::simd::shifted(cells);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    portable::shifted(cells)
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
pub(crate) mod portable {
    use crate::cells::Cells;
    use crate::piece::step;

    /// See [`super::shifted`].
    #[inline(always)]
    pub(crate) fn shifted(cells: Cells) -> [Cells; 16] {
        let mut shifted = [Cells::EMPTY; 16];
        for dx in 0..5 {
            let mut moved = cells.left_of(dx);
            for dy in 0..5 - dx {
                shifted[step(dx, dy)] = moved;
                moved = moved.above();
            }
        }
        shifted
    }
}

impl Shifted {
    /// The corners of the bounding box with which an orientation covers free cells only, and one to attach to.
    #[inline(always)]
    pub(crate) fn corners(&self, orientation: usize) -> Cells {
        let [a, b, c, d, e] = Orientation::steps(orientation);
        let (free, attach) = (&self.free, &self.attach);
        free[a] & free[b] & free[c] & free[d] & free[e] & (attach[a] | attach[b] | attach[c] | attach[d] | attach[e])
    }
}

/// All placements of a colour in a position, for random access: a bitboard of corners for each orientation.
///
/// A buffer of 3 KiB, made once and filled for each position.
#[derive(Clone, Debug)]
pub struct MoveSet {
    /// Those of the pieces of `pieces` are up to date.
    corners: [Cells; ORIENTATIONS],
    /// How many placements each piece has; as above.
    counts: [u16; PIECES],
    pieces: PieceSet,
    count: usize,
}

impl Default for MoveSet {
    fn default() -> Self {
        MoveSet { corners: [Cells::EMPTY; ORIENTATIONS], counts: [0; PIECES], pieces: PieceSet::EMPTY, count: 0 }
    }
}

impl MoveSet {
    /// Makes this the set of the placements of a colour, and returns how many there are.
    #[inline]
    pub fn fill(&mut self, reach: &Reach) -> usize {
        self.count = 0;
        self.pieces = if reach.attach.is_empty() { PieceSet::EMPTY } else { reach.pieces };
        let shifted = reach.shifted();
        for piece in self.pieces.iter() {
            let mut count = CellCount::default();
            for orientation in piece.orientation_range() {
                let corners = shifted.corners(orientation);
                self.corners[orientation] = corners;
                count.add(corners);
            }
            let count = count.total();
            self.counts[piece.index()] = count as u16;
            self.count += count as usize;
        }
        self.count
    }

    /// How many placements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no placement.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The placement with `rank` placements of smaller numbers in the set; `None` when there are not so many.
    #[must_use]
    #[inline]
    pub fn nth(&self, rank: usize) -> Option<Move> {
        let mut rank = u32::try_from(rank).ok()?;
        for piece in self.pieces.iter() {
            let count = u32::from(self.counts[piece.index()]);
            if count <= rank {
                rank -= count;
                continue;
            }
            for orientation in piece.orientation_range() {
                let corners = self.corners[orientation];
                let count = corners.count();
                if rank < count {
                    return Some(Move::placement(orientation, corners.nth(rank)));
                }
                rank -= count;
            }
        }
        None
    }

    /// The corners of the bounding box with which each orientation of the pieces left can be placed.
    pub fn orientations(&self) -> impl Iterator<Item = (Orientation, Cells)> {
        let numbers = self.pieces.iter().flat_map(Piece::orientation_range);
        numbers.filter_map(|number| Some((Orientation::of_index(number)?, self.corners[number])))
    }

    /// The placements, by number.
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        self.orientations().flat_map(|(orientation, corners)| {
            corners.iter().map(move |corner| Move::placement(orientation.index(), corner))
        })
    }
}
