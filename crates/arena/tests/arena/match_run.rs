//! Matches on Othello: pairs, seeds, threads, tests, clocks, invalid conditions.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use banmen_arena::{
    Adjudication, Contestant, GameRecord, Match, MatchSpec, OpeningList, Openings, Plan, Score, SequentialTest, Store,
    Threshold, check,
};
use banmen_catalog::{AnyGame, Catalog, Error, ErrorCode, PlayerEntry};
use banmen_game::Game;
use banmen_search::{Limits, Player, Report, StopFlag, Task, TimeControl};
use banmen_stats::Decision;

fn matchup<'g>(game: &'g dyn AnyGame, a: &str, b: &str) -> Match<'g> {
    let [a, b] = [a, b].map(|player| Contestant::new(player, Limits::nodes(300)));
    Match::new(game, MatchSpec { seed: 5, ..MatchSpec::new(game, a, b) })
}

fn with<'g>(mut matchup: Match<'g>, change: impl FnOnce(&mut MatchSpec)) -> Match<'g> {
    change(&mut matchup.spec);
    matchup
}

/// Plays, and returns the games in the order of their numbers.
fn play(matchup: &Match<'_>, plan: &Plan) -> Result<(Score, Vec<GameRecord>), Error> {
    let mut games = Vec::new();
    let store = Store::memory()?;
    let score =
        matchup.play(&store, plan, &StopFlag::default(), &mut |progress| games.extend(progress.game.cloned()))?;
    let catalog = Catalog::default().with(banmen_othello::entry()).with(banmen_dobutsu::entry());
    let found = check(&store, &catalog, &StopFlag::default(), &mut |_, _| {})?;
    assert!(found.damages.is_empty(), "{found:?}");
    games.sort_by_key(|game| (game.pair, game.game));
    Ok((score, games))
}

fn two_threads(games: usize) -> Plan {
    Plan::games(games, 2)
}

#[test]
fn each_opening_is_played_twice_with_the_sides_swapped() {
    let game = banmen_othello::entry().in_memory();
    let (score, games) = play(&matchup(&game, "greedy", "random"), &two_threads(20)).expect("a fair match");
    assert_eq!((games.len(), score.games(), score.pairs.total()), (20, 20, 10));
    for (pair, both) in games.chunks(2).enumerate() {
        assert_eq!([both[0].pair, both[0].game, both[1].pair, both[1].game], [pair, 0, pair, 1]);
        assert_eq!(both[0].opening, 8);
        assert_eq!(both[0].moves[..8], both[1].moves[..8], "the same opening");
    }
    let first: std::collections::HashSet<&[String]> = games.iter().map(|game| &game.moves[..8]).collect();
    assert_eq!((first.len(), score.repeats.openings), (10, 0));
}

#[test]
fn the_score_is_that_of_the_games() {
    let game = banmen_othello::entry().in_memory();
    let (score, games) = play(&matchup(&game, "classic:depth=2", "greedy"), &two_threads(24)).expect("a fair match");
    let count = |points: f64| games.iter().filter(|game| game.score == points).count() as u64;
    assert_eq!((score.wins, score.draws, score.losses), (count(1.0), count(0.5), count(0.0)));
    let margin: i64 = games.iter().map(|game| i64::from(game.margin.expect("Othello has margins"))).sum();
    assert_eq!(score.margin, Some(margin));
    for game in &games {
        // The expected score comes from a replay.
        let mut state = banmen_othello::entry().in_memory().state(None, None).expect("the start");
        let moves: Vec<&str> = game.moves.iter().map(String::as_str).collect();
        state.play_texts(&moves).expect("legal games");
        let outcome = state.outcome().expect("finished games");
        let side = [banmen_game::Side::First, banmen_game::Side::Second][game.game];
        assert_eq!((game.score, game.margin), (outcome.score(side), Some(outcome.signed_margin(side))));
    }
    let points: Vec<f64> = games.chunks(2).map(|pair| pair[0].score + pair[1].score).collect();
    let tally: Vec<u64> =
        (0..5).map(|halves| points.iter().filter(|&&sum| sum == f64::from(halves) / 2.0).count() as u64).collect();
    assert_eq!(score.pairs.counts.to_vec(), tally);
}

