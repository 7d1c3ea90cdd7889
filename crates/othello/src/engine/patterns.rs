//! The patterns of the evaluation: sets of squares whose discs together have a weight (Buro 1998).
//!
//! A *kind* of pattern is a list of squares; its *instances* are the images of the squares by the symmetries of the
//! board. The state of an instance is a number in base 3: per square 0 empty, 1 own, 2 the opponent's, the first square
//! lowest. All instances of a kind share its weights. A kind whose squares a symmetry maps onto themselves has pairs of
//! mirrored states, which share a weight too: the *features* of a kind are its states, mirrored ones counted once.

use std::sync::LazyLock;

use crate::moves::legal;

/// Instances of all kinds.
const INSTANCES: usize = 46;

/// Instances, filled up to a whole number of vector registers: the last ones have no squares.
const LANES: usize = 48;

/// Squares by name, column and row from 0.
const fn at(name: &[u8; 2]) -> u8 {
    name[0] - b'a' + 8 * (name[1] - b'1')
}

/// A kind of pattern: the squares of its first instance.
struct Kind {
    squares: &'static [u8],
    /// Number of instances: 2, 4 or 8.
    instances: usize,
}

/// Rows, diagonals, the edge with its X squares, and three shapes of the corner.
const KINDS: [Kind; 11] = [
    // The edge and the X squares.
    Kind {
        squares: &[
            at(b"b2"),
            at(b"a1"),
            at(b"b1"),
            at(b"c1"),
            at(b"d1"),
            at(b"e1"),
            at(b"f1"),
            at(b"g1"),
            at(b"h1"),
            at(b"g2"),
        ],
        instances: 4,
    },
    // Two rows of five in the corner.
    Kind {
        squares: &[
            at(b"a1"),
            at(b"b1"),
            at(b"c1"),
            at(b"d1"),
            at(b"e1"),
            at(b"a2"),
            at(b"b2"),
            at(b"c2"),
            at(b"d2"),
            at(b"e2"),
        ],
        instances: 8,
    },
    // Both halves of the edges at a corner, and the X square.
    Kind {
        squares: &[
            at(b"a5"),
            at(b"a4"),
            at(b"a3"),
            at(b"a2"),
            at(b"a1"),
            at(b"b2"),
            at(b"b1"),
            at(b"c1"),
            at(b"d1"),
            at(b"e1"),
        ],
        instances: 4,
    },
    // The corner's nine squares.
    Kind {
        squares: &[at(b"a1"), at(b"b1"), at(b"c1"), at(b"a2"), at(b"b2"), at(b"c2"), at(b"a3"), at(b"b3"), at(b"c3")],
        instances: 4,
    },
    // The rows 2 to 4.
    Kind {
        squares: &[at(b"a2"), at(b"b2"), at(b"c2"), at(b"d2"), at(b"e2"), at(b"f2"), at(b"g2"), at(b"h2")],
        instances: 4,
    },
    Kind {
        squares: &[at(b"a3"), at(b"b3"), at(b"c3"), at(b"d3"), at(b"e3"), at(b"f3"), at(b"g3"), at(b"h3")],
        instances: 4,
    },
    Kind {
        squares: &[at(b"a4"), at(b"b4"), at(b"c4"), at(b"d4"), at(b"e4"), at(b"f4"), at(b"g4"), at(b"h4")],
        instances: 4,
    },
    // The diagonals of 8 to 5 squares.
    Kind {
        squares: &[at(b"a1"), at(b"b2"), at(b"c3"), at(b"d4"), at(b"e5"), at(b"f6"), at(b"g7"), at(b"h8")],
        instances: 2,
    },
    Kind { squares: &[at(b"a2"), at(b"b3"), at(b"c4"), at(b"d5"), at(b"e6"), at(b"f7"), at(b"g8")], instances: 4 },
    Kind { squares: &[at(b"a3"), at(b"b4"), at(b"c5"), at(b"d6"), at(b"e7"), at(b"f8")], instances: 4 },
    Kind { squares: &[at(b"a4"), at(b"b5"), at(b"c6"), at(b"d7"), at(b"e8")], instances: 4 },
];

/// Numbers of moves with weights of their own, for each side; more count as the greatest.
const MOBILITIES: usize = 32;

/// The states of all kinds, one kind after the other, then the numbers of own and of the opponent's moves.
pub(crate) const STATES: usize = {
    let (mut sum, mut kind) = (0, 0);
    while kind < KINDS.len() {
        sum += 3usize.pow(KINDS[kind].squares.len() as u32);
        kind += 1;
    }
    sum + 2 * MOBILITIES
};

/// The length of a table by state: a power of two, so that masking an index makes it valid.
pub(crate) const TABLE: usize = STATES.next_power_of_two();

