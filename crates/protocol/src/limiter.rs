//! How many searches may run at once, and with how many threads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

use crate::lock::lock;

/// Bounds the numbers of searches that run and that wait. A search that has run longer than the limiter's patience is
/// stopped when another one waits: it answers with its best result so far, so that a long analysis does not block other
/// searches.
///
/// The searches that run share a number of threads. A search gets as many as it asks for, clamped to the larger of its
/// equal share and what the others leave; never less than one. So a search that began alone may use more than its share
/// until it ends, even after others have begun.
pub struct SearchLimiter {
    running: usize,
    waiting: usize,
    threads: usize,
    patience: Duration,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    waiting: usize,
    last: u64,
}

struct Running {
    number: u64,
    since: Instant,
    stop: StopFlag,
    threads: usize,
}

/// The admission of a search, returned when dropped.
pub struct Permit {
    limiter: Arc<SearchLimiter>,
    number: u64,
}

impl SearchLimiter {
    /// Admits `running` searches at the same time, which share `threads` threads, and queues `waiting` more. While a
    /// search waits, one that has run longer than `patience` is stopped.
    #[must_use]
    pub fn new(running: usize, waiting: usize, threads: usize, patience: Duration) -> Arc<Self> {
        Arc::new(SearchLimiter { running, waiting, threads, patience, state: Mutex::default(), freed: Condvar::new() })
    }

    /// Waits for admission, or until `stop` is set. Blocks the thread.
    ///
    /// # Errors
    /// `busy` when the queue is full, `stopped` when the search was stopped while it waited.
    pub fn enter(self: &Arc<Self>, stop: &StopFlag) -> Result<Permit, Error> {
        let mut state = lock(&self.state);
        if state.running.len() >= self.running {
            if state.waiting >= self.waiting {
                return Err(Error::new(
                    ErrorCode::Busy,
                    "as many searches are running as are allowed: try again in a moment",
                ));
            }
            state.waiting += 1;
            while state.running.len() >= self.running && !stop.stopped() {
                for search in &state.running {
                    if search.since.elapsed() > self.patience {
                        search.stop.stop();
                    }
                }
                // Short waits, so that a stop and the end of the patience are noticed.
                let waited = self.freed.wait_timeout(state, Duration::from_millis(20));
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            state.waiting -= 1;
            if state.running.len() >= self.running {
                return Err(Error::new(ErrorCode::Stopped, "the search was stopped before it began"));
            }
        }
        state.last += 1;
        let number = state.last;
        state.running.push(Running { number, since: Instant::now(), stop: stop.clone(), threads: 1 });
        Ok(Permit { limiter: Arc::clone(self), number })
    }

    /// Searches running and waiting now.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.running.len(), state.waiting)
    }
}

impl Permit {
    /// The threads that the search may use, of those that it asks for: at least 1.
    #[must_use]
    pub fn threads(&self, asked: usize) -> usize {
        let mut state = lock(&self.limiter.state);
        let share = self.limiter.threads / state.running.len().max(1);
        let others = state.running.iter().filter(|search| search.number != self.number);
        let left = self.limiter.threads.saturating_sub(others.map(|search| search.threads).sum());
        let granted = asked.min(share.max(left)).max(1);
        if let Some(search) = state.running.iter_mut().find(|search| search.number == self.number) {
            search.threads = granted;
        }
        granted
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.limiter.state).running.retain(|search| search.number != self.number);
        self.limiter.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_is_bounded_and_advances() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600));
        let first = limiter.enter(&StopFlag::default()).expect("admitted");
        let second = {
            let limiter = Arc::clone(&limiter);
            std::thread::spawn(move || limiter.enter(&StopFlag::default()).map(|_| ()))
        };
        while limiter.load() != (1, 1) {
            std::thread::yield_now();
        }
        assert_eq!(limiter.enter(&StopFlag::default()).err().map(|error| error.code), Some(ErrorCode::Busy));
        drop(first);
        assert_eq!(second.join().expect("no panic"), Ok(()));
        assert_eq!(limiter.load(), (0, 0));
    }

    #[test]
    fn a_waiting_search_can_be_stopped() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600));
        let _first = limiter.enter(&StopFlag::default()).expect("admitted");
        let stop = StopFlag::default();
        stop.stop();
        assert_eq!(limiter.enter(&stop).err().map(|error| error.code), Some(ErrorCode::Stopped));
        assert_eq!(limiter.load(), (1, 0));
    }

    #[test]
    fn a_long_search_is_stopped_for_a_waiting_one() {
        let limiter = SearchLimiter::new(1, 1, 1, Duration::ZERO);
        let long = StopFlag::default();
        let permit = limiter.enter(&long).expect("admitted");
        let runner = std::thread::spawn(move || {
            while !long.stopped() {
                std::thread::yield_now();
            }
            drop(permit);
        });
        limiter.enter(&StopFlag::default()).expect("the long search was stopped");
        runner.join().expect("no panic");
    }

    #[test]
    fn running_searches_share_the_threads() {
        let limiter = SearchLimiter::new(4, 0, 6, Duration::from_secs(3600));
        let enter = || limiter.enter(&StopFlag::default()).expect("four may run");
        let analysis = enter();
        assert_eq!(analysis.threads(256), 6, "all of them while it is alone");
        assert_eq!(analysis.threads(2), 2, "no more than it asks for");
        assert_eq!(analysis.threads(256), 6, "its own threads are not another search's");
        let player = enter();
        assert_eq!(player.threads(1), 1);
        let other = enter();
        assert_eq!(other.threads(256), 2, "none is left: a third of them");
        drop(analysis);
        let analysis = enter();
        assert_eq!(analysis.threads(256), 3, "what the player and the other leave");
        drop((player, other));
        assert_eq!(analysis.threads(256), 6);
        assert_eq!(analysis.threads(0), 1);
    }
}
