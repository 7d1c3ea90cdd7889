//! The state: seven masks of twelve squares, two hands, and the side to move.

use std::fmt;

use banmen_game::{Side, mix};

use crate::board::{self, BOARD, Hen, Piece, Square, far_rank, squares};

/// The pieces that a side holds in hand: two bits per kind, in the order of [`Piece`]. The lion's bits are for a caught
/// lion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand(u8);

impl Hand {
    /// The number of pieces of a kind: 0 to 2. Hens are held as chicks.
    #[must_use]
    #[inline]
    pub fn count(self, piece: Piece) -> u32 {
        u32::from(self.0 >> (2 * piece.captured().index()) & 3)
    }

    /// Whether the hand is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of kinds that can be dropped.
    #[must_use]
    #[inline]
    pub(crate) fn kinds(self) -> u32 {
        ((self.0 | self.0 >> 1) & 0b01_01_01).count_ones()
    }

    /// Six bits, two for each of the kinds that can be dropped: as many of the two are set as pieces are held.
    #[must_use]
    #[inline]
    pub(crate) fn unary(self) -> u8 {
        (self.0 | self.0 >> 1 & 0b01_01_01) & 0b11_11_11
    }

    /// The hand with these numbers of chicks, elephants and giraffes, at most 2 each.
    pub(crate) fn of(counts: [u32; 3]) -> Hand {
        Hand(counts.iter().rev().fold(0, |bits, &count| bits << 2 | count as u8))
    }

    #[inline]
    pub(crate) fn add(&mut self, piece: Piece) {
        self.0 += 1 << (2 * piece.captured().index());
    }

    #[inline]
    pub(crate) fn remove(&mut self, piece: Piece) {
        self.0 -= 1 << (2 * piece.captured().index());
    }
}

/// The content of a cell: a piece and its owner, or nothing.
pub type Cell = Option<(Side, Piece)>;

/// Why a board and hands are not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// A side has no lion, neither on the board nor caught.
    #[error("the {} side has no lion", side.name())]
    NoLion {
        /// The side.
        side: Side,
    },
    /// A side has two lions.
    #[error("the {} side has two lions", side.name())]
    TwoLions {
        /// The side.
        side: Side,
    },
    /// Both lions are caught, or a side holds its own.
    #[error("the {} side cannot hold a lion here", side.name())]
    LionInHand {
        /// The side.
        side: Side,
    },
    /// A lion is caught, but the side that caught it is to move.
    #[error("the lion is caught, but it is the turn of the {} side that caught it", side.name())]
    TurnAfterCatch {
        /// The side.
        side: Side,
    },
    /// The number of a kind, over both sides, board and hands, is not two; hens count as chicks.
    #[error("there must be 2 {}s, found {found}", piece.name())]
    WrongCount {
        /// The kind.
        piece: Piece,
        /// The number found.
        found: u32,
    },
}

impl PositionError {
    /// An identifier for programs: `no_lion`, `two_lions`, `lion_in_hand`, `turn_after_catch`, `wrong_count`.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            PositionError::NoLion { .. } => "no_lion",
            PositionError::TwoLions { .. } => "two_lions",
            PositionError::LionInHand { .. } => "lion_in_hand",
            PositionError::TurnAfterCatch { .. } => "turn_after_catch",
            PositionError::WrongCount { .. } => "wrong_count",
        }
    }
}

/// A move: a piece steps, or one from the hand is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// The piece on `from` steps to `to` and captures a piece there. A chick that reaches the far rank is promoted.
    Step {
        /// The origin.
        from: Square,
        /// The target.
        to: Square,
    },
    /// A piece from the hand is dropped on `to`.
    Drop {
        /// Chick, elephant or giraffe.
        piece: Piece,
        /// An empty square.
        to: Square,
    },
}

impl Move {
    /// The target of the move.
    #[must_use]
    pub fn to(self) -> Square {
        match self {
            Move::Step { to, .. } | Move::Drop { to, .. } => to,
        }
    }

    /// Packs the move into eight bits: the target in the low four; above it the origin, or 12 to 14 for a dropped
    /// chick, elephant or giraffe.
    #[must_use]
    pub fn pack(self) -> u32 {
        let (origin, to) = match self {
            Move::Step { from, to } => (from.index(), to),
            Move::Drop { piece, to } => (12 + piece.index(), to),
        };
        (origin << 4 | to.index()) as u32
    }

