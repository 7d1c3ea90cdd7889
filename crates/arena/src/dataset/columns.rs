//! The columns of a dataset.

use std::borrow::Cow;

use banmen_game::Side;

use super::label::Label;
use crate::spec::limits_in_words;
use crate::{GameRecord, MatchInfo};

/// A position of a stored game, the move that was played there, and what was computed.
pub(super) struct Row<'a> {
    pub(super) found: &'a MatchInfo,
    pub(super) record: &'a GameRecord,
    /// All moves of the game.
    pub(super) moves: &'a str,
    /// Moves played before the position.
    pub(super) ply: usize,
    /// The side to move.
    pub(super) side: Side,
    /// The player of this side, 0 for the first player of the match.
    pub(super) mover: usize,
    pub(super) position: String,
    /// The number of the position's class under the symmetries of the game.
    pub(super) class: u64,
    /// The key of the position.
    pub(super) key: u64,
    /// Who searched the position, with its limits.
    pub(super) searched_by: Option<&'a str>,
    pub(super) label: &'a Label,
}

impl Row<'_> {
    /// Whether no player chose the move: it belongs to the opening.
    pub(super) fn in_opening(&self) -> bool {
        self.ply < self.record.opening
    }

    /// Whether the turn was lost by a fault.
    pub(super) fn is_lost_turn(&self) -> bool {
        self.record.lost_turns.iter().any(|lost| lost.ply == self.ply)
    }

    /// The score of the side to move in the game: 1, ½ or 0.
    pub(super) fn result(&self) -> f64 {
        if self.mover == 0 { self.record.score } else { 1.0 - self.record.score }
    }

    /// The limits of the player that is to move.
    fn limits(&self) -> String {
        limits_in_words(&self.found.spec[["a", "b"][self.mover]]["limits"])
    }

    /// The time of the decision in microseconds.
    fn time(&self) -> Option<i64> {
        let time = self.record.times.get(self.ply.checked_sub(self.record.opening)?)?;
        i64::try_from(time.as_micros()).ok().filter(|_| !self.is_lost_turn())
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text in UTF-8.
    Text,
    /// 32 bits.
    Int,
    /// 64 bits.
    Long,
    /// 64 bits without sign.
    Key,
    /// A floating point number of 64 bits.
    Real,
    /// True or false.
    Flag,
}

impl Kind {
    /// The name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Int => "int32",
            Kind::Long => "int64",
            Kind::Key => "uint64",
            Kind::Real => "double",
            Kind::Flag => "bool",
        }
    }
}

/// A value of a row.
pub(super) enum Cell<'a> {
    Null,
    Text(Cow<'a, str>),
    /// [`Kind::Int`], [`Kind::Long`], and the bits of a [`Kind::Key`].
    Whole(i64),
    Real(f64),
    Flag(bool),
}

impl<'a> Cell<'a> {
    fn text(text: &'a str) -> Self {
        Cell::Text(text.into())
    }

    /// A count. None of them reaches 2⁶³.
    fn count(count: impl TryInto<i64>) -> Self {
        Cell::Whole(count.try_into().unwrap_or(i64::MAX))
    }

    fn key(key: u64) -> Self {
        Cell::Whole(key as i64)
    }

    fn optional<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'a>) -> Self {
        value.map_or(Cell::Null, cell)
    }
}

/// A column.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether it may be null.
    pub(super) optional: bool,
    /// What it is, with unit and range, for the card.
    pub(super) meaning: &'static str,
    pub(super) read: for<'a> fn(&'a Row<'_>) -> Cell<'a>,
}

const fn column(
    name: &'static str,
    kind: Kind,
    optional: bool,
    meaning: &'static str,
    read: for<'a> fn(&'a Row<'_>) -> Cell<'a>,
) -> Column {
    Column { name, kind, optional, meaning, read }
}

