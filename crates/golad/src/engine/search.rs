//! The search: alpha-beta with null windows (Marsland 1983) over the best moves of each position.
//!
//! Values are balances after the last move and the generations that follow it, from the mover's view; a win is [`WON`]
//! minus one for each further ply. The last ply is not searched move by move: its value is that of its best move. First
//! the moves are tried there that were best in other positions of the same ply: one that is good enough saves all others.

use banmen_game::Game;
use banmen_search::Budget;

use super::births::{self, Breadth};
use super::ending;
use super::lists::Lists;
use super::memory::{Bound, CHILDREN, TableEntry, TranspositionTable};
use crate::Golad;
use crate::moves::Move;
use crate::parts::{Parts, TrialContext, Valued};
use crate::position::Position;
use crate::trial::{Change, UNIT, WON, Weights};

/// Larger values are wins against the moves that were searched, with their distance.
pub(super) const DECIDED: i32 = 2 * UNIT;

/// Larger than every value.
pub(super) const INFINITE: i32 = WON + UNIT;

/// The largest depth of a search.
pub(super) const MAX_PLY: usize = 64;

/// How many killer moves a ply has.
const KILLERS: usize = 24;

/// The moves that were best in other positions of the same ply, the latest first (Akl and Newborn 1977).
#[derive(Clone, Copy, Default)]
pub(super) struct Killers([Option<Move>; KILLERS]);

impl Killers {
    fn put(&mut self, m: Move) {
        let at = self.0.iter().position(|&known| known == Some(m)).unwrap_or(KILLERS - 1);
        self.0[at] = Some(m);
        self.0[..=at].rotate_right(1);
    }
}

pub(super) struct Search<'s, 'w, 'a> {
    pub(super) game: Golad,
    pub(super) weights: &'s Weights,
    pub(super) lists: Lists,
    pub(super) parts: &'s mut Parts,
    pub(super) memory: &'s mut TranspositionTable,
    /// Keeps the entries of searches with other weights or shorter or longer lists apart.
    pub(super) salt: u64,
    /// Of each ply; empty for a search without them.
    pub(super) killers: &'s mut [Killers],
    pub(super) budget: &'w mut Budget<'a>,
}

/// A value one ply nearer to the root, for the other side.
fn back(value: i32) -> i32 {
    -(value - i32::from(value > DECIDED) + i32::from(value < -DECIDED))
}

/// The inverse of [`back`].
fn ahead(value: i32) -> i32 {
    -(value + i32::from(value > DECIDED) - i32::from(value < -DECIDED))
}

