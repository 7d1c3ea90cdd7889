//! The tree search: seeds, limits, reuse, threads, and which settings are refused.

#[macro_use]
mod mcts_games;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use banmen_game::{Game, GameState, Rng};
use banmen_search::mcts::{
    Amaf, AmafUpdates, Expansion, FinalMove, Guide, Mcts, NewChildren, NodeStats, Opponent, Order, Parallel, Rave,
    SearchPosition, Selection, Settings, SettingsError, TerminalCheck, Uniform, Unvisited, VirtualVisits, Widening,
};
use banmen_search::{Budget, Clock, Limits, Player, Report, StopFlag, Task};
use mcts_games::{ConnectFour, SeededGame, Still, random_states, with_budget};

type Search = Mcts<ConnectFour, Uniform>;

fn search(settings: Settings, seed: u64) -> Search {
    Mcts::new(&ConnectFour, settings, Uniform::default(), seed).expect("the settings are sound")
}

/// The defaults with less memory.
fn small() -> Settings {
    Settings { bytes: 16 << 20, ..Settings::default() }
}

fn playouts(count: u64) -> Limits {
    Limits { playouts: Some(count), ..Limits::default() }
}

fn run(mcts: &mut Search, count: u64) -> u64 {
    with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(count), |_| {}))
}

fn think(mcts: &mut Search, state: &GameState<ConnectFour>, limits: Limits) -> Report<u8> {
    think_on(mcts, state, limits, 1)
}

fn think_on(mcts: &mut Search, state: &GameState<ConnectFour>, limits: Limits, threads: usize) -> Report<u8> {
    let mut reports = 0;
    let report = mcts.think(Task {
        state,
        limits,
        clock: &Still,
        stop: &StopFlag::default(),
        threads,
        lines: 2,
        progress: Some(&mut |report| {
            assert!(report.best().is_some());
            reports += 1;
        }),
    });
    assert!(reports < 20, "reports become rare");
    report
}

/// Every node: what its children got is what it got, less the simulations that ended in it.
fn add_up<G: Game, K: Guide<G>>(mcts: &Mcts<G, K>, line: &mut Vec<G::Move>, own: f64) -> u64 {
    let whole = mcts.node_stats(line).expect("a line in the tree");
    let children = mcts.children(line);
    if children.is_empty() {
        return 1;
    }
    let visits: f64 = children.iter().map(|(_, child)| child.visits).sum();
    let sum: f64 = children.iter().map(|(_, child)| child.sum).sum();
    assert!(visits <= whole.visits && whole.visits - visits <= own, "{whole:?} {children:?}");
    assert!(sum <= whole.sum && whole.sum - sum <= whole.visits - visits);
    let below = children.into_iter().map(|(m, _)| {
        line.push(m);
        let nodes = add_up(mcts, line, own);
        line.pop();
        nodes
    });
    1 + below.sum::<u64>()
}

#[test]
fn same_seed_grows_the_same_tree() {
    for state in random_states(&ConnectFour, 6, 7) {
        for order in [Order::Listed, Order::Shuffled] {
            let expansion = Expansion { order, ..Settings::default().expansion };
            let settings = Settings { expansion, bytes: 1 << 20, ..small() };
            let mut mcts = search(settings, 3);
            let report = think(&mut mcts, &state, playouts(3_000));
            assert_eq!(report, think(&mut search(settings, 3), &state, playouts(3_000)));
            let other = think(&mut search(settings, 4), &state, playouts(3_000));
            assert_ne!(report.lines, other.lines, "another seed plays other games");
            mcts.new_game(&state, 4);
            assert_eq!(other, think(&mut mcts, &state, playouts(3_000)), "a new game takes its seed");
            mcts.new_game(&state, 3);
            assert_eq!(report, think(&mut mcts, &state, playouts(3_000)), "a new game forgets the old one");
            assert_eq!(report.playouts, Some(3_000));
            assert_eq!(add_up(&mcts, &mut Vec::new(), 1.0), mcts.statistics().nodes);
        }
    }
}

#[test]
fn runs_in_slices_grow_the_same_tree() {
    let (mut whole, mut sliced) = (search(small(), 9), search(small(), 9));
    run(&mut whole, 5_000);
    for count in [1, 7, 992, 1_500, 2_500] {
        assert_eq!(run(&mut sliced, count), count);
    }
    assert_eq!(whole.children(&[]), sliced.children(&[]));
    assert_eq!(whole.children(&[3, 3]), sliced.children(&[3, 3]));
}