#[test]
fn games_depend_on_the_seed_and_not_on_the_threads() {
    let game = banmen_othello::entry().in_memory();
    let texts = |concurrency, seed| {
        let matchup = with(matchup(&game, "engine:level=2", "random"), |spec| spec.seed = seed);
        play(&matchup, &Plan::games(8, concurrency))
            .expect("a fair match")
            .1
            .into_iter()
            .map(|game| game.moves)
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(1, 5), texts(3, 5));
    assert_ne!(texts(1, 5), texts(1, 6));
}

#[test]
fn repeated_games_are_counted() {
    // Without random plies two deterministic players repeat one game.
    let game = banmen_othello::entry().in_memory();
    let matchup =
        with(matchup(&game, "classic:depth=2", "classic:depth=1"), |spec| spec.openings = Openings::Random(0));
    let (score, _) = play(&matchup, &two_threads(8)).expect("a fair match");
    assert_eq!((score.repeats.games, score.repeats.openings), (6, 3));
}

#[test]
fn rejects_invalid_conditions_before_the_first_game() {
    let game = banmen_othello::entry().in_memory();
    let fair = || matchup(&game, "greedy", "random");
    for (wrong, games, code) in [
        (fair(), 3, ErrorCode::OutOfRange),
        (fair(), 0, ErrorCode::OutOfRange),
        (matchup(&game, "gredy", "random"), 2, ErrorCode::UnknownPlayer),
        (matchup(&game, "greedy", "engine:level=99"), 2, ErrorCode::OutOfRange),
        (with(fair(), |spec| spec.rules = Some("fast".into())), 2, ErrorCode::UnknownRules),
        (with(fair(), |spec| spec.openings = Openings::Random(200)), 2, ErrorCode::OutOfRange),
        (with(fair(), |spec| spec.openings = Openings::Starts), 2, ErrorCode::OutOfRange),
    ] {
        let error = play(&wrong, &Plan::games(games, 2)).expect_err(code.as_str());
        assert_eq!(error.code, code, "{error}");
    }
    let endless = Plan { games: None, workers: 1.into(), test: None };
    assert_eq!(play(&fair(), &endless).expect_err("endless").code, ErrorCode::OutOfRange);
}

#[test]
fn a_stopped_match_has_only_finished_games() {
    let game = banmen_othello::entry().in_memory();
    let (stop, store) = (StopFlag::default(), Store::memory().expect("memory"));
    let mut finished = 0;
    let score = matchup(&game, "greedy", "random")
        .play(&store, &two_threads(2_000), &stop, &mut |progress| {
            finished += u64::from(progress.game.is_some());
            stop.stop();
        })
        .expect("stopped, not failed");
    assert_eq!(score.games(), finished);
    assert!(finished < 2_000);
}

