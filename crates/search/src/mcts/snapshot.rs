//! The tree as a report contains it: its most visited nodes, with what selection sees of them, and the last simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;

use banmen_game::{Game, Side};

use super::node::ENDED;
use super::select::{NextSelection, SelectionScore, next_selection};
use super::settings::{Opponent, Settings};
use super::stats::{NodeStats, Nodes, merged, step, whole};
use super::{Guide, Mcts, Payload};

/// How much of the tree a report contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeQuery {
    /// The moves from the root to the node below which the tree is wanted, packed: then the nodes on this way are there, as far
    /// as the tree has them, and the other numbers are counted from its end. A search by stages takes none.
    pub path: Vec<u32>,
    /// Plies below the root, at least 0.
    pub depth: u32,
    /// A node with fewer simulations is left out; at 0 children that were never visited are there too.
    pub min_visits: u64,
    /// No more nodes than this, the root included: those with most simulations. At least 1.
    pub max_nodes: usize,
    /// Whether the last simulation is recorded too: [`SearchTree::last`]. It slows the playouts down.
    pub last: bool,
}

/// What leads from a node to its child.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<M> {
    /// A move.
    Move(M),
    /// A part of a move that is made in stages, described by [`Stages::label`](crate::Stages::label).
    Part(String),
}

impl<M: Copy> Step<M> {
    /// The same step with its move converted by `write`.
    fn map<N>(&self, write: &mut impl FnMut(M) -> N) -> Step<N> {
        match self {
            Step::Move(m) => Step::Move(write(*m)),
            Step::Part(part) => Step::Part(part.clone()),
        }
    }
}

/// What the selection among the children of a node depends on beside them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSelection {
    /// The side whose expected score is maximised here.
    pub chooser: Side,
    /// The `N` of the [`Selection`](super::Selection).
    pub total: f64,
    /// How many children can be selected; fewer than there are with progressive widening.
    pub width: usize,
    /// The factor of exploration: [`Guide::exploration`].
    pub factor: f64,
}

/// One node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode<M> {
    /// The place of the parent in [`SearchTree::nodes`], before this one; `None` for the root.
    pub parent: Option<usize>,
    /// What leads here; `None` for the root.
    pub step: Option<Step<M>>,
    /// The side to move.
    pub side: Side,
    /// Its statistics, seen by the first side.
    pub stats: NodeStats,
    /// Whether the game ends here.
    pub ended: bool,
    /// The number of its children in the tree, whether they are in the report or not.
    pub children: usize,
    /// How a child is selected here at the next visit. `None` for a leaf, where the choice is random, and where several
    /// trees are added up.
    pub selection: Option<NodeSelection>,
    /// The terms of its own score when its parent selects the next time. `None` for the root, where the parent has no
    /// `selection`, for a node that is pruned, and for one without visits that is visited before any other.
    pub score: Option<SelectionScore>,
}

/// The simulation that was made last, by the calling thread.
#[derive(Clone, Debug, PartialEq)]
pub struct LastSimulation<M> {
    /// The way from the root to the leaf.
    pub line: Vec<Step<M>>,
    /// The plies below the root at which a node got children, and their number; the first one where several did.
    pub expanded: Option<(u32, usize)>,
    /// The moves of the playout, at most [`MAX_RECORDED_PLIES`] of them; none where the playout does not report them.
    pub playout: Vec<M>,
    /// The number of moves of the playout.
    pub plies: u32,
    /// The result that was backed up, for the first side.
    pub reward: f64,
}

/// The most moves of a playout that are recorded.
pub const MAX_RECORDED_PLIES: usize = 1000;

/// A part of a search tree.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTree<M> {
    /// In a search by stages, what of the move had been decided before this tree was searched.
    pub decided: Option<String>,
    /// The choices of the search.
    pub settings: Settings,
    /// All nodes of the tree.
    pub size: u64,
    /// The most nodes that fit.
    pub capacity: u64,
    /// The nodes asked for, each after its parent and followed by what is below it; siblings by descending simulations, of
    /// equals in the order of the tree. The first one is the root.
    pub nodes: Vec<TreeNode<M>>,
    /// The last simulation, if it was asked for and there was one.
    pub last: Option<LastSimulation<M>>,
}

impl<M: Copy> SearchTree<M> {
    /// The same tree with its moves converted by `write`.
    pub fn map<N>(&self, mut write: impl FnMut(M) -> N) -> SearchTree<N> {
        let mut node = |node: &TreeNode<M>| TreeNode {
            parent: node.parent,
            step: node.step.as_ref().map(|step| step.map(&mut write)),
            side: node.side,
            stats: node.stats,
            ended: node.ended,
            children: node.children,
            selection: node.selection,
            score: node.score,
        };
        let nodes = self.nodes.iter().map(&mut node).collect();
        let last = self.last.as_ref().map(|last| LastSimulation {
            line: last.line.iter().map(|step| step.map(&mut write)).collect(),
            expanded: last.expanded,
            playout: last.playout.iter().map(|&m| write(m)).collect(),
            plies: last.plies,
            reward: last.reward,
        });
        let SearchTree { ref decided, settings, size, capacity, .. } = *self;
        SearchTree { decided: decided.clone(), settings, size, capacity, nodes, last }
    }
}

/// The root, or a child of a node that is in the report.
#[derive(Clone, Copy)]
struct Candidate {
    parent: Option<usize>,
    /// Its place among its siblings.
    place: usize,
    m: u32,
    stats: NodeStats,
    score: Option<SelectionScore>,
}

