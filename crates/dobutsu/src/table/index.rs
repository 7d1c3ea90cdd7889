//! Numbers positions from 0 to [`SLOTS`]: each position once, from the point of view of the side to move and up to the
//! mirror.
//!
//! A number has three parts. The *class* says how many of the six pieces other than lions are in whose hand, on the
//! board, or promoted (21 ways for the chicks, 10 each for elephants and giraffes). The *pair* is the placement of the
//! lions: 39 ways in which neither is on its far rank or next to the other, 21 up to the mirror. The *placement* ranks
//! the pieces of the class among the ten free squares, kind by kind, as combinations. Positions of the same class and
//! pair are contiguous, at most 151,200 of them, so most moves lead to nearby numbers.
//!
//! Where both lions stand on file B, the mirror preserves the pair. Of a position and its mirror image, the smaller
//! number is used and the other one is unused.

use banmen_game::Side;

use crate::board::{BOARD, GROUPS, Piece, Square, far_rank, mirrored};
use crate::position::{Hand, Position};

/// The number of slots: the placements of all classes, times the pairs of lions. clausecker/dobutsu has the same number
/// of valid slots.
pub const SLOTS: u32 = 11_878_227 * PAIRS;

/// 21 ways for the chicks, 10 each for elephants and giraffes.
const CLASSES: usize = 2_100;
/// Pairs of lions that the table stores.
const PAIRS: u32 = 21;

/// The pair of lions, and the transformation of the board that normalizes it.
#[derive(Clone, Copy, Default)]
struct Pair {
    /// From 0 on; 255 if no stored position has its lions there.
    number: u8,
    /// Bit 0: rotated by 180°, as the second side sees it. Bit 1: mirrored.
    symmetry: u8,
    /// Whether both lions are on file B.
    symmetric: bool,
}

#[derive(Clone, Copy)]
struct Class {
    /// The first number of the class.
    base: u32,
    /// The number of placements for one pair of lions.
    size: u32,
    /// The number of pieces of each of [`GROUPS`] on the board.
    counts: [u8; 8],
    /// The number of combinations of each group among the squares that the groups before it leave free.
    ways: [u32; 8],
    /// The hands of the side to move and of the other one.
    hands: [Hand; 2],
}

/// The place of a position in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The number.
    pub number: u32,
    /// Whether the position is its own mirror image.
    pub symmetric: bool,
    /// Whether the number is that of the position itself and not of its mirror image; true if it is symmetric.
    pub canonical: bool,
}

/// The lookup tables of the numbering.
pub struct Index {
    classes: Vec<Class>,
    /// Indexed by the counts of own chicks, the other's chicks, own hens, the other's hens, and chicks in the own hand,
    /// in base 3.
    chick_class: [u16; 243],
    /// Indexed by the counts of own pieces, the other's pieces, and pieces in the own hand, in base 3.
    other_class: [u16; 27],
    /// Indexed by the side to move, the own lion's square and the other's; 16 entries per square.
    pairs: Vec<Pair>,
    /// The squares of the lions in each pair, as seen by the first side when it is to move.
    lions: Vec<(Square, Square)>,
    /// For each symmetry and square, the mask of the squares before it.
    before: [[u16; 16]; 4],
    /// For each mask, the list of its squares, four bits each.
    squares: Vec<u64>,
    /// Combinations of two elements by rank: the smaller and the larger element.
    twos: [(u8, u8); 45],
}

impl Default for Index {
    fn default() -> Self {
        Index::new()
    }
}

/// The number of combinations of `k` (at most 2) out of `n`.
fn ways(n: u32, k: u32) -> u32 {
    match k {
        0 => 1,
        1 => n,
        _ => n * (n - 1) / 2,
    }
}

impl Index {
    /// The numbering of the table. Computes some thousand entries.
    #[must_use]
    pub fn new() -> Index {
        let kept = |own: Square, other: Square| {
            other.mask() & far_rank(Side::Second) == 0 && Piece::Lion.reach(Side::First, own) & other.mask() == 0
        };
        let index = Index::of(kept);
        debug_assert_eq!(index.slots(), SLOTS);
        index
    }

    /// A numbering of more positions: the lion of the side to move is not on its far rank, and the other lion may be
    /// anywhere. Every successor of an unfinished position has a number.
    #[must_use]
    pub(super) fn wide() -> Index {
        Index::of(|_, _| true)
    }

    /// The number of slots.
    #[must_use]
    pub(super) fn slots(&self) -> u32 {
        self.classes.last().map_or(0, |class| class.base + class.size * self.lions.len() as u32)
    }

