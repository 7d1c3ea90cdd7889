//! The features of a position: the squares of the lions, one feature for each of the six other pieces, and the class of its
//! material.
//!
//! All are from the view of the side to move: the board is turned so that it is the first side, and mirrored so that the
//! lions stand as one of 21 pairs. Positions with a lion on its far rank or beside the other one have no features: the
//! search never evaluates them.

use banmen_game::Side;

use crate::board::{GROUPS, Piece, Square};
use crate::game::Variant;
use crate::position::Position;
use crate::table;

/// Pairs of squares of the lions, up to the mirror.
pub const PAIRS: usize = 21;

/// Features of a pair: 8 kinds of pieces on 12 squares, then first and second pieces in hand, 3 kinds of each side.
pub const FEATURES: usize = 8 * 12 + 12;

/// Pieces beside the lions, so features that a position has.
pub const PIECES: usize = 6;

/// Classes of material.
pub const MATERIALS: usize = 6;

/// No pair.
const NONE: u8 = u8::MAX;

/// The pair of lions and the symmetry that transforms it to the listed one, by side to move, own lion's square and the other's.
static LION_PAIRS: [[[(u8, u8); 16]; 16]; 2] = lion_pairs();

/// A square under a symmetry: bit 0 turns the board, bit 1 mirrors it.
const fn transformed(square: usize, symmetry: usize) -> usize {
    let turned = if symmetry & 1 == 1 { 11 - square } else { square };
    if symmetry & 2 == 2 { turned / 3 * 3 + 2 - turned % 3 } else { turned }
}

/// Bits of the pieces beside the lions: the masks of the [`GROUPS`], then the hands as [`Hand::unary`] gives them.
///
/// [`Hand::unary`]: crate::position::Hand::unary
const BITS: usize = 128;

/// The feature of each of the [`BITS`], by symmetry.
static FEATURE_OF_BIT: [[u8; BITS]; 4] = {
    let mut table = [[0; BITS]; 4];
    let mut symmetry = 0;
    while symmetry < 4 {
        let mut bit = 0;
        while bit < FEATURES {
            let feature = if bit < 96 { bit / 12 * 12 + transformed(bit % 12, symmetry) } else { bit };
            table[symmetry][bit] = feature as u8;
            bit += 1;
        }
        symmetry += 1;
    }
    table
};

const fn lion_pairs() -> [[[(u8, u8); 16]; 16]; 2] {
    let mut table = [[[(NONE, 0); 16]; 16]; 2];
    let mut pairs = 0;
    let mut own = 3usize;
    while own < 12 {
        let mut other = 0usize;
        while other < 9 {
            let rows = (own / 3).abs_diff(other / 3);
            let columns = (own % 3).abs_diff(other % 3);
            let apart = rows > 1 || columns > 1;
            let image = (transformed(own, 2), transformed(other, 2));
            let first = image.0 > own || (image.0 == own && image.1 >= other);
            if apart && first {
                // The identity last: it is the one for pairs that are their own mirror image.
                let mut symmetry = 4;
                while symmetry > 0 {
                    symmetry -= 1;
                    // Turning and mirroring are their own inverses.
                    table[symmetry & 1][transformed(own, symmetry)][transformed(other, symmetry)] =
                        (pairs, symmetry as u8);
                }
                pairs += 1;
            }
            other += 1;
        }
        own += 1;
    }
    assert!(pairs as usize == PAIRS);
    table
}

/// The pair of lions, below [`PAIRS`], and the features, below [`FEATURES`], in the order of their numbers in the
/// plain symmetry; `None` where the lions stand otherwise.
#[must_use]
#[inline]
pub fn features(position: &Position) -> Option<(usize, [u8; PIECES])> {
    let side = position.side();
    let own = Square::lowest(position.mask(side, Piece::Lion))?;
    let other = Square::lowest(position.mask(side.other(), Piece::Lion))?;
    let (pair, symmetry) = LION_PAIRS[side.index()][own.index()][other.index()];
    if pair == NONE {
        return None;
    }
    let mut bits = 0u128;
    for (group, (piece, own)) in GROUPS.into_iter().enumerate() {
        bits |= u128::from(position.mask(if own { side } else { side.other() }, piece)) << (12 * group);
    }
    bits |= u128::from(position.hand(side).unary()) << 96 | u128::from(position.hand(side.other()).unary()) << 102;
    // Six bits are set: no branch depends on where.
    let of_bit = &FEATURE_OF_BIT[usize::from(symmetry & 3)];
    let mut features = [0; PIECES];
    for feature in &mut features {
        *feature = of_bit[bits.trailing_zeros() as usize % BITS];
        bits &= bits.wrapping_sub(1);
    }
    Some((pair.into(), features))
}

/// The class of a position's material, below [`MATERIALS`]: whether the side to move owns three of the six pieces or more,
/// then whether at most one of the six, two, or more are in hand.
#[must_use]
#[inline]
pub fn material(position: &Position) -> usize {
    let side = position.side();
    let hand = |side: Side| position.hand(side).unary().count_ones();
    let (own, other) = (hand(side), hand(side.other()));
    // Of these one is its lion.
    let owned = position.occupied(side).count_ones() + own;
    usize::from(owned > 3) * 3 + (own + other).clamp(1, 3) as usize - 1
}

/// Whether the search evaluates this position, which is not over: neither side could win with its next move, were it to
/// move.
#[must_use]
#[inline]
pub fn is_quiet(variant: Variant, position: &Position) -> bool {
    !wins_at_once(variant, position) && !threatened(variant, position)
}

/// Whether the side to move, of a position that is not over, catches the lion or brings its own across with its next
/// move. Under the rules `legal` this is asked as under `catch`: who leaves the lion to be caught has broken the rules.
#[inline]
pub(crate) fn wins_at_once(variant: Variant, position: &Position) -> bool {
    table::wins_at_once(variant.solved_as(), position)
}

/// Whether the other side would win with its next move, were it to move.
#[inline]
pub(crate) fn threatened(variant: Variant, position: &Position) -> bool {
    wins_at_once(variant, &position.taken_back())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Index, SLOTS};

    #[test]
    fn every_stored_position_has_six_features_seen_alike_from_both_sides_and_in_the_mirror() {
        let index = Index::new();
        let (mut pairs, mut materials) = ([false; PAIRS], [false; MATERIALS]);
        for position in (0..SLOTS).step_by(99_991).filter_map(|number| index.stored(number)) {
            let sorted = |position: &Position| {
                let (pair, mut features) = features(position).expect("a stored position");
                features.sort_unstable();
                (pair, features)
            };
            let (pair, plain) = sorted(&position);
            assert!(plain.windows(2).all(|two| two[0] < two[1]), "{position:?}: {plain:?}");
            assert!(usize::from(plain[PIECES - 1]) < FEATURES);
            assert_eq!(sorted(&position.turned()), (pair, plain));
            let class = material(&position);
            assert_eq!((material(&position.turned()), material(&position.mirrored())), (class, class), "{position:?}");
            materials[class] = true;
            let lions =
                position.mask(position.side(), Piece::Lion) | position.mask(position.side().other(), Piece::Lion);
            if crate::board::mirrored(lions) != lions {
                assert_eq!(sorted(&position.mirrored()), (pair, plain), "{position:?}");
            }
            pairs[pair] = true;
        }
        assert_eq!(pairs, [true; PAIRS]);
        assert_eq!(materials, [true; MATERIALS]);
    }
}
