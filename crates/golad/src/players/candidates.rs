//! The few candidate moves of the agents' trees, of 10^5 and more (Suzuki and Ito 2019, sections 4.1 and 4.3).

use std::cell;

use banmen_game::{Rng, Side};

use super::field::{AgentBoard, CellSet, count, rows_of};
use crate::board::{Board, Cell, ROWS, Rows, bits, cells_of};
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

/// Counts the generations computed for the children of a node, and asks now and then whether the search must end.
struct StepMeter<'s> {
    must_stop: &'s dyn Fn() -> bool,
    /// Generations between two questions.
    period: u64,
    steps: cell::Cell<u64>,
    next_check: cell::Cell<u64>,
    over: cell::Cell<bool>,
}

impl<'s> StepMeter<'s> {
    fn new<F: AgentBoard>(must_stop: &'s dyn Fn() -> bool) -> Self {
        let period = F::STEPS_PER_CHECK;
        StepMeter { must_stop, period, steps: 0.into(), next_check: period.into(), over: false.into() }
    }

    fn count(&self, steps: u64) {
        let counted = self.steps.get() + steps;
        self.steps.set(counted);
        if counted >= self.next_check.get() {
            self.next_check.set(counted + self.period);
            self.over.set(self.is_over() || (self.must_stop)());
        }
    }

    /// Whether the search must end: what is found by then are the children.
    fn is_over(&self) -> bool {
        self.over.get()
    }

    /// [`AgentBoard::changes`] of the first of `cells`, as many as there is time for.
    fn changes<F: AgentBoard>(
        &self,
        field: &F,
        cells: &Rows,
        owner: Option<Side>,
        generations: u32,
        counts: &mut Vec<[u16; 2]>,
    ) {
        let most = (self.period / u64::from(generations)).max(1);
        let mut left = *cells;
        while !self.is_over() && count(&left) > 0 {
            let some = take_first(&mut left, most as usize);
            field.changes(&some, owner, generations, counts);
            self.count(count(&some) as u64 * u64::from(generations));
        }
    }
}

/// Removes the first cells, at most `most`, and returns them.
fn take_first(cells: &mut Rows, mut most: usize) -> Rows {
    let mut taken = [0; ROWS];
    for (row, taken) in cells.iter_mut().zip(&mut taken) {
        let whole = row.count_ones() as usize <= most;
        *taken = if whole { *row } else { bits(*row).take(most).fold(0, |some, x| some | 1 << x) };
        *row &= !*taken;
        most -= taken.count_ones() as usize;
    }
    taken
}

impl Sampled {
    /// Makes the children and returns the number of generations computed. Once `must_stop` says so, the children are those
    /// found by then, or a pass.
    pub(crate) fn make<F: AgentBoard>(
        &self,
        board: &Board,
        side: Side,
        rng: &mut Rng,
        moves: &mut Vec<Move>,
        must_stop: &dyn Fn() -> bool,
    ) -> u64 {
        let field = F::read(board);
        let meter = StepMeter::new::<F>(must_stop);
        let after = |m: Move| {
            let mut field = field.clone();
            field.place(side, m);
            field.step();
            meter.count(1);
            self.balance.of(field.counts(), side)
        };
        let pass = after(Move::Pass);
        let mut counts = Vec::new();
        // The cells whose change alone is better than a pass.
        let mut better = |of: CellSet, owner: Option<Side>| -> Vec<Cell> {
            let cells = rows_of(board, of);
            counts.clear();
            meter.changes(&field, &cells, owner, 1, &mut counts);
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
            meter.count(1);
            self.balance.of(field.counts(), side).beats(pass)
        };
        let combinations = pairs * births.len();
        if self.all {
            let tried = (0..pairs).take_while(|_| !meter.is_over()).map(|number| pair(number, sacrifices.len()));
            let mut found = Vec::new();
            for (a, b) in tried.filter(|&pair| paired(pair)) {
                let made = births.iter().map(|&birth| Move::birth(birth, sacrifices[a], sacrifices[b]));
                found.extend(made.take_while(|_| !meter.is_over()).filter(|&m| after(m).beats(pass)));
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
                let kept = *known[at].get_or_insert_with(|| paired(pair));
                let m = Move::birth(birth, sacrifices[pair.0], sacrifices[pair.1]);
                if kept && after(m).beats(pass) {
                    moves.push(m);
                }
                moves.len() < self.width && !meter.is_over()
            });
        } else {
            for _ in 0..self.tries {
                if moves.len() == self.width || meter.is_over() {
                    break;
                }
                let pair = pair(rng.index(pairs), sacrifices.len());
                let m = Move::birth(births[rng.index(births.len())], sacrifices[pair.0], sacrifices[pair.1]);
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
        meter.steps.get()
    }
}

/// Chooses cells by their scores.
struct CellSelector<'r> {
    greedy: Greedy,
    side: Side,
    rng: &'r mut Rng,
    counts: Vec<[u16; 2]>,
    meter: StepMeter<'r>,
}

impl CellSelector<'_> {
    /// The cell whose change has the best score after `generations`, of those for which there is time; `None` without any.
    fn best_cell<F: AgentBoard>(
        &mut self,
        field: &F,
        cells: &Rows,
        owner: Option<Side>,
        generations: u32,
    ) -> Option<Cell> {
        self.counts.clear();
        self.meter.changes(field, cells, owner, generations, &mut self.counts);
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
    /// Makes the children and returns the number of generations computed. Once `must_stop` says so, the children are those
    /// found by then, or a pass.
    pub(crate) fn make<F: AgentBoard>(
        &self,
        board: &Board,
        side: Side,
        rng: &mut Rng,
        moves: &mut Vec<Move>,
        must_stop: &dyn Fn() -> bool,
    ) -> u64 {
        let field = F::read(board);
        let meter = StepMeter::new::<F>(must_stop);
        let mut selector = CellSelector { greedy: *self, side, rng, counts: Vec::new(), meter };
        self.births(&field, board, side, &mut selector, moves);
        let kill = selector.best_cell(&field, &rows_of(board, CellSet::Living), None, self.kill_ahead);
        moves.extend(kill.map(Move::Kill));
        if moves.is_empty() {
            moves.push(Move::Pass);
        }
        selector.meter.steps.get()
    }

    /// Adds the births, one for each order of its cells. `None` where there are no more.
    fn births<F: AgentBoard>(
        &self,
        field: &F,
        board: &Board,
        side: Side,
        selector: &mut CellSelector<'_>,
        moves: &mut Vec<Move>,
    ) -> Option<()> {
        let (own, dead) = (rows_of(board, CellSet::Side(side)), rows_of(board, CellSet::Dead));
        if count(&own) < 2 || count(&dead) == 0 {
            return None;
        }
        let mut add = |m: Move| {
            if !moves.contains(&m) {
                moves.push(m);
            }
        };
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
        add(Move::birth(birth, a, b));

        // Both other orders begin with the same sacrifice.
        let (a, first) = dies(selector, field, None)?;
        let (birth, next) = born(selector, &first)?;
        let (b, _) = dies(selector, &next, Some(a))?;
        add(Move::birth(birth, a, b));

        let (b, next) = dies(selector, &first, Some(a))?;
        let (birth, _) = born(selector, &next)?;
        add(Move::birth(birth, a, b));
        Some(())
    }
}
