//! The article's rules as a `Game` of `banmen-game`, random playouts, and the board as data for drawing.

use std::ops::ControlFlow;

use banmen_catalog::{Board, View};
use banmen_game::{FastPlayout, Game, GameState, Outcome, PlayoutEnd, Rng, Side};

use super::position::{Move, Position};
use crate::board::{Hen, Piece, Square, forward, left, right, squares};
use crate::game::{Dobutsu, IllegalMove, picture};
use crate::moves;
use crate::position;

/// The rules of the article's program; see the [module](super).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Article;

/// The squares that a piece of `side` reaches.
#[inline]
fn reach(piece: Piece, side: Side, from: Square) -> u16 {
    piece.reach_as(Hen::Five, side, from)
}

/// The targets in the article's order: row by row; a giraffe's are up, down, left, right.
#[inline]
fn ordered(piece: Piece, from: Square, targets: u16) -> impl Iterator<Item = Square> {
    let here = from.mask();
    let parts = match piece {
        Piece::Giraffe => [forward(Side::First, here), forward(Side::Second, here), left(here), right(here)],
        _ => [targets, 0, 0, 0],
    };
    parts.into_iter().flat_map(move |part| squares(part & targets))
}

/// The pieces on the board of the side to move, row by row, with their targets.
#[inline]
fn movers(board: &position::Position) -> impl Iterator<Item = (Piece, Square, u16)> {
    let side = board.side();
    let own = board.occupied(side);
    squares(own).filter_map(move |from| {
        let (_, piece) = board.cell(from)?;
        Some((piece, from, reach(piece, side, from) & !own))
    })
}

/// The number of moves, ignoring earlier occurrences.
#[inline]
fn count(position: &Position) -> u32 {
    let board = position.board();
    let twins = position.held().len() - board.hand(board.side()).kinds();
    moves::count(board, Hen::Five) + twins * board.empty().count_ones()
}

/// The move with this index in the move list, ignoring earlier occurrences.
#[inline]
fn nth(position: &Position, mut rank: u32) -> Option<Move> {
    let board = position.board();
    let free = board.empty();
    let each = free.count_ones();
    if rank < position.held().len() * each {
        let (piece, twin) = position.held().pieces().nth((rank / each) as usize)?;
        let to = squares(free).nth((rank % each) as usize)?;
        return Some(Move { played: position::Move::Drop { piece, to }, twin });
    }
    rank -= position.held().len() * each;
    for (piece, from, targets) in movers(board) {
        if rank < targets.count_ones() {
            let to = ordered(piece, from, targets).nth(rank as usize)?;
            return Some(Move::first(position::Move::Step { from, to }));
        }
        rank -= targets.count_ones();
    }
    None
}

fn stuck() -> Outcome {
    Outcome { winner: None, margin: None, by: "stuck" }
}

impl Article {
    /// Who has won by a `try` or a `catch`. The article's program scans the first side's far rank first, and it finds a
    /// lion on a far rank before it finds out which lion is missing.
    #[inline]
    #[must_use]
    pub(crate) fn lions_ended(self, board: &position::Position) -> Option<(Side, &'static str)> {
        let tried = Side::BOTH.into_iter().find(|&side| board.is_on_far_rank(side));
        let caught = || Side::BOTH.into_iter().find(|&side| board.is_caught(side));
        tried.map(|side| (side, "try")).or_else(|| caught().map(|side| (side.other(), "catch")))
    }

    /// Whether a possible move leads to a position that has occurred three times.
    fn is_fourth(self, position: &Position, m: position::Move) -> bool {
        if !position.is_thrice() {
            return false;
        }
        let mut next = *position.board();
        next.play(m);
        position.occurrences(&next) >= 3
    }

    /// Checks whether a move is allowed.
    ///
    /// # Errors
    /// Returns the first rule that forbids it.
    pub fn check(self, position: &Position, m: position::Move) -> Result<(), IllegalMove> {
        let board = position.board();
        Dobutsu::ANY_TRY.check(board, m)?;
        if let position::Move::Step { from, to } = m
            && let Some((side, piece)) = board.cell(from)
            && reach(piece, side, from) & to.mask() == 0
        {
            return Err(IllegalMove::Unreachable { piece, from, to });
        }
        if self.is_fourth(position, m) { Err(IllegalMove::FourthOccurrence) } else { Ok(()) }
    }
}

