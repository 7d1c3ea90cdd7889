//! Trees in reports: which nodes they contain, what selection sees of them, and the last simulation.

#[macro_use]
mod mcts_games;

use banmen_game::{Game, GameState, Rng, Side};
use banmen_search::mcts::{
    Amaf, AmafUpdates, Expansion, Guide, InStages, Mcts, Opponent, Parallel, Payload, Rave, SearchTree, Selection,
    Settings, StagedMcts, Step, TerminalCheck, TreeNode, TreeQuery, Uniform, Unvisited, VirtualVisits, Widening,
};
use banmen_search::{Limits, Player, Report, Staged, StopFlag, Task};
use mcts_games::{ConnectFour, Halves, Push, SeededGame, Still, random_states, with_budget};

const ALL: TreeQuery = TreeQuery { path: Vec::new(), depth: 100, min_visits: 0, max_nodes: usize::MAX, last: true };

fn small() -> Settings {
    Settings { bytes: 1 << 20, ..Settings::default() }
}

fn playouts(count: u64) -> Limits {
    Limits { playouts: Some(count), ..Limits::default() }
}

fn think<G: Game>(player: &mut impl Player<G>, state: &GameState<G>, count: u64, threads: usize) -> Report<G::Move> {
    let (limits, stop) = (playouts(count), StopFlag::default());
    player.think(Task { state, limits, clock: &Still, stop: &stop, threads, lines: 2, progress: None })
}

fn new<G: Game, K: Guide<G>, X: Payload<G>>(game: &G, settings: Settings, guide: K) -> Mcts<G, K, X> {
    Mcts::new(game, settings, guide, 3).expect("the settings are sound")
}

/// The moves that lead to each node.
fn lines<M: Copy>(tree: &SearchTree<M>) -> Vec<Vec<M>> {
    let mut lines: Vec<Vec<M>> = Vec::new();
    for node in &tree.nodes {
        let mut line = node.parent.map(|parent| lines[parent].clone()).unwrap_or_default();
        if let Some(Step::Move(m)) = node.step {
            line.push(m);
        }
        lines.push(line);
    }
    lines
}

#[test]
fn shows_the_nodes_of_the_tree_in_their_order() {
    let state = GameState::new(ConnectFour);
    let mut mcts: Mcts<_, _> = new(&ConnectFour, small(), Uniform::default());
    assert!(mcts.show_tree(Some(ALL)));
    let report = think(&mut mcts, &state, 700, 1);
    let [tree] = &report.trees[..] else { panic!("one tree") };
    assert_eq!(tree.nodes.len() as u64, tree.size);
    assert_eq!((tree.size, tree.capacity), (mcts.statistics().nodes, mcts.statistics().capacity));
    assert_eq!((tree.settings, tree.decided.as_deref()), (small(), None));
    let lines = lines(tree);
    for (place, (node, line)) in tree.nodes.iter().zip(&lines).enumerate() {
        assert_eq!(Some(node.stats), mcts.node_stats(line));
        assert_eq!(node.side, if line.len() % 2 == 0 { Side::First } else { Side::Second });
        let below: Vec<&TreeNode<u8>> = tree.nodes.iter().filter(|child| child.parent == Some(place)).collect();
        assert_eq!((below.len(), node.children), (node.children, mcts.children(line).len()));
        assert!(below.is_sorted_by(|a, b| a.stats.simulations >= b.stats.simulations));
        // Everything below a node follows it at once.
        let end = lines[place..].iter().position(|other| !other.starts_with(line)).unwrap_or(lines.len() - place);
        assert!(lines[place + end..].iter().all(|other| !other.starts_with(line)));
    }
}

