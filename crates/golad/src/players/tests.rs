//! The agents compared with direct implementations of the paper, on the slow rules.

use banmen_catalog::{Kind, Options};
use banmen_game::{Game, GameState, Rng, Side};
use banmen_search::{Limits, Player, Report, StopFlag, Task};

use super::candidates::{Balance, Greedy, Sampled, Ties};
use super::cells::Cells;
use super::formulas::Formulas;
use super::{agent, ai1, ai2, ai3};
use crate::reference::{FrozenClock, Naive};
use crate::{Board, Cell, Golad, Move, Position, start};

/// An agent's report with the given keys.
fn think(
    keys: &'static [banmen_catalog::Key],
    pairs: &[(&str, &str)],
    state: &GameState<Golad>,
    seed: u64,
) -> (Report<Move>, u64) {
    let options = Options::new(keys, pairs).expect("keys of the table");
    let (mut player, steps) = agent::player(state.game(), &options, seed).expect("sound settings");
    let task = Task {
        state,
        limits: Limits::default(),
        clock: &FrozenClock,
        stop: &StopFlag::default(),
        threads: 1,
        lines: 20,
        progress: None,
    };
    (player.think(task), steps.get())
}

/// Starts, boards from the middle of games, small boards and boards of few cells; both sides live.
fn positions(rng: &mut Rng) -> Vec<Position> {
    let mut positions = Vec::new();
    for seed in 0..4 {
        let rules = Golad { separate: seed % 2 == 0, ..Golad::STANDARD };
        let mut position = Position::new(start(&rules, &format!("agents-{seed}")).expect("a start"));
        for _ in 0..4 {
            positions.push(position);
            for _ in 0..3 {
                let moves = [Move::Pass, crate::moves::random(&position.board, position.side, rng)];
                position.play(moves[rng.index(2)]);
            }
        }
    }
    for (width, height, few) in [(1, 2, 1), (2, 2, 1), (3, 3, 2), (4, 5, 3), (6, 6, 6), (9, 20, 8), (18, 16, 30)] {
        for round in 0..6 {
            let mut board = Board::empty(width, height);
            for side in [Side::First, Side::Second] {
                for _ in 0..=rng.index(few) {
                    let dead: Vec<Cell> = board.dead_cells().collect();
                    if !dead.is_empty() && (round < 5 || side == Side::First) {
                        board.set(dead[rng.index(dead.len())], Some(side));
                    }
                }
            }
            // In the last round the board is full.
            for cell in board.dead_cells().collect::<Vec<_>>() {
                if round == 5 {
                    board.set(cell, Some(Side::Second));
                }
            }
            positions.push(Position { board, side: [Side::First, Side::Second][rng.index(2)], generations: 0 });
        }
    }
    positions.retain(|position| Side::BOTH.into_iter().all(|side| position.board.count(side) > 0));
    positions
}

/// The slow board after some cells were changed and some generations have passed.
fn slow(board: &Board, changed: &[(Cell, Option<Side>)], generations: u32) -> Naive {
    let mut board = *board;
    for &(cell, owner) in changed {
        board.set(cell, owner);
    }
    (0..generations).fold(Naive::of(&board), |slow, _| slow.step())
}

fn value(slow: &Naive, side: Side, balance: Balance) -> f64 {
    let (own, other) = (slow.count(side) as f64, slow.count(side.other()) as f64);
    match balance {
        Balance::Difference => own - other,
        Balance::Share if own + other == 0.0 => 0.5,
        Balance::Share => own / (own + other),
    }
}

/// The cell of the highest value, the first of equals.
fn best(cells: &[Cell], mut value: impl FnMut(Cell) -> f64) -> Option<Cell> {
    let mut best: Option<(Cell, f64)> = None;
    for &cell in cells {
        let value = value(cell);
        if best.is_none_or(|(_, top)| value > top) {
            best = Some((cell, value));
        }
    }
    best.map(|(cell, _)| cell)
}

