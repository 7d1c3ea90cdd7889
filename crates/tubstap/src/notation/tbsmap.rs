//! The maps of the original, files of the extension `.tbsmap`: statements `TAG[value];` in any order, any number in a line.
//!
//! `SIZEX`, `SIZEY` (with the border), `TURNLIMIT`, `HPTHRESHOLD`, `UNITNUMRED`, `UNITNUMBLUE`, `AUTHOR`, `MAPCOM` (a
//! comment), `UNIT[x,y,name,side,hit points,acted]` (numbered from 0 in their order), and `MAP[…]` for each row from the
//! top. Other tags are ignored, as by the original. These tags in another case, and text that is no statement, are
//! refused.

use std::fmt::Write;
use std::sync::Arc;

use banmen_game::{Game, Side};

use super::{Fault, NotationError, Part, Result, fault, number, parts, quote};
use crate::field::Field;
use crate::game::{SetupError, Tubstap};
use crate::kind::Kind;
use crate::position::{Position, Unit};
use crate::terrain::Terrain;

/// How a unit is written.
const UNIT: &str = "x,y,name,team,hp,acted";

/// A map as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The rules, which begin as the map says.
    pub game: Tubstap,
    /// Who made it; empty where the file does not say.
    pub author: String,
    /// A comment; empty where there is none.
    pub comment: String,
}

/// A statement of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statement<'t> {
    /// The offset of its tag.
    pub(crate) at: usize,
    pub(crate) tag: &'t str,
    /// The offset of its value.
    pub(crate) value_at: usize,
    pub(crate) value: &'t str,
}

impl Statement<'_> {
    /// Whether it is part of a replay's turns.
    pub(crate) fn is_of_a_turn(&self) -> bool {
        ["TURNINFO", "ACTION"].contains(&self.tag)
    }

    /// Whether it is part of a replay, and of no map.
    fn is_of_a_replay(&self) -> bool {
        let facts = ["COM", "PLAYEDDATE", "PLAYEDRULE", "PLAYERRED", "PLAYERBLUE"];
        self.is_of_a_turn() || facts.contains(&self.tag)
    }
}

/// The tags that are read here and in replays.
const TAGS: [&str; 17] = [
    "SIZEX",
    "SIZEY",
    "TURNLIMIT",
    "HPTHRESHOLD",
    "UNITNUMRED",
    "UNITNUMBLUE",
    "AUTHOR",
    "MAPCOM",
    "UNIT",
    "MAP",
    "COM",
    "TURNINFO",
    "ACTION",
    "PLAYEDDATE",
    "PLAYEDRULE",
    "PLAYERRED",
    "PLAYERBLUE",
];

/// The text between statements must be whitespace or semicolons. `at` is its offset.
fn separates(at: usize, text: &str) -> Result<()> {
    match text.find(|c: char| !(c.is_whitespace() || c == ';' || c == '\u{feff}')) {
        Some(begin) => fault(at + begin, Fault::NoStatement { found: quote(text[begin..].trim_end()) }),
        None => Ok(()),
    }
}

/// The statements of a text, separated by whitespace, semicolons or nothing: whatever stands before a bracket, back to
/// a character that is no letter, digit or underscore, is its tag; the value ends at the next closing bracket.
pub(crate) fn statements(text: &str) -> Result<Vec<Statement<'_>>> {
    // Where the text was read in the wrong encoding, parts of characters of a comment may have become brackets.
    let strict = !text.contains(char::REPLACEMENT_CHARACTER);
    let mut all = Vec::new();
    let mut begin = 0;
    while let Some(open) = text[begin..].find('[').map(|at| begin + at) {
        let before = &text[begin..open];
        let tag_at = before
            .char_indices()
            .rev()
            .find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '_')
            .map_or(begin, |(at, c)| begin + at + c.len_utf8());
        let tag = &text[tag_at..open];
        if strict {
            // A bracket without a tag separates nothing.
            separates(begin, &text[begin..if tag.is_empty() { open + 1 } else { tag_at }])?;
        }
        if let Some(known) = TAGS.iter().find(|known| known.eq_ignore_ascii_case(tag) && **known != tag) {
            return fault(tag_at, Fault::TagCase { found: quote(tag), tag: known });
        }
        let value_at = open + 1;
        let Some(end) = text[value_at..].find(']').map(|at| value_at + at) else {
            return fault(tag_at, Fault::Unclosed { tag: quote(tag) });
        };
        all.push(Statement { at: tag_at, tag, value_at, value: &text[value_at..end] });
        begin = end + 1;
    }
    if strict {
        separates(begin, &text[begin..])?;
    }
    Ok(all)
}

