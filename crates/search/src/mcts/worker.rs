//! One simulation: down the tree, a playout, and back.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering;

use banmen_game::{Game, History, Rng, Side, mix};

use super::amaf::MoveSet;
use super::delayed::{DELAY_MIN_VISITS, DelayedUpdates, VIRTUAL_LOSS_MAX_VISITS};
use super::node::{self, CHILDLESS, EXPANDING, FRESH, LEAF, Node, add, fixed};
use super::select::select;
use super::settings::{Ends, Opponent, Order, Selection, Settings};
use super::solve::{is_solved, tighten};
use super::tree::Tree;
use super::{Guide, Payload, Playout};

/// What all simulations of one search have in common.
pub(super) struct SearchContext<'a, G: Game, K, X> {
    pub(super) game: &'a G,
    pub(super) root: &'a G::Position,
    /// The side that searches.
    pub(super) side: Side,
    pub(super) settings: &'a Settings,
    pub(super) guide: &'a K,
    pub(super) tree: &'a Tree<X>,
    /// Other threads are in the same tree.
    pub(super) shared: bool,
}

/// A node on the way down and who chooses there.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    node: u32,
    side: Side,
    /// Its results may come late.
    hot: bool,
    /// It counts as lost until the result is there.
    lost: bool,
}

/// One thread's part: its random stream, its playout, its buffers. Two never share a cache line.
#[repr(align(128))]
pub(super) struct Worker<G: Game, P> {
    rng: Rng,
    playout: P,
    history: G::History,
    position: G::Position,
    path: Vec<PathStep>,
    line: Vec<G::Move>,
    moves: Vec<G::Move>,
    weights: Vec<f32>,
    /// Moves of the simulation behind the tree, with the AMAF payload.
    made: Vec<(Side, u32)>,
    set: MoveSet,
    /// In a shared tree.
    late: DelayedUpdates,
    /// In a shared tree, nodes that are this worker's to use.
    room: Range<u32>,
    /// Simulations made.
    pub(super) simulations: u64,
    /// Plies of the longest way down.
    pub(super) deepest: u32,
}

/// How a descent ended.
enum DescentEnd {
    /// At a value that is known, for the first side.
    Known(f64),
    /// At a leaf where the game goes on.
    Leaf,
}

impl<G: Game, P: Playout<G>> Worker<G, P> {
    /// The `index`th worker of a search with this seed. The first one's stream is that of the seed itself.
    pub(super) fn new(game: &G, playout: P, seed: u64, index: u64) -> Self {
        Worker {
            rng: Rng::new(if index == 0 { seed } else { mix(seed ^ mix(index)) }),
            playout,
            history: G::History::default(),
            position: game.start(),
            path: Vec::new(),
            line: Vec::new(),
            moves: Vec::new(),
            weights: Vec::new(),
            made: Vec::new(),
            set: MoveSet::default(),
            late: DelayedUpdates::default(),
            room: 0..0,
            simulations: 0,
            deepest: 0,
        }
    }

    /// A search begins: the history is that of the root, and the root gets its children if the settings want that.
    pub(super) fn begin<K: Guide<G>, X: Payload>(
        &mut self,
        context: &SearchContext<'_, G, K, X>,
        history: &G::History,
    ) {
        self.history.clone_from(history);
        let root = context.tree.node(0);
        if context.settings.expansion.root && matches!(root.first.load(Ordering::Relaxed), FRESH | LEAF) {
            root.first.store(LEAF, Ordering::Relaxed);
            self.expand(context, 0, context.root, 1, false);
            if context.settings.solver {
                tighten(context.tree, root, context.side == Side::First);
            }
        }
    }

    /// A search ends: everything that this worker found reaches the tree.
    pub(super) fn end<X: Payload>(&mut self, tree: &Tree<X>) {
        self.late.deliver(tree);
    }

    /// The tree was cleared or compacted: what was set aside is gone.
    pub(super) fn drop_chunk(&mut self) {
        self.room = 0..0;
    }

    /// The moves of the last simulation in the tree.
    pub(super) fn line(&self) -> &[G::Move] {
        &self.line
    }

