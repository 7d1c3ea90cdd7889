//! Properties of every built-in player.

use banmen_arena::{Contestant, Match, MatchSpec, Openings, Plan, Store};
use banmen_catalog::{AnyGame, Error, ErrorCode};
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
