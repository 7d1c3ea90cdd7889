//! Counts that need no clock: legal moves (section 1), and reads of an array in a generation (section 6.1).

use std::cell::Cell as Counter;

use banmen_catalog::{Key, Kind, Measure, MeasureInfo, Observation, Options, Quantity, QuantityKind, Sampling};
use banmen_game::{Game, Side};

use super::{make, opening, play};
use crate::board::{Board, Cell, ROWS};
use crate::{Golad, moves};

/// The number of moves that is nearer to 10^6 than to 10^5, on a logarithmic scale.
const ORDER: usize = 316_228;

const fn exact(name: &'static str, unit: &'static str) -> Quantity {
    Quantity { name, unit, kind: QuantityKind::Exact }
}

/// The number of legal moves.
pub(crate) const LEGAL: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "legal",
        summary: "one game of an agent against itself: the legal moves of its positions",
        keys: &[Key {
            name: "agent",
            kind: Kind::Choice(&["ai2", "ai3"]),
            default: "ai3",
            summary: "the agent that plays both sides, with 10 playouts a move",
            source: "own",
        }],
        quantities: &[
            exact("most possible", "moves"),
            Quantity::mean("mean", "moves"),
            Quantity::mean("median", "moves"),
            Quantity::mean("largest", "moves"),
            Quantity::mean("at the start", "moves"),
            Quantity { name: "above 316,228", unit: "%", kind: QuantityKind::Share },
        ],
        axis: None,
    },
    sample: legal,
};

/// Reads of an array.
pub(crate) const READS: Measure<Golad> = Measure {
    info: MeasureInfo {
        name: "reads",
        summary: "the reads of an array for one generation of a start position, as AI1 and AI2 compute it",
        keys: &[Key {
            name: "step",
            kind: Kind::Choice(&["cells", "rows"]),
            default: "cells",
            summary: "cell by cell, or by the paper's formulas on rows of bits",
            source: "4.1, 4.2",
        }],
        quantities: &[exact("reads of neighbours", ""), exact("reads", "")],
        axis: None,
    },
    sample: reads,
};

/// The largest number of legal moves on a board: `own` cells of the side to move, one of the other.
fn most(game: &Golad) -> usize {
    let cells = usize::from(game.width) * usize::from(game.height);
    let of = |own: usize| 1 + own + 1 + (cells - own - 1) * own * own.saturating_sub(1) / 2;
    (1..cells).map(of).max().unwrap_or(0)
}

fn legal(game: &Golad, options: &Options, sampling: &Sampling<'_>) -> Option<Vec<Observation>> {
    let mut player = make(options.choice("agent"), "vectors", &[("playouts", "10")], sampling.seed).0;
    let mut state = opening(game, sampling, 0);
    let mut counts = Vec::new();
    while state.outcome().is_none() {
        counts.push(moves::count(&state.position().board, state.side_to_move()));
        play(&mut player, &mut state, sampling)?;
    }
    let first = *counts.first()?;
    let above = counts.iter().filter(|&&count| count >= ORDER).count() as u64;
    let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    counts.sort_unstable();
    let numbers = [most(game) as f64, mean, counts[counts.len() / 2] as f64, *counts.last()? as f64, first as f64];
    let mut seen: Vec<_> = (0..).zip(numbers).map(|(quantity, number)| Observation::number(quantity, number)).collect();
    seen.push(Observation::share(5, above, counts.len() as u64));
    Some(seen)
}

/// An array that counts its reads.
struct Counted<'a, T, const N: usize>(&'a [T; N], Counter<u64>);

impl<'a, T: Copy, const N: usize> Counted<'a, T, N> {
    fn new(items: &'a [T; N]) -> Self {
        Counted(items, Counter::new(0))
    }

    fn read(&self, index: usize) -> T {
        self.1.set(self.1.get() + 1);
        self.0[index]
    }

    fn reads(&self) -> u64 {
        self.1.get()
    }
}

