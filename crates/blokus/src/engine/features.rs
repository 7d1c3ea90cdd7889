//! The features of a placement, by which priors and playouts value it.
//!
//! Each group counts something about the placement: cells that it covers, cells beside it, cells at its corners. A
//! placement has one feature of each group, so its strength is the product of one number for each (Coulom 2007, "Computing
//! Elo ratings of move patterns in the game of Go").

use super::plane::{Plane, Shape};
use crate::cells::{Cell, Cells};
use crate::game::Blokus;
use crate::moves::{Move, Reach};
use crate::piece::{Orientation, PIECES};
use crate::position::Position;

/// The number of groups that depend on the position; the piece and its place on the board are further groups.
pub(super) const COUNTED: usize = 11;

/// The largest number of features of a group, except that of the pieces.
pub(super) const MOST: usize = 8;

/// The groups that depend on the position: name, number of features, and what is counted. The last feature of a group
/// stands for its count and all larger ones.
pub(super) const GROUPS: [(&str, usize, &str); COUNTED] = [
    ("blocks", 4, "attach points of the opponent that are covered"),
    ("blocks-last", 4, "of these, those of the piece that the opponent placed last"),
    ("crowds", 4, "cells covered beside an attach point of the opponent that it could use with it"),
    ("takes", 6, "cells covered that the opponent could cover"),
    ("points", 7, "new attach points of its own"),
    ("open-points", 6, "of these, those with two free cells or more beside them"),
    ("lost-points", 5, "attach points of its own that it makes useless"),
    ("spoils", 8, "free cells of its own that it makes useless, in pairs"),
    ("touches", 7, "cells of the opponent beside it"),
    ("distance", 4, "distance to the nearest cell of the opponent: 1, also diagonally, 2, 3, more"),
    ("local", 3, "distance to the piece that the opponent placed last: 1, 2, more"),
];

/// The groups that depend on the placement alone: how near to the centre it comes, in rings from 0 to 6, and the cells
/// off the board beside it.
pub(super) const PLACED: [(&str, usize, &str); 2] = [
    ("centre", 7, "ring around the centre of the nearest cell covered"),
    ("border", 8, "edges of the board beside it, in squares"),
];

/// Placements before which a phase ends; the last phase has no end.
const PHASE_ENDS: [u32; 4] = [4, 9, 15, 21];

/// Names of the phases.
pub(super) const PHASES: [&str; PHASE_ENDS.len() + 1] =
    ["placements 1 to 4", "5 to 9", "10 to 15", "16 to 21", "from 22 on"];

/// The phase of the next placement.
#[inline]
pub(super) fn phase(position: &Position) -> usize {
    let placements = position.placements();
    PHASE_ENDS.iter().filter(|&&end| end <= placements).count()
}

/// What is the same for all placements of a side in a position.
pub(super) struct Features {
    blocks: Plane,
    blocks_last: Plane,
    crowds: Plane,
    takes: Plane,
    points: Plane,
    open_points: Plane,
    lost_points: Plane,
    spoils: Plane,
    touches: Plane,
    near: [Plane; 3],
    local: [Plane; 2],
}

/// The cells at most one step away, also diagonally, themselves included.
fn around(cells: Cells) -> Cells {
    cells | cells.edges() | cells.corners()
}

/// The cells with two or more cells of the set beside them.
fn with_two_beside(cells: Cells) -> Cells {
    let [up, down, left, right] = cells.neighbours();
    (up & down) | (left & right) | ((up | down) & (left | right))
}

impl Features {
    /// For the side to move, which has this reach. `last`: what the opponent placed last, or a pass.
    #[inline]
    pub(super) fn new(game: &Blokus, position: &Position, own: &Reach, last: Move) -> Features {
        let opponent = position.side().other();
        let reach = game.reach(position, opponent);
        let (last, theirs) = (last.cells(), position.cells(opponent));
        let points = if position.cells(position.side()).is_empty() { Cells::EMPTY } else { own.attach };
        let new = own.free & !points;
        let near = around(theirs);
        let local = around(last);
        let nearer = around(near);
        Features {
            blocks: Plane::new(reach.attach),
            blocks_last: Plane::new(reach.attach & last.corners()),
            crowds: Plane::new(reach.attach.edges() & reach.free & !reach.attach),
            takes: Plane::new(reach.free),
            points: Plane::new(new),
            open_points: Plane::new(new & with_two_beside(own.free)),
            lost_points: Plane::new(points),
            spoils: Plane::new(own.free),
            touches: Plane::new(theirs),
            near: [Plane::new(near), Plane::new(nearer), Plane::new(around(nearer))],
            local: [Plane::new(local), Plane::new(around(local))],
        }
    }

