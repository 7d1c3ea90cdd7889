//! The features of `features`, computed from scratch for each position: a slow reference for the tests.

use banmen_game::Side;

use super::features::{COUNT, FINAL, Features, NEARNESS, WORTH};
use crate::cells::{Cell, Cells};
use crate::field::{Form, Reach};
use crate::game::Tubstap;
use crate::kind::Kind;
use crate::position::Position;

fn worth(kind: Kind) -> f32 {
    WORTH[kind.index()] as f32 / 100.0
}

/// A unit.
#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    cell: Cell,
    hp: u32,
    /// The defence stars that protect it: 0 in the air.
    stars: u32,
    worth: f32,
    /// Its bit in sets of units.
    bit: u32,
}

/// The units of a side.
struct Pieces {
    list: [Piece; Position::MAX_UNITS],
    count: usize,
    /// Hit points by kind, and units by kind.
    hp: [u32; 6],
    counts: [u32; 6],
    hit_points: u32,
    /// The sum of their worth.
    worth: f32,
}

impl Pieces {
    fn new(game: &Tubstap, position: &Position, side: Side) -> Self {
        let none = Piece { kind: Kind::Infantry, cell: Cell::of_index(0), hp: 0, stars: 0, worth: 0.0, bit: 0 };
        let mut pieces = Pieces {
            list: [none; Position::MAX_UNITS],
            count: 0,
            hp: [0; 6],
            counts: [0; 6],
            hit_points: 0,
            worth: 0.0,
        };
        let mut left = position.alive(side);
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            let (kind, cell, hp) = (position.kind(number), position.cell(number), position.hp(number));
            let stars = if kind.is_air() { 0 } else { game.field().stars(cell) };
            let worth = worth(kind);
            pieces.list[pieces.count % Position::MAX_UNITS] = Piece { kind, cell, hp, stars, worth, bit: 1 << number };
            pieces.count += 1;
            pieces.hp[kind.index()] += hp;
            pieces.counts[kind.index()] += 1;
            pieces.hit_points += hp;
            pieces.worth += worth * hp as f32;
        }
        pieces
    }

    fn list(&self) -> &[Piece] {
        &self.list[..self.count]
    }
}

/// The attacks of the units of one side on those of the other one, if nothing was in their way.
struct Attacks {
    /// By attacker and target: the damage; 0 where the target is out of reach.
    damage: [[u8; Position::MAX_UNITS]; Position::MAX_UNITS],
    /// The targets that can be attacked, as bits by their place in the list.
    reached: u32,
}

/// What the attacks of a group of units could do.
#[derive(Clone, Copy, Default)]
struct Prospects {
    /// The worth that they gain if each makes its best attack, by number, less what counter-attacks cost.
    gain: f32,
    /// The worth that they would destroy if each target was attacked by all that reach it.
    capacity: f32,
    /// How many units they would destroy so.
    kills: u32,
}

impl Attacks {
    fn new<B: Cells>(reach: &Reach<B>, own: &[Piece], other: &[Piece]) -> Self {
        let mut attacks = Attacks { damage: [[0; Position::MAX_UNITS]; Position::MAX_UNITS], reached: 0 };
        for (unit, row) in own.iter().zip(&mut attacks.damage) {
            let threat = reach.threat(unit.kind, unit.cell);
            for ((index, target), entry) in other.iter().enumerate().zip(row) {
                if threat.contains(target.cell) {
                    let damage = unit.kind.damage(unit.hp, target.kind, target.hp, target.stars);
                    *entry = damage as u8;
                    attacks.reached |= u32::from(damage > 0) << index;
                }
            }
        }
        attacks
    }

    /// The prospects of the units of a group, given as bits by number.
    fn prospects(&self, own: &[Piece], other: &[Piece], group: u32) -> Prospects {
        let mut prospects = Prospects::default();
        if self.reached == 0 || group == 0 {
            return prospects;
        }
        let mut left = [0u32; Position::MAX_UNITS];
        let mut sums = [0u32; Position::MAX_UNITS];
        for (left, target) in left.iter_mut().zip(other) {
            *left = target.hp;
        }
        for (unit, row) in own.iter().zip(&self.damage) {
            if group & unit.bit == 0 {
                continue;
            }
            let (mut gained, mut at, mut harmed) = (0.0, 0, 0);
            for (index, target) in other.iter().enumerate() {
                let whole = u32::from(row[index]);
                if whole == 0 {
                    continue;
                }
                sums[index] += whole;
                let hp = left[index];
                if hp == 0 {
                    continue;
                }
                let damage =
                    if hp == target.hp { whole } else { unit.kind.damage(unit.hp, target.kind, hp, target.stars) };
                let mut gain = target.worth * damage as f32;
                if damage < hp && unit.kind.is_direct() && target.kind.is_direct() {
                    // The cell of the attack is not known, so one star is assumed.
                    gain -= unit.worth * target.kind.damage(hp - damage, unit.kind, unit.hp, 1) as f32;
                }
                if gain > gained {
                    (gained, at, harmed) = (gain, index, damage);
                }
            }
            left[at] -= harmed;
            prospects.gain += gained;
        }
        for (target, sum) in other.iter().zip(sums) {
            prospects.capacity += target.worth * sum.min(target.hp) as f32;
            prospects.kills += u32::from(sum >= target.hp);
        }
        prospects
    }
}

