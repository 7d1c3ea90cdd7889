//! A network that values positions: one hidden layer over what each cell is to both sides.
//!
//! A position is seen from the side to move, on a board that is rotated for the second side, so that both have the same
//! start cell. Every cell has one of [`CLASSES`] classes: covered by one side or the other, or what the two sides can do
//! with it. Further features are the pieces in hand, by whether they still fit anywhere, and how many placements there are.

use std::sync::LazyLock;

use banmen_game::Side;

use crate::cells::{CellCount, Cells, SIZE};
use crate::game::Blokus;
use crate::moves::Reach;
use crate::piece::{Orientation, PIECES, PieceSet, step};
use crate::position::Position;

/// Cells of the board.
pub const CELLS: usize = SIZE as usize * SIZE as usize;

/// Bits of a row of [`Cells`].
const ROW: usize = 16;

/// What a cell that is empty can be to a side: closed, too far away, within about two placements, within the next one, and
/// where that is attached.
const STATES: usize = 5;

/// The classes of a cell: the pairs of states, the side's own first, and covered by the side or by its opponent.
pub const CLASSES: usize = STATES * STATES + 2;

/// Classes of the number of placements: its digits in binary, at most 11.
const MOBILITIES: usize = 12;

/// Features of a side beside the cells: each piece in hand that fits somewhere, each that does not, and the number of
/// placements.
const OF_SIDE: usize = 2 * PIECES + MOBILITIES;

/// The number of features: each class of each cell, and those of the side and its opponent.
pub const FEATURES: usize = CLASSES * CELLS + 2 * OF_SIDE;

/// Placements of a phase, each of which has its own output.
const PHASE: usize = 4;

/// The number of phases.
pub const PHASES: usize = 2 * PIECES / PHASE + 1;

/// What a side can do in a position.
struct Prospects {
    /// The cells by state: free, within about two placements, within the next one, where it can be attached. Each is part
    /// of the one before.
    states: [Cells; STATES - 1],
    hand: PieceSet,
    fitting: PieceSet,
    placements: u32,
}

impl Prospects {
    #[inline]
    fn new(reach: &Reach) -> Prospects {
        let mut covered = [Cells::EMPTY; 16];
        let (mut fitting, mut placements) = (PieceSet::EMPTY, 0);
        if !reach.attach.is_empty() {
            let shifted = reach.shifted();
            for piece in reach.pieces.iter() {
                let mut count = CellCount::default();
                for orientation in piece.orientation_range() {
                    let corners = shifted.corners(orientation);
                    for step in Orientation::steps(orientation) {
                        covered[step] |= corners;
                    }
                    count.add(corners);
                }
                let count = count.total() as u32;
                if count > 0 {
                    fitting = fitting.with(piece);
                }
                placements += count;
            }
        }
        let mut next = Cells::EMPTY;
        for dx in 0..5 {
            let mut column = Cells::EMPTY;
            for dy in (0..5 - dx).rev() {
                column = column.below() | covered[step(dx, dy)];
            }
            next |= column.right_of(dx);
        }
        Prospects {
            states: [reach.free, beyond(next, reach.free), next, next & reach.attach],
            hand: reach.pieces,
            fitting,
            placements,
        }
    }

    /// The cells of each state.
    #[inline]
    fn cells(&self) -> [Cells; STATES] {
        let [free, later, next, attach] = self.states;
        [!free, free & !later, later & !next, next & !attach, attach]
    }

    /// Calls `visit` with the number of each feature of the side.
    #[inline]
    fn visit(&self, mut visit: impl FnMut(usize)) {
        for piece in self.hand.iter() {
            visit(2 * piece.index() + usize::from(self.fitting.contains(piece)));
        }
        visit(2 * PIECES + (u32::BITS - self.placements.leading_zeros()) as usize % MOBILITIES);
    }
}

/// The cells within a placement, and those within one more: a chain of five free cells from a corner of the first ones on. Which
/// pieces are left does not matter.
#[inline]
fn beyond(next: Cells, free: Cells) -> Cells {
    let mut cells = next | next.corners() & free;
    for _ in 1..5 {
        cells |= cells.edges() & free;
    }
    cells
}

/// Calls `visit` with the number of each feature that a position has in the view of the side to move.
#[inline]
pub fn visit_features(game: &Blokus, position: &Position, mut visit: impl FnMut(usize)) {
    let side = position.side();
    let own = Prospects::new(&game.reach(position, side));
    let other = Prospects::new(&game.reach(position, side.other()));
    let rotated = side == Side::Second;
    let mut cells = |class: usize, cells: Cells| {
        for (first, mut word) in (0..).step_by(64).zip(cells.words()) {
            while word != 0 {
                let bit = first + word.trailing_zeros() as usize;
                word &= word - 1;
                // Two guards lie at the end of each row.
                let index = bit - (ROW - usize::from(SIZE)) * (bit / ROW);
                visit(CELLS * class + if rotated { CELLS - 1 - index } else { index });
            }
        }
    };
    let empty = !position.occupied();
    let (own_cells, other_cells) = (own.cells(), other.cells());
    for (first, of_own) in own_cells.into_iter().enumerate() {
        let of_own = of_own & empty;
        for (second, of_other) in other_cells.into_iter().enumerate() {
            cells(STATES * first + second, of_own & of_other);
        }
    }
    cells(CLASSES - 2, position.cells(side));
    cells(CLASSES - 1, position.cells(side.other()));
    own.visit(|feature| visit(CLASSES * CELLS + feature));
    other.visit(|feature| visit(CLASSES * CELLS + OF_SIDE + feature));
}

