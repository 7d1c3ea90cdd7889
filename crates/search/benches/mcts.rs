//! What choices of the tree search cost: nanoseconds of wall time a simulation, beside the plain search.
//!
//! `cargo bench -p banmen-search --bench mcts`. Connect Four from its start. Playouts are cut off at once, so that only
//! the tree is measured; each figure is the best of many short runs.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

#[path = "../tests/mcts_games/mod.rs"]
mod mcts_games;

use std::time::{Duration, Instant};

use banmen_search::Limits;
use banmen_search::mcts::{
    Amaf, Ends, Expansion, Mcts, Opponent, Order, Payload, Rave, Rules, Selection, Settings, Uniform, Unvisited,
};
use mcts_games::{ConnectFour, watched};

const SIMULATIONS: u64 = 20_000;
const RUNS: usize = 60;

fn best<X: Payload>(settings: Settings) -> Duration {
    let mut mcts = Mcts::<_, _, _, X>::new(&ConnectFour, settings, Uniform::new(0), Rules, 1).expect("it is sound");
    let walk = banmen_game::Walk::new(ConnectFour);
    let limits = Limits { playouts: Some(SIMULATIONS), ..Limits::default() };
    let run = |_| {
        mcts.begin(&walk);
        let begin = Instant::now();
        watched(Limits::default(), |watch| mcts.run(watch, &limits, |_| {}));
        begin.elapsed()
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}

fn main() {
    let plain = Settings { bytes: 32 << 20, ..Settings::default() };
    let report = |name: &str, time: Duration| {
        println!("{name:<44} {:>7.1} ns", time.as_nanos() as f64 / SIMULATIONS as f64);
    };
    let listed = Expansion { ends: Ends::Listed, ..plain.expansion };
    let shuffled = Expansion { order: Order::Shuffled, ..plain.expansion };
    let late = Expansion { threshold: 10, ..plain.expansion };
    let parent = Unvisited::Parent { reduction: 0.1 };
    report("UCB1, everything else off", best::<()>(plain));
    report("AMAF counters in the nodes, not used", best::<Amaf>(plain));
    report("RAVE", best::<Amaf>(Settings { rave: Some(Rave::Schedule { k: 1000.0 }), ..plain }));
    report("the solver", best::<()>(Settings { solver: true, ..plain }));
    report("ends seen when children are made", best::<()>(Settings { expansion: listed, ..plain }));
    report("shuffled children", best::<()>(Settings { expansion: shuffled, ..plain }));
    report("expansion at the 10th visit", best::<()>(Settings { expansion: late, ..plain }));
    report("UCB1-tuned", best::<()>(Settings { selection: Selection::Ucb1Tuned { c: 1.0 }, ..plain }));
    report("PUCT", best::<()>(Settings { selection: Selection::Puct { c: 1.5, base: None }, ..plain }));
    report("unvisited children by the parent's mean", best::<()>(Settings { unvisited: parent, ..plain }));
    report("a cooperating opponent", best::<()>(Settings { opponent: Opponent::Cooperating, ..plain }));
}
