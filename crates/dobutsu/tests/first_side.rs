//! The first side's play from the start without the table. The example `first_side` compares all of it with the table.

use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Data, Error, ErrorCode};
use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::engine::FixedNodes;
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::strategy::{
    Answer, DEEP, Exception, FIRST_SEARCHED, LOOK, Policy, Strategy, StrategyError, Win, short_win,
};
use banmen_game::{Game, GameState, Rng, Side};
use banmen_search::{Clock, Limits, Report, StopFlag};

fn strategy() -> &'static Strategy {
    Strategy::of_the_second_side().expect("this program's own")
}

fn policy() -> &'static Policy {
    Policy::of_the_first_side().expect("this program's own")
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = *position;
    Dobutsu::CATCH.play(&mut next, m);
    next
}

/// The win that the player takes before it asks the policy.
fn own_win(position: &Position) -> Option<Win> {
    strategy().listed(position).or_else(|| short_win(position, FIRST_SEARCHED))
}

fn answer(position: &Position, engine: &mut FixedNodes) -> Answer {
    policy().answer(position, engine).unwrap_or_else(|| panic!("{position:?}"))
}

/// Some of the exceptions, with their positions and moves.
fn some(step: usize) -> impl Iterator<Item = (Exception, Position, Move)> {
    policy().exceptions().iter().step_by(step).map(|&exception| {
        let (position, m) = policy().listed(exception).unwrap_or_else(|| panic!("{exception:?}"));
        (exception, position, m)
    })
}

#[test]
fn each_exception_is_a_position_with_another_move_than_the_engine_s() {
    let mut engine = FixedNodes::default();
    let plain = Policy::open(&Policy::pack(&[])).expect("no exceptions");
    let mut seen = 0;
    for (exception, position, m) in some(601) {
        assert_eq!(position.side(), Side::First);
        assert_eq!(short_win(&position, FIRST_SEARCHED), None, "{position:?} needs no entry");
        let value = if exception.drawn { 0.5 } else { 1.0 };
        assert_eq!(answer(&position, &mut engine), Answer { m, value, plies: None, known: true, nodes: 0 });
        let played = plain.answer(&position, &mut engine).expect("a move");
        assert!(played.m != m && (1..=LOOK + DEEP).contains(&played.nodes), "{position:?}");
        seen += 1;
    }
    assert!(seen > 400, "{seen}");
}

/// A search of many nodes finds nothing else about the listed moves than the list says, and proves a part of it; of the engine's moves
/// in their place it proves some to be errors.
#[test]
fn exceptions_keep_the_value_and_the_engine_s_moves_do_not() {
    const NODES: u64 = 30_000;
    let mut engine = FixedNodes::default();
    let plain = Policy::open(&Policy::pack(&[])).expect("no exceptions");
    let (mut wins, mut errors, mut seen) = (0, 0, 0);
    for (exception, position, m) in some(701) {
        let mut proven = |m: Move| {
            let report = engine.ask(&after(&position, m), NODES);
            report.proven.then(|| 1.0 - report.value())
        };
        let listed = proven(m);
        assert!(listed.is_none_or(|value| value == 1.0 && !exception.drawn), "{position:?} {m:?}: {listed:?}");
        wins += usize::from(listed.is_some());
        let own = plain.answer(&position, &mut FixedNodes::default()).expect("a move").m;
        errors += usize::from(proven(own) == Some(0.0));
        seen += 1;
    }
    assert!(wins > 5 && errors > 5, "{wins} wins and {errors} errors of {seen}");
}

#[test]
fn answers_do_not_depend_on_earlier_questions() {
    let mut rng = Rng::new(3);
    // Positions of games of the first side, so that most of them have no exception.
    let mut positions = Vec::new();
    let mut engine = FixedNodes::default();
    while positions.len() < 300 {
        let mut state = GameState::new(Dobutsu::CATCH);
        while state.outcome().is_none() {
            let m = if state.position().side() == Side::Second {
                let moves = Dobutsu::CATCH.moves(state.position());
                moves[rng.index(moves.len())]
            } else {
                positions.push(*state.position());
                let Some(answer) = policy().answer(state.position(), &mut engine) else { break };
                answer.m
            };
            state.play(m);
        }
    }
    let asked = |order: &[usize]| {
        let mut engine = FixedNodes::default();
        let mut answers = vec![None; positions.len()];
        for &at in order {
            answers[at] = policy().answer(&positions[at], &mut engine);
        }
        answers
    };
    let forward: Vec<usize> = (0..positions.len()).collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    let once = asked(&forward);
    assert_eq!(once, asked(&backward));
    let alone: Vec<_> =
        positions.iter().map(|position| policy().answer(position, &mut FixedNodes::default())).collect();
    assert_eq!(once, alone);
    for (position, answer) in positions.iter().zip(&once) {
        let mirrored = policy().answer(&position.mirrored(), &mut engine);
        let expected = answer.map(|answer| Answer { m: answer.m.mirrored(), ..answer });
        assert!(mirrored == expected || position.mirrored() == *position, "{position:?}");
        assert_eq!(policy().answer(&position.turned(), &mut engine), None, "the second side is to move");
    }
}

