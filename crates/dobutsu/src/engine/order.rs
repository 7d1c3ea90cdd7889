//! Move ordering: killer moves (Akl and Newborn 1977) and the history heuristic (Schaeffer 1983).

use banmen_game::Side;

use super::search::MAX_PLY;

/// History counters stay between this and its negative.
const HISTORY_MAX: i32 = 1 << 14;

/// Killers by ply, and history counters by side and move. Moves are packed.
#[derive(Clone, Debug)]
pub(super) struct MoveOrder {
    history: [[i32; 256]; 2],
    killers: Vec<[u8; 2]>,
}

impl Default for MoveOrder {
    fn default() -> Self {
        MoveOrder { history: [[0; 256]; 2], killers: vec![[u8::MAX; 2]; MAX_PLY] }
    }
}

impl MoveOrder {
    /// A new search begins: history counters decay, and killers are removed, because their plies count from the old
    /// root.
    pub(super) fn age(&mut self) {
        for entry in self.history.iter_mut().flatten() {
            *entry /= 4;
        }
        self.killers.fill([u8::MAX; 2]);
    }

    /// A move of `side` caused a cut-off at `ply`, `depth` plies above the leaves.
    pub(super) fn cutoff(&mut self, side: Side, m: u8, ply: usize, depth: i32) {
        self.learn(side, m, depth * depth);
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != m
        {
            *killers = [m, killers[0]];
        }
    }

    /// A move was searched before the one that caused the cut-off.
    pub(super) fn failed(&mut self, side: Side, m: u8, depth: i32) {
        self.learn(side, m, -depth * depth);
    }

    fn learn(&mut self, side: Side, m: u8, by: i32) {
        let entry = &mut self.history[side.index()][usize::from(m)];
        // The nearer to the bound, the smaller the step.
        *entry += by - *entry * by.abs().min(HISTORY_MAX) / HISTORY_MAX;
    }

    /// Orders moves, higher first: killers, then history.
    #[inline]
    pub(super) fn score(&self, side: Side, m: u8, ply: usize) -> i32 {
        let killers = self.killers.get(ply).copied().unwrap_or([u8::MAX; 2]);
        if killers[0] == m {
            2 * HISTORY_MAX
        } else if killers[1] == m {
            HISTORY_MAX + HISTORY_MAX / 2
        } else {
            self.history[side.index()][usize::from(m)]
        }
    }
}
