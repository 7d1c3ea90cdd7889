//! One simulation: down the tree, a playout, and back.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::Ordering;

use banmen_game::{Game, GameState, History, Rng, Side, mix};

use super::amaf::{Counters, MoveSet};
use super::delayed::{self, DelayedUpdates, VIRTUAL_LOSS_MAX_VISITS};
use super::interrupt::Interrupt;
use super::node::{self, CHILDLESS, EVALUATED, EXPANDING, FRESH, LEAF, Node, add, fixed, float};
use super::select::{VirtualLoss, select};
use super::settings::{Opponent, Order, Settings, TerminalCheck};
use super::solve::{is_solved, tighten};
use super::tree::Tree;
use super::{
    AmafUpdate, Guide, LastSimulation, MAX_RECORDED_PLIES, NewChildren, Payload, SearchPosition, Simulation, Step,
};

/// What is the same for all simulations of one search.
pub(super) struct SearchContext<'a, G: Game, X> {
    pub(super) game: &'a G,
    pub(super) root: &'a G::Position,
    /// The side that searches.
    pub(super) side: Side,
    pub(super) settings: &'a Settings,
    pub(super) tree: &'a Tree<X>,
    /// Other threads are in the same tree.
    pub(super) shared: bool,
    /// Visits that a descent of another thread counts as, in fixed point.
    pub(super) virtual_loss: u64,
    /// For work within a simulation.
    pub(super) interrupt: Interrupt<'a>,
}

/// Children that are made or looked at between two questions whether the search must end.
const INTERRUPT_PERIOD: usize = 1024;

/// A node on the path and the side that selects there.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    node: u32,
    side: Side,
    /// The number of results that are added to it at once; 1 where updates are not delayed.
    batch: u32,
    /// It counts as a virtual loss until the simulation is finished.
    lost: bool,
}

/// The part of one thread: its random stream, its guide, its buffers. Two of them share no cache line.
#[repr(align(128))]
pub(super) struct Worker<G: Game, K: Guide<G>, X: Payload<G>> {
    rng: Rng,
    guide: K,
    scratch: K::Scratch,
    history: G::History,
    position: G::Position,
    path: Vec<PathStep>,
    line: Vec<G::Move>,
    moves: Vec<G::Move>,
    weights: Vec<f32>,
    /// Priors, places and moves, to sort them.
    ranked: Vec<(f32, u32, G::Move)>,
    /// Moves of the playout, with the AMAF payload.
    playout_moves: Vec<(Side, u32)>,
    made: X::Moves,
    /// In a shared tree.
    delayed: DelayedUpdates,
    /// In a shared tree, free nodes reserved for this worker.
    chunk: Range<u32>,
    /// Leaves that could not be expanded for lack of space and that the tree has not counted yet: in a full tree every
    /// simulation ends at one, and threads that counted them in the tree would wait for each other.
    refused: u64,
    /// The last simulation, if it is recorded.
    record: Option<Record<G::Move>>,
    /// Simulations made.
    pub(super) simulations: u64,
    /// How many of them were made when one last ended at a position where the game goes on; with a limit of depth.
    pub(super) last_open: u64,
    /// AMAF results added to nodes.
    pub(super) amaf_updates: u64,
    /// Plies of the longest descent.
    pub(super) deepest: u32,
}

/// What is recorded of a simulation beside its line.
struct Record<M> {
    expanded: Option<(u32, usize)>,
    playout: Vec<M>,
    /// The reward and the number of moves of the playout, once there was a simulation.
    end: Option<(f64, u32)>,
}

/// How a descent ended.
enum DescentEnd {
    /// At a value for the first side: the game is over, the value is proven, or the guide has evaluated the leaf.
    Value(f64),
    /// At a leaf where the game goes on.
    Leaf,
}

/// What an expansion found.
struct Expanded {
    /// Whether the node has children now.
    children: bool,
    /// Whether this thread made them and asked the guide.
    evaluated: bool,
    /// The guide's value of the node.
    value: Option<f64>,
}

