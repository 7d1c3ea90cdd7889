//! Compares the article's player with its listing, and the engine with exhaustive search.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyState, AnyTask, CpuClock, Data, Options, Solution, SolveTask};
use banmen_game::{Game, GameState, Rng};
use banmen_othello::board::{Bits, Board};
use banmen_othello::lines::Lines;
use banmen_othello::players::classic::{KEYS, Settings};
use banmen_othello::position::Position;
use banmen_othello::{Othello, entry};
use banmen_search::{Clock, Limits, Line, Report, StopFlag};

fn othello() -> impl AnyGame {
    entry().in_memory()
}

/// A clock that does not advance: only nodes and depth limit a search.
struct FrozenClock;

impl Clock for FrozenClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Unfinished positions from random games with at most this many empty squares.
fn positions(count: usize, empties: u32, seed: u64) -> Vec<Position> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut state = GameState::new(Othello);
        while state.outcome().is_none() && state.position().empties().count_ones() > empties {
            let moves = Othello.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
        }
        if state.outcome().is_none() {
            found.push(*state.position());
        }
    }
    found
}

fn state(position: &Position) -> Box<dyn AnyState> {
    othello().state(None, Some(&position.to_string())).expect("a position's own text")
}

fn ask(player: &str, position: &Position, limits: Limits, lines: usize) -> Report<u32> {
    ask_threads(player, position, limits, lines, 1)
}

fn ask_threads(player: &str, position: &Position, limits: Limits, lines: usize, threads: usize) -> Report<u32> {
    let mut player = othello().player(None, player, 1).expect("a player's text");
    player
        .think(AnyTask {
            state: state(position).as_ref(),
            limits,
            clock: &FrozenClock,
            stop: &StopFlag::default(),
            threads,
            lines,
            progress: None,
        })
        .expect("the game goes on")
}

fn settings(pairs: &[(&str, &str)]) -> Settings {
    Settings::new(&Options::new(KEYS, pairs).expect("keys of the table"))
}

/// The article's listing as plain minimax, without cut-offs.
fn listing(settings: &Settings, board: Bits, depth: i32) -> i64 {
    if depth <= 0 {
        return settings.evaluate(&board);
    }
    let mut movables = board.legal();
    if movables == 0 {
        return -listing(settings, board.reversed(), depth - 1);
    }
    let mut a = i64::MIN;
    while movables != 0 {
        a = a.max(-listing(settings, board.after(movables.trailing_zeros()), depth - 1));
        movables &= movables - 1;
    }
    a
}

#[test]
fn classic_evaluates_mobility_and_corners() {
    let article = settings(&[]);
    let value = |own: u64, opp: u64| article.evaluate(&Bits::from_discs(own, opp)) / 256;
    // The start is symmetric and has no disc near a corner.
    assert_eq!(value(Position::START.own(), Position::START.opp()), 0);
    // A single disc on a corner: no moves for either side, three strips begin with it.
    assert_eq!(value(1, 0), 30);
    assert_eq!(value(0, 1), -30);
    // b2 opens a1 on one strip, b1 and a2 likewise; c3 is a good place.
    assert_eq!(value(1 << 9, 0), -5);
    assert_eq!(value(1 << 1 | 1 << 8, 0), -10);
    assert_eq!(value(1 << 18, 0), 1);
    let weighted = settings(&[("k", "2.5")]);
    assert_eq!(weighted.evaluate(&Bits::from_discs(1, 0)), 75 * 256);
}

#[test]
fn classic_evaluates_the_extreme_values_of_its_keys() {
    let corners = "-1000/1000/1000/1000/1000/1000/1000/1000";
    let extreme = settings(&[("k", "1000"), ("corners", corners)]);
    // A disc on each corner: 2000 more on three strips of each, times 1000.
    let all = 1 | 1 << 7 | 1 << 56 | 1 << 63;
    assert_eq!(extreme.evaluate(&Bits::from_discs(all, 0)), 24_000_000 * 256);
    assert_eq!(extreme.evaluate(&Bits::from_discs(0, all)), -24_000_000 * 256);
    let player = format!("classic:k=1000,corners={corners},ending=0");
    for position in positions(20, 14, 5).iter().filter(|position| position.legal() != 0) {
        let report = ask(&player, position, Limits::depth(4), 1);
        let narrow = ask(&format!("{player},window=narrow"), position, Limits::depth(4), 1);
        assert_eq!((report.best(), report.eval()), (narrow.best(), narrow.eval()), "{position:?}");
    }
}

#[test]
fn both_boards_evaluate_equally() {
    let article = settings(&[]);
    for empties in [52, 40, 28, 16, 4] {
        for position in positions(200, empties, u64::from(empties)) {
            let (own, opp) = (position.own(), position.opp());
            assert_eq!(
                article.evaluate(&Bits::from_discs(own, opp)),
                article.evaluate(&Lines::from_discs(own, opp)),
                "{position:?}"
            );
        }
    }
}

