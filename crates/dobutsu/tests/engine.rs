//! Checks the engine and the searches of `banmen-search` against exact values of the solved game.
//!
//! `data/values.txt` was written by `examples/judge.rs` (`any 350 7`, `hard reachable 150 8`).

use std::collections::HashMap;
use std::time::Duration;

use banmen_catalog::Options;
use banmen_dobutsu::engine::{Engine, KEYS};
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::{Game, GameState, Rng, Side};
use banmen_search::alphabeta::{AlphaBeta, NoEvaluation};
use banmen_search::mcts::{Mcts, Settings, Uniform};
use banmen_search::windows::{VisitEnd, WindowQuery};
use banmen_search::{Budget, Clock, Limits, Player, Report, StopFlag, Task};

/// A clock that always returns zero, so that only nodes and depth limit a search.
struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Positions with their value: 1, 0 or −1 for the side to move, and the plies to the end if the position is decided.
fn known() -> impl Iterator<Item = (Position, i32, u32)> {
    include_str!("data/values.txt").lines().map(|line| {
        let (text, value) = line.split_once(": ").expect("a position and its value");
        let mut words = value.split(' ');
        let score = match words.next() {
            Some("win") => 1,
            Some("draw") => 0,
            _ => -1,
        };
        let plies = words.next().map_or(0, |plies| plies.parse().expect("plies"));
        (parse_position(text).expect("a position"), score, plies)
    })
}

/// The engine at this level, with a seed.
fn engine(level: &str, seed: u64) -> Engine {
    Engine::new(&Options::new(KEYS, &[("level", level), ("table", "1")]).expect("good keys"), seed)
}

fn ask(player: &mut impl Player<Dobutsu>, state: &GameState<Dobutsu>, limits: Limits, lines: usize) -> Report<Move> {
    ask_on(1, player, state, limits, lines)
}

fn ask_on(
    threads: usize,
    player: &mut impl Player<Dobutsu>,
    state: &GameState<Dobutsu>,
    limits: Limits,
    lines: usize,
) -> Report<Move> {
    let stop = StopFlag::default();
    player.think(Task { state, limits, clock: &Still, stop: &stop, threads, lines, progress: None })
}

fn think(position: &Position, limits: Limits) -> Report<Move> {
    ask(&mut engine("10", 1), &GameState::from(Dobutsu::CATCH, *position), limits, 1)
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = *position;
    Dobutsu::CATCH.play(&mut next, m);
    next
}

/// The plies to the end that a report gives: positive for a win, negative for a loss.
fn claim(report: &Report<Move>) -> Option<i32> {
    assert_eq!(report.proven, report.lines.iter().all(|line| line.eval.is_some()));
    report.eval().map(|eval| eval.n as i32)
}

/// The ways in which the side to move can win with its next move: one entry per winning move.
fn wins_now(game: Dobutsu, position: &Position) -> Vec<&'static str> {
    let end = |m| {
        let mut next = *position;
        game.play(&mut next, m);
        let outcome = game.outcome(&next, &Default::default())?;
        (outcome.winner == Some(position.side())).then_some(outcome.by)
    };
    game.moves(position).into_iter().filter_map(end).collect()
}

/// Unfinished positions of random games.
fn positions(game: Dobutsu, count: usize, seed: u64) -> Vec<GameState<Dobutsu>> {
    let mut rng = Rng::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let mut state = GameState::new(game);
        let plies = rng.below(40);
        for _ in 0..plies {
            let moves = game.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
            if state.outcome().is_some() {
                break;
            }
        }
        if state.outcome().is_none() {
            found.push(state);
        }
    }
    found
}

