//! The board as data to draw.

use banmen_catalog::{Board, View};
use banmen_game::{GameState, Side};

use crate::cells::Cell;
use crate::game::Blokus;
use crate::piece::Piece;

/// A covered cell is a `square`. The start cells are tagged `start` until they are covered, the cells of the last move
/// `last`, and the cells to which a side can attach its next piece `corner-first` and `corner-second`. A hand lists the
/// names of its pieces; `extra` has the points of each side.
impl View for Blokus {
    fn board(&self, state: &GameState<Self>) -> Board {
        let position = state.position();
        let name = |x: usize, y: usize| Cell::at(x as u8, y as u8).map(|cell| cell.to_string()).unwrap_or_default();
        let mut board = Board::empty(14, 14, name);
        for (side, corner) in Side::BOTH.into_iter().zip(["corner-first", "corner-second"]) {
            for cell in position.cells(side).iter() {
                board.put(cell.index(), "square", side);
            }
            for cell in self.reach(position, side).attach.iter() {
                board.tag(cell.index(), if position.cells(side).is_empty() { "start" } else { corner });
            }
            board.hands.push(position.hand(side).iter().map(Piece::name).map(str::to_owned).collect());
            board.extra.insert(side.name().to_owned(), position.score(side).into());
        }
        for cell in state.moves().last().into_iter().flat_map(|m| m.cells().iter()) {
            board.tag(cell.index(), "last");
        }
        board
    }
}
