//! Helper threads beside the calling thread.
//!
//! The only module of the crate that starts threads, and only with the feature `threads`. Without it nothing is started
//! and the calling thread does all the work. Searches start their helpers with
//! [`Budget::share`](crate::Budget::share).

/// A value that shares no cache line with others: a thread that reads neighbouring values does not wait for one that
/// writes this value. 128 bytes, because x86-64 processors prefetch pairs of lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct CacheLine<T>(pub(crate) T);

/// Whether helper threads are started: the feature `threads`.
pub const AVAILABLE: bool = cfg!(feature = "threads");

/// Bytes of stack of a helper thread: recursive searches go some hundred plies deep.
#[cfg(feature = "threads")]
const STACK: usize = 16 << 20;

/// Runs each of `helpers` on a thread of its own while the calling thread runs `own`. Returns what `own` returns, when all
/// threads have ended.
///
/// Helpers may take work from the calling thread but must not be relied on: a helper is dropped without being run when the
/// operating system refuses the thread, and without the feature `threads` all are.
///
/// # Panics
/// When `own` or a helper panics, after all threads have ended.
#[cfg(feature = "threads")]
#[expect(clippy::disallowed_methods, reason = "the feature allows threads, the caller says how many; joined on return")]
pub(crate) fn run_with_helpers<H, T>(helpers: impl IntoIterator<Item = H>, own: impl FnOnce() -> T) -> T
where
    H: FnOnce() + Send,
{
    std::thread::scope(|scope| {
        for helper in helpers {
            let builder = std::thread::Builder::new().name("helper".to_owned()).stack_size(STACK);
            if builder.spawn_scoped(scope, helper).is_err() {
                break;
            }
        }
        own()
    })
}

/// Runs `own`; `helpers` are dropped: this build has no threads.
#[cfg(not(feature = "threads"))]
pub(crate) fn run_with_helpers<H, T>(_: impl IntoIterator<Item = H>, own: impl FnOnce() -> T) -> T
where
    H: FnOnce() + Send,
{
    own()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_helper_has_run_on_return() {
        let runs = AtomicUsize::new(0);
        let helper = |n: usize| {
            let runs = &runs;
            move || {
                runs.fetch_add(n, Ordering::Relaxed);
            }
        };
        let own = run_with_helpers((1..=3).map(helper), || 7);
        assert_eq!(own, 7);
        assert_eq!(runs.into_inner(), if AVAILABLE { 6 } else { 0 });
    }
}