    /// The move that [`Move::pack`] packed into these bits; `None` for other bits.
    #[must_use]
    pub fn unpack(bits: u32) -> Option<Move> {
        let to = Square::new((bits & 15) as usize)?;
        let origin = (bits >> 4) as usize;
        match Square::new(origin) {
            Some(from) => Some(Move::Step { from, to }),
            None => Piece::DROPPED.get(origin - 12).map(|&piece| Move::Drop { piece, to }),
        }
    }

    /// The move mirrored left to right: the files A and C are exchanged.
    #[must_use]
    pub fn mirrored(self) -> Move {
        match self {
            Move::Step { from, to } => Move::Step { from: from.mirrored(), to: to.mirrored() },
            Move::Drop { piece, to } => Move::Drop { piece, to: to.mirrored() },
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Step { from, to } => write!(f, "{from}-{to}"),
            Move::Drop { piece, to } => write!(f, "{}*{to}", piece.name()),
        }
    }
}

/// A position. It need not be reachable. Every kind has its full number of pieces, and at most one lion is caught, by
/// the side that has just moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pieces: [u16; 5],
    sides: [u16; 2],
    hands: [Hand; 2],
    side: Side,
}

impl Position {
    /// The start of every game.
    pub const START: Position = Position {
        pieces: [1 << 4 | 1 << 7, 1 << 2 | 1 << 9, 1 << 0 | 1 << 11, 1 << 1 | 1 << 10, 0],
        sides: [0b111_010_000_000, 0b000_000_010_111],
        hands: [Hand(0); 2],
        side: Side::First,
    };

    /// The position with these cells in reading order, these hands, and `side` to move. For each side `hands` has the
    /// numbers of chicks, elephants, giraffes and caught lions.
    ///
    /// # Errors
    /// Fails if there are too few or too many of a kind, or if a lion is caught where it cannot be.
    pub fn new(cells: &[Cell; 12], hands: [[u32; 4]; 2], side: Side) -> Result<Position, PositionError> {
        let mut position = Position { pieces: [0; 5], sides: [0; 2], hands: [Hand(0); 2], side };
        for (index, cell) in cells.iter().enumerate() {
            if let Some((owner, piece)) = *cell {
                position.pieces[piece.index()] |= 1 << index;
                position.sides[owner.index()] |= 1 << index;
            }
        }
        for owner in Side::BOTH {
            match position.mask(owner, Piece::Lion).count_ones() {
                0 => {
                    let caught = hands[owner.other().index()][Piece::Lion.index()];
                    if caught == 0 {
                        return Err(PositionError::NoLion { side: owner });
                    }
                    if caught > 1 {
                        return Err(PositionError::TwoLions { side: owner });
                    }
                    if owner != side {
                        return Err(PositionError::TurnAfterCatch { side });
                    }
                }
                1 if hands[owner.other().index()][Piece::Lion.index()] > 0 => {
                    return Err(PositionError::LionInHand { side: owner.other() });
                }
                1 => {}
                _ => return Err(PositionError::TwoLions { side: owner }),
            }
        }
        for piece in Piece::DROPPED {
            let mut found = position.pieces[piece.index()].count_ones();
            if piece == Piece::Chick {
                found += position.pieces[Piece::Hen.index()].count_ones();
            }
            found = hands.iter().fold(found, |found, hand| found.saturating_add(hand[piece.index()]));
            if found != 2 {
                return Err(PositionError::WrongCount { piece, found });
            }
        }
        for owner in Side::BOTH {
            for (piece, &count) in Piece::ALL.iter().zip(&hands[owner.index()]) {
                for _ in 0..count {
                    position.hands[owner.index()].add(*piece);
                }
            }
        }
        Ok(position)
    }

    /// The position of these masks and hands, with the first side to move. The caller keeps the rules' invariants.
    #[inline]
    pub(crate) fn from_parts(pieces: [u16; 5], sides: [u16; 2], hands: [Hand; 2]) -> Position {
        Position { pieces, sides, hands, side: Side::First }
    }

    /// The same pieces with the other side to move: the first step of taking a move back.
    #[inline]
    pub(crate) fn taken_back(&self) -> Position {
        Position { side: self.side.other(), ..*self }
    }

