//! Sets of cells, prepared for counting the cells of placements in them.

use crate::cells::{Cell, Cells, SIZE};
use crate::piece::{ORIENTATIONS, Orientation};

/// A set of cells of the board and the ring of cells around it, from which a window of 7 by 7 cells is read at once.
///
/// As in [`Cells`] a row takes 16 bits, moved by a row and a column: the cell in column `x` and row `y` is bit
/// `16 (y + 1) + x + 1`. So the window of a placement begins one row and one column before its bounding box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane([u8; 48]);

/// The cells of an orientation and around it, in a window: bit `16 (y + 1) + x + 1` for the step of `x` columns and `y` rows
/// from the upper left corner of the bounding box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The cells that it covers.
    pub(super) cells: u128,
    /// Those that share an edge with one of them.
    pub(super) edges: u128,
    /// Those that touch one of them diagonally, and share no edge with any.
    pub(super) corners: u128,
}

static SHAPES: [Shape; ORIENTATIONS] = {
    let mut shapes = [Shape { cells: 0, edges: 0, corners: 0 }; ORIENTATIONS];
    let mut index = 0;
    while index < ORIENTATIONS {
        let cells = Orientation::shape(index) << 17;
        let sideways = cells << 1 | cells >> 1;
        let edges = (sideways | cells << 16 | cells >> 16) & !cells;
        let corners = (sideways << 16 | sideways >> 16) & !cells & !edges;
        shapes[index] = Shape { cells, edges, corners };
        index += 1;
    }
    shapes
};

impl Shape {
    /// The shape of an orientation.
    #[inline]
    pub(super) const fn of(orientation: usize) -> &'static Shape {
        &SHAPES[orientation]
    }
}

impl Plane {
    /// The cells off the board that share an edge with one of its cells.
    pub(super) const BORDER: Plane = {
        let mut bytes = [0; 48];
        let mut place = 1;
        while place <= SIZE as usize {
            // Above and below, then to the left and to the right.
            let below = 2 * (SIZE as usize + 1) + place / 8;
            bytes[place / 8] |= 1 << (place % 8);
            bytes[below] |= 1 << (place % 8);
            bytes[2 * place] |= 1;
            bytes[2 * place + 1] |= 1 << 7;
            place += 1;
        }
        Plane(bytes)
    };

    #[inline]
    pub(super) fn new(cells: Cells) -> Plane {
        let [a, b, c, d] = cells.words();
        let moved = [a << 17, b << 17 | a >> 47, c << 17 | b >> 47, d << 17 | c >> 47];
        let mut bytes = [0; 48];
        for (bytes, word) in bytes.chunks_exact_mut(8).zip(moved) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Plane(bytes)
    }

    /// How many cells of a mask of a [`Shape`] are in the set, for the placement with its bounding box at `corner`.
    #[inline]
    pub(super) fn count(&self, corner: Cell, mask: u128) -> usize {
        let row = 2 * usize::from(corner.y());
        let bytes = self.0[row..].first_chunk::<16>();
        let window = bytes.map_or(0, |bytes| u128::from_le_bytes(*bytes)) >> corner.x() & mask;
        ((window as u64).count_ones() + ((window >> 64) as u64).count_ones()) as usize
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves::Move;

    #[test]
    fn counts_are_those_of_the_cells_themselves() {
        let mut rng = Rng::new(5);
        let set: Cells = Cell::all().filter(|_| rng.index(2) == 0).collect();
        let plane = Plane::new(set);
        for m in Move::placements() {
            let Some((orientation, corner)) = m.parts() else { continue };
            let (cells, shape) = (m.cells(), Shape::of(orientation.index()));
            let edges = cells.edges() & !cells;
            let corners = cells.corners() & !cells & !edges;
            for (mask, cells) in [(shape.cells, cells), (shape.edges, edges), (shape.corners, corners)] {
                assert_eq!(plane.count(corner, mask), (cells & set).count() as usize, "{m}");
                assert_eq!(Plane::new(Cells::BOARD).count(corner, mask), cells.count() as usize, "{m}");
            }
            let beside = |cell: Cell| {
                [cell.x(), cell.y()].into_iter().map(|place| usize::from(place == 0) + usize::from(place == SIZE - 1))
            };
            // A cell off the board beside two cells of the piece counts once, and each of them is beside one cell only.
            let border: usize = cells.iter().flat_map(beside).sum();
            assert_eq!(Plane::BORDER.count(corner, shape.edges), border, "{m}");
        }
    }
}