#[test]
fn a_test_ends_the_match_at_the_same_pair_in_every_run() {
    let game = banmen_othello::entry().in_memory();
    let matchup = matchup(&game, "classic:depth=2", "random");
    let test: SequentialTest = "0,50".parse().expect("a test");
    let run = |concurrency: usize| {
        let (score, games) =
            play(&matchup, &Plan { games: None, workers: concurrency.into(), test: Some(test) }).expect("a fair match");
        let test = score.test().expect("a test");
        assert_eq!(test.decision(), Some(Decision::AcceptH1));
        assert!(test.llr() >= test.bounds().upper);
        assert_eq!(test.tally(), &score.pairs);
        assert!(games.len() as u64 >= score.games(), "games under way at the end are stored, and do not count");
        (score.pairs, test.llr().to_bits())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_match_that_its_test_has_ended_is_shown_again_without_its_players() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    struct First;
    impl<G: Game> Player<G> for First {
        fn think(&mut self, task: Task<'_, G>) -> Report<G::Move> {
            let first = task.state.game().visit_moves(task.state.position(), ControlFlow::Break);
            Report::of(first.break_value().expect("the game goes on"), 0.5)
        }
    }
    let game = banmen_othello::entry()
        .player(PlayerEntry {
            name: "first",
            summary: "",
            source: "",
            keys: &[],
            make: |_, _, _, _| {
                MADE.fetch_add(1, Ordering::Relaxed);
                Ok(Box::new(First))
            },
        })
        .in_memory();
    let (matchup, store) = (matchup(&game, "classic:depth=2", "first"), Store::memory().expect("memory"));
    let plan = Plan { games: None, workers: 1.into(), test: Some("0,50".parse().expect("a test")) };
    let run = || matchup.play(&store, &plan, &StopFlag::default(), &mut |_| {}).expect("a fair match");
    let (score, made) = (run(), MADE.load(Ordering::Relaxed));
    assert!(score.decided() && made > 0);
    let again = run();
    assert_eq!((again.pairs, again.test()), (score.pairs, score.test()));
    assert_eq!(MADE.load(Ordering::Relaxed), made);
}

#[test]
fn each_pair_has_another_start_in_games_with_many() {
    let game = banmen_golad::entry().in_memory();
    let series = |rules: Option<&str>, seed| {
        let random = Contestant::new("random", Limits::nodes(1));
        let rules = rules.map(str::to_owned);
        let spec = MatchSpec { rules, seed, ..MatchSpec::new(&game, random.clone(), random) };
        assert_eq!(spec.openings, Openings::Starts, "the default of a game with many starts");
        let matchup = Match::new(&game, spec);
        let (score, games) = play(&matchup, &two_threads(6)).expect("a fair match");
        assert_eq!(score.repeats.openings, 0);
        games
    };
    let games = series(None, 7);
    let positions: Vec<_> = games.iter().filter_map(|game| game.position.as_deref()).collect();
    assert_eq!(positions, ["start:7-1", "start:7-1", "start:7-2", "start:7-2", "start:7-3", "start:7-3"]);
    assert!(games.iter().all(|game| game.opening == 0 && !game.moves.is_empty()));
    // Under mixed colours a seed gives another position, and so other games.
    assert_ne!(games[0].moves, series(Some("mixed"), 7)[0].moves);
}

#[test]
fn a_list_of_openings_is_played_in_its_order() {
    let game = banmen_othello::entry().in_memory();
    let start = "---------------------------OX------XO--------------------------- X";
    let text = format!("# two openings\nf5d6c3\n\n\"{start}\" c4 # the other one\n");
    let marked = OpeningList::read("two", "\u{feff}f5d6c3", &game, None).expect("a list with a byte order mark");
    assert_eq!(marked.lines, [(None, "f5d6c3".to_owned())]);
    let list = OpeningList::read("two", &text, &game, None).expect("a list");
    let openings = Openings::Listed(Arc::new(list));
    let (score, games) =
        play(&with(matchup(&game, "greedy", "random"), |spec| spec.openings = openings), &two_threads(6))
            .expect("a fair match");
    let begun: Vec<&[String]> = games.iter().map(|game| &game.moves[..game.opening]).collect();
    assert_eq!(begun[0], ["f5", "d6", "c3"]);
    assert_eq!((begun[1], begun[4], begun[5]), (begun[0], begun[0], begun[0]));
    assert_eq!((games[2].position.as_deref(), begun[2]), (Some(start), &["c4".to_owned()][..]));
    assert_eq!(score.repeats.openings, 1);

    for (text, place) in [("f5d6c3\nf5f5", "line 2"), ("\"start", "line 1: the quotation"), ("# none", "no opening")] {
        let error = OpeningList::read("bad", text, &game, None).expect_err(text);
        assert!(error.message.contains(place), "{text}: {error}");
    }
}

#[test]
fn balanced_openings_are_searched_for_once() {
    let game = banmen_othello::entry().in_memory();
    let store = Store::memory().expect("memory");
    let opened = |seed| {
        let matchup = with(matchup(&game, "greedy", "random"), |spec| {
            (spec.openings, spec.seed) = (Openings::Balanced(6), seed);
        });
        let mut openings = Vec::new();
        matchup
            .play(&store, &Plan::games(6, 1), &StopFlag::default(), &mut |progress| {
                openings.extend(progress.game.map(|game| game.moves[..game.opening].to_vec()));
            })
            .expect("a fair match");
        openings
    };
    let first = opened(1);
    assert!(first.iter().all(|moves| moves.len() >= 6));
    assert_eq!(first, opened(2), "the set belongs to the game, not to the match");
    // Each is even for the engine.
    let mut state = game.state(None, None).expect("the start");
    state.play_texts(&first[0].iter().map(String::as_str).collect::<Vec<_>>()).expect("legal");
    let any: &dyn AnyGame = &game;
    let report = any
        .player(None, "engine", 0)
        .expect("an engine")
        .think(banmen_catalog::AnyTask {
            state: state.as_ref(),
            limits: Limits::nodes(20_000),
            clock: &banmen_catalog::CpuClock::default(),
            stop: &StopFlag::default(),
            threads: 1,
            lines: 1,
            progress: None,
        })
        .expect("a thought");
    assert!((report.value() - 0.5).abs() <= banmen_arena::EVEN, "{}", report.value());
}

#[test]
fn the_sides_may_have_different_limits() {
    let game = banmen_othello::entry().in_memory();
    let unequal = with(matchup(&game, "classic", "classic"), |spec| {
        (spec.a.limits, spec.b.limits) = (Limits::depth(4), Limits::depth(1));
    });
    let (score, _) = play(&unequal, &two_threads(8)).expect("a match");
    assert!(score.totals[0].mean_depth > score.totals[1].mean_depth + 2.0, "{:?}", score.totals);
}

#[test]
fn players_keep_within_their_clocks() {
    let game = banmen_othello::entry().in_memory();
    let control = TimeControl { main: Duration::from_millis(300), ..TimeControl::default() };
    let limits = Limits { clock: Some(control), ..Limits::default() };
    let [a, b] = ["engine", "random"].map(|player| Contestant::new(player, limits));
    let (score, games) =
        play(&Match::new(&game, MatchSpec { seed: 5, ..MatchSpec::new(&game, a, b) }), &two_threads(2))
            .expect("a match");
    assert_eq!(score.totals[0].faults, 0, "the engine does not overdraw its clock");
    assert!(games.iter().all(|game| game.spent[0].seconds <= 0.31), "{games:?}");
}

#[test]
fn adjudicates_only_if_asked_to() {
    let game = banmen_othello::entry().in_memory();
    let plies = |adjudication| {
        let matchup = with(matchup(&game, "engine:level=3", "engine:level=3"), |spec| spec.adjudication = adjudication);
        let (_, games) = play(&matchup, &two_threads(4)).expect("a fair match");
        games.into_iter().map(|game| (game.moves.len(), game.by)).collect::<Vec<_>>()
    };
    assert!(plies(Adjudication::default()).iter().all(|(plies, by)| *plies > 40 && by == "discs"));
    let short = Adjudication { plies: Some(20), ..Adjudication::default() };
    assert!(plies(short).iter().all(|(plies, by)| (*plies, by.as_str()) == (20, "length")));
    let resigned = Adjudication { resign: Some(Threshold { value: 0.25, moves: 1 }), ..Adjudication::default() };
    assert!(plies(resigned).iter().any(|(_, by)| by == "both expect this result"));
}
