//! The tree search against a plain implementation as textbooks have it: the same seed must give the same visits and rewards
//! in every node.

#[macro_use]
mod mcts_games;

use banmen_game::{Game, GameState, History, Outcome, Rng, Side};
use banmen_search::mcts::{
    Amaf, AmafUpdate, AmafUpdates, Expansion, FinalMove, Guide, IndexedAmaf, Mcts, NewChildren, Opponent, Order,
    Payload, Rave, SearchPosition, Selection, Settings, StagedMcts, TerminalCheck, Total, Uniform, Unvisited,
    VirtualVisits, Widening,
};
use banmen_search::{Limits, Player, Staged, Stages, StopFlag, Task};
use mcts_games::{ConnectFour, Halves, SeededGame, Still, random_states, with_budget};

/// A node of the plain search.
struct Plain<M> {
    m: Option<M>,
    prior: f64,
    n: f64,
    sum: f64,
    squares: f64,
    amaf: (f64, f64),
    /// Whether its children were made, if any got into the tree.
    expanded: bool,
    children: Vec<Plain<M>>,
}

/// The plain search: recursion, vectors, floats.
struct Reference<'a, G: Game, K> {
    game: &'a G,
    settings: Settings,
    guide: K,
    root: Side,
    /// Simulations before this one.
    simulations: f64,
    rng: Rng,
    weights: fn(usize) -> Vec<f32>,
    /// What [`Guide::amaf_weight`] says.
    hook: AmafHook,
    /// What [`Guide::exploration`] says.
    exploration: fn(Side) -> f64,
    /// Moves of the simulation so far, in the tree and in the playout.
    made: Vec<(Side, G::Move)>,
    amaf_updates: u64,
}

/// The weight of an AMAF update: of what the side played (packed), what it played later, the distance, and the length.
type AmafHook = fn(Side, u32, u32, u32, u32) -> f64;

/// How many children can be selected after so many simulations, by the sums of the papers.
fn width(settings: &Settings, simulations: f64) -> usize {
    let (first, a, b, sums) = match settings.widening {
        None => return usize::MAX,
        Some(Widening::Coulom { first, a, b }) => (first, a, b, true),
        Some(Widening::Chaslot { first, a, b }) => (first, a, b, false),
    };
    let (mut width, mut step, mut next) = (first as usize, a, 0.0);
    loop {
        next = if sums { next + step } else { step * b };
        step *= b;
        if simulations + 1e-6 < next {
            return width;
        }
        width += 1;
    }
}

/// The number in the search's fixed point, which has 31 binary digits after the point.
fn rounded(x: f64) -> f64 {
    let one = f64::from(1u32 << 31);
    (x * one + 0.5).floor() / one
}

impl<M> Plain<M> {
    fn new(m: Option<M>, prior: f64) -> Self {
        Plain { m, prior, n: 0.0, sum: 0.0, squares: 0.0, amaf: (0.0, 0.0), expanded: false, children: Vec::new() }
    }

    fn add_virtual_visits(&mut self, visits: f64, value: f64) {
        self.n = rounded(visits);
        self.sum = rounded(visits * value);
        self.squares = rounded(visits * value * value);
    }

    /// Visits by simulations.
    fn own(&self, settings: &Settings) -> f64 {
        let by_amaf = if settings.amaf.is_some() { self.amaf.0 } else { 0.0 };
        self.n - by_amaf - settings.virtual_visits.map_or(0.0, |initial| rounded(initial.visits))
    }
}

