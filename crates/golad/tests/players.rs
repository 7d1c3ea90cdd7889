//! The players of GOLAD: legal moves from every board, the same answer for the same seed and nodes, bounded time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use banmen_catalog::{CpuClock, Options};
use banmen_game::{Game, GameState, Notation, Rng, Side};
use banmen_golad::engine::{self, Engine};
use banmen_golad::players::balance3::{self, Balance3};
use banmen_golad::{Board, Cell, Golad, Move, Position, start};
use banmen_search::mcts::{Fast, Mcts, Settings};
use banmen_search::{Clock, Limits, Player, Report, StopFlag, Task, TimeControl};

/// A clock that advances by a fixed time at every read, and counts the reads.
struct Steps {
    reads: AtomicU64,
    step: Duration,
}

impl Steps {
    fn of(step: Duration) -> Steps {
        Steps { reads: AtomicU64::new(0), step }
    }
}

impl Clock for Steps {
    fn now(&self) -> Duration {
        self.step * self.reads.fetch_add(1, Ordering::Relaxed) as u32
    }
}

/// A clock that does not advance: only limits of nodes and depth apply.
fn still() -> Steps {
    Steps::of(Duration::ZERO)
}

fn engine(pairs: &[(&str, &str)], seed: u64) -> Box<dyn Player<Golad>> {
    let pairs = [&[("table", "1")], pairs].concat();
    Box::new(Engine::new(&Options::new(engine::KEYS, &pairs).expect("good keys"), seed).expect("weights"))
}

fn balance3() -> Box<dyn Player<Golad>> {
    Box::new(Balance3::new(&Options::new(balance3::KEYS, &[]).expect("good keys")).expect("weights"))
}

fn ask(player: &mut dyn Player<Golad>, state: &GameState<Golad>, limits: Limits, clock: &Steps) -> Report<Move> {
    let stop = StopFlag::default();
    player.think(Task { state, limits, clock, stop: &stop, threads: 1, lines: 1, progress: None })
}

/// An unfinished position of any size up to 32 by 32, some with one cell of a colour, some at the last turn.
fn any_position(rng: &mut Rng) -> (Golad, Position) {
    let side = |rng: &mut Rng| {
        let longest = [3, 8, 18, 32][rng.index(4)];
        1 + rng.index(longest) as u8
    };
    loop {
        let game = Golad { width: side(rng), height: side(rng), rounds: 1 + rng.index(5) as u16, ..Golad::STANDARD };
        let mut board = Board::empty(game.width, game.height);
        let share = 2 + rng.index(12);
        let alone = [None, Some(Side::First), Some(Side::Second)][rng.index(3)];
        for y in 0..board.height() {
            for x in 0..board.width() {
                let owner = Side::BOTH[rng.index(2)];
                let cell = Cell::new(x, y).expect("a cell of the board");
                if rng.index(share) == 0 && !(alone == Some(owner) && board.count(owner) > 0) {
                    board.set(cell, Some(owner));
                }
            }
        }
        let generations = rng.index(2 * usize::from(game.rounds)) as u16;
        let position = Position { board, side: Side::BOTH[rng.index(2)], generations };
        if game.outcome(&position, &()).is_none() {
            return (game, position);
        }
    }
}

#[test]
fn every_best_move_is_legal() {
    let mut rng = Rng::new(1);
    for round in 0..300 {
        let (game, position) = any_position(&mut rng);
        let level = (1 + round % 10).to_string();
        for player in [&mut engine(&[("level", &level)], round), &mut balance3()] {
            let limits = Limits::nodes([0, 1, 3_000, 20_000][rng.index(4)]);
            let report = ask(player.as_mut(), &GameState::from(game, position), limits, &still());
            let m = report.best().expect("a move");
            assert_eq!(game.check(&position, m), Ok(()), "{position:?}");
            let mut next = position;
            for &m in &report.lines[0].moves {
                assert_eq!(game.check(&next, m), Ok(()), "{position:?} {:?}", report.lines);
                next.play(m);
            }
            assert!((0.0..=1.0).contains(&report.value()));
        }
    }
}

