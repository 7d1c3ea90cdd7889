//! Games whose moves are made in stages: the same positions, the same values, the same playouts.

#[macro_use]
mod mcts_games;

use std::collections::HashSet;

use banmen_game::laws::Laws;
use banmen_game::{Game, GameState, History, PassCost, PlayoutEnd, Rng, Side, perft};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::{
    AmafUpdates, Completion, Expansion, Guide, InStages, Mcts, Rave, Settings, SettingsError, StagedMcts, Uniform,
};
use banmen_search::{Limits, Part, Player, Staged, Stages, StopFlag, Task};
use mcts_games::{ConnectFour, Halves, Push, SeededGame, Still, random_states, truth, with_budget};

fn staged<G: Game>(game: G, count: usize) -> Staged<G, Halves> {
    Staged::new(game, Halves(count))
}

/// The positions after so many moves of the game.
fn reachable<G: Game>(game: &G, position: &G::Position, moves: u32, found: &mut HashSet<G::Position>) {
    if moves == 0 {
        found.insert(position.clone());
        return;
    }
    for m in game.moves(position) {
        let mut next = position.clone();
        game.play(&mut next, m);
        reachable(game, &next, moves - 1, found);
    }
}

fn reaches_the_same<G: Game>(game: &G, count: usize, depth: u32) {
    let view = staged(game.clone(), count);
    let (start, stages) = (game.start(), count as u32);
    for depth in 0..=depth {
        let paths = |depth| perft(game, &start, depth, PassCost::Ply, &|| false);
        assert_eq!(perft(&view, &view.start(), stages * depth, PassCost::Ply, &|| false), paths(depth));
        let (mut whole, mut parts) = (HashSet::new(), HashSet::new());
        reachable(game, &start, depth, &mut whole);
        reachable(&view, &view.start(), stages * depth, &mut parts);
        assert!(parts.iter().all(|position| position.parts().is_empty()));
        assert_eq!(parts.into_iter().map(|position| position.base().clone()).collect::<HashSet<_>>(), whole);
    }
}

#[test]
fn staged_games_reach_the_same_positions_and_keep_the_laws() {
    for count in 1..=3 {
        reaches_the_same(&ConnectFour, count, 4);
        reaches_the_same(&SeededGame { seed: 5 }, count, 6);
        reaches_the_same(&Push { start: 2 }, count, 6);
        let laws = Laws { games: 20, ..Laws::default() };
        laws.rules(&staged(ConnectFour, count));
        laws.rules(&staged(SeededGame { seed: 5 }, count));
        laws.rules(&staged(Push { start: 2 }, count));
    }
}

/// The value of best play, which every search of the staged game must find too.
fn has_the_same_value<G: Game>(game: &G, count: usize) {
    let view = staged(game.clone(), count);
    let start = GameState::new(view.clone());
    let score = |outcome: &banmen_game::Outcome| outcome.score(Side::First);
    let value = truth(game, &game.start(), &mut G::History::default(), &score);
    assert_eq!(truth(&view, &view.start(), &mut Default::default(), &score), value);

    let task = |limits| Task {
        state: &start,
        limits,
        clock: &Still,
        stop: Box::leak(Box::default()) as &StopFlag,
        threads: 1,
        lines: 1,
        progress: None,
    };
    let by_alphabeta = AlphaBeta::new(NoEvaluation, 1 << 16, Limits::default()).think(task(Limits::default()));
    // A win or a loss ends the search before all lines are at their end.
    assert!(by_alphabeta.proven || value != 0.5);
    assert_eq!(by_alphabeta.value(), value);
    let settings = Settings { solver: true, bytes: 16 << 20, ..Settings::default() };
    let mut tree: Mcts<_, InStages<Uniform>> =
        Mcts::new(&view, settings, InStages::new(Uniform::default()), 1).expect("it is sound");
    let by_tree = tree.think(task(Limits { playouts: Some(200_000), ..Limits::default() }));
    assert_eq!((by_tree.proven, by_tree.value()), (true, value));
}

#[test]
fn staged_games_have_the_same_values() {
    for count in 1..=3 {
        for seed in 0..12 {
            has_the_same_value(&SeededGame { seed }, count);
        }
        // The third occurrence of a position draws: the history counts whole moves.
        has_the_same_value(&Push { start: 2 }, count);
        has_the_same_value(&Push { start: 3 }, count);
    }
}

#[test]
fn last_stage_returns_the_move_and_states_are_converted() {
    let mut converted = 0;
    for base in random_states(&Push { start: 2 }, 40, 5) {
        let view = staged(Push { start: 2 }, 2);
        let state = view.state(&base);
        assert_eq!(state.position(), &view.position(*base.position()));
        assert_eq!(state.history().base(), base.history());
        assert_eq!(state.moves().len(), 2 * base.moves().len());
        let (mut position, mut history) = (*state.position(), state.history().clone());
        for m in view.base().moves(base.position()) {
            let mut whole = None;
            for part in view.decisions(base.position(), m) {
                assert!(view.is_legal(&position, part) && whole.is_none());
                whole = view.whole(&position, part);
                history.push(&position);
                view.play(&mut position, part);
            }
            assert_eq!(whole, Some(m));
            assert!(history.base() != base.history(), "the position that was left is remembered");
            history.pop();
            history.pop();
            assert_eq!(history, *state.history());
            position = *state.position();
        }
        converted += 1;
    }
    assert!(converted > 8, "{converted}");
}

