//! The few candidate moves of the agents' trees, of 10^5 and more (Suzuki and Ito 2019, sections 4.1 and 4.3).

use banmen_game::{Rng, Side};

use super::field::{AgentBoard, CellSet, count, rows_of};
use crate::board::{Board, Cell, Rows, cells_of};
use crate::moves::{Move, nth, pair};

/// The measure of the cells of both sides that a side maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    /// Own cells minus those of the other side.
    Difference,
    /// The share of own cells among all; ½ where there are none.
    Share,
}

/// A value to compare: a fraction with a denominator above 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score(i32, i32);

impl Score {
    pub(crate) fn beats(self, other: Score) -> bool {
        self.0 * other.1 > other.0 * self.1
    }

    fn equals(self, other: Score) -> bool {
        self.0 * other.1 == other.0 * self.1
    }
}

impl Balance {
    /// The score of these counts for a side.
    pub(crate) fn of(self, counts: [u16; 2], side: Side) -> Score {
        let own = i32::from(counts[side.index()]);
        let other = i32::from(counts[side.other().index()]);
        match self {
            Balance::Difference => Score(own - other, 1),
            Balance::Share if own + other == 0 => Score(1, 2),
            Balance::Share => Score(own, own + other),
        }
    }
}

/// The choice among equally good cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The first, row by row.
    First,
    /// Any, with the same chance.
    Random,
}

/// The children of AI1 and AI2: random births that are better after one generation than a pass, as are their parts;
/// kills for the remaining places; a pass where there is neither.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sampled {
    /// The largest number of children.
    pub(crate) width: usize,
    /// Whether all births that are better than a pass are found before some of them are drawn: the same probabilities
    /// at many times the cost.
    pub(crate) all: bool,
    /// Up to this number of pairs with a birth, all are tried, in random order.
    pub(crate) enumerate: usize,
    /// Where there are more, this number is drawn.
    pub(crate) tries: usize,
    /// The measure of "better".
    pub(crate) balance: Balance,
}

/// The children of AI3: three births, composed cell by cell in three orders, and a kill; each cell is the one with the
/// best score some generations later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Greedy {
    /// Generations after a cell of a birth, the one of the move itself included.
    pub(crate) ahead: u32,
    /// The same after a kill.
    pub(crate) kill_ahead: u32,
    /// The measure of "best".
    pub(crate) balance: Balance,
    /// The choice among equally good cells.
    pub(crate) ties: Ties,
}

/// Visits the items in a random order, drawn lazily, until `wanted` returns false.
fn shuffled<T: Copy>(items: &mut [T], rng: &mut Rng, mut wanted: impl FnMut(T, &mut Rng) -> bool) {
    for next in 0..items.len() {
        let drawn = next + rng.index(items.len() - next);
        items.swap(next, drawn);
        if !wanted(items[next], rng) {
            break;
        }
    }
}

impl Sampled {
    /// Makes the children and returns the number of generations computed.
    pub(crate) fn make<F: AgentBoard>(&self, board: &Board, side: Side, rng: &mut Rng, moves: &mut Vec<Move>) -> u64 {
        let field = F::read(board);
        let mut steps = 0;
        let mut after = |m: Move| {
            let mut field = field.clone();
            field.place(side, m);
            field.step();
            steps += 1;
            self.balance.of(field.counts(), side)
        };
        let pass = after(Move::Pass);
        let mut counts = Vec::new();
        let mut single = 0;
        // The cells whose change alone is better than a pass.
        let mut better = |of: CellSet, owner: Option<Side>| -> Vec<Cell> {
            let cells = rows_of(board, of);
            counts.clear();
            field.changes(&cells, owner, 1, &mut counts);
            single += counts.len() as u64;
            let all = cells_of(cells).zip(&counts);
            all.filter(|&(_, &counts)| self.balance.of(counts, side).beats(pass)).map(|(cell, _)| cell).collect()
        };
        let sacrifices = better(CellSet::Side(side), None);
        let births = if sacrifices.len() < 2 { Vec::new() } else { better(CellSet::Dead, Some(side)) };
        let pairs = sacrifices.len() * sacrifices.len().saturating_sub(1) / 2;
        let paired = |pair: (usize, usize)| {
            // Both removed, nothing born: no legal move, but the first test of the paper.
            let mut field = field.clone();
            field.set(sacrifices[pair.0], None);
            field.set(sacrifices[pair.1], None);
            field.step();
            self.balance.of(field.counts(), side).beats(pass)
        };
        let mut pair_steps = 0;
        let combinations = pairs * births.len();
        if self.all {
            let kept = (0..pairs).map(|number| pair(number, sacrifices.len())).filter(|&pair| {
                pair_steps += 1;
                paired(pair)
            });
            let mut found = Vec::new();
            for (a, b) in kept {
                let made = births.iter().map(|&birth| Move::birth(birth, sacrifices[a], sacrifices[b]));
                found.extend(made.filter(|&m| after(m).beats(pass)));
            }
            shuffled(&mut found, rng, |m, _| {
                moves.push(m);
                moves.len() < self.width
            });
        } else if combinations <= self.enumerate {
            let mut known = vec![None; pairs];
            let mut all: Vec<usize> = (0..combinations).collect();
            shuffled(&mut all, rng, |number, _| {
                let (at, birth) = (number / births.len(), births[number % births.len()]);
                let pair = pair(at, sacrifices.len());
                let kept = *known[at].get_or_insert_with(|| {
                    pair_steps += 1;
                    paired(pair)
                });
                let m = Move::birth(birth, sacrifices[pair.0], sacrifices[pair.1]);
                if kept && after(m).beats(pass) {
                    moves.push(m);
                }
                moves.len() < self.width
            });
        } else {
            for _ in 0..self.tries {
                if moves.len() == self.width {
                    break;
                }
                let pair = pair(rng.index(pairs), sacrifices.len());
                let m = Move::birth(births[rng.index(births.len())], sacrifices[pair.0], sacrifices[pair.1]);
                pair_steps += 1;
                if paired(pair) && !moves.contains(&m) && after(m).beats(pass) {
                    moves.push(m);
                }
            }
        }
        if moves.len() < self.width {
            let mut kills = better(CellSet::Side(side.other()), None);
            shuffled(&mut kills, rng, |cell, _| {
                moves.push(Move::Kill(cell));
                moves.len() < self.width
            });
        }
        if moves.is_empty() {
            moves.push(Move::Pass);
        }
        steps + single + pair_steps
    }
}

