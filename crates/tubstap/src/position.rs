//! The position: units, and how many turns have been played.

use banmen_game::{Side, mix};

use crate::cells::Cell;
use crate::field::Field;
use crate::kind::Kind;
use crate::moves::Move;
use crate::terrain::Terrain;

/// A unit of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is.
    pub kind: Kind,
    /// The side that owns it. Red is the first side.
    pub side: Side,
    /// Where it stands.
    pub cell: Cell,
    /// Hit points, 1 to 10.
    pub hp: u8,
    /// Whether it has acted. Units of the side to move can act once in a turn; a unit of the other side that has acted
    /// misses its side's next turn.
    pub acted: bool,
}

/// A unit in two bytes: its cell, and its hit points with its kind above them. Zero for a unit that was destroyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Slot {
    cell: u8,
    body: u8,
}

impl Slot {
    #[inline(always)]
    fn new(kind: Kind, cell: Cell, hp: u8) -> Slot {
        Slot { cell: cell.index() as u8, body: hp | (kind.index() as u8) << 4 }
    }

    #[inline(always)]
    fn kind(self) -> Kind {
        Kind::ALL[usize::from(self.body >> 4) % 6]
    }
}

/// The units by their numbers, and the turn. The terrain and the limits are those of [`Tubstap`](crate::Tubstap).
///
/// Units keep their numbers when others are destroyed. If the game goes on, the side to move has a unit that can act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    slots: [Slot; Position::MAX_UNITS],
    /// The units that are left, of each side, as bits by number.
    alive: [u32; 2],
    /// Those of them that have acted.
    acted: u32,
    /// Turns played, of both sides.
    turn: u16,
    /// How many units there were at the start.
    count: u8,
}

/// Why units are no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// More units than a position holds.
    #[error("{count} units are more than the {} that are possible", Position::MAX_UNITS)]
    TooMany {
        /// How many units.
        count: usize,
    },
    /// Neither side has a unit.
    #[error("no side has a unit")]
    NoUnits,
    /// Hit points out of range.
    #[error("unit {unit} has {hp} hit points, where 1 to 10 are possible")]
    HitPoints {
        /// The number of the unit.
        unit: usize,
        /// Its hit points.
        hp: u8,
    },
    /// A unit on a cell that no unit can enter, or outside the map.
    #[error("unit {unit} is on {cell}, where no unit can be: {}", closed(*inside))]
    NoEntry {
        /// The number of the unit.
        unit: usize,
        /// Its cell.
        cell: Cell,
        /// Whether the cell is inside the border of the map.
        inside: bool,
    },
    /// A ground unit on the sea.
    #[error("unit {unit}, {} {}, is on {cell}, which is sea", article(*kind), kind.name())]
    OnSea {
        /// The number of the unit.
        unit: usize,
        /// What it is.
        kind: Kind,
        /// Its cell.
        cell: Cell,
    },
    /// Two units on one cell.
    #[error("unit {unit} is on {cell}, and so is unit {other}")]
    SameCell {
        /// The number of the later unit.
        unit: usize,
        /// The number of the earlier one.
        other: usize,
        /// Their cell.
        cell: Cell,
    },
}

fn article(kind: Kind) -> &'static str {
    if matches!(kind, Kind::AntiAir | Kind::Infantry) { "an" } else { "a" }
}

/// Why no unit can be on a cell.
fn closed(inside: bool) -> &'static str {
    if inside { "its terrain is 0" } else { "it is on or beyond the border" }
}

impl PositionError {
    /// The reason in one word, for programs.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            PositionError::TooMany { .. } => "too_many_units",
            PositionError::NoUnits => "no_units",
            PositionError::HitPoints { .. } => "hit_points",
            PositionError::NoEntry { .. } => "no_entry",
            PositionError::OnSea { .. } => "on_sea",
            PositionError::SameCell { .. } => "same_cell",
        }
    }

    /// The number of the unit at fault.
    #[must_use]
    pub fn unit(&self) -> Option<usize> {
        match *self {
            PositionError::TooMany { .. } => Some(Position::MAX_UNITS),
            PositionError::NoUnits => None,
            PositionError::HitPoints { unit, .. }
            | PositionError::NoEntry { unit, .. }
            | PositionError::OnSea { unit, .. }
            | PositionError::SameCell { unit, .. } => Some(unit),
        }
    }
}

impl Position {
    /// The most units, of both sides together.
    pub const MAX_UNITS: usize = 32;

