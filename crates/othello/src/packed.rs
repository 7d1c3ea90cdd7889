//! The form that the files of weights and of a book share: a line of text, the signature, followed by a checksum of the rest
//! (8 bytes, the lowest first) and the contents, deflated.

use miniz_oxide::{deflate, inflate};

/// Why bytes are not a file of this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackedError {
    /// The bytes do not begin with the signature.
    Signature,
    /// A byte has changed, or bytes are missing at the end.
    Checksum,
    /// The checksum matches, but the rest cannot be inflated, or has too many bytes.
    Contents,
}

/// The bytes of a file with these contents.
pub(crate) fn pack(signature: &[u8], contents: &[u8]) -> Vec<u8> {
    let packed = deflate::compress_to_vec(contents, 9);
    [signature, &checksum(&packed).to_le_bytes(), &packed].concat()
}

/// The contents of a file, which may have up to `most` bytes.
pub(crate) fn unpack(signature: &[u8], bytes: &[u8], most: usize) -> Result<Vec<u8>, PackedError> {
    let rest = bytes.strip_prefix(signature).ok_or(PackedError::Signature)?;
    let (sum, packed) = rest.split_first_chunk::<8>().ok_or(PackedError::Checksum)?;
    if u64::from_le_bytes(*sum) != checksum(packed) {
        return Err(PackedError::Checksum);
    }
    inflate::decompress_to_vec_with_limit(packed, most).map_err(|_| PackedError::Contents)
}

/// FNV-1a: each step is a bijection of the sum and of the byte, so a change of one byte always changes the sum.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_read_back() {
        let contents = b"sixteen contents".repeat(9);
        let file = pack(b"signature\n", &contents);
        assert_eq!(unpack(b"signature\n", &file, contents.len()), Ok(contents.clone()));
        assert_eq!(unpack(b"signature\n", &file, contents.len() - 1), Err(PackedError::Contents));
        assert_eq!(unpack(b"other\n", &file, contents.len()), Err(PackedError::Signature));
        assert_eq!(unpack(b"signature\n", &file[..file.len() - 1], contents.len()), Err(PackedError::Checksum));
        assert_eq!(unpack(b"signature\n", b"signature\n", 0), Err(PackedError::Checksum));
    }

    /// The files of this build are those that the writer makes.
    #[test]
    fn the_form_is_that_of_the_files_of_this_build() {
        let book = include_bytes!("book/book.bin");
        let signature = b"banmen othello book 1\n";
        let contents = unpack(signature, book, 1 << 24).expect("the book of this build is whole");
        assert!(pack(signature, &contents) == book, "other bytes");
    }
}
