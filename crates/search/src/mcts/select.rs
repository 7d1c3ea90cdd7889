//! Selecting a child during the descent.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering::Relaxed;

use banmen_game::Rng;

use super::amaf::Counters;
use super::node::{Node, ONE, float};
use super::settings::{Candidate, Rave, Selection, Settings, Total, Unvisited};
use super::tree::Tree;

/// What the unfinished descents of other threads count as.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct VirtualLoss {
    /// Visits of each, in fixed point; 0 where one thread searches.
    pub(super) visits: u64,
    /// Whether the descent that selects is among the unfinished ones of the node.
    pub(super) own_at_node: bool,
    /// Whether it is among those of the root.
    pub(super) own_at_root: bool,
}

/// What is the same for all children of one selection.
struct Selector<'s> {
    settings: &'s Settings,
    /// The chooser maximises the first side's reward.
    maximises: bool,
    /// Visits that an unfinished descent of another thread counts as, in fixed point.
    loss: u64,
    /// Children whose optimistic bound for the chooser does not exceed this are skipped.
    certain: i32,
    /// Visits of the parent.
    total: f64,
    /// The value of a child without visits; `None`: higher than any other.
    urgency: Option<f64>,
}

/// A visited child from the view of the chooser.
struct ChildStats {
    n: f64,
    q: f64,
}

/// The terms of the score of a child, from the view of the side that chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SelectionScore {
    /// The first term: the mean with the AMAF mean blended in, or the value of a child without visits.
    pub mean: f64,
    /// The rest: exploration, without the random part of [`Selection::NewUcb`]; for [`Selection::Custom`] the term of its
    /// rule, with one draw of what is random in it.
    pub exploration: f64,
}

/// The parts of a [`Selection`] that are the same for all children of a node.
#[derive(Clone, Copy)]
struct Terms {
    /// `N`.
    total: f64,
    /// The factor of exploration.
    scale: f64,
    /// The factor of the priors, for the selections that have one.
    prior_weight: f64,
}

impl Selector<'_> {
    /// Whether UCB1 explores a child without visits like one with a single visit. The parent's mean alone would be less than
    /// any visited child's score, and no second child be visited.
    fn explores_unvisited(&self) -> bool {
        matches!(self.settings.unvisited, Unvisited::Parent { .. })
    }

    /// The weight of a node and the part of it that the chooser won. Unfinished descents of other threads count as lost. `own`:
    /// that of this thread is among the unfinished ones.
    fn sums<X>(&self, node: &Node<X>, own: bool) -> (u64, u64) {
        let (weight, sum) = (node.weight.load(Relaxed), node.sum.load(Relaxed));
        // Another thread may have added to one of the two sums only.
        let won = if self.maximises { sum.min(weight) } else { weight.saturating_sub(sum) };
        if self.loss == 0 {
            return (weight, won);
        }
        let others = node.pending.load(Relaxed).saturating_sub(own.into());
        (weight + self.loss * u64::from(others), won)
    }

    /// The mean with the AMAF mean blended in.
    fn blend<X: Counters>(&self, node: &Node<X>, n: f64, q: f64) -> f64 {
        let (Some(rave), Some(amaf)) = (self.settings.rave, node.extra.amaf()) else { return q };
        let weight = amaf.weight.load(Relaxed);
        if weight == 0 {
            return q;
        }
        let m = float(weight);
        let mean = (float(amaf.sum.load(Relaxed)) / m).min(1.0);
        let mean = if self.maximises { mean } else { 1.0 - mean };
        let beta = match rave {
            Rave::Schedule { k } => (k / (3.0 * self.total + k)).sqrt(),
            Rave::Error { bias } => m / (n + m + 4.0 * n * m * bias * bias),
        };
        (1.0 - beta) * q + beta * mean
    }

    /// The first child of the highest score. `visited` and `unvisited` score a child.
    #[inline(always)]
    fn best<X: Counters>(
        &self,
        children: &[Node<X>],
        mut visited: impl FnMut(&Node<X>, &ChildStats) -> f64,
        mut unvisited: impl FnMut(&Node<X>, f64) -> f64,
    ) -> Option<usize> {
        let (mut best, mut top) = (None, f64::NEG_INFINITY);
        for (index, child) in children.iter().enumerate() {
            let (low, high) = child.bounds();
            let optimistic = if self.maximises { i32::from(high) } else { -i32::from(low) };
            if optimistic <= self.certain {
                continue;
            }
            let (weight, won) = self.sums(child, false);
            let score = if weight == 0 {
                let Some(urgency) = self.urgency else { return Some(index) };
                unvisited(child, if X::AMAF { self.blend(child, 0.0, urgency) } else { urgency })
            } else {
                let n = float(weight);
                let q = won as i64 as f64 / weight as i64 as f64;
                visited(child, &ChildStats { n, q: if X::AMAF { self.blend(child, n, q) } else { q } })
            };
            if score > top {
                top = score;
                best = Some(index);
            }
        }
        best
    }
}

