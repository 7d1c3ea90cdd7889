//! The slow, obvious rules for the tests: loops over cells. Bitboards only name the moves.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use banmen_game::laws;
use banmen_game::{Outcome, Side};

use crate::cells::{Cell, Cells};
use crate::game::Blokus;
use crate::moves::Move;
use crate::position::Position;

/// A piece as it lies on the board: column and row of its cells, in order.
pub type Shape = BTreeSet<(i8, i8)>;

/// One orientation of each of the 21 pieces, drawn in rows that `/` separates, with the usual name.
pub const DRAWINGS: [(&str, &str); 21] = [
    ("1", "#"),
    ("2", "##"),
    ("I3", "###"),
    ("V3", "##/#."),
    ("I4", "####"),
    ("L4", "###/..#"),
    ("T4", "###/.#."),
    ("O", "##/##"),
    ("Z4", "##./.##"),
    ("I5", "#####"),
    ("L5", "####/...#"),
    ("N", "###./..##"),
    ("P", "###/##."),
    ("U", "#.#/###"),
    ("Y", "####/..#."),
    ("T5", "###/.#./.#."),
    ("V5", "###/#../#.."),
    ("W", "##./.##/..#"),
    ("Z5", "##./.#./.##"),
    ("F", ".##/##./.#."),
    ("X", ".#./###/.#."),
];

/// The different orientations of a drawing, each moved to column 0 and row 0.
#[must_use]
pub fn orientations(drawing: &str) -> BTreeSet<Shape> {
    let rows = (0..).zip(drawing.split('/'));
    let mut shape: Shape = rows
        .flat_map(|(y, row)| (0..).zip(row.chars()).filter(|&(_, mark)| mark == '#').map(move |(x, _)| (x, y)))
        .collect();
    let mut all = BTreeSet::new();
    for number in 0..8 {
        shape = shape.iter().map(|&(x, y)| if number == 4 { (-x, y) } else { (-y, x) }).collect();
        let left = shape.iter().map(|&(x, _)| x).min().unwrap_or(0);
        let top = shape.iter().map(|&(_, y)| y).min().unwrap_or(0);
        all.insert(shape.iter().map(|&(x, y)| (x - left, y - top)).collect());
    }
    all
}

/// The number of a piece, its cells at a place on the board, and the move that places it there.
type Placement = (usize, Vec<(i8, i8)>, Move);

/// Every piece in every orientation at every place.
static PLACEMENTS: LazyLock<Vec<Placement>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (piece, (_, drawing)) in DRAWINGS.iter().enumerate() {
        for shape in orientations(drawing) {
            for (dx, dy) in (0..14).flat_map(|dy| (0..14).map(move |dx| (dx, dy))) {
                let moved: Vec<(i8, i8)> = shape.iter().map(|&(x, y)| (x + dx, y + dy)).collect();
                let cells: Option<Cells> = moved.iter().map(|&(x, y)| Cell::at(x as u8, y as u8)).collect();
                all.extend(cells.and_then(Move::covering).map(|m| (piece, moved, m)));
            }
        }
    }
    all
});

/// The board as a table of cells, and which pieces each side has placed, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    cells: [[Option<Side>; 14]; 14],
    placed: [BTreeSet<usize>; 2],
    monomino_last: [bool; 2],
    side: Side,
}

impl Reference {
    /// The owner of a cell; `None` when it is empty or off the board.
    fn owner(&self, x: i8, y: i8) -> Option<Side> {
        let row = self.cells.get(usize::try_from(y).ok()?)?;
        *row.get(usize::try_from(x).ok()?)?
    }

    /// Whether the side to move may cover these cells with a piece that it has.
    fn fits(&self, game: &Blokus, shape: &[(i8, i8)]) -> bool {
        let own = |x, y| self.owner(x, y) == Some(self.side);
        let board = 0..14;
        if !shape.iter().all(|&(x, y)| board.contains(&x) && board.contains(&y) && self.owner(x, y).is_none()) {
            return false;
        }
        if shape.iter().any(|&(x, y)| own(x - 1, y) || own(x + 1, y) || own(x, y - 1) || own(x, y + 1)) {
            return false;
        }
        if self.placed[self.side.index()].is_empty() {
            let starts: &[(i8, i8)] = match (*game == Blokus::FREE_START, self.side) {
                (true, _) => &[(4, 4), (9, 9)],
                (false, Side::First) => &[(4, 4)],
                (false, Side::Second) => &[(9, 9)],
            };
            return shape.iter().any(|cell| starts.contains(cell));
        }
        shape.iter().any(|&(x, y)| own(x - 1, y - 1) || own(x + 1, y - 1) || own(x - 1, y + 1) || own(x + 1, y + 1))
    }

    /// The placements of the side to move.
    fn placements(&self, game: &Blokus) -> Vec<Move> {
        if *game == Blokus::CONTEST && self.placed.iter().any(|placed| placed.len() == 21) {
            return Vec::new();
        }
        let fits = |piece: &usize, shape: &[(i8, i8)]| {
            !self.placed[self.side.index()].contains(piece) && self.fits(game, shape)
        };
        PLACEMENTS.iter().filter(|(piece, shape, _)| fits(piece, shape)).map(|&(_, _, m)| m).collect()
    }

    /// The same position with the other side to move.
    fn passed(&self) -> Reference {
        Reference { side: self.side.other(), ..self.clone() }
    }

    fn score(&self, side: Side) -> u32 {
        let squares = self.cells.iter().flatten().filter(|&&owner| owner == Some(side)).count() as u32;
        let all = self.placed[side.index()].len() == 21;
        squares + if all { 15 } else { 0 } + if self.monomino_last[side.index()] { 5 } else { 0 }
    }
}

impl laws::Reference<Blokus> for Reference {
    fn of(_: &Blokus, position: &Position) -> Self {
        let mut cells = [[None; 14]; 14];
        for (side, cell) in
            Side::BOTH.into_iter().flat_map(|side| position.cells(side).iter().map(move |cell| (side, cell)))
        {
            cells[usize::from(cell.y())][usize::from(cell.x())] = Some(side);
        }
        let placed = Side::BOTH.map(|side| position.placed(side).iter().map(crate::piece::Piece::index).collect());
        let monomino_last = Side::BOTH.map(|side| position.monomino_last(side));
        Reference { cells, placed, monomino_last, side: position.side() }
    }

    fn moves(&self, game: &Blokus) -> Vec<Move> {
        let placements = self.placements(game);
        if placements.is_empty() && !self.passed().placements(game).is_empty() {
            return vec![Move::PASS];
        }
        placements
    }

    fn play(&mut self, _: &Blokus, m: Move) {
        let side = self.side;
        if let Some(&(piece, ref cells, _)) = PLACEMENTS.iter().find(|(_, _, placement)| *placement == m) {
            for &(x, y) in cells {
                self.cells[y as usize][x as usize] = Some(side);
            }
            self.placed[side.index()].insert(piece);
            self.monomino_last[side.index()] = piece == 0 && self.placed[side.index()].len() == 21;
        }
        self.side = side.other();
    }

    fn outcome(&self, game: &Blokus) -> Option<Outcome> {
        if !self.placements(game).is_empty() || !self.passed().placements(game).is_empty() {
            return None;
        }
        let [first, second] = Side::BOTH.map(|side| self.score(side));
        let winner = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Side::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Side::Second),
        };
        Some(Outcome { winner, margin: Some(first.abs_diff(second)), by: "points" })
    }
}
