//! A position: two bitboards and the side to move.

use std::fmt;

pub use banmen_game::Side;

use crate::moves;

/// A disc placed on a square, or the pass. Squares are numbered like the bits: a1 = 0, b1 = 1, ..., h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u8);

impl Move {
    /// The pass of a side that cannot place a disc.
    pub const PASS: Move = Move(64);

    /// The move that places a disc on `square`; `None` off the board.
    #[must_use]
    pub fn at(square: u32) -> Option<Move> {
        u8::try_from(square).ok().filter(|&square| square < 64).map(Move)
    }

    /// The square of the disc, below 64; `None` for the pass.
    #[must_use]
    pub fn square(self) -> Option<u32> {
        (self != Move::PASS).then_some(u32::from(self.0))
    }
}

impl fmt::Display for Move {
    /// `d3`, and `pa` for the pass.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.square() {
            Some(square) => f.write_str(&moves::name(square)),
            None => f.write_str("pa"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why two bitboards are not a valid position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// Both sides have a disc on this square.
    #[error("both sides have a disc on {}", moves::name(*square))]
    Overlap {
        /// The first such square.
        square: u32,
    },
    /// One of the four squares that the game starts on is empty; no move ever empties a square.
    #[error("{} is empty, but the four centre squares never are", moves::name(*square))]
    EmptyCentre {
        /// The first such square.
        square: u32,
    },
}

/// Why the rules forbid a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// There is a disc on the square already.
    #[error("{} is occupied", moves::name(*square))]
    Occupied {
        /// The square of the move.
        square: u32,
    },
    /// The disc would flip nothing.
    #[error("a disc on {} flips nothing", moves::name(*square))]
    TurnsNothing {
        /// The square of the move.
        square: u32,
    },
    /// A side that can place a disc may not pass.
    #[error("a pass is not allowed while a disc can be placed")]
    PassNotAllowed,
    /// Neither side can place a disc any more.
    #[error("the game is over")]
    GameOver,
}

impl IllegalMove {
    /// The error code: `occupied`, `turns_nothing`, `pass_not_allowed`, `game_over`.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            IllegalMove::Occupied { .. } => "occupied",
            IllegalMove::TurnsNothing { .. } => "turns_nothing",
            IllegalMove::PassNotAllowed => "pass_not_allowed",
            IllegalMove::GameOver => "game_over",
        }
    }
}

/// A position: the discs of the side to move, those of the opponent, and the side to move.
///
/// No square holds two discs, and the four centre squares are occupied. The position need not be reachable from the
/// start. A side that has to pass is the side to move until it has passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    own: u64,
    opp: u64,
    side: Side,
}

/// The squares d4, e4, d5, e5.
const CENTRE: u64 = 0x0000_0018_1800_0000;

impl Position {
    /// The start: black on e4 and d5, white on d4 and e5, black to move.
    pub const START: Position = Position { own: 0x0000_0008_1000_0000, opp: 0x0000_0010_0800_0000, side: Side::First };

    /// The position with the discs `own` of the side to move and `opp` of the opponent, and `side` to move.
    ///
    /// # Errors
    /// When a square holds two discs or a centre square none.
    pub fn new(own: u64, opp: u64, side: Side) -> Result<Position, PositionError> {
        let overlap = own & opp;
        if overlap != 0 {
            return Err(PositionError::Overlap { square: overlap.trailing_zeros() });
        }
        let hole = CENTRE & !(own | opp);
        if hole != 0 {
            return Err(PositionError::EmptyCentre { square: hole.trailing_zeros() });
        }
        Ok(Position { own, opp, side })
    }

    /// The discs of the side to move.
    #[must_use]
    pub fn own(&self) -> u64 {
        self.own
    }

    /// The discs of the opponent of the side to move.
    #[must_use]
    pub fn opp(&self) -> u64 {
        self.opp
    }

    /// The side to move.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The discs of one side.
    #[must_use]
    pub fn discs(&self, side: Side) -> u64 {
        if side == self.side { self.own } else { self.opp }
    }

    /// The empty squares.
    #[must_use]
    pub fn empties(&self) -> u64 {
        !(self.own | self.opp)
    }

    /// The squares where the side to move may place a disc; none when it has to pass or the game is over.
    #[must_use]
    pub fn legal(&self) -> u64 {
        moves::legal(self.own, self.opp)
    }