impl Expanded {
    const NOTHING: Expanded = Expanded { children: false, evaluated: false, value: None };
}

impl<G: Game, K: Guide<G>, X: Payload<G>> Worker<G, K, X> {
    /// The `index`th worker of a search with this seed. The first one's stream is that of the seed itself.
    pub(super) fn new(game: &G, guide: K, seed: u64, index: u64) -> Self {
        Worker {
            rng: Rng::new(if index == 0 { seed } else { mix(seed ^ mix(index)) }),
            guide,
            scratch: K::Scratch::default(),
            history: G::History::default(),
            position: game.start(),
            path: Vec::new(),
            line: Vec::new(),
            moves: Vec::new(),
            weights: Vec::new(),
            ranked: Vec::new(),
            playout_moves: Vec::new(),
            made: X::Moves::default(),
            delayed: DelayedUpdates::default(),
            chunk: 0..0,
            refused: 0,
            record: None,
            simulations: 0,
            last_open: 0,
            amaf_updates: 0,
            deepest: 0,
        }
    }

    /// A decision begins.
    pub(super) fn begin_decision(&mut self, root: &GameState<G>) {
        self.simulations = 0;
        self.last_open = 0;
        self.amaf_updates = 0;
        self.deepest = 0;
        self.record = None;
        self.guide.begin(root);
    }

    /// A search begins: the history is that of the root, and the root gets its children if the settings want that.
    pub(super) fn begin(&mut self, context: &SearchContext<'_, G, X>, history: &G::History) {
        self.history.clone_from(history);
        let root = context.tree.node(0);
        if let (Some(initial), 0) = (context.settings.virtual_visits, root.weight.load(Ordering::Relaxed)) {
            root.add_virtual_visits(initial.visits, 0.5);
        }
        if context.settings.expansion.root && matches!(root.first.load(Ordering::Relaxed), FRESH | LEAF) {
            root.first.store(LEAF, Ordering::Relaxed);
            self.line.clear();
            self.expand(context, 0, context.root, 0, 1, false);
            if context.settings.solver {
                tighten(context.tree, root, context.side == Side::First);
            }
        }
    }

    /// A search ends: what this worker has not added to the tree yet is added.
    pub(super) fn end(&mut self, tree: &Tree<X>) {
        self.delayed.deliver(tree);
        tree.refuse(std::mem::take(&mut self.refused));
    }

    /// Drops the chunk: the tree was cleared or compacted.
    pub(super) fn drop_chunk(&mut self) {
        self.chunk = 0..0;
    }

    /// Records simulations from now on, or does not.
    pub(super) fn record(&mut self, record: bool) {
        match record {
            true if self.record.is_some() => {}
            true => self.record = Some(Record { expanded: None, playout: Vec::new(), end: None }),
            false => self.record = None,
        }
    }

    /// The last simulation, if it was recorded.
    pub(super) fn last_simulation(&self) -> Option<LastSimulation<G::Move>> {
        let record = self.record.as_ref()?;
        let (reward, plies) = record.end?;
        let line = self.line.iter().copied().map(Step::Move).collect();
        Some(LastSimulation { line, expanded: record.expanded, playout: record.playout.clone(), plies, reward })
    }

    /// What it knows of the game.
    pub(super) fn guide(&self) -> &K {
        &self.guide
    }

    /// The moves of the last simulation in the tree.
    pub(super) fn line(&self) -> &[G::Move] {
        &self.line
    }

    /// Whether the last simulation ended in the tree, at an end of the game.
    pub(super) fn at_end(&self, context: &SearchContext<'_, G, X>) -> bool {
        let ended = |step: &PathStep| context.tree.node(step.node).first.load(Ordering::Relaxed) == node::ENDED;
        self.path.last().is_some_and(ended)
    }

