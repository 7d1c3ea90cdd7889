//! One position of the tree.

use std::ops::ControlFlow;

use banmen_game::{Game, History};

use super::order::Order;
use super::table::{Bound, COMPLETE, Table};
use super::{Evaluator, INFINITE, MAX_PLY, NEAR_WIN};
use crate::Budget;

/// A move and its place in the order.
#[derive(Clone, Copy)]
pub(super) struct Ranked<M> {
    pub(super) m: M,
    rank: (i32, i32),
}

/// The search below one root.
pub(super) struct Tree<'a, 'w, G: Game, E> {
    pub(super) game: &'a G,
    pub(super) evaluator: &'a mut E,
    pub(super) table: &'a mut Table,
    pub(super) order: &'a mut Order,
    pub(super) budget: &'a mut Budget<'w>,
    pub(super) history: G::History,
    /// The moves of all positions on the path, one after the other.
    pub(super) moves: Vec<Ranked<G::Move>>,
    /// The best line below each ply.
    pub(super) lines: Vec<Vec<G::Move>>,
    /// Whether some value since it was last cleared rests on an evaluation rather than on ends of the game.
    pub(super) open: bool,
}

impl<G: Game, E: Evaluator<G>> Tree<'_, '_, G, E> {
    /// The value of `position` from its mover's view within `alpha..beta` (fail-soft), `depth` plies deep. `None`
    /// when the budget says stop: nothing of an unfinished position is stored.
    fn search(&mut self, position: &G::Position, depth: u32, mut alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if !self.budget.node() {
            return None;
        }
        self.lines[ply].clear();
        let side = self.game.side_to_move(position);
        if !G::History::EMPTY
            && let Some(outcome) = self.game.outcome(position, &self.history)
        {
            return Some(nearer(self.evaluator.ended(&outcome, side), ply));
        }
        if depth == 0 || ply == MAX_PLY - 1 {
            if let Some(value) = self.ended(position, ply) {
                return Some(value);
            }
            self.open = true;
            return Some(self.evaluator.evaluate(self.game, position));
        }

        let key = self.game.key(position);
        let known = self.table.get(key);
        if let Some(known) = known
            && u32::from(known.depth) >= depth
            // A position on the principal variation is searched, so that its line is known.
            && beta - alpha == 1
        {
            let value = from_table(known.value, ply);
            let cut = match known.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cut {
                self.open |= known.depth != COMPLETE;
                return Some(value);
            }
        }
        if let Some(value) = self.evaluator.exact(self.game, position, alpha, beta, self.budget) {
            return Some(value);
        }
        if self.budget.over() {
            return None;
        }

        let first = self.moves.len();
        self.list(position, depth, ply, known.map(|known| known.m));
        let count = self.moves.len() - first;
        if count == 0 {
            return self.ended(position, ply);
        }
        // A lone pass decides nothing, so it costs no depth.
        let below = if count == 1 && self.game.pass() == Some(self.moves[first].m) { depth } else { depth - 1 };

        let outer = std::mem::replace(&mut self.open, false);
        self.history.push(position);
        let (start, mut best, mut best_move) = (alpha, -INFINITE, self.moves[first].m);
        let mut stopped = false;
        for index in first..self.moves.len() {
            let m = self.next(index);
            let mut next = position.clone();
            self.game.play(&mut next, m);
            let Some(value) = self.child(&next, side, below, alpha, beta, ply, index == first) else {
                stopped = true;
                break;
            };
            if value > best {
                best = value;
                best_move = m;
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, m);
                }
                if alpha >= beta {
                    self.order.cut(side, self.game.pack(m), ply, depth);
                    break;
                }
            }
        }
        self.history.pop();
        self.moves.truncate(first);
        let complete = !self.open;
        self.open |= outer;
        if stopped {
            return None;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let depth = if complete { COMPLETE } else { depth.min(u32::from(COMPLETE) - 1) as u8 };
        self.table.put(key, self.game.pack(best_move), to_table(best, ply), depth, bound);
        Some(best)
    }

    /// The value of a child from its parent's view: the first one with the whole window, the others with an empty one
    /// first.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn child(
        &mut self,
        next: &G::Position,
        side: banmen_game::Side,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> Option<i32> {
        let same = self.game.side_to_move(next) == side;
        let mut below = |low: i32, high: i32| {
            if same {
                self.search(next, depth, low, high, ply + 1)
            } else {
                self.search(next, depth, -high, -low, ply + 1).map(|value| -value)
            }
        };
        if first {
            return below(alpha, beta);
        }
        let value = below(alpha, alpha + 1)?;
        if value > alpha && value < beta { below(alpha, beta) } else { Some(value) }
    }

    /// Puts the moves of `position` with their ranks behind those of the path.
    pub(super) fn list(&mut self, position: &G::Position, depth: u32, ply: usize, known: Option<u32>) {
        let Tree { game, evaluator, order, moves, .. } = self;
        let side = game.side_to_move(position);
        let _ = game.visit_moves(position, |m| {
            let packed = game.pack(m);
            let rank = if known == Some(packed) {
                (i32::MAX, 0)
            } else {
                (evaluator.rank(game, position, m, depth), order.place(side, packed, ply))
            };
            moves.push(Ranked { m, rank });
            ControlFlow::<()>::Continue(())
        });
    }

    /// Brings the best move from `index` on to `index`. Of equals the one listed first.
    pub(super) fn next(&mut self, index: usize) -> G::Move {
        let mut best = index;
        for other in index + 1..self.moves.len() {
            if self.moves[other].rank > self.moves[best].rank {
                best = other;
            }
        }
        self.moves[index..=best].rotate_right(1);
        self.moves[index].m
    }

    /// `m` followed by the line below `ply` is the line of `ply`.
    pub(super) fn extend_line(&mut self, ply: usize, m: G::Move) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].push(m);
        above[ply].extend_from_slice(&below[0]);
    }

    /// The value of a position that lists no move; `None` where the game goes on.
    fn ended(&mut self, position: &G::Position, ply: usize) -> Option<i32> {
        let listed = self.game.visit_moves(position, |_| ControlFlow::Break(()));
        if listed.is_break() {
            return None;
        }
        let outcome = self.game.outcome(position, &self.history)?;
        Some(nearer(self.evaluator.ended(&outcome, self.game.side_to_move(position)), ply))
    }
}

/// A win `ply` plies away: nearer wins are worth more, nearer losses less. Margins stay as they are.
fn nearer(value: i32, ply: usize) -> i32 {
    if value >= NEAR_WIN {
        value - ply as i32
    } else if value <= -NEAR_WIN {
        value + ply as i32
    } else {
        value
    }
}

/// In the table wins count from the position, not from the root.
fn to_table(value: i32, ply: usize) -> i32 {
    if value >= NEAR_WIN {
        value + ply as i32
    } else if value <= -NEAR_WIN {
        value - ply as i32
    } else {
        value
    }
}

fn from_table(value: i32, ply: usize) -> i32 {
    nearer(value, ply)
}
