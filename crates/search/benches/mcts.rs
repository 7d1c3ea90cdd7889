//! What choices of the tree search cost: nanoseconds of wall time a simulation.
//!
//! `cargo bench -p banmen-search --bench mcts`. Connect Four from its start. Playouts are cut off at once, so that only
//! the tree is measured; each figure is the best of many short runs, the searches taking turns. The baseline is a UCT
//! without any choice: UCB1, children at the second visit, a minimising opponent.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

#[path = "../tests/mcts_games/mod.rs"]
mod mcts_games;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use banmen_game::{Game, GameState, Side};
use banmen_search::Limits;
use banmen_search::mcts::{
    Amaf, AmafUpdates, Expansion, Mcts, Opponent, Order, Payload, Rave, Selection, Settings, TerminalCheck, Uniform,
    Unvisited, VirtualVisits, Widening,
};
use mcts_games::{ConnectFour, with_budget};

const SIMULATIONS: u64 = 20_000;
const RUNS: usize = 60;

/// A node of the baseline.
#[derive(Clone, Default)]
struct Bare {
    visits: u32,
    sum: f64,
    first: u32,
    count: u16,
    column: u8,
    over: Option<f64>,
}

/// The baseline: the same tree as the plain search grows. The visits of its root and the moves it went through.
fn bare(nodes: &mut Vec<Bare>) -> u32 {
    let game = ConnectFour;
    nodes.clear();
    nodes.push(Bare::default());
    let mut path = Vec::new();
    for _ in 0..=SIMULATIONS {
        let mut position = game.start();
        let mut at = 0;
        path.clear();
        let reward = loop {
            path.push(at);
            if let Some(reward) = nodes[at].over {
                break reward;
            }
            if nodes[at].count == 0 {
                let outcome = game.outcome(&position, &());
                if let Some(outcome) = outcome {
                    let reward = outcome.score(Side::First);
                    nodes[at].over = Some(reward);
                    break reward;
                }
                if nodes[at].visits == 0 {
                    break 0.5;
                }
                nodes[at].first = nodes.len() as u32;
                let _ = game.visit_moves(&position, |column| {
                    nodes.push(Bare { column, ..Bare::default() });
                    ControlFlow::<()>::Continue(())
                });
                nodes[at].count = (nodes.len() - nodes[at].first as usize) as u16;
            }
            let (first, highest) = (nodes[at].first as usize, position.side == Side::First);
            let ln = libm::log(f64::from(nodes[at].visits).max(1.0));
            let (mut best, mut top) = (first, f64::NEG_INFINITY);
            for (index, child) in nodes[first..][..usize::from(nodes[at].count)].iter().enumerate() {
                if child.visits == 0 {
                    best = first + index;
                    break;
                }
                let n = f64::from(child.visits);
                let won = if highest { child.sum } else { n - child.sum };
                let score = won / n + std::f64::consts::SQRT_2 * (ln / n).sqrt();
                if score > top {
                    (best, top) = (first + index, score);
                }
            }
            at = best;
            game.play(&mut position, nodes[at].column);
        };
        for &at in &path {
            nodes[at].visits += 1;
            nodes[at].sum += reward;
        }
    }
    nodes[0].visits
}

/// A search to be timed again and again.
type Run = Box<dyn FnMut()>;

fn search<X: Payload<ConnectFour> + 'static>(settings: Settings) -> Run {
    let mut mcts = Mcts::<_, _, X>::new(&ConnectFour, settings, Uniform::new(0), 1).expect("it is sound");
    let state = GameState::new(ConnectFour);
    let limits = Limits { playouts: Some(SIMULATIONS), ..Limits::default() };
    Box::new(move || {
        mcts.begin(&state);
        with_budget(Limits::default(), |budget| mcts.run(budget, &limits, |_| {}));
    })
}

fn main() {
    let plain = Settings { bytes: 32 << 20, ..Settings::default() };
    let listed = Expansion { terminal: TerminalCheck::Listed, ..plain.expansion };
    let shuffled = Expansion { order: Order::Shuffled, ..plain.expansion };
    let late = Expansion { threshold: 10, ..plain.expansion };
    let parent = Unvisited::Parent { reduction: 0.1 };
    let widening = Widening::Coulom { first: 1, a: 40.0, b: 1.4 };
    let virtual_visits = VirtualVisits { visits: 3.0, low: 0.5, high: 0.5 };
    let mut nodes = Vec::with_capacity(1 << 20);
    let mut runs: Vec<(&str, Run, Duration)> = [
        ("baseline: a search without choices", Box::new(move || assert!(bare(&mut nodes) > 0)) as Run),
        ("UCB1, everything else off", search::<()>(plain)),
        ("AMAF counters in the nodes, not used", search::<Amaf>(plain)),
        ("RAVE", search::<Amaf>(Settings { rave: Some(Rave::Schedule { k: 1000.0 }), ..plain })),
        ("AMAF in the ordinary counters", search::<Amaf>(Settings { amaf: Some(AmafUpdates::default()), ..plain })),
        ("progressive widening", search::<()>(Settings { widening: Some(widening), ..plain })),
        ("virtual visits", search::<()>(Settings { virtual_visits: Some(virtual_visits), ..plain })),
        ("the solver", search::<()>(Settings { solver: true, ..plain })),
        ("ends seen when children are made", search::<()>(Settings { expansion: listed, ..plain })),
        ("shuffled children", search::<()>(Settings { expansion: shuffled, ..plain })),
        ("expansion at the 10th visit", search::<()>(Settings { expansion: late, ..plain })),
        ("UCB1-tuned", search::<()>(Settings { selection: Selection::Ucb1Tuned { c: 1.0 }, ..plain })),
        ("PUCT", search::<()>(Settings { selection: Selection::Puct { c: 1.5, base: None }, ..plain })),
        ("unvisited children by the parent's mean", search::<()>(Settings { unvisited: parent, ..plain })),
        ("a cooperating opponent", search::<()>(Settings { opponent: Opponent::Cooperating, ..plain })),
    ]
    .into_iter()
    .map(|(name, run)| (name, run, Duration::MAX))
    .collect();
    for _ in 0..RUNS {
        for (_, run, best) in &mut runs {
            let begin = Instant::now();
            run();
            *best = begin.elapsed().min(*best);
        }
    }
    for (name, _, best) in runs {
        println!("{name:<44} {:>7.1} ns", best.as_nanos() as f64 / SIMULATIONS as f64);
    }
}
