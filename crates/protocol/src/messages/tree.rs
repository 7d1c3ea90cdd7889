//! Search trees: the field `tree` of `think`, and what the report then contains.

use banmen_catalog::{AnyState, Error, SideName};
use banmen_game::Side;
use banmen_search::mcts::{self, Opponent, Rave, Selection, Step, TreeQuery, Unvisited};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::think::rounded_value;
use super::{MAX_DEPTH, round};
use crate::operations::in_range;

/// The most nodes of a tree in a report.
pub(crate) const MAX_TREE_NODES: usize = 2000;

/// How much of the search tree is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeRequest {
    /// The moves from the position to the node below which the tree is wanted: the nodes on the way are there too, as far as the
    /// tree has them, and the other fields count from its end. Ignored in a search by stages.
    pub at: Vec<String>,
    /// Plies below the root.
    #[schemars(range(max = MAX_DEPTH))]
    pub depth: u32,
    /// Nodes with fewer simulations are left out. At 0, children that were never visited are there too.
    pub visits: u64,
    /// The most nodes, the root included: those with most simulations.
    #[schemars(range(min = 1, max = MAX_TREE_NODES))]
    pub nodes: usize,
    /// Whether the last simulation is wanted, too. Recording it makes the search slower.
    pub last: bool,
}

impl Default for TreeRequest {
    fn default() -> Self {
        TreeRequest { at: Vec::new(), depth: 3, visits: 1, nodes: 200, last: false }
    }
}

impl TreeRequest {
    /// The query, if its numbers are in their ranges and its moves are legal.
    pub(crate) fn query(&self, state: &dyn AnyState) -> Result<TreeQuery, Error> {
        let TreeRequest { ref at, depth, visits, nodes, last } = *self;
        in_range("tree.depth", depth.into(), 0, MAX_DEPTH.into())?;
        in_range("tree.nodes", nodes as u64, 1, MAX_TREE_NODES as u64)?;
        Ok(TreeQuery { path: way("tree.at", at, state)?, depth, min_visits: visits, max_nodes: nodes, last })
    }
}

/// The moves of a line from this game state, packed. `name` is that of the field.
///
/// # Errors
/// `out_of_range` for more moves than a search is deep, and those of moves.
pub(super) fn way(name: &str, texts: &[String], state: &dyn AnyState) -> Result<Vec<u32>, Error> {
    in_range(name, texts.len() as u64, 0, MAX_DEPTH.into())?;
    let mut state = state.copy();
    let mut moves = Vec::with_capacity(texts.len());
    for text in texts {
        let m = state.read(text)?;
        state.play(m)?;
        moves.push(m);
    }
    Ok(moves)
}

/// How a search selects a child: the child of the highest score, of equals the first. N is the visits of the parent, n those
/// of the child, q its mean, P its prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Formula {
    /// The score. `ucb1`: q + c √(ln N / n). `ucb1-tuned`: q + c √(ln N / n · min(¼, V)), V the variance of the child's
    /// rewards + √(2 ln N / n). `puct`: q + c P √N / (1 + n), where c grows by ln((N + base + 1) / base) if there is a
    /// base. `puct-log`: q + c P √N ln(N + 1) / (1 + n). `newucb`: q + c √(2 ln(N + e) / (n + e)) + R e, R random in [0, 1).
    /// `custom`: q and a term of the rule `rule`.
    pub name: FormulaName,
    /// The name of the rule of `custom`; absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The weight of exploration.
    pub c: f64,
    /// The base of `puct`; absent for others and without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// The e of `newucb` and `custom`; absent for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<f64>,
    /// The k of RAVE: q becomes (1 − β) q + β times the AMAF mean, β = √(k / (3N + k)). Absent without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rave: Option<f64>,
    /// The bias b of RAVE in the other form, β = m / (n + m + 4 n m b²), m the AMAF visits. Absent without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rave_bias: Option<f64>,
    /// The value q of a child without visits. `first`: higher than any other; `value`: that in `unvisited_value`; `parent`:
    /// the mean of the parent less `unvisited_value`.
    pub unvisited: UnvisitedName,
    /// The number that belongs to `value` and `parent`; absent for `first`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unvisited_value: Option<f64>,
    /// Whether the number of children that can be selected grows with the visits (progressive widening).
    pub widening: bool,
    /// Whether AMAF results count as visits.
    pub amaf: bool,
    /// Whether proven results are propagated, and children that they exclude are not visited.
    pub solver: bool,
    /// How the side that does not search selects.
    pub opponent: OpponentName,
}

/// The formula of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "described at the field")]
pub enum FormulaName {
    Ucb1,
    Ucb1Tuned,
    Puct,
    PuctLog,
    #[serde(rename = "newucb")]
    NewUcb,
    Custom,
}

