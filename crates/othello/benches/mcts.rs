//! Simulations of the tree search a second, uniform playouts from the start of Othello.
//!
//! `cargo bench -p banmen-othello --bench mcts`. One thread by its processor time, with playouts by the game and by
//! listing moves. Then two threads, on one tree and on two: every thread notes the time at every 32nd playout, and only
//! those spans count during all of which both threads ran. So the ratio to one thread holds on a busy machine too; the
//! ratio of independent trees is what the processors allow.

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

/// Simulations a second of the calling thread's processor time, from an empty tree.
fn speed<K: Guide<Othello>>(mcts: &mut Mcts<Othello, K>, count: u64) -> f64 {
    mcts.begin(&GameState::new(Othello));
    let (clock, stop) = (CpuClock::default(), StopFlag::default());
    let mut budget = Budget::start(&Limits::default(), &clock, &stop);
    let limits = Limits { playouts: Some(count), ..Limits::default() };
    let made = mcts.run(&mut budget, &limits, |_| {});
    made as f64 / budget.elapsed().as_secs_f64()
}

/// Playouts of a span.
const SPAN: u32 = 32;

/// The times that one thread noted.
type Notes = Arc<Mutex<Vec<Instant>>>;

fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Uniform playouts that note the time now and then. Each clone, one a thread, has its own page.
struct Noting {
    made: u32,
    own: Notes,
    all: Arc<Mutex<Vec<Notes>>>,
}

impl Noting {
    fn new(all: Arc<Mutex<Vec<Notes>>>) -> Self {
        let own = Notes::default();
        open(&all).push(own.clone());
        Noting { made: 0, own, all }
    }
}

impl Clone for Noting {
    fn clone(&self) -> Self {
        Noting::new(self.all.clone())
    }
}

impl Guide<Othello> for Noting {
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
        if self.made.is_multiple_of(SPAN) {
            open(&self.own).push(Instant::now());
        }
        Fast::default().playout(game, position, history, rng, scratch, played)
    }
}

/// From one note to the next of a thread.
type Span = [Instant; 2];

fn length(span: &Span) -> Duration {
    span[1] - span[0]
}

fn median(mut lengths: Vec<Duration>) -> Duration {
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or_default()
}

/// The lengths of the spans of `own` during which the other thread was never off the processor.
fn together(own: &[Span], other: &[Span]) -> Vec<Duration> {
    let usual = median(own.iter().chain(other).map(length).collect());
    let runs = |span: &Span| length(span) < 4 * usual;
    let meets = |span: &&Span| {
        let from = other.partition_point(|other| other[1] <= span[0]);
        let met = other[from..].iter().take_while(|other| other[0] < span[1]);
        let last = met.clone().last();
        let covered = other.get(from).is_some_and(|first| first[0] <= span[0]) && last.is_some_and(|l| l[1] >= span[1]);
        covered && met.into_iter().all(runs)
    };
    own.iter().filter(|span| runs(span)).filter(meets).map(length).collect()
}

/// Spans of 32 simulations with these threads, in many searches: of the one thread all, of two those together.
fn spans(parallel: Parallel, threads: usize) -> Vec<Duration> {
    let all = Arc::default();
    let mut mcts = search(Noting::new(Arc::clone(&all)), parallel, threads);
    let mut lengths = Vec::new();
    for _ in 0..60 {
        open(&all).iter().for_each(|notes| open(notes).clear());
        speed(&mut mcts, 100_000);
        let pages: Vec<Vec<Span>> = open(&all)
            .iter()
            .map(|notes| open(notes).windows(2).map(|pair| [pair[0], pair[1]]).collect())
            .filter(|spans: &Vec<Span>| !spans.is_empty())
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

    let one = median(spans(TREE, 1));
    for (name, parallel) in [("two threads on one tree", TREE), ("two trees, a thread each", Parallel::Root)] {
        let both = spans(parallel, 2);
        let count = both.len();
        let ratio = 2.0 * one.as_secs_f64() / median(both).as_secs_f64();
        println!("{name:<30} {ratio:>8.2} times one thread, by {count} spans");
    }
}
