//! The rules: Blokus Duo's implementation of the traits of `banmen-game`.

use std::ops::ControlFlow;

use banmen_game::{Game, MoveIndex, Outcome, Side, Symmetries};

use crate::cells::{Cell, Cells};
use crate::moves::{Move, Reach};
use crate::piece::{Piece, PieceSet};
use crate::position::Position;

/// The rules of Blokus Duo, with their variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blokus {
    starts: Starts,
    early_end: bool,
}

/// Which start cell the first piece of a side must cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starts {
    /// e10 for the first side, j5 for the second.
    Fixed,
    /// Either of them.
    Free,
}

/// The start cells: e10, and j5.
const STARTS: [Cells; 2] = [start(4), start(9)];

const fn start(place: u8) -> Cells {
    match Cell::at(place, place) {
        Some(cell) => Cells::only(cell),
        None => Cells::EMPTY,
    }
}

/// Why a move is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// Neither side can place a piece, or one has placed all its pieces where that ends the game.
    #[error("the game is over")]
    GameOver,
    /// A pass of a side that can place a piece.
    #[error("passing is not allowed while a piece can be placed, such as {placement}")]
    PassNotAllowed {
        /// A legal placement.
        placement: Move,
    },
    /// A piece that is on the board already.
    #[error("piece {} has been placed before", piece.name())]
    PieceUsed {
        /// The piece.
        piece: Piece,
    },
    /// A cell that a piece covers already.
    #[error("{cell} is occupied")]
    Occupied {
        /// The cell.
        cell: Cell,
    },
    /// A cell beside a piece of the same colour.
    #[error("{cell} shares an edge with a piece of the same colour")]
    Edge {
        /// The cell.
        cell: Cell,
    },
    /// A piece that touches none of its colour diagonally.
    #[error("the piece touches no corner of a piece of the same colour")]
    NoCorner,
    /// A first piece that covers no start cell.
    #[error("the first piece must cover {cell}{}", other.map(|cell| format!(" or {cell}")).unwrap_or_default())]
    NoStart {
        /// The start cell, where there are two the first one that is free.
        cell: Cell,
        /// The other one, where it is free too.
        other: Option<Cell>,
    },
}

impl IllegalMove {
    /// The error code, such as `occupied`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            IllegalMove::GameOver => "game_over",
            IllegalMove::PassNotAllowed { .. } => "pass_not_allowed",
            IllegalMove::PieceUsed { .. } => "piece_used",
            IllegalMove::Occupied { .. } => "occupied",
            IllegalMove::Edge { .. } => "edge",
            IllegalMove::NoCorner => "no_corner",
            IllegalMove::NoStart { .. } => "no_start",
        }
    }

    /// The cell of the fault, where one cell is the reason.
    #[must_use]
    pub fn cell(&self) -> Option<Cell> {
        match *self {
            IllegalMove::Occupied { cell } | IllegalMove::Edge { cell } => Some(cell),
            _ => None,
        }
    }
}

impl Blokus {
    /// The first side begins on e10, the second on j5; the game ends when neither can move. Pentobi plays so.
    pub const STANDARD: Blokus = Blokus { starts: Starts::Fixed, early_end: false };

    /// Each side's first piece may cover either start cell, as the printed rules allow.
    pub const FREE_START: Blokus = Blokus { starts: Starts::Free, early_end: false };

    /// The game also ends at once when a side has placed all pieces, as in the FPGA design contests.
    pub const CONTEST: Blokus = Blokus { starts: Starts::Fixed, early_end: true };

    /// The cells of which the first piece of each side must cover one.
    #[must_use]
    pub fn starts(&self) -> [Cells; 2] {
        match self.starts {
            Starts::Fixed => STARTS,
            Starts::Free => [STARTS[0] | STARTS[1]; 2],
        }
    }

    /// Where and with what a side may place a piece, if it is its turn and the game goes on.
    #[must_use]
    #[inline]
    pub fn reach(&self, position: &Position, side: Side) -> Reach {
        let cells = position.cells(side);
        let free = position.free(side);
        let attach = if cells.is_empty() { self.starts()[side.index()] } else { cells.corners() } & free;
        Reach { free, attach, pieces: position.hand(side) }
    }

    /// Whether the game ends when a side has placed all pieces.
    pub(crate) fn ends_early(&self) -> bool {
        self.early_end
    }

    /// Whether a side has placed all pieces where that ends the game.
    #[inline]
    pub(crate) fn ended_early(&self, position: &Position) -> bool {
        self.early_end && Side::BOTH.into_iter().any(|side| position.placed(side) == PieceSet::ALL)
    }

    /// Whether a side can place a piece, if it is its turn.
    #[must_use]
    pub fn can_place(&self, position: &Position, side: Side) -> bool {
        !self.ended_early(position) && self.reach(position, side).any()
    }

