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

use crate::board::{Board, ROWS};
use crate::simd;

/// Rows that the vector forms take in one register.
pub(crate) const SMALL: usize = 16;

/// Moves the board on by one generation, by the fastest way on this machine.
#[inline]
pub fn step(board: &mut Board) {
    step_times(board, 1);
}

/// Moves the board on by so many generations. The way is chosen once, before the first.
#[inline]
pub fn step_times(board: &mut Board, generations: u32) {
    simd::step_times(board, generations);
}

/// Moves each of the boards on by one generation.
pub fn step_all(boards: &mut [Board]) {
    simd::step_all(boards);
}

/// The portable form, on rows of words.
pub fn step_plain(board: &mut Board) {
    if board.height() <= SMALL { rows::<SMALL, { SMALL + 2 }>(board) } else { rows::<ROWS, { ROWS + 2 }>(board) }
}

#[inline(always)]
fn majority(a: u32, b: u32, c: u32) -> u32 {
    a & b | (a | b) & c
}

/// The first `H` rows; `P` is two more, the empty rows above and below.
#[inline(always)]
fn rows<const H: usize, const P: usize>(board: &mut Board) {
    let (mask, height) = (board.mask(), board.height());
    let (mut s0, mut s1, mut t0, mut t1) = ([0; P], [0; P], [0; P], [0; P]);
    let [first, second] = &mut board.colours;
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
        let birth = keep & ones & !all & if y < height { mask } else { 0 };
        first[y] = own & keep | birth & most;
        second[y] = second[y] & keep | birth & !most;
    }
}
