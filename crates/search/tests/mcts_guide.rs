//! The hooks of a guide: when they are called, with what, and how often.

#[macro_use]
mod mcts_games;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use banmen_game::{Game, GameState, Outcome, Side};
use banmen_search::Limits;
use banmen_search::mcts::{
    Amaf, AmafUpdates, Expansion, Guide, IndexedAmaf, Mcts, NewChildren, Payload, Rave, SearchPosition, Selection,
    Settings, SettingsError, Simulation, TerminalCheck, Uniform, Unvisited,
};
use mcts_games::{ConnectFour, Four, SeededGame, random_states, with_budget};

fn playouts(count: u64) -> Limits {
    Limits { playouts: Some(count), ..Limits::default() }
}

fn grown<G: Game, K: Guide<G>, X: Payload<G>>(
    state: &GameState<G>,
    settings: Settings,
    guide: K,
    count: u64,
) -> Mcts<G, K, X> {
    let mut mcts = Mcts::new(state.game(), settings, guide, 3).expect("the settings are sound");
    mcts.begin(state);
    assert_eq!(with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(count), |_| {})), count);
    mcts
}

fn puct() -> Settings {
    Settings { selection: Selection::Puct { c: 1.5, base: None }, bytes: 8 << 20, ..Settings::default() }
}

/// A made-up network: the value and the priors follow from the stones. Counts its evaluations by position and number of
/// children.
#[derive(Clone, Default)]
struct Network(Arc<Mutex<HashMap<(Four, usize), u32>>>);

fn value(position: &Four) -> f64 {
    (position.stones[0] % 101) as f64 / 100.0
}

impl Guide<ConnectFour> for Network {
    type Scratch = ();

    const PRIORS: bool = true;
    const VALUES: bool = true;

    fn evaluate(&mut self, at: &SearchPosition<'_, ConnectFour>, children: &mut NewChildren<'_, u8>) -> Option<f64> {
        assert_eq!(at.plies, 42 - at.position.empty());
        *self.0.lock().expect("no test panics here").entry((*at.position, children.moves.len())).or_default() += 1;
        for (prior, &m) in children.priors.iter_mut().zip(children.moves) {
            *prior = f32::from(m + 1);
        }
        Some(value(at.position))
    }

    fn cut(&mut self, _: &SearchPosition<'_, ConnectFour>) -> f64 {
        panic!("every leaf has a value");
    }
}

/// All nodes of a tree.
fn visit<G: Game, K: Guide<G>, X: Payload<G>>(
    mcts: &Mcts<G, K, X>,
    state: &GameState<G>,
    line: &mut Vec<G::Move>,
    look: &mut impl FnMut(&GameState<G>, &[G::Move]),
) {
    look(state, line);
    for (m, _) in mcts.children(line) {
        let mut next = state.clone();
        next.play(m);
        line.push(m);
        visit(mcts, &next, line, look);
        line.pop();
    }
}

#[test]
fn values_and_priors_come_from_one_evaluation_of_each_node() {
    let state = GameState::new(ConnectFour);
    for terminal in [TerminalCheck::Visited, TerminalCheck::Listed] {
        let guide = Network::default();
        let counts = Arc::clone(&guide.0);
        let expansion = Expansion { terminal, ..Expansion::default() };
        let mcts: Mcts<_, _> = grown(&state, Settings { expansion, ..puct() }, guide, 2_000);
        assert_eq!(mcts.statistics().refused, 0);
        let mut expected: HashMap<(Four, usize), u32> = HashMap::new();
        visit(&mcts, &state, &mut Vec::new(), &mut |state, line| {
            let (node, children) = (mcts.node_stats(line).expect("a node"), mcts.children(line));
            if children.is_empty() {
                // Not visited, or the game is over there.
                assert!(node.visits == 0.0 || state.outcome().is_some());
                return;
            }
            *expected.entry((*state.position(), children.len())).or_default() += 1;
            let whole: f64 = children.iter().map(|(m, _)| f64::from(m + 1)).sum();
            assert!(children.iter().all(|(m, child)| (child.prior - f64::from(m + 1) / whole).abs() < 1e-6));
            // One simulation ended here with the value (none at the root, whose children were made before).
            let below: f64 = children.iter().map(|(_, child)| child.sum).sum();
            let own = if line.is_empty() { 0.0 } else { value(state.position()) };
            assert!((node.sum - below - own).abs() < 1e-6, "{node:?} after {line:?}");
        });
        assert_eq!(*counts.lock().expect("no test panics here"), expected, "each node once, with its children");
        assert!(expected.len() > 1_500);
    }
}

