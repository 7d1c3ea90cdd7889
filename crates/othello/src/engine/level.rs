//! The restrictions of the levels below 10.
//!
//! A level looks a few plies ahead and solves short endings. The low ones misjudge moves as beginners do: they like to turn
//! many discs, they confuse moves of similar value, and seldom more different ones.

use banmen_search::{Line, Softmax};

use crate::moves;
use crate::position::{Move, Position};

/// The restrictions of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Search depth in plies.
    pub(super) depth: u32,
    /// The most empty squares with which the ending is solved.
    pub(super) exact: u32,
    /// What a disc that a move turns counts beside the value of the move, in discs.
    greed: f64,
    /// The choice among the moves, in discs.
    choice: Softmax,
}

const fn level(depth: u32, exact: u32, greed: f64, temperature: f64, max_loss: f64) -> Level {
    Level { depth, exact, greed, choice: Softmax { temperature, max_loss } }
}

/// Levels 1 to 9; level 10 has no restrictions.
pub(super) const LEVELS: [Level; 9] = [
    level(1, 0, 16.0, 18.0, f64::INFINITY),
    level(1, 0, 6.0, 7.0, f64::INFINITY),
    level(1, 0, 3.0, 4.8, 40.0),
    level(1, 2, 1.4, 3.3, 14.0),
    level(1, 4, 0.4, 1.9, 8.0),
    level(2, 6, 0.3, 2.0, 7.0),
    level(3, 8, 0.0, 1.1, 5.0),
    level(4, 10, 0.0, 0.3, 2.0),
    level(8, 14, 0.0, 0.0, 0.0),
];

impl Level {
    /// Whether the level chooses by other values than those of its search.
    pub(super) fn misjudges(&self) -> bool {
        self.choice.temperature > 0.0
    }

    /// Sorts the lines of a search of all moves by the choice of the level. The salt differs between positions and between
    /// games.
    pub(super) fn sort(&self, position: &Position, salt: u64, lines: &mut [Line<Move>]) {
        let turned = |square| moves::flips(position.own(), position.opp(), square).count_ones();
        self.choice.sort(salt, lines, |line| {
            let square = line.moves.first().and_then(|m| m.square());
            let value = line.eval.map_or(0.0, |eval| eval.n);
            (value + self.greed * f64::from(square.map_or(0, turned)), square.unwrap_or(64).into())
        });
    }
}
