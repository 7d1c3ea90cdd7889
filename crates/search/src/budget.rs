//! The budget of a search: nodes, time, the stop flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::threads::run_with_helpers;
use crate::{Clock, CpuMeter, Limits, StopFlag};

/// Counts nodes and reports when a limit is reached.
///
/// The clock and the stop flag are read every [`Budget::PERIOD`] nodes, the node limit is checked at every node: the same
/// node limit always stops one thread at the same node. [`Budget::share`] lets helper threads work on the same budget.
pub struct Budget<'a> {
    clock: &'a dyn Clock,
    stop: &'a StopFlag,
    start: Duration,
    deadline: Option<Duration>,
    node_limit: u64,
    nodes: u64,
    next_check: u64,
    over: bool,
    shared: Option<Arc<SharedCounters>>,
    /// On a helper thread.
    meter: Option<CpuMeter<'a>>,
    /// The part of `nodes` that [`SharedCounters::nodes`] contains.
    reported: u64,
}

/// What the threads of one shared budget exchange.
struct SharedCounters {
    /// Nodes of all threads up to their last checks.
    nodes: AtomicU64,
    /// Helpers must stop.
    halt: AtomicBool,
    /// What the calling thread read from the clock at its last check, in nanoseconds.
    now: AtomicU64,
}

/// Stops the helpers when the calling thread is done, also by a panic.
struct HaltOnDrop(Arc<SharedCounters>);

impl Drop for HaltOnDrop {
    fn drop(&mut self) {
        self.0.halt.store(true, Relaxed);
    }
}

impl<'a> Budget<'a> {
    /// Nodes between two readings of the clock: a fraction of a millisecond for a search of 10^6 nodes a second.
    pub const PERIOD: u64 = 256;

    /// Starts now. A limit of playouts limits the nodes too, for searches without playouts. A search with playouts removes
    /// that limit from `limits` and counts playouts itself.
    pub fn start(limits: &Limits, clock: &'a dyn Clock, stop: &'a StopFlag) -> Self {
        let start = clock.now();
        Budget {
            clock,
            stop,
            start,
            deadline: limits.budget().map(|budget| start + budget),
            node_limit: limits.nodes.unwrap_or(u64::MAX).min(limits.playouts.unwrap_or(u64::MAX)),
            nodes: 0,
            next_check: 0,
            over: false,
            shared: None,
            meter: None,
            reported: 0,
        }
    }

    /// Runs `own` on the calling thread and each of `helpers` on a thread of its own, all on this budget, and returns what
    /// `own` returns. Nodes and CPU time of all threads count. When `own` returns, the helpers' budgets are over; this
    /// returns when they have ended. A limit may be exceeded by [`Budget::PERIOD`] nodes a helper.
    ///
    /// A helper is dropped without being run when the operating system refuses its thread, and without the feature
    /// `threads`. A helper's budget cannot be shared again: there only `own` is run.
    pub fn share<H, T>(&mut self, helpers: impl IntoIterator<Item = H>, own: impl FnOnce(&mut Self) -> T) -> T
    where
        H: FnOnce(&mut Budget<'a>) + Send,
    {
        let mut helpers = helpers.into_iter().peekable();
        if helpers.peek().is_none() || self.shared.is_some() {
            return own(self);
        }
        let shared = Arc::new(SharedCounters {
            nodes: AtomicU64::new(self.nodes),
            halt: AtomicBool::new(false),
            now: AtomicU64::new(nanoseconds(self.clock.now())),
        });
        self.shared = Some(Arc::clone(&shared));
        self.reported = self.nodes;
        let (clock, stop, start, deadline, node_limit) =
            (self.clock, self.stop, self.start, self.deadline, self.node_limit);
        let jobs = helpers.map(|helper| {
            let shared = Arc::clone(&shared);
            move || {
                let mut budget = Budget {
                    clock,
                    stop,
                    start,
                    deadline,
                    node_limit,
                    nodes: 0,
                    next_check: 0,
                    over: false,
                    shared: Some(shared),
                    meter: Some(CpuMeter::start(clock)),
                    reported: 0,
                };
                helper(&mut budget);
                budget.exchange();
            }
        });
        let result = run_with_helpers(jobs, || {
            let _halt = HaltOnDrop(Arc::clone(&shared));
            own(self)
        });
        self.exchange();
        self.shared = None;
        result
    }

    /// Exchanges counters with the other threads. Returns whether this thread must stop because of one of them.
    fn exchange(&mut self) -> bool {
        let Some(shared) = &self.shared else { return false };
        let new = self.nodes - self.reported;
        let total = shared.nodes.fetch_add(new, Relaxed) + new;
        if let Some(meter) = &mut self.meter {
            meter.charge();
            self.reported = self.nodes;
            return total > self.node_limit || shared.halt.load(Relaxed);
        }
        self.nodes = total;
        self.reported = total;
        shared.now.store(nanoseconds(self.clock.now()), Relaxed);
        false
    }

    /// The time of the search's clock. A helper cannot read it: it gets what the calling thread read at its last check.
    fn now(&self) -> Duration {
        match (&self.meter, &self.shared) {
            (Some(_), Some(shared)) => Duration::from_nanos(shared.now.load(Relaxed)),
            _ => self.clock.now(),
        }
    }

    /// The clock that the budget is measured by.
    #[must_use]
    pub fn clock(&self) -> &'a dyn Clock {
        self.clock
    }