    /// Whether neither side can place a disc.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.legal() == 0 && moves::legal(self.opp, self.own) == 0
    }

    /// Whether the side to move has to pass: it cannot place a disc and the opponent can.
    #[must_use]
    pub fn must_pass(&self) -> bool {
        self.legal() == 0 && moves::legal(self.opp, self.own) != 0
    }

    /// The final score from the side to move's view: own discs less the opponent's, with the empty squares given to the
    /// winner; 0 is a draw. Meaningful once the game is over.
    #[must_use]
    pub fn score(&self) -> i32 {
        let lead = self.own.count_ones() as i32 - self.opp.count_ones() as i32;
        lead + lead.signum() * self.empties().count_ones() as i32
    }

    /// Checks whether `m` is legal here.
    ///
    /// # Errors
    /// The rule that forbids the move.
    pub fn check(&self, m: Move) -> Result<(), IllegalMove> {
        let legal = self.legal();
        let over = || legal == 0 && moves::legal(self.opp, self.own) == 0;
        match m.square() {
            Some(square) if legal >> square & 1 == 1 => Ok(()),
            Some(square) if (self.own | self.opp) >> square & 1 == 1 => Err(IllegalMove::Occupied { square }),
            _ if over() => Err(IllegalMove::GameOver),
            Some(square) => Err(IllegalMove::TurnsNothing { square }),
            None if legal != 0 => Err(IllegalMove::PassNotAllowed),
            None => Ok(()),
        }
    }

    /// Plays a legal move or pass. An illegal one panics in debug builds; in release builds it only changes the side to
    /// move.
    pub fn play(&mut self, m: Move) {
        debug_assert_eq!(self.check(m), Ok(()), "{m} in {self:?}");
        let (own, opp) = match m.square() {
            Some(square) => moves::after(self.own, self.opp, square),
            None => (self.opp, self.own),
        };
        *self = Position { own, opp, side: self.side.other() };
    }

    /// A 64-bit key, well mixed in all bits; equal positions have equal keys.
    #[must_use]
    pub fn key(&self) -> u64 {
        let side = match self.side {
            Side::First => 0x9E37_79B9_7F4A_7C15,
            Side::Second => 0xD1B5_4A32_D192_ED03,
        };
        // Each bitboard is mixed by itself first, so that they cannot cancel each other.
        let own = fold(self.own ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB);
        let opp = fold(self.opp ^ 0x8EBC_6AF0_9C88_C6E3, 0x5899_65CC_7537_4CC3);
        fold(own ^ side, opp ^ 0x1D8E_4E27_C47D_124F)
    }

    /// Number of symmetries of the board, including the identity.
    pub const SYMMETRIES: usize = 8;

    /// The image of the position under a symmetry of the board, numbered as in [`transform`].
    #[must_use]
    pub fn transform(&self, symmetry: usize) -> Position {
        Position { own: transform(self.own, symmetry), opp: transform(self.opp, symmetry), side: self.side }
    }
}

impl Default for Position {
    fn default() -> Self {
        Position::START
    }
}

impl fmt::Display for Position {
    /// The canonical text: 64 characters of `X`, `O` and `-` from a1, b1 to h8, a space, and the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (black, white) = (self.discs(Side::First), self.discs(Side::Second));
        for square in 0..64 {
            let (black, white) = (black >> square & 1 == 1, white >> square & 1 == 1);
            f.write_str(if black {
                "X"
            } else if white {
                "O"
            } else {
                "-"
            })?;
        }
        f.write_str(if self.side == Side::First { " X" } else { " O" })
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The high and low halves of a 128-bit product, folded into one word.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The image of a mask under a symmetry of the board, numbered 0 to 7 (higher bits are ignored): bit 2 of the number
/// transposes the board, then bit 1 reverses the order of the rows, then bit 0 that of the columns. 0 is the identity.
#[must_use]
pub fn transform(mut mask: u64, symmetry: usize) -> u64 {
    if symmetry & 4 != 0 {
        mask = transpose(mask);
    }
    if symmetry & 2 != 0 {
        mask = mask.swap_bytes();
    }
    if symmetry & 1 != 0 {
        mask = mask.reverse_bits().swap_bytes();
    }
    mask
}

/// The image of a square below 64 under a symmetry of the board, numbered as in [`transform`].
#[must_use]
pub fn transform_square(mut square: u32, symmetry: usize) -> u32 {
    if symmetry & 4 != 0 {
        square = square >> 3 & 7 | (square & 7) << 3;
    }
    if symmetry & 2 != 0 {
        square ^= 56;
    }
    if symmetry & 1 != 0 {
        square ^= 7;
    }
    square
}

/// Transposes the board: swaps blocks of 1, 2 and 4 squares across the main diagonal.
fn transpose(mut mask: u64) -> u64 {
    for (shift, above) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swapped = (mask ^ mask >> shift) & above;
        mask ^= swapped ^ swapped << shift;
    }
    mask
}