#[test]
fn plays_an_immediate_win() {
    let mut rng = Rng::new(6);
    let mut wins = 0;
    while wins < 60 {
        let (game, position) = any_position(&mut rng);
        if game.count_moves(&position) > 20_000 {
            continue;
        }
        let won = |m: Move| {
            let mut next = position;
            next.play(m);
            game.outcome(&next, &()).is_some_and(|outcome| outcome.winner == Some(position.side))
        };
        if game.moves(&position).into_iter().any(won) {
            wins += 1;
            let level = (1 + wins % 10).to_string();
            let report = ask(
                engine(&[("level", &level)], wins).as_mut(),
                &GameState::from(game, position),
                Limits::nodes(rng.below(5_000)),
                &still(),
            );
            assert!(report.best().is_some_and(won), "{position:?} {report:?}");
        }
    }
}

#[test]
fn equal_seeds_and_nodes_give_equal_reports() {
    let mut rng = Rng::new(2);
    let mut differ = 0;
    for round in 0..20 {
        let state = GameState::from(
            Golad::STANDARD,
            Position::new(start(&Golad::STANDARD, &round.to_string()).expect("a start")),
        );
        let level = if round % 2 == 0 { "10" } else { "4" };
        let limits = Limits::nodes(5_000 + rng.below(50_000));
        let answer = |seed| {
            let mut player = engine(&[("level", level)], 99);
            player.new_game(&state, seed);
            ask(player.as_mut(), &state, limits, &still())
        };
        let report = answer(round);
        assert_eq!(report, answer(round));
        assert!(limits.nodes.is_some_and(|nodes| report.nodes <= nodes));
        differ += i32::from(report != answer(round + 1));
    }
    assert!(differ > 5, "the seed of a level below 10 counts: {differ} of 10");
}

#[test]
fn has_a_move_when_time_is_up_at_once() {
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    for player in [&mut engine(&[], 1), &mut balance3()] {
        let report = ask(player.as_mut(), &state, Limits::time(Duration::ZERO), &Steps::of(Duration::from_millis(1)));
        assert!(report.best().is_some());
    }
}

#[test]
fn reads_the_clock_often() {
    // One more read of the clock allows so many more trials: the number of trials between two reads. A fast machine
    // tries some 10,000 changes of the usual board in a millisecond, and of the largest, without vectors, some 1,000.
    // The lists are the same under all limits.
    let usual: &[(&str, &str)] =
        &[("root", "80/60/6"), ("inner", "16/24/3"), ("survey", "400"), ("widths", "32/32/20/16/12/8")];
    let wide: &[(&str, &str)] = &[("root", "1024/1024/1024"), ("ground", "8"), ("reach", "31")];
    let cases = [
        (None, Some(usual), 1_500),
        (None, Some(wide), 250),
        (None, None, 3_000),
        (Some(32), Some(usual), 300),
        (Some(32), Some(wide), 50),
        (Some(32), None, 700),
    ];
    for (size, keys, most) in cases {
        let mut board = start(&Golad::STANDARD, "x").expect("a start");
        let mut game = Golad::STANDARD;
        if let Some(side) = size {
            (game.width, game.height, board) = (side, side, Board::empty(side, side));
            for (number, cell) in board.clone().dead_cells().enumerate() {
                board.set(cell, [Some(Side::First), Some(Side::Second), None, None, None][number * number % 11 % 5]);
            }
        }
        let state = GameState::from(game, Position::new(board));
        let nodes = |reads: u32| {
            let mut player = keys.map_or_else(balance3, |keys| engine(keys, 1));
            let limits = Limits::time(Duration::from_millis(1) * reads);
            ask(player.as_mut(), &state, limits, &Steps::of(Duration::from_millis(1))).nodes
        };
        let gap = (1..60).map(|reads| nodes(reads + 1) - nodes(reads)).max();
        assert!(gap.is_some_and(|gap| gap > 0 && gap <= most), "{gap:?} changes, {keys:?}, size {size:?}");
    }
}

