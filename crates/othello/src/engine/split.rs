//! Parallel search of one position by several workers: young brothers wait (Feldmann 1993).
//!
//! A worker that has searched the first move of a node and finds that other workers are idle makes the node a split
//! point: the workers take its remaining moves one by one. The worker that opened it, its owner, waits until every move
//! that was taken is searched; meanwhile it helps with split points below its own ("helpful master"). A cut-off closes
//! the split point at once, and the workers that still search one of its moves abandon it at their next check.

use std::hint::spin_loop;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use banmen_search::threads::lock;

use super::order::Move;
use super::table::NO_MOVE;

/// How often an idle worker checks for a change before it sleeps, some 50 µs in all: most waits are shorter than that,
/// and shorter than it takes to wake a thread.
const SPINS: usize = 2_000;

/// The longest sleep of an idle worker between two checks of the limits.
const WAIT: Duration = Duration::from_millis(2);

/// A node whose moves are searched by several workers.
pub(super) struct SplitPoint {
    pub(super) own: u64,
    pub(super) opp: u64,
    /// The null window: the search decides whether the mover scores more than this.
    pub(super) alpha: i32,
    /// The `alpha` of the nodes below where no cut-off is expected.
    pub(super) all_node_alpha: i32,
    /// The split point whose move the owner was searching.
    parent: Option<Arc<SplitPoint>>,
    /// A move scored more than `alpha`, so the other moves need no search.
    cut_off: AtomicBool,
}

impl SplitPoint {
    /// Whether this split point or one above it has a cut-off, so that results of its moves are not needed.
    pub(super) fn is_obsolete(&self) -> bool {
        self.cut_off.load(Relaxed) || self.parent.as_ref().is_some_and(|parent| parent.is_obsolete())
    }

    /// Whether `other` is this split point or one above it.
    fn is_below(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, other) || self.parent.as_ref().is_some_and(|parent| parent.is_below(other))
    }
}

/// The result of a split point so far.
#[derive(Clone, Copy)]
pub(super) struct SplitResult {
    /// The best score of the moves searched.
    pub(super) score: i32,
    /// The square of the move with that score, or [`NO_MOVE`].
    pub(super) best: u8,
    /// Nodes that workers other than the owner searched.
    pub(super) nodes: u64,
}

/// A split point with moves left or moves being searched.
struct Open {
    point: Arc<SplitPoint>,
    /// The moves that no worker has taken yet; the last one is taken first.
    moves: Vec<Move>,
    /// Moves being searched.
    running: usize,
    result: SplitResult,
}

/// A move of a split point for one worker to search.
pub(super) struct Job {
    pub(super) point: Arc<SplitPoint>,
    pub(super) m: Move,
}

#[derive(Default)]
struct State {
    /// In the order in which they were opened.
    open: Vec<Open>,
    /// Idle workers.
    waiting: usize,
    /// Those that sleep.
    asleep: usize,
    /// The search is over: helpers return.
    finished: bool,
}

impl State {
    fn find(&self, point: &Arc<SplitPoint>) -> Option<usize> {
        self.open.iter().position(|open| Arc::ptr_eq(&open.point, point))
    }

    /// A move of the split point at or below `top` that has the most empty squares: of any split point without `top`.
    fn take(&mut self, top: Option<&Arc<SplitPoint>>) -> Option<Job> {
        let eligible = |open: &&mut Open| {
            !open.moves.is_empty() && !open.point.is_obsolete() && top.is_none_or(|top| open.point.is_below(top))
        };
        let discs = |open: &&mut Open| (open.point.own | open.point.opp).count_ones();
        let open = self.open.iter_mut().filter(eligible).min_by_key(discs)?;
        let m = open.moves.pop()?;
        open.running += 1;
        Some(Job { point: Arc::clone(&open.point), m })
    }
}

/// The workers of one search and their split points.
#[derive(Default)]
pub(super) struct Workers {
    state: Mutex<State>,
    /// Counts the signals: when moves to search appear, when a split point is done, and at the end of the search.
    signals: AtomicU64,
    /// Wakes the workers that sleep, at each signal.
    wake: Condvar,
    /// Idle workers for which no move of an open split point is left.
    unserved: AtomicUsize,
    /// A limit or the stop flag ends the search.
    stop: AtomicBool,
    /// Nodes searched by the helpers.
    helper_nodes: AtomicU64,
}

impl Workers {
    /// Whether a worker waits for moves to search.
    #[inline]
    pub(super) fn want_moves(&self) -> bool {
        self.unserved.load(Relaxed) > 0
    }