impl<G: Game, K: Guide<G>> Reference<'_, G, K> {
    /// The reference knows games without a history.
    fn outcome(&self, position: &G::Position) -> Option<Outcome> {
        assert!(G::History::EMPTY);
        self.game.outcome(position, &G::History::default())
    }

    fn reward(outcome: &Outcome) -> f64 {
        outcome.score(Side::First)
    }

    fn expand(&mut self, node: &mut Plain<G::Move>, position: &G::Position, levels: u32, skips: bool) {
        node.expanded = true;
        let game = self.game;
        let after = |m| {
            let mut next = position.clone();
            game.play(&mut next, m);
            next
        };
        let mut moves = Vec::new();
        if K::CANDIDATES {
            let plies = self.made.len() as u32;
            let history = G::History::default();
            let at = SearchPosition::new(game, position, &history, plies, &[]);
            self.guide.candidates(&at, &mut self.rng, &mut moves);
        } else {
            moves = game.moves(position);
        }
        moves.retain(|&m| !skips || self.outcome(&after(m)).is_none());
        if self.settings.expansion.order == Order::Shuffled {
            for last in (1..moves.len()).rev() {
                moves.swap(last, self.rng.index(last + 1));
            }
        }
        let weights = (self.weights)(moves.len());
        let whole: f32 = weights.iter().sum();
        let priors = weights.iter().map(|weight| f64::from(weight / whole));
        node.children = moves.iter().zip(priors).map(|(&m, prior)| Plain::new(Some(m), prior)).collect();
        if self.settings.expansion.order == Order::Prior {
            node.children.sort_by(|a, b| b.prior.total_cmp(&a.prior));
            moves = node.children.iter().filter_map(|child| child.m).collect();
        }
        if let Some(VirtualVisits { visits, low, high }) = self.settings.virtual_visits {
            let highest = node.children.iter().map(|child| child.prior).fold(0.0, f64::max);
            for child in &mut node.children {
                let value = low + (high - low) * child.prior / highest;
                let first = if game.side_to_move(position) == Side::First { value } else { 1.0 - value };
                child.add_virtual_visits(visits, first);
            }
        }
        if levels > 1 {
            for (child, &m) in node.children.iter_mut().zip(&moves) {
                self.expand(child, &after(m), levels - 1, false);
            }
        }
    }

    /// So many simulations from the root.
    fn run(&mut self, root: &mut Plain<G::Move>, position: &G::Position, simulations: u64) {
        if self.settings.expansion.root && !root.expanded {
            self.expand(root, position, 1, false);
        }
        for _ in 0..simulations {
            self.made.clear();
            self.simulate(root, position.clone());
            self.simulations += 1.0;
        }
    }

    fn simulate(&mut self, node: &mut Plain<G::Move>, mut position: G::Position) -> f64 {
        let expansion = self.settings.expansion;
        let depth = self.made.len();
        let over = self.outcome(&position);
        if over.is_none() && !node.expanded && node.own(&self.settings) >= f64::from(expansion.threshold) {
            self.expand(node, &position, expansion.levels, expansion.terminal == TerminalCheck::Skipped);
        }
        let reward = if let Some(outcome) = over {
            Self::reward(&outcome)
        } else if node.children.is_empty() {
            self.play_out(position)
        } else {
            let side = self.game.side_to_move(&position);
            let index = self.choose(node, side);
            let child = &mut node.children[index];
            let m = child.m.expect("a child has a move");
            self.made.push((side, m));
            self.game.play(&mut position, m);
            let reward = self.simulate(child, position);
            self.update_amaf(node, index, depth, reward);
            reward
        };
        node.n += 1.0;
        node.sum += reward;
        node.squares += reward * reward;
        reward
    }

    /// AMAF at a node, `depth` plies below the root, where `index` was visited. The moves from there on are known.
    fn update_amaf(&mut self, node: &mut Plain<G::Move>, index: usize, depth: usize, reward: f64) {
        let settings = self.settings;
        if settings.rave.is_none() && settings.amaf.is_none() {
            return;
        }
        let ((side, played), length) = (self.made[depth], self.made.len() - depth);
        let bounded = |n: f64, most: Option<u32>| most.is_none_or(|most| n.floor() <= f64::from(most));
        for (place, child) in node.children.iter_mut().enumerate() {
            let m = child.m.expect("a child has a move");
            if place == index {
                if settings.rave.is_some() {
                    self.amaf_updates += 1;
                    child.amaf.0 += 1.0;
                    child.amaf.1 += reward;
                }
                continue;
            }
            let Some(distance) = self.made[depth..].iter().position(|&made| made == (side, m)) else { continue };
            let (from, to) = (self.game.pack(played), self.game.pack(m));
            let mut weight = (self.hook)(side, from, to, distance as u32, length as u32);
            if let Some(amaf) = settings.amaf {
                let root = depth == 0 || !amaf.root_only;
                if !root || !bounded(node.n + 1.0, amaf.parent_max) || !bounded(child.n, amaf.child_max) {
                    continue;
                }
                weight *= amaf.weight * (1.0 - amaf.decay * distance as f64 / length as f64);
            }
            let weight = rounded(weight);
            if weight == 0.0 {
                continue;
            }
            self.amaf_updates += 1;
            let won = rounded(weight * reward);
            child.amaf.0 += weight;
            child.amaf.1 += won;
            if settings.amaf.is_some() {
                child.n += weight;
                child.sum += won;
                child.squares += rounded(weight * reward * reward);
            }
        }
    }

    fn play_out(&mut self, mut position: G::Position) -> f64 {
        loop {
            if let Some(outcome) = self.outcome(&position) {
                return Self::reward(&outcome);
            }
            let moves = self.game.moves(&position);
            let m = if moves.len() == 1 { moves[0] } else { moves[self.rng.index(moves.len())] };
            self.made.push((self.game.side_to_move(&position), m));
            self.game.play(&mut position, m);
        }
    }

    fn choose(&mut self, node: &Plain<G::Move>, side: Side) -> usize {
        let own = match self.settings.opponent {
            Opponent::Minimising => side,
            Opponent::Cooperating => self.root,
            Opponent::Random if side != self.root => return self.rng.index(node.children.len()),
            Opponent::Random => side,
        };
        // What the chooser won of `n` visits.
        let won = |sum: f64, n: f64| if own == Side::First { sum } else { n - sum };
        let parent = node.n.max(1.0);
        let total = match self.settings.total {
            Total::Parent => parent,
            Total::Root => (self.simulations
                + self.settings.virtual_visits.map_or(0.0, |initial| rounded(initial.visits)))
            .max(1.0),
        };
        let ln = libm::log(total);
        let rng = &mut self.rng;
        let scale = (self.exploration)(side);
        let score = |child: &Plain<G::Move>| {
            let urgency = match self.settings.unvisited {
                Unvisited::First if child.n == 0.0 => return f64::INFINITY,
                Unvisited::First => 0.0,
                Unvisited::Value(value) => value,
                Unvisited::Parent { reduction } if node.n == 0.0 => 0.5 - reduction,
                Unvisited::Parent { reduction } => won(node.sum, node.n) / node.n - reduction,
            };
            let n = child.n;
            let n_or_1 = if n == 0.0 { 1.0 } else { n };
            let mean = if n == 0.0 { urgency } else { won(child.sum, n) / n };
            let q = match self.settings.rave {
                Some(rave) if child.amaf.0 > 0.0 => {
                    let m = child.amaf.0;
                    let beta = match rave {
                        Rave::Schedule { k } => (k / (3.0 * parent + k)).sqrt(),
                        Rave::Error { bias } => m / (n + m + 4.0 * n * m * bias * bias),
                    };
                    (1.0 - beta) * mean + beta * won(child.amaf.1 / m, 1.0)
                }
                _ => mean,
            };
            match self.settings.selection {
                Selection::Puct { c, base } => {
                    let growth = base.map_or(0.0, |base| libm::log((total + base + 1.0) / base));
                    q + (c + growth) * scale * total.sqrt() * child.prior / (1.0 + n)
                }
                Selection::PuctLog { c } => {
                    q + c * scale * total.sqrt() * libm::log(total + 1.0) * child.prior / (1.0 + n)
                }
                _ if n == 0.0 && urgency == f64::INFINITY => q,
                Selection::Custom { .. } => unreachable!("mcts_tree.rs compares rules of other crates with these"),
                Selection::NewUcb { c, e } => {
                    q + c * scale * (2.0 * libm::log(total + e) / (n + e)).sqrt() + rng.unit() * e
                }
                _ if n == 0.0 && matches!(self.settings.unvisited, Unvisited::Value(_)) => q,
                Selection::Ucb1 { c } => q + c * scale * (ln / n_or_1).sqrt(),
                Selection::Ucb1Tuned { c } => {
                    let n = n_or_1;
                    let variance = (child.squares / n - (child.sum / n) * (child.sum / n)).max(0.0);
                    q + c * scale * (ln / n * (variance + (2.0 * ln / n).sqrt()).min(0.25)).sqrt()
                }
            }
        };
        // With `Unvisited::First` nothing is drawn for children after the first of those without a visit.
        let children = &node.children[..width(&self.settings, node.own(&self.settings)).min(node.children.len())];
        let never = children.iter().position(|child| child.n == 0.0);
        if let (Unvisited::First, Some(first)) = (self.settings.unvisited, never) {
            children[..first].iter().map(score).for_each(drop);
            return first;
        }
        let scores: Vec<f64> = children.iter().map(score).collect();
        let mut best = 0;
        for index in 1..scores.len() {
            if scores[index] > scores[best] {
                best = index;
            }
        }
        best
    }
}

