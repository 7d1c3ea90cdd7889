//! What the files of this module have in common.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | the signature |
//! | 8–9 | version of the format: 1 |
//! | 10–11 | the longest win in plies that has no entry, because a search finds it |
//! | 12–15 | the number of entries |
//! | 16–23 | checksum of all other bytes, as that of the table |
//! | 24– | the entries, compressed with Deflate (RFC 1951) |
//!
//! The entries are in the order of the table's numbers of positions ([`crate::table::Index`]). First come the differences of these
//! numbers, the first one from −1, in groups of seven bits with the lowest first, the eighth bit set where another group
//! follows; then what the entries say. All numbers are little-endian.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::StrategyError;
use crate::table::{SLOTS, checksum};

/// The signature of a file, and the longest win that has no entry.
pub(super) struct Kind {
    pub(super) signature: &'static [u8; 8],
    pub(super) searched: u32,
}

const VERSION: u16 = 1;
const HEADER: usize = 24;

/// More entries than any file has: 16 MiB when they are read.
const MAX_ENTRIES: usize = 1 << 20;

/// A file with so many entries that are these bytes before compression. The bytes are not checked.
pub(super) fn write(kind: &Kind, count: u32, plain: &[u8]) -> Vec<u8> {
    /// The best compression that is not slow.
    const LEVEL: u8 = 9;
    let mut file = kind.signature.to_vec();
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&(kind.searched as u16).to_le_bytes());
    file.extend_from_slice(&count.to_le_bytes());
    let packed = miniz_oxide::deflate::compress_to_vec(plain, LEVEL);
    let sum = checksum([&file[..], &packed]);
    file.extend_from_slice(&sum.to_le_bytes());
    file.extend_from_slice(&packed);
    file
}

/// Reads a file whose entries have so many bytes besides the number: the numbers, and these bytes, first those of one kind for
/// all entries.
pub(super) fn read(kind: &Kind, bytes: &[u8], each: usize) -> Result<(Vec<u32>, Vec<u8>), StrategyError> {
    let (header, packed) = bytes.split_first_chunk::<HEADER>().ok_or(StrategyError::Signature)?;
    let (found, rest) = header.split_at(kind.signature.len());
    if found != kind.signature {
        return Err(StrategyError::Signature);
    }
    let [version @ .., a, b] = rest.first_chunk::<4>().copied().unwrap_or_default();
    let searched = u16::from_le_bytes([a, b]);
    if u16::from_le_bytes(version) != VERSION || u32::from(searched) != kind.searched {
        return Err(StrategyError::Version);
    }
    let sum = header.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    if sum != checksum([&header[..16], packed]) {
        return Err(StrategyError::Damaged);
    }
    let count = header[12..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
    unpack(packed, count, each).ok_or(StrategyError::Contents)
}

/// The differences of these numbers, which ascend.
pub(super) fn differences(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut next = 0;
    for number in numbers {
        let mut left = number - next;
        while left >= 0x80 {
            plain.push(left as u8 | 0x80);
            left >>= 7;
        }
        plain.push(left as u8);
        next = number + 1;
    }
    plain
}

/// Reads so many entries; `None` if they break the format.
fn unpack(packed: &[u8], count: usize, each: usize) -> Option<(Vec<u32>, Vec<u8>)> {
    /// The most groups of a difference.
    const GROUPS: usize = 5;
    if count > MAX_ENTRIES {
        return None;
    }
    let plain = decompress_to_vec_with_limit(packed, count * (GROUPS + each)).ok()?;
    let mut rest = plain.as_slice();
    let mut next = 0u64;
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let length = 1 + rest.iter().take(GROUPS).position(|&group| group < 0x80)?;
        let (groups, after) = rest.split_at(length);
        rest = after;
        let difference = groups.iter().rev().fold(0, |sum, &group| sum << 7 | u64::from(group & 0x7F));
        let number = u32::try_from(next + difference).ok().filter(|&number| number < SLOTS)?;
        next = u64::from(number) + 1;
        numbers.push(number);
    }
    (rest.len() == count * each).then(|| (numbers, rest.to_vec()))
}
