//! The tree: positions at the start of turns, and plans as the edges between them.

use banmen_game::{Game, Outcome, Rng, Side};
use banmen_search::{Budget, seems_exhausted};

use super::eval::{Evaluator, Value, score};
use super::features::WORTH;
use super::finish::wipe_out;
use super::keys::KeySet;
use super::level::Errors;
use super::plan::{Plan, Planner};
use super::settings::{Breadth, Settings};
use crate::game::Tubstap;
use crate::moves::Move;
use crate::playout::{AttackLeaning, Reward};
use crate::position::Position;

/// The most positions that the search for a win within the turn visits.
const MAX_TRIED: usize = 20_000;

/// From so many positions on no node is expanded: some 100 MiB with their plans.
const MAX_NODES: usize = 1 << 19;

/// Expected scores that playouts may change.
const UNDECIDED: std::ops::RangeInclusive<f32> = 0.001..=0.999;

/// The lead of red in hit points.
fn lead(position: &Position) -> f32 {
    position.hit_points(Side::First) as f32 - position.hit_points(Side::Second) as f32
}

/// The result of a visit.
#[derive(Clone, Copy, Default)]
struct LeafValue {
    /// What red may expect, where a draw is worth less than half to the side that searches.
    red: f32,
    /// The part of it that draws have.
    drawn: f32,
    /// Red's expected lead in hit points at the end of the game.
    lead: f32,
}

/// A position at the start of a turn.
struct Node {
    position: Position,
    /// The plan that leads here.
    moves: Box<[Move]>,
    /// The prior among its siblings, by the evaluation of its plan.
    prior: f32,
    /// The expected score of red by the evaluation, before the first visit.
    guess: f32,
    /// Visits of this node, and the sum of their results.
    visits: u32,
    sum: LeafValue,
    /// The first child and their number; 0 children before the node is expanded.
    first: u32,
    count: u32,
    /// The second beam was made.
    widened: bool,
    /// How the game ended here.
    outcome: Option<Outcome>,
}

impl Node {
    fn new(game: &Tubstap, plan: Plan, prior: f32, guess: f32) -> Self {
        let outcome = game.outcome(&plan.position, &());
        Node {
            position: plan.position,
            moves: plan.moves,
            prior,
            guess,
            visits: 0,
            sum: LeafValue::default(),
            first: 0,
            count: 0,
            widened: false,
            outcome,
        }
    }

    /// The node after a plan of this side, without a prior.
    fn of_plan(game: &Tubstap, plan: Plan, side: Side) -> Self {
        let guess = score(plan.value);
        Node::new(game, plan, 0.0, if side == Side::First { guess } else { 1.0 - guess })
    }

    /// The expected score of a side.
    fn score(&self, side: Side) -> f32 {
        let red = if self.visits == 0 { self.guess } else { self.sum.red / self.visits as f32 };
        if side == Side::First { red } else { 1.0 - red }
    }
}

/// The priors of plans with these values: in proportion to the exponentials of the values divided by `spread`.
fn priors(values: &[Value], spread: f32) -> Vec<f32> {
    let best = values.iter().copied().max().unwrap_or_default();
    let weights: Vec<f32> =
        values.iter().map(|&value| libm::expf((value - best).max(-1_000_000) as f32 / spread)).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// A tree search over plans. The children of a node come from the planner at its second visit, and more of them from a
/// wider beam after more visits, with priors by their evaluation; they are selected by PUCT (Silver and others 2017). A leaf
/// is valued by the network's value of the best plan of a narrow beam, and by playouts that attack.
pub(super) struct Tree<'s> {
    game: &'s Tubstap,
    settings: &'s Settings,
    evaluator: Evaluator<'s>,
    playout: AttackLeaning,
    rng: Rng,
    planner: Planner,
    nodes: Vec<Node>,
    path: Vec<u32>,
    deepest: usize,
    /// Visits of the root when a position in which the game goes on was last visited for the first time.
    last_new: u32,
    /// A win within the turn was found.
    pub(super) won: bool,
}

/// A line of plans from the root.
pub(super) struct Variation {
    /// The moves of all plans.
    pub(super) moves: Vec<Move>,
    /// How many of them the first plan has.
    pub(super) first: usize,
    /// The expected score of the side to move at the root.
    pub(super) score: f32,
    /// The expected lead in hit points of that side when the game ends; `None` before a visit.
    pub(super) lead: Option<f32>,
}