#[test]
fn limits_of_playouts_nodes_and_depth_hold() {
    let state = GameState::new(ConnectFour);
    let settings = Settings { bytes: 1 << 20, ..small() };
    for count in [0, 1, 2, 9, 1_000] {
        let report = think(&mut search(settings, 1), &state, playouts(count));
        assert_eq!(report.playouts, Some(count));
        assert!(report.best().is_some(), "also without playouts there is a move");
    }
    let nodes = think(&mut search(settings, 1), &state, Limits::nodes(10_000));
    assert_eq!(nodes.nodes, 10_000);
    assert_eq!(nodes, think(&mut search(settings, 1), &state, Limits::nodes(10_000)));
    let mut mcts = search(settings, 1);
    think(&mut mcts, &state, Limits::depth(5));
    assert_eq!(mcts.statistics().deepest, 5);
    mcts.limits = playouts(70);
    assert_eq!(think(&mut mcts, &state, playouts(500)).playouts, Some(70), "the player's own limits hold too");

    let stop = StopFlag::default();
    stop.stop();
    let mut progress = |_: &Report<u8>| panic!("nothing was done");
    let limits = Limits::default();
    let task =
        Task { state: &state, limits, clock: &Still, stop: &stop, threads: 1, lines: 1, progress: Some(&mut progress) };
    assert!(search(settings, 1).think(task).best().is_some());
}

#[test]
fn limit_of_depth_ends_where_the_game_is_shorter() {
    // Two or three moves before the board is full.
    for plies in [39, 40] {
        let states: Vec<_> = random_states(&ConnectFour, 2_000, plies).take(5).collect();
        assert_eq!(states.len(), 5);
        for state in states {
            for threads in [1, 2] {
                let report = think_on(&mut search(small(), 1), &state, Limits::depth(20), threads);
                assert!(report.playouts.is_some_and(|made| made < 10_000), "{report:?}");
            }
        }
    }
}

/// How a search is cut into slices depends on the clock.
#[test]
fn limit_of_depth_ends_at_the_same_simulation_in_slices() {
    let state = random_states(&ConnectFour, 2_000, 39).next().expect("a state");
    let made = |slice: Option<u64>| {
        let mut mcts = search(Settings { solver: false, ..small() }, 1);
        mcts.begin(&state);
        let mut all = 0;
        loop {
            let limits = Limits { playouts: slice, ..Limits::depth(20) };
            let run = with_budget(Limits::default(), |budget| mcts.run(budget, &limits, |_| {}));
            all += run;
            if slice.is_none_or(|slice| run < slice) {
                let best = mcts.best().expect("a move");
                assert!(mcts.advance(best));
                // What was made before the move says nothing of the positions after it.
                let more = with_budget(Limits::default(), |budget| mcts.run(budget, &Limits::depth(20), |_| {}));
                assert!(more > 1_000, "{more}");
                return all;
            }
        }
    };
    let whole = made(None);
    assert_eq!([made(Some(64)), made(Some(777))], [whole; 2]);
}

#[test]
fn a_limit_of_depth_counts_from_the_move_that_was_played() {
    let mut mcts = search(small(), 1);
    mcts.begin(&GameState::new(ConnectFour));
    for _ in 0..4 {
        let made = with_budget(Limits::depth(6), |budget| mcts.run(budget, &Limits::depth(6), |_| {}));
        assert!(made > 1 && mcts.statistics().deepest == 6, "{made} simulations");
        let best = mcts.best().expect("a move");
        assert!(mcts.advance(best));
    }
}

/// A clock that advances by a millisecond at each reading.
#[derive(Default)]
struct Steps(AtomicU64);

impl Clock for Steps {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn time_limit_and_stop_flag_end_a_run() {
    let (clock, stop) = (Steps::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::time(Duration::from_millis(40)), &clock, &stop);
    let made = search(small(), 1).run(&mut budget, &Limits::default(), |_| {});
    // A clock this slow is read after every simulation.
    assert!((1..40).contains(&made), "{made}");

