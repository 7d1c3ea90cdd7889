//! A network that says how likely each placement is: one hidden layer over what the cells in and around the placement are to
//! both sides.
//!
//! The hidden units begin with the sums over the features of the position, those of [`network`]. A placement
//! adds a row of weights for its piece, and one for each cell that it covers, that shares an edge with it, and that touches
//! it at a corner, by the class of the cell. So most of the work is done once for all placements of a position.

use std::sync::LazyLock;

use banmen_game::Side;

use super::network::{self, CELLS, CLASSES, visit_features};
use super::plane::Shape;
use crate::cells::{Cell, SIZE};
use crate::game::Blokus;
use crate::moves::Move;
use crate::piece::{ORIENTATIONS, Orientation, PIECES};
use crate::position::Position;

/// What a cell can be to a placement: covered, beside it, at its corner; or covered and at a free corner of the opponent's last
/// piece.
const RELATIONS: usize = 4;

/// A covered cell of the last kind.
const COVERED_LAST: usize = 3;

/// The rows of weights that placements add: each class of each cell in each relation, then the pieces.
pub const ROWS: usize = RELATIONS * CLASSES * CELLS + PIECES;

/// The groups of rows whose cells alone differ; the pieces are none.
pub const ROW_GROUPS: usize = RELATIONS * CLASSES;

/// The row of a cell off the board, without weights.
const OFF_BOARD: usize = ROWS;

/// The number of phases, each of which has its own output: those of [`network`], the last ones together.
pub const PHASES: usize = 7;

/// Units of the hidden layer.
pub const HIDDEN: usize = 16;

/// A weight of the hidden layer is its byte divided by this.
pub const SCALE: f32 = 64.0;

/// The largest byte of a weight of a position's features, and of a placement's rows: no sum of 240 of the ones, 29 of the others and
/// a bias overflows.
pub const LARGEST: [f32; 2] = [100.0, 127.0];

/// A weight of the output is a 16-bit number divided by this.
const OUTPUT_SCALE: f32 = 1024.0;

/// Bytes of the weights: one for each hidden unit and feature of a position, and each hidden unit and row of a placement; then as
/// 32-bit floating-point numbers, little-endian, the biases of the hidden units, and by phase the weights of the output, then the
/// weight of the strength's logarithm, then the bias of each piece.
pub const BYTES: usize =
    (network::FEATURES + ROWS) * HIDDEN + 4 * (HIDDEN + PHASES * HIDDEN + PHASES + PHASES * PIECES);

/// The weights of a network.
struct PolicyNetwork {
    /// By feature of the position and hidden unit, times [`SCALE`] as are the rows and the biases.
    features: Vec<[i8; HIDDEN]>,
    rows: Vec<[i16; HIDDEN]>,
    bias: [i16; HIDDEN],
    /// Times [`OUTPUT_SCALE`].
    output: [[i16; HIDDEN]; PHASES],
    strength: [f32; PHASES],
    piece: [[f32; PIECES]; PHASES],
}

/// The weights of the engine's policy network.
static WEIGHTS: &[u8; BYTES] = include_bytes!("policy.bin");

/// The policy network of the engine.
static POLICY: LazyLock<PolicyNetwork> = LazyLock::new(|| PolicyNetwork::read(WEIGHTS));

impl PolicyNetwork {
    /// The network of these weights.
    fn read(bytes: &[u8; BYTES]) -> PolicyNetwork {
        let (features, rest) = bytes.split_at(network::FEATURES * HIDDEN);
        let (rows, rest) = rest.split_at(ROWS * HIDDEN);
        let bytes = |bytes: &[u8]| -> Vec<[i8; HIDDEN]> {
            bytes.as_chunks::<HIDDEN>().0.iter().map(|row| row.map(u8::cast_signed)).collect()
        };
        let mut rest = rest.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let mut next = || rest.next().unwrap_or(0.0);
        let off_board = [0; HIDDEN];
        PolicyNetwork {
            features: bytes(features),
            rows: bytes(rows).into_iter().map(|row| row.map(i16::from)).chain([off_board]).collect(),
            bias: std::array::from_fn(|_| (next() * SCALE).clamp(-2_000.0, 2_000.0) as i16),
            output: std::array::from_fn(|_| std::array::from_fn(|_| (next() * OUTPUT_SCALE) as i16)),
            strength: std::array::from_fn(|_| next()),
            piece: std::array::from_fn(|_| std::array::from_fn(|_| next())),
        }
    }
}

