//! The table as bytes: a compact format with random access.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `BANMENDT` |
//! | 8–9 | version of the format: 1 |
//! | 10 | the rules: 0 `catch`, 2 `any-try`, 3 the article's |
//! | 11 | binary logarithm of the positions in a block: 12 |
//! | 12–15 | the number of positions: [`SLOTS`] |
//! | 16–23 | checksum of all other bytes |
//! | 24– | the start of each block, counted from the end of this list, and the end of the last one: 32 bits each |
//! | then | the blocks, each compressed separately with Deflate (RFC 1951) |
//!
//! All numbers are little-endian. Where the value follows from the rules alone (positions won at once, and unused
//! numbers), the byte is replaced by the one before it to keep runs unbroken. Blocks of 4,096 positions are small
//! enough to inflate for one byte, and take 4 % more space than blocks of 32,768. Deflate is provided by `miniz_oxide`:
//! pure Rust without unsafe code, also used by the standard library.

use std::ops::ControlFlow;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::index::{Index, SLOTS};
use super::probe::{Source, Table};
use super::rules::{Rules, name_of};
use crate::game::Variant;

const MAGIC: &[u8; 8] = b"BANMENDT";
const VERSION: u16 = 1;
const HEADER: usize = 24;
const BLOCK_LOG: u8 = 12;
const BLOCK: usize = 1 << BLOCK_LOG;
const BLOCKS: usize = (SLOTS as usize).div_ceil(BLOCK);
const DATA: usize = HEADER + 4 * (BLOCKS + 1);

/// The compression level; 9 gains half a percent.
const LEVEL: u8 = 6;

/// Why bytes are not a table, or not the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// The bytes have another signature.
    #[error("this is not a table of Dobutsu shogi")]
    Signature,
    /// The format has another version.
    #[error("the table has version {found} of the format; this program reads version {VERSION}")]
    Version {
        /// The version found.
        found: u16,
    },
    /// The positions are numbered or grouped into blocks differently.
    #[error("the table numbers positions differently from this program")]
    Numbering,
    /// The table is for other rules.
    #[error("the table is for the rules `{found}`, not `{wanted}`")]
    Variant {
        /// The table's rules.
        found: &'static str,
        /// The requested rules.
        wanted: &'static str,
    },
    /// There are too few or too many bytes.
    #[error("the table has {found} bytes instead of {expected}")]
    Length {
        /// The number of bytes.
        found: usize,
        /// The expected number of bytes.
        expected: usize,
    },
    /// The bytes have changed since the table was written.
    #[error("the table is damaged: its checksum does not match")]
    Damaged,
}