/// The value of a child without visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "described at the field")]
pub enum UnvisitedName {
    First,
    Value,
    Parent,
}

/// How the other side selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpponentName {
    /// The best child for itself.
    Minimising,
    /// The best child for the side that searches.
    Cooperating,
    /// Any child with the same probability.
    Random,
}

/// What the selection among the children of a node depends on beside them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NodeSelection {
    /// The side whose expected score is maximised here.
    pub chooser: SideName,
    /// The N of the formula.
    pub total: f64,
    /// How many children can be selected.
    pub width: usize,
    /// A factor of the exploration.
    pub factor: f64,
}

/// The terms of the score of a node at the next visit of its parent, from the view of the side that chooses there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NodeScore {
    /// The first term: the mean, RAVE's share included.
    pub mean: f64,
    /// The rest, without a random part.
    pub exploration: f64,
}

/// All moves as first: the results of simulations in which the move was made here or later.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AmafStats {
    /// Their number.
    pub visits: f64,
    /// Their mean, from the view of the value of the node; null without any.
    pub value: Option<f64>,
}

/// One node of a search tree.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TreeNode {
    /// The place of the parent among the nodes, before this one; null for the root.
    pub parent: Option<usize>,
    /// The move that leads here; null for the root, and where a part of a move does.
    #[serde(rename = "move")]
    pub m: Option<String>,
    /// The part of a move that leads here, in a search by stages; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The side to move.
    pub side: SideName,
    /// Its visits, as the selection counts them: with virtual visits and AMAF results, where these count.
    pub visits: f64,
    /// Simulations through the node.
    pub simulations: f64,
    /// The mean result, or the proven one: the expected score of the side that chose the move, for the root of the side to
    /// move. Null without visits.
    #[schemars(range(min = 0, max = 1))]
    pub value: Option<f64>,
    /// The proven bounds of the value, low and high; absent where nothing is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f64; 2]>,
    /// The prior.
    pub prior: f64,
    /// AMAF counters; absent where the search keeps none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amaf: Option<AmafStats>,
    /// Whether the game ends here.
    pub ended: bool,
    /// The number of its children in the whole tree.
    pub children: usize,
    /// How a child is selected here; absent for a leaf, where the choice is random, and where several trees are added up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<NodeSelection>,
    /// Its own score at its parent; absent where there is none, for a node that is excluded by proven results, and for one
    /// that is visited before any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<NodeScore>,
}

/// The last simulation of a search.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LastSimulation {
    /// The way from the root to the leaf: moves, or parts of moves, as the nodes have them.
    pub line: Vec<String>,
    /// The plies below the root at which a node got children; null where none did.
    pub expanded: Option<u32>,
    /// The number of these children; 0 where none were made.
    pub new_children: usize,
    /// The moves of the playout, at most 1,000; empty where the playout does not report them.
    pub playout: Vec<String>,
    /// The number of moves of the playout.
    pub plies: u32,
    /// The result that was backed up: the score of the side to move at the root.
    #[schemars(range(min = 0, max = 1))]
    pub value: f64,
}

/// A part of a search tree.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SearchTree {
    /// In a search by stages, what of the move had been decided before; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<String>,
    /// How children are selected.
    pub formula: Formula,
    /// The nodes of the whole tree.
    pub size: u64,
    /// The most nodes that fit.
    pub capacity: u64,
    /// The root, then every node after its parent and before its next sibling; siblings by descending simulations.
    pub nodes: Vec<TreeNode>,
    /// The last simulation; absent unless it was asked for and there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastSimulation>,
}

impl SearchTree {
    /// A tree below this game state.
    pub(crate) fn new(state: &dyn AnyState, tree: &mcts::SearchTree<u32>) -> Self {
        let mut nodes: Vec<TreeNode> = Vec::with_capacity(tree.nodes.len());
        // The states on the way to the node before, with the places of their nodes.
        let mut way: Vec<(usize, Box<dyn AnyState>)> = vec![(0, state.copy())];
        for (place, node) in tree.nodes.iter().enumerate() {
            let mut texts = (None, None);
            if let (Some(parent), Some(step)) = (node.parent, &node.step) {
                while way.len() > 1 && way.last().is_some_and(|(place, _)| *place != parent) {
                    way.pop();
                }
                let Some((_, before)) = way.last() else { break };
                texts = match step {
                    Step::Move(m) => (Some(before.write(*m, "")), None),
                    Step::Part(part) => (None, Some(part.clone())),
                };
                if tree.nodes.get(place + 1).is_some_and(|next| next.parent == Some(place)) {
                    let mut after = before.copy();
                    if let Step::Move(m) = step {
                        // The tree contains legal moves only.
                        let _ = after.play(*m);
                    }
                    way.push((place, after));
                }
            }
            let chooser = node.parent.and_then(|parent| tree.nodes.get(parent)).map_or(node.side, |parent| parent.side);
            nodes.push(TreeNode::new(node, chooser, texts));
        }
        let side = state.side_to_move();
        let settings = &tree.settings;
        SearchTree {
            decided: tree.decided.clone(),
            formula: Formula::new(settings),
            size: tree.size,
            capacity: tree.capacity,
            nodes,
            last: tree.last.as_ref().map(|last| LastSimulation::new(state, side, last)),
        }
    }
}