    /// Ends the search: all workers unwind.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Lets the helpers return. With `stop` they unwind first.
    pub(super) fn finish(&self) {
        let mut state = self.lock();
        state.finished = true;
        self.signal(state);
    }

    pub(super) fn add_helper_nodes(&self, nodes: u64) {
        self.helper_nodes.fetch_add(nodes, Relaxed);
    }

    pub(super) fn helper_nodes(&self) -> u64 {
        self.helper_nodes.load(Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Updates `unserved`.
    fn publish(&self, state: &State) {
        let left: usize = state.open.iter().map(|open| open.moves.len()).sum();
        self.unserved.store(state.waiting.saturating_sub(left), Relaxed);
    }

    /// Signals a change of the state to the idle workers.
    fn signal(&self, state: MutexGuard<'_, State>) {
        // While the state is locked, so that no worker falls asleep between the change and the signal.
        self.signals.fetch_add(1, Relaxed);
        let asleep = state.asleep > 0;
        drop(state);
        if asleep {
            self.wake.notify_all();
        }
    }

    /// Waits for a signal: spins, then sleeps at most [`WAIT`].
    fn wait<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.waiting += 1;
        self.publish(&state);
        let before = self.signals.load(Relaxed);
        drop(state);
        let signalled = || self.signals.load(Relaxed) != before;
        let spin = |_| {
            spin_loop();
            signalled()
        };
        let _ = (0..SPINS).any(spin);
        let mut state = self.lock();
        if !signalled() {
            state.asleep += 1;
            (state, _) = self.wake.wait_timeout(state, WAIT).unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
        state.waiting -= 1;
        self.publish(&state);
        state
    }

    /// Makes a node a split point: `moves` are those left to search, the most promising last.
    pub(super) fn open(
        &self,
        (own, opp, alpha): (u64, u64, i32),
        all_node_alpha: i32,
        moves: Vec<Move>,
        score: i32,
        best: u8,
        parent: Option<Arc<SplitPoint>>,
    ) -> Arc<SplitPoint> {
        let point = Arc::new(SplitPoint { own, opp, alpha, all_node_alpha, parent, cut_off: AtomicBool::new(false) });
        let result = SplitResult { score, best, nodes: 0 };
        let mut state = self.lock();
        state.open.push(Open { point: Arc::clone(&point), moves, running: 0, result });
        self.publish(&state);
        self.signal(state);
        point
    }

    /// The next job of a split point's owner: a move of the split point, else of one below it. Waits while other
    /// workers search its last moves. `Err` once it is done; then the split point is closed.
    pub(super) fn next_of_owner(
        &self,
        point: &Arc<SplitPoint>,
        check: &mut dyn FnMut() -> bool,
    ) -> Result<Job, SplitResult> {
        let mut state = self.lock();
        loop {
            let Some(at) = state.find(point) else {
                return Err(SplitResult { score: -64, best: NO_MOVE, nodes: 0 });
            };
            let open = &mut state.open[at];
            let done = open.moves.is_empty() && open.running == 0;
            if done || point.is_obsolete() || self.stopped() {
                let result = state.open.remove(at).result;
                self.publish(&state);
                return Err(result);
            }
            if let Some(m) = open.moves.pop() {
                open.running += 1;
                self.publish(&state);
                return Ok(Job { point: Arc::clone(point), m });
            }
            if let Some(job) = state.take(Some(point)) {
                self.publish(&state);
                return Ok(job);
            }
            state = self.wait(state);
            drop(state);
            if check() {
                self.stop();
            }
            state = self.lock();
        }
    }

    /// The next job of a helper; waits for one. `None` at the end of the search.
    pub(super) fn next_of_helper(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.finished {
                return None;
            }
            if let Some(job) = state.take(None) {
                self.publish(&state);
                return Some(job);
            }
            state = self.wait(state);
        }
    }

    /// Records the result of a job: the score of the move for the mover of the split point, or `None` if its search was
    /// abandoned. `nodes` counts what a worker other than the owner searched.
    pub(super) fn record(&self, job: &Job, score: Option<i32>, nodes: u64) {
        let mut state = self.lock();
        // The owner closes a split point with a cut-off at once.
        let Some(at) = state.find(&job.point) else { return };
        let open = &mut state.open[at];
        open.running -= 1;
        open.result.nodes += nodes;
        if let Some(score) = score
            && score > open.result.score
        {
            (open.result.score, open.result.best) = (score, job.m.square as u8);
        }
        let cut_off = open.result.score > job.point.alpha;
        if cut_off {
            job.point.cut_off.store(true, Relaxed);
            open.moves.clear();
        }
        let done = cut_off || (open.running == 0 && open.moves.is_empty());
        self.publish(&state);
        if done {
            self.signal(state);
        }
    }
}
