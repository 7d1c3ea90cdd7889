//! The object-safe traits of games, game states and players, with moves packed into 32 bits.
//!
//! An ability that only some games have is an object of its own ([`Solver`], [`Tablebases`], [`Measures`],
//! [`RecordFormats`], [`Ratings`], [`Learning`]): [`AnyGame`] returns it, or `None`, and the caller decides what to answer then.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use banmen_game::{MovePrefix, Outcome, PassCost, Side};
use banmen_search::mcts::TreeQuery;
use banmen_search::windows::{WindowQuery, Windows};
use banmen_search::{Clock, Limits, Report, StopFlag};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Bench, Board, Error, GtpRules, Key, Learning, LocalizedName, Measures, Ratings, RecordFormats, Solver, StartFn,
    Tablebases,
};

/// The description of a game.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GameInfo")]
pub struct Info {
    /// The identifier of the game: lower case, one word.
    pub name: &'static str,
    /// The name shown to people.
    pub title: LocalizedName,
    /// What the game is, in a line.
    pub summary: &'static str,
    /// The names of the rules' variants, the default one first.
    #[schemars(length(min = 1))]
    pub rules: Vec<&'static str>,
    /// The dialects of positions and moves, the canonical one first.
    #[schemars(length(min = 1))]
    pub dialects: &'static [&'static str],
    /// The formats of whole games, the most common one first.
    pub formats: Vec<&'static str>,
    /// The page's descriptor that draws the board; `grid` draws any.
    pub view: &'static str,
    /// Named positions that a game can begin with, the usual one first; absent from JSON in games without such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<&'static str>,
    /// The beginning of the text of a random position, which its seed, a number below 2³², completes; absent from JSON in games
    /// without such. In a game without named positions a new game begins with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeded_positions: Option<&'static str>,
    /// What the two sides are called.
    pub sides: Sides,
    /// Whether the game has an exact solver.
    pub solvable: bool,
    /// Whether positions hold more than their text says, such as what occurred before, and moves that lead to the same
    /// position may share a text. Such a game is given in full by its first position and the moves from there.
    pub remembers: bool,
    /// What an illegal or a late move costs.
    pub fault_costs: FaultCost,
}

/// What an illegal or a late move costs the player that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FaultCost {
    /// The game.
    #[default]
    Game,
    /// The turn: the game's pass is played instead of the move. A player that exceeded its time, did not answer or
    /// exited loses all further turns of the game, too.
    Turn,
}

/// What the two sides are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sides {
    /// The side that moves first.
    pub first: LocalizedName,
    /// The other one.
    pub second: LocalizedName,
}

/// The description of a player.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlayerInfo {
    /// The name in a player's text.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The paper or measurement behind it; empty where there is none.
    pub source: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
    /// Whether it searches a tree that it can show: see the field `tree` of `think`.
    pub tree: bool,
    /// Whether it shows the windows of its alpha-beta search: see the field `windows` of `think`.
    pub windows: bool,
}

/// The most legal moves that are listed one by one; a game may have a million in one position.
pub const MAX_LISTED_MOVES: usize = 4096;

/// A game of any type.
pub trait AnyGame: Send + Sync {
    /// The description of the game.
    fn info(&self) -> &Info;

    /// A game state at `position` (`None` or `start`: the start) under the named rules (`None`: the default ones).
    ///
    /// # Errors
    /// `unknown_rules`, or why the text is no position.
    fn state(&self, rules: Option<&str>, position: Option<&str>) -> Result<Box<dyn AnyState>, Error>;

    /// The players.
    fn players(&self) -> Vec<PlayerInfo>;

    /// Makes a player from its text, seeded, for games under the named rules (`None`: the default ones).
    ///
    /// # Errors
    /// `unknown_rules`, `unknown_player`, the key that does not fit, or `table_missing` and `table_refused` of a player
    /// that needs a table.
    fn player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error>;

    /// As [`AnyGame::player`], but the player need not be able to play whole games: where it lacks a table, its task fails with
    /// `table_missing`.
    ///
    /// # Errors
    /// As for [`AnyGame::player`], but for the table of such a player.
    fn partial_player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error>;

    /// The contents of a file that a player's key names, where players may read it.
    ///
    /// # Errors
    /// As for [`Data::read_file`](crate::Data::read_file).
    fn read_file(&self, path: &Path) -> Result<Vec<u8>, Error>;

    /// Keeps the contents of a file, as [`Data::keep_file`](crate::Data::keep_file) does.
    fn keep_file(&self, name: &str, contents: Arc<[u8]>);

    /// What the benchmark searches and measures.
    fn bench(&self) -> &Bench;

    /// The exact solver.
    fn solver(&self) -> Option<&dyn Solver>;

    /// The tables by which the game is solved.
    fn tablebases(&self) -> Option<&dyn Tablebases>;

    /// The start positions, where games begin from many; `None` where all begin from the same one.
    fn starts(&self) -> Option<StartFn>;

    /// What can be measured beside matches.
    fn measures(&self) -> Option<&dyn Measures>;

    /// The formats of whole games.
    fn record_formats(&self) -> Option<&dyn RecordFormats>;

    /// The features by which moves can be rated.
    fn ratings(&self) -> Option<&dyn Ratings>;

    /// How the evaluation of the game's engine is learned.
    fn learning(&self) -> Option<&dyn Learning>;

    /// How the game is played over GTP; `None` where it is not.
    fn gtp(&self) -> Option<&GtpRules>;

    /// The position of a game state with the other side to move, as the first position of another state: for protocols in
    /// which a side may move out of turn. `None` where the game has no such position, and for a state of another game.
    fn other_side(&self, state: &dyn AnyState) -> Option<Box<dyn AnyState>>;

