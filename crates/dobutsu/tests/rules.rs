//! Differences between the variants, the third occurrence, and the picture of a position.

use banmen_catalog::{SideName, View};
use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::notation::{parse_move, parse_position};
use banmen_dobutsu::position::Position;
use banmen_game::{Game, GameState, Outcome, Side};

fn outcome(game: Dobutsu, text: &str) -> Option<(Option<Side>, &'static str)> {
    let position = parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    game.outcome(&position, &Default::default()).map(|outcome| (outcome.winner, outcome.by))
}

#[test]
fn a_try_wins_where_the_lion_cannot_be_caught() {
    let (first, second) = (Some(Side::First), Some(Side::Second));
    // Safe: the giraffe on C1 is two squares away.
    let safe = "L1g/3/1l1/3 w 2C2EG 1";
    assert_eq!(outcome(Dobutsu::CATCH, safe), Some((first, "try")));
    assert_eq!(outcome(Dobutsu::ANY_TRY, safe), Some((first, "try")));
    // The giraffe next to the lion may catch it.
    let attacked = "Lg1/3/1l1/3 w 2C2EG 1";
    assert_eq!(outcome(Dobutsu::CATCH, attacked), None);
    assert_eq!(outcome(Dobutsu::ANY_TRY, attacked), Some((first, "try")));
    // A lion that was not caught is safe once nothing attacks it, whichever side is to move.
    assert_eq!(outcome(Dobutsu::CATCH, "L2/1g1/1l1/3 b 2C2EG 1"), Some((first, "try")));
    assert_eq!(outcome(Dobutsu::CATCH, "3/3/1L1/2l b 2C2E2G 1"), None);
    assert_eq!(outcome(Dobutsu::CATCH, "3/1L1/3/2l b 2C2E2G 1"), Some((second, "try")));
    // If both lions have arrived, the side to move's arrived first.
    assert_eq!(outcome(Dobutsu::CATCH, "L2/3/3/2l b 2C2E2G 1"), Some((first, "try")));
    assert_eq!(outcome(Dobutsu::CATCH, "L2/3/3/2l w 2C2E2G 1"), Some((second, "try")));
}

#[test]
fn a_caught_lion_ends_the_game() {
    let mut state = GameState::from(Dobutsu::CATCH, parse_position("1l1/1C1/1L1/3 b C2E2G 1").expect("a position"));
    let m = parse_move(Dobutsu::CATCH, state.position(), "2b2a+").expect("legal");
    state.play(m);
    assert_eq!(state.outcome(), Some(Outcome { winner: Some(Side::First), margin: None, by: "catch" }));
    assert_eq!(format!("{:?}", state.position()), "1+C1/3/1L1/3 w L2G2EC 1");
    assert_eq!(Dobutsu::CATCH.moves(state.position()), []);
}

#[test]
fn mate_ends_the_game_where_the_lion_may_not_be_left() {
    // A lion in the corner, attacked by a giraffe that the other lion guards, and restricted by an elephant.
    let mate = "l2/G1E/L2/3 w 2CEG 1";
    assert_eq!(outcome(Dobutsu::LEGAL, mate), Some((Some(Side::First), "mate")));
    assert_eq!(outcome(Dobutsu::CATCH, mate), None);
}

#[test]
fn the_third_occurrence_is_a_draw() {
    for game in [Dobutsu::CATCH, Dobutsu::LEGAL, Dobutsu::ANY_TRY] {
        let mut state = GameState::new(game);
        for round in 0..2 {
            for text in ["1d1c", "3a3b", "1c1d", "3b3a"] {
                assert_eq!(state.outcome(), None, "{round} {text}");
                let m = parse_move(game, state.position(), text).expect("legal");
                state.play(m);
            }
        }
        assert_eq!(state.position(), &Position::START);
        assert_eq!(state.outcome(), Some(Outcome { winner: None, margin: None, by: "repetition" }));
    }
}

#[test]
fn a_dropped_chick_on_the_far_rank_stays_a_chick() {
    let mut position = parse_position("3/1l1/3/1L1 b 2C2E2G 1").expect("a position");
    position.play(parse_move(Dobutsu::CATCH, &position, "C*3a").expect("legal"));
    assert_eq!(format!("{position:?}"), "C2/1l1/3/1L1 w 2G2EC 1");
    position.play(parse_move(Dobutsu::CATCH, &position, "2b1a").expect("legal"));
    assert!(parse_move(Dobutsu::CATCH, &position, "3a2a").is_err());
}

#[test]
fn the_picture_shows_pieces_hands_and_the_last_move() {
    let mut state = GameState::new(Dobutsu::CATCH);
    state.play(parse_move(Dobutsu::CATCH, state.position(), "2c2b").expect("legal"));
    let board = state.game().board(&state);
    assert_eq!((board.width, board.height, board.cells.len()), (3, 4, 12));
    let cell = |at: &str| board.cells.iter().find(|cell| cell.at == at).expect("a cell");
    assert_eq!((cell("2b").piece, cell("2b").owner), (Some("chick"), Some(SideName::First)));
    assert_eq!((cell("2b").tags.as_slice(), cell("2c").tags.as_slice()), (&["last"][..], &["last"][..]));
    assert_eq!(cell("2a").tags, ["check"]);
    assert_eq!(board.hands, [vec!["chick".to_owned()], vec![]]);
}

#[test]
fn the_entry_names_its_variants() {
    use banmen_catalog::AnyGame;
    let entry = banmen_dobutsu::entry().in_memory();
    assert_eq!(entry.info().rules, ["catch", "legal", "any-try"]);
    for text in entry.bench().positions {
        assert!(entry.state(None, Some(text)).is_ok(), "{text}");
    }
}
