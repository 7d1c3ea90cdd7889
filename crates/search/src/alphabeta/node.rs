//! The search of one node.

use std::ops::ControlFlow;

use banmen_game::{Game, History, mix};

use super::order::MoveOrder;
use super::table::{Bound, COMPLETE, Table, TableEntry};
use super::{Evaluator, INFINITE, MAX_PLY, NEAR_WIN};
use crate::Budget;
use crate::windows::{Recorder, VisitEnd};

/// A move with its rank for ordering.
#[derive(Clone, Copy)]
pub(super) struct Ranked<M> {
    pub(super) m: M,
    rank: (i32, i32),
}

/// One thread's search below a root.
pub(super) struct Tree<'a, 'w, G: Game, E> {
    pub(super) game: &'a G,
    pub(super) evaluator: &'a mut E,
    pub(super) table: &'a Table,
    pub(super) order: &'a mut MoveOrder,
    pub(super) budget: &'a mut Budget<'w>,
    pub(super) history: G::History,
    /// A hash of the positions that `history` was given, in their order. In a game with a history it is a part of the key
    /// of table entries: the value of a position then depends on how it was reached (the graph history interaction
    /// problem, Campbell 1985).
    pub(super) path: u64,
    /// The moves of all positions on the path, one after the other.
    pub(super) moves: Vec<Ranked<G::Move>>,
    /// The principal variation from each ply on.
    pub(super) lines: Vec<Vec<G::Move>>,
    /// Whether a value since it was last cleared rests on an evaluation rather than on ends of the game.
    pub(super) heuristic: bool,
    /// Records the visits near the root, where that is asked for.
    pub(super) record: Option<Box<Recorder>>,
}

