//! The rules: TUBSTAP's implementation of the traits of `banmen-game`.

use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::sync::Arc;

use banmen_game::{Game, Outcome, Side};

use crate::cells::Cell;
use crate::field::Field;
use crate::moves::{self, IllegalMove, Listed, Move, Options};
use crate::position::{Position, PositionError, Unit};

/// The rules of a game on one map: its terrain, how many turns it lasts, what difference decides, and how it begins.
#[derive(Clone, Debug)]
pub struct Tubstap {
    field: Arc<Field>,
    limit: u16,
    threshold: u16,
    start: Position,
    /// Author of the map, where it has a name or was read from a record.
    author: Arc<str>,
    /// Its comment.
    comment: Arc<str>,
}

/// Two games have the same rules when terrain and limits are equal, wherever they begin: the text of a position does not
/// say how its game began.
impl PartialEq for Tubstap {
    fn eq(&self, other: &Self) -> bool {
        let field = Arc::ptr_eq(&self.field, &other.field) || self.field == other.field;
        field && (self.limit, self.threshold) == (other.limit, other.threshold)
    }
}

/// Why limits or units are no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A turn limit out of range.
    #[error("a limit of {limit} turns is not possible: 1 to {}", Tubstap::MAX_LIMIT)]
    Limit {
        /// The limit.
        limit: u16,
    },
    /// More turns played than the limit.
    #[error("{turn} turns have been played, more than the limit of {limit}")]
    Turn {
        /// The turns.
        turn: u16,
        /// The limit.
        limit: u16,
    },
    /// Units that are no position.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl SetupError {
    /// The reason in one word, for programs.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            SetupError::Limit { .. } => "limit",
            SetupError::Turn { .. } => "turn",
            SetupError::Position(why) => why.reason(),
        }
    }
}

impl Tubstap {
    /// The most turns of a game.
    pub const MAX_LIMIT: u16 = 9_999;

    /// A game that begins with these units, by number, after so many turns. `limit` counts the turns of both sides. At the
    /// limit a side has won whose sum of hit points is larger by more than `threshold`.
    ///
    /// # Errors
    /// When a limit is out of range or the units cannot be so.
    pub fn new(
        field: Arc<Field>,
        limit: u16,
        threshold: u16,
        units: &[Option<Unit>],
        turn: u16,
    ) -> Result<Tubstap, SetupError> {
        if !(1..=Tubstap::MAX_LIMIT).contains(&limit) {
            return Err(SetupError::Limit { limit });
        }
        if turn > limit {
            return Err(SetupError::Turn { turn, limit });
        }
        let start = Position::new(&field, limit, units, turn)?;
        Ok(Tubstap { field, limit, threshold, start, author: "".into(), comment: "".into() })
    }

    /// The game of these rules that begins at another position.
    pub(crate) fn beginning_at(&self, start: Position) -> Tubstap {
        Tubstap { start, ..self.clone() }
    }

    /// The same game with author and comment of its map.
    pub(crate) fn described(self, author: &str, comment: &str) -> Tubstap {
        Tubstap { author: author.into(), comment: comment.into(), ..self }
    }

    /// Author and comment of the map; empty where they are not known.
    pub(crate) fn description(&self) -> [&str; 2] {
        [&self.author, &self.comment]
    }

    /// The same game with a map that is equal, so that its tables are shared.
    pub(crate) fn sharing(self, field: &Arc<Field>) -> Tubstap {
        debug_assert!(self.field == *field, "an equal map");
        Tubstap { field: Arc::clone(field), ..self }
    }

    /// Size and terrain.
    #[must_use]
    #[inline]
    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// The turns, of both sides, after which the game is over.
    #[must_use]
    #[inline]
    pub fn limit(&self) -> u16 {
        self.limit
    }

