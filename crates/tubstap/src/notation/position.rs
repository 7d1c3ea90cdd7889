//! Positions in one line:
//!
//! ```text
//! SIZE 8 8 LIMIT 29 THRESHOLD 10 TERRAIN 00000000/01111110/… TURN 8 SIDE 0 UNITS 0:I:0:6,6:3:1 1:I:0:1,2:10:1 2:dead
//! ```
//!
//! A unit is `number:letter:side:x,y:hit points:acted`, or `number:dead`. The parts may come in any order and be separated
//! by any whitespace. Size, limit, threshold and terrain may be left out: they are then those of the rules. `SIDE` may be
//! left out, as it follows from the turn, and so may `TURN 0`. Instead of all this a map may be named, with other limits or
//! not: `map01`, `map01 LIMIT 19`. `start` is the usual start, and `random:SEED` the random fair map of a seed.

use std::fmt::Write;
use std::sync::Arc;

use super::{Fault, NotationError, Result, fault, number, parts, quote};
use crate::field::{Field, FieldError};
use crate::game::{SetupError, Tubstap};
use crate::generator::random_map;
use crate::kind::Kind;
use crate::maps;
use crate::position::{Position, Unit};
use crate::terrain::Terrain;

/// How a unit is written.
const UNIT: &str = "number:type:team:x,y:hp:acted or number:dead";

/// Writes a position with its rules.
#[must_use]
pub fn format_position(game: &Tubstap, position: &Position) -> String {
    let field = game.field();
    let mut text = format!(
        "SIZE {} {} LIMIT {} THRESHOLD {} TERRAIN {field:?} TURN {} SIDE {} UNITS",
        field.width(),
        field.height(),
        game.limit(),
        game.threshold(),
        position.turn(),
        position.side().index(),
    );
    for number in 0..position.unit_count() {
        let _ = match position.unit(number) {
            Some(Unit { kind, side, cell, hp, acted }) => {
                write!(text, " {number}:{}:{}:{cell}:{hp}:{}", kind.letter(), side.index(), u8::from(acted))
            }
            None => write!(text, " {number}:dead"),
        };
    }
    text
}

/// Reads a position in one line, or the name of a map. Returns its rules with it: those of `game` where the text leaves
/// them out.
///
/// # Errors
/// The first part that does not fit.
pub fn parse_position(game: &Tubstap, text: &str) -> Result<(Tubstap, Position)> {
    let mut words = words(text).peekable();
    let mut named = None;
    if let Some((at, word)) = words.next_if(|(_, word)| !KEYWORDS.contains(&word.to_ascii_uppercase().as_str())) {
        named = Some(match word.split_at_checked(RANDOM.len()) {
            Some((prefix, seed)) if prefix.eq_ignore_ascii_case(RANDOM) => {
                random_map(number(at + RANDOM.len(), seed, "seed", 0, u32::MAX as usize)? as u64)
            }
            _ if word.eq_ignore_ascii_case("start") => game.clone(),
            _ => maps::named(word).map_or_else(|| fault(at, unknown_map(word)), Ok)?,
        });
    }
    let base = named.as_ref().unwrap_or(game);
    let mut parts = Parts::default();
    while let Some((at, word)) = words.next() {
        let mut value = |what| words.next().map_or_else(|| fault(text.len(), Fault::Missing { what }), Ok);
        match word.to_ascii_uppercase().as_str() {
            "SIZE" if named.is_none() => {
                let (x, y) = (value("the width")?, value("the height")?);
                let width = number(x.0, x.1, "width", 3, Field::MAX_SIZE)?;
                let height = number(y.0, y.1, "height", 3, Field::MAX_SIZE)?;
                set(&mut parts.size, at, "SIZE", (width, height))?;
            }
            "LIMIT" => {
                let (at, word) = value("the limit")?;
                let limit = number(at, word, "turn limit", 1, Tubstap::MAX_LIMIT.into())?;
                set(&mut parts.limit, at, "LIMIT", limit as u16)?;
            }
            "THRESHOLD" => {
                let (at, word) = value("the threshold")?;
                let threshold = number(at, word, "threshold", 0, u16::MAX.into())?;
                set(&mut parts.threshold, at, "THRESHOLD", threshold as u16)?;
            }
            "TERRAIN" if named.is_none() => {
                let (place, word) = value("the terrain")?;
                set(&mut parts.terrain, at, "TERRAIN", (place, word))?;
            }
            "TURN" if named.is_none() => {
                let (at, word) = value("the turn")?;
                let turn = number(at, word, "turn", 0, Tubstap::MAX_LIMIT.into())?;
                set(&mut parts.turn, at, "TURN", (at, turn as u16))?;
            }
            "SIDE" if named.is_none() => {
                let (at, word) = value("the side")?;
                let side = number(at, word, "side", 0, 1)?;
                set(&mut parts.side, at, "SIDE", (at, side))?;
            }
            "UNITS" if named.is_none() => {
                let mut units = Vec::new();
                while let Some((at, word)) = words.next_if(|(_, word)| word.contains(':')) {
                    units.push((at, unit(at, word, units.len())?));
                }
                set(&mut parts.units, at, "UNITS", (at, units))?;
            }
            _ if named.is_some() => return fault(at, Fault::AfterMap { found: quote(word) }),
            _ => return fault(at, Fault::UnknownWord { found: quote(word) }),
        }
    }
    parts.position(game, base, named.is_some(), text.len())
}

