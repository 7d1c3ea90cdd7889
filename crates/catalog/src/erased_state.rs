//! A game state without its types.

use std::any::Any;
use std::collections::HashMap;
use std::ops::ControlFlow;

use banmen_game::{Game, GameState, MovePrefix, Notation, Outcome, PassCost, Side, TextError};

use crate::board::Cell;
use crate::error::{quote, without_control};
use crate::{AnyState, Board, Error, ErrorCode, MAX_LISTED_MOVES, PerftFn, View};

/// A state of a game of type `G`.
pub(crate) struct ErasedState<G: Game> {
    pub(crate) state: GameState<G>,
    pub(crate) perft: PerftFn<G>,
}

/// The typed state behind an erased one, if it is of this game.
pub(crate) fn typed<G: Game>(state: &dyn AnyState) -> Result<&GameState<G>, Error> {
    match state.as_any().downcast_ref::<ErasedState<G>>() {
        Some(erased) => Ok(&erased.state),
        None => Err(Error::new(ErrorCode::ForeignState, "the position belongs to another game")),
    }
}

impl<G: Notation> ErasedState<G> {
    /// Reads one move. A forced move that the text omits is played first.
    fn read_implied(&mut self, text: &str) -> Result<G::Move, TextError> {
        let game = self.state.game();
        if let Some(implied) = game.implied_move(self.state.position(), text) {
            let mut next = self.state.position().clone();
            game.play(&mut next, implied);
            let m = game.parse_move(&next, text)?;
            self.state.play(implied);
            return Ok(m);
        }
        game.parse_move(self.state.position(), text)
    }

    /// What `map` makes of each legal move.
    fn collect_legal<T>(&self, map: impl Fn(G::Move) -> T) -> Vec<T> {
        let mut collected = Vec::new();
        if self.state.outcome().is_none() {
            let _ = self.state.game().visit_moves(self.state.position(), |m| {
                collected.push(map(m));
                ControlFlow::<()>::Continue(())
            });
        }
        collected
    }
}

impl<G: Notation + View> AnyState for ErasedState<G> {
    fn side_to_move(&self) -> Side {
        self.state.side_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.state.outcome()
    }

    fn legal(&self) -> Vec<u32> {
        let game = self.state.game();
        self.collect_legal(|m| game.pack(m))
    }

    fn legal_texts(&self, dialect: &str) -> Vec<String> {
        let (game, position) = (self.state.game(), self.state.position());
        self.collect_legal(|m| game.format_move(position, m, dialect))
    }

    fn visit_texts(&self, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool) {
        if self.outcome().is_none() {
            self.state.game().visit_texts(self.state.position(), visit);
        }
    }

    fn legal_count(&self) -> usize {
        if self.outcome().is_some() { 0 } else { self.state.game().count_moves(self.state.position()) }
    }

    fn moves(&self) -> Vec<u32> {
        self.state.moves().iter().map(|&m| self.state.game().pack(m)).collect()
    }

    fn move_sides(&self) -> Vec<Side> {
        let game = self.state.game();
        let mut position = self.state.origin().clone();
        let side = |&m: &G::Move| {
            let side = game.side_to_move(&position);
            game.play(&mut position, m);
            side
        };
        self.state.moves().iter().map(side).collect()
    }

    fn move_texts(&self, dialect: &str) -> Vec<String> {
        let game = self.state.game();
        let mut position = self.state.origin().clone();
        let write = |&m: &G::Move| {
            let text = game.format_move(&position, m, dialect);
            game.play(&mut position, m);
            text
        };
        self.state.moves().iter().map(write).collect()
    }

    fn play(&mut self, m: u32) -> Result<(), Error> {
        let game = self.state.game();
        match game.unpack(m) {
            Some(m) if self.outcome().is_none() && game.is_legal(self.state.position(), m) => {
                self.state.play(m);
                Ok(())
            }
            _ => Err(Error::new(ErrorCode::IllegalMove, "the move is not legal here").reason("not_a_move")),
        }
    }

    fn play_texts(&mut self, texts: &[&str]) -> Result<(), Error> {
        let split: Vec<&str> = texts.iter().flat_map(|text| self.state.game().split_moves(text)).collect();
        for (number, text) in (1..).zip(split) {
            if self.outcome().is_some() {
                let why = format!("{} comes after the end of the game", quote(text));
                return Err(Error::listed_move(number, text, &TextError::illegal("game_over", why)));
            }
            let m = self.read_implied(text).map_err(|error| Error::listed_move(number, text, &error))?;
            self.state.play(m);
        }
        Ok(())
    }

