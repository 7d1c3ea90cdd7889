//! The board of the published player: two bits per square, lines as 16-bit integers, one table for all lines.
//!
//! Source: the Othello article of 2017 (オセロAI入門, Livesense advent calendar, day 2), last section. Its author does
//! not use two 64-bit bitboards, which he calls the usual way. He encodes a square in 2 bits and a line of 8 squares in
//! one 16-bit integer, stores such lines for rows, columns and diagonals, and looks up the flipped discs in a table of
//! all 3⁸ = 6,561 states of a line.
//!
//! The text does not say how the table is indexed or how many diagonals are stored. Here the index is the ternary
//! number whose digits are the squares, and all 15 diagonals of each direction are stored, shorter ones padded with
//! empty squares.

use crate::board::Board;

/// A line of eight squares, two bits each, the first square lowest: 0 empty, 1 own, 2 the opponent's.
type Line = u16;

/// Number of lines: 8 rows, 8 columns, 15 diagonals of each direction.
const LINES: usize = 46;

/// Indices of the first column, the first diagonal (down to the right) and the first antidiagonal (down to the left).
const COLUMNS: usize = 8;
const DIAGONALS: usize = 16;
const ANTIDIAGONALS: usize = 31;

/// A line of eight own discs; a line of eight opponent's discs.
const OWN: Line = 0x5555;
const OPP: Line = 0xAAAA;

/// The board as lines, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    lines: [Line; LINES],
}

/// The four lines through a square and its index on each. Rows and columns run from a and 1; diagonals run downwards,
/// from the first row or column, antidiagonals from the first row or the last column.
fn places(square: u32) -> [(usize, u32); 4] {
    let (row, column) = (square >> 3 & 7, square & 7);
    [
        (row as usize, column),
        (COLUMNS + column as usize, row),
        (DIAGONALS + (column + 7 - row) as usize, row.min(column)),
        (ANTIDIAGONALS + (column + row) as usize, row.min(7 - column)),
    ]
}

/// The squares of a line.
#[derive(Clone, Copy)]
struct LineGeometry {
    /// The first square.
    start: u32,
    /// The step from each square to the next.
    step: u32,
    /// The indices that exist, as bits: all eight except on the shorter diagonals.
    places: u8,
}

/// The geometry of each line.
static LINE_GEOMETRY: [LineGeometry; LINES] = {
    let mut geometry = [LineGeometry { start: 0, step: 0, places: 0xFF }; LINES];
    let mut i = 0;
    while i < 8 {
        geometry[i] = LineGeometry { start: 8 * i as u32, step: 1, places: 0xFF };
        geometry[COLUMNS + i] = LineGeometry { start: i as u32, step: 8, places: 0xFF };
        i += 1;
    }
    let mut i = 0usize;
    while i < 15 {
        // Seven lines begin in the first row, the main diagonal in the corner, seven beside it.
        let short = i.abs_diff(7) as u32;
        let diagonal = if i < 7 { 8 * short } else { short };
        let antidiagonal = if i < 7 { 7 - short } else { 7 + 8 * short };
        geometry[DIAGONALS + i] = LineGeometry { start: diagonal, step: 9, places: 0xFF >> short };
        geometry[ANTIDIAGONALS + i] = LineGeometry { start: antidiagonal, step: 7, places: 0xFF >> short };
        i += 1;
    }
    geometry
};

/// `SPREAD[step][indices]`: indices on a line, as bits, mapped to squares of the board from square 0 on.
static SPREAD: [[u64; 256]; 10] = {
    let mut spread = [[0; 256]; 10];
    let mut step = 1;
    while step < 10 {
        let mut places = 0;
        while places < 256 {
            let mut place = 0;
            while place < 8 {
                spread[step][places] |= ((places >> place & 1) as u64) << (step * place);
                place += 1;
            }
            places += 1;
        }
        step += 1;
    }
    spread
};

/// The entry of the article's table for one state of a line.
#[derive(Clone, Copy)]
struct State {
    /// `turned[index]`: the indices whose discs flip when the side to move plays there, as bits.
    turned: [u8; 8],
    /// The indices where it flips any disc.
    legal: u8,
}

/// Number of states of a line of eight squares.
const STATES: usize = 6561;