/// AI3's children as section 4.3 describes them, one cell after another.
fn slow_greedy(greedy: Greedy, board: &Board, side: Side) -> Vec<Move> {
    let (own, dead): (Vec<Cell>, Vec<Cell>) = (board.cells(side).collect(), board.dead_cells().collect());
    let mut moves = Vec::new();
    for order in [[true, false, false], [false, true, false], [false, false, true]] {
        if own.len() < 2 || dead.is_empty() {
            continue;
        }
        let mut fixed: Vec<(Cell, Option<Side>)> = Vec::new();
        for births in order {
            let (candidates, owner) = if births { (&dead, Some(side)) } else { (&own, None) };
            let free: Vec<Cell> =
                candidates.iter().copied().filter(|&cell| fixed.iter().all(|&(taken, _)| taken != cell)).collect();
            let cell = best(&free, |cell| {
                let changed = [&fixed[..], &[(cell, owner)]].concat();
                value(&slow(board, &changed, greedy.ahead), side, greedy.balance)
            });
            fixed.push((cell.expect("cells of each kind"), owner));
        }
        let of = |born: bool| fixed.iter().filter(move |(_, owner)| owner.is_some() == born).map(|&(cell, _)| cell);
        let (births, dies): (Vec<Cell>, Vec<Cell>) = (of(true).collect(), of(false).collect());
        moves.push(Move::birth(births[0], dies[0], dies[1]));
    }
    let mut living: Vec<Cell> = Side::BOTH.into_iter().flat_map(|side| board.cells(side)).collect();
    living.sort_by_key(|cell| cell.index());
    let kill = best(&living, |cell| value(&slow(board, &[(cell, None)], greedy.kill_ahead), side, greedy.balance));
    moves.extend(kill.map(Move::Kill));
    let mut distinct = Vec::new();
    for m in moves {
        if !distinct.contains(&m) {
            distinct.push(m);
        }
    }
    distinct
}

#[test]
fn greedy_children_are_those_of_the_paper() {
    let mut rng = Rng::new(5);
    for position in positions(&mut rng) {
        let Position { board, side, .. } = position;
        for (balance, ahead, kill_ahead) in [(Balance::Share, 3, 4), (Balance::Difference, 1, 2)] {
            let greedy = Greedy { ahead, kill_ahead, balance, ties: Ties::First };
            let slow = slow_greedy(greedy, &board, side);
            let mut made = [const { Vec::new() }; 3];
            let steps = [
                greedy.make::<Cells>(&board, side, &mut rng, &mut made[0], &|| false),
                greedy.make::<Formulas>(&board, side, &mut rng, &mut made[1], &|| false),
                greedy.make::<Board>(&board, side, &mut rng, &mut made[2], &|| false),
            ];
            assert!(steps.iter().all(|&count| count == steps[0] && count > 0), "{steps:?}");
            for made in made {
                assert_eq!(made, slow, "{position:?}");
            }
            // Random ties: other cells, but none that is worse.
            let mut tied = Vec::new();
            Greedy { ties: Ties::Random, ..greedy }.make::<Board>(&board, side, &mut rng, &mut tied, &|| false);
            assert!(tied.iter().all(|&m| Golad::STANDARD.is_legal(&position, m)));
            if let (Some(&Move::Kill(a)), Some(&Move::Kill(b))) = (slow.last(), tied.last()) {
                let worth = |cell| value(&self::slow(&board, &[(cell, None)], kill_ahead), side, balance);
                assert_eq!(worth(a), worth(b));
            }
        }
    }
}

/// The candidates of section 4.1: the births, and the kills.
fn slow_sampled(balance: Balance, board: &Board, side: Side) -> (Vec<Move>, Vec<Move>) {
    let after = |changed: &[(Cell, Option<Side>)]| value(&slow(board, changed, 1), side, balance);
    let pass = after(&[]);
    let better = |cells: Vec<Cell>, owner| -> Vec<Cell> {
        cells.into_iter().filter(|&cell| after(&[(cell, owner)]) > pass).collect()
    };
    let sacrifices = better(board.cells(side).collect(), None);
    let births = better(board.dead_cells().collect(), Some(side));
    let mut moves = Vec::new();
    for (index, &a) in sacrifices.iter().enumerate() {
        for &b in &sacrifices[index + 1..] {
            if after(&[(a, None), (b, None)]) > pass {
                let good = births.iter().filter(|&&cell| after(&[(a, None), (b, None), (cell, Some(side))]) > pass);
                moves.extend(good.map(|&cell| Move::birth(cell, a, b)));
            }
        }
    }
    (moves, better(board.cells(side.other()).collect(), None).into_iter().map(Move::Kill).collect())
}

