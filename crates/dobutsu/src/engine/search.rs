//! The tree search: principal variation search (Marsland 1983) below one root.
//!
//! Wins and losses in it are proven: they come from ends of the game only, never from the evaluation, from pruned moves
//! or from repetition, which counts as a draw as soon as a position on the path occurs again. So a proven win needs no
//! repetition by the winner, and it holds whatever was played before.
//!
//! The value of a node is not that of its best move alone. The evaluation is seldom wrong by much, but a search meets so many
//! positions that a side which is lost finds one where it is. So the static evaluation of every node on the way counts
//! too (`mix`), unless the result is proven or the other side threatens to win.
//!
//! A value that rests on a repetition holds on this path only. The search knows for each value the nearest position to the
//! root that it returns to, and the transposition table gets the part that holds on every path: what is proven; and
//! where static evaluations do not count, a value above 0 as a lower bound, since no line of its proof is a repetition by the other
//! side, and one below 0 as an upper bound.

use std::ops::ControlFlow;

use banmen_game::{Game, Side};
use banmen_search::Budget;
use banmen_search::windows::{Recorder, VisitEnd};

use super::evaluation::Evaluation;
use super::features::{threatened, wins_at_once};
use super::level::Handicap;
use super::mix::Mix;
use super::order::MoveOrder;
use super::transposition::{Bound, NO_MOVE, TranspositionTable};
use crate::game::Dobutsu;
use crate::position::{Move, Position};

/// The value of a win. Each ply to it subtracts one.
pub(super) const WIN: i32 = 32_000;

/// Values from here on are proven wins.
pub(super) const PROVEN: i32 = WIN - 1_000;

/// Beyond every value.
pub(super) const INFINITE: i32 = WIN + 1;

/// No line is longer. The distance of a proven win can be: the table combines searches of several moves of a game.
pub(super) const MAX_PLY: usize = 128;

/// No stored position has more than 39 moves, no other more than 8 pieces of 8 moves and 3 drops on 10 squares.
const MAX_MOVES: usize = 96;

/// Reverse futility pruning: up to this depth, a node whose evaluation exceeds beta by the margin for each ply is cut off.
const REVERSE_FUTILITY_DEPTH: i32 = 4;
const REVERSE_FUTILITY_MARGIN: i32 = 120;

/// Internal iterative deepening (Scott 1969): from this depth on, a node without a table move is first searched less deep.
const INTERNAL_DEEPENING_DEPTH: i32 = 5;

/// From this depth on, moves are ordered by the evaluation after them.
const EVALUATED_ORDER_DEPTH: i32 = 2;

/// Late move reductions: from this depth on, quiet moves after so many others are first searched less deep.
const REDUCTION_MOVES: i32 = 3;
const REDUCTION_DEPTH: i32 = 3;

/// Futility pruning: up to this depth, quiet moves are pruned where the evaluation is below alpha by the margin for each
/// ply.
const FUTILITY_DEPTH: i32 = 2;
const FUTILITY_MARGIN: i32 = 200;

/// The bonus of a threat in move ordering, in units of the evaluation.
const THREAT_RANK: i32 = 150;

/// The most plies of quiescence search.
const QUIESCENCE_PLIES: usize = 8;

/// What the rules say of a position after a move, without search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The mover has won.
    Won,
    /// It occurs for the third time.
    Drawn,
    /// The other side has won, or wins with its next move: after so many plies, the mover's included.
    Lost(i32),
    /// None of these.
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
    moves: [(i32, u8); MAX_MOVES],
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

    /// Moves the best of the moves from `index` on to `index` and returns it. Of equals the one listed first.
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

/// What the threads of a search have in common.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'a> {
    pub(super) game: Dobutsu,
    pub(super) evaluation: &'static Evaluation,
    pub(super) table: &'a TranspositionTable,
    /// Whether the static evaluations of inner nodes count.
    pub(super) mixes: bool,
    /// What a level below 10 overlooks.
    pub(super) handicap: Option<Handicap>,
    /// Keys of positions that occurred twice before the root.
    pub(super) twice: &'a [u64],
    /// A part of the keys of table entries: an entry holds under the same rules, for the same handicap and the same positions
    /// that occurred twice.
    pub(super) salt: u64,
}

