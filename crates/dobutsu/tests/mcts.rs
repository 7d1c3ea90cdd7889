//! The tree search with AMAF counters, stored by dense move index or in a hash table.

use std::time::Duration;

use banmen_dobutsu::Dobutsu;
use banmen_game::{GameState, Rng};
use banmen_search::mcts::{Amaf, IndexedAmaf, Mcts, NodeStats, Payload, Rave, Settings, Uniform};
use banmen_search::{Budget, Clock, Limits, StopFlag};

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Every node of the tree after 500 simulations, with the line that leads to it.
fn nodes<X: Payload<Dobutsu>>(state: &GameState<Dobutsu>) -> Vec<(String, NodeStats)> {
    let settings = Settings { rave: Some(Rave::Schedule { k: 300.0 }), bytes: 1 << 20, ..Settings::default() };
    let mut mcts = Mcts::<_, _, X>::new(state.game(), settings, Uniform::default(), 7).expect("sound settings");
    mcts.begin(state);
    let (limits, stop) = (Limits { playouts: Some(500), ..Limits::default() }, StopFlag::default());
    mcts.run(&mut Budget::start(&Limits::default(), &Still, &stop), &limits, |_| {});
    let (mut all, mut lines) = (Vec::new(), vec![Vec::new()]);
    while let Some(line) = lines.pop() {
        for (m, stats) in mcts.children(&line) {
            let mut next = line.clone();
            next.push(m);
            all.push((format!("{next:?}"), stats));
            lines.push(next);
        }
    }
    all
}

#[test]
fn indexed_and_hashed_amaf_grow_the_same_tree() {
    let mut rng = Rng::new(1);
    for plies in [0, 4, 9, 15] {
        let mut state = GameState::new(Dobutsu::CATCH);
        for _ in 0..plies {
            let moves = banmen_game::Game::moves(state.game(), state.position());
            if state.outcome().is_none() {
                state.play(moves[rng.index(moves.len())]);
            }
        }
        if state.outcome().is_some() {
            continue;
        }
        let hashed = nodes::<Amaf>(&state);
        assert!(hashed.iter().any(|(_, stats)| stats.amaf.is_some_and(|(weight, _)| weight > stats.visits)));
        assert_eq!(hashed, nodes::<IndexedAmaf>(&state), "after {plies} plies");
    }
}