/// A checksum of the concatenated parts. Each step is a bijection of the sum and of the word, so a change of one word
/// always changes the checksum.
pub(crate) fn checksum<'b>(parts: impl IntoIterator<Item = &'b [u8]>) -> u64 {
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

/// Writes a table as bytes. Adds their size, about 58 MB, to the memory in use.
#[must_use]
pub fn pack<R: Rules>(table: &Table<R>) -> Vec<u8> {
    let mut blocks = Blocks::default();
    // It is not stopped.
    let _ = blocks.pack(table.bytes(), |_| ControlFlow::Continue(()));
    blocks.file(table.rules())
}

/// As [`pack`], but frees the table's memory on the way. At most half of the packed bytes is needed in addition to it.
/// Calls `report` with the share done; `None` when it stopped the work.
#[must_use]
pub(crate) fn pack_away<R: Rules>(table: Table<R>, report: impl Fn(f64) -> ControlFlow<()>) -> Option<Vec<u8>> {
    let (rules, mut bytes) = (table.rules(), table.into_bytes());
    let (mut first, mut second) = (Blocks::default(), Blocks::default());
    let half = BLOCKS / 2 * BLOCK;
    let share = |blocks: usize| report(blocks as f64 / BLOCKS as f64);
    if second.pack(bytes.get(half..).unwrap_or_default(), share).is_break() {
        return None;
    }
    bytes.truncate(half);
    bytes.shrink_to_fit();
    if first.pack(&bytes, |blocks| share(second.ends.len() + blocks)).is_break() {
        return None;
    }
    drop(bytes);
    first.append(&second);
    Some(first.file(rules))
}

/// Blocks packed one after another.
#[derive(Default)]
struct Blocks {
    bytes: Vec<u8>,
    /// The end of each block.
    ends: Vec<u32>,
}

impl Blocks {
    /// Packs the blocks of these bytes. Calls `report` now and then with the number of blocks packed.
    fn pack(&mut self, table: &[u8], report: impl Fn(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        /// In blocks.
        const REPORT_EVERY: usize = 1024;
        let mut plain = Vec::with_capacity(BLOCK);
        for block in table.chunks(BLOCK) {
            if self.ends.len().is_multiple_of(REPORT_EVERY) {
                report(self.ends.len())?;
            }
            let mut last = 0;
            plain.clear();
            plain.extend(block.iter().map(|&byte| {
                last = if byte < 2 { last } else { byte };
                last
            }));
            self.bytes.extend_from_slice(&compress_to_vec(&plain, LEVEL));
            self.ends.push(self.bytes.len() as u32);
        }
        ControlFlow::Continue(())
    }

    fn append(&mut self, others: &Blocks) {
        let before = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&others.bytes);
        self.ends.extend(others.ends.iter().map(|end| before + end));
    }

    /// The header, then the blocks.
    fn file<R: Rules>(&self, rules: R) -> Vec<u8> {
        let mut file = Vec::with_capacity(DATA + self.bytes.len());
        file.extend_from_slice(MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        // Rules that have a table have a code.
        file.extend_from_slice(&[rules.code().unwrap_or(u8::MAX), BLOCK_LOG]);
        file.extend_from_slice(&SLOTS.to_le_bytes());
        file.resize(HEADER + 4, 0);
        for end in &self.ends {
            file.extend_from_slice(&end.to_le_bytes());
        }
        file.extend_from_slice(&self.bytes);
        let sum = checksum([&file[..16], &file[HEADER..]]);
        file[16..HEADER].copy_from_slice(&sum.to_le_bytes());
        file
    }
}

/// A table in its packed bytes: owned, borrowed or mapped. A probe inflates one block.
pub struct PackedTable<B, R = Variant> {
    rules: R,
    index: Index,
    bytes: B,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// Checks that bytes are a table for these rules: signature, version, rules, numbering, length and checksum. Reads all of
/// them.
///
/// # Errors
/// Returns why the bytes are not that table.
pub fn check<R: Rules>(all: &[u8], wanted: R) -> Result<(), FileError> {
    if !all.starts_with(MAGIC) {
        return Err(FileError::Signature);
    }
    let short = FileError::Length { found: all.len(), expected: DATA };
    let version = number(all, 8).map(u16::from_le_bytes).ok_or(short)?;
    if version != VERSION {
        return Err(FileError::Version { found: version });
    }
    let [rules, block_log] = number(all, 10).ok_or(short)?;
    let slots = number(all, 12).map(u32::from_le_bytes).ok_or(short)?;
    let Some(found) = name_of(rules).filter(|_| block_log == BLOCK_LOG && slots == SLOTS) else {
        return Err(FileError::Numbering);
    };
    if wanted.code() != Ok(rules) {
        return Err(FileError::Variant { found, wanted: wanted.name() });
    }
    let length = number(all, DATA - 4).map(u32::from_le_bytes).ok_or(short)?;
    let expected = DATA + length as usize;
    if all.len() != expected {
        return Err(FileError::Length { found: all.len(), expected });
    }
    let sum = number(all, 16).map(u64::from_le_bytes).ok_or(short)?;
    if sum != checksum([&all[..16], &all[HEADER..]]) {
        return Err(FileError::Damaged);
    }
    Ok(())
}

/// Inflates a block of a table's bytes into `plain`, whose length must be that of the block. The checksum is not read.
///
/// # Errors
/// [`FileError::Damaged`] for a block that is not there, that cannot be inflated, or that has another length.
pub fn inflate_block(all: &[u8], block: usize, plain: &mut [u8]) -> Result<(), FileError> {
    let end_at = |entry: usize| number(all, HEADER + 4 * entry).map(|bytes| u32::from_le_bytes(bytes) as usize);
    let packed = end_at(block).zip(end_at(block + 1)).and_then(|(begin, end)| all.get(DATA + begin..DATA + end));
    let packed = packed.ok_or(FileError::Damaged)?;
    match decompress_slice_iter_to_slice(plain, std::iter::once(packed), false, true) {
        Ok(length) if length == plain.len() => Ok(()),
        _ => Err(FileError::Damaged),
    }
}

impl<B: AsRef<[u8]>, R: Rules> PackedTable<B, R> {
    /// Opens the table for these rules. Reads all bytes once for the checksum.
    ///
    /// # Errors
    /// Returns why the bytes are not that table.
    pub fn open(bytes: B, wanted: R) -> Result<PackedTable<B, R>, FileError> {
        check(bytes.as_ref(), wanted)?;
        Ok(PackedTable { rules: wanted, index: Index::new(), bytes })
    }

    /// Inflates all blocks into memory: 238 MiB. The bytes of positions won at once are arbitrary; [`Source::value`]
    /// does not use them.
    ///
    /// # Errors
    /// Fails if a block cannot be inflated although the checksum is right.
    pub fn unpack(&self) -> Result<Table<R>, FileError> {
        let mut bytes = vec![0; SLOTS as usize];
        for (number, block) in bytes.chunks_mut(BLOCK).enumerate() {
            inflate_block(self.bytes.as_ref(), number, block)?;
        }
        Ok(Table::new(self.rules, Index::new(), bytes))
    }
}

impl<B: AsRef<[u8]>, R: Rules> Source for PackedTable<B, R> {
    type Error = FileError;
    type Rules = R;

    fn rules(&self) -> R {
        self.rules
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn byte(&self, number: u32) -> Result<u8, FileError> {
        let number = number as usize;
        let block = number / BLOCK;
        let mut plain = [0; BLOCK];
        let length = (SLOTS as usize).saturating_sub(block * BLOCK).min(BLOCK);
        let plain = plain.get_mut(..length).ok_or(FileError::Damaged)?;
        inflate_block(self.bytes.as_ref(), block, plain)?;
        plain.get(number % BLOCK).copied().ok_or(FileError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::article::Article;

    /// A table with invented distances.
    fn made_up() -> Table {
        let bytes = (0..SLOTS).map(|number| 2 + (number / 1000 % 40) as u8).collect();
        Table::new(Variant::Catch, Index::new(), bytes)
    }

    #[test]
    fn packed_bytes_come_back_and_damaged_ones_are_refused() {
        let table = made_up();
        let mut file = pack(&table);
        let opened = PackedTable::open(file.as_slice(), Variant::Catch).unwrap_or_else(|error| panic!("{error}"));
        for number in (0..SLOTS).step_by(999_983).chain([0, SLOTS - 1]) {
            assert_eq!(opened.byte(number), Ok(table.bytes()[number as usize]), "{number}");
        }
        assert_eq!(opened.byte(SLOTS), Err(FileError::Damaged));
        let unpacked = opened.unpack().unwrap_or_else(|error| panic!("{error}"));
        assert!(unpacked.bytes() == table.bytes());
        let shares = RefCell::new(Vec::new());
        let report = |share| {
            shares.borrow_mut().push(share);
            ControlFlow::Continue(())
        };
        assert!(pack_away(unpacked, report).is_some_and(|packed| packed == file), "the same bytes in another order");
        let shares = shares.into_inner();
        assert!(shares.len() > 50 && shares.is_sorted() && shares.iter().all(|share| (0.0..1.0).contains(share)));
        assert!(pack_away(table, |_| ControlFlow::Break(())).is_none(), "stopped");
        let refused = |bytes: &[u8], variant| PackedTable::open(bytes, variant).err();
        let (found, wanted) = ("catch", "any-try");
        assert_eq!(refused(&file, Variant::AnyTry), Some(FileError::Variant { found, wanted }));
        let foreign = PackedTable::open(file.as_slice(), Article).err();
        assert_eq!(foreign, Some(FileError::Variant { found, wanted: "article" }));
        for length in [0, 7, 9, 23, 24, DATA - 1, DATA, file.len() - 1] {
            assert!(refused(&file[..length], Variant::Catch).is_some(), "{length}");
        }
        assert_eq!(refused(b"SQLite format 3", Variant::Catch), Some(FileError::Signature));
        for at in [0, 8, 10, 11, 12, 16, 24, 25, DATA - 1, DATA, file.len() / 2, file.len() - 1] {
            file[at] ^= 1;
            assert!(refused(&file, Variant::Catch).is_some(), "{at}");
            file[at] ^= 1;
        }
        file[DATA + 5] ^= 0x80;
        assert_eq!(refused(&file, Variant::Catch), Some(FileError::Damaged));
        file.push(0);
        assert!(matches!(refused(&file, Variant::Catch), Some(FileError::Length { .. })));
    }
}
