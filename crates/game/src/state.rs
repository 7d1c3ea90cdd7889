//! A game in progress: the rules, a position, and its history.

use crate::{Game, History, Outcome, Side};

/// Rules, position and history of a game in progress, and the moves played so far.
#[derive(Clone, Debug)]
pub struct GameState<G: Game> {
    game: G,
    position: G::Position,
    history: G::History,
    origin: G::Position,
    moves: Vec<G::Move>,
    before: Option<G::Position>,
}

impl<G: Game> GameState<G> {
    /// The start of a game.
    pub fn new(game: G) -> Self {
        let start = game.start();
        GameState::from(game, start)
    }

    /// A game that begins at `position`, with an empty history.
    pub fn from(game: G, position: G::Position) -> Self {
        GameState {
            game,
            origin: position.clone(),
            position,
            history: G::History::default(),
            moves: Vec::new(),
            before: None,
        }
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The current position.
    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// What the rules remember of the moves that led here.
    pub fn history(&self) -> &G::History {
        &self.history
    }

    /// The position where the game began.
    pub fn origin(&self) -> &G::Position {
        &self.origin
    }

    /// The moves played since [`GameState::origin`].
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The position before the last move, if there was one.
    pub fn before(&self) -> Option<&G::Position> {
        self.before.as_ref()
    }

    /// The side that decides next.
    pub fn side_to_move(&self) -> Side {
        self.game.side_to_move(&self.position)
    }

    /// The most decisions that the mover still makes in this turn, this one counted: [`Game::decisions_left`].
    pub fn decisions_left(&self) -> u32 {
        self.game.decisions_left(&self.position)
    }

    /// How the game ended, or `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome(&self.position, &self.history)
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: G::Move) {
        self.history.push(&self.position);
        self.before = Some(self.position.clone());
        self.game.play(&mut self.position, m);
        self.moves.push(m);
    }
}
