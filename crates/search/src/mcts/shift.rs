//! Many simulations: until the limits are reached, the root is solved, or the watch says stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use banmen_game::Game;

use super::solve::is_solved;
use super::threads::beside;
use super::worker::{Scene, Worker};
use super::{Guide, Payload, Playout, Simulation};
use crate::{Limits, Watch};

/// What the threads of one search share beside trees.
struct Desk {
    /// Simulations that nobody has taken yet.
    left: AtomicU64,
    /// Somebody has found a reason to stop.
    halt: AtomicBool,
    /// Positions visited by the other threads, not yet told to the watch.
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

impl Desk {
    /// Takes simulations from the desk; 0 when none are left.
    fn take(&self) -> u64 {
        let taken = self.left.fetch_update(Relaxed, Relaxed, |left| (left > 0).then(|| left.saturating_sub(BATCH)));
        taken.map_or(0, |left| left.min(BATCH))
    }

    /// One thread's work. `done` is told the positions visited and says whether to go on.
    fn work<G: Game, P: Playout<G>, K: Guide<G>, X: Payload>(
        &self,
        worker: &mut Worker<G, P>,
        scene: &Scene<'_, G, K, X>,
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
            let (reward, plies) = worker.simulate(scene);
            let line = worker.line();
            let visited = 1 + line.len() as u64 + u64::from(plies);
            let solved = scene.settings.solver && is_solved(scene.tree.node(0));
            if !done(visited, &Simulation { line, reward, plies }) || solved || worker.deepest >= self.depth {
                self.halt.store(true, Relaxed);
            }
        }
        worker.end(scene.tree);
    }
}

/// When to read the clock: about twice a millisecond, however long a simulation takes.
struct Pace {
    period: u64,
    left: u64,
    last: Duration,
}

impl Pace {
    fn start(watch: &Watch<'_>) -> Self {
        Pace { period: 1, left: 1, last: watch.elapsed() }
    }

    /// After each simulation. False when the watch says stop.
    fn go_on(&mut self, watch: &mut Watch<'_>) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return true;
        }
        let now = watch.elapsed();
        let each = (now.saturating_sub(self.last) / self.period as u32).max(Duration::from_nanos(1));
        self.period = (PAUSE.as_nanos() / each.as_nanos()).clamp(1, 256) as u64;
        self.left = self.period;
        self.last = now;
        watch.go_on()
    }
}

/// Runs one worker in each scene, the first on the calling thread, within `limits.playouts` simulations of all together
/// and `limits.depth`. `observe` sees those of the calling thread.
pub(super) fn run<'s, G: Game, P: Playout<G>, K: Guide<G> + 's, X: Payload>(
    workers: &mut [Worker<G, P>],
    scene: impl Fn(usize) -> Scene<'s, G, K, X>,
    limits: &Limits,
    watch: &mut Watch<'_>,
    observe: &mut impl FnMut(&Simulation<'_, G::Move>),
) {
    let Some((own, others)) = workers.split_first_mut() else { return };
    if !watch.go_on() {
        return;
    }
    let desk = &Desk {
        left: AtomicU64::new(limits.playouts.unwrap_or(u64::MAX)),
        halt: AtomicBool::new(false),
        visited: AtomicU64::new(0),
        depth: limits.depth.unwrap_or(u32::MAX),
    };
    let alone = others.is_empty();
    let mut pace = Pace::start(watch);
    let jobs = (1..).zip(others).map(|(index, worker)| {
        let scene = scene(index);
        move || {
            // Told in lumps: threads that write to the same place in every simulation wait for each other.
            let mut untold = 0;
            desk.work(worker, &scene, |visited, _| {
                untold += visited;
                if untold >= LUMP {
                    desk.visited.fetch_add(std::mem::take(&mut untold), Relaxed);
                }
                true
            });
            desk.visited.fetch_add(untold, Relaxed);
        }
    });
    let own_scene = scene(0);
    beside(jobs, || {
        desk.work(own, &own_scene, |visited, simulation| {
            observe(simulation);
            let told = !alone && desk.visited.load(Relaxed) > 0;
            let theirs = if told { desk.visited.swap(0, Relaxed) } else { 0 };
            // Both look at the clock; neither may be left out.
            let counted = watch.nodes(visited + theirs);
            pace.go_on(watch) && counted
        });
    });
    watch.nodes(desk.visited.load(Relaxed));
}
