//! Values of positions and moves, from a table in memory or in packed blocks.

use std::ops::ControlFlow;

use super::build::{DRAW, LONGEST};
use super::index::Index;
use super::rules::Rules;
use super::verdict::wins_at_once;
use crate::game::Variant;
use crate::moves;
use crate::position::{Move, Position};

/// The result of a position with best play, for the side to move. Distances are in plies; a safe try or a catch is the
/// last ply. The winner takes the shortest win, and the loser the longest loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The side to move wins in this many plies; 0 if it has won already.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses in this many plies; 0 if it has lost already.
    Loss(u32),
}

impl Value {
    /// The score: 1, 0 or −1.
    #[must_use]
    pub fn score(self) -> i32 {
        match self {
            Value::Win(_) => 1,
            Value::Draw => 0,
            Value::Loss(_) => -1,
        }
    }

    /// The plies to the end; `None` for a draw.
    #[must_use]
    pub fn plies(self) -> Option<u32> {
        match self {
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// The value for the side that has just moved, one ply earlier.
    #[must_use]
    pub fn before(self) -> Value {
        match self {
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Draw => Value::Draw,
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }

    /// An order of values, larger is better: short wins before long ones, draws, long losses before short ones.
    #[must_use]
    pub fn rank(self) -> i64 {
        match self {
            Value::Win(plies) => i64::from(u32::MAX) - i64::from(plies),
            Value::Draw => 0,
            Value::Loss(plies) => i64::from(plies) - i64::from(u32::MAX),
        }
    }

    /// The value that a stored byte encodes.
    fn of(byte: u8) -> Value {
        match byte {
            _ if byte > LONGEST => Value::Draw,
            _ if byte % 2 == 1 => Value::Win(u32::from(byte)),
            _ => Value::Loss(u32::from(byte)),
        }
    }
}

/// A move and its value for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveValue {
    /// The move.
    pub m: Move,
    /// Its value, including the move's own ply.
    pub value: Value,
}

/// A source of the bytes of stored positions.
pub trait Source {
    /// Why a byte is not available; never occurs for a table in memory.
    type Error;

    /// The type of its rules.
    type Rules: Rules;

    /// The rules.
    fn rules(&self) -> Self::Rules;

    /// The numbering.
    fn index(&self) -> &Index;

    /// The byte of the position with this number below [`super::SLOTS`]: plies to the end, odd for a win, even for a
    /// loss; 255 for a draw.
    ///
    /// # Errors
    /// Fails if the underlying bytes are damaged.
    fn byte(&self, number: u32) -> Result<u8, Self::Error>;

    /// The value of any position. Ignores the history: endless play counts as a draw.
    ///
    /// # Errors
    /// As [`Source::byte`].
    fn value(&self, position: &Position) -> Result<Value, Self::Error> {
        if let Some((winner, _)) = self.rules().lions_ended(position) {
            return Ok(if winner == position.side() { Value::Win(0) } else { Value::Loss(0) });
        }
        if wins_at_once(self.rules(), position) {
            return Ok(Value::Win(1));
        }
        if let Some(slot) = self.index().slot(position) {
            return self.byte(slot.number).map(|byte| match Value::of(byte) {
                // In a few stored positions the side to move has no move at all, and so no move that avoids an
                // immediate loss.
                Value::Loss(2) if moves::count(position, Self::Rules::HEN) == 0 => Self::Rules::STUCK,
                value => value,
            });
        }
        // The own lion is on the far rank and is attacked. After any move the game is over, or the other side can catch
        // the lion, or the lion has stepped back.
        let moves = self.moves(position)?;
        Ok(moves.iter().map(|known| known.value).max_by_key(|value| value.rank()).unwrap_or(Self::Rules::STUCK))
    }

    /// All legal moves of a position with their values, one drop per kind: steps by the squares of the pieces, then
    /// drops.
    ///
    /// # Errors
    /// As [`Source::byte`].
    fn moves(&self, position: &Position) -> Result<Vec<MoveValue>, Self::Error> {
        let after = |m: Move| {
            let mut next = *position;
            next.play(m);
            self.value(&next).map(|value| MoveValue { m, value: value.before() })
        };
        let mut moves = Vec::new();
        if self.rules().lions_ended(position).is_none() {
            let _ = self.rules().visit(position, |m| {
                moves.push(after(m));
                ControlFlow::<()>::Continue(())
            });
        }
        moves.into_iter().collect()
    }
}

/// The solved game in memory: one byte per stored position.
pub struct Table<R = Variant> {
    rules: R,
    index: Index,
    bytes: Vec<u8>,
}

impl<R: Rules> Table<R> {
    /// `bytes` has [`super::SLOTS`] entries.
    pub(super) fn new(rules: R, index: Index, bytes: Vec<u8>) -> Table<R> {
        Table { rules, index, bytes }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes in the order of the numbers: plies to the end, 255 for a draw, 0 for an unused number. In a table that
    /// was unpacked, the bytes of unused numbers and of positions won at once are meaningless.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the stored value of a number below [`super::SLOTS`] follows from the values of its successors. Returns
    /// true for unused numbers and for positions won at once, whose bytes are never used.
    #[must_use]
    pub fn holds(&self, number: u32) -> bool {
        let Some(position) = self.index.stored(number).filter(|position| !wins_at_once(self.rules, position)) else {
            return number < super::SLOTS;
        };
        let Ok(stored) = self.value(&position);
        let Ok(moves) = self.moves(&position);
        let best = moves.iter().map(|known| known.value).max_by_key(|value| value.rank());
        best.unwrap_or(R::STUCK) == stored
    }
}

impl<R: Rules> Source for Table<R> {
    type Error = std::convert::Infallible;
    type Rules = R;

    fn rules(&self) -> R {
        self.rules
    }

    fn index(&self) -> &Index {
        &self.index
    }

    #[inline]
    fn byte(&self, number: u32) -> Result<u8, Self::Error> {
        Ok(self.bytes.get(number as usize).copied().unwrap_or(DRAW))
    }
}