#[test]
fn contains_what_is_asked_for() {
    let state = GameState::new(ConnectFour);
    let mut mcts: Mcts<_, _> = new(&ConnectFour, small(), Uniform::default());
    mcts.show_tree(Some(ALL));
    let whole = think(&mut mcts, &state, 2_000, 1).trees.remove(0);
    for max_nodes in [1, 2, 8, 50, 400] {
        let tree = mcts.snapshot(&TreeQuery { max_nodes, ..ALL });
        assert_eq!(tree.nodes.len(), max_nodes);
        let least = tree.nodes.iter().map(|node| node.stats.simulations).fold(f64::INFINITY, f64::min);
        let more = whole.nodes.iter().filter(|node| node.stats.simulations > least).count();
        assert!(more <= max_nodes, "the most visited ones");
    }
    assert_eq!(mcts.snapshot(&TreeQuery { max_nodes: 0, ..ALL }).nodes.len(), 1, "the root is always there");
    let all = lines(&whole);
    for depth in 0..4 {
        let count = all.iter().filter(|line| line.len() <= depth).count();
        assert_eq!(mcts.snapshot(&TreeQuery { depth: depth as u32, ..ALL }).nodes.len(), count);
    }
    for min_visits in [1, 5, 300] {
        let many = |node: &&TreeNode<u8>| node.stats.simulations >= min_visits as f64;
        assert_eq!(
            mcts.snapshot(&TreeQuery { min_visits, ..ALL }).nodes.len(),
            whole.nodes.iter().filter(many).count()
        );
    }
    // Below a node: the way to it, and of what is below it the most visited.
    for line in all.iter().filter(|line| (1..4).contains(&line.len())).step_by(7) {
        let path: Vec<u32> = line.iter().map(|&m| ConnectFour.pack(m)).collect();
        let below = all.iter().filter(|other| other.starts_with(line)).count();
        for (depth, max_nodes) in [(0, 9), (1, usize::MAX), (100, 3), (100, usize::MAX)] {
            let tree = mcts.snapshot(&TreeQuery { path: path.clone(), depth, max_nodes, ..ALL });
            let near = all.iter().filter(|other| other.starts_with(line) && other.len() <= line.len() + depth as usize);
            assert_eq!(tree.nodes.len(), line.len() + near.count().min(max_nodes));
            assert!(below > 0 && tree.nodes[line.len()].step == line.last().copied().map(Step::Move));
            let shown = lines(&tree);
            for (node, line) in tree.nodes.iter().zip(&shown) {
                let known = all.iter().position(|other| other == line).map(|place| &whole.nodes[place]);
                assert_eq!(known.map(|known| (known.stats, known.score)), Some((node.stats, node.score)));
            }
        }
    }
    let missing = mcts.snapshot(&TreeQuery { path: vec![0, 200, 0], ..ALL });
    assert_eq!(missing.nodes.len(), 2, "the way ends where the tree does not go on");
    mcts.show_tree(None);
    assert!(think(&mut mcts, &state, 50, 1).trees.is_empty());
}

#[test]
fn showing_the_tree_does_not_change_the_search() {
    for state in random_states(&SeededGame { seed: 2 }, 4, 4) {
        for (settings, amaf) in [
            (small(), false),
            (Settings { rave: Some(Rave::Schedule { k: 100.0 }), ..small() }, true),
            (Settings { selection: Selection::NewUcb { c: 1.0, e: 1.0 }, ..small() }, false),
        ] {
            let report = |query: Option<TreeQuery>| {
                let mut report = match amaf {
                    true => {
                        let mut mcts: Mcts<_, _, Amaf> = new(state.game(), settings, Uniform::default());
                        mcts.show_tree(query.clone());
                        think(&mut mcts, &state, 800, 1)
                    }
                    false => {
                        let mut mcts: Mcts<_, _> = new(state.game(), settings, Uniform::default());
                        mcts.show_tree(query.clone());
                        think(&mut mcts, &state, 800, 1)
                    }
                };
                assert_eq!(report.trees.len(), usize::from(query.is_some()));
                report.trees.clear();
                report
            };
            assert_eq!(report(None), report(Some(ALL)));
        }
    }
}

/// The line that the next simulation follows by the scores of the tree: in it at every node the child of the highest score, of
/// equals the first in the order of the tree.
fn predicted<G: Game, X: Payload<G>>(mcts: &Mcts<G, Uniform, X>) -> Vec<G::Move> {
    let tree = mcts.snapshot(&ALL);
    let (mut line, mut at) = (Vec::new(), 0);
    while let Some(selection) = tree.nodes[at].selection {
        assert!(selection.width <= tree.nodes[at].children);
        if tree.settings.solver && tree.nodes[at].stats.low >= tree.nodes[at].stats.high {
            break;
        }
        let below =
            |m: G::Move| tree.nodes.iter().position(|node| node.parent == Some(at) && node.step == Some(Step::Move(m)));
        let children = mcts.children(&line).into_iter().filter_map(|(m, _)| Some((m, below(m)?)));
        let excluded = |node: &TreeNode<G::Move>| node.score.is_none() && node.stats.visits > 0.0;
        let open = children.filter(|&(_, place)| !excluded(&tree.nodes[place]));
        let score =
            |place: usize| tree.nodes[place].score.map_or(f64::INFINITY, |score| score.mean + score.exploration);
        let Some((m, next)) = open.reduce(|best, next| if score(next.1) > score(best.1) { next } else { best }) else {
            break;
        };
        line.push(m);
        at = next;
    }
    line
}

