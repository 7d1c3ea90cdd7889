//! The inputs of the network: features of the units of both sides, of what they could attack, and of where they stand.

use banmen_game::Side;

use crate::cells::{Cell, Cells};
use crate::field::{Field, Form, Reach};
use crate::game::Tubstap;
use crate::kind::Kind;
use crate::position::{Position, bits};

/// The number of features: 4 for each kind of unit, 3 for each of three groups of attacks, 5 for each side, and 10
/// more.
pub const COUNT: usize = UNITS + REST;

/// The number of features about hit points and units by kind. They come first, and only attacks change them.
pub(super) const UNITS: usize = 4 * 6;

/// The number of the other features.
pub(super) const REST: usize = 3 * 3 + 2 * 5 + 10;

/// The features of a position, each of the order of 1.
pub type Features = [f32; COUNT];

/// The worth of a hit point of each kind, in hundredths of the worth of an infantry's, in the order of [`Kind`].
/// It makes attacks comparable. In RHEA's evaluation the worth w is 4, 6, 4, 4, 2.5, 1; here it is 1 + 0.4 (w − 1).
pub(super) const WORTH: [i32; 6] = [220, 300, 220, 220, 160, 100];

/// In this many turns before the limit, the lead in hit points is also a feature of its own.
pub(super) const FINAL: u16 = 8;

/// The reciprocals of distances plus 4.
pub(super) const NEARNESS: [f32; 32] = {
    let mut table = [0.0; 32];
    let mut distance = 0;
    while distance < 32 {
        table[distance] = 1.0 / (distance + 4) as f32;
        distance += 1;
    }
    table
};

/// The worth of a hit point of each kind, where an infantry's is 1.
const WORTHS: [f32; 6] = {
    let mut table = [0.0; 6];
    let mut at = 0;
    while at < 6 {
        table[at] = WORTH[at] as f32 / 100.0;
        at += 1;
    }
    table
};

/// A unit. Its hit points are 0 if it was destroyed.
#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    cell: Cell,
    hp: u32,
    /// The defence stars that protect it: 0 in the air.
    stars: u32,
    worth: f32,
}

impl Piece {
    const NONE: Piece = Piece { kind: Kind::Infantry, cell: Cell::of_index(0), hp: 0, stars: 0, worth: 0.0 };

    #[inline(always)]
    fn new(field: &Field, position: &Position, number: usize) -> Self {
        let (kind, cell, hp) = (position.kind(number), position.cell(number), position.hp(number));
        let stars = if kind.is_air() { 0 } else { field.stars(cell) };
        Piece { kind, cell, hp, stars, worth: WORTHS[kind.index()] }
    }
}

/// The units of a side together.
#[derive(Clone, Copy, Default)]
struct Army {
    /// Hit points by kind, and units by kind.
    hp: [u32; 6],
    counts: [u32; 6],
    hit_points: u32,
    /// The sum of their worth.
    worth: f32,
    /// The hit points times the mean power against the other side, weighted by worth.
    matchup: f32,
}

impl Army {
    fn matchup(&self, other: &Army) -> f32 {
        let mut matchup = 0.0;
        for kind in Kind::ALL {
            let hp = self.hp[kind.index()];
            if hp == 0 {
                continue;
            }
            let mut sum = 0.0;
            for target in Kind::ALL {
                let at = target.index();
                sum += (kind.power(target) * other.hp[at]) as f32 * WORTHS[at];
            }
            matchup += sum * hp as f32;
        }
        matchup / other.worth
    }
}

/// An attack of a unit on another one that has not been attacked before.
#[derive(Clone, Copy, PartialEq)]
struct Attack {
    /// The worth of the damage, less that of the counter-attack.
    gain: f32,
    /// In hit points, at most those of the target.
    damage: u32,
}

impl Attack {
    const NONE: Attack = Attack { gain: 0.0, damage: 0 };

    #[inline(always)]
    fn new(unit: &Piece, target: &Piece) -> Self {
        Attack::at(unit, target, target.hp, unit.kind.damage(unit.hp, target.kind, target.hp, target.stars))
    }

    /// The attack on a target with `hp` hit points, which loses `damage` of them.
    #[inline(always)]
    fn at(unit: &Piece, target: &Piece, hp: u32, damage: u32) -> Self {
        let mut gain = target.worth * damage as f32;
        if damage < hp && unit.kind.is_direct() && target.kind.is_direct() {
            // The cell of the attack is not known, so one star is assumed.
            gain -= unit.worth * target.kind.damage(hp - damage, unit.kind, unit.hp, 1) as f32;
        }
        Attack { gain, damage }
    }
}