/// Selects among the children of one node.
struct Chooser<'s> {
    selector: Selector<'s>,
    terms: Terms,
}

impl<'s> Chooser<'s> {
    /// `maximises`: the chooser maximises the first side's reward. `scale`: a factor of exploration.
    fn new<X: Counters>(
        settings: &'s Settings,
        tree: &Tree<X>,
        node: &Node<X>,
        maximises: bool,
        loss: VirtualLoss,
        scale: f64,
    ) -> Self {
        let certain = match settings.solver {
            false => i32::MIN,
            true if maximises => i32::from(node.bounds().0),
            true => -i32::from(node.bounds().1),
        };
        let mut selector = Selector { settings, maximises, loss: loss.visits, certain, total: 1.0, urgency: None };
        let (weight, won) = selector.sums(node, loss.own_at_node);
        selector.total = float(weight).max(1.0);
        selector.urgency = match settings.unvisited {
            Unvisited::First => None,
            Unvisited::Value(value) => Some(value),
            Unvisited::Parent { reduction } => {
                let mean = if weight == 0 { 0.5 } else { float(won) / float(weight) };
                Some(mean - reduction)
            }
        };
        let total = match settings.total {
            Total::Parent => selector.total,
            Total::Root => {
                let (weight, _) = selector.sums(tree.node(0), loss.own_at_root);
                (weight + tree.outside).max(ONE) as i64 as f64 / ONE as f64
            }
        };
        let prior_weight = match settings.selection {
            Selection::Puct { c, base } => {
                let growth = base.map_or(0.0, |base| libm::log((total + base + 1.0) / base));
                (c + growth) * scale * total.sqrt()
            }
            Selection::PuctLog { c } => c * scale * total.sqrt() * libm::log(total + 1.0),
            _ => 0.0,
        };
        Chooser { selector, terms: Terms { total, scale, prior_weight } }
    }

    /// How many of the children can be selected.
    fn width<X: Counters>(&self, node: &Node<X>, all: usize) -> usize {
        let settings = self.selector.settings;
        settings.widening.map_or(all, |widening| all.min(widening.width(float(node.own_weight(settings)))))
    }