#[test]
fn sampled_children_are_those_of_the_paper() {
    let mut rng = Rng::new(6);
    let (mut full, mut kills, mut passes) = (0, 0, 0);
    for position in positions(&mut rng) {
        let Position { board, side, .. } = position;
        for balance in [Balance::Difference, Balance::Share] {
            let (births, kill) = slow_sampled(balance, &board, side);
            for (width, enumerate, all) in
                [(15, usize::MAX, false), (15, 0, false), (2, usize::MAX, false), (15, 0, true), (2, 0, true)]
            {
                let sampled = Sampled { width, all, enumerate, tries: 300, balance };
                let mut made = Vec::new();
                sampled.make::<Board>(&board, side, &mut rng, &mut made, &|| false);
                let of = |wanted: &[Move]| made.iter().filter(|m| wanted.contains(m)).count();
                let (born, killed, passed) = (of(&births), of(&kill), of(&[Move::Pass]));
                assert_eq!(born + killed + passed, made.len(), "nothing else: {made:?}");
                assert!((1..made.len()).all(|index| !made[..index].contains(&made[index])), "each once: {made:?}");
                if all || enumerate > 0 {
                    assert_eq!(born, births.len().min(width), "all births that there are, up to the width");
                }
                assert_eq!(killed, kill.len().min(width - born), "kills fill up");
                assert_eq!(passed, usize::from(born + killed == 0), "a pass only where there is nothing else");
                full += usize::from(born == width);
                kills += usize::from(killed > 0);
                passes += passed;
            }
        }
    }
    assert!(full > 10 && kills > 10 && passes > 10, "all three happen: {full}, {kills}, {passes}");
}

#[test]
fn every_birth_is_drawn_as_often_as_another() {
    let mut rng = Rng::new(7);
    let mut position = Position::new(start(&Golad::STANDARD, "banmen-1").expect("a start"));
    // Later there are few enough to count them.
    let (births, _) = loop {
        let found = slow_sampled(Balance::Difference, &position.board, position.side);
        if (3..200).contains(&found.0.len()) {
            break found;
        }
        position.play(crate::moves::random(&position.board, position.side, &mut rng));
    };
    for (enumerate, all) in [(usize::MAX, false), (0, false), (0, true)] {
        let sampled = Sampled { width: 1, all, enumerate, tries: 100_000, balance: Balance::Difference };
        let mut counts = vec![0_u32; births.len()];
        let draws = 200 * births.len() as u32;
        for _ in 0..draws {
            let mut made = Vec::new();
            sampled.make::<Board>(&position.board, position.side, &mut rng, &mut made, &|| false);
            counts[births.iter().position(|&m| m == made[0]).expect("a birth")] += 1;
        }
        // 200 each in the mean, 14 the standard deviation: five of them.
        assert!(counts.iter().all(|&count| count.abs_diff(200) < 71), "{counts:?}");
    }
}

#[test]
fn the_step_changes_nothing_but_the_time() {
    let mut rng = Rng::new(8);
    for position in positions(&mut rng).into_iter().step_by(3) {
        let rules = Golad { width: position.board.width, height: position.board.height, ..Golad::STANDARD };
        let state = GameState::from(rules, position);
        let all = [
            think(ai1::KEYS, &[("playouts", "40")], &state, 3),
            think(ai2::KEYS, &[("playouts", "40")], &state, 3),
            think(ai2::KEYS, &[("playouts", "40"), ("step", "vectors")], &state, 3),
            think(ai2::KEYS, &[("playouts", "40"), ("step", "vectors")], &state, 4),
        ];
        assert_eq!(all[0], all[1], "AI1 is AI2 but for the time");
        assert_eq!(all[0], all[2]);
        let more = [
            think(ai3::KEYS, &[("playouts", "20")], &state, 3),
            think(ai3::KEYS, &[("playouts", "20"), ("step", "rows")], &state, 3),
            think(ai3::KEYS, &[("playouts", "20"), ("step", "cells")], &state, 3),
        ];
        assert_eq!(more[0], more[1]);
        assert_eq!(more[0], more[2]);
    }
}