/// Completes moves by the last one.
#[derive(Clone)]
struct Last;

impl Guide<ConnectFour> for Last {
    uniform_playouts!(ConnectFour, u32::MAX);
}

impl Completion<ConnectFour> for Last {
    fn complete(&mut self, _: &ConnectFour, _: &mcts_games::Four, moves: &[u8], _: &mut Rng) -> Option<u8> {
        moves.last().copied()
    }
}

/// Does not complete moves.
#[derive(Clone)]
struct Before;

impl Guide<ConnectFour> for Before {
    uniform_playouts!(ConnectFour, u32::MAX);
}

impl Completion<ConnectFour> for Before {
    fn complete(&mut self, _: &ConnectFour, _: &mcts_games::Four, _: &[u8], _: &mut Rng) -> Option<u8> {
        None
    }
}

/// A playout from the position after these parts: the moves and how it ended.
fn played(mut guide: impl Guide<Staged<ConnectFour, Halves>>, parts: &[u32], seed: u64) -> (Vec<u32>, PlayoutEnd) {
    let view = staged(ConnectFour, 3);
    let (mut position, mut moves) = (view.start(), Vec::new());
    parts.iter().for_each(|&part| view.play(&mut position, Part(part)));
    let mut history = Default::default();
    let end = guide.playout(
        &view,
        &mut position,
        &mut history,
        &mut Rng::new(seed),
        &mut Default::default(),
        |_, Part(m)| moves.push(m),
    );
    assert!(position.parts().is_empty() && view.outcome(&position, &history) == end.outcome);
    (moves, end)
}

#[test]
fn playouts_complete_the_move_and_go_on_by_the_rules() {
    for seed in 0..20 {
        let (game, mut moves) = (ConnectFour, Vec::new());
        let mut rng = Rng::new(seed);
        let plain = Uniform::default()
            .playout(&game, &mut game.start(), &mut (), &mut rng, &mut Vec::new(), |_, m| moves.push(u32::from(m)));
        assert_eq!(played(InStages::new(Uniform::default()), &[], seed), (moves.clone(), plain));
        assert_eq!(played(InStages::new(Before), &[1, 2], seed), (moves, plain));
        // Columns 4 and 5 begin with 1, then 2; columns 4 to 6 with 1.
        let begun = [
            played(InStages::new(Uniform::default()), &[1], seed),
            played(InStages::new(Uniform::default()), &[1, 2], seed),
        ];
        assert!((4..=6).contains(&begun[0].0[0]) && (4..=5).contains(&begun[1].0[0]));
        assert!(begun.iter().all(|(moves, end)| moves.len() as u32 == end.plies));
        assert_eq!(
            [played(InStages::new(Last), &[1], seed).0[0], played(InStages::new(Last), &[1, 2], seed).0[0]],
            [6, 5]
        );
    }
}

#[test]
fn a_move_that_ends_the_game_is_completed_without_a_playout() {
    // The first side has three stones in the column 0 and completes the fourth.
    let view = staged(ConnectFour, 3);
    let mut base = GameState::new(ConnectFour);
    [0, 6, 0, 6, 0, 6].into_iter().for_each(|column| base.play(column));
    let mut state = view.state(&base);
    state.play(Part(0));
    state.play(Part(0));
    let settings = Settings { bytes: 1 << 20, ..Settings::default() };
    let mut mcts: Mcts<_, _> = Mcts::new(&view, settings, InStages::new(Uniform::default()), 1).expect("it is sound");
    mcts.begin(&state);
    with_budget(Limits::default(), |budget| {
        mcts.run(budget, &Limits { playouts: Some(50), ..Limits::default() }, |_| {})
    });
    let children = mcts.children(&[]);
    let [(m, win), (_, other)] = children[..] else { panic!("the columns 0 and 1: {children:?}") };
    assert_eq!((m, win.mean()), (Part(0), Some(1.0)));
    assert!(other.mean() < Some(1.0));
}

#[test]
fn exploration_depends_on_the_stage() {
    // Without exploration below the root only the first of equal children is visited again; with it all are.
    let visited = |factor| {
        let view = staged(ConnectFour, 2);
        let guide = InStages::new(Uniform::new(0)).exploring([1.0, factor, 1.0, 1.0]);
        let settings = Settings { bytes: 4 << 20, ..Settings::default() };
        let mut mcts: Mcts<_, _> = Mcts::new(&view, settings, guide, 1).expect("it is sound");
        mcts.begin(&GameState::new(view));
        let limits = Limits { playouts: Some(400), ..Limits::default() };
        with_budget(Limits::default(), |budget| mcts.run(budget, &limits, |_| {}));
        mcts.children(&[Part(0)]).iter().map(|(_, child)| child.visits).fold(f64::INFINITY, f64::min)
    };
    assert_eq!(visited(0.0), 1.0);
    assert!(visited(1.0) > 10.0);
}