/// A generation cell by cell: the next board, the reads of neighbours, and all reads.
fn by_cells(board: &Board) -> (Board, u64, u64) {
    let (width, height) = (board.width(), board.height());
    let mut cells = [None; ROWS * ROWS];
    for (index, cell) in cells.iter_mut().enumerate() {
        let (x, y) = (index % ROWS, index / ROWS);
        if x < width && y < height {
            *cell = board.owner(Cell::at(index));
        }
    }
    let (around, own) = (Counted::new(&cells), Counted::new(&cells));
    let mut next = *board;
    for y in 0..height {
        for x in 0..width {
            let mut living = [0; 2];
            for (to_x, to_y) in (0..9).map(|at| (x + at % 3, y + at / 3)) {
                let outside = to_x == 0 || to_x > width || to_y == 0 || to_y > height;
                if !outside && (to_x, to_y) != (x + 1, y + 1) {
                    let owner: Option<Side> = around.read((to_y - 1) * ROWS + to_x - 1);
                    owner.into_iter().for_each(|side| living[side.index()] += 1);
                }
            }
            let cell = match (own.read(y * ROWS + x), living[0] + living[1]) {
                (None, 3) => Some(if living[0] >= 2 { Side::First } else { Side::Second }),
                (owner, 2 | 3) => owner,
                _ => None,
            };
            next.set(Cell::at(y * ROWS + x), cell);
        }
    }
    (next, around.reads(), around.reads() + own.reads())
}

/// A generation by the paper's formulas: the next board, the reads of rows for the numbers of living neighbours, and all
/// reads, with those for red neighbours and of the rows themselves.
fn by_rows(board: &Board) -> (Board, u64, u64) {
    // With an empty row above and below, as in AI2's board.
    let padded = |rows: &dyn Fn(usize) -> u32| -> [u32; ROWS + 2] {
        std::array::from_fn(|y| if (1..=ROWS).contains(&y) { rows(y - 1) } else { 0 })
    };
    let [red, blue] = &board.colours;
    let (living, reds) = (padded(&|y| red[y] | blue[y]), padded(&|y| red[y]));
    let (around, around_red, own) = (Counted::new(&living), Counted::new(&reds), Counted::new(&board.colours));
    let mut next = *board;
    // The cells that have exactly none, one, two, three of these neighbours.
    let exactly = |rows: &Counted<'_, u32, { ROWS + 2 }>, y: usize| {
        let [above, row, below] = [rows.read(y), rows.read(y + 1), rows.read(y + 2)];
        let mut s = [u32::MAX, 0, 0, 0];
        for n in [above << 1, above, above >> 1, row << 1, row >> 1, below << 1, below, below >> 1] {
            s = [s[0] & !n, s[1] & !n | s[0] & n, s[2] & !n | s[1] & n, s[3] & !n | s[2] & n];
        }
        s
    };
    for y in 0..board.height() {
        let [_, _, s2, s3] = exactly(&around, y);
        let [s0r, s1r, ..] = exactly(&around_red, y);
        let dead = board.dead(y);
        for side in [Side::First, Side::Second] {
            let born = if side == Side::First { s3 & !s0r & !s1r } else { s3 & (s0r | s1r) };
            next.colours[side.index()][y] = dead & born | own.read(side.index())[y] & (s2 | s3);
        }
    }
    (next, around.reads(), around.reads() + around_red.reads() + own.reads())
}

fn reads(game: &Golad, options: &Options, _: &Sampling<'_>) -> Option<Vec<Observation>> {
    let board = game.start().board;
    let (_, neighbours, all) = if options.choice("step") == "cells" { by_cells(&board) } else { by_rows(&board) };
    Some(vec![Observation::number(0, neighbours as f64), Observation::number(1, all as f64)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::players::AgentBoard;
    use crate::start;

    #[test]
    fn counted_generations_are_those_of_the_rules() {
        for seed in 0..20 {
            let mut board = start(&Golad::STANDARD, &format!("reads-{seed}")).expect("a start");
            for _ in 0..5 {
                let mut next = board;
                next.step();
                let (cells, neighbours, reads) = by_cells(&board);
                assert!(cells == next, "cell by cell");
                // Pairs of adjacent cells, twice: in rows, in columns, on both diagonals.
                assert_eq!(neighbours, 2 * (16 * 17 + 15 * 18 + 2 * 15 * 17));
                assert_eq!(reads, neighbours + 16 * 18);
                let (rows, neighbours, reads) = by_rows(&board);
                assert!(rows == next, "by the formulas");
                assert_eq!((neighbours, reads), (16 * 3, 2 * 16 * 3 + 2 * 16));
                board = next;
            }
        }
    }

    #[test]
    fn no_board_has_more_moves() {
        // As computed from the site's rules: 192 own cells.
        assert_eq!(most(&Golad::STANDARD), 1 + 192 + 1 + 95 * 192 * 191 / 2);
    }
}
