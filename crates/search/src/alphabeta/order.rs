//! Which move first: killers and history.

use banmen_game::{Side, mix};

use super::MAX_PLY;

/// Slots of the history table for each side. Moves that share a slot share their history: rare, and only an ordering.
const SLOTS: usize = 1 << 12;

/// A move's history stays below this; killers stand above it.
const HISTORY_TOP: i32 = 1 << 20;

/// What cut off elsewhere in the tree.
#[derive(Clone, Debug)]
pub(super) struct Order {
    history: [Vec<i32>; 2],
    killers: Vec<[Option<u32>; 2]>,
}

impl Default for Order {
    fn default() -> Self {
        Order { history: [vec![0; SLOTS], vec![0; SLOTS]], killers: vec![[None; 2]; MAX_PLY] }
    }
}

impl Order {
    /// A new search begins: history fades, killers belong to other plies.
    pub(super) fn age(&mut self) {
        for entry in self.history.iter_mut().flatten() {
            *entry /= 4;
        }
        self.killers.fill([None; 2]);
    }

    /// A packed move of `side` cut off at `ply`, `depth` plies above the leaves.
    pub(super) fn cut(&mut self, side: Side, m: u32, ply: usize, depth: u32) {
        let entry = &mut self.history[side.index()][slot(m)];
        *entry += (depth * depth) as i32;
        if *entry >= HISTORY_TOP {
            for entry in &mut self.history[side.index()] {
                *entry /= 2;
            }
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            killers[1] = killers[0];
            killers[0] = Some(m);
        }
    }

    /// The place of a packed move among moves of equal rank: killers, then history.
    pub(super) fn place(&self, side: Side, m: u32, ply: usize) -> i32 {
        let killers = &self.killers[ply];
        if killers[0] == Some(m) {
            HISTORY_TOP + 1
        } else if killers[1] == Some(m) {
            HISTORY_TOP
        } else {
            self.history[side.index()][slot(m)]
        }
    }
}

fn slot(m: u32) -> usize {
    mix(u64::from(m)) as usize & (SLOTS - 1)
}