#[test]
fn short_wins_and_losses_are_found_at_their_length() {
    let (mut wins, mut losses) = (0, 0);
    for (position, score, plies) in known().filter(|&(_, score, plies)| score != 0 && plies <= 5) {
        let report = think(&position, Limits::nodes(50_000));
        assert_eq!(claim(&report), Some(score * plies as i32), "{position:?}: {report:?}");
        if plies <= 3 {
            let mut state = GameState::from(Dobutsu::CATCH, position);
            report.lines[0].moves.iter().for_each(|&m| state.play(m));
            assert!(state.outcome().is_some() && state.moves().len() == plies as usize, "{report:?}");
        }
        wins += usize::from(score > 0);
        losses += usize::from(score < 0);
    }
    assert!(wins > 50 && losses > 50, "{wins} and {losses}");
}

#[test]
fn a_win_at_once_is_taken_under_all_rules() {
    for variant in Variant::ALL {
        let game = Dobutsu { variant };
        let mut by = Vec::new();
        for state in positions(game, 300, 3) {
            let ends = wins_now(game, state.position());
            if !ends.is_empty() {
                let report = ask(&mut engine("10", 1), &state, Limits::depth(3), 1);
                assert_eq!((report.value(), claim(&report)), (1.0, Some(1)), "{:?}", state.position());
                by.push(ends[0]);
            }
        }
        let other = if variant == Variant::Legal { "mate" } else { "catch" };
        assert!(by.contains(&"try") && by.contains(&other) && by.len() > 20, "{variant:?}: {by:?}");
    }
}

#[test]
fn the_lion_is_not_left_to_be_lost_at_once() {
    for variant in Variant::ALL {
        let game = Dobutsu { variant };
        for level in ["4", "6", "8", "10"] {
            for state in positions(game, 150, 11) {
                let position = *state.position();
                let ends = |m: Move| {
                    let mut next = position;
                    game.play(&mut next, m);
                    wins_now(game, &next)
                };
                // Under the rules `legal` the lion cannot be caught, and the engine may overlook a mate.
                let gives = |m: Move| ends(m).iter().any(|&by| by != "mate");
                let avoidable = game.moves(&position).into_iter().any(|m| ends(m).is_empty());
                let best = ask(&mut engine(level, 5), &state, Limits::nodes(500), 1).best().expect("a move");
                assert!(game.is_legal(&position, best));
                assert!(!avoidable || !gives(best), "{variant:?} level {level}: {best:?} in {position:?}");
            }
        }
    }
}

/// The mean of the value that each level loses a move, by the values of the table before it and those of a search after it.
#[test]
fn no_level_loses_more_value_than_the_one_below() {
    let hard = known().filter(|&(_, score, plies)| score == 0 || score > 0 && (10..26).contains(&plies));
    let states: Vec<(GameState<Dobutsu>, i32)> =
        hard.map(|(position, score, _)| (GameState::from(Dobutsu::CATCH, position), score)).collect();
    let mut judge = engine("10", 1);
    let mut kept: HashMap<(u64, Move), i32> = HashMap::new();
    let losses: Vec<i32> = (1..=9)
        .map(|level| {
            let mut lost = 0;
            for (state, score) in &states {
                for seed in 0..8 {
                    let best = ask(&mut engine(&level.to_string(), seed), state, Limits::default(), 1).best();
                    let m = best.expect("a move");
                    let value = *kept.entry((state.position().key(), m)).or_insert_with(|| {
                        let mut next = state.clone();
                        next.play(m);
                        if let Some(outcome) = next.outcome() {
                            return outcome.score(state.side_to_move()) as i32 * 2 - 1;
                        }
                        claim(&ask(&mut judge, &next, Limits::nodes(4_000), 1)).map_or(0, |plies| -plies.signum())
                    });
                    lost += (score - value).max(0);
                }
            }
            lost
        })
        .collect();
    assert!(losses.windows(2).all(|pair| pair[1] <= pair[0]), "{losses:?}");
    // Wins that the judge does not prove count as lost by all levels alike.
    assert!(losses[0] > losses[8] + 400, "{losses:?}");
}

