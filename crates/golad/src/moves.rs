//! Moves: which are legal, and why others are not.

use std::ops::ControlFlow;

use banmen_game::{Rng, Side};

use crate::board::{Board, Cell, ROWS, bits};
use crate::game::IllegalMove;

/// The action of a side in its turn, before the generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Nothing.
    Pass,
    /// A living cell, of either side, dies.
    Kill(Cell),
    /// A dead cell becomes the mover's, and two living ones of the mover die.
    Birth {
        /// The cell that is born.
        cell: Cell,
        /// The two that die, the one with the lower number first.
        sacrifices: [Cell; 2],
    },
}

/// The kind of a packed move, in its upper two bits.
const KILL: u32 = 1;
const BIRTH: u32 = 2;

impl Move {
    /// A birth; the order of the sacrifices does not matter.
    #[must_use]
    pub fn birth(cell: Cell, a: Cell, b: Cell) -> Move {
        Move::Birth { cell, sacrifices: [a.min(b), a.max(b)] }
    }

    /// Calls `set` for each cell that the move of a side changes, with its new owner.
    #[inline]
    pub(crate) fn place(self, side: Side, mut set: impl FnMut(Cell, Option<Side>)) {
        match self {
            Move::Pass => {}
            Move::Kill(cell) => set(cell, None),
            Move::Birth { cell, sacrifices } => {
                set(cell, Some(side));
                set(sacrifices[0], None);
                set(sacrifices[1], None);
            }
        }
    }

    /// The move in 32 bits: two for its kind, ten for each cell.
    #[inline]
    #[must_use]
    pub fn pack(self) -> u32 {
        let cell = |cell: Cell| cell.index() as u32;
        match self {
            Move::Pass => 0,
            Move::Kill(at) => KILL << 30 | cell(at),
            Move::Birth { cell: at, sacrifices: [a, b] } => BIRTH << 30 | cell(a) << 20 | cell(b) << 10 | cell(at),
        }
    }

    /// The move that [`Move::pack`] gave these bits.
    #[inline]
    #[must_use]
    pub fn unpack(packed: u32) -> Option<Move> {
        let cell = |shift: u32| Cell::at((packed >> shift) as usize % (ROWS * ROWS));
        let m = match packed >> 30 {
            0 => Move::Pass,
            KILL => Move::Kill(cell(0)),
            BIRTH => Move::birth(cell(0), cell(20), cell(10)),
            _ => return None,
        };
        (m.pack() == packed).then_some(m)
    }
}

/// Checks that a move is legal, in the order of the checks of the official engine.
///
/// # Errors
/// The first rule that forbids it.
pub(crate) fn check(board: &Board, side: Side, m: Move) -> Result<(), IllegalMove> {
    let on_board = |cell| if board.holds(cell) { Ok(()) } else { Err(IllegalMove::OffBoard { cell }) };
    match m {
        Move::Pass => Ok(()),
        Move::Kill(cell) => {
            on_board(cell)?;
            board.owner(cell).map(drop).ok_or(IllegalMove::Dead { cell })
        }
        Move::Birth { cell, sacrifices } => {
            on_board(cell)?;
            if board.owner(cell).is_some() {
                return Err(IllegalMove::Alive { cell });
            }
            for cell in sacrifices {
                on_board(cell)?;
                if board.owner(cell) != Some(side) {
                    return Err(IllegalMove::NotYours { cell });
                }
            }
            if sacrifices[0] == sacrifices[1] {
                return Err(IllegalMove::Twice { cell: sacrifices[0] });
            }
            Ok(())
        }
    }
}

/// The number of moves of a side on a board where both colours live: 1 + living + dead × (own over 2).
pub(crate) fn count(board: &Board, side: Side) -> usize {
    let (own, other) = (board.count(side) as usize, board.count(side.other()) as usize);
    let dead = board.width() * board.height() - own - other;
    1 + own + other + dead * (own * own.saturating_sub(1) / 2)
}

/// The living cells of one side, row by row, in a buffer that needs no allocation.
pub(crate) fn own_cells<'b>(board: &Board, side: Side, buffer: &'b mut [Cell; ROWS * ROWS]) -> &'b [Cell] {
    let mut count = 0;
    for cell in board.cells(side) {
        buffer[count] = cell;
        count += 1;
    }
    &buffer[..count]
}

/// Calls `visit` for every move: the pass, the kills row by row, the births row by row of the born cell.
pub(crate) fn visit<B>(board: &Board, side: Side, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
    visit(Move::Pass)?;
    for cell in board.living_cells() {
        visit(Move::Kill(cell))?;
    }
    let mut buffer = [Cell::at(0); ROWS * ROWS];
    let own = own_cells(board, side, &mut buffer);
    for cell in board.dead_cells() {
        for (index, &a) in own.iter().enumerate() {
            for &b in &own[index + 1..] {
                visit(Move::Birth { cell, sacrifices: [a, b] })?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// One of all moves, each with the same chance.
pub(crate) fn random(board: &Board, side: Side, rng: &mut Rng) -> Move {
    listed(board, side, rng.index(count(board, side)))
}

/// The move of this number, from 0, in the order of [`visit`].
pub(crate) fn listed(board: &Board, side: Side, mut place: usize) -> Move {
    let (own, other) = (board.count(side) as usize, board.count(side.other()) as usize);
    if place == 0 {
        return Move::Pass;
    }
    place -= 1;
    if place < own + other {
        let living = (0..board.height()).map(|y| board.colours[0][y] | board.colours[1][y]);
        return Move::Kill(nth(living, place));
    }
    place -= own + other;
    let pairs = own * (own - 1) / 2;
    let cell = nth((0..board.height()).map(|y| board.dead(y)), place / pairs);
    let (a, b) = pair(place % pairs, own);
    let own = *board.rows(side);
    Move::Birth { cell, sacrifices: [nth(own, a), nth(own, b)] }
}

/// The set cell of this number, row by row from 0; any cell where there are not so many.
pub(crate) fn nth(rows: impl IntoIterator<Item = u32>, mut place: usize) -> Cell {
    for (y, row) in rows.into_iter().enumerate() {
        let here = row.count_ones() as usize;
        if place < here {
            return Cell::at(y * ROWS + bits(row).nth(place).unwrap_or(0));
        }
        place -= here;
    }
    Cell::at(0)
}

/// The pair of this number among the pairs of `count` items, in lexicographic order.
pub(crate) fn pair(number: usize, count: usize) -> (usize, usize) {
    let (mut first, mut rest) = (0, number);
    while rest >= count - 1 - first {
        rest -= count - 1 - first;
        first += 1;
    }
    (first, first + 1 + rest)
}
