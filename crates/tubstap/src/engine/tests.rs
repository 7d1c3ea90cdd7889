//! The engine's parts against slow and obvious ones, and what it must find.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use banmen_catalog::{Options, Solution, SolveTask};
use banmen_game::{Game, GameState, Notation, Rng, Side};
use banmen_search::{Budget, Clock, Limits, Player, Report, StopFlag, Task};

use super::damage::Damage;
use super::eval::{Evaluator, score};
use super::features::{IncrementalFeatures, features};
use super::finish::wipe_out;
use super::level::{Errors, LEVELS, Level};
use super::net::NET;
use super::outcomes::Outcomes;
use super::plan::Planner;
use super::player::Engine;
use super::proof::{ENTRY_BYTES, Proof};
use super::reference;
use super::settings::{Breadth, KEYS, Settings};
use super::tree::Tree;
use crate::field::Field;
use crate::game::Tubstap;
use crate::generator::random_map;
use crate::kind::Kind;
use crate::maps;
use crate::moves::{Listed, Move};
use crate::position::{Position, Unit, bits};
use crate::terrain::Terrain;

mod proofs;

/// A clock that does not advance.
struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

fn with_budget<T>(nodes: u64, work: impl FnOnce(&mut Budget<'_>) -> T) -> T {
    work(&mut Budget::start(&Limits::nodes(nodes), &Still, &StopFlag::default()))
}

fn moves(game: &Tubstap, position: &Position) -> Vec<Move> {
    listed(game, position, Listed::USUAL)
}

fn listed(game: &Tubstap, position: &Position, listed: Listed) -> Vec<Move> {
    let mut moves = Vec::new();
    let _ = game.visit_listed::<()>(position, listed, |m| {
        moves.push(m);
        ControlFlow::Continue(())
    });
    moves
}

/// The positions after every way to play the turn with moves that are listed and allowed, by their keys.
fn ends(
    game: &Tubstap,
    position: &Position,
    list: Listed,
    allowed: &dyn Fn(&Position, Move) -> bool,
    turn: u16,
    found: &mut BTreeMap<u64, Position>,
    seen: &mut BTreeSet<u64>,
) {
    if position.turn() != turn || game.is_over(position) {
        found.insert(position.key(), *position);
        return;
    }
    if !seen.insert(position.key()) {
        return;
    }
    for m in listed(game, position, list).into_iter().filter(|&m| allowed(position, m)) {
        let mut next = *position;
        game.play(&mut next, m);
        ends(game, &next, list, allowed, turn, found, seen);
    }
}

/// Positions of random games on maps with few units, at the start of turns.
fn small_positions() -> Vec<(Tubstap, Position)> {
    let mut rng = Rng::new(3);
    let mut all = Vec::new();
    for name in ["chase_A1", "guard_C1", "select_A1", "genmap-3u-2", "block_A3"] {
        let game = maps::named(name).expect("a map of the distribution");
        for _ in 0..4 {
            let mut position = game.start();
            for _ in 0..rng.index(12) {
                if !game.is_over(&position) {
                    let moves = moves(&game, &position);
                    game.play(&mut position, moves[rng.index(moves.len())]);
                }
            }
            let own = position.able();
            if !game.is_over(&position) && own.count_ones() <= 3 {
                all.push((game.clone(), position));
            }
        }
    }
    assert!(all.len() >= 10, "{} positions", all.len());
    all
}

#[test]
fn outcomes_are_those_of_all_ways_to_play_a_turn() {
    for (game, position) in small_positions() {
        let mut expected = BTreeMap::new();
        ends(&game, &position, Listed::USUAL, &|_, _| true, position.turn(), &mut expected, &mut BTreeSet::new());
        let (found, whole) = with_budget(10_000_000, |budget| {
            Outcomes::default().of(&game, &position, Listed::USUAL, 1_000_000, budget, |_| true)
        });
        assert!(whole);
        let keys: BTreeSet<u64> = found.iter().map(|end| end.position.key_of_units()).collect();
        let expected: BTreeSet<u64> = expected.values().map(Position::key_of_units).collect();
        assert_eq!(keys, expected, "{position:?}");
        for end in &found {
            let mut at = position;
            end.moves.iter().for_each(|&m| game.play(&mut at, m));
            assert_eq!(at, end.position);
        }
    }
}

#[test]
fn wins_within_a_turn_are_found_where_there_are_some() {
    let mut wins = 0;
    let positions = small_positions().into_iter().chain(["select_A1", "select_A2", "select_B1"].map(|name| {
        let game = maps::named(name).expect("a map of the distribution");
        let start = game.start();
        (game, start)
    }));
    for (game, position) in positions {
        let other = position.side().other();
        let won = with_budget(u64::MAX, |budget| wipe_out(&game, &position, usize::MAX, budget));
        if let Some(moves) = &won {
            let mut at = position;
            moves.iter().for_each(|&m| game.play(&mut at, m));
            assert_eq!(at.alive(other), 0);
            wins += 1;
        }
        let (all, whole) = with_budget(1_000_000, |budget| {
            Outcomes::default().of(&game, &position, Listed::USUAL, 100_000, budget, |_| true)
        });
        if whole {
            assert_eq!(won.is_some(), all.iter().any(|end| end.position.alive(other) == 0), "{position:?}");
        }
    }
    assert!(wins >= 3, "{wins} wins");
}

#[test]
fn plans_are_played_to_the_end_of_the_turn() {
    for name in ["map01", "map02", "map04", "GPW_Sato", "puzzle_A3"] {
        let game = maps::named(name).expect("a map of the distribution");
        let start = game.start();
        let mut evaluator = Evaluator::new(&game);
        for width in [1, 16] {
            let plans = with_budget(10_000_000, |budget| {
                Planner::default().plans(&game, &mut evaluator, &start, Breadth { width, plans: 8, cells: 512 }, budget)
            });
            assert!(!plans.is_empty() && plans.is_sorted_by_key(|plan| std::cmp::Reverse(plan.value)), "{name}");
            for plan in plans {
                let mut at = start;
                for &m in &plan.moves {
                    assert_eq!(at.turn(), start.turn(), "{name}: a plan is one turn");
                    assert_eq!(game.check(&at, m), Ok(()), "{name}");
                    game.play(&mut at, m);
                }
                assert_eq!(at, plan.position, "{name}");
                assert!(at.turn() != start.turn() || game.is_over(&at), "{name}: the turn is over");
                assert_eq!(plan.value, evaluator.value(&at, start.side()), "{name}");
            }
        }
    }
}

#[test]
fn without_an_attack_units_go_to_their_best_cells() {
    let mut later = 0;
    for name in ["map01", "map02", "GPW_Sato", "puzzle_A3"] {
        let game = maps::named(name).expect("a map of the distribution");
        let (start, mut evaluator) = (game.start(), Evaluator::new(&game));
        let mut quiet: Vec<(Move, i32)> = game
            .moves(&start)
            .into_iter()
            .filter(|m| m.target().is_none())
            .map(|m| {
                let mut after = start;
                game.play(&mut after, m);
                (m, evaluator.value(&after, start.side()))
            })
            .collect();
        quiet.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        let plans = with_budget(10_000_000, |budget| {
            Planner::default().plans(&game, &mut evaluator, &start, Breadth { width: 16, plans: 16, cells: 3 }, budget)
        });
        for m in plans.iter().flat_map(|plan| &plan.moves).filter(|m| m.target().is_none() && m.unit().is_some()) {
            let own = quiet.iter().filter(|(other, _)| other.unit() == m.unit());
            let Some(&(_, value)) = own.clone().find(|(other, _)| other == m) else {
                later += 1;
                continue;
            };
            assert!(own.filter(|(_, better)| *better > value).count() < 3, "{name}: {m:?}");
        }
    }
    assert!(later > 0, "some cells are free only later in the turn");
}

/// Whether a move is an attack, or of the first unit that can act, or of a unit beside an enemy.
fn in_order(position: &Position, m: Move) -> bool {
    let Some(unit) = m.unit() else { return false };
    let cell = |unit| position.unit(unit).map(|unit| unit.cell);
    let beside = |enemy| cell(unit).zip(cell(enemy)).is_some_and(|(a, b)| a.distance(b) == 1);
    let first = bits(position.able()).next() == Some(unit);
    m.target().is_some() || first || bits(position.alive(position.side().other())).any(beside)
}

#[test]
fn narrow_beams_make_a_plan_of_every_turn() {
    // With one cell for each unit, two may go to the same one, and the second one cannot even stay.
    let narrow = Breadth { width: 1, plans: 1, cells: 1 };
    let mut ended_early = 0;
    for seed in 0..60 {
        let game = random_map(seed);
        let (mut position, mut rng) = (game.start(), Rng::new(seed));
        while !game.is_over(&position) {
            let plans = with_budget(u64::MAX, |budget| {
                Planner::default().plans(&game, &mut Evaluator::new(&game), &position, narrow, budget)
            });
            let mut end = position;
            for &m in &plans[0].moves {
                game.check(&end, m).expect("a legal move");
                game.play(&mut end, m);
            }
            assert_eq!(end, plans[0].position);
            ended_early += u32::from(plans[0].moves.last() == Some(&Move::END));
            let all = moves(&game, &position);
            game.play(&mut position, all[rng.index(all.len())]);
        }
    }
    assert!(ended_early > 0, "no position has units that cannot go where they would");
}

#[test]
fn wide_beams_find_the_best_outcome() {
    let (mut same, positions) = (0, small_positions());
    for (game, position) in &positions {
        let (mut evaluator, side) = (Evaluator::new(game), position.side());
        let mut ordered = BTreeMap::new();
        ends(game, position, Listed::USUAL, &in_order, position.turn(), &mut ordered, &mut BTreeSet::new());
        // The values of an outcome: it may depend on which of two equal units is where.
        let mut values: BTreeMap<u64, Vec<i32>> = BTreeMap::new();
        for end in ordered.values() {
            values.entry(end.key_of_units()).or_default().push(evaluator.value(end, side));
        }
        let least = values.values().filter_map(|values| values.iter().min()).max();
        let most = values.values().flatten().max();
        let breadth = Breadth { width: 100_000, plans: 1, cells: 512 };
        let plans =
            with_budget(u64::MAX, |budget| Planner::default().plans(game, &mut evaluator, position, breadth, budget));
        let value = plans.first().map(|plan| plan.value);
        assert!(least <= value.as_ref() && value.as_ref() <= most, "{least:?} {value:?} {most:?} {position:?}");
        let (all, whole) = with_budget(10_000_000, |budget| {
            Outcomes::default().of(game, position, Listed::USUAL, 1_000_000, budget, |_| true)
        });
        assert!(whole);
        same += usize::from(value >= all.iter().map(|end| evaluator.value(&end.position, side)).max());
    }
    assert!(10 * same >= 9 * positions.len(), "the order of moves rarely matters: {same} of {}", positions.len());
}

/// The game on map01 with so many turns.
fn map_01_of(limit: u16) -> Tubstap {
    let text = format!("map01 LIMIT {limit}");
    let (game, start) = maps::standard().parse_position(&text).expect("a position");
    game.beginning_at(start)
}

/// The position with the units of both sides exchanged, and the other side to move.
fn exchanged(game: &Tubstap, position: &Position) -> Position {
    let units: Vec<Option<Unit>> = (0..position.unit_count())
        .map(|number| position.unit(number).map(|unit| Unit { side: unit.side.other(), ..unit }))
        .collect();
    // A turn earlier or later: the limit is far away in both.
    let turn = position.turn() ^ 1;
    Position::new(game.field(), game.limit(), &units, turn).expect("a position")
}

/// The positions of a beam search: all that a few moves of a random game lead to, one after the other.
fn alternatives(game: &Tubstap, rng: &mut Rng) -> Vec<Position> {
    let mut found = Vec::new();
    let mut position = game.start();
    while !game.is_over(&position) {
        let moves = moves(game, &position);
        if rng.index(6) == 0 {
            found.extend(moves.iter().map(|&m| {
                let mut after = position;
                game.play(&mut after, m);
                after
            }));
        }
        // Where there are attacks, one of them is played with probability 2/3.
        let attacks: Vec<Move> = moves.iter().copied().filter(|m| m.target().is_some()).collect();
        let some = if attacks.is_empty() || rng.index(3) == 0 { &moves } else { &attacks };
        game.play(&mut position, some[rng.index(some.len())]);
    }
    found.retain(|position| !game.is_over(position));
    found
}

#[test]
fn incremental_features_equal_recomputed_ones() {
    let mut rng = Rng::new(11);
    let named = maps::all().map(|(_, map)| map.game.clone());
    let random = (0..10).map(random_map);
    let mut count = 0;
    for game in named.chain(random) {
        let mut positions = alternatives(&game, &mut rng);
        positions.extend(alternatives(&game, &mut rng));
        // From one position to any other one.
        let others: Vec<Position> =
            (0..100.min(positions.len())).map(|_| positions[rng.index(positions.len())]).collect();
        positions.extend(others);
        let Some(first) = positions.first() else { continue };
        let mut incremental = IncrementalFeatures::new(&game, first);
        let mut evaluator = Evaluator::new(&game);
        let mut side = Side::First;
        for position in &positions {
            if rng.index(20) == 0 {
                side = side.other();
            }
            let expected = reference::features(&game, position, side);
            assert_eq!(incremental.features(&game, position, side), &expected, "{position:?}");
            assert_eq!(features(&game, position, side), expected, "{position:?}");
            let value = (NET.value(&expected) * 1000.0) as i32;
            assert_eq!(evaluator.value(position, side), value, "{position:?}");
            count += 1;
        }
    }
    assert!(count > 20_000, "{count} positions");
}

#[test]
fn the_evaluation_does_not_depend_on_colours() {
    let game = map_01_of(200);
    let mut rng = Rng::new(7);
    for _ in 0..50 {
        let mut position = game.start();
        for _ in 0..rng.index(40) {
            let moves = moves(&game, &position);
            if !moves.is_empty() {
                game.play(&mut position, moves[rng.index(moves.len())]);
            }
        }
        if game.is_over(&position) {
            continue;
        }
        let other = exchanged(&game, &position);
        let mut evaluator = Evaluator::new(&game);
        for side in Side::BOTH {
            assert_eq!(evaluator.value(&position, side), evaluator.value(&other, side.other()), "{position:?}");
        }
    }
}

#[test]
fn the_evaluation_counts_units() {
    for name in ["map01", "map03", "map05", "GAT_fujiki"] {
        let game = maps::named(name).expect("a map of the distribution");
        let (start, mut evaluator) = (game.start(), Evaluator::new(&game));
        let whole = evaluator.value(&start, Side::First);
        // On average, as it may be wrong about single units.
        let lost = bits(start.alive(Side::Second));
        let gains = lost.map(|lost| {
            let units: Vec<Option<Unit>> =
                (0..start.unit_count()).map(|number| start.unit(number).filter(|_| number != lost)).collect();
            let fewer = Position::new(game.field(), game.limit(), &units, start.turn()).expect("a position");
            evaluator.value(&fewer, Side::First) - whole
        });
        let gains: Vec<i32> = gains.collect();
        assert!(gains.iter().sum::<i32>() > 200 * gains.len() as i32, "{name}: {gains:?}");
    }
}

/// What the engine finds with so many nodes.
fn think(engine: &mut Engine, state: &GameState<Tubstap>, nodes: u64) -> Report<Move> {
    think_within(engine, state, Limits::nodes(nodes))
}

/// What it finds within these limits.
fn think_within(engine: &mut Engine, state: &GameState<Tubstap>, limits: Limits) -> Report<Move> {
    engine.think(Task {
        state,
        limits,
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 1,
        progress: None,
    })
}

#[test]
fn search_ends_when_no_position_can_be_added() {
    // One turn is left: every plan ends the game, and no position can be added to the tree.
    let game = map_01_of(1);
    let options = Options::new(KEYS, &[("root", "8/8/8")]).expect("values in range");
    let state = GameState::new(game);
    let report = think(&mut Engine::new(&options, 1), &state, 20_000);
    assert!(report.best().is_some() && report.nodes >= 20_000, "the search ends with its budget");
}

#[test]
fn the_rest_of_a_plan_is_as_proven_as_its_search() {
    for (name, proven) in [("select_A1", true), ("map01", false)] {
        let mut state = GameState::new(maps::named(name).expect("a map"));
        let mut engine = Engine::new(&Options::new(KEYS, &[]).expect("values in range"), 1);
        let mut decisions = 0;
        while state.outcome().is_none() && state.position().turn() == 0 {
            let report = think(&mut engine, &state, 3000);
            assert_eq!(report.proven, proven, "{name}");
            assert!(decisions == 0 || (report.nodes, report.playouts) == (0, Some(0)), "{name}");
            state.play(report.best().expect("a move"));
            decisions += 1;
        }
        assert!(decisions > 1, "{name}");
    }
}

#[test]
fn a_depth_is_the_most_turns_looked_ahead() {
    let state = GameState::new(maps::standard());
    let options = Options::new(KEYS, &[]).expect("values in range");
    for depth in 1..=3 {
        let report = think_within(&mut Engine::new(&options, 1), &state, Limits::depth(depth));
        assert_eq!(report.depth, depth);
    }
    // One turn is left, so no search gets so deep.
    let options = Options::new(KEYS, &[("root", "8/8/8")]).expect("values in range");
    let last = GameState::new(map_01_of(1));
    assert_eq!(think_within(&mut Engine::new(&options, 1), &last, Limits::depth(9)).depth, 1);
}

#[test]
fn draws_are_reported_as_half_a_win() {
    // The units cannot reach each other in the turn that is left.
    let state = GameState::new(map_01_of(1));
    for contempt in ["0", "0.25", "0.5"] {
        let options = Options::new(KEYS, &[("contempt", contempt)]).expect("values in range");
        let report = think(&mut Engine::new(&options, 1), &state, 20_000);
        let values: Vec<f64> = report.lines.iter().map(|line| line.value).collect();
        assert_eq!(values, [0.5], "contempt {contempt}");
    }
}

/// The moves of a game of the engine against itself, with so many nodes for each decision.
fn game_of(level: &str, nodes: u64, seed: u64) -> Vec<Move> {
    let options =
        Options::new(KEYS, &[("level", level), ("root", "4/4/4"), ("inner", "2/2/2")]).expect("values in range");
    let mut state = GameState::new(maps::named("genmap-3u-2").expect("a map of the distribution"));
    let mut players = [seed, seed + 1].map(|seed| Engine::new(&options, seed));
    let mut line = Vec::new();
    while state.outcome().is_none() {
        let player = &mut players[usize::from(state.position().turn() & 1)];
        let report = think(player, &state, nodes);
        let m = report.best().expect("a move");
        assert_eq!(state.game().check(state.position(), m), Ok(()));
        state.play(m);
        line.push(m);
    }
    line
}

#[test]
fn games_are_legal_and_depend_on_the_seed_alone() {
    for (level, nodes) in [("10", 1), ("10", 3000), ("1", 3000)] {
        let first = game_of(level, nodes, 5);
        assert_eq!(first, game_of(level, nodes, 5), "level {level}");
    }
    assert_ne!(game_of("1", 3000, 5), game_of("1", 3000, 6));
}

/// By the evaluation without errors, of plans made without search.
#[test]
fn plans_of_higher_levels_are_better() {
    let game = maps::standard();
    let (mut rng, mut positions) = (Rng::new(9), Vec::new());
    while positions.len() < 40 {
        let mut state = GameState::new(game.clone());
        while state.position().turn() < 2 + positions.len() as u16 % 6 && state.outcome().is_none() {
            let moves = game.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
        }
        if state.outcome().is_none() {
            positions.push(*state.position());
        }
    }
    let value = |level: &Level, position: &Position, salt: u64| {
        let mut settings = Settings::new(&Options::new(KEYS, &[]).expect("defaults"));
        level.narrow(&mut settings);
        let errors = Some(Errors { level: *level, salt });
        let mut tree = Tree::new(&game, &settings, *position, Rng::new(1), errors);
        with_budget(u64::MAX, |budget| tree.begin(budget));
        let plan = tree.best(1).swap_remove(0);
        let mut end = *position;
        plan.moves[..plan.first].iter().for_each(|&m| game.play(&mut end, m));
        f64::from(score(Evaluator::new(&game).value(&end, position.side())))
    };
    let sums: Vec<f64> = LEVELS
        .iter()
        .filter(|level| level.steps == 0)
        .map(|level| positions.iter().flat_map(|position| (0..4).map(|salt| value(level, position, salt))).sum())
        .collect();
    assert!(sums.len() > 2 && sums.is_sorted_by(|low, high| low < high), "{sums:?}");
}
