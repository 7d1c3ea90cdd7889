//! Trials of changes of a board: the value of a move, or of one part of a move, by the balance of the cells over some
//! generations of passes.
//!
//! The first generation is the move's own; it also decides which side lives. A value is the weighted sum of the
//! balances (own − other) / (own + other) of the generations, or says that the game has ended.

use banmen_catalog::{Error, ErrorCode};
use banmen_game::Side;

use crate::board::{Board, Cell, Rows};
use crate::lanes::{BATCH, Both, Kernel, Lanes};
use crate::moves::Move;
use crate::simd::{self, Form};
use crate::step::SMALL;

/// The sum of the weights of the generations: the value of a board on which nearly all cells are the mover's.
pub(crate) const UNIT: i32 = 10_000;

/// The value of a won game, beyond any balance; a lost one has it negative.
pub(crate) const WON: i32 = 3 * UNIT;

/// The weights that value boards.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// The weights of the balances of the generations.
    balances: Vec<f32>,
    /// The weight of the territory, as a share of the cells of the board.
    territory: f32,
    /// The generation after which the territory is counted.
    ground: usize,
    /// The distance that territory reaches from living cells.
    pub(crate) reach: u32,
    /// Rows and columns at each edge that are no territory.
    pub(crate) edge: usize,
}

impl Weights {
    /// The balances of the generations in these proportions, which the key of this name gave, and in proportion to them
    /// the territory as it is after `ground` generations, from 1 on. Generations at the end that are 0 are left out.
    ///
    /// # Errors
    /// `bad_player` where all of them are 0.
    pub(crate) fn new(key: &str, shares: &[f64], territory: f64, ground: usize) -> Result<Weights, Error> {
        let whole = shares.iter().sum::<f64>() + territory;
        if whole <= 0.0 {
            let message =
                format!("all weights of the value are 0 (`{key}`), so that all moves would have the same value");
            return Err(Error::new(ErrorCode::BadPlayer, message).arg("key", key));
        }
        let unit = f64::from(UNIT) / whole;
        let counted = shares.iter().rposition(|&share| share > 0.0).map_or(1, |last| last + 1);
        Ok(Weights {
            balances: shares[..counted.max(ground)].iter().map(|share| (share * unit) as f32).collect(),
            territory: (territory * unit) as f32,
            ground: ground - 1,
            reach: 0,
            edge: 0,
        })
    }

    /// The number of changes of a board that are tried between two reads of the clock: about 0.1 ms with vector
    /// instructions, 0.5 ms without.
    pub(crate) fn changes_per_check(&self, board: &Board) -> usize {
        let steps = self.balances.len() + if self.territory > 0.0 { self.reach as usize } else { 0 };
        let rows = if board.height() <= SMALL { 1 } else { 8 };
        (8192 / (steps * rows)).max(BATCH)
    }

    /// The cells of a board that may be territory, as rows of bits, and their number, at least 1.
    pub(crate) fn land(&self, board: &Board) -> (Rows, f32) {
        let (width, height) = (board.width(), board.height());
        let columns = if 2 * self.edge < width { board.mask() >> (2 * self.edge) << self.edge } else { 0 };
        let inside = |y: usize| (self.edge..height.saturating_sub(self.edge)).contains(&y);
        let rows: Rows = std::array::from_fn(|y| if inside(y) { columns } else { 0 });
        (rows, rows.iter().map(|row| row.count_ones()).sum::<u32>().max(1) as f32)
    }
}

/// Cells that change before a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// A cell that becomes the mover's.
    pub(crate) born: Option<Cell>,
    /// Cells of either side that die.
    pub(crate) dead: [Option<Cell>; 2],
}

impl Change {
    /// A birth alone: part of a move.
    pub(crate) fn birth(cell: Cell) -> Change {
        Change { born: Some(cell), dead: [None; 2] }
    }

    /// A death alone: a kill, or part of a birth.
    pub(crate) fn death(cell: Cell) -> Change {
        Change { born: None, dead: [Some(cell), None] }
    }
}

impl From<Move> for Change {
    fn from(m: Move) -> Change {
        match m {
            Move::Pass => Change::default(),
            Move::Kill(cell) => Change::death(cell),
            Move::Birth { cell, sacrifices } => Change { born: Some(cell), dead: sacrifices.map(Some) },
        }
    }
}

/// A function of boards before their generation, given with the mover's cells first.
pub(crate) trait Value: Copy {
    /// Its value for a board.
    type Out: Copy;

    /// Values a batch of boards. Inlined into its caller, as the functions of [`Lanes`] are.
    fn of<L: Lanes>(self, lanes: L, whole: L::Word, boards: &mut [Both<L>; BATCH]) -> [Self::Out; BATCH];
}

