//! The exact ending: alpha-beta on the difference of points.
//!
//! A side that cannot place a piece never can again, so the other goes on alone: what it can still place is a packing
//! problem of one side. The same holds for each side on its own once no cell is left that both could reach. Packings
//! are searched without the other side's moves between.

use banmen_game::{Game, Side, mix};
use banmen_search::Budget;

use crate::cells::Cells;
use crate::game::Blokus;
use crate::moves::{Move, MoveSet, Reach};
use crate::piece::{ORIENTATIONS, Piece};
use crate::position::Position;

/// More points than any difference.
pub(super) const INFINITE: i32 = 200;

/// What is known of a position: bounds of the difference of points, and the best move.
#[derive(Clone, Copy)]
struct Known {
    low: i32,
    high: i32,
    best: Move,
}

impl Known {
    const NOTHING: Known = Known { low: -INFINITE, high: INFINITE, best: Move::PASS };

    fn pack(self) -> u64 {
        let [low, high] = [self.low, self.high].map(|bound| u64::from(bound as i16 as u16));
        low | high << 16 | u64::from(self.best.pack()) << 32
    }

    fn unpack(bits: u64) -> Known {
        let [low, high] = [bits, bits >> 16].map(|bound| i32::from(bound as i16));
        Known { low, high, best: Move::unpack((bits >> 32) as u32).unwrap_or(Move::PASS) }
    }
}

/// The solver and its table. What it has found stays valid from one position to the next.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    /// Keys, and what is known, packed. Empty entries are zero, so that memory is only taken where the table is used.
    table: Vec<[u64; 2]>,
    moves: MoveSet,
    /// Placements and their ranks, a list for each ply.
    lists: Vec<Vec<(u32, Move)>>,
    cutoffs: Cutoffs,
}

/// The placements that were good enough to end the search of a position: good ones in others too.
#[derive(Clone, Debug)]
struct Cutoffs {
    /// How often each did, by side and packed move.
    history: [Vec<u32>; 2],
    /// The last two that did at each ply.
    killers: Vec<[Move; 2]>,
}

/// More than any packed placement.
const PACKED: usize = ORIENTATIONS << 8;

/// More plies than a game has.
const PLIES: usize = 128;

/// The rank of a killer above those that are none.
const KILLER: u32 = 1000;

impl Cutoffs {
    fn new() -> Cutoffs {
        Cutoffs { history: [vec![0; PACKED], vec![0; PACKED]], killers: vec![[Move::PASS; 2]; PLIES] }
    }

    fn add(&mut self, side: Side, ply: usize, m: Move) {
        if let Some(count) = self.history[side.index()].get_mut(m.pack() as usize) {
            *count = count.saturating_add(1);
        }
        if let Some(killers) = self.killers.get_mut(ply)
            && killers[0] != m
        {
            *killers = [m, killers[0]];
        }
    }
}

/// Distinguishes packings from positions of both sides in the table.
const PACKING: u64 = 0x5041_434B;

/// The cells that a side can still cover, and a few more: those that free cells join to its attach points by edges or
/// corners.
fn area(reach: &Reach) -> Cells {
    let mut area = reach.attach;
    loop {
        let next = (area | area.edges() | area.corners()) & reach.free;
        if next == area {
            return area;
        }
        area = next;
    }
}

/// The most points that a side can still make in its area: every piece counts that fits there somewhere.
fn most(reach: &Reach, area: Cells) -> i32 {
    if area.is_empty() || reach.pieces.is_empty() {
        return 0;
    }
    let fitting = Reach { free: area, attach: area, pieces: reach.pieces }.fitting();
    let squares: u32 = fitting.iter().map(Piece::size).sum();
    let all = if fitting == reach.pieces { 20 } else { 0 };
    squares.min(area.count()) as i32 + all
}

/// Identifies what a side can still place by itself, wherever its cells and the other side's are otherwise.
fn packing_key(reach: &Reach, area: Cells) -> u64 {
    let pieces = reach.pieces.iter().fold(0, |bits, piece| bits | 1 << piece.index());
    let cells = [reach.free & area, reach.attach & area];
    cells.iter().flat_map(|cells| cells.words()).fold(mix(PACKING ^ pieces), |key, word| mix(key ^ word))
}

/// The difference of points for a side.
fn lead(position: &Position, side: Side) -> i32 {
    position.score(side) as i32 - position.score(side.other()) as i32
}

