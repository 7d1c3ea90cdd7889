//! The yardstick below all others.

use banmen_game::{Game, Rng};

use crate::{Player, Report, Task};

/// Plays each legal move with the same chance.
pub struct RandomPlayer {
    rng: Rng,
}

impl RandomPlayer {
    /// The moves follow from the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        RandomPlayer { rng: Rng::new(seed) }
    }
}

impl<G: Game> Player<G> for RandomPlayer {
    fn new_game(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move> {
        let moves = task.walk.game().moves(task.walk.position());
        Report::of(moves[self.rng.index(moves.len())], 0.5)
    }
}
