//! The tree search: principal variation search (Marsland 1983) below one root.
//!
//! Wins and losses in it are proven: they come from ends of the game only, never from the evaluation, from moves left
//! out, or from repetition, which counts as a draw as soon as a position comes back. So the winner's way to a proven win
//! needs no repetition, and it holds whatever was played before.

use std::ops::ControlFlow;

use banmen_game::Game;
use banmen_search::Budget;

use super::evaluation::Evaluation;
use super::features::{threatened, wins_at_once};
use super::level::Sight;
use super::memory::{Bound, Memory, NO_MOVE};
use super::order::Order;
use crate::game::Dobutsu;
use crate::position::{Move, Position};

/// The value of a win. A win in so many plies is worth so much less.
pub(super) const WIN: i32 = 32_000;

/// Values beyond this are proven wins.
pub(super) const PROVEN: i32 = WIN - 1_000;

/// Beyond every value.
pub(super) const INFINITE: i32 = WIN + 1;

/// No line is longer. The distance of a proven win can be: it is put together from searches of several moves.
pub(super) const MAX_PLY: usize = 128;

/// No stored position has more than 39 moves, no other more than 8 pieces of 8 moves and 3 drops on 10 squares.
const MOST_MOVES: usize = 96;

/// Up to this depth a side that is ahead by [`AHEAD`] for each ply is not searched on.
const AHEAD_DEPTH: i32 = 4;
const AHEAD: i32 = 120;

/// From this depth on a position without a known move is first searched less deep (Scott 1969).
const INNER_DEPTH: i32 = 5;

/// From this depth on moves are put in order by the evaluation after them.
const LOOK_DEPTH: i32 = 2;

/// So many moves are searched at full depth, later ones less deep at first, from this depth on.
const LATE: i32 = 3;
const LATE_DEPTH: i32 = 3;

/// Up to this depth moves that gain nothing visible are left out where the side is behind by [`BEHIND`] for each ply.
const BEHIND_DEPTH: i32 = 2;
const BEHIND: i32 = 200;

/// What a threat is worth in the order of moves, in units of the evaluation.
const THREAT_RANK: i32 = 150;

/// Plies of captures and of answers to threats behind the leaves.
const QUIET_PLIES: usize = 8;

/// What is certain of a position after a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The mover has won.
    Won,
    /// It occurs for the third time.
    Drawn,
    /// The other side has won, or wins with its next move: after so many plies, the mover's included.
    Lost(i32),
    /// Nothing.
    Open,
}

/// A position that is not over and in which the side to move cannot win at once.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) position: Position,
    /// Whether the other side would win with its next move, were it to move.
    pub(super) threat: bool,
}

impl Node {
    #[inline]
    pub(super) fn new(game: Dobutsu, position: Position) -> Node {
        Node { position, threat: threatened(game.variant, &position) }
    }
}

/// Moves with their ranks.
struct Moves {
    moves: [(i32, u8); MOST_MOVES],
    count: usize,
}

impl Moves {
    #[inline]
    fn push(&mut self, rank: i32, m: u8) {
        if let Some(place) = self.moves.get_mut(self.count) {
            *place = (rank, m);
            self.count += 1;
        }
    }

    /// Brings the best move from `index` on to `index`, and hands it over. Of equals the one listed first.
    #[inline]
    fn pick(&mut self, index: usize) -> Option<Move> {
        let left = self.moves.get_mut(index..self.count)?;
        let mut best = 0;
        for at in 1..left.len() {
            if left[at].0 > left[best].0 {
                best = at;
            }
        }
        left.get(best)?;
        left.swap(0, best);
        Move::unpack(left[0].1.into())
    }
}

/// The search below one root.
pub(super) struct Search<'a, 'w> {
    pub(super) game: Dobutsu,
    pub(super) evaluation: &'static Evaluation,
    pub(super) memory: &'a mut Memory,
    pub(super) order: &'a mut Order,
    pub(super) budget: &'a mut Budget<'w>,
    /// What a level does not see.
    pub(super) sight: Option<Sight>,
    /// Keys of positions that occurred twice before the root.
    pub(super) twice: Vec<u64>,
    /// What is known holds under the same rules, for the same sight and the same positions that occurred twice: they are
    /// mixed into the keys of the memory.
    pub(super) salt: u64,
    /// Keys from the root to the position looked at.
    pub(super) path: Vec<u64>,
    /// The best line below each ply.
    pub(super) lines: Vec<Vec<Move>>,
}

impl Search<'_, '_> {
    /// What a move made of a position.
    #[inline]
    pub(super) fn verdict(&self, next: &Position) -> Verdict {
        match self.game.lions_ended(next) {
            Some((winner, _)) if winner != next.side() => Verdict::Won,
            Some(_) => Verdict::Lost(1),
            None if !self.twice.is_empty() && self.twice.contains(&next.key()) => Verdict::Drawn,
            None if wins_at_once(self.game.variant, next) => Verdict::Lost(2),
            None => Verdict::Open,
        }
    }

