//! Fast random playouts.

use crate::{Game, Outcome, Rng, Side};

/// How a playout ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutEnd {
    /// How the game ended; `None` where the playout was cut off.
    pub outcome: Option<Outcome>,
    /// How many moves were played.
    pub plies: u32,
}

/// A game that brings its own uniformly random playout, faster than one that lists moves.
pub trait FastPlayout: Game {
    /// Buffers of a playout, such as incremental move lists; `()` where it needs none. Each thread makes one and passes
    /// it to all of its playouts, which may leave anything in it.
    type Scratch: Default + Send;

    /// Plays from `position` until the game is over or `cap` moves are played; each listed move has the same chance.
    /// Calls `played` with each move and the side that made it.
    ///
    /// A decision among two or more moves draws one [`Rng::index`] of their number, in the order in which
    /// [`Game::visit_moves`] lists them; a single move draws nothing. So a random stream determines the playout, and the
    /// result does not depend on `scratch`. `position` is left where the playout ended, `history` as it was found.
    fn playout(
        &self,
        position: &mut Self::Position,
        history: &mut Self::History,
        cap: u32,
        rng: &mut Rng,
        scratch: &mut Self::Scratch,
        played: impl FnMut(Side, Self::Move),
    ) -> PlayoutEnd;
}