    /// One simulation: its reward and the moves of its playout.
    pub(super) fn simulate<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>) -> (f64, u32) {
        self.made.clear();
        let landing = self.descend(context);
        let depth = self.line.len() as u32;
        let (reward, plies) = match landing {
            DescentEnd::Known(reward) => (reward, 0),
            DescentEnd::Leaf => self.play_out(context),
        };
        let reward = reward.clamp(0.0, 1.0);
        let weight = context.guide.weight(depth + plies);
        self.back_up(context, reward, weight);
        for _ in 0..depth {
            self.history.pop();
        }
        self.simulations += 1;
        self.deepest = self.deepest.max(depth);
        (reward, plies)
    }

    /// Down to a leaf or a known value; growing the tree on the way.
    fn descend<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>) -> DescentEnd {
        let tree = context.tree;
        self.position.clone_from(context.root);
        self.path.clear();
        self.line.clear();
        let mut index = 0;
        loop {
            let node = tree.node(index);
            let side = context.game.side_to_move(&self.position);
            let weight = if context.shared { node.weight.load(Ordering::Relaxed) } else { u64::MAX };
            let (hot, lost) = (context.shared && weight >= DELAY_MIN_VISITS, weight < VIRTUAL_LOSS_MAX_VISITS);
            self.path.push(PathStep { node: index, side, hot, lost });
            if lost {
                node.pending.fetch_add(1, Ordering::Relaxed);
            }
            match node.first.load(Ordering::Acquire) {
                node::ENDED => return known(node),
                FRESH => {
                    if let Some(outcome) = context.game.outcome(&self.position, &self.history) {
                        node.end(context.guide.ended(context.game, &self.position, &outcome));
                        self.prove(context);
                        return known(node);
                    }
                    if context.settings.expansion.threshold > 1 {
                        // Not to be looked at again.
                        let _ = node.first.compare_exchange(FRESH, LEAF, Ordering::Relaxed, Ordering::Relaxed);
                    }
                    if !self.ripe(context, index) {
                        return DescentEnd::Leaf;
                    }
                }
                LEAF if self.ripe(context, index) => {}
                LEAF | EXPANDING | CHILDLESS => return DescentEnd::Leaf,
                _ => {}
            }
            if context.settings.solver && is_solved(node) {
                return known(node);
            }
            let Some(child) = self.choose(context, node, side) else {
                // Another thread has just solved the children.
                self.prove(context);
                return known(node);
            };
            let Some(m) = context.game.unpack(tree.node(child).m.load(Ordering::Relaxed)) else {
                return DescentEnd::Leaf;
            };
            self.history.push(&self.position);
            context.game.play(&mut self.position, m);
            self.line.push(m);
            index = child;
        }
    }

    /// Expands a leaf that has enough visits. Whether it has children now.
    fn ripe<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>, index: u32) -> bool {
        let expansion = &context.settings.expansion;
        let enough = context.tree.node(index).weight.load(Ordering::Relaxed) >= fixed(f64::from(expansion.threshold));
        if !enough {
            return false;
        }
        if context.tree.is_full() {
            context.tree.refuse();
            return false;
        }
        let position = self.position.clone();
        let grown = self.expand(context, index, &position, expansion.levels, expansion.ends == Ends::Skipped);
        if expansion.ends == Ends::Listed || expansion.levels > 1 {
            self.prove(context);
        }
        grown
    }

    /// Makes the children of a node at `position`, `levels` deep; `skips`: without those that end the game. Whether it
    /// has some now.
    fn expand<K: Guide<G>, X: Payload>(
        &mut self,
        context: &SearchContext<'_, G, K, X>,
        index: u32,
        position: &G::Position,
        levels: u32,
        skips: bool,
    ) -> bool {
        let SearchContext { game, settings, tree, .. } = *context;
        let node = tree.node(index);
        // Whoever changes the state makes the children; the others take the node for a leaf meanwhile.
        let state = node.first.load(Ordering::Relaxed);
        let free = matches!(state, FRESH | LEAF);
        if !free || node.first.compare_exchange(state, EXPANDING, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return !tree.children(node).1.is_empty();
        }
        // A list that cannot find room is not made to its end.
        let most = tree.left() + self.room.len();
        if self.list(context, position, skips, most).is_break() {
            tree.fill();
            node.first.store(LEAF, Ordering::Relaxed);
            return false;
        }
        if self.moves.is_empty() {
            node.first.store(CHILDLESS, Ordering::Relaxed);
            return false;
        }
        if settings.expansion.order == Order::Shuffled {
            for last in (1..self.moves.len()).rev() {
                self.moves.swap(last, self.rng.index(last + 1));
            }
        }
        let room = if context.shared { Some(&mut self.room) } else { None };
        let Some((first, children)) = tree.allocate(self.moves.len(), index, room) else {
            node.first.store(LEAF, Ordering::Relaxed);
            return false;
        };
        self.weigh(context, position);
        for ((child, &m), &prior) in children.iter().zip(&self.moves).zip(&self.weights) {
            child.reset(game.pack(m), prior);
        }
        if settings.expansion.ends == Ends::Listed || levels > 1 {
            self.look_ahead(context, position, first, levels);
        }
        tree.publish(node, first, children.len());
        true
    }

    /// Lists the moves that get into the tree, at most `most` of them: breaks off at one more. `skips`: without those that
    /// end the game.
    fn list<K: Guide<G>, X: Payload>(
        &mut self,
        context: &SearchContext<'_, G, K, X>,
        position: &G::Position,
        skips: bool,
        most: usize,
    ) -> ControlFlow<()> {
        let SearchContext { game, guide, .. } = *context;
        self.moves.clear();
        let Worker { moves, history, rng, .. } = self;
        if skips {
            history.push(position);
        }
        let admits =
            |m| (!K::FILTERS || guide.admits(game, position, m)) && !(skips && ends_game(game, position, history, m));
        let listed = if K::CANDIDATES {
            guide.candidates(game, position, rng, moves);
            debug_assert!(moves.iter().all(|&m| game.is_legal(position, m)), "candidates are legal: {moves:?}");
            moves.retain(|&m| admits(m));
            if moves.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        } else {
            game.visit_moves(position, |m| {
                if admits(m) {
                    if moves.len() == most {
                        return ControlFlow::Break(());
                    }
                    moves.push(m);
                }
                ControlFlow::Continue(())
            })
        };
        if skips {
            history.pop();
        }
        listed
    }

    /// Plays each new child: sees which end the game, and expands the others where two levels are made.
    fn look_ahead<K: Guide<G>, X: Payload>(
        &mut self,
        context: &SearchContext<'_, G, K, X>,
        position: &G::Position,
        first: u32,
        levels: u32,
    ) {
        let moves = std::mem::take(&mut self.moves);
        self.history.push(position);
        for (index, &m) in (first..).zip(&moves) {
            let child = context.tree.node(index);
            let mut next = position.clone();
            context.game.play(&mut next, m);
            if let Some(outcome) = context.game.outcome(&next, &self.history) {
                child.end(context.guide.ended(context.game, &next, &outcome));
                continue;
            }
            child.first.store(LEAF, Ordering::Relaxed);
            if levels > 1 && !context.tree.is_full() {
                self.expand(context, index, &next, levels - 1, false);
                if context.settings.solver {
                    tighten(context.tree, child, context.game.side_to_move(&next) == Side::First);
                }
            }
        }
        self.history.pop();
        self.moves = moves;
    }

    /// The priors of the listed moves, with sum 1.
    fn weigh<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>, position: &G::Position) {
        let count = self.moves.len();
        self.weights.clear();
        self.weights.resize(count, 1.0 / count as f32);
        if K::PRIORS && matches!(context.settings.selection, Selection::Puct { .. }) {
            context.guide.priors(context.game, position, &self.moves, &mut self.weights);
            let sum: f32 = self.weights.iter().sum();
            for weight in &mut self.weights {
                *weight = if sum > 0.0 && sum.is_finite() { (*weight / sum).max(0.0) } else { 1.0 / count as f32 };
            }
        }
    }

    /// The child to visit; `None` when all are pruned.
    fn choose<K: Guide<G>, X: Payload>(
        &mut self,
        context: &SearchContext<'_, G, K, X>,
        node: &Node<X>,
        side: Side,
    ) -> Option<u32> {
        let wants = if side == context.side {
            side
        } else {
            match context.settings.opponent {
                Opponent::Minimising => side,
                Opponent::Cooperating => context.side,
                Opponent::Random => {
                    let (first, children) = context.tree.children(node);
                    return Some(first + self.rng.index(children.len()) as u32);
                }
            }
        };
        select(context.settings, context.tree, node, wants == Side::First, &mut self.rng)
    }

    /// Plays on from the leaf: the reward and the number of moves.
    fn play_out<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>) -> (f64, u32) {
        let Worker { playout, position, history, rng, made, .. } = self;
        let end = playout.run(context.game, position, history, rng, |side, m| {
            if X::AMAF {
                made.push((side, context.game.pack(m)));
            }
        });
        let reward = match end.outcome {
            Some(outcome) => context.guide.ended(context.game, position, &outcome),
            None => context.guide.cut(context.game, position),
        };
        (reward, end.plies)
    }

    /// Adds the result to every node on the path.
    fn back_up<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>, reward: f64, weight: f64) {
        // Never 0: a visit leaves a trace.
        let share = fixed(weight.clamp(0.0, 1.0)).max(1);
        let weight = node::float(share);
        let (won, square) = (fixed(weight * reward), fixed(weight * reward * reward));
        let tuned = matches!(context.settings.selection, Selection::Ucb1Tuned { .. });
        for step in &self.path {
            if step.hot {
                self.late.add(context.tree, step.node, share, won, if tuned { square } else { 0 });
                continue;
            }
            let node = context.tree.node(step.node);
            add(&node.weight, share, context.shared);
            add(&node.sum, won, context.shared);
            if tuned {
                add(&node.squares, square, context.shared);
            }
            if step.lost {
                node.pending.fetch_sub(1, Ordering::Relaxed);
            }
        }
        if X::AMAF && context.settings.rave.is_some() {
            self.back_up_amaf(context, share, won);
        }
    }

    /// At each node of the path, adds the result to the AMAF counters of every child whose move the side that chose
    /// there made in this simulation, at the node or later.
    fn back_up_amaf<K: Guide<G>, X: Payload>(&mut self, context: &SearchContext<'_, G, K, X>, share: u64, won: u64) {
        self.set.clear();
        for &(side, m) in &self.made {
            self.set.insert(side, m);
        }
        for pair in self.path.windows(2).rev() {
            let [step, next] = pair else { continue };
            self.set.insert(step.side, context.tree.node(next.node).m.load(Ordering::Relaxed));
            for child in context.tree.children(context.tree.node(step.node)).1 {
                if let Some(amaf) = child.extra.amaf()
                    && self.set.contains(step.side, child.m.load(Ordering::Relaxed))
                {
                    add(&amaf.weight, share, context.shared);
                    add(&amaf.sum, won, context.shared);
                }
            }
        }
    }

    /// Takes what is new for certain at the end of the path up the path.
    fn prove<K: Guide<G>, X: Payload>(&self, context: &SearchContext<'_, G, K, X>) {
        if !context.settings.solver {
            return;
        }
        let mut steps = self.path.iter().rev();
        if let Some(last) = steps.next() {
            // The last node may have new children, or be an ended game itself.
            tighten(context.tree, context.tree.node(last.node), last.side == Side::First);
        }
        for step in steps {
            if !tighten(context.tree, context.tree.node(step.node), step.side == Side::First) {
                break;
            }
        }
    }
}

/// Whether a move ends the game. The history holds `position` already.
fn ends_game<G: Game>(game: &G, position: &G::Position, history: &G::History, m: G::Move) -> bool {
    let mut next = position.clone();
    game.play(&mut next, m);
    game.outcome(&next, history).is_some()
}

/// A node whose value is certain.
fn known<X: Payload>(node: &Node<X>) -> DescentEnd {
    DescentEnd::Known(f64::from(node.low.load(Ordering::Relaxed)) / f64::from(node::TOP))
}