    fn pass(&self) -> Option<u32> {
        let game = self.state.game();
        let pass = game.pass().filter(|&pass| self.outcome().is_none() && game.is_legal(self.state.position(), pass));
        pass.map(|pass| game.pack(pass))
    }

    fn read(&self, text: &str) -> Result<u32, Error> {
        let game = self.state.game();
        let m = game.parse_move(self.state.position(), text).map_err(|error| {
            let listed = Error::listed_move(1, text, &error);
            Error { message: without_control(error.message), at: None, ..listed }
        })?;
        Ok(game.pack(m))
    }

    fn write(&self, m: u32, dialect: &str) -> String {
        let game = self.state.game();
        game.unpack(m)
            .filter(|&m| game.is_legal(self.state.position(), m))
            .map_or_else(|| "?".to_owned(), |m| game.format_move(self.state.position(), m, dialect))
    }

    fn write_line(&self, line: &[u32], dialect: &str) -> Vec<String> {
        let game = self.state.game();
        let mut position = self.state.position().clone();
        let mut texts = Vec::with_capacity(line.len());
        for &m in line {
            let Some(m) = game.unpack(m).filter(|&m| game.is_legal(&position, m)) else { break };
            texts.push(game.format_move(&position, m, dialect));
            game.play(&mut position, m);
        }
        texts
    }

    fn position(&self, dialect: &str) -> String {
        self.state.game().format_position(self.state.position(), dialect)
    }

    fn origin(&self, dialect: &str) -> String {
        self.state.game().format_position(self.state.origin(), dialect)
    }

    fn key(&self) -> u64 {
        self.state.game().key(self.state.position())
    }

    fn max_plies(&self) -> usize {
        self.state.game().max_plies()
    }

    fn board(&self) -> Board {
        let (game, position) = (self.state.game(), self.state.position());
        let mut board = game.board(&self.state);
        if self.outcome().is_some() || self.legal_count() > MAX_LISTED_MOVES {
            return board;
        }
        // Cells whose names are moves. Reading these few is faster than writing all moves.
        let dialect = game.dialects()[0];
        let read = |(index, cell): (usize, &Cell)| {
            let m = game.parse_move(position, &cell.at).ok()?;
            (game.format_move(position, m, dialect) == cell.at).then(|| (game.pack(m), index))
        };
        let named: HashMap<u32, usize> = board.cells.iter().enumerate().filter_map(read).collect();
        if named.is_empty() {
            return board;
        }
        for m in self.legal() {
            if let Some(&index) = named.get(&m) {
                board.cells[index].tags.push("legal");
            }
        }
        board
    }

    fn perft(&self, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64> {
        (self.perft)(self.state.game(), self.state.position(), depth, passes, stop)
    }

    fn copy(&self) -> Box<dyn AnyState> {
        Box::new(ErasedState { state: self.state.clone(), perft: self.perft })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::test_game::{LISTINGS, Row};
    use crate::{AnyGame, Entry};

    #[test]
    fn writes_and_marks_all_moves_in_one_listing_each() {
        let game = Entry::new("row", Row { cells: 64 }).in_memory();
        let state = game.state(None, Some("5")).expect("a position");
        LISTINGS.set(0);
        let texts = state.legal_texts("row");
        assert_eq!((texts.len(), texts[0].as_str(), LISTINGS.get()), (62, "1", 1));
        LISTINGS.set(0);
        let board = state.board();
        // One listing counts the moves, the other writes them.
        assert_eq!(LISTINGS.get(), 2);
        let legal = board.cells.iter().filter(|cell| cell.tags == ["legal"]).map(|cell| cell.at.clone());
        assert_eq!(legal.collect::<Vec<_>>(), texts);
    }

    #[test]
    fn shows_terrain_and_labels_only_where_they_are() {
        let game = Entry::new("row", Row { cells: 3 }).in_memory();
        let board = game.state(None, Some("2")).expect("a position").board();
        let json = serde_json::to_value(board).expect("a board is JSON");
        let cell = |at: usize| &json["cells"][at];
        assert_eq!(*cell(0), json!({ "at": "0", "piece": null, "owner": null, "tags": ["legal"] }));
        assert_eq!(*cell(1), json!({ "at": "1", "piece": "mark", "owner": "first", "tags": [], "label": "2" }));
        assert_eq!(*cell(2), json!({ "at": "2", "piece": null, "owner": null, "tags": ["legal"], "terrain": "hill" }));
    }
}
