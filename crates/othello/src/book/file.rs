//! The file of a book.
//!
//! A file has the form of [`packed`](crate::packed). Its contents are a byte with the depth of the searches, and the first
//! position. A position is a byte with the number of its moves, and the moves: a byte with the square, to which 64 is added
//! where the position after it follows at once, and 128 where that position is in the book already. Without either a byte
//! follows: the value of the position after it, from the view of the side that moved, in half discs. Squares are those of
//! the least image of a position; the values of all other moves follow from these.

use thiserror::Error;

use super::{After, Book, Key, Link, play, start};
use crate::moves::legal;
use crate::packed::{PackedError, pack, unpack};

/// The first bytes of a file.
const SIGNATURE: &[u8] = b"banmen othello book 1\n";

/// The greatest number of bytes of inflated contents.
const MOST_BYTES: usize = 1 << 24;

/// Added to the square of a move after which a position follows.
const FOLLOWS: u8 = 64;

/// Added to the square of a move that leads to a position that was there before.
const KNOWN: u8 = 128;

/// Why bytes are not a book.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum BookError {
    /// The first bytes are not those of a book.
    #[error("not a book of this version: the file must begin with \"banmen othello book 1\"")]
    Signature,
    /// A byte has changed, or bytes are missing at the end.
    #[error("the book is damaged: its checksum does not match")]
    Checksum,
    /// The checksum matches, but the contents are not positions and moves of Othello.
    #[error("the book has moves that are not legal, or positions that are cut short")]
    Contents,
}

impl From<PackedError> for BookError {
    fn from(error: PackedError) -> Self {
        match error {
            PackedError::Signature => BookError::Signature,
            PackedError::Checksum => BookError::Checksum,
            PackedError::Contents => BookError::Contents,
        }
    }
}

impl Book {
    /// The bytes of a file with this book. Positions that cannot be reached by its moves are left out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut plain = vec![self.depth];
        self.write(start(), &mut Book { depth: self.depth, positions: Default::default() }, &mut plain);
        pack(SIGNATURE, &plain)
    }

    /// Writes a position and those after it; `written` gets them.
    fn write(&self, key: Key, written: &mut Book, bytes: &mut Vec<u8>) {
        let Some(links) = self.positions.get(&key) else {
            bytes.push(0);
            return;
        };
        written.positions.insert(key, Vec::new());
        bytes.push(links.len() as u8);
        for link in links {
            let next = match play(key, link.square.into()) {
                After::Next(next, _) if link.inner => Some(next),
                _ => None,
            };
            match next {
                Some(next) if written.positions.contains_key(&next) => bytes.push(link.square | KNOWN),
                Some(next) => {
                    bytes.push(link.square | FOLLOWS);
                    self.write(next, written, bytes);
                }
                None => bytes.extend([link.square, link.value as u8]),
            }
        }
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Bytes of another kind or version, damaged ones, moves that are not legal.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let plain = unpack(SIGNATURE, bytes, MOST_BYTES)?;
        let (&depth, mut rest) = plain.split_first().ok_or(BookError::Contents)?;
        let mut book = Book { depth, positions: Default::default() };
        if book.read(start(), &mut rest).is_none() || !rest.is_empty() {
            return Err(BookError::Contents);
        }
        Ok(book)
    }

    /// Reads a position and those after it. Its value for the mover, in half discs; `None` for bytes that are none.
    fn read(&mut self, key: Key, bytes: &mut &[u8]) -> Option<i8> {
        let count = byte(bytes)?;
        // Until its moves are known, nothing leads to it: every move adds a disc.
        self.positions.insert(key, Vec::new());
        let mut links: Vec<Link> = Vec::new();
        for _ in 0..count {
            let head = byte(bytes)?;
            let square = head & 63;
            if legal(key.0, key.1) >> square & 1 == 0 || links.iter().any(|link| link.square == square) {
                return None;
            }
            let after = play(key, square.into());
            let (value, inner) = match (head & (FOLLOWS | KNOWN), after) {
                (0, _) => {
                    let value = byte(bytes)? as i8;
                    // Its negative must be a value too.
                    ((value != i8::MIN).then_some(value)?, false)
                }
                (FOLLOWS, After::Next(next, again)) if !self.positions.contains_key(&next) => {
                    let value = self.read(next, bytes)?;
                    (if again { value } else { -value }, true)
                }
                (KNOWN, After::Next(next, again)) => {
                    let value = self.positions.get(&next)?.iter().map(|link| link.value).max()?;
                    (if again { value } else { -value }, true)
                }
                _ => return None,
            };
            links.push(Link { square, value, inner });
        }
        let best = links.iter().map(|link| link.value).max();
        self.positions.insert(key, links);
        best
    }
}

/// Removes a byte from the front.
fn byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares of the first position's moves.
    fn squares() -> Vec<u8> {
        let (own, opp) = start();
        (0..64).filter(|&square| legal(own, opp) >> square & 1 == 1).collect()
    }

    #[test]
    fn damaged_books_are_refused() {
        let good = include_bytes!("book.bin");
        for length in [0, 5, SIGNATURE.len(), SIGNATURE.len() + 7, good.len() / 2, good.len() - 1] {
            assert!(Book::from_bytes(&good[..length]).is_err(), "{length} bytes");
        }
        for at in (0..good.len()).step_by(97) {
            let mut bytes = good.to_vec();
            bytes[at] ^= 4;
            let expected = if at < SIGNATURE.len() { BookError::Signature } else { BookError::Checksum };
            assert_eq!(Book::from_bytes(&bytes), Err(expected), "byte {at}");
        }
        assert_eq!(Book::from_bytes(include_bytes!("../engine/weights.bin")), Err(BookError::Signature));
    }

    #[test]
    fn contents_that_are_no_book_are_refused() {
        let squares = squares();
        let (first, second) = (squares[0], squares[1]);
        let read = |plain: &[u8]| Book::from_bytes(&pack(SIGNATURE, plain));
        assert_eq!(read(&[12, 2, first, 3, second, 4]).map(|book| (book.len(), book.depth())), Ok((1, 12)));
        for (plain, why) in [
            (&[][..], "nothing"),
            (&[12], "no position"),
            (&[12, 0], "no move"),
            (&[12, 1, first], "no value"),
            (&[12, 1, 0, 3], "an illegal move"),
            (&[12, 2, first, 3, first, 4], "a move twice"),
            (&[12, 1, first, 128], "a value without a negative"),
            (&[12, 1, first, 3, 0], "more than a book"),
            (&[12, 1, first | FOLLOWS], "the position after a move is missing"),
            (&[12, 1, first | KNOWN], "a position that was not there before"),
            (&[12, 2, first | FOLLOWS, 0, second, 3], "a position without moves"),
        ] {
            assert_eq!(read(plain), Err(BookError::Contents), "{why}");
        }
    }
}