/// Chooses cells by their scores, and counts the generations computed.
struct CellSelector<'r> {
    greedy: Greedy,
    side: Side,
    rng: &'r mut Rng,
    counts: Vec<[u16; 2]>,
    steps: u64,
}

impl CellSelector<'_> {
    /// The cell whose change has the best score after `generations`; `None` without cells.
    fn best_cell<F: AgentBoard>(
        &mut self,
        field: &F,
        cells: &Rows,
        owner: Option<Side>,
        generations: u32,
    ) -> Option<Cell> {
        self.counts.clear();
        field.changes(cells, owner, generations, &mut self.counts);
        self.steps += self.counts.len() as u64 * u64::from(generations);
        let mut best: Option<(usize, Score)> = None;
        let mut equals = 1;
        for (place, &counts) in self.counts.iter().enumerate() {
            let worth = self.greedy.balance.of(counts, self.side);
            let Some((_, top)) = best else {
                best = Some((place, worth));
                continue;
            };
            if worth.beats(top) {
                best = Some((place, worth));
                equals = 1;
            } else if self.greedy.ties == Ties::Random && worth.equals(top) {
                equals += 1;
                if self.rng.index(equals) == 0 {
                    best = Some((place, worth));
                }
            }
        }
        best.map(|(place, _)| nth(*cells, place))
    }
}

impl Greedy {
    /// Makes the children and returns the number of generations computed.
    pub(crate) fn make<F: AgentBoard>(&self, board: &Board, side: Side, rng: &mut Rng, moves: &mut Vec<Move>) -> u64 {
        let field = F::read(board);
        let mut selector = CellSelector { greedy: *self, side, rng, counts: Vec::new(), steps: 0 };
        for m in self.births(&field, board, side, &mut selector).into_iter().flatten() {
            if !moves.contains(&m) {
                moves.push(m);
            }
        }
        let kill = selector.best_cell(&field, &rows_of(board, CellSet::Living), None, self.kill_ahead);
        moves.push(kill.map_or(Move::Pass, Move::Kill));
        selector.steps
    }

    /// The births, one for each order of its cells.
    fn births<F: AgentBoard>(
        &self,
        field: &F,
        board: &Board,
        side: Side,
        selector: &mut CellSelector<'_>,
    ) -> Option<[Move; 3]> {
        let (own, dead) = (rows_of(board, CellSet::Side(side)), rows_of(board, CellSet::Dead));
        if count(&own) < 2 || count(&dead) == 0 {
            return None;
        }
        let born = |selector: &mut CellSelector<'_>, field: &F| {
            let cell = selector.best_cell(field, &dead, Some(side), self.ahead)?;
            let mut field = field.clone();
            field.set(cell, Some(side));
            Some((cell, field))
        };
        let dies = |selector: &mut CellSelector<'_>, field: &F, but: Option<Cell>| {
            let mut own = own;
            if let Some(but) = but {
                own[but.y()] &= !(1 << but.x());
            }
            let cell = selector.best_cell(field, &own, None, self.ahead)?;
            let mut field = field.clone();
            field.set(cell, None);
            Some((cell, field))
        };

        let (birth, next) = born(selector, field)?;
        let (a, next) = dies(selector, &next, None)?;
        let (b, _) = dies(selector, &next, Some(a))?;
        let birth_first = Move::birth(birth, a, b);

        // Both other orders begin with the same sacrifice.
        let (a, first) = dies(selector, field, None)?;
        let (birth, next) = born(selector, &first)?;
        let (b, _) = dies(selector, &next, Some(a))?;
        let birth_between = Move::birth(birth, a, b);

        let (b, next) = dies(selector, &first, Some(a))?;
        let (birth, _) = born(selector, &next)?;
        Some([birth_first, birth_between, Move::birth(birth, a, b)])
    }
}