/// What the attacks of a group of units could do.
#[derive(Clone, Copy, Default)]
struct Prospects {
    /// The units of the group that can attack something, as bits by number.
    group: u32,
    /// The worth that they gain if each makes its best attack, by number, less what counter-attacks cost.
    gain: f32,
    /// The worth that they would destroy if each target was attacked by all that reach it.
    capacity: f32,
    /// How many units they would destroy so.
    kills: u32,
}

/// Where the units of a side stand.
struct Placement {
    /// How near units are to what they are strong against.
    approach: f32,
    /// Defence stars under ground units, times their hit points: of all, and of those that can be attacked.
    shelter: u32,
    shelter_reached: u32,
    /// The worth of units that cannot be attacked.
    safe: f32,
}

/// The features of the position valued last, with their terms by units and pairs of units. For the next position only
/// the terms that changed are recomputed: positions that a search values in sequence differ in one or two units.
pub(super) struct IncrementalFeatures {
    position: Position,
    units: [Piece; Position::MAX_UNITS],
    armies: [Army; 2],
    /// By attacker and target; valid where `reached` contains the target.
    attacks: [[Attack; Position::MAX_UNITS]; Position::MAX_UNITS],
    /// The enemies that each unit could damage if nothing was in its way, as bits by number.
    reached: [u32; Position::MAX_UNITS],
    /// By unit and enemy: the power against it, by the distance.
    nearness: [[f32; Position::MAX_UNITS]; Position::MAX_UNITS],
    /// The largest [`nearness`](Self::nearness) of each unit.
    nearest: [f32; Position::MAX_UNITS],
    /// Units whose attacks changed since the prospects were computed, as bits by number.
    changed: u32,
    /// The side in whose view the features are, and the prospects: of its units that can still act in this turn, of its
    /// units that attack again in the next one, and of the other side.
    view: Option<Side>,
    prospects: [Prospects; 3],
    values: Features,
}

impl IncrementalFeatures {
    /// Not inlined, because each call of `features` would otherwise prepare the stack for it.
    #[cold]
    #[inline(never)]
    pub(super) fn new(game: &Tubstap, position: &Position) -> Box<Self> {
        let mut incremental = Box::new(IncrementalFeatures {
            position: *position,
            units: [Piece::NONE; Position::MAX_UNITS],
            armies: [Army::default(); 2],
            attacks: [[Attack::NONE; Position::MAX_UNITS]; Position::MAX_UNITS],
            reached: [0; Position::MAX_UNITS],
            nearness: [[0.0; Position::MAX_UNITS]; Position::MAX_UNITS],
            nearest: [0.0; Position::MAX_UNITS],
            changed: 0,
            view: None,
            prospects: [Prospects::default(); 3],
            values: [0.0; COUNT],
        });
        let [first, second] = Side::BOTH.map(|side| position.alive(side));
        incremental.update(game.field(), position, first | second);
        incremental
    }

    /// The features of a position of the same game in which both sides have units, in the view of `side`. Either `side`
    /// has its turn, or it has just finished it and the other side begins.
    #[inline]
    pub(super) fn features(&mut self, game: &Tubstap, position: &Position, side: Side) -> &Features {
        let [first, second] = Side::BOTH.map(|side| self.position.alive(side) | position.alive(side));
        if first & second != 0 {
            // A unit's number belongs to the other side in this position.
            *self = *IncrementalFeatures::new(game, position);
        } else {
            let differing = position.differing(&self.position);
            self.update(game.field(), position, differing);
        }
        self.write(game, side);
        &self.values
    }

    /// Recomputes what depends on the units that differ from those of the previous position.
    #[inline(always)]
    fn update(&mut self, field: &Field, position: &Position, differing: u32) {
        match field.form() {
            Form::Small(reach) => self.update_on(field, reach, position, differing),
            Form::Large(reach) => self.update_on(field, reach, position, differing),
        }
    }

    #[inline(always)]
    fn update_on<B: Cells>(&mut self, field: &Field, reach: &Reach<B>, position: &Position, differing: u32) {
        let owners = self.position.alive(Side::First) | position.alive(Side::First);
        self.position = *position;
        // `altered`: units that the same attack damages differently.
        let (mut counted, mut altered) = (true, 0);
        for number in bits(differing) {
            let unit = Piece::new(field, position, number);
            let before = std::mem::replace(&mut self.units[number], unit);
            let same = (before.kind, before.hp) == (unit.kind, unit.hp);
            counted &= same;
            altered |= u32::from(!same || before.stars != unit.stars) << number;
        }
        if !counted {
            self.count();
        }
        for number in bits(differing) {
            let own = if owners >> number & 1 == 1 { Side::First } else { Side::Second };
            let enemies = position.alive(own.other());
            if self.units[number].hp == 0 {
                self.remove(number, enemies, position.alive(own));
            } else {
                self.update_pairs(reach, number, altered >> number & 1 == 1, enemies, position.alive(own));
            }
        }
    }