/// Uneven priors from the number of moves alone.
#[derive(Clone)]
struct Uneven;

fn uneven(count: usize) -> Vec<f32> {
    (0..count).map(|index| 1.0 + (index * 5 % 3) as f32).collect()
}

impl<G: Game> Guide<G> for Uneven {
    const PRIORS: bool = true;

    uniform_playouts!(G, u32::MAX);

    fn evaluate(&mut self, _: &SearchPosition<'_, G>, children: &mut NewChildren<'_, G::Move>) -> Option<f64> {
        children.priors.copy_from_slice(&uneven(children.moves.len()));
        None
    }
}

fn same<G: Game, K: Guide<G>, X: Payload<G>>(
    mcts: &Mcts<G, K, X>,
    plain: &Plain<G::Move>,
    line: &mut Vec<G::Move>,
    settings: &Settings,
) {
    let exact = settings.rave.is_some() || settings.amaf.is_some();
    let known = mcts.node_stats(line).expect("a node of the plain tree is in the tree");
    assert_eq!((known.visits, known.sum), (plain.n, plain.sum), "after {line:?}");
    assert_eq!(known.simulations, plain.own(settings));
    assert_eq!((known.prior, known.amaf.is_some()), (plain.prior, X::AMAF));
    if exact && let (Some(amaf), false) = (known.amaf, line.is_empty()) {
        assert_eq!(amaf, plain.amaf, "AMAF after {line:?}");
    }
    let children = mcts.children(line);
    assert_eq!(children.len(), plain.children.len(), "children after {line:?}");
    for ((m, _), child) in children.iter().zip(&plain.children) {
        assert_eq!(Some(*m), child.m);
        line.push(*m);
        same(mcts, child, line, settings);
        line.pop();
    }
}

