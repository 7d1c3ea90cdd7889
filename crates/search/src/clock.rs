//! Clocks and stop flags, which the caller passes to a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A source of time: wall time, the CPU time of a search, or a test's.
///
/// One thread, which thinks, reads [`Clock::now`]. A clock of CPU time counts its helper threads too: each of them keeps a
/// [`CpuMeter`] while it works.
pub trait Clock: Send + Sync {
    /// The time since a fixed moment of the clock's own. Never goes back within one thread.
    fn now(&self) -> Duration;

    /// The CPU time that the calling thread has used since a fixed moment, for a clock of CPU time; else zero.
    fn thread_time(&self) -> Duration {
        Duration::ZERO
    }

    /// Adds CPU time that a helper thread has used to what [`Clock::now`] returns on the thread that thinks. Clocks of other
    /// time ignore it.
    fn charge(&self, time: Duration) {
        let _ = time;
    }
}

/// Charges the CPU time of a helper thread to the clock of the search: at each [`CpuMeter::charge`], and the rest when it
/// is dropped. Started and used on the helper thread.
pub struct CpuMeter<'a> {
    clock: &'a dyn Clock,
    charged: Duration,
}

impl<'a> CpuMeter<'a> {
    /// Counts the time of the calling thread from now on.
    pub fn start(clock: &'a dyn Clock) -> Self {
        CpuMeter { clock, charged: clock.thread_time() }
    }

    /// Charges what the thread has used since the last charge.
    pub fn charge(&mut self) {
        let used = self.clock.thread_time();
        self.clock.charge(used.saturating_sub(self.charged));
        self.charged = used;
    }
}

impl Drop for CpuMeter<'_> {
    fn drop(&mut self) {
        self.charge();
    }
}

/// A flag that asks a search to stop with what it has. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag {
    stopped: Arc<AtomicBool>,
    ask: Option<fn() -> bool>,
}

impl StopFlag {
    /// A flag that also calls `ask`, and is set once `ask` returns true: for a host that cannot set a flag while the search
    /// runs, such as the only thread of a browser's worker. A search calls it as often as it reads the clock.
    #[must_use]
    pub fn asking(ask: fn() -> bool) -> Self {
        StopFlag { ask: Some(ask), ..StopFlag::default() }
    }

    /// Asks to stop. Cannot be taken back.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the search is asked to stop.
    #[must_use]
    pub fn stopped(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let asked = self.ask.is_some_and(|ask| ask());
        if asked {
            self.stop();
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::{Budget, Limits};

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    #[test]
    fn asking_flag_calls_its_function_until_it_says_stop() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let flag = StopFlag::asking(|| CALLS.fetch_add(1, Ordering::Relaxed) == 4);
        let other = flag.clone();
        let mut budget = Budget::start(&Limits::default(), &Still, &flag);
        let mut nodes = 0;
        while budget.node() {
            nodes += 1;
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 5, "asked at each check until the answer was yes");
        assert!(nodes > 3 * Budget::PERIOD && nodes <= 5 * Budget::PERIOD, "{nodes}");
        assert!(flag.stopped() && other.stopped(), "the answer is kept, by clones too");
        assert_eq!(CALLS.load(Ordering::Relaxed), 5);
        let set = StopFlag::asking(|| false);
        assert!(!set.stopped());
        set.stop();
        assert!(set.stopped(), "it can be set like any other");
    }
}