impl<G: Game, E: Evaluator<G>> Tree<'_, '_, G, E> {
    /// The value of `position` from its mover's view within `alpha..beta` (fail-soft), `depth` plies deep. `None`
    /// when the budget is over: nothing is stored of an unfinished node.
    fn search(&mut self, position: &G::Position, depth: u32, mut alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if !self.budget.node() {
            return None;
        }
        self.lines[ply].clear();
        let side = self.game.side_to_move(position);
        if !G::History::EMPTY
            && let Some(outcome) = self.game.outcome(position, &self.history)
        {
            self.end(VisitEnd::Ended);
            return Some(root_value(self.evaluator.ended(&outcome, side), ply));
        }
        if depth == 0 || ply == MAX_PLY - 1 {
            if let Some(value) = self.ended(position, ply) {
                return Some(value);
            }
            self.heuristic = true;
            self.end(VisitEnd::Leaf);
            return Some(self.evaluator.evaluate(self.game, position));
        }

        let key = self.game.key(position);
        let entry_key = if G::History::EMPTY { key } else { mix(key ^ self.path) };
        let entry = self.table.get(entry_key);
        if let Some(entry) = entry
            && (entry.depth == COMPLETE || u32::from(entry.depth) >= depth)
            // Nodes of the principal variation are searched, so that the variation is complete.
            && beta - alpha == 1
        {
            let value = root_value(entry.value, ply);
            let cut = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cut {
                self.heuristic |= entry.depth != COMPLETE;
                self.end(VisitEnd::Table);
                return Some(value);
            }
        }
        if let Some(value) = self.evaluator.exact(self.game, position, alpha, beta, self.budget) {
            self.end(VisitEnd::Solved);
            return Some(value);
        }
        if self.budget.over() {
            return None;
        }

        let first = self.moves.len();
        self.list(position, depth, ply, entry.map(|entry| entry.m));
        let count = self.moves.len() - first;
        if count == 0 {
            return self.ended(position, ply);
        }
        // A forced pass is no decision, so it costs no depth.
        let child_depth = if count == 1 && self.game.pass() == Some(self.moves[first].m) { depth } else { depth - 1 };

        let outer_heuristic = std::mem::replace(&mut self.heuristic, false);
        let outer_path = self.path;
        self.path = extend_path(outer_path, key);
        self.history.push(position);
        let (start, mut best, mut best_move) = (alpha, -INFINITE, self.moves[first].m);
        let mut stopped = false;
        for index in first..self.moves.len() {
            let m = self.next(index);
            let mut next = position.clone();
            self.game.play(&mut next, m);
            let Some(value) = self.child(m, &next, side, child_depth, alpha, beta, ply, index == first) else {
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
                    self.order.cutoff(side, self.game.pack(m), ply, depth);
                    if let Some(record) = &mut self.record {
                        record.cut(self.moves[index + 1..].iter().map(|ranked| self.game.pack(ranked.m)));
                    }
                    break;
                }
            }
        }
        self.history.pop();
        self.path = outer_path;
        self.moves.truncate(first);
        let complete = !self.heuristic;
        self.heuristic |= outer_heuristic;
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
        let m = self.game.pack(best_move);
        self.table.put(entry_key, TableEntry { m, value: position_value(best, ply), depth, bound });
        Some(best)
    }

    /// The value of a child from its parent's view: the first child with the full window, the others with a null window
    /// first.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn child(
        &mut self,
        m: G::Move,
        next: &G::Position,
        side: banmen_game::Side,
        depth: u32,
        alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> Option<i32> {
        let same = self.game.side_to_move(next) == side;
        let mut search = |low: i32, high: i32| {
            if same {
                self.visit(m, next, depth, low, high, ply + 1)
            } else {
                self.visit(m, next, depth, -high, -low, ply + 1).map(|value| -value)
            }
        };
        if first {
            return search(alpha, beta);
        }
        let value = search(alpha, alpha + 1)?;
        if value > alpha && value < beta { search(alpha, beta) } else { Some(value) }
    }

    /// [`Tree::search`] of the position after a move, recorded where that is asked for.
    fn visit(&mut self, m: G::Move, next: &G::Position, depth: u32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if let Some(record) = &mut self.record {
            record.enter(self.game.pack(m), self.game.side_to_move(next), depth as i32, alpha, beta);
        }
        let value = self.search(next, depth, alpha, beta, ply);
        if let Some(record) = &mut self.record {
            record.leave(value);
        }
        value
    }

    /// Says how the visit under way ends.
    fn end(&mut self, end: VisitEnd) {
        if let Some(record) = &mut self.record {
            record.end(end);
        }
    }

    /// Appends the moves of `position` with their ranks to [`Tree::moves`]; `table_move`, packed, is ranked first.
    pub(super) fn list(&mut self, position: &G::Position, depth: u32, ply: usize, table_move: Option<u32>) {
        let Tree { game, evaluator, order, moves, .. } = self;
        let side = game.side_to_move(position);
        let _ = game.visit_moves(position, |m| {
            let packed = game.pack(m);
            let rank = if table_move == Some(packed) {
                (i32::MAX, 0)
            } else {
                (evaluator.rank(game, position, m, depth), order.score(side, packed, ply))
            };
            moves.push(Ranked { m, rank });
            ControlFlow::<()>::Continue(())
        });
    }

    /// Moves the best of the moves from `index` on to `index` and returns it. Of equals the one listed first.
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

    /// Sets the principal variation of `ply` to `m` followed by that of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, m: G::Move) {
        let (lines, deeper) = self.lines.split_at_mut(ply + 1);
        lines[ply].clear();
        lines[ply].push(m);
        lines[ply].extend_from_slice(&deeper[0]);
    }

    /// The value of a position without moves; `None` where the game goes on.
    fn ended(&mut self, position: &G::Position, ply: usize) -> Option<i32> {
        let listed = self.game.visit_moves(position, |_| ControlFlow::Break(()));
        if listed.is_break() {
            return None;
        }
        let outcome = self.game.outcome(position, &self.history)?;
        self.end(VisitEnd::Ended);
        Some(root_value(self.evaluator.ended(&outcome, self.game.side_to_move(position)), ply))
    }
}

/// [`Tree::path`] after a move from the position with this key.
pub(super) fn extend_path(path: u64, key: u64) -> u64 {
    mix(path.wrapping_add(key))
}

/// A win or loss at a node, counted from the root: nearer wins are better, nearer losses worse. Margins are unchanged.
fn root_value(value: i32, ply: usize) -> i32 {
    if value >= NEAR_WIN {
        value - ply as i32
    } else if value <= -NEAR_WIN {
        value + ply as i32
    } else {
        value
    }
}

/// In the table the plies to a win or loss count from the position instead of the root.
fn position_value(value: i32, ply: usize) -> i32 {
    if value >= NEAR_WIN {
        value + ply as i32
    } else if value <= -NEAR_WIN {
        value - ply as i32
    } else {
        value
    }
}