#[test]
fn no_proof_of_the_engine_contradicts_the_table() {
    let mut proven = 0;
    for (position, score, plies) in known() {
        let report = ask(&mut engine("10", 1), &GameState::from(Dobutsu::CATCH, position), Limits::nodes(5_000), 1);
        if let Some(claimed) = claim(&report) {
            assert_eq!(claimed.signum(), score, "{position:?}");
            assert!(claimed.unsigned_abs() >= plies, "{position:?} is decided in {plies}, not {claimed}");
            proven += 1;
        }
    }
    assert!(proven > 200, "{proven}");
}

/// Wherever the budget ends an iteration: the moves that it has not searched may lose later, or not at all.
#[test]
fn unfinished_iterations_prove_no_losses() {
    for (position, score, plies) in known().filter(|&(_, score, _)| score < 1) {
        let state = GameState::from(Dobutsu::CATCH, position);
        for nodes in (100..2_000).step_by(100) {
            let report = ask(&mut engine("10", 1), &state, Limits::nodes(nodes), 1);
            if let Some(claimed) = claim(&report) {
                assert_eq!(claimed.signum(), score, "{position:?} with {nodes} nodes");
                assert!(claimed.unsigned_abs() >= plies, "{position:?} is decided in {plies}, not {claimed}");
            }
        }
    }
}

#[test]
#[cfg(feature = "threads")]
fn no_proof_on_two_threads_contradicts_the_table() {
    // All positions share one transposition table, which is small enough to fill up.
    let mut engine = engine("10", 1);
    let (mut proven, mut exact) = (0, 0);
    for (position, score, plies) in known() {
        let state = GameState::from(Dobutsu::CATCH, position);
        let limits = Limits { depth: Some(40), ..Limits::nodes(5_000) };
        let report = ask_on(2, &mut engine, &state, limits, 1);
        assert!(report.nodes <= 5_000);
        if let Some(claimed) = claim(&report) {
            assert_eq!(claimed.signum(), score, "{position:?}");
            assert!(claimed.unsigned_abs() >= plies, "{position:?} is decided in {plies}, not {claimed}");
            proven += 1;
            exact += usize::from(claimed.unsigned_abs() == plies);
        }
        let best = report.best().expect("a move");
        assert!(Dobutsu::CATCH.is_legal(&position, best));
    }
    assert!(proven > 150 && exact > 100, "{proven} proven, {exact} of them at their length");
}

#[test]
#[cfg(feature = "threads")]
fn helper_threads_search_nodes_of_their_own_at_level_10_only() {
    let state = GameState::new(Dobutsu::CATCH);
    let nodes = |level, threads| ask_on(threads, &mut engine(level, 1), &state, Limits::depth(9), 1).nodes;
    let alone = nodes("10", 1);
    // On a busy machine a helper thread may start too late in some runs, but not in all.
    assert!((0..100).any(|_| nodes("10", 2) > alone + alone / 10));
    assert_eq!(nodes("6", 2), nodes("6", 1));
}

#[test]
fn proofs_of_one_session_do_not_contradict_the_table_either() {
    // All positions share one transposition table, which is small enough to fill up.
    let mut engine = engine("10", 1);
    for (position, score, plies) in known() {
        for state in [GameState::from(Dobutsu::CATCH, position), GameState::from(Dobutsu::LEGAL, position)] {
            if state.outcome().is_some() {
                continue;
            }
            let report = ask(&mut engine, &state, Limits::nodes(3_000), 1);
            if let Some(claimed) = claim(&report) {
                assert_eq!(claimed.signum(), score, "{position:?}");
                // A mate is up to two plies closer than the catch.
                let mate = if state.game().variant == Variant::Legal { 2 } else { 0 };
                assert!(claimed.unsigned_abs() + mate >= plies, "{position:?} is decided in {plies}, not {claimed}");
            }
        }
        engine.new_game(&GameState::new(Dobutsu::CATCH), 1);
    }
}