impl TreeNode {
    fn new(node: &mcts::TreeNode<u32>, chooser: Side, (m, part): (Option<String>, Option<String>)) -> Self {
        let stats = &node.stats;
        let seen = |value: f64| if chooser == Side::First { value } else { 1.0 - value };
        let (low, high) =
            if chooser == Side::First { (stats.low, stats.high) } else { (1.0 - stats.high, 1.0 - stats.low) };
        let known = stats.visits > 0.0 || low >= high;
        TreeNode {
            parent: node.parent,
            m,
            part,
            side: node.side.into(),
            visits: round(stats.visits, 100.0),
            simulations: round(stats.simulations, 100.0),
            value: known.then(|| rounded_value(stats.value(chooser))),
            bounds: (low > 0.0 || high < 1.0).then(|| [rounded_value(low), rounded_value(high)]),
            prior: round(stats.prior, 1e6),
            amaf: stats.amaf.map(|(visits, sum)| AmafStats {
                visits: round(visits, 100.0),
                value: (visits > 0.0).then(|| rounded_value(seen(sum / visits))),
            }),
            ended: node.ended,
            children: node.children,
            selection: node.selection.map(|selection| NodeSelection {
                chooser: selection.chooser.into(),
                total: round(selection.total, 100.0),
                width: selection.width,
                factor: round(selection.factor, 1e6),
            }),
            score: node
                .score
                .map(|score| NodeScore { mean: round(score.mean, 1e6), exploration: round(score.exploration, 1e6) }),
        }
    }
}

impl LastSimulation {
    fn new(state: &dyn AnyState, side: Side, last: &mcts::LastSimulation<u32>) -> Self {
        let made: Vec<u32> =
            last.line.iter().filter_map(|step| if let Step::Move(m) = step { Some(*m) } else { None }).collect();
        let all: Vec<u32> = made.iter().chain(&last.playout).copied().collect();
        let mut texts = state.write_line(&all, "");
        let playout = texts.split_off(made.len().min(texts.len()));
        let mut texts = texts.into_iter();
        let line = last.line.iter().map_while(|step| match step {
            Step::Move(_) => texts.next(),
            Step::Part(part) => Some(part.clone()),
        });
        LastSimulation {
            line: line.collect(),
            expanded: last.expanded.map(|(ply, _)| ply),
            new_children: last.expanded.map_or(0, |(_, children)| children),
            playout,
            plies: last.plies,
            value: rounded_value(if side == Side::First { last.reward } else { 1.0 - last.reward }),
        }
    }
}

impl Formula {
    fn new(settings: &mcts::Settings) -> Self {
        let (name, c, base, e) = match settings.selection {
            Selection::Ucb1 { c } => (FormulaName::Ucb1, c, None, None),
            Selection::Ucb1Tuned { c } => (FormulaName::Ucb1Tuned, c, None, None),
            Selection::Puct { c, base } => (FormulaName::Puct, c, base, None),
            Selection::PuctLog { c } => (FormulaName::PuctLog, c, None, None),
            Selection::NewUcb { c, e } => (FormulaName::NewUcb, c, None, Some(e)),
            Selection::Custom { c, e, .. } => (FormulaName::Custom, c, None, Some(e)),
        };
        let rule = if let Selection::Custom { rule, .. } = settings.selection { Some(rule.name) } else { None };
        let (unvisited, unvisited_value) = match settings.unvisited {
            Unvisited::First => (UnvisitedName::First, None),
            Unvisited::Value(value) => (UnvisitedName::Value, Some(value)),
            Unvisited::Parent { reduction } => (UnvisitedName::Parent, Some(reduction)),
        };
        let (rave, rave_bias) = match settings.rave {
            Some(Rave::Schedule { k }) => (Some(k), None),
            Some(Rave::Error { bias }) => (None, Some(bias)),
            None => (None, None),
        };
        Formula {
            name,
            rule,
            c,
            base,
            e,
            rave,
            rave_bias,
            unvisited,
            unvisited_value,
            widening: settings.widening.is_some(),
            amaf: settings.amaf.is_some(),
            solver: settings.solver,
            opponent: match settings.opponent {
                Opponent::Minimising => OpponentName::Minimising,
                Opponent::Cooperating => OpponentName::Cooperating,
                Opponent::Random => OpponentName::Random,
            },
        }
    }
}
