//! Published perft counts, with both conventions for passes, on every kernel and board.

use banmen_othello::board::{Bits, Board};
use banmen_othello::perft::{PassCost, perft, perft_on, perft_portable};
use banmen_othello::position::{Position, Side};
use banmen_othello::reference::Reference;

/// Depth, count with a pass as a ply, count with a free pass. Source: Egaroucid's technology page.
const START: [(u32, u64, u64); 11] = [
    (1, 4, 4),
    (2, 12, 12),
    (3, 56, 56),
    (4, 244, 244),
    (5, 1_396, 1_396),
    (6, 8_200, 8_200),
    (7, 55_092, 55_092),
    (8, 390_216, 390_216),
    (9, 3_005_288, 3_005_320),
    (10, 24_571_284, 24_571_420),
    (11, 212_258_800, 212_260_880),
];

const ON: &dyn Fn() -> bool = &|| false;

#[test]
fn perft_matches_published_counts() {
    for (depth, ply, free) in START {
        assert_eq!(perft(&Position::START, depth, PassCost::Ply, ON), Some(ply), "depth {depth}");
        assert_eq!(perft(&Position::START, depth, PassCost::Free, ON), Some(free), "depth {depth}");
    }
    assert_eq!(perft(&Position::START, 0, PassCost::Ply, ON), Some(1));
}

#[test]
fn portable_perft_matches_published_counts() {
    for (depth, ply, free) in START {
        assert_eq!(perft_portable(&Position::START, depth, PassCost::Ply, ON), Some(ply), "depth {depth}");
        assert_eq!(perft_portable(&Position::START, depth, PassCost::Free, ON), Some(free), "depth {depth}");
    }
}

#[test]
fn depth_first_perft_matches_published_counts() {
    let board = Bits::from_discs(Position::START.own(), Position::START.opp());
    for (depth, ply, free) in &START[..9] {
        assert_eq!(perft_on(&board, *depth, PassCost::Ply), *ply);
        assert_eq!(perft_on(&board, *depth, PassCost::Free), *free);
    }
}

#[test]
fn reference_perft_matches() {
    for (depth, ply, _) in &START[..6] {
        assert_eq!(Reference::start().perft(*depth), *ply);
    }
}

/// Late positions with many passes and finished games, to depths beyond the end of the game.
#[test]
fn perft_of_endings_matches_depth_first_perft() {
    let mut random = 7u64;
    for _ in 0..40 {
        let mut position = Position::START;
        while position.empties().count_ones() > 9 && !position.is_over() {
            let mut legal = position.legal();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let m = match legal.count_ones() {
                0 => banmen_othello::position::Move::PASS,
                count => {
                    for _ in 0..(random >> 33) as u32 % count {
                        legal &= legal - 1;
                    }
                    banmen_othello::position::Move::at(legal.trailing_zeros()).expect("a square")
                }
            };
            position.play(m);
        }
        let board = Bits::from_discs(position.own(), position.opp());
        for depth in [1, 2, 3, 5, 7, 14, 1_000_000] {
            for passes in [PassCost::Ply, PassCost::Free] {
                let expected = Some(perft_on(&board, depth, passes));
                assert_eq!(perft(&position, depth, passes, ON), expected, "{position} {depth}");
                assert_eq!(perft_portable(&position, depth, passes, ON), expected, "{position} {depth}");
            }
        }
    }
}

#[test]
fn finished_game_is_one_leaf() {
    let over = Position::new(0x0000_0018_1800_0000, 0, Side::First).expect("possible");
    for depth in 0..5 {
        assert_eq!(perft(&over, depth, PassCost::Ply, ON), Some(1));
        assert_eq!(perft(&over, depth, PassCost::Free, ON), Some(1));
    }
}

#[test]
fn perft_stops_when_asked() {
    assert_eq!(perft(&Position::START, 15, PassCost::Ply, &|| true), None);
    let asked = std::cell::Cell::new(0);
    let after_ten = || asked.replace(asked.get() + 1) >= 10;
    assert_eq!(perft(&Position::START, 15, PassCost::Free, &after_ten), None);
    assert_eq!(asked.get(), 11);
}

/// No game is as long as this depth, so the last ply is never reached.
#[test]
fn perft_beyond_the_end_of_all_games_stops_when_asked() {
    let mut position = Position::START;
    while position.empties().count_ones() > 12 {
        let legal = position.legal();
        let m = match legal {
            0 => banmen_othello::position::Move::PASS,
            _ => banmen_othello::position::Move::at(legal.trailing_zeros()).expect("a square"),
        };
        position.play(m);
    }
    for passes in [PassCost::Ply, PassCost::Free] {
        assert!(perft(&position, 99, passes, ON) > Some(100_000));
        assert_eq!(perft(&position, 99, passes, &|| true), None);
        assert_eq!(perft_portable(&position, 99, passes, &|| true), None);
    }
}
