//! The restrictions of the levels below 10.
//!
//! A level searches few plies, composes fewer births, and adds an error to the value of each move of the root. The
//! error is determined by the seed, the position and the move.

use banmen_game::mix;

use super::births::Breadth;
use super::lists::Lists;
use super::search::DECIDED;
use crate::parts::Valued;
use crate::trial::UNIT;

/// The restrictions of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Plies looked ahead.
    pub(super) depth: u32,
    /// The breadth of the composed births at the root.
    breadth: Breadth,
    /// The largest error of a move's value, in percent of the cells.
    noise: i32,
}

const FEW: Breadth = Breadth { births: 3, sacrifices: 6, pairs: 1 };
const SOME: Breadth = Breadth { births: 8, sacrifices: 10, pairs: 1 };
const MANY: Breadth = Breadth { births: 20, sacrifices: 20, pairs: 2 };

/// Levels 1 to 9; level 10 has no restrictions.
pub(super) const LEVELS: [Level; 9] = [
    Level { depth: 1, breadth: FEW, noise: 60 },
    Level { depth: 1, breadth: FEW, noise: 45 },
    Level { depth: 1, breadth: FEW, noise: 34 },
    Level { depth: 1, breadth: SOME, noise: 25 },
    Level { depth: 1, breadth: SOME, noise: 18 },
    Level { depth: 1, breadth: SOME, noise: 10 },
    Level { depth: 2, breadth: SOME, noise: 21 },
    Level { depth: 2, breadth: MANY, noise: 16 },
    Level { depth: 3, breadth: MANY, noise: 4 },
];

impl Level {
    /// Shortens the lists of moves: at the root to those of the level, below it to short ones.
    pub(super) fn narrow(&self, lists: &mut Lists) {
        lists.root.cut(self.breadth);
        lists.inner.cut(Breadth { births: 5, sacrifices: 10, pairs: 1 });
        lists.survey = lists.survey.min(60);
        lists.widths.iter_mut().zip([24, 12, 8]).for_each(|(width, most)| *width = most.min(*width));
    }

    /// Adds an error to the values of the moves of a position and sorts them. Wins stay wins, and no other move becomes
    /// a win. The salt differs between positions and between games.
    pub(super) fn add_errors(&self, salt: u64, moves: &mut [Valued]) {
        for (m, value) in moves.iter_mut().filter(|(_, value)| value.abs() <= UNIT) {
            let bits = mix(salt ^ mix(m.pack().into()));
            let uniform = |bits: u64| (bits & 0xFFFF) as i32 - 0x8000;
            // The sum of two uniform numbers: small errors are more frequent.
            let sum = i64::from(uniform(bits) + uniform(bits >> 16));
            *value += (sum * i64::from(self.noise * UNIT / 100) / 0x1_0000) as i32;
        }
        moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        // Values are clamped below a win.
        for (_, value) in moves.iter_mut().filter(|(_, value)| value.abs() <= DECIDED) {
            *value = (*value).clamp(-UNIT, UNIT);
        }
    }
}