    /// The value of a node from its mover's view within `alpha..beta` (fail-soft), `depth` plies deep. `None` when the
    /// watch says stop.
    pub(super) fn search(&mut self, node: &Node, depth: i32, mut alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let Node { position, threat } = *node;
        self.lines[ply].clear();
        let key = position.key();
        // Only positions with the same side to move, the nearest first.
        if self.path.iter().rev().skip(1).step_by(2).any(|&known| known == key) {
            return Some(0);
        }
        if depth <= 0 {
            return self.quiesce(node, 0, alpha, beta, ply);
        }
        if !self.budget.node() {
            return None;
        }
        if ply + 2 + QUIET_PLIES >= MAX_PLY {
            return Some(self.evaluate(&position, key));
        }
        // No win is nearer than the next ply, no loss nearer than now.
        let (most, least) = (WIN - ply as i32 - 1, ply as i32 - WIN);
        if most <= alpha {
            return Some(most);
        }
        if least >= beta {
            return Some(least);
        }
        let narrow = beta - alpha == 1;

        let known = self.memory.get(key ^ self.salt);
        if let Some(known) = known {
            let value = from_memory(known.value.into(), ply);
            let deep = narrow && i32::from(known.depth) >= depth;
            let cut = match known.bound {
                Bound::None => false,
                Bound::Exact => deep || value.abs() >= PROVEN,
                Bound::Lower => value >= beta && (deep || value >= PROVEN),
                Bound::Upper => value <= alpha && (deep || value <= -PROVEN),
            };
            if cut {
                return Some(value);
            }
        }
        let evaluation = known.map_or_else(|| self.evaluate(&position, key), |known| known.evaluation.into());
        // So far ahead that the other side will not catch up in so few plies.
        let ahead = narrow && !threat && depth <= AHEAD_DEPTH && evaluation - AHEAD * depth >= beta;
        if ahead && beta.abs() < PROVEN {
            return Some(evaluation);
        }

        let mut first = known.map_or(NO_MOVE, |known| known.m);
        if first == NO_MOVE && depth >= INNER_DEPTH {
            self.search(node, depth - 3, alpha, beta, ply)?;
            first = self.memory.get(key ^ self.salt).map_or(NO_MOVE, |known| known.m);
        }
        let side = position.side();
        let mut moves = self.list(node, first, depth, ply);
        let deeper = i32::from(threat && moves.count == 1);
        // What a move that changes little leads to at most.
        let hopeless = evaluation + BEHIND * depth;
        let thin = narrow && !threat && depth <= BEHIND_DEPTH && hopeless <= alpha && alpha.abs() < PROVEN;
        let (start, mut best, mut best_move, mut holding) = (alpha, -INFINITE, NO_MOVE, 0);
        self.path.push(key);
        let mut index = 0;
        let finished = loop {
            let Some(m) = moves.pick(index) else { break true };
            index += 1;
            if self.sight.is_some_and(|sight| sight.overlooks(key, m, ply)) {
                continue;
            }
            let mut next = position;
            next.play(m);
            let value = match self.verdict(&next) {
                Verdict::Lost(_) => continue,
                Verdict::Won => most,
                Verdict::Drawn => 0,
                Verdict::Open => {
                    let next = Node::new(self.game, next);
                    let quiet = position.empty() & m.to().mask() != 0 && !next.threat;
                    if thin && quiet && holding > 0 {
                        holding += 1;
                        best = best.max(hopeless);
                        continue;
                    }
                    let late = holding >= LATE && depth >= LATE_DEPTH && quiet && !threat;
                    let less = if late { 1 + holding / (2 * LATE) + depth / 8 - i32::from(!narrow) } else { 0 };
                    let Some(value) = self.child(&next, depth - 1 + deeper, less, alpha, beta, ply, holding == 0)
                    else {
                        break false;
                    };
                    value
                }
            };
            holding += 1;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = m.pack() as u8;
                    self.extend_line(ply, m);
                }
                if alpha >= beta {
                    self.order.cut(side, best_move, ply, depth);
                    for &(_, failed) in moves.moves.iter().take(index - 1) {
                        self.order.failed(side, failed, depth);
                    }
                    break true;
                }
            }
        };
        self.path.pop();
        if !finished {
            return None;
        }
        if holding == 0 {
            best = self.lost(&position, ply);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > start {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.memory.put(key ^ self.salt, best_move, to_memory(best, ply), evaluation, depth, bound);
        Some(best)
    }

    /// The value of a child from its parent's view: the first one with the whole window, the others with an empty one
    /// first, and `less` plies less deep.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn child(
        &mut self,
        next: &Node,
        depth: i32,
        less: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> Option<i32> {
        if !first {
            if less > 0 {
                let value = -self.search(next, depth - less, -alpha - 1, -alpha, ply + 1)?;
                if value <= alpha {
                    return Some(value);
                }
            }
            let value = -self.search(next, depth, -alpha - 1, -alpha, ply + 1)?;
            if value <= alpha || value >= beta {
                return Some(value);
            }
        }
        self.search(next, depth, -beta, -alpha, ply + 1).map(|value| -value)
    }

    /// Behind the leaves: captures, and every answer to a threat, until the evaluation can be asked.
    fn quiesce(&mut self, node: &Node, plies: usize, mut alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let Node { position, threat } = *node;
        self.lines[ply].clear();
        if !self.budget.node() {
            return None;
        }
        let key = position.key();
        let known = self.memory.get(key ^ self.salt);
        if let Some(known) = known {
            let value = from_memory(known.value.into(), ply);
            let cut = match known.bound {
                Bound::None => false,
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cut {
                return Some(value);
            }
        }
        let evaluation = known.map_or_else(|| self.evaluate(&position, key), |known| known.evaluation.into());
        if plies >= QUIET_PLIES {
            return Some(evaluation);
        }
        let mut best = -INFINITE;
        if !threat {
            best = evaluation;
            if best >= beta {
                return Some(best);
            }
            alpha = alpha.max(best);
        }
        let mut moves = self.list(node, known.map_or(NO_MOVE, |known| known.m), i32::from(threat) - 1, ply);
        let (mut index, mut holding) = (0, 0);
        while let Some(m) = moves.pick(index) {
            index += 1;
            if self.sight.is_some_and(|sight| sight.overlooks(key, m, ply)) {
                continue;
            }
            let mut next = position;
            next.play(m);
            let value = match self.verdict(&next) {
                Verdict::Lost(_) => continue,
                Verdict::Won => WIN - ply as i32 - 1,
                Verdict::Drawn => 0,
                Verdict::Open => -self.quiesce(&Node::new(self.game, next), plies + 1, -beta, -alpha, ply + 1)?,
            };
            holding += 1;
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, m);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        if threat && holding == 0 {
            best = self.lost(&position, ply);
            self.memory.put(key ^ self.salt, NO_MOVE, to_memory(best, ply), evaluation, 0, Bound::Exact);
        }
        Some(best)
    }

    /// The moves worth a look: at depth −1 captures; from [`LOOK_DEPTH`] on, and under a threat, only those that do not
    /// lose at once, by the evaluation after them.
    #[inline]
    fn list(&self, node: &Node, first: u8, depth: i32, ply: usize) -> Moves {
        let Node { position, threat } = node;
        let mut moves = Moves { moves: [(0, NO_MOVE); MOST_MOVES], count: 0 };
        let (side, empty) = (position.side(), position.empty());
        let _ = self.game.visit_moves(position, |m| {
            let packed = m.pack() as u8;
            let captures = empty & m.to().mask() == 0;
            if depth < 0 && !captures {
                return ControlFlow::<()>::Continue(());
            }
            let mut rank = if packed == first { 1 << 24 } else { 0 };
            if *threat || depth >= LOOK_DEPTH {
                let mut next = *position;
                next.play(m);
                match self.verdict(&next) {
                    Verdict::Lost(_) => return ControlFlow::Continue(()),
                    Verdict::Won => rank += 1 << 25,
                    Verdict::Drawn => {}
                    Verdict::Open => {
                        rank -= 16 * self.evaluation.value(&next);
                        rank += self.order.place(side, packed, ply) / 8;
                        if threatened(self.game.variant, &next) {
                            rank += 16 * THREAT_RANK;
                        }
                    }
                }
            } else {
                rank += self.order.place(side, packed, ply);
                if captures {
                    rank += 1 << 20;
                }
            }
            moves.push(rank, packed);
            ControlFlow::Continue(())
        });
        moves
    }

    /// The value of a position in which every move loses at once, or there is none.
    fn lost(&self, position: &Position, ply: usize) -> i32 {
        ply as i32 - WIN + if self.game.count_moves(position) == 0 { 0 } else { 2 }
    }

    pub(super) fn evaluate(&self, position: &Position, key: u64) -> i32 {
        let value = self.evaluation.value(position);
        match self.sight {
            None => value,
            Some(sight) => value + sight.misjudges(key),
        }
    }

    /// `m` followed by the line below `ply` is the line of `ply`.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].push(m);
        above[ply].extend_from_slice(&below[0]);
    }
}

/// In the table wins count from the position, not from the root.
fn to_memory(value: i32, ply: usize) -> i32 {
    match value {
        _ if value >= PROVEN => value + ply as i32,
        _ if value <= -PROVEN => value - ply as i32,
        _ => value,
    }
}

fn from_memory(value: i32, ply: usize) -> i32 {
    match value {
        _ if value >= PROVEN => value - ply as i32,
        _ if value <= -PROVEN => value + ply as i32,
        _ => value,
    }
}
