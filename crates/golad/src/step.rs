//! One generation of the board.
//!
//! Every cell counts its eight neighbours; outside the board all is dead. A living cell with two or three living
//! neighbours of any colour lives on in its own colour, a dead one with exactly three is born in the colour of the
//! majority. In bits (a full adder in the manner of Finch 2008, *Life in a register*), for each row with `l` and `g`
//! its neighbours left and right:
//!
//! ```text
//! triple, with the centre   s0 = l ^ r ^ g    s1 = maj(l, r, g)     the sum of three cells in two bits
//! pair, without it          m0 = l ^ g        m1 = l & g
//! ones of the eight         x0 = u0 ^ d0 ^ m0     c0 = maj(u0, d0, m0)       u, d: the triples above and below
//! two or three neighbours   E  = (u1 ^ d1 ^ m1 ^ c0) & ~maj(u1, d1, m1)      exactly one of the four twos
//! two or more of first      G  = the same twos of the first colour, any of them
//! first  <- first & E | E & x0 & dead & G
//! second <- second & E | E & x0 & dead & ~G
//! ```
//!
//! A living cell needs no other test, since two and three both keep it; so only births are cut to the board.

use crate::board::{Board, ROWS, Rows};
use crate::lanes::{Kernel, Lanes};
use crate::simd::{self, Form};

/// Rows that the vector forms take in one register.
pub(crate) const SMALL: usize = 16;

/// Advances the board by one generation, in the fastest form of this machine.
#[inline]
pub fn step(board: &mut Board) {
    step_times(board, 1);
}

/// Advances the board by `generations`. The form is chosen once, before the first.
#[inline]
pub(crate) fn step_times(board: &mut Board, generations: u32) {
    step_all(std::slice::from_mut(board), generations, Form::BEST);
}

/// Advances each of the boards by `generations`, in the fastest form of this machine that is not above `most`.
#[doc(hidden)]
#[inline]
pub fn step_all(boards: &mut [Board], generations: u32, most: Form) {
    let height = boards.iter().map(Board::height).max().unwrap_or(0);
    simd::run(most, height, Steps { boards, generations });
}

struct Steps<'b> {
    boards: &'b mut [Board],
    generations: u32,
}

impl Kernel for Steps<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Some(board) = self.boards.first() else { return };
        // Most boards are as large as the one before.
        let (mut size, mut whole) = ((board.width, board.height), lanes.whole(board));
        for board in self.boards {
            if (board.width, board.height) != size {
                (size, whole) = ((board.width, board.height), lanes.whole(board));
            }
            let [first, second] = &board.colours;
            let mut both = [lanes.load(first), lanes.load(second)];
            for _ in 0..self.generations {
                lanes.generation(&mut both, whole);
            }
            let [first, second] = both;
            lanes.store(first, &mut board.colours[0]);
            lanes.store(second, &mut board.colours[1]);
        }
    }
}

/// The dead cells whose birth alone changes the next generation: those that would live, and the neighbours of a cell
/// that one more neighbour would let live, be born or die.
pub(crate) fn effective_births(board: &Board) -> Rows {
    const P: usize = ROWS + 2;
    let [first, second] = &board.colours;
    let (mut s0, mut s1) = ([0; P], [0; P]);
    for y in 0..ROWS {
        let all = first[y] | second[y];
        s0[y + 1] = all << 1 ^ all ^ all >> 1;
        s1[y + 1] = majority(all << 1, all, all >> 1);
    }
    let (mut lives, mut turns) = ([0; ROWS], [0; P]);
    for y in 0..ROWS {
        let all = first[y] | second[y];
        let (m0, m1) = (all << 1 ^ all >> 1, all << 1 & all >> 1);
        let ones = s0[y] ^ s0[y + 2] ^ m0;
        let carry = majority(s0[y], s0[y + 2], m0);
        let twos = s1[y] | s1[y + 2] | m1 | carry;
        // Two or three neighbours; a living cell with one or three changes, and a dead one with two or three.
        lives[y] = (s1[y] ^ s1[y + 2] ^ m1 ^ carry) & !majority(s1[y], s1[y + 2], m1);
        turns[y + 1] = all & ones & (lives[y] | !twos) | !all & lives[y];
    }
    // Cells outside the board do not change.
    for y in 0..ROWS {
        turns[y + 1] &= if y < board.height() { board.mask() } else { 0 };
    }
    std::array::from_fn(|y| {
        if y >= board.height() {
            return 0;
        }
        let beside = |row: u32| row << 1 | row >> 1;
        let near = beside(turns[y + 1]) | turns[y] | beside(turns[y]) | turns[y + 2] | beside(turns[y + 2]);
        (lives[y] | near) & board.dead(y)
    })
}

