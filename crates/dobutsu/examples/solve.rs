//! Solves the game, verifies the table, compares it with the published figures, packs it, times probes, and compares the
//! second side's strategy with the table; with `write` it writes that strategy.
//!
//! `cargo run --release -p banmen-dobutsu --features threads --example solve -- [catch|any-try|article] [threads] [write]`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example reads the clock and prints")]

mod cpu;

use std::ops::ControlFlow;
use std::time::Instant;

use banmen_dobutsu::article::Article;
use banmen_dobutsu::position::Position;
use banmen_dobutsu::strategy::{Strategy, extract};
use banmen_dobutsu::table::{PackedTable, Rules, SLOTS, Source, Table, Value, build, census, pack};
use banmen_dobutsu::{Dobutsu, Variant};
use banmen_game::{Game, GameState, Rng};

use cpu::cpu_seconds;

fn main() {
    let clock = Instant::now();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let threads = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or(1);
    let asked = |name: &str| arguments.iter().any(|word| word == name);
    if asked("article") {
        solve(Article, Dobutsu::ANY_TRY, threads, clock);
    } else if asked("any-try") {
        solve(Variant::AnyTry, Dobutsu::ANY_TRY, threads, clock);
    } else if let Some(table) = solve(Variant::Catch, Dobutsu::CATCH, threads, clock) {
        strategy(&table, asked("write"));
        count(&table, threads, clock);
    }
}

/// Extracts the second side's win from the start, and compares it with this program's, or writes it in its place.
fn strategy(table: &Table, write: bool) {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/strategy/winner.bin");
    let Ok(Some(bytes)) = extract(table) else { panic!("the second side does not win from the start") };
    let strategy = Strategy::open(&bytes).unwrap_or_else(|error| panic!("{error}"));
    println!("the second side's win: {} positions, {} bytes", strategy.len(), bytes.len());
    for position in strategy.positions() {
        let win = strategy.listed(&position).map(|win| Value::Win(win.plies));
        assert_eq!(win, table.value(&position).ok(), "{position:?}");
    }
    if write {
        std::fs::write(FILE, &bytes).unwrap_or_else(|error| panic!("{FILE}: {error}"));
    } else {
        assert!(bytes == Strategy::bytes(), "this program's strategy is another than the table's");
    }
}

/// Solves the game, verifies the table, and times probes in positions of random games of `near`. Returns the table.
fn solve<R: Rules>(rules: R, near: Dobutsu, threads: usize, clock: Instant) -> Option<Table<R>> {
    let table = build(rules, threads, &|progress| {
        if progress.plies > 0 {
            println!("{:>4} plies, {:>10} decided, {:>6.1} s", progress.plies, progress.positions, cpu_seconds(clock));
        }
        ControlFlow::Continue(())
    });
    let table = match table {
        Ok(table) => table,
        Err(error) => {
            println!("{error}");
            return None;
        }
    };
    println!("solved after {:.1} s of CPU time", cpu_seconds(clock));
    figures(&table);
    let wrong = (0..SLOTS).step_by(61).filter(|&number| !table.holds(number)).count();
    assert_eq!(wrong, 0, "every 61st position follows from those after it");
    println!("every 61st position follows from those after it; {:.1} s", cpu_seconds(clock));

    let before = cpu_seconds(clock);
    let packed = pack(&table);
    println!("packed into {} bytes in {:.1} s", packed.len(), cpu_seconds(clock) - before);
    let positions = positions(near);
    let before = Instant::now();
    let Ok(opened) = PackedTable::open(packed.as_slice(), rules) else { panic!("the packed table is refused") };
    println!("opened in {:.1} ms", before.elapsed().as_secs_f64() * 1e3);
    let (from_memory, some) = (probe(&table, &positions, clock), &positions[..20_000]);
    let from_blocks = probe(&opened, some, clock);
    println!("a probe takes {from_memory:.3} µs in memory, {from_blocks:.1} µs from blocks");
    for position in some {
        assert_eq!(table.value(position).ok(), opened.value(position).ok());
    }
    println!("the packed table agrees in {} positions; {:.1} s", some.len(), cpu_seconds(clock));
    Some(table)
}

