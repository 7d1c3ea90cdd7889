//! What the tree contains: statistics of nodes, the move to play, the report.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

use banmen_game::{Game, Side};

use super::amaf::Counters;
use super::node::{Node, TOP, float};
use super::settings::{FinalMove, Settings};
use super::tree::Tree;
use super::{Guide, Mcts, Payload};
use crate::{Line, Report};

/// The statistics of one node. Rewards are seen by the first side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeStats {
    /// Σw: the visits, where every simulation weighs 1. Virtual visits and AMAF results that go into the ordinary counters are
    /// among them.
    pub visits: f64,
    /// Σw·r.
    pub sum: f64,
    /// The visits without virtual ones and without AMAF results: by simulations through the node.
    pub simulations: f64,
    /// Proven lower bound of the value.
    pub low: f64,
    /// Proven upper bound of the value.
    pub high: f64,
    /// The prior; 0 for a root that was never a child.
    pub prior: f64,
    /// Σw and Σw·r of the AMAF counters, where there are some: RAVE's, or the part of visits and sum that came by AMAF.
    pub amaf: Option<(f64, f64)>,
}

impl NodeStats {
    fn of<X: Counters>(settings: &Settings, node: &Node<X>) -> Self {
        let (low, high) = node.bounds();
        NodeStats {
            visits: float(node.weight.load(Relaxed)),
            sum: float(node.sum.load(Relaxed)),
            simulations: float(node.own_weight(settings)),
            low: f64::from(low) / f64::from(TOP),
            high: f64::from(high) / f64::from(TOP),
            prior: node.prior().into(),
            amaf: node.extra.amaf().map(|amaf| (float(amaf.weight.load(Relaxed)), float(amaf.sum.load(Relaxed)))),
        }
    }

    /// Adds the statistics of the same node in another tree.
    fn add(&mut self, other: &NodeStats) {
        self.visits += other.visits;
        self.sum += other.sum;
        self.simulations += other.simulations;
        self.low = self.low.max(other.low);
        self.high = self.high.min(other.high);
        self.amaf = self.amaf.zip(other.amaf).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
    }

    /// The mean reward; `None` without visits.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.visits > 0.0).then(|| self.sum / self.visits)
    }

    /// The expected reward of `side`: the proven value, else the mean, else ½.
    #[must_use]
    pub fn value(&self, side: Side) -> f64 {
        let value = if self.low >= self.high { self.low } else { self.mean().unwrap_or(0.5) };
        if side == Side::First { value } else { 1.0 - value }
    }

    /// The bounds as `side` sees them, low and high.
    fn bounds(&self, side: Side) -> (f64, f64) {
        if side == Side::First { (self.low, self.high) } else { (1.0 - self.high, 1.0 - self.low) }
    }

    /// What a proven value must exceed for `side` to play it rather than this child.
    fn worth(&self, choice: FinalMove, side: Side) -> f64 {
        let choice = if let FinalMove::Secure { .. } = choice { choice } else { FinalMove::Mean };
        self.rank(choice, side)[0].max(self.bounds(side).0)
    }

    /// What decides the final move: a score, then the tie-breaks.
    fn rank(&self, choice: FinalMove, side: Side) -> [f64; 3] {
        let Some(mean) = self.mean() else { return [f64::NEG_INFINITY, f64::NEG_INFINITY, self.prior] };
        let mean = if side == Side::First { mean } else { 1.0 - mean };
        match choice {
            FinalMove::Visits => [self.visits, mean, self.prior],
            FinalMove::Simulations => [self.simulations, mean, self.prior],
            FinalMove::Mean => [mean, self.visits, self.prior],
            FinalMove::FirstMean => [mean, 0.0, 0.0],
            FinalMove::Secure { a } => [mean - a / self.visits.sqrt(), self.visits, self.prior],
        }
    }
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Simulations since the search began.
    pub simulations: u64,
    /// Results that AMAF added to nodes since the search began, to RAVE's counters or to the ordinary ones.
    pub amaf_updates: u64,
    /// Plies below the root of the longest descent since the search began.
    pub deepest: u32,
    /// Nodes in the tree or trees.
    pub nodes: u64,
    /// The most nodes that fit.
    pub capacity: u64,
    /// How often a leaf could not be expanded because the arena was full, since the tree was cleared. If this is above
    /// 0, the search has gone on without growing the tree.
    pub refused: u64,
}

/// A node, in each of the trees that have it. All of them in the order of the trees.
pub(super) type Nodes<'t, X> = Vec<(&'t Tree<X>, &'t Node<X>)>;

/// The index of the child that a packed move leads to.
pub(super) fn child<X: Counters>(tree: &Tree<X>, node: &Node<X>, m: u32) -> Option<u32> {
    let (first, children) = tree.children(node);
    let place = children.iter().position(|child| child.m.load(Relaxed) == m)?;
    Some(first + place as u32)
}

