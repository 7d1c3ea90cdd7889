//! Good births, part by part: the best cells to be born, for each of them the best sacrifices beside it, and for each
//! such pair every other sacrifice. So parts that are good only together are found where one of them is good alone.

use banmen_game::Side;

use crate::board::{Board, Cell};
use crate::moves::Move;
use crate::parts::{Parts, best_first};
use crate::trial::{Change, Weights};

/// How many parts are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Breadth {
    /// Cells that are born.
    pub(super) births: usize,
    /// Cells that are sacrificed with each.
    pub(super) sacrifices: usize,
    /// Of the sacrifices with a birth, those that are tried with every other.
    pub(super) pairs: usize,
}

/// Births that are tried between two questions whether to go on: a fraction of a millisecond.
const AT_ONCE: usize = 1024;

/// Values the pass, every kill and the births that are found, while `go_on` says so; it is told what was tried.
pub(super) fn rank(
    parts: &mut Parts,
    board: &Board,
    side: Side,
    weights: &Weights,
    breadth: Breadth,
    mut go_on: impl FnMut(&mut u64) -> bool,
) {
    parts.single(board, side, weights, [breadth.births, breadth.sacrifices]);
    if parts.sacrifices.len() < 2 {
        return;
    }
    let births = std::mem::take(&mut parts.births);
    let sacrifices = std::mem::take(&mut parts.sacrifices);
    let two = births.iter().flat_map(|&(_, cell)| {
        sacrifices.iter().map(move |&(_, a)| Change { born: Some(cell), dead: [Some(a), None] })
    });
    let values = parts.try_more(board, side, weights, two);
    let mut pairs: Vec<(Cell, Cell)> = Vec::with_capacity(births.len() * breadth.pairs);
    let mut beside: Vec<(i32, Cell)> = Vec::with_capacity(sacrifices.len());
    for (&(_, cell), values) in births.iter().zip(values.chunks(sacrifices.len())) {
        beside.clear();
        beside.extend(values.iter().zip(&sacrifices).map(|(&value, &(_, a))| (value, a)));
        best_first(&mut beside, breadth.pairs);
        pairs.extend(beside.iter().map(|&(_, a)| (cell, a)));
    }
    for some in pairs.chunks(1 + AT_ONCE / sacrifices.len()) {
        if !go_on(&mut parts.tried) {
            break;
        }
        let three = some.iter().flat_map(|&(cell, a)| {
            sacrifices.iter().filter(move |&&(_, b)| b != a).map(move |&(_, b)| Move::birth(cell, a, b))
        });
        parts.add(board, side, weights, three);
    }
    (parts.births, parts.sacrifices) = (births, sacrifices);
}
