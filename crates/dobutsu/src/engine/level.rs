//! The weaknesses of the levels below 10.
//!
//! A level searches a few plies deep and overlooks moves as a person does: drops of the other side above all, then quiet
//! steps, and at the lowest levels even that its lion can be captured. Its evaluation has noise. What it overlooks follows
//! from the seed, the position and the move, so that it is the same everywhere in one search.

use banmen_game::mix;

use crate::position::Move;

/// The parameters of a level. Shares are in 1/256.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Depth of the search, without quiescence search.
    pub(super) depth: u32,
    /// The share of the other side's drops that are overlooked.
    drops: u8,
    /// The share of the other side's other moves that are overlooked.
    steps: u8,
    /// The share of own moves that lose at once without being recognised.
    pub(super) dangers: u8,
    /// The largest error of the evaluation, in its units.
    noise: i32,
}

/// Levels 1 to 9; 10 has no handicap.
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

/// The weaknesses of a level at one move of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handicap {
    pub(super) level: Level,
    /// Changes from move to move.
    pub(super) salt: u64,
}

impl Handicap {
    /// 64 pseudo-random bits for a decision of this kind at the position with this key.
    fn random_bits(&self, key: u64, kind: u64) -> u64 {
        mix(self.salt ^ key ^ mix(kind))
    }

    /// Whether a move `ply` plies after the root is overlooked. Own moves never are.
    pub(super) fn overlooks(&self, key: u64, m: Move, ply: usize) -> bool {
        let share = match m {
            Move::Drop { .. } => self.level.drops,
            Move::Step { .. } => self.level.steps,
        };
        ply % 2 == 1 && self.random_bits(key, u64::from(m.pack())) & 255 < u64::from(share)
    }

    /// Whether a root move that loses at once is not recognised as losing.
    pub(super) fn misses_danger(&self, key: u64, m: Move) -> bool {
        self.random_bits(key, 256 + u64::from(m.pack())) & 255 < u64::from(self.level.dangers)
    }

    /// The error of the evaluation of a position.
    pub(super) fn noise(&self, key: u64) -> i32 {
        // The sum of two uniform numbers: small errors are more frequent.
        let drawn = self.random_bits(key, 512);
        let uniform = |bits: u64| (bits & 0xFFFF) as i32 - 0x8000;
        (i64::from(uniform(drawn) + uniform(drawn >> 16)) * i64::from(self.level.noise) / 0x1_0000) as i32
    }
}
