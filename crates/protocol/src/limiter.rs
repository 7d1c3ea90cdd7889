//! How many searches may run at once, and with how many threads.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

/// Lets a number of searches run, and a number wait. A search that has run longer than the limiter's patience is stopped
/// when another one waits: it answers with what it has, so that nobody's analysis keeps others from playing.
///
/// The searches that run share a number of threads. A search gets as many as it asks for, clamped to the larger of its
/// equal share and what the others leave; never less than one. So a search that began alone may use more than its share
/// while others begin, until it ends.
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

/// The right to run, given back when dropped.
pub struct Permit {
    gate: Arc<SearchLimiter>,
    number: u64,
}

impl SearchLimiter {
    /// Admits `running` searches at once, which share `threads` threads, and `waiting` more in line.
    #[must_use]
    pub fn new(running: usize, waiting: usize, threads: usize, patience: Duration) -> Arc<Self> {
        Arc::new(SearchLimiter { running, waiting, threads, patience, state: Mutex::default(), freed: Condvar::new() })
    }

    /// Waits for a place, at most until `stop` says that nobody waits for the answer any more. Blocks the thread.
    ///
    /// # Errors
    /// `busy` when the line is full, `stopped` when the search was stopped while it stood in line.
    pub fn enter(self: &Arc<Self>, stop: &StopFlag) -> Result<Permit, Error> {
        let mut state = self.lock();
        if state.running.len() >= self.running {
            if state.waiting >= self.waiting {
                return Err(Error::new(ErrorCode::Busy, "the server is thinking for others: try again in a moment"));
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
        Ok(Permit { gate: Arc::clone(self), number })
    }

    /// Searches running and waiting now.
    #[must_use]
    pub fn load(&self) -> (usize, usize) {
        let state = self.lock();
        (state.running.len(), state.waiting)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// The threads that the search may use, of those that it asks for: at least 1.
    #[must_use]
    pub fn threads(&self, asked: usize) -> usize {
        let mut state = self.gate.lock();
        let share = self.gate.threads / state.running.len().max(1);
        let others = state.running.iter().filter(|search| search.number != self.number);
        let left = self.gate.threads.saturating_sub(others.map(|search| search.threads).sum());
        let granted = asked.min(share.max(left)).max(1);
        if let Some(search) = state.running.iter_mut().find(|search| search.number == self.number) {
            search.threads = granted;
        }
        granted
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.lock().running.retain(|search| search.number != self.number);
        self.gate.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_bounded_and_moves_up() {
        let gate = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600));
        let first = gate.enter(&StopFlag::default()).expect("the gate is free");
        let second = {
            let gate = Arc::clone(&gate);
            std::thread::spawn(move || gate.enter(&StopFlag::default()).map(|_| ()))
        };
        while gate.load() != (1, 1) {
            std::thread::yield_now();
        }
        assert_eq!(gate.enter(&StopFlag::default()).err().map(|error| error.code), Some(ErrorCode::Busy));
        drop(first);
        assert_eq!(second.join().expect("no panic"), Ok(()));
        assert_eq!(gate.load(), (0, 0));
    }

    #[test]
    fn who_waits_may_give_up() {
        let gate = SearchLimiter::new(1, 1, 1, Duration::from_secs(3600));
        let _first = gate.enter(&StopFlag::default()).expect("the gate is free");
        let stop = StopFlag::default();
        stop.stop();
        assert_eq!(gate.enter(&stop).err().map(|error| error.code), Some(ErrorCode::Stopped));
        assert_eq!(gate.load(), (1, 0));
    }

    #[test]
    fn a_long_search_gives_way() {
        let gate = SearchLimiter::new(1, 1, 1, Duration::ZERO);
        let long = StopFlag::default();
        let pass = gate.enter(&long).expect("the gate is free");
        let runner = std::thread::spawn(move || {
            while !long.stopped() {
                std::thread::yield_now();
            }
            drop(pass);
        });
        gate.enter(&StopFlag::default()).expect("the long search was stopped");
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
