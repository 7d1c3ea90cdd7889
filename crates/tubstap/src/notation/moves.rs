//! Moves: `unit@x,y`, `unit@x,y>target`, `end`.

use std::fmt;

use super::{Fault, NotationError, Result, quote};
use crate::cells::Cell;
use crate::moves::Move;
use crate::position::Position;

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(unit) = self.unit() else { return f.write_str("end") };
        write!(f, "{unit}@{}", self.to())?;
        self.target().map_or(Ok(()), |target| write!(f, ">{target}"))
    }
}

/// Reads a move. It need not be legal.
///
/// # Errors
/// When the text is no move, or names a unit or a cell that no position has.
pub fn parse_move(text: &str) -> Result<Move> {
    let word = text.trim();
    let at = text.len() - text.trim_start().len();
    if word.eq_ignore_ascii_case("end") {
        return Ok(Move::END);
    }
    let read = read(word).unwrap_or_else(|| Err(Fault::NotAMove { found: quote(word) }));
    read.map_err(|fault| NotationError { at, fault })
}

/// `None` for a text of another form, an error for numbers that no unit or cell has.
fn read(word: &str) -> Option<std::result::Result<Move, Fault>> {
    let digits = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| text.parse::<usize>().ok().filter(|_| digits(text));
    let (actor, rest) = word.split_once('@')?;
    let (place, target) = match rest.split_once('>') {
        Some((place, target)) => (place, Some(number(target)?)),
        None => (rest, None),
    };
    let (x, y) = place.split_once(',')?;
    let (actor, x, y) = (number(actor)?, number(x)?, number(y)?);
    if let Some(unit) = [Some(actor), target].into_iter().flatten().find(|&unit| unit >= Position::MAX_UNITS) {
        return Some(Err(Fault::NoUnit { found: unit.to_string() }));
    }
    let Some(to) = Cell::new(x, y) else { return Some(Err(Fault::NotACell { found: format!("{x},{y}") })) };
    Some(Ok(target.map_or_else(|| Move::quiet(actor, to), |target| Move::attack(actor, to, target))))
}
