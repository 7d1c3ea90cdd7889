//! The FFO endgame suite solved exactly, position by position, and the speed of the evaluation.
//!
//! `cargo bench -p banmen-othello --bench solve -- [FIRST [LAST [THREADS [RUNS]]]]`, by default #40 to #44 with one
//! thread once; the later positions take up to hours. A node is a position visited, as in `Solution::nodes`. The tables
//! are empty at the start of every position.
//!
//! With more than one thread each position is solved in turn with one thread and with all of them, RUNS times, and the
//! last column is the ratio of the median wall times.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::hint::black_box;
use std::time::Duration;

use banmen_catalog::{CpuClock, WallClock};
use banmen_othello::engine::{Evaluation, Solution, Solver};
use banmen_othello::moves;
use banmen_search::{Budget, Clock, Limits, StopFlag};

/// Bytes of the solver's table: enough for #40 to #49.
const TABLE: usize = 1 << 28;

/// What one solve took.
struct Cost {
    nodes: u64,
    cpu: Duration,
    wall: Duration,
}

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<usize>().ok());
    let (first, last) = (numbers.next().unwrap_or(40), numbers.next().unwrap_or(44));
    let (threads, runs) = (numbers.next().unwrap_or(1).max(1), numbers.next().unwrap_or(1).max(1));
    let mut all = Cost { nodes: 0, cpu: Duration::ZERO, wall: Duration::ZERO };
    println!("| # | empty | score | expected | move | of | threads | nodes | CPU-s | wall-s | M nodes/CPU-s | ratio |");
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for line in include_str!("../tests/data/ffo.txt").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').collect();
        let [number, empties, board, side, expected, best] = fields[..] else { panic!("six fields: {line}") };
        if !(first..=last).contains(&number.parse().expect("a number")) {
            continue;
        }
        let mut counts = vec![1];
        counts.extend((threads > 1).then_some(threads));
        let mut costs: Vec<Vec<Cost>> = counts.iter().map(|_| Vec::new()).collect();
        let mut solutions = Vec::new();
        for _ in 0..runs {
            solutions.clear();
            for (count, costs) in counts.iter().zip(&mut costs) {
                let (solution, cost) = solve(sides(board, side), *count);
                solutions.push(solution);
                costs.push(cost);
            }
        }
        let medians: Vec<Cost> = costs.into_iter().map(median).collect();
        for ((count, solution), cost) in counts.iter().zip(&solutions).zip(&medians) {
            let square = solution.best.map(moves::name).unwrap_or_default();
            print!("| {number} | {empties} | {:+} | {expected} | {square} | {best} | {count} ", solution.lower);
            row(cost, medians[0].wall);
        }
        if let Some(cost) = medians.last() {
            all.nodes += cost.nodes;
            all.cpu += cost.cpu;
            all.wall += cost.wall;
        }
    }
    print!("| all | | | | | | {threads} ");
    row(&all, all.wall);
    evaluations();
}

/// Solves a position with a new solver.
fn solve((own, opp): (u64, u64), threads: usize) -> (Solution, Cost) {
    let mut solver = Solver::new(TABLE);
    solver.set_threads(threads);
    let (cpu, wall, stop) = (CpuClock::default(), WallClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &cpu, &stop);
    let start = wall.now();
    let solution = solver.solve(own, opp, -64, 64, &mut budget, &mut |_| {});
    let cost = Cost { nodes: solution.nodes, cpu: budget.elapsed(), wall: wall.now() - start };
    (solution, cost)
}

/// The run of the median wall time.
fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by_key(|cost| cost.wall);
    costs.swap_remove(costs.len() / 2)
}

/// The rest of a row; `base` is the wall time with one thread.
fn row(cost: &Cost, base: Duration) {
    let (cpu, wall) = (cost.cpu.as_secs_f64(), cost.wall.as_secs_f64());
    let speed = cost.nodes as f64 / 1e6 / cpu;
    println!("| {} | {cpu:.2} | {wall:.2} | {speed:.1} | {:.2} |", cost.nodes, base.as_secs_f64() / wall);
}

/// The mover's and the opponent's discs.
fn sides(board: &str, side: &str) -> (u64, u64) {
    let discs = |colour| board.bytes().enumerate().filter(|&(_, c)| c == colour).map(|(i, _)| 1u64 << i).sum();
    if side == "X" { (discs(b'X'), discs(b'O')) } else { (discs(b'O'), discs(b'X')) }
}

/// Evaluates the positions of one game, over and over.
fn evaluations() {
    let (mut own, mut opp) = (0x0000_0008_1000_0000, 0x0000_0010_0800_0000);
    let mut positions = Vec::new();
    while moves::legal(own, opp) != 0 {
        positions.push((own, opp));
        (own, opp) = moves::after(own, opp, moves::legal(own, opp).trailing_zeros());
    }
    let evaluation = Evaluation::own();
    let rounds = 100_000;
    let clock = CpuClock::default();
    let start = clock.now();
    for _ in 0..rounds {
        for &(own, opp) in &positions {
            black_box(evaluation.value(black_box(own), black_box(opp)));
        }
    }
    let time = clock.now() - start;
    println!();
    println!("{:.1} M evaluations/s", (rounds * positions.len()) as f64 / 1e6 / time.as_secs_f64());
}