    /// Removes a piece from the board.
    #[inline]
    pub(crate) fn lift(&mut self, side: Side, piece: Piece, square: Square) {
        self.pieces[piece.index()] &= !square.mask();
        self.sides[side.index()] &= !square.mask();
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(crate) fn put(&mut self, side: Side, piece: Piece, square: Square) {
        self.pieces[piece.index()] |= square.mask();
        self.sides[side.index()] |= square.mask();
    }

    /// Adds a piece to a hand.
    #[inline]
    pub(crate) fn hold(&mut self, side: Side, piece: Piece) {
        self.hands[side.index()].add(piece);
    }

    /// Removes a piece from a hand that holds it.
    #[inline]
    pub(crate) fn release(&mut self, side: Side, piece: Piece) {
        self.hands[side.index()].remove(piece);
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The pieces in hand of a side.
    #[must_use]
    #[inline]
    pub fn hand(&self, side: Side) -> Hand {
        self.hands[side.index()]
    }

    /// The squares with a piece of this kind and side.
    #[must_use]
    #[inline]
    pub fn mask(&self, side: Side, piece: Piece) -> u16 {
        self.pieces[piece.index()] & self.sides[side.index()]
    }

    /// The squares with any piece of a side.
    #[must_use]
    #[inline]
    pub fn occupied(&self, side: Side) -> u16 {
        self.sides[side.index()]
    }

    /// The squares without a piece.
    #[must_use]
    #[inline]
    pub fn empty(&self) -> u16 {
        BOARD & !(self.sides[0] | self.sides[1])
    }

    /// The content of a square.
    #[must_use]
    pub fn cell(&self, square: Square) -> Cell {
        let side = Side::BOTH.into_iter().find(|side| self.occupied(*side) & square.mask() != 0)?;
        Some((side, self.piece_on(square)?))
    }

    /// The kind of the piece on a square.
    #[inline]
    fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::ALL.into_iter().find(|piece| self.pieces[piece.index()] & square.mask() != 0)
    }

    /// The squares that pieces of a side attack.
    #[must_use]
    #[inline]
    pub(crate) fn attacked_by(&self, side: Side) -> u16 {
        self.attacked_as(Hen::Six, side)
    }

    /// As [`Position::attacked_by`], with the given movement for hens.
    #[inline]
    pub(crate) fn attacked_as(&self, hen: Hen, side: Side) -> u16 {
        self.directions(hen, side).into_iter().fold(0, |all, squares| all | squares)
    }

    /// The targets of one step in each of the eight directions, ignoring what occupies them: forward, forward left,
    /// forward right, left, right, back, back left, back right.
    #[inline]
    pub(crate) fn directions(&self, hen: Hen, side: Side) -> [u16; 8] {
        let own = self.sides[side.index()];
        let [chick, elephant, giraffe, lion, hens] = self.pieces.map(|mask| mask & own);
        let ahead = board::forward(side, chick | giraffe | lion | hens);
        let ahead_across = board::forward(side, elephant | lion | hens);
        let beside = giraffe | lion | hens;
        let back = board::forward(side.other(), if hen == Hen::Six { beside } else { giraffe | lion });
        let back_across = board::forward(side.other(), elephant | lion);
        [
            ahead,
            board::left(ahead_across),
            board::right(ahead_across),
            board::left(beside),
            board::right(beside),
            back,
            board::left(back_across),
            board::right(back_across),
        ]
    }

    /// The pieces of a side that attack a square.
    #[must_use]
    #[inline]
    pub(crate) fn attackers(&self, side: Side, square: Square) -> u16 {
        self.attackers_as(Hen::Six, side, square)
    }

    /// As [`Position::attackers`], with the given movement for hens.
    #[inline]
    pub(crate) fn attackers_as(&self, hen: Hen, side: Side, square: Square) -> u16 {
        // A piece reaches `square` exactly if the other side's piece of its kind would reach it from `square`.
        let reaching = |piece: Piece| piece.reach_as(hen, side.other(), square) & self.mask(side, piece);
        Piece::ALL.into_iter().fold(0, |all, piece| all | reaching(piece))
    }

    /// Whether the lion of a side has been caught.
    #[must_use]
    #[inline]
    pub(crate) fn is_caught(&self, side: Side) -> bool {
        self.mask(side, Piece::Lion) == 0
    }

    /// Whether the lion of a side stands on its far rank.
    #[must_use]
    #[inline]
    pub(crate) fn is_on_far_rank(&self, side: Side) -> bool {
        self.mask(side, Piece::Lion) & far_rank(side) != 0
    }

    /// Whether the lion of a side is attacked.
    #[must_use]
    #[inline]
    pub fn is_in_check(&self, side: Side) -> bool {
        self.mask(side, Piece::Lion) & self.attacked_by(side.other()) != 0
    }

    /// Plays a move by the movement of the pieces; does not check the lions. An impossible move panics in debug builds
    /// and leaves the board unchanged in release builds.
    #[inline]
    pub fn play(&mut self, m: Move) {
        let (own, opp) = (self.side.index(), self.side.other().index());
        match m {
            Move::Drop { piece, to } => {
                let possible = self.hands[own].count(piece) > 0 && self.empty() & to.mask() != 0;
                debug_assert!(possible && Piece::DROPPED.contains(&piece), "{m:?} in {self:?}");
                if possible {
                    self.hands[own].remove(piece);
                    self.pieces[piece.index()] |= to.mask();
                    self.sides[own] |= to.mask();
                }
            }
            Move::Step { from, to } => {
                let (from_mask, to_mask) = (from.mask(), to.mask());
                let possible = self.sides[own] & from_mask != 0 && self.sides[own] & to_mask == 0;
                debug_assert!(possible, "{m:?} in {self:?}");
                if possible {
                    if self.sides[opp] & to_mask != 0 {
                        for piece in Piece::ALL {
                            if self.pieces[piece.index()] & to_mask != 0 {
                                self.hands[own].add(piece);
                            }
                            self.pieces[piece.index()] &= !to_mask;
                        }
                        self.sides[opp] &= !to_mask;
                    }
                    let moved = from_mask | to_mask;
                    for mask in &mut self.pieces {
                        if *mask & from_mask != 0 {
                            *mask ^= moved;
                        }
                    }
                    self.sides[own] ^= moved;
                    // Only a moving chick is promoted; one that was dropped on the far rank stays a chick.
                    let promoted = self.pieces[Piece::Chick.index()] & to_mask & far_rank(self.side);
                    self.pieces[Piece::Chick.index()] ^= promoted;
                    self.pieces[Piece::Hen.index()] |= promoted;
                }
            }
        }
        self.side = self.side.other();
    }

    /// The whole position in 63 bits; different positions have different bits.
    #[must_use]
    #[inline]
    pub fn bits(&self) -> u64 {
        let [chick, elephant, giraffe, lion, hen] = self.pieces.map(u64::from);
        // A kind's code in three planes: chick 1, elephant 2, giraffe 3, lion 4, hen 5.
        let planes = [u64::from(self.sides[0]), chick | giraffe | hen, elephant | giraffe, lion | hen];
        let board = planes[0] | planes[1] << 12 | planes[2] << 24 | planes[3] << 36;
        // One of the two lion bits suffices for each hand.
        let hand = |hand: Hand| u64::from(hand.0 & 0x7F);
        board | hand(self.hands[0]) << 48 | hand(self.hands[1]) << 55 | (self.side.index() as u64) << 62
    }

    /// A 64-bit key: the mixed bits, so different positions always have different keys.
    #[must_use]
    #[inline]
    pub fn key(&self) -> u64 {
        mix(self.bits())
    }

    /// The position mirrored left to right: the files A and C are exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Position {
        Position { pieces: self.pieces.map(board::mirrored), sides: self.sides.map(board::mirrored), ..*self }
    }

    /// The same position with the sides exchanged and the board rotated by 180°.
    #[must_use]
    pub fn turned(&self) -> Position {
        let turn = |mask: u16| mask.reverse_bits() >> 4;
        Position {
            pieces: self.pieces.map(turn),
            sides: [turn(self.sides[1]), turn(self.sides[0])],
            hands: [self.hands[1], self.hands[0]],
            side: self.side.other(),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::notation::sfen::format_position(self))
    }
}

/// The cells of a position in reading order.
#[must_use]
pub fn cells(position: &Position) -> [Cell; 12] {
    let mut cells = [None; 12];
    for square in squares(BOARD) {
        cells[square.index()] = position.cell(square);
    }
    cells
}
