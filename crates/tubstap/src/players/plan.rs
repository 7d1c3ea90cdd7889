//! Plans of whole turns: how they are made at random, changed, and played. For the players that search turns, not actions.

use std::ops::ControlFlow;
use std::time::Duration;

use banmen_catalog::{Key, Kind};
use banmen_game::{Game, GameState, Rng, Side};
use banmen_search::{Budget, Limits, Line, Report, Task};

use crate::game::Tubstap;
use crate::kind::Kind as UnitKind;
use crate::moves::{Listed, Move};
use crate::position::Position;

/// The probability of an attack where there is one, in random plans.
pub(super) const BIAS: Key = Key {
    name: "bias",
    kind: Kind::Number(0.0, 1.0),
    default: "0.8",
    summary: "probability with which a random action is an attack if there is one",
    source: "its source",
};

/// The time of a turn.
pub(super) const TIME: Key = Key {
    name: "time",
    kind: Kind::Maximum(3_600_000),
    default: "9700",
    summary: "maximum time per turn in ms, in addition to the limits of the match; 0: no maximum",
    source: "the tournament's rule, as M-UCT",
};

/// What a unit's hit points are worth, by the number of its kind.
const WORTH: [f64; 6] = {
    let mut worth = [0.0; 6];
    worth[UnitKind::Infantry as usize] = 1.0;
    worth[UnitKind::AntiAir as usize] = 2.5;
    worth[UnitKind::Panzer as usize] = 4.0;
    worth[UnitKind::Cannon as usize] = 4.0;
    worth[UnitKind::Fighter as usize] = 4.0;
    worth[UnitKind::Attacker as usize] = 6.0;
    worth
};

/// The weights of the shares of worth and of the number of units.
const WORTH_SHARE: f64 = 0.7;
const UNIT_SHARE: f64 = 0.3;

/// The evaluation of RHEA and TBETS for the first side, 0 to 1: 1 or 0 where a side has no unit or the difference of hit
/// points has reached the threshold; else 0.7 times the first side's share of the worth of all units and 0.3 times its share
/// of their number.
pub(super) fn evaluate(game: &Tubstap, position: &Position) -> f64 {
    let count = Side::BOTH.map(|side| f64::from(position.alive(side).count_ones()));
    if count.contains(&0.0) {
        return if count[0] > 0.0 { 1.0 } else { 0.0 };
    }
    let [first, second] = Side::BOTH.map(|side| position.hit_points(side));
    let threshold = u32::from(game.threshold());
    if threshold > 0 && first.abs_diff(second) >= threshold {
        return if first > second { 1.0 } else { 0.0 };
    }
    let mut worth = [0.0; 2];
    for (_, unit) in position.units() {
        worth[unit.side.index()] += WORTH[unit.kind.index()] * f64::from(unit.hp);
    }
    let share = |of: [f64; 2]| of[0] / (of[0] + of[1]);
    WORTH_SHARE * share(worth) + UNIT_SHARE * share(count)
}

/// Draws actions, and plays and changes plans.
#[derive(Debug)]
pub(super) struct Planner {
    pub(super) rng: Rng,
    bias: f64,
    moves: Vec<Move>,
}

impl Planner {
    pub(super) fn new(bias: f64, seed: u64) -> Planner {
        Planner { rng: Rng::new(seed), bias, moves: Vec::new() }
    }

    fn list(&mut self, game: &Tubstap, position: &Position, units: u32, attacks: bool) {
        self.moves.clear();
        let listed = Listed { units, ..Listed::USUAL };
        let _ = game.visit_listed(position, listed, |m| {
            if !attacks || m.target().is_some() {
                self.moves.push(m);
            }
            ControlFlow::<()>::Continue(())
        });
    }

    /// An action of one of these units, of which at least one can act: an attack with the probability of the bias if there
    /// is one, else an action of any of the units.
    fn action(&mut self, game: &Tubstap, position: &Position, units: u32) -> Move {
        let able = position.able() & units;
        self.moves.clear();
        if self.rng.unit() < self.bias {
            self.list(game, position, able, true);
        }
        if self.moves.is_empty() {
            let mut rest = able;
            for _ in 0..self.rng.index(able.count_ones() as usize) {
                rest &= rest - 1;
            }
            self.list(game, position, 1 << rest.trailing_zeros(), false);
        }
        self.moves[self.rng.index(self.moves.len())]
    }

    /// Plays a turn to its end: the actions of `wanted` in order, and then random ones of the units that are left. An
    /// action that is not possible any more is replaced by a random one of its unit. Returns the actions.
    pub(super) fn play(
        &mut self,
        game: &Tubstap,
        position: &mut Position,
        wanted: impl IntoIterator<Item = Move>,
    ) -> Vec<Move> {
        let turn = position.turn();
        let going = |position: &Position| position.turn() == turn && !game.is_over(position);
        let mut plan = Vec::new();
        for m in wanted {
            let Some(unit) = m.unit() else { continue };
            if !going(position) || position.able() >> unit & 1 == 0 {
                continue;
            }
            let m = if game.check(position, m).is_ok() { m } else { self.action(game, position, 1 << unit) };
            game.play(position, m);
            plan.push(m);
        }
        while going(position) {
            let m = self.action(game, position, u32::MAX);
            game.play(position, m);
            plan.push(m);
        }
        plan
    }

    /// A plan with one action replaced by a random one of the same unit. Plays it.
    pub(super) fn mutate(&mut self, game: &Tubstap, position: &mut Position, plan: &[Move]) -> Vec<Move> {
        let turn = position.turn();
        let place = self.rng.index(plan.len());
        let mut changed = Vec::new();
        for (index, &m) in plan.iter().enumerate().take(place + 1) {
            let Some(unit) = m.unit() else { continue };
            if position.turn() != turn || game.is_over(position) || position.able() >> unit & 1 == 0 {
                break;
            }
            let kept = index < place && game.check(position, m).is_ok();
            let m = if kept { m } else { self.action(game, position, 1 << unit) };
            game.play(position, m);
            changed.push(m);
        }
        if position.turn() == turn {
            let rest = self.play(game, position, plan.iter().copied().skip(place + 1));
            changed.extend(rest);
        }
        changed
    }

