//! Moves, the list of them, and why others are not legal.

use std::ops::ControlFlow;

use banmen_game::Side;

use crate::cells::{Cell, Cells};
use crate::field::{Field, Form, Reach};
use crate::position::{Position, bits};

/// The action of one unit: it moves, possibly to its own cell, and may then attack. Or the end of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    unit: u8,
    to: Cell,
    target: u8,
}

/// In place of a unit: none.
const NONE: u8 = u8::MAX;

impl Move {
    /// All units that have not acted stand still. Legal in every position, but not listed: listed moves lead to the
    /// same position.
    pub const END: Move = Move { unit: NONE, to: Cell::of_index(0), target: NONE };

    /// A unit moves and does not attack.
    ///
    /// # Panics
    /// When the number is above 31.
    #[must_use]
    #[inline]
    pub fn quiet(unit: usize, to: Cell) -> Move {
        assert!(unit < Position::MAX_UNITS, "units have numbers below 32");
        Move { unit: unit as u8, to, target: NONE }
    }

    /// A unit moves to a cell and attacks from there.
    ///
    /// # Panics
    /// When a number is above 31.
    #[must_use]
    #[inline]
    pub fn attack(unit: usize, to: Cell, target: usize) -> Move {
        assert!(unit.max(target) < Position::MAX_UNITS, "units have numbers below 32");
        Move { unit: unit as u8, to, target: target as u8 }
    }

    /// The number of the unit; `None` for the end of the turn.
    #[must_use]
    #[inline]
    pub fn unit(self) -> Option<usize> {
        (self.unit != NONE).then_some(self.unit.into())
    }

    /// Where the unit goes. Without meaning at the end of the turn.
    #[must_use]
    #[inline]
    pub fn to(self) -> Cell {
        self.to
    }

    /// The number of the unit that is attacked.
    #[must_use]
    #[inline]
    pub fn target(self) -> Option<usize> {
        (self.target != NONE).then_some(self.target.into())
    }

    /// Unit, cell and target, a byte each.
    #[must_use]
    pub(crate) fn pack(self) -> u32 {
        u32::from(self.unit) | (self.to.index() as u32) << 8 | u32::from(self.target) << 16
    }

    /// The move of [`Move::pack`].
    #[must_use]
    pub(crate) fn unpack(packed: u32) -> Option<Move> {
        if packed == Move::END.pack() {
            return Some(Move::END);
        }
        let [unit, to, target, rest] = packed.to_le_bytes();
        let known = |number: u8| usize::from(number) < Position::MAX_UNITS;
        let valid = rest == 0 && known(unit) && (target == NONE || known(target));
        valid.then_some(Move { unit, to: Cell::of_index(to), target })
    }
}

/// Which moves are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The units whose moves are listed, as bits by number.
    pub units: u32,
    /// Whether attacks that do no damage are among them. They are legal, but [`banmen_game::Game`] does not list them.
    pub zero_damage: bool,
}

impl Listed {
    /// All units, and no attacks that do no damage.
    pub const USUAL: Listed = Listed { units: u32::MAX, zero_damage: false };
}

/// Why a move is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// One side has no unit left, or all turns have been played.
    #[error("the game is over")]
    GameOver,
    /// A number that no unit has had.
    #[error("there is no unit {unit}: units have the numbers 0 to {}", count.saturating_sub(1))]
    NoUnit {
        /// The number.
        unit: usize,
        /// How many units there were at the start.
        count: usize,
    },
    /// A unit that was destroyed.
    #[error("unit {unit} has been destroyed")]
    Destroyed {
        /// Its number.
        unit: usize,
    },
    /// A unit of the other side.
    #[error("unit {unit} belongs to the other side")]
    WrongSide {
        /// Its number.
        unit: usize,
    },
    /// A unit that has acted in this turn.
    #[error("unit {unit} has acted in this turn")]
    Acted {
        /// Its number.
        unit: usize,
    },
    /// A cell that the movement points do not reach.
    #[error("unit {unit} cannot reach {cell}")]
    OutOfReach {
        /// The number of the unit.
        unit: usize,
        /// The cell.
        cell: Cell,
    },
    /// A cell on which another unit stands.
    #[error("unit {other} is on {cell}")]
    Occupied {
        /// The cell.
        cell: Cell,
        /// The number of the unit there.
        other: usize,
    },
    /// An attack on a unit of the same side.
    #[error("unit {target} is no enemy")]
    NoEnemy {
        /// The number of the target.
        target: usize,
    },
    /// An attack by an indirect unit that moves.
    #[error("unit {unit} attacks only from where it stands")]
    MovesAndFires {
        /// The number of the unit.
        unit: usize,
    },
    /// An attack over a distance that the unit's range does not include.
    #[error("unit {target} is {distance} cells from {cell}, out of the range of unit {unit}")]
    OutOfRange {
        /// The number of the unit.
        unit: usize,
        /// The number of its target.
        target: usize,
        /// From where it attacks.
        cell: Cell,
        /// The Manhattan distance.
        distance: usize,
    },
}

