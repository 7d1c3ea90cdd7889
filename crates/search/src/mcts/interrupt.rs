//! A limit that is reached while a guide works on one node.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::{Budget, Clock, StopFlag};

/// Whether a search must end, for work within one simulation. It counts no nodes.
#[derive(Clone, Copy)]
pub(super) struct Interrupt<'a> {
    /// Set once a thread has found that the search must end.
    halt: &'a AtomicBool,
    /// On the calling thread, which alone reads the clock: clock, stop flag and deadline.
    limits: Option<(&'a dyn Clock, &'a StopFlag, Option<Duration>)>,
}

impl<'a> Interrupt<'a> {
    /// That of the calling thread.
    pub(super) fn calling(budget: &Budget<'a>, halt: &'a AtomicBool) -> Self {
        Interrupt { halt, limits: Some((budget.clock(), budget.stop(), budget.deadline())) }
    }

    /// That of a helper thread.
    pub(super) fn helper(halt: &'a AtomicBool) -> Self {
        Interrupt { halt, limits: None }
    }

    /// Whether the search must end; it ends for all threads then.
    pub(super) fn is_due(&self) -> bool {
        let reached = self.limits.is_some_and(|(clock, stop, deadline)| {
            stop.stopped() || deadline.is_some_and(|deadline| clock.now() >= deadline)
        });
        if reached {
            self.halt.store(true, Relaxed);
        }
        reached || self.halt.load(Relaxed)
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").field("halt", self.halt).finish_non_exhaustive()
    }
}
