//! The predecessors of a position: positions from which one move leads to it.

use crate::board::{BOARD, Hen, Piece, Square, far_rank, squares};
use crate::position::Position;
use banmen_game::Side;

/// Calls `visit` once with each predecessor of `position`. Skips those in which the lion of the side that is now to
/// move could be caught: they are won at once, whatever this move leads to. Does not check otherwise whether the game
/// was over there. `hen` is the movement of hens.
#[inline]
pub(super) fn visit(position: &Position, hen: Hen, mut visit: impl FnMut(&Position)) {
    let side = position.side().other();
    let Some(lion) = Square::lowest(position.mask(side.other(), Piece::Lion)) else { return };
    // A piece that attacks the lion now and did not make the last move attacked it before.
    let attackers = position.attackers_as(hen, side, lion);
    let moved = match attackers.count_ones() {
        0 => BOARD,
        1 => attackers,
        _ => return,
    };
    let quiet = |piece: Piece| position.empty() & !piece.reach_as(hen, side.other(), lion);
    for piece in Piece::DROPPED {
        for square in squares(position.mask(side, piece) & moved) {
            let mut before = position.taken_back();
            before.lift(side, piece, square);
            before.hold(side, piece);
            visit(&before);
        }
    }
    for piece in Piece::ALL {
        for to in squares(position.mask(side, piece) & moved) {
            // A chick that steps onto the far rank becomes a hen.
            if piece == Piece::Chick && to.mask() & far_rank(side) != 0 {
                continue;
            }
            for from in squares(piece.reach_as(hen, side.other(), to) & quiet(piece)) {
                step(position, (side, piece, piece), from, to, &mut visit);
            }
        }
    }
    for to in squares(position.mask(side, Piece::Hen) & moved & far_rank(side)) {
        for from in squares(Piece::Chick.reach(side.other(), to) & quiet(Piece::Chick)) {
            step(position, (side, Piece::Hen, Piece::Chick), from, to, &mut visit);
        }
    }
}

/// Takes one step back: once with an empty target, and once for each piece that may have been captured there.
#[inline]
fn step(
    position: &Position,
    (side, after, earlier): (Side, Piece, Piece),
    from: Square,
    to: Square,
    visit: &mut impl FnMut(&Position),
) {
    let mut before = position.taken_back();
    before.lift(side, after, to);
    before.put(side, earlier, from);
    visit(&before);
    for captured in Piece::DROPPED {
        if position.hand(side).count(captured) > 0 {
            let mut full = before;
            full.release(side, captured);
            full.put(side.other(), captured, to);
            visit(&full);
            if captured == Piece::Chick {
                full.lift(side.other(), Piece::Chick, to);
                full.put(side.other(), Piece::Hen, to);
                visit(&full);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::visit;
    use crate::article::Article;
    use crate::position::Position;
    use crate::table::Rules;
    use crate::table::verdict::{holding_moves, wins_at_once};
    use crate::{Dobutsu, Variant};
    use banmen_game::{Game, GameState, Rng};
    use std::ops::ControlFlow;

    /// Unfinished positions of random games of a variant.
    fn positions(variant: Variant, games: usize) -> Vec<Position> {
        let mut rng = Rng::new(3);
        let mut positions = Vec::new();
        for _ in 0..games {
            let mut state = GameState::new(Dobutsu { variant });
            while state.outcome().is_none() {
                positions.push(*state.position());
                let moves = state.game().moves(state.position());
                state.play(moves[rng.index(moves.len())]);
            }
        }
        positions
    }

    /// The positions after each move, including moves that lose the lion.
    fn nexts<R: Rules>(rules: R, position: &Position) -> Vec<Position> {
        let mut nexts = Vec::new();
        let _ = rules.visit(position, |m| {
            let mut next = *position;
            next.play(m);
            nexts.push(next);
            ControlFlow::<()>::Continue(())
        });
        nexts
    }

    fn unmoves_are_moves<R: Rules>(rules: R) {
        for position in positions(Variant::Catch, 100) {
            let mut before = Vec::new();
            visit(&position, R::HEN, |earlier| before.push(*earlier));
            for earlier in &before {
                assert_eq!(before.iter().filter(|other| *other == earlier).count(), 1, "{earlier:?} twice");
                let ways = nexts(rules, earlier).iter().filter(|next| **next == position).count();
                assert_eq!(ways, 1, "{earlier:?} leads to {position:?}");
            }
            if rules.lions_ended(&position).is_some() {
                continue;
            }
            let (side, other) = (position.side(), position.side().other());
            let catchable = position.attacked_as(R::HEN, side) & position.mask(other, crate::board::Piece::Lion) != 0;
            for next in nexts(rules, &position) {
                let mut found = false;
                visit(&next, R::HEN, |earlier| found |= *earlier == position);
                assert_eq!(found, !catchable, "{position:?} before {next:?}");
            }
        }
    }

    #[test]
    fn moves_taken_back_are_those_that_can_be_made_where_no_lion_can_be_caught() {
        unmoves_are_moves(Variant::Catch);
        unmoves_are_moves(Article);
    }

    fn verdicts_hold<R: Rules>(rules: R, variant: Variant) {
        let wins = |position: &Position| {
            let ended = |next: &Position| rules.lions_ended(next).is_some_and(|(winner, _)| winner == position.side());
            nexts(rules, position).iter().any(ended)
        };
        for position in positions(variant, 1_000) {
            // An attacked lion on the far rank wins by any move that ends the attack. Such positions are not stored.
            if position.is_on_far_rank(position.side()) {
                continue;
            }
            assert_eq!(wins_at_once(rules, &position), wins(&position), "{position:?}");
            if !wins(&position) {
                let holding = nexts(rules, &position).into_iter().filter(|next| !wins_at_once(rules, next));
                assert_eq!(holding_moves(rules, &position) as usize, holding.count(), "{position:?}");
            }
        }
    }

    #[test]
    fn verdicts_are_those_of_the_rules() {
        verdicts_hold(Variant::Catch, Variant::Catch);
        verdicts_hold(Variant::AnyTry, Variant::AnyTry);
        verdicts_hold(Article, Variant::AnyTry);
    }
}