    /// The first of these children with the highest score; `None` when all are pruned. `see` gets the terms of each score.
    #[inline(always)]
    fn best<X: Counters>(&self, children: &[Node<X>], rng: &mut Rng, see: impl Fn(SelectionScore)) -> Option<usize> {
        let (selector, Terms { total, scale, prior_weight }) = (&self.selector, self.terms);
        let seen = |mean: f64, exploration: f64| {
            see(SelectionScore { mean, exploration });
            mean + exploration
        };
        match selector.settings.selection {
            Selection::Ucb1 { c } => {
                let (c, ln) = (c * scale, libm::log(total));
                let score = |_: &Node<X>, child: &ChildStats| seen(child.q, c * (ln / child.n).sqrt());
                let bonus = if selector.explores_unvisited() { c * ln.sqrt() } else { 0.0 };
                selector.best(children, score, |_, urgency| seen(urgency, bonus))
            }
            Selection::Ucb1Tuned { c } => {
                let (c, ln) = (c * scale, libm::log(total));
                let visited = |child: &Node<X>, stats: &ChildStats| {
                    let spread = (variance(child) + (2.0 * ln / stats.n).sqrt()).min(0.25);
                    seen(stats.q, c * (ln / stats.n * spread).sqrt())
                };
                let bonus =
                    if selector.explores_unvisited() { c * (ln * (2.0 * ln).sqrt().min(0.25)).sqrt() } else { 0.0 };
                selector.best(children, visited, |_, urgency| seen(urgency, bonus))
            }
            Selection::Puct { .. } | Selection::PuctLog { .. } => {
                let bonus = |child: &Node<X>, n: f64| prior_weight * f64::from(child.prior()) / (1.0 + n);
                selector.best(
                    children,
                    |child, stats| seen(stats.q, bonus(child, stats.n)),
                    |child, urgency| seen(urgency, bonus(child, 0.0)),
                )
            }
            Selection::NewUcb { c, e } => {
                let (c, ln) = (c * scale, 2.0 * libm::log(total + e));
                // Both closures draw from the stream.
                let rng = RefCell::new(&mut *rng);
                let score = |q: f64, n: f64| seen(q, c * (ln / (n + e)).sqrt()) + rng.borrow_mut().unit() * e;
                selector.best(children, |_, stats| score(stats.q, stats.n), |_, urgency| score(urgency, 0.0))
            }
            Selection::Custom { rule, c, e } => {
                let (parent, c) = (selector.total, c * scale);
                let rng = RefCell::new(&mut *rng);
                let score = |child: &Node<X>, visits: f64, mean: f64, variance: f64| {
                    let prior = child.prior().into();
                    let child = Candidate { parent, total, visits, mean, variance, prior, c, e };
                    let term = (rule.term)(&child, &mut rng.borrow_mut());
                    seen(mean, if term.is_finite() { term } else { 0.0 })
                };
                selector.best(
                    children,
                    |child, stats| score(child, stats.n, stats.q, variance(child)),
                    |child, urgency| score(child, 0.0, urgency, 0.0),
                )
            }
        }
    }
}

/// The variance of the rewards of a visited child: the same for both sides. Virtual losses do not count.
fn variance<X>(child: &Node<X>) -> f64 {
    let n = float(child.weight.load(Relaxed)).max(1.0 / ONE as f64);
    let mean = float(child.sum.load(Relaxed)) / n;
    (float(child.squares.load(Relaxed)) / n - mean * mean).max(0.0)
}

/// The child to visit next; `None` when all are pruned. `maximises`: the chooser maximises the first side's reward.
/// `scale`: a factor of exploration.
pub(super) fn select<X: Counters>(
    settings: &Settings,
    tree: &Tree<X>,
    node: &Node<X>,
    maximises: bool,
    loss: VirtualLoss,
    scale: f64,
    rng: &mut Rng,
) -> Option<u32> {
    let (first, children) = tree.children(node);
    let chooser = Chooser::new(settings, tree, node, maximises, loss, scale);
    let all = children.len();
    let mut open = 0..chooser.width(node, all);
    loop {
        let place = chooser.best(&children[open.clone()], rng, |_| {});
        if place.is_some() || open.end == all {
            return place.map(|place| first + (open.start + place) as u32);
        }
        // All children that can be selected are pruned.
        open = open.end..all;
    }
}

/// What the next selection at a node is decided by.
pub(super) struct NextSelection {
    /// `N`.
    pub(super) total: f64,
    /// How many children can be selected.
    pub(super) width: usize,
    /// The terms of each child in its order; `None` for a child that is pruned, or that is visited before any other.
    pub(super) scores: Vec<Option<SelectionScore>>,
}

/// What [`select`] would decide by with these arguments and no other threads.
pub(super) fn next_selection<X: Counters>(
    settings: &Settings,
    tree: &Tree<X>,
    node: &Node<X>,
    maximises: bool,
    scale: f64,
) -> NextSelection {
    let (_, children) = tree.children(node);
    let chooser = Chooser::new(settings, tree, node, maximises, VirtualLoss::default(), scale);
    // The random part of newUCB is not among the terms; a custom rule may draw.
    let mut rng = Rng::new(0);
    let scores = children.chunks(1).map(|child| {
        let terms = Cell::new(None);
        chooser.best(child, &mut rng, |score| terms.set(Some(score)));
        terms.get()
    });
    NextSelection { total: chooser.terms.total, width: chooser.width(node, children.len()), scores: scores.collect() }
}
