//! The restrictions of the levels below 10: a weak player overlooks placements, and looks less far ahead.

/// The restrictions of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// How many placements it considers at a move, drawn at random.
    pub(super) considered: usize,
    /// Playouts for a move.
    pub(super) playouts: u64,
}

const fn level(considered: usize, playouts: u64) -> Level {
    Level { considered, playouts }
}

/// Levels 1 to 9; level 10 has no restrictions. With one playout the placement with the highest prior is played.
pub(super) const LEVELS: [Level; 9] = [
    level(1, 1),
    level(2, 1),
    level(5, 1),
    level(12, 1),
    level(12, 60),
    level(25, 120),
    level(50, 300),
    level(100, 1_000),
    level(200, 5_000),
];