/// The same child of a node, in each of the trees that have it.
pub(super) fn step<'t, X: Counters>(nodes: &Nodes<'t, X>, m: u32) -> Nodes<'t, X> {
    nodes.iter().filter_map(|&(tree, node)| child(tree, node, m).map(|index| (tree, tree.node(index)))).collect()
}

/// The statistics of a node in all trees together.
pub(super) fn whole<X: Counters>(settings: &Settings, nodes: &Nodes<'_, X>) -> Option<NodeStats> {
    let mut stats = nodes.iter().map(|(_, node)| NodeStats::of(settings, node));
    let mut whole = stats.next()?;
    stats.for_each(|stats| whole.add(&stats));
    Some(whole)
}

/// The children of a node in all trees together, by packed move: in the order of the first tree that has them.
pub(super) fn merged<X: Counters>(settings: &Settings, nodes: &Nodes<'_, X>) -> Vec<(u32, NodeStats)> {
    let mut trees = nodes.iter().map(|(tree, node)| tree.children(node).1);
    let of = |child: &Node<X>| (child.m.load(Relaxed), NodeStats::of(settings, child));
    let mut all: Vec<_> = trees.next().unwrap_or(&[]).iter().map(of).collect();
    let mut places: HashMap<u32, usize> = HashMap::new();
    for children in trees {
        for (index, child) in children.iter().enumerate() {
            let (m, stats) = of(child);
            // Most trees have the same children in the same order.
            if let Some((_, known)) = all.get_mut(index).filter(|(known, _)| *known == m) {
                known.add(&stats);
                continue;
            }
            if places.len() != all.len() {
                places = all.iter().enumerate().map(|(place, &(m, _))| (m, place)).collect();
            }
            match places.get(&m) {
                Some(&place) => all[place].1.add(&stats),
                None => {
                    places.insert(m, all.len());
                    all.push((m, stats));
                }
            }
        }
    }
    all
}

/// A child among those to choose from.
struct Ranked {
    m: u32,
    /// Its place among the children.
    place: usize,
    stats: NodeStats,
    class: Class,
    rank: [f64; 3],
}

/// What comes first among children, whatever their visits: those of a proven child, from before that was so, say nothing
/// against those of the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// It may be the best one, and is worth as much as the best proven value, or more.
    Better,
    /// Its value is the best proven one: it is not visited any more.
    Proven,
    /// It may be the best one, but is worth less than the best proven value.
    Worse,
    /// The solver knows that another child is at least as good, and it is not.
    Closed,
}

impl Ranked {
    /// Orders children: the one to be preferred is less.
    fn order(&self, other: &Ranked) -> Ordering {
        let ranks = other.rank.iter().zip(&self.rank);
        let by_rank = ranks.fold(self.class.cmp(&other.class), |order, (a, b)| order.then_with(|| a.total_cmp(b)));
        by_rank.then(self.place.cmp(&other.place))
    }
}

