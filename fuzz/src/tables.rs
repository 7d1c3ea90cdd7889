//! Files with the solved game of Dobutsu shogi.

use std::cell::RefCell;

use banmen_dobutsu::Variant;
use banmen_dobutsu::table::{FileError, SLOTS, check, inflate_block};

/// Positions of a block.
const BLOCK: usize = 4096;
/// Blocks of a table.
const BLOCKS: usize = (SLOTS as usize).div_ceil(BLOCK);
/// Where the list of blocks begins.
const LIST: usize = 24;
/// Where the blocks begin.
const DATA: usize = LIST + 4 * (BLOCKS + 1);

thread_local! {
    /// A file of which each input sets four entries of the list, and the blocks.
    static FILE: RefCell<Vec<u8>> = RefCell::new(vec![0; DATA]);
}

/// Reads the input as a whole file, and as the first two blocks of a file, where its first four bytes say where the
/// first block ends. No damaged block causes a panic.
pub(crate) fn dobutsu(data: &[u8]) {
    for variant in [Variant::Catch, Variant::Legal, Variant::AnyTry] {
        assert!(check(data, variant).is_err(), "no input is as long as a table");
    }
    let Some((end, blocks)) = data.split_first_chunk() else { return };
    FILE.with_borrow_mut(|file| {
        file.truncate(DATA);
        file.extend_from_slice(blocks);
        let last = (blocks.len() as u32).to_le_bytes();
        for (entry, value) in [(1, *end), (2, last), (BLOCKS - 1, last), (BLOCKS, last)] {
            file[LIST + 4 * entry..][..4].copy_from_slice(&value);
        }
        let mut plain = [0; BLOCK];
        // The first two blocks have bytes of the input, the last one none; the third ends before it begins. Then there are no
        // more.
        for number in [0, 1, 2, BLOCKS - 1, BLOCKS] {
            if let Err(error) = inflate_block(file, number, &mut plain) {
                assert_eq!(error, FileError::Damaged);
            } else {
                assert!(number < 2, "block {number} cannot be inflated");
            }
        }
    });
}