    let mut budget = Budget::start(&Limits::default(), &Still, &stop);
    let mut seen = 0;
    let made = search(small(), 1).run(&mut budget, &Limits::default(), |_| {
        seen += 1;
        if seen == 100 {
            stop.stop();
        }
    });
    assert_eq!(made, seen);
    assert!((100..=100 + Budget::PERIOD).contains(&made), "{made}");
}

#[test]
fn search_stops_early_only_when_the_best_move_can_not_change() {
    let mut early = 0;
    for state in random_states(&ConnectFour, 30, 8) {
        let think = |early_stop| {
            let mut mcts = search(Settings { early_stop, ..small() }, 1);
            let report = think(&mut mcts, &state, playouts(10_000));
            let children = mcts.children(&[]);
            let mut visits: Vec<f64> = children.iter().map(|(_, child)| child.visits).collect();
            visits.sort_by(f64::total_cmp);
            let lead = visits.pop().unwrap_or(0.0) - visits.pop().unwrap_or(0.0);
            (report.best(), report.playouts.expect("counted"), lead)
        };
        let (whole, certain, half) = (think(None), think(Some(1.0)), think(Some(0.5)));
        assert_eq!((whole.0, whole.1), (certain.0, 10_000));
        for (part, (_, made, lead)) in [(1.0, certain), (0.5, half)] {
            assert!(made == 10_000 || lead > part * (10_000 - made) as f64, "{part}: {made} {lead}");
        }
        assert!(half.1 <= certain.1);
        early += u32::from(certain.1 < 9_000);
    }
    assert!(early > 5, "{early} of 30 searches stop early");
}

#[test]
fn only_move_is_played_at_once() {
    let single = random_states(&ConnectFour, 2_000, 38).find(|state| ConnectFour.moves(state.position()).len() == 1);
    let state = single.expect("a position with one move");
    let mut mcts = search(Settings { early_stop: Some(1.0), ..small() }, 1);
    assert_eq!(think(&mut mcts, &state, playouts(100_000)).playouts, Some(256));
}

/// Playouts of a millisecond by its clock.
#[derive(Clone, Default)]
struct Slow(Arc<AtomicU64>);

impl Guide<ConnectFour> for Slow {
    uniform_playouts!(ConnectFour, u32::MAX);

    fn descended(&mut self, _: &[u8]) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Clock for Slow {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

#[test]
fn search_stops_early_by_the_time_that_is_left() {
    let state = random_states(&ConnectFour, 1, 8).next().expect("a position");
    let think = |early_stop| {
        let slow = Slow::default();
        let settings = Settings { early_stop, ..small() };
        let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, slow.clone(), 1).expect("it is sound");
        let limits = Limits::time(Duration::from_secs(20));
        let (clock, stop): (&dyn Clock, _) = (&slow, StopFlag::default());
        let report =
            mcts.think(Task { state: &state, limits, clock, stop: &stop, threads: 1, lines: 1, progress: None });
        (report.best(), report.time.as_millis())
    };
    let ((whole, full), (best, part)) = (think(None), think(Some(1.0)));
    assert_eq!(whole, best);
    assert!(full >= 19_000 && part < 18_000, "{full} and {part} ms");
}

#[test]
fn early_stop_with_a_playout_limit_does_not_depend_on_the_clock() {
    let mut early = 0;
    for state in random_states(&ConnectFour, 30, 8) {
        let slow = Slow::default();
        let think = |clock: &dyn Clock| {
            let settings = Settings { early_stop: Some(1.0), ..small() };
            let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, slow.clone(), 1).expect("it is sound");
            let (limits, stop) = (playouts(20_000), StopFlag::default());
            let task = Task { state: &state, limits, clock, stop: &stop, threads: 1, lines: 1, progress: None };
            Report { time: Duration::ZERO, ..mcts.think(task) }
        };
        // The one reports more and more rarely, the other every 256 playouts.
        let still = think(&Still);
        assert_eq!(still, think(&slow));
        early += u32::from(still.playouts < Some(20_000));
    }
    assert!(early > 5, "{early} of 30 searches stop early");
}

/// Gives rewards, weights and priors out of range.
#[derive(Clone)]
struct OutOfRange;

impl Guide<ConnectFour> for OutOfRange {
    const PRIORS: bool = true;

    uniform_playouts!(ConnectFour, 3);

    fn evaluate(&mut self, _: &SearchPosition<'_, ConnectFour>, children: &mut NewChildren<'_, u8>) -> Option<f64> {
        children.priors.fill(if children.moves.len() == 7 { 0.0 } else { f32::INFINITY });
        None
    }

    fn cut(&mut self, at: &SearchPosition<'_, ConnectFour>) -> f64 {
        if at.position.empty().is_multiple_of(2) { 7.0 } else { f64::NEG_INFINITY }
    }