impl IllegalMove {
    /// The reason in one word, for programs.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            IllegalMove::GameOver => "game_over",
            IllegalMove::NoUnit { .. } => "no_unit",
            IllegalMove::Destroyed { .. } => "destroyed",
            IllegalMove::WrongSide { .. } => "wrong_side",
            IllegalMove::Acted { .. } => "acted",
            IllegalMove::OutOfReach { .. } => "out_of_reach",
            IllegalMove::Occupied { .. } => "occupied",
            IllegalMove::NoEnemy { .. } => "no_enemy",
            IllegalMove::MovesAndFires { .. } => "moves_and_fires",
            IllegalMove::OutOfRange { .. } => "out_of_range",
        }
    }
}

/// The cells on which these units stand.
#[inline(always)]
pub(crate) fn cells_of<B: Cells>(position: &Position, units: u32) -> B {
    bits(units).fold(B::EMPTY, |set, unit| set | B::only(position.cell(unit)))
}

/// Lists moves of the side to move: units by number; of each first its attacks, on targets by number, from cells row by
/// row; then the cells to which it can move, row by row. The game must not be over.
#[inline]
pub(crate) fn visit<T>(
    field: &Field,
    position: &Position,
    listed: Listed,
    visit: impl FnMut(Move) -> ControlFlow<T>,
) -> ControlFlow<T> {
    match field.form() {
        Form::Small(reach) => visit_in(field, reach, position, listed, visit),
        Form::Large(reach) => visit_in(field, reach, position, listed, visit),
    }
}

#[inline(always)]
fn visit_in<B: Cells, T>(
    field: &Field,
    reach: &Reach<B>,
    position: &Position,
    listed: Listed,
    mut visit: impl FnMut(Move) -> ControlFlow<T>,
) -> ControlFlow<T> {
    let side = position.side();
    let enemy_units = position.alive(side.other());
    let enemies: B = cells_of(position, enemy_units);
    let occupied = enemies | cells_of(position, position.alive(side));
    for unit in bits(position.able() & listed.units) {
        let (kind, from) = (position.kind(unit), position.cell(unit));
        let cells = reach.cells(kind, from, enemies) & !occupied | B::only(from);
        let threat = reach.threat(kind, from);
        if !(threat & enemies).is_empty() {
            for target in bits(enemy_units) {
                let at = position.cell(target);
                if !threat.contains(at) {
                    continue;
                }
                let hp = position.hp(target);
                let stars = field.stars(at);
                let harmless = kind.damage(position.hp(unit), position.kind(target), hp, stars) == 0;
                if harmless && !listed.zero_damage {
                    continue;
                }
                let mut cells = if kind.is_direct() { reach.beside(at) & cells } else { B::only(from) };
                while let Some(to) = cells.pop() {
                    visit(Move::attack(unit, to, target))?;
                }
            }
        }
        let mut cells = cells;
        while let Some(to) = cells.pop() {
            visit(Move::quiet(unit, to))?;
        }
    }
    ControlFlow::Continue(())
}

/// How many moves [`visit`] lists.
#[inline]
pub(crate) fn count(field: &Field, position: &Position) -> usize {
    match field.form() {
        Form::Small(reach) => count_in(field, reach, position),
        Form::Large(reach) => count_in(field, reach, position),
    }
}

