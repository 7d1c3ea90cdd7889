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
fn benchmark_maps_are_proven() {
    for (name, turns) in [
        ("select_A1", 1),
        ("select_A2", 1),
        ("select_B1", 1),
        ("select_B2", 1),
        ("select_B3", 1),
        ("tag_A1", 3),
        ("chase_A1", 5),
        // Without a bound on the damage that is left these take a million to nine million positions.
        ("block_A2", 5),
        ("guard_A1", 5),
        ("puzzle_A3", 9),
        ("puzzle_C1", 21),
    ] {
        let game = maps::named(name).expect("a map of the distribution");
        let (proven, line) = prove(&game, 200_000);
        assert_eq!(proven, Some(turns), "{name}");
        assert_eq!(turns_of_win(&game, &line), turns, "{name}");
    }
}

/// In how many turns the side to move is proven to win, and the line.
fn prove(game: &Tubstap, nodes: u64) -> (Option<u16>, Vec<Move>) {
    let start = game.start();
    with_budget(nodes, |budget| {
        let mut proof = Proof::new(game, start.side(), SolveTask::TABLE, budget);
        let found = proof.search(&[start])[0];
        (found, if found.is_some() { proof.line(&start) } else { Vec::new() })
    })
}

/// The turns of a line of legal moves that ends with the win of the side that begins.
fn turns_of_win(game: &Tubstap, line: &[Move]) -> u16 {
    let start = game.start();
    let (mut at, mut last) = (start, start.turn());
    for &m in line {
        assert_eq!(game.check(&at, m), Ok(()), "{m} of {line:?}");
        last = at.turn();
        game.play(&mut at, m);
    }
    assert_eq!(at.alive(start.side().other()), 0, "{line:?}");
    last - start.turn() + 1
}

/// Whether `attacker` can wipe out the other side within `turns` turns: all turns of both sides, without a bound or a table.
fn wipes_out(game: &Tubstap, position: &Position, attacker: Side, turns: u16) -> bool {
    if position.alive(attacker) == 0 || position.alive(attacker.other()) == 0 {
        return position.alive(attacker.other()) == 0;
    }
    if turns == 0 || game.is_over(position) {
        return false;
    }
    let mut after = BTreeMap::new();
    // The defence may attack without damage.
    let list = Listed { zero_damage: position.side() != attacker, ..Listed::USUAL };
    ends(game, position, list, &|_, _| true, position.turn(), &mut after, &mut BTreeSet::new());
    let mut after = after.values();
    if position.side() == attacker {
        after.any(|end| wipes_out(game, end, attacker, turns - 1))
    } else {
        after.all(|end| wipes_out(game, end, attacker, turns - 1))
    }
}

/// Games on tiny maps of all kinds of ground, with few and weak units.
fn tiny_games() -> impl Iterator<Item = Tubstap> {
    let mut rng = Rng::new(11);
    std::iter::repeat_with(move || {
        let (width, height) = (3 + rng.index(2), 1 + rng.index(2));
        let mut rows = vec![vec![Terrain::NoEntry; width + 2]; height + 2];
        for row in &mut rows[1..=height] {
            for ground in &mut row[1..=width] {
                let kinds = [Terrain::Plain, Terrain::Plain, Terrain::Road, Terrain::Forest, Terrain::Mountain];
                *ground = kinds[rng.index(kinds.len())];
            }
        }
        let field = Field::new(&rows).expect("a map with a border");
        let mut cells: Vec<_> = field.cells().filter(|&cell| field.terrain(cell) != Terrain::NoEntry).collect();
        let sides = [Side::First, Side::Second, Side::First, Side::Second];
        let units: Vec<_> = sides[..2 + rng.index(3.min(cells.len() - 1))]
            .iter()
            .map(|&side| {
                let cell = cells.swap_remove(rng.index(cells.len()));
                let kind = Kind::ALL[rng.index(6)];
                Some(Unit { kind, side, cell, hp: 1 + rng.index(10) as u8, acted: false })
            })
            .collect();
        Tubstap::new(Arc::new(field), 20, 10, &units, rng.index(2) as u16).expect("units on free cells")
    })
}