#[test]
fn leaves_of_a_full_tree_keep_their_values() {
    leaves_of_a_full_tree::<()>(None, 10_000);
    leaves_of_a_full_tree::<Amaf>(Some(AmafUpdates::default()), 13_333);
}

fn leaves_of_a_full_tree<X: Payload<ConnectFour>>(amaf: Option<AmafUpdates>, bytes: usize) {
    let (state, guide) = (GameState::new(ConnectFour), Network::default());
    let counts = Arc::clone(&guide.0);
    let mcts: Mcts<_, _, X> = grown(&state, Settings { amaf, bytes, ..puct() }, guide, 5_000);
    assert!(mcts.statistics().refused > 0);
    let mut leaves = 0;
    visit(&mcts, &state, &mut Vec::new(), &mut |state, line| {
        let node = mcts.node_stats(line).expect("a node");
        if mcts.children(line).is_empty() && node.simulations > 1.0 && state.outcome().is_none() {
            leaves += 1;
            let sum = node.sum - amaf.and(node.amaf).map_or(0.0, |(_, sum)| sum);
            assert!((sum / node.simulations - value(state.position())).abs() < 1e-6, "{node:?} after {line:?}");
        }
    });
    assert!(leaves > 20, "{leaves} leaves with several visits");
    if amaf.is_some() {
        // AMAF results change the mean of a leaf, so it is evaluated at each visit.
        assert!(mcts.statistics().amaf_updates > 1_000);
        return;
    }
    let nodes = mcts.statistics().nodes;
    let asked: u32 = counts.lock().expect("no test panics here").values().sum();
    // Several nodes may have the same position; a node whose children did not fit is evaluated twice at most.
    assert!(u64::from(asked) <= nodes + 1, "{asked} evaluations for {nodes} nodes");
}

#[test]
fn guide_with_values_needs_threshold_and_levels_of_one() {
    let refused = |expansion| {
        let settings = Settings { expansion, ..puct() };
        Mcts::<_, _>::new(&ConnectFour, settings, Network::default(), 1).err()
    };
    for expansion in
        [Expansion { threshold: 2, ..Expansion::default() }, Expansion { levels: 2, ..Expansion::default() }]
    {
        assert_eq!(refused(expansion), Some(SettingsError::ValuesNeedFirstVisit));
    }
    assert_eq!(refused(Expansion::default()), None);
}

/// Priors without values, for every selection.
#[derive(Clone)]
struct Priors;

impl Guide<ConnectFour> for Priors {
    uniform_playouts!(ConnectFour, u32::MAX);

    const PRIORS: bool = true;

    fn evaluate(&mut self, _: &SearchPosition<'_, ConnectFour>, children: &mut NewChildren<'_, u8>) -> Option<f64> {
        assert!(!children.moves.is_empty(), "without values only nodes that get children are evaluated");
        children.priors[0] = 3.0;
        None
    }
}

#[test]
fn priors_are_filled_in_whatever_the_selection() {
    let state = GameState::new(ConnectFour);
    for selection in [Selection::Ucb1 { c: 1.0 }, Selection::NewUcb { c: 1.0, e: 1.0 }, puct().selection] {
        let mcts: Mcts<_, _> = grown(&state, Settings { selection, ..puct() }, Priors, 200);
        let priors: Vec<f64> = mcts.children(&[]).iter().map(|(_, child)| child.prior).collect();
        assert!((priors[0] - 3.0 / 9.0).abs() < 1e-6 && (priors[6] - 1.0 / 9.0).abs() < 1e-6, "{priors:?}");
    }
}

