//! Move ordering: killer moves and the history heuristic.

use banmen_game::{Side, mix};

use super::MAX_PLY;

/// Slots of the history table for each side. Moves with the same slot share a counter: rare, and only an ordering.
const SLOTS: usize = 1 << 12;

/// History counters stay below this; killers are ordered before all of them.
const HISTORY_MAX: i32 = 1 << 20;

/// Killers by ply, and the history heuristic's counters by side and move.
#[derive(Clone, Debug)]
pub(super) struct MoveOrder {
    history: [Vec<i32>; 2],
    killers: Vec<[Option<u32>; 2]>,
}

impl Default for MoveOrder {
    fn default() -> Self {
        MoveOrder { history: [vec![0; SLOTS], vec![0; SLOTS]], killers: vec![[None; 2]; MAX_PLY] }
    }
}

impl MoveOrder {
    /// A new search begins: history counters decay, and killers are removed, because their plies count from the old
    /// root.
    pub(super) fn age(&mut self) {
        for counter in self.history.iter_mut().flatten() {
            *counter /= 4;
        }
        self.killers.fill([None; 2]);
    }

    /// A packed move of `side` caused a cut-off at `ply`, `depth` plies above the leaves.
    pub(super) fn cutoff(&mut self, side: Side, m: u32, ply: usize, depth: u32) {
        let counter = &mut self.history[side.index()][slot(m)];
        *counter += (depth * depth) as i32;
        if *counter >= HISTORY_MAX {
            for counter in &mut self.history[side.index()] {
                *counter /= 2;
            }
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            killers[1] = killers[0];
            killers[0] = Some(m);
        }
    }

    /// Orders packed moves of equal rank, higher first: killers, then history.
    pub(super) fn score(&self, side: Side, m: u32, ply: usize) -> i32 {
        let killers = &self.killers[ply];
        if killers[0] == Some(m) {
            HISTORY_MAX + 1
        } else if killers[1] == Some(m) {
            HISTORY_MAX
        } else {
            self.history[side.index()][slot(m)]
        }
    }
}

fn slot(m: u32) -> usize {
    mix(u64::from(m)) as usize & (SLOTS - 1)
}
