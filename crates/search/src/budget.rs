//! The budget that every search looks at: nodes, time, the stop flag.

use std::time::Duration;

use crate::{Clock, Limits, StopFlag};

/// Counts nodes and says when a limit is reached.
///
/// The clock and the flag are looked at every [`Budget::PERIOD`] nodes, the node limit at every node: so the same node
/// limit always stops at the same node.
pub struct Budget<'a> {
    clock: &'a dyn Clock,
    stop: &'a StopFlag,
    start: Duration,
    deadline: Option<Duration>,
    node_limit: u64,
    nodes: u64,
    next_look: u64,
    over: bool,
}

impl<'a> Budget<'a> {
    /// Nodes between two looks at the clock: a fraction of a millisecond for any search that makes 10^6 nodes a second.
    pub const PERIOD: u64 = 256;

    /// Starts now. A limit of playouts bounds the nodes too: what a search without playouts makes of it. One that makes
    /// playouts leaves that limit out and counts them itself.
    pub fn start(limits: &Limits, clock: &'a dyn Clock, stop: &'a StopFlag) -> Self {
        let start = clock.now();
        Budget {
            clock,
            stop,
            start,
            deadline: limits.budget().map(|budget| start + budget),
            node_limit: limits.nodes.unwrap_or(u64::MAX).min(limits.playouts.unwrap_or(u64::MAX)),
            nodes: 0,
            next_look: 0,
            over: false,
        }
    }

    /// Counts one node. False once a limit is reached or somebody asked to stop: the search must then unwind.
    #[inline]
    pub fn node(&mut self) -> bool {
        self.nodes(1)
    }

    /// Counts `count` nodes at once, for searches that look less often than at every node.
    #[inline]
    pub fn nodes(&mut self, count: u64) -> bool {
        self.nodes += count;
        if self.nodes > self.next_look {
            self.look();
        }
        !self.over
    }

    /// Looks at the clock and the flag now. False when the search must stop.
    pub fn go_on(&mut self) -> bool {
        self.look();
        !self.over
    }

    #[cold]
    fn look(&mut self) {
        self.next_look = self.node_limit.min(self.nodes + Self::PERIOD);
        self.over = self.over
            || self.nodes > self.node_limit
            || self.stop.stopped()
            || self.deadline.is_some_and(|deadline| self.clock.now() >= deadline);
    }

    /// Whether a limit was reached at the last look.
    #[must_use]
    pub fn over(&self) -> bool {
        self.over
    }

    /// Nodes counted, the one that broke the limit left out.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.nodes.min(self.node_limit)
    }

    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.start)
    }

    /// Time left until the deadline, where there is one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(self.clock.now()))
    }

    /// Runs `part` with a deadline of its own, `time` from now, if that is earlier; afterwards the old bounds hold
    /// again. For a search of several parts that share one budget.
    pub fn within<T>(&mut self, time: Duration, part: impl FnOnce(&mut Self) -> T) -> T {
        let whole = self.deadline;
        let own = self.clock.now() + time;
        self.deadline = Some(whole.map_or(own, |whole| whole.min(own)));
        let result = part(self);
        self.deadline = whole;
        self.over = false;
        self.look();
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A clock that goes on by a millisecond at every look.
    #[derive(Default)]
    struct Steps(AtomicU64);

    impl Clock for Steps {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
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
    fn time_and_flag_are_seen() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::time(Duration::from_millis(20)), &clock, &stop);
        assert!(run(&mut budget) <= 20 * Budget::PERIOD);
        stop.stop();
        let mut budget = Budget::start(&Limits::default(), &clock, &stop);
        assert_eq!(run(&mut budget), 0);
    }

    #[test]
    fn a_part_ends_before_the_whole() {
        let (clock, stop) = (Steps::default(), StopFlag::default());
        let mut budget = Budget::start(&Limits::time(Duration::from_secs(60)), &clock, &stop);
        budget.within(Duration::from_millis(5), |part| assert!(run(part) > 0));
        assert!(budget.node(), "the whole goes on");
    }
}