impl Game for Article {
    type Position = Position;
    type Move = Move;
    type History = ();

    fn start(&self) -> Position {
        position::Position::START.into()
    }

    fn side_to_move(&self, position: &Position) -> Side {
        position.board().side()
    }

    /// Ended `by` a `try`, a `catch`, or `stuck` (no legal move), which is a draw.
    fn outcome(&self, position: &Position, (): &()) -> Option<Outcome> {
        if let Some((winner, by)) = self.lions_ended(position.board()) {
            return Some(Outcome { winner: Some(winner), margin: None, by });
        }
        (self.count_moves(position) == 0).then(stuck)
    }

    #[inline]
    fn visit_moves<B>(&self, position: &Position, mut visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let board = position.board();
        if self.lions_ended(board).is_some() {
            return ControlFlow::Continue(());
        }
        let mut visit = |m: Move| if self.is_fourth(position, m.played) { ControlFlow::Continue(()) } else { visit(m) };
        for (piece, twin) in position.held().pieces() {
            for to in squares(board.empty()) {
                visit(Move { played: position::Move::Drop { piece, to }, twin })?;
            }
        }
        for (piece, from, targets) in movers(board) {
            for to in ordered(piece, from, targets) {
                visit(Move::first(position::Move::Step { from, to }))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn play(&self, position: &mut Position, m: Move) {
        debug_assert!(self.is_legal(position, m), "{m:?} is not legal in {position:?}");
        position.play(m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// Each of the 1,567,925,964 arrangements (Tanaka 2009, counted for one side to move) occurs at most three times
    /// for each side to move, and the start once more.
    fn max_plies(&self) -> usize {
        usize::try_from(6 * 1_567_925_964_u64).unwrap_or(usize::MAX)
    }

    fn pack(&self, m: Move) -> u32 {
        m.pack()
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        Move::unpack(bits)
    }

    #[inline]
    fn count_moves(&self, position: &Position) -> usize {
        if self.lions_ended(position.board()).is_some() {
            return 0;
        }
        if !position.is_thrice() {
            return count(position) as usize;
        }
        let mut count = 0;
        let _ = self.visit_moves(position, |_| {
            count += 1;
            ControlFlow::<()>::Continue(())
        });
        count
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        let board = position.board();
        let possible = match m.played {
            position::Move::Drop { piece, .. } => !m.twin || board.hand(board.side()).count(piece) == 2,
            position::Move::Step { from, to } => {
                !m.twin && board.cell(from).is_some_and(|(side, piece)| reach(piece, side, from) & to.mask() != 0)
            }
        };
        possible
            && moves::is_possible(board, m.played)
            && self.lions_ended(board).is_none()
            && !self.is_fourth(position, m.played)
    }
}

impl FastPlayout for Article {
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
        let mut plies = 0;
        loop {
            if let Some((winner, by)) = self.lions_ended(position.board()) {
                return PlayoutEnd { outcome: Some(Outcome { winner: Some(winner), margin: None, by }), plies };
            }
            let free = !position.is_thrice();
            let count = if free { count(position) } else { self.count_moves(position) as u32 };
            if count == 0 {
                return PlayoutEnd { outcome: Some(stuck()), plies };
            }
            if plies == cap {
                return PlayoutEnd { outcome: None, plies };
            }
            let rank = if count > 1 { rng.below(count.into()) as u32 } else { 0 };
            let m = if free { nth(position, rank) } else { self.moves(position).get(rank as usize).copied() };
            let Some(m) = m else { return PlayoutEnd { outcome: None, plies } };
            played(position.board().side(), m);
            position.play(m);
            plies += 1;
        }
    }
}

impl View for Article {
    /// Drawn as under the other rules.
    fn board(&self, state: &GameState<Self>) -> Board {
        let board = state.position().board();
        let attacked = |side: Side| board.attacked_as(Hen::Five, side.other());
        let check = Side::BOTH.map(|side| attacked(side) & board.mask(side, Piece::Lion) != 0);
        picture(board, state.moves().last().map(|m| m.played), check)
    }
}