    /// A position with these units, by number; `None` for units that were destroyed. Where the side to move has no unit
    /// that can act, the turn passes, as the rules say.
    ///
    /// A vehicle may stand on a mountain, which it could not enter: a map of the original has one there.
    ///
    /// # Errors
    /// The first unit that breaks a rule.
    pub fn new(field: &Field, limit: u16, units: &[Option<Unit>], turn: u16) -> Result<Position, PositionError> {
        if units.len() > Position::MAX_UNITS {
            return Err(PositionError::TooMany { count: units.len() });
        }
        let mut position = Position {
            slots: [Slot::default(); Position::MAX_UNITS],
            alive: [0; 2],
            acted: 0,
            turn,
            count: units.len() as u8,
        };
        for (number, unit) in units.iter().enumerate() {
            let Some(Unit { kind, side, cell, hp, acted }) = *unit else { continue };
            if !(1..=10).contains(&hp) {
                return Err(PositionError::HitPoints { unit: number, hp });
            }
            match field.terrain(cell) {
                Terrain::NoEntry => {
                    let inside = field.cells().any(|known| known == cell);
                    return Err(PositionError::NoEntry { unit: number, cell, inside });
                }
                Terrain::Sea if !kind.is_air() => return Err(PositionError::OnSea { unit: number, kind, cell }),
                _ => {}
            }
            if let Some(other) = position.unit_on(cell) {
                return Err(PositionError::SameCell { unit: number, other, cell });
            }
            position.slots[number] = Slot::new(kind, cell, hp);
            position.alive[side.index()] |= 1 << number;
            position.acted |= u32::from(acted) << number;
        }
        if position.alive == [0; 2] {
            return Err(PositionError::NoUnits);
        }
        position.pass_turns(limit);
        Ok(position)
    }

