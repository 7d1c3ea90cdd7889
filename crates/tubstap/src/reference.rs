//! The slow, obvious rules for the tests: tables as the sources print them, distances cell by cell, no bitboards.

use std::collections::BTreeMap;

use banmen_game::laws;
use banmen_game::{Outcome, Side};

use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

/// Letter, movement points, whether it is a cannon, whether it is an air unit.
const KINDS: [(char, u32, bool, bool); 6] = [
    ('F', 9, false, true),
    ('A', 7, false, true),
    ('P', 6, false, false),
    ('U', 5, true, false),
    ('R', 6, false, false),
    ('I', 3, false, false),
];

/// Power of the row's kind against the column's.
const POWER: [[u32; 6]; 6] = [
    [55, 65, 0, 0, 0, 0],
    [0, 0, 105, 105, 85, 115],
    [0, 0, 55, 70, 75, 75],
    [0, 0, 60, 75, 65, 90],
    [70, 70, 15, 50, 45, 105],
    [0, 0, 5, 10, 3, 55],
];

/// For each terrain: stars, and the cost for `F A`, for `P U R` and for `I`; 99 is no entry.
const TERRAIN: [(u32, [u32; 3]); 7] = [
    (0, [99, 99, 99]),
    (1, [1, 1, 1]),
    (0, [1, 99, 99]),
    (3, [1, 2, 1]),
    (4, [1, 99, 2]),
    (0, [1, 1, 1]),
    (4, [1, 1, 1]),
];

/// A unit that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unit {
    kind: usize,
    team: usize,
    x: usize,
    y: usize,
    hp: u32,
    acted: bool,
}

/// The terrain as numbers, and the units by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    terrain: Vec<Vec<usize>>,
    units: BTreeMap<usize, Unit>,
    turn: u32,
    limit: u32,
    threshold: u32,
}

impl Reference {
    fn team(&self) -> usize {
        self.turn as usize % 2
    }

    fn unit_at(&self, x: usize, y: usize) -> Option<&Unit> {
        self.units.values().find(|unit| (unit.x, unit.y) == (x, y))
    }

    /// Where a unit can go: the least cost of every cell, improved until nothing changes.
    fn reach(&self, unit: &Unit) -> Vec<(usize, usize)> {
        let (_, points, cannon, air) = KINDS[unit.kind];
        let class = if air {
            0
        } else if KINDS[unit.kind].0 == 'I' {
            2
        } else {
            1
        };
        debug_assert!(!cannon || class == 1);
        let mut costs = BTreeMap::from([((unit.x, unit.y), 0)]);
        loop {
            let before = costs.clone();
            for (&(x, y), &cost) in &before {
                for (x, y) in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
                    let total = cost + TERRAIN[self.terrain[y][x]].1[class];
                    let enemy = self.unit_at(x, y).is_some_and(|other| other.team != unit.team);
                    if total <= points && !enemy && costs.get(&(x, y)).is_none_or(|&known| total < known) {
                        costs.insert((x, y), total);
                    }
                }
            }
            if costs == before {
                break;
            }
        }
        let free = |&(x, y): &(usize, usize)| self.unit_at(x, y).is_none_or(|other| other == unit);
        costs.into_keys().filter(free).collect()
    }

    /// Damage of an attack on a unit that stands on some terrain.
    fn damage(&self, kind: usize, hp: u32, target: &Unit, terrain: usize) -> u32 {
        let stars = if KINDS[target.kind].3 { 0 } else { TERRAIN[terrain].0 };
        target.hp.min((POWER[kind][target.kind] * hp + 70) / (100 + stars * target.hp))
    }

    fn pass_turns(&mut self) {
        while self.ended().is_none() && !self.units.values().any(|unit| unit.team == self.team() && !unit.acted) {
            let team = self.team();
            self.units.values_mut().filter(|unit| unit.team == team).for_each(|unit| unit.acted = false);
            self.turn += 1;
        }
    }

    fn ended(&self) -> Option<Outcome> {
        let sum = |team| self.units.values().filter(|unit| unit.team == team).map(|unit| unit.hp).sum::<u32>();
        let (red, blue) = (sum(0), sum(1));
        let (winner, by) = match (red, blue) {
            (0, _) => (Some(Side::Second), "annihilation"),
            (_, 0) => (Some(Side::First), "annihilation"),
            _ if self.turn < self.limit => return None,
            _ if red > blue + self.threshold => (Some(Side::First), "hit points"),
            _ if blue > red + self.threshold => (Some(Side::Second), "hit points"),
            _ => (None, "hit points"),
        };
        Some(Outcome { winner, margin: None, by })
    }
}

impl laws::Reference<Tubstap> for Reference {
    fn of(game: &Tubstap, position: &Position) -> Self {
        let field = game.field();
        let units = position.units().map(|(number, unit)| {
            let (kind, team) = (unit.kind.index(), unit.side.index());
            let (x, y) = (unit.cell.x(), unit.cell.y());
            (number, Unit { kind, team, x, y, hp: unit.hp.into(), acted: unit.acted })
        });
        Reference {
            terrain: (0..field.height()).map(|y| field.row(y).map(|terrain| terrain.index()).collect()).collect(),
            units: units.collect(),
            turn: position.turn().into(),
            limit: game.limit().into(),
            threshold: game.threshold().into(),
        }
    }

    fn moves(&self, _: &Tubstap) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.ended().is_some() {
            return moves;
        }
        let able = self.units.iter().filter(|(_, unit)| unit.team == self.team() && !unit.acted);
        for (&number, unit) in able {
            for (x, y) in self.reach(unit) {
                let Some(to) = Cell::new(x, y) else { continue };
                moves.push(Move::quiet(number, to));
                let cannon = KINDS[unit.kind].2;
                for (&target, enemy) in self.units.iter().filter(|(_, enemy)| enemy.team != unit.team) {
                    let distance = x.abs_diff(enemy.x) + y.abs_diff(enemy.y);
                    let stays = (x, y) == (unit.x, unit.y);
                    let in_range = if cannon { stays && (distance == 2 || distance == 3) } else { distance == 1 };
                    if in_range && self.damage(unit.kind, unit.hp, enemy, self.terrain[enemy.y][enemy.x]) > 0 {
                        moves.push(Move::attack(number, to, target));
                    }
                }
            }
        }
        moves
    }

    fn play(&mut self, _: &Tubstap, m: Move) {
        let team = self.team();
        match m.unit() {
            None => self.units.values_mut().filter(|unit| unit.team == team).for_each(|unit| unit.acted = true),
            Some(number) => {
                if let Some(unit) = self.units.get_mut(&number) {
                    (unit.x, unit.y, unit.acted) = (m.to().x(), m.to().y(), true);
                }
                if let Some(target) = m.target() {
                    let (attacker, defender) = (self.units[&number].clone(), self.units[&target].clone());
                    let ground = self.terrain[defender.y][defender.x];
                    let left = defender.hp - self.damage(attacker.kind, attacker.hp, &defender, ground);
                    let both_direct = !KINDS[attacker.kind].2 && !KINDS[defender.kind].2;
                    let mut own = attacker.hp;
                    if left > 0 && both_direct {
                        own -= self.damage(defender.kind, left, &attacker, self.terrain[attacker.y][attacker.x]);
                    }
                    self.units.insert(target, Unit { hp: left, ..defender });
                    self.units.insert(number, Unit { hp: own, ..attacker });
                    self.units.retain(|_, unit| unit.hp > 0);
                }
            }
        }
        self.pass_turns();
    }

    fn outcome(&self, _: &Tubstap) -> Option<Outcome> {
        self.ended()
    }
}