#[inline(always)]
fn majority(a: u32, b: u32, c: u32) -> u32 {
    a & b | (a | b) & c
}

/// One generation of `H` rows of a board with these cells; `P` is two more, the empty rows above and below.
#[inline(never)]
pub(crate) fn rows<const H: usize, const P: usize>([first, second]: &mut [[u32; H]; 2], whole: &[u32; H]) {
    let (mut s0, mut s1, mut t0, mut t1) = ([0; P], [0; P], [0; P], [0; P]);
    for y in 0..H {
        let (all, own) = (first[y] | second[y], first[y]);
        let (left, right) = (all << 1, all >> 1);
        s0[y + 1] = left ^ all ^ right;
        s1[y + 1] = majority(left, all, right);
        let (left, right) = (own << 1, own >> 1);
        t0[y + 1] = left ^ own ^ right;
        t1[y + 1] = majority(left, own, right);
    }
    for y in 0..H {
        let (all, own) = (first[y] | second[y], first[y]);
        let (left, right) = (all << 1, all >> 1);
        let (m0, m1) = (left ^ right, left & right);
        let ones = s0[y] ^ s0[y + 2] ^ m0;
        let carry = majority(s0[y], s0[y + 2], m0);
        let keep = (s1[y] ^ s1[y + 2] ^ m1 ^ carry) & !majority(s1[y], s1[y + 2], m1);
        let (left, right) = (own << 1, own >> 1);
        let (n0, n1) = (left ^ right, left & right);
        let most = t1[y] | t1[y + 2] | n1 | majority(t0[y], t0[y + 2], n0);
        let birth = keep & ones & !all & whole[y];
        first[y] = own & keep | birth & most;
        second[y] = second[y] & keep | birth & !most;
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Rng, Side};

    use super::*;
    use crate::reference::random_board;

    #[test]
    fn effective_births_are_exactly_those_that_change_the_next_generation() {
        let mut rng = Rng::new(5);
        let (mut effective, mut ineffective) = (0, 0);
        for round in 0..400 {
            let [width, height] = [1 + rng.index(32) as u8, 1 + rng.index(32) as u8];
            let board = random_board(width, height, 2 + round % 20, &mut rng);
            let rows = effective_births(&board);
            let mut passed = board;
            step(&mut passed);
            for cell in board.dead_cells() {
                // A cell that is born anyway may be born in the same colour.
                let changed = Side::BOTH.map(|side| {
                    let mut born = board;
                    born.set(cell, Some(side));
                    step(&mut born);
                    born != passed
                });
                let has_effect = rows[cell.y()] >> cell.x() & 1 != 0;
                assert_eq!(has_effect, changed.contains(&true), "{cell:?} of {board:?}");
                if has_effect { effective += 1 } else { ineffective += 1 }
            }
            assert!(
                rows.iter().enumerate().all(|(y, row)| row & !if y < board.height() { board.dead(y) } else { 0 } == 0)
            );
        }
        assert!(effective > 10_000 && ineffective > 10_000, "{effective} have an effect, {ineffective} have none");
    }
}