#[test]
fn no_proof_of_the_tree_search_contradicts_the_table() {
    let mut proven = 0;
    for (position, score, _) in known() {
        let state = GameState::from(Dobutsu::CATCH, position);
        let settings = Settings { solver: true, bytes: 1 << 20, ..Settings::default() };
        let mut mcts = Mcts::<_, _>::new(&Dobutsu::CATCH, settings, Uniform::default(), 1).expect("sound settings");
        mcts.begin(&state);
        let (limits, stop) = (Limits { playouts: Some(1_000), ..Limits::default() }, StopFlag::default());
        mcts.run(&mut Budget::start(&Limits::default(), &Still, &stop), &limits, |_| {});
        let root = mcts.node_stats(&[]).expect("a root");
        let (low, high) = match position.side() {
            Side::First => (root.low, root.high),
            Side::Second => (1.0 - root.high, 1.0 - root.low),
        };
        let value = f64::from(score + 1) / 2.0;
        assert!(low <= value && value <= high, "{position:?}: {low} to {high}, but {value}");
        proven += usize::from(low == high);
    }
    assert!(proven > 100, "{proven}");
}

#[test]
fn no_proof_of_alpha_beta_without_knowledge_contradicts_the_table() {
    let mut proven = 0;
    for (position, score, _) in known() {
        let mut player = AlphaBeta::new(NoEvaluation, 1 << 20, Limits::default());
        let report = ask(&mut player, &GameState::from(Dobutsu::CATCH, position), Limits::nodes(5_000), 1);
        if report.value() != 0.5 || report.proven {
            assert_eq!(report.value(), f64::from(score + 1) / 2.0, "{position:?}");
            proven += 1;
        }
    }
    assert!(proven > 150, "{proven}");
}

#[test]
fn the_same_seed_gives_the_same_report_and_limits_hold() {
    for state in positions(Dobutsu::CATCH, 12, 21) {
        for level in ["3", "10"] {
            let look = |limits| ask(&mut engine(level, 7), &state, limits, 3);
            let report = look(Limits::nodes(2_000));
            assert_eq!(report, look(Limits::nodes(2_000)));
            assert!(report.nodes <= 2_000);
            assert_eq!(look(Limits::depth(2)), look(Limits::depth(2)));
            assert!(look(Limits::depth(2)).depth <= 2);
        }
    }
    let stop = StopFlag::default();
    stop.stop();
    for state in positions(Dobutsu::CATCH, 12, 22) {
        let task = Task {
            state: &state,
            limits: Limits::default(),
            clock: &Still,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        };
        let best = engine("10", 1).think(task).best().expect("a move all the same");
        assert!(Dobutsu::CATCH.is_legal(state.position(), best));
    }
}

#[test]
fn low_level_varies_its_moves_and_claims_no_proof() {
    let state = GameState::new(Dobutsu::CATCH);
    let ways = |level| {
        let look = |seed| ask(&mut engine(level, seed), &state, Limits::nodes(2_000), 1);
        let reports: Vec<_> = (0..24).map(look).collect();
        assert!(reports.iter().all(|report| !report.proven));
        let mut ways: Vec<_> = reports.iter().filter_map(|report| report.best().map(Move::pack)).collect();
        ways.sort_unstable();
        ways.dedup();
        ways.len()
    };
    assert!(ways("1") > 2);
    assert_eq!(ways("10"), 1);
}

#[test]
fn lines_are_sorted_distinct_and_can_be_played() {
    for variant in Variant::ALL {
        let game = Dobutsu { variant };
        for state in positions(game, 40, 31) {
            let report = ask(&mut engine("10", 1), &state, Limits::nodes(3_000), 4);
            assert_eq!(report.lines.len(), game.count_moves(state.position()).min(4));
            assert!(report.lines.windows(2).all(|pair| pair[0].value >= pair[1].value), "{report:?}");
            let mut first: Vec<u32> = report.lines.iter().map(|line| line.moves[0].pack()).collect();
            first.sort_unstable();
            first.dedup();
            assert_eq!(first.len(), report.lines.len());
            for line in &report.lines {
                let mut state = state.clone();
                for &m in &line.moves {
                    assert!(state.outcome().is_none() && game.is_legal(state.position(), m), "{line:?}");
                    state.play(m);
                }
            }
        }
    }
}

