//! Many simulations: until the limits are reached, the root is solved, or the budget says stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use banmen_game::Game;

use super::solve::is_solved;
use super::worker::{SearchContext, Worker};
use super::{Guide, Payload, Playout, Simulation};
use crate::threads::run_with_helpers;
use crate::{Budget, CpuMeter, Limits};

/// What the threads of one search share beside trees.
struct SharedBudget {
    /// Simulations that nobody has taken yet.
    left: AtomicU64,
    /// Somebody has found a reason to stop.
    halt: AtomicBool,
    /// Positions visited by the other threads, not yet told to the budget.
    visited: AtomicU64,
    /// A descent of so many plies ends the search.
    depth: u32,
}

/// Simulations taken from the desk at once.
const BATCH: u64 = 8;

/// Positions that a thread visits before it tells.
const LUMP: u64 = 1024;

/// How long the clock may go unread.
const PAUSE: Duration = Duration::from_micros(500);

impl SharedBudget {
    /// Takes simulations from the desk; 0 when none are left.
    fn take(&self) -> u64 {
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| (left > 0).then(|| left.saturating_sub(BATCH)));
        taken.map_or(0, |left| left.min(BATCH))
    }

    /// One thread's work. `done` is told the positions visited and says whether to go on.
    fn work<G: Game, P: Playout<G>, K: Guide<G>, X: Payload>(
        &self,
        worker: &mut Worker<G, P>,
        context: &SearchContext<'_, G, K, X>,
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
            if !done(visited, &Simulation { line, reward, plies }) || solved || worker.deepest >= self.depth {
                self.halt.store(true, Relaxed);
            }
        }
        worker.end(context.tree);
    }
}

/// When to read the clock: about twice a millisecond, however long a simulation takes.
struct ClockPacer {
    period: u64,
    left: u64,
    last: Duration,
}

impl ClockPacer {
    fn start(budget: &Budget<'_>) -> Self {
        ClockPacer { period: 1, left: 1, last: budget.elapsed() }
    }

    /// After each simulation. False when the budget says stop.
    fn go_on(&mut self, budget: &mut Budget<'_>) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return true;
        }
        let now = budget.elapsed();
        let each = (now.saturating_sub(self.last) / self.period as u32).max(Duration::from_nanos(1));
        self.period = (PAUSE.as_nanos() / each.as_nanos()).clamp(1, 256) as u64;
        self.left = self.period;
        self.last = now;
        budget.go_on()
    }
}

/// Runs one worker in each context, the first on the calling thread, within `limits.playouts` simulations of all together
/// and `limits.depth`. `observe` sees those of the calling thread.
pub(super) fn run<'s, G: Game, P: Playout<G>, K: Guide<G> + 's, X: Payload>(
    workers: &mut [Worker<G, P>],
    context: impl Fn(usize) -> SearchContext<'s, G, K, X>,
    limits: &Limits,
    budget: &mut Budget<'_>,
    observe: &mut impl FnMut(&Simulation<'_, G::Move>),
) {
    let Some((own, others)) = workers.split_first_mut() else { return };
    if !budget.go_on() {
        return;
    }
    let desk = &SharedBudget {
        left: AtomicU64::new(limits.playouts.unwrap_or(u64::MAX)),
        halt: AtomicBool::new(false),
        visited: AtomicU64::new(0),
        depth: limits.depth.unwrap_or(u32::MAX),
    };
    let alone = others.is_empty();
    let mut pace = ClockPacer::start(budget);
    let clock = budget.clock();
    let jobs = (1..).zip(others).map(|(index, worker)| {
        let context = context(index);
        move || {
            // Told in lumps: threads that write to the same place in every simulation wait for each other.
            let mut untold = 0;
            let mut meter = CpuMeter::start(clock);
            desk.work(worker, &context, |visited, _| {
                untold += visited;
                if untold >= LUMP {
                    meter.charge();
                    desk.visited.fetch_add(std::mem::take(&mut untold), Relaxed);
                }
                true
            });
            desk.visited.fetch_add(untold, Relaxed);
        }
    });
    let own_scene = context(0);
    run_with_helpers(jobs, || {
        desk.work(own, &own_scene, |visited, simulation| {
            observe(simulation);
            let told = !alone && desk.visited.load(Relaxed) > 0;
            let theirs = if told { desk.visited.swap(0, Relaxed) } else { 0 };
            // Both look at the clock; neither may be left out.
            let counted = budget.nodes(visited + theirs);
            pace.go_on(budget) && counted
        });
    });
    budget.nodes(desk.visited.load(Relaxed));
}
