//! Time and the wish to stop, both passed in by the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A source of time: wall time, the CPU time of the calling thread, or a test's.
pub trait Clock: Send + Sync {
    /// The time since a fixed moment of the clock's own. Never goes back within one thread.
    fn now(&self) -> Duration;
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
