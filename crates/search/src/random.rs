//! The random player: the baseline.

use std::ops::ControlFlow;

use banmen_game::{Game, GameState, Rng};

use crate::{Player, Report, Task};

/// Plays each legal move with the same probability.
pub struct RandomPlayer {
    rng: Rng,
}

impl RandomPlayer {
    /// A player whose moves follow from the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        RandomPlayer { rng: Rng::new(seed) }
    }
}

impl<G: Game> Player<G> for RandomPlayer {
    fn new_game(&mut self, _: &GameState<G>, seed: u64) {
        self.rng = Rng::new(seed);
    }

    fn think(&mut self, task: Task<'_, G>) -> Report<G::Move> {
        // The moves are counted and not collected: a turn of some games has a million moves.
        let (game, position) = (task.state.game(), task.state.position());
        let mut before = self.rng.index(game.count_moves(position));
        let found = game.visit_moves(position, |m| match before.checked_sub(1) {
            None => ControlFlow::Break(m),
            Some(rest) => {
                before = rest;
                ControlFlow::Continue(())
            }
        });
        match found {
            ControlFlow::Break(m) => Report::of(m, 0.5),
            ControlFlow::Continue(()) => unreachable!("an unfinished position lists as many moves as it counts"),
        }
    }
}