/// Single steps: at each of them the next simulation follows the scores until it leaves the tree.
fn follows_scores<G: Game, X: Payload<G>>(state: &GameState<G>, settings: Settings) {
    let mut mcts: Mcts<G, _, X> = new(state.game(), settings, Uniform::default());
    mcts.begin(state);
    mcts.show_tree(Some(ALL));
    for step in 0..300 {
        with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(0), |_| {}));
        let expected = predicted(&mcts);
        let mut line = Vec::new();
        let made = with_budget(Limits::default(), |budget| {
            mcts.run(budget, &playouts(1), |simulation| line = simulation.line.to_vec())
        });
        if made == 0 {
            assert!(settings.solver, "only a proof ends the search");
            return;
        }
        assert!(line.starts_with(&expected), "{settings:?}, step {step}: {line:?} is not {expected:?}");
    }
}

#[test]
fn the_next_simulation_follows_the_highest_scores() {
    let ucb1 = small();
    let parent = Unvisited::Parent { reduction: 0.1 };
    let puct = Settings { selection: Selection::Puct { c: 1.5, base: Some(100.0) }, unvisited: parent, ..small() };
    let threshold = Expansion { threshold: 3, ..ucb1.expansion };
    let virtual_visits = Some(VirtualVisits { visits: 3.0, low: 0.5, high: 0.5 });
    for state in random_states(&SeededGame { seed: 4 }, 5, 3) {
        for settings in [
            ucb1,
            puct,
            Settings { selection: Selection::Ucb1Tuned { c: 1.0 }, ..ucb1 },
            Settings { selection: Selection::PuctLog { c: 0.7 }, virtual_visits, ..ucb1 },
            Settings { opponent: Opponent::Cooperating, expansion: threshold, ..ucb1 },
            Settings { solver: true, ..ucb1 },
        ] {
            follows_scores::<_, ()>(&state, settings);
        }
        follows_scores::<_, Amaf>(&state, Settings { rave: Some(Rave::Schedule { k: 50.0 }), ..puct });
        follows_scores::<_, Amaf>(&state, Settings { rave: Some(Rave::Error { bias: 0.2 }), ..puct });
        follows_scores::<_, Amaf>(&state, Settings { amaf: Some(AmafUpdates::default()), ..ucb1 });
    }
    follows_scores::<_, ()>(&GameState::new(Push { start: 2 }), ucb1);
}

#[test]
fn widening_and_random_choices_are_shown() {
    let state = GameState::new(ConnectFour);
    let widening = Some(Widening::Chaslot { first: 2, a: 100.0, b: 2.0 });
    let mut mcts: Mcts<_, _> = new(&ConnectFour, Settings { widening, ..small() }, Uniform::default());
    mcts.show_tree(Some(TreeQuery { depth: 1, ..ALL }));
    let tree = think(&mut mcts, &state, 150, 1).trees.remove(0);
    assert_eq!((tree.nodes[0].selection.map(|selection| selection.width), tree.nodes[0].children), (Some(2), 7));
    assert_eq!(tree.nodes[1..].iter().filter(|node| node.stats.visits > 0.0).count(), 2);

    let mut mcts: Mcts<_, _> =
        new(&ConnectFour, Settings { opponent: Opponent::Random, ..small() }, Uniform::default());
    mcts.show_tree(Some(ALL));
    let tree = think(&mut mcts, &state, 150, 1).trees.remove(0);
    for node in tree.nodes.iter().filter(|node| node.children > 0) {
        assert_eq!(
            node.selection.map(|selection| selection.chooser),
            (node.side == Side::First).then_some(Side::First)
        );
    }
}