    /// The feature of each counted group that a placement has.
    #[inline]
    pub(super) fn of(&self, orientation: usize, corner: Cell) -> [usize; COUNTED] {
        let Shape { cells, edges, corners } = *Shape::of(orientation);
        let nearest = |planes: &[Plane]| planes.iter().take_while(|plane| plane.count(corner, cells) == 0).count();
        let mut features = [
            self.blocks.count(corner, cells),
            self.blocks_last.count(corner, cells),
            self.crowds.count(corner, cells),
            self.takes.count(corner, cells),
            self.points.count(corner, corners),
            self.open_points.count(corner, corners),
            self.lost_points.count(corner, edges),
            self.spoils.count(corner, edges) / 2,
            self.touches.count(corner, edges),
            nearest(&self.near),
            nearest(&self.local),
        ];
        for (feature, group) in features.iter_mut().zip(&GROUPS) {
            *feature = (*feature).min(group.1 - 1);
        }
        features
    }
}

/// The features of the groups that depend on the placement alone.
pub(super) fn placed(orientation: Orientation, corner: Cell) -> [usize; PLACED.len()] {
    let border = Plane::BORDER.count(corner, Shape::of(orientation.index()).edges);
    [orientation.at(corner).iter().map(ring).min().unwrap_or(0), border.min(PLACED[1].1 - 1)]
}

/// The ring of a cell around the centre: 0 for the four cells in the middle, 6 at the border.
fn ring(cell: Cell) -> usize {
    let distance = |place: u8| (2 * i32::from(place) - 13).unsigned_abs() as usize / 2;
    distance(cell.x()).max(distance(cell.y()))
}

/// The smallest size of the pieces that the search considers, if a piece of at least this size can be placed. Small
/// pieces are worth keeping for small holes, so their early placements are rarely good. The steps are ours, in the
/// number of placements before.
pub(super) fn least_size(position: &Position) -> u32 {
    match position.placements() {
        0..6 => 5,
        6..8 => 4,
        8..12 => 3,
        _ => 1,
    }
}

/// The number of features, pieces included.
pub(super) const FEATURES: usize = {
    let (mut count, mut group) = (PIECES + PLACED[0].1 + PLACED[1].1, 0);
    while group < COUNTED {
        count += GROUPS[group].1;
        group += 1;
    }
    count
};

#[cfg(test)]
pub(super) mod tests {
    use banmen_game::{Game, Rng, Side};

    use super::*;

    /// Positions of random games, each with the move that led to it. Large pieces first, so that games are long.
    pub(in crate::engine) fn positions(games: u64) -> Vec<(Position, Move)> {
        let game = Blokus::STANDARD;
        let mut all = Vec::new();
        for seed in 0..games {
            let (mut position, mut last, mut rng) = (game.start(), Move::PASS, Rng::new(seed));
            while game.outcome(&position, &()).is_none() {
                all.push((position, last));
                let mut legal = game.moves(&position);
                let size = |m: &Move| m.cells().count();
                let most = legal.iter().map(size).max().unwrap_or(0);
                legal.retain(|m| size(m) == most);
                last = legal[rng.index(legal.len())];
                game.play(&mut position, last);
            }
        }
        all
    }

