//! The article's player: its tree equals that of the article's program in every number; the printed nodes; its
//! settings.

use crate::program::Program;
use banmen_catalog::{AnyGame, AnyTask, CpuClock, ErrorCode, Observation, Options, Sampling, Value};
use banmen_dobutsu::article::{Article, Move, tree};
use banmen_dobutsu::players::article::{KEYS, player};
use banmen_game::{GameState, Side};
use banmen_search::mcts::{Fast, Mcts, Uniform};
use banmen_search::{Budget, Limits, StopFlag};

fn options(pairs: &[(&str, &str)]) -> Options {
    Options::new(KEYS, pairs).expect("good keys")
}

/// A tree after `loops` loops from the start, and the number of loops that the first side won.
fn grown(pairs: &[(&str, &str)], loops: u64, seed: u64) -> (Mcts<Article, Fast>, u64) {
    let mut mcts = player(&Article, Fast::default(), &options(pairs), seed).expect("a player");
    mcts.begin(&GameState::new(Article));
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    let mut won = 0;
    let limits = Limits { playouts: Some(loops), ..Limits::default() };
    mcts.run(&mut budget, &limits, |simulation| won += u64::from(simulation.reward == 1.0));
    (mcts, won)
}

/// Compares the nodes below a line. Returns their number.
fn compare(program: &Program, mcts: &Mcts<Article, Fast>, at: usize, line: &mut Vec<Move>) -> usize {
    let node = &program.nodes[at];
    let children = mcts.children(line);
    if children.is_empty() && node.visits <= 10 {
        // The article expands with the tenth result, the search with the eleventh descent.
        assert!(node.children.iter().all(|&child| program.nodes[child].visits == 0), "{line:?}");
        return 0;
    }
    let found: Vec<Option<Move>> = children.iter().map(|(m, _)| Some(*m)).collect();
    let expected: Vec<Option<Move>> = node.children.iter().map(|&child| program.nodes[child].m).collect();
    assert_eq!(found, expected, "{line:?}");
    let mut count = 0;
    for ((m, stats), &child) in children.iter().zip(&node.children) {
        let known = &program.nodes[child];
        let score = if known.board.side == Side::Second { stats.sum } else { stats.visits - stats.sum };
        assert_eq!((stats.visits, score), (known.visits as f64, known.score), "{line:?} {m:?}");
        line.push(*m);
        count += 1 + compare(program, mcts, child, line);
        line.pop();
    }
    count
}

#[test]
fn the_tree_is_that_of_the_articles_program() {
    for (ends, skips, seed) in [("skipped", true, 1), ("skipped", true, 2), ("kept", false, 3)] {
        let mut program = Program::new(seed, skips);
        let won = (0..6_000).filter(|_| program.step()).count() as u64;
        let (mcts, found) = grown(&[("ends", ends)], 6_000, seed);
        assert_eq!(found, won, "{ends} {seed}");
        let nodes = compare(&program, &mcts, 0, &mut Vec::new());
        assert!(nodes > 1_000, "{nodes}");
    }
}

/// All nodes of the article's print, and three of them again as plain numbers. The first is a child of the root after
/// 1,001 batches of 1,000 loops.
#[test]
fn the_formula_gives_the_printed_scores() {
    for (wins, visits, parent, printed) in
        [(116.0, 234.0, 1_001_000.0, "0.839369"), (20.0, 53.0, 234.0, "0.831078"), (1.0, 3.0, 53.0, "1.960251")]
    {
        assert_eq!(format!("{:.6}", tree::score(wins, visits, parent)), printed);
    }
    let mut parents = vec![1_001_000.0];
    for &(depth, name, printed, wins, visits) in &tree::ARTICLE {
        parents.truncate(depth + 1);
        let score = tree::score(f64::from(wins), f64::from(visits), parents[depth]);
        assert_eq!(format!("{score:.6}"), printed, "{name}");
        parents.push(f64::from(visits));
    }
    assert_eq!(format!("{:.6}", tree::score(116.0, 234.0, 1_000_000.0)), "0.839356", "not after 1,000 batches");
    assert_eq!(tree::score(0.0, 0.0, 5.0), f64::INFINITY);
}

#[test]
fn the_print_has_the_articles_form() {
    let (mcts, _) = grown(&[], 3_000, 1);
    let text = tree::print(&mcts, Side::First, &[], 3);
    let lines: Vec<&str> = text.lines().collect();
    let top: Vec<&str> = lines.iter().copied().filter(|line| line.starts_with('├')).collect();
    let names = ["(2, 1) -> (1, 1)", "(3, 1) -> (2, 0)", "(3, 1) -> (2, 2)", "(3, 2) -> (2, 2)"];
    assert_eq!(top.len(), names.len());
    let mut visits = 0.0;
    for (line, name) in top.iter().zip(names) {
        let numbers = line.strip_prefix(&format!("├──{name} [")).and_then(|rest| rest.strip_suffix(']'));
        let numbers: Vec<f64> = numbers.expect(line).split('/').map(|number| number.parse().expect(line)).collect();
        assert_eq!(numbers.len(), 3);
        visits += numbers[2];
        assert_eq!(format!("{:.6}", tree::score(numbers[1], numbers[2], 3_000.0)), format!("{:.6}", numbers[0]));
    }
    assert_eq!(visits, 3_000.0);
    assert!(lines[1].starts_with("│   ├──(") && text.contains("│   │   ├──C -> (0, 0) ["), "{text}");
}