/// Reads a map. Statements of a replay are ignored.
///
/// # Errors
/// The statement that does not fit.
pub fn parse_map(text: &str) -> Result<Map> {
    read_map(&statements(text)?, text.len())
}

/// Reads a map as a position: the text of a replay is refused, since its moves, names and result would be lost.
///
/// # Errors
/// The statement that does not fit.
pub(crate) fn parse_start(text: &str) -> Result<Map> {
    let statements = statements(text)?;
    let map = read_map(&statements, text.len())?;
    let is_replay = statements.iter().any(Statement::is_of_a_replay);
    // At its beginning, since the whole is a text of another kind: a fault of the game itself comes later.
    if is_replay { fault(0, Fault::Replay) } else { Ok(map) }
}

/// The statements with single values, each at most once.
const SINGLE: [&str; 8] =
    ["SIZEX", "SIZEY", "TURNLIMIT", "HPTHRESHOLD", "UNITNUMRED", "UNITNUMBLUE", "AUTHOR", "MAPCOM"];

/// The map of these statements. What is missing is reported at `end`, the offset of the end of their text.
pub(crate) fn read_map(statements: &[Statement<'_>], end: usize) -> Result<Map> {
    let mut single: [Option<Statement<'_>>; SINGLE.len()] = [None; SINGLE.len()];
    let (mut rows, mut units) = (Vec::new(), Vec::new());
    for &statement in statements {
        match statement.tag {
            "MAP" => rows.push((statement, row(&statement)?)),
            "UNIT" => units.push((statement, unit(&statement)?)),
            tag => {
                let index = SINGLE.iter().position(|&known| known == tag);
                if let Some(index) = index.filter(|&index| single[index].replace(statement).is_some()) {
                    return fault(statement.at, Fault::Twice { what: SINGLE[index] });
                }
            }
        }
    }
    let value = |index: usize, min, max| match single[index] {
        Some(Statement { value_at, value, .. }) => {
            let begin = value_at + value.len() - value.trim_start().len();
            number(begin, value.trim(), SINGLE[index], min, max)
        }
        None => fault(end, Fault::Missing { what: SINGLE[index] }),
    };
    let place = |index: usize| single[index].map_or(end, |statement| statement.at);
    let (width, height) = (value(0, 3, Field::MAX_SIZE)?, value(1, 3, Field::MAX_SIZE)?);
    let limit = value(2, 1, Tubstap::MAX_LIMIT.into())? as u16;
    let threshold = value(3, 0, u16::MAX.into())? as u16;
    if rows.len() != height {
        return fault(place(1), Fault::Count { what: "SIZEY", stated: height, found: rows.len(), counted: "rows" });
    }
    if let Some((statement, row)) = rows.iter().find(|(_, row)| row.len() != width) {
        let (what, found) = ("SIZEX", row.len());
        return fault(statement.at, Fault::Count { what, stated: width, found, counted: "cells in this row" });
    }
    for (index, side) in [(4, Side::First), (5, Side::Second)] {
        let found = units.iter().filter(|(_, unit)| unit.side == side).count();
        let stated = value(index, 0, Position::MAX_UNITS)?;
        if stated != found {
            let counted = ["red units", "blue units"][side.index()];
            return fault(place(index), Fault::Count { what: SINGLE[index], stated, found, counted });
        }
        if found == 0 {
            return fault(place(index), Fault::NoUnits { team: side.index() });
        }
    }
    let terrain: Vec<Vec<Terrain>> = rows.iter().map(|(_, row)| row.clone()).collect();
    let field = Field::new(&terrain).map_err(|why| {
        let at = why.place().map_or(place(0), |(_, y)| rows[y].0.at);
        NotationError { at, fault: why.into() }
    })?;
    let all: Vec<Option<Unit>> = units.iter().map(|&(_, unit)| Some(unit)).collect();
    let game = Tubstap::new(Arc::new(field), limit, threshold, &all, 0).map_err(|why| {
        let at = match &why {
            SetupError::Position(why) => {
                why.unit().and_then(|unit| units.get(unit)).map_or(end, |(statement, _)| statement.at)
            }
            SetupError::Limit { .. } | SetupError::Turn { .. } => place(2),
        };
        NotationError { at, fault: why.into() }
    })?;
    // The turn has passed.
    if game.start().turn() != 0 {
        let red = units.iter().find(|(_, unit)| unit.side == Side::First);
        return fault(red.map_or(end, |(statement, _)| statement.at), Fault::NoneCanAct);
    }
    let words = |index: usize| single[index].map_or_else(String::new, |statement| statement.value.to_owned());
    Ok(Map { game, author: words(6), comment: words(7) })
}

/// The terrain of a row.
fn row(statement: &Statement<'_>) -> Result<Vec<Terrain>> {
    let read = |(at, text): Part<'_>| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let terrain = text.parse().ok().filter(|_| digits).and_then(Terrain::of_index);
        terrain.map_or_else(|| fault(at, Fault::Terrain { found: quote(text) }), Ok)
    };
    parts(statement.value_at, statement.value, ',').into_iter().map(read).collect()
}

fn unit(statement: &Statement<'_>) -> Result<Unit> {
    let at = statement.value_at;
    let [x, y, name, side, hp, acted] = parts(at, statement.value, ',')[..] else {
        return fault(at, Fault::NotAUnit { found: quote(statement.value), form: UNIT });
    };
    let Some(kind) = Kind::of_name(name.1) else {
        let known = "fighter, attacker, panzer, cannon, antiair and infantry";
        return fault(name.0, Fault::UnknownKind { found: quote(name.1), known });
    };
    super::unit(kind, [side, x, y, hp, acted])
}

impl Map {
    /// The map on which a game begins at this position, without author and comment; `None` if it is not turn 0 or a
    /// unit was destroyed.
    pub(crate) fn beginning_at(game: &Tubstap, position: &Position) -> Option<Map> {
        let whole = (0..position.unit_count()).all(|number| position.unit(number).is_some());
        let possible = position.turn() == 0 && whole && Side::BOTH.iter().all(|&side| position.alive(side) != 0);
        let map = || Map { game: game.beginning_at(*position), author: String::new(), comment: String::new() };
        possible.then(map)
    }

    /// The file, with a line for each unit and row. Brackets in author and comment, which the format cannot hold, are
    /// written as parentheses.
    #[must_use]
    pub fn text(&self) -> String {
        let game = &self.game;
        let (field, start) = (game.field(), game.start());
        let count = |side| start.alive(side).count_ones();
        let mut text = String::new();
        let _ = writeln!(text, "SIZEX[{}];SIZEY[{}];", field.width(), field.height());
        let _ = writeln!(text, "TURNLIMIT[{}];HPTHRESHOLD[{}];", game.limit(), game.threshold());
        let _ = writeln!(text, "UNITNUMRED[{}];UNITNUMBLUE[{}];", count(Side::First), count(Side::Second));
        for (tag, value) in [("AUTHOR", &self.author), ("MAPCOM", &self.comment)] {
            if !value.is_empty() {
                let _ = writeln!(text, "{tag}[{}];", value.replace('[', "(").replace(']', ")"));
            }
        }
        for (_, Unit { kind, side, cell, hp, acted }) in start.units() {
            let (name, side, acted) = (kind.name(), side.index(), u8::from(acted));
            let _ = writeln!(text, "UNIT[{cell},{name},{side},{hp},{acted}];");
        }
        for y in 0..field.height() {
            let row: Vec<String> = field.row(y).map(|terrain| terrain.index().to_string()).collect();
            let _ = writeln!(text, "MAP[{}];", row.join(","));
        }
        text
    }
}
