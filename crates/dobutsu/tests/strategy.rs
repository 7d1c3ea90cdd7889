//! The second side's win from the start without the table, against every reply. The example `solve` compares it with the table.

use std::collections::HashMap;
use std::time::Duration;

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Data, Error, ErrorCode};
use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::{Move, Position};
use banmen_dobutsu::strategy::{SEARCHED, Strategy, StrategyError, Win, short_win};
use banmen_game::{Game, Rng, Side};
use banmen_search::{Clock, Limits, Report, StopFlag};

fn strategy() -> &'static Strategy {
    Strategy::of_the_second_side().expect("this program's own")
}

fn after(position: &Position, m: Move) -> Position {
    let mut next = *position;
    Dobutsu::CATCH.play(&mut next, m);
    next
}

/// The key of a position and of its mirror image.
fn key(position: &Position) -> u64 {
    Dobutsu::CATCH.key(position).min(Dobutsu::CATCH.key(&position.mirrored()))
}

/// All lines in which the second side plays the strategy: every reply leads to a position that the strategy wins in fewer
/// plies, so each line ends with a win, as late as the strategy says.
#[test]
fn wins_from_the_start_against_every_reply() {
    let strategy = strategy();
    let mut known: HashMap<u64, Win> = HashMap::new();
    let mut listed = 0;
    let mut waiting = vec![(Position::START, 78)];
    while let Some((position, plies)) = waiting.pop() {
        let mut longest = 0;
        for m in Dobutsu::CATCH.moves(&position) {
            let next = after(&position, m);
            let met = known.get(&key(&next)).copied();
            let win = met.unwrap_or_else(|| strategy.win(&next).unwrap_or_else(|| panic!("{next:?} is not won")));
            longest = longest.max(win.plies + 1);
            if met.is_some() {
                continue;
            }
            known.insert(key(&next), win);
            // A search that wins in so many plies has tried every reply.
            if win.plies > SEARCHED {
                listed += 1;
                assert!(Dobutsu::CATCH.is_legal(&next, win.m), "{next:?}");
                waiting.push((after(&next, win.m), win.plies - 1));
            }
        }
        assert_eq!(longest, plies, "{position:?}");
    }
    assert_eq!((listed, strategy.len()), (ENTRIES, ENTRIES), "each entry is needed");
    assert!(known.len() > 2 * ENTRIES, "{}", known.len());
}

const ENTRIES: usize = 39_576;

#[test]
fn entries_serve_both_sides_and_mirror_images() {
    for position in strategy().positions().step_by(997) {
        let win = strategy().listed(&position).expect("an entry");
        assert_eq!(position.side(), Side::Second);
        assert!(win.plies > SEARCHED && win.plies % 2 == 1);
        for seen in [position.mirrored(), position.turned(), position.turned().mirrored()] {
            let same = strategy().listed(&seen).expect("an entry");
            assert_eq!(same.plies, win.plies);
            assert!(Dobutsu::CATCH.is_legal(&seen, same.m));
            let reached = key(&after(&seen, same.m));
            let expected = [after(&position, win.m), after(&position, win.m).turned()].map(|next| key(&next));
            // A position that is its own mirror image may be left by either of two moves.
            assert!(expected.contains(&reached), "{position:?}");
        }
    }
}

#[test]
fn short_wins_are_those_of_the_table() {
    let mut seen = [0; 2];
    for line in include_str!("data/values.txt").lines() {
        let (text, value) = line.split_once(": ").expect("a position and its value");
        let (end, plies) = value.split_once(' ').unwrap_or((value, "0"));
        let (position, plies): (_, u32) = (parse_position(text).expect("a position"), plies.parse().expect("plies"));
        let expected = (end == "win" && (1..=5).contains(&plies)).then_some(plies);
        if position.side() == Side::First {
            assert_eq!(short_win(&position, 5).map(|win| win.plies), expected, "{text}");
            seen[usize::from(expected.is_some())] += 1;
        }
    }
    assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
}