/// The feature that a position mirrored at the diagonal has instead.
#[must_use]
pub fn transposed(feature: usize) -> usize {
    if feature >= CLASSES * CELLS {
        return feature;
    }
    let (class, cell, size) = (feature / CELLS, feature % CELLS, usize::from(SIZE));
    CELLS * class + size * (cell % size) + cell / size
}

/// The phase of a position.
#[must_use]
#[inline]
pub fn phase(position: &Position) -> usize {
    (position.placements() as usize / PHASE).min(PHASES - 1)
}

/// Units of the hidden layer.
pub const HIDDEN: usize = 32;

/// A weight of the input is its byte divided by this.
pub const SCALE: f32 = 64.0;

/// The most features of a position: a class for each cell, and for both sides the pieces and the number of placements.
const MOST: usize = CELLS + 2 * (PIECES + 1);

/// Bytes of the weights: one for each feature and hidden unit, then as 32-bit floating-point numbers, little-endian, the biases
/// of the hidden units, and by phase the weights and then the biases of the output.
pub const BYTES: usize = FEATURES * HIDDEN + 4 * (HIDDEN + PHASES * (HIDDEN + 1));

/// The weights of a network.
pub(super) struct Network {
    /// By feature and hidden unit, times [`SCALE`] as are the biases.
    input: Vec<[i8; HIDDEN]>,
    bias: [i16; HIDDEN],
    output: [[f32; HIDDEN]; PHASES],
    last: [f32; PHASES],
}

/// The weights of the engine's network.
static WEIGHTS: &[u8; BYTES] = include_bytes!("net.bin");

/// The network of the engine.
pub(super) static NETWORK: LazyLock<Network> = LazyLock::new(|| Network::read(WEIGHTS));

/// The reward that the side to move can expect, 0 to 1, as the network of the engine values the position.
#[must_use]
pub fn value(game: &Blokus, position: &Position) -> f32 {
    NETWORK.value(game, position)
}

impl Network {
    /// The network of these weights.
    fn read(bytes: &[u8; BYTES]) -> Network {
        let (input, rest) = bytes.split_at(FEATURES * HIDDEN);
        let mut rest = rest.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let mut next = || rest.next().unwrap_or(0.0);
        Network {
            input: input.as_chunks::<HIDDEN>().0.iter().map(|row| row.map(u8::cast_signed)).collect(),
            // At most 240 weights of at most 128 are added to a bias, so no sum overflows.
            bias: std::array::from_fn(|_| (next() * SCALE).clamp(-2_000.0, 2_000.0) as i16),
            output: std::array::from_fn(|_| std::array::from_fn(|_| next() / SCALE)),
            last: std::array::from_fn(|_| next()),
        }
    }

    /// The reward that the side to move can expect, 0 to 1.
    #[inline]
    pub(super) fn value(&self, game: &Blokus, position: &Position) -> f32 {
        let (mut features, mut count) = ([0; MOST], 0);
        visit_features(game, position, |feature| {
            if let Some(next) = features.get_mut(count) {
                *next = feature as u16;
                count += 1;
            }
        });
        let mut sums = self.bias;
        for &feature in &features[..count] {
            for (sum, &weight) in sums.iter_mut().zip(&self.input[usize::from(feature)]) {
                *sum += i16::from(weight);
            }
        }
        let phase = phase(position);
        let mut odds = self.last[phase];
        for (sum, weight) in sums.into_iter().zip(&self.output[phase]) {
            odds += f32::from(sum.max(0)) * weight;
        }
        1.0 / (1.0 + libm::expf(-odds))
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};

    use super::*;
    use crate::cells::Cell;
    use crate::engine::features::tests::positions;
    use crate::moves::Move;

    fn features(game: &Blokus, position: &Position) -> Vec<usize> {
        let mut features = Vec::new();
        visit_features(game, position, |feature| features.push(feature));
        features
    }