fn compare<G: Game, K: Guide<G>, X: Payload<G>>(
    state: &GameState<G>,
    settings: Settings,
    guide: K,
    weights: fn(usize) -> Vec<f32>,
    hook: AmafHook,
    simulations: u64,
) {
    let seed = 11;
    let mut mcts = Mcts::<G, K, X>::new(state.game(), settings, guide.clone(), seed).expect("it is sound");
    mcts.begin(state);
    let made = with_budget(Limits::default(), |budget| {
        mcts.run(budget, &Limits { playouts: Some(simulations), ..Limits::default() }, |_| {})
    });
    assert_eq!(made, simulations);

    let (game, rng) = (state.game(), Rng::new(seed));
    let root_side = state.side_to_move();
    let mut reference = Reference {
        game,
        settings,
        guide,
        root: root_side,
        simulations: 0.0,
        rng,
        weights,
        hook,
        exploration: if K::EXPLORES { explored } else { |_| 1.0 },
        made: Vec::new(),
        amaf_updates: 0,
    };
    let mut root = Plain::new(None, 0.0);
    if let Some(initial) = settings.virtual_visits {
        root.add_virtual_visits(initial.visits, 0.5);
    }
    reference.run(&mut root, state.position(), simulations);
    same(&mcts, &root, &mut Vec::new(), &settings);
    assert_eq!(mcts.statistics().amaf_updates, reference.amaf_updates);
    let rank = |child: &Plain<G::Move>| match settings.final_move {
        FinalMove::Simulations => child.own(&settings),
        _ => child.n,
    };
    let most = root.children.iter().map(rank).fold(0.0, f64::max);
    let best = mcts.best().expect("the game goes on");
    assert!(root.children.iter().any(|child| child.m == Some(best) && rank(child) == most));
}