impl<'s> Tree<'s> {
    pub(super) fn new(
        game: &'s Tubstap,
        settings: &'s Settings,
        position: Position,
        rng: Rng,
        errors: Option<Errors>,
    ) -> Self {
        let root = Plan { moves: Box::default(), position, value: 0 };
        Tree {
            game,
            settings,
            evaluator: Evaluator::new(game).with_errors(errors),
            playout: AttackLeaning::new(settings.attack, Reward::Rules).best_of(settings.choices, WORTH),
            rng,
            planner: Planner::default(),
            nodes: vec![Node::new(game, root, 1.0, 0.5)],
            path: Vec::new(),
            deepest: 0,
            last_new: 0,
            won: false,
        }
    }

    /// Turns looked ahead at most.
    pub(super) fn depth(&self) -> usize {
        self.deepest
    }

    /// Whether the tree seems not to become any deeper.
    pub(super) fn is_exhausted(&self) -> bool {
        seems_exhausted(self.nodes[0].visits.into(), self.last_new.into())
    }

    /// Positions valued, one after each descent.
    pub(super) fn playouts(&self) -> u64 {
        self.nodes[0].visits.into()
    }

    /// Makes the plans of the root, however small the budget, or finds a win within the turn.
    pub(super) fn begin(&mut self, budget: &mut Budget<'_>) {
        let position = self.nodes[0].position;
        match wipe_out(self.game, &position, MAX_TRIED, budget) {
            Some(moves) => self.win(&position, moves),
            None => self.expand(0, self.settings.root, budget),
        }
    }

    /// Gives the root one plan: this one, which wins.
    fn win(&mut self, position: &Position, moves: Vec<Move>) {
        let (game, side) = (self.game, position.side());
        let mut end = *position;
        moves.iter().for_each(|&m| game.play(&mut end, m));
        let plan = Plan { moves: moves.into_boxed_slice(), position: end, value: 0 };
        let first = self.nodes.len() as u32;
        self.nodes.push(Node::new(game, plan, 1.0, if side == Side::First { 1.0 } else { 0.0 }));
        (self.nodes[0].first, self.nodes[0].count) = (first, 1);
        self.won = true;
    }

    /// One simulation: a descent, with an expansion at the second visit of a position, the value of a new one, and the backup.
    /// False when there is nothing to choose.
    pub(super) fn step(&mut self, budget: &mut Budget<'_>) -> bool {
        if self.won || self.nodes[0].count < 2 {
            return false;
        }
        self.path.clear();
        self.path.push(0);
        let mut at = 0;
        loop {
            let Node { count, visits, outcome, widened, .. } = self.nodes[at];
            if self.nodes.len() < MAX_NODES {
                let widen = self.settings.widen;
                if count == 0 && visits > 0 && outcome.is_none() {
                    self.expand(at, self.settings.inner, budget);
                } else if count > 0 && at > 0 && !widened && widen > 0 && visits >= widen {
                    self.widen(at, budget);
                }
            }
            if self.nodes[at].count == 0 {
                break;
            }
            at = self.select(at) as usize;
            self.path.push(at as u32);
        }
        self.deepest = self.deepest.max(self.path.len() - 1);
        budget.nodes(1);
        let LeafValue { red, drawn, lead } = self.evaluate_leaf(at, budget);
        if self.nodes[at].visits == 0 && self.nodes[at].outcome.is_none() {
            self.last_new = self.nodes[0].visits + 1;
        }
        for &index in &self.path {
            let Node { visits, sum, .. } = &mut self.nodes[index as usize];
            *visits += 1;
            sum.red += red;
            sum.drawn += drawn;
            sum.lead += lead;
        }
        true
    }

    /// The value of a position that has no children.
    fn evaluate_leaf(&mut self, at: usize, budget: &mut Budget<'_>) -> LeafValue {
        let Node { position, outcome, .. } = self.nodes[at];
        if let Some(outcome) = outcome {
            return LeafValue { lead: lead(&position), ..self.value_of(&outcome) };
        }
        let side = position.side();
        let plans = self.planner.plans(self.game, &mut self.evaluator, &position, self.settings.leaf, budget);
        let best = plans.first().map_or_else(|| self.nodes[at].score(side), |plan| score(plan.value));
        // The best plan ends the game.
        if let Some(plan) = plans.first()
            && let Some(outcome) = self.game.outcome(&plan.position, &())
        {
            return LeafValue { lead: lead(&plan.position), ..self.value_of(&outcome) };
        }
        let red = if side == Side::First { best } else { 1.0 - best };
        let Settings { playouts, share, .. } = *self.settings;
        // The best plan decides the game.
        if playouts == 0 || !UNDECIDED.contains(&red) {
            return LeafValue { red, drawn: 0.0, lead: lead(&position) };
        }
        let (mut sum, mut made) = (LeafValue::default(), 0.0);
        for _ in 0..playouts {
            let mut end = position;
            let played = self.playout.run(self.game, &mut end, u32::MAX, &mut self.rng, |_, _| {});
            // A playout ends with the game.
            let value = played.outcome.map(|outcome| self.value_of(&outcome)).unwrap_or_default();
            sum.red += value.red;
            sum.drawn += value.drawn;
            sum.lead += lead(&end);
            made += 1.0;
            if !budget.nodes(1 + u64::from(played.plies)) {
                break;
            }
        }
        LeafValue {
            red: red * (1.0 - share) + sum.red / made * share,
            drawn: sum.drawn / made * share,
            lead: sum.lead / made,
        }
    }