/// One thread's search below a root.
pub(super) struct Search<'a, 'w> {
    pub(super) context: SearchContext<'a>,
    pub(super) order: &'a mut MoveOrder,
    pub(super) budget: &'a mut Budget<'w>,
    /// Keys from the root to the current node.
    pub(super) path: Vec<u64>,
    /// The principal variation from each ply on.
    pub(super) lines: Vec<Vec<Move>>,
    /// Records the visits near the root, where that is asked for.
    pub(super) record: Option<Box<Recorder>>,
    /// Where that is asked for, the positions whose evaluation quiescence search took as a lower bound, as often as it did.
    pub(super) evaluated: Option<Vec<Position>>,
    /// The smallest ply on the path to which the value of the last search returns, so that it holds below that position
    /// only: 0 also for the third occurrence of a position of the game; [`ANYWHERE`] where it returns to none.
    rests_on: usize,
}

/// Of a value that rests on no position of the path.
const ANYWHERE: usize = usize::MAX;

impl<'a, 'w> Search<'a, 'w> {
    pub(super) fn new(context: SearchContext<'a>, order: &'a mut MoveOrder, budget: &'a mut Budget<'w>) -> Self {
        let (path, lines) = (Vec::with_capacity(MAX_PLY), vec![Vec::new(); MAX_PLY + 1]);
        Search { context, order, budget, path, lines, record: None, evaluated: None, rests_on: ANYWHERE }
    }

    /// What the rules say of the position after a move.
    #[inline]
    pub(super) fn verdict(&self, next: &Position) -> Verdict {
        match self.context.game.lions_ended(next) {
            Some((winner, _)) if winner != next.side() => Verdict::Won,
            Some(_) => Verdict::Lost(1),
            None if !self.context.twice.is_empty() && self.context.twice.contains(&next.key()) => Verdict::Drawn,
            None if wins_at_once(self.context.game.variant, next) => Verdict::Lost(2),
            None => Verdict::Open,
        }
    }

