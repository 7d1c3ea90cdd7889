//! Plans: what all units of a side do in one turn.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use banmen_game::Side;
use banmen_search::Budget;

use super::eval::{Evaluator, Value};
use super::keys::KeySet;
use super::settings::Breadth;
use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::{Listed, Move};
use crate::position::{Position, bits};

/// A plan, and what it leads to.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The moves of the units, in their order.
    pub(super) moves: Box<[Move]>,
    /// The position after the turn.
    pub(super) position: Position,
    /// Its value for the side whose plan it is.
    pub(super) value: Value,
}

/// A position within the turn, and how it was reached.
#[derive(Clone, Copy)]
struct Stage {
    position: Position,
    value: Value,
    last: Step,
    /// How many were added before it.
    order: u32,
}

impl Stage {
    /// The best first, and of equals the one added first.
    fn rank(&self) -> (Reverse<Value>, u32) {
        (Reverse(self.value), self.order)
    }
}

/// A move, and the place of the one before it in [`Planner::trail`].
#[derive(Clone, Copy)]
struct Step {
    m: Move,
    before: Option<u32>,
}

/// Makes plans by a beam search: unit after unit, in any order, it goes on from the best positions. Positions that several
/// orders lead to count once.
#[derive(Default)]
pub(super) struct Planner {
    trail: Vec<Step>,
    stages: Vec<Stage>,
    next: Vec<Stage>,
    finished: Vec<Stage>,
    seen: KeySet,
    diversity: Diversity,
    destinations: Destinations,
}

impl Planner {
    /// The best plans of the side to move, best first, by a beam of so many positions. Of the cells to which a unit could go
    /// without an attack, those count that are best as the first move of the turn, and those that it can only reach later
    /// in the turn. Positions that are valued count as nodes. When the budget is over, the beam goes on with one position.
    pub(super) fn plans(
        &mut self,
        game: &Tubstap,
        evaluator: &mut Evaluator<'_>,
        position: &Position,
        Breadth { width, plans: count, cells }: Breadth,
        budget: &mut Budget<'_>,
    ) -> Vec<Plan> {
        let side = position.side();
        budget.nodes(self.destinations.rank(game, evaluator, position, cells));
        self.trail.clear();
        self.finished.clear();
        self.stages.clear();
        self.seen.clear();
        self.extend(game, evaluator, side, position, None);
        budget.nodes(self.next.len() as u64);
        // Where in the trail the steps to `stages` begin.
        let mut begin = 0;
        loop {
            budget.nodes(1);
            if self.next.is_empty() {
                break;
            }
            self.diversity.best(&mut self.next, if budget.over() { 1 } else { width });
            std::mem::swap(&mut self.stages, &mut self.next);
            self.next.clear();
            self.seen.clear();
            begin = self.trail.len();
            for index in 0..self.stages.len() {
                let stage = self.stages[index];
                let (before, known) = (self.trail.len() as u32, self.next.len());
                self.trail.push(stage.last);
                self.extend(game, evaluator, side, &stage.position, Some(before));
                // The best position comes first.
                if !budget.nodes((self.next.len() - known) as u64) {
                    break;
                }
            }
        }
        if self.finished.is_empty() {
            self.finish(game, evaluator, side, position, begin);
        }
        self.diversity.best(&mut self.finished, count);
        let plan = |stage: &Stage| Plan { moves: self.moves(stage.last), position: stage.position, value: stage.value };
        self.finished.iter().map(plan).collect()
    }

    /// Plays each move, and adds the position that it leads to to `next`, or to `finished` at the end of the turn.
    fn extend(
        &mut self,
        game: &Tubstap,
        evaluator: &mut Evaluator<'_>,
        side: Side,
        position: &Position,
        before: Option<u32>,
    ) {
        let Planner { next, finished, seen, destinations, .. } = self;
        let quiet = quiet_units(position);
        let _ = game.visit_listed::<()>(position, Listed::USUAL, |m| {
            if m.target().is_none()
                && m.unit().is_some_and(|unit| quiet >> unit & 1 == 0 || destinations.are_passed_over(unit, m.to()))
            {
                return ControlFlow::Continue(());
            }
            let mut after = *position;
            after.play(game.field(), game.limit(), m);
            if seen.insert(after.key_of_units()) {
                let over = after.turn() != position.turn() || game.is_over(&after);
                let stages = if over { &mut *finished } else { &mut *next };
                let (value, last) = (evaluator.value(&after, side), Step { m, before });
                stages.push(Stage { position: after, value, last, order: stages.len() as u32 });
            }
            ControlFlow::Continue(())
        });
    }

    /// Ends the turn in the best of the last positions, whose steps are in the trail from `begin` on: the cells that its
    /// units would go to are occupied.
    fn finish(&mut self, game: &Tubstap, evaluator: &mut Evaluator<'_>, side: Side, position: &Position, begin: usize) {
        let (mut after, before) = match self.stages.first() {
            Some(stage) => (stage.position, Some(begin as u32)),
            None => (*position, None),
        };
        after.play(game.field(), game.limit(), Move::END);
        let last = Step { m: Move::END, before };
        self.finished.push(Stage { position: after, value: evaluator.value(&after, side), last, order: 0 });
    }