/// The defaults with less memory.
fn small() -> Settings {
    Settings { bytes: 4 << 20, ..Settings::default() }
}

fn even(count: usize) -> Vec<f32> {
    vec![1.0; count]
}

fn everywhere<K: Guide<ConnectFour> + Guide<SeededGame>, X: Payload<ConnectFour> + Payload<SeededGame>>(
    settings: Settings,
    guide: K,
    weights: fn(usize) -> Vec<f32>,
) {
    everywhere_with_hook::<K, X>(settings, guide, weights, |_, _, _, _, _| 1.0);
}

fn everywhere_with_hook<K: Guide<ConnectFour> + Guide<SeededGame>, X: Payload<ConnectFour> + Payload<SeededGame>>(
    settings: Settings,
    guide: K,
    weights: fn(usize) -> Vec<f32>,
    hook: AmafHook,
) {
    for state in random_states(&ConnectFour, 2, 9) {
        compare::<_, K, X>(&state, settings, guide.clone(), weights, hook, 600);
    }
    for seed in 0..8 {
        compare::<_, K, X>(&GameState::new(SeededGame { seed }), settings, guide.clone(), weights, hook, 300);
    }
}

#[test]
fn every_selection_agrees_with_the_reference() {
    for selection in [
        Selection::Ucb1 { c: std::f64::consts::SQRT_2 },
        Selection::Ucb1 { c: 0.3 },
        Selection::Ucb1Tuned { c: 1.0 },
        Selection::Puct { c: 1.5, base: None },
        Selection::Puct { c: 1.25, base: Some(19_652.0) },
        Selection::PuctLog { c: 0.25 },
        Selection::NewUcb { c: 1.0, e: 1.0 },
        Selection::NewUcb { c: 0.5, e: 0.01 },
    ] {
        for unvisited in [Unvisited::First, Unvisited::Value(0.75), Unvisited::Parent { reduction: 0.125 }] {
            for total in [Total::Parent, Total::Root] {
                let settings = Settings { selection, total, unvisited, ..small() };
                everywhere::<_, ()>(settings, Uniform::default(), even);
            }
        }
    }
    let selection = Selection::Puct { c: 1.5, base: None };
    let unvisited = Unvisited::Parent { reduction: 0.25 };
    everywhere::<_, ()>(Settings { selection, unvisited, ..small() }, Uneven, uneven);
}

#[test]
fn every_opponent_and_expansion_agrees_with_the_reference() {
    for opponent in [Opponent::Minimising, Opponent::Cooperating, Opponent::Random] {
        for (threshold, levels) in [(1, 1), (1, 2), (10, 1), (10, 2)] {
            for terminal in [TerminalCheck::Visited, TerminalCheck::Listed, TerminalCheck::Skipped] {
                for root in [true, false] {
                    let expansion = Expansion { threshold, levels, terminal, root, ..Expansion::default() };
                    everywhere::<_, ()>(Settings { opponent, expansion, ..small() }, Uniform::default(), even);
                }
            }
        }
    }
}

