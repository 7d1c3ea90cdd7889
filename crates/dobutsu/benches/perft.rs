//! Leaves per second of CPU time, counted in bulk at the last ply, and the published counts at depth 8.
//!
//! `cargo bench -p banmen-dobutsu --bench perft -- [depth]`; the default depth is 8.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::time::Instant;

use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::{Game, PassCost, perft};

/// Nanoseconds of CPU time of this thread on Linux, of wall-clock time elsewhere.
fn cpu_nanoseconds(begin: Instant) -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let text = text.and_then(|text| text.split_whitespace().next()?.parse().ok());
    text.unwrap_or_else(|| begin.elapsed().as_nanos() as u64)
}

fn main() {
    let depth: u32 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(8);
    let clock = Instant::now();
    for (variant, at_8) in Variant::ALL.into_iter().zip([5_866_031, 503_419, 5_580_272]) {
        let game = Dobutsu { variant };
        let count = || perft(&game, &game.start(), depth, PassCost::Ply, &|| false).unwrap_or(0);
        // The system counts CPU time in steps of some milliseconds, so short counts are repeated.
        let repeats = 50_000_000 / count().max(1) + 1;
        let best = (0..3).map(|_| {
            let begin = cpu_nanoseconds(clock);
            let leaves = (0..repeats).map(|_| std::hint::black_box(count())).max().unwrap_or(0);
            ((cpu_nanoseconds(clock) - begin) / repeats, leaves)
        });
        let (nanoseconds, leaves) = best.min().unwrap_or((1, 0));
        let rate = leaves as f64 * 1e3 / nanoseconds.max(1) as f64;
        let name = variant.name();
        println!("{name:<8} depth {depth} {leaves:>12} leaves {:>9.3} ms {rate:>6.0} M/s", nanoseconds as f64 / 1e6);
        assert!(depth != 8 || leaves == at_8, "{name}: {at_8} are published");
    }
}
