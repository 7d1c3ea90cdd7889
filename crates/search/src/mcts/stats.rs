//! What the tree knows: statistics for faces, the move to play, the report.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use banmen_game::{Game, Side};

use super::node::{Node, TOP, float};
use super::settings::Choice;
use super::tree::Tree;
use super::{Guide, Mcts, Payload, Playout};
use crate::{Line, Report};

/// The statistics of one node. Rewards are seen by the first side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeStats {
    /// Σw: the visits, where every simulation weighs 1.
    pub visits: f64,
    /// Σw·r.
    pub sum: f64,
    /// At least this is certain.
    pub low: f64,
    /// At most this is possible.
    pub high: f64,
    /// The prior; 0 for the root.
    pub prior: f64,
    /// Σw and Σw·r of the AMAF counters, where there are some.
    pub amaf: Option<(f64, f64)>,
}

impl NodeStats {
    fn of<X: Payload>(node: &Node<X>) -> Self {
        let (low, high) = node.bounds();
        NodeStats {
            visits: float(node.weight.load(Relaxed)),
            sum: float(node.sum.load(Relaxed)),
            low: f64::from(low) / f64::from(TOP),
            high: f64::from(high) / f64::from(TOP),
            prior: node.prior().into(),
            amaf: node.extra.amaf().map(|amaf| (float(amaf.weight.load(Relaxed)), float(amaf.sum.load(Relaxed)))),
        }
    }

    /// The same node in another tree.
    fn add(&mut self, other: &NodeStats) {
        self.visits += other.visits;
        self.sum += other.sum;
        self.low = self.low.max(other.low);
        self.high = self.high.min(other.high);
        self.amaf = self.amaf.zip(other.amaf).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    }

    /// The mean reward; `None` without visits.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0.0).then(|| self.sum / self.visits)
    }

    /// What is expected for `side`: the proven value, else the mean, else ½.
    #[must_use]
    pub fn value(&self, side: Side) -> f64 {
        let value = if self.low >= self.high { self.low } else { self.mean().unwrap_or(0.5) };
        if side == Side::First { value } else { 1.0 - value }
    }

    /// The bounds as `side` sees them, low and high.
    fn bounds(&self, side: Side) -> (f64, f64) {
        if side == Side::First { (self.low, self.high) } else { (1.0 - self.high, 1.0 - self.low) }
    }

    /// By what the final choice goes: score, then what decides among equals.
    fn rank(&self, choice: Choice, side: Side) -> [f64; 3] {
        let Some(mean) = self.mean() else { return [f64::NEG_INFINITY, f64::NEG_INFINITY, self.prior] };
        let mean = if side == Side::First { mean } else { 1.0 - mean };
        match choice {
            Choice::Visits => [self.visits, mean, self.prior],
            Choice::Mean => [mean, self.visits, self.prior],
            Choice::Secure { a } => [mean - a / self.visits.sqrt(), self.visits, self.prior],
        }
    }
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Simulations since the search began.
    pub simulations: u64,
    /// Plies of the longest way down the tree since the search began.
    pub deepest: u32,
    /// Nodes in the tree or trees.
    pub nodes: u64,
    /// Room for so many.
    pub capacity: u64,
    /// How often a leaf stayed one because the arena was full, since the tree was begun. Above 0 the search has gone on
    /// without growing.
    pub refused: u64,
}

/// The node that a line of moves leads to.
fn find<'t, G: Game, X: Payload>(game: &G, tree: &'t Tree<X>, line: &[G::Move]) -> Option<&'t Node<X>> {
    line.iter().try_fold(tree.node(0), |node, &m| child(game, tree, node, m).map(|index| tree.node(index)))
}

/// The child that a move leads to.
pub(super) fn child<G: Game, X: Payload>(game: &G, tree: &Tree<X>, node: &Node<X>, m: G::Move) -> Option<u32> {
    let (first, children) = tree.children(node);
    let packed = game.pack(m);
    let place = children.iter().position(|child| child.m.load(Relaxed) == packed)?;
    Some(first + place as u32)
}

impl<G: Game, P: Playout<G>, K: Guide<G>, X: Payload> Mcts<G, P, K, X> {
    /// The statistics of the node that a line from the root leads to, those of all trees together; `None` outside the
    /// tree.
    pub fn standing(&self, line: &[G::Move]) -> Option<NodeStats> {
        let mut found = self.trees.iter().filter_map(|tree| find(self.state.game(), tree, line).map(NodeStats::of));
        let mut whole = found.next()?;
        found.for_each(|standing| whole.add(&standing));
        Some(whole)
    }

