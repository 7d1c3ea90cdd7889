//! The position, and playing a move.

use std::hash::Hash;

use banmen_game::{Side, mix};

use crate::cells::{Cell, Cells};
use crate::moves::Move;
use crate::notation::letter;
use crate::piece::{Piece, PieceSet};

/// Why cells are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Both colours on one cell.
    #[error("both colours cover {cell}")]
    Overlap {
        /// The cell.
        cell: Cell,
    },
    /// Cells of one colour that are joined by edges, and are no piece.
    #[error("the cells of one colour around {cell} are not one of the 21 pieces")]
    NoPiece {
        /// The first of the cells.
        cell: Cell,
    },
    /// Two pieces of one colour that are the same.
    #[error("piece {} at {cell} lies on the board a second time", piece.name())]
    PieceTwice {
        /// The piece.
        piece: Piece,
        /// The first cell of the second one.
        cell: Cell,
    },
    /// A piece that no chain of corners joins to the other pieces of its colour.
    #[error("the piece at {cell} is not joined by corners to the other pieces of its colour")]
    Apart {
        /// The first cell of the piece.
        cell: Cell,
    },
    /// A colour whose pieces cover no start cell.
    #[error("no piece of {} covers its start cell", letter(*side))]
    NoStart {
        /// The colour.
        side: Side,
        /// Its first cell.
        cell: Cell,
    },
    /// A colour that has not placed all pieces with the monomino last.
    #[error("{} has not placed all 21 pieces, so its last one was not the monomino", letter(*side))]
    NotLast {
        /// The side.
        side: Side,
    },
}

impl PositionError {
    /// The error code, such as `no_piece`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            PositionError::Overlap { .. } => "overlap",
            PositionError::NoPiece { .. } => "no_piece",
            PositionError::PieceTwice { .. } => "piece_twice",
            PositionError::Apart { .. } => "apart",
            PositionError::NoStart { .. } => "no_start",
            PositionError::NotLast { .. } => "not_last",
        }
    }

    /// The cell of the fault; `None` where it is not on the board.
    #[must_use]
    pub fn cell(&self) -> Option<Cell> {
        match *self {
            PositionError::Overlap { cell }
            | PositionError::NoPiece { cell }
            | PositionError::PieceTwice { cell, .. }
            | PositionError::Apart { cell }
            | PositionError::NoStart { cell, .. } => Some(cell),
            PositionError::NotLast { .. } => None,
        }
    }
}

/// The cells of both colours, and the side to move.
///
/// Pieces of one colour never share an edge, so the cells determine the pieces; the pieces placed are kept beside them to
/// save time. Besides, a colour that has placed all pieces remembers whether the last was the monomino.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    cells: [Cells; 2],
    placed: [PieceSet; 2],
    monomino_last: [bool; 2],
    side: Side,
}

impl Position {
    /// The empty board, the first side to move.
    pub const START: Position = Position {
        cells: [Cells::EMPTY; 2],
        placed: [PieceSet::EMPTY; 2],
        monomino_last: [false; 2],
        side: Side::First,
    };