#[test]
fn rave_agrees_with_the_reference() {
    for rave in [Rave::Schedule { k: 50.0 }, Rave::Error { bias: 0.1 }] {
        for unvisited in [Unvisited::First, Unvisited::Value(0.5)] {
            let selection = Selection::Ucb1 { c: 0.2 };
            everywhere::<_, Amaf>(
                Settings { rave: Some(rave), selection, unvisited, ..small() },
                Uniform::default(),
                even,
            );
        }
    }
}

#[test]
fn widening_agrees_with_the_reference() {
    let ordered = Expansion { order: Order::Prior, ..Expansion::default() };
    for widening in [
        Widening::Coulom { first: 1, a: 5.0, b: 1.4 },
        Widening::Coulom { first: 2, a: 3.0, b: 1.1 },
        Widening::Chaslot { first: 1, a: 2.0, b: 1.5 },
        Widening::Chaslot { first: 3, a: 10.0, b: 2.0 },
    ] {
        let widening = Some(widening);
        for selection in [Selection::Ucb1 { c: 0.5 }, Selection::NewUcb { c: 1.0, e: 0.5 }] {
            for opponent in [Opponent::Minimising, Opponent::Random] {
                let settings = Settings { widening, selection, opponent, ..small() };
                everywhere::<_, ()>(settings, Uniform::default(), even);
                everywhere::<_, ()>(Settings { expansion: ordered, ..settings }, Uneven, uneven);
            }
        }
        let amaf = Some(AmafUpdates::default());
        let settings = Settings { widening, amaf, expansion: Expansion { levels: 2, ..ordered }, ..small() };
        everywhere::<_, Amaf>(settings, Uneven, uneven);
    }
}

#[test]
fn virtual_visits_and_orders_by_prior_agree_with_the_reference() {
    let amaf = AmafUpdates { weight: 0.5, child_max: Some(20), ..AmafUpdates::default() };
    for order in [Order::Listed, Order::Prior] {
        for (visits, low, high) in [(3.0, 0.1, 0.9), (0.3, 0.5, 0.5), (20.0, 0.0, 1.0)] {
            let virtual_visits = Some(VirtualVisits { visits, low, high });
            for selection in
                [Selection::PuctLog { c: 0.3 }, Selection::Ucb1 { c: 0.5 }, Selection::Ucb1Tuned { c: 1.0 }]
            {
                for (total, threshold) in [(Total::Parent, 1), (Total::Root, 4)] {
                    let expansion = Expansion { order, threshold, root: threshold == 1, ..Expansion::default() };
                    let settings = Settings { virtual_visits, selection, total, expansion, ..small() };
                    everywhere::<_, ()>(settings, Uneven, uneven);
                    everywhere::<_, IndexedAmaf>(Settings { amaf: Some(amaf), ..settings }, Uneven, uneven);
                }
            }
        }
    }
}

/// The weight of an AMAF update depends on everything that the hook knows.
fn weigh(side: Side, played: u32, later: u32, distance: u32, length: u32) -> f64 {
    assert!(played != later && 0 < distance && distance < length, "{played} {later} {distance} {length}");
    match (played + later) % 3 {
        0 => 0.0,
        1 => 1.0,
        _ => f64::from(length - distance) / f64::from(length + side as u32),
    }
}

#[derive(Clone)]
struct Weighing;

impl<G: Game> Guide<G> for Weighing {
    uniform_playouts!(G, u32::MAX);

    fn amaf_weight(&mut self, game: &G, update: &AmafUpdate<G::Move>) -> f64 {
        weigh(update.side, game.pack(update.played), game.pack(update.later), update.distance, update.length)
    }
}