    /// Numbers the positions whose lions satisfy `kept`. The own lion is never on its far rank.
    fn of(kept: impl Fn(Square, Square) -> bool) -> Index {
        let mut index = Index {
            classes: Vec::with_capacity(CLASSES),
            chick_class: [0; 243],
            other_class: [0; 27],
            pairs: vec![Pair { number: u8::MAX, ..Pair::default() }; 2 * 256],
            lions: Vec::new(),
            before: [[0; 16]; 4],
            squares: (0..4096u64).map(listed).collect(),
            twos: [(0, 0); 45],
        };
        for high in 1..10u8 {
            for low in 0..high {
                index.twos[usize::from(high * (high - 1) / 2 + low)] = (low, high);
            }
        }
        index.number_pairs(kept);
        index.number_classes();
        index
    }

    fn number_classes(&mut self) {
        // Own pieces on the board, the other's on the board, own in hand; the rest is in the other's hand.
        let mut others = Vec::new();
        for code in 0..27 {
            let counts = [code / 9, code / 3 % 3, code % 3];
            if counts.iter().sum::<u32>() <= 2 {
                self.other_class[code as usize] = others.len() as u16;
                others.push(counts);
            }
        }
        let mut chicks = Vec::new();
        for code in 0..243 {
            let counts = [code / 81, code / 27 % 3, code / 9 % 3, code / 3 % 3, code % 3];
            if counts.iter().sum::<u32>() <= 2 {
                self.chick_class[code as usize] = chicks.len() as u16;
                chicks.push(counts);
            }
        }
        let mut base = 0;
        for chick in &chicks {
            for elephant in &others {
                for giraffe in &others {
                    let counts =
                        [chick[0], chick[1], chick[2], chick[3], elephant[0], elephant[1], giraffe[0], giraffe[1]];
                    let own = [chick[4], elephant[2], giraffe[2]];
                    let rest = |counts: &[u32]| 2 - counts.iter().sum::<u32>();
                    let (mut left, mut size, mut group_ways) = (10, 1, [1; 8]);
                    for (ways_here, &count) in group_ways.iter_mut().zip(&counts) {
                        *ways_here = ways(left, count);
                        size *= *ways_here;
                        left -= count;
                    }
                    self.classes.push(Class {
                        base,
                        size,
                        counts: counts.map(|count| count as u8),
                        ways: group_ways,
                        hands: [Hand::of(own), Hand::of([rest(chick), rest(elephant), rest(giraffe)])],
                    });
                    base += size * self.lions.len() as u32;
                }
            }
        }
    }

    fn number_pairs(&mut self, kept: impl Fn(Square, Square) -> bool) {
        let place = |square: usize, symmetry: usize| {
            let turned = if symmetry & 1 == 1 { 11 - square } else { square };
            if symmetry & 2 == 2 { 3 * (turned / 3) + 2 - turned % 3 } else { turned }
        };
        for symmetry in 0..4 {
            for square in 0..12 {
                let before = (0..12).filter(|&other| place(other, symmetry) < place(square, symmetry));
                self.before[symmetry][square] = before.fold(0, |mask, other| mask | 1 << other);
            }
        }
        let all = || (0..12).filter_map(Square::new);
        for own in all() {
            for other in all() {
                let known = (own.mirrored().index(), other.mirrored().index()) < (own.index(), other.index());
                if own == other || own.mask() & far_rank(Side::First) != 0 || known || !kept(own, other) {
                    continue;
                }
                let number = self.lions.len() as u8;
                self.lions.push((own, other));
                let symmetric = own.mirrored() == own && other.mirrored() == other;
                // The symmetries that map a position's lions to these squares. Of two such symmetries the one without
                // the mirror takes precedence.
                for symmetry in (0..4).rev() {
                    let seen = |square: Square| all().find(|from| place(from.index(), symmetry) == square.index());
                    if let (Some(own), Some(other)) = (seen(own), seen(other)) {
                        let at = (symmetry & 1) << 8 | own.index() << 4 | other.index();
                        self.pairs[at] = Pair { number, symmetry: symmetry as u8, symmetric };
                    }
                }
            }
        }
        debug_assert!(self.lions.len() < usize::from(u8::MAX));
    }

    /// The slot of a position, if the position is stored.
    #[must_use]
    #[inline]
    pub fn slot(&self, position: &Position) -> Option<Slot> {
        let side = position.side();
        let own_lion = Square::lowest(position.mask(side, Piece::Lion))?;
        let other_lion = Square::lowest(position.mask(side.other(), Piece::Lion))?;
        let pair = self.pairs[side.index() << 8 | own_lion.index() << 4 | other_lion.index()];
        if pair.number == u8::MAX {
            return None;
        }
        let masks = GROUPS.map(|(piece, own)| position.mask(if own { side } else { side.other() }, piece));
        let class = &self.classes[self.class(position, side, &masks)];
        let block = class.base + u32::from(pair.number) * class.size;
        let free = BOARD & !(own_lion.mask() | other_lion.mask());
        let placement = self.place(class, &masks, free, usize::from(pair.symmetry));
        if !pair.symmetric {
            let canonical = pair.symmetry & 2 == 0;
            return Some(Slot { number: block + placement, symmetric: false, canonical });
        }
        let image = self.place(class, &masks, free, usize::from(pair.symmetry ^ 2));
        Some(Slot {
            number: block + placement.min(image),
            symmetric: placement == image,
            canonical: placement <= image,
        })
    }

