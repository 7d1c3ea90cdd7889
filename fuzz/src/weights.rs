//! Weights of Othello's evaluation, the positions that they are fitted to, and books of its openings.

use banmen_othello::book::{Book, BookError};
use banmen_othello::engine::{Weights, WeightsError};
use banmen_othello::training::{EXAMPLE_BYTES, Example};

/// The first bytes of a file.
const SIGNATURE: &[u8] = b"banmen othello evaluation 2\n";

/// The first bytes of a book.
const BOOK_SIGNATURE: &[u8] = b"banmen othello book 1\n";

/// Reads the input as a whole file, and as the contents of a file with the right checksum. Accepted weights can be written and
/// read again.
pub(crate) fn file(data: &[u8]) {
    assert!(Weights::from_bytes(data).is_err(), "no input has weights and their checksum");
    match Weights::from_bytes(&[SIGNATURE, &checksum(data).to_le_bytes(), data].concat()) {
        Ok(weights) => assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights)),
        Err(error) => assert_eq!(error, WeightsError::Contents),
    }
}

/// FNV-1a, as in the files.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Reads the input as a whole book, and as the contents of one with the right checksum. Accepted books can be written and read
/// again.
pub(crate) fn book(data: &[u8]) {
    assert!(Book::from_bytes(data).is_err(), "no input has a book and its checksum");
    match Book::from_bytes(&[BOOK_SIGNATURE, &checksum(data).to_le_bytes(), data].concat()) {
        Ok(book) => assert_eq!(Book::from_bytes(&book.to_bytes()), Ok(book)),
        Err(error) => assert_eq!(error, BookError::Contents),
    }
}

/// Reads positions one after the other. Accepted ones are written as they were read.
pub(crate) fn examples(data: &[u8]) {
    for bytes in data.as_chunks::<EXAMPLE_BYTES>().0 {
        if let Some(example) = Example::from_bytes(bytes) {
            assert_eq!(&example.to_bytes(), bytes);
            assert!(example.empties() <= 64);
        }
    }
}
