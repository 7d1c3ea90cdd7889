//! How many searches may run at once.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

/// Lets a number of searches run, and a number wait. A search that has run longer than the gate's patience is stopped
/// when another one waits: it answers with what it has, so that nobody's analysis keeps others from playing.
pub struct SearchLimiter {
    running: usize,
    waiting: usize,
    patience: Duration,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    running: Vec<(u64, Instant, StopFlag)>,
    waiting: usize,
    last: u64,
}

/// The right to run, given back when dropped.
pub struct Permit {
    gate: Arc<SearchLimiter>,
    number: u64,
}

impl SearchLimiter {
    /// A gate for `running` searches at once and `waiting` more in line.
    #[must_use]
    pub fn new(running: usize, waiting: usize, patience: Duration) -> Arc<Self> {
        Arc::new(SearchLimiter { running, waiting, patience, state: Mutex::default(), freed: Condvar::new() })
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
                for (_, since, flag) in &state.running {
                    if since.elapsed() > self.patience {
                        flag.stop();
                    }
                }
                // Short waits, so that a stop and the gate's patience are noticed.
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
        state.running.push((number, Instant::now(), stop.clone()));
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

impl Drop for Permit {
    fn drop(&mut self) {
        self.gate.lock().running.retain(|(number, ..)| *number != self.number);
        self.gate.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_bounded_and_moves_up() {
        let gate = SearchLimiter::new(1, 1, Duration::from_secs(3600));
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
        let gate = SearchLimiter::new(1, 1, Duration::from_secs(3600));
        let _first = gate.enter(&StopFlag::default()).expect("the gate is free");
        let stop = StopFlag::default();
        stop.stop();
        assert_eq!(gate.enter(&stop).err().map(|error| error.code), Some(ErrorCode::Stopped));
        assert_eq!(gate.load(), (1, 0));
    }

    #[test]
    fn a_long_search_gives_way() {
        let gate = SearchLimiter::new(1, 1, Duration::ZERO);
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
}