    /// The value of an outcome, without the lead.
    fn value_of(&self, outcome: &Outcome) -> LeafValue {
        let (red, drawn) = match outcome.winner {
            Some(winner) => (f32::from(u8::from(winner == Side::First)), 0.0),
            None => (self.worth_of_draw(Side::First), 1.0),
        };
        LeafValue { red, drawn, lead: 0.0 }
    }

    /// What a draw is worth to a side.
    fn worth_of_draw(&self, side: Side) -> f32 {
        let own = side == self.nodes[0].position.side();
        if own { 0.5 - self.settings.contempt } else { 0.5 + self.settings.contempt }
    }

    fn children(&self, index: usize) -> &[Node] {
        let node = &self.nodes[index];
        &self.nodes[node.first as usize..][..node.count as usize]
    }

    /// The child to visit.
    fn select(&self, index: usize) -> u32 {
        let node = &self.nodes[index];
        let side = node.position.side();
        let urgency = self.settings.explore * (node.visits.max(1) as f32).sqrt();
        let score = |child: &Node| child.score(side) + urgency * child.prior / (1 + child.visits) as f32;
        let children = (node.first..).zip(self.children(index)).map(|(index, child)| (score(child), index));
        children.fold((f32::MIN, node.first), |best, next| if next.0 > best.0 { next } else { best }).1
    }

    fn expand(&mut self, index: usize, breadth: Breadth, budget: &mut Budget<'_>) {
        let position = self.nodes[index].position;
        let side = position.side();
        let plans = self.planner.plans(self.game, &mut self.evaluator, &position, breadth, budget);
        let values: Vec<Value> = plans.iter().map(|plan| plan.value).collect();
        let priors = priors(&values, self.settings.spread);
        let first = self.nodes.len() as u32;
        let game = self.game;
        let node = |(plan, prior)| Node { prior, ..Node::of_plan(game, plan, side) };
        self.nodes.extend(plans.into_iter().zip(priors).map(node));
        let count = self.nodes.len() as u32 - first;
        (self.nodes[index].first, self.nodes[index].count) = (first, count);
    }

    /// Adds the plans of the second, wider beam to the children of a node; nothing when the budget ends in it. The children
    /// that the node has keep their visits, and all get priors as if they came from one beam. They become a new block, and their
    /// old places stay empty.
    fn widen(&mut self, index: usize, budget: &mut Budget<'_>) {
        self.nodes[index].widened = true;
        let Node { position, first, count, .. } = self.nodes[index];
        let side = position.side();
        let mut plans = self.planner.plans(self.game, &mut self.evaluator, &position, self.settings.wide, budget);
        let mut known = KeySet::default();
        for child in self.children(index) {
            known.insert(child.position.key_of_units());
        }
        plans.retain(|plan| known.insert(plan.position.key_of_units()));
        if budget.over() || plans.is_empty() {
            return;
        }
        let start = self.nodes.len();
        let mut values = Vec::with_capacity(count as usize + plans.len());
        for child in first as usize..(first + count) as usize {
            let child = &mut self.nodes[child];
            let moved = Node { moves: std::mem::take(&mut child.moves), ..*child };
            values.push(self.evaluator.value(&moved.position, side));
            self.nodes.push(moved);
        }
        values.extend(plans.iter().map(|plan| plan.value));
        let game = self.game;
        self.nodes.extend(plans.into_iter().map(|plan| Node::of_plan(game, plan, side)));
        for (child, prior) in self.nodes[start..].iter_mut().zip(priors(&values, self.settings.spread)) {
            child.prior = prior;
        }
        let count = (self.nodes.len() - start) as u32;
        (self.nodes[index].first, self.nodes[index].count) = (start as u32, count);
    }

    /// The best `count` plans of the root with what follows, best first: those with most visits.
    pub(super) fn best(&self, count: usize) -> Vec<Variation> {
        let side = self.nodes[0].position.side();
        let mut ranked: Vec<(f32, &Node)> = self.children(0).iter().map(|child| (child.score(side), child)).collect();
        let rank = |&(score, child): &(f32, &Node)| child.visits as f32 + score;
        ranked.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        ranked.truncate(count);
        ranked.into_iter().map(|(score, child)| self.variation(child, score)).collect()
    }

