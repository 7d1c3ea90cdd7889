//! Alpha-beta against a plain negamax, on made-up games: transpositions, turns of several moves, passes, short ends.

use std::ops::ControlFlow;
use std::time::Duration;

use banmen_game::{Game, GameState, Outcome, Side, mix};
use banmen_search::alphabeta::{AlphaBeta, Evaluator, WIN};
use banmen_search::windows::{Visit, VisitEnd, WindowQuery};
use banmen_search::{Clock, Limits, Player, Report, StopFlag, Task};

/// A game drawn from a seed: a position is the set of moves played, so that orders transpose.
#[derive(Clone, Debug, PartialEq)]
struct SeededGame {
    seed: u64,
    /// Whether ends count by margin or only by winner.
    margins: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    sum: u64,
    ply: u8,
    side: Side,
}

const PASS: u8 = u8::MAX;

impl SeededGame {
    fn random(&self, node: &Node, salt: u64) -> u64 {
        mix(self.seed ^ mix(node.sum ^ salt ^ (u64::from(node.ply) << 40) ^ ((node.side as u64) << 50)))
    }

    fn is_over(&self, node: &Node) -> bool {
        node.ply >= 12 || (node.ply > 3 && self.random(node, 1).is_multiple_of(16))
    }
}

impl Game for SeededGame {
    type Position = Node;
    type Move = u8;
    type History = ();

    fn start(&self) -> Node {
        Node { sum: 0, ply: 0, side: Side::First }
    }

    fn side_to_move(&self, node: &Node) -> Side {
        node.side
    }

    fn outcome(&self, node: &Node, (): &()) -> Option<Outcome> {
        self.is_over(node).then(|| {
            let drawn = self.random(node, 2) % 9;
            let (winner, margin) = match drawn {
                0 => (None, 0),
                1..=4 => (Some(Side::First), drawn as u32),
                _ => (Some(Side::Second), drawn as u32 - 4),
            };
            Outcome { winner, margin: self.margins.then_some(margin), by: "end" }
        })
    }

    fn visit_moves<B>(&self, node: &Node, mut visit: impl FnMut(u8) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.is_over(node) {
            return ControlFlow::Continue(());
        }
        if self.random(node, 3).is_multiple_of(8) {
            return visit(PASS);
        }
        for m in 0..1 + (self.random(node, 4) % 4) as u8 {
            visit(m)?;
        }
        ControlFlow::Continue(())
    }

    fn play(&self, node: &mut Node, m: u8) {
        // One move in four keeps the turn.
        let keeps = m != PASS && self.random(node, 5 + u64::from(m)).is_multiple_of(4);
        node.sum = node.sum.wrapping_add(mix(u64::from(m)));
        node.ply += 1;
        if !keeps {
            node.side = node.side.other();
        }
    }

    fn key(&self, node: &Node) -> u64 {
        self.random(node, 6)
    }

    fn max_plies(&self) -> usize {
        12
    }

    fn pack(&self, m: u8) -> u32 {
        m.into()
    }

    fn unpack(&self, bits: u32) -> Option<u8> {
        bits.try_into().ok()
    }

    fn pass(&self) -> Option<u8> {
        Some(PASS)
    }
}

#[derive(Clone)]
struct SeededEvaluation;

impl Evaluator<SeededGame> for SeededEvaluation {
    fn evaluate(&mut self, game: &SeededGame, node: &Node) -> i32 {
        let value = (game.random(node, 7) % 21) as i32 - 10;
        if node.side == Side::First { value } else { -value }
    }

    fn ended(&self, outcome: &Outcome, side: Side) -> i32 {
        outcome.signed_margin(side) * if outcome.margin.is_some() { 100 } else { WIN }
    }

    fn rank(&mut self, game: &SeededGame, node: &Node, m: u8, _: u32) -> i32 {
        (game.random(node, 8 + u64::from(m)) % 3) as i32
    }

    fn win_rate(&self, value: i32) -> f64 {
        f64::from(value)
    }
}

/// The plain negamax: no window, no table, no order.
fn negamax(game: &SeededGame, node: &Node, depth: u32, ply: i32) -> i32 {
    if let Some(outcome) = game.outcome(node, &()) {
        let value = SeededEvaluation.ended(&outcome, node.side);
        return if value.abs() == WIN { value - value.signum() * ply } else { value };
    }
    if depth == 0 {
        return SeededEvaluation.evaluate(game, node);
    }
    let moves = game.moves(node);
    let depth = if moves == [PASS] { depth } else { depth - 1 };
    moves.into_iter().map(|m| child(game, node, m, depth, ply)).max().expect("the game goes on")
}