#[test]
fn won_positions_are_won_without_a_circle() {
    let mut engine = FixedNodes::default();
    let (mut rng, mut longest) = (Rng::new(5), 0);
    for (exception, position, _) in some(1201).filter(|(exception, ..)| !exception.drawn) {
        let mut state = GameState::from(Dobutsu::CATCH, position);
        while state.outcome().is_none() {
            let position = *state.position();
            assert_eq!(state.history().count(&position), 0, "{exception:?}");
            let m = match (position.side(), own_win(&position)) {
                (Side::First, Some(win)) => win.m,
                (Side::First, None) => answer(&position, &mut engine).m,
                // The second side defends itself, now and then at random.
                (Side::Second, _) if rng.index(4) > 0 => engine.ask(&position, 200).best().expect("a move"),
                (Side::Second, _) => {
                    let moves = Dobutsu::CATCH.moves(&position);
                    moves[rng.index(moves.len())]
                }
            };
            state.play(m);
        }
        assert_eq!(state.outcome().and_then(|outcome| outcome.winner), Some(Side::First), "{exception:?}");
        longest = longest.max(state.moves().len());
    }
    assert!(longest > 20, "{longest}");
}

#[test]
fn damaged_bytes_are_refused_with_the_reason() {
    let mut bytes = Policy::bytes().to_vec();
    assert!(bytes.len() <= 500_000, "{} bytes", bytes.len());
    let count = Policy::open(&bytes).map(|policy| policy.exceptions().len());
    assert_eq!(count, Ok(EXCEPTIONS));
    assert!(Policy::pack(policy().exceptions()) == bytes);
    let refused = |bytes: &[u8]| Policy::open(bytes).err();
    for length in [0, 8, 23] {
        assert_eq!(refused(&bytes[..length]), Some(StrategyError::Signature), "{length}");
    }
    assert_eq!(refused(Strategy::bytes()), Some(StrategyError::Signature));
    for length in [24, 1000, bytes.len() - 1] {
        assert_eq!(refused(&bytes[..length]), Some(StrategyError::Damaged), "{length}");
    }
    for (at, why) in [
        (0, StrategyError::Signature),
        (8, StrategyError::Version),
        (10, StrategyError::Version),
        (12, StrategyError::Damaged),
        (16, StrategyError::Damaged),
        (24, StrategyError::Damaged),
        (bytes.len() - 1, StrategyError::Damaged),
    ] {
        bytes[at] ^= 1;
        assert_eq!(refused(&bytes), Some(why), "{at}");
        bytes[at] ^= 1;
    }
    // A byte too few, one too many, no kind of move, and a number that no position has.
    for (count, plain) in [(1, &[0][..]), (1, &[0, 0, 0]), (1, &[0, 128]), (1, &[255, 255, 255, 255, 15, 0])] {
        assert_eq!(refused(&Policy::file(count, plain)), Some(StrategyError::Contents), "{plain:?}");
    }
    let one = Exception { number: 200, place: 3, drawn: true };
    assert_eq!(Policy::open(&Policy::file(1, &[200, 1, 67])).map(|policy| policy.exceptions().to_vec()), Ok(vec![one]));
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The answer of the player `perfect` to a position of a game whose table is missing.
fn ask(player: &mut dyn AnyPlayer, state: &dyn AnyState, nodes: u64) -> Result<Report<u32>, Error> {
    let (stop, limits) = (StopFlag::default(), Limits::nodes(nodes));
    player.think(AnyTask { state, limits, clock: &Still, stop: &stop, threads: 1, lines: 3, progress: None })
}

#[test]
fn the_perfect_player_keeps_as_the_first_side_what_it_was_given() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let mut rng = Rng::new(17);
    let (mut wins, mut kept) = (0, 0);
    for rules in [None, Some("legal")] {
        for seed in 0..30 {
            let mut player = game.partial_player(rules, "perfect", seed).expect("a player without a table");
            let mut state = game.state(rules, None).expect("the start");
            // The least score that is certain.
            let mut least = 0.0;
            while state.outcome().is_none() {
                let m = if state.side_to_move() == Side::Second {
                    let legal = state.legal();
                    legal[rng.index(legal.len())]
                } else {
                    let report = ask(player.as_mut(), state.as_ref(), 50).expect("its own game");
                    let line = &report.lines[0];
                    assert!(line.eval.is_none_or(|eval| report.depth == eval.n.abs() as u32), "{line:?}");
                    if report.proven {
                        assert!(line.value >= least, "{} after {least}", line.value);
                        least = line.value;
                    }
                    report.best().expect("a move")
                };
                state.play(m).expect("legal");
            }
            let winner = state.outcome().and_then(|outcome| outcome.winner);
            assert!(least == 0.0 || winner != Some(Side::Second));
            if least == 1.0 {
                assert_eq!(winner, Some(Side::First));
                kept += 1;
            }
            wins += usize::from(winner == Some(Side::First));
        }
    }
    assert!(kept > 50 && wins >= kept, "{kept} of {wins} wins");
}