    /// The value of a node from its mover's view within `alpha..beta` (fail-soft), `depth` plies deep. `None` when the
    /// budget is over.
    pub(super) fn search(&mut self, node: &Node, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let Node { position, threat } = *node;
        self.lines[ply].clear();
        let key = position.key();
        // Only positions with the same side to move, the nearest first.
        let mut earlier = self.path.iter().enumerate().rev().skip(1).step_by(2);
        if let Some((at, _)) = earlier.find(|&(_, &other)| other == key) {
            self.rests_on = at;
            self.end(VisitEnd::Ended);
            return Some(0);
        }
        self.rests_on = ANYWHERE;
        if depth <= 0 {
            self.end(VisitEnd::Leaf);
            return self.quiesce(node, 0, alpha, beta, ply);
        }
        if !self.budget.node() {
            return None;
        }
        if ply + 2 + QUIESCENCE_PLIES >= MAX_PLY {
            self.end(VisitEnd::Leaf);
            return Some(self.evaluate(&position, key));
        }
        // No win is nearer than the next ply, no loss nearer than now.
        let (most, least) = (WIN - ply as i32 - 1, ply as i32 - WIN);
        if most <= alpha {
            self.end(VisitEnd::Pruned);
            return Some(most);
        }
        if least >= beta {
            self.end(VisitEnd::Pruned);
            return Some(least);
        }
        let narrow = beta - alpha == 1;

        let entry = self.context.table.get(key ^ self.context.salt);
        if let Some(entry) = entry {
            let value = root_value(entry.value.into(), ply);
            let deep = narrow && i32::from(entry.depth) >= depth;
            let cut = match entry.bound {
                Bound::None => false,
                Bound::Exact => deep || value.abs() >= PROVEN,
                Bound::Lower => value >= beta && (deep || value >= PROVEN),
                Bound::Upper => value <= alpha && (deep || value <= -PROVEN),
            };
            if cut {
                self.end(VisitEnd::Table);
                return Some(value);
            }
        }
        let evaluation = entry.map_or_else(|| self.evaluate(&position, key), |entry| entry.evaluation.into());
        let cut = narrow && !threat && depth <= REVERSE_FUTILITY_DEPTH && beta.abs() < PROVEN;
        if cut && evaluation - REVERSE_FUTILITY_MARGIN * depth >= beta {
            self.end(VisitEnd::Pruned);
            return Some(evaluation);
        }

        let mix = Mix::new(evaluation, self.context.mixes && !threat);
        let (node_alpha, node_beta) = (alpha, beta);
        let (mut alpha, beta) = (mix.alpha(alpha), mix.beta(beta));
        let mut table_move = entry.map_or(NO_MOVE, |entry| entry.m);
        if table_move == NO_MOVE && depth >= INTERNAL_DEEPENING_DEPTH {
            self.preview(node, depth - 3, node_alpha, node_beta, ply)?;
            table_move = self.context.table.get(key ^ self.context.salt).map_or(NO_MOVE, |entry| entry.m);
        }
        let side = position.side();
        let mut moves = self.list(node, table_move, depth, ply);
        // A forced answer to a threat is searched a ply deeper.
        let extension = i32::from(threat && moves.count == 1);
        // An upper estimate of the value after a quiet move.
        let futile = evaluation + FUTILITY_MARGIN * depth;
        let prunes = narrow && !threat && depth <= FUTILITY_DEPTH && futile <= alpha && alpha.abs() < PROVEN;
        let (mut best, mut best_move, mut searched) = (-INFINITE, NO_MOVE, 0);
        let mut rests_on = ANYWHERE;
        self.path.push(key);
        let mut index = 0;
        let finished = loop {
            let Some(m) = moves.pick(index) else { break true };
            index += 1;
            if self.context.handicap.is_some_and(|handicap| handicap.overlooks(&position, key, m, ply)) {
                continue;
            }
            let mut next = position;
            next.play(m);
            self.rests_on = ANYWHERE;
            let value = match self.verdict(&next) {
                Verdict::Lost(_) => continue,
                Verdict::Won => self.known(m, side, alpha, beta, most, VisitEnd::Ended),
                Verdict::Drawn => {
                    self.rests_on = 0;
                    self.known(m, side, alpha, beta, 0, VisitEnd::Ended)
                }
                Verdict::Open => {
                    let next = Node::new(self.context.game, next);
                    let quiet = position.empty() & m.to().mask() != 0 && !next.threat;
                    if prunes && quiet && searched > 0 {
                        searched += 1;
                        best = best.max(self.known(m, side, alpha, beta, futile, VisitEnd::Pruned));
                        continue;
                    }
                    let late = searched >= REDUCTION_MOVES && depth >= REDUCTION_DEPTH && quiet && !threat;
                    let reduction =
                        if late { 1 + searched / (2 * REDUCTION_MOVES) + depth / 8 - i32::from(!narrow) } else { 0 };
                    let Some(value) =
                        self.child(m, &next, depth - 1 + extension, reduction, alpha, beta, ply, searched == 0)
                    else {
                        break false;
                    };
                    value
                }
            };
            searched += 1;
            let here = self.rests_on;
            rests_on = rests_on.min(here);
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = m.pack() as u8;
                    self.extend_line(ply, m);
                }
                if alpha >= beta {
                    // The bound follows from this move alone.
                    rests_on = here;
                    self.order.cutoff(side, best_move, ply, depth);
                    if let Some(record) = &mut self.record {
                        record.cut(moves.moves[index..moves.count].iter().map(|&(_, m)| m.into()));
                    }
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
        if searched == 0 {
            best = self.lost(&position, ply);
        }
        let best = mix.value(best);
        let bound = if best >= node_beta {
            Bound::Lower
        } else if best > node_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let (bound, holds) = self.without_path(best, bound, rests_on, ply);
        let value = if holds { position_value(best, ply) } else { -INFINITE };
        self.context.table.put(key ^ self.context.salt, best_move, value, evaluation, depth, bound);
        Some(best)
    }

    /// The part of a node's value that holds on every path to it, and whether there is one; otherwise the bound is for the
    /// value −∞. Sets what the value rests on for the parent.
    fn without_path(&mut self, value: i32, bound: Bound, rests_on: usize, ply: usize) -> (Bound, bool) {
        // A repetition of this position or of one below it is a part of the subtree on every path.
        self.rests_on = if rests_on >= ply { ANYWHERE } else { rests_on };
        if self.rests_on == ANYWHERE {
            return (bound, true);
        }
        // Mixed with static evaluations, the 0 of a repetition may be anything that is not proven.
        let sure = if self.context.mixes { PROVEN - 1 } else { 0 };
        match bound {
            Bound::Lower if value > sure => self.rests_on = ANYWHERE,
            Bound::Upper if value < -sure => self.rests_on = ANYWHERE,
            Bound::Exact if value > sure => return (Bound::Lower, true),
            Bound::Exact if value < -sure => return (Bound::Upper, true),
            _ => return (Bound::Lower, false),
        }
        (bound, true)
    }

    /// The value of a child from its parent's view: the first child with the full window, the others with a null window
    /// first, and `reduction` plies less deep.
    #[expect(clippy::too_many_arguments, reason = "the recursion's own state")]
    pub(super) fn child(
        &mut self,
        m: Move,
        next: &Node,
        depth: i32,
        reduction: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        first: bool,
    ) -> Option<i32> {
        if !first {
            if reduction > 0 {
                let value = -self.visit(m, next, depth - reduction, -alpha - 1, -alpha, ply + 1)?;
                if value <= alpha {
                    return Some(value);
                }
            }
            let value = -self.visit(m, next, depth, -alpha - 1, -alpha, ply + 1)?;
            if value <= alpha || value >= beta {
                return Some(value);
            }
        }
        self.visit(m, next, depth, -beta, -alpha, ply + 1).map(|value| -value)
    }

    /// [`Search::search`] of the position after a move, recorded where that is asked for.
    fn visit(&mut self, m: Move, next: &Node, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if let Some(record) = &mut self.record {
            record.enter(m.pack(), next.position.side(), depth, alpha, beta);
        }
        let value = self.search(next, depth, alpha, beta, ply);
        if let Some(record) = &mut self.record {
            record.leave(value);
        }
        value
    }

    /// A shallower search of the node that is searched, of which nothing is recorded.
    fn preview(&mut self, node: &Node, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        if let Some(record) = &mut self.record {
            record.pause();
        }
        let value = self.search(node, depth, alpha, beta, ply);
        if let Some(record) = &mut self.record {
            record.resume();
        }
        value
    }

    /// Says how the visit under way ends.
    #[inline]
    fn end(&mut self, end: VisitEnd) {
        if let Some(record) = &mut self.record {
            record.end(end);
        }
    }

    /// The value of a move of this side that is known without a visit, recorded where that is asked for.
    #[inline]
    pub(super) fn known(&mut self, m: Move, side: Side, alpha: i32, beta: i32, value: i32, end: VisitEnd) -> i32 {
        if let Some(record) = &mut self.record {
            record.known(m.pack(), side.other(), (-beta, -alpha), -value, end);
        }
        value
    }

    /// Quiescence search: captures, and every answer to a threat.
    fn quiesce(&mut self, node: &Node, plies: usize, mut alpha: i32, beta: i32, ply: usize) -> Option<i32> {
        let Node { position, threat } = *node;
        self.lines[ply].clear();
        self.rests_on = ANYWHERE;
        if !self.budget.node() {
            return None;
        }
        let key = position.key();
        let entry = self.context.table.get(key ^ self.context.salt);
        if let Some(entry) = entry {
            let value = root_value(entry.value.into(), ply);
            let cut = match entry.bound {
                Bound::None => false,
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if cut {
                return Some(value);
            }
        }
        let evaluation = entry.map_or_else(|| self.evaluate(&position, key), |entry| entry.evaluation.into());
        if plies >= QUIESCENCE_PLIES {
            return Some(evaluation);
        }
        let mut best = -INFINITE;
        if !threat {
            if let Some(evaluated) = &mut self.evaluated {
                evaluated.push(position);
            }
            best = evaluation;
            if best >= beta {
                return Some(best);
            }
            alpha = alpha.max(best);
        }
        let mut moves = self.list(node, entry.map_or(NO_MOVE, |entry| entry.m), i32::from(threat) - 1, ply);
        let (mut index, mut searched, mut rests_on) = (0, 0, ANYWHERE);
        while let Some(m) = moves.pick(index) {
            index += 1;
            if self.context.handicap.is_some_and(|handicap| handicap.overlooks(&position, key, m, ply)) {
                continue;
            }
            let mut next = position;
            next.play(m);
            self.rests_on = ANYWHERE;
            let value = match self.verdict(&next) {
                Verdict::Lost(_) => continue,
                Verdict::Won => WIN - ply as i32 - 1,
                Verdict::Drawn => {
                    self.rests_on = 0;
                    0
                }
                Verdict::Open => {
                    -self.quiesce(&Node::new(self.context.game, next), plies + 1, -beta, -alpha, ply + 1)?
                }
            };
            searched += 1;
            let here = self.rests_on;
            rests_on = rests_on.min(here);
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, m);
                }
                if alpha >= beta {
                    rests_on = here;
                    break;
                }
            }
        }
        self.rests_on = rests_on;
        if threat && searched == 0 {
            best = self.lost(&position, ply);
            self.context.table.put(
                key ^ self.context.salt,
                NO_MOVE,
                position_value(best, ply),
                evaluation,
                0,
                Bound::Exact,
            );
        }
        Some(best)
    }

    /// The moves to search, with their ranks. At depth −1 captures only. From [`EVALUATED_ORDER_DEPTH`] on, and under a
    /// threat, without those that lose at once, ordered by the evaluation after them.
    #[inline]
    fn list(&self, node: &Node, table_move: u8, depth: i32, ply: usize) -> Moves {
        let Node { position, threat } = node;
        let mut moves = Moves { moves: [(0, NO_MOVE); MAX_MOVES], count: 0 };
        let (side, empty) = (position.side(), position.empty());
        let _ = self.context.game.visit_moves(position, |m| {
            let packed = m.pack() as u8;
            let captures = empty & m.to().mask() == 0;
            if depth < 0 && !captures {
                return ControlFlow::<()>::Continue(());
            }
            let mut rank = if packed == table_move { 1 << 24 } else { 0 };
            if *threat || depth >= EVALUATED_ORDER_DEPTH {
                let mut next = *position;
                next.play(m);
                match self.verdict(&next) {
                    Verdict::Lost(_) => return ControlFlow::Continue(()),
                    Verdict::Won => rank += 1 << 25,
                    Verdict::Drawn => {}
                    Verdict::Open => {
                        rank -= 16 * self.context.evaluation.value(&next);
                        rank += self.order.score(side, packed, ply) / 8;
                        if threatened(self.context.game.variant, &next) {
                            rank += 16 * THREAT_RANK;
                        }
                    }
                }
            } else {
                rank += self.order.score(side, packed, ply);
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
        ply as i32 - WIN + if self.context.game.count_moves(position) == 0 { 0 } else { 2 }
    }

    /// The static evaluation from the mover's view.
    pub(super) fn evaluate(&self, position: &Position, key: u64) -> i32 {
        let value = self.context.evaluation.value(position);
        match self.context.handicap {
            None => value,
            Some(handicap) => value + handicap.noise(key),
        }
    }

    /// Sets the principal variation of `ply` to `m` followed by that of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let (lines, deeper) = self.lines.split_at_mut(ply + 1);
        lines[ply].clear();
        lines[ply].push(m);
        lines[ply].extend_from_slice(&deeper[0]);
    }
}

/// In the table the plies to a win or loss count from the position instead of the root.
fn position_value(value: i32, ply: usize) -> i32 {
    match value {
        _ if value >= PROVEN => value + ply as i32,
        _ if value <= -PROVEN => value - ply as i32,
        _ => value,
    }
}

/// The value of a table entry, with the plies to a win or loss counted from the root.
fn root_value(value: i32, ply: usize) -> i32 {
    match value {
        _ if value >= PROVEN => value - ply as i32,
        _ if value <= -PROVEN => value + ply as i32,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use banmen_search::{Clock, Limits, StopFlag};

    use super::*;
    use crate::notation::parse_position;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// Unfinished positions that are lost or won in so many plies.
    fn decided(kind: &str, plies: std::ops::RangeInclusive<u32>) -> Vec<Node> {
        let decided = include_str!("../../tests/data/values.txt").lines().filter_map(|line| {
            let (text, value) = line.split_once(": ")?;
            let (word, count) = value.split_once(' ')?;
            (word == kind && plies.contains(&count.parse().ok()?)).then(|| parse_position(text).ok()).flatten()
        });
        decided.map(|position| Node::new(Dobutsu::CATCH, position)).collect()
    }

    /// The keys of the open positions after each move.
    fn answers(node: &Node) -> Vec<u64> {
        let moves = Dobutsu::CATCH.moves(&node.position).into_iter().map(|m| {
            let mut next = node.position;
            next.play(m);
            next
        });
        let open =
            |next: &Position| Dobutsu::CATCH.lions_ended(next).is_none() && !wins_at_once(Dobutsu::CATCH.variant, next);
        moves.filter(open).map(|next| next.key()).collect()
    }

    /// The value of a node after such a path, in a game in which `twice` have occurred twice. Also the nodes.
    fn value(
        mixes: bool,
        table: &TranspositionTable,
        node: &Node,
        depth: i32,
        window: (i32, i32),
        path: &[u64],
        twice: &[u64],
    ) -> (i32, u64) {
        let (game, evaluation) = (Dobutsu::CATCH, Evaluation::get());
        // The same salt: entries are not kept apart by the history.
        let context = SearchContext { game, evaluation, table, mixes, handicap: None, twice, salt: 0 };
        let (mut order, stop) = (MoveOrder::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &Still, &stop);
        let mut search = Search::new(context, &mut order, &mut budget);
        search.path.extend(path);
        let value = search.search(node, depth, window.0, window.1, path.len()).expect("no limit");
        (value, search.budget.count())
    }

    /// A path on which each of these positions would occur again one ply after its end.
    fn path_through(positions: &[u64]) -> Vec<u64> {
        positions.iter().flat_map(|&key| [key, 0]).take((2 * positions.len()).saturating_sub(1)).collect()
    }

    #[test]
    fn a_mixed_value_that_rests_on_the_path_is_not_kept_unless_it_is_proven() {
        let table = TranspositionTable::new(1 << 20);
        let (mut order, stop) = (MoveOrder::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &Still, &stop);
        for mixes in [false, true] {
            let (game, evaluation) = (Dobutsu::CATCH, Evaluation::get());
            let context = SearchContext { game, evaluation, table: &table, mixes, handicap: None, twice: &[], salt: 0 };
            let mut search = Search::new(context, &mut order, &mut budget);
            for (value, bound, part) in [
                (7, Bound::Lower, Bound::Lower),
                (7, Bound::Exact, Bound::Lower),
                (PROVEN, Bound::Exact, Bound::Lower),
                (-7, Bound::Upper, Bound::Upper),
                (-7, Bound::Exact, Bound::Upper),
                (-PROVEN, Bound::Exact, Bound::Upper),
            ] {
                let kept = search.without_path(value, bound, 1, 3);
                let holds = !mixes || value.abs() >= PROVEN;
                assert_eq!(kept, if holds { (part, true) } else { (Bound::Lower, false) }, "{mixes} {value}");
                // Below the position that it returns to, or with no such position, it holds on every path.
                assert_eq!(search.without_path(value, bound, 3, 3), (bound, true));
            }
        }
    }

    #[test]
    fn a_draw_by_repetition_is_not_kept_for_other_paths() {
        let mut lost = 0;
        for node in decided("loss", 4..=6) {
            let answers = answers(&node);
            let path = path_through(&answers);
            if path.len() + 20 > MAX_PLY {
                continue;
            }
            for (window, at_most) in [((-1, 0), -1), ((-INFINITE, INFINITE), -PROVEN)] {
                for mixes in [false, true] {
                    let table = TranspositionTable::new(1 << 20);
                    let mix = Mix::new(Evaluation::get().value(&node.position), mixes && !node.threat);
                    let drawn = mix.value(0);
                    let (here, _) = value(mixes, &table, &node, 10, window, &path, &[]);
                    assert_eq!(here, drawn, "each answer repeats a position");
                    let (elsewhere, _) = value(mixes, &table, &node, 10, window, &[0], &[]);
                    assert!(elsewhere <= at_most, "{:?}: {elsewhere}", node.position);
                }
            }
            lost += 1;
        }
        assert!(lost > 20, "{lost}");
    }

    #[test]
    fn a_draw_by_the_third_occurrence_is_not_kept_for_other_games() {
        let mut lost = 0;
        for node in decided("loss", 4..=6) {
            let twice = answers(&node);
            for mixes in [false, true] {
                let table = TranspositionTable::new(1 << 20);
                let (here, _) = value(mixes, &table, &node, 10, (-INFINITE, INFINITE), &[0], &twice);
                assert!(if mixes { here.abs() < PROVEN } else { here == 0 }, "each answer draws: {here}");
                let (elsewhere, _) = value(mixes, &table, &node, 10, (-INFINITE, INFINITE), &[0], &[]);
                assert!(elsewhere <= -PROVEN, "{:?}: {elsewhere}", node.position);
            }
            lost += 1;
        }
        assert!(lost > 20, "{lost}");
    }

    #[test]
    fn what_holds_on_every_path_is_kept() {
        let mut won = 0;
        for node in decided("win", 3..=7) {
            // The first answer of many: the win does not need it.
            let path = path_through(&answers(&node).into_iter().take(1).collect::<Vec<_>>());
            for mixes in [false, true] {
                let table = TranspositionTable::new(1 << 20);
                let (first, _) = value(mixes, &table, &node, 10, (PROVEN - 1, PROVEN), &path, &[]);
                if first < PROVEN {
                    continue;
                }
                let (again, nodes) = value(mixes, &table, &node, 10, (PROVEN - 1, PROVEN), &[0, 0, 0], &[]);
                assert_eq!((again + 3 - path.len() as i32, nodes), (first, 1), "{:?}", node.position);
                won += 1;
            }
        }
        assert!(won > 20, "{won}");
    }
}
