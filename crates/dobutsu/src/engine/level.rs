//! The weaknesses of the levels below 10.
//!
//! A level searches a few plies deep and overlooks moves as a person does: drops of the other side above all, then quiet
//! steps, and at the lowest levels even captures, of its lion too. Its evaluation has noise. What it overlooks follows from
//! the seed, the position and the move, so that it is the same everywhere in one search.

use banmen_game::mix;

use crate::position::{Move, Position};

/// The parameters of a level. Shares are in 1/256.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Depth of the search, without quiescence search.
    pub(super) depth: u32,
    /// The share of the other side's drops that are overlooked.
    drops: u8,
    /// The share of the other side's steps to empty squares that are overlooked.
    steps: u8,
    /// The share of the other side's captures that are overlooked.
    captures: u8,
    /// The share of own moves that lose at once without being recognised.
    pub(super) dangers: u8,
    /// The largest error of the evaluation, in its units.
    noise: i32,
}

const fn level(depth: u32, [drops, steps, captures, dangers]: [u8; 4], noise: i32) -> Level {
    Level { depth, drops, steps, captures, dangers, noise }
}

/// Levels 1 to 9; 10 has no handicap.
pub(super) const LEVELS: [Level; 9] = [
    level(1, [250, 240, 150, 140], 3000),
    level(1, [240, 205, 40, 36], 1300),
    level(1, [225, 160, 12, 10], 800),
    level(1, [210, 130, 0, 0], 650),
    level(2, [185, 95, 0, 0], 480),
    level(2, [150, 65, 0, 0], 340),
    level(3, [120, 38, 0, 0], 260),
    level(4, [68, 13, 0, 0], 145),
    level(6, [30, 5, 0, 0], 70),
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

    /// Whether a move from a position `ply` plies after the root is overlooked. Own moves never are.
    pub(super) fn overlooks(&self, position: &Position, key: u64, m: Move, ply: usize) -> bool {
        let share = match m {
            Move::Drop { .. } => self.level.drops,
            Move::Step { .. } if position.empty() & m.to().mask() == 0 => self.level.captures,
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