    fn weight(&mut self, plies: u32) -> f64 {
        if plies.is_multiple_of(2) { 0.0 } else { 1e9 }
    }
}

#[test]
fn rewards_weights_and_priors_out_of_range_are_clamped() {
    let settings = Settings { selection: Selection::Puct { c: 1.0, base: None }, ..small() };
    let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, OutOfRange, 1).expect("it is sound");
    with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(2_000), |_| {}));
    let root = mcts.node_stats(&[]).expect("the root");
    assert!(root.visits <= 2_000.0 && root.sum <= root.visits, "{root:?}");
    assert!(mcts.children(&[]).iter().all(|(_, child)| (child.prior - 1.0 / 7.0).abs() < 1e-6));
    assert!(mcts.best().is_some());
}

#[test]
fn observer_is_called_for_every_simulation() {
    let mut mcts = search(small(), 2);
    let (mut seen, mut sum) = (0, 0.0);
    with_budget(Limits::default(), |budget| {
        mcts.run(budget, &playouts(1_000), |simulation| {
            assert!(!simulation.line.is_empty());
            seen += 1;
            sum += simulation.reward;
        })
    });
    let root = mcts.node_stats(&[]).expect("the root");
    assert_eq!((seen, sum), (1_000, root.sum));
}

#[test]
fn full_tree_is_searched_without_growing() {
    for bytes in [4096, 10_000, 100_000] {
        let mut mcts = search(Settings { bytes, ..small() }, 1);
        assert_eq!(run(&mut mcts, 20_000), 20_000);
        let statistics = mcts.statistics();
        assert!(statistics.refused > 0 && statistics.nodes <= statistics.capacity, "{statistics:?}");
        assert!(statistics.capacity * 48 <= bytes as u64, "the memory is not exceeded");
        assert!(statistics.capacity - statistics.nodes < 7, "and used up");
        assert_eq!(mcts.node_stats(&[]).map(|root| root.visits), Some(20_000.0));
        add_up(&mcts, &mut Vec::new(), 20_000.0);
    }
    let mut large = search(small(), 1);
    run(&mut large, 20_000);
    assert_eq!(large.statistics().refused, 0);
}

/// All nodes below a line, in order.
fn below(mcts: &Search, line: &mut Vec<u8>, all: &mut Vec<(Vec<u8>, NodeStats)>, from: usize) {
    for (m, stats) in mcts.children(line) {
        line.push(m);
        all.push((line[from..].to_vec(), stats));
        below(mcts, line, all, from);
        line.pop();
    }
}

#[test]
fn reuse_keeps_statistics() {
    let settings = Settings { reuse: true, bytes: 200_000, ..small() };
    let mut mcts = search(settings, 1);
    let mut state = GameState::new(ConnectFour);
    mcts.begin(&state);
    for (round, line) in [vec![3, 3], vec![2], vec![4, 1], vec![0]].into_iter().enumerate() {
        run(&mut mcts, 5_000);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        below(&mcts, &mut line.clone(), &mut before, line.len());
        let root = mcts.node_stats(&line).expect("the line is in the tree");
        assert!(!before.is_empty() && root.visits > 0.0);
        for &m in &line {
            state.play(m);
        }
        if round == 0 {
            line.iter().for_each(|&m| assert!(mcts.advance(m)));
        }
        mcts.begin(&state);
        below(&mcts, &mut Vec::new(), &mut after, 0);
        assert_eq!(before, after, "after {line:?}");
        assert_eq!(mcts.node_stats(&[]), Some(root));
        assert_eq!(mcts.statistics().nodes, before.len() as u64 + 1, "the rest is free again");
    }
    // Another game, or one that went another way, starts with an empty tree; so does a player without reuse.
    mcts.begin(&GameState::new(ConnectFour));
    assert_eq!(mcts.statistics().nodes, 1);
    let mut forgetful = search(Settings { reuse: false, ..settings }, 1);
    run(&mut forgetful, 100);
    forgetful.begin(&state);
    assert_eq!(forgetful.statistics().nodes, 1);
    // A move outside the tree.
    let mut fresh = search(settings, 1);
    assert!(!fresh.advance(3));
    assert!(run(&mut fresh, 50) == 50 && fresh.best().is_some());
}

