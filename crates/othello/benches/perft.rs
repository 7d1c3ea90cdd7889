//! Leaves per second of CPU time, by kernel and board.
//!
//! `cargo bench -p banmen-othello --bench perft -- [depth]`, by default depth 11. To compare with other
//! programs use `played`, which plays every move; the others count the last ply without playing it.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::time::Instant;

use banmen_othello::board::{Bits, Board};
use banmen_othello::lines::Lines;
use banmen_othello::perft::{PassCost, perft, perft_on, perft_portable};
use banmen_othello::position::{Move, Position};

/// Nanoseconds of CPU time of this thread where the system reports it (Linux), else of wall time.
fn cpu_nanoseconds(begin: Instant) -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let text = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
    text.unwrap_or_else(|| begin.elapsed().as_nanos() as u64)
}

/// Plays every move up to the last ply, including passes.
fn played(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut legal = position.legal();
    if legal == 0 {
        if position.is_over() {
            return 1;
        }
        let mut next = *position;
        next.play(Move::PASS);
        return played(&next, depth - 1);
    }
    let mut total = 0;
    while let Some(m) = Move::at(legal.trailing_zeros()) {
        let mut next = *position;
        next.play(m);
        total += played(&next, depth - 1);
        legal &= legal - 1;
    }
    total
}

fn main() {
    let depth: u32 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(11);
    let start = Position::START;
    let never = || false;
    let count = |count: Option<u64>| count.unwrap_or(0);
    let report = |name: &str, depth: u32, run: &dyn Fn() -> u64| {
        let clock = Instant::now();
        let best = (0..3).map(|_| {
            let begin = cpu_nanoseconds(clock);
            let leaves = std::hint::black_box(run());
            (cpu_nanoseconds(clock) - begin, leaves)
        });
        let (nanoseconds, leaves) = best.min().unwrap_or((1, 0));
        let rate = leaves as f64 * 1e3 / nanoseconds.max(1) as f64;
        println!(
            "{name:<22} depth {depth:>2} {leaves:>16} leaves {:>9.3} ms {rate:>8.0} M/s",
            nanoseconds as f64 / 1e6
        );
    };
    let (own, opp) = (start.own(), start.opp());
    report("perft", depth, &|| count(perft(&start, depth, PassCost::Ply, &never)));
    report("perft, passes free", depth, &|| count(perft(&start, depth, PassCost::Free, &never)));
    report("perft, portable", depth, &|| count(perft_portable(&start, depth, PassCost::Ply, &never)));
    report("depth first, words", depth, &|| perft_on(&Bits::from_discs(own, opp), depth, PassCost::Ply));
    report("depth first, lines", depth - 1, &|| perft_on(&Lines::from_discs(own, opp), depth - 1, PassCost::Ply));
    report("played", depth, &|| played(&start, depth));
}
