//! Time and the wish to stop, both passed in by the caller.

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
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks to stop. Cannot be taken back.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
