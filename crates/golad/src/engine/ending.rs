//! Finds a move that wins at once, if there is one.
//!
//! A changed cell affects only itself and its eight neighbours. So once some parts of a winning move are chosen, each
//! enemy cell that would survive is at a cell that the rest of the move changes, or next to it; and if nothing would
//! survive, the same holds for an own cell that must survive. A birth is composed part by part on this basis.

use banmen_game::Side;
use banmen_search::Budget;

use crate::board::{Board, Cell, ROWS};
use crate::moves::Move;
use crate::step::step;

/// The largest number of cells that one change affects.
const REACH: usize = 9;

/// The number of boards between two reads of the clock: 0.1 ms on the largest boards.
const PERIOD: u32 = 512;

/// A move after which only `side` has cells; `None` also when the budget runs out first.
pub(super) fn win(board: &Board, side: Side, budget: &mut Budget<'_>) -> Option<Move> {
    WinSearch { board, side, budget, boards: 0 }.win()
}

struct WinSearch<'b, 'w, 'a> {
    board: &'b Board,
    side: Side,
    budget: &'w mut Budget<'a>,
    /// The number of boards computed.
    boards: u32,
}

/// The parts of a birth that are chosen.
#[derive(Clone, Copy, Default)]
struct Chosen {
    born: Option<Cell>,
    dead: [Option<Cell>; 2],
    /// The part that was chosen first so that some cell survives.
    rescue: Option<Cell>,
}

impl Chosen {
    /// The number of parts that are not chosen yet.
    fn open(&self) -> usize {
        usize::from(self.born.is_none()) + self.dead.iter().filter(|cell| cell.is_none()).count()
    }
}

/// The cells within `distance` of this one, in any direction.
fn around(board: &Board, cell: Cell, distance: usize) -> impl Iterator<Item = Cell> + use<> {
    let side = |at: usize, size: usize| at.saturating_sub(distance)..(at + distance + 1).min(size);
    let columns = side(cell.x(), board.width());
    side(cell.y(), board.height()).flat_map(move |y| columns.clone().map(move |x| Cell::at(y * ROWS + x)))
}