    /// The children of that node in their order, with their statistics; empty for a leaf and outside the tree.
    pub fn children(&self, line: &[G::Move]) -> Vec<(G::Move, NodeStats)> {
        let game = self.state.game();
        let mut whole: Vec<(G::Move, NodeStats)> = Vec::new();
        for (index, tree) in self.trees.iter().enumerate() {
            let Some(node) = find(game, tree, line) else { continue };
            for child in tree.children(node).1 {
                let Some(m) = game.unpack(child.m.load(Relaxed)) else { continue };
                let standing = NodeStats::of(child);
                let known = if index == 0 { None } else { whole.iter_mut().find(|(known, _)| *known == m) };
                match known {
                    Some((_, known)) => known.add(&standing),
                    None => whole.push((m, standing)),
                }
            }
        }
        whole
    }

    /// The children of that node, the one to play first. `side` chooses there.
    fn ranked(&self, line: &[G::Move], side: Side, choice: Choice) -> Vec<(G::Move, NodeStats)> {
        let mut children = self.children(line);
        let bounds = children.iter().map(|(_, child)| child.bounds(side));
        let certain = bounds.map(|(low, _)| low).fold(0.0, f64::max);
        // With the solver, moves that cannot be the best any more come last.
        let open = |child: &NodeStats| {
            let (low, high) = child.bounds(side);
            !self.settings.solver || high > certain || low >= certain
        };
        let order = |a: &NodeStats, b: &NodeStats| {
            let ranks = a.rank(choice, side).into_iter().zip(b.rank(choice, side));
            ranks.fold(open(a).cmp(&open(b)), |order, (a, b)| order.then_with(|| a.total_cmp(&b)))
        };
        children.sort_by(|(_, a), (_, b)| order(b, a));
        children
    }

    /// The move to play, by the final choice; of equals the one that stands first. `None` only when the game is over.
    pub fn best(&self) -> Option<G::Move> {
        let listed = || self.state.game().visit_moves(self.state.position(), ControlFlow::Break).break_value();
        let ranked = self.ranked(&[], self.state.side_to_move(), self.settings.choice);
        ranked.first().map(|&(m, _)| m).or_else(listed)
    }

    /// How the search went so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            simulations: self.workers.iter().map(|worker| worker.simulations).sum(),
            deepest: self.workers.iter().map(|worker| worker.deepest).max().unwrap_or(0),
            nodes: self.trees.iter().map(|tree| u64::from(tree.used())).sum(),
            capacity: self.trees.iter().map(|tree| u64::from(tree.capacity())).sum(),
            refused: self.trees.iter().map(Tree::refused).sum(),
        }
    }

    /// The lines of the best root moves, continued by most visits; counts and times are left at 0.
    pub fn report(&self, lines: usize) -> Report<G::Move> {
        let side = self.state.side_to_move();
        let ranked = self.ranked(&[], side, self.settings.choice);
        let lined = ranked.iter().take(lines.max(1));
        let mut report = Report {
            lines: lined
                .map(|(m, child)| Line { moves: self.continued(*m), value: child.value(side), eval: None })
                .collect(),
            nodes: 0,
            playouts: None,
            depth: 0,
            time: Duration::ZERO,
            proven: false,
        };
        if let (true, Some(m)) = (ranked.is_empty(), self.best()) {
            report = Report::of(m, 0.5);
        }
        report.depth = report.lines.iter().map(|line| line.moves.len() as u32).max().unwrap_or(0);
        let bounds = self.standing(&[]).map(|root| (root.low, root.high));
        report.proven = self.settings.solver && bounds.is_some_and(|(low, high)| low >= high);
        report
    }

    /// A move and what both sides would most likely play after it: visited children only.
    fn continued(&self, m: G::Move) -> Vec<G::Move> {
        let mut state = self.state.clone();
        let mut line = vec![m];
        state.play(m);
        while state.outcome().is_none() {
            let ranked = self.ranked(&line, state.side_to_move(), Choice::Visits);
            let Some(&(next, child)) = ranked.first() else { break };
            if child.visits == 0.0 {
                break;
            }
            line.push(next);
            state.play(next);
        }
        line
    }
}