    /// A plan that begins like one and goes on like another with the units that are left. Plays it.
    pub(super) fn cross(&mut self, game: &Tubstap, position: &mut Position, a: &[Move], b: &[Move]) -> Vec<Move> {
        let cut = self.rng.index(a.len().max(1));
        self.play(game, position, a[..cut].iter().chain(b).copied())
    }
}

/// The rest of a plan that was made at the first action of a turn.
#[derive(Debug, Default)]
pub(super) struct RestOfTurn {
    plan: Vec<Move>,
    /// The position in which the first of them is to be played.
    at: Option<Position>,
    value: f64,
    /// The depth of its search.
    depth: u32,
}

impl RestOfTurn {
    /// The next action of the plan, if the game has gone on by it.
    pub(super) fn next(&mut self, state: &GameState<Tubstap>) -> Option<Report<Move>> {
        if self.at.as_ref() != Some(state.position()) || self.plan.is_empty() {
            return None;
        }
        let report = self.report(0, 0, Duration::ZERO);
        self.advance(state);
        Some(report)
    }

    /// A new plan for the turn, its value for the side to move, and how it was found: the playouts, the depth of the search,
    /// and what it used of the budget. Its first action is the answer.
    pub(super) fn begin(
        &mut self,
        state: &GameState<Tubstap>,
        (plan, value): (Vec<Move>, f64),
        playouts: u64,
        depth: u32,
        budget: &Budget<'_>,
    ) -> Report<Move> {
        (self.plan, self.value, self.depth) = (plan, value, depth);
        let report = self.report(playouts, budget.count(), budget.elapsed());
        self.advance(state);
        report
    }

    fn report(&self, playouts: u64, nodes: u64, time: Duration) -> Report<Move> {
        let line = Line { moves: self.plan.clone(), value: self.value, eval: None };
        Report { lines: vec![line], nodes, playouts: Some(playouts), depth: self.depth, time, ..Report::default() }
    }

    fn advance(&mut self, state: &GameState<Tubstap>) {
        let mut next = *state.position();
        if !self.plan.is_empty() {
            state.game().play(&mut next, self.plan.remove(0));
        }
        self.at = Some(next);
    }
}

/// The bounds of a plan for the whole turn: all of its time, and nodes and playouts for each of its actions.
pub(super) fn turn_limits(task: &Task<'_, Tubstap>, own: Limits) -> Limits {
    let actions = u64::from(task.state.decisions_left());
    let limits = task.limits.and(own).decision(1);
    let all = |bound: Option<u64>| bound.map(|bound| bound.saturating_mul(actions));
    Limits { nodes: all(limits.nodes), playouts: all(limits.playouts), ..limits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps;
    use crate::notation::parse_position;

    #[test]
    fn evaluation_counts_worth_units_and_the_threshold() {
        let value = |units: &str| {
            let (game, position) =
                parse_position(&maps::standard(), &format!("TURN 4 UNITS {units}")).expect("a position");
            evaluate(&game, &position)
        };
        // Worth 4 · 5 against 1 · 10; one unit each; 5 hit points less.
        assert!((value("0:P:0:2,2:5:0 1:I:1:6,6:10:0") - (0.7 * 20.0 / 30.0 + 0.15)).abs() < 1e-12);
        // Nine hit points more are no decision, ten are.
        assert!((value("0:R:0:1,1:10:0 1:R:1:6,6:1:0") - (0.7 * 25.0 / 27.5 + 0.15)).abs() < 1e-12);
        assert_eq!(value("0:R:0:1,1:10:0 1:I:0:1,2:1:0 2:R:1:6,6:1:0"), 1.0);
        assert_eq!(value("0:R:0:1,1:1:0 1:I:1:6,5:1:0 2:R:1:6,6:10:0"), 0.0);
        assert_eq!((value("0:I:0:1,1:1:0"), value("0:I:1:1,1:1:0")), (1.0, 0.0));
    }

    #[test]
    fn plans_are_whole_turns_however_they_are_made() {
        let mut planner = Planner::new(0.8, 3);
        let mut attacks = 0;
        for name in ["map01", "map02", "map04"] {
            let mut state = GameState::new(maps::named(name).expect("a map"));
            while state.outcome().is_none() {
                let (game, start) = (state.game().clone(), *state.position());
                let whole = |plan: &[Move], end: &Position| {
                    let mut position = start;
                    for &m in plan {
                        assert!(position.turn() == start.turn() && !game.is_over(&position), "{plan:?}");
                        game.play(&mut position, m);
                    }
                    assert_eq!(position, *end);
                    assert!(position.turn() != start.turn() || game.is_over(&position), "{plan:?}");
                };
                let random = [0, 1].map(|_| {
                    let mut end = start;
                    let plan = planner.play(&game, &mut end, []);
                    whole(&plan, &end);
                    plan
                });
                for _ in 0..5 {
                    let mut end = start;
                    let plan = planner.cross(&game, &mut end, &random[0], &random[1]);
                    whole(&plan, &end);
                    let mut end = start;
                    let plan = planner.mutate(&game, &mut end, &plan);
                    whole(&plan, &end);
                }
                attacks += random[0].iter().filter(|m| m.target().is_some()).count();
                random[0].iter().for_each(|&m| state.play(m));
            }
        }
        assert!(attacks > 20, "{attacks}");
    }
}