#[test]
fn wins_are_proven_where_a_search_without_bounds_finds_them() {
    let (mut won, mut open) = (0, 0);
    for game in tiny_games().take(400) {
        let start = game.start();
        let expected = (1..=4).find(|&turns| wipes_out(&game, &start, Side::First, turns));
        let found = with_budget(10_000_000, |budget| {
            let mut proof = Proof::new(&game, Side::First, SolveTask::TABLE, budget);
            proof.search(&[start])[0]
        });
        if let Some(turns) = found.filter(|_| start.side() == Side::First) {
            assert_eq!(turns_of_win(&game, &prove(&game, 10_000_000).1), turns, "{start:?}");
        }
        match expected {
            Some(turns) => assert_eq!(found, Some(turns), "{start:?}"),
            None => assert!(found.is_none_or(|turns| turns > 4), "{start:?}: {found:?}"),
        }
        if expected.is_some_and(|turns| turns > 2) {
            won += 1;
        }
        open += usize::from(expected.is_none());
    }
    assert!(won >= 20 && open >= 100, "{won} wins in more than one turn, {open} without a win");
}

#[test]
fn no_turn_does_more_damage_than_its_bound() {
    let mut least = u32::MAX;
    for game in tiny_games().take(300) {
        let start = game.start();
        let (own, enemies) = (start.able(), start.alive(start.side().other()));
        let now = Damage::now(game.field(), &start, own, enemies);
        let later = Damage::later(&start, own, enemies);
        let mut after = BTreeMap::new();
        ends(&game, &start, Listed::USUAL, &|_, _| true, start.turn(), &mut after, &mut BTreeSet::new());
        for end in after.values() {
            let left = end.alive(start.side().other());
            let hp = |at: &Position, enemy: usize| {
                if at.alive(start.side().other()) >> enemy & 1 == 1 { at.hp(enemy) } else { 0 }
            };
            for bound in [&now, &later] {
                let mut total = 0;
                for enemy in bits(enemies) {
                    let done = start.hp(enemy) - hp(end, enemy);
                    assert!(bound.each(enemy) >= done, "{start:?}");
                    total += done;
                }
                assert!(bound.total() >= total, "{start:?}");
                least = least.min(bound.total() - total);
            }
            assert!(left != 0 || now.destroys(&start, enemies, 0, &later), "{start:?}");
        }
    }
    assert_eq!(least, 0, "a bound is reached");
}

/// One of the attacker's turns that win is one that won elsewhere, where it had more units to move.
#[test]
fn lines_contain_the_ends_of_turns() {
    let text = "SIZE 6 4 LIMIT 20 THRESHOLD 10 TERRAIN 000000/011110/015340/000000 TURN 0 SIDE 0 \
                UNITS 0:I:0:3,2:10:0 1:A:1:4,2:10:0 2:F:0:3,1:6:0 3:A:1:1,2:9:0";
    let (game, start) = maps::standard().parse_position(text).expect("a position");
    let game = game.beginning_at(start);
    let (proven, line) = prove(&game, 1_000_000);
    assert!(line.contains(&Move::END), "{line:?}");
    assert_eq!(Some(turns_of_win(&game, &line)), proven);
}

/// At the start of each turn of the line, the shortest win takes as many turns as the line has left.
#[test]
fn lines_are_the_longest_defence_against_the_shortest_win() {
    for text in [
        "SIZE 6 4 LIMIT 20 THRESHOLD 10 TERRAIN 000000/013340/013410/000000 TURN 0 SIDE 0 \
         UNITS 0:I:0:1,1:4:0 1:I:1:1,2:3:0 2:U:0:4,1:8:0 3:U:1:2,2:8:0",
        "SIZE 6 4 LIMIT 20 THRESHOLD 10 TERRAIN 000000/041110/013340/000000 TURN 0 SIDE 0 \
         UNITS 0:U:0:2,2:7:0 1:U:1:3,2:4:0 2:F:0:3,1:3:0 3:I:1:1,1:7:0",
    ] {
        let (game, start) = maps::standard().parse_position(text).expect("a position");
        let game = game.beginning_at(start);
        let (proven, line) = prove(&game, 1_000_000);
        let turns = proven.expect("a win");
        assert_eq!(turns_of_win(&game, &line), turns);
        let mut at = start;
        for m in line {
            let left = with_budget(1_000_000, |budget| {
                Proof::new(&game, Side::First, SolveTask::TABLE, budget).search(&[at])[0]
            });
            assert_eq!(left, Some(turns - at.turn()), "{text}");
            game.play(&mut at, m);
        }
    }
}

