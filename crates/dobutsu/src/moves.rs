//! Generates every step and drop, including those that lose the lion. The variants of the rules filter them.

use std::ops::ControlFlow;

use crate::board::{Hen, Piece, squares};
use crate::position::{Move, Position};

/// Calls `visit` with every step and drop of the side to move: steps by the squares of the pieces, then drops by kind.
/// `hen` is the movement of hens. `targets` are the squares to which a piece of the kind may go, and `drops` those on
/// which one may be dropped.
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

/// The number of steps and drops of the side to move, with the given movement for hens.
#[inline]
pub(crate) fn count(position: &Position, hen: Hen) -> u32 {
    let side = position.side();
    let free = !position.occupied(side);
    let [a, b, c, d, e, f, g, h] = position.directions(hen, side).map(|arrivals| u64::from(arrivals & free));
    // Five masks of twelve bits fit into a word.
    let steps = (a | b << 12 | c << 24 | d << 36 | e << 48).count_ones() + (f | g << 12 | h << 24).count_ones();
    steps + position.hand(side).kinds() * position.empty().count_ones()
}

/// Whether [`visit`] without restrictions would list the move.
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
