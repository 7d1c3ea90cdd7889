//! `think`.

use banmen_catalog::AnyState;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LimitsRequest, MAX_LINES, MAX_THREADS, SearchTree, TreeRequest, Windows, WindowsRequest, round, whole_ms};

/// A player's choice, with lines and values.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThinkRequest {
    /// The player: `name` or `name:key=value,key=value`; where the interface allows it `PROTOCOL:COMMAND`, an external
    /// program.
    pub player: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The most threads to use; a search uses as many of them as it can. A server grants at most all of its cores but
    /// one, divided by the searches that run.
    #[schemars(range(min = 1, max = MAX_THREADS))]
    pub threads: usize,
    /// The answer of `show`, for programs that do not know the rules: `rpc` players receive it. It is ignored here.
    #[schemars(with = "Value")]
    pub here: IgnoredAny,
    /// When to stop; without any, when it is done or stopped.
    pub limits: LimitsRequest,
    /// The number of lines wanted.
    #[schemars(range(min = 1, max = MAX_LINES))]
    pub lines: usize,
    /// Keeps the player, with its memory, for the next request with this name on this connection. Without it each
    /// request gets a new player.
    pub session: Option<String>,
    /// Shows the search tree in `trees` of every report: as much of it as is written here, `{}` for the defaults. Only for
    /// players that have `tree` in `players`.
    pub tree: Option<TreeRequest>,
    /// Shows what an alpha-beta search did near its root, in `windows` of the answer: as much of it as is written here, `{}` for
    /// the defaults. Only for players that have `windows` in `players`.
    pub windows: Option<WindowsRequest>,
}

impl Default for ThinkRequest {
    fn default() -> Self {
        ThinkRequest {
            player: "engine".to_owned(),
            seed: 1,
            threads: 1,
            here: IgnoredAny,
            limits: LimitsRequest::default(),
            lines: 1,
            session: None,
            tree: None,
            windows: None,
        }
    }
}

/// A value in the game's own unit, from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Eval {
    /// The value.
    pub n: f64,
    /// Its unit, such as `discs`.
    pub unit: &'static str,
}

/// A line of play.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Line {
    /// The moves, the first one to be played now.
    pub moves: Vec<String>,
    /// Expected score of the side to move.
    #[schemars(range(min = 0, max = 1))]
    pub value: f64,
    /// The value in the game's unit; null where the player has none.
    pub eval: Option<Eval>,
}

/// What a search has found, so far or in the end.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Report {
    /// The best move; null only before anything is known.
    #[serde(rename = "move")]
    pub best: Option<String>,
    /// The value of the first line, the expected score of the side to move; one half when nothing is known.
    #[schemars(range(min = 0, max = 1))]
    pub value: f64,
    /// The value of the first line in the game's unit; null where the player has none.
    pub eval: Option<Eval>,
    /// The lines, best first.
    pub lines: Vec<Line>,
    /// Positions visited.
    pub nodes: u64,
    /// Playouts made; null for players that make none.
    pub playouts: Option<u64>,
    /// The last completed depth, in plies.
    pub depth: u32,
    /// Whether the values are proven.
    pub proven: bool,
    /// The confidence of a selective search, in percent: each of its cuts is right with about this probability. Null for
    /// other searches.
    pub confidence: Option<u8>,
    /// Time taken in milliseconds.
    pub ms: u64,
    /// The search tree, if it was asked for: one, or in a search by stages one for each stage; absent otherwise, and where
    /// the move was found without a tree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<SearchTree>,
    /// What an alpha-beta search did near its root, in an answer if it was asked for; absent otherwise, and where the move was
    /// found without such a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<Windows>,
}

impl Report {
    /// The report of a search on this game state.
    pub fn new(state: &dyn AnyState, report: &banmen_search::Report<u32>) -> Self {
        let line = |line: &banmen_search::Line<u32>| Line {
            moves: state.write_line(&line.moves, ""),
            value: rounded_value(line.value),
            eval: line.eval.map(Eval::from),
        };
        Report {
            best: report.best().map(|m| state.write(m, "")),
            value: rounded_value(report.value()),
            eval: report.eval().map(Eval::from),
            lines: report.lines.iter().map(line).collect(),
            nodes: report.nodes,
            playouts: report.playouts,
            depth: report.depth,
            proven: report.proven,
            confidence: report.confidence,
            ms: whole_ms(report.time),
            trees: report.trees.iter().map(|tree| SearchTree::new(state, tree)).collect(),
            windows: None,
        }
    }
}

impl From<banmen_search::Eval> for Eval {
    fn from(eval: banmen_search::Eval) -> Self {
        Eval { n: round(eval.n, 100.0), unit: eval.unit }
    }
}

pub(super) fn rounded_value(value: f64) -> f64 {
    round(value, 10_000.0)
}
