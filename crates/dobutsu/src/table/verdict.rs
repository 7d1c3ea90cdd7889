//! Wins and losses by the lions within two plies: whether the side to move wins with its next move, and which moves do
//! not lose to the other side's reply.

use std::ops::ControlFlow;

use super::rules::Rules;
use crate::board::{Piece, Square, far_rank};
use crate::moves;
use crate::position::Position;

/// Whether the side to move can win with one move, by catching the lion or by a try. Requires that the game is not
/// over.
#[inline]
pub(crate) fn wins_at_once<R: Rules>(rules: R, position: &Position) -> bool {
    let (own, other) = (position.side(), position.side().other());
    if position.attacked_as(R::HEN, own) & position.mask(other, Piece::Lion) != 0 {
        return true;
    }
    let lion = position.mask(own, Piece::Lion);
    // The lion must be one step from its far rank.
    if crate::board::forward(own, lion) & far_rank(own) == 0 {
        return false;
    }
    let Some(lion) = Square::lowest(lion) else { return false };
    let tries = Piece::Lion.reach(own, lion) & far_rank(own) & !position.occupied(own);
    // No piece acts over a distance, so the lion's departure or capture does not change which squares are attacked.
    tries != 0 && (rules.wins_by_any_try() || tries & !position.attacked_as(R::HEN, other) != 0)
}

/// Counts the moves of a stored position after which the other side cannot win at once. Requires that the side to move
/// cannot win at once either. Returns 0 also for stored positions without any move. With hens of six squares there are
/// two such positions, and no move from a stored position leads to them.
#[inline]
pub(super) fn holding_moves<R: Rules>(rules: R, position: &Position) -> u32 {
    let (own, other) = (position.side(), position.side().other());
    let other_lion = position.mask(other, Piece::Lion);
    if crate::board::forward(other, other_lion) & far_rank(other) != 0 {
        // The other lion threatens a try: check each move.
        let mut count = 0;
        let _ = rules.visit(position, |m| {
            let mut next = *position;
            next.play(m);
            count += u32::from(!wins_at_once(rules, &next));
            ControlFlow::<()>::Continue(())
        });
        return count;
    }
    // Only the own lion is in danger: it steps to safety, or is already safe, or its only attacker is captured.
    let Some(lion) = Square::lowest(position.mask(own, Piece::Lion)) else { return 0 };
    let free = !position.occupied(own);
    let lion_steps = Piece::Lion.reach(own, lion) & free;
    let safe_steps = (lion_steps & !position.attacked_as(R::HEN, other)).count_ones();
    let attackers = position.attackers_as(R::HEN, other, lion);
    match attackers.count_ones() {
        0 => moves::count(position, R::HEN) - lion_steps.count_ones() + safe_steps,
        1 => {
            let takers = position.attackers_as(R::HEN, own, Square::lowest(attackers).unwrap_or(lion));
            (takers & !lion.mask()).count_ones() + safe_steps
        }
        _ => safe_steps,
    }
}