    /// The outcome by points, of a position where the game is over.
    #[must_use]
    pub(crate) fn by_points(position: &Position) -> Outcome {
        let [first, second] = Side::BOTH.map(|side| position.score(side));
        let winner = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Side::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::Second),
        };
        Outcome { winner, margin: Some(first.abs_diff(second)), by: "points" }
    }

    /// Whether a move may be played.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, position: &Position, m: Move) -> Result<(), IllegalMove> {
        let side = position.side();
        let Some(piece) = m.piece() else {
            if self.ended_early(position) {
                return Err(IllegalMove::GameOver);
            }
            let placement = self.reach(position, side).visit_moves(ControlFlow::Break).break_value();
            return match placement {
                Some(placement) => Err(IllegalMove::PassNotAllowed { placement }),
                None if self.can_place(position, side.other()) => Ok(()),
                None => Err(IllegalMove::GameOver),
            };
        };
        let Reach { free, attach, pieces } = self.reach(position, side);
        let cells = m.cells();
        if self.ended_early(position) {
            return Err(IllegalMove::GameOver);
        }
        if !pieces.contains(piece) {
            return Err(IllegalMove::PieceUsed { piece });
        }
        if let Some(cell) = (cells & position.occupied()).first() {
            return Err(IllegalMove::Occupied { cell });
        }
        if let Some(cell) = (cells & !free).first() {
            return Err(IllegalMove::Edge { cell });
        }
        if cells.intersects(attach) {
            return Ok(());
        }
        let starts = self.starts()[side.index()];
        let mut open = (starts & free).iter();
        match open.next().or(starts.first()) {
            Some(cell) if position.cells(side).is_empty() => Err(IllegalMove::NoStart { cell, other: open.next() }),
            _ => Err(IllegalMove::NoCorner),
        }
    }
}

impl Default for Blokus {
    fn default() -> Self {
        Blokus::STANDARD
    }
}

impl Game for Blokus {
    type Position = Position;
    type Move = Move;
    type History = ();

    fn start(&self) -> Position {
        Position::START
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.side()
    }

    fn outcome(&self, position: &Position, (): &()) -> Option<Outcome> {
        // The side to move is more likely to have a move.
        let sides = [position.side(), position.side().other()];
        let over = !sides.into_iter().any(|side| self.can_place(position, side));
        over.then(|| Blokus::by_points(position))
    }

    fn visit_moves<B>(&self, position: &Position, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.ended_early(position) {
            return ControlFlow::Continue(());
        }
        let mut any = false;
        self.reach(position, position.side()).visit_moves(|m| {
            any = true;
            visit(m)
        })?;
        if !any && self.can_place(position, position.side().other()) {
            return visit(Move::PASS);
        }
        ControlFlow::Continue(())
    }

    fn play(&self, position: &mut Position, m: Move) {
        // An illegal placement would break the position in every build; a pass cannot, and costs more to check.
        if cfg!(debug_assertions) || m != Move::PASS {
            assert_eq!(self.check(position, m), Ok(()), "{m} in {position:?}");
        }
        position.play(m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// Each side has at most 21 turns before it is stuck, and the game ends when both are.
    fn max_plies(&self) -> usize {
        42
    }

    fn pack(&self, m: Move) -> u32 {
        m.pack()
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        Move::unpack(bits)
    }

    fn pass(&self) -> Option<Move> {
        Some(Move::PASS)
    }

    fn count_moves(&self, position: &Position) -> usize {
        if self.ended_early(position) {
            return 0;
        }
        match self.reach(position, position.side()).count() {
            0 => usize::from(self.can_place(position, position.side().other())),
            count => count as usize,
        }
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        self.check(position, m).is_ok()
    }
}

/// Identity, and the reflection at the diagonal through both start cells; where either side may begin on both start cells also
/// the rotation by 180° and the other reflection. Elsewhere these exchange the colours: see [`Position::rotated`].
impl Symmetries for Blokus {
    fn symmetry_count(&self) -> usize {
        if self.starts == Starts::Free { 4 } else { 2 }
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        let turned = if symmetry & 2 == 0 { *position } else { position.turned() };
        if symmetry & 1 == 0 { turned } else { turned.transposed() }
    }

    fn transform_move(&self, m: Move, symmetry: usize) -> Move {
        let turned = if symmetry & 2 == 0 { m } else { m.rotated() };
        if symmetry & 1 == 0 { turned } else { turned.transposed() }
    }
}

/// The placements by piece, orientation, row and column, then the pass.
impl MoveIndex for Blokus {
    fn move_count(&self) -> usize {
        Move::COUNT
    }

    fn move_index(&self, m: Move) -> usize {
        m.index()
    }

    fn indexed_move(&self, index: usize) -> Option<Move> {
        Move::of_index(index)
    }
}