    /// One simulation: its reward and the number of moves of its playout.
    pub(super) fn simulate(&mut self, context: &SearchContext<'_, G, X>) -> (f64, u32) {
        self.playout_moves.clear();
        if let Some(record) = &mut self.record {
            record.expanded = None;
            record.playout.clear();
        }
        let end = self.descend(context);
        let depth = self.line.len() as u32;
        let (reward, plies) = match end {
            DescentEnd::Value(reward) => (reward, 0),
            DescentEnd::Leaf if self.record.is_some() => self.play_out::<true>(context),
            DescentEnd::Leaf => self.play_out::<false>(context),
        };
        let reward = reward.clamp(0.0, 1.0);
        if let Some(record) = &mut self.record {
            record.end = Some((reward, plies));
        }
        let weight = self.guide.weight(depth + plies);
        self.back_up(context, reward, weight);
        for _ in 0..depth {
            self.history.pop();
        }
        self.simulations += 1;
        self.deepest = self.deepest.max(depth);
        self.guide.finished(&Simulation { line: &self.line, reward, plies });
        (reward, plies)
    }

    /// Descends to a leaf or a value, and expands leaves on the way.
    fn descend(&mut self, context: &SearchContext<'_, G, X>) -> DescentEnd {
        let tree = context.tree;
        self.position.clone_from(context.root);
        self.path.clear();
        self.line.clear();
        let mut index = 0;
        loop {
            let node = tree.node(index);
            let side = context.game.side_to_move(&self.position);
            let weight = if context.shared { node.weight.load(Ordering::Relaxed) } else { u64::MAX };
            let batch = if context.shared { delayed::batch(weight) } else { 1 };
            let lost = weight < VIRTUAL_LOSS_MAX_VISITS;
            self.path.push(PathStep { node: index, side, batch, lost });
            if lost {
                node.pending.fetch_add(1, Ordering::Relaxed);
            }
            match node.first.load(Ordering::Acquire) {
                node::ENDED => return known(node),
                FRESH => {
                    if let Some(outcome) = context.game.outcome(&self.position, &self.history) {
                        let plies = self.line.len() as u32;
                        let at = SearchPosition::new(context.game, &self.position, &self.history, plies, &self.line);
                        node.end(self.guide.ended(&at, &outcome));
                        self.prove(context);
                        return known(node);
                    }
                    if K::VALUES {
                        return self.evaluate_leaf(context, index);
                    }
                    if context.settings.expansion.threshold > 1 {
                        // The outcome is not checked again.
                        let _ = node.first.compare_exchange(FRESH, LEAF, Ordering::Relaxed, Ordering::Relaxed);
                    }
                    if !self.expand_if_due(context, index) {
                        return DescentEnd::Leaf;
                    }
                }
                EVALUATED if context.tree.is_full() || node.count.load(Ordering::Relaxed) > 0 => {
                    return DescentEnd::Value(mean(node));
                }
                LEAF | EVALUATED | EXPANDING | CHILDLESS if K::VALUES => return self.evaluate_leaf(context, index),
                LEAF if self.expand_if_due(context, index) => {}
                LEAF | EVALUATED | EXPANDING | CHILDLESS => return DescentEnd::Leaf,
                _ => {}
            }
            if context.settings.solver && is_solved(node) {
                return known(node);
            }
            let Some(child) = self.choose(context, node, side) else {
                // Another thread has just proven the children.
                self.prove(context);
                return known(node);
            };
            let Some(m) = X::unpack(context.game, tree.node(child).m.load(Ordering::Relaxed)) else {
                return DescentEnd::Leaf;
            };
            self.history.push(&self.position);
            context.game.play(&mut self.position, m);
            self.line.push(m);
            index = child;
        }
    }

    /// Expands a leaf that has enough visits. Returns whether it has children now.
    fn expand_if_due(&mut self, context: &SearchContext<'_, G, X>, index: u32) -> bool {
        let expansion = &context.settings.expansion;
        let visits = context.tree.node(index).own_weight(context.settings);
        let scarcity = if expansion.thrifty { context.tree.scarcity() } else { 0 };
        let enough = visits >= fixed(f64::from(expansion.threshold)).saturating_mul(1 << scarcity);
        if !enough {
            return false;
        }
        if context.tree.is_full() {
            self.refused += 1;
            return false;
        }
        let (position, plies) = (self.position.clone(), self.line.len() as u32);
        let skips = expansion.terminal == TerminalCheck::Skipped;
        let expanded = self.expand(context, index, &position, plies, expansion.levels, skips);
        if expansion.terminal == TerminalCheck::Listed || expansion.levels > 1 {
            self.prove(context);
        }
        expanded.children
    }

