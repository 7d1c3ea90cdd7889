//! Compares the fast rules with the reference implementation, square by square.

use banmen_othello::moves::{self, portable};
use banmen_othello::position::{IllegalMove, Move, Position, PositionError, Side, transform, transform_square};
use banmen_othello::reference::Reference;

/// A random number generator for the tests (splitmix64).
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// One of the set bits of `mask`.
    fn pick(&mut self, mut mask: u64) -> u32 {
        for _ in 0..self.next() % u64::from(mask.count_ones()) {
            mask &= mask - 1;
        }
        mask.trailing_zeros()
    }
}

/// Plays a random game and calls `visit` with every position, including the last one.
fn random_game(stream: &mut Stream, mut visit: impl FnMut(&Position)) {
    let mut position = Position::START;
    loop {
        visit(&position);
        if position.is_over() {
            return;
        }
        let m = match position.legal() {
            0 => Move::PASS,
            legal => Move::at(stream.pick(legal)).expect("a square"),
        };
        position.play(m);
    }
}

fn mask(squares: impl IntoIterator<Item = (usize, usize)>) -> u64 {
    squares.into_iter().fold(0, |mask, (row, column)| mask | 1 << (8 * row + column))
}

#[test]
fn random_games_match_the_reference() {
    let mut stream = Stream(1);
    for _ in 0..300 {
        let mut reference = Reference::start();
        random_game(&mut stream, |position| {
            // The reference plays the move that leads to this position.
            if Reference::from_position(position) != reference {
                let before = reference.clone();
                let reached = before.legal(before.side).into_iter().any(|(row, column)| {
                    reference = before.clone();
                    reference.play(row, column);
                    Reference::from_position(position) == reference
                });
                if !reached {
                    assert!(before.legal(before.side).is_empty() && !before.is_over());
                    reference = before;
                    reference.pass();
                    assert_eq!(Reference::from_position(position), reference);
                }
            }
            assert_eq!(position.legal(), mask(reference.legal(reference.side)));
            assert_eq!(position.is_over(), reference.is_over());
            assert_eq!(position.score(), reference.score());
            for square in 0..64 {
                let turned = mask(reference.turned(reference.side, square / 8, square % 8));
                assert_eq!(moves::flips(position.own(), position.opp(), square as u32), turned);
            }
        });
    }
}

/// Tested on reachable positions and on random discs of any density, where runs reach every edge.
#[test]
fn vector_and_portable_code_agree_on_a_million_positions() {
    let mut stream = Stream(2);
    let mut seen = 0;
    let mut check = |own: u64, opp: u64| {
        seen += 1;
        let legal = portable::legal(own, opp);
        assert_eq!(moves::legal(own, opp), legal, "{own:x} {opp:x}");
        for square in 0..64 {
            let flips = portable::flips(own, opp, square);
            assert_eq!(moves::flips(own, opp, square), flips, "{own:x} {opp:x} {square}");
            assert_eq!(flips != 0, legal >> square & 1 == 1, "{own:x} {opp:x} {square}");
        }
    };
    for _ in 0..8_000 {
        random_game(&mut Stream(stream.next()), |position| check(position.own(), position.opp()));
    }
    for round in 0..540_000 {
        let (a, b, c) = (stream.next(), stream.next(), stream.next());
        let occupied = match round % 4 {
            0 => a,
            1 => a | c,
            2 => a & c,
            _ => !(a & c & stream.next()),
        };
        check(occupied & b, occupied & !b);
    }
    assert!(seen >= 1_000_000, "{seen}");
}

/// Random discs have longer runs than positions of games.
#[test]
fn random_discs_match_the_reference() {
    let mut stream = Stream(3);
    for _ in 0..20_000 {
        let (occupied, colour) = (stream.next() | stream.next() | 0x0000_0018_1800_0000, stream.next());
        let position = Position::new(occupied & colour, occupied & !colour, Side::Second).expect("possible");
        let reference = Reference::from_position(&position);
        let mut legal = 0;
        for square in 0..64 {
            let turned = mask(reference.turned(Side::Second, square / 8, square % 8));
            assert_eq!(moves::flips(position.own(), position.opp(), square as u32), turned);
            legal |= u64::from(turned != 0) << square;
        }
        assert_eq!(position.legal(), legal);
    }
}