/// A cycle of moves: from `lost`, which the side to move loses, each side steps away and back. The game state begins
/// one ply earlier, so that the losing side can make the position occur for the third time.
pub fn shuffle(lost: &Position) -> Option<(GameState<Dobutsu>, Move)> {
    let game = Dobutsu::CATCH;
    let quiet = |position: &Position, m: Move| position.empty() & m.to().mask() != 0;
    let back = |position: &Position, m: Move| match m {
        Move::Step { from, to } => {
            let back = Move::Step { from: to, to: from };
            let came = after(position, m);
            // The same piece must return there: a chick that became a hen does not.
            (quiet(position, m) && came.cell(to) == position.cell(from)).then_some(back)
        }
        Move::Drop { .. } => None,
    };
    for away in game.moves(lost) {
        let Some(home) = back(lost, away) else { continue };
        let far = after(lost, away);
        for answer in game.moves(&far) {
            let Some(return_) = back(&far, answer) else { continue };
            let mut state = GameState::from(game, far);
            let cycle = [answer, home, return_, away];
            let good = cycle.iter().chain(&cycle[..3]).all(|&m| {
                let good = state.outcome().is_none() && game.is_legal(state.position(), m);
                if good {
                    state.play(m);
                }
                good
            });
            if good && state.outcome().is_none() && state.position() == lost {
                return Some((state, away));
            }
        }
    }
    None
}

#[test]
fn a_lost_side_repeats_for_the_third_time() {
    let mut tried = 0;
    for (position, _, _) in known().filter(|&(_, score, plies)| score < 0 && plies <= 8) {
        let Some((state, _)) = shuffle(&position) else { continue };
        let report = ask(&mut engine("10", 1), &state, Limits::nodes(20_000), 1);
        let mut drawn = state.clone();
        drawn.play(report.best().expect("a move"));
        let Some(outcome) = drawn.outcome() else { panic!("{position:?} {report:?}") };
        assert_eq!((outcome.winner, outcome.by), (None, "repetition"), "{position:?}");
        assert_eq!(report.value(), 0.5);
        tried += 1;
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn recorded_windows_change_nothing_and_account_for_every_move() {
    let mut ends = Vec::new();
    for (position, _, _) in known().step_by(60) {
        let state = GameState::from(Dobutsu::CATCH, position);
        if state.outcome().is_some() {
            continue;
        }
        let (mut recorded, mut plain) = (engine("10", 1), engine("10", 1));
        assert!(recorded.record_windows(Some(WindowQuery { path: Vec::new(), depth: 3, max_nodes: usize::MAX })));
        let report = ask(&mut recorded, &state, Limits::depth(7), 1);
        assert_eq!(report, ask(&mut plain, &state, Limits::depth(7), 1));
        // A position that is decided without search has none.
        let Some(windows) = recorded.take_windows() else { continue };
        assert_eq!(windows.depth, report.depth);
        let mut positions: Vec<Position> = Vec::new();
        for visit in &windows.visits {
            let mut here = visit.parent.map_or(position, |parent| positions[parent]);
            if let Some(m) = visit.m.and_then(Move::unpack) {
                assert!(Dobutsu::CATCH.is_legal(&here, m));
                here.play(m);
            }
            assert_eq!(visit.side, here.side());
            assert!(visit.cut.iter().all(|&m| Move::unpack(m).is_some_and(|m| Dobutsu::CATCH.is_legal(&here, m))));
            assert_eq!(visit.end == VisitEnd::Cut, visit.end == VisitEnd::Cut && visit.value >= Some(visit.beta));
            ends.push(visit.end);
            positions.push(here);
        }
    }
    for end in [VisitEnd::Searched, VisitEnd::Cut, VisitEnd::Table, VisitEnd::Pruned, VisitEnd::Ended] {
        assert!(ends.contains(&end), "{end:?}");
    }
}
