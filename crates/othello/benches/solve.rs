//! The FFO endgame suite solved exactly, position by position, and the speed of the evaluation.
//!
//! `cargo bench -p banmen-othello --bench solve -- [first] [last]`, #40 to #44 unless told; the later ones take up to
//! hours. A node is a position visited, as `Solution::nodes` says. The table starts empty for every position.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::hint::black_box;
use std::time::Instant;

use banmen_othello::engine::{Evaluation, Solver};
use banmen_othello::moves;

/// Bytes of the solver's table: enough for #40 to #49.
const TABLE: usize = 1 << 28;

/// Nanoseconds of CPU time of this thread where the system tells (Linux), else of the clock on the wall.
fn cpu_nanoseconds(begin: Instant) -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    told.unwrap_or_else(|| begin.elapsed().as_nanos() as u64)
}

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<u32>().ok());
    let (first, last) = (numbers.next().unwrap_or(40), numbers.next().unwrap_or(44));
    let begin = Instant::now();
    let mut solver = Solver::new(TABLE);
    let (mut all_nodes, mut all_time) = (0, 0);
    println!("| # | empty | score | expected | move | of | nodes | CPU-s | M nodes/s |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for line in include_str!("../tests/data/ffo.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').collect();
        let [number, empties, board, side, expected, best] = fields[..] else { panic!("six fields: {line}") };
        if !(first..=last).contains(&number.parse().expect("a number")) {
            continue;
        }
        let (own, opp) = sides(board, side);
        solver.clear();
        let start = cpu_nanoseconds(begin);
        let solution = solver.solve(own, opp, -64, 64, &mut |_| false);
        let time = cpu_nanoseconds(begin) - start;
        (all_nodes, all_time) = (all_nodes + solution.nodes, all_time + time);
        let square = solution.best.map(moves::name).unwrap_or_default();
        print!("| {number} | {empties} | {:+} | {expected} | {square} | {best} ", solution.lower);
        row(solution.nodes, time);
    }
    print!("| all | | | | | ");
    row(all_nodes, all_time);
    evaluations(begin);
}

fn row(nodes: u64, time: u64) {
    println!("| {nodes} | {:.2} | {:.1} |", time as f64 / 1e9, 1e3 * nodes as f64 / time as f64);
}

/// The mover's and the other side's discs.
fn sides(board: &str, side: &str) -> (u64, u64) {
    let discs = |colour| board.bytes().enumerate().filter(|&(_, c)| c == colour).map(|(i, _)| 1u64 << i).sum();
    if side == "X" { (discs(b'X'), discs(b'O')) } else { (discs(b'O'), discs(b'X')) }
}

/// Values the positions of one game, over and over.
fn evaluations(begin: Instant) {
    let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
    let mut positions = Vec::new();
    while moves::legal(own, opp) != 0 {
        positions.push((own, opp));
        (own, opp) = moves::after(own, opp, moves::legal(own, opp).trailing_zeros());
    }
    let evaluation = Evaluation::get();
    let rounds = 100_000;
    let start = cpu_nanoseconds(begin);
    for _ in 0..rounds {
        for &(own, opp) in &positions {
            black_box(evaluation.value(black_box(own), black_box(opp)));
        }
    }
    let time = cpu_nanoseconds(begin) - start;
    println!();
    println!("{:.1} M evaluations/s", 1e3 * (rounds * positions.len()) as f64 / time as f64);
}
