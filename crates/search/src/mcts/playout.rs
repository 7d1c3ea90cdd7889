//! From a leaf to a result.

use std::ops::ControlFlow;

use banmen_game::{FastPlayout, Game, History, PlayoutEnd, Rng, Side};

/// How the game goes on behind the tree. One value serves one thread.
pub trait Playout<G: Game>: Clone + Send {
    /// Plays on from an unfinished `position`, and leaves it where the playout ended and `history` as it was found. Every
    /// move is told to `played` with the side that made it. Without an outcome the guide judges the last position.
    fn run(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd;
}

/// Every listed move with the same chance, by listing the moves. The stream is used as [`FastPlayout`] says.
#[derive(Clone, Debug)]
pub struct Uniform<M> {
    cap: u32,
    moves: Vec<M>,
}

impl<M> Uniform<M> {
    /// Cuts playouts off after `cap` moves; 0 judges the leaf itself.
    #[must_use]
    pub fn new(cap: u32) -> Self {
        Uniform { cap, moves: Vec::new() }
    }
}

impl<M> Default for Uniform<M> {
    /// To the end of the game.
    fn default() -> Self {
        Uniform::new(u32::MAX)
    }
}

impl<G: Game> Playout<G> for Uniform<G::Move> {
    fn run(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        mut played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd {
        let mut plies = 0;
        let outcome = loop {
            self.moves.clear();
            let _ = game.visit_moves(position, |m| {
                self.moves.push(m);
                ControlFlow::<()>::Continue(())
            });
            if !G::History::EMPTY || self.moves.is_empty() {
                let outcome = game.outcome(position, history);
                if outcome.is_some() {
                    break outcome;
                }
            }
            if plies == self.cap {
                break None;
            }
            let m = match self.moves[..] {
                [] => break None,
                [m] => m,
                _ => self.moves[rng.index(self.moves.len())],
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

/// Every listed move with the same chance, by the game's own [`FastPlayout`].
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

impl<G: FastPlayout> Playout<G> for Fast {
    fn run(
        &mut self,
        game: &G,
        position: &mut G::Position,
        history: &mut G::History,
        rng: &mut Rng,
        played: impl FnMut(Side, G::Move),
    ) -> PlayoutEnd {
        game.playout(position, history, self.cap, rng, played)
    }
}
