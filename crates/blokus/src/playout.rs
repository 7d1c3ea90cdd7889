//! Playouts: the loop that all policies share, and the uniformly random one.

use banmen_game::{FastPlayout, PlayoutEnd, Rng, Side};

use crate::game::Blokus;
use crate::moves::{Move, MoveSet};
use crate::position::Position;
use crate::simd::{self, Kernel};

/// Plays from `position` until the game is over or `cap` moves are played, and leaves it there. `choose` is called with the
/// placements of the side to move where there are two or more; `played` with each move and the side that made it.
#[inline]
pub(crate) fn run(
    game: &Blokus,
    position: &mut Position,
    cap: u32,
    moves: &mut MoveSet,
    choose: impl FnMut(&Position, &MoveSet) -> Move,
    played: impl FnMut(Side, Move),
) -> PlayoutEnd {
    simd::run(Playout { game, position, cap, moves, choose, played })
}

/// A playout as a loop that is compiled for more than one set of instructions.
struct Playout<'a, C, P> {
    game: &'a Blokus,
    position: &'a mut Position,
    cap: u32,
    moves: &'a mut MoveSet,
    choose: C,
    played: P,
}

impl<C: FnMut(&Position, &MoveSet) -> Move, P: FnMut(Side, Move)> Kernel for Playout<'_, C, P> {
    type Output = PlayoutEnd;

    #[inline(always)]
    fn run(self) -> PlayoutEnd {
        let Playout { game, position, cap, moves, mut choose, mut played } = self;
        let mut plies = 0;
        // A side without a move never has one again: new corners of its colour come from its own moves only.
        let mut stuck = [false; 2];
        loop {
            let side = position.side();
            let (own, other) = (side.index(), side.other().index());
            let count = if stuck[own] { 0 } else { moves.fill(&game.reach(position, side)) };
            if count == 0 {
                stuck[own] = true;
                stuck[other] = stuck[other] || !game.reach(position, side.other()).any();
            }
            if stuck == [true; 2] || game.ended_early(position) {
                return PlayoutEnd { outcome: Some(Blokus::by_points(position)), plies };
            }
            if plies == cap {
                return PlayoutEnd { outcome: None, plies };
            }
            let m = match count {
                0 => Move::PASS,
                1 => moves.nth(0).unwrap_or(Move::PASS),
                _ => choose(position, moves),
            };
            played(side, m);
            position.play(m);
            plies += 1;
        }
    }
}

impl FastPlayout for Blokus {
    type Scratch = MoveSet;

    fn playout(
        &self,
        position: &mut Position,
        (): &mut (),
        cap: u32,
        rng: &mut Rng,
        moves: &mut MoveSet,
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let choose = |_: &Position, moves: &MoveSet| moves.nth(rng.index(moves.len())).unwrap_or(Move::PASS);
        run(self, position, cap, moves, choose, played)
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;

    #[test]
    fn playouts_with_vectors_are_the_portable_ones() {
        for game in [Blokus::STANDARD, Blokus::CONTEST] {
            let [vectors, portable] = [false, true].map(|portable| {
                let (mut moves, mut rng, mut played) = (MoveSet::default(), Rng::new(6), Vec::new());
                for cap in (0..200).map(|number| if number % 4 == 0 { number / 4 } else { u32::MAX }) {
                    let mut position = game.start();
                    let choose =
                        |_: &Position, moves: &MoveSet| moves.nth(rng.index(moves.len())).unwrap_or(Move::PASS);
                    let record = |side: Side, m| played.push((side, m));
                    let (game, position, moves) = (&game, &mut position, &mut moves);
                    let end = if portable {
                        Playout { game, position, cap, moves, choose, played: record }.run()
                    } else {
                        run(game, position, cap, moves, choose, record)
                    };
                    assert!(end.plies <= cap);
                }
                played
            });
            assert!(vectors.len() > 4_000, "{}", vectors.len());
            assert_eq!(vectors, portable);
        }
    }
}