impl WinSearch<'_, '_, '_> {
    fn win(&mut self) -> Option<Move> {
        let other = self.side.other();
        let passed = self.after([None; 2], None)?;
        let lives = |board: &Board, side| board.rows(side).iter().any(|&row| row != 0);
        if !lives(&passed, other) && lives(&passed, self.side) {
            return Some(Move::Pass);
        }
        if passed.count(other) as usize > 3 * REACH {
            return None;
        }
        let kills: Vec<Cell> = match passed.cells(other).next() {
            Some(target) => around(self.board, target, 1).collect(),
            None => around(self.board, Cell::at(0), ROWS).collect(),
        };
        for cell in kills.into_iter().filter(|&cell| self.board.owner(cell).is_some()) {
            let killed = self.after([Some(cell), None], None)?;
            if !lives(&killed, other) && lives(&killed, self.side) {
                return Some(Move::Kill(cell));
            }
        }
        if self.board.count(self.side) < 2 {
            return None;
        }
        self.birth(Chosen::default())
    }

    /// The board a generation after these changes; `None` when the budget has run out.
    fn after(&mut self, dead: [Option<Cell>; 2], born: Option<Cell>) -> Option<Board> {
        self.boards += 1;
        if self.boards.is_multiple_of(PERIOD) && !self.budget.go_on() {
            return None;
        }
        let mut board = *self.board;
        if let Some(cell) = born {
            board.set(cell, Some(self.side));
        }
        for cell in dead.into_iter().flatten() {
            board.set(cell, None);
        }
        step(&mut board);
        Some(board)
    }

    /// A birth that wins, with the parts that are chosen.
    fn birth(&mut self, chosen: Chosen) -> Option<Move> {
        let next = self.after(chosen.dead, chosen.born)?;
        let targets = next.count(self.side.other()) as usize;
        if targets > REACH * chosen.open() {
            return None;
        }
        let alive = next.count(self.side) > 0;
        match chosen {
            Chosen { born: Some(cell), dead: [Some(a), Some(b)], .. } => alive.then(|| Move::birth(cell, a, b)),
            _ => match next.cells(self.side.other()).next() {
                Some(target) => self.with_any(chosen, around(self.board, target, 1)),
                // The remaining parts only have to do no harm.
                None if alive => self.with_any(chosen, around(self.board, Cell::at(0), ROWS)),
                // One of the cells that must survive is near the rescue, and near the part chosen with it.
                None => match chosen.rescue {
                    Some(rescue) => self.with_any(chosen, around(self.board, rescue, 2)),
                    None => around(self.board, Cell::at(0), ROWS)
                        .find_map(|cell| self.with(Chosen { rescue: Some(cell), ..chosen }, cell)),
                },
            },
        }
    }

    fn with_any(&mut self, chosen: Chosen, mut cells: impl Iterator<Item = Cell>) -> Option<Move> {
        cells.find_map(|cell| self.with(chosen, cell))
    }

    /// A birth that wins, with the cell as one of the open parts.
    fn with(&mut self, mut chosen: Chosen, cell: Cell) -> Option<Move> {
        match self.board.owner(cell) {
            None if chosen.born.is_none() => chosen.born = Some(cell),
            Some(owner) if owner == self.side && !chosen.dead.contains(&Some(cell)) => {
                *chosen.dead.iter_mut().find(|dead| dead.is_none())? = Some(cell);
            }
            _ => return None,
        }
        self.birth(chosen)
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};
    use banmen_search::{Limits, StopFlag};

    use super::*;
    use crate::Golad;
    use crate::position::Position;
    use crate::reference::FrozenClock;

    /// The move found, and the number of boards computed.
    fn search_win(board: &Board, limits: Limits) -> (Option<Move>, u32) {
        let stop = StopFlag::default();
        let mut budget = Budget::start(&limits, &FrozenClock, &stop);
        let mut search = WinSearch { board, side: Side::First, budget: &mut budget, boards: 0 };
        (search.win(), search.boards)
    }

    #[test]
    fn finds_a_win_exactly_where_there_is_one() {
        let mut rng = Rng::new(3);
        let (mut wins, mut none, mut rescues) = (0, 0, 0);
        for round in 0..6_000 {
            let size = |rng: &mut Rng| 3 + rng.index(7) as u8;
            let mut board = Board::empty(size(&mut rng), size(&mut rng));
            let share = 3 + round % 8;
            for index in 0..ROWS * ROWS {
                let cell = Cell::at(index);
                if board.holds(cell) && rng.index(share) == 0 {
                    board.set(cell, Some(if rng.index(3) > 0 { Side::First } else { Side::Second }));
                }
            }
            if [Side::First, Side::Second].iter().any(|&side| board.count(side) == 0) || board.count(Side::First) > 14 {
                continue;
            }
            let position = Position::new(board);
            let game = Golad { width: board.width, height: board.height, ..Golad::STANDARD };
            let is_win = |m: Move| {
                let mut next = position;
                next.play(m);
                game.outcome(&next, &()).is_some_and(|outcome| outcome.winner == Some(Side::First))
            };
            let any = game.moves(&position).into_iter().any(is_win);
            let (found, _) = search_win(&board, Limits::default());
            assert_eq!(found.is_some(), any, "{board:?}");
            assert!(found.is_none_or(is_win), "{board:?}");
            let mut passed = board;
            step(&mut passed);
            if Side::BOTH.iter().all(|&side| passed.count(side) == 0) {
                rescues += 1;
            }
            if any { wins += 1 } else { none += 1 }
        }
        assert!(wins > 300 && none > 300 && rescues > 100, "{wins} wins, {none} without, {rescues} where all die");
    }

    #[test]
    fn is_fast_where_all_cells_die() {
        // Cells and bars too far apart to live on, some of them left out; the first few are the second side's.
        let mut rng = Rng::new(5);
        let mut longest = 0;
        for (apart, long) in [(3, 1), (4, 1), (2, 1), (3, 2), (4, 2), (2, 2), (5, 3)] {
            for (width, height) in [(18, 16), (32, 32), (9, 4)] {
                for (enemies, gaps) in [(1, 0), (2, 0), (7, 0), (1, 8), (3, 8), (2, 3)] {
                    let mut board = Board::empty(width, height);
                    for (number, cell) in board.clone().dead_cells().enumerate() {
                        let living = cell.x() % (apart + long - 1) < long && cell.y() % apart == 0;
                        if living && (gaps == 0 || rng.index(gaps) > 0) {
                            board.set(cell, Some(if number < enemies { Side::Second } else { Side::First }));
                        }
                    }
                    longest = longest.max(search_win(&board, Limits::default()).1);
                }
            }
        }
        assert!(longest < 20_000, "{longest} boards");
    }
}
