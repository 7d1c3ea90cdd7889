//! A baseline: flips the most discs with each move.

use banmen_game::{GameState, Rng};
use banmen_search::{Eval, Line, Player, Report, Task};

use crate::Othello;
use crate::moves;
use crate::position::Move;

/// Plays the move that flips the most discs; ties are broken at random.
pub struct Greedy {
    rng: Rng,
}

impl Greedy {
    /// A player whose random choices follow from the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Greedy { rng: Rng::new(seed) }
    }
}

impl Player<Othello> for Greedy {
    fn new_game(&mut self, _: &GameState<Othello>, seed: u64) {
        self.rng = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, Othello>) -> Report<Move> {
        let position = task.state.position();
        let gain = |square: u32| moves::flips(position.own(), position.opp(), square).count_ones();
        let mut best = (0, vec![Move::PASS]);
        let mut legal = position.legal();
        while legal != 0 {
            let square = legal.trailing_zeros();
            legal &= legal - 1;
            let (Some(m), gain) = (Move::at(square), gain(square)) else { continue };
            if gain > best.0 {
                best = (gain, Vec::new());
            }
            if gain == best.0 {
                best.1.push(m);
            }
        }
        let (gain, moves) = best;
        let m = moves[self.rng.index(moves.len())];
        let eval = Some(Eval { n: f64::from(gain), unit: "discs" });
        Report { lines: vec![Line { moves: vec![m], value: 0.5, eval }], ..Report::of(m, 0.5) }
    }
}
