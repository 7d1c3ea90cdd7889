//! The board as data to draw.

use banmen_catalog::{Board, View};
use banmen_game::{GameState, Side};
use serde_json::{Map, Value, json};

use crate::cells::Cell;
use crate::game::Tubstap;

/// The cells inside the border, with their terrain. A unit is a piece named by its letter (`F A P U R I`), and labelled with its
/// hit points; units of the side to move that have acted, and units of the other side that miss their next turn, are
/// tagged `acted`, the cell of the last move's unit and of its target `last`. `extra` has the units by number (`units`:
/// their cells), turns played and their limit, the threshold, and the hit points of both sides.
impl View for Tubstap {
    fn board(&self, state: &GameState<Self>) -> Board {
        let (position, field) = (state.position(), self.field());
        let (width, height) = (field.width() - 2, field.height() - 2);
        let name = |x: usize, y: usize| Cell::new(x + 1, y + 1).map(|cell| cell.to_string()).unwrap_or_default();
        let index = |cell: Cell| (cell.y() - 1) * width + cell.x() - 1;
        let mut board = Board::empty(width, height, name);
        for cell in field.cells() {
            board.set_terrain(index(cell), field.terrain(cell).name());
        }
        let mut units = Map::new();
        for (number, unit) in position.units() {
            let at = index(unit.cell);
            board.put(at, unit.kind.symbol(), unit.side);
            board.set_label(at, unit.hp.to_string());
            if unit.acted {
                board.tag(at, "acted");
            }
            units.insert(number.to_string(), unit.cell.to_string().into());
        }
        if let Some(m) = state.moves().last().filter(|m| m.unit().is_some()) {
            board.tag(index(m.to()), "last");
            let target = m.target().and_then(|target| Some(state.before()?.unit(target)?.cell));
            if let Some(cell) = target {
                board.tag(index(cell), "last");
            }
        }
        board.extra.insert("units".to_owned(), Value::Object(units));
        board.extra.insert("turn".to_owned(), json!(position.turn()));
        board.extra.insert("limit".to_owned(), json!(self.limit()));
        board.extra.insert("threshold".to_owned(), json!(self.threshold()));
        for side in Side::BOTH {
            board.extra.insert(side.name().to_owned(), position.hit_points(side).into());
        }
        board
    }
}
