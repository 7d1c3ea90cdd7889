//! The state: the board, the order of the hands, and the earlier occurrences.

use banmen_game::{Side, mix};

use crate::board::Piece;
use crate::position::{self, Hand};

/// The pieces of a hand in the order in which they were captured: two bits each, 1 to 3 for chick, elephant and
/// giraffe. The first captured piece is in the lowest bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Held(u16);

impl Held {
    /// A hand of unknown order: chicks, elephants, giraffes.
    fn of(hand: Hand) -> Held {
        let mut held = Held::default();
        for piece in Piece::DROPPED {
            (0..hand.count(piece)).for_each(|_| held.add(piece));
        }
        held
    }

    /// The number of pieces held.
    #[inline]
    pub(super) fn len(self) -> u32 {
        (17 - self.0.leading_zeros()) / 2
    }

    /// The pieces in order. The flag says whether one of the same kind comes before it.
    #[inline]
    pub(super) fn pieces(self) -> impl Iterator<Item = (Piece, bool)> {
        let mut left = self.0;
        let mut seen = [false; 3];
        std::iter::from_fn(move || {
            let kind = usize::from(left & 3).checked_sub(1)?;
            left >>= 2;
            Some((Piece::DROPPED[kind], std::mem::replace(&mut seen[kind], true)))
        })
    }

    fn add(&mut self, piece: Piece) {
        self.0 |= (piece.captured().index() as u16 + 1) << (2 * self.len());
    }

    /// Removes the first piece of a kind.
    fn take(&mut self, piece: Piece) {
        if let Some(at) = self.pieces().position(|(held, _)| held == piece) {
            let before = (1 << (2 * at)) - 1;
            self.0 = self.0 & before | self.0 >> 2 & !before;
        }
    }
}

/// A move, and a flag for the second of two twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The move without the flag.
    pub played: position::Move,
    /// Whether this is the drop of the second of two equal pieces in hand.
    pub twin: bool,
}

impl Move {
    /// The move; of twins, the first one.
    #[must_use]
    pub fn first(played: position::Move) -> Move {
        Move { played, twin: false }
    }

    /// The bits of [`position::Move::pack`], and bit 8 for the second twin.
    #[must_use]
    pub fn pack(self) -> u32 {
        self.played.pack() | u32::from(self.twin) << 8
    }

    /// The move that [`Move::pack`] packed into these bits; `None` for other bits.
    #[must_use]
    pub fn unpack(bits: u32) -> Option<Move> {
        let played = position::Move::unpack(bits & 0xFF)?;
        match (bits >> 8, played) {
            (0, _) => Some(Move::first(played)),
            (1, position::Move::Drop { .. }) => Some(Move { played, twin: true }),
            _ => None,
        }
    }
}

/// A position of the article's game.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: position::Position,
    held: [Held; 2],
    /// The bits of the position after each move so far, in ascending order.
    occurred: Vec<u64>,
    /// Whether some position has occurred three times. Only then can a move be illegal by repetition.
    thrice: bool,
}

impl Clone for Position {
    fn clone(&self) -> Self {
        Position { occurred: self.occurred.clone(), ..*self }
    }

    /// Does not allocate if the capacity suffices.
    fn clone_from(&mut self, source: &Self) {
        let Position { board, held, occurred, thrice } = source;
        self.occurred.clone_from(occurred);
        (self.board, self.held, self.thrice) = (*board, *held, *thrice);
    }
}

impl From<position::Position> for Position {
    /// The position without history, with hands in the order chicks, elephants, giraffes.
    fn from(board: position::Position) -> Self {
        let held = Side::BOTH.map(|side| Held::of(board.hand(side)));
        Position { board, held, occurred: Vec::new(), thrice: false }
    }
}

impl Position {
    /// The board, the hands and the side to move.
    #[must_use]
    #[inline]
    pub fn board(&self) -> &position::Position {
        &self.board
    }

    /// The pieces in hand of the side to move.
    #[inline]
    pub(super) fn held(&self) -> Held {
        self.held[self.board.side().index()]
    }

    /// Whether some position has occurred three times.
    #[inline]
    pub(super) fn is_thrice(&self) -> bool {
        self.thrice
    }

    /// How often a position has occurred after a move so far.
    #[must_use]
    pub fn occurrences(&self, board: &position::Position) -> usize {
        let bits = board.bits();
        let first = self.occurred.partition_point(|&known| known < bits);
        self.occurred[first..].iter().take_while(|&&known| known == bits).count()
    }

    /// Plays a move; both twins have the same effect. An impossible move panics in debug builds and leaves the board
    /// unchanged in release builds.
    #[inline]
    pub(super) fn play(&mut self, m: Move) {
        let side = self.board.side();
        let before = self.board.hand(side);
        let captured = self.board.cell(m.played.to()).map(|(_, piece)| piece);
        self.board.play(m.played);
        if self.board.hand(side) != before {
            let held = &mut self.held[side.index()];
            match (m.played, captured) {
                (position::Move::Drop { piece, .. }, _) => held.take(piece),
                // A caught lion ends the game, so it is never dropped.
                (_, Some(piece)) if piece != Piece::Lion => held.add(piece),
                _ => {}
            }
        }
        let bits = self.board.bits();
        let first = self.occurred.partition_point(|&known| known < bits);
        self.occurred.insert(first, bits);
        self.thrice |= self.occurred.get(first + 2) == Some(&bits);
    }

    /// A 64-bit key of everything that the rules depend on.
    #[must_use]
    pub fn key(&self) -> u64 {
        let hands = u64::from(self.held[0].0) << 16 | u64::from(self.held[1].0);
        let here = mix(self.board.bits()) ^ hands;
        self.occurred.iter().fold(mix(here), |key, &bits| mix(key ^ bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_keep_their_order() {
        let mut held = Held::default();
        for piece in [Piece::Giraffe, Piece::Hen, Piece::Elephant, Piece::Chick] {
            held.add(piece);
        }
        held.take(Piece::Giraffe);
        let listed: Vec<(Piece, bool)> = held.pieces().collect();
        assert_eq!(listed, [(Piece::Chick, false), (Piece::Elephant, false), (Piece::Chick, true)]);
        held.take(Piece::Chick);
        held.take(Piece::Giraffe);
        assert_eq!((held.len(), held.pieces().next()), (2, Some((Piece::Elephant, false))));
        let full = [2, 2, 2].into_iter().zip(Piece::DROPPED).fold(Held::default(), |mut held, (count, piece)| {
            (0..count).for_each(|_| held.add(piece));
            held
        });
        assert_eq!((full.len(), full.pieces().count()), (6, 6));
    }

    #[test]
    fn twins_differ_in_bits_only() {
        for bits in 0..1 << 10 {
            if let Some(m) = Move::unpack(bits) {
                assert_eq!(m.pack(), bits);
                assert!(!m.twin || matches!(m.played, position::Move::Drop { .. }));
            }
        }
        assert_eq!((0..1 << 10).filter(|&bits| Move::unpack(bits).is_some()).count(), 12 * 12 + 2 * 36);
    }
}
