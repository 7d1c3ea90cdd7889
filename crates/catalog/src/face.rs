//! A game without its types: what doors, arena and command line see.

use std::any::Any;
use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{MovePrefix, Outcome, PassCost, Side};
use banmen_search::{Clock, Limits, Report, StopFlag};
use serde::Serialize;

use crate::{
    AnyRecord, Board, Data, Error, Header, Key, Labels, MeasureInfo, Observation, Sampling, Solution, Table, TableFile,
};

/// What a game says of itself.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// The name everywhere: lower case, one word.
    pub name: &'static str,
    /// The name for people.
    pub title: Labels,
    /// What the game is, in a line.
    pub summary: &'static str,
    /// The names of the rules' variants, the default one first.
    pub rules: Vec<&'static str>,
    /// The dialects of positions and moves, the canonical one first.
    pub dialects: &'static [&'static str],
    /// The page's descriptor that draws the board; `grid` draws any.
    pub view: &'static str,
    /// What the two sides are called.
    pub sides: Sides,
    /// Whether the game has an exact solver.
    pub solvable: bool,
    /// Whether positions hold more than their text says, such as what occurred before, and moves that lead to the same
    /// position may share a text. Such a game is given in full by where it began and the moves from there.
    pub remembers: bool,
    /// What an illegal or a late move costs.
    pub fault_costs: FaultCost,
}

/// What an illegal or a late move costs the player that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultCost {
    /// The game.
    #[default]
    Game,
    /// The turn: the game's pass stands for the move. Who overdrew its time, said nothing or ended has lost all further
    /// turns of the game, too.
    Turn,
}

/// What the two sides are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sides {
    /// The side that moves first.
    pub first: Labels,
    /// The other one.
    pub second: Labels,
}

/// What a player says of itself.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerInfo {
    /// The name in a player's text.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The paper or measurement behind it.
    pub source: &'static str,
    /// Everything that can be set.
    pub keys: &'static [Key],
}

/// So many legal moves are listed one by one; a game may have a million in one position.
pub const MAX_LISTED_MOVES: usize = 4096;

/// A game.
pub trait AnyGame: Send + Sync {
    /// What it says of itself.
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
    /// `unknown_rules`, why the text names no player, which key does not fit, or what a player misses in the data folder.
    fn player(&self, rules: Option<&str>, text: &str, seed: u64) -> Result<Box<dyn AnyPlayer>, Error>;

    /// Solves the game state's position: the best move, or every move with `all`. `progress` is told what is proven so far.
    ///
    /// # Errors
    /// `unsupported` where the game has no solver, `table_missing` where it needs a table that was not built.
    fn solve(
        &self,
        state: &dyn AnyState,
        all: bool,
        bounds: &Bounds<'_>,
        progress: &mut dyn FnMut(&Solution),
    ) -> Result<Solution, Error>;

    /// Lends the game its data folder. Once: a second one is not taken.
    fn lend(&self, data: &Data);

    /// Builds the table by which the game is solved under the named rules into the data folder: if it is missing, or
    /// `anew`. `progress` is told the share that is done, 0 to 1, and may break off.
    ///
    /// # Errors
    /// `unsupported` where there are no tables, `unknown_rules`, `stopped`, or why the file cannot be written.
    fn build_table(
        &self,
        rules: Option<&str>,
        anew: bool,
        progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync),
    ) -> Result<TableFile, Error>;

    /// Counts the positions of the game under the named rules by what their table knows of them. `progress` as above.
    ///
    /// # Errors
    /// As for [`AnyGame::build_table`], and `table_missing`.
    fn census(&self, rules: Option<&str>, progress: &(dyn Fn(f64) -> ControlFlow<()> + Sync)) -> Result<Table, Error>;

    /// What can be measured.
    fn measures(&self) -> Vec<MeasureInfo>;

    /// Checks a measurement's text, and says which one it names.
    ///
    /// # Errors
    /// `unknown_rules`, `unknown_measure`, or which key does not fit.
    fn measure_info(&self, rules: Option<&str>, text: &str) -> Result<MeasureInfo, Error>;

    /// Takes one sample of a measurement, from its text, under the named rules (`None`: the default ones).
    ///
    /// # Errors
    /// As for [`AnyGame::measure_info`], and `stopped`.
    fn measure(&self, rules: Option<&str>, text: &str, sampling: &Sampling<'_>) -> Result<Vec<Observation>, Error>;

    /// The formats of whole games, the field's own first.
    fn formats(&self) -> Vec<&'static str>;

    /// Writes a whole game in one of them.
    ///
    /// # Errors
    /// `unknown_format`, `foreign_walk` for a game state of another game.
    fn write_game(&self, format: &str, header: &Header, state: &dyn AnyState) -> Result<String, Error>;

    /// Reads all games of a text in one of them, played under the named rules.
    ///
    /// # Errors
    /// `unknown_format`, `unknown_rules`, `bad_record` with the place.
    fn read_games(&self, format: &str, rules: Option<&str>, text: &[u8]) -> Result<Vec<AnyRecord>, Error>;

    /// The text of a start position, by its number in a series; `None` where all games begin from the same one.
    fn start(&self, series: u64, number: usize) -> Option<String>;

    /// Positions for `banmen bench`, as text.
    fn bench_positions(&self) -> &'static [&'static str];

    /// Plies that the engine looks ahead in `banmen bench`.
    fn bench_depth(&self) -> u32;

    /// Measurements for `banmen bench`, by name.
    fn bench_measures(&self) -> &[&'static str];
}

