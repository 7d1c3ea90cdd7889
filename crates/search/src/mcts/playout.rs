//! Guides that know the rules only: uniformly random playouts.

use std::ops::ControlFlow;

use banmen_game::{FastPlayout, Game, History, PlayoutEnd, Rng, Side};

use super::Guide;

/// Playouts in which every listed move has the same chance, by listing the moves. The random stream is used as
/// [`FastPlayout`] says. Rewards: 1 for a win of the first side, ½ for a draw and where a playout was cut off.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    cap: u32,
}

impl Uniform {
    /// Cuts playouts off after `cap` moves; 0 judges the leaf itself.
    #[must_use]
    pub fn new(cap: u32) -> Self {
        Uniform { cap }
    }
}

impl Default for Uniform {
    /// To the end of the game.
    fn default() -> Self {
        Uniform::new(u32::MAX)
    }
}

impl<G: Game> Guide<G> for Uniform {
    type Scratch = Vec<G::Move>;

    fn playout(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        moves: &mut Vec<G::Move>,
        mut played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd {
        let mut plies = 0;
        let outcome = loop {
            moves.clear();
            let _ = game.visit_moves(position, |m| {
                moves.push(m);
                ControlFlow::<()>::Continue(())
            });
            if !G::History::EMPTY || moves.is_empty() {
                let outcome = game.outcome(position, history);
                if outcome.is_some() {
                    break outcome;
                }
            }
            if plies == self.cap {
                break None;
            }
            let m = match moves[..] {
                [] => break None,
                [m] => m,
                _ => moves[rng.index(moves.len())],
            };
            played(game.side_to_move(position), m);
            history.push(position);
            game.play(position, m);
            plies += 1;
        };
        for _ in 0..plies {
            history.pop();
        }
        PlayoutEnd { outcome, plies }
    }
}

/// Playouts in which every listed move has the same chance, by the game's own [`FastPlayout`]. Rewards as with
/// [`Uniform`].
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    cap: u32,
}

impl Fast {
    /// Cuts playouts off after `cap` moves; 0 judges the leaf itself.
    #[must_use]
    pub fn new(cap: u32) -> Self {
        Fast { cap }
    }
}

impl Default for Fast {
    /// To the end of the game.
    fn default() -> Self {
        Fast::new(u32::MAX)
    }
}

impl<G: FastPlayout> Guide<G> for Fast {
    type Scratch = G::Scratch;

    fn playout(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        scratch: &mut G::Scratch,
        played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd {
        game.playout(position, history, self.cap, rng, scratch, played)
    }
}
