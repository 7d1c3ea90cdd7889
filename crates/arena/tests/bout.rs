//! Matches on Othello: pairs, seeds, threads, what is refused.

use banmen_arena::{GameRecord, Match, Score, SideClock, openings};
use banmen_catalog::{AnyGame, Error};
use banmen_search::{Limits, StopFlag};

fn bout<'g>(game: &'g dyn AnyGame, a: &str, b: &str, games: usize) -> Match<'g> {
    Match {
        game,
        rules: None,
        a: a.to_owned(),
        b: b.to_owned(),
        games,
        limits: Limits::nodes(300),
        plies: 8,
        concurrency: 2,
        clock: SideClock::Cpu,
        seed: 5,
    }
}

/// Plays, and gives the games in their own order.
fn play(bout: &Match<'_>) -> Result<(Score, Vec<GameRecord>), Error> {
    let mut games = Vec::new();
    let score = bout.play(&StopFlag::default(), &mut |progress| games.push(progress.game.clone()))?;
    games.sort_by_key(|game| (game.pair, game.game));
    Ok((score, games))
}

#[test]
fn each_opening_is_played_twice_with_the_sides_swapped() {
    let game = banmen_othello::entry();
    let (score, games) = play(&bout(&game, "greedy", "random", 20)).expect("a fair match");
    assert_eq!((games.len(), score.games(), score.pairs.total()), (20, 20, 10));
    for (pair, both) in games.chunks(2).enumerate() {
        assert_eq!([both[0].pair, both[0].game, both[1].pair, both[1].game], [pair, 0, pair, 1]);
        assert_eq!(both[0].opening, 8);
        assert_eq!(both[0].moves[..8], both[1].moves[..8], "the same opening");
    }
    let first: std::collections::HashSet<&[String]> = games.iter().map(|game| &game.moves[..8]).collect();
    assert_eq!((first.len(), score.repeated_openings), (10, 0));
}

#[test]
fn the_score_is_that_of_the_games() {
    let game = banmen_othello::entry();
    let (score, games) = play(&bout(&game, "classic:depth=2", "greedy", 24)).expect("a fair match");
    let count = |points: f64| games.iter().filter(|game| game.score == points).count() as u64;
    assert_eq!((score.wins, score.draws, score.losses), (count(1.0), count(0.5), count(0.0)));
    let margin: i64 = games.iter().map(|game| i64::from(game.margin.expect("Othello has margins"))).sum();
    assert_eq!(score.margin, Some(margin));
    for game in &games {
        // The score is read off the board: replay, and count.
        let mut walk = banmen_othello::entry().walk(None, None).expect("the start");
        let moves: Vec<&str> = game.moves.iter().map(String::as_str).collect();
        walk.play_texts(&moves).expect("legal games");
        let outcome = walk.outcome().expect("finished games");
        let side = [banmen_game::Side::First, banmen_game::Side::Second][game.game];
        assert_eq!((game.score, game.margin), (outcome.score(side), Some(outcome.signed_margin(side))));
    }
    let points: Vec<f64> = games.chunks(2).map(|pair| pair[0].score + pair[1].score).collect();
    let tally: Vec<u64> =
        (0..5).map(|halves| points.iter().filter(|&&sum| sum == f64::from(halves) / 2.0).count() as u64).collect();
    assert_eq!(score.pairs.counts.to_vec(), tally);
}

#[test]
fn the_games_follow_from_the_seed_not_from_the_threads() {
    let game = banmen_othello::entry();
    let texts = |concurrency, seed| {
        let bout = Match { concurrency, seed, ..bout(&game, "engine:level=2", "random", 8) };
        play(&bout).expect("a fair match").1.into_iter().map(|game| game.moves).collect::<Vec<_>>()
    };
    assert_eq!(texts(1, 5), texts(3, 5));
    assert_ne!(texts(1, 5), texts(1, 6));
}

#[test]
fn repeated_games_are_counted() {
    // Without random plies two players without chance play one game over and over.
    let game = banmen_othello::entry();
    let bout = Match { plies: 0, ..bout(&game, "classic:depth=2", "classic:depth=1", 8) };
    let (score, _) = play(&bout).expect("a fair match");
    assert_eq!((score.repeated_games, score.repeated_openings), (6, 3));
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_game() {
    let game = banmen_othello::entry();
    for (wrong, code) in [
        (bout(&game, "greedy", "random", 3), "out_of_range"),
        (bout(&game, "greedy", "random", 0), "out_of_range"),
        (bout(&game, "gredy", "random", 2), "unknown_player"),
        (bout(&game, "greedy", "engine:level=99", 2), "out_of_range"),
        (Match { rules: Some("fast".into()), ..bout(&game, "greedy", "random", 2) }, "unknown_rules"),
        (Match { plies: 200, ..bout(&game, "greedy", "random", 2) }, "out_of_range"),
    ] {
        let error = play(&wrong).expect_err(code);
        assert_eq!(error.code, code, "{error}");
    }
}

#[test]
fn a_stop_ends_the_match_with_whole_games() {
    let game = banmen_othello::entry();
    let stop = StopFlag::default();
    let mut finished = 0;
    let score = bout(&game, "greedy", "random", 2_000)
        .play(&stop, &mut |_| {
            finished += 1;
            stop.stop();
        })
        .expect("stopped, not failed");
    assert_eq!(score.games(), finished);
    assert!(finished < 2_000);
}

#[test]
fn openings_differ_and_do_not_depend_on_their_number() {
    let game = banmen_othello::entry();
    let few = openings(&game, None, 8, 20, 1).expect("enough openings");
    let many = openings(&game, None, 8, 200, 1).expect("enough openings");
    assert_eq!(few, many[..20]);
    let distinct: std::collections::HashSet<_> = many.iter().collect();
    assert_eq!(distinct.len(), 200);
}
