//! A slow, simple implementation of the rules on an array of squares, to test the fast code.
//!
//! It does not use bitboards; positions are converted square by square.

use crate::position::{Position, Side};

/// A board of 8 rows of 8 columns and the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `cells[row][column]`, row 0 on top: the owner of the disc.
    pub cells: [[Option<Side>; 8]; 8],
    /// The side to move.
    pub side: Side,
}

/// The eight directions as steps of row and column.
const DIRECTIONS: [(i32, i32); 8] = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

impl Reference {
    /// The start.
    #[must_use]
    pub fn start() -> Reference {
        let mut cells = [[None; 8]; 8];
        cells[3][3] = Some(Side::Second);
        cells[3][4] = Some(Side::First);
        cells[4][3] = Some(Side::First);
        cells[4][4] = Some(Side::Second);
        Reference { cells, side: Side::First }
    }

    /// Converts a position.
    #[must_use]
    pub fn from_position(position: &Position) -> Reference {
        let disc = |side, square| position.discs(side) >> square & 1 == 1;
        let cells = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                let square = 8 * row + column;
                [Side::First, Side::Second].into_iter().find(|&side| disc(side, square))
            })
        });
        Reference { cells, side: position.side() }
    }

    /// The owner of the disc on a square; `None` when the square is empty or off the board.
    fn cell(&self, row: i32, column: i32) -> Option<Side> {
        let row = self.cells.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    /// The squares (row, column) whose discs flip when `side` plays on an empty square.
    #[must_use]
    pub fn turned(&self, side: Side, row: usize, column: usize) -> Vec<(usize, usize)> {
        if self.cells[row][column].is_some() {
            return Vec::new();
        }
        let mut turned = Vec::new();
        for (down, right) in DIRECTIONS {
            let mut run = Vec::new();
            let (mut r, mut c) = (row as i32 + down, column as i32 + right);
            while self.cell(r, c) == Some(side.other()) {
                run.push((r as usize, c as usize));
                (r, c) = (r + down, c + right);
            }
            if self.cell(r, c) == Some(side) {
                turned.extend(run);
            }
        }
        turned
    }

    /// The squares (row, column) where `side` may play, row by row.
    #[must_use]
    pub fn legal(&self, side: Side) -> Vec<(usize, usize)> {
        let squares = (0..8).flat_map(|row| (0..8).map(move |column| (row, column)));
        squares.filter(|&(row, column)| !self.turned(side, row, column).is_empty()).collect()
    }

    /// Whether neither side can place a disc.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.legal(Side::First).is_empty() && self.legal(Side::Second).is_empty()
    }

    /// Places a disc of the side to move, flips the discs that it encloses, and changes the side to move.
    pub fn play(&mut self, row: usize, column: usize) {
        for (r, c) in self.turned(self.side, row, column) {
            self.cells[r][c] = Some(self.side);
        }
        self.cells[row][column] = Some(self.side);
        self.side = self.side.other();
    }

    /// Passes.
    pub fn pass(&mut self) {
        self.side = self.side.other();
    }

    /// The final score from the side to move's view, with the empty squares given to the winner.
    #[must_use]
    pub fn score(&self) -> i32 {
        let count = |wanted| self.cells.iter().flatten().filter(|&&cell| cell == wanted).count() as i32;
        let (own, opp, empty) = (count(Some(self.side)), count(Some(self.side.other())), count(None));
        match own.cmp(&opp) {
            std::cmp::Ordering::Greater => own - opp + empty,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => own - opp - empty,
        }
    }

    /// The number of sequences of exactly `depth` moves; a pass counts as a move, a finished game as one sequence.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 || self.is_over() {
            return 1;
        }
        let legal = self.legal(self.side);
        if legal.is_empty() {
            let mut next = self.clone();
            next.pass();
            return next.perft(depth - 1);
        }
        legal
            .into_iter()
            .map(|(row, column)| {
                let mut next = self.clone();
                next.play(row, column);
                next.perft(depth - 1)
            })
            .sum()
    }
}