/// Remembers what it was called with: the roots, and how many simulations were finished since.
#[derive(Clone, Default)]
struct Memory {
    finished: u32,
    rewards: f64,
    descents: u32,
    depth: usize,
    roots: Arc<Mutex<Vec<(usize, u32)>>>,
}

impl Guide<ConnectFour> for Memory {
    uniform_playouts!(ConnectFour, u32::MAX);

    fn begin(&mut self, root: &GameState<ConnectFour>) {
        self.roots.lock().expect("no test panics here").push((root.moves().len(), self.finished));
    }

    fn descended(&mut self, line: &[u8]) {
        self.descents += 1;
        self.depth = line.len();
    }

    fn ended(&mut self, at: &SearchPosition<'_, ConnectFour>, outcome: &Outcome) -> f64 {
        let roots = self.roots.lock().expect("no test panics here");
        let (root, _) = roots.last().expect("a decision has begun");
        assert_eq!(42 - at.position.empty(), *root as u32 + at.plies, "plies are counted from the root");
        outcome.score(Side::First)
    }

    fn finished(&mut self, simulation: &Simulation<'_, u8>) {
        if simulation.plies > 0 {
            assert_eq!(self.depth, simulation.line.len(), "the descent before the playout");
            self.descents -= 1;
        }
        assert_eq!(self.descents, 0, "one call for each playout");
        self.finished += 1;
        self.rewards += simulation.reward;
    }
}

#[test]
fn guide_keeps_its_memory_from_simulation_to_simulation_until_a_new_game() {
    let guide = Memory::default();
    let roots = Arc::clone(&guide.roots);
    let mut state = GameState::new(ConnectFour);
    let mut mcts = Mcts::<_, _>::new(&ConnectFour, Settings { reuse: true, ..puct() }, guide, 3).expect("it is sound");
    roots.lock().expect("no test panics here").clear();
    for m in [3, 2] {
        mcts.begin(&state);
        with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(500), |_| {}));
        state.play(m);
    }
    assert_eq!(*roots.lock().expect("no test panics here"), [(0, 0), (1, 500)]);
    banmen_search::Player::new_game(&mut mcts, &state, 4);
    assert_eq!(roots.lock().expect("no test panics here").last(), Some(&(2, 0)), "a new game forgets");
}

#[test]
fn indexed_amaf_grows_the_same_tree_as_hashed_amaf() {
    fn same<G: banmen_game::MoveIndex>(state: &GameState<G>, settings: Settings) {
        let hashed: Mcts<_, _, Amaf> = grown(state, settings, Uniform::default(), 2_000);
        let indexed: Mcts<_, _, IndexedAmaf> = grown(state, settings, Uniform::default(), 2_000);
        let mut nodes = 0;
        visit(&hashed, state, &mut Vec::new(), &mut |_, line| {
            assert_eq!(hashed.node_stats(line), indexed.node_stats(line), "after {line:?}");
            assert_eq!(hashed.children(line), indexed.children(line), "after {line:?}");
            nodes += 1;
        });
        assert!(nodes > 9 && hashed.node_stats(&[]).is_some_and(|root| root.amaf.is_some()));
        assert_eq!(hashed.report(3), indexed.report(3));
    }
    for rave in [Rave::Schedule { k: 300.0 }, Rave::Error { bias: 0.1 }] {
        let unvisited = Unvisited::Value(0.5);
        let settings = Settings { rave: Some(rave), unvisited, bytes: 8 << 20, ..Settings::default() };
        for state in random_states(&ConnectFour, 3, 4) {
            same(&state, settings);
        }
        same(&GameState::new(SeededGame { seed: 4 }), settings);
    }
}