impl Solver {
    /// A solver with a table of so many bytes.
    pub(super) fn new(bytes: usize) -> Solver {
        Solver {
            table: vec![[0; 2]; (bytes / size_of::<[u64; 2]>()).max(1)],
            moves: MoveSet::default(),
            lists: Vec::new(),
            cutoffs: Cutoffs::new(),
        }
    }

    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.table.len() as u128) >> 64) as usize
    }

    fn known(&self, key: u64) -> Known {
        let [found, known] = self.table[self.slot(key)];
        if found != key || key == 0 { Known::NOTHING } else { Known::unpack(known) }
    }

    /// Keeps a value that was searched with this window.
    fn keep(&mut self, key: u64, mut known: Known, value: i32, window: (i32, i32), best: Move) {
        if value > window.0 {
            known.low = known.low.max(value);
        }
        if value < window.1 {
            known.high = known.high.min(value);
        }
        let slot = self.slot(key);
        self.table[slot] = [key, Known { best, ..known }.pack()];
    }

    /// The placements of a side in the list of a ply, the most promising first.
    fn list(&mut self, ply: usize, side: Side, reach: &Reach, first: Move, theirs: Cells) {
        self.moves.fill(reach);
        if self.lists.len() <= ply {
            self.lists.resize_with(ply + 1, Vec::new);
        }
        let list = &mut self.lists[ply];
        list.clear();
        let history = &self.cutoffs.history[side.index()];
        let killers = self.cutoffs.killers.get(ply).copied().unwrap_or([Move::PASS; 2]);
        let rank = |m: Move| {
            if m == first {
                return u32::MAX;
            }
            let cells = m.cells();
            let points = (cells.corners() & reach.free & !cells.edges() & !cells).count();
            let cutoffs = u32::BITS - history.get(m.pack() as usize).map_or(0, |&count| count).leading_zeros();
            let killer = if killers.contains(&m) { KILLER } else { 0 };
            8 * cells.count() + 6 * (cells & theirs).count() + points + 4 * cutoffs + killer
        };
        list.extend(self.moves.iter().map(|m| (rank(m), m)));
        list.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    }

    /// The difference of points at the end, for the side to move: exact within the window, else a bound on the same side of
    /// it. `None` when the budget is over. `ply` counts from the root.
    pub(super) fn margin(
        &mut self,
        game: &Blokus,
        position: &Position,
        ply: usize,
        (alpha, beta): (i32, i32),
        budget: &mut Budget<'_>,
    ) -> Option<i32> {
        if !budget.node() {
            return None;
        }
        let side = position.side();
        let now = lead(position, side);
        if game.ended_early(position) {
            return Some(now);
        }
        let (own, opp) = (game.reach(position, side), game.reach(position, side.other()));
        let areas = [area(&own), area(&opp)];
        let (own_most, opp_most) = (most(&own, areas[0]), most(&opp, areas[1]));
        if now + own_most <= alpha {
            return Some(now + own_most);
        }
        if now - opp_most >= beta {
            return Some(now - opp_most);
        }
        if !own.any() {
            let window = (now - beta, now - alpha);
            return Some(now - self.packing(game, position, side.other(), ply, window, budget)?);
        }
        // Where the game ends with the last piece of either side, the sides are never independent.
        let apart = !areas[0].intersects(areas[1]) && !game.ends_early();
        if apart || !opp.any() {
            let other = self.packing(game, position, side.other(), ply, (0, INFINITE), budget)?;
            let now = now - other;
            return Some(now + self.packing(game, position, side, ply, (alpha - now, beta - now), budget)?);
        }
        let key = position.key();
        let known = self.known(key);
        let (mut alpha, beta) = (alpha.max(known.low), beta.min(known.high));
        if alpha >= beta {
            return Some(if known.low >= beta { known.low } else { known.high });
        }
        let window = (alpha, beta);
        self.list(ply, side, &own, known.best, opp.attach);
        let (mut best, mut value) = (Move::PASS, -INFINITE);
        for index in 0..self.lists[ply].len() {
            let m = self.lists[ply][index].1;
            let mut next = *position;
            next.play(m);
            let mut found = INFINITE;
            if index > 0 {
                found = -self.margin(game, &next, ply + 1, (-alpha - 1, -alpha), budget)?;
            }
            if index == 0 || (found > alpha && found < beta) {
                found = -self.margin(game, &next, ply + 1, (-beta, -alpha), budget)?;
            }
            if found > value {
                (best, value) = (m, found);
                alpha = alpha.max(found);
                if alpha >= beta {
                    self.cutoffs.add(side, ply, m);
                    break;
                }
            }
        }
        self.keep(key, known, value, window, best);
        Some(value)
    }

    /// The most points that a side makes from here when it alone goes on: exact within the window, else a bound.
    fn packing(
        &mut self,
        game: &Blokus,
        position: &Position,
        side: Side,
        ply: usize,
        (alpha, beta): (i32, i32),
        budget: &mut Budget<'_>,
    ) -> Option<i32> {
        if !budget.node() {
            return None;
        }
        let reach = game.reach(position, side);
        let area = area(&reach);
        let most = most(&reach, area);
        if most <= alpha || !reach.any() {
            return Some(if reach.any() { most } else { 0 });
        }
        let mut position = *position;
        if position.side() != side {
            position.play(Move::PASS);
        }
        let key = packing_key(&reach, area);
        let known = self.known(key);
        let (mut alpha, beta) = (alpha.max(known.low), beta.min(known.high));
        if alpha >= beta {
            return Some(if known.low >= beta { known.low } else { known.high });
        }
        let window = (alpha, beta);
        self.list(ply, side, &reach, known.best, Cells::EMPTY);
        let (mut best, mut value) = (Move::PASS, 0);
        for index in 0..self.lists[ply].len() {
            let m = self.lists[ply][index].1;
            let mut next = position;
            next.play(m);
            let gain = next.score(side) as i32 - position.score(side) as i32;
            // With the last piece of the contests' rules the game is over, and there is nothing left to place anyhow.
            let window = (alpha - gain, beta - gain);
            let found = gain + self.packing(game, &next, side, ply + 1, window, budget)?;
            if found > value {
                (best, value) = (m, found);
                alpha = alpha.max(found);
                if alpha >= beta || value >= most {
                    break;
                }
            }
        }
        self.keep(key, known, value, window, best);
        Some(value)
    }

    /// The best move of an unfinished position and its difference of points; `None` when the budget is over.
    pub(super) fn best(&mut self, game: &Blokus, position: &Position, budget: &mut Budget<'_>) -> Option<(Move, i32)> {
        let own = game.reach(position, position.side());
        let theirs = game.reach(position, position.side().other()).attach;
        let first = self.known(position.key()).best;
        self.list(0, position.side(), &own, first, theirs);
        if self.lists[0].is_empty() {
            let mut next = *position;
            next.play(Move::PASS);
            return Some((Move::PASS, -self.margin(game, &next, 1, (-INFINITE, INFINITE), budget)?));
        }
        let mut best: Option<(Move, i32)> = None;
        for index in 0..self.lists[0].len() {
            let m = self.lists[0][index].1;
            let alpha = best.map_or(-INFINITE, |(_, value)| value);
            let value = self.after(game, position, m, alpha, budget)?;
            if value > alpha {
                best = Some((m, value));
            }
        }
        best
    }

    /// Who wins an unfinished position, as 1, 0 or -1 for the side to move, and a move that brings it about; `None` when the
    /// budget is over. The margin stays open, so this takes much less than [`Solver::best`].
    pub(super) fn result(
        &mut self,
        game: &Blokus,
        position: &Position,
        budget: &mut Budget<'_>,
    ) -> Option<(Move, i32)> {
        let side = position.side();
        let own = game.reach(position, side);
        let theirs = game.reach(position, side.other()).attach;
        let first = self.known(position.key()).best;
        self.list(0, side, &own, first, theirs);
        if self.lists[0].is_empty() {
            self.lists[0].push((0, Move::PASS));
        }
        let mut best = (self.lists[0][0].1, -1);
        for index in 0..self.lists[0].len() {
            let m = self.lists[0][index].1;
            let mut next = *position;
            next.play(m);
            let value = -self.margin(game, &next, 1, (-1, -best.1), budget)?.signum();
            if value > best.1 {
                best = (m, value);
                if value > 0 {
                    break;
                }
            }
        }
        Some(best)
    }

    /// The difference of points after a move, for the side that makes it: exact if it is above `alpha`, else a bound that is
    /// not.
    pub(super) fn after(
        &mut self,
        game: &Blokus,
        position: &Position,
        m: Move,
        alpha: i32,
        budget: &mut Budget<'_>,
    ) -> Option<i32> {
        let mut next = *position;
        next.play(m);
        if alpha > -INFINITE {
            let value = -self.margin(game, &next, 1, (-alpha - 1, -alpha), budget)?;
            if value <= alpha {
                return Some(value);
            }
        }
        Some(-self.margin(game, &next, 1, (-INFINITE, -alpha), budget)?)
    }

    /// The `count` best moves beside `first`, with their differences of points, the best first; `None` where the budget ends
    /// before they are known.
    pub(super) fn others(
        &mut self,
        game: &Blokus,
        position: &Position,
        first: Move,
        count: usize,
        budget: &mut Budget<'_>,
    ) -> Option<Vec<(Move, i32)>> {
        let mut best: Vec<(Move, i32)> = Vec::new();
        if count == 0 {
            return Some(best);
        }
        for m in game.moves(position).into_iter().filter(|&m| m != first) {
            let alpha = best.get(count - 1).map_or(-INFINITE, |&(_, score)| score);
            let score = self.after(game, position, m, alpha, budget)?;
            if score > alpha {
                let at = best.partition_point(|&(_, other)| other >= score);
                best.insert(at, (m, score));
                best.truncate(count);
            }
        }
        Some(best)
    }
}

/// An upper bound of the squares that both sides can still place.
pub(super) fn squares_left(game: &Blokus, position: &Position) -> u32 {
    Side::BOTH
        .into_iter()
        .map(|side| {
            let reach = game.reach(position, side);
            let squares: u32 = reach.pieces.iter().map(Piece::size).sum();
            if reach.any() { squares.min(area(&reach).count()) } else { 0 }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Cell;
    use crate::piece::PieceSet;

    #[test]
    fn packings_of_a_piece_and_a_cell_have_different_keys() {
        let mut keys = Vec::new();
        for cell in Cell::all() {
            let free = Cells::only(cell);
            for pieces in Piece::all().map(|piece| PieceSet::EMPTY.with(piece)).chain([PieceSet::EMPTY]) {
                keys.push(packing_key(&Reach { free, attach: Cells::EMPTY, pieces }, Cells::BOARD));
            }
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((keys.len(), count), (count, 196 * 22));
    }
}
