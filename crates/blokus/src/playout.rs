//! Playouts: the loop that all policies share, and the uniformly random one.

use banmen_game::{FastPlayout, PlayoutEnd, Rng, Side};

use crate::game::Blokus;
use crate::moves::{Move, MoveSet};
use crate::position::Position;

/// Plays from `position` until the game is over or `cap` moves are played, and leaves it there. `choose` is called with the
/// placements of the side to move where there are two or more; `played` with each move and the side that made it.
#[inline]
pub(crate) fn run(
    game: &Blokus,
    position: &mut Position,
    cap: u32,
    moves: &mut MoveSet,
    mut choose: impl FnMut(&Position, &MoveSet) -> Move,
    mut played: impl FnMut(Side, Move),
) -> PlayoutEnd {
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
