//! A move as the text gives it, before it is resolved in a position.

use super::{Fault, NotationError, Result, SquareNames};
use crate::board::{Piece, Square, squares};
use crate::game::IllegalMove;
use crate::position::{Move, Position};
use banmen_game::Side;

/// Returns the rule that forbids a move.
pub(super) type Check<'c> = &'c dyn Fn(Move) -> std::result::Result<(), IllegalMove>;

/// The origin of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The hand.
    Hand,
    /// A square.
    On(Square),
    /// The text does not give it.
    Omitted,
}

/// The parts of a move that a text gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveDraft {
    pub(super) side: Option<Side>,
    /// The kind of the moving piece before the move, or after it if `after` is set.
    pub(super) piece: Option<Piece>,
    pub(super) after: bool,
    pub(super) origin: Origin,
    pub(super) to: Square,
    pub(super) promotes: bool,
    pub(super) captures: Option<bool>,
    /// How the text names squares.
    pub(super) names: SquareNames,
}

impl MoveDraft {
    /// A step between two squares, named as in USI, with nothing else given.
    pub(super) fn step(from: Square, to: Square) -> MoveDraft {
        MoveDraft { origin: Origin::On(from), ..MoveDraft::to(to) }
    }

    /// A drop, with a square named as in USI.
    pub(super) fn drop(piece: Piece, to: Square) -> MoveDraft {
        MoveDraft { origin: Origin::Hand, piece: Some(piece), ..MoveDraft::to(to) }
    }

    /// A move to a square, named as in USI, with nothing else given.
    pub(super) fn to(to: Square) -> MoveDraft {
        let (side, piece, captures, names) = (None, None, None, SquareNames::Usi);
        MoveDraft { side, piece, after: false, origin: Origin::Omitted, to, promotes: false, captures, names }
    }

    /// The legal move that matches every part of the text.
    pub(super) fn resolve(&self, check: Check<'_>, position: &Position) -> Result<Move> {
        let fault = |fault| Err(NotationError { at: 0, fault });
        if self.side.is_some_and(|side| side != position.side()) {
            return fault(Fault::OtherSide);
        }
        let m = match (self.origin, self.piece) {
            (Origin::Hand, Some(piece)) => Move::Drop { piece, to: self.to },
            (Origin::On(from), _) => Move::Step { from, to: self.to },
            (_, piece) => self.search(check, position, piece)?,
        };
        if let Err(why) = check(m) {
            return fault(Fault::Illegal { why, names: self.names });
        }
        let Move::Step { from, to } = m else { return Ok(m) };
        let promoted = promotes(position, m);
        if self.promotes && !promoted {
            return fault(Fault::NoPromotion);
        }
        let moved = position.cell(from).map(|(_, piece)| piece);
        let becomes = if promoted { Some(Piece::Hen) } else { moved };
        // Where the text names the piece after the move, a promoting chick may be called chick or hen.
        if let Some(named) = self.piece
            && moved != Some(named)
            && !(self.after && becomes == Some(named))
        {
            return fault(Fault::OtherPiece { named });
        }
        match self.captures {
            Some(captures) if captures != (position.cell(to).is_some()) => fault(Fault::CaptureSign),
            _ => Ok(m),
        }
    }

    /// The only piece of the kind that can step to the target.
    fn search(&self, check: Check<'_>, position: &Position, piece: Option<Piece>) -> Result<Move> {
        let fault = |fault| Err(NotationError { at: 0, fault });
        let Some(piece) = piece else { return fault(Fault::Ambiguous) };
        let steps = squares(position.mask(position.side(), piece)).map(|from| Move::Step { from, to: self.to });
        let mut allowed = steps.filter(|&m| check(m).is_ok());
        match (allowed.next(), allowed.next()) {
            (Some(m), None) => Ok(m),
            (Some(_), Some(_)) => fault(Fault::Ambiguous),
            // If no step matches, it may be a drop whose sign is omitted, as in Japanese texts.
            (None, _) => Ok(Move::Drop { piece, to: self.to }),
        }
    }
}

/// Whether a step promotes a chick to a hen.
pub(super) fn promotes(position: &Position, m: Move) -> bool {
    match m {
        Move::Step { from, to } => {
            let side = position.side();
            position.mask(side, Piece::Chick) & from.mask() != 0 && crate::board::far_rank(side) & to.mask() != 0
        }
        Move::Drop { .. } => false,
    }
}