/// The cells in and around an orientation: each as its bit in a window of [`Shape`], in [`Rows`] after those of its relation.
struct Touched {
    places: [u16; MOST_TOUCHED],
    count: usize,
}

/// The most cells of a placement, those beside it and those at its corners.
const MOST_TOUCHED: usize = 28;

static TOUCHED: [Touched; ORIENTATIONS] = {
    let mut all = [const { Touched { places: [0; MOST_TOUCHED], count: 0 } }; ORIENTATIONS];
    let mut index = 0;
    while index < ORIENTATIONS {
        let Touched { places, count } = &mut all[index];
        let shape = Shape::of(index);
        let masks = [shape.cells, shape.edges, shape.corners];
        let mut relation = 0;
        while relation < masks.len() {
            let mut mask = masks[relation];
            while mask != 0 {
                places[*count] = (WINDOW_CELLS * relation) as u16 + mask.trailing_zeros() as u16;
                *count += 1;
                mask &= mask - 1;
            }
            relation += 1;
        }
        index += 1;
    }
    all
};

/// Bits of the board with the ring of cells around it, as in [`Plane`](super::plane::Plane).
const WINDOW_CELLS: usize = 256;

/// Which rows the placements of a position add, in the view of the side to move.
#[derive(Clone, Debug)]
pub struct Rows {
    /// By cell, for those covered, beside a placement and at its corners.
    of_cell: [u16; 3 * WINDOW_CELLS],
}

impl Rows {
    /// Those of the side to move. `last`: what the opponent placed last, or a pass. Calls `visit` with the number of each feature of
    /// the position.
    #[inline]
    pub fn new(game: &Blokus, position: &Position, last: Move, mut visit: impl FnMut(usize)) -> Rows {
        let mut classes = [0; CELLS];
        visit_features(game, position, |feature| {
            if feature < CLASSES * CELLS {
                classes[feature % CELLS] = feature / CELLS;
            }
            visit(feature);
        });
        let covers = last.cells();
        let attach = covers.corners() & !covers.edges();
        let mut of_cell = [OFF_BOARD as u16; 3 * WINDOW_CELLS];
        for cell in Cell::all() {
            let seen = if position.side() == Side::Second { cell.rotated() } else { cell }.index();
            let place = usize::from(cell.bit()) + 17;
            let covered = if attach.contains(cell) { COVERED_LAST } else { 0 };
            for (number, relation) in [covered, 1, 2].into_iter().enumerate() {
                of_cell[WINDOW_CELLS * number + place] = (CELLS * (CLASSES * relation + classes[seen]) + seen) as u16;
            }
        }
        Rows { of_cell }
    }

    /// The rows of a placement: its piece's first, then those of cells, where one off the board has [`OFF_BOARD`].
    #[inline]
    fn all(&self, orientation: Orientation, corner: Cell) -> impl Iterator<Item = usize> {
        let Touched { places, count } = &TOUCHED[orientation.index()];
        let first = usize::from(corner.bit());
        let of_cells = places[..*count].iter().map(move |&place| self.of_cell[first + usize::from(place)]);
        std::iter::once(ROWS - PIECES + orientation.piece().index()).chain(of_cells.map(usize::from))
    }

    /// The rows of a placement.
    pub fn of(&self, orientation: Orientation, corner: Cell) -> impl Iterator<Item = usize> {
        self.all(orientation, corner).filter(|&row| row != OFF_BOARD)
    }
}

/// Where a row's weights are shared: its group, and its cell; `None` for a piece.
#[must_use]
pub fn group(row: usize) -> Option<(usize, usize)> {
    (row < ROW_GROUPS * CELLS).then_some((row / CELLS, row % CELLS))
}

