//! The rules as a rule sheet states them, on an array of cells: slow and obvious. Tests check the fast code against
//! them.
//!
//! This module does not use the masks; it takes only cells and counts from a position.

use banmen_game::laws;
use banmen_game::{Outcome, Side};

use crate::board::{Piece, Square};
use crate::game::{Dobutsu, Variant};
use crate::position::{self, Cell, Move, Position};

/// A board of 4 rows of 3 columns, the hands, the side to move, and the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `cells[row][column]`, row 0 on top.
    cells: [[Cell; 3]; 4],
    /// The pieces in hand of each side, one entry per piece.
    hands: [Vec<Piece>; 2],
    side: Side,
    /// The positions before this one.
    before: Vec<(Vec<Cell>, [Vec<Piece>; 2], Side)>,
}

/// The steps of a kind from its owner's point of view: columns to the right, rows forward.
fn steps(piece: Piece) -> &'static [(i32, i32)] {
    match piece {
        Piece::Chick => &[(0, 1)],
        Piece::Elephant => &[(-1, 1), (1, 1), (-1, -1), (1, -1)],
        Piece::Giraffe => &[(0, 1), (-1, 0), (1, 0), (0, -1)],
        Piece::Lion => &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)],
        Piece::Hen => &[(-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (0, -1)],
    }
}

/// The row where a side's chicks promote and its lion tries.
fn last_row(side: Side) -> usize {
    if side == Side::First { 0 } else { 3 }
}

impl Reference {
    /// The same position without history.
    #[must_use]
    pub fn from_position(position: &Position) -> Reference {
        let flat = position::cells(position);
        let cells = std::array::from_fn(|row| std::array::from_fn(|column| flat[3 * row + column]));
        let hands = Side::BOTH.map(|side| {
            let held = [Piece::Chick, Piece::Elephant, Piece::Giraffe, Piece::Lion];
            held.into_iter()
                .flat_map(|piece| std::iter::repeat_n(piece, position.hand(side).count(piece) as usize))
                .collect()
        });
        Reference { cells, hands, side: position.side(), before: Vec::new() }
    }

    /// The cells that a piece of `side` on this cell reaches, whatever occupies them.
    fn reached(&self, side: Side, piece: Piece, row: usize, column: usize) -> Vec<(usize, usize)> {
        let forward = if side == Side::First { -1 } else { 1 };
        steps(piece)
            .iter()
            .map(|(right, ahead)| (row as i32 + forward * ahead, column as i32 - forward * right))
            .filter(|(row, column)| (0..4).contains(row) && (0..3).contains(column))
            .map(|(row, column)| (row as usize, column as usize))
            .collect()
    }

    /// The cells with pieces of a side.
    fn pieces(&self, side: Side) -> Vec<(Piece, usize, usize)> {
        let all = (0..4).flat_map(|row| (0..3).map(move |column| (row, column)));
        all.filter_map(|(row, column)| match self.cells[row][column] {
            Some((owner, piece)) if owner == side => Some((piece, row, column)),
            _ => None,
        })
        .collect()
    }

    /// The cell of a side's lion, unless it is caught.
    fn lion(&self, side: Side) -> Option<(usize, usize)> {
        self.pieces(side).into_iter().find(|(piece, ..)| *piece == Piece::Lion).map(|(_, row, column)| (row, column))
    }

    /// Whether the other side could capture the lion of `side`.
    fn is_in_check(&self, side: Side) -> bool {
        let Some(lion) = self.lion(side) else { return false };
        self.pieces(side.other())
            .into_iter()
            .any(|(piece, row, column)| self.reached(side.other(), piece, row, column).contains(&lion))
    }

    fn has_tried(&self, side: Side, variant: Variant) -> bool {
        let arrived = self.lion(side).is_some_and(|(row, _)| row == last_row(side));
        arrived && (variant != Variant::Catch || !self.is_in_check(side))
    }

