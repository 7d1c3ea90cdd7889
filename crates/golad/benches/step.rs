//! Nanoseconds a generation: `cargo bench -p banmen-golad`.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::hint::black_box;
use std::time::Instant;

use banmen_game::Side;
use banmen_golad::reference::Naive;
use banmen_golad::step::{step_all, step_plain, step_times};
use banmen_golad::{Board, Golad, Wide, start, step_avx2};

/// The least of many readings: other work on the machine only ever adds.
fn least(readings: u32, generations: u32, mut run: impl FnMut()) -> f64 {
    let one = |_| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64() * 1e9 / f64::from(generations)
    };
    (0..readings).map(one).fold(f64::INFINITY, f64::min)
}

fn main() {
    let board = start(&Golad::STANDARD, "banmen-1").expect("a start");
    let chain = |name: &str, run: &dyn Fn(&mut Board, u32)| {
        let ns = least(400, 1_000, || {
            let mut board = board;
            run(&mut board, 1_000);
            black_box(board);
        });
        println!("{name:32} {ns:8.1} ns");
    };
    let mut naive = Naive::of(&board);
    let ns = least(20, 10, || (0..10).for_each(|_| naive = naive.step()));
    println!("{:32} {ns:8.1} ns", "reference, cell by cell");
    chain("plain rows, in a chain", &|board, times| (0..times).for_each(|_| step_plain(board)));
    chain("AVX2, in a chain", &|board, times| {
        step_avx2(board, times).unwrap_or_else(|| println!("(no AVX2 here)"));
    });
    chain("best of this machine, in a chain", &step_times);
    let mut boards = [board; 64];
    let ns = least(400, 64 * 16, || (0..16).for_each(|_| step_all(black_box(&mut boards))));
    println!("{:32} {ns:8.1} ns", "best of this machine, in batch");
    let mut wide = Wide::new();
    for generations in [1, 2] {
        let ns = least(40, 1, || wide.rank(black_box(&board), Side::First, generations));
        println!("{} moves after {generations}, best     {:8.2} ms", wide.len(), ns / 1e6);
        let ns = least(20, 1, || wide.rank_avx2(black_box(&board), Side::First, generations));
        println!("{} moves after {generations}, AVX2     {:8.2} ms", wide.len(), ns / 1e6);
        let ns = least(20, 1, || wide.rank_plain(black_box(&board), Side::First, generations));
        println!("{} moves after {generations}, plain    {:8.2} ms", wide.len(), ns / 1e6);
    }
    let ns = least(40, 1, || assert_eq!(black_box(wide.best(64)).count(), 64));
    println!("{:32} {:8.2} ms", "the best 64 of them", ns / 1e6);
}