/// The row that a placement mirrored at the diagonal has instead.
#[must_use]
pub fn transposed(row: usize) -> usize {
    let Some((group, cell)) = group(row) else { return row };
    let size = usize::from(SIZE);
    CELLS * group + size * (cell % size) + cell / size
}

/// The phase of a position.
#[must_use]
#[inline]
pub fn phase(position: &Position) -> usize {
    network::phase(position).min(PHASES - 1)
}

/// How likely the placements of a position are.
pub(super) struct MovePolicy {
    network: &'static PolicyNetwork,
    rows: Rows,
    /// The sums of the hidden units over the features of the position.
    sums: [i16; HIDDEN],
    phase: usize,
}

impl MovePolicy {
    /// For the side to move. `last`: what the opponent placed last, or a pass.
    #[inline]
    pub(super) fn new(game: &Blokus, position: &Position, last: Move) -> MovePolicy {
        let network = &*POLICY;
        let mut sums = network.bias;
        let rows = Rows::new(game, position, last, |feature| {
            for (sum, &weight) in sums.iter_mut().zip(&network.features[feature]) {
                *sum += i16::from(weight);
            }
        });
        MovePolicy { network, rows, sums, phase: phase(position) }
    }

    /// The logarithm of the probability of a placement, up to a constant of the position. `strength`: of the placement's features,
    /// see [`Weights`](super::weights::Weights).
    #[inline]
    pub(super) fn log_probability(&self, orientation: Orientation, corner: Cell, strength: f32) -> f32 {
        let PolicyNetwork { rows, output, strength: of_strength, piece, .. } = self.network;
        let mut sums = self.sums;
        for row in self.rows.all(orientation, corner) {
            for (sum, &weight) in sums.iter_mut().zip(&rows[row]) {
                *sum += weight;
            }
        }
        let products =
            sums.iter().zip(&output[self.phase]).map(|(&sum, &weight)| i32::from(sum.max(0)) * i32::from(weight));
        let of_units = products.sum::<i32>() as f32 / (SCALE * OUTPUT_SCALE);
        of_strength[self.phase] * libm::logf(strength) + piece[self.phase][orientation.piece().index()] + of_units
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::Game;

    use super::*;
    use crate::engine::features::tests::positions;
    use crate::engine::network::NETWORK;
    use crate::engine::ranking::considered;

    /// The parts of the placements of a position.
    fn placements(position: &Position) -> impl Iterator<Item = (Orientation, Cell)> {
        Blokus::STANDARD.moves(position).into_iter().filter_map(Move::parts)
    }

    fn rows(position: &Position, last: Move) -> Rows {
        Rows::new(&Blokus::STANDARD, position, last, |_| {})
    }

    #[test]
    fn rows_are_those_found_cell_by_cell() {
        let mut relations = [0; RELATIONS];
        for (position, last) in positions(3) {
            let mut classes = [0; CELLS];
            visit_features(&Blokus::STANDARD, &position, |feature| {
                if feature < CLASSES * CELLS {
                    classes[feature % CELLS] = feature / CELLS;
                }
            });
            let rows = rows(&position, last);
            for (orientation, corner) in placements(&position) {
                let cells = orientation.at(corner);
                let edges = cells.edges() & !cells;
                let corners = cells.corners() & !cells & !edges;
                let opened = last.cells().corners() & !last.cells().edges();
                let mut slow = vec![ROWS - PIECES + orientation.piece().index()];
                for cell in Cell::all() {
                    let relation = match (cells.contains(cell), edges.contains(cell), corners.contains(cell)) {
                        (true, ..) if opened.contains(cell) => 3,
                        (true, ..) => 0,
                        (_, true, _) => 1,
                        (.., true) => 2,
                        _ => continue,
                    };
                    relations[relation] += 1;
                    let seen = if position.side() == Side::Second { cell.rotated() } else { cell }.index();
                    slow.push((relation * CLASSES + classes[seen]) * CELLS + seen);
                }
                let mut fast: Vec<usize> = rows.of(orientation, corner).collect();
                fast.sort_unstable();
                slow.sort_unstable();
                assert_eq!(fast, slow, "{position:?}");
                assert!(fast.len() <= MOST_TOUCHED + 1);
            }
        }
        assert!(relations.iter().all(|&count| count > 100), "{relations:?}");
    }

    #[test]
    fn symmetric_placements_have_symmetric_rows_and_equal_probabilities() {
        let game = Blokus::STANDARD;
        for (position, last) in positions(2) {
            let (own, mirrored) = (rows(&position, last), rows(&position.transposed(), last.transposed()));
            let policy = MovePolicy::new(&game, &position, last);
            let rotated = MovePolicy::new(&game, &position.rotated(), last.rotated());
            for m in game.moves(&position) {
                let Some((orientation, corner)) = m.parts() else { continue };
                let of = |rows: &Rows, m: Move| {
                    m.parts().map(|(orientation, corner)| rows.of(orientation, corner).collect())
                };
                let mut expected: Vec<usize> = own.of(orientation, corner).map(transposed).collect();
                let mut found: Vec<usize> = of(&mirrored, m.transposed()).expect("a placement");
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{m} in {position:?}");
                let turned =
                    m.rotated().parts().map(|(orientation, corner)| rotated.log_probability(orientation, corner, 1.0));
                assert_eq!(Some(policy.log_probability(orientation, corner, 1.0)), turned, "{m} in {position:?}");
            }
        }
    }

    #[test]
    fn the_logarithm_is_the_sum_in_floating_point() {
        let network = &*POLICY;
        for (position, last) in positions(2) {
            let policy = MovePolicy::new(&Blokus::STANDARD, &position, last);
            let mut features = Vec::new();
            let rows = Rows::new(&Blokus::STANDARD, &position, last, |feature| features.push(feature));
            for (orientation, corner) in placements(&position).step_by(3) {
                let (piece, phase) = (orientation.piece().index(), phase(&position));
                let mut sum = f64::from(network.strength[phase]) * f64::from(libm::logf(2.0));
                sum += f64::from(network.piece[phase][piece]);
                for unit in 0..HIDDEN {
                    let of_features = features.iter().map(|&feature| f64::from(network.features[feature][unit]));
                    let of_rows = rows.of(orientation, corner).map(|row| f64::from(network.rows[row][unit]));
                    let hidden = f64::from(network.bias[unit]) + of_features.chain(of_rows).sum::<f64>();
                    assert!(hidden.abs() < f64::from(i16::MAX), "{hidden}");
                    sum += hidden.max(0.0) * f64::from(network.output[phase][unit]) / f64::from(SCALE * OUTPUT_SCALE);
                }
                let found = f64::from(policy.log_probability(orientation, corner, 2.0));
                assert!((found - sum).abs() < 1e-3, "{found} {sum}");
            }
        }
    }

    #[test]
    fn prefers_placements_that_are_worth_more() {
        // The mean value after the ten placements that the network, or the strengths alone, put first.
        let game = Blokus::STANDARD;
        let mut values = [0.0; 2];
        let mut better = 0;
        let mut all = 0;
        for (position, last) in positions(6).into_iter().filter(|(position, _)| position.placements() < 16) {
            let mut placements = considered(&game, &position, last);
            let policy = MovePolicy::new(&game, &position, last);
            let mut mean = |score: &dyn Fn(f32, Move) -> f32| {
                placements.sort_by(|a, b| score(b.0, b.1).total_cmp(&score(a.0, a.1)));
                let values = placements.iter().take(10).map(|&(_, m)| {
                    let mut after = position;
                    game.play(&mut after, m);
                    1.0 - NETWORK.value(&game, &after)
                });
                values.sum::<f32>() / placements.len().min(10) as f32
            };
            let by_strength = mean(&|strength, _| strength);
            let by_policy = mean(&|strength, m| {
                m.parts().map_or(0.0, |(orientation, corner)| policy.log_probability(orientation, corner, strength))
            });
            all += 1;
            better += usize::from(by_policy >= by_strength);
            values[0] += by_strength;
            values[1] += by_policy;
        }
        assert!(all > 80 && better > all * 3 / 4 && values[1] > values[0], "{better} of {all}, {values:?}");
    }
}