/// What the default does, for a game that lists equal parts apart from each other.
#[derive(Clone, Debug, PartialEq)]
struct Parity;

impl Stages<ConnectFour> for Parity {
    fn count(&self) -> usize {
        2
    }

    fn part(&self, _: &ConnectFour, _: &mcts_games::Four, m: u8, _: usize) -> u32 {
        u32::from(m) % 2
    }
}

#[test]
fn parts_are_listed_once_in_the_order_of_the_moves() {
    let view = Staged::new(ConnectFour, Parity);
    let mut position = view.start();
    assert_eq!(view.moves(&position), [Part(0), Part(1)]);
    view.play(&mut position, Part(1));
    assert_eq!(view.moves(&position), [Part(1), Part(3), Part(5)]);
}

#[test]
fn shares_and_settings_that_contradict_are_refused() {
    let make = |shares: &[f64], settings| {
        StagedMcts::new(staged(ConnectFour, 2), settings, Uniform::default(), shares, 1).map(drop)
    };
    let settings = Settings { bytes: 1 << 20, ..Settings::default() };
    assert_eq!(make(&[0.5, 0.5], settings), Ok(()));
    for shares in [&[1.0][..], &[0.5, 0.25, 0.25], &[0.0, 0.0], &[-0.5, 1.0], &[f64::NAN, 1.0], &[f64::INFINITY, 1.0]] {
        assert!(matches!(make(shares, settings), Err(SettingsError::Range(..))), "{shares:?}");
    }
    let early = Settings { early_stop: Some(1.0), ..settings };
    assert_eq!(make(&[0.5, 0.5], early), Err(SettingsError::StagesWithoutEarlyStop));
    let rave = Settings { rave: Some(Rave::Schedule { k: 100.0 }), ..settings };
    let amaf = Settings { amaf: Some(AmafUpdates::default()), ..settings };
    for settings in [rave, amaf] {
        assert_eq!(make(&[0.5, 0.5], settings), Err(SettingsError::RaveNeedsAmaf));
    }
}

/// First whether the move is the column 0.
#[derive(Clone, Debug, PartialEq)]
struct FirstColumn;

impl Stages<ConnectFour> for FirstColumn {
    fn count(&self) -> usize {
        2
    }

    fn part(&self, _: &ConnectFour, _: &mcts_games::Four, m: u8, _: usize) -> u32 {
        u32::from(m == 0)
    }
}

#[test]
fn a_last_stage_without_a_choice_keeps_the_value_of_the_decision() {
    // The column 0 completes four stones.
    let mut state = GameState::new(ConnectFour);
    [0, 6, 0, 6, 0, 6].into_iter().for_each(|column| state.play(column));
    let expansion = Expansion { threshold: 1000, root: true, ..Expansion::default() };
    let settings = Settings { bytes: 1 << 20, expansion, ..Settings::default() };
    let guide = InStages::new(Uniform::default());
    let view = Staged::new(ConnectFour, FirstColumn);
    let mut player = StagedMcts::new(view, settings, guide, &[0.5, 0.5], 1).expect("it is sound");
    let report = player.think(Task {
        state: &state,
        limits: Limits { playouts: Some(100), ..Limits::default() },
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 1,
        progress: None,
    });
    assert_eq!((report.best(), report.value()), (Some(0), 1.0));
}

#[test]
fn every_limit_is_divided_and_reports_are_whole_moves() {
    let settings = Settings { bytes: 4 << 20, ..Settings::default() };
    let view = staged(ConnectFour, 3);
    let mut player =
        StagedMcts::new(view, settings, InStages::new(Uniform::default()), &[1.0, 1.0, 2.0], 1).expect("it is sound");
    let state = GameState::new(ConnectFour);
    let mut reports = Vec::new();
    let mut progress = |report: &banmen_search::Report<u8>| reports.push(report.clone());
    let report = player.think(Task {
        state: &state,
        limits: Limits::nodes(40_000),
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 1,
        progress: Some(&mut progress),
    });
    assert!((39_900..=40_000).contains(&report.nodes), "{}", report.nodes);
    assert!(!reports.is_empty());
    for report in reports.iter().chain([&report]) {
        let mut line = GameState::new(ConnectFour);
        for &m in &report.lines[0].moves {
            assert!(line.game().is_legal(line.position(), m));
            line.play(m);
        }
        assert!(report.depth >= 1 && report.playouts.is_some());
    }
    // About a quarter, a half and all of the positions were visited when the stages ended.
    let root = player.search().node_stats(&[]).expect("a root").visits;
    assert!(root > report.playouts.expect("playouts") as f64 / 2.0, "the last stage has half of the budget");
}
