//! Threads that the host provides: each of them calls [`serve`] and stays there, and a search uses those that are idle.
//!
//! For targets whose programs cannot start threads: in a browser the host starts workers with the memory of the module. There a
//! panic ends its worker, and the others may wait for it: the host ends them all. Where panics unwind, the search of a helper
//! that panics does so too, and the helper's thread goes on serving.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::lock;

/// What an idle thread runs.
type Job = Box<dyn FnOnce() + Send>;

struct Queue {
    /// Threads that wait for a job, less the jobs that wait for a thread.
    idle: usize,
    jobs: Vec<Job>,
}

static QUEUE: Mutex<Queue> = Mutex::new(Queue { idle: 0, jobs: Vec::new() });
/// Signals a new job to the threads that wait.
static WORK: Condvar = Condvar::new();

/// Gives the calling thread to all searches, for good.
pub fn serve() -> ! {
    let mut queue = lock(&QUEUE);
    queue.idle += 1;
    loop {
        while let Some(job) = queue.jobs.pop() {
            drop(queue);
            // `EndOnDrop` reports a panic to the search.
            let _ = catch_unwind(AssertUnwindSafe(job));
            queue = lock(&QUEUE);
        }
        queue = WORK.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

/// The idle threads and the calling one.
pub(super) fn most() -> usize {
    lock(&QUEUE).idle + 1
}

/// The helpers of one search that have not ended.
#[derive(Default)]
struct Running {
    count: Mutex<usize>,
    ended: Condvar,
    /// Whether one has panicked.
    panicked: AtomicBool,
}

/// Marks a helper as ended, and its thread as idle, when it is dropped: a search that goes on finds the thread again.
struct EndOnDrop(Arc<Running>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panicked.store(true, Relaxed);
        }
        lock(&QUEUE).idle += 1;
        *lock(&self.0.count) -= 1;
        self.0.ended.notify_all();
    }
}

/// Waits when it is dropped until all helpers have ended.
struct WaitOnDrop<'a>(&'a Running);

impl Drop for WaitOnDrop<'_> {
    fn drop(&mut self) {
        let mut count = lock(&self.0.count);
        while *count > 0 {
            count = self.0.ended.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A helper is dropped when no thread is idle.
pub(super) fn run_with_helpers<H, T>(helpers: impl IntoIterator<Item = H>, own: impl FnOnce() -> T) -> T
where
    H: FnOnce() + Send,
{
    let running = Arc::new(Running::default());
    let wait = WaitOnDrop(&running);
    for helper in helpers {
        let mut queue = lock(&QUEUE);
        if queue.idle == 0 {
            break;
        }
        queue.idle -= 1;
        *lock(&running.count) += 1;
        let end = EndOnDrop(Arc::clone(&running));
        let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || {
            let _end = end;
            helper();
        });
        // SAFETY: the two types differ in a lifetime only. What the helper borrows outlives this function, and `wait` lets
        // the function return or unwind only when each job that was queued has dropped its helper: `_end` is dropped after
        // it, and a job that is queued is run, since a thread is idle for each.
        queue.jobs.push(unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Job>(job) });
        drop(queue);
        WORK.notify_one();
    }
    let result = own();
    drop(wait);
    assert!(!running.panicked.load(Relaxed), "a helper thread panicked");
    result
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the threads that a host provides, until the process ends")]
    fn idle_threads_run_helpers_also_after_a_panic_and_others_are_dropped() {
        assert_eq!((most(), run_with_helpers([|| unreachable!("no thread is provided")], || 5)), (1, 5));
        for _ in 0..2 {
            std::thread::spawn(|| serve());
        }
        while most() < 3 {
            std::thread::yield_now();
        }
        for round in 0..1000 {
            let sum = AtomicUsize::new(0);
            // The calling thread and both helpers at the same time; the other helpers are not run.
            let together = Barrier::new(3);
            let helper = |n: usize| {
                let (sum, together) = (&sum, &together);
                move || {
                    together.wait();
                    sum.fetch_add(n, Relaxed);
                }
            };
            let own = run_with_helpers([1, 2, 4, 8].map(helper), || {
                assert_eq!(most(), 1, "both are busy");
                together.wait();
                round
            });
            assert_eq!((own, sum.into_inner(), most()), (round, 3, 3));
            if round % 100 == 0 {
                let ended = AtomicUsize::new(0);
                let search = || run_with_helpers([|| panic!("a helper's")], || ended.fetch_add(1, Relaxed));
                assert!(catch_unwind(AssertUnwindSafe(search)).is_err(), "it is the search's");
                assert_eq!((ended.into_inner(), most()), (1, 3));
            }
        }
    }
}
