//! Wins within a few plies, by trying all moves.

use std::ops::ControlFlow;

use banmen_game::Game;

use super::Win;
use crate::game::{Dobutsu, Variant};
use crate::position::Position;
use crate::table::wins_at_once;

/// The shortest win of the side to move in at most so many plies, under the rules `catch` without their history. Of equal moves
/// the first in the order of the rules.
#[must_use]
pub fn short_win(position: &Position, longest: u32) -> Option<Win> {
    if Dobutsu::CATCH.lions_ended(position).is_some() {
        return None;
    }
    (1..=longest).step_by(2).find_map(|plies| {
        let found = Dobutsu::CATCH.visit_moves(position, |m| {
            let mut next = *position;
            next.play(m);
            let wins = match plies {
                1 => Dobutsu::CATCH.lions_ended(&next).is_some_and(|(winner, _)| winner == position.side()),
                _ => loses(&next, plies - 1),
            };
            if wins { ControlFlow::Break(Win { m, plies }) } else { ControlFlow::Continue(()) }
        });
        found.break_value()
    })
}

/// Whether the side to move loses in at most so many plies, an even number, whatever it plays.
fn loses(position: &Position, plies: u32) -> bool {
    let safe =
        |position: &Position| Dobutsu::CATCH.lions_ended(position).is_some() || wins_at_once(Variant::Catch, position);
    !safe(position)
        && Dobutsu::CATCH
            .visit_moves(position, |m| {
                let mut next = *position;
                next.play(m);
                if wins(&next, plies - 1) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
            .is_continue()
}

/// Whether the side to move, which has not won or lost, wins in at most so many plies, an odd number.
fn wins(position: &Position, plies: u32) -> bool {
    wins_at_once(Variant::Catch, position)
        || plies > 1
            && Dobutsu::CATCH
                .visit_moves(position, |m| {
                    let mut next = *position;
                    next.play(m);
                    if loses(&next, plies - 1) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
                .is_break()
}
