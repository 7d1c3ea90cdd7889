//! Moves: `unit@x,y`, `unit@x,y>target`, `end`.

use std::fmt;

use super::{Fault, Result, fault, quote};
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
    read(word).map_or_else(|| fault(at, Fault::NotAMove { found: quote(word) }), Ok)
}

fn read(word: &str) -> Option<Move> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<usize>().ok().filter(|_| digits)
    };
    let unit = |text: &str| number(text).filter(|&unit| unit < Position::MAX_UNITS);
    let (actor, rest) = word.split_once('@')?;
    let (cell, target) = match rest.split_once('>') {
        Some((cell, target)) => (cell, Some(unit(target)?)),
        None => (rest, None),
    };
    let (x, y) = cell.split_once(',')?;
    let (actor, to) = (unit(actor)?, Cell::new(number(x)?, number(y)?)?);
    Some(target.map_or_else(|| Move::quiet(actor, to), |target| Move::attack(actor, to, target)))
}