/// What bounds a solver.
pub struct Bounds<'a> {
    /// All limits hold.
    pub limits: Limits,
    /// The time that they are measured by.
    pub clock: &'a dyn Clock,
    /// Asks to answer with what is proven.
    pub stop: &'a StopFlag,
    /// Threads that the solver may use, at least 1.
    pub threads: usize,
}

/// A game being walked. Moves are packed into 32 bits.
pub trait AnyState: Send + Sync {
    /// Whose decision it is.
    fn side_to_move(&self) -> Side;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves of an unfinished game, none of a finished one.
    fn legal(&self) -> Vec<u32>;

    /// How many there are.
    fn legal_count(&self) -> usize;

    /// The moves played so far.
    fn moves(&self) -> Vec<u32>;

    /// The moves played so far, written.
    fn move_texts(&self, dialect: &str) -> Vec<String>;

    /// Plays a move.
    ///
    /// # Errors
    /// `illegal_move` when the bits are no move that is legal here.
    fn play(&mut self, m: u32) -> Result<(), Error>;

    /// Plays moves from texts; each text may hold several. Forced moves that the field leaves out are put in.
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

    /// Writes a legal move. Bits that are no move are written as `?`.
    fn write(&self, m: u32, dialect: &str) -> String;

    /// The texts of all legal moves, in the canonical dialect; where they are very many, first by how they begin, as
    /// [`Notation::visit_texts`](banmen_game::Notation::visit_texts) tells. None once the game is over.
    fn visit_texts(&self, visit: &mut dyn FnMut(MovePrefix<'_>) -> bool);

    /// Writes a line of play that starts here; it ends before the first move that is not legal.
    fn write_line(&self, line: &[u32], dialect: &str) -> Vec<String>;

    /// The position, written.
    fn position(&self, dialect: &str) -> String;

    /// The position where the game state began, written.
    fn origin(&self, dialect: &str) -> String;

    /// The 64-bit key of the position.
    fn key(&self) -> u64;

    /// No game is longer than this many moves.
    fn max_plies(&self) -> usize;

    /// The board. Cells that are themselves legal moves are marked, where there are at most [`MAX_LISTED_MOVES`] moves.
    fn board(&self) -> Board;

    /// Move sequences of this length from here; `None` when `stop` asked to break off.
    fn perft(&self, depth: u32, passes: PassCost, stop: &dyn Fn() -> bool) -> Option<u64>;

    /// A copy.
    fn copy(&self) -> Box<dyn AnyState>;

    /// For the entry that made it.
    fn as_any(&self) -> &dyn Any;
}

/// One question to a player.
pub struct AnyTask<'a> {
    /// Where the game stands. It is not over.
    pub state: &'a dyn AnyState,
    /// What bounds the search.
    pub limits: Limits,
    /// The time that the limits are measured by.
    pub clock: &'a dyn Clock,
    /// Asks to answer with what there is.
    pub stop: &'a StopFlag,
    /// Threads that the search may use, at least 1. A player that cannot use so many uses fewer.
    pub threads: usize,
    /// How many lines are wished for, at least 1.
    pub lines: usize,
    /// Takes reports while the search thinks; `None` where nobody listens, and then none are made.
    pub progress: Option<&'a mut dyn FnMut(&Report<u32>)>,
}

/// A player of any game.
pub trait AnyPlayer: Send {
    /// A new game begins at `start`: from now on the player is as if it were made anew with this seed. An outside program
    /// is told.
    ///
    /// # Errors
    /// `foreign_walk` for a state of another game.
    fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error>;

    /// A turn was lost by a fault of either side: move `ply` of the game state, from 0, is a pass that nobody chose.
    fn lost_turn(&mut self, ply: usize) {
        let _ = ply;
    }

    /// Chooses a move.
    ///
    /// # Errors
    /// `game_over` when there is nothing to choose, `foreign_walk` for a game state of another game; an outside program may
    /// fail in ways of its own, see [`Error::forfeit`].
    fn think(&mut self, task: AnyTask<'_>) -> Result<Report<u32>, Error>;

    /// The processor time that the player has used so far in other processes; `None` where it has none, or where the
    /// system does not tell. What it uses on the calling thread is not in it.
    fn time_outside(&mut self) -> Option<Duration> {
        None
    }
}
