//! Random play, as fast as a game can make it.

use crate::{Game, Outcome, Rng, Side};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutEnd {
    /// How the game ended; `None` where the playout was cut off.
    pub outcome: Option<Outcome>,
    /// How many moves were played.
    pub plies: u32,
}

/// A game with uniformly random play of its own, faster than by listing moves.
pub trait FastPlayout: Game {
    /// Plays from `position` until the game is over or `cap` moves are played; each listed move has the same chance,
    /// and each is told to `played` with the side that made it.
    ///
    /// A decision among two or more moves draws one [`Rng::index`] of their number, in the order in which
    /// [`Game::visit_moves`] lists them; a lone move draws nothing. So the same stream plays the same game whoever
    /// plays it. `position` is left where the playout ended, `history` as it was found.
    fn playout(
        &self,
        position: &mut Self::Position,
        history: &mut Self::History,
        cap: u32,
        rng: &mut Rng,
        played: impl FnMut(Side, Self::Move),
    ) -> PlayoutEnd;
}