#[test]
fn children_are_those_found_until_the_search_must_stop() {
    let mut rng = Rng::new(11);
    let greedy = Greedy { ahead: 3, kill_ahead: 4, balance: Balance::Share, ties: Ties::First };
    let drawn = Sampled { width: 15, all: false, enumerate: 4096, tries: 300, balance: Balance::Difference };
    let sampled = [drawn, Sampled { all: true, ..drawn }, Sampled { enumerate: 0, tries: 100_000, ..drawn }];
    let mut fewer = 0;
    for position in positions(&mut rng) {
        let Position { board, side, .. } = position;
        for asked in [1, 2, 5, 20] {
            let make = |kind: usize, rng: &mut Rng, asked: u32| {
                let (left, mut made) = (std::cell::Cell::new(asked), Vec::new());
                let must_stop = || {
                    left.set(left.get() - 1);
                    left.get() == 0
                };
                let steps = match sampled.get(kind) {
                    Some(sampled) => sampled.make::<Cells>(&board, side, rng, &mut made, &must_stop),
                    None => greedy.make::<Cells>(&board, side, rng, &mut made, &must_stop),
                };
                (steps, made)
            };
            for kind in 0..=sampled.len() {
                let (steps, made) = make(kind, &mut rng, asked);
                // Questions come every 64 generations, but for those of one call.
                assert!(steps < u64::from(asked + 1) * (64 + 64), "{steps} generations, asked {asked} times");
                assert!(!made.is_empty() && made.iter().all(|&m| Golad::STANDARD.is_legal(&position, m)), "{made:?}");
                assert!((1..made.len()).all(|index| !made[..index].contains(&made[index])), "each once: {made:?}");
                fewer += u32::from(make(kind, &mut rng, u32::MAX).0 > steps);
            }
        }
    }
    assert!(fewer > 100, "only {fewer} were stopped");
}

/// A clock that advances by a millisecond at each reading.
#[derive(Default)]
struct TickingClock(std::sync::atomic::AtomicU64);

impl banmen_search::Clock for TickingClock {
    fn now(&self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }
}

#[test]
fn time_limit_ends_a_search_within_a_node() {
    let position = Position::new(start(&Golad::STANDARD, "banmen-1").expect("a start"));
    let state = GameState::from(Golad::STANDARD, position);
    for (keys, pair) in [(ai1::KEYS, ("births", "all")), (ai1::KEYS, ("ahead", "3")), (ai3::KEYS, ("step", "cells"))] {
        let options = Options::new(keys, &[pair]).expect("keys of the table");
        let (mut player, steps) = agent::player(state.game(), &options, 1).expect("sound settings");
        let (clock, stop) = (TickingClock::default(), StopFlag::default());
        let limits = Limits::time(std::time::Duration::from_millis(10));
        let report = player.think(Task {
            state: &state,
            limits,
            clock: &clock,
            stop: &stop,
            threads: 1,
            lines: 1,
            progress: None,
        });
        assert!(report.best().is_some_and(|m| state.game().is_legal(&position, m)));
        assert!(steps.get() < 10 * 2 * 64, "{pair:?}: {} generations", steps.get());
    }
}

#[test]
fn agents_always_find_a_legal_move() {
    let mut rng = Rng::new(9);
    for position in positions(&mut rng) {
        let rules = Golad { width: position.board.width, height: position.board.height, ..Golad::STANDARD };
        // The last turn of a game too.
        for generations in [0, 199] {
            let position = Position { generations, ..position };
            let state = GameState::from(rules, position);
            for keys in [ai2::KEYS, ai3::KEYS] {
                for playouts in ["1", "30"] {
                    let (report, _) = think(keys, &[("playouts", playouts), ("step", "vectors")], &state, 1);
                    let m = report.best().expect("a move");
                    assert!(rules.is_legal(&position, m), "{m:?} in {position:?}");
                    assert!(report.lines.iter().all(|line| (0.0..=1.0).contains(&line.value)));
                }
            }
        }
    }
}

#[test]
fn playouts_keep_the_rules() {
    use super::continuation::{AgentPlayout, Moves, Step, Steps};

    let mut rng = Rng::new(10);
    for position in positions(&mut rng) {
        let rules = Golad { width: position.board.width, height: position.board.height, rounds: 4, ..Golad::STANDARD };
        for (moves, stops) in
            [Moves::Kinds, Moves::Uniform, Moves::Passes].into_iter().flat_map(|moves| [(moves, true), (moves, false)])
        {
            for step in [Step::Cells, Step::Rows, Step::Vectors] {
                let playout = AgentPlayout { step, moves, length: 10, stops, steps: Steps::default() };
                let (mut end, mut made) = (position, Vec::new());
                let result = playout.run(&rules, &mut end, &mut rng, |side, m| made.push((side, m)));
                assert_eq!((result.plies as usize, playout.steps.get()), (made.len(), u64::from(result.plies)));
                let mut replayed = position;
                for &(side, m) in &made {
                    assert_eq!(side, replayed.side);
                    assert!(moves != Moves::Passes || m == Move::Pass);
                    if stops {
                        assert!(rules.is_legal(&replayed, m), "{m:?} in {replayed:?}");
                    }
                    replayed.play(m);
                }
                assert_eq!(end, replayed);
                let outcome = rules.outcome(&end, &());
                if stops {
                    assert_eq!(result.outcome, outcome);
                    assert!(result.outcome.is_some() || result.plies == 10);
                } else {
                    assert_eq!((result.outcome, result.plies), (None, 10));
                }
            }
        }
    }
}

