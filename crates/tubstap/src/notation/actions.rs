//! Moves as the original writes them, in replays and over its network:
//! `unit,to x,to y,from x,from y,target,target x,target y,type,damage,counter`.

use super::{Fault, Part, Result, fault, number, parts, quote};
use crate::cells::Cell;
use crate::game::Tubstap;
use crate::moves::Move;
use crate::position::Position;

/// The types of actions.
pub(crate) const SURRENDER: i32 = 0;
pub(crate) const MOVE: i32 = 1;
pub(crate) const ATTACK: i32 = 2;
pub(crate) const END: i32 = 3;

/// Writes a move that is legal in a position. Without a target it is -1.
pub(crate) fn format_action(game: &Tubstap, position: &Position, m: Move) -> String {
    let Some(unit) = m.unit() else { return format!("-1,0,0,0,0,-1,0,0,{END},0,0") };
    let (to, from) = (m.to(), position.cell(unit));
    match m.target() {
        Some(target) => {
            let (damage, counter) = game.exchange(position, unit, to, target);
            let at = position.cell(target);
            format!("{unit},{to},{from},{target},{at},{ATTACK},{damage},{counter}")
        }
        None => format!("{unit},{to},{from},-1,0,0,{MOVE},0,0"),
    }
}

/// Whether a text is read as an action rather than as `unit@x,y`.
pub(crate) fn is_action(text: &str) -> bool {
    text.contains(',') && !text.contains('@')
}

/// Reads a move. It need not be legal. As in the original only the unit, where it goes, the target and the type count: its
/// players send 0 for damage and counter-attack, and one sends it for the target's cell.
///
/// # Errors
/// The number that does not fit; a surrender is no move.
pub(crate) fn parse_action(text: &str) -> Result<Move> {
    let parts = parts(0, text, ',');
    let numbers: Option<Vec<i32>> = parts.iter().map(|(_, part)| part.parse().ok()).collect();
    let (Some(numbers), &[unit, x, y, _, _, target, _, _, kind, _, _]) = (numbers, parts.as_slice()) else {
        return fault(0, Fault::NotAnAction { found: quote(text.trim()) });
    };
    let part = |(at, text): Part<'_>, what, min, max| number(at, text, what, min, max);
    let attack = match numbers.get(TYPE) {
        Some(&END) => return Ok(Move::END),
        Some(&ATTACK) => true,
        Some(&MOVE) => false,
        other => return fault(kind.0, Fault::ActionType { found: other.copied().unwrap_or(SURRENDER) }),
    };
    let unit = part(unit, "unit", 0, Position::MAX_UNITS - 1)?;
    let (x, y) = (part(x, "column", 1, Cell::LAST)?, part(y, "row", 1, Cell::LAST)?);
    let Some(to) = Cell::new(x, y) else { return fault(0, Fault::NotAnAction { found: quote(text.trim()) }) };
    if !attack {
        return Ok(Move::quiet(unit, to));
    }
    let target = part(target, "target", 0, Position::MAX_UNITS - 1)?;
    Ok(Move::attack(unit, to, target))
}

/// Which number is the type.
const TYPE: usize = 8;