#[test]
fn amaf_in_the_ordinary_counters_agrees_with_the_reference() {
    let default = AmafUpdates::default();
    for amaf in [
        default,
        AmafUpdates { root_only: true, ..default },
        AmafUpdates { weight: 0.3, decay: 0.7, ..default },
        AmafUpdates { decay: 1.0, parent_max: Some(40), child_max: Some(15), ..default },
    ] {
        for final_move in [FinalMove::Visits, FinalMove::Simulations] {
            for selection in [Selection::Ucb1 { c: 0.4 }, Selection::Ucb1Tuned { c: 1.0 }] {
                for threshold in [1, 5] {
                    let expansion = Expansion { threshold, ..Expansion::default() };
                    let settings = Settings { amaf: Some(amaf), selection, expansion, final_move, ..small() };
                    everywhere::<_, Amaf>(settings, Uniform::default(), even);
                    everywhere_with_hook::<_, IndexedAmaf>(settings, Weighing, even, weigh);
                }
            }
        }
    }
}

#[test]
fn weighted_rave_agrees_with_the_reference() {
    let selection = Selection::Ucb1 { c: 0.2 };
    let settings = Settings { rave: Some(Rave::Schedule { k: 50.0 }), selection, ..small() };
    everywhere_with_hook::<_, Amaf>(settings, Weighing, even, weigh);
}

/// A factor of exploration for each side.
fn explored(side: Side) -> f64 {
    [0.25, 3.0][side.index()]
}

#[derive(Clone)]
struct Exploring;

impl<G: Game> Guide<G> for Exploring {
    const EXPLORES: bool = true;

    uniform_playouts!(G, u32::MAX);

    fn exploration(&self, game: &G, position: &G::Position) -> f64 {
        explored(game.side_to_move(position))
    }
}

#[test]
fn exploration_by_position_agrees_with_the_reference() {
    for selection in [
        Selection::Ucb1 { c: 0.5 },
        Selection::Ucb1Tuned { c: 1.0 },
        Selection::Puct { c: 1.25, base: Some(19_652.0) },
        Selection::PuctLog { c: 0.25 },
        Selection::NewUcb { c: 1.0, e: 1.0 },
    ] {
        everywhere::<_, ()>(Settings { selection, ..small() }, Exploring, even);
    }
}

/// Makes at most three children, drawn from all moves.
#[derive(Clone)]
struct Three;

impl<G: Game> Guide<G> for Three {
    const CANDIDATES: bool = true;

    uniform_playouts!(G, u32::MAX);

    fn candidates(&mut self, at: &SearchPosition<'_, G>, rng: &mut Rng, moves: &mut Vec<G::Move>) {
        let mut all = at.game.moves(at.position);
        while moves.len() < 3 && !all.is_empty() {
            moves.push(all.swap_remove(rng.index(all.len())));
        }
    }
}

#[test]
fn candidates_agree_with_the_reference() {
    for order in [Order::Listed, Order::Shuffled] {
        for (terminal, levels, root) in
            [(TerminalCheck::Visited, 1, true), (TerminalCheck::Listed, 2, false), (TerminalCheck::Skipped, 1, false)]
        {
            let expansion = Expansion { levels, terminal, order, root, ..Expansion::default() };
            let newucb = Selection::NewUcb { c: 1.0, e: 1.0 };
            for selection in [Settings::default().selection, newucb] {
                everywhere::<_, ()>(Settings { selection, expansion, ..small() }, Three, even);
                let unvisited = Unvisited::Value(0.0);
                everywhere::<_, ()>(Settings { selection, expansion, unvisited, ..small() }, Three, even);
            }
        }
    }
}