    /// Steps and drops, including those that lose the lion.
    fn possible(&self) -> Vec<Move> {
        let square = |row, column| Square::at(column, row).unwrap_or_else(|| panic!("{row}, {column} is a square"));
        let mut moves = Vec::new();
        for (piece, row, column) in self.pieces(self.side) {
            for (to_row, to_column) in self.reached(self.side, piece, row, column) {
                if self.cells[to_row][to_column].is_none_or(|(owner, _)| owner != self.side) {
                    moves.push(Move::Step { from: square(row, column), to: square(to_row, to_column) });
                }
            }
        }
        let mut kinds = self.hands[self.side.index()].clone();
        kinds.sort_unstable();
        kinds.dedup();
        for piece in kinds {
            for (row, column) in (0..4).flat_map(|row| (0..3).map(move |column| (row, column))) {
                if self.cells[row][column].is_none() {
                    moves.push(Move::Drop { piece, to: square(row, column) });
                }
            }
        }
        moves
    }

    fn after(&self, m: Move) -> Reference {
        let mut next = self.clone();
        let hand = self.side.index();
        let (to_row, to_column) = (m.to().row(), m.to().column());
        match m {
            Move::Drop { piece, .. } => {
                if let Some(held) = next.hands[hand].iter().position(|&held| held == piece) {
                    next.hands[hand].remove(held);
                }
                next.cells[to_row][to_column] = Some((self.side, piece));
            }
            Move::Step { from, .. } => {
                if let Some((_, captured)) = next.cells[to_row][to_column] {
                    next.hands[hand].push(if captured == Piece::Hen { Piece::Chick } else { captured });
                    next.hands[hand].sort_unstable();
                }
                let promotes = to_row == last_row(self.side);
                let moved = next.cells[from.row()][from.column()].take();
                next.cells[to_row][to_column] = match moved {
                    Some((side, Piece::Chick)) if promotes => Some((side, Piece::Hen)),
                    other => other,
                };
            }
        }
        next.before.push((self.cells.concat(), self.hands.clone(), self.side));
        next.side = self.side.other();
        next
    }

    fn has_ended_by_lions(&self, variant: Variant) -> Option<(Side, &'static str)> {
        let (mover, other) = (self.side, self.side.other());
        if self.lion(mover).is_none() {
            Some((other, "catch"))
        } else if self.has_tried(mover, variant) {
            Some((mover, "try"))
        } else if self.has_tried(other, variant) {
            Some((other, "try"))
        } else {
            None
        }
    }

    /// The number of sequences of exactly `depth` moves; games that end earlier do not count.
    #[must_use]
    pub fn perft(&self, game: &Dobutsu, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        laws::Reference::moves(self, game).into_iter().map(|m| self.after(m).perft(game, depth - 1)).sum()
    }
}

impl laws::Reference<Dobutsu> for Reference {
    fn of(_: &Dobutsu, position: &Position) -> Self {
        Reference::from_position(position)
    }

    fn moves(&self, game: &Dobutsu) -> Vec<Move> {
        if self.has_ended_by_lions(game.variant).is_some() {
            return Vec::new();
        }
        let mut moves = self.possible();
        if game.variant == Variant::Legal {
            moves.retain(|&m| !self.after(m).is_in_check(self.side));
        }
        moves
    }

    fn play(&mut self, _: &Dobutsu, m: Move) {
        *self = self.after(m);
    }

    fn outcome(&self, game: &Dobutsu) -> Option<Outcome> {
        let won = |winner, by| Some(Outcome { winner: Some(winner), margin: None, by });
        if let Some((winner, by)) = self.has_ended_by_lions(game.variant) {
            return won(winner, by);
        }
        if laws::Reference::moves(self, game).is_empty() {
            return won(self.side.other(), if game.variant == Variant::Legal { "mate" } else { "stuck" });
        }
        let now = (self.cells.concat(), self.hands.clone(), self.side);
        let occurred = self.before.iter().filter(|&before| *before == now).count();
        (occurred >= 2).then_some(Outcome { winner: None, margin: None, by: "repetition" })
    }
}