    #[inline]
    fn class(&self, position: &Position, side: Side, masks: &[u16; 8]) -> usize {
        let count = |group: usize| masks[group].count_ones() as usize;
        let hand = |piece: Piece| position.hand(side).count(piece) as usize;
        let chicks = (((count(0) * 3 + count(1)) * 3 + count(2)) * 3 + count(3)) * 3 + hand(Piece::Chick);
        let elephants = (count(4) * 3 + count(5)) * 3 + hand(Piece::Elephant);
        let giraffes = (count(6) * 3 + count(7)) * 3 + hand(Piece::Giraffe);
        let (chicks, elephants, giraffes) =
            (self.chick_class[chicks], self.other_class[elephants], self.other_class[giraffes]);
        usize::from(chicks) * 100 + usize::from(elephants) * 10 + usize::from(giraffes)
    }

    /// The rank of the groups among the free squares, in the square order of a symmetry.
    #[inline]
    fn place(&self, class: &Class, masks: &[u16; 8], mut free: u16, symmetry: usize) -> u32 {
        let before = &self.before[symmetry & 3];
        let mut rank = 0;
        for (group, &mask) in masks.iter().enumerate() {
            if mask == 0 {
                continue;
            }
            let at = |square: u32| (free & before[square as usize & 15]).count_ones();
            let (low, high) = (at(mask.trailing_zeros()), at(15 - mask.leading_zeros()));
            let combination = if mask & (mask - 1) == 0 {
                low
            } else {
                let (low, high) = (low.min(high), low.max(high));
                high * (high - 1) / 2 + low
            };
            rank = rank * class.ways[group] + combination;
            free &= !mask;
        }
        rank
    }

    /// The position with a number, with the first side to move; `None` for an unused number and for numbers past the
    /// end.
    #[must_use]
    pub fn stored(&self, number: u32) -> Option<Position> {
        if number >= self.slots() {
            return None;
        }
        let position = self.position(&self.block(number), number);
        self.slot(&position).is_some_and(|slot| slot.number == number).then_some(position)
    }

    /// The class and pair of a number below [`Index::slots`].
    #[must_use]
    pub(super) fn block(&self, number: u32) -> Block {
        let class = self.classes.partition_point(|class| class.base <= number).saturating_sub(1);
        let known = &self.classes[class];
        let pair = (number - known.base) / known.size;
        let begin = known.base + pair * known.size;
        Block { class, pair: pair as usize, begin, end: begin + known.size }
    }

    /// The position with a number in its block, with the first side to move. The position of an unused number is the
    /// mirror image of a stored one.
    #[must_use]
    #[inline]
    pub(super) fn position(&self, block: &Block, number: u32) -> Position {
        let class = &self.classes[block.class];
        let (own_lion, other_lion) = self.lions[block.pair];
        let mut combinations = [0; 8];
        let mut rank = number - block.begin;
        for group in (0..8).rev() {
            if class.counts[group] > 0 {
                combinations[group] = rank % class.ways[group];
                rank /= class.ways[group];
            }
        }
        let mut pieces = [0u16; 5];
        pieces[Piece::Lion.index()] = own_lion.mask() | other_lion.mask();
        let mut sides = [own_lion.mask(), other_lion.mask()];
        let mut free = BOARD & !pieces[Piece::Lion.index()];
        for (group, (piece, own)) in GROUPS.into_iter().enumerate() {
            let listed = self.squares[usize::from(free)];
            let square = |rank: u32| 1u16 << (listed >> (4 * rank) & 15);
            let mask = match class.counts[group] {
                0 => continue,
                1 => square(combinations[group]),
                _ => {
                    let (low, high) = self.twos[combinations[group] as usize];
                    square(u32::from(low)) | square(u32::from(high))
                }
            };
            pieces[piece.index()] |= mask;
            sides[usize::from(!own)] |= mask;
            free &= !mask;
        }
        Position::from_parts(pieces, sides, class.hands)
    }

    /// Whether the block may have unused numbers: the mirror preserves its pair of lions.
    #[must_use]
    pub(super) fn is_symmetric(&self, block: &Block) -> bool {
        let (own, other) = self.lions[block.pair];
        mirrored(own.mask()) == own.mask() && mirrored(other.mask()) == other.mask()
    }
}

/// The range of numbers of one class and one pair of lions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    class: usize,
    pair: usize,
    /// The first number.
    pub(super) begin: u32,
    /// The number after the last.
    pub(super) end: u32,
}

/// The squares of a mask, four bits each from the lowest.
fn listed(mask: u64) -> u64 {
    (0..12).rev().filter(|square| mask >> square & 1 == 1).fold(0, |list, square| list << 4 | square)
}