    /// From the list of legal placements, cell by cell.
    fn slow(game: &Blokus, position: &Position) -> Vec<usize> {
        let side = position.side();
        let sides = [side, side.other()];
        let reach = sides.map(|side| game.reach(position, side));
        let placements = reach.map(|reach| {
            Move::placements()
                .filter(|m| {
                    let cells = m.cells();
                    m.piece().is_some_and(|piece| reach.pieces.contains(piece))
                        && (cells & !reach.free).is_empty()
                        && cells.intersects(reach.attach)
                })
                .collect::<Vec<_>>()
        });
        let all = |cells: &mut dyn Iterator<Item = Cells>| cells.fold(Cells::EMPTY, |all, cells| all | cells);
        let next = [0, 1].map(|at| all(&mut placements[at].iter().map(|m| m.cells())));
        // Paths of up to five free cells, from those at a corner of the next placement on.
        let later = [0, 1].map(|at| {
            let free = reach[at].free;
            let mut paths: Vec<Cell> = (next[at] | next[at].corners() & free).iter().collect();
            let mut begin = 0;
            for _ in 1..5 {
                for index in std::mem::replace(&mut begin, paths.len())..paths.len() {
                    let beside = Cells::only(paths[index]).edges() & free;
                    paths.extend(beside.iter().filter(|cell| !paths.contains(cell)).collect::<Vec<_>>());
                }
            }
            paths.into_iter().collect::<Cells>()
        });
        let mut features = Vec::new();
        for cell in Cell::all() {
            let state = |at: usize| {
                let next = next[at].contains(cell);
                match (reach[at].free.contains(cell), later[at].contains(cell), next, reach[at].attach.contains(cell)) {
                    (false, ..) => 0,
                    (_, false, ..) => 1,
                    (_, _, false, _) => 2,
                    (.., false) => 3,
                    _ => 4,
                }
            };
            let class = match sides.map(|side| position.cells(side).contains(cell)) {
                [true, _] => CLASSES - 2,
                [_, true] => CLASSES - 1,
                _ => STATES * state(0) + state(1),
            };
            let seen = if side == Side::Second { cell.rotated() } else { cell };
            features.push(CELLS * class + seen.index());
        }
        for (at, placements) in placements.iter().enumerate() {
            let first = CLASSES * CELLS + OF_SIDE * at;
            for piece in reach[at].pieces.iter() {
                let fits = placements.iter().any(|m| m.piece() == Some(piece));
                features.push(first + 2 * piece.index() + usize::from(fits));
            }
            features.push(first + 2 * PIECES + format!("{:b}", placements.len()).trim_start_matches('0').len());
        }
        features
    }

    #[test]
    fn features_are_those_found_cell_by_cell() {
        let mut seen = vec![false; CLASSES];
        for game in [Blokus::STANDARD, Blokus::FREE_START] {
            for (position, _) in positions(3) {
                let (mut fast, mut slow) = (features(&game, &position), slow(&game, &position));
                seen.iter_mut().enumerate().for_each(|(class, seen)| *seen |= fast.iter().any(|f| f / CELLS == class));
                fast.sort_unstable();
                slow.sort_unstable();
                assert_eq!(fast, slow, "{position:?}");
                assert!(fast.len() <= MOST && fast.iter().all(|&feature| feature < FEATURES));
            }
        }
        assert!(seen.iter().all(|&seen| seen), "{seen:?}");
    }

    #[test]
    fn symmetric_positions_have_symmetric_features_and_equal_values() {
        let game = Blokus::STANDARD;
        for (position, _) in positions(4) {
            let own = features(&game, &position);
            let mut mirrored: Vec<usize> = own.iter().map(|&feature| transposed(feature)).collect();
            let mut of_mirrored = features(&game, &position.transposed());
            mirrored.sort_unstable();
            of_mirrored.sort_unstable();
            assert_eq!(mirrored, of_mirrored, "{position:?}");
            assert_eq!(NETWORK.value(&game, &position), NETWORK.value(&game, &position.rotated()), "{position:?}");
        }
    }

    #[test]
    fn the_value_is_the_sum_in_floating_point() {
        let (game, network) = (Blokus::STANDARD, &*NETWORK);
        for (position, _) in positions(4) {
            let phase = phase(&position);
            let mut odds = f64::from(network.last[phase]);
            for unit in 0..HIDDEN {
                let weights =
                    features(&game, &position).into_iter().map(|feature| f64::from(network.input[feature][unit]));
                let sum = f64::from(network.bias[unit]) + weights.sum::<f64>();
                odds += sum.max(0.0) * f64::from(network.output[phase][unit]);
            }
            let value = 1.0 / (1.0 + libm::exp(-odds));
            assert!((f64::from(network.value(&game, &position)) - value).abs() < 1e-4, "{position:?}");
        }
    }

    #[test]
    fn predicts_who_wins() {
        // The winner by points so far is no better than a guess in the first half of a game.
        let game = Blokus::STANDARD;
        let mut right = 0.0;
        let mut all = 0.0;
        for seed in 0..100 {
            let (mut position, mut rng, mut value) = (game.start(), Rng::new(seed), None);
            let outcome = loop {
                if let Some(outcome) = game.outcome(&position, &()) {
                    break outcome;
                }
                if position.placements() == 20 {
                    let own = NETWORK.value(&game, &position);
                    value = Some(if position.side() == Side::First { own } else { 1.0 - own });
                }
                let mut legal = game.moves(&position);
                let most = legal.iter().map(|m| m.cells().count()).max();
                legal.retain(|m| Some(m.cells().count()) == most);
                game.play(&mut position, legal[rng.index(legal.len())]);
            };
            if let (Some(value), Some(winner)) = (value, outcome.winner) {
                all += 1.0;
                right += f64::from(u8::from((value > 0.5) == (winner == Side::First)));
            }
        }
        assert!(all > 50.0 && right > 0.65 * all, "{right} of {all}");
    }
}
