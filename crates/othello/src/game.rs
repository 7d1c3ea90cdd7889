//! Othello's implementation of the traits of `banmen-game`, and its board to draw.

use std::ops::ControlFlow;

use banmen_catalog::{Board as Picture, View};
use banmen_game::{Game, GameState, MoveIndex, Outcome, Side, Symmetries};

use crate::moves;
use crate::position::{Move, Position, transform_square};

/// The rules of Othello on the board of 8 by 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Othello;

impl Game for Othello {
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
        position.is_over().then(|| {
            let score = position.score();
            let winner = match score.signum() {
                0 => None,
                1 => Some(position.side()),
                _ => Some(position.side().other()),
            };
            Outcome { winner, margin: Some(score.unsigned_abs()), by: "discs" }
        })
    }

    fn visit_moves<B>(&self, position: &Position, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut legal = position.legal();
        if legal == 0 && position.must_pass() {
            return visit(Move::PASS);
        }
        while legal != 0 {
            if let Some(m) = Move::at(legal.trailing_zeros()) {
                visit(m)?;
            }
            legal &= legal - 1;
        }
        ControlFlow::Continue(())
    }

    fn play(&self, position: &mut Position, m: Move) {
        position.play(m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// Sixty discs, and never two passes in a row.
    fn max_plies(&self) -> usize {
        120
    }

    fn pack(&self, m: Move) -> u32 {
        m.square().unwrap_or(64)
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        if bits == 64 { Some(Move::PASS) } else { Move::at(bits) }
    }

    fn pass(&self) -> Option<Move> {
        Some(Move::PASS)
    }

    fn perft_counts_terminal(&self) -> bool {
        true
    }

    fn count_moves(&self, position: &Position) -> usize {
        match position.legal().count_ones() {
            0 => usize::from(position.must_pass()),
            count => count as usize,
        }
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        position.check(m).is_ok()
    }
}

impl Symmetries for Othello {
    fn symmetry_count(&self) -> usize {
        Position::SYMMETRIES
    }

    fn transform(&self, position: &Position, symmetry: usize) -> Position {
        position.transform(symmetry)
    }

    fn transform_move(&self, m: Move, symmetry: usize) -> Move {
        m.square().and_then(|square| Move::at(transform_square(square, symmetry))).unwrap_or(Move::PASS)
    }
}

impl View for Othello {
    fn board(&self, state: &GameState<Self>) -> Picture {
        let position = state.position();
        let mut board = Picture::empty(8, 8, |column, row| moves::name((8 * row + column) as u32));
        for side in Side::BOTH {
            let discs = position.discs(side);
            for square in (0..64).filter(|square| discs >> square & 1 == 1) {
                board.put(square, "disc", side);
            }
            board.extra.insert(side.name().to_owned(), discs.count_ones().into());
        }
        let last = state.moves().last().and_then(|m| m.square());
        if let (Some(square), Some(before)) = (last, state.before()) {
            board.tag(square as usize, "last");
            // Discs of the other side before the move that now belong to the side that moved.
            let flipped = before.opp() & position.opp();
            for square in (0..64).filter(|square| flipped >> square & 1 == 1) {
                board.tag(square, "flipped");
            }
        }
        board
    }
}

/// The squares a1 b1 … h8, then the pass.
impl MoveIndex for Othello {
    fn move_count(&self) -> usize {
        65
    }

    fn move_index(&self, m: Move) -> usize {
        self.pack(m) as usize
    }

    fn indexed_move(&self, index: usize) -> Option<Move> {
        self.unpack(u32::try_from(index).ok()?)
    }
}
