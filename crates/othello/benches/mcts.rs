//! Simulations of the tree search a second, uniform playouts from the start of Othello.
//!
//! `cargo bench -p banmen-othello --bench mcts`. One thread by its processor time, playouts by the game and by listing
//! moves; then two threads on one tree against one, by wall time, in alternating short runs: the ratio of the best means
//! something only while two processors are free.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::time::{Duration, Instant};

use banmen_catalog::{CpuClock, WallClock};
use banmen_game::{FastPlayout, Game, Rng, Walk};
use banmen_othello::Othello;
use banmen_search::mcts::{Fast, Mcts, Playout, Rules, Settings, Threads, Uniform};
use banmen_search::{Clock, Limits, StopFlag, Watch};

fn search<P: Playout<Othello>>(playout: P, threads: Threads) -> Mcts<Othello, P> {
    let settings = Settings { threads, bytes: 256 << 20, ..Settings::default() };
    Mcts::new(&Othello, settings, playout, Rules, 1).expect("the settings are sound")
}

/// Simulations a second by `clock`, from an empty tree.
fn speed<P: Playout<Othello>>(mcts: &mut Mcts<Othello, P>, clock: &dyn Clock, count: u64) -> f64 {
    mcts.begin(&Walk::new(Othello));
    let stop = StopFlag::default();
    let mut watch = Watch::start(&Limits::default(), clock, &stop);
    let limits = Limits { playouts: Some(count), ..Limits::default() };
    let made = mcts.run(&mut watch, &limits, |_| {});
    made as f64 / watch.elapsed().as_secs_f64()
}

fn main() {
    let clock = CpuClock::default();
    let begin = clock.now();
    let mut rng = Rng::new(1);
    let mut plies = 0;
    for _ in 0..200_000 {
        plies += Othello.playout(&mut Othello.start(), &mut (), u32::MAX, &mut rng, |_, _| {}).plies;
    }
    let seconds = (clock.now() - begin).as_secs_f64();
    println!("playouts alone                {:>9.0} a CPU-second", 200_000.0 / seconds);
    println!("  nanoseconds a move          {:>9.1}", seconds * 1e9 / f64::from(plies));

    let (mut fast, mut listing) = (search(Fast::default(), Threads::One), search(Uniform::default(), Threads::One));
    for count in [10_000, 100_000, 1_000_000] {
        let best = (0..3).map(|_| speed(&mut fast, &clock, count)).fold(0.0, f64::max);
        println!("{count:>8} simulations          {best:>9.0} a CPU-second");
    }
    println!("  by listing moves            {:>9.0} a CPU-second", speed(&mut listing, &clock, 100_000));

    let wall = WallClock::default();
    let mut two = search(Fast::default(), Threads::Shared { count: 2, loss: 1 });
    let mut best = [0.0f64; 2];
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        best[0] = best[0].max(speed(&mut fast, &wall, 5_000));
        best[1] = best[1].max(speed(&mut two, &wall, 10_000));
    }
    println!("one thread, wall              {:>9.0} a second", best[0]);
    println!("two on one tree, wall         {:>9.0} a second, {:.2} times", best[1], best[1] / best[0]);
}