/// A table by state; the rest of it is zero.
pub(crate) fn table<T: Copy>(zero: T, numbers: impl Iterator<Item = T>) -> Box<[T; TABLE]> {
    let mut table = vec![zero; TABLE];
    for (place, number) in table[..STATES].iter_mut().zip(numbers) {
        *place = number;
    }
    table.try_into().unwrap_or_else(|_| unreachable!("the vector is of this length"))
}

/// The tables that are derived from the kinds.
pub(crate) struct Patterns {
    /// By row of the board and the discs of one colour on it: the sum of their powers of three, for each instance.
    rows: Box<[[Lanes; 256]; 8]>,
    /// Where the states of each instance begin.
    offsets: [u32; LANES],
    /// The feature of each state.
    features: Vec<u32>,
    /// The number of features.
    feature_count: usize,
}

/// A number for each instance, a whole number of vector registers.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Lanes([u16; LANES]);

impl Lanes {
    const ZERO: Lanes = Lanes([0; LANES]);

    #[inline(always)]
    fn add(&mut self, other: &Lanes) {
        // Tests check the additions for overflow. All at once: one by one they would not be those of vectors.
        let mut overflow = false;
        for (sum, number) in self.0.iter_mut().zip(&other.0) {
            let over;
            (*sum, over) = sum.overflowing_add(*number);
            overflow |= over;
        }
        debug_assert!(!overflow);
    }
}

/// The states of a position in the numbering of [`STATES`].
pub(crate) const TERMS: usize = INSTANCES + 2;

impl Patterns {
    /// The tables, made at the first call.
    pub(crate) fn get() -> &'static Patterns {
        static PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::new);
        &PATTERNS
    }

    fn new() -> Self {
        let mut rows = Box::new([[Lanes::ZERO; 256]; 8]);
        let mut offsets = [0; LANES];
        let mut features = Vec::with_capacity(STATES);
        let (mut lane, mut feature_count) = (0, 0);
        for kind in &KINDS {
            let offset = features.len();
            let mut instances: Vec<Vec<u8>> = Vec::new();
            // The permutation of the kind's squares by the symmetry that keeps their set, if there is one.
            let mut mirror: Option<Vec<usize>> = None;
            for symmetry in 0..8 {
                let image: Vec<u8> = kind.squares.iter().map(|&square| image(square, symmetry)).collect();
                let same_set = |other: &Vec<u8>| image.iter().all(|square| other.contains(square));
                match instances.iter().position(same_set) {
                    None => instances.push(image),
                    Some(0) if mirror.is_none() => {
                        let place = |square| kind.squares.iter().position(|&other| other == square).unwrap_or(0);
                        let permutation: Vec<usize> = image.into_iter().map(place).collect();
                        mirror = Some(permutation).filter(|places| !places.iter().copied().eq(0..places.len()));
                    }
                    Some(_) => {}
                }
            }
            debug_assert_eq!(instances.len(), kind.instances);
            for squares in instances {
                offsets[lane] = offset as u32;
                let mut power = 1;
                for square in squares {
                    for discs in (0..256usize).filter(|discs| discs >> (square & 7) & 1 != 0) {
                        rows[usize::from(square >> 3)][discs].0[lane] += power;
                    }
                    power *= 3;
                }
                lane += 1;
            }
            for state in 0..3usize.pow(kind.squares.len() as u32) {
                let twin = mirror.as_ref().map_or(state, |places| {
                    places
                        .iter()
                        .enumerate()
                        .map(|(i, &to)| state / 3usize.pow(i as u32) % 3 * 3usize.pow(to as u32))
                        .sum()
                });
                if twin < state {
                    features.push(features[offset + twin]);
                } else {
                    features.push(feature_count);
                    feature_count += 1;
                }
            }
        }
        for _ in 0..2 * MOBILITIES {
            features.push(feature_count);
            feature_count += 1;
        }
        Patterns { rows, offsets, features, feature_count: feature_count as usize }
    }

    /// The number of features.
    pub(crate) fn feature_count(&self) -> usize {
        self.feature_count
    }

    /// The feature of a state below [`STATES`].
    pub(crate) fn feature(&self, state: usize) -> usize {
        self.features[state] as usize
    }

    /// For each instance, the discs of one colour read in base 3.
    #[inline(always)]
    fn read(&self, discs: u64) -> Lanes {
        let mut sum = Lanes::ZERO;
        for (row, table) in self.rows.iter().enumerate() {
            sum.add(&table[(discs >> (8 * row) & 255) as usize]);
        }
        sum
    }

    /// The states of the instances, each counted from the first one of its kind.
    #[inline(always)]
    pub(crate) fn places(&self, own: u64, opp: u64) -> Lanes {
        let mut places = self.read(opp);
        let opposing = places;
        places.add(&opposing);
        places.add(&self.read(own));
        places
    }

    /// The same after a move, from the view of the side that then moves. `turned` are those before it from the same view,
    /// `places(opp, own)`: each flipped disc was that side's and is the opponent's, which adds 1 to its digit.
    #[inline(always)]
    pub(crate) fn places_after(&self, turned: &Lanes, flipped: u64, square: u32) -> Lanes {
        let mut places = *turned;
        places.add(&self.read(flipped));
        let disc = &self.rows[(square >> 3 & 7) as usize][1 << (square & 7)];
        places.add(disc);
        places.add(disc);
        places
    }

    /// The states of a position: one of each instance, and the numbers of moves.
    #[inline(always)]
    pub(crate) fn states(&self, own: u64, opp: u64) -> [u32; TERMS] {
        self.states_at(&self.places(own, opp), [legal(own, opp), legal(opp, own)])
    }

    /// The same by the states of the instances and the moves of both sides, first the mover's.
    #[inline(always)]
    pub(crate) fn states_at(&self, places: &Lanes, moves: [u64; 2]) -> [u32; TERMS] {
        let mut states = [0; TERMS];
        for (lane, state) in states[..INSTANCES].iter_mut().enumerate() {
            *state = self.offsets[lane] + u32::from(places.0[lane]);
        }
        let [ours, theirs] = moves.map(|moves| moves.count_ones().min(MOBILITIES as u32 - 1));
        let first = (STATES - 2 * MOBILITIES) as u32;
        states[INSTANCES] = first + ours;
        states[INSTANCES + 1] = first + MOBILITIES as u32 + theirs;
        states
    }
}