/// All columns, in their order in the file.
pub(super) const COLUMNS: &[Column] = &[
    column("game", Kind::Text, false, "the game's name", |row| Cell::text(&row.found.game)),
    column("rules", Kind::Text, false, "the variant of its rules", |row| Cell::text(&row.found.rules)),
    column("match", Kind::Long, false, "the number of the match in the store that the game is from", |row| {
        Cell::Whole(row.found.id)
    }),
    column("event", Kind::Long, true, "the number of its tournament, league or experiment", |row| {
        Cell::optional(row.found.event, Cell::Whole)
    }),
    column("pair", Kind::Int, false, "the number of the pair of games in the match, from 0", |row| {
        Cell::count(row.record.pair)
    }),
    column("pair_game", Kind::Int, false, "0, or 1 for the game with the sides swapped", |row| {
        Cell::count(row.record.game)
    }),
    column("game_id", Kind::Key, false, "a digest of the start and all moves: equal games have equal ones", |row| {
        Cell::key(row.record.digest())
    }),
    column(
        "opening_id",
        Kind::Key,
        false,
        "a digest of the start and the moves of the opening: games with the same opening have equal ones",
        |row| Cell::key(row.record.opening_digest()),
    ),
    column("start", Kind::Text, true, "the position before the first move; null is the game's usual start", |row| {
        Cell::optional(row.record.position.as_deref(), Cell::text)
    }),
    column("moves", Kind::Text, false, "all moves of the game, separated by `;`", |row| Cell::text(row.moves)),
    column("ply", Kind::Int, false, "moves of the game before the position, from 0", |row| Cell::count(row.ply)),
    column("opening", Kind::Flag, false, "whether the move belongs to the opening, which no player chose", |row| {
        Cell::Flag(row.in_opening())
    }),
    column(
        "lost_turn",
        Kind::Flag,
        false,
        "whether the move is a pass that nobody chose, because the player failed",
        |row| Cell::Flag(row.is_lost_turn()),
    ),
    column("side", Kind::Text, false, "the side to move: `first` or `second`", |row| {
        Cell::text(if row.side == Side::First { "first" } else { "second" })
    }),
    column("position", Kind::Text, false, "the position, in the game's first notation", |row| {
        Cell::text(&row.position)
    }),
    column(
        "class",
        Kind::Key,
        false,
        "a number that positions share if and only if a symmetry of the game maps one to the other (but for collisions of \
         64 bits); it may change with the version of the program",
        |row| Cell::key(row.class),
    ),
    column("move", Kind::Text, false, "the move that was played", |row| Cell::text(&row.record.moves[row.ply])),
    column("player", Kind::Text, false, "the player of the side to move", |row| {
        Cell::text(&row.found.players[row.mover])
    }),
    column("version", Kind::Text, false, "the version of this player", |row| {
        Cell::text(&row.found.versions[row.mover])
    }),
    column("limits", Kind::Text, false, "its limits for a move; empty for imported games", |row| {
        Cell::Text(row.limits().into())
    }),
    column("opponent", Kind::Text, false, "the other player", |row| Cell::text(&row.found.players[1 - row.mover])),
    column("time_us", Kind::Long, true, "the time of the decision in microseconds, by the clock of the match", |row| {
        Cell::optional(row.time(), Cell::Whole)
    }),
    column("result", Kind::Real, false, "the score of the side to move in this game: 1, 0.5 or 0", |row| {
        Cell::Real(row.result())
    }),
    column(
        "margin",
        Kind::Int,
        true,
        "by how much the side to move won, below 0 if it lost, in games with margins",
        |row| {
            let sign = if row.mover == 0 { 1 } else { -1 };
            Cell::optional(row.record.margin, |margin| Cell::Whole(sign * i64::from(margin)))
        },
    ),
    column("ended_by", Kind::Text, false, "what ended the game", |row| Cell::text(&row.record.by)),
    column("fault", Kind::Flag, false, "whether a player failed in this game, which may have decided it", |row| {
        Cell::Flag(row.record.fault.is_some())
    }),
    column("searched_by", Kind::Text, true, "the player whose search gave the next columns, with its limits", |row| {
        Cell::optional(row.searched_by.filter(|_| row.label.search.is_some()), Cell::text)
    }),
    column("value", Kind::Real, true, "the expected score of the side to move, 0 to 1, by this search", |row| {
        Cell::optional(row.label.search.as_ref(), |search| Cell::Real(search.value))
    }),
    column("eval", Kind::Real, true, "the same in the unit of `eval_unit`, for the side to move", |row| {
        Cell::optional(row.label.search.as_ref().and_then(|search| search.eval), Cell::Real)
    }),
    column("eval_unit", Kind::Text, true, "the unit of `eval`, such as `discs`", |row| {
        Cell::optional(row.label.search.as_ref().and_then(|search| search.unit.as_deref()), Cell::text)
    }),
    column("best_move", Kind::Text, true, "the move that this search chose", |row| {
        Cell::optional(row.label.search.as_ref(), |search| Cell::text(&search.best))
    }),
    column("nodes", Kind::Long, true, "positions that it visited", |row| {
        Cell::optional(row.label.search.as_ref(), |search| Cell::count(search.nodes))
    }),
    column("playouts", Kind::Long, true, "playouts that it made", |row| {
        Cell::optional(row.label.search.as_ref().and_then(|search| search.playouts), Cell::count)
    }),
    column("depth", Kind::Int, true, "the depth that it completed, in plies", |row| {
        Cell::optional(row.label.search.as_ref(), |search| Cell::count(search.depth))
    }),
    column("proven", Kind::Flag, true, "whether it proved its value", |row| {
        Cell::optional(row.label.search.as_ref(), |search| Cell::Flag(search.proven))
    }),
    column(
        "truth",
        Kind::Int,
        true,
        "the exact score of the side to move with best play: the margin in games with margins, else 1, 0 or −1",
        |row| Cell::optional(row.label.truth.as_ref(), |truth| Cell::Whole(truth.score.into())),
    ),
    column(
        "truth_distance",
        Kind::Int,
        true,
        "plies to the end with best play, where the game's table has them",
        |row| Cell::optional(row.label.truth.as_ref().and_then(|truth| truth.distance), Cell::count),
    ),
];