/// A node of the report, not yet at its place.
struct Taken<'t, M, X, P> {
    node: TreeNode<M>,
    place: usize,
    below: Vec<usize>,
    depth: usize,
    trees: Nodes<'t, X>,
    position: P,
}

impl<G: Game, K: Guide<G>, X: Payload<G>> Mcts<G, K, X> {
    /// A part of the tree, all trees added up. Takes time in proportion to the number of children of the nodes that it contains.
    pub fn snapshot(&self, query: &TreeQuery) -> SearchTree<G::Move> {
        let statistics = self.statistics();
        SearchTree {
            decided: None,
            settings: self.settings,
            size: statistics.nodes,
            capacity: statistics.capacity,
            nodes: self.snapshot_nodes(query),
            last: self.workers.first().filter(|_| query.last).and_then(super::worker::Worker::last_simulation),
        }
    }

    fn snapshot_nodes(&self, query: &TreeQuery) -> Vec<TreeNode<G::Move>> {
        let game = self.state.game();
        let mut taken: Vec<Taken<'_, G::Move, X, G::Position>> = Vec::new();
        let root = whole(&self.settings, &self.root());
        let root = root.map(|stats| Candidate { parent: None, place: 0, m: 0, stats, score: None });
        let mut candidates: Vec<Candidate> = root.into_iter().collect();
        // The one with most simulations first, of equals the one that was met first. Numbers of at least 0 are ordered like
        // their bits.
        let key = |index: usize, stats: &NodeStats| (stats.simulations.to_bits(), Reverse(index));
        let mut queue: BinaryHeap<_> = candidates.iter().map(|root| key(0, &root.stats)).collect();
        let way = query.path.len();
        let most = query.max_nodes.max(1).saturating_add(way);
        while let (true, Some((_, Reverse(index)))) = (taken.len() < most, queue.pop()) {
            let Candidate { parent, place, m, stats, score } = candidates[index];
            let (mut trees, mut position, mut depth) = (self.root(), self.state.position().clone(), 0);
            let mut made = None;
            if let Some(parent) = parent {
                let parent = &taken[parent];
                let Some(m) = X::unpack(game, m) else { continue };
                (trees, depth, made) = (step(&parent.trees, X::pack(game, m)), parent.depth + 1, Some(m));
                position.clone_from(&parent.position);
                game.play(&mut position, m);
            }
            let (side, own) = (game.side_to_move(&position), taken.len());
            let children = merged(&self.settings, &trees);
            let next = self.next_selection(&trees, side, &position).filter(|_| !children.is_empty());
            let node = TreeNode {
                parent,
                step: made.map(Step::Move),
                side,
                stats,
                ended: trees.iter().any(|(_, node)| node.first.load(Relaxed) == ENDED),
                children: children.len(),
                selection: next.as_ref().map(|(selection, _)| *selection),
                score,
            };
            if let Some(parent) = parent {
                taken[parent].below.push(own);
            }
            let on_way = query.path.get(depth).map(|&m| game.unpack(m).map(|m| X::pack(game, m)));
            if on_way.is_some() || depth - way < query.depth as usize {
                for (place, (m, stats)) in children.into_iter().enumerate() {
                    if on_way.map_or(stats.simulations >= query.min_visits as f64, |next| next == Some(m)) {
                        queue.push(key(candidates.len(), &stats));
                        let score = next.as_ref().and_then(|(_, next)| next.scores.get(place).copied()?);
                        candidates.push(Candidate { parent: Some(own), place, m, stats, score });
                    }
                }
            }
            taken.push(Taken { node, place, below: Vec::new(), depth, trees, position });
        }
        preorder(taken)
    }

    /// What a selection at a node would depend on now.
    fn next_selection(
        &self,
        nodes: &Nodes<'_, X>,
        side: Side,
        position: &G::Position,
    ) -> Option<(NodeSelection, NextSelection)> {
        let [(tree, node)] = nodes[..] else { return None };
        let own = self.state.side_to_move();
        let chooser = match self.settings.opponent {
            _ if side == own => side,
            Opponent::Minimising => side,
            Opponent::Cooperating => own,
            Opponent::Random => return None,
        };
        let guide = self.workers.first().map_or(&self.guide, super::worker::Worker::guide);
        let factor = if K::EXPLORES { guide.exploration(self.state.game(), position) } else { 1.0 };
        let next = next_selection(&self.settings, tree, node, chooser == Side::First, factor);
        Some((NodeSelection { chooser, total: next.total, width: next.width, factor }, next))
    }
}

/// The nodes in the order of the report.
fn preorder<M, X, P>(mut taken: Vec<Taken<'_, M, X, P>>) -> Vec<TreeNode<M>> {
    let order = |taken: &[Taken<'_, M, X, P>], index: usize| {
        let Taken { node, place, .. } = &taken[index];
        (Reverse(node.stats.simulations.to_bits()), *place)
    };
    let mut places = vec![0; taken.len()];
    let mut sequence = Vec::with_capacity(taken.len());
    let mut stack = vec![0];
    while let Some(index) = stack.pop() {
        places[index] = sequence.len();
        sequence.push(index);
        let mut below = std::mem::take(&mut taken[index].below);
        below.sort_unstable_by_key(|&child| Reverse(order(&taken, child)));
        stack.extend(below);
    }
    let mut nodes: Vec<Option<TreeNode<M>>> = taken.into_iter().map(|taken| Some(taken.node)).collect();
    let placed = sequence.into_iter().filter_map(|index| nodes[index].take());
    placed.map(|node| TreeNode { parent: node.parent.map(|parent| places[parent]), ..node }).collect()
}
