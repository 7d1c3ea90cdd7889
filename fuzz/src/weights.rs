//! Weights of Othello's evaluation, and the positions that they are fitted to.

use banmen_othello::engine::{Weights, WeightsError};
use banmen_othello::training::{EXAMPLE_BYTES, Example};

/// The first bytes of a file.
const SIGNATURE: &[u8] = b"banmen othello evaluation 2\n";

/// Reads the input as a whole file, and as the contents of a file with the right checksum. Accepted weights can be written and
/// read again.
pub(crate) fn file(data: &[u8]) {
    assert!(Weights::from_bytes(data).is_err(), "no input has weights and their checksum");
    let checksum = data
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    match Weights::from_bytes(&[SIGNATURE, &checksum.to_le_bytes(), data].concat()) {
        Ok(weights) => assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights)),
        Err(error) => assert_eq!(error, WeightsError::Contents),
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
