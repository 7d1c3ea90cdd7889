//! Makes the opening book of Othello's engine, `src/book/book.bin`.
//!
//! `cargo run --release -p banmen-othello --example othello_book -- FILE [POSITIONS [DEPTH]]` expands so many positions, best
//! first, with searches of DEPTH plies, and writes the book; by default those of the book in this repository. Progress is
//! written to standard error. The result depends only on the weights in the build.

#![allow(clippy::print_stderr, clippy::disallowed_methods, reason = "an example prints its progress and writes a file")]

use banmen_catalog::CpuClock;
use banmen_othello::book::Growth;
use banmen_search::{Budget, Limits, StopFlag};

/// Positions to expand.
const POSITIONS: usize = 1200;
/// Plies of the searches.
const DEPTH: u32 = 14;
/// Bytes of the table of the searches.
const TABLE: usize = 1 << 24;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("the file to write is missing")?;
    let positions: usize = arguments.next().map_or(Ok(POSITIONS), |text| text.parse())?;
    let depth: u32 = arguments.next().map_or(Ok(DEPTH), |text| text.parse())?;
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    let mut growth = Growth::new(depth, TABLE);
    while growth.expanded() < positions && growth.grow(&mut budget) {
        let expanded = growth.expanded();
        if expanded.is_multiple_of(100) || expanded == positions {
            let (value, time) = (f64::from(growth.value()) / 100.0, budget.elapsed().as_secs_f64());
            eprintln!(
                "{expanded} positions, value {value:+.2}, {} M nodes, {time:.0} CPU-s",
                budget.count() / 1_000_000
            );
            std::fs::write(&file, growth.book().to_bytes())?;
        }
    }
    let bytes = growth.book().to_bytes();
    eprintln!("{} bytes", bytes.len());
    std::fs::write(&file, bytes)?;
    Ok(())
}
