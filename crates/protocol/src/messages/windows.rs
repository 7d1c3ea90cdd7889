//! The windows of an alpha-beta search: the field `windows` of `think`, and what the answer then contains.

use banmen_catalog::{AnyState, Error, SideName};
use banmen_search::windows::{self, WindowQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MAX_DEPTH;
use super::tree::{MAX_TREE_NODES, way};
use crate::operations::in_range;

/// Which visits of an alpha-beta search are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WindowsRequest {
    /// The moves from the position to the node whose visits are wanted: of the nodes on this way only these moves are there.
    pub at: Vec<String>,
    /// Plies below that node.
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    pub depth: u32,
    /// The most visits: the first ones.
    #[schemars(range(min = 1, max = MAX_TREE_NODES))]
    pub nodes: usize,
}

impl Default for WindowsRequest {
    fn default() -> Self {
        WindowsRequest { at: Vec::new(), depth: 2, nodes: 500 }
    }
}

impl WindowsRequest {
    /// The query, if its numbers are in their ranges and its moves are legal.
    pub(crate) fn query(&self, state: &dyn AnyState) -> Result<WindowQuery, Error> {
        in_range("windows.depth", self.depth.into(), 1, MAX_DEPTH.into())?;
        in_range("windows.nodes", self.nodes as u64, 1, MAX_TREE_NODES as u64)?;
        Ok(WindowQuery { path: way("windows.at", &self.at, state)?, depth: self.depth, max_nodes: self.nodes })
    }
}

/// How a visit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VisitEnd {
    /// All moves were searched.
    Searched,
    /// A move reached the upper end of the window: the moves after it were cut off.
    Cut,
    /// The transposition table had a value that decides the window.
    Table,
    /// Pruned by its evaluation.
    Pruned,
    /// At the end of the depth: valued by the evaluation, or by a search of captures.
    Leaf,
    /// Valued by an exact solver.
    Solved,
    /// The game ends here, or repeats a position.
    Ended,
}

/// A visit of a node. A node is visited again with another window or depth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Visit {
    /// The place of the visit of its parent, before this one; null for the root.
    pub parent: Option<usize>,
    /// The move that leads here; null for the root.
    #[serde(rename = "move")]
    pub m: Option<String>,
    /// The side to move.
    pub side: SideName,
    /// The plies that were left to search.
    pub depth: i32,
    /// The window, from the view of the side to move; null where it has no end.
    pub window: [Option<i32>; 2],
    /// The value, from the view of the side to move; outside of the window a bound. Null where the search ended here.
    pub value: Option<i32>,
    /// How the visit ended.
    pub end: VisitEnd,
    /// The moves that were not searched because of a cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

/// What an alpha-beta search did near its root in its last finished iteration.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Windows {
    /// The depth of the iteration.
    pub depth: u32,
    /// Values from here on are proven wins, those from its negative on proven losses.
    pub proven: i32,
    /// The value of a win at the root; each ply to it subtracts one.
    pub win: i32,
    /// How much of a value is one `unit`; absent where values have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<i32>,
    /// The unit of values; absent where they have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    /// The root, then each visit after that of its parent, in the order of the search.
    pub visits: Vec<Visit>,
    /// Visits that did not fit, without what is below them.
    pub left_out: u64,
}

impl Windows {
    /// The visits below this game state.
    pub(crate) fn new(state: &dyn AnyState, found: &windows::Windows) -> Self {
        let mut visits: Vec<Visit> = Vec::with_capacity(found.visits.len());
        // The states of the visits under way, with their places.
        let mut open: Vec<(usize, Box<dyn AnyState>)> = vec![(0, state.copy())];
        for (place, visit) in found.visits.iter().enumerate() {
            let mut text = None;
            if let (Some(parent), Some(m)) = (visit.parent, visit.m) {
                while open.len() > 1 && open.last().is_some_and(|(place, _)| *place != parent) {
                    open.pop();
                }
                let Some((_, before)) = open.last() else { break };
                text = Some(before.write(m, ""));
                let mut after = before.copy();
                // The search makes legal moves only.
                let _ = after.play(m);
                open.push((place, after));
            }
            let cut = open.last().map(|(_, here)| visit.cut.iter().map(|&m| here.write(m, "")).collect());
            let bound = |value: i32| (value.abs() < found.infinite).then_some(value);
            visits.push(Visit {
                parent: visit.parent,
                m: text,
                side: visit.side.into(),
                depth: visit.depth,
                window: [bound(visit.alpha), bound(visit.beta)],
                value: visit.value,
                end: visit.end.into(),
                cut: cut.unwrap_or_default(),
            });
        }
        Windows {
            depth: found.depth,
            proven: found.proven,
            win: found.win,
            scale: found.scale.map(|(scale, _)| scale),
            unit: found.scale.map(|(_, unit)| unit),
            visits,
            left_out: found.left_out,
        }
    }
}

impl From<windows::VisitEnd> for VisitEnd {
    fn from(end: windows::VisitEnd) -> Self {
        match end {
            windows::VisitEnd::Searched => VisitEnd::Searched,
            windows::VisitEnd::Cut => VisitEnd::Cut,
            windows::VisitEnd::Table => VisitEnd::Table,
            windows::VisitEnd::Pruned => VisitEnd::Pruned,
            windows::VisitEnd::Leaf => VisitEnd::Leaf,
            windows::VisitEnd::Solved => VisitEnd::Solved,
            windows::VisitEnd::Ended => VisitEnd::Ended,
        }
    }
}