    /// The points by which the first side leads, below 0 if it does not lead, in a game of points that are counted at any
    /// time. `None` for other games, and for a state of another game.
    fn lead(&self, state: &dyn AnyState) -> Option<i64>;

    /// A number that the position shares with its images under the symmetries of the game: the smallest of their 64-bit keys.
    /// In a game without symmetries it is the key itself. `None` for a state of another game.
    fn symmetry_class(&self, state: &dyn AnyState) -> Option<u64>;
}

/// A game state of any game: the moves played from some first position. Moves are packed into 32 bits.
pub trait AnyState: Send + Sync {
    /// The side that decides next.
    fn side_to_move(&self) -> Side;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves of an unfinished game, none of a finished one.
    fn legal(&self) -> Vec<u32>;

    /// The number of legal moves.
    fn legal_count(&self) -> usize;

    /// The legal moves as text, in the order of [`AnyState::legal`].
    fn legal_texts(&self, dialect: &str) -> Vec<String>;

    /// The moves played so far.
    fn moves(&self) -> Vec<u32>;

    /// The side that made each of the moves played so far.
    fn move_sides(&self) -> Vec<Side>;

    /// The moves played so far, as text.
    fn move_texts(&self, dialect: &str) -> Vec<String>;

    /// Plays a move.
    ///
    /// # Errors
    /// `illegal_move` when the bits are no move that is legal here.
    fn play(&mut self, m: u32) -> Result<(), Error>;

    /// Plays moves from texts; each text may hold several. Forced moves that the notation omits are inserted.
    ///
    /// # Errors
    /// The number of the first bad move, its text, and why. The moves before it have been played.
    fn play_texts(&mut self, texts: &[&str]) -> Result<(), Error>;

    /// The move that does nothing, where the game has one and it is legal here.
    fn pass(&self) -> Option<u32>;

    /// Reads one legal move.
    ///
    /// # Errors
    /// Why the text is no legal move.
    fn read(&self, text: &str) -> Result<u32, Error>;

    /// The text of a legal move. Bits that are no legal move are written as `?`.
    fn write(&self, m: u32, dialect: &str) -> String;

    /// Visits the texts of all legal moves, in the canonical dialect; where they are very many, their prefixes first,
    /// as described at [`Notation::visit_texts`](banmen_game::Notation::visit_texts). Visits none once the game is
    /// over.
    fn visit_texts(&self, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool);

    /// The texts of a line of play that begins here, up to the first move that is not legal.
    fn write_line(&self, line: &[u32], dialect: &str) -> Vec<String>;

    /// The position as text.
    fn position(&self, dialect: &str) -> String;

    /// The first position of the game state, as text.
    fn origin(&self, dialect: &str) -> String;

    /// The 64-bit key of the position.
    fn key(&self) -> u64;

    /// No game is longer than this many moves.
    fn max_plies(&self) -> usize;

    /// The board. Cells whose names are legal moves have the tag `legal`, where there are at most [`MAX_LISTED_MOVES`]
    /// moves.
    fn board(&self) -> Board;

    /// The number of move sequences of this length from here; `None` when `stop` returned true.
    fn perft(&self, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64>;

    /// A copy.
    fn copy(&self) -> Box<dyn AnyState>;

    /// The typed state behind this object, for the game that made it.
    fn as_any(&self) -> &dyn Any;
}

/// Receives a report.
type ReportFn<'a> = dyn FnMut(&Report<u32>) + 'a;

/// One decision that a player has to make, with moves packed into 32 bits.
pub struct AnyTask<'a> {
    /// The game state to choose a move in. The game is not over.
    pub state: &'a dyn AnyState,
    /// The limits of the turn.
    pub limits: Limits,
    /// The clock that the time limits refer to.
    pub clock: &'a dyn Clock,
    /// Asks the search to return its best move so far.
    pub stop: &'a StopFlag,
    /// Threads that the search may use, at least 1. A player that cannot use so many uses fewer.
    pub threads: usize,
    /// The number of lines wanted, at least 1.
    pub lines: usize,
    /// Receives reports during the search; with `None` none are made.
    pub progress: Option<&'a mut ReportFn<'a>>,
}

/// A player of any game.
pub trait AnyPlayer: Send {
    /// A new game begins at `start`: from now on the player behaves as if it had just been made with this seed. An
    /// external program is notified.
    ///
    /// # Errors
    /// `foreign_state` for a state of another game.
    fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error>;

    /// A turn was lost by a fault of either side: move `ply` of the game state, from 0, is a pass that nobody chose.
    fn lost_turn(&mut self, ply: usize) {
        let _ = ply;
    }

    /// Makes the reports of the next tasks contain the search tree, as much of it as `query` says; with `None` they contain
    /// none, as at first. Returns whether the player searches a tree that it can show.
    fn show_tree(&mut self, query: Option<TreeQuery>) -> bool {
        let _ = query;
        false
    }

    /// Makes the player record the visits of its alpha-beta search near the root during the next tasks, those that `query`
    /// says; with `None` none, as at first. Returns whether it searches so.
    fn record_windows(&mut self, query: Option<WindowQuery>) -> bool {
        let _ = query;
        false
    }

    /// The visits that were recorded during the last task, if any were.
    fn take_windows(&mut self) -> Option<Windows> {
        None
    }

    /// Chooses a move.
    ///
    /// # Errors
    /// `game_over` when there is nothing to choose, `foreign_state` for a game state of another game; an external program
    /// may fail in ways of its own, see [`Error::forfeit`].
    fn think(&mut self, task: AnyTask<'_>) -> Result<Report<u32>, Error>;

    /// The processor time that the player has used so far in other processes; `None` where it has none, or where the
    /// system does not report it. What it uses on the calling thread is not in it.
    fn time_outside(&mut self) -> Option<Duration> {
        None
    }
}
