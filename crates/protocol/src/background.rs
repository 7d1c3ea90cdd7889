//! A player that searches on a thread of its own, so that commands can be read during the search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use banmen_catalog::{AnyPlayer, AnyState, AnyTask, Error, ErrorCode, WallClock};
use banmen_search::{Limits, Report, StopFlag};

use crate::connection::search_thread;

/// A player and its current search.
pub(crate) struct Background {
    /// Threads that each search may use, at least 1.
    pub(crate) threads: usize,
    player: Arc<Mutex<Box<dyn AnyPlayer>>>,
    search: Option<(JoinHandle<()>, StopFlag)>,
}

impl Background {
    pub(crate) fn new(player: Box<dyn AnyPlayer>) -> Self {
        Background { threads: 1, player: Arc::new(Mutex::new(player)), search: None }
    }

    /// Starts a new game. Waits for the search, if there is one.
    pub(crate) fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.wait();
        self.player.lock().unwrap_or_else(PoisonError::into_inner).new_game(start, seed)
    }

    /// Starts a search of this game state, after the previous search has ended. On the thread of the search, `progress`
    /// is called with its reports, and `done` with its result.
    pub(crate) fn think(
        &mut self,
        state: Box<dyn AnyState>,
        limits: Limits,
        lines: usize,
        mut progress: impl FnMut(&dyn AnyState, &Report<u32>) + Send + 'static,
        done: impl FnOnce(&dyn AnyState, Result<Report<u32>, Error>) + Send + 'static,
    ) -> Result<(), Error> {
        self.wait();
        let (player, stop) = (Arc::clone(&self.player), StopFlag::default());
        let (flag, threads) = (stop.clone(), self.threads);
        let search = move || {
            let mut player = player.lock().unwrap_or_else(PoisonError::into_inner);
            let think = AssertUnwindSafe(|| {
                player.think(AnyTask {
                    state: state.as_ref(),
                    limits,
                    clock: &WallClock::default(),
                    stop: &flag,
                    threads,
                    lines,
                    progress: Some(&mut |report| progress(state.as_ref(), report)),
                })
            });
            let mistake = || Error::new(ErrorCode::Internal, "internal error: the search was aborted");
            let report = catch_unwind(think).unwrap_or_else(|_| Err(mistake()));
            drop(player);
            done(state.as_ref(), report);
        };
        let thread = search_thread().spawn(search);
        let thread = thread
            .map_err(|error| Error::new(ErrorCode::Busy, format!("cannot start a thread for the search: {error}")))?;
        self.search = Some((thread, stop));
        Ok(())
    }

    /// Asks the search to end with its best result so far.
    pub(crate) fn stop(&self) {
        if let Some((_, stop)) = &self.search {
            stop.stop();
        }
    }

    /// Waits until the search has answered.
    pub(crate) fn wait(&mut self) {
        if let Some((thread, _)) = self.search.take() {
            // Its panics are caught inside it.
            let _ = thread.join();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}
