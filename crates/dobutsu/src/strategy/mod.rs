//! The second side's win from the start without the table: a move for each position that it can meet, as far as a short search
//! does not find the win.
//!
//! | bytes | what |
//! |---|---|
//! | 0–7 | `BANMENDS` |
//! | 8–9 | version of the format: 1 |
//! | 10–11 | the longest win in plies that has no entry, because a search finds it: [`SEARCHED`] |
//! | 12–15 | the number of entries |
//! | 16–23 | checksum of all other bytes, as that of the table |
//! | 24– | the entries, compressed with Deflate (RFC 1951) |
//!
//! The entries are in the order of the table's numbers of positions ([`crate::table::Index`]). First come the differences of these
//! numbers, the first one from −1, in groups of seven bits with the lowest first, the eighth bit set where another group
//! follows; then for each entry a byte with the place of the move in the list of the rules, and then one with the plies to
//! the win beyond the shortest that an entry can have, in pairs of plies. All numbers are little-endian.
//!
//! A number stands for a position, its mirror image, and both with the sides exchanged, so the entries serve both sides. They
//! are of the rules `catch`. `cargo run --release -p banmen-dobutsu --features threads --example solve -- catch write` makes the
//! file from the table; without `write` it compares the two.

mod extract;
mod short;

use std::sync::LazyLock;

use banmen_game::{Game, Side};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::board::Square;
use crate::game::Dobutsu;
use crate::position::{Move, Position};
use crate::table::{Index, SLOTS, checksum};

pub use extract::extract;
pub use short::short_win;

const MAGIC: &[u8; 8] = b"BANMENDS";
const VERSION: u16 = 1;
const HEADER: usize = 24;

/// Wins in at most this many plies are found by a search of some thousand positions.
pub const SEARCHED: u32 = 7;

/// The shortest win of an entry, in plies.
const SHORTEST: u32 = SEARCHED + 2;

/// More entries than any file has: 16 MiB when they are read.
const MAX_ENTRIES: usize = 1 << 20;

/// The file.
static WINNER: &[u8] = include_bytes!("winner.bin");

/// Why bytes are not a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// The bytes have another signature.
    #[error("this is not a strategy of Dobutsu shogi")]
    Foreign,
    /// The format has another version, or leaves other wins to a search.
    #[error("the strategy has another version of the format than this program")]
    Version,
    /// There are too few bytes, or they have changed since the strategy was written.
    #[error("the strategy is damaged: its checksum does not match")]
    Damaged,
    /// The checksum is right, and the entries are not.
    #[error("the strategy's entries cannot be read")]
    Contents,
}

/// A move that wins, and the plies to the end, the move included, while the other side resists as long as it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Win {
    /// The move.
    pub m: Move,
    /// The plies.
    pub plies: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The number of the position.
    number: u32,
    /// The place of the move in the list of the rules.
    place: u8,
    plies: u8,
}

/// The moves of a side that wins.
pub struct Strategy {
    index: Index,
    /// By number.
    entries: Vec<Entry>,
}

impl Strategy {
    /// The second side's win from the start, which this program contains.
    ///
    /// # Errors
    /// Returns why it cannot be read: never, unless the program is damaged.
    pub fn of_the_second_side() -> Result<&'static Strategy, StrategyError> {
        static READ: LazyLock<Result<Strategy, StrategyError>> = LazyLock::new(|| Strategy::open(WINNER));
        READ.as_ref().map_err(|&error| error)
    }

    /// The bytes of this program's strategy.
    #[must_use]
    pub fn bytes() -> &'static [u8] {
        WINNER
    }

    /// Reads a strategy.
    ///
    /// # Errors
    /// Returns why the bytes are not one.
    pub fn open(bytes: &[u8]) -> Result<Strategy, StrategyError> {
        let (header, packed) = bytes.split_first_chunk::<HEADER>().ok_or(StrategyError::Foreign)?;
        let (signature, rest) = header.split_at(MAGIC.len());
        if signature != MAGIC {
            return Err(StrategyError::Foreign);
        }
        let [version @ .., a, b] = rest.first_chunk::<4>().copied().unwrap_or_default();
        let searched = u16::from_le_bytes([a, b]);
        if u16::from_le_bytes(version) != VERSION || u32::from(searched) != SEARCHED {
            return Err(StrategyError::Version);
        }
        let sum = header.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if sum != checksum([&header[..16], packed]) {
            return Err(StrategyError::Damaged);
        }
        let count = header[12..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let entries = unpack(packed, count).ok_or(StrategyError::Contents)?;
        Ok(Strategy { index: Index::new(), entries })
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The positions with an entry, with the second side to move.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        self.entries.iter().filter_map(|entry| form(&self.index, entry.number))
    }

    /// The win of the side to move by the entries alone, under the rules `catch`. The history of the game is ignored.
    #[must_use]
    pub fn listed(&self, position: &Position) -> Option<Win> {
        let number = self.index.slot(position)?.number;
        let place = self.entries.binary_search_by_key(&number, |entry| entry.number).ok()?;
        let entry = self.entries.get(place)?;
        let form = form(&self.index, number)?;
        let m = Dobutsu::CATCH.moves(&form).get(usize::from(entry.place)).copied()?;
        let (seen, turn): (_, fn(Move) -> Option<Move>) =
            if position.side() == Side::Second { (*position, Some) } else { (position.turned(), turned) };
        let m = turn(if form == seen { m } else { m.mirrored() })?;
        Some(Win { m, plies: u32::from(entry.plies) })
    }

    /// The win of the side to move by the entries, or by a search of [`SEARCHED`] plies, under the rules `catch`. The history of
    /// the game is ignored.
    #[must_use]
    pub fn win(&self, position: &Position) -> Option<Win> {
        self.listed(position).or_else(|| short_win(position, SEARCHED))
    }
}

