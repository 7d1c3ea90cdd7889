//! The positions from which a position may have come by one move.

use crate::board::{BOARD, Piece, Square, far_rank, squares};
use crate::position::Position;
use banmen_game::Side;

/// Hands every position to `visit` from which one move leads to `position`, each once, but for those in which the lion
/// of the side that is now to move could be caught: they are won at once, whatever this move leads to. Nothing else is
/// asked about whether the game was over there.
#[inline]
pub(super) fn visit(position: &Position, mut visit: impl FnMut(&Position)) {
    let side = position.side().other();
    let Some(lion) = Square::lowest(position.mask(side.other(), Piece::Lion)) else { return };
    // A piece that attacks the lion now and has not moved has attacked it before.
    let attackers = position.attackers(side, lion);
    let moved = match attackers.count_ones() {
        0 => BOARD,
        1 => attackers,
        _ => return,
    };
    let quiet = |piece: Piece| position.empty() & !piece.reach(side.other(), lion);
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
            // A chick that arrives on the far rank is a hen.
            if piece == Piece::Chick && to.mask() & far_rank(side) != 0 {
                continue;
            }
            for from in squares(piece.reach(side.other(), to) & quiet(piece)) {
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

/// Takes one step back: with an empty target, and with every piece on it that may have been captured.
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
    use crate::Dobutsu;
    use crate::position::Position;
    use crate::table::verdict::{holding_moves, wins_at_once};
    use crate::{Variant, moves};
    use banmen_game::{Game, Rng, Walk};

    /// Positions of random games, none of them over.
    fn positions(variant: Variant, games: usize) -> Vec<Position> {
        let mut rng = Rng::new(3);
        let mut positions = Vec::new();
        for _ in 0..games {
            let mut walk = Walk::new(Dobutsu { variant });
            while walk.outcome().is_none() {
                positions.push(*walk.position());
                let moves = walk.game().moves(walk.position());
                walk.play(moves[rng.index(moves.len())]);
            }
        }
        positions
    }

    #[test]
    fn moves_taken_back_are_those_that_can_be_made_where_no_lion_can_be_caught() {
        for position in positions(Variant::Catch, 100) {
            let mut before = Vec::new();
            visit(&position, |earlier| before.push(*earlier));
            for earlier in &before {
                assert_eq!(before.iter().filter(|other| *other == earlier).count(), 1, "{earlier:?} twice");
                let mut ways = 0;
                let _ = moves::visit(
                    earlier,
                    |_| crate::board::BOARD,
                    crate::board::BOARD,
                    |m| {
                        let mut next = *earlier;
                        next.play(m);
                        ways += usize::from(next == position);
                        std::ops::ControlFlow::<()>::Continue(())
                    },
                );
                assert_eq!(ways, 1, "{earlier:?} leads to {position:?}");
            }
            for m in Dobutsu::CATCH.moves(&position) {
                let mut next = position;
                next.play(m);
                let mut found = false;
                visit(&next, |earlier| found |= *earlier == position);
                assert_eq!(found, !position.is_in_check(position.side().other()), "{position:?} before {next:?}");
            }
        }
    }

    #[test]
    fn verdicts_are_those_of_the_rules() {
        for variant in [Variant::Catch, Variant::AnyTry] {
            let game = Dobutsu { variant };
            let wins = |position: &Position| {
                game.moves(position).into_iter().any(|m| {
                    let mut next = *position;
                    next.play(m);
                    game.lions_ended(&next).is_some_and(|(winner, _)| winner == position.side())
                })
            };
            for position in positions(variant, 1_000) {
                // A lion that may be caught on the far rank wins by any move that ends the attack: no stored position.
                if position.is_on_far_rank(position.side()) {
                    continue;
                }
                assert_eq!(wins_at_once(variant, &position), wins(&position), "{position:?}");
                if !wins(&position) {
                    let holding = game.moves(&position).into_iter().filter(|&m| {
                        let mut next = position;
                        next.play(m);
                        !wins_at_once(variant, &next)
                    });
                    assert_eq!(holding_moves(variant, &position) as usize, holding.count(), "{position:?}");
                }
            }
        }
    }
}
