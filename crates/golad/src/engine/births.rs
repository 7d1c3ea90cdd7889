//! Good births, composed part by part: the best born cells, for each of them the best first sacrifices, and for each
//! such pair every other sacrifice. Parts that are good only together are found if one of them is good alone.

use banmen_search::Budget;

use super::search::INFINITE;
use crate::board::Cell;
use crate::moves::Move;
use crate::parts::{Parts, TrialContext, best_first};
use crate::trial::Change;

/// The number of parts that are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Breadth {
    /// Cells that are born.
    pub(super) births: usize,
    /// Cells that are sacrificed with each.
    pub(super) sacrifices: usize,
    /// The number of sacrifices of a birth that are tried with every other one.
    pub(super) pairs: usize,
}

impl Breadth {
    /// Births, sacrifices and pairs.
    pub(super) const fn new([births, sacrifices, pairs]: [usize; 3]) -> Self {
        Breadth { births, sacrifices, pairs }
    }

    /// The smaller of each number.
    pub(super) fn cut(&mut self, other: Breadth) {
        self.births = self.births.min(other.births);
        self.sacrifices = self.sacrifices.min(other.sacrifices);
        self.pairs = self.pairs.min(other.pairs);
    }
}

/// The number of changes that are listed before they are tried.
const AT_ONCE: usize = 4096;

/// The same where one good move ends the trials, which is often among the first.
const SOME: usize = 128;

/// Values the pass, every kill and the composed births, until the budget runs out, or until a move has at least the
/// value `enough`: then false, and births may be missing.
pub(super) fn rank(
    parts: &mut Parts,
    context: TrialContext<'_>,
    breadth: Breadth,
    enough: i32,
    budget: &mut Budget<'_>,
) -> bool {
    parts.single(context, [breadth.births, breadth.sacrifices], budget);
    if parts.sacrifices.len() < 2 {
        return true;
    }
    if parts.first().1 >= enough {
        return false;
    }
    let births = std::mem::take(&mut parts.births);
    let sacrifices = std::mem::take(&mut parts.sacrifices);
    let listed = AT_ONCE.div_ceil(sacrifices.len());
    let mut pairs: Vec<(Cell, Cell)> = Vec::with_capacity(births.len() * breadth.pairs.min(sacrifices.len()));
    let mut beside: Vec<(i32, Cell)> = Vec::with_capacity(sacrifices.len());
    for some in births.chunks(listed) {
        if budget.over() {
            break;
        }
        let two = some.iter().flat_map(|&(_, cell)| {
            sacrifices.iter().map(move |&(_, a)| Change { born: Some(cell), dead: [Some(a), None] })
        });
        let values = parts.try_more(context, two, budget);
        for (&(_, cell), values) in some.iter().zip(values.chunks(sacrifices.len())) {
            beside.clear();
            beside.extend(values.iter().zip(&sacrifices).map(|(&value, &(_, a))| (value, a)));
            best_first(&mut beside, breadth.pairs);
            pairs.extend(beside.iter().map(|&(_, a)| (cell, a)));
        }
    }
    let mut complete = true;
    let listed = if enough < INFINITE { SOME.div_ceil(sacrifices.len()) } else { listed };
    for some in pairs.chunks(listed) {
        if budget.over() {
            break;
        }
        let begun = parts.moves.len();
        let three = some.iter().flat_map(|&(cell, a)| {
            sacrifices.iter().filter(move |&&(_, b)| b != a).map(move |&(_, b)| Move::birth(cell, a, b))
        });
        parts.add(context, three, budget);
        if parts.moves[begun..].iter().any(|&(_, value)| value >= enough) {
            complete = false;
            break;
        }
    }
    (parts.births, parts.sacrifices) = (births, sacrifices);
    complete
}
