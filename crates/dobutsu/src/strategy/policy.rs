//! The first side's play from the start without the table: the engine, and a list of the positions in which it would err.
//!
//! To err is to give away the value that the table of the rules `catch` says: a win or a draw. The first side answers
//! every position with the win that [`super::Strategy::listed`] knows or that a search of [`FIRST_SEARCHED`] plies finds, else with the
//! listed move, else with the engine's after a fixed number of nodes ([`LOOK`], [`DEEP`]). The list has every position, mirror images once, that it can meet in this
//! way, whatever the second side plays, and in which the engine errs; and those in which the engine keeps a win but the game
//! would go in circles. So the first side never loses what it has gained: a won position ends in its win, and no position on the
//! way to it occurs twice; a drawn one ends in a draw or in its win. In a lost position every move is as good for this purpose.
//!
//! The file has the signature `BANMENDX` and otherwise the form of `format`. An entry has one byte: the place of the move in the
//! list of the rules, with the first side to move, and 64 more where the position is drawn and not won.
//!
//! A change of the engine's search or evaluation makes the list wrong. `cargo run --release -p banmen-dobutsu --features threads
//! --example first_side -- write` makes the file from the table and the engine; without `write` it compares the two.

use std::sync::LazyLock;

use banmen_game::{Game, Side};

use super::answer::{Answer, ask};
use super::format::Kind;
use super::{StrategyError, format};
use crate::engine::FixedNodes;
use crate::game::Dobutsu;
use crate::position::{Move, Position};
use crate::table::Index;

#[cfg(doc)]
use super::{DEEP, LOOK};

const KIND: Kind = Kind { signature: b"BANMENDX", searched: FIRST_SEARCHED };

/// The first side finds wins in at most this many plies by a search, of two milliseconds on average.
pub const FIRST_SEARCHED: u32 = 11;

/// Marks a drawn position in an entry's byte. No position has so many moves that it has one in this place.
const DRAWN: u8 = 64;

/// The file.
static EXCEPTIONS: &[u8] = include_bytes!("exceptions.bin");

/// A position in which the engine's move is not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The number of the position.
    pub number: u32,
    /// The place of the move in the list of the rules, of the position with this number, the first side to move: below 64.
    pub place: u8,
    /// Whether the position is drawn; otherwise it is won.
    pub drawn: bool,
}

/// The play of the first side.
pub struct Policy {
    index: Index,
    /// By number.
    exceptions: Vec<Exception>,
}

impl Policy {
    /// The first side's play from the start, which this program contains.
    ///
    /// # Errors
    /// Returns why it cannot be read: never, unless the program is damaged.
    pub fn of_the_first_side() -> Result<&'static Policy, StrategyError> {
        static READ: LazyLock<Result<Policy, StrategyError>> = LazyLock::new(|| Policy::open(EXCEPTIONS));
        READ.as_ref().map_err(|&error| error)
    }

    /// The bytes of this program's list.
    #[must_use]
    pub fn bytes() -> &'static [u8] {
        EXCEPTIONS
    }

    /// Reads a list.
    ///
    /// # Errors
    /// Returns why the bytes are not one.
    pub fn open(bytes: &[u8]) -> Result<Policy, StrategyError> {
        let (numbers, moves) = format::read(&KIND, bytes, 1)?;
        let exception = |(number, byte): (u32, u8)| match byte / DRAWN {
            marked @ 0..=1 => Ok(Exception { number, place: byte % DRAWN, drawn: marked == 1 }),
            _ => Err(StrategyError::Contents),
        };
        let exceptions = numbers.into_iter().zip(moves).map(exception).collect::<Result<_, _>>()?;
        Ok(Policy { index: Index::new(), exceptions })
    }

    /// The file of these exceptions, which are in the order of their numbers.
    #[must_use]
    pub fn pack(exceptions: &[Exception]) -> Vec<u8> {
        let mut plain = format::differences(exceptions.iter().map(|exception| exception.number));
        plain.extend(exceptions.iter().map(|exception| exception.place | if exception.drawn { DRAWN } else { 0 }));
        Policy::file(exceptions.len() as u32, &plain)
    }

    /// The file with so many exceptions that are these bytes before compression. The bytes are not checked.
    #[must_use]
    pub fn file(count: u32, plain: &[u8]) -> Vec<u8> {
        format::write(&KIND, count, plain)
    }

    /// The exceptions, in the order of their numbers.
    #[must_use]
    pub fn exceptions(&self) -> &[Exception] {
        &self.exceptions
    }

    /// The position of an exception with the first side to move, and the move that it plays; `None` if there is no such position
    /// or move, which occurs in no file of this program.
    #[must_use]
    pub fn listed(&self, exception: Exception) -> Option<(Position, Move)> {
        let form = self.index.stored(exception.number)?;
        Some((form, Dobutsu::CATCH.moves(&form).get(usize::from(exception.place)).copied()?))
    }

    /// The move of the first side in a position that it has met by this play from the start, with what is known of its value. The
    /// answer is the same for each question. `None` if the game is over, if another side is to move, and in positions without a
    /// number, which it does not meet.
    pub fn answer(&self, position: &Position, engine: &mut FixedNodes) -> Option<Answer> {
        let slot = self.index.slot(position).filter(|_| position.side() == Side::First)?;
        let form = self.index.stored(slot.number)?;
        let place = self.exceptions.binary_search_by_key(&slot.number, |exception| exception.number).ok();
        let answer = match place.and_then(|place| self.exceptions.get(place)) {
            Some(&exception) => {
                let (_, m) = self.listed(exception)?;
                Answer { m, value: if exception.drawn { 0.5 } else { 1.0 }, plies: None, known: true, nodes: 0 }
            }
            None => ask(engine, &form)?,
        };
        let m = if form == *position { answer.m } else { answer.m.mirrored() };
        Some(Answer { m, ..answer })
    }
}