/// Blue's infantry attacks without damage and is destroyed by the counter-attack, so that the panzer can go to its
/// cell, where the attacker does not destroy it at once.
#[test]
fn attacks_without_damage_are_defences() {
    let text = "SIZE 5 4 LIMIT 3 THRESHOLD 30 TERRAIN 00000/06120/06220/00000 TURN 0 SIDE 0 \
                UNITS 0:A:0:3,2:10:1 1:I:0:1,2:10:0 2:I:1:1,1:1:0 3:P:1:2,1:10:0";
    let (game, start) = maps::standard().parse_position(text).expect("a position");
    let game = game.beginning_at(start);
    assert_eq!(prove(&game, 1_000_000).0, None);
    let mut at = start;
    for m in ["1@1,2", "2@1,1>1", "3@1,1"] {
        let m = game.parse_move(&at, m).expect("legal");
        game.play(&mut at, m);
    }
    assert!(at.turn() == 2 && !wipes_out(&game, &at, Side::First, 1), "the defence");
}

/// Solves the start of a game within so many nodes.
fn solve(game: &Tubstap, nodes: u64, all: bool) -> Solution {
    let task = SolveTask {
        limits: Limits::nodes(nodes),
        clock: &Still,
        stop: &StopFlag::default(),
        threads: 1,
        table: SolveTask::TABLE,
    };
    super::solver::solve(&GameState::new(game.clone()), all, &task).expect("a solution")
}

#[test]
fn a_proven_win_is_stated_with_its_move_under_any_limit() {
    for (name, limits) in [
        ("select_A1", (1..300).step_by(1)),
        ("tag_A1", (1..800).step_by(1)),
        ("chase_A1", (1..2000).step_by(7)),
        ("block_A2", (1..4000).step_by(97)),
    ] {
        let game = maps::named(name).expect("a map");
        let mut proven = 0;
        for nodes in limits {
            for all in [false, true] {
                let solution = solve(&game, nodes, all);
                let won = solution.moves.iter().filter(|solved| solved.score == Some(1)).count();
                assert_eq!(solution.score, (won > 0).then_some(1), "{name} {nodes} nodes");
                assert_eq!(solution.best.len(), won, "{name} {nodes} nodes");
                assert_eq!(solution.best.first(), solution.line.first(), "{name} {nodes} nodes");
                assert!(solution.nodes <= nodes, "{name} {nodes} nodes");
                proven += u32::from(won > 0);
            }
        }
        assert!(proven > 10 && solve(&game, 1, false).score.is_none(), "{name}");
    }
}

/// With all moves asked for, a move has a proven score if a win is found after it alone.
#[test]
fn all_winning_moves_are_best() {
    let mut several = 0;
    for name in ["select_A1", "tag_A1", "chase_A1"] {
        let game = maps::named(name).expect("a map");
        let (start, solution) = (game.start(), solve(&game, 1_000_000, true));
        assert_eq!(solution.moves.len(), game.count_moves(&start));
        for solved in &solution.moves {
            let mut after = start;
            game.play(&mut after, game.unpack(solved.m).expect("a move"));
            let alone = with_budget(1_000_000, |budget| {
                Proof::new(&game, start.side(), SolveTask::TABLE, budget).search(&[after])[0]
            });
            assert_eq!(solved.score, alone.map(|_| 1), "{name}");
            assert_eq!(solution.best.contains(&solved.m), alone.is_some(), "{name}");
        }
        several += usize::from(solution.best.len() > 1);
        let line: Vec<Move> = solution.line.iter().filter_map(|&m| game.unpack(m)).collect();
        assert_eq!(Some(turns_of_win(&game, &line)), prove(&game, 1_000_000).0, "{name}");
    }
    assert!(several > 0);
}

#[test]
fn a_full_table_holds_no_more_entries() {
    let game = maps::named("chase_A1").expect("a map");
    let start = game.start();
    for (table, most) in [(0, 1), (20 * ENTRY_BYTES, 20)] {
        let (found, line, entries) = with_budget(1_000_000, |budget| {
            let mut proof = Proof::new(&game, start.side(), table, budget);
            let found = proof.search(&[start])[0];
            (found, proof.line(&start), proof.entries())
        });
        assert_eq!((found, entries), (Some(5), most));
        assert!(!line.is_empty(), "the first turn is known");
    }
}

#[test]
fn survivors_cannot_be_proven_lost() {
    let game = maps::named("run_A3").expect("a map of the distribution");
    let start = game.start();
    for attacker in [start.side(), start.side().other()] {
        with_budget(50_000, |budget| {
            let found = Proof::new(&game, attacker, SolveTask::TABLE, budget).search(&[start]);
            assert_eq!(found, [None], "{attacker:?}");
            assert!(!budget.over(), "{attacker:?}");
        });
    }
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