#[test]
fn every_key_has_an_effect() {
    let base = [("root", "12/8/2"), ("inner", "6/6/2"), ("survey", "16"), ("widths", "8/6/4/4/4/4")];
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    let seen = |changed: &[(&str, &str)]| {
        let kept = base.iter().filter(|(key, _)| changed.iter().all(|(other, _)| key != other));
        let keys: Vec<_> = kept.chain(changed).copied().collect();
        let report = ask(engine(&keys, 1).as_mut(), &state, Limits::depth(4), &still());
        (report.nodes, report.lines[0].value.to_bits())
    };
    let plain = seen(&[]);
    // `a_side_that_leads_uses_the_weights_for_it` tests the weights of a side that leads.
    for key in engine::KEYS.iter().filter(|key| !["table", "lead-weights"].contains(&key.name)) {
        let value = match key.name {
            "level" => "9",
            "lead" => "50",
            "weights" => "40/30/20/11/0/0/0/0",
            "territory" => "81",
            "ground" | "reach" => "4",
            "edge" => "2",
            "root" => "12/8/3",
            "inner" => "6/6/3",
            "survey" => "17",
            "widths" => "8/6/5/4/4/4",
            other => panic!("no other value of {other}"),
        };
        assert_ne!(seen(&[(key.name, value)]), plain, "{}", key.name);
    }
    // A level shortens the lists, except where they are shorter already.
    assert_ne!(seen(&[("level", "9")]), seen(&[("level", "9"), ("inner", "2/2/1")]));
}

#[test]
fn a_side_that_leads_uses_the_weights_for_it() {
    let other = "10/20/70/5/0/0/0/0";
    let start = start(&Golad::STANDARD, "x").expect("a start");
    // The mover has 40 cells of 100, 80, 62 and 61: shares of 40, 50, 64.5 and 65.6 %.
    for (removed, grown, leads) in [(0, 20, false), (0, 0, false), (18, 0, false), (19, 0, true)] {
        let mut board = start;
        start.cells(Side::Second).take(removed).for_each(|cell| board.set(cell, None));
        start.dead_cells().take(grown).for_each(|cell| board.set(cell, Some(Side::Second)));
        let state = GameState::from(Golad::STANDARD, Position::new(board));
        let seen = |player: &mut dyn Player<Golad>| {
            player.new_game(&state, 1);
            let report = ask(player, &state, Limits::nodes(5_000), &still());
            (report.nodes, report.lines[0].clone())
        };
        let alone = |weights| seen(engine(&[("weights", weights), ("lead", "100")], 1).as_mut());
        let (usual, special) = (alone("40/30/20/10/0/0/0/0"), alone(other));
        assert_ne!(usual, special);
        let expected = if leads { &special } else { &usual };
        assert_eq!(&seen(engine(&[("lead-weights", other)], 1).as_mut()), expected, "{removed} {grown}");
        // Levels below 10 keep the usual weights.
        let level = |keys: &[(&str, &str)]| seen(engine(&[&[("level", "9")], keys].concat(), 1).as_mut());
        assert_eq!(level(&[("lead-weights", other)]), level(&[("lead", "100")]));
        // A table that has the position by the other weights does not change what is found.
        let mut both = engine(&[("lead-weights", other)], 1);
        let behind = GameState::from(Golad::STANDARD, Position { side: Side::Second, ..*state.position() });
        ask(both.as_mut(), &behind, Limits::nodes(5_000), &still());
        let report = ask(both.as_mut(), &state, Limits::nodes(5_000), &still());
        assert_eq!((report.nodes, &report.lines[0]), (expected.0, &expected.1));
    }
}

#[test]
fn a_lead_is_reported_to_be_worth_less_the_fewer_turns_are_left() {
    let mut board = start(&Golad::STANDARD, "1").expect("a start");
    for cell in board.cells(Side::Second).skip(20).collect::<Vec<_>>() {
        board.set(cell, None);
    }
    for level in ["10", "4"] {
        let rates = [0, 100, 150, 180, 199].map(|generations| {
            let state = GameState::from(Golad::STANDARD, Position { board, side: Side::First, generations });
            let limits = Limits { depth: Some(1), ..Limits::default() };
            let mut player = engine(&[("level", level)], 1);
            let report = ask(player.as_mut(), &state, limits, &still());
            assert_eq!(report.eval().expect("a value").unit, "% of the cells", "no move wins at once");
            report.value()
        });
        assert!(rates.is_sorted_by(|more, less| more > less), "{rates:?}");
        assert!(rates[0] > 0.6 && rates[4] == 0.5, "nothing can happen after the last turn: {rates:?}");
    }
}

#[test]
fn weights_that_are_all_0_are_named() {
    for key in ["weights", "lead-weights"] {
        let options = Options::new(engine::KEYS, &[(key, "0/0/0/0/0/0/0/0"), ("territory", "0")]).expect("good keys");
        let error = Engine::new(&options, 1).err().expect("no weights");
        assert_eq!(error.args["key"], key);
        assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
    }
}

