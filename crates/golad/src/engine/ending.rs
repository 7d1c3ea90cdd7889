//! A move that wins at once, wherever there is one.
//!
//! A cell that changes has an effect on itself and its eight neighbours only. So after a move that leaves no enemy cell,
//! each enemy cell that a pass would leave lies beside a cell that the move changes, or on it. Few moves do that: they
//! are built part by part, each part beside the first enemy cell that the parts before it do not reach.

use banmen_game::Side;

use crate::board::{Board, Cell, ROWS};
use crate::moves::Move;
use crate::position::Position;
use crate::step::step;

/// Cells on which one change has an effect, at most.
const REACH: usize = 9;

/// Whether a change of one cell has an effect on the other.
fn near(a: Cell, b: Cell) -> bool {
    a.x().abs_diff(b.x()) <= 1 && a.y().abs_diff(b.y()) <= 1
}

/// The first move found after which only `side` has cells.
pub(super) fn win(board: &Board, side: Side) -> Option<Move> {
    let mut passed = *board;
    step(&mut passed);
    if passed.count(side.other()) as usize > 3 * REACH {
        return None;
    }
    let mut targets = [Cell::at(0); 3 * REACH];
    let mut count = 0;
    for cell in passed.cells(side.other()) {
        targets[count] = cell;
        count += 1;
    }
    let targets = &targets[..count];
    let hunt = Hunt { board, side };
    let kills = || board.cells(Side::First).chain(board.cells(Side::Second));
    let alone = std::iter::once(Move::Pass).chain(kills().map(Move::Kill)).find(|&m| {
        let reached = |target: &Cell| match m {
            Move::Kill(cell) => near(cell, *target),
            _ => false,
        };
        targets.iter().all(reached) && hunt.wins(m)
    });
    alone.or_else(|| hunt.birth(targets, None, [None; 2]))
}

struct Hunt<'b> {
    board: &'b Board,
    side: Side,
}

impl Hunt<'_> {
    fn wins(&self, m: Move) -> bool {
        let mut next = Position { board: *self.board, side: self.side, generations: 0 };
        next.place(m);
        step(&mut next.board);
        next.board.rows(self.side.other()).iter().all(|&row| row == 0) && next.board.count(self.side) > 0
    }

    /// A birth that wins, with the parts that are given; they do not reach `targets`.
    fn birth(&self, targets: &[Cell], born: Option<Cell>, dead: [Option<Cell>; 2]) -> Option<Move> {
        let open = usize::from(born.is_none()) + dead.iter().filter(|cell| cell.is_none()).count();
        let Some(&target) = targets.first() else { return self.completed(born, dead) };
        if targets.len() > REACH * open {
            return None;
        }
        let (x, y) = (target.x(), target.y());
        for y in y.saturating_sub(1)..=(y + 1).min(ROWS - 1) {
            for x in x.saturating_sub(1)..=(x + 1).min(ROWS - 1) {
                let cell = Cell::at(y * ROWS + x);
                if !self.board.holds(cell) {
                    continue;
                }
                let (born, dead) = match self.board.owner(cell) {
                    None if born.is_none() => (Some(cell), dead),
                    Some(owner) if owner == self.side && !dead.contains(&Some(cell)) => match dead {
                        [None, _] => (born, [Some(cell), None]),
                        [first, None] => (born, [first, Some(cell)]),
                        _ => continue,
                    },
                    _ => continue,
                };
                let mut rest = [target; 3 * REACH];
                let mut count = 0;
                for &target in targets.iter().filter(|target| !near(cell, **target)) {
                    rest[count] = target;
                    count += 1;
                }
                if let Some(m) = self.birth(&rest[..count], born, dead) {
                    return Some(m);
                }
            }
        }
        None
    }

    /// A birth that wins with these parts and any others.
    fn completed(&self, born: Option<Cell>, dead: [Option<Cell>; 2]) -> Option<Move> {
        let own: Vec<Cell> = self.board.cells(self.side).collect();
        let wins = |cell: Cell| {
            let pairs = own.iter().enumerate().flat_map(|(index, &a)| own[index + 1..].iter().map(move |&b| [a, b]));
            pairs
                .filter(|pair| dead.iter().flatten().all(|cell| pair.contains(cell)))
                .map(|[a, b]| Move::birth(cell, a, b))
                .find(|&m| self.wins(m))
        };
        match born {
            Some(cell) => wins(cell),
            None => self.board.dead_cells().find_map(wins),
        }
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};

    use super::*;
    use crate::Golad;

    #[test]
    fn a_win_is_found_exactly_where_there_is_one() {
        let mut rng = Rng::new(3);
        let (mut wins, mut none) = (0, 0);
        for round in 0..4_000 {
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
            let found = win(&board, Side::First);
            assert_eq!(found.is_some(), any, "{board:?}");
            assert!(found.is_none_or(is_win), "{board:?}");
            if any { wins += 1 } else { none += 1 }
        }
        assert!(wins > 300 && none > 300, "{wins} wins, {none} without");
    }
}