#[test]
fn damaged_bytes_are_refused_with_the_reason() {
    let mut bytes = Strategy::bytes().to_vec();
    assert!(bytes.len() <= 160_000, "{} bytes", bytes.len());
    assert_eq!(Strategy::open(&bytes).map(|strategy| strategy.len()), Ok(ENTRIES));
    let refused = |bytes: &[u8]| Strategy::open(bytes).err();
    for length in [0, 8, 23] {
        assert_eq!(refused(&bytes[..length]), Some(StrategyError::Signature), "{length}");
    }
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
    bytes.push(0);
    assert_eq!(refused(&bytes), Some(StrategyError::Damaged));
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// The answer of the player `perfect` to a position of a game whose table is missing.
fn ask(player: &mut dyn AnyPlayer, state: &dyn AnyState, nodes: u64) -> Result<Report<u32>, Error> {
    let stop = StopFlag::default();
    player.think(AnyTask {
        state,
        limits: Limits::nodes(nodes),
        clock: &Still,
        stop: &stop,
        threads: 1,
        lines: 3,
        progress: None,
    })
}

#[test]
fn the_perfect_player_wins_as_the_second_side_without_its_table() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let mut rng = Rng::new(16);
    for rules in [None, Some("legal")] {
        for seed in 0..40 {
            let mut player = game.partial_player(rules, "perfect", seed).expect("a player without a table");
            let mut state = game.state(rules, None).expect("the start");
            let mut left = 78;
            while state.outcome().is_none() {
                let legal = state.legal();
                let m = if state.side_to_move() == Side::First {
                    legal[rng.index(legal.len())]
                } else {
                    let report = ask(player.as_mut(), state.as_ref(), 50).expect("a known position");
                    assert!(report.proven && report.value() == 1.0, "{report:?}");
                    match report.eval() {
                        Some(eval) => {
                            assert!(eval.n < left.into(), "{eval:?} of {left}");
                            assert!(report.lines[0].moves.len() <= report.depth as usize);
                            left = report.depth;
                        }
                        // The distances are those of `catch`.
                        None => assert!(rules == Some("legal") && state.moves().len() < 78),
                    }
                    report.best().expect("a move")
                };
                state.play(m).expect("legal");
            }
            assert_eq!(state.outcome().and_then(|outcome| outcome.winner), Some(Side::Second));
        }
    }
}

#[test]
fn the_perfect_player_shows_the_longest_resistance() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let mut player = game.partial_player(None, "perfect", 1).expect("a player");
    let mut state = game.state(None, None).expect("the start");
    state.play_texts(&["2d3c"]).expect("legal");
    let report = ask(player.as_mut(), state.as_ref(), 100_000).expect("a known position");
    assert_eq!((report.depth, report.lines[0].moves.len()), (77, 40));
    // Both sides play as well as they can: each move is one ply nearer to the end.
    for (&m, left) in report.lines[0].moves.iter().zip((1..=77).rev()) {
        if left % 2 == 1 {
            assert_eq!(ask(player.as_mut(), state.as_ref(), 1).expect("a known position").depth, left);
        }
        state.play(m).expect("legal");
    }
}

#[test]
fn the_perfect_player_says_that_it_lacks_the_table() {
    let game = banmen_dobutsu::entry().build(&Data::in_memory());
    let refused = |rules: Option<&str>, moves: &[&str]| {
        let mut state = game.state(rules, None).expect("the start");
        state.play_texts(moves).expect("legal");
        let mut player = game.partial_player(rules, "perfect", 1)?;
        ask(player.as_mut(), state.as_ref(), 1)
    };
    // The first side has not played its own moves, and after a bad move of the second side the game is another.
    let back_and_forth = ["2d3c", "3a3b", "3c2d", "3b3a", "2d3c"];
    for moves in [&back_and_forth[..2], &back_and_forth[..4], &back_and_forth] {
        let error = refused(None, moves).expect_err("the table is missing");
        assert_eq!(error.code, ErrorCode::TableMissing);
        let message = "the table dobutsu-catch has not been built, and the player needs it in this position";
        assert_eq!(error.message, message);
        assert!(error.args["game"] == "dobutsu" && error.args.get("rules").is_none(), "{error:?}");
    }
    assert!(refused(None, &["2c2b"]).is_ok());
    // As a player of whole games it is refused at once.
    let error = game.player(None, "perfect", 1).err().expect("the table is missing");
    let said = (error.code, error.message.as_str());
    assert_eq!(said, (ErrorCode::TableMissing, "the table dobutsu-catch has not been built"));
    let error = refused(Some("any-try"), &["2c2b"]).expect_err("the table is missing");
    assert_eq!((error.code, error.args["rules"].as_str()), (ErrorCode::TableMissing, Some("any-try")));
}
