//! Compares the published player's board of lines with bitboards.

use banmen_othello::board::{Bits, Board};
use banmen_othello::lines::Lines;
use banmen_othello::perft::{PassCost, perft_on};
use banmen_othello::position::Position;

fn agree(bits: &Bits, lines: &Lines) {
    assert_eq!(lines.discs(), bits.discs());
    assert_eq!(lines.legal(), bits.legal(), "{bits:x?}");
    assert_eq!(lines.counts(), bits.counts());
    assert_eq!(lines.reversed().discs(), bits.reversed().discs());
    for squares in [[0, 1, 2], [7, 14, 21], [63, 55, 47], [56, 49, 42], [3, 60, 33]] {
        assert_eq!(lines.pattern(squares), bits.pattern(squares));
    }
}

#[test]
fn lines_match_bitboards_in_random_games() {
    let mut random = 3u64;
    for _ in 0..1_000 {
        let (own, opp) = (Position::START.own(), Position::START.opp());
        let (mut bits, mut lines) = (Bits::from_discs(own, opp), Lines::from_discs(own, opp));
        loop {
            agree(&bits, &lines);
            let mut legal = bits.legal();
            if legal == 0 {
                (bits, lines) = (bits.reversed(), lines.reversed());
                legal = bits.legal();
                if legal == 0 {
                    break;
                }
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = (random >> 33) as u32 % legal.count_ones();
            while legal != 0 {
                let square = legal.trailing_zeros();
                assert_eq!(lines.played(square).discs(), bits.played(square).discs());
                legal &= legal - 1;
            }
            let mut legal = bits.legal();
            for _ in 0..choice {
                legal &= legal - 1;
            }
            (bits, lines) = (bits.after(legal.trailing_zeros()), lines.after(legal.trailing_zeros()));
            // Lines updated move by move equal those of a board made from the discs.
            assert_eq!(lines, Lines::from_discs(bits.discs().0, bits.discs().1));
        }
    }
}

/// Random discs of any density: runs up to the edges, and full diagonals.
#[test]
fn lines_match_bitboards_on_random_discs() {
    let mut random = 11u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random ^ random >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    for _ in 0..100_000 {
        let (occupied, colour) = (next() | next(), next());
        let (own, opp) = (occupied & colour, occupied & !colour);
        agree(&Bits::from_discs(own, opp), &Lines::from_discs(own, opp));
    }
}

#[test]
fn lines_match_published_perft_counts() {
    let board = Lines::from_discs(Position::START.own(), Position::START.opp());
    assert_eq!(perft_on(&board, 8, PassCost::Ply), 390_216);
    assert_eq!(perft_on(&board, 9, PassCost::Ply), 3_005_288);
    assert_eq!(perft_on(&board, 9, PassCost::Free), 3_005_320);
}
