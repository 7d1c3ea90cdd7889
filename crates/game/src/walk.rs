//! A game being walked: the rules, a position, and its past.

use crate::{Game, Outcome, Past, Side};

/// Rules, position and past, kept in step.
#[derive(Clone, Debug)]
pub struct Walk<G: Game> {
    game: G,
    position: G::Position,
    past: G::Past,
    origin: G::Position,
    moves: Vec<G::Move>,
    before: Option<G::Position>,
}

impl<G: Game> Walk<G> {
    /// At the start of a game.
    pub fn new(game: G) -> Self {
        let start = game.start();
        Walk::from(game, start)
    }

    /// At `position`, with nothing before it.
    pub fn from(game: G, position: G::Position) -> Self {
        Walk { game, origin: position.clone(), position, past: G::Past::default(), moves: Vec::new(), before: None }
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Where the walk is.
    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// What the rules remember of the way here.
    pub fn past(&self) -> &G::Past {
        &self.past
    }

    /// Where the walk began.
    pub fn origin(&self) -> &G::Position {
        &self.origin
    }

    /// The moves played since [`Walk::origin`].
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The position before the last move, if there was one.
    pub fn before(&self) -> Option<&G::Position> {
        self.before.as_ref()
    }

    /// Whose decision it is.
    pub fn side_to_move(&self) -> Side {
        self.game.side_to_move(&self.position)
    }

    /// How the game ended, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(&self.position, &self.past)
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: G::Move) {
        self.past.push(&self.position);
        self.before = Some(self.position.clone());
        self.game.play(&mut self.position, m);
        self.moves.push(m);
    }
}
