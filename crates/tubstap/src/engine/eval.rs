//! The value of a position.

use banmen_game::Side;

use crate::cells::{Cell, Cells};
use crate::field::{Form, Reach};
use crate::game::Tubstap;
use crate::kind::Kind;
use crate::position::Position;

/// Values are in hundredths of a hit point of an infantry.
pub(super) type Value = i32;

/// At least this, with the turns until then subtracted, is a win by the rules.
pub(super) const WON: Value = 1_000_000;

/// The weights of the evaluation.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// The value of a hit point of each kind, in the order of [`Kind`].
    pub(super) hit_point: [Value; 6],
    /// The value of a unit beside its hit points: it acts, and it can block.
    pub(super) unit: Value,
    /// What the attacks are worth that units can make when they act next, in percent: those of units of the planning side
    /// that have not acted in this turn, those of the other side, and those of units that have acted.
    pub(super) threats: [Value; 3],
    /// The value of being near to what a unit can attack.
    pub(super) approach: Value,
    /// The value of a star of the ground under a unit with 10 hit points.
    pub(super) shelter: Value,
}

/// Turns before the limit from which on the kind of a unit counts less and less: at the limit all hit points are equal.
const FADING: u16 = 8;

/// Distances from which on approaching counts no more.
const FAR: usize = 32;

/// The evaluation of the positions of one game.
pub(super) struct Evaluator<'g> {
    game: &'g Tubstap,
    weights: &'g Weights,
    /// The values of a hit point of each kind, by the turns that are left up to [`FADING`].
    hit_point: [[Value; 6]; FADING as usize + 1],
    /// The value of being at a distance from a unit, for a power of 100 and 10 hit points.
    near: [Value; FAR],
}

/// A unit, as the evaluation needs it.
#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    cell: Cell,
    hp: u32,
    number: usize,
}

/// The units of a side.
struct Pieces {
    list: [Piece; Position::MAX_UNITS],
    count: usize,
}

impl Pieces {
    #[inline(always)]
    fn new(position: &Position, units: u32) -> Self {
        let none = Piece { kind: Kind::Infantry, cell: Cell::of_index(0), hp: 0, number: 0 };
        let mut pieces = Pieces { list: [none; Position::MAX_UNITS], count: 0 };
        let mut left = units;
        while left != 0 {
            let number = left.trailing_zeros() as usize;
            left &= left - 1;
            pieces.list[pieces.count % Position::MAX_UNITS] =
                Piece { kind: position.kind(number), cell: position.cell(number), hp: position.hp(number), number };
            pieces.count += 1;
        }
        pieces
    }

    #[inline(always)]
    fn list(&self) -> &[Piece] {
        &self.list[..self.count]
    }
}

impl<'g> Evaluator<'g> {
    pub(super) fn new(game: &'g Tubstap, weights: &'g Weights) -> Self {
        let near = std::array::from_fn(|distance| weights.approach * 5 / (distance as Value + 5));
        let hit_point = std::array::from_fn(|left| {
            weights.hit_point.map(|value| 100 + (value - 100) * left as Value / Value::from(FADING))
        });
        Evaluator { game, weights, hit_point, near }
    }

    /// The value for `side`, which moves or has just moved: the other side moves next.
    pub(super) fn value(&self, position: &Position, side: Side) -> Value {
        if self.game.is_over(position) {
            return self.ended(position, side);
        }
        match self.game.field().form() {
            Form::Small(reach) => self.on(reach, position, side),
            Form::Large(reach) => self.on(reach, position, side),
        }
    }

    /// The value of an ended game for `side`: the earlier the end, the more; then the hit points count.
    fn ended(&self, position: &Position, side: Side) -> Value {
        let [own, other] = [side, side.other()].map(|side| position.hit_points(side) as Value);
        let late = Value::from(position.turn());
        if other == 0 {
            return WON - late;
        }
        if own == 0 {
            return late - WON;
        }
        let lead = own - other;
        let decided = lead.abs() > Value::from(self.game.threshold());
        if decided { lead.signum() * (WON - late) + lead } else { lead }
    }

    fn on<B: Cells>(&self, reach: &Reach<B>, position: &Position, side: Side) -> Value {
        let left = self.game.limit().saturating_sub(position.turn());
        let values = &self.hit_point[usize::from(left.min(FADING))];
        let own = Pieces::new(position, position.alive(side));
        let other = Pieces::new(position, position.alive(side.other()));
        let able = if position.side() == side { position.able() } else { 0 };
        let [mine, theirs, later] = self.weights.threats;
        let own_weight = |number: usize| if able >> number & 1 == 1 { mine } else { later };
        let other_weight = |number: usize| if position.acted() >> number & 1 == 1 { 0 } else { theirs };
        self.half(reach, values, own.list(), other.list(), own_weight)
            - self.half(reach, values, other.list(), own.list(), other_weight)
    }

    /// What the units of a side are worth: what they are, where they stand, and what they gain if each of them makes its best
    /// attack, by number. `weight` is the weight of a unit's attack in percent. Units in the way are ignored.
    #[inline(always)]
    fn half<B: Cells>(
        &self,
        reach: &Reach<B>,
        values: &[Value; 6],
        own: &[Piece],
        other: &[Piece],
        weight: impl Fn(usize) -> Value,
    ) -> Value {
        let field = self.game.field();
        let mut left = [0; Position::MAX_UNITS];
        for (left, target) in left.iter_mut().zip(other) {
            *left = target.hp;
        }
        let (mut sum, mut gains) = (0, 0);
        for unit in own {
            let value = values[unit.kind.index()];
            let hp = unit.hp as Value;
            sum += value * hp + self.weights.unit;
            if !unit.kind.is_air() {
                sum += self.weights.shelter * field.stars(unit.cell) as Value * hp / 10;
            }
            let weight = weight(unit.number);
            let threat = reach.threat(unit.kind, unit.cell);
            let mut prospect = 0;
            let (mut gained, mut at, mut harmed) = (0, 0, 0);
            for (index, target) in other.iter().enumerate() {
                let power = unit.kind.power(target.kind) as Value;
                if power == 0 {
                    continue;
                }
                let distance = unit.cell.distance(target.cell).min(FAR - 1);
                prospect = prospect.max(power * self.near[distance]);
                let hp_left = left[index];
                if weight == 0 || hp_left == 0 || !threat.contains(target.cell) {
                    continue;
                }
                let damage = unit.kind.damage(unit.hp, target.kind, hp_left, field.stars(target.cell));
                let mut gain = values[target.kind.index()] * damage as Value;
                if damage < hp_left && unit.kind.is_direct() && target.kind.is_direct() {
                    gain -= value * target.kind.damage(hp_left - damage, unit.kind, unit.hp, 1) as Value;
                }
                if gain > gained {
                    (gained, at, harmed) = (gain, index, damage);
                }
            }
            sum += prospect * hp / 1000;
            left[at] -= harmed;
            gains += gained * weight;
        }
        sum + gains / 100
    }
}