fn child(game: &SeededGame, node: &Node, m: u8, depth: u32, ply: i32) -> i32 {
    let mut next = node.clone();
    game.play(&mut next, m);
    let value = negamax(game, &next, depth, ply + 1);
    if next.side == node.side { value } else { -value }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

fn think(
    player: &mut AlphaBeta<SeededEvaluation>,
    state: &GameState<SeededGame>,
    limits: Limits,
    lines: usize,
) -> Report<u8> {
    think_on(player, state, limits, lines, 1)
}

fn think_on(
    player: &mut AlphaBeta<SeededEvaluation>,
    state: &GameState<SeededGame>,
    limits: Limits,
    lines: usize,
    threads: usize,
) -> Report<u8> {
    player.think(Task { state, limits, clock: &Still, stop: &StopFlag::default(), threads, lines, progress: None })
}

/// The plies left below a root move: a lone pass is free.
fn below(state: &GameState<SeededGame>, depth: u32) -> u32 {
    if state.game().moves(state.position()) == [PASS] { depth } else { depth - 1 }
}

/// The same seeded games everywhere: a root some plies into each.
fn roots() -> impl Iterator<Item = GameState<SeededGame>> {
    (0..1_500).filter_map(|seed| {
        let mut state = GameState::new(SeededGame { seed, margins: seed % 2 == 0 });
        for ply in 0..seed % 5 {
            let moves = state.game().moves(state.position());
            let m = *moves.get((mix(seed ^ ply) % 4) as usize % moves.len().max(1))?;
            state.play(m);
        }
        state.outcome().is_none().then_some(state)
    })
}

#[test]
fn values_equal_plain_negamax() {
    // A table small enough that entries are pushed out, kept over many roots of different games.
    for state in roots() {
        let mut player = AlphaBeta::new(SeededEvaluation, 1 << 12, Limits::default());
        for depth in [1, 2, 5] {
            let report = think(&mut player, &state, Limits::depth(depth), 1);
            let value = negamax(state.game(), state.position(), report.depth, 0);
            assert_eq!(report.value(), f64::from(value), "depth {depth} of {state:?}");
            let best = report.best().expect("a move");
            assert_eq!(value, child(state.game(), state.position(), best, below(&state, report.depth), 0), "{state:?}");
            assert!(report.depth == depth || report.proven || value.abs() > WIN / 2, "only proofs stop early");
        }
    }
}

#[test]
fn every_line_has_its_value() {
    for state in roots().take(600) {
        let mut player = AlphaBeta::new(SeededEvaluation, 1 << 14, Limits::default());
        let report = think(&mut player, &state, Limits::depth(4), 3);
        let mut values: Vec<i32> = state
            .game()
            .moves(state.position())
            .into_iter()
            .map(|m| child(state.game(), state.position(), m, below(&state, report.depth), 0))
            .collect();
        values.sort_unstable_by(|a, b| b.cmp(a));
        values.truncate(3);
        let reported: Vec<i32> = report.lines.iter().map(|line| line.value as i32).collect();
        assert_eq!(reported, values, "{state:?}");
        for line in &report.lines {
            // The line is legal, and its first move has the value.
            let mut along = state.clone();
            for &m in &line.moves {
                assert!(along.game().is_legal(along.position(), m), "{line:?} of {state:?}");
                along.play(m);
            }
        }
    }
}

#[test]
fn recorded_windows_are_those_of_the_search() {
    let all = WindowQuery { path: Vec::new(), depth: 20, max_nodes: usize::MAX };
    let (mut cuts, mut hits, mut again) = (0, 0, 0);
    for state in roots().take(300) {
        let player = || AlphaBeta::new(SeededEvaluation, 1 << 14, Limits::default());
        let (mut recorded, mut plain) = (player(), player());
        assert!(recorded.record_windows(Some(all.clone())));
        let report = think(&mut recorded, &state, Limits::depth(4), 1);
        assert_eq!(report, think(&mut plain, &state, Limits::depth(4), 1), "the same search");
        assert!(plain.take_windows().is_none());
        let windows = recorded.take_windows().expect("a finished iteration");
        assert!(recorded.take_windows().is_none(), "taken once");
        assert_eq!((windows.depth, windows.left_out), (report.depth, 0));
        assert_eq!(windows.visits[0].value.map(f64::from), Some(report.value()));

        let game = state.game();
        let mut positions: Vec<Node> = Vec::new();
        for visit in &windows.visits {
            let mut position = visit.parent.map_or(state.position(), |parent| &positions[parent]).clone();
            if let Some(m) = visit.m.and_then(|m| game.unpack(m)) {
                assert!(game.is_legal(&position, m));
                game.play(&mut position, m);
            }
            assert_eq!(visit.side, position.side);
            positions.push(position);
        }
        for (place, (visit, position)) in windows.visits.iter().zip(&positions).enumerate() {
            let below: Vec<&Visit> = windows.visits.iter().filter(|child| child.parent == Some(place)).collect();
            let mut moves: Vec<u32> = below.iter().filter_map(|child| child.m).collect();
            again += moves.len();
            moves.dedup();
            again -= moves.len();
            // The last visit of a move gives its value.
            let value = |m: u32| {
                let child = below.iter().rfind(|child| child.m == Some(m))?;
                child.value.map(|value| if child.side == visit.side { value } else { -value })
            };
            let best = moves.iter().filter_map(|&m| value(m)).max();
            match visit.end {
                VisitEnd::Searched | VisitEnd::Cut => {
                    assert_eq!(visit.value, best);
                    assert_eq!(best >= Some(visit.beta), visit.end == VisitEnd::Cut);
                    cuts += visit.cut.len();
                    moves.extend(&visit.cut);
                    moves.sort_unstable();
                    let mut legal: Vec<u32> = game.moves(position).into_iter().map(|m| game.pack(m)).collect();
                    legal.sort_unstable();
                    assert_eq!(moves, legal);
                }
                VisitEnd::Table => {
                    hits += 1;
                    assert!(below.is_empty() && visit.beta - visit.alpha == 1);
                }
                VisitEnd::Ended => assert!(game.outcome(position, &()).is_some()),
                VisitEnd::Leaf => assert_eq!(visit.value, Some(SeededEvaluation.evaluate(game, position))),
                VisitEnd::Pruned | VisitEnd::Solved => panic!("nothing is pruned"),
            }
        }
    }
    assert!(cuts > 1000 && hits > 30 && again > 30, "{cuts} {hits} {again}");
}

/// With one line the move of an unfinished iteration is reported when it is better at the new depth than the move of the last
/// finished one.
#[test]
fn better_move_of_an_unfinished_iteration_counts() {
    let (mut better, mut first) = (0, 0);
    for state in roots().take(400) {
        let search =
            |limits| think(&mut AlphaBeta::new(SeededEvaluation, 1 << 14, Limits::default()), &state, limits, 1);
        for depth in 0..5 {
            let finished = search(Limits { nodes: (depth == 0).then_some(0), ..Limits::depth(depth) });
            let next = search(Limits::depth(depth + 1));
            if (finished.depth, next.depth) != (depth, depth + 1) {
                continue;
            }
            let value = |m| child(state.game(), state.position(), m, below(&state, depth + 1), 0);
            for nodes in finished.nodes + 1..next.nodes {
                let limits = Limits { nodes: Some(nodes), ..Limits::depth(depth + 1) };
                let report = search(limits);
                assert_eq!(report, search(limits));
                assert_eq!((report.depth, report.nodes, report.proven), (depth, nodes, false));
                let [old, new] = [&finished, &report].map(|report| report.best().expect("a move"));
                if report.lines == finished.lines {
                    continue;
                }
                assert_eq!(report.value(), f64::from(value(new)), "the value is that of the new depth");
                assert!(value(new) > -WIN / 2, "moves that were not searched may be better than a loss");
                if old == new {
                    first += 1;
                } else {
                    better += 1;
                    assert!(depth == 0 || value(new) > value(old), "depth {depth}, {nodes} nodes of {state:?}");
                }
                let mut along = state.clone();
                for &m in &report.lines[0].moves {
                    assert!(along.game().is_legal(along.position(), m));
                    along.play(m);
                }
            }
        }
    }
    assert!(better > 100 && first > 100, "{better} {first}");
}

#[test]
fn unfinished_iteration_of_several_lines_is_not_reported() {
    for state in roots().take(200) {
        let full =
            think(&mut AlphaBeta::new(SeededEvaluation, 1 << 14, Limits::default()), &state, Limits::depth(6), 2);
        for nodes in [0, 1, 3, 10, 40, 100, 400] {
            let mut player = AlphaBeta::new(SeededEvaluation, 1 << 14, Limits::default());
            let mut last = None;
            let report = player.think(Task {
                state: &state,
                limits: Limits { nodes: Some(nodes), ..Limits::depth(6) },
                clock: &Still,
                stop: &StopFlag::default(),
                threads: 1,
                lines: 2,
                progress: Some(&mut |report| last = Some(report.clone())),
            });
            assert!(report.nodes <= nodes);
            let best = report.best().expect("also without nodes there is a move");
            assert!(state.game().is_legal(state.position(), best));
            match last {
                None => assert_eq!(report.depth, 0, "no iteration was finished"),
                Some(last) => assert_eq!((last.depth, &last.lines), (report.depth, &report.lines)),
            }
            if report.depth == full.depth {
                assert_eq!(report.lines, full.lines);
            }
        }
    }
}

#[test]
fn same_search_gives_the_same_report() {
    for state in roots().take(50) {
        let run =
            || think(&mut AlphaBeta::new(SeededEvaluation, 1 << 12, Limits::default()), &state, Limits::nodes(700), 1);
        assert_eq!(run(), run());
        // A new game forgets the old one.
        let mut player = AlphaBeta::new(SeededEvaluation, 1 << 12, Limits::default());
        let first = think(&mut player, &state, Limits::nodes(700), 1);
        player.new_game(&state, 1);
        assert_eq!(first.lines, think(&mut player, &state, Limits::nodes(700), 1).lines);
    }
}

#[test]
fn stop_flag_ends_the_search() {
    let state = GameState::new(SeededGame { seed: 3, margins: true });
    let stop = StopFlag::default();
    stop.stop();
    let report = AlphaBeta::new(SeededEvaluation, 1 << 12, Limits::default()).think(Task {
        state: &state,
        limits: Limits::default(),
        clock: &Still,
        stop: &stop,
        threads: 1,
        lines: 1,
        progress: Some(&mut |_| panic!("nothing was finished")),
    });
    assert!(report.best().is_some());
}

/// Searches on 1, 2 and 4 threads.
#[cfg(feature = "threads")]
mod threads {
    use super::*;

    #[test]
    fn values_equal_plain_negamax() {
        for state in roots().take(300) {
            for threads in [1, 2, 4] {
                let mut player = AlphaBeta::new(SeededEvaluation, 1 << 12, Limits::default());
                // In this game the depth left at a position is the same on every way to it, so that deeper entries of a
                // helper thread do not change the value at the last depth.
                for depth in [5, 12] {
                    player.new_game(&state, 0);
                    let report = think_on(&mut player, &state, Limits::depth(depth), 1, threads);
                    let exact = report.proven.then_some(12).or((report.depth == depth).then_some(depth));
                    if let Some(exact) = exact {
                        let value = negamax(state.game(), state.position(), exact, 0);
                        assert_eq!(report.value(), f64::from(value), "depth {depth}, {threads} threads of {state:?}");
                    }
                    let best = report.best().expect("a move");
                    assert!(state.game().is_legal(state.position(), best));
                    assert!(depth < 12 || report.proven || report.value().abs() > f64::from(WIN / 2), "{report:?}");
                }
            }
        }
    }

    /// A large position: nobody finishes it soon.
    fn large() -> GameState<SeededGame> {
        let large = |seed| {
            let state = GameState::new(SeededGame { seed, margins: true });
            let report =
                think(&mut AlphaBeta::new(SeededEvaluation, 64, Limits::default()), &state, Limits::depth(12), 3);
            (report.nodes, seed)
        };
        let (nodes, seed) = (0..200).map(large).max().expect("games");
        assert!(nodes > 5_000, "{nodes}");
        GameState::new(SeededGame { seed, margins: true })
    }

    #[test]
    fn nodes_of_all_threads_are_counted_and_limited() {
        let state = large();
        let count = |threads, limits| {
            let mut player = AlphaBeta::new(SeededEvaluation, 64, Limits::default());
            think_on(&mut player, &state, limits, 3, threads).nodes
        };
        let alone = count(1, Limits::depth(12));
        for threads in [2, 4] {
            let limits = Limits { nodes: Some(1000), ..Limits::default() };
            assert!((1..=1000).contains(&count(threads, limits)));
            // On a busy machine a helper may start too late once, but not always.
            assert!((0..1000).any(|_| count(threads, Limits::depth(12)) > alone), "helpers search nodes of their own");
        }
    }

    #[test]
    fn a_stop_ends_all_threads() {
        let state = large();
        let stop = StopFlag::default();
        for depth in [1, 3, 5] {
            let mut progress = |report: &Report<u8>| {
                if report.depth >= depth {
                    stop.stop();
                }
            };
            let report = AlphaBeta::new(SeededEvaluation, 64, Limits::default()).think(Task {
                state: &state,
                limits: Limits::default(),
                clock: &Still,
                stop: &stop,
                threads: 4,
                lines: 3,
                progress: Some(&mut progress),
            });
            assert!(report.best().is_some());
        }
    }
}