#[test]
fn the_last_simulation_is_a_game() {
    let listed = Expansion { terminal: TerminalCheck::Listed, ..small().expansion };
    for settings in [small(), Settings { expansion: listed, solver: true, ..small() }] {
        for count in [1, 2, 9, 60, 400] {
            let state = GameState::new(ConnectFour);
            let mut mcts: Mcts<_, _> = new(&ConnectFour, settings, Uniform::default());
            mcts.show_tree(Some(TreeQuery { depth: 0, ..ALL }));
            let last = think(&mut mcts, &state, count, 1).trees.remove(0).last.expect("a simulation");
            let mut game = state.clone();
            let moves = last.line.iter().map(|step| match step {
                Step::Move(m) => *m,
                Step::Part(part) => panic!("no stages: {part}"),
            });
            let line: Vec<u8> = moves.collect();
            assert!(mcts.node_stats(&line).is_some_and(|stats| stats.simulations > 0.0));
            for m in line.iter().chain(&last.playout).copied() {
                assert!(ConnectFour.moves(game.position()).contains(&m));
                game.play(m);
            }
            assert_eq!(game.outcome().map(|outcome| outcome.score(Side::First)), Some(last.reward));
            assert_eq!(last.plies as usize, last.playout.len());
            if let Some((ply, children)) = last.expanded {
                assert_eq!(mcts.children(&line[..ply as usize]).len(), children);
            }
        }
    }
    let mut mcts: Mcts<_, _> = new(&ConnectFour, small(), Uniform::default());
    mcts.show_tree(Some(ALL));
    let none = think(&mut mcts, &GameState::new(ConnectFour), 0, 1).trees.remove(0);
    assert_eq!((none.last, none.nodes.len()), (None, 8), "the root has its children at once");
}

#[test]
fn each_stage_has_its_tree() {
    let mut rng = Rng::new(1);
    for state in random_states(&ConnectFour, 8, 4) {
        let view = Staged::new(ConnectFour, Halves(2));
        let guide = InStages::new(Uniform::default());
        let mut player = StagedMcts::new(view, small(), guide, &[1.0, 1.0], rng.bits()).expect("it is sound");
        assert!(player.show_tree(Some(TreeQuery { max_nodes: 60, ..ALL })));
        for _ in 0..2 {
            let report = think(&mut player, &state, 400, 1);
            let last = report.trees.last().expect("a tree");
            assert!(last.decided.is_some());
            assert!(
                report.trees.len() <= 2
                    && report.trees[..report.trees.len() - 1].iter().all(|tree| tree.decided.is_none())
            );
            for tree in &report.trees {
                for node in &tree.nodes {
                    // Stages alternate: a part, then the move that it begins.
                    let parent = node.parent.map(|parent| &tree.nodes[parent].step);
                    match (&node.step, parent) {
                        (Some(Step::Part(_)), Some(Some(Step::Move(_)))) => {}
                        (Some(Step::Part(_)), Some(None)) => assert!(tree.decided.is_none()),
                        (Some(Step::Move(_)), Some(Some(Step::Part(_)))) => {}
                        (Some(Step::Move(_)), Some(None)) => assert!(tree.decided.is_some()),
                        (None, None) => {}
                        other => panic!("{other:?}"),
                    }
                }
                let line = tree.last.as_ref().map(|last| &last.line);
                assert!(line.is_none_or(|line| {
                    line.first().is_none_or(|step| matches!(step, Step::Move(_)) == tree.decided.is_some())
                }));
            }
            let best = last.nodes.iter().find(|node| node.parent == Some(0)).and_then(|node| node.step.clone());
            assert_eq!(best, report.best().map(Step::Move), "the most visited move of the last stage is played");
        }
    }
}

#[test]
fn several_trees_are_added_up() {
    let settings = Settings { parallel: Parallel::Root, ..small() };
    let mut mcts: Mcts<_, _> = new(&ConnectFour, settings, Uniform::default());
    mcts.show_tree(Some(TreeQuery { depth: 2, ..ALL }));
    let report = think(&mut mcts, &GameState::new(ConnectFour), 2_000, 2);
    let tree = &report.trees[0];
    assert_eq!(tree.nodes[0].stats.simulations, 2_000.0);
    let several = banmen_search::threads::most() > 1;
    assert_eq!(tree.nodes[0].selection.is_none(), several);
    assert_eq!(tree.nodes[1].score.is_none(), several);
}
