//! Digests of bytes, which are the same on every machine. They tell files apart that differ by accident, not by intent.

use crate::rng::mix;

/// A 64-bit digest.
#[must_use]
pub fn digest(bytes: &[u8]) -> u64 {
    add(bytes.len() as u64, bytes)
}

/// The digest of what `digest` stands for and these bytes: for long contents that are read in chunks, beginning with their
/// length in bytes. Contents in other chunks have another digest, and so has one chunk by [`digest`].
#[must_use]
pub fn digest_chunk(digest: u64, chunk: &[u8]) -> u64 {
    // Four words in parallel, without a dependency between them: an executable may have a hundred megabytes.
    let (words, rest) = chunk.as_chunks::<32>();
    let lanes = words.iter().fold([digest; 4], |lanes, words| {
        let (words, _) = words.as_chunks::<8>();
        std::array::from_fn(|lane| mix(lanes[lane] ^ u64::from_le_bytes(words[lane])))
    });
    add(lanes.into_iter().fold(digest, |digest, lane| mix(digest ^ lane)), rest)
}

fn add(digest: u64, bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(digest, |digest, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(digest ^ u64::from_le_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        let bytes: Vec<u8> = (0..100).collect();
        let of_chunk = |bytes: &[u8]| digest_chunk(7, bytes);
        for make in [&digest as &dyn Fn(&[u8]) -> u64, &of_chunk] {
            let mut seen = vec![make(&bytes), make(&bytes[1..]), make(&bytes[..99])];
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                seen.push(make(&changed));
            }
            let all = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), all);
        }
        assert_ne!(digest(&[0; 8]), digest(&[0; 16]));
    }

    /// Stored games carry digests, so these stay.
    #[test]
    fn digests_stay_what_they_are() {
        assert_eq!(digest(b""), 0);
        assert_eq!(digest(b"banmen"), mix(6 ^ u64::from_le_bytes(*b"banmen\0\0")));
    }
}
