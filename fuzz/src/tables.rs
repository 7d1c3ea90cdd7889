//! Files with the solved game of Dobutsu shogi, with the moves of its winning side, and with the other side's exceptions.

use std::cell::RefCell;

use banmen_dobutsu::strategy::{Policy, Strategy, StrategyError, file};
use banmen_dobutsu::table::{FileError, SLOTS, check, inflate_block};
use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::Game;

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

/// Reads the input as a whole file, and as the number of entries, up to 255, and the entries of a file with the right checksum.
/// Accepted entries are legal moves, or are none.
pub(crate) fn strategy(data: &[u8]) {
    assert!(Strategy::open(data).is_err(), "no input has entries and their checksum");
    let Some((&count, plain)) = data.split_first() else { return };
    match Strategy::open(&file(count.into(), plain)) {
        Ok(strategy) => {
            assert_eq!(strategy.len(), usize::from(count));
            for position in strategy.positions() {
                if let Some(win) = strategy.listed(&position) {
                    assert!(win.plies % 2 == 1 && Dobutsu::CATCH.moves(&position).contains(&win.m), "{position:?}");
                }
            }
        }
        Err(error) => assert_eq!(error, StrategyError::Contents),
    }
}

/// Reads the input as a whole file, and as the number of exceptions, up to 255, and the exceptions of a file with the right checksum.
/// Accepted exceptions are legal moves, or are none, and are written as they were read.
pub(crate) fn exceptions(data: &[u8]) {
    assert!(Policy::open(data).is_err(), "no input has exceptions and their checksum");
    let Some((&count, plain)) = data.split_first() else { return };
    match Policy::open(&Policy::file(count.into(), plain)) {
        Ok(policy) => {
            assert_eq!(policy.exceptions().len(), usize::from(count));
            for &exception in policy.exceptions() {
                if let Some((position, m)) = policy.listed(exception) {
                    assert!(Dobutsu::CATCH.is_legal(&position, m), "{position:?}");
                }
            }
            let again = Policy::open(&Policy::pack(policy.exceptions()));
            assert!(again.is_ok_and(|again| again.exceptions() == policy.exceptions()));
        }
        Err(error) => assert_eq!(error, StrategyError::Contents),
    }
}
