//! Play from the start without the table: the second side's win, and what the first side can do.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | the second side's win: a move for each position that it can meet, as far as a short search does not find the win |
//! | `policy` | the first side's play: the engine, and a list of the positions in which it would give away the value |
//! | `answer` | the engine's part of it |
//! | `short` | the short search |
//! | `format` | what the files of both have in common |
//! | `extract` | makes the second side's file from the table |
//!
//! The second side's file has the signature `BANMENDS`. Its entries have a byte with the place of the move in the list of the
//! rules, and then one with the plies to the win beyond the shortest that an entry can have, in pairs of plies.
//!
//! A number stands for a position, its mirror image, and both with the sides exchanged, so the entries serve both sides. They
//! are of the rules `catch`. `cargo run --release -p banmen-dobutsu --features threads --example solve -- catch write` makes the
//! file from the table; without `write` it compares the two.

mod answer;
mod extract;
mod format;
mod policy;
mod short;

use std::sync::LazyLock;

use banmen_game::{Game, Side};

use crate::board::Square;
use crate::game::Dobutsu;
use crate::position::{Move, Position};
use crate::table::Index;

pub use answer::{Answer, DEEP, LOOK};
pub use extract::extract;
use format::Kind;
pub use policy::{Exception, FIRST_SEARCHED, Policy};
pub use short::short_win;

const KIND: Kind = Kind { signature: b"BANMENDS", searched: SEARCHED };

/// Wins in at most this many plies are found by a search of some thousand positions.
pub const SEARCHED: u32 = 7;

/// The shortest win of an entry, in plies.
const SHORTEST: u32 = SEARCHED + 2;

/// The file.
static WINNER: &[u8] = include_bytes!("winner.bin");

/// Why bytes are not a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// The bytes have another signature.
    #[error("this is not a strategy of Dobutsu shogi")]
    Signature,
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
        let (numbers, rest) = format::read(&KIND, bytes, 2)?;
        let (places, plies) = rest.split_at(numbers.len());
        let entry = |((number, &place), &pairs): ((u32, &u8), &u8)| {
            let plies = u8::try_from(SHORTEST + 2 * u32::from(pairs)).map_err(|_| StrategyError::Contents)?;
            Ok(Entry { number, place, plies })
        };
        let entries = numbers.into_iter().zip(places).zip(plies).map(entry).collect::<Result<_, _>>()?;
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
    let mut plain = format::differences(entries.iter().map(|entry| entry.number));
    plain.extend(entries.iter().map(|entry| entry.place));
    plain.extend(entries.iter().map(|entry| (u32::from(entry.plies).saturating_sub(SHORTEST) / 2) as u8));
    file(entries.len() as u32, &plain)
}

/// The file with so many entries that are these bytes before compression. The bytes are not checked.
#[must_use]
pub fn file(count: u32, plain: &[u8]) -> Vec<u8> {
    format::write(&KIND, count, plain)
}
