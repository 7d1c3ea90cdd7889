//! The board as data to draw.

use banmen_catalog::{Board as Picture, View};
use banmen_game::{GameState, Side};

use crate::board::Cell;
use crate::game::Golad;
use crate::step::step;

/// Cells are named `x,y`. Tags mark the cells of the last move (`last`) and the effects of the next generation if the
/// side to move passed: `dies`, `born-first`, `born-second`. The extra facts are the numbers of living cells, the
/// generations, the round from 1, and the rounds after which the game is drawn.
impl View for Golad {
    fn board(&self, state: &GameState<Self>) -> Picture {
        let position = state.position();
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
                _ if state.outcome().is_some() => {}
                (Some(_), None) => picture.tag(index, "dies"),
                (None, Some(Side::First)) => picture.tag(index, "born-first"),
                (None, Some(Side::Second)) => picture.tag(index, "born-second"),
                _ => {}
            }
        }
        if let Some(last) = state.moves().last() {
            last.place(position.side, |cell, _| picture.tag(cell.y() * width + cell.x(), "last"));
        }
        for (name, board) in [("", board), ("_next", &next)] {
            for side in Side::BOTH {
                picture.extra.insert(format!("{}{name}", side.name()), board.count(side).into());
            }
        }
        let rounds = self.turns() / 2;
        picture.extra.insert("round".to_owned(), (position.generations / 2 + 1).min(rounds).into());
        picture.extra.insert("rounds".to_owned(), rounds.into());
        picture
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Notation;

    use super::*;
    use crate::moves::Move;

    #[test]
    fn marks_the_last_move_and_the_next_generation() {
        let (game, position) = Golad::STANDARD.parse_position("....../.000../....11/......").expect("a position");
        let mut state = GameState::from(game, position);
        let tagged = |picture: &Picture, tag: &str| {
            let cells = picture.cells.iter().filter(|cell| cell.tags.contains(&tag));
            cells.map(|cell| cell.at.as_str()).collect::<Vec<_>>().join(" ")
        };
        let start = game.board(&state);
        assert_eq!(tagged(&start, "dies"), "1,1 5,2");
        assert_eq!(tagged(&start, "born-first"), "2,0 2,2 3,2");
        assert_eq!(tagged(&start, "born-second"), "4,1");
        let counts = ["first", "second", "first_next", "second_next", "round"].map(|name| start.extra[name].as_u64());
        assert_eq!(counts, [3, 2, 5, 2, 1].map(Some));
        let cell = |x, y| Cell::new(x, y).expect("on the board");
        state.play(Move::birth(cell(0, 3), cell(1, 1), cell(3, 1)));
        assert_eq!(tagged(&game.board(&state), "last"), "1,1 3,1 0,3");
        assert_eq!(tagged(&start, "last"), "");
    }
}
