//! A player that searches on a thread of its own, so that commands can be read during the search.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use banmen_catalog::{AnyGame, AnyPlayer, AnyState, AnyTask, Error, ErrorCode, WallClock};
use banmen_search::threads::lock;
use banmen_search::{Limits, Report, StopFlag};

use crate::connection::start_search;

/// A player that a thread of a search uses. A panic of the player poisons it, and it is made anew for the next search.
pub(crate) type SharedPlayer = Arc<Mutex<Box<dyn AnyPlayer>>>;

/// A player and its current search.
pub(crate) struct Background {
    /// Threads that each search may use, at least 1.
    pub(crate) threads: usize,
    /// Builds the player.
    make: Box<dyn Fn() -> Result<Box<dyn AnyPlayer>, Error> + Send>,
    player: SharedPlayer,
    search: Option<(JoinHandle<()>, StopFlag)>,
}

/// The seed of players: the protocols have none.
pub(crate) const SEED: u64 = 1;

impl Background {
    /// Builds the player from its text, for games under the named rules.
    ///
    /// # Errors
    /// Those of the rules or the player.
    pub(crate) fn new(game: Arc<dyn AnyGame>, rules: Option<&str>, player: &str) -> Result<Self, Error> {
        let (rules, player) = (rules.map(str::to_owned), player.to_owned());
        let make = Box::new(move || game.player(rules.as_deref(), &player, SEED));
        Ok(Background { threads: 1, player: Arc::new(Mutex::new(make()?)), make, search: None })
    }

    /// Starts a new game. Waits for the search, if there is one.
    pub(crate) fn new_game(&mut self, start: &dyn AnyState, seed: u64) -> Result<(), Error> {
        self.wait();
        if self.player.is_poisoned() {
            self.player = Arc::new(Mutex::new((self.make)()?));
        }
        new_game(&self.player, start, seed)
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
        if self.player.is_poisoned() {
            self.new_game(state.as_ref(), SEED)?;
        }
        let (player, stop) = (Arc::clone(&self.player), StopFlag::default());
        let (flag, threads) = (stop.clone(), self.threads);
        let search = move || {
            let report = search_with(
                &player,
                None,
                AnyTask {
                    state: state.as_ref(),
                    limits,
                    clock: &WallClock::default(),
                    stop: &flag,
                    threads,
                    lines,
                    progress: Some(&mut |report| progress(state.as_ref(), report)),
                },
            );
            done(state.as_ref(), report);
        };
        self.search = Some((start_search(search)?, stop));
        Ok(())
    }

    /// Asks the search to end with its best result so far.
    pub(crate) fn stop(&self) {
        if let Some((_, stop)) = &self.search {
            stop.stop();
        }
    }

    /// Waits until the search has answered; stops it when this time is over.
    pub(crate) fn end(&mut self, patience: Duration) {
        if let Some((thread, stop)) = &self.search {
            wait_for(thread, patience);
            stop.stop();
        }
        self.wait();
    }

    /// Waits until the search has answered.
    pub(crate) fn wait(&mut self) {
        if let Some((thread, _)) = self.search.take() {
            // Its panics are caught inside it.
            let _ = thread.join();
        }
    }
}

/// Waits until a thread has ended, but no longer than this.
pub(crate) fn wait_for(thread: &JoinHandle<()>, patience: Duration) {
    let start = Instant::now();
    while !thread.is_finished() && start.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Searches on this thread, in a new game with the seed `new_game`, if there is one.
///
/// # Errors
/// The player's, and `internal` when it panics.
pub(crate) fn search_with(
    player: &SharedPlayer,
    new_game: Option<u64>,
    task: AnyTask<'_>,
) -> Result<Report<u32>, Error> {
    caught(|| {
        let mut player = lock(player);
        if let Some(seed) = new_game {
            player.new_game(task.state, seed)?;
        }
        player.think(task)
    })
}

/// Begins a new game.
///
/// # Errors
/// The player's, and `internal` when it panics.
pub(crate) fn new_game(player: &SharedPlayer, start: &dyn AnyState, seed: u64) -> Result<(), Error> {
    caught(|| lock(player).new_game(start, seed))
}

/// The lock is taken inside, so that a panic poisons it.
fn caught<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let aborted = |_| Err(Error::new(ErrorCode::Internal, "internal error: the search was aborted"));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(aborted)
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop();
        self.wait();
    }
}
