//! The solver: what it proves is true, whatever the selection, and it proves endings.

#[macro_use]
mod mcts_games;

use std::collections::HashMap;

use banmen_game::{Game, GameState, Outcome, Side};
use banmen_search::Limits;
use banmen_search::mcts::{
    Expansion, FinalMove, Guide, Mcts, NodeStats, SearchPosition, Selection, Settings, TerminalCheck, Uniform,
    Unvisited, Widening,
};
use mcts_games::{ConnectFour, Push, SeededGame, random_states, truth, truth_by_table, with_budget};

fn settings(terminal: TerminalCheck, levels: u32, threshold: u32) -> Settings {
    let expansion = Expansion { terminal, levels, threshold, ..Settings::default().expansion };
    Settings { solver: true, expansion, bytes: 4 << 20, ..Settings::default() }
}

fn run<G: Game, K: Guide<G>>(state: &GameState<G>, settings: Settings, guide: K, most: u64) -> Search<G, K> {
    let mut mcts = Mcts::new(state.game(), settings, guide, 5).expect("the settings are sound");
    mcts.begin(state);
    let limits = Limits { playouts: Some(most), ..Limits::default() };
    with_budget(Limits::default(), |budget| mcts.run(budget, &limits, |_| {}));
    mcts
}

type Search<G, K> = Mcts<G, K>;

/// Checks that the true value lies within the bounds of every node. Returns how many bounds were checked.
fn check_bounds<G: Game, K: Guide<G>>(
    mcts: &Search<G, K>,
    state: &GameState<G>,
    truth: &mut dyn FnMut(&GameState<G>) -> f64,
    line: &mut Vec<G::Move>,
) -> usize {
    let mut checked = 0;
    for (m, stats) in mcts.children(line) {
        let mut next = state.clone();
        next.play(m);
        line.push(m);
        if (stats.low, stats.high) != (0.0, 1.0) {
            let value = truth(&next);
            assert!(within(&stats, value), "{stats:?} but {value} after {line:?} from {state:?}");
            checked += 1;
        }
        checked += check_bounds(mcts, &next, truth, line);
        line.pop();
    }
    checked
}

fn within(stats: &NodeStats, value: f64) -> bool {
    stats.low <= value && value <= stats.high
}

#[test]
fn connect_four_endings_are_proven() {
    let (mut solved, mut checked) = (0, 0);
    let endings: Vec<_> = random_states(&ConnectFour, 400, 30).take(24).collect();
    assert_eq!(endings.len(), 24);
    for state in &endings {
        let mut table = HashMap::new();
        let value = truth_by_table(state.game(), state.position(), &mut table);
        for (terminal, levels, threshold) in
            [(TerminalCheck::Visited, 1, 1), (TerminalCheck::Listed, 1, 1), (TerminalCheck::Listed, 2, 3)]
        {
            let mcts = run(state, settings(terminal, levels, threshold), Uniform::default(), 30_000);
            let root = mcts.node_stats(&[]).expect("the root");
            assert!(within(&root, value), "{root:?} but {value}: {state:?}");
            checked += check_bounds(
                &mcts,
                state,
                &mut |state| truth_by_table(state.game(), state.position(), &mut table),
                &mut Vec::new(),
            );
            let report = mcts.report(3);
            if report.proven {
                solved += 1;
                let side = state.side_to_move();
                let mut next = state.clone();
                next.play(mcts.best().expect("the game goes on"));
                let kept = truth_by_table(state.game(), next.position(), &mut table);
                assert_eq!(kept, value, "the move of a proven report keeps the value: {state:?}");
                assert_eq!(report.value(), if side == Side::First { value } else { 1.0 - value });
            }
        }
    }
    assert!(solved > 60, "of 72 searches only {solved} are solved");
    assert!(checked > 3_000, "only {checked} bounds were checked");
}