/// Before the seed of a random map.
pub(crate) const RANDOM: &str = "random:";

const KEYWORDS: [&str; 7] = ["SIZE", "LIMIT", "THRESHOLD", "TERRAIN", "TURN", "SIDE", "UNITS"];

/// The error of a word that is no map's name.
fn unknown_map(word: &str) -> Fault {
    let begun = |name: &&str| name.get(..word.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(word));
    let nearest = banmen_catalog::nearest(word, maps::names()).or_else(|| maps::names().find(begun));
    Fault::UnknownMap { found: quote(word), nearest }
}

/// The parts of a position's text; offsets where later checks need them.
#[derive(Default)]
struct Parts<'t> {
    size: Option<(usize, usize)>,
    limit: Option<u16>,
    threshold: Option<u16>,
    terrain: Option<(usize, &'t str)>,
    turn: Option<(usize, u16)>,
    side: Option<(usize, usize)>,
    units: Option<(usize, Vec<PlacedUnit>)>,
}

/// A unit with the offset of its text; `None` if it was destroyed.
type PlacedUnit = (usize, Option<Unit>);

fn set<T>(part: &mut Option<T>, at: usize, what: &'static str, value: T) -> Result<()> {
    match part.replace(value) {
        Some(_) => fault(at, Fault::Twice { what }),
        None => Ok(()),
    }
}

impl Parts<'_> {
    fn position(self, game: &Tubstap, base: &Tubstap, named: bool, end: usize) -> Result<(Tubstap, Position)> {
        let field = match self.terrain {
            Some((at, rows)) => terrain(game.field(), at, rows, self.size)?,
            None if self.size.is_none_or(|size| size == (base.field().width(), base.field().height())) => {
                Arc::clone(base.field())
            }
            None => return fault(end, Fault::Missing { what: "TERRAIN" }),
        };
        let limit = self.limit.unwrap_or(base.limit());
        let threshold = self.threshold.unwrap_or(base.threshold());
        let (turn_at, turn) = self.turn.unwrap_or((end, base_turn(base, named)));
        if let Some((at, _)) = self.side.filter(|&(_, side)| side != usize::from(turn % 2)) {
            return fault(at, Fault::Side { turn });
        }
        let (units_at, units) = match self.units {
            Some(units) => units,
            None if named => {
                let start = banmen_game::Game::start(base);
                (end, (0..start.unit_count()).map(|number| (end, start.unit(number))).collect())
            }
            None => return fault(end, Fault::Missing { what: "UNITS" }),
        };
        let place = |why: &SetupError| match why {
            SetupError::Limit { .. } | SetupError::Turn { .. } => turn_at,
            SetupError::Position(why) => why.unit().and_then(|unit| units.get(unit)).map_or(units_at, |&(at, _)| at),
        };
        let all: Vec<Option<Unit>> = units.iter().map(|&(_, unit)| unit).collect();
        let read = Tubstap::new(field, limit, threshold, &all, turn)
            .map_err(|why| NotationError { at: place(&why), fault: why.into() })?;
        let position = banmen_game::Game::start(&read);
        // Its start is that of the map.
        let [author, comment] = if named { base.description() } else { [""; 2] };
        Ok((begin(game, read.described(author, comment)), position))
    }
}

