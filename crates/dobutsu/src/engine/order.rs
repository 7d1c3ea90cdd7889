//! Which move first: killers (Akl and Newborn 1977) and history (Schaeffer 1983).

use banmen_game::Side;

use super::search::MAX_PLY;

/// A move's history stays below this in both directions.
const TOP: i32 = 1 << 14;

/// What cut off elsewhere in the tree. Moves are packed.
#[derive(Clone, Debug)]
pub(super) struct Order {
    history: [[i32; 256]; 2],
    killers: Vec<[u8; 2]>,
}

impl Default for Order {
    fn default() -> Self {
        Order { history: [[0; 256]; 2], killers: vec![[u8::MAX; 2]; MAX_PLY] }
    }
}

impl Order {
    /// A new search begins: history fades, killers belong to other plies.
    pub(super) fn age(&mut self) {
        for entry in self.history.iter_mut().flatten() {
            *entry /= 4;
        }
        self.killers.fill([u8::MAX; 2]);
    }

    /// A move of `side` cut off at `ply`, `depth` plies above the leaves.
    pub(super) fn cut(&mut self, side: Side, m: u8, ply: usize, depth: i32) {
        self.learn(side, m, depth * depth);
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != m
        {
            *killers = [m, killers[0]];
        }
    }

    /// A move was tried before the one that cut off.
    pub(super) fn failed(&mut self, side: Side, m: u8, depth: i32) {
        self.learn(side, m, -depth * depth);
    }

    fn learn(&mut self, side: Side, m: u8, by: i32) {
        let entry = &mut self.history[side.index()][usize::from(m)];
        // What is near the top grows ever less.
        *entry += by - *entry * by.abs().min(TOP) / TOP;
    }

    /// The place of a move: killers above all history.
    #[inline]
    pub(super) fn place(&self, side: Side, m: u8, ply: usize) -> i32 {
        let killers = self.killers.get(ply).copied().unwrap_or([u8::MAX; 2]);
        if killers[0] == m {
            2 * TOP
        } else if killers[1] == m {
            TOP + TOP / 2
        } else {
            self.history[side.index()][usize::from(m)]
        }
    }
}