#[test]
fn immediate_wins_are_found() {
    // Three in a row for the first side, to move: columns 0 and 4 win.
    let mut state = GameState::new(ConnectFour);
    [1, 1, 2, 2, 3, 3].into_iter().for_each(|m| state.play(m));
    for (solver, terminal) in
        [(true, TerminalCheck::Listed), (true, TerminalCheck::Visited), (false, TerminalCheck::Visited)]
    {
        let expansion = Expansion { terminal, ..Settings::default().expansion };
        let report = think(&mut search(Settings { solver, expansion, ..small() }, 1), &state, playouts(2_000));
        assert!(matches!(report.best(), Some(0 | 4)));
        assert_eq!(report.proven, solver);
        assert_eq!(terminal == TerminalCheck::Listed, report.playouts == Some(0), "seen without a simulation");
    }
}

/// Refuses the outer columns, judges cut-off playouts by the middle one, and weighs short simulations more.
#[derive(Clone)]
struct Middle;

impl Guide<ConnectFour> for Middle {
    const FILTERS: bool = true;

    uniform_playouts!(ConnectFour, 2);

    fn admits(&mut self, _: &SearchPosition<'_, ConnectFour>, m: u8) -> bool {
        (1..6).contains(&m)
    }

    fn cut(&mut self, at: &SearchPosition<'_, ConnectFour>) -> f64 {
        let [first, second] = at.position.stones.map(|stones| (stones >> 21 & 0x3F).count_ones());
        0.5 + (f64::from(first) - f64::from(second)) / 12.0
    }

    fn weight(&mut self, plies: u32) -> f64 {
        1.0 / f64::from(1 + plies % 4)
    }
}

#[test]
fn guide_filters_moves_and_gives_rewards_and_weights() {
    let settings = small();
    let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, Middle, 1).expect("it is sound");
    let mut weight = 0.0;
    with_budget(Limits::default(), |budget| {
        mcts.run(budget, &playouts(3_000), |simulation| {
            assert!(simulation.plies <= 2, "playouts are cut off");
            weight += Guide::weight(&mut Middle, simulation.line.len() as u32 + simulation.plies);
        })
    });
    let columns: Vec<u8> = mcts.children(&[]).into_iter().map(|(m, _)| m).collect();
    assert_eq!(columns, [1, 2, 3, 4, 5]);
    assert_eq!(mcts.best(), Some(3), "this guide prefers the middle");
    let root = mcts.node_stats(&[]).expect("the root");
    assert!((root.visits - weight).abs() < 1e-4, "{root:?} {weight}");
    let children: f64 = mcts.children(&[]).iter().map(|(_, child)| child.visits).sum();
    assert_eq!(children, root.visits, "weights add up to the last bit");
}

/// Makes two children: of many moves, few get into the tree.
#[derive(Clone)]
struct Two;

impl Guide<ConnectFour> for Two {
    const CANDIDATES: bool = true;

    uniform_playouts!(ConnectFour, u32::MAX);

    fn candidates(&mut self, at: &SearchPosition<'_, ConnectFour>, rng: &mut Rng, moves: &mut Vec<u8>) {
        let all = at.game.moves(at.position);
        let first = rng.index(all.len());
        moves.extend([first, first + 1].iter().filter_map(|&place| all.get(place)));
    }
}

#[test]
fn guide_makes_the_children() {
    let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, small(), Two, 5).expect("it is sound");
    let report = mcts.think(Task {
        state: &GameState::new(ConnectFour),
        limits: playouts(500),
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 9,
        progress: None,
    });
    assert!((1..=2).contains(&report.lines.len()), "no more lines than candidates: {report:?}");
    let mut line = Vec::new();
    while let Some(&(m, _)) = mcts.children(&line).first() {
        assert!(mcts.children(&line).len() <= 2);
        line.push(m);
    }
    assert!(line.len() > 3, "{line:?}");
}

/// Makes candidates until the search must end.
#[derive(Clone)]
struct Endless;

impl Guide<ConnectFour> for Endless {
    const CANDIDATES: bool = true;

    uniform_playouts!(ConnectFour, u32::MAX);

    fn candidates(&mut self, at: &SearchPosition<'_, ConnectFour>, _: &mut Rng, moves: &mut Vec<u8>) {
        while !at.must_stop() {
            std::thread::yield_now();
        }
        moves.extend(at.game.moves(at.position));
    }
}

/// Says yes to every twentieth question.
fn every_twentieth() -> bool {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    ASKED.fetch_add(1, Ordering::Relaxed) % 20 == 19
}