/// The turns of a named map's start: where no unit of a side can act at first, turns have passed.
fn base_turn(base: &Tubstap, named: bool) -> u16 {
    if named { banmen_game::Game::start(base).turn() } else { 0 }
}

/// The rules that were read with a position. They are those of `game`, with its own start, if the rules are equal and
/// the units can be the remaining ones of its start.
pub(super) fn begin(game: &Tubstap, read: Tubstap) -> Tubstap {
    let (start, position) = (banmen_game::Game::start(game), banmen_game::Game::start(&read));
    let same = |number: usize| match (position.unit(number), start.unit(number)) {
        (Some(unit), Some(origin)) => (unit.kind, unit.side) == (origin.kind, origin.side),
        (unit, _) => unit.is_none(),
    };
    if read == *game && position.unit_count() == start.unit_count() && (0..start.unit_count()).all(same) {
        return game.clone();
    }
    if read.field() == game.field() { read.sharing(game.field()) } else { read }
}

/// Reads the rows of a map; that of `known` is returned if it is the same.
fn terrain(known: &Arc<Field>, at: usize, text: &str, size: Option<(usize, usize)>) -> Result<Arc<Field>> {
    let mut rows = Vec::new();
    let mut begin = at;
    for row in text.split('/') {
        let mut cells = Vec::new();
        for (skip, letter) in row.char_indices() {
            let terrain = letter.to_digit(10).and_then(|digit| Terrain::of_index(digit as usize));
            let Some(terrain) = terrain else {
                return fault(begin + skip, Fault::Terrain { found: quote(&letter.to_string()) });
            };
            cells.push(terrain);
        }
        rows.push(cells);
        begin += row.len() + 1;
    }
    if let Some((width, height)) = size {
        if rows.len() != height {
            return fault(at, Fault::Count { what: "the height", stated: height, found: rows.len(), counted: "rows" });
        }
        if let Some((y, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != width) {
            let begin = at + rows[..y].iter().map(|row| row.len() + 1).sum::<usize>();
            return fault(begin, FieldError::Row { y, found: row.len(), width });
        }
    }
    let place = |why: &FieldError| {
        let offset = |(x, y): (usize, usize)| at + rows[..y].iter().map(|row| row.len() + 1).sum::<usize>() + x;
        why.place().map_or(at, offset)
    };
    if known.has_rows(&rows) {
        return Ok(Arc::clone(known));
    }
    Field::new(&rows).map(Arc::new).map_err(|why| NotationError { at: place(&why), fault: why.into() })
}

/// Reads a unit, which must have this number.
fn unit(at: usize, word: &str, expected: usize) -> Result<Option<Unit>> {
    let not_a_unit = || fault(at, Fault::NotAUnit { found: quote(word), form: UNIT });
    let words = parts(at, word, ':');
    if words[0].1 != expected.to_string() {
        return fault(at, Fault::UnitNumber { found: quote(words[0].1), expected });
    }
    let [_, kind, side, place, hp, acted] = words[..] else {
        return if matches!(words[..], [_, (_, "dead")]) { Ok(None) } else { not_a_unit() };
    };
    let mut letters = kind.1.chars();
    let (Some(kind), None) = (letters.next().and_then(Kind::of_letter), letters.next()) else {
        return fault(kind.0, Fault::UnknownKind { found: quote(kind.1), known: "F, A, P, U, R and I" });
    };
    let [x, y] = parts(place.0, place.1, ',')[..] else { return not_a_unit() };
    super::unit(kind, [side, x, y, hp, acted]).map(Some)
}

/// The words of a text, each with its offset.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.trim_start();
        let word = begin.split(char::is_whitespace).next().filter(|word| !word.is_empty())?;
        rest = &begin[word.len()..];
        Some((text.len() - begin.len(), word))
    })
}
