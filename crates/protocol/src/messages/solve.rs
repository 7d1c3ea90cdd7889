//! `solve`.

use banmen_catalog::AnyState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LimitsRequest, MAX_TABLE_MIB, MAX_THREADS, Outcome, whole_ms};

/// The proven score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SolveRequest {
    /// Whether every move is to be solved, or only a best one found.
    pub all: bool,
    /// The most threads to use; a search uses as many of them as it can. A server grants at most all of its cores but
    /// one, divided by the searches that run. A table is built with all cores.
    #[schemars(range(min = 1, max = MAX_THREADS))]
    pub threads: usize,
    /// The most memory of the solver's transposition table, in mebibytes; a solver takes less where the position needs less.
    /// Null: 64, or what the interface allows if that is less.
    #[schemars(range(min = 1, max = MAX_TABLE_MIB))]
    pub table: Option<u64>,
    /// When to stop; without any, when it is done or stopped. No solver takes a `depth`, and a game that is solved by a
    /// table takes no limits: they are refused. Only a `stop` ends the building of a table.
    pub limits: LimitsRequest,
}

impl Default for SolveRequest {
    fn default() -> Self {
        SolveRequest { all: false, threads: 1, table: None, limits: LimitsRequest::default() }
    }
}

/// A move of a solved position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SolvedMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its proven score, from the side to move's view: the margin where the game has one, else 1, 0 or -1. Null without a
    /// proof.
    pub score: Option<i32>,
    /// What is proven: the score is at least the first and at most the second.
    pub bounds: [i32; 2],
    /// Plies to the end; null where the game's table does not hold them.
    pub distance: Option<u32>,
}

/// What a solver has proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Solution {
    /// How the game ends with best play; null without a proof.
    pub outcome: Option<Outcome>,
    /// The proven score, from the side to move's view: the margin where the game has one, else 1, 0 or -1. Null without
    /// a proof.
    pub score: Option<i32>,
    /// What is proven: the score is at least the first and at most the second.
    pub bounds: [i32; 2],
    /// Plies to the end; null where the game's table does not hold them.
    pub distance: Option<u32>,
    /// The moves that were searched: all of them where all were asked for.
    pub moves: Vec<SolvedMove>,
    /// The moves known to have the best score: among wins the shortest, among losses the longest.
    pub best: Vec<String>,
    /// A line of best play.
    pub line: Vec<String>,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken in milliseconds.
    pub ms: u64,
}

/// A table is being built, once; the server never does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Building {
    /// The share that is done.
    #[schemars(range(min = 0, max = 1))]
    pub building: f64,
}

/// What is proven so far, or the progress of the table that has to be built first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SolveInfo {
    /// What is proven so far.
    Solution(Solution),
    /// The progress of the table.
    Building(Building),
}

impl Solution {
    /// The result of a solver on this game state, in progress or final.
    pub(crate) fn new(state: &dyn AnyState, solution: &banmen_catalog::Solution) -> Self {
        let moves = solution.moves.iter().map(|solved| SolvedMove {
            text: state.write(solved.m, ""),
            score: solved.score,
            bounds: solved.bounds.into(),
            distance: solved.distance,
        });
        Solution {
            outcome: solution.outcome.as_ref().map(Outcome::from),
            score: solution.score,
            bounds: solution.bounds.into(),
            distance: solution.distance,
            moves: moves.collect(),
            best: solution.best.iter().map(|&m| state.write(m, "")).collect(),
            line: state.write_line(&solution.line, ""),
            nodes: solution.nodes,
            ms: whole_ms(solution.time),
        }
    }
}