#[test]
fn limits_set_the_lengths_of_the_lists() {
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    let seen = |player: &mut dyn Player<Golad>, limits: Limits| {
        let report = ask(player, &state, limits, &still());
        (report.nodes, report.depth, report.lines[0].clone())
    };
    let widths = ("widths", "32/32/20/16/12/8");
    let short = [("root", "20/16/2"), ("inner", "5/10/1"), ("survey", "60"), widths];
    let long = [("root", "80/60/6"), ("inner", "16/24/3"), ("survey", "400"), widths];
    let few = Limits::nodes(20_000);
    assert_eq!(seen(engine(&[], 1).as_mut(), few), seen(engine(&short, 1).as_mut(), few));
    assert_ne!(seen(engine(&[], 1).as_mut(), few), seen(engine(&long, 1).as_mut(), few));
    // A search bounded by depth alone has as long a time as it needs.
    let deep = Limits::depth(2);
    assert_eq!(seen(engine(&[], 1).as_mut(), deep), seen(engine(&long, 1).as_mut(), deep));
    // The speed that a search under a time limit had says nothing about one under a limit of nodes.
    let mut player = engine(&[], 1);
    let timed =
        ask(player.as_mut(), &state, Limits::time(Duration::from_millis(5)), &Steps::of(Duration::from_millis(1)));
    assert!(timed.nodes > 0);
    player.new_game(&state, 1);
    assert_eq!(seen(player.as_mut(), few), seen(engine(&short, 1).as_mut(), few));
}

#[test]
fn repeated_search_reaches_the_same_depth() {
    // Entries of the table from the last search must not end the next one early.
    let keys = [("root", "12/8/2"), ("inner", "6/6/2"), ("survey", "16"), ("widths", "8/6/4/4/4/4")];
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    let mut player = engine(&keys, 1);
    for depth in [4, 4, 5] {
        assert_eq!(ask(player.as_mut(), &state, Limits::depth(depth), &still()).depth, depth);
    }
}

#[test]
fn a_short_survey_leaves_the_first_width_and_the_lines_asked_for() {
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    let lists = [("root", "12/8/2"), ("inner", "6/6/2"), ("widths", "8/6/4/4/4/4")];
    let seen = |survey, lines| {
        let keys = [&lists[..], &[("survey", survey)]].concat();
        let (limits, clock, stop) = (Limits::depth(3), still(), StopFlag::default());
        let task = Task { state: &state, limits, clock: &clock, stop: &stop, threads: 1, lines, progress: None };
        let report = engine(&keys, 1).think(task);
        (report.depth, report.nodes, report.lines)
    };
    let (depth, nodes, best) = seen("1", 1);
    assert_eq!(depth, 3, "the move is not forced");
    assert_eq!((depth, nodes, best), seen("8", 1));
    assert_eq!(seen("1", 3).2.len(), 3);
    assert_eq!(seen("1", 12).2.len(), 12);
}

#[test]
fn a_table_filled_with_other_lists_changes_nothing() {
    let position = Position::new(start(&Golad::STANDARD, "q0").expect("a start"));
    let state = GameState::from(Golad::STANDARD, position);
    let seen = |player: &mut dyn Player<Golad>, limits: Limits| {
        let report = ask(player, &state, limits, &still());
        (report.nodes, report.lines[0].clone())
    };
    let (short, long) = (Limits::nodes(20_000), Limits::depth(2));
    for [before, after] in [[short, long], [long, short]] {
        let mut player = engine(&[], 1);
        seen(player.as_mut(), before);
        assert_eq!(seen(player.as_mut(), after), seen(engine(&[], 1).as_mut(), after), "{before:?}, then {after:?}");
    }
}

#[test]
fn stops_at_the_end_of_the_game() {
    for (text, deepest) in [
        // Whatever is played, all cells die.
        ("0.1 0 0", 1),
        // Three turns are left.
        (".00./.00./..../.11./.11. 1 197", 3),
    ] {
        let (game, position) = Golad::STANDARD.parse_position(text).expect(text);
        let report = ask(engine(&[], 1).as_mut(), &GameState::from(game, position), Limits::nodes(300_000), &still());
        assert!(report.depth <= deepest, "{text}: depth {}", report.depth);
    }
}