/// Where the units of a side stand.
#[derive(Clone, Copy, Default)]
struct Placement {
    /// How near units are to what they are strong against.
    approach: f32,
    /// Defence stars under ground units, times their hit points: of all, and of those that can be attacked.
    shelter: u32,
    shelter_reached: u32,
    /// The worth of units that cannot be attacked.
    safe: f32,
    /// The hit points times the mean power against the other side, weighted by worth.
    matchup: f32,
}

impl Placement {
    /// `reached` are the units that can be attacked.
    fn new(own: &Pieces, other: &Pieces, reached: u32) -> Self {
        let mut placement = Placement::default();
        for kind in Kind::ALL.into_iter().filter(|kind| own.hp[kind.index()] > 0) {
            let powers = Kind::ALL.map(|target| (kind.power(target) * other.hp[target.index()]) as f32 * worth(target));
            placement.matchup += powers.into_iter().sum::<f32>() * own.hp[kind.index()] as f32;
        }
        placement.matchup /= other.worth;
        for (index, unit) in own.list().iter().enumerate() {
            let shelter = unit.stars * unit.hp;
            placement.shelter += shelter;
            if reached >> index & 1 == 1 {
                placement.shelter_reached += shelter;
            } else {
                placement.safe += unit.worth * unit.hp as f32;
            }
            let near = |enemy: &Piece| {
                unit.kind.power(enemy.kind) as f32 * NEARNESS[unit.cell.distance(enemy.cell) % NEARNESS.len()]
            };
            placement.approach += other.list().iter().map(near).fold(0.0, f32::max) * unit.hp as f32;
        }
        placement
    }
}

/// The features of a position in which both sides have units, in the view of `side`. Either `side` has its turn, or it
/// has just finished it and the other side begins.
pub(super) fn features(game: &Tubstap, position: &Position, side: Side) -> Features {
    match game.field().form() {
        Form::Small(reach) => features_on(game, reach, position, side),
        Form::Large(reach) => features_on(game, reach, position, side),
    }
}

fn features_on<B: Cells>(game: &Tubstap, reach: &Reach<B>, position: &Position, side: Side) -> Features {
    let us = Pieces::new(game, position, side);
    let them = Pieces::new(game, position, side.other());
    let (own, other) = (us.list(), them.list());
    let ours = Attacks::new(reach, own, other);
    let theirs = Attacks::new(reach, other, own);
    // Units that can still act in this turn, and those that attack again in the next one.
    let able = if position.side() == side { position.able() } else { 0 };
    let now = ours.prospects(own, other, able);
    let later = ours.prospects(own, other, !able);
    // At the start of a game units of the other side may have acted.
    let next = theirs.prospects(other, own, if able == 0 { !position.acted() } else { u32::MAX });
    let placements = [Placement::new(&us, &them, theirs.reached), Placement::new(&them, &us, ours.reached)];
    let left = game.limit().saturating_sub(position.turn());
    let mut values = [0.0; COUNT];
    let mut places = values.iter_mut();
    let mut push = |value: f32| {
        if let Some(place) = places.next() {
            *place = value;
        }
    };
    for kind in 0..6 {
        for pieces in [&us, &them] {
            push(pieces.hp[kind] as f32 * 0.1);
            push(pieces.counts[kind] as f32 * 0.5);
        }
    }
    for group in [now, later, next] {
        push(group.gain * 0.1);
        push(group.capacity * 0.05);
        push(group.kills as f32 * 0.5);
    }
    for placement in placements {
        push(placement.approach * 0.01);
        push(placement.shelter as f32 * 0.02);
        push(placement.shelter_reached as f32 * 0.02);
        push(placement.safe * 0.03);
        push(placement.matchup * 0.001);
    }
    let lead = us.hit_points as f32 - them.hit_points as f32;
    let worth = us.worth + them.worth;
    let decided = (lead / (f32::from(game.threshold()) + 1.0)).clamp(-2.0, 2.0);
    let end = f32::from(FINAL - left.min(FINAL)) / f32::from(FINAL);
    push(lead * 0.1);
    push(lead / (us.hit_points + them.hit_points) as f32 * 2.0);
    push((us.worth - them.worth) / worth * 2.0);
    push((us.worth - them.worth) * 0.05);
    push(decided * end * 2.0);
    push(end);
    push(f32::from(left.min(32)) / 16.0);
    push(worth * 0.01);
    push(able.count_ones() as f32 * 0.2);
    push((now.gain - next.gain) / worth * 4.0);
    debug_assert!(places.next().is_none(), "{COUNT} features");
    values
}
