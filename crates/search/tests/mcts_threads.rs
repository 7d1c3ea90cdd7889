//! The tree search on several threads, compared with one thread.
#![cfg(feature = "threads")]

#[macro_use]
mod mcts_games;

use std::panic::{AssertUnwindSafe, catch_unwind};

use banmen_game::{Game, GameState, mix};
use banmen_search::Limits;
use banmen_search::mcts::{
    Guide, Mcts, NodeStats, Parallel, SearchPosition, Selection, Settings, Simulation, Total, Unvisited,
};
use mcts_games::{ConnectFour, with_budget};

/// Values a leaf by its key: whichever thread searches, the result is the same.
#[derive(Clone, Copy)]
struct ByKey;

impl Guide<ConnectFour> for ByKey {
    uniform_playouts!(ConnectFour, 0);

    fn cut(&mut self, at: &SearchPosition<'_, ConnectFour>) -> f64 {
        (mix(at.game.key(at.position)) % 101) as f64 / 100.0
    }
}

/// The tree after so many simulations, no two of them at the same time: every node with its line.
fn grown(settings: Settings, threads: usize, simulations: u32) -> Vec<(Vec<u8>, NodeStats)> {
    let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, ByKey, 1).expect("the settings are sound");
    mcts.set_threads(threads);
    mcts.begin(&GameState::new(ConnectFour));
    for _ in 0..simulations {
        let one = Limits { playouts: Some(1), ..Limits::default() };
        assert_eq!(with_budget(Limits::default(), |budget| mcts.run(budget, &one, |_| {})), 1);
    }
    let mut nodes: Vec<(Vec<u8>, NodeStats)> = Vec::new();
    let mut lines = vec![Vec::new()];
    while let Some(line) = lines.pop() {
        lines.extend(mcts.children(&line).into_iter().map(|(m, _)| [&line[..], &[m]].concat()));
        nodes.extend(mcts.node_stats(&line).map(|stats| (line, stats)));
    }
    nodes
}

#[test]
fn a_descent_without_others_selects_as_on_one_thread() {
    let plain = Settings { bytes: 1 << 20, parallel: Parallel::Tree { virtual_loss: 3 }, ..Settings::default() };
    let puct = Selection::Puct { c: 1.25, base: None };
    let unvisited = Unvisited::Parent { reduction: 0.1 };
    for settings in [
        plain,
        Settings { unvisited, ..plain },
        Settings { selection: puct, unvisited, ..plain },
        Settings { selection: puct, unvisited, total: Total::Root, ..plain },
    ] {
        assert_eq!(grown(settings, 2, 200), grown(settings, 1, 200), "{settings:?}");
    }
}

#[test]
fn a_panic_of_the_calling_thread_ends_the_search() {
    let all = Limits { playouts: Some(4_000_000), ..Limits::default() };
    let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, Settings::default(), ByKey, 1).expect("the settings are sound");
    mcts.set_threads(3);
    let observe = |_: &Simulation<'_, u8>| panic!("as a guide may");
    let run = || with_budget(Limits::default(), |budget| mcts.run(budget, &all, observe));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    let made = mcts.statistics().simulations;
    assert!(made < 2_000_000, "the helpers went on: {made}");
}
