//! Counts of move sequences from the start to depth 7, and from Fairy-Stockfish's second test position.
//!
//! Rules `catch`: Fairy-Stockfish's `tests/perft.sh` and pyffish 0.0.90; `legal`: Pgx 2.6.0. Depth 8 is in the bench.

use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::notation::parse_position;
use banmen_dobutsu::position::Position;
use banmen_dobutsu::reference::Reference;
use banmen_game::{PassCost, perft};

const START: [(Dobutsu, [u64; 7]); 3] = [
    (Dobutsu::CATCH, [4, 17, 123, 976, 8_122, 71_677, 643_982]),
    (Dobutsu::LEGAL, [4, 13, 67, 398, 2_179, 12_636, 80_828]),
    (Dobutsu::ANY_TRY, [4, 17, 123, 976, 8_122, 70_628, 623_381]),
];

fn count(game: Dobutsu, position: &Position, depth: u32) -> Option<u64> {
    perft(&game, position, depth, PassCost::Ply, &|| false)
}

#[test]
fn counts_are_the_published_ones() {
    for (game, counts) in START {
        for (depth, expected) in (1..).zip(counts) {
            assert_eq!(count(game, &Position::START, depth), Some(expected), "{game:?} {depth}");
        }
    }
}

#[test]
fn a_second_position_counts_as_published() {
    let position = parse_position("g1e/1cL/lC1/E1G[] w - - 0 1").expect("a position");
    for (depth, expected) in (1..).zip([7, 44, 300, 2_290, 19_650, 174_433]) {
        assert_eq!(count(Dobutsu::CATCH, &position, depth), Some(expected), "depth {depth}");
    }
}

#[test]
fn the_rule_sheet_counts_the_same() {
    for (game, counts) in START {
        for (depth, expected) in (1..).zip(&counts[..5]) {
            assert_eq!(Reference::from_position(&Position::START).perft(&game, depth), *expected);
        }
    }
}