    /// Counts hit points and units.
    fn count(&mut self) {
        for side in Side::BOTH {
            let mut army = Army::default();
            for number in bits(self.position.alive(side)) {
                let Piece { kind, hp, worth, .. } = self.units[number];
                army.hp[kind.index()] += hp;
                army.counts[kind.index()] += 1;
                army.hit_points += hp;
                army.worth += worth * hp as f32;
            }
            self.armies[side.index()] = army;
        }
        let [first, second] = self.armies;
        self.armies[0].matchup = first.matchup(&second);
        self.armies[1].matchup = second.matchup(&first);
        // `write` then writes the features by kind again.
        self.view = None;
    }

    /// Recomputes the pairs of a unit and its enemies. `altered`: its kind, its hit points or its cover changed.
    #[inline(always)]
    fn update_pairs<B: Cells>(&mut self, reach: &Reach<B>, number: usize, altered: bool, enemies: u32, own: u32) {
        let unit = self.units[number];
        let bit = 1 << number;
        let (mut reached, mut changed, mut nearest) = (0, u32::from(altered) << number, 0.0f32);
        for other in bits(enemies) {
            let enemy = self.units[other];
            if reach.threatens(unit.kind, unit.cell, enemy.cell) {
                let attack = Attack::new(&unit, &enemy);
                let before = std::mem::replace(&mut self.attacks[number][other], attack);
                reached |= u32::from(attack.damage > 0) << other;
                changed |= u32::from(attack != before) << number;
            }
            let before = self.reached[other] & bit;
            let mut after = 0;
            if reach.threatens(enemy.kind, enemy.cell, unit.cell) {
                let attack = Attack::new(&enemy, &unit);
                let before = std::mem::replace(&mut self.attacks[other][number], attack);
                after = u32::from(attack.damage > 0) << number;
                changed |= u32::from(attack != before || altered) << other;
            }
            self.reached[other] ^= before ^ after;
            changed |= u32::from(before != after) << other;
            let factor = NEARNESS[unit.cell.distance(enemy.cell) % NEARNESS.len()];
            let near = unit.kind.power(enemy.kind) as f32 * factor;
            self.nearness[number][other] = near;
            nearest = nearest.max(near);
            let near = enemy.kind.power(unit.kind) as f32 * factor;
            let before = std::mem::replace(&mut self.nearness[other][number], near);
            if near >= self.nearest[other] {
                self.nearest[other] = near;
            } else if before >= self.nearest[other] {
                self.find_nearest(other, own);
            }
        }
        changed |= u32::from(reached != self.reached[number]) << number;
        self.reached[number] = reached;
        self.nearest[number] = nearest;
        self.changed |= changed;
    }

    /// Removes the pairs of a destroyed unit.
    fn remove(&mut self, number: usize, enemies: u32, own: u32) {
        let bit = 1 << number;
        self.reached[number] = 0;
        for other in bits(enemies) {
            if self.reached[other] & bit != 0 {
                self.reached[other] &= !bit;
                self.changed |= 1 << other;
            }
            self.find_nearest(other, own);
        }
    }

    fn find_nearest(&mut self, number: usize, enemies: u32) {
        let row = &self.nearness[number];
        // `f32::max` is a call of a function in WebAssembly.
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        self.nearest[number] = bits(enemies).map(|enemy| row[enemy]).fold(0.0, larger);
    }

    /// What the units of a group could do, all of which can attack something.
    fn prospects(&self, group: u32) -> Prospects {
        let mut prospects = Prospects { group, ..Prospects::default() };
        let targets = bits(group).fold(0, |targets, number| targets | self.reached[number]);
        let mut left = [0u32; Position::MAX_UNITS];
        let mut sums = [0u32; Position::MAX_UNITS];
        bits(targets).for_each(|index| left[index] = self.units[index].hp);
        for number in bits(group) {
            let (mut gained, mut at, mut harmed) = (0.0, 0, 0);
            for index in bits(self.reached[number]) {
                let mut attack = self.attacks[number][index];
                sums[index] += attack.damage;
                let hp = left[index];
                if hp == 0 {
                    continue;
                }
                let target = &self.units[index];
                if hp != target.hp {
                    let unit = &self.units[number];
                    let damage = unit.kind.damage(unit.hp, target.kind, hp, target.stars);
                    attack = Attack::at(unit, target, hp, damage);
                }
                if attack.gain > gained {
                    (gained, at, harmed) = (attack.gain, index, attack.damage);
                }
            }
            left[at] -= harmed;
            prospects.gain += gained;
        }
        for index in bits(targets) {
            let target = &self.units[index];
            let sum = sums[index];
            prospects.capacity += target.worth * sum.min(target.hp) as f32;
            prospects.kills += u32::from(sum >= target.hp);
        }
        prospects
    }

