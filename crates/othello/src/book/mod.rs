//! The opening book: good moves of the positions at the beginning of a game, with their values.
//!
//! | file | contents |
//! |---|---|
//! | `file` | the file of a book |
//! | `growth` | how a book is made by searches of our own |
//!
//! A book knows a position in all its images under the symmetries of the board, and however it came about.

mod file;
mod growth;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use banmen_game::Rng;

pub use file::BookError;
pub use growth::Growth;

use crate::engine::last::final_score;
use crate::moves::{after, legal};
use crate::position::{Position, transform, transform_square};

/// Values of a book are multiples of half a disc.
pub const HALF_DISCS: i32 = 2;

/// A move whose value is at most this far below that of the best move, in half discs, may be played.
const MARGIN: i32 = 1;

/// A position that stands for all its images: the mover's and the opponent's discs.
type Key = (u64, u64);

/// A move of a position in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    square: u8,
    /// From the mover's view, in half discs.
    value: i8,
    /// Whether the position after it is in the book, with moves of its own.
    inner: bool,
}

/// An opening book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// The plies of the searches that valued the last positions.
    depth: u8,
    positions: HashMap<Key, Vec<Link>>,
}

impl Book {
    /// Our own book.
    ///
    /// # Panics
    /// Never: a test reads the same bytes.
    #[must_use]
    pub fn own() -> Arc<Book> {
        static OWN: LazyLock<Arc<Book>> = LazyLock::new(|| {
            Arc::new(Book::from_bytes(include_bytes!("book.bin")).expect("the book of this build is whole"))
        });
        Arc::clone(&OWN)
    }

    /// The number of positions with moves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the book has no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The plies of the searches that valued the positions at its ends.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth.into()
    }

    /// The moves of a position, squares and values in half discs, the best ones first.
    #[must_use]
    pub fn moves(&self, own: u64, opp: u64) -> Vec<(u32, i32)> {
        let (key, symmetry) = normal(own, opp);
        let mut moves: Vec<(u32, i32)> = self
            .positions
            .get(&key)
            .into_iter()
            .flatten()
            .map(|link| (original(link.square.into(), symmetry), link.value.into()))
            .collect();
        moves.sort_by_key(|&(square, value)| (std::cmp::Reverse(value), square));
        moves
    }

    /// A move for the mover and its value in half discs: at random one of those that are about as good as the best one.
    /// Where a position is its own image, all images of the move are as probable.
    pub fn choose(&self, own: u64, opp: u64, rng: &mut Rng) -> Option<(u32, i32)> {
        let (key, _) = normal(own, opp);
        let links = self.positions.get(&key)?;
        let best = links.iter().map(|link| i32::from(link.value)).max()?;
        let good: Vec<&Link> = links.iter().filter(|link| best - i32::from(link.value) <= MARGIN).collect();
        let link = good[rng.index(good.len())];
        let images: Vec<usize> =
            (0..Position::SYMMETRIES).filter(|&symmetry| image(own, opp, symmetry) == key).collect();
        let symmetry = images[rng.index(images.len())];
        Some((original(link.square.into(), symmetry), link.value.into()))
    }
}

/// The image of a position under a symmetry.
fn image(own: u64, opp: u64, symmetry: usize) -> Key {
    (transform(own, symmetry), transform(opp, symmetry))
}

/// The least image of a position, and the symmetry that leads there.
fn normal(own: u64, opp: u64) -> (Key, usize) {
    let images = (0..Position::SYMMETRIES).map(|symmetry| (image(own, opp, symmetry), symmetry));
    images.min().unwrap_or(((own, opp), 0))
}

/// The square whose image under a symmetry this is.
fn original(square: u32, symmetry: usize) -> u32 {
    (0..64).find(|&from| transform_square(from, symmetry) == square).unwrap_or(square)
}

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// The game is over, with this score for the side that moved.
    End(i32),
    /// The next position, and whether the side that moved is the mover again, because the opponent has no move.
    Next(Key, bool),
}

/// What a legal move leads to.
fn play((own, opp): Key, square: u32) -> After {
    let (next_own, next_opp) = after(own, opp, square);
    if legal(next_own, next_opp) != 0 {
        After::Next(normal(next_own, next_opp).0, false)
    } else if legal(next_opp, next_own) != 0 {
        After::Next(normal(next_opp, next_own).0, true)
    } else {
        After::End(final_score(next_opp, next_own))
    }
}

/// The first position of a game.
fn start() -> Key {
    normal(Position::START.own(), Position::START.opp()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_of_this_build_is_whole_and_knows_all_images() {
        let book = Book::own();
        assert!(book.len() > 100, "{}", book.len());
        assert_eq!(Book::from_bytes(&book.to_bytes()).as_ref(), Ok(&*book));
        let mut rng = Rng::new(1);
        let mut deepest = 0;
        for _ in 0..200 {
            let (mut own, mut opp) = (Position::START.own(), Position::START.opp());
            let mut plies = 0;
            while let Some((square, value)) = book.choose(own, opp, &mut rng) {
                assert!(legal(own, opp) >> square & 1 == 1, "{own:#x} {opp:#x} {square}");
                let moves = book.moves(own, opp);
                assert!(moves[0].1 - value <= MARGIN && value.abs() < 20, "{moves:?}");
                let symmetry = rng.index(Position::SYMMETRIES);
                let mut images: Vec<(u32, i32)> =
                    moves.iter().map(|&(square, value)| (transform_square(square, symmetry), value)).collect();
                let (image_own, image_opp) = image(own, opp, symmetry);
                let mut found = book.moves(image_own, image_opp);
                images.sort_unstable();
                found.sort_unstable();
                // A position that is its own image may have another one of equal moves.
                if (0..Position::SYMMETRIES).filter(|&other| image(own, opp, other) == (own, opp)).count() == 1 {
                    assert_eq!(images, found);
                }
                (own, opp) = after(own, opp, square);
                if legal(own, opp) == 0 {
                    (own, opp) = (opp, own);
                }
                plies += 1;
            }
            deepest = deepest.max(plies);
        }
        assert!(deepest >= 8, "{deepest}");
    }

    #[test]
    fn the_first_move_may_be_any_of_the_four() {
        let book = Book::own();
        let mut rng = Rng::new(2);
        let mut seen = 0u64;
        for _ in 0..200 {
            let choice = book.choose(Position::START.own(), Position::START.opp(), &mut rng);
            seen |= 1 << choice.expect("a move").0;
        }
        assert_eq!(seen, legal(Position::START.own(), Position::START.opp()));
    }
}
