//! Uniformly random playouts.

use banmen_game::{FastPlayout, PlayoutEnd, Rng, Side};

use crate::game::Blokus;
use crate::moves::{Move, MoveSet};
use crate::position::Position;

impl FastPlayout for Blokus {
    type Scratch = MoveSet;

    fn playout(
        &self,
        position: &mut Position,
        (): &mut (),
        cap: u32,
        rng: &mut Rng,
        moves: &mut MoveSet,
        mut played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        let mut plies = 0;
        // A side without a move never has one again: new corners of its colour come from its own moves only.
        let mut stuck = [false; 2];
        loop {
            let side = position.side();
            let (own, other) = (side.index(), side.other().index());
            let count = if stuck[own] { 0 } else { moves.fill(&self.reach(position, side)) };
            if count == 0 {
                stuck[own] = true;
                stuck[other] = stuck[other] || !self.reach(position, side.other()).any();
            }
            if stuck == [true; 2] || self.ended_early(position) {
                return PlayoutEnd { outcome: Some(Blokus::by_points(position)), plies };
            }
            if plies == cap {
                return PlayoutEnd { outcome: None, plies };
            }
            let rank = if count > 1 { rng.index(count) } else { 0 };
            let m = if count == 0 { Move::PASS } else { moves.nth(rank).unwrap_or(Move::PASS) };
            played(side, m);
            position.play(m);
            plies += 1;
        }
    }
}