/// The cells of both sides after some generations, converted by a function.
#[derive(Clone, Copy)]
pub(crate) struct Counted<Convert> {
    /// The number of generations.
    pub(crate) generations: u32,
    /// Converts the counts.
    pub(crate) convert: Convert,
}

impl<T: Copy, Convert: Fn([i32; 2]) -> T + Copy> Value for Counted<Convert> {
    type Out = T;

    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, whole: L::Word, boards: &mut [Both<L>; BATCH]) -> [T; BATCH] {
        for _ in 0..self.generations {
            for board in &mut *boards {
                lanes.generation(board, whole);
            }
        }
        let [own, other] = lanes.count(boards);
        std::array::from_fn(|board| (self.convert)([own[board], other[board]]))
    }
}

/// The values by weights on boards of one size.
#[derive(Clone, Copy)]
struct Weighed<'w> {
    weights: &'w Weights,
    /// The cells that may be territory, and their number.
    land: (&'w Rows, f32),
}

impl Value for Weighed<'_> {
    type Out = i32;

    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, whole: L::Word, boards: &mut [Both<L>; BATCH]) -> [i32; BATCH] {
        let Weighed { weights, land: (land, size) } = self;
        // In registers where they fit.
        let mut boards = *boards;
        let mut value = [0.0; BATCH];
        let mut first = [[0; BATCH]; 2];
        for (passed, &weight) in weights.balances.iter().enumerate() {
            for board in &mut boards {
                lanes.generation(board, whole);
            }
            // First the cells, then, in one of the generations, the territory: in a loop, so that the counting is
            // inlined once.
            let counted = if passed == weights.ground && weights.territory > 0.0 { 2 } else { 1 };
            let mut ground = boards;
            for turn in 0..counted {
                if turn > 0 {
                    for _ in 0..weights.reach {
                        for board in &mut ground {
                            lanes.spread(board, whole);
                        }
                    }
                    let land = lanes.load(land);
                    for board in &mut ground {
                        *board = [lanes.and(board[0], land), lanes.and(board[1], land)];
                    }
                }
                let [own, other] = lanes.count(&ground);
                if passed == 0 && turn == 0 {
                    first = [own, other];
                }
                for board in 0..BATCH {
                    let (own, other) = (own[board], other[board]);
                    let (weight, all) = match turn {
                        0 => (weight, (own + other).max(1) as f32),
                        _ => (weights.territory, size),
                    };
                    value[board] += weight * ((own - other) as f32 / all);
                }
            }
        }
        let [own, other] = first;
        std::array::from_fn(|board| match [own[board] > 0, other[board] > 0] {
            [true, true] => value[board] as i32,
            [own, other] => WON * (i32::from(own) - i32::from(other)),
        })
    }
}

/// A queue of boards to be valued in batches.
pub(crate) struct BoardBatch<'v, L: Lanes, V: Value> {
    lanes: L,
    whole: L::Word,
    value: V,
    boards: [Both<L>; BATCH],
    waiting: usize,
    values: &'v mut Vec<V::Out>,
}

impl<'v, L: Lanes, V: Value> BoardBatch<'v, L, V> {
    /// An empty queue; the values are appended to `values`.
    #[inline(always)]
    pub(crate) fn new(lanes: L, board: &Board, value: V, values: &'v mut Vec<V::Out>) -> Self {
        let whole = lanes.whole(board);
        BoardBatch { lanes, whole, value, boards: [[whole; 2]; BATCH], waiting: 0, values }
    }

    /// Queues a board, and values the batch when it is full.
    #[inline(always)]
    pub(crate) fn push(&mut self, board: Both<L>) {
        self.boards[self.waiting] = board;
        self.waiting += 1;
        if self.waiting == BATCH {
            self.values.extend_from_slice(&self.value.of(self.lanes, self.whole, &mut self.boards));
            self.waiting = 0;
        }
    }

    /// Values the boards that remain.
    #[inline(always)]
    pub(crate) fn finish(mut self) {
        if self.waiting > 0 {
            let values = self.value.of(self.lanes, self.whole, &mut self.boards);
            self.values.extend_from_slice(&values[..self.waiting]);
        }
    }
}

/// Cells after a change.
#[inline(always)]
pub(crate) fn changed<L: Lanes>(lanes: L, [mut own, mut other]: Both<L>, change: Change) -> Both<L> {
    if let Some(cell) = change.born {
        own = lanes.or(own, lanes.one(cell));
    }
    for cell in change.dead.into_iter().flatten() {
        let dead = lanes.one(cell);
        (own, other) = (lanes.without(own, dead), lanes.without(other, dead));
    }
    [own, other]
}

