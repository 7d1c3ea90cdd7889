//! The restrictions of the levels below 10: a weak player overlooks placements, the less conspicuous ones first, and looks less
//! far ahead.

use banmen_search::Softmax;

use crate::moves::Move;

/// The restrictions of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// How many placements it considers at a move.
    considered: usize,
    /// How it draws them, in logarithms of their strengths.
    choice: Softmax,
    /// Playouts for a move.
    pub(super) playouts: u64,
}

const fn level(considered: usize, temperature: f64, max_loss: f64, playouts: u64) -> Level {
    Level { considered, choice: Softmax { temperature, max_loss }, playouts }
}

/// Levels 1 to 9; level 10 has no restrictions. With one playout the placement with the highest prior is played.
pub(super) const LEVELS: [Level; 9] = [
    level(1, 3.4, 16.0, 1),
    level(1, 1.7, 10.0, 1),
    level(1, 0.9, 7.0, 1),
    level(2, 0.9, 6.0, 1),
    level(5, 0.9, 6.0, 30),
    level(12, 0.9, 6.0, 120),
    level(25, 0.9, 6.0, 400),
    level(50, 0.9, 8.0, 1_200),
    level(200, 0.9, 12.0, 4_000),
];

impl Level {
    /// Keeps the placements that the level considers, of all with their strengths. The salt differs between positions and
    /// between games.
    pub(super) fn keep_considered(&self, salt: u64, placements: &mut Vec<(f32, Move)>) {
        self.choice.sort(salt, placements, |&(strength, m)| (libm::log(strength.into()), m.pack().into()));
        placements.truncate(self.considered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the logarithms of the strengths of the best placements that a level considers in 200 games.
    fn best_considered(level: &Level) -> f64 {
        let all: Vec<(f32, Move)> = Move::placements().take(200).map(|m| (1.0 / (1.0 + m.pack() as f32), m)).collect();
        let best = |salt| {
            let mut placements = all.clone();
            level.keep_considered(salt, &mut placements);
            assert!(placements.len() <= level.considered);
            placements.iter().map(|&(strength, _)| libm::log(strength.into())).fold(f64::NEG_INFINITY, f64::max)
        };
        (0..200).map(best).sum()
    }

    #[test]
    fn higher_levels_overlook_fewer_strong_placements() {
        for pair in LEVELS.windows(2) {
            assert!(best_considered(&pair[0]) <= best_considered(&pair[1]), "{pair:?}");
        }
        assert!(LEVELS.is_sorted_by_key(|level| level.playouts));
    }
}