    /// A difference of hit points that does not decide a game at the limit: a larger one does.
    #[must_use]
    #[inline]
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Whether no move can be played.
    #[inline]
    pub(crate) fn is_over(&self, position: &Position) -> bool {
        position.alive(Side::First) == 0 || position.alive(Side::Second) == 0 || position.turn() >= self.limit
    }

    /// Whether a move may be played.
    ///
    /// # Errors
    /// The rule that forbids it.
    pub fn check(&self, position: &Position, m: Move) -> Result<(), IllegalMove> {
        if self.is_over(position) {
            return Err(IllegalMove::GameOver);
        }
        moves::check(&self.field, position, m)
    }

    /// Calls `visit` with moves in the order of [`Game::visit_moves`], but only those of some units, and with attacks that do
    /// no damage where `listed` says so.
    pub fn visit_listed<T>(
        &self,
        position: &Position,
        listed: Listed,
        visit: impl FnMut(Move) -> ControlFlow<T>,
    ) -> ControlFlow<T> {
        if self.is_over(position) {
            return ControlFlow::Continue(());
        }
        moves::visit(&self.field, position, listed, visit)
    }

    /// What a unit could do at its turn, whichever side it belongs to and whether it has acted or not; nothing if it
    /// was destroyed.
    #[must_use]
    pub fn options(&self, position: &Position, unit: usize) -> Options {
        if position.unit(unit).is_none() {
            return Options::default();
        }
        moves::options(&self.field, position, unit)
    }

    /// Damage in hit points of an attack from a cell, and of the counter-attack.
    #[must_use]
    pub fn exchange(&self, position: &Position, attacker: usize, from: Cell, target: usize) -> (u32, u32) {
        position.exchange(&self.field, attacker, from, target)
    }
}

impl Game for Tubstap {
    type Position = Position;
    type Move = Move;
    type History = ();

    fn start(&self) -> Position {
        self.start
    }

    #[inline]
    fn side_to_move(&self, position: &Position) -> Side {
        position.side()
    }

    /// The units of the side to move that can act.
    #[inline]
    fn decisions_left(&self, position: &Position) -> u32 {
        position.able().count_ones().max(1)
    }

    #[inline]
    fn outcome(&self, position: &Position, (): &()) -> Option<Outcome> {
        let [first, second] = Side::BOTH.map(|side| position.alive(side));
        let (winner, by) = if first == 0 || second == 0 {
            (Some(if first == 0 { Side::Second } else { Side::First }), "annihilation")
        } else if position.turn() >= self.limit {
            let [first, second] = Side::BOTH.map(|side| position.hit_points(side));
            let winner = match first.cmp(&second) {
                _ if first.abs_diff(second) <= u32::from(self.threshold) => None,
                Ordering::Greater => Some(Side::First),
                _ => Some(Side::Second),
            };
            (winner, "hit points")
        } else {
            return None;
        };
        Some(Outcome { winner, margin: None, by })
    }

    fn visit_moves<B>(&self, position: &Position, visit: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.visit_listed(position, Listed::USUAL, visit)
    }

    #[inline]
    fn play(&self, position: &mut Position, m: Move) {
        assert_eq!(self.check(position, m), Ok(()), "{m} in {position:?}");
        position.play(&self.field, self.limit, m);
    }

    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    /// In each turn each unit of a side acts at most once.
    fn max_plies(&self) -> usize {
        usize::from(self.limit) * self.start.unit_count()
    }

    fn pack(&self, m: Move) -> u32 {
        m.pack()
    }

    fn unpack(&self, bits: u32) -> Option<Move> {
        Move::unpack(bits)
    }

    fn pass(&self) -> Option<Move> {
        Some(Move::END)
    }

    fn count_moves(&self, position: &Position) -> usize {
        if self.is_over(position) { 0 } else { moves::count(&self.field, position) }
    }

    /// The end of the turn, and attacks that do no damage.
    fn accepts_unlisted(&self) -> bool {
        true
    }

    fn is_legal(&self, position: &Position, m: Move) -> bool {
        self.check(position, m).is_ok()
    }
}