    /// How many units there were at the start: the numbers are below it.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.count.into()
    }

    /// The unit of a number; `None` if it was destroyed or never existed.
    #[must_use]
    pub fn unit(&self, number: usize) -> Option<Unit> {
        let side = Side::BOTH.into_iter().find(|&side| number < 32 && self.alive(side) >> number & 1 == 1)?;
        let slot = self.slots[number];
        Some(Unit {
            kind: slot.kind(),
            side,
            cell: Cell::of_index(slot.cell),
            hp: slot.body & 15,
            acted: self.acted >> number & 1 == 1,
        })
    }

    /// The units that are left, with their numbers.
    pub fn units(&self) -> impl Iterator<Item = (usize, Unit)> {
        (0..self.unit_count()).filter_map(|number| Some((number, self.unit(number)?)))
    }

    /// The number of the unit on a cell.
    #[must_use]
    pub fn unit_on(&self, cell: Cell) -> Option<usize> {
        bits(self.alive[0] | self.alive[1]).find(|&number| self.cell(number) == cell)
    }

    /// Turns played, of both sides: even when red, the first side, is to move.
    #[must_use]
    pub fn turn(&self) -> u16 {
        self.turn
    }

    /// The side to move.
    #[must_use]
    #[inline]
    pub fn side(&self) -> Side {
        Side::BOTH[usize::from(self.turn & 1)]
    }

    /// The units of a side, as bits by number.
    #[must_use]
    #[inline]
    pub fn alive(&self, side: Side) -> u32 {
        self.alive[side.index()]
    }

    /// The units of the side to move that can act, as bits by number.
    #[must_use]
    #[inline]
    pub fn able(&self) -> u32 {
        self.alive[usize::from(self.turn & 1)] & !self.acted
    }

    /// The units that have acted, of both sides, as bits by number.
    #[must_use]
    #[inline]
    pub fn acted(&self) -> u32 {
        self.acted
    }

    /// The sum of a side's hit points.
    #[must_use]
    #[inline]
    pub fn hit_points(&self, side: Side) -> u32 {
        bits(self.alive(side)).map(|number| self.hp(number)).sum()
    }

    /// The cell of a unit that is left.
    #[inline(always)]
    pub(crate) fn cell(&self, number: usize) -> Cell {
        Cell::of_index(self.slots[number % 32].cell)
    }

    /// The kind of a unit that is left.
    #[inline(always)]
    pub(crate) fn kind(&self, number: usize) -> Kind {
        self.slots[number % 32].kind()
    }

    /// The hit points of a unit that is left.
    #[inline(always)]
    pub(crate) fn hp(&self, number: usize) -> u32 {
        u32::from(self.slots[number % 32].body & 15)
    }

    /// The units whose kind, cell or hit points are not those of the same number in another position, as bits by number.
    #[inline(always)]
    pub(crate) fn differing(&self, other: &Position) -> u32 {
        let word = |[a, b, c, d]: &[Slot; 4]| {
            u64::from_le_bytes([a.cell, a.body, b.cell, b.body, c.cell, c.body, d.cell, d.body])
        };
        let pairs = self.slots.as_chunks::<4>().0.iter().zip(other.slots.as_chunks::<4>().0);
        let mut units = 0;
        for (first, (slots, others)) in (0..).step_by(4).zip(pairs) {
            let mut bits = word(slots) ^ word(others);
            while bits != 0 {
                let at = bits.trailing_zeros() / 16;
                units |= 1 << (first + at);
                bits &= !(0xFFFF << (16 * at));
            }
        }
        units
    }

    /// Damage that an attack from a cell does, and the damage of the counter-attack: there is one only if the target
    /// survives and both units are direct.
    #[must_use]
    #[inline]
    pub fn exchange(&self, field: &Field, attacker: usize, from: Cell, target: usize) -> (u32, u32) {
        let (kind, other) = (self.kind(attacker), self.kind(target));
        let (hp, other_hp) = (self.hp(attacker), self.hp(target));
        let damage = kind.damage(hp, other, other_hp, field.stars(self.cell(target)));
        let counter = if damage < other_hp && kind.is_direct() && other.is_direct() {
            other.damage(other_hp - damage, kind, hp, field.stars(from))
        } else {
            0
        };
        (damage, counter)
    }

    #[inline(always)]
    fn harm(&mut self, number: usize, damage: u32) {
        let slot = &mut self.slots[number % 32];
        if u32::from(slot.body & 15) > damage {
            slot.body -= damage as u8;
        } else {
            *slot = Slot::default();
            let rest = !(1 << (number % 32));
            self.alive = self.alive.map(|alive| alive & rest);
            self.acted &= rest;
        }
    }

    /// A unit moves to a cell, attacks, and has acted. The turn does not pass. Returns damage and counter-damage.
    #[inline(always)]
    pub(crate) fn act(&mut self, field: &Field, unit: usize, to: Cell, target: Option<usize>) -> (u32, u32) {
        self.slots[unit % 32].cell = to.index() as u8;
        self.acted |= 1 << (unit % 32);
        let Some(target) = target else { return (0, 0) };
        let (damage, counter) = self.exchange(field, unit, to, target);
        self.harm(target, damage);
        if counter > 0 {
            self.harm(unit, counter);
        }
        (damage, counter)
    }

    /// Plays a legal move.
    #[inline]
    pub(crate) fn play(&mut self, field: &Field, limit: u16, m: Move) {
        match m.unit() {
            Some(unit) => {
                self.act(field, unit, m.to(), m.target());
            }
            None => self.acted |= self.alive(self.side()),
        }
        self.pass_turns(limit);
    }

    /// The turn passes until a unit can act or the game is over.
    #[inline(always)]
    pub(crate) fn pass_turns(&mut self, limit: u16) {
        while self.able() == 0 && self.alive[0] != 0 && self.alive[1] != 0 && self.turn < limit {
            self.acted &= !self.alive(self.side());
            self.turn += 1;
        }
    }

    /// A key of the units and the side to move alone: positions that differ only in the number of turns played, or in which of
    /// two equal units stands where, have the same.
    pub(crate) fn key_of_units(&self) -> u64 {
        // A sum does not depend on the order.
        let mut key = u64::from(self.turn & 1);
        for side in Side::BOTH {
            for number in bits(self.alive(side)) {
                let slot = self.slots[number % 32];
                let acted = self.acted >> number & 1;
                let unit = 1 << 18
                    | (side.index() as u32) << 17
                    | acted << 16
                    | u32::from(slot.cell) << 8
                    | u32::from(slot.body);
                key = key.wrapping_add(mix(unit.into()));
            }
        }
        mix(key)
    }

    /// A key of the hit points of the units alone, by number.
    pub(crate) fn key_of_hit_points(&self) -> u64 {
        let body = |slot: &Slot| u64::from(slot.body & 15);
        let words = self.slots.chunks_exact(16).map(|slots| slots.iter().fold(0, |word, slot| word << 4 | body(slot)));
        words.take(self.unit_count().div_ceil(16)).fold(0, |key, word| mix(key ^ word))
    }

    pub(crate) fn key(&self) -> u64 {
        let slots = self.slots.chunks_exact(4);
        let words = slots.map(|slots| {
            slots.iter().fold(0, |word, slot| word << 16 | u64::from(slot.cell) << 8 | u64::from(slot.body))
        });
        let rest = [
            u64::from(self.alive[0]) << 32 | u64::from(self.alive[1]),
            u64::from(self.acted) << 32 | u64::from(self.turn) << 8 | u64::from(self.count),
        ];
        // Units after the last one are all zero.
        words.take(self.unit_count().div_ceil(4)).chain(rest).fold(0, |key, word| mix(key ^ word))
    }
}

/// The numbers of the bits that are set.
#[inline(always)]
pub(crate) fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}