/// Adds the value of each change to `values`.
struct Trials<'t, Changes, V: Value> {
    board: &'t Board,
    side: Side,
    changes: Changes,
    value: V,
    values: &'t mut Vec<V::Out>,
}

impl<Changes: Iterator<Item = Change>, V: Value> Kernel for Trials<'_, Changes, V> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let both = [lanes.load(self.board.rows(self.side)), lanes.load(self.board.rows(self.side.other()))];
        let mut boards = BoardBatch::new(lanes, self.board, self.value, self.values);
        for change in self.changes {
            boards.push(changed(lanes, both, change));
        }
        boards.finish();
    }
}

/// Appends the value of each change of the board for `side` to `values`, in order, over as many generations as there
/// are weights.
pub(crate) fn try_all(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    try_by(Form::BEST, board, side, changes, weights, values);
}

/// The same in the fastest form that is not above `most`.
fn try_by(most: Form, board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    values.reserve(changes.len());
    let (land, size) = weights.land(board);
    let value = Weighed { weights, land: (&land, size) };
    simd::run(most, board.height(), Trials { board, side, changes: changes.iter().copied(), value, values });
}

/// Appends, for each change of the board for `side`, the numbers of cells of the first and the second side after
/// `generations` of passes.
pub(crate) fn count_all(
    board: &Board,
    side: Side,
    changes: impl Iterator<Item = Change>,
    generations: u32,
    counts: &mut Vec<[u16; 2]>,
) {
    count_by(Form::BEST, board, side, changes, generations, counts);
}

/// The same in the fastest form that is not above `most`.
fn count_by(
    most: Form,
    board: &Board,
    side: Side,
    changes: impl Iterator<Item = Change>,
    generations: u32,
    counts: &mut Vec<[u16; 2]>,
) {
    let convert = |[own, other]: [i32; 2]| match side {
        Side::First => [own as u16, other as u16],
        Side::Second => [other as u16, own as u16],
    };
    let value = Counted { generations, convert };
    simd::run(most, board.height(), Trials { board, side, changes, value, values: counts });
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;
    use crate::reference::{Naive, random_board};

    #[test]
    fn all_forms_give_equal_values() {
        let mut rng = Rng::new(1);
        for _ in 0..3_000 {
            let longest = [18, 18, 32][rng.index(3)];
            let [width, height] = [1 + rng.index(longest) as u8, 1 + rng.index(longest) as u8];
            let board = random_board(width, height, 2 + rng.index(20), &mut rng);
            let side = Side::BOTH[rng.index(2)];
            let mut changes: Vec<Change> = (0..8).map(|_| moves::random(&board, side, &mut rng).into()).collect();
            changes.extend(board.dead_cells().take(2).map(Change::birth));
            changes.extend(board.cells(side).take(2).map(Change::death));
            let shares: Vec<f64> = (0..=rng.index(12)).map(|_| rng.unit()).collect();
            let mut weights =
                Weights::new("weights", &shares, rng.unit(), 1 + rng.index(shares.len())).expect("some weight");
            (weights.reach, weights.edge) = (rng.index(5) as u32, rng.index(4));
            let [plain, others @ ..] = Form::ALL.map(|form| {
                let mut values = Vec::new();
                try_by(form, &board, side, &changes, &weights, &mut values);
                values
            });
            assert_eq!(plain.len(), changes.len());
            for other in others {
                assert_eq!(plain, other, "{board:?}");
            }
        }
    }

    #[test]
    fn every_form_counts_as_the_slow_rules_do() {
        let mut rng = Rng::new(3);
        for (width, height) in [(1, 1), (2, 5), (5, 2), (18, 16), (32, 16), (7, 17), (32, 32)] {
            for round in 0..6 {
                let board = random_board(width, height, 2, &mut rng);
                let generations = round % 5;
                for side in Side::BOTH {
                    let changes = board.dead_cells().map(Change::birth).chain(board.living_cells().map(Change::death));
                    let changed: Vec<Change> = changes.filter(|_| rng.index(4) == 0).collect();
                    let slow: Vec<[u16; 2]> = changed
                        .iter()
                        .map(|change| {
                            let mut board = board;
                            if let Some(cell) = change.born {
                                board.set(cell, Some(side));
                            }
                            change.dead.into_iter().flatten().for_each(|cell| board.set(cell, None));
                            let slow = (0..generations).fold(Naive::of(&board), |slow, _| slow.step());
                            Side::BOTH.map(|side| slow.count(side) as u16)
                        })
                        .collect();
                    for form in Form::ALL {
                        let mut counts = Vec::new();
                        count_by(form, &board, side, changed.iter().copied(), generations, &mut counts);
                        assert_eq!(counts, slow, "{width} by {height}, {generations} generations");
                    }
                }
            }
        }
    }
}