#[test]
fn rejects_impossible_boards_with_the_square() {
    let start = Position::START;
    let both = Position::new(start.own() | 1 << 27, start.opp(), Side::First);
    assert_eq!(both, Err(PositionError::Overlap { square: 27 }));
    assert_eq!(both.unwrap_err().to_string(), "both sides have a disc on d4");
    let hole = Position::new(start.own() & !(1 << 35), start.opp(), Side::First);
    assert_eq!(hole, Err(PositionError::EmptyCentre { square: 35 }));
    assert_eq!(Position::new(start.own(), start.opp(), Side::First), Ok(start));
    assert!(size_of::<Position>() <= 24);
}

#[test]
fn rejects_illegal_moves_with_the_reason() {
    let start = Position::START;
    let at = |square| Move::at(square).expect("a square");
    assert_eq!(start.check(at(27)), Err(IllegalMove::Occupied { square: 27 }));
    assert_eq!(start.check(at(0)), Err(IllegalMove::TurnsNothing { square: 0 }));
    assert_eq!(start.check(Move::PASS), Err(IllegalMove::PassNotAllowed));
    assert_eq!(start.check(at(19)), Ok(()));
    let wiped_out = Position::new(0x0000_0018_1800_0000, 0, Side::Second).expect("possible");
    assert!(wiped_out.is_over());
    assert_eq!(wiped_out.score(), 64);
    assert_eq!(wiped_out.check(Move::PASS), Err(IllegalMove::GameOver));
    assert_eq!(wiped_out.check(at(0)), Err(IllegalMove::GameOver));
    assert_eq!(Move::at(64), None);
}

#[test]
fn symmetries_commute_with_play() {
    let mut stream = Stream(4);
    for _ in 0..50 {
        random_game(&mut stream, |position| {
            for symmetry in 0..Position::SYMMETRIES {
                let image = position.transform(symmetry);
                assert_eq!(image.legal(), transform(position.legal(), symmetry));
                let mut legal = position.legal();
                while legal != 0 {
                    let square = legal.trailing_zeros();
                    let (mut played, mut image) = (*position, image);
                    played.play(Move::at(square).expect("a square"));
                    image.play(Move::at(transform_square(square, symmetry)).expect("a square"));
                    assert_eq!(played.transform(symmetry), image);
                    legal &= legal - 1;
                }
            }
        });
    }
    // A mask without symmetry has eight different images.
    let images: std::collections::HashSet<u64> = (0..8).map(|symmetry| transform(0b0100_0000_0011, symmetry)).collect();
    assert_eq!(images.len(), 8);
}

#[test]
fn keys_are_distinct_and_uniform() {
    let mut stream = Stream(5);
    let mut positions = std::collections::HashSet::new();
    for _ in 0..4_000 {
        random_game(&mut stream, |position| {
            positions.insert(*position);
        });
    }
    let keys: std::collections::HashSet<u64> = positions.iter().map(Position::key).collect();
    assert_eq!(keys.len(), positions.len());
    // Any ten bits of the key distribute the positions evenly over 1,024 cells: chi-square with 1,023 degrees of
    // freedom has mean 1,023 and deviation 45.
    for shift in [0, 9, 27, 40, 54] {
        let mut cells = [0u32; 1024];
        for key in &keys {
            cells[(key >> shift & 1023) as usize] += 1;
        }
        let mean = keys.len() as f64 / 1024.0;
        let chi: f64 = cells.iter().map(|&count| (f64::from(count) - mean) * (f64::from(count) - mean) / mean).sum();
        assert!((750.0..1300.0).contains(&chi), "bits from {shift}: {chi}");
    }
    let (mut passed, start) = (Position::START, Position::START);
    passed = Position::new(passed.opp(), passed.own(), Side::Second).expect("possible");
    assert_ne!(passed.key(), start.key());
}
