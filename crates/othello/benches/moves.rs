//! Nanoseconds per call of the move generation functions, vectorised and portable.
//!
//! `cargo bench -p banmen-othello --bench moves`. Positions and moves of random games in random order.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::hint::black_box;
use std::time::Instant;

use banmen_othello::moves::{self, portable};
use banmen_othello::position::{Move, Position};

/// One legal move: own discs, opposing discs, square.
type Call = (u64, u64, u32);

fn calls(count: usize) -> Vec<Call> {
    let mut random = 1u64;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize
    };
    let mut calls = Vec::new();
    while calls.len() < 8 * count {
        let mut position = Position::START;
        while !position.is_over() {
            let legal = position.legal();
            let squares: Vec<u32> = (0..64).filter(|square| legal >> square & 1 == 1).collect();
            calls.extend(squares.iter().map(|&square| (position.own(), position.opp(), square)));
            let square = if squares.is_empty() { 64 } else { squares[next() % squares.len()] };
            position.play(Move::at(square).unwrap_or(Move::PASS));
        }
    }
    for i in (1..calls.len()).rev() {
        calls.swap(i, next() % (i + 1));
    }
    calls.truncate(count);
    calls
}

fn main() {
    let calls = calls(16_384);
    let report = |name: &str, run: &dyn Fn(&Call) -> u64| {
        let best = (0..30).map(|_| {
            let begin = Instant::now();
            for call in &calls {
                black_box(run(black_box(call)));
            }
            begin.elapsed()
        });
        let nanoseconds = best.min().unwrap_or_default().as_nanos() as f64 / calls.len() as f64;
        println!("{name:<16} {nanoseconds:>6.2} ns");
    };
    report("legal", &|&(own, opp, _)| moves::legal(own, opp));
    report("legal, portable", &|&(own, opp, _)| portable::legal(own, opp));
    report("flips", &|&(own, opp, square)| moves::flips(own, opp, square));
    report("flips, portable", &|&(own, opp, square)| portable::flips(own, opp, square));
}