/// One entry for each state; the squares are ternary digits, the first one lowest.
static TABLE: [State; STATES] = {
    let mut table = [State { turned: [0; 8], legal: 0 }; STATES];
    let mut state = 0;
    while state < STATES {
        let (mut own, mut opp, mut rest, mut place) = (0, 0, state, 0);
        while place < 8 {
            own |= ((rest % 3 == 1) as u8) << place;
            opp |= ((rest % 3 == 2) as u8) << place;
            rest /= 3;
            place += 1;
        }
        let mut place = 0;
        while place < 8 {
            let turned = turned(own, opp, place);
            table[state].turned[place as usize] = turned;
            table[state].legal |= ((turned != 0) as u8) << place;
            place += 1;
        }
        state += 1;
    }
    table
};

/// The indices on one line whose discs flip when the side to move plays on `place`.
const fn turned(own: u8, opp: u8, place: i32) -> u8 {
    if (own | opp) >> place & 1 == 1 {
        return 0;
    }
    let mut turned = 0;
    let mut step = -1;
    while step <= 1 {
        let (mut run, mut next) = (0, place + step);
        while 0 <= next && next < 8 && opp >> next & 1 == 1 {
            run |= 1 << next;
            next += step;
        }
        if 0 <= next && next < 8 && own >> next & 1 == 1 {
            turned |= run;
        }
        step += 2;
    }
    turned
}

/// The ternary number of four squares, by their eight bits.
static QUARTER: [u8; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        table[bits] = ((bits & 3) + 3 * (bits >> 2 & 3) + 9 * (bits >> 4 & 3) + 27 * (bits >> 6)) as u8;
        bits += 1;
    }
    table
};

/// The table entry of a line. No square has both bits set, so the index is below 3⁸.
fn state(line: Line) -> &'static State {
    let [low, high] = line.to_le_bytes();
    &TABLE[usize::from(QUARTER[usize::from(low)]) + 81 * usize::from(QUARTER[usize::from(high)])]
}

impl Lines {
    /// Combines the two bits of a square with `bits` by exclusive or, on all four lines.
    fn change(&mut self, square: u32, bits: Line) {
        for (line, place) in places(square) {
            self.lines[line] ^= bits << (2 * place);
        }
    }

    /// The two bits of a square.
    fn cell(&self, square: u32) -> Line {
        self.lines[(square >> 3 & 7) as usize] >> (2 * (square & 7)) & 3
    }
}

impl Board for Lines {
    fn from_discs(own: u64, opp: u64) -> Self {
        let mut board = Lines { lines: [0; LINES] };
        for square in 0..64 {
            board.change(square, (own >> square & 1) as Line | ((opp >> square & 1) as Line) << 1);
        }
        board
    }

    fn discs(&self) -> (u64, u64) {
        (0..64).fold((0, 0), |(own, opp), square| {
            let cell = u64::from(self.cell(square));
            (own | (cell & 1) << square, opp | (cell >> 1) << square)
        })
    }

    fn legal(&self) -> u64 {
        self.lines.iter().zip(&LINE_GEOMETRY).fold(0, |legal, (&line, geometry)| {
            let places = state(line).legal & geometry.places;
            legal | SPREAD[geometry.step as usize][usize::from(places)] << geometry.start
        })
    }

    fn played(mut self, square: u32) -> Self {
        let lines = places(square);
        let turned = lines.map(|(line, place)| state(self.lines[line]).turned[place as usize]);
        self.change(square, 1);
        for ((line, _), mut turned) in lines.into_iter().zip(turned) {
            let geometry = LINE_GEOMETRY[line];
            while turned != 0 {
                // 2 becomes 1.
                self.change(geometry.start + geometry.step * turned.trailing_zeros(), 3);
                turned &= turned - 1;
            }
        }
        self
    }

    fn reversed(self) -> Self {
        Lines { lines: self.lines.map(|line| (line & OWN) << 1 | (line & OPP) >> 1) }
    }

    fn counts(&self) -> (u32, u32) {
        let count = |mask: u16| self.lines[..COLUMNS].iter().map(|line| (line & mask).count_ones()).sum();
        (count(OWN), count(OPP))
    }

    fn pattern(&self, squares: [u32; 3]) -> (u8, u8) {
        let cells = squares.map(|square| self.cell(square) as u8);
        let pattern = |side: u8| (cells[0] >> side & 1) | (cells[1] >> side & 1) << 1 | (cells[2] >> side & 1) << 2;
        (pattern(0), pattern(1))
    }
}
