//! Simulations per second of the tree search, with uniform playouts from the start of Othello.
//!
//! `cargo bench -p banmen-othello --bench mcts`. One thread is measured by CPU time, with the game's own playouts and
//! with playouts that list moves. Two threads are measured on one tree and on two: every thread records the time at
//! every 32nd playout, and only the intervals during which both threads ran all the time count. So the ratio to one
//! thread is valid on a busy machine too; the ratio of independent trees is the maximum that the processors allow.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reads the clock and prints")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::CpuClock;
use banmen_game::{FastPlayout, Game, GameState, PlayoutEnd, Rng, Side};
use banmen_othello::Othello;
use banmen_othello::position::{Move, Position};
use banmen_search::mcts::{Fast, Guide, Mcts, Parallel, Settings, Uniform};
use banmen_search::{Budget, Clock, Limits, StopFlag};

fn search<K: Guide<Othello>>(guide: K, parallel: Parallel, threads: usize) -> Mcts<Othello, K> {
    let settings = Settings { parallel, bytes: 128 << 20, ..Settings::default() };
    let mut mcts = Mcts::new(&Othello, settings, guide, 1).expect("the settings are sound");
    mcts.set_threads(threads);
    mcts
}

/// Simulations per second of CPU time of the calling thread, from an empty tree.
fn speed<K: Guide<Othello>>(mcts: &mut Mcts<Othello, K>, count: u64) -> f64 {
    mcts.begin(&GameState::new(Othello));
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    let limits = Limits { playouts: Some(count), ..Limits::default() };
    let made = mcts.run(&mut budget, &limits, |_| {});
    made as f64 / budget.elapsed().as_secs_f64()
}

/// Playouts of an interval.
const INTERVAL: u32 = 32;

/// The times that one thread recorded.
type TimeStamps = Arc<Mutex<Vec<Instant>>>;

fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Uniform playouts that record the time every [`INTERVAL`] playouts. Each clone, one per thread, has its own list.
struct TimedPlayouts {
    made: u32,
    own: TimeStamps,
    all: Arc<Mutex<Vec<TimeStamps>>>,
}

impl TimedPlayouts {
    fn new(all: Arc<Mutex<Vec<TimeStamps>>>) -> Self {
        let own = TimeStamps::default();
        open(&all).push(own.clone());
        TimedPlayouts { made: 0, own, all }
    }
}

impl Clone for TimedPlayouts {
    fn clone(&self) -> Self {
        TimedPlayouts::new(self.all.clone())
    }
}

impl Guide<Othello> for TimedPlayouts {
    type Scratch = ();

    fn playout(
        &mut self,
        game: &Othello,
        position: &mut Position,
        history: &mut (),
        rng: &mut Rng,
        scratch: &mut (),
        played: impl FnMut(Side, Move),
    ) -> PlayoutEnd {
        self.made += 1;
        if self.made.is_multiple_of(INTERVAL) {
            open(&self.own).push(Instant::now());
        }
        Fast::default().playout(game, position, history, rng, scratch, played)
    }
}

/// From one recorded time of a thread to the next.
type Interval = [Instant; 2];

fn length(interval: &Interval) -> Duration {
    interval[1] - interval[0]
}

fn median(mut lengths: Vec<Duration>) -> Duration {
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

/// The lengths of the intervals of `own` during which the other thread was never preempted.
fn together(own: &[Interval], other: &[Interval]) -> Vec<Duration> {
    let usual = median(own.iter().chain(other).map(length).collect());
    let runs = |interval: &Interval| length(interval) < 4 * usual;
    let meets = |interval: &&Interval| {
        let from = other.partition_point(|other| other[1] <= interval[0]);
        let met = other[from..].iter().take_while(|other| other[0] < interval[1]);
        let last = met.clone().last();
        let covered =
            other.get(from).is_some_and(|first| first[0] <= interval[0]) && last.is_some_and(|l| l[1] >= interval[1]);
        covered && met.into_iter().all(runs)
    };
    own.iter().filter(|interval| runs(interval)).filter(meets).map(length).collect()
}

/// Spans of 32 simulations with these threads, in many searches: all of them for one thread, those with both threads
/// running for two.
fn intervals(parallel: Parallel, threads: usize) -> Vec<Duration> {
    let all = Arc::default();
    let mut mcts = search(TimedPlayouts::new(Arc::clone(&all)), parallel, threads);
    let mut lengths = Vec::new();
    for _ in 0..60 {
        open(&all).iter().for_each(|notes| open(notes).clear());
        speed(&mut mcts, 100_000);
        let pages: Vec<Vec<Interval>> = open(&all)
            .iter()
            .map(|notes| open(notes).windows(2).map(|pair| [pair[0], pair[1]]).collect())
            .filter(|intervals: &Vec<Interval>| !intervals.is_empty())
            .collect();
        match &pages[..] {
            [own] => lengths.extend(own.iter().map(length)),
            [a, b] => {
                lengths.extend(together(a, b));
                lengths.extend(together(b, a));
            }
            _ => {}
        }
    }
    lengths
}

/// Threads on one tree.
const TREE: Parallel = Parallel::Tree { virtual_loss: 1 };

fn main() {
    let clock = CpuClock::default();
    let begin = clock.now();
    let mut rng = Rng::new(1);
    let mut plies = 0;
    for _ in 0..200_000 {
        plies += Othello.playout(&mut Othello.start(), &mut (), u32::MAX, &mut rng, &mut (), |_, _| {}).plies;
    }
    let seconds = (clock.now() - begin).as_secs_f64();
    println!("playouts alone                {:>9.0} a CPU-second", 200_000.0 / seconds);
    println!("  nanoseconds a move          {:>9.1}", seconds * 1e9 / f64::from(plies));

    let mut fast = search(Fast::default(), TREE, 1);
    for count in [10_000, 100_000, 1_000_000] {
        let best = (0..3).map(|_| speed(&mut fast, count)).fold(0.0, f64::max);
        println!("{count:>8} simulations          {best:>9.0} a CPU-second");
    }
    let mut listing = search(Uniform::default(), TREE, 1);
    println!("  by listing moves            {:>9.0} a CPU-second", speed(&mut listing, 100_000));
    drop((fast, listing));

    let one = median(intervals(TREE, 1));
    for (name, parallel) in [("two threads on one tree", TREE), ("two trees, a thread each", Parallel::Root)] {
        let both = intervals(parallel, 2);
        let count = both.len();
        let ratio = 2.0 * one.as_secs_f64() / median(both).as_secs_f64();
        println!("{name:<30} {ratio:>8.2} times one thread, by {count} intervals");
    }
}
