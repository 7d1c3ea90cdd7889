//! Move generation: every step and drop, whatever becomes of the lions. The variants of the rules choose among them.

use std::ops::ControlFlow;

use crate::board::{Hen, Piece, squares};
use crate::position::{Move, Position};

/// Hands every step and drop of the side to move to `visit`: steps by the squares of the pieces, then drops by kind.
/// Hens step as `hen` says. `targets` are the squares where a piece of the kind may go, and `drops` those where one may
/// be dropped.
#[inline]
pub(crate) fn visit<B>(
    position: &Position,
    hen: Hen,
    targets: impl Fn(Piece) -> u16,
    drops: u16,
    mut visit: impl FnMut(Move) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let side = position.side();
    for piece in Piece::ALL {
        let targets = targets(piece) & !position.occupied(side);
        for from in squares(position.mask(side, piece)) {
            for to in squares(piece.reach_as(hen, side, from) & targets) {
                visit(Move::Step { from, to })?;
            }
        }
    }
    for piece in Piece::DROPPED {
        if position.hand(side).count(piece) > 0 {
            for to in squares(position.empty() & drops) {
                visit(Move::Drop { piece, to })?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// How many steps and drops the side to move has, with hens that step so.
#[inline]
pub(crate) fn count(position: &Position, hen: Hen) -> u32 {
    let side = position.side();
    let free = !position.occupied(side);
    let [a, b, c, d, e, f, g, h] = position.directions(hen, side).map(|arrivals| u64::from(arrivals & free));
    // Five masks of twelve squares fit a word.
    let steps = (a | b << 12 | c << 24 | d << 36 | e << 48).count_ones() + (f | g << 12 | h << 24).count_ones();
    steps + position.hand(side).kinds() * position.empty().count_ones()
}

/// Whether the piece on `from` can step to `to`, or the piece be dropped: as [`visit`] without restrictions lists it.
pub(crate) fn is_possible(position: &Position, m: Move) -> bool {
    let side = position.side();
    match m {
        Move::Drop { piece, to } => {
            Piece::DROPPED.contains(&piece) && position.hand(side).count(piece) > 0 && position.empty() & to.mask() != 0
        }
        Move::Step { from, to } => match position.cell(from) {
            Some((owner, piece)) => {
                owner == side && piece.reach(side, from) & !position.occupied(side) & to.mask() != 0
            }
            None => false,
        },
    }
}