#[test]
fn every_choice_is_taken_and_contradictions_are_refused() {
    let state = GameState::new(Golad::STANDARD);
    for keys in [ai1::KEYS, ai2::KEYS, ai3::KEYS] {
        let make = |pairs: &[(&str, &str)]| {
            let options = Options::new(keys, pairs).expect("keys of the table");
            agent::player(state.game(), &options, 1).map(drop).map_err(|error| error.message)
        };
        assert_eq!(make(&[]), Ok(()));
        for key in keys {
            let Kind::Choice(words) = key.kind else { continue };
            for word in words {
                let pairs = [("selection", "newucb"), ("unvisited", "first"), (key.name, word)];
                let made = if (key.name, *word) == ("selection", "ucb1") { make(&pairs[1..]) } else { make(&pairs) };
                assert_eq!(made, Ok(()), "{}={word}", key.name);
            }
        }
        let refused = make(&[("selection", "ucb1"), ("unvisited", "value")])
            .expect_err("ucb1 has no finite value without visits");
        assert!(refused.contains("unvisited=value needs selection=newucb"), "{refused}");
        assert!(Options::new(keys, &[("epsilon", "0")]).is_err(), "newucb would divide by zero");
        assert!(Options::new(keys, &[("ahead", "0")]).is_err());
    }
}

#[test]
fn every_key_has_an_effect() {
    // A start for what the tree does, the end of a game for how it ends.
    let mut late = Position::new(start(&Golad::STANDARD, "banmen-2").expect("a start"));
    late.generations = 197;
    let mut rng = Rng::new(11);
    let mut middles = vec![GameState::new(Golad::STANDARD), GameState::from(Golad::STANDARD, late)];
    middles.extend(positions(&mut rng).into_iter().skip(1).step_by(5).map(|position| {
        let rules = Golad { width: position.board.width, height: position.board.height, ..Golad::STANDARD };
        GameState::from(rules, position)
    }));
    let greedy = &[("playouts", "60"), ("children", "greedy")][..];
    let sampled = &[("playouts", "60"), ("step", "vectors")][..];
    let newucb = &[("playouts", "60"), ("selection", "newucb"), ("unvisited", "value"), ("step", "vectors")][..];
    let narrow = &[("playouts", "200"), ("width", "2"), ("step", "vectors")][..];
    let few = &[("playouts", "60"), ("enumerate", "0"), ("step", "vectors")][..];
    for (base, key, value) in [
        (sampled, "playouts", "61"),
        (sampled, "children", "greedy"),
        (sampled, "width", "5"),
        (sampled, "selection", "newucb"),
        (sampled, "c", "0.2"),
        (newucb, "epsilon", "0.1"),
        (narrow, "total", "root"),
        (newucb, "unvisited", "first"),
        (newucb, "hope", "1"),
        (sampled, "threshold", "4"),
        (sampled, "order", "listed"),
        (sampled, "playout", "pass"),
        (sampled, "length", "3"),
        (sampled, "kinds", "moves"),
        (sampled, "stops", "off"),
        (sampled, "ends", "share"),
        (sampled, "cut", "majority"),
        (sampled, "gain", "share"),
        (sampled, "births", "all"),
        (sampled, "enumerate", "0"),
        (few, "tries", "20"),
        (greedy, "rank", "difference"),
        (greedy, "ahead", "2"),
        (greedy, "kill-ahead", "1"),
        (greedy, "ties", "random"),
    ] {
        let changed = [base, &[(key, value)]].concat();
        let differs =
            middles.iter().any(|state| think(ai2::KEYS, base, state, 1) != think(ai2::KEYS, &changed, state, 1));
        assert!(differs, "{key}={value} changes nothing");
    }
    // The final choice alone, where much is left to chance: another line first.
    let order = |value| -> Vec<Option<Move>> {
        let keys = [newucb, &[("epsilon", "5"), ("choice", value)]].concat();
        middles.iter().map(|state| think(ai2::KEYS, &keys, state, 1).0.best()).collect()
    };
    assert_ne!(order("visits"), order("mean"));
}
