//! The numbering of positions. The example `solve`, which takes a minute, checks the solved table.

use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::Variant;
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::Position;
use banmen_dobutsu::table::{BuildError, Index, SLOTS, build};
use banmen_game::{Game, GameState, Rng, Side};
use std::ops::ControlFlow;

#[test]
fn numbers_and_positions_correspond() {
    let index = Index::new();
    let mut unused = 0;
    for number in (0..SLOTS).step_by(7_919).chain([SLOTS - 1]) {
        let Some(position) = index.stored(number) else {
            unused += 1;
            continue;
        };
        for seen in [position, position.mirrored(), position.turned(), position.turned().mirrored()] {
            assert_eq!(index.slot(&seen).map(|slot| slot.number), Some(number), "{seen:?}");
        }
    }
    assert_eq!(index.stored(SLOTS), None);
    // The mirror preserves 3 of the 21 pairs. Half of their numbers are unused, except those of symmetric positions.
    let share = f64::from(unused) * 7_919.0 / f64::from(SLOTS);
    assert!((0.065..0.077).contains(&share), "{share}");
}

#[test]
fn positions_of_games_have_numbers_where_the_lions_are_apart() {
    let index = Index::new();
    let mut rng = Rng::new(5);
    let mut numbered = 0;
    for _ in 0..500 {
        let mut state = GameState::new(Dobutsu::CATCH);
        while state.outcome().is_none() {
            let position: &Position = state.position();
            if let Some(slot) = index.slot(position) {
                let stored = index.stored(slot.number).expect("a position");
                let seen = [*position, position.mirrored(), position.turned(), position.turned().mirrored()];
                assert!(seen.contains(&stored), "{position:?} and {stored:?}");
                assert_eq!(slot.symmetric, *position == position.mirrored());
                numbered += 1;
            }
            let moves = state.game().moves(position);
            state.play(moves[rng.index(moves.len())]);
        }
    }
    assert!(numbered > 1_000);
}

#[test]
fn what_has_no_table_is_refused_at_once() {
    let go_on = |_| ControlFlow::Continue(());
    assert_eq!(build(Variant::Legal, 1, &go_on).err(), Some(BuildError::Variant(Variant::Legal)));
    assert_eq!(build(Variant::Catch, 1, &|_| ControlFlow::Break(())).err(), Some(BuildError::Stopped));
}

/// The only kind of stored position without a move: six pieces that block each other. This test does not build the
/// table.
#[test]
fn a_side_without_a_move_has_lost() {
    let position = parse_position("GEl/LGE/CC1/3 b - 1").expect("a position");
    let outcome = Dobutsu::CATCH.outcome(&position, &Default::default()).expect("over");
    assert_eq!((outcome.winner, outcome.by), (Some(Side::Second), "stuck"));
    assert!(Index::new().slot(&position).is_some());
}