#[test]
fn classic_plays_the_move_of_the_listing() {
    let article = settings(&[]);
    for position in positions(60, 36, 3).iter().chain(&positions(60, 20, 4)) {
        if position.legal() == 0 {
            continue;
        }
        let report = ask("classic:depth=4", position, Limits::default(), 1);
        let board = Bits::from_discs(position.own(), position.opp());
        let best = (0..64)
            .filter(|square| position.legal() >> square & 1 == 1)
            .map(|square| (-listing(&article, board.after(square), 3), std::cmp::Reverse(square)))
            .max()
            .expect("a legal move");
        assert_eq!((report.best(), report.depth), (Some(best.1.0), 4), "{position:?}");
        assert_eq!(report.eval().map(|eval| eval.n), Some(best.0 as f64 / 256.0));
        // The choice of the board must not change the tree; a narrow window may change nodes, but not the move.
        let lines = ask("classic:depth=4,board=lines", position, Limits::default(), 1);
        assert_eq!(report, lines);
        let narrow = ask("classic:depth=4,window=narrow", position, Limits::default(), 1);
        assert_eq!((narrow.best(), narrow.eval()), (report.best(), report.eval()));
        assert!(narrow.nodes <= report.nodes);
    }
}

/// The own discs at the end by exhaustive search; the side maximises them and the opponent minimises them.
fn most_discs(position: &Position, side: banmen_game::Side) -> i32 {
    if position.is_over() {
        return position.discs(side).count_ones() as i32;
    }
    let children = Othello.moves(position).into_iter().map(|m| {
        let mut next = *position;
        next.play(m);
        most_discs(&next, side)
    });
    let best = if position.side() == side { children.max() } else { children.min() };
    best.expect("the game goes on")
}

#[test]
fn classic_solves_endings_exactly_in_discs() {
    for position in positions(40, 7, 11) {
        if position.legal() == 0 {
            continue;
        }
        let report = ask("classic", &position, Limits::nodes(1_000_000), 1);
        assert!(!report.proven, "own discs are no proof of a result");
        assert_eq!(
            report.eval().map(|eval| eval.n as i32),
            Some(most_discs(&position, position.side())),
            "{position:?}"
        );
    }
}

#[test]
fn classic_ending_respects_limits_unless_overrun() {
    let position = positions(1, 12, 9)[0];
    let short = ask("classic", &position, Limits::nodes(50), 1);
    assert!(short.eval().is_none() && short.nodes <= 50 && short.best().is_some());
    let overrun = ask("classic:overrun=yes", &position, Limits::nodes(50), 1);
    assert!(overrun.eval().is_some() && overrun.nodes > 50);
    assert!(ask("classic:overrun=yes,aim=margin", &position, Limits::nodes(50), 1).proven);
}

#[test]
fn classic_ending_needs_a_depth_limit_of_all_empty_squares() {
    let position = positions(1, 8, 9)[0];
    assert_eq!(position.empties().count_ones(), 8);
    for (depth, unit) in [(1, "points"), (7, "points"), (8, "own discs"), (60, "own discs")] {
        let report = ask("classic", &position, Limits::depth(depth), 1);
        assert_eq!((report.depth, report.eval().map(|eval| eval.unit)), (depth.min(8), Some(unit)));
    }
    assert_eq!(ask("classic:overrun=yes", &position, Limits::depth(1), 1).depth, 8);
}

#[test]
fn classic_pass_costs_a_ply() {
    // Where neither side can move the listing evaluates the position, and `passes=free` returns the final score.
    let mut before = positions(400, 6, 21);
    before.retain(|position| position.legal() != 0);
    let mut differ = 0;
    for position in before.iter().take(200) {
        let cost = ask("classic:depth=5,ending=0", position, Limits::default(), 1);
        let free = ask("classic:depth=5,ending=0,passes=free", position, Limits::default(), 1);
        differ += u32::from(cost.eval() != free.eval());
    }
    assert!(differ > 20, "with six empty squares the two keys should often differ: {differ} of 200");
}

/// The exact margin by exhaustive search.
fn margin(position: &Position) -> i32 {
    if position.is_over() {
        return position.score();
    }
    let children = Othello.moves(position).into_iter().map(|m| {
        let mut next = *position;
        next.play(m);
        -margin(&next)
    });
    children.max().expect("the game goes on")
}