#[test]
fn time_limit_and_stop_flag_end_the_making_of_candidates() {
    let parallel = [Parallel::Tree { virtual_loss: 1 }, Parallel::Root];
    for (threads, parallel) in [(1, parallel[0]), (3, parallel[0]), (3, parallel[1])] {
        for root in [true, false] {
            let expansion = Expansion { root, threshold: 1, ..Expansion::default() };
            let settings = Settings { parallel, expansion, ..small() };
            let think = |limits, clock: &dyn Clock, stop: &StopFlag| {
                let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, settings, Endless, 5).expect("it is sound");
                let state = &GameState::new(ConnectFour);
                let report = mcts.think(Task { state, limits, clock, stop, threads, lines: 1, progress: None });
                assert!(report.best().is_some());
            };
            think(Limits::time(Duration::from_millis(40)), &Steps::default(), &StopFlag::default());
            think(Limits::default(), &Still, &StopFlag::asking(every_twentieth));
        }
    }
}

#[test]
fn final_move_has_the_highest_score_of_its_rule() {
    let state = GameState::new(SeededGame { seed: 4 });
    let secure = FinalMove::Secure { a: 2.0 };
    for final_move in [FinalMove::Visits, FinalMove::Mean, FinalMove::FirstMean, secure] {
        let settings = Settings { final_move, ..small() };
        let mut mcts = Mcts::<_, _, ()>::new(state.game(), settings, Uniform::default(), 1).expect("sound");
        mcts.begin(&state);
        with_budget(Limits::default(), |budget| mcts.run(budget, &playouts(40), |_| {}));
        let children = mcts.children(&[]);
        let score = |child: &NodeStats| {
            let mean = child.value(state.side_to_move());
            match final_move {
                FinalMove::Visits => child.visits,
                FinalMove::Simulations => child.simulations,
                FinalMove::Mean | FinalMove::FirstMean => mean,
                FinalMove::Secure { a } => mean - a / child.visits.sqrt(),
            }
        };
        let top = children.iter().map(|(_, child)| score(child)).fold(f64::NEG_INFINITY, f64::max);
        let best = children.iter().find(|(m, _)| Some(*m) == mcts.best()).expect("the best move has a node");
        assert_eq!(score(&best.1), top);
    }
}