/// The one of the positions with this number for which an entry has the move: the second side is to move.
fn form(index: &Index, number: u32) -> Option<Position> {
    Some(index.stored(number)?.turned())
}

/// The move as the other side sees it.
fn turned(m: Move) -> Option<Move> {
    let turn = |square: Square| Square::new(11 - square.index());
    Some(match m {
        Move::Step { from, to } => Move::Step { from: turn(from)?, to: turn(to)? },
        Move::Drop { piece, to } => Move::Drop { piece, to: turn(to)? },
    })
}

/// The file of these entries, which are in order.
fn pack(entries: &[Entry]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut next = 0;
    for entry in entries {
        let mut left = entry.number - next;
        while left >= 0x80 {
            plain.push(left as u8 | 0x80);
            left >>= 7;
        }
        plain.push(left as u8);
        next = entry.number + 1;
    }
    plain.extend(entries.iter().map(|entry| entry.place));
    plain.extend(entries.iter().map(|entry| (u32::from(entry.plies).saturating_sub(SHORTEST) / 2) as u8));
    file(entries.len() as u32, &plain)
}

/// The file with so many entries that are these bytes before compression. The bytes are not checked.
#[must_use]
pub fn file(count: u32, plain: &[u8]) -> Vec<u8> {
    /// The best compression that is not slow.
    const LEVEL: u8 = 9;
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&(SEARCHED as u16).to_le_bytes());
    file.extend_from_slice(&count.to_le_bytes());
    let packed = miniz_oxide::deflate::compress_to_vec(plain, LEVEL);
    let sum = checksum([&file[..], &packed]);
    file.extend_from_slice(&sum.to_le_bytes());
    file.extend_from_slice(&packed);
    file
}

/// Reads so many entries; `None` if they break the format.
fn unpack(packed: &[u8], count: usize) -> Option<Vec<Entry>> {
    /// In bytes: the groups of a difference, the move, the plies.
    const LONGEST_ENTRY: usize = 5 + 2;
    if count > MAX_ENTRIES {
        return None;
    }
    let plain = decompress_to_vec_with_limit(packed, count * LONGEST_ENTRY).ok()?;
    let mut rest = plain.as_slice();
    let mut next = 0u64;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let length = 1 + rest.iter().take(5).position(|&group| group < 0x80)?;
        let (groups, after) = rest.split_at(length);
        rest = after;
        let difference = groups.iter().rev().fold(0, |sum, &group| sum << 7 | u64::from(group & 0x7F));
        let number = u32::try_from(next + difference).ok().filter(|&number| number < SLOTS)?;
        next = u64::from(number) + 1;
        entries.push(Entry { number, place: 0, plies: 0 });
    }
    let (places, plies) = rest.split_at_checked(count).filter(|(_, plies)| plies.len() == count)?;
    for (entry, (&place, &pairs)) in entries.iter_mut().zip(places.iter().zip(plies)) {
        entry.place = place;
        entry.plies = u8::try_from(SHORTEST + 2 * u32::from(pairs)).ok()?;
    }
    Some(entries)
}
