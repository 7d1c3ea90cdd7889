//! A slow and obvious implementation of the rules: a board of cells, and neighbours counted one by one. Also helpers
//! that the tests share.

use banmen_game::{Outcome, Rng, Side, laws};

use crate::board::{Board, Cell};
use crate::game::Golad;
use crate::moves::Move;
use crate::position::Position;

/// A clock that does not advance: only limits of nodes and depth apply.
#[cfg(test)]
pub(crate) struct FrozenClock;

#[cfg(test)]
impl banmen_search::Clock for FrozenClock {
    fn now(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

/// A random board with the given share of living cells, of random sides.
#[must_use]
pub fn random_board(width: u8, height: u8, share: usize, rng: &mut Rng) -> Board {
    let mut board = Board::empty(width, height);
    for index in 0..usize::from(width) * usize::from(height) {
        let cell = Cell::new(index % usize::from(width), index / usize::from(width));
        if let Some(cell) = cell.filter(|_| rng.index(share) == 0) {
            board.set(cell, Some(Side::BOTH[rng.index(2)]));
        }
    }
    board
}

/// A board as rows of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naive(pub Vec<Vec<Option<Side>>>);

impl Naive {
    /// The same board.
    #[must_use]
    pub fn of(board: &Board) -> Naive {
        let cell = |x, y| Cell::new(x, y).and_then(|cell| board.owner(cell));
        Naive((0..board.height()).map(|y| (0..board.width()).map(|x| cell(x, y)).collect()).collect())
    }

    /// The number of neighbours of a cell for which `counts` holds.
    fn neighbours(&self, x: usize, y: usize, counts: impl Fn(Side) -> bool) -> usize {
        let mut count = 0;
        for (row, cells) in self.0.iter().enumerate().take(y + 2).skip(y.saturating_sub(1)) {
            for (column, cell) in cells.iter().enumerate().take(x + 2).skip(x.saturating_sub(1)) {
                count += usize::from((column, row) != (x, y) && cell.is_some_and(&counts));
            }
        }
        count
    }

    /// The board after one generation.
    #[must_use]
    pub fn step(&self) -> Naive {
        let next = |x: usize, y: usize, cell: Option<Side>| match (cell, self.neighbours(x, y, |_| true)) {
            (Some(owner), 2 | 3) => Some(owner),
            (None, 3) if self.neighbours(x, y, |side| side == Side::First) >= 2 => Some(Side::First),
            (None, 3) => Some(Side::Second),
            _ => None,
        };
        let row = |(y, cells): (usize, &Vec<Option<Side>>)| {
            cells.iter().enumerate().map(|(x, &cell)| next(x, y, cell)).collect()
        };
        Naive(self.0.iter().enumerate().map(row).collect())
    }

    /// The number of cells of a side.
    #[must_use]
    pub fn count(&self, side: Side) -> usize {
        self.0.iter().flatten().filter(|&&cell| cell == Some(side)).count()
    }
}

/// A position: a board as rows of cells, the side to move, and how many generations have passed.
#[derive(Clone, Debug)]
pub struct Reference {
    board: Naive,
    side: Side,
    generations: u32,
}

impl Reference {
    fn cell(&mut self, cell: Cell) -> &mut Option<Side> {
        &mut self.board.0[cell.y()][cell.x()]
    }

    /// The cells of which this holds.
    fn cells(&self, holds: impl Fn(Option<Side>) -> bool) -> Vec<Cell> {
        let rows = self.board.0.iter().enumerate();
        let all = rows.flat_map(|(y, row)| row.iter().enumerate().map(move |(x, &owner)| (x, y, owner)));
        all.filter(|&(_, _, owner)| holds(owner)).filter_map(|(x, y, _)| Cell::new(x, y)).collect()
    }
}

impl laws::Reference<Golad> for Reference {
    fn of(_: &Golad, position: &Position) -> Self {
        Reference { board: Naive::of(&position.board), side: position.side, generations: position.generations.into() }
    }

    fn moves(&self, game: &Golad) -> Vec<Move> {
        if self.outcome(game).is_some() {
            return Vec::new();
        }
        let mut moves = vec![Move::Pass];
        moves.extend(self.cells(|owner| owner.is_some()).into_iter().map(Move::Kill));
        let own = self.cells(|owner| owner == Some(self.side));
        for cell in self.cells(|owner| owner.is_none()) {
            for (index, &a) in own.iter().enumerate() {
                moves.extend(own[..index].iter().map(|&b| Move::birth(cell, a, b)));
            }
        }
        moves
    }

    fn play(&mut self, _: &Golad, m: Move) {
        match m {
            Move::Pass => {}
            Move::Kill(cell) => *self.cell(cell) = None,
            Move::Birth { cell, sacrifices: [a, b] } => {
                *self.cell(cell) = Some(self.side);
                *self.cell(a) = None;
                *self.cell(b) = None;
            }
        }
        self.board = self.board.step();
        self.side = self.side.other();
        self.generations += 1;
    }

    fn outcome(&self, game: &Golad) -> Option<Outcome> {
        let end = |winner, by| Some(Outcome { winner, margin: None, by });
        match Side::BOTH.map(|side| self.board.count(side)) {
            [0, 0] => end(None, "extinction"),
            [_, 0] => end(Some(Side::First), "extinction"),
            [0, _] => end(Some(Side::Second), "extinction"),
            _ if self.generations >= 2 * u32::from(game.rounds) => end(None, "rounds"),
            _ => None,
        }
    }
}