#[test]
fn rejects_contradictory_settings() {
    let plain = small();
    let made = |settings: Settings| Search::new(&ConnectFour, settings, Uniform::default(), 1).err();
    let filtered = |settings| Mcts::<_, _, ()>::new(&ConnectFour, settings, Middle, 1).err();
    assert_eq!(made(plain), None);
    let solver = Settings { solver: true, ..plain };
    for opponent in [Opponent::Cooperating, Opponent::Random] {
        assert_eq!(made(Settings { opponent, ..solver }), Some(SettingsError::SolverNeedsMinimising));
    }
    let skipped = Expansion { terminal: TerminalCheck::Skipped, ..plain.expansion };
    assert_eq!(made(Settings { expansion: skipped, ..solver }), Some(SettingsError::SolverNeedsAllMoves));
    assert_eq!(made(Settings { expansion: skipped, ..plain }), None);
    let kept = Settings { expansion: skipped, reuse: true, ..plain };
    assert_eq!(made(kept), Some(SettingsError::ReuseNeedsEnds));
    assert_eq!(filtered(solver), Some(SettingsError::SolverNeedsAllMoves));
    let subset = |settings| Mcts::<_, _, ()>::new(&ConnectFour, settings, Two, 1).err();
    assert_eq!(subset(solver), Some(SettingsError::SolverNeedsAllMoves));
    assert_eq!(subset(plain), None);
    assert_eq!(filtered(plain), None);
    let rave = Settings { rave: Some(Rave::Schedule { k: 50.0 }), ..plain };
    assert_eq!(made(rave), Some(SettingsError::RaveNeedsAmaf));
    assert!(Mcts::<_, _, Amaf>::new(&ConnectFour, rave, Uniform::default(), 1).is_ok());
    let amaf = Settings { amaf: Some(AmafUpdates::default()), ..plain };
    assert_eq!(made(amaf), Some(SettingsError::RaveNeedsAmaf));
    let amaf = |settings| Mcts::<_, _, Amaf>::new(&ConnectFour, settings, Uniform::default(), 1).err();
    assert_eq!(amaf(Settings { amaf: Some(AmafUpdates::default()), ..plain }), None);
    assert_eq!(amaf(Settings { amaf: Some(AmafUpdates::default()), ..rave }), Some(SettingsError::RaveOrAmaf));
    for (weight, decay) in [(0.0, 0.0), (1.5, 0.0), (f64::NAN, 0.0), (1.0, -0.1), (1.0, 1.1), (1.0, f64::NAN)] {
        let updates = AmafUpdates { weight, decay, ..AmafUpdates::default() };
        let conflict = amaf(Settings { amaf: Some(updates), ..plain });
        assert!(matches!(conflict, Some(SettingsError::Range(..))), "{weight} {decay}: {conflict:?}");
    }
    let prior = Settings { expansion: Expansion { order: Order::Prior, ..plain.expansion }, ..plain };
    assert_eq!(made(prior), Some(SettingsError::OrderNeedsPriors));
    for final_move in [FinalMove::Mean, FinalMove::Secure { a: 1.0 }] {
        let stopping = Settings { early_stop: Some(1.0), final_move, ..plain };
        assert_eq!(made(stopping), Some(SettingsError::EarlyStopNeedsVisits));
    }
    let virtual_visits =
        |visits, low, high| Settings { virtual_visits: Some(VirtualVisits { visits, low, high }), ..plain };
    assert_eq!(made(virtual_visits(3.0, 0.0, 1.0)), None);
    let ranges = [
        virtual_visits(0.0, 0.0, 1.0),
        virtual_visits(f64::NAN, 0.0, 1.0),
        virtual_visits(1.0, -0.1, 1.0),
        virtual_visits(1.0, 0.0, 1.1),
        Settings { early_stop: Some(0.0), ..plain },
        Settings { early_stop: Some(1.5), ..plain },
        Settings { widening: Some(Widening::Coulom { first: 0, a: 1.0, b: 1.5 }), ..plain },
        Settings { widening: Some(Widening::Coulom { first: 1, a: 0.0, b: 1.5 }), ..plain },
        Settings { widening: Some(Widening::Chaslot { first: 1, a: 1.0, b: 1.0 }), ..plain },
        Settings { selection: Selection::PuctLog { c: -1.0 }, ..plain },
        Settings { selection: Selection::Ucb1 { c: -1.0 }, ..plain },
        Settings { selection: Selection::Ucb1Tuned { c: f64::NAN }, ..plain },
        Settings { selection: Selection::Puct { c: 1.0, base: Some(0.0) }, ..plain },
        Settings { selection: Selection::NewUcb { c: 1.0, e: 0.0 }, ..plain },
        Settings { selection: Selection::NewUcb { c: -1.0, e: 1.0 }, ..plain },
        Settings { unvisited: Unvisited::Value(f64::INFINITY), ..plain },
        Settings { expansion: Expansion { threshold: 0, ..plain.expansion }, ..plain },
        Settings { expansion: Expansion { levels: 3, ..plain.expansion }, ..plain },
        Settings { final_move: FinalMove::Secure { a: -0.5 }, ..plain },
        Settings { bytes: 100, ..plain },
    ];
    for settings in ranges {
        let conflict = made(settings).expect("out of range");
        assert!(
            matches!(conflict, SettingsError::Range(..)) && conflict.to_string().contains("has to be"),
            "{conflict}"
        );
    }
    let loss = made(Settings { parallel: Parallel::Tree { virtual_loss: 0 }, ..plain });
    assert!(matches!(loss, Some(SettingsError::Range("virtual loss", _))), "{loss:?}");
}

#[cfg(feature = "threads")]
mod threads {
    use std::sync::{Arc, Mutex};

    use banmen_search::mcts::Simulation;

    use super::*;

    #[test]
    fn statistics_add_up_after_threads_join() {
        let (one, three) = (Parallel::Tree { virtual_loss: 1 }, Parallel::Tree { virtual_loss: 3 });
        for (parallel, threads) in [(one, 2), (three, 4), (Parallel::Root, 3)] {
            for (solver, bytes) in [(false, 8 << 20), (true, 8 << 20), (false, 60_000)] {
                let settings = Settings { parallel, solver, bytes, ..small() };
                let mut mcts = search(settings, 1);
                mcts.set_threads(threads);
                for round in 1..=3 {
                    assert_eq!(run(&mut mcts, 10_001), 10_001);
                    let root = mcts.node_stats(&[]).expect("the root");
                    assert_eq!(root.visits, f64::from(round) * 10_001.0);
                    // A leaf may be played out again and again while the thread that makes its children sleeps.
                    add_up(&mcts, &mut Vec::new(), f64::INFINITY);
                }
                assert_eq!(mcts.statistics().simulations, 30_003);
            }
        }
    }

