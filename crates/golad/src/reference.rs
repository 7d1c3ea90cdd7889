//! A slow and obvious implementation of the rules: a board of cells, and neighbours counted one by one. Also helpers
//! that the tests share.

use banmen_game::{Rng, Side};

use crate::board::{Board, Cell};

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
