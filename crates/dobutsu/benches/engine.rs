//! Nodes and evaluations per second of CPU time, and the depth that the engine reaches with a million nodes.
//!
//! `cargo bench -p banmen-dobutsu --bench engine`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use banmen_catalog::{CpuClock, Options};
use banmen_dobutsu::Dobutsu;
use banmen_dobutsu::engine::{Engine, Evaluation, KEYS};
use banmen_dobutsu::notation::parse_position;
use banmen_game::GameState;
use banmen_search::{Clock, Limits, Player, StopFlag, Task};

const POSITIONS: &[&str] =
    &["gle/1c1/1C1/ELG b - 1", "gle/1C1/3/ELG w C 1", "1le/g2/1E1/1LG w 2C 1", "2c/l1e/1G1/eL+C b g 1"];

fn main() {
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    for text in POSITIONS {
        let Ok(position) = parse_position(text) else { continue };
        let state = GameState::from(Dobutsu::CATCH, position);
        let Ok(options) = Options::new(KEYS, &[]) else { continue };
        let limits = Limits::nodes(1_000_000);
        let task = Task { state: &state, limits, clock: &clock, stop: &stop, threads: 1, lines: 1, progress: None };
        let report = Engine::new(&options, 1).think(task);
        let rate = report.nodes as f64 / report.time.as_secs_f64() / 1e6;
        println!("{text:<24} depth {:>3} {:>9} nodes {rate:>6.2} M/s", report.depth, report.nodes);

        let evaluation = Evaluation::get();
        let (begin, count) = (clock.now(), 10_000_000u32);
        let sum: i64 = (0..count).map(|_| i64::from(evaluation.value(std::hint::black_box(&position)))).sum();
        std::hint::black_box(sum);
        println!("{:<24} {:.1} ns an evaluation", "", (clock.now() - begin).as_secs_f64() * 1e9 / f64::from(count));
    }
}