    /// The flag that stops the search.
    pub(crate) fn stop(&self) -> &'a StopFlag {
        self.stop
    }

    /// The moment of the clock at which the time is up, where there is one.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Counts one node. False once a limit is reached or the stop flag is set: the search must then unwind.
    #[inline]
    pub fn node(&mut self) -> bool {
        self.nodes(1)
    }

    /// Counts `count` nodes at once, for searches that do not check at every node.
    #[inline]
    pub fn nodes(&mut self, count: u64) -> bool {
        self.nodes += count;
        if self.nodes > self.next_check {
            self.check();
        }
        !self.over
    }

    /// Reads the clock and the flag now. False when the search must stop.
    pub fn go_on(&mut self) -> bool {
        self.check();
        !self.over
    }

    #[cold]
    fn check(&mut self) {
        let halted = self.exchange();
        self.next_check = self.node_limit.min(self.nodes + Self::PERIOD);
        self.over = self.over
            || halted
            || self.nodes > self.node_limit
            || self.stop.stopped()
            || self.deadline.is_some_and(|deadline| self.now() >= deadline);
    }

    /// Whether a limit was reached at the last check.
    #[must_use]
    pub fn over(&self) -> bool {
        self.over
    }

    /// Nodes counted, without the one that exceeded the limit.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.nodes.min(self.node_limit)
    }

    /// Time since the start. On a helper thread: up to the calling thread's last check.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.now().saturating_sub(self.start)
    }

    /// Time left until the deadline, where there is one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(self.now()))
    }

    /// Moves the deadline earlier by `time`, so that there is time for work after the search. Without a deadline nothing
    /// happens.
    pub fn reserve(&mut self, time: Duration) {
        self.deadline = self.deadline.map(|deadline| deadline.saturating_sub(time).max(self.start));
    }

    /// Runs `part` with a deadline of its own, `time` from now, if that is earlier; afterwards the old bounds hold
    /// again. For a search of several parts that share one budget.
    pub fn within<T>(&mut self, time: Duration, part: impl FnOnce(&mut Self) -> T) -> T {
        let whole = self.deadline;
        let own = self.now() + time;
        self.deadline = Some(whole.map_or(own, |whole| whole.min(own)));
        let result = part(self);
        self.deadline = whole;
        self.over = false;
        self.check();
        result
    }
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that advances by a millisecond at each reading.
    #[derive(Default)]
    struct Steps(AtomicU64);

    impl Clock for Steps {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Relaxed))
        }
    }

    fn run(budget: &mut Budget<'_>) -> u64 {
        let mut good = 0;
        while budget.node() {
            good += 1;
        }
        good
    }

    #[test]
    fn node_limits_are_exact() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        for limit in [1, 255, 256, 257, 1000] {
            let mut budget = Budget::start(&Limits::nodes(limit), &clock, &stop);
            assert_eq!(run(&mut budget), limit);
            assert_eq!(budget.count(), limit);
            let playouts = Limits { playouts: Some(limit), ..Limits::nodes(600) };
            assert_eq!(run(&mut Budget::start(&playouts, &clock, &stop)), limit.min(600));
        }
    }

    #[test]
    fn time_limit_and_stop_flag_end_the_search() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::time(Duration::from_millis(20)), &clock, &stop);
        assert!(run(&mut budget) <= 20 * Budget::PERIOD);
        stop.stop();
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        assert_eq!(run(&mut budget), 0);
    }

    #[test]
    fn within_ends_a_part_before_the_whole() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::time(Duration::from_secs(60)), &clock, &stop);
        budget.within(Duration::from_millis(5), |part| assert!(run(part) > 0));
        assert!(budget.node(), "the whole goes on");
    }

    #[test]
    fn reserved_time_is_left_at_the_end() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::time(Duration::from_millis(20)), &clock, &stop);
        budget.reserve(Duration::from_millis(12));
        run(&mut budget);
        assert_eq!(budget.elapsed(), Duration::from_millis(9), "over at the 8th check");
        budget.reserve(Duration::from_secs(1));
        assert_eq!(budget.left(), Some(Duration::ZERO));
        let mut endless = Budget::start(&Limits::default(), &clock, &stop);
        endless.reserve(Duration::from_secs(1));
        assert!(endless.go_on());
    }

    #[test]
    fn share_without_helpers_runs_own() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::nodes(1000), &clock, &stop);
        let none: [fn(&mut Budget<'_>); 0] = [];
        assert_eq!(budget.share(none, |budget| run(budget)), 1000);
    }

    #[cfg(feature = "threads")]
    mod helpers {
        use super::*;

        /// A made-up clock of CPU time: each reading of a helper's own time is a millisecond more, and the thinking
        /// thread uses none.
        #[derive(Default)]
        struct Helpers(AtomicU64);

        thread_local!(static USED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });

        impl Clock for Helpers {
            fn now(&self) -> Duration {
                Duration::from_millis(self.0.load(Relaxed))
            }

            fn thread_time(&self) -> Duration {
                USED.set(USED.get() + 1);
                Duration::from_millis(USED.get())
            }

            fn charge(&self, time: Duration) {
                self.0.fetch_add(time.as_millis() as u64, Relaxed);
            }
        }

        /// A job of so many nodes. Returns whether it finished before its budget was over.
        fn job(budget: &mut Budget<'_>, nodes: u64) -> bool {
            (0..nodes).all(|_| budget.node())
        }

        #[test]
        fn helpers_nodes_count_and_their_time_ends_the_search() {
            let (clock, stop) = (Helpers::default(), StopFlag::default());
            let mut budget = Budget::start(&Limits::time(Duration::from_millis(50)), &clock, &stop);
            let finished = AtomicU64::new(0);
            let helper = |budget: &mut Budget<'_>| {
                job(budget, 20 * Budget::PERIOD);
                finished.fetch_add(1, Relaxed);
            };
            // The helpers alone use up the time: at least 20 checks each.
            budget.share([helper, helper, helper], |budget| {
                while budget.go_on() && finished.load(Relaxed) < 3 {
                    std::hint::spin_loop();
                }
            });
            assert!(!budget.go_on(), "{:?} of 50 ms", budget.elapsed());
            assert!(budget.count() >= 40 * Budget::PERIOD, "{} nodes", budget.count());
            assert!(budget.elapsed() >= Duration::from_millis(50));
        }

        #[test]
        fn helpers_end_with_the_calling_thread_and_their_nodes_reach_the_limit() {
            let (clock, stop) = (Steps::default(), StopFlag::default());
            let endless = |budget: &mut Budget<'_>| while budget.node() {};
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            assert_eq!(budget.share([endless, endless], |_| 5), 5);
            assert!(budget.go_on(), "only the helpers are over");
            let mut budget = Budget::start(&Limits::nodes(100_000), &clock, &stop);
            budget.share([endless, endless], |budget| while budget.go_on() {});
            assert_eq!(budget.count(), 100_000, "by the helpers");
            let mut budget = Budget::start(&Limits::default(), &clock, &stop);
            stop.stop();
            budget.share([endless], |budget| while budget.node() {});
        }
    }
}