    /// The units of a side that can attack something, and what they can attack.
    #[inline(always)]
    fn attackers(&self, side: Side) -> (u32, u32) {
        bits(self.position.alive(side)).fold((0, 0), |(attackers, targets), number| {
            let reached = self.reached[number];
            (attackers | u32::from(reached != 0) << number, targets | reached)
        })
    }

    /// Where the units of a side stand. `reached` are those that can be attacked.
    #[inline(always)]
    fn placement(&self, side: Side, reached: u32) -> Placement {
        let mut placement = Placement { approach: 0.0, shelter: 0, shelter_reached: 0, safe: 0.0 };
        for number in bits(self.position.alive(side)) {
            let unit = &self.units[number];
            let shelter = unit.stars * unit.hp;
            let hp = unit.hp as f32;
            let reached = reached >> number & 1 == 1;
            placement.shelter += shelter;
            placement.shelter_reached += if reached { shelter } else { 0 };
            placement.safe += if reached { 0.0 } else { unit.worth * hp };
            placement.approach += self.nearest[number] * hp;
        }
        placement
    }

    /// Writes the features in the view of `side`.
    #[inline(always)]
    fn write(&mut self, game: &Tubstap, side: Side) {
        let position = self.position;
        let (us, them) = (&self.armies[side.index()], &self.armies[side.other().index()]);
        if self.view != Some(side) {
            let places = self.values.as_chunks_mut::<4>().0;
            for (kind, place) in places.iter_mut().take(6).enumerate() {
                *place = [
                    us.hp[kind] as f32 * 0.1,
                    us.counts[kind] as f32 * 0.5,
                    them.hp[kind] as f32 * 0.1,
                    them.counts[kind] as f32 * 0.5,
                ];
            }
            self.view = Some(side);
            self.changed = u32::MAX;
        }
        let (ours, reached_by_us) = self.attackers(side);
        let (theirs, reached_by_them) = self.attackers(side.other());
        // Units that can still act in this turn, and those that attack again in the next one.
        let able = if position.side() == side { position.able() } else { 0 };
        // At the start of a game units of the other side may have acted.
        let fit = if able == 0 { !position.acted() } else { u32::MAX };
        for (at, group) in [ours & able, ours & !able, theirs & fit].into_iter().enumerate() {
            if group != self.prospects[at].group || self.changed & group != 0 {
                self.prospects[at] = self.prospects(group);
            }
        }
        self.changed = 0;
        let [now, later, next] = self.prospects;
        let [own, other] = [self.placement(side, reached_by_them), self.placement(side.other(), reached_by_us)];
        let left = game.limit().saturating_sub(position.turn());
        let lead = us.hit_points as f32 - them.hit_points as f32;
        let worth = us.worth + them.worth;
        let decided = (lead / (f32::from(game.threshold()) + 1.0)).clamp(-2.0, 2.0);
        let end = f32::from(FINAL - left.min(FINAL)) / f32::from(FINAL);
        let rest: [f32; REST] = [
            now.gain * 0.1,
            now.capacity * 0.05,
            now.kills as f32 * 0.5,
            later.gain * 0.1,
            later.capacity * 0.05,
            later.kills as f32 * 0.5,
            next.gain * 0.1,
            next.capacity * 0.05,
            next.kills as f32 * 0.5,
            own.approach * 0.01,
            own.shelter as f32 * 0.02,
            own.shelter_reached as f32 * 0.02,
            own.safe * 0.03,
            us.matchup * 0.001,
            other.approach * 0.01,
            other.shelter as f32 * 0.02,
            other.shelter_reached as f32 * 0.02,
            other.safe * 0.03,
            them.matchup * 0.001,
            lead * 0.1,
            lead / (us.hit_points + them.hit_points) as f32 * 2.0,
            (us.worth - them.worth) / worth * 2.0,
            (us.worth - them.worth) * 0.05,
            decided * end * 2.0,
            end,
            f32::from(left.min(32)) / 16.0,
            worth * 0.01,
            able.count_ones() as f32 * 0.2,
            (now.gain - next.gain) / worth * 4.0,
        ];
        self.values[UNITS..].copy_from_slice(&rest);
    }
}

/// The features of a position in which both sides have units, in the view of `side`. Either `side` has its turn, or it
/// has just finished it and the other side begins.
#[must_use]
pub fn features(game: &Tubstap, position: &Position, side: Side) -> Features {
    *IncrementalFeatures::new(game, position).features(game, position, side)
}
