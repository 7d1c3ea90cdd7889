//! The restrictions of the levels below 10.

use banmen_game::mix;

use super::settings::{Breadth, Settings};
use crate::moves::Move;

/// A level searches few positions, makes its plans by narrow beams, and adds an error to the value of each plan of the root. The
/// error is determined by the seed, the position and the plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Positions searched beside the root.
    pub(super) steps: u32,
    /// The width of the beams, and how many plans they make.
    width: usize,
    /// The largest error of an expected score.
    noise: f32,
}

/// Levels 1 to 9; level 10 has no restrictions.
pub(super) const LEVELS: [Level; 9] = [
    Level { steps: 0, width: 24, noise: 1.0 },
    Level { steps: 0, width: 24, noise: 0.8 },
    Level { steps: 0, width: 24, noise: 0.6 },
    Level { steps: 0, width: 16, noise: 0.45 },
    Level { steps: 0, width: 12, noise: 0.35 },
    Level { steps: 6, width: 8, noise: 0.25 },
    Level { steps: 16, width: 8, noise: 0.2 },
    Level { steps: 48, width: 12, noise: 0.12 },
    Level { steps: 160, width: 16, noise: 0.05 },
];

impl Level {
    /// Makes the beams narrower.
    pub(super) fn narrow(&self, settings: &mut Settings) {
        for breadth in [&mut settings.root, &mut settings.inner] {
            let Breadth { width, plans } = *breadth;
            *breadth = Breadth { width: width.min(self.width), plans: plans.min(self.width) };
        }
    }

    /// The expected score of a plan with the error of the level. The salt differs between positions and between games.
    pub(super) fn add_error(&self, salt: u64, moves: &[Move], score: f32) -> f32 {
        let dice = moves.iter().fold(salt, |dice, m| mix(dice ^ u64::from(m.pack())));
        let die = |bits: u64| (bits & 0xFFFF) as f32 / 32_768.0 - 1.0;
        // The sum of two uniform numbers: small errors are more frequent.
        score + (die(dice) + die(dice >> 16)) / 2.0 * self.noise
    }
}
