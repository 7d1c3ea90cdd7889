//! Properties of every built-in player.

use banmen_arena::{Contestant, Match, MatchSpec, Openings, Plan, Store};
use banmen_catalog::{AnyGame, AnyTask, Error, ErrorCode, WallClock};
use banmen_search::mcts::{Step, TreeQuery};
use banmen_search::windows::WindowQuery;
use banmen_search::{Limits, StopFlag};

/// The moves of ten games against a random player, played on this number of threads.
fn games(game: &dyn AnyGame, player: &str, threads: usize) -> Result<Vec<Vec<String>>, Error> {
    let limits = Limits { nodes: Some(400), playouts: Some(30), depth: Some(4), ..Limits::default() };
    let [a, b] = [player, "random"].map(|player| Contestant::new(player, limits));
    let matchup = Match::new(game, MatchSpec { openings: Openings::Random(1), ..MatchSpec::new(game, a, b) });
    let mut games = Vec::new();
    matchup.play(&Store::memory()?, &Plan::games(10, threads), &StopFlag::default(), &mut |progress| {
        games.extend(progress.game.map(|game| (game.pair, game.game, game.moves.clone())));
    })?;
    games.sort();
    Ok(games.into_iter().map(|(_, _, moves)| moves).collect())
}

#[test]
fn players_forget_earlier_games() {
    // On one thread the same player plays nine games before the last one; on ten threads it plays none before.
    let mut compared = 0;
    for game in banmen::catalog(banmen_catalog::Data::in_memory()).games() {
        for player in game.players() {
            let name = player.name;
            let levels = player.keys.iter().any(|key| key.name == "level");
            let careless = levels.then(|| format!("{name}:level=2"));
            for text in std::iter::once(name.to_owned()).chain(careless) {
                match games(game.as_ref(), &text, 1) {
                    // Players that need a table are skipped: the table is not built here.
                    Err(missing) if missing.code == ErrorCode::TableMissing => {}
                    through => {
                        let through = through.expect("a match");
                        assert_eq!(through, games(game.as_ref(), &text, 10).expect("a match"), "{text}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared >= 12, "{compared} players");
}

#[test]
fn players_with_a_tree_show_it() {
    let mut shown = 0;
    for game in banmen::catalog(banmen_catalog::Data::in_memory()).games() {
        for info in game.players() {
            let mut player = match game.player(None, info.name, 1) {
                Err(missing) if missing.code == ErrorCode::TableMissing => continue,
                player => player.expect("a player"),
            };
            let query = TreeQuery { path: Vec::new(), depth: 2, min_visits: 1, max_nodes: 20, last: true };
            assert_eq!(player.show_tree(Some(query)), info.tree, "{} of {}", info.name, game.info().name);
            let windows = WindowQuery { path: Vec::new(), depth: 1, max_nodes: 9 };
            assert_eq!(player.record_windows(Some(windows)), info.windows, "{} of {}", info.name, game.info().name);
            if !info.tree {
                continue;
            }
            let state = game.state(None, None).expect("the start");
            let report = player.think(AnyTask {
                state: state.as_ref(),
                limits: Limits { playouts: Some(300), ..Limits::default() },
                clock: &WallClock::default(),
                stop: &StopFlag::default(),
                threads: 1,
                lines: 1,
                progress: None,
            });
            let trees = report.expect("a report").trees;
            assert!(!trees.is_empty());
            for tree in &trees {
                assert!((2..=20).contains(&tree.nodes.len()) && tree.nodes[0].stats.simulations > 0.0);
                let last = tree.last.as_ref().expect("a simulation");
                let mut line = state.copy();
                for step in &last.line {
                    if let Step::Move(m) = step {
                        line.play(*m).expect("a legal move");
                    }
                }
            }
            shown += 1;
        }
    }
    assert!(shown >= 15, "{shown} players");
}