    /// Cell by cell, by coordinates.
    struct Slow<'p> {
        game: Blokus,
        position: &'p Position,
        last: Move,
    }

    impl Slow<'_> {
        fn step(cell: Cell, (dx, dy): (i8, i8)) -> Option<Cell> {
            Cell::at(cell.x().wrapping_add_signed(dx), cell.y().wrapping_add_signed(dy))
        }

        fn beside(cell: Cell) -> Vec<Cell> {
            [(1, 0), (-1, 0), (0, 1), (0, -1)].into_iter().filter_map(|step| Slow::step(cell, step)).collect()
        }

        fn diagonal(cell: Cell) -> Vec<Cell> {
            [(1, 1), (-1, 1), (1, -1), (-1, -1)].into_iter().filter_map(|step| Slow::step(cell, step)).collect()
        }

        fn own(&self, side: Side, cell: Cell) -> bool {
            self.position.cells(side).contains(cell)
        }

        fn free(&self, side: Side, cell: Cell) -> bool {
            !Side::BOTH.iter().any(|&side| self.own(side, cell))
                && !Slow::beside(cell).into_iter().any(|other| self.own(side, other))
        }

        fn attaches(&self, side: Side, cell: Cell) -> bool {
            let starts = self.game.starts()[side.index()];
            let empty = self.position.cells(side).is_empty();
            let touches = Slow::diagonal(cell).into_iter().any(|other| self.own(side, other));
            self.free(side, cell) && if empty { starts.contains(cell) } else { touches }
        }

        fn distance(from: &[Cell], to: impl Fn(Cell) -> bool, most: usize) -> usize {
            let apart = |a: u8, b: u8| usize::from(a.abs_diff(b));
            let all = Cell::all().filter(|&cell| to(cell));
            let pairs =
                all.flat_map(|to| from.iter().map(move |from| apart(from.x(), to.x()).max(apart(from.y(), to.y()))));
            // Distance 0 and 1 have the same feature.
            pairs.min().unwrap_or(usize::MAX).max(1).min(most + 1) - 1
        }

        fn features(&self, m: Move) -> [usize; COUNTED] {
            let (side, other) = (self.position.side(), self.position.side().other());
            let first = self.position.cells(side).is_empty();
            let cells: Vec<Cell> = m.cells().iter().collect();
            let edges: Vec<Cell> = Cell::all()
                .filter(|cell| !cells.contains(cell) && Slow::beside(*cell).iter().any(|c| cells.contains(c)))
                .collect();
            let corners: Vec<Cell> = Cell::all()
                .filter(|cell| !cells.contains(cell) && !edges.contains(cell))
                .filter(|cell| Slow::diagonal(*cell).iter().any(|c| cells.contains(c)))
                .collect();
            let last: Vec<Cell> = self.last.cells().iter().collect();
            let count = |cells: &[Cell], what: &dyn Fn(Cell) -> bool| cells.iter().filter(|&&cell| what(cell)).count();
            let blocks = |cell: Cell| self.attaches(other, cell);
            let point = |cell: Cell| !first && self.attaches(side, cell);
            let new = |cell: Cell| self.free(side, cell) && !point(cell);
            let open = |cell: Cell| new(cell) && count(&Slow::beside(cell), &|c| self.free(side, c)) >= 2;
            let counts = [
                count(&cells, &blocks),
                count(&cells, &|cell| blocks(cell) && Slow::diagonal(cell).iter().any(|c| last.contains(c))),
                count(&cells, &|cell| {
                    self.free(other, cell) && !blocks(cell) && Slow::beside(cell).into_iter().any(blocks)
                }),
                count(&cells, &|cell| self.free(other, cell)),
                count(&corners, &new),
                count(&corners, &open),
                count(&edges, &point),
                count(&edges, &|cell| self.free(side, cell)) / 2,
                count(&edges, &|cell| self.own(other, cell)),
                Slow::distance(&cells, |cell| self.own(other, cell), 3),
                Slow::distance(&cells, |cell| last.contains(&cell), 2),
            ];
            std::array::from_fn(|group| counts[group].min(GROUPS[group].1 - 1))
        }
    }

    #[test]
    fn features_are_those_counted_cell_by_cell() {
        let game = Blokus::STANDARD;
        let mut seen = [[0; MOST]; COUNTED];
        for (position, last) in positions(6) {
            let reach = game.reach(&position, position.side());
            let fast = Features::new(&game, &position, &reach, last);
            let slow = Slow { game, position: &position, last };
            for m in game.moves(&position).into_iter().step_by(2) {
                let Some((orientation, corner)) = m.parts() else { continue };
                let features = slow.features(m);
                assert_eq!(fast.of(orientation.index(), corner), features, "{m} in {position:?} after {last}");
                for (row, feature) in seen.iter_mut().zip(features) {
                    row[feature] += 1;
                }
            }
        }
        for ((name, count, _), row) in GROUPS.iter().zip(seen) {
            // The largest count of a group may be too rare for so few positions.
            assert!(row[..*count - 1].iter().all(|&times| times > 0), "{name}: {row:?}");
        }
    }

    #[test]
    fn rings_and_borders_are_those_of_the_place() {
        let parts = |cells: &[(u8, u8)]| {
            let cells: Cells = cells.iter().filter_map(|&(x, y)| Cell::at(x, y)).collect();
            Move::covering(cells).and_then(Move::parts).map(|(orientation, corner)| placed(orientation, corner))
        };
        assert_eq!(parts(&[(6, 7)]), Some([0, 0]));
        assert_eq!(parts(&[(0, 0)]), Some([6, 2]), "both edges of the corner");
        assert_eq!(parts(&[(0, 0), (1, 0), (2, 0)]), Some([6, 4]));
        assert_eq!(parts(&[(4, 4), (4, 5)]), Some([2, 0]));
        assert_eq!(parts(&[(13, 9), (13, 10), (13, 11), (13, 12), (13, 13)]), Some([6, 6]));
    }

    #[test]
    fn phases_and_least_sizes_follow_the_placements() {
        let mut before = 0;
        for (position, _) in positions(1) {
            let number = phase(&position);
            assert!(number >= before && number < PHASES.len());
            before = number;
            let placements = position.placements();
            assert_eq!(number == 0, placements < 4);
            assert_eq!(least_size(&position) == 5, placements < 6);
            assert_eq!(least_size(&position) == 1, placements >= 12);
        }
        assert_eq!(before, PHASES.len() - 1);
    }
}
