//! Sides and outcomes.

/// One of the two sides. `First` moves first in the game's start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The side that moves first from the start.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// Both sides, the first one first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The other side.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }

    /// 0 for the first side, 1 for the second.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// `first` or `second`, as in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Side::First => "first",
            Side::Second => "second",
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// By how much the winner won, 0 in a draw; `None` where the game has no margins.
    pub margin: Option<u32>,
    /// What ended the game, a word of the game (`discs`, `line`, `try`).
    pub by: &'static str,
}

impl Outcome {
    /// The score of `side`: 1 won, ½ drawn, 0 lost.
    #[must_use]
    pub fn score(&self, side: Side) -> f64 {
        match self.winner {
            None => 0.5,
            Some(winner) if winner == side => 1.0,
            Some(_) => 0.0,
        }
    }

    /// The margin from the view of `side`: positive when it won. Without a margin 1, 0 or −1.
    #[must_use]
    pub fn signed_margin(&self, side: Side) -> i32 {
        let size = self.margin.map_or(1, |margin| i32::try_from(margin).unwrap_or(i32::MAX));
        match self.winner {
            None => 0,
            Some(winner) if winner == side => size,
            Some(_) => -size,
        }
    }
}
