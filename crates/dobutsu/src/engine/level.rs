//! What the levels below 10 do not see.
//!
//! A level looks a few plies ahead, and on the way it overlooks moves as a person does: drops of the other side above
//! all, then quiet steps, and at the lowest levels even that its lion can be caught. It misjudges positions too. What it
//! overlooks follows from the seed, the position and the move, so within one search it does not see a move here and
//! miss it there.

use banmen_game::mix;

use crate::position::Move;

/// What a level may do, and what it misses: shares in 1/256.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Plies looked ahead before captures are followed.
    pub(super) depth: u32,
    /// Drops of the other side that are overlooked.
    drops: u8,
    /// Other moves of the other side that are overlooked.
    steps: u8,
    /// Moves that lose at once and are not seen to do so.
    pub(super) dangers: u8,
    /// The largest misjudgement, in units of the evaluation.
    noise: i32,
}

/// Levels 1 to 9; 10 has none of this.
pub(super) const LEVELS: [Level; 9] = [
    Level { depth: 1, drops: 245, steps: 220, dangers: 190, noise: 1500 },
    Level { depth: 1, drops: 235, steps: 180, dangers: 130, noise: 800 },
    Level { depth: 1, drops: 215, steps: 130, dangers: 75, noise: 520 },
    Level { depth: 1, drops: 185, steps: 90, dangers: 38, noise: 400 },
    Level { depth: 2, drops: 160, steps: 65, dangers: 15, noise: 330 },
    Level { depth: 2, drops: 125, steps: 42, dangers: 5, noise: 260 },
    Level { depth: 3, drops: 100, steps: 25, dangers: 0, noise: 190 },
    Level { depth: 4, drops: 60, steps: 12, dangers: 0, noise: 120 },
    Level { depth: 5, drops: 25, steps: 4, dangers: 0, noise: 60 },
];

/// A level at one move of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) level: Level,
    /// Changes from move to move.
    pub(super) salt: u64,
}

impl Sight {
    fn chance(&self, key: u64, kind: u64) -> u64 {
        mix(self.salt ^ key ^ mix(kind))
    }

    /// Whether the move of a position so many plies after the root is overlooked. The own moves are seen.
    pub(super) fn overlooks(&self, key: u64, m: Move, ply: usize) -> bool {
        let share = match m {
            Move::Drop { .. } => self.level.drops,
            Move::Step { .. } => self.level.steps,
        };
        ply % 2 == 1 && self.chance(key, u64::from(m.pack())) & 255 < u64::from(share)
    }

    /// Whether it is not seen that a move of the root loses at once.
    pub(super) fn misses_danger(&self, key: u64, m: Move) -> bool {
        self.chance(key, 256 + u64::from(m.pack())) & 255 < u64::from(self.level.dangers)
    }

    /// How much better than it is a position is taken to be.
    pub(super) fn misjudges(&self, key: u64) -> i32 {
        // The sum of two dice: small errors are more frequent.
        let dice = self.chance(key, 512);
        let die = |bits: u64| (bits & 0xFFFF) as i32 - 0x8000;
        (i64::from(die(dice) + die(dice >> 16)) * i64::from(self.level.noise) / 0x1_0000) as i32
    }
}