/// The image of a square by one of the eight symmetries of the board.
fn image(square: u8, symmetry: u32) -> u8 {
    let (mut column, mut row) = (square & 7, square >> 3);
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    8 * row + column
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::positions;

    /// The state of a list of squares, square by square.
    fn state(squares: impl Iterator<Item = u8>, own: u64, opp: u64) -> usize {
        let digit = |square: u8| (own >> square & 1) as usize + 2 * (opp >> square & 1) as usize;
        squares.zip(0..).map(|(square, place)| digit(square) * 3usize.pow(place)).sum()
    }

    /// The features of a position by the definition: those of all images of the squares, each set of squares once.
    fn slow(own: u64, opp: u64) -> Vec<usize> {
        let patterns = Patterns::get();
        let (mut offset, mut features) = (0, Vec::new());
        for kind in &KINDS {
            let mut sets: Vec<u64> = Vec::new();
            for symmetry in 0..8 {
                let squares = || kind.squares.iter().map(|&square| image(square, symmetry));
                let set = squares().fold(0, |set, square| set | 1 << square);
                if !sets.contains(&set) {
                    sets.push(set);
                    features.push(patterns.feature(offset + state(squares(), own, opp)));
                }
            }
            assert_eq!(sets.len(), kind.instances);
            offset += 3usize.pow(kind.squares.len() as u32);
        }
        let (ours, theirs) = (legal(own, opp).count_ones() as usize, legal(opp, own).count_ones() as usize);
        features.push(patterns.feature(offset + ours.min(MOBILITIES - 1)));
        features.push(patterns.feature(offset + MOBILITIES + theirs.min(MOBILITIES - 1)));
        features.sort_unstable();
        features
    }

    #[test]
    fn states_are_those_of_the_definition_and_the_same_in_all_images() {
        let patterns = Patterns::get();
        for (own, opp) in positions(40) {
            let features = |own, opp| {
                let mut features = patterns.states(own, opp).map(|state| patterns.feature(state as usize));
                features.sort_unstable();
                features
            };
            let all = features(own, opp);
            assert_eq!(all.as_slice(), slow(own, opp));
            for symmetry in 1..8 {
                let turn = |discs: u64| {
                    (0..64)
                        .filter(|square| discs >> square & 1 != 0)
                        .fold(0, |board, square| board | 1 << image(square, symmetry))
                };
                assert_eq!(all, features(turn(own), turn(opp)), "{own:x} {opp:x} {symmetry}");
            }
        }
    }

    #[test]
    fn mirrored_states_share_a_feature() {
        let patterns = Patterns::get();
        assert_eq!(STATES, patterns.features.len());
        // The edge with X squares: its feature numbers begin at 0. An own disc on a1, and one on h1.
        assert_eq!(patterns.feature(3), patterns.feature(3usize.pow(8)));
        // On b1 and g1, on both X squares; on a1 of either colour.
        assert_eq!(patterns.feature(9), patterns.feature(3usize.pow(7)));
        assert_eq!(patterns.feature(1), patterns.feature(3usize.pow(9)));
        assert_ne!(patterns.feature(3), patterns.feature(6));
        // Every feature has one state or two.
        let mut uses = vec![0; patterns.feature_count()];
        for state in 0..STATES {
            uses[patterns.feature(state)] += 1;
        }
        assert!(uses.iter().all(|uses| (1..=2).contains(uses)));
    }
}