#[test]
fn plays_both_games_within_its_loops() {
    for (game, text) in [
        (&banmen_dobutsu::article::entry().in_memory() as &dyn AnyGame, "article:loops=300"),
        (
            &banmen_dobutsu::entry().in_memory(),
            "article:loops=300,opponent=minimising,ends=kept,threshold=1,levels=1,c=0.5",
        ),
    ] {
        let mut one = game.player(None, text, 1).expect(text);
        let mut state = game.state(None, None).expect("the start");
        while state.outcome().is_none() && state.moves().len() < 12 {
            let report = one
                .think(AnyTask {
                    state: state.as_ref(),
                    limits: Limits::default(),
                    clock: &CpuClock::default(),
                    stop: &StopFlag::default(),
                    threads: 1,
                    lines: 2,
                    progress: None,
                })
                .expect("a report");
            assert_eq!(report.playouts, Some(300));
            state.play(report.best().expect("a move")).expect("legal");
        }
    }
}

/// The history of the other rules affects the tree too. The fast playout equals the playout that lists moves.
#[test]
fn fast_and_listed_playouts_grow_the_same_tree() {
    let listed = player(&Article, Uniform::default(), &options(&[]), 5);
    let mut listed = listed.expect("a player");
    listed.begin(&GameState::new(Article));
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    listed.run(&mut budget, &Limits { playouts: Some(5_000), ..Limits::default() }, |_| {});
    let (fast, _) = grown(&[], 5_000, 5);
    assert_eq!(listed.children(&[]), fast.children(&[]));
    assert_eq!(listed.statistics(), fast.statistics());
}

#[test]
fn bad_keys_are_refused_with_the_range() {
    let game: &dyn AnyGame = &banmen_dobutsu::article::entry().in_memory();
    for (text, words) in [
        ("article:loops=0", "integer 1..100000000"),
        ("article:opponent=best", "random|minimising"),
        ("article:ends=all", "skipped|kept"),
        ("article:levels=3", "integer 1..2"),
        ("article:c=-1", "number 0..1000"),
        ("article:lops=5", "the nearest name is `loops`"),
        ("article:table=0", "integer 1..4096"),
    ] {
        let Err(error) = game.player(None, text, 1) else { panic!("{text} is accepted") };
        let range = error.args.get("range").and_then(|range| range.as_str()).unwrap_or_default();
        assert!(error.message.contains(words) || range == words, "{text}: {error}");
    }
}

/// The measurements of the article, here on few samples, match the article's figures.
#[test]
fn measurements_find_what_the_article_prints() {
    let game: &dyn AnyGame = &banmen_dobutsu::article::entry().in_memory();
    let measures = game.measures().expect("the article's game has measurements");
    let measure = |text: &str, seed: u64| {
        let (clock, stop) = (CpuClock::default(), StopFlag::default());
        let sampling = Sampling { clock: &clock, seed, stop: &stop };
        measures.sample(None, text, &sampling).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let numbers = |seen: &[Observation], quantity: usize| -> Vec<f64> {
        let numbers = seen.iter().filter(|observation| observation.quantity == quantity);
        let number = |observation: &Observation| match observation.value {
            Value::Number(number) => number,
            Value::Share { won, of } => 100.0 * won as f64 / of as f64,
        };
        numbers.map(number).collect()
    };
    // Every printed score follows exactly from its counts.
    let scores = numbers(&measure("tree", 1), 0);
    assert_eq!(scores.len(), tree::ARTICLE.len());
    for (score, (_, name, printed, ..)) in scores.iter().zip(&tree::ARTICLE) {
        assert_eq!(format!("{score:.6}"), *printed, "{name}");
    }
    // The exact share is near 51 %; the interval of 10,000 games is 2 % wide.
    let random = numbers(&measure("random", 1), 0);
    assert!((49.0..53.0).contains(&random[0]), "{random:?}");
    // The means of 200 seeds are 57.1 and 55.9, the standard deviation is 1.8.
    for (text, mean) in [("first", 57.1), ("first:ends=kept", 55.9)] {
        let shares: Vec<f64> = (1..=20).flat_map(|seed| numbers(&measure(text, seed), 0)).collect();
        let found = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!(shares.len() == 20 && (found - mean).abs() < 2.0, "{text}: {found}");
    }
    for (text, last) in [("curve", 98.0..=100.0), ("curve:ends=kept", 88.0..=97.0), ("trained", 88.0..=97.0)] {
        let curve = numbers(&measure(text, 1), 0);
        assert!(curve.last().is_some_and(|share| last.contains(share)), "{text}: {curve:?}");
    }
    let refused = measures.info(None, "curv").expect_err("no such measurement");
    assert_eq!((refused.code, refused.args["nearest"].as_str()), (ErrorCode::UnknownMeasure, Some("curve")));
}