    fn variation<'t>(&'t self, mut node: &'t Node, score: f32) -> Variation {
        let side = self.nodes[0].position.side();
        let mean = |sum: f32| (node.visits > 0).then(|| sum / node.visits as f32);
        let lead = mean(node.sum.lead).map(|lead| if side == Side::First { lead } else { -lead });
        // In the report a draw is half a win.
        let score = score + self.settings.contempt * mean(node.sum.drawn).unwrap_or(0.0);
        let mut moves = node.moves.to_vec();
        let first = moves.len();
        while node.count > 0 {
            let children = &self.nodes[node.first as usize..][..node.count as usize];
            let Some(best) = children.iter().max_by_key(|child| child.visits).filter(|child| child.visits > 0) else {
                break;
            };
            node = best;
            moves.extend_from_slice(&node.moves);
        }
        Variation { moves, first, score: score.clamp(0.0, 1.0), lead }
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::{Options, WallClock};
    use banmen_search::{Limits, StopFlag};

    use super::*;
    use crate::engine::settings::KEYS;
    use crate::maps;

    /// When the budget is over one playout is made, and its result is the mean.
    #[test]
    fn playouts_of_a_leaf_end_with_the_budget() {
        let game = maps::standard();
        let settings = Settings::new(&Options::new(KEYS, &[("playouts", "1000")]).expect("values in range"));
        let mut tree = Tree::new(&game, &settings, game.start(), Rng::new(1), None);
        let (mut rng, mut end) = (tree.rng.clone(), game.start());
        tree.playout.run(&game, &mut end, u32::MAX, &mut rng, |_, _| {});
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::nodes(1), &clock, &stop);
        assert!(!budget.nodes(2));
        let value = tree.evaluate_leaf(0, &mut budget);
        assert_eq!(value.lead, lead(&end));
        assert_eq!(tree.rng.bits(), rng.bits(), "one playout");
    }

    /// A wider beam adds no position that differs only in which of two equal units stands where. Here it finds three.
    #[test]
    fn wider_beams_exchange_no_equal_units() {
        let game = maps::named("tag_A1").expect("a map of the distribution");
        let settings = Settings::new(&Options::new(KEYS, &[("inner", "8/8/4")]).expect("values in range"));
        let mut tree = Tree::new(&game, &settings, game.start(), Rng::new(1), None);
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        tree.expand(0, settings.inner, &mut budget);
        tree.widen(0, &mut budget);
        let keys = tree.children(0).iter().map(|child| child.position.key_of_units());
        assert_eq!(keys.collect::<std::collections::HashSet<u64>>().len(), tree.children(0).len());
    }

    /// The children of a widened node keep what is known of them, and no position is there twice.
    #[test]
    fn wider_beams_add_children() {
        let game = maps::standard();
        let settings = Settings::new(&Options::new(KEYS, &[("inner", "8/8/4")]).expect("values in range"));
        let mut tree = Tree::new(&game, &settings, game.start(), Rng::new(1), None);
        let (clock, stop) = (WallClock::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        tree.begin(&mut budget);
        tree.expand(1, settings.inner, &mut budget);
        let known = |tree: &Tree<'_>| -> Vec<(u64, Box<[Move]>, u32)> {
            tree.children(1).iter().map(|child| (child.position.key(), child.moves.clone(), child.visits)).collect()
        };
        let first = tree.nodes[1].first as usize;
        (0..8).for_each(|child| tree.nodes[first + child].visits = child as u32);
        let before = known(&tree);
        tree.widen(1, &mut budget);
        let after = known(&tree);
        assert_eq!(before, after[..8]);
        let keys: std::collections::HashSet<u64> = after.iter().map(|child| child.0).collect();
        assert_eq!(keys.len(), after.len());
        assert!((40..=56).contains(&after.len()), "{}", after.len());
        let priors: f32 = tree.children(1).iter().map(|child| child.prior).sum();
        assert!((priors - 1.0).abs() < 1e-4);
        // Nothing happens without time.
        stop.stop();
        budget.go_on();
        tree.expand(2, settings.inner, &mut budget);
        let count = tree.nodes[2].count;
        tree.widen(2, &mut budget);
        assert_eq!(tree.nodes[2].count, count);
    }

    #[test]
    fn a_draw_is_worth_less_to_the_side_that_searches() {
        let game = maps::standard();
        let settings = Settings::new(&Options::new(KEYS, &[("contempt", "0.2")]).expect("values in range"));
        let mut position = game.start();
        for worth in [0.3, 0.7] {
            let tree = Tree::new(&game, &settings, position, Rng::new(1), None);
            let value = tree.value_of(&Outcome { winner: None, margin: None, by: "hit points" });
            assert_eq!((value.red, value.drawn), (worth, 1.0));
            game.play(&mut position, Move::END);
        }
    }
}