#[test]
fn moves_that_lose_for_certain_come_last() {
    let mut refused = 0;
    for state in random_states(&ConnectFour, 400, 30) {
        for most in [20, 60, 200] {
            let mcts = run(&state, settings(TerminalCheck::Visited, 1, 1), Uniform::default(), most);
            let children = mcts.children(&[]);
            let best_for = |stats: &NodeStats| {
                if state.side_to_move() == Side::First { stats.high } else { 1.0 - stats.low }
            };
            let lost = |m| children.iter().any(|(child, stats)| *child == m && best_for(stats) == 0.0);
            let losses = children.iter().filter(|(m, _)| lost(*m)).count();
            if (1..children.len()).contains(&losses) {
                let best = mcts.best().expect("a move");
                assert!(!lost(best), "{best:?} of {children:?}");
                assert!(!lost(mcts.report(1).lines[0].moves[0]), "{children:?}");
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn other_selections_prove_the_same() {
    for state in random_states(&ConnectFour, 200, 32).take(8) {
        let value = truth_by_table(state.game(), state.position(), &mut HashMap::new());
        for selection in [Selection::Ucb1Tuned { c: 1.0 }, Selection::Puct { c: 1.5, base: None }] {
            let choices = Settings {
                selection,
                final_move: FinalMove::Secure { a: 1.0 },
                ..settings(TerminalCheck::Listed, 1, 1)
            };
            let unvisited = Unvisited::Parent { reduction: 0.1 };
            let report = run(&state, Settings { unvisited, ..choices }, Uniform::default(), 50_000).report(1);
            assert!(report.proven, "{state:?}");
            assert_eq!(report.value(), if state.side_to_move() == Side::First { value } else { 1.0 - value });
        }
    }
}

#[test]
fn widening_reaches_every_child_when_the_first_are_proven() {
    // One child at first, and hardly ever another one: the others are searched when the first is proven.
    let widening = Some(Widening::Coulom { first: 1, a: 1e6, b: 1.5 });
    for state in random_states(&ConnectFour, 200, 32).take(8) {
        let value = truth_by_table(state.game(), state.position(), &mut HashMap::new());
        let choices = Settings { widening, ..settings(TerminalCheck::Visited, 1, 1) };
        let report = run(&state, choices, Uniform::default(), 50_000).report(1);
        assert!(report.proven, "{state:?}");
        assert_eq!(report.value(), if state.side_to_move() == Side::First { value } else { 1.0 - value });
    }
}

/// Counts the margin: nine different values.
#[derive(Clone)]
struct Margin;

fn by_margin(outcome: &Outcome) -> f64 {
    0.5 + f64::from(outcome.signed_margin(Side::First)) / 8.0
}

impl Guide<SeededGame> for Margin {
    uniform_playouts!(SeededGame, u32::MAX);

    fn ended(&mut self, _: &SearchPosition<'_, SeededGame>, outcome: &Outcome) -> f64 {
        by_margin(outcome)
    }
}

#[test]
fn bounds_hold_with_margins_and_turns_of_two_moves() {
    let mut proven = 0;
    for seed in 0..60 {
        let state = GameState::new(SeededGame { seed });
        for (terminal, levels) in [(TerminalCheck::Visited, 1), (TerminalCheck::Listed, 2)] {
            let mcts = run(&state, settings(terminal, levels, 1), Margin, 6_000);
            let mut value = |state: &GameState<SeededGame>| truth(state.game(), state.position(), &mut (), &by_margin);
            check_bounds(&mcts, &state, &mut value, &mut Vec::new());
            let report = mcts.report(1);
            if report.proven {
                proven += 1;
                let value = value(&state);
                assert_eq!(report.value(), if state.side_to_move() == Side::First { value } else { 1.0 - value });
            }
        }
    }
    assert!(proven > 40, "{proven} of 120 are solved");
}

#[test]
fn a_proven_value_is_played_before_any_mean_below_it() {
    let (mut fewer_visits, mut searched) = (0, 0);
    for seed in 0..400 {
        let state = GameState::new(SeededGame { seed });
        for most in [50, 200, 800] {
            let mcts = run(&state, settings(TerminalCheck::Visited, 1, 1), Margin, most);
            let children = mcts.children(&[]);
            let best = mcts.best().expect("the game goes on");
            let best = children.iter().find(|(m, _)| *m == best).expect("a child").1;
            if mcts.report(1).proven {
                continue;
            }
            let certain = children.iter().map(|(_, stats)| stats.low).fold(0.0, f64::max);
            let is_proven = |stats: &NodeStats| stats.low >= stats.high;
            if !children.iter().any(|(_, stats)| is_proven(stats) && stats.low >= certain) {
                continue;
            }
            assert!(best.value(Side::First).max(best.low) >= certain, "{best:?} of {children:?}");
            fewer_visits += u32::from(is_proven(&best) && children.iter().any(|(_, c)| c.visits > best.visits));
            let passed_over =
                |stats: &NodeStats| is_proven(stats) && stats.low >= certain && stats.visits > best.visits;
            searched += u32::from(!is_proven(&best) && children.iter().any(|(_, stats)| passed_over(stats)));
        }
    }
    assert!(fewer_visits > 10, "{fewer_visits} times the best move is proven and another one has more visits");
    assert!(searched > 0, "{searched} times the best move is searched and a proven one has more visits");
}

#[test]
fn history_counts_on_every_descent() {
    for start in [1, 2, 3] {
        for plies in 0..6 {
            for state in random_states(&Push { start }, 3, plies) {
                let mut history = state.history().clone();
                let value = truth(state.game(), state.position(), &mut history, &|outcome| outcome.score(Side::First));
                let mcts = run(&state, settings(TerminalCheck::Visited, 1, 1), Uniform::default(), 60_000);
                let root = mcts.node_stats(&[]).expect("the root");
                assert!(root.low >= root.high, "{root:?} {state:?}");
                assert_eq!(root.low, value, "{state:?}");
            }
        }
    }
}