    /// Gives a leaf its children and its value at once.
    fn evaluate_leaf(&mut self, context: &SearchContext<'_, G, X>, index: u32) -> DescentEnd {
        let (node, plies) = (context.tree.node(index), self.line.len() as u32);
        let expansion = &context.settings.expansion;
        let mut expanded = Expanded::NOTHING;
        if context.tree.is_full() {
            self.refused += 1;
        } else {
            let position = self.position.clone();
            let skips = expansion.terminal == TerminalCheck::Skipped;
            expanded = self.expand(context, index, &position, plies, 1, skips);
            if expanded.children && expansion.terminal == TerminalCheck::Listed {
                self.prove(context);
                if context.settings.solver && is_solved(node) {
                    return known(node);
                }
            }
        }
        if !expanded.evaluated {
            let at = SearchPosition::new(context.game, &self.position, &self.history, plies, &self.line);
            expanded.value = self.guide.evaluate(&at, &mut NewChildren::new(&[], &mut []));
            // If nothing else has been nor will be added to the node, its mean is the value from now on.
            let state = node.first.load(Ordering::Relaxed);
            if expanded.value.is_some()
                && context.settings.amaf.is_none()
                && matches!(state, FRESH | LEAF | CHILDLESS)
                && node.weight.load(Ordering::Relaxed) == 0
            {
                if state == CHILDLESS {
                    node.count.store(1, Ordering::Relaxed);
                }
                let _ = node.first.compare_exchange(state, EVALUATED, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
        expanded.value.map_or(DescentEnd::Leaf, DescentEnd::Value)
    }

    /// Makes the children of a node at `position`, `plies` below the root, `levels` deep; `skips`: without those that end
    /// the game.
    fn expand(
        &mut self,
        context: &SearchContext<'_, G, X>,
        index: u32,
        position: &G::Position,
        plies: u32,
        levels: u32,
        skips: bool,
    ) -> Expanded {
        let SearchContext { game, settings, tree, .. } = *context;
        let node = tree.node(index);
        // The thread that changes the state makes the children; the others treat the node as a leaf meanwhile.
        let state = node.first.load(Ordering::Relaxed);
        let free = matches!(state, FRESH | LEAF | EVALUATED);
        if !free || node.first.compare_exchange(state, EXPANDING, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return Expanded { children: !tree.children(node).1.is_empty(), ..Expanded::NOTHING };
        }
        // Listing stops as soon as there are more moves than free nodes.
        let most = tree.left() + self.chunk.len();
        if self.list(context, position, plies, skips, most).is_break() {
            tree.mark_full();
            node.first.store(LEAF, Ordering::Relaxed);
            return Expanded::NOTHING;
        }
        if self.moves.is_empty() {
            node.first.store(CHILDLESS, Ordering::Relaxed);
            return Expanded::NOTHING;
        }
        if settings.expansion.order == Order::Shuffled {
            for last in (1..self.moves.len()).rev() {
                self.moves.swap(last, self.rng.index(last + 1));
            }
        }
        let chunk = if context.shared { Some(&mut self.chunk) } else { None };
        let Some((first, children)) = tree.allocate(self.moves.len(), index, chunk) else {
            node.first.store(LEAF, Ordering::Relaxed);
            return Expanded::NOTHING;
        };
        let value = self.evaluate(context, position, plies);
        if settings.expansion.order == Order::Prior {
            self.order_by_prior();
        }
        for ((child, &m), &prior) in children.iter().zip(&self.moves).zip(&self.weights) {
            child.reset(X::pack(game, m), prior);
        }
        if let Some(initial) = settings.virtual_visits {
            let highest = self.weights.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            for (child, &prior) in children.iter().zip(&self.weights) {
                let value = initial.low + (initial.high - initial.low) * f64::from(prior) / f64::from(highest);
                let first = game.side_to_move(position) == Side::First;
                child.add_virtual_visits(initial.visits, if first { value } else { 1.0 - value });
            }
        }
        if settings.expansion.terminal == TerminalCheck::Listed || levels > 1 {
            self.look_ahead(context, position, plies, first, levels);
        }
        tree.publish(node, first, children.len());
        if let Some(record) = &mut self.record {
            record.expanded = Some((plies, children.len()));
        }
        Expanded { children: true, evaluated: true, value }
    }

    /// Sorts the listed moves by descending prior.
    fn order_by_prior(&mut self) {
        let Worker { moves, weights, ranked, .. } = self;
        ranked.clear();
        ranked.extend((0u32..).zip(&*weights).zip(&*moves).map(|((index, &weight), &m)| (weight, index, m)));
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for ((m, weight), &(prior, _, ranked)) in moves.iter_mut().zip(weights).zip(&*ranked) {
            (*m, *weight) = (ranked, prior);
        }
    }

    /// Lists the moves that get into the tree, at most `most` of them: breaks at one more. `skips`: without terminal
    /// ones.
    fn list(
        &mut self,
        context: &SearchContext<'_, G, X>,
        position: &G::Position,
        plies: u32,
        skips: bool,
        most: usize,
    ) -> ControlFlow<()> {
        let game = context.game;
        self.moves.clear();
        let Worker { guide, moves, history, rng, line, .. } = self;
        let admits = |guide: &mut K, history: &mut G::History, m| {
            (!K::FILTERS || guide.admits(&SearchPosition::new(game, position, history, plies, line), m))
                && !(skips && ends_game(game, position, history, m))
        };
        if K::CANDIDATES {
            let at = SearchPosition::new(game, position, history, plies, line);
            guide.candidates(&SearchPosition { interrupt: Some(context.interrupt), ..at }, rng, moves);
            debug_assert!(moves.iter().all(|&m| game.is_legal(position, m)), "candidates are legal: {moves:?}");
            moves.retain(|&m| admits(guide, history, m));
            if moves.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        } else {
            game.visit_moves(position, |m| {
                if admits(guide, history, m) {
                    if moves.len() == most {
                        return ControlFlow::Break(());
                    }
                    moves.push(m);
                }
                ControlFlow::Continue(())
            })
        }
    }

    /// Plays the move of each new child: marks terminal ones, and expands the others if two levels are made. When the search must
    /// end, the children that are left stay as they were made, without visits.
    fn look_ahead(
        &mut self,
        context: &SearchContext<'_, G, X>,
        position: &G::Position,
        plies: u32,
        first: u32,
        levels: u32,
    ) {
        let moves = std::mem::take(&mut self.moves);
        self.history.push(position);
        let mut made = 0;
        for (index, &m) in (first..).zip(&moves) {
            if made >= INTERRUPT_PERIOD {
                if context.interrupt.is_due() {
                    break;
                }
                made = 0;
            }
            made += 1;
            let child = context.tree.node(index);
            let mut next = position.clone();
            context.game.play(&mut next, m);
            self.line.push(m);
            if let Some(outcome) = context.game.outcome(&next, &self.history) {
                let at = SearchPosition::new(context.game, &next, &self.history, plies + 1, &self.line);
                child.end(self.guide.ended(&at, &outcome));
                self.line.pop();
                continue;
            }
            child.first.store(LEAF, Ordering::Relaxed);
            if levels > 1 && !context.tree.is_full() {
                self.expand(context, index, &next, plies + 1, levels - 1, false);
                made += self.moves.len();
                if context.settings.solver {
                    tighten(context.tree, child, context.game.side_to_move(&next) == Side::First);
                }
            }
            self.line.pop();
        }
        self.history.pop();
        self.moves = moves;
    }

    /// The priors of the listed moves, with sum 1, and the value of the position, from the guide.
    fn evaluate(&mut self, context: &SearchContext<'_, G, X>, position: &G::Position, plies: u32) -> Option<f64> {
        let count = self.moves.len();
        let even = 1.0 / count as f32;
        self.weights.clear();
        if !(K::PRIORS || K::VALUES) {
            self.weights.resize(count, even);
            return None;
        }
        self.weights.resize(count, 1.0);
        let at = SearchPosition::new(context.game, position, &self.history, plies, &self.line);
        let value = self.guide.evaluate(&at, &mut NewChildren::new(&self.moves, &mut self.weights));
        let sum: f32 = self.weights.iter().sum();
        for weight in &mut self.weights {
            *weight = if sum > 0.0 && sum.is_finite() { (*weight / sum).max(0.0) } else { even };
        }
        value
    }

    /// The child to visit; `None` when all are pruned.
    fn choose(&mut self, context: &SearchContext<'_, G, X>, node: &Node<X>, side: Side) -> Option<u32> {
        let chooser = if side == context.side {
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
        let scale = if K::EXPLORES { self.guide.exploration(context.game, &self.position) } else { 1.0 };
        // The last node of the path is the one that is selected from.
        let own = |step: Option<&PathStep>| step.is_some_and(|step| step.lost);
        let loss = VirtualLoss {
            visits: context.virtual_loss,
            own_at_node: own(self.path.last()),
            own_at_root: own(self.path.first()),
        };
        select(context.settings, context.tree, node, chooser == Side::First, loss, scale, &mut self.rng)
    }

    /// Plays on from the leaf: the reward and the number of moves.
    ///
    /// Playouts that are recorded are compiled apart: the others need not even compute their moves' names.
    fn play_out<const RECORDED: bool>(&mut self, context: &SearchContext<'_, G, X>) -> (f64, u32) {
        let Worker { guide, scratch, position, history, rng, playout_moves, line, record, .. } = self;
        let mut recorded = if RECORDED { record.as_mut().map(|record| &mut record.playout) } else { None };
        guide.descended(line);
        let end = guide.playout(context.game, position, history, rng, scratch, |side, m| {
            if X::AMAF {
                playout_moves.push((side, X::pack(context.game, m)));
            }
            if let (true, Some(moves)) = (RECORDED, &mut recorded)
                && moves.len() < MAX_RECORDED_PLIES
            {
                moves.push(m);
            }
        });
        let at = SearchPosition::new(context.game, position, history, line.len() as u32 + end.plies, line);
        let reward = match end.outcome {
            Some(outcome) => guide.ended(&at, &outcome),
            None => guide.cut(&at),
        };
        (reward, end.plies)
    }

    /// Adds the result to every node on the path.
    fn back_up(&mut self, context: &SearchContext<'_, G, X>, reward: f64, weight: f64) {
        // At least 1: a visited node has a weight.
        let share = fixed(weight.clamp(0.0, 1.0)).max(1);
        let weight = node::float(share);
        let (won, square) = (fixed(weight * reward), fixed(weight * reward * reward));
        let squared = context.settings.selection.uses_variance();
        for step in &self.path {
            if step.batch > 1 {
                self.delayed.add(context.tree, step.node, step.batch, share, won, if squared { square } else { 0 });
                continue;
            }
            let node = context.tree.node(step.node);
            add(&node.weight, share, context.shared);
            add(&node.sum, won, context.shared);
            if squared {
                add(&node.squares, square, context.shared);
            }
            if step.lost {
                node.pending.fetch_sub(1, Ordering::Relaxed);
            }
        }
        if X::AMAF && (context.settings.rave.is_some() || context.settings.amaf.is_some()) {
            self.back_up_amaf(context, share, reward);
        }
    }

    /// At each node of the path, adds the result to every child whose move the side that chose there made later in this
    /// simulation; to RAVE's counters of the child that it visited too.
    fn back_up_amaf(&mut self, context: &SearchContext<'_, G, X>, share: u64, reward: f64) {
        let SearchContext { game, settings, tree, shared, .. } = *context;
        let depth = self.line.len() as u32;
        let end = depth + self.playout_moves.len() as u32;
        self.made.clear();
        // Backwards: of equal moves the first counts.
        for (index, &(side, m)) in self.playout_moves.iter().enumerate().rev() {
            self.made.insert(side, m, depth + index as u32);
        }
        for (ply, pair) in (0..depth).zip(self.path.windows(2)).rev() {
            let [step, next] = pair else { continue };
            let (parent, visited) = (tree.node(step.node), tree.node(next.node));
            let packed = visited.m.load(Ordering::Relaxed);
            let played = X::unpack(game, packed);
            if let (Some(played), true) = (played, takes_amaf(settings, parent, ply)) {
                let (first, children) = tree.children(parent);
                for (index, child) in (first..).zip(children) {
                    let m = child.m.load(Ordering::Relaxed);
                    let Some(later) = self.made.ply(step.side, m) else { continue };
                    if index == next.node {
                        continue;
                    }
                    let Some(m) = X::unpack(game, m) else { continue };
                    let (distance, length) = (later - ply, end - ply);
                    let update = AmafUpdate { side: step.side, played, later: m, distance, length };
                    let mut weight = self.guide.amaf_weight(game, &update).clamp(0.0, 1.0);
                    if let Some(amaf) = settings.amaf {
                        if amaf.child_max.is_some_and(|most| child.visits() > u64::from(most)) {
                            continue;
                        }
                        weight *= amaf.weight * (1.0 - amaf.decay * f64::from(distance) / f64::from(length));
                    }
                    let share = if weight == 1.0 { share } else { fixed(float(share) * weight) };
                    if share > 0 {
                        self.amaf_updates += 1;
                        add_amaf(settings, child, share, reward, shared);
                    }
                }
            }
            if settings.rave.is_some() {
                self.amaf_updates += 1;
                add_amaf(settings, visited, share, reward, shared);
            }
            self.made.insert(step.side, packed, ply);
        }
    }

    /// Propagates new bounds from the end of the path toward the root.
    fn prove(&self, context: &SearchContext<'_, G, X>) {
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

/// Whether the children of a node, `ply` plies below the root, get AMAF results.
fn takes_amaf<X: Counters>(settings: &Settings, parent: &Node<X>, ply: u32) -> bool {
    settings.amaf.is_none_or(|amaf| {
        (ply == 0 || !amaf.root_only) && amaf.parent_max.is_none_or(|most| parent.visits() <= u64::from(most))
    })
}

/// Adds an AMAF result: to RAVE's counters, or to the ordinary ones too.
fn add_amaf<X: Counters>(settings: &Settings, child: &Node<X>, share: u64, reward: f64, shared: bool) {
    let Some(amaf) = child.extra.amaf() else { return };
    let (weight, won) = (float(share), fixed(float(share) * reward));
    if settings.amaf.is_some() {
        add(&child.weight, share, shared);
        add(&child.sum, won, shared);
        if settings.selection.uses_variance() {
            add(&child.squares, fixed(weight * reward * reward), shared);
        }
    }
    add(&amaf.weight, share, shared);
    add(&amaf.sum, won, shared);
}

/// Whether a move ends the game.
fn ends_game<G: Game>(game: &G, position: &G::Position, history: &mut G::History, m: G::Move) -> bool {
    let mut next = position.clone();
    game.play(&mut next, m);
    history.push(position);
    let outcome = game.outcome(&next, history);
    history.pop();
    outcome.is_some()
}

/// The end of a descent at a node whose value is proven.
fn known<X: Counters>(node: &Node<X>) -> DescentEnd {
    DescentEnd::Value(f64::from(node.low.load(Ordering::Relaxed)) / f64::from(node::TOP))
}

/// The mean reward of a visited node.
fn mean<X: Counters>(node: &Node<X>) -> f64 {
    let (weight, sum) = (node.weight.load(Ordering::Relaxed), node.sum.load(Ordering::Relaxed));
    if weight == 0 { 0.5 } else { float(sum) / float(weight) }
}