#[test]
fn never_spends_the_whole_bank_on_a_move() {
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    for main in [20, 500, 10_000] {
        let main = Duration::from_millis(main);
        let bank = TimeControl { main, increment: Duration::from_millis(100), ..TimeControl::default() };
        let limits = Limits { clock: Some(bank), ..Limits::default() };
        let report = ask(engine(&[], 1).as_mut(), &state, limits, &Steps::of(Duration::from_micros(100)));
        assert!(report.time < main, "{:?} of {main:?}", report.time);
    }
}

#[test]
fn the_stop_flag_ends_a_search_without_limits() {
    let state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, "x").expect("a start")));
    let stop = StopFlag::default();
    let mut reports = 0;
    let report = engine(&[("survey", "8"), ("widths", "8/4/4/4/4/4")], 1).think(Task {
        state: &state,
        limits: Limits::default(),
        clock: &still(),
        stop: &stop,
        threads: 1,
        lines: 1,
        progress: Some(&mut |report| {
            reports += 1;
            assert_eq!(report.depth, reports);
            if reports == 3 {
                stop.stop();
            }
        }),
    });
    assert_eq!(report.depth, 3);
}

/// Plays a game between two players; the winner.
fn play(mut players: [Box<dyn Player<Golad>>; 2], seed: &str, limits: Limits) -> (Option<Side>, u16) {
    let mut state = GameState::from(Golad::STANDARD, Position::new(start(&Golad::STANDARD, seed).expect("a start")));
    let outcome = loop {
        if let Some(outcome) = state.outcome() {
            break outcome;
        }
        let m = ask(players[state.side_to_move().index()].as_mut(), &state, limits, &still()).best().expect("a move");
        state.play(m);
    };
    (outcome.winner, state.position().generations)
}

/// Always passes.
struct Passer;

impl Player<Golad> for Passer {
    fn think(&mut self, _: Task<'_, Golad>) -> Report<Move> {
        Report::of(Move::Pass, 0.5)
    }
}

#[test]
fn beats_a_passing_player_within_fifteen_rounds() {
    for game in 0..6 {
        let limits = Limits::nodes(20_000);
        let side = Side::BOTH[game % 2];
        let mut players: [Box<dyn Player<Golad>>; 2] = [Box::new(Passer), Box::new(Passer)];
        players[side.index()] = engine(&[], 1);
        let (winner, generations) = play(players, &game.to_string(), limits);
        assert_eq!(winner, Some(side));
        assert!(generations <= 30, "{generations} generations");
    }
}

/// The whole time of a move, from the question to the answer, with a start of 162,321 moves: listing them, the tree search
/// that makes a child of each, and the reports. It is CPU time, and ten times the limit is allowed, so that a busy machine does not
/// fail it.
#[test]
fn time_of_a_move_at_a_start_is_bounded_with_and_without_progress_reports() {
    let position = Position::new(start(&Golad::STANDARD, "banmen-1").expect("a start"));
    assert_eq!(Golad::STANDARD.count_moves(&position), 162_321);
    let state = GameState::from(Golad::STANDARD, position);
    let settings = Settings { bytes: 32 << 20, ..Settings::default() };
    let mut tree = Mcts::<Golad, Fast>::new(&Golad::STANDARD, settings, Fast::default(), 1).expect("settings");
    let mut engine = engine(&[], 1);
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let limit = Duration::from_millis(200);
    let players: [&mut dyn Player<Golad>; 2] = [&mut tree, engine.as_mut()];
    for (player, name) in players.into_iter().zip(["mcts", "engine"]) {
        for listens in [false, true] {
            player.new_game(&state, 1);
            let mut reports = 0;
            let mut count = |report: &Report<Move>| reports += usize::from(report.best().is_some());
            let begin = clock.now();
            let report = player.think(Task {
                state: &state,
                limits: Limits::time(limit),
                clock: &clock,
                stop: &stop,
                threads: 1,
                lines: 10,
                progress: if listens { Some(&mut count) } else { None },
            });
            let whole = clock.now() - begin;
            assert!(report.best().is_some() && report.nodes > 0);
            assert!(whole < 10 * limit, "{name} took {whole:?} of {limit:?}, reports: {reports}");
        }
    }
}
