//! Changes of a board tried out: what a move, or one part of a move, is worth by the balance of the cells over some
//! generations in which nobody moves.
//!
//! The first generation is the move's own; it also tells who lives. A value is the weighted sum of the balances
//! (own − other) / (own + other) of the generations, or says that the game has ended.

use banmen_catalog::Error;
use banmen_game::Side;

use crate::board::{Board, Cell, ROWS, Rows};
use crate::moves::Move;
use crate::simd;
use crate::step::{SMALL, step_plain};
use crate::wide::{Words, plain_words};

/// What the weights of the generations sum up to: the value of a board on which nearly all cells are the mover's.
pub(crate) const UNIT: i32 = 10_000;

/// The value of a won game, beyond any balance; a lost one has it negative.
pub(crate) const WON: i32 = 3 * UNIT;

/// How boards are valued.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// The weights of the balances of the generations.
    balances: Vec<f32>,
    /// The weight of the territory, as a share of the cells of the board.
    territory: f32,
    /// Which of these generations has the territory counted.
    ground: usize,
    /// How far territory reaches from living cells.
    pub(crate) reach: u32,
    /// Rows and columns at each edge that are nobody's territory.
    pub(crate) edge: usize,
}

impl Weights {
    /// The balances of the generations in these proportions, and in proportion to them the territory as it is after
    /// `ground` generations, from 1 on. Generations at the end that are 0 are left out.
    ///
    /// # Errors
    /// `bad_player` where all of them are 0.
    pub(crate) fn new(shares: &[f64], territory: f64, ground: usize) -> Result<Weights, Error> {
        let whole = shares.iter().sum::<f64>() + territory;
        if whole <= 0.0 {
            let message = "all weights of the value are 0, so that every move would be worth as much";
            return Err(Error::new("bad_player", message).arg("key", "weights"));
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

    /// How many changes of a board are tried between two looks at the clock: with the vectors of any machine a tenth of
    /// a millisecond, without them half a millisecond.
    pub(crate) fn at_once(&self, board: &Board) -> usize {
        let steps = self.balances.len() + if self.territory > 0.0 { self.reach as usize } else { 0 };
        let rows = if board.height() <= SMALL { 1 } else { 8 };
        (8192 / (steps * rows)).max(ABREAST)
    }

    /// The cells of a board that may be territory, as rows of bits, and how many they are, at least 1.
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
    /// One that becomes the mover's.
    pub(crate) born: Option<Cell>,
    /// Some that die, whosever they are.
    pub(crate) dead: [Option<Cell>; 2],
}

impl Change {
    /// Nothing but a birth: part of a move.
    pub(crate) fn birth(cell: Cell) -> Change {
        Change { born: Some(cell), dead: [None; 2] }
    }

    /// Nothing but a death: a kill, or part of a birth.
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

/// Boards that are taken through the generations side by side: no instruction waits for the one before it, and their
/// cells are counted together.
pub(crate) const ABREAST: usize = 4;

/// The values of boards before their generation for the side whose cells come first.
#[inline(always)]
pub(crate) fn values_of<W: Copy>(
    mut boards: [(W, W); ABREAST],
    land: f32,
    weights: &Weights,
    form: &Form<
        impl Fn((W, W)) -> (W, W),
        impl Fn((W, W)) -> (W, W),
        impl Fn((W, W)) -> (W, W),
        impl Fn(&[(W, W); ABREAST]) -> Counts,
    >,
) -> [i32; ABREAST] {
    let mut value = [0.0; ABREAST];
    let mut first = [[0; ABREAST]; 2];
    for (passed, &weight) in weights.balances.iter().enumerate() {
        for board in &mut boards {
            *board = (form.step)(*board);
        }
        // First the cells, then, in one of the generations, the territory: in a loop, so that all of it has one place
        // in the code and is expanded there.
        let counted = if passed == weights.ground && weights.territory > 0.0 { 2 } else { 1 };
        let mut ground = boards;
        for turn in 0..counted {
            if turn > 0 {
                for _ in 0..weights.reach {
                    for board in &mut ground {
                        *board = (form.spread)(*board);
                    }
                }
                for board in &mut ground {
                    *board = (form.land)(*board);
                }
            }
            let [own, other] = (form.count)(&ground);
            if passed == 0 && turn == 0 {
                first = [own, other];
            }
            for board in 0..ABREAST {
                let (own, other) = (own[board], other[board]);
                let (weight, all) = match turn {
                    0 => (weight, (own + other).max(1) as f32),
                    _ => (weights.territory, land),
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

/// The cells of both sides on some boards.
pub(crate) type Counts = [[i32; ABREAST]; 2];

/// What is done with the cells of both sides, the mover's first, in words of some kind.
pub(crate) struct Form<Step, Spread, Land, Count> {
    /// A generation.
    pub(crate) step: Step,
    /// Every free cell beside those of one side and none of the other becomes that side's.
    pub(crate) spread: Spread,
    /// What of it may be territory.
    pub(crate) land: Land,
    /// How many there are on some boards.
    pub(crate) count: Count,
}

/// Values each change of the board for `side`, in this order, at the end of `values`; the generations are as many as the
/// weights.
#[inline]
pub(crate) fn try_all(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    values.reserve(changes.len());
    simd::try_all(board, side, changes, weights, values);
}

/// Adds what `values_of` finds of the mover's and the other's cells after each change, before the generation.
#[inline(always)]
pub(crate) fn every_change<W: Copy>(
    (own, other): (W, W),
    changes: &[Change],
    words: &Words<impl Fn(Cell) -> W, impl Fn(W, W) -> W, impl Fn(W, W) -> W>,
    values: &mut Vec<i32>,
    values_of: impl Fn([(W, W); ABREAST]) -> [i32; ABREAST],
) {
    let Words { one, with, without } = words;
    let changed = |change: &Change| {
        let (mut own, mut other) = (own, other);
        if let Some(cell) = change.born {
            own = with(own, one(cell));
        }
        for cell in change.dead.into_iter().flatten() {
            let dead = one(cell);
            (own, other) = (without(own, dead), without(other, dead));
        }
        (own, other)
    };
    for some in changes.chunks(ABREAST) {
        let mut boards = [(own, other); ABREAST];
        for (board, change) in boards.iter_mut().zip(some) {
            *board = changed(change);
        }
        values.extend_from_slice(&values_of(boards)[..some.len()]);
    }
}

/// The portable form.
pub(crate) fn try_plain(board: &Board, side: Side, changes: &[Change], weights: &Weights, values: &mut Vec<i32>) {
    let words = plain_words();
    let step = |(own, other)| {
        let mut board = Board { colours: [own, other], ..*board };
        step_plain(&mut board);
        (board.colours[0], board.colours[1])
    };
    let beside = |cells: &Rows| {
        let wide = cells.map(|row| row | row << 1 | row >> 1);
        let row = |y: usize| wide.get(y).copied().unwrap_or(0);
        std::array::from_fn::<u32, ROWS, _>(|y| row(y) | row(y.wrapping_sub(1)) | row(y + 1))
    };
    let spread = |(own, other): (Rows, Rows)| {
        let (near, far) = (beside(&own), beside(&other));
        let mask = |y: usize| if y < board.height() { board.mask() } else { 0 };
        let grown = |cells: Rows, by: Rows, against: Rows, others: Rows| {
            std::array::from_fn(|y| cells[y] | by[y] & !against[y] & !others[y] & mask(y))
        };
        (grown(own, near, far, other), grown(other, far, near, own))
    };
    let (place, size) = weights.land(board);
    let land = |(own, other): (Rows, Rows)| {
        (std::array::from_fn(|y| own[y] & place[y]), std::array::from_fn(|y| other[y] & place[y]))
    };
    let cells = |rows: &Rows| rows.iter().map(|row| row.count_ones() as i32).sum();
    let count =
        |boards: &[(Rows, Rows); ABREAST]| [boards.map(|both| cells(&both.0)), boards.map(|both| cells(&both.1))];
    let form = Form { step, spread, land, count };
    let both = (*board.rows(side), *board.rows(side.other()));
    every_change(both, changes, &words, values, |boards| values_of(boards, size, weights, &form));
}

#[cfg(test)]
mod tests {
    use banmen_game::Rng;

    use super::*;
    use crate::moves;

    /// A board of any size with cells of both sides, some of them dense, some nearly empty.
    fn random_board(rng: &mut Rng) -> Board {
        let side = |rng: &mut Rng| {
            let longest = if rng.index(3) == 0 { 32 } else { 18 };
            1 + rng.index(longest) as u8
        };
        let mut board = Board::empty(side(rng), side(rng));
        let share = 2 + rng.index(20);
        for index in 0..ROWS * ROWS {
            let cell = Cell::at(index);
            if board.holds(cell) && rng.index(share) == 0 {
                board.set(cell, Some(if rng.index(2) == 0 { Side::First } else { Side::Second }));
            }
        }
        board
    }

    #[test]
    fn all_forms_value_changes_alike() {
        let mut rng = Rng::new(1);
        for _ in 0..3_000 {
            let board = random_board(&mut rng);
            let side = Side::BOTH[rng.index(2)];
            let mut changes: Vec<Change> = (0..8).map(|_| moves::random(&board, side, &mut rng).into()).collect();
            changes.extend(board.dead_cells().take(2).map(Change::birth));
            changes.extend(board.cells(side).take(2).map(Change::death));
            let shares: Vec<f64> = (0..=rng.index(12)).map(|_| rng.unit()).collect();
            let mut weights = Weights::new(&shares, rng.unit(), 1 + rng.index(shares.len())).expect("some weight");
            (weights.reach, weights.edge) = (rng.index(5) as u32, rng.index(4));
            let (mut plain, mut avx2, mut best) = (Vec::new(), Vec::new(), Vec::new());
            try_plain(&board, side, &changes, &weights, &mut plain);
            simd::try_avx2(&board, side, &changes, &weights, &mut avx2);
            try_all(&board, side, &changes, &weights, &mut best);
            assert_eq!(plain, avx2, "{board:?}");
            assert_eq!(plain, best, "{board:?}");
        }
    }
}