impl Search<'_, '_, '_> {
    /// The key of a position in the table.
    pub(super) fn key(&self, position: &Position) -> u64 {
        position.key() ^ self.salt
    }

    /// Ranks the moves of a position into `parts`, all of the breadth unless one has at least the value `enough`.
    /// Whether all are there; `None` when the search must stop.
    pub(super) fn rank(&mut self, position: &Position, breadth: Breadth, enough: i32) -> Option<bool> {
        let last = self.last_turn(position);
        let context = TrialContext { board: &position.board, side: position.side, weights: self.weights };
        let complete = births::rank(self.parts, context, breadth, if last { INFINITE } else { enough }, self.budget);
        if complete && let Some(m) = ending::win(&position.board, position.side, self.budget) {
            self.parts.moves.retain(|&(other, _)| other != m);
            self.parts.moves.push((m, WON));
        }
        if last {
            for (_, value) in &mut self.parts.moves {
                *value = if value.abs() > DECIDED { *value } else { 0 };
            }
        }
        (!self.budget.over()).then_some(complete)
    }

    /// Whether the next turn is the last one, after which the game is drawn.
    fn last_turn(&self, position: &Position) -> bool {
        position.generations.saturating_add(1) >= self.game.turns()
    }

    /// The value of the best killer move of a position; `None` when the search must stop.
    fn refute(&mut self, position: &Position, ply: usize) -> Option<i32> {
        let context = TrialContext { board: &position.board, side: position.side, weights: self.weights };
        let game = self.game;
        let killers = self.killers.get(ply).into_iter().flat_map(|killers| killers.0).flatten();
        let legal = killers.filter(|&m| game.check(position, m).is_ok());
        let values = self.parts.try_more(context, legal.map(Change::from), self.budget);
        let best = values.iter().copied().max().unwrap_or(-INFINITE);
        (!self.budget.over()).then_some(best)
    }

    /// The value of the position after a move, for the side that made it.
    pub(super) fn after(
        &mut self,
        position: &Position,
        m: Move,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Option<i32> {
        let mut next = *position;
        next.play(m);
        if let Some(outcome) = self.game.outcome(&next, &()) {
            return Some(outcome.winner.map_or(0, |winner| if winner == position.side { WON } else { -WON }));
        }
        self.value(&next, depth - 1, ahead(beta), ahead(alpha), ply + 1).map(back)
    }

    /// The value of an unfinished position for its mover, `depth` plies deep, at least 1: exact within the window, else
    /// a bound on its side of it. `None` when the search must stop.
    pub(super) fn value(
        &mut self,
        position: &Position,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Option<i32> {
        let key = self.key(position);
        let known = self.memory.get(key).copied();
        if let Some(known) = known.filter(|known| known.decides(depth, alpha, beta)) {
            return Some(known.value);
        }
        if depth <= 1 {
            if beta < INFINITE && !self.last_turn(position) {
                let value = self.refute(position, ply)?;
                if value >= beta {
                    return Some(value);
                }
            }
            let complete = self.rank(position, self.lists.inner, beta)?;
            let (best, value) = self.parts.first();
            if let Some(killers) = self.killers.get_mut(ply) {
                killers.put(best);
            }
            if complete {
                // The next iteration searches these moves.
                self.memory.put(TableEntry::new(key, self.parts.best(CHILDREN)).with(value, 1, Bound::Exact));
            }
            return Some(value);
        }
        let mut known = match known {
            Some(known) => known,
            None => {
                self.rank(position, self.lists.inner, INFINITE)?;
                TableEntry::new(key, self.parts.best(CHILDREN))
            }
        };
        let mut moves = [(Move::Pass, 0); CHILDREN];
        let mut count = 0;
        for m in known.moves().take(CHILDREN) {
            moves[count] = m;
            count += 1;
        }
        let moves: &mut [Valued] = &mut moves[..count];
        let (floor, mut best, mut at) = (alpha, -INFINITE, 0);
        let searched = self.lists.width(ply).min(count);
        for (index, (m, found)) in moves[..searched].iter_mut().enumerate() {
            let m = *m;
            let narrow = index > 0 && beta - alpha > 1;
            let mut value = self.after(position, m, depth, alpha, if narrow { alpha + 1 } else { beta }, ply)?;
            if narrow && value > alpha && value < beta {
                value = self.after(position, m, depth, alpha, beta, ply)?;
            }
            *found = value;
            if value > best {
                (best, at) = (value, index);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        moves[..=at].rotate_right(1);
        known.keep(moves);
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best <= floor => Bound::Upper,
            _ => Bound::Exact,
        };
        self.memory.put(known.with(best, depth, bound));
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::Options;
    use banmen_game::{Rng, Side};
    use banmen_search::{Limits, StopFlag};

    use super::*;
    use crate::engine::KEYS;
    use crate::engine::settings::Settings;
    use crate::reference::{FrozenClock, random_board};
    use crate::start::start;

    fn search<'s, 'w, 'a>(
        game: Golad,
        settings: &'s Settings,
        parts: &'s mut Parts,
        memory: &'s mut TranspositionTable,
        killers: &'s mut [Killers],
        budget: &'w mut Budget<'a>,
    ) -> Search<'s, 'w, 'a> {
        let lists = settings.lists(f64::INFINITY);
        Search { game, weights: settings.weights(false), lists, parts, memory, salt: 0, killers, budget }
    }

    /// The value by plain minimax over the same moves, without windows and table.
    fn plain(search: &mut Search<'_, '_, '_>, position: &Position, depth: i32, ply: usize) -> i32 {
        assert_eq!(search.rank(position, search.lists.inner, INFINITE), Some(true));
        if depth <= 1 {
            return search.parts.first().1;
        }
        let moves = search.parts.best(search.lists.width(ply)).to_vec();
        let after = |(m, _): Valued| {
            let mut next = *position;
            next.play(m);
            match search.game.outcome(&next, &()) {
                Some(outcome) => outcome.winner.map_or(0, |winner| if winner == position.side { WON } else { -WON }),
                None => back(plain(search, &next, depth - 1, ply + 1)),
            }
        };
        moves.into_iter().map(after).max().expect("a move")
    }

    #[test]
    fn windows_and_table_change_no_value() {
        let keys = [("widths", "5/4/3/3/3/3"), ("inner", "4/5/1"), ("table", "1")];
        let settings = Settings::new(&Options::new(KEYS, &keys).expect("good keys")).expect("weights");
        let mut rng = Rng::new(4);
        let mut decided = 0;
        for round in 0..60 {
            // All phases of games between random movers, who lose their cells soon, including the last turns.
            let game = Golad { rounds: 1 + round % 20, ..Golad::STANDARD };
            let mut position = Position::new(start(&game, &round.to_string()).expect("a start"));
            for _ in 0..rng.index(40) {
                let mut next = position;
                next.play(crate::moves::random(&position.board, position.side, &mut rng));
                if game.outcome(&next, &()).is_none() {
                    position = next;
                }
            }
            let (clock, stop) = (FrozenClock, StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let (mut parts, mut memory) = (Parts::default(), TranspositionTable::new(1 << 20));
            let mut search = search(game, &settings, &mut parts, &mut memory, &mut [], &mut budget);
            for depth in 1..=4 {
                let expected = plain(&mut search, &position, depth, 0);
                search.memory.clear();
                assert_eq!(search.value(&position, depth, -INFINITE, INFINITE, 0), Some(expected), "{position:?}");
                // With the table filled, and with a window that excludes the value.
                assert_eq!(search.value(&position, depth, -INFINITE, INFINITE, 0), Some(expected), "{position:?}");
                search.memory.clear();
                let low = search.value(&position, depth, expected, INFINITE, 0).expect("no limit");
                search.memory.clear();
                let high = search.value(&position, depth, -INFINITE, expected, 0).expect("no limit");
                assert!(low <= expected && high >= expected, "{low} {expected} {high}");
                decided += i32::from(expected.abs() > DECIDED);
            }
        }
        assert!(decided > 10, "{decided} decided");
    }

    #[test]
    fn killers_save_the_other_trials_where_they_are_legal_and_good() {
        let settings = Settings::new(&Options::new(KEYS, &[]).expect("good keys")).expect("weights");
        let game = Golad { width: 5, height: 5, ..Golad::STANDARD };
        let mut rng = Rng::new(9);
        let mut saved = 0;
        for _ in 0..200 {
            let mut boards = [0; 2].map(|_| random_board(5, 5, 2, &mut rng));
            let killers = std::array::from_fn(|_| Some(crate::moves::random(&boards[0], Side::First, &mut rng)));
            // Some cells are the same, so that some moves are legal.
            for cell in boards[0].living_cells().collect::<Vec<_>>() {
                if rng.index(4) > 0 {
                    let owner = boards[0].owner(cell);
                    boards[1].set(cell, owner);
                }
            }
            let position = Position::new(boards[1]);
            let legal: Vec<Move> = game.moves(&position).into_iter().filter(|&m| killers.contains(&Some(m))).collect();
            let (clock, stop) = (FrozenClock, StopFlag::default());
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            let (mut parts, mut memory) = (Parts::default(), TranspositionTable::new(1 << 16));
            let context =
                TrialContext { board: &position.board, side: position.side, weights: settings.weights(false) };
            let best = parts.try_more(context, legal.iter().map(|&m| m.into()), &mut budget).iter().copied().max();
            let tried = budget.count();
            let known = &mut [Killers(killers)];
            let mut search = search(game, &settings, &mut parts, &mut memory, known, &mut budget);
            assert_eq!(search.refute(&position, 0), Some(best.unwrap_or(-INFINITE)));
            if let Some(best) = best {
                assert_eq!(search.value(&position, 1, -INFINITE, best, 0), Some(best));
                // A move may be among the killers twice.
                let legal = killers.iter().flatten().filter(|m| legal.contains(m)).count() as u64;
                assert_eq!(search.budget.count(), tried + 2 * legal, "no other move was tried");
                saved += 1;
            }
        }
        assert!(saved > 50, "{saved} positions with legal killers");
    }
}