#[test]
fn engine_solves_endings_exactly_with_several_lines() {
    for position in positions(60, 7, 31) {
        let report = ask("engine", &position, Limits::default(), 4);
        assert!(report.proven, "{position:?}");
        let mut values: Vec<i32> = Othello
            .moves(&position)
            .into_iter()
            .map(|m| {
                let mut next = position;
                next.play(m);
                -margin(&next)
            })
            .collect();
        values.sort_unstable_by(|a, b| b.cmp(a));
        values.truncate(4);
        let reported: Vec<i32> = report.lines.iter().map(|line| line.eval.expect("discs").n as i32).collect();
        assert_eq!(reported, values, "{position:?}");
        // Each line reaches the end of the game with its margin.
        for line in &report.lines {
            let mut end = state(&position);
            for &m in &line.moves {
                end.play(m).expect("a legal line");
            }
            let outcome = end.outcome().expect("a line to the end");
            assert_eq!(f64::from(outcome.signed_margin(position.side())), line.eval.expect("discs").n);
        }
    }
}

#[test]
fn engine_is_deterministic_and_respects_node_limits() {
    for position in positions(6, 40, 41).iter().chain(&positions(6, 18, 42)) {
        for nodes in [1, 100, 20_000] {
            let run = || ask("engine", position, Limits::nodes(nodes), 1);
            let report = run();
            assert_eq!(report, run());
            assert!(report.nodes <= nodes + 20_000, "{} of {nodes}", report.nodes);
            let best = report.best().and_then(|m| Othello.unpack(m)).expect("a move");
            assert!(Othello.is_legal(position, best));
        }
    }
}

/// Also where the budget ends between the proof of the score and the search for its line.
#[test]
fn engine_has_a_move_wherever_its_budget_ends() {
    for position in positions(20, 12, 12) {
        // From limits within the search before the solver to limits after the proof, in small steps.
        for nodes in (15_000..40_000).step_by(1_000) {
            let report = ask("engine", &position, Limits::nodes(nodes), 1);
            let m =
                report.best().and_then(|m| Othello.unpack(m)).unwrap_or_else(|| panic!("no move: {position}, {nodes}"));
            assert!(Othello.moves(&position).contains(&m), "{position}, {nodes}");
        }
    }
}

#[test]
fn every_level_plays_legally_and_follows_its_seed() {
    let position = positions(1, 30, 51)[0];
    for level in 1..=9 {
        let text = format!("engine:level={level}");
        let report = ask(&text, &position, Limits::default(), 3);
        let best = report.best().and_then(|m| Othello.unpack(m)).expect("a move");
        assert!(Othello.is_legal(&position, best), "level {level}");
        assert_eq!(report, ask(&text, &position, Limits::default(), 3), "level {level}");
        assert!(report.lines.len() <= 3);
    }
}

/// The mean of what each level loses a move in endings, in discs.
#[test]
fn no_level_loses_more_discs_than_the_one_below() {
    let positions: Vec<Position> = positions(60, 13, 53).into_iter().filter(|position| !position.must_pass()).collect();
    let values: Vec<Vec<(Option<u32>, f64)>> = positions
        .iter()
        .map(|position| {
            let report = ask("engine", position, Limits::default(), 64);
            let value = |line: &Line<u32>| (line.moves.first().copied(), line.eval.expect("discs").n);
            report.lines.iter().map(value).collect()
        })
        .collect();
    let losses: Vec<f64> = (1..=9)
        .map(|level| {
            let mut player = othello().player(None, &format!("engine:level={level},table=1"), 1).expect("a level");
            let mut lost = 0.0;
            for (position, values) in positions.iter().zip(&values) {
                for seed in 0..8 {
                    let state = state(position);
                    player.new_game(state.as_ref(), seed).expect("a new game");
                    let task = AnyTask {
                        state: state.as_ref(),
                        limits: Limits::default(),
                        clock: &FrozenClock,
                        stop: &StopFlag::default(),
                        threads: 1,
                        lines: 1,
                        progress: None,
                    };
                    let best = player.think(task).expect("the game goes on").best();
                    let (_, value) = values.iter().find(|(m, _)| *m == best).expect("a legal move");
                    lost += values[0].1 - value;
                }
            }
            lost / (8 * positions.len()) as f64
        })
        .collect();
    assert!(losses.windows(2).all(|pair| pair[1] <= pair[0]), "{losses:?}");
    // The highest one solves these endings.
    assert!(losses[0] > 4.0 && losses[8] == 0.0, "{losses:?}");
}

#[test]
fn engine_respects_its_time_limit() {
    // Ten times the limit: the machine may be busy.
    let clock = CpuClock::default();
    for position in [Position::START, positions(1, 24, 61)[0]] {
        let mut player = othello().player(None, "engine", 1).expect("the engine");
        let start = clock.now();
        player
            .think(AnyTask {
                state: state(&position).as_ref(),
                limits: Limits::time(Duration::from_millis(50)),
                clock: &clock,
                stop: &StopFlag::default(),
                threads: 1,
                lines: 1,
                progress: None,
            })
            .expect("the game goes on");
        assert!(clock.now() - start < Duration::from_millis(500));
    }
}

