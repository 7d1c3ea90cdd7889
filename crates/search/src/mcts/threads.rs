//! Work beside the calling thread. The only file of the crate that starts threads, and only with the feature.

/// Runs `jobs` on threads of their own while the calling thread does `own`; returns when all are done.
#[cfg(feature = "threads")]
#[expect(clippy::disallowed_methods, reason = "asked for by the feature and by the settings; joined before it returns")]
pub(super) fn beside<J: FnOnce() + Send>(jobs: impl Iterator<Item = J>, own: impl FnOnce()) {
    std::thread::scope(|scope| {
        for job in jobs {
            scope.spawn(job);
        }
        own();
    });
}

/// Without threads the settings admit no jobs.
#[cfg(not(feature = "threads"))]
pub(super) fn beside<J: FnOnce() + Send>(mut jobs: impl Iterator<Item = J>, own: impl FnOnce()) {
    debug_assert!(jobs.next().is_none());
    own();
}
