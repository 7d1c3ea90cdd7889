//! Upper bounds on the damage that units can do in a turn, whatever stands in their way.

use crate::cells::Cells;
use crate::field::{Field, Form, Reach};
use crate::position::{Position, bits};

/// The most damage of one turn, in hit points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Damage {
    /// To each enemy, by number.
    each: [u32; Position::MAX_UNITS],
    /// To all of them together: each unit attacks once.
    total: u32,
}

impl Damage {
    /// Of `units`, all of one side, to `enemies` from where both stand: units move before they attack.
    pub(super) fn now(field: &Field, position: &Position, units: u32, enemies: u32) -> Damage {
        fn reached<B: Cells>(field: &Field, reach: &Reach<B>, at: &Position, units: u32, enemies: u32) -> Damage {
            Damage::of(at, units, enemies, |unit, enemy| {
                let cell = at.cell(enemy);
                reach.threatens(at.kind(unit), at.cell(unit), cell).then(|| field.stars(cell))
            })
        }
        match field.form() {
            Form::Small(reach) => reached(field, reach, position, units, enemies),
            Form::Large(reach) => reached(field, reach, position, units, enemies),
        }
    }

    /// Of `units` to `enemies` in a later turn, wherever they then stand. Hit points only fall, and with them what is done.
    pub(super) fn later(position: &Position, units: u32, enemies: u32) -> Damage {
        Damage::of(position, units, enemies, |_, _| Some(0))
    }

    /// `stars` gives the defence stars of the cell of an enemy (second number) that a unit (first number) reaches.
    fn of(position: &Position, units: u32, enemies: u32, stars: impl Fn(usize, usize) -> Option<u32>) -> Damage {
        let mut damage = Damage { each: [0; Position::MAX_UNITS], total: 0 };
        for unit in bits(units) {
            let mut most = 0;
            for enemy in bits(enemies) {
                let Some(stars) = stars(unit, enemy) else { continue };
                // A unit that has been hit before is hit harder: at 1 hit point it is protected least.
                let (kind, hp) = (position.kind(enemy), position.hp(enemy));
                let stars = if kind.is_air() { 0 } else { stars };
                let done = ((position.kind(unit).power(kind) * position.hp(unit) + 70) / (100 + stars)).min(hp);
                damage.each[enemy] += done;
                most = done.max(most);
            }
            damage.total += most;
        }
        damage
    }

    #[cfg(test)]
    pub(super) fn each(&self, enemy: usize) -> u32 {
        self.each[enemy]
    }

    #[cfg(test)]
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// Whether this damage and that of `turns` further turns could destroy `enemies`.
    pub(super) fn destroys(&self, position: &Position, enemies: u32, turns: u32, later: &Damage) -> bool {
        let enough = |enemy| self.each[enemy] + turns * later.each[enemy] >= position.hp(enemy);
        let hp: u32 = bits(enemies).map(|enemy| position.hp(enemy)).sum();
        self.total + turns * later.total >= hp && bits(enemies).all(enough)
    }
}