#[test]
fn the_perfect_player_knows_when_it_may_play_the_first_side() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let mut player = game.partial_player(None, "perfect", 1).expect("a player");
    let mut asked = |moves: &[u32]| {
        let mut state = game.state(None, None).expect("the start");
        moves.iter().for_each(|&m| state.play(m).expect("legal"));
        ask(player.as_mut(), state.as_ref(), 50).map(|report| report.best().expect("a move"))
    };
    // The start is lost in 78 plies at most; its own way there is known.
    let mut moves = vec![asked(&[]).expect("its own game")];
    let state = |moves: &[u32]| {
        let mut state = game.state(None, None).expect("the start");
        moves.iter().for_each(|&m| state.play(m).expect("legal"));
        state
    };
    let report = ask(game.partial_player(None, "perfect", 2).expect("a player").as_mut(), state(&[]).as_ref(), 100_000);
    let report = report.expect("its own game");
    let eval = report.eval().expect("plies").n;
    assert!(report.proven && report.value() == 0.0 && (-78.0..=-76.0).contains(&eval), "{eval}");
    assert!(report.lines[0].moves.len() > 30);
    let mut rng = Rng::new(8);
    let mut elsewhere = 0;
    while moves.len() < 12 {
        let legal = state(&moves).legal();
        moves.push(legal[rng.index(legal.len())]);
        if state(&moves).outcome().is_some() {
            break;
        }
        let own = asked(&moves).expect("its own game");
        // After another move of its side it does not know the game.
        for other in state(&moves).legal() {
            let mut line = moves.clone();
            line.push(other);
            if other == own || state(&line).outcome().is_some() {
                continue;
            }
            let reply = state(&line).legal()[0];
            line.push(reply);
            if state(&line).outcome().is_none()
                && let Err(error) = asked(&line)
            {
                assert_eq!(error.code, ErrorCode::TableMissing);
                elsewhere += 1;
            }
        }
        moves.push(own);
    }
    assert!(elsewhere > 10, "{elsewhere}");
}

#[test]
fn the_perfect_player_continues_its_own_game_after_a_repetition() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let mut rng = Rng::new(9);
    let mut repeated = 0;
    for seed in 0..40 {
        let mut player = game.partial_player(None, "perfect", seed).expect("a player");
        let mut state = game.state(None, None).expect("the start");
        let mut seen = Vec::new();
        while state.outcome().is_none() {
            let m = if state.side_to_move() == Side::First {
                ask(player.as_mut(), state.as_ref(), 50).expect("its own game").best().expect("a move")
            } else {
                // Back to a position that was there before, where there is such a move.
                let legal = state.legal();
                let known = legal.iter().copied().find(|&m| {
                    let mut next = state.copy();
                    next.play(m).is_ok() && seen.contains(&next.key())
                });
                repeated += usize::from(known.is_some());
                known.unwrap_or_else(|| legal[rng.index(legal.len())])
            };
            state.play(m).expect("legal");
            seen.push(state.key());
        }
    }
    assert!(repeated > 5, "{repeated}");
}

const EXCEPTIONS: usize = 257_972;