/// A decision of the player that searches in stages, against the plain search: each stage gets its part of the simulations,
/// and the search goes on from the first child of the highest mean, with what is known below it.
fn compare_in_stages<G: Game>(state: &GameState<G>, settings: Settings, count: usize, shares: &[f64])
where
    Halves: Stages<G>,
{
    const PLAYOUTS: u64 = 500;
    let seed = 11;
    let game = Staged::new(state.game().clone(), Halves(count));
    let mut player: StagedMcts<G, Halves, _> =
        StagedMcts::new(game.clone(), settings, Uniform::default(), shares, seed).expect("it is sound");
    let report = player.think(Task {
        state,
        limits: Limits { playouts: Some(PLAYOUTS), ..Limits::default() },
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 1,
        progress: None,
    });

    let side = state.side_to_move();
    let mut reference = Reference {
        game: &game,
        settings,
        guide: Uniform::default(),
        root: side,
        simulations: 0.0,
        rng: Rng::new(seed),
        weights: even,
        hook: |_, _, _, _, _| 1.0,
        exploration: |_| 1.0,
        made: Vec::new(),
        amaf_updates: 0,
    };
    let (mut root, mut position) = (Plain::new(None, 0.0), game.position(state.position().clone()));
    let (mut spent, sum) = (0.0, shares.iter().sum::<f64>());
    for share in shares {
        spent += share;
        let listed = game.moves(&position);
        if listed.len() > 1 {
            let end = (PLAYOUTS as f64 * spent / sum).round() - reference.simulations;
            reference.run(&mut root, &position, end as u64);
        }
        let mean = |child: &Plain<_>| match side {
            _ if child.n == 0.0 => f64::NEG_INFINITY,
            Side::First => child.sum / child.n,
            Side::Second => 1.0 - child.sum / child.n,
        };
        let mut best = 0;
        for index in 1..root.children.len() {
            if mean(&root.children[index]) > mean(&root.children[best]) {
                best = index;
            }
        }
        let m = root.children.get(best).map_or(Some(listed[0]), |child| child.m).expect("a child has a move");
        if position.is_last() {
            assert_eq!(report.best(), game.whole(&position, m));
            assert_eq!(report.playouts, Some(reference.simulations as u64));
        } else {
            game.play(&mut position, m);
            root = if root.children.is_empty() { Plain::new(None, 0.0) } else { root.children.swap_remove(best) };
        }
    }
    // The root has no prior, also where it was a child.
    same(
        player.search(),
        &Plain { prior: player.search().node_stats(&[]).expect("a root").prior, ..root },
        &mut Vec::new(),
        &settings,
    );
}

#[test]
fn budgets_divided_among_stages_agree_with_the_reference() {
    let mut searched = 0;
    for (opponent, total, threshold) in [
        (Opponent::Cooperating, Total::Root, 6),
        (Opponent::Minimising, Total::Parent, 1),
        (Opponent::Minimising, Total::Root, 3),
    ] {
        let expansion = Expansion { threshold, ..Expansion::default() };
        let selection = Selection::Ucb1 { c: 0.15 };
        let settings = Settings { selection, opponent, total, expansion, final_move: FinalMove::FirstMean, ..small() };
        for shares in [&[1.0][..], &[0.5, 0.5], &[0.1, 0.9], &[1.0, 0.0], &[1.0, 2.0, 3.0]] {
            for state in random_states(&ConnectFour, 4, 9) {
                compare_in_stages(&state, settings, shares.len(), shares);
                searched += 1;
            }
            for seed in 0..8 {
                compare_in_stages(&GameState::new(SeededGame { seed }), settings, shares.len(), shares);
            }
        }
    }
    assert!(searched > 30, "{searched}");
}

#[test]
fn first_of_equal_means_is_played() {
    // Every reward is ½; the selection visits some children more often than others.
    let selection = Selection::NewUcb { c: 1.0, e: 1.0 };
    let limits = Limits { playouts: Some(40), ..Limits::default() };
    let best = |final_move, seed| {
        let settings = Settings { selection, final_move, ..small() };
        let mut mcts: Mcts<ConnectFour, _> =
            Mcts::new(&ConnectFour, settings, Uniform::new(0), seed).expect("it is sound");
        mcts.begin(&GameState::new(ConnectFour));
        with_budget(Limits::default(), |budget| mcts.run(budget, &limits, |_| {}));
        mcts.best()
    };
    assert!((0..20).all(|seed| best(FinalMove::FirstMean, seed) == Some(0)));
    assert!((0..20).any(|seed| best(FinalMove::Mean, seed) != Some(0)), "there it is the one with most visits");
}
