//! Tests of the proofs, of the bound on damage, and of the solver.

use super::*;
use crate::engine::solver::solve as solve_state;

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
        // Needs a turn of the attacker that is not among the first 6,000.
        ("block_A3", 5),
    ] {
        let game = maps::named(name).expect("a map of the distribution");
        let (proven, line) = prove(&game, if name == "block_A3" { 3_000_000 } else { 200_000 });
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
    for units in [
        "0:P:0:4,1:4:0 1:R:1:4,2:5:0 2:I:0:1,1:9:0 3:U:1:2,1:6:0",
        "0:U:0:1,1:8:0 1:F:1:2,1:4:0 2:F:0:3,1:5:0 3:A:1:1,2:10:0",
    ] {
        let text = "SIZE 6 4 LIMIT 16 THRESHOLD 10 TERRAIN 000000/011110/015340/000000 TURN 0 SIDE 0 UNITS ";
        let (game, start) = maps::standard().parse_position(&(text.to_owned() + units)).expect("a position");
        let game = game.beginning_at(start);
        let (proven, line) = prove(&game, 20_000);
        assert!(line.contains(&Move::END), "{line:?}");
        assert_eq!(Some(turns_of_win(&game, &line)), proven);
    }
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
    solve_state(&GameState::new(game.clone()), all, &task).expect("a solution")
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