#[test]
fn engine_and_solver_values_do_not_depend_on_threads() {
    let limits = Limits::default();
    for position in positions(3, 15, 71) {
        let reports = [1, 3].map(|threads| ask_threads("engine", &position, limits, 2, threads));
        let values =
            |report: &Report<u32>| report.lines.iter().map(|line| line.eval.map(|eval| eval.n)).collect::<Vec<_>>();
        assert!(reports[0].proven && reports[1].proven);
        assert_eq!(values(&reports[0]), values(&reports[1]), "{position:?}");
        let solutions = [1, 3].map(|threads| {
            let task =
                SolveTask { limits, clock: &FrozenClock, stop: &StopFlag::default(), threads, table: SolveTask::TABLE };
            let game = othello();
            let solver = game.solver().expect("Othello has a solver");
            solver.solve(state(&position).as_ref(), true, &task, &mut |_| {}).expect("no table is needed")
        });
        let scores = |solution: &Solution| {
            let mut moves: Vec<_> = solution.moves.iter().map(|solved| (solved.m, solved.score)).collect();
            moves.sort_unstable();
            (solution.score, solution.best.clone(), moves)
        };
        assert_eq!(scores(&solutions[0]), scores(&solutions[1]), "{position:?}");
        assert_eq!(solutions[0].score.map(f64::from), reports[0].eval().map(|eval| eval.n));
    }
}

#[test]
fn a_solver_with_a_small_table_proves_the_same_with_more_nodes() {
    let solved = |position: &Position, table| {
        let stop = StopFlag::default();
        let task = SolveTask { limits: Limits::default(), clock: &FrozenClock, stop: &stop, threads: 1, table };
        let game = othello();
        let solver = game.solver().expect("Othello has a solver");
        solver.solve(state(position).as_ref(), false, &task, &mut |_| {}).expect("no table of a file is needed")
    };
    let mut nodes = [0, 0];
    for position in positions(3, 18, 72) {
        let solutions = [1 << 10, SolveTask::TABLE].map(|table| solved(&position, table));
        assert!(solutions[0].score.is_some());
        assert_eq!(solutions[0].score, solutions[1].score, "{position:?}");
        nodes = [0, 1].map(|at| nodes[at] + solutions[at].nodes);
    }
    assert!(nodes[0] > nodes[1], "{nodes:?}");
}

#[test]
fn low_levels_do_not_report_proven_values() {
    for position in positions(10, 4, 81) {
        assert!(!ask("engine:level=1", &position, Limits::default(), 1).proven, "{position:?}");
        assert!(ask("engine:level=6", &position, Limits::default(), 1).proven, "{position:?}");
    }
}

#[test]
fn stopped_solver_reports_no_best_move() {
    let game = othello();
    let solver = game.solver().expect("Othello has a solver");
    for position in positions(3, 24, 91) {
        let unforced = position.legal() != 0;
        for (all, nodes) in [(false, 100_000), (true, 100_000), (true, 1_000)] {
            let task = SolveTask {
                limits: Limits::nodes(nodes),
                clock: &FrozenClock,
                stop: &StopFlag::default(),
                threads: 1,
                table: SolveTask::TABLE,
            };
            let solution = solver.solve(state(&position).as_ref(), all, &task, &mut |so_far| {
                assert!(so_far.score.is_some() || so_far.best.is_empty());
            });
            let solution = solution.expect("no table is needed");
            assert!(solution.score.is_none() && solution.bounds.0 < solution.bounds.1, "{solution:?}");
            assert!(unforced && solution.best.is_empty() && solution.line.is_empty(), "{solution:?}");
        }
    }
}

#[test]
fn the_book_is_used_where_it_is_asked_for() {
    let start = Position::START;
    let at_once = |player: &str| ask(player, &start, Limits::nodes(2_000), 1);
    let report = at_once("engine:book=on");
    assert_eq!((report.nodes, report.proven), (0, false));
    assert!(report.lines[0].eval.is_some_and(|eval| eval.n.abs() < 5.0), "{report:?}");
    assert!(at_once("engine").nodes > 0, "no book unless asked for");
    assert_eq!(ask("engine:book=on", &start, Limits::nodes(2_000), 2).lines.len(), 2, "lines are searched");
}

#[test]
fn a_file_that_is_no_book_is_refused() {
    let othello = entry().build(&Data::in_memory().with_files());
    let player = |file: &str| {
        let text = format!("engine:book={}/{file}", env!("CARGO_MANIFEST_DIR"));
        othello.player(None, &text, 1).map(|_| ()).map_err(|error| error.message)
    };
    assert_eq!(player("src/book/book.bin"), Ok(()));
    let refused = player("src/engine/weights.bin").expect_err("weights are no book");
    assert!(refused.contains("weights.bin: not a book of this version"), "{refused}");
}
