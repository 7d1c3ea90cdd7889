//! A position to be drawn.

use banmen_catalog::{Board as Picture, View};
use banmen_game::{Side, Walk};

use crate::board::{Board, Cell};
use crate::game::Golad;
use crate::moves::Move;
use crate::step::step;

/// Cells are named `x,y`. Marked are the cells of the last move (`last`) and what the next generation would do if the
/// side to move passed: `dies`, `born-first`, `born-second`. Beside the board stand the living cells of both sides, the
/// generations done, the round from 1, and the rounds after which the game is drawn.
impl View for Golad {
    fn board(&self, walk: &Walk<Self>) -> Picture {
        let position = walk.position();
        let board = &position.board;
        let (width, height) = (board.width(), board.height());
        let mut picture = Picture::empty(width, height, |x, y| format!("{x},{y}"));
        let mut next = *board;
        step(&mut next);
        for index in 0..width * height {
            let Some(cell) = Cell::new(index % width, index / width) else { continue };
            let (now, then) = (board.owner(cell), next.owner(cell));
            if let Some(owner) = now {
                picture.put(index, "cell", owner);
            }
            match (now, then) {
                _ if walk.outcome().is_some() => {}
                (Some(_), None) => picture.tag(index, "dies"),
                (None, Some(Side::First)) => picture.tag(index, "born-first"),
                (None, Some(Side::Second)) => picture.tag(index, "born-second"),
                _ => {}
            }
        }
        for cell in walk.moves().last().into_iter().flat_map(|&m| touched(m)) {
            picture.tag(cell.y() * width + cell.x(), "last");
        }
        let counted = |board: &Board| Side::BOTH.map(|side| board.count(side));
        picture.extra.insert("living".to_owned(), counted(board).to_vec().into());
        picture.extra.insert("living_next".to_owned(), counted(&next).to_vec().into());
        picture.extra.insert("generations".to_owned(), position.generations.into());
        let round = (position.generations / 2 + 1).min(self.rounds);
        picture.extra.insert("round".to_owned(), round.into());
        picture.extra.insert("rounds".to_owned(), self.rounds.into());
        picture
    }
}

/// The cells that a move sets or kills.
fn touched(m: Move) -> Vec<Cell> {
    match m {
        Move::Pass => Vec::new(),
        Move::Kill(cell) => vec![cell],
        Move::Birth { cell, sacrifices: [a, b] } => vec![cell, a, b],
    }
}
