//! Many simulations: until the limits are reached, the root is solved, or the budget is over.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use banmen_game::Game;

use super::solve::is_solved;
use super::worker::{SearchContext, Worker};
use super::{Guide, Payload, Simulation};
use crate::threads::{CacheLine, run_with_helpers};
use crate::{Budget, CpuMeter, Limits, seems_exhausted};

/// What the threads of one search share beside trees.
struct SharedBudget<'a> {
    /// Simulations that no thread has taken yet.
    left: CacheLine<AtomicU64>,
    /// A thread has found a reason to stop.
    halt: &'a AtomicBool,
    /// Positions visited by the helpers and not yet counted by the budget.
    visited: CacheLine<AtomicU64>,
    /// A descent of so many plies ends the search, see also [`seems_exhausted`]; `u32::MAX` for no limit.
    depth: u32,
    /// Helpers that have not finished.
    working: AtomicU32,
}

/// Counts a helper as working until it is dropped, also by a panic.
struct Working<'a>(&'a AtomicU32);

impl<'a> Working<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Relaxed);
        Working(count)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Ends the search when the calling thread panics: only this thread reads the clock, so the helpers would go on.
struct HaltOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Relaxed);
        }
    }
}

/// The most simulations that a thread takes at once.
const MAX_BATCH: u64 = 64;

/// A thread takes at most this part of the simulations left, so that all threads finish at about the same time.
const PARTS: u64 = 16;

/// Positions that a helper visits before it adds them to [`SharedBudget::visited`]: threads that write to the same place in
/// every simulation wait for each other.
const REPORT_NODES: u64 = 1024;

/// The longest time between two readings of the clock.
const CLOCK_PERIOD: Duration = Duration::from_micros(500);

/// The time between two readings of the clock while the calling thread has no simulation left and waits for helpers.
const WAIT: Duration = Duration::from_micros(100);

impl SharedBudget<'_> {
    /// Takes simulations; 0 when none are left.
    fn take(&self) -> u64 {
        let batch = |left: u64| (left / PARTS).clamp(1, MAX_BATCH);
        let rest = |left: u64| (left > 0).then(|| left - batch(left));
        self.left.0.fetch_update(Relaxed, Relaxed, rest).map_or(0, batch)
    }

    /// One thread's work. `done` gets the positions visited by each simulation and returns whether to go on.
    fn work<G: Game, K: Guide<G>, X: Payload<G>>(
        &self,
        worker: &mut Worker<G, K, X>,
        context: &SearchContext<'_, G, X>,
        mut done: impl FnMut(u64, &Simulation<'_, G::Move>) -> bool,
    ) {
        let mut batch = 0;
        while !self.halt.load(Relaxed) {
            if batch == 0 {
                batch = self.take();
                if batch == 0 {
                    break;
                }
            }
            batch -= 1;
            let (reward, plies) = worker.simulate(context);
            let line = worker.line();
            let visited = 1 + line.len() as u64 + u64::from(plies);
            let solved = context.settings.solver && is_solved(context.tree.node(0));
            let go_on = done(visited, &Simulation { line, reward, plies });
            let deep = self.depth < u32::MAX && {
                if !worker.at_end(context) {
                    worker.last_open = worker.simulations;
                }
                worker.deepest >= self.depth || seems_exhausted(worker.simulations, worker.last_open)
            };
            if !go_on || solved || deep {
                self.halt.store(true, Relaxed);
            }
        }
        worker.end(context.tree);
    }
}

/// Decides when to read the clock: about twice a millisecond, however long a simulation takes.
struct ClockPacer {
    period: u64,
    left: u64,
    last: Duration,
}

impl ClockPacer {
    fn start(budget: &Budget<'_>) -> Self {
        ClockPacer { period: 1, left: 1, last: budget.elapsed() }
    }

    /// Called after each simulation. False when the budget is over.
    fn go_on(&mut self, budget: &mut Budget<'_>) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return true;
        }
        let now = budget.elapsed();
        let each = (now.saturating_sub(self.last) / self.period as u32).max(Duration::from_nanos(1));
        self.period = (CLOCK_PERIOD.as_nanos() / each.as_nanos()).clamp(1, 256) as u64;
        self.left = self.period;
        self.last = now;
        budget.go_on()
    }
}

/// Runs one worker in each context, the first on the calling thread, within `limits.playouts` simulations of all together
/// and `limits.depth`. `halt`, which ends the search, is that of the contexts. `observe` sees those of the calling thread.
pub(super) fn run<'s, G: Game, K: Guide<G>, X: Payload<G>>(
    workers: &mut [Worker<G, K, X>],
    context: impl Fn(usize) -> SearchContext<'s, G, X>,
    limits: &Limits,
    budget: &mut Budget<'_>,
    halt: &AtomicBool,
    observe: &mut impl FnMut(&Simulation<'_, G::Move>),
) {
    let Some((own, helpers)) = workers.split_first_mut() else { return };
    if !budget.go_on() {
        return;
    }
    let shared = &SharedBudget {
        left: CacheLine(AtomicU64::new(limits.playouts.unwrap_or(u64::MAX))),
        halt,
        visited: CacheLine::default(),
        depth: limits.depth.unwrap_or(u32::MAX),
        working: AtomicU32::new(0),
    };
    let alone = helpers.is_empty();
    let mut pacer = ClockPacer::start(budget);
    let clock = budget.clock();
    let jobs = (1..).zip(helpers).map(|(index, worker)| {
        let context = context(index);
        let working = Working::new(&shared.working);
        move || {
            let _working = working;
            let mut unreported = 0;
            let mut meter = CpuMeter::start(clock);
            shared.work(worker, &context, |visited, _| {
                unreported += visited;
                if unreported >= REPORT_NODES {
                    meter.charge();
                    shared.visited.0.fetch_add(std::mem::take(&mut unreported), Relaxed);
                }
                true
            });
            shared.visited.0.fetch_add(unreported, Relaxed);
        }
    });
    let own_context = context(0);
    run_with_helpers(jobs, || {
        let _halt = HaltOnPanic(halt);
        shared.work(own, &own_context, |visited, simulation| {
            observe(simulation);
            let reported = !alone && shared.visited.0.load(Relaxed) > 0;
            let theirs = if reported { shared.visited.0.swap(0, Relaxed) } else { 0 };
            // Both check limits; neither may be skipped.
            let counted = budget.nodes(visited + theirs);
            pacer.go_on(budget) && counted
        });
        // A helper may make candidates for long, and only this thread reads the clock.
        while K::CANDIDATES && shared.working.load(Relaxed) > 0 && !shared.halt.load(Relaxed) {
            thread::sleep(WAIT);
            if !budget.go_on() {
                shared.halt.store(true, Relaxed);
            }
        }
    });
    budget.nodes(shared.visited.0.load(Relaxed));
}
