//! Helper threads beside the calling thread, and the threads on which callers have players search.
//!
//! The only modules of the crate that have threads; helpers have them only with the feature `threads`. Without it the calling
//! thread does all the work. Where the operating system has threads, they are started for each search (`system`). In a browser only its
//! workers are threads: the host provides them (`pool`). Searches run their helpers with
//! [`Budget::share`](crate::Budget::share).

use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(all(feature = "threads", any(target_family = "wasm", test)))]
mod pool;
#[cfg(all(feature = "threads", not(target_family = "wasm")))]
mod system;

#[cfg(all(feature = "threads", target_family = "wasm"))]
use pool as kind;
#[cfg(all(feature = "threads", any(target_family = "wasm", test)))]
pub use pool::serve;
#[cfg(all(feature = "threads", not(target_family = "wasm")))]
use system as kind;

/// A value that shares no cache line with others: a thread that reads neighbouring values does not wait for one that
/// writes this value. 128 bytes, because x86-64 processors prefetch pairs of lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct CacheLine<T>(pub(crate) T);

/// Locks a mutex, also after a panic of a thread that held it.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A builder for threads on which players search, with a stack of 16 MiB for the deepest recursion of a player.
pub fn search_thread() -> std::thread::Builder {
    std::thread::Builder::new().name("search".to_owned()).stack_size(16 << 20)
}

/// Runs `work`, in which players search, on a [`search_thread`] of the scope.
///
/// # Panics
/// When the system starts no thread, as [`Scope::spawn`](std::thread::Scope::spawn) does.
pub fn spawn_search<'scope>(scope: &'scope std::thread::Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    search_thread().spawn_scoped(scope, work).expect("the system starts a thread");
}

/// The most threads on which a search can run now, the calling one included: 1 without the feature `threads`.
#[must_use]
pub fn most() -> usize {
    #[cfg(feature = "threads")]
    return kind::most();
    #[cfg(not(feature = "threads"))]
    1
}

/// The helpers of a search for which so many threads are asked, the calling one included: as many as can be run now.
#[must_use]
pub fn helpers(threads: usize) -> usize {
    threads.min(most()).saturating_sub(1)
}

/// Runs each of `helpers` on a thread of its own while the calling thread runs `own`. Returns what `own` returns, when all
/// helpers have ended.
///
/// Helpers may take work from the calling thread but must not be relied on: a helper is dropped without being run when there
/// is no thread for it, and without the feature `threads` all are.
///
/// # Panics
/// When `own` or a helper panics, after all helpers have ended.
pub fn run_with_helpers<H, T>(helpers: impl IntoIterator<Item = H>, own: impl FnOnce() -> T) -> T
where
    H: FnOnce() + Send,
{
    #[cfg(feature = "threads")]
    return kind::run_with_helpers(helpers, own);
    #[cfg(not(feature = "threads"))]
    {
        drop(helpers);
        own()
    }
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
        assert_eq!(runs.into_inner(), if most() > 1 { 6 } else { 0 });
    }

    #[test]
    fn the_calling_thread_is_no_helper() {
        assert_eq!((helpers(0), helpers(1)), (0, 0));
        assert_eq!(helpers(3), if most() > 1 { 2 } else { 0 });
    }
}