    /// The moves up to a step.
    fn moves(&self, last: Step) -> Box<[Move]> {
        let mut moves = vec![last.m];
        let mut before = last.before;
        while let Some(index) = before {
            let step = self.trail[index as usize];
            moves.push(step.m);
            before = step.before;
        }
        moves.reverse();
        moves.into_boxed_slice()
    }
}

/// The units whose moves without an attack are tried: the first one that can act, and those beside an enemy, which may
/// have to free their cell for another unit. The order of such moves rarely matters.
fn quiet_units(position: &Position) -> u32 {
    let able = position.able();
    let enemies = position.alive(position.side().other());
    let engaged =
        bits(able).filter(|&unit| bits(enemies).any(|enemy| position.cell(unit).distance(position.cell(enemy)) == 1));
    engaged.fold(able & able.wrapping_neg(), |units, unit| units | 1 << unit)
}

/// The cells to which units do not go without an attack, because others are better for them.
#[derive(Default)]
struct Destinations {
    /// By unit: cells by index, as bits.
    passed_over: [[u64; 4]; Position::MAX_UNITS],
    /// The cells of one unit, with the values after the move there.
    ranked: Vec<(Value, Cell)>,
}

impl Destinations {
    /// Values every move without an attack of every unit as the first of the turn, and passes over all but the best `count`
    /// cells of each unit. Returns how many positions were valued.
    fn rank(&mut self, game: &Tubstap, evaluator: &mut Evaluator<'_>, position: &Position, count: usize) -> u64 {
        let side = position.side();
        let mut valued = 0;
        self.passed_over = [[0; 4]; Position::MAX_UNITS];
        for unit in bits(position.able()) {
            let Destinations { ranked, passed_over } = self;
            ranked.clear();
            let listed = Listed { units: 1 << unit, ..Listed::USUAL };
            let _ = game.visit_listed::<()>(position, listed, |m| {
                if m.target().is_none() {
                    let mut after = *position;
                    after.play(game.field(), game.limit(), m);
                    ranked.push((evaluator.value(&after, side), m.to()));
                }
                ControlFlow::Continue(())
            });
            valued += ranked.len() as u64;
            if ranked.len() > count {
                ranked.select_nth_unstable_by_key(count - 1, |&(value, to)| (Reverse(value), to.index()));
                for (_, to) in &ranked[count..] {
                    passed_over[unit][to.index() >> 6 & 3] |= 1 << (to.index() & 63);
                }
            }
        }
        valued
    }

    /// Whether others are better for this unit.
    #[inline]
    fn are_passed_over(&self, unit: usize, to: Cell) -> bool {
        self.passed_over[unit][to.index() >> 6 & 3] >> (to.index() & 63) & 1 == 1
    }
}

/// At most one in so many of the positions kept has the same losses on both sides: plans that attack differently are
/// worth more to the search than plans that differ only in where a unit ends.
const VARIETY: usize = 8;

/// Chooses positions that differ in the hit points of the units.
#[derive(Default)]
struct Diversity {
    /// Keys of hit points, and how many positions with these are kept.
    counts: Vec<(u64, usize)>,
    others: Vec<Stage>,
}

impl Diversity {
    /// Keeps the best `count`, sorted, not too many of them with the same hit points.
    fn best(&mut self, stages: &mut Vec<Stage>, count: usize) {
        let most = count * VARIETY;
        if stages.len() > most {
            stages.select_nth_unstable_by_key(most - 1, Stage::rank);
            stages.truncate(most);
        }
        stages.sort_unstable_by_key(Stage::rank);
        if stages.len() <= count {
            return;
        }
        let quota = count.div_ceil(VARIETY);
        self.counts.clear();
        self.others.clear();
        let (mut kept, mut at) = (0, 0);
        while at < stages.len() && kept < count {
            let stage = stages[at];
            let losses = stage.position.key_of_hit_points();
            let known = self.counts.iter_mut().find(|(key, _)| *key == losses);
            let earlier = match known {
                Some((_, earlier)) => {
                    *earlier += 1;
                    *earlier
                }
                None => {
                    self.counts.push((losses, 1));
                    1
                }
            };
            if earlier <= quota {
                stages[kept] = stage;
                kept += 1;
            } else {
                self.others.push(stage);
            }
            at += 1;
        }
        stages.truncate(kept);
        stages.extend(self.others.iter().take(count - kept));
        stages.sort_unstable_by_key(Stage::rank);
    }
}

#[cfg(test)]
mod tests {
    use banmen_game::{Game, Rng};

    use super::*;
    use crate::maps;

    #[test]
    fn of_equal_positions_the_first_ones_are_kept() {
        let position = maps::standard().start();
        let stage = |order| Stage { position, value: 0, last: Step { m: Move::END, before: None }, order };
        let mut rng = Rng::new(1);
        for _ in 0..20 {
            let mut stages: Vec<Stage> = (0..100).map(stage).collect();
            for last in (1..stages.len()).rev() {
                stages.swap(last, rng.index(last + 1));
            }
            Diversity::default().best(&mut stages, 3);
            assert_eq!(stages.iter().map(|stage| stage.order).collect::<Vec<_>>(), [0, 1, 2]);
        }
    }
}