impl<G: Game, K: Guide<G>, X: Payload<G>> Mcts<G, K, X> {
    /// The root in each tree.
    pub(super) fn root(&self) -> Nodes<'_, X> {
        self.trees.iter().map(|tree| (tree, tree.node(0))).collect()
    }

    /// The node that a line from the root leads to, in each of the trees that have it.
    fn find(&self, line: &[G::Move]) -> Nodes<'_, X> {
        line.iter().fold(self.root(), |nodes, &m| step(&nodes, X::pack(self.state.game(), m)))
    }

    /// The statistics of the node that a line from the root leads to, those of all trees together; `None` outside the
    /// tree.
    pub fn node_stats(&self, line: &[G::Move]) -> Option<NodeStats> {
        whole(&self.settings, &self.find(line))
    }

    /// The children of that node in their order, with their statistics; empty for a leaf and outside the tree.
    pub fn children(&self, line: &[G::Move]) -> Vec<(G::Move, NodeStats)> {
        let game = self.state.game();
        let children = merged(&self.settings, &self.find(line)).into_iter();
        children.filter_map(|(m, stats)| X::unpack(game, m).map(|m| (m, stats))).collect()
    }

    /// The best `count` children of a node where `side` chooses, the best one first. Takes time in proportion to the number
    /// of children.
    fn best_children(
        &self,
        nodes: &Nodes<'_, X>,
        side: Side,
        choice: FinalMove,
        count: usize,
    ) -> Vec<(G::Move, NodeStats)> {
        let best = match nodes[..] {
            [] => Vec::new(),
            [(tree, node)] => {
                let children = tree.children(node).1.iter();
                let of = |child: &Node<X>| (child.m.load(Relaxed), NodeStats::of(&self.settings, child));
                self.select(children.map(of), side, choice, count)
            }
            _ => self.select(merged(&self.settings, nodes).into_iter(), side, choice, count),
        };
        let game = self.state.game();
        best.into_iter().filter_map(|ranked| X::unpack(game, ranked.m).map(|m| (m, ranked.stats))).collect()
    }

    /// The best `count` of these children in order.
    fn select(
        &self,
        children: impl Iterator<Item = (u32, NodeStats)> + Clone,
        side: Side,
        choice: FinalMove,
        count: usize,
    ) -> Vec<Ranked> {
        let solver = self.settings.solver;
        let bounds = |(_, stats): (u32, NodeStats)| stats.bounds(side);
        let all = || children.clone().map(bounds).filter(|_| solver);
        let certain = all().map(|(low, _)| low).fold(0.0, f64::max);
        // A child that is at least as good as any other is known to be, and may be better.
        let better = all().any(|(low, high)| low >= certain && high > certain);
        let mut best: Vec<Ranked> = Vec::new();
        let cut = |best: &mut Vec<Ranked>| {
            if best.len() > count {
                best.select_nth_unstable_by(count - 1, Ranked::order);
                best.truncate(count);
            }
        };
        for (place, (m, stats)) in children.enumerate() {
            let (low, high) = stats.bounds(side);
            let class = if solver && high <= certain {
                if low >= certain && !better { Class::Proven } else { Class::Closed }
            } else if stats.worth(choice, side) < certain {
                Class::Worse
            } else {
                Class::Better
            };
            best.push(Ranked { m, place, stats, class, rank: stats.rank(choice, side) });
            if best.len() >= 2 * count + 64 {
                cut(&mut best);
            }
        }
        cut(&mut best);
        best.sort_unstable_by(Ranked::order);
        best
    }

    /// The move to play, by the final choice; of equals the first. `None` only when the game is over.
    pub fn best(&self) -> Option<G::Move> {
        let listed = || self.state.game().visit_moves(self.state.position(), ControlFlow::Break).break_value();
        let best = self.best_children(&self.root(), self.state.side_to_move(), self.settings.final_move, 1);
        best.first().map(|&(m, _)| m).or_else(listed)
    }

    /// By how many visits the best move leads, of those that decide the final move: by none where proven values compete with
    /// means. `None` where there is only one move.
    pub(super) fn lead(&self) -> Option<f64> {
        let (root, side) = (self.root(), self.state.side_to_move());
        if whole(&self.settings, &root).is_some_and(|stats| stats.bounds(side).0 > 0.0) {
            return Some(0.0);
        }
        let best = self.best_children(&root, side, self.settings.final_move, 2);
        let counted = |stats: &NodeStats| match self.settings.final_move {
            FinalMove::Simulations => stats.simulations,
            _ => stats.visits,
        };
        match &best[..] {
            [(_, first), (_, second)] => Some(counted(first) - counted(second)),
            _ => None,
        }
    }

    /// How the search went so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            simulations: self.workers.iter().map(|worker| worker.simulations).sum(),
            amaf_updates: self.workers.iter().map(|worker| worker.amaf_updates).sum(),
            deepest: self.workers.iter().map(|worker| worker.deepest).max().unwrap_or(0),
            nodes: self.trees.iter().map(|tree| u64::from(tree.used())).sum(),
            capacity: self.trees.iter().map(|tree| u64::from(tree.capacity())).sum(),
            refused: self.trees.iter().map(Tree::refused).sum(),
        }
    }

    /// The lines of the best root moves, continued by most visits; counts and times are left at 0.
    pub fn report(&self, lines: usize) -> Report<G::Move> {
        let (side, root) = (self.state.side_to_move(), self.root());
        let stats = whole(&self.settings, &root);
        let best = self.best_children(&root, side, self.settings.final_move, lines.max(1));
        let line = |&(m, child): &(G::Move, NodeStats)| Line {
            moves: self.continued(&root, m),
            value: child.value(side),
            eval: None,
        };
        let mut report = Report { lines: best.iter().map(line).collect(), ..Report::default() };
        if let (true, Some(m)) = (best.is_empty(), self.best()) {
            report = Report::of(m, stats.map_or(0.5, |stats| stats.value(side)));
        }
        report.depth = report.lines.iter().map(|line| line.moves.len() as u32).max().unwrap_or(0);
        report.proven = self.settings.solver && stats.is_some_and(|stats| stats.low >= stats.high);
        report
    }

    /// A move and what both sides would most likely play after it: children with simulations only.
    fn continued(&self, root: &Nodes<'_, X>, m: G::Move) -> Vec<G::Move> {
        let mut state = self.state.clone();
        let mut line = vec![m];
        let mut nodes = step(root, X::pack(state.game(), m));
        state.play(m);
        while state.outcome().is_none() {
            let best = self.best_children(&nodes, state.side_to_move(), FinalMove::Simulations, 1);
            let Some(&(next, child)) = best.first() else { break };
            if child.simulations == 0.0 {
                break;
            }
            line.push(next);
            nodes = step(&nodes, X::pack(state.game(), next));
            state.play(next);
        }
        line
    }
}
