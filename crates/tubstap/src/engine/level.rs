//! The restrictions of the levels below 10.
//!
//! A level searches few positions and makes its plans by narrow beams. It misjudges positions, as a person does who does not
//! count each exchange to its end. The errors follow from the seed and the position, so that a position has the same value
//! everywhere in one search; whether a game is over, and who has won, is never misjudged.

use banmen_game::{Side, mix};

use super::eval::Value;
use super::settings::{Breadth, Settings};
use crate::position::Position;

/// The restrictions of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Positions searched beside the root.
    pub(super) steps: u32,
    /// The width of the beams, and how many plans they make.
    width: usize,
    /// The largest error of the evaluation, in its units.
    error: Value,
}

const fn level(steps: u32, width: usize, error: Value) -> Level {
    Level { steps, width, error }
}

/// Levels 1 to 9; level 10 has no restrictions.
pub(super) const LEVELS: [Level; 9] = [
    level(0, 8, 30_000),
    level(0, 8, 11_000),
    level(0, 8, 4_800),
    level(0, 8, 2_200),
    level(3, 8, 900),
    level(10, 8, 500),
    level(30, 10, 350),
    level(90, 12, 220),
    level(260, 16, 90),
];

impl Level {
    /// Makes the beams narrower, and leaves out the second ones.
    pub(super) fn narrow(&self, settings: &mut Settings) {
        settings.widen = 0;
        for breadth in [&mut settings.root, &mut settings.inner] {
            let Breadth { width, plans, .. } = *breadth;
            *breadth = Breadth { width: width.min(self.width), plans: plans.min(self.width), ..*breadth };
        }
    }
}

/// The errors of a level in one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    pub(super) level: Level,
    /// Differs between positions of a game and between games.
    pub(super) salt: u64,
}

impl Errors {
    /// The error of the value of a position for a side.
    pub(super) fn of(&self, position: &Position, side: Side) -> Value {
        let random = mix(self.salt ^ position.key());
        let uniform = |bits: u64| (bits & 0xFFFF) as Value - 0x8000;
        // The sum of two uniform numbers: small errors are more frequent.
        let sum = i64::from(uniform(random) + uniform(random >> 16));
        let error = (sum * i64::from(self.level.error) / 0x1_0000) as Value;
        if side == Side::First { error } else { -error }
    }
}
