//! Files with the solved game of Dobutsu shogi.

use banmen_dobutsu::Variant;
use banmen_dobutsu::table::{FileError, PackedTable, SLOTS, Source};

/// Positions of a block.
const BLOCK: usize = 4096;
/// Where the checksum lies, and where the list of blocks begins.
const CHECKSUM: std::ops::Range<usize> = 16..24;
/// Where the blocks begin.
const DATA: usize = CHECKSUM.end + 4 * ((SLOTS as usize).div_ceil(BLOCK) + 1);

/// The format's checksum of the parts one after another.
fn checksum(parts: [&[u8]; 2]) -> u64 {
    let mut sum = 0x9E37_79B9_7F4A_7C15_u64;
    for part in parts {
        for word in part.chunks(8) {
            let mut full = [0; 8];
            full[..word.len()].copy_from_slice(word);
            sum = (sum ^ u64::from_le_bytes(full)).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29);
        }
        sum ^= part.len() as u64;
    }
    sum
}

/// A file with a correct header and checksum, whose first two blocks are parted at `end`: the rest are empty.
fn file(end: u32, blocks: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(DATA + blocks.len());
    file.extend_from_slice(b"BANMENDT");
    file.extend_from_slice(&[1, 0, 0, 12]);
    file.extend_from_slice(&SLOTS.to_le_bytes());
    file.resize(CHECKSUM.end + 4, 0);
    file.extend_from_slice(&end.to_le_bytes());
    let last = (blocks.len() as u32).to_le_bytes();
    file.extend(last.iter().cycle().take(DATA - file.len()));
    file.extend_from_slice(blocks);
    let sum = checksum([&file[..CHECKSUM.start], &file[CHECKSUM.end..]]);
    file[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
    file
}

/// The input as a whole file, and as the blocks of a file whose checksum is right: its first four bytes say where the
/// first block ends. No position of a damaged file is answered by a panic.
pub(crate) fn dobutsu(data: &[u8]) {
    for variant in [Variant::Catch, Variant::Legal, Variant::AnyTry] {
        assert!(PackedTable::open(data, variant).is_err(), "no input is as long as a table");
    }
    let Some((end, blocks)) = data.split_first_chunk() else { return };
    let bytes = file(u32::from_le_bytes(*end), blocks);
    let table = PackedTable::open(&bytes, Variant::Catch).unwrap_or_else(|error| panic!("{error}"));
    for number in [0, BLOCK - 1, BLOCK, 2 * BLOCK, SLOTS as usize - 1] {
        if let Err(error) = table.byte(number as u32) {
            assert_eq!(error, FileError::Damaged);
        }
    }
    // Nothing past the end is there.
    assert_eq!(table.byte(SLOTS), Err(FileError::Damaged));
}