fn count_in<B: Cells>(field: &Field, reach: &Reach<B>, position: &Position) -> usize {
    let side = position.side();
    let enemy_units = position.alive(side.other());
    let enemies: B = cells_of(position, enemy_units);
    let occupied = enemies | cells_of(position, position.alive(side));
    let mut count = 0;
    for unit in bits(position.able()) {
        let (kind, from) = (position.kind(unit), position.cell(unit));
        let cells = reach.cells(kind, from, enemies) & !occupied | B::only(from);
        count += cells.count();
        let threat = reach.threat(kind, from);
        if (threat & enemies).is_empty() {
            continue;
        }
        for target in bits(enemy_units) {
            let at = position.cell(target);
            let (other, hp) = (position.kind(target), position.hp(target));
            if threat.contains(at) && kind.damage(position.hp(unit), other, hp, field.stars(at)) > 0 {
                count += if kind.is_direct() { (reach.beside(at) & cells).count() } else { 1 };
            }
        }
    }
    count as usize
}

/// What a unit could do at its turn, whichever side it belongs to and whether it has acted or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Where it could go, row by row; its own cell is one of them.
    pub cells: Vec<Cell>,
    /// From where it could attack whom, by the numbers of the targets, and then row by row. Attacks that would do no damage
    /// are among them.
    pub attacks: Vec<(Cell, usize)>,
}

/// The options of a unit that is left.
pub(crate) fn options(field: &Field, position: &Position, unit: usize) -> Options {
    match field.form() {
        Form::Small(reach) => options_in(reach, position, unit),
        Form::Large(reach) => options_in(reach, position, unit),
    }
}

fn options_in<B: Cells>(reach: &Reach<B>, position: &Position, unit: usize) -> Options {
    let side = if position.alive(Side::First) >> unit & 1 == 1 { Side::First } else { Side::Second };
    let enemies: B = cells_of(position, position.alive(side.other()));
    let occupied = enemies | cells_of(position, position.alive(side));
    let (kind, from) = (position.kind(unit), position.cell(unit));
    let cells = reach.cells(kind, from, enemies) & !occupied | B::only(from);
    let list = |mut set: B| std::iter::from_fn(move || set.pop());
    let attacks = bits(position.alive(side.other())).flat_map(|target| {
        let at = position.cell(target);
        let in_range = if kind.is_direct() {
            reach.beside(at) & cells
        } else if reach.threat(kind, from).contains(at) {
            B::only(from)
        } else {
            B::EMPTY
        };
        list(in_range).map(move |cell| (cell, target))
    });
    Options { cells: list(cells).collect(), attacks: attacks.collect() }
}

/// Whether a move is legal in a position where the game is not over.
pub(crate) fn check(field: &Field, position: &Position, m: Move) -> Result<(), IllegalMove> {
    match field.form() {
        Form::Small(reach) => check_in(reach, position, m),
        Form::Large(reach) => check_in(reach, position, m),
    }
}

fn check_in<B: Cells>(reach: &Reach<B>, position: &Position, m: Move) -> Result<(), IllegalMove> {
    let Some(unit) = m.unit() else { return Ok(()) };
    let side = position.side();
    let present = |unit: usize| {
        if (position.alive(Side::First) | position.alive(Side::Second)) >> unit & 1 == 1 {
            Ok(())
        } else if unit < position.unit_count() {
            Err(IllegalMove::Destroyed { unit })
        } else {
            Err(IllegalMove::NoUnit { unit, count: position.unit_count() })
        }
    };
    present(unit)?;
    if position.alive(side) >> unit & 1 == 0 {
        return Err(IllegalMove::WrongSide { unit });
    }
    if position.able() >> unit & 1 == 0 {
        return Err(IllegalMove::Acted { unit });
    }
    let (kind, from, to) = (position.kind(unit), position.cell(unit), m.to());
    if to.x() > B::SIZE || to.y() > B::SIZE {
        return Err(IllegalMove::OutOfReach { unit, cell: to });
    }
    if to != from {
        if let Some(other) = position.unit_on(to) {
            return Err(IllegalMove::Occupied { cell: to, other });
        }
        let enemies = cells_of(position, position.alive(side.other()));
        if !reach.cells(kind, from, enemies).contains(to) {
            return Err(IllegalMove::OutOfReach { unit, cell: to });
        }
    }
    let Some(target) = m.target() else { return Ok(()) };
    present(target)?;
    if position.alive(side) >> target & 1 == 1 {
        return Err(IllegalMove::NoEnemy { target });
    }
    if !kind.is_direct() && to != from {
        return Err(IllegalMove::MovesAndFires { unit });
    }
    let distance = to.distance(position.cell(target));
    let range = if kind.is_direct() { 1..=1 } else { 2..=3 };
    if !range.contains(&distance) {
        return Err(IllegalMove::OutOfRange { unit, target, cell: to, distance });
    }
    Ok(())
}
