//! The implementation of `banmen_game::Game`.

use std::ops::ControlFlow;

use banmen_game::{FastPlayout, Game, Outcome, PlayoutEnd, Rng, Side, Symmetries};

use crate::board::{Board, Cell, HEIGHT, WIDTH};
use crate::moves::{self, Move};
use crate::position::Position;
use crate::start::start;

/// The rules: the size of the board, how long a game may last, and how games begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Golad {
    /// Cells in a row, 1 to 32.
    pub width: u8,
    /// Rows, 1 to 32.
    pub height: u8,
    /// Rounds after which a game is drawn; a round is a turn of each side. Clamped to [`Golad::MAX_ROUNDS`].
    pub rounds: u16,
    /// Cells of each side at the start. Where [`start`] returns an error because they do not fit, a game begins with an
    /// empty board and is drawn at once.
    pub cells: u16,
    /// Whether all cells of the upper half belong to the first side at the start. Otherwise the colours are mixed, as
    /// in the first seasons of the site.
    pub separate: bool,
}

/// Why the rules forbid a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The cell is outside the board.
    #[error("{},{} is off the board", cell.x(), cell.y())]
    OffBoard {
        /// The cell.
        cell: Cell,
    },
    /// A cell that is to be killed is dead.
    #[error("{},{} is dead already", cell.x(), cell.y())]
    Dead {
        /// The cell.
        cell: Cell,
    },
    /// A cell that is to be born lives.
    #[error("{},{} is alive: only a dead cell can be born", cell.x(), cell.y())]
    Alive {
        /// The cell.
        cell: Cell,
    },
    /// A sacrifice is dead or the other side's.
    #[error("{},{} is not a living cell of yours", cell.x(), cell.y())]
    NotYours {
        /// The cell.
        cell: Cell,
    },
    /// A cell is sacrificed twice.
    #[error("{},{} is sacrificed twice", cell.x(), cell.y())]
    Twice {
        /// The cell.
        cell: Cell,
    },
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
}

impl IllegalMove {
    /// The reason in one word, for programs.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            IllegalMove::OffBoard { .. } => "off_board",
            IllegalMove::Dead { .. } => "dead",
            IllegalMove::Alive { .. } => "alive",
            IllegalMove::NotYours { .. } => "not_yours",
            IllegalMove::Twice { .. } => "twice",
            IllegalMove::GameOver => "game_over",
        }
    }
}

/// The seed of the default start position.
const SEED: &str = "banmen-1";

impl Golad {
    /// The rules of the site: 18 by 16 cells, 100 rounds, 40 cells each, the colours in separate halves at the start.
    pub const STANDARD: Golad = Golad { width: WIDTH, height: HEIGHT, rounds: 100, cells: 40, separate: true };
    /// The same with mixed colours at the start.
    pub const MIXED: Golad = Golad { separate: false, ..Golad::STANDARD };

    /// The largest number of rounds: generations are counted in 16 bits.
    pub const MAX_ROUNDS: u16 = u16::MAX / 2;

    /// Turns, and so generations, after which a game is drawn.
    #[inline]
    #[must_use]
    pub fn turns(&self) -> u16 {
        2 * self.rounds.min(Golad::MAX_ROUNDS)
    }

    /// Checks that a move is legal.
    ///
    /// # Errors
    /// The first rule that forbids it.
    pub fn check(&self, position: &Position, m: Move) -> Result<(), IllegalMove> {
        match self.ended(position) {
            Some(_) => Err(IllegalMove::GameOver),
            None => moves::check(&position.board, position.side, m),
        }
    }

    fn ended(&self, position: &Position) -> Option<Outcome> {
        let lives = |side| position.board.rows(side).iter().any(|&row| row != 0);
        let (winner, by) = match [Side::First, Side::Second].map(lives) {
            [true, true] if position.generations < self.turns() => return None,
            [true, true] => (None, "rounds"),
            [true, false] => (Some(Side::First), "extinction"),
            [false, true] => (Some(Side::Second), "extinction"),
            [false, false] => (None, "extinction"),
        };
        Some(Outcome { winner, margin: None, by })
    }
}

impl Game for Golad {
    type Position = Position;
    type Move = Move;
    type History = ();

    fn start(&self) -> Position {
        // An empty board where the cells do not fit: see `cells`.
        Position::new(start(self, SEED).unwrap_or_else(|_| Board::empty(self.width, self.height)))
    }

    #[inline]
    fn side_to_move(&self, position: &Position) -> Side {
        position.side
    }

    #[inline]
    fn outcome(&self, position: &Position, (): &()) -> Option<Outcome> {
        self.ended(position)
    }

    fn visit_moves<B>(&self, position: &Position, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.ended(position).is_some() {
            return ControlFlow::Continue(());
        }
        moves::visit(&position.board, position.side, visit)
    }

    #[inline]
    fn play(&self, position: &mut Position, m: Move) {
        position.play(m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    fn max_plies(&self) -> usize {
        self.turns().into()
    }

    fn pack(&self, m: Move) -> u32 {
        m.pack()
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        Move::unpack(bits)
    }

    fn pass(&self) -> Option<Move> {
        Some(Move::Pass)
    }

    fn count_moves(&self, position: &Position) -> usize {
        if self.ended(position).is_some() { 0 } else { moves::count(&position.board, position.side) }
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        self.check(position, m).is_ok()
    }
}

impl FastPlayout for Golad {
    type Scratch = ();

    fn playout(
        &self,
        position: &mut Position,
        (): &mut (),
        cap: u32,
        rng: &mut Rng,
        (): &mut (),
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        for plies in 0..cap {
            if let Some(outcome) = self.ended(position) {
                return PlayoutEnd { outcome: Some(outcome), plies };
            }
            let m = moves::random(&position.board, position.side, rng);
            played(position.side, m);
            position.play(m);
        }
        PlayoutEnd { outcome: self.ended(position), plies: cap }
    }
}

/// The mirror images of the board: 1 swaps left and right, 2 top and bottom, 3 both.
impl Symmetries for Golad {
    fn symmetry_count(&self) -> usize {
        4
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        Position { board: position.board.mirrored(symmetry & 1 != 0, symmetry & 2 != 0), ..*position }
    }

    fn transform_move(&self, m: Move, symmetry: usize) -> Move {
        let board = Board::empty(self.width, self.height);
        let see = |cell| board.mirror_cell(cell, symmetry & 1 != 0, symmetry & 2 != 0);
        match m {
            Move::Pass => Move::Pass,
            Move::Kill(cell) => Move::Kill(see(cell)),
            Move::Birth { cell, sacrifices: [a, b] } => Move::birth(see(cell), see(a), see(b)),
        }
    }
}