    #[test]
    fn nodes_are_counted_over_all_threads() {
        let state = GameState::new(ConnectFour);
        let report = think_on(&mut search(small(), 1), &state, playouts(5_000), 3);
        assert_eq!(report.playouts, Some(5_000));
        assert!(report.nodes > 5_000 * 10, "{report:?}");
        assert_eq!(think_on(&mut search(small(), 1), &state, Limits::nodes(50_000), 3).nodes, 50_000);
    }

    /// Counts the simulations of each thread: a clone has a counter of its own.
    #[derive(Default)]
    struct Counting {
        own: Arc<AtomicU64>,
        all: Arc<Mutex<Vec<Arc<AtomicU64>>>>,
    }

    impl Clone for Counting {
        fn clone(&self) -> Self {
            let own = Arc::default();
            self.all.lock().expect("no test panics here").push(Arc::clone(&own));
            Counting { own, all: Arc::clone(&self.all) }
        }
    }

    impl Guide<ConnectFour> for Counting {
        uniform_playouts!(ConnectFour, u32::MAX);

        fn finished(&mut self, _: &Simulation<'_, u8>) {
            self.own.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn task_says_how_many_threads_search() {
        let (guide, state) = (Counting::default(), GameState::new(ConnectFour));
        let all = Arc::clone(&guide.all);
        let counts = || -> Vec<u64> {
            let all = all.lock().expect("no test panics here");
            all.iter().map(|count| count.load(Ordering::Relaxed)).collect()
        };
        let mut mcts = Mcts::<_, _, ()>::new(&ConnectFour, small(), guide, 1).expect("it is sound");
        for (threads, workers) in [(1, 1), (3, 3), (2, 3)] {
            let before: Vec<u64> = counts();
            let task = Task {
                state: &state,
                limits: playouts(20_000),
                clock: &Still,
                stop: &StopFlag::default(),
                threads,
                lines: 1,
                progress: None,
            };
            assert_eq!(mcts.think(task).playouts, Some(20_000));
            let after = counts();
            assert_eq!(after.len(), workers, "workers are made when they are needed, and kept");
            assert_eq!(after.iter().sum::<u64>() - before.iter().sum::<u64>(), 20_000);
            for (index, &count) in after.iter().enumerate() {
                let more = count > before.get(index).copied().unwrap_or(0);
                // The calling thread may have done everything before the last helper started.
                assert!(!more || index < threads, "{before:?} {after:?}");
                assert!(more || index > 0, "the calling thread searches");
            }
        }
    }

    #[test]
    fn one_thread_after_several_is_as_one_thread_alone() {
        let state = GameState::new(ConnectFour);
        for parallel in [Parallel::Tree { virtual_loss: 3 }, Parallel::Root] {
            let settings = Settings { parallel, ..small() };
            let mut mcts = search(settings, 5);
            mcts.set_threads(4);
            let again = think_on(&mut mcts, &state, playouts(2_000), 1);
            assert_eq!(again, think(&mut search(small(), 5), &state, playouts(2_000)), "{parallel:?}");
        }
    }

    #[test]
    fn threads_prove_what_is_true() {
        for state in random_states(&ConnectFour, 300, 31).take(10) {
            let value =
                mcts_games::truth_by_table(state.game(), state.position(), &mut std::collections::HashMap::new());
            for (parallel, threads) in [(Parallel::Tree { virtual_loss: 1 }, 4), (Parallel::Root, 2)] {
                let expansion = Expansion { terminal: TerminalCheck::Listed, ..Settings::default().expansion };
                let settings = Settings { parallel, solver: true, expansion, bytes: 8 << 20, ..small() };
                let mut mcts = search(settings, 1);
                mcts.set_threads(threads);
                mcts.begin(&state);
                run(&mut mcts, 60_000);
                let root = mcts.node_stats(&[]).expect("the root");
                assert!(root.low >= root.high, "{root:?} {state:?}");
                assert_eq!(root.low, value);
            }
        }
    }

    #[test]
    fn reuse_works_with_many_trees() {
        let mut mcts = search(Settings { parallel: Parallel::Root, reuse: true, ..small() }, 1);
        mcts.set_threads(3);
        run(&mut mcts, 9_000);
        let before = mcts.node_stats(&[3]);
        assert!(mcts.advance(3));
        assert_eq!(before, mcts.node_stats(&[]));
        run(&mut mcts, 9_000);
        assert_eq!(mcts.node_stats(&[]).map(|root| root.visits), before.map(|root| root.visits + 9_000.0));
    }
}