    /// The position with these cells of the first and the second side. `starts` are the cells of which one must be covered
    /// by each side that has placed a piece; `monomino_last` says which sides have placed all pieces with the monomino
    /// last.
    ///
    /// # Errors
    /// Where the cells are not pieces, each placed once, joined by corners from a start cell on.
    pub fn new(
        cells: [Cells; 2],
        side: Side,
        monomino_last: [bool; 2],
        starts: [Cells; 2],
    ) -> Result<Position, PositionError> {
        if let Some(cell) = (cells[0] & cells[1]).first() {
            return Err(PositionError::Overlap { cell });
        }
        let mut placed = [PieceSet::EMPTY; 2];
        for side in Side::BOTH {
            let index = side.index();
            placed[index] = pieces_of(side, cells[index], starts[index])?;
            if monomino_last[index] && placed[index] != PieceSet::ALL {
                return Err(PositionError::NotLast { side });
            }
        }
        Ok(Position { cells, placed, monomino_last, side })
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The cells that a side covers.
    #[must_use]
    #[inline]
    pub fn cells(&self, side: Side) -> Cells {
        self.cells[side.index()]
    }

    /// The cells that either side covers.
    #[must_use]
    #[inline]
    pub fn occupied(&self) -> Cells {
        self.cells[0] | self.cells[1]
    }

    /// The pieces that a side has placed.
    #[must_use]
    #[inline]
    pub fn placed(&self, side: Side) -> PieceSet {
        self.placed[side.index()]
    }

    /// The pieces that a side has in hand.
    #[must_use]
    #[inline]
    pub fn hand(&self, side: Side) -> PieceSet {
        self.placed[side.index()].complement()
    }

    /// The cells of each piece that a side has placed, in the order of their first cells from the top left.
    pub fn pieces(&self, side: Side) -> impl Iterator<Item = Cells> {
        components(self.cells(side))
    }

    /// How many pieces both sides have placed together.
    #[must_use]
    pub fn placements(&self) -> u32 {
        self.placed[0].count() + self.placed[1].count()
    }

    /// Whether a side has placed all pieces, the monomino last.
    #[must_use]
    pub fn monomino_last(&self, side: Side) -> bool {
        self.monomino_last[side.index()]
    }

    /// The points of a side: a point a square, 15 for placing all pieces, and 5 more if the monomino was the last.
    #[must_use]
    pub fn score(&self, side: Side) -> u32 {
        let all = self.placed(side) == PieceSet::ALL;
        self.cells(side).count() + 15 * u32::from(all) + 5 * u32::from(self.monomino_last(side))
    }

    /// The cells that a side may cover: empty, and not beside a cell of its own.
    #[must_use]
    #[inline]
    pub fn free(&self, side: Side) -> Cells {
        !(self.occupied() | self.cells(side).edges())
    }

    /// Plays a placement or the pass for the side to move. The caller ensures that it is legal; in every build the
    /// side's cells and pieces grow by those of the move.
    #[inline]
    pub(crate) fn play(&mut self, m: Move) {
        let side = self.side.index();
        if let Some((orientation, corner)) = m.parts() {
            let piece = orientation.piece();
            self.cells[side] |= orientation.at(corner);
            self.placed[side] = self.placed[side].with(piece);
            self.monomino_last[side] = piece == Piece::MONOMINO && self.placed[side] == PieceSet::ALL;
        }
        self.side = self.side.other();
    }

    /// The position with the other side to move.
    #[must_use]
    pub fn other_side(&self) -> Position {
        Position { side: self.side.other(), ..*self }
    }

    /// A 64-bit key of the position.
    #[must_use]
    pub fn key(&self) -> u64 {
        let words = self.cells.iter().flat_map(|cells| cells.words());
        let rest =
            self.side.index() | usize::from(self.monomino_last[0]) << 1 | usize::from(self.monomino_last[1]) << 2;
        words.fold(mix(rest as u64), |key, word| mix(key ^ word))
    }

    /// The position mirrored at the diagonal through both start cells.
    #[must_use]
    pub fn transposed(&self) -> Position {
        let cells = self.cells.map(|cells| cells.iter().map(Cell::transposed).collect());
        Position { cells, ..*self }
    }

    /// The position after a rotation of the board by 180°, with the same colours.
    #[must_use]
    pub fn turned(&self) -> Position {
        let cells = self.cells.map(|cells| cells.iter().map(Cell::rotated).collect());
        Position { cells, ..*self }
    }

    /// The position after a rotation of the board by 180°, with the colours exchanged: the start cells change places,
    /// so the rules are the same, and the sides exchange their prospects.
    #[must_use]
    pub fn rotated(&self) -> Position {
        let [first, second] = self.turned().cells;
        Position {
            cells: [second, first],
            placed: [self.placed[1], self.placed[0]],
            monomino_last: [self.monomino_last[1], self.monomino_last[0]],
            side: self.side.other(),
        }
    }
}

/// The pieces that the cells of one colour are.
fn pieces_of(side: Side, cells: Cells, starts: Cells) -> Result<PieceSet, PositionError> {
    let mut placed = PieceSet::EMPTY;
    for component in components(cells) {
        let Some(cell) = component.first() else { continue };
        let piece = Move::covering(component).and_then(Move::piece).ok_or(PositionError::NoPiece { cell })?;
        if placed.contains(piece) {
            return Err(PositionError::PieceTwice { piece, cell });
        }
        placed = placed.with(piece);
    }
    if let Some(cell) = cells.first() {
        let Some(start) = (cells & starts).first() else { return Err(PositionError::NoStart { side, cell }) };
        let joined = grown(Cells::only(start), |part| (part.edges() | part.corners()) & cells);
        if let Some(cell) = (cells & !joined).first() {
            return Err(PositionError::Apart { cell });
        }
    }
    Ok(placed)
}

/// The sets of cells that edges join, in the order of their first cells.
fn components(cells: Cells) -> impl Iterator<Item = Cells> {
    let mut rest = cells;
    std::iter::from_fn(move || {
        let component = grown(Cells::only(rest.first()?), |part| part.edges() & cells);
        rest = rest & !component;
        Some(component)
    })
}

/// Adds what `more` finds until it finds nothing new.
fn grown(mut part: Cells, more: impl Fn(Cells) -> Cells) -> Cells {
    loop {
        let next = part | more(part);
        if next == part {
            return part;
        }
        part = next;
    }
}