/// Prints the figures, and compares those of the rules `catch` with the published ones.
fn figures<R: Rules>(table: &Table<R>) {
    let mut counts = [0u64; 256];
    for &byte in table.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let sum = |parity: usize| (1..=200).filter(|plies| plies % 2 == parity).map(|plies| counts[plies]).sum::<u64>();
    println!("stored positions: {} won, {} drawn, {} lost", sum(1), counts[255], sum(0));
    for (name, parity) in [("win", 1), ("loss", 0)] {
        let longest = (1..=200).rev().find(|plies| plies % 2 == parity && counts[*plies] > 0).unwrap_or(0);
        println!("longest {name}: {longest} plies, {} positions", counts[longest]);
        let known = match (table.rules().name(), parity) {
            // clausecker/dobutsu: 14 positions of its table are won in 173 plies.
            ("catch", 1) => (173, 14),
            ("catch", _) => (172, 3),
            // Our own figures: nobody has published values for these rules.
            ("any-try", 1) => (109, 3),
            ("any-try", _) => (108, 1),
            ("article", 1) => (107, 25),
            (_, _) => (108, 4),
        };
        assert_eq!((longest, counts[longest]), known);
    }
    let Ok(start) = table.value(&Position::START);
    println!("the start: {start:?}");
    let Ok(moves) = table.moves(&Position::START);
    for known in &moves {
        println!("  {:?}: {:?}", known.m, known.value);
    }
    match table.rules().name() {
        "catch" => {
            assert_eq!(start, Value::Loss(78), "Tanaka 2009");
            let values: Vec<Value> = moves.iter().map(|known| known.value).collect();
            assert_eq!(values.iter().filter(|value| **value == Value::Loss(78)).count(), 3, "Tanaka 2009");
            assert_eq!(values.iter().filter(|value| **value == Value::Loss(76)).count(), 1, "Tanaka 2009");
        }
        _ => assert_eq!(start, Value::Draw, "ours"),
    }
}

/// Counts the reachable positions, and compares the counts with Tanaka's (2009) and those of clausecker's table.
fn count(table: &Table, threads: usize, clock: Instant) {
    let before = cpu_seconds(clock);
    let Some(census) = census(table, threads, &|_| ControlFlow::Continue(())) else { return };
    println!("census in {:.1} s of CPU time", cpu_seconds(clock) - before);
    let mean = census.all_moves() as f64 / census.unfinished as f64;
    let most = (0..census.moves.len()).rev().find(|&moves| census.moves[moves] > 0).unwrap_or(0);
    println!("  reachable {}", census.reachable());
    println!("  not over {}, lion can be caught {}, tried {}", census.unfinished, census.catches, census.tries);
    println!("  won {}, drawn {}, lost {}", census.won, census.drawn, census.lost);
    println!("  moves {}, {mean:.4} each, at most {most} in {} positions", census.all_moves(), census.moves[most]);
    println!("  by plies to the end: {:?}", &census.plies[..=173]);
    assert_eq!(census.reachable(), 246_803_167);
    assert_eq!((census.unfinished, census.catches, census.tries), (99_485_568, 140_298_614, 7_018_985));
    assert_eq!((census.won, census.drawn, census.lost), (56_474_473, 2_682_700, 40_328_395));
    assert_eq!((census.all_moves(), most, census.moves[most]), (938_671_869, 38, 34));
    let by_plies = |plies: &[usize]| plies.iter().map(|&plies| census.plies[plies]).collect::<Vec<_>>();
    assert_eq!(by_plies(&[1, 3, 5, 7, 9]), [9_118_571, 11_574_858, 7_758_524, 5_806_000, 4_374_554]);
    assert_eq!(by_plies(&[2, 4, 6, 8, 172, 173]), [9_343_557, 5_625_607, 4_431_632, 3_553_141, 3, 12]);
}

/// Positions of random games.
fn positions(game: Dobutsu) -> Vec<Position> {
    let mut rng = Rng::new(1);
    let mut positions = Vec::new();
    while positions.len() < 1_000_000 {
        let mut state = GameState::new(game);
        while state.outcome().is_none() {
            positions.push(*state.position());
            let moves = game.moves(state.position());
            state.play(moves[rng.index(moves.len())]);
        }
    }
    for last in (1..positions.len()).rev() {
        positions.swap(last, rng.index(last + 1));
    }
    positions
}

/// Microseconds of CPU time per probe, for stored positions whose value does not follow from the rules alone.
fn probe<S: Source>(source: &S, positions: &[Position], clock: Instant) -> f64 {
    let stored: Vec<&Position> = positions
        .iter()
        .filter(|position| !source.value(position).is_ok_and(|value| matches!(value, Value::Win(0 | 1))))
        .collect();
    // The system counts CPU time in steps of 10 ms.
    let (mut rounds, mut sum) = (0, 0);
    let before = cpu_seconds(clock);
    while cpu_seconds(clock) - before < 0.5 {
        sum += stored.iter().filter_map(|position| source.value(position).ok()).map(Value::score).sum::<i32>();
        rounds += 1;
    }
    std::hint::black_box(sum);
    (cpu_seconds(clock) - before) * 1e6 / (stored.len() * rounds) as f64
}
