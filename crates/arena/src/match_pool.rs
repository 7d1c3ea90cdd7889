//! A pool of threads that plays games of many matches, pair by pair, into the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::{lock, spawn_search};

use crate::store::Store;
use crate::workers::RemotePairs;
use crate::{Fleet, GameRecord, Job, Match, PlayerCache, Workers};

/// The games of a pair that are to be played.
#[derive(Clone)]
pub(crate) struct PairTask<'g> {
    /// The scheduler's number of the match.
    pub(crate) pairing: usize,
    pub(crate) matchup: Arc<Match<'g>>,
    /// The number of the match in the store.
    pub(crate) id: i64,
    /// The number of the pair in the match.
    pub(crate) pair: usize,
    /// The games, one or two.
    pub(crate) jobs: Vec<Job>,
}

/// What a free thread is to do.
pub(crate) enum Next<'g> {
    Play(PairTask<'g>),
    /// Wait, and ask again.
    Wait,
    /// End: there is nothing more to play.
    Done,
}

/// Decides what is played, and receives the results.
pub(crate) trait Scheduler<'g> {
    /// What a free thread is to do.
    fn next(&mut self) -> Result<Next<'g>, Error>;

    /// A game of a task was stored, or could not be played; the rest of the task is then dropped. An error ends the pool.
    fn on_result(&mut self, task: &PairTask<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error>;

    /// A task is over.
    fn on_task_end(&mut self, task: &PairTask<'g>) -> Result<(), Error>;

    /// Whether the running tasks are not needed any more.
    fn over(&self) -> bool {
        false
    }
}

/// How long a thread without a task waits before it asks again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Plays what the scheduler returns until it is done. Once `stop` is set no task is started; `halt` ends the running games,
/// which are then not stored. Games of other machines are not waited for after `stop`. Returns `None` when stored games of a
/// worker were set aside: what is to be played has to be read from the store again.
///
/// # Errors
/// Errors of the scheduler or of the store; the games stored so far stay.
pub(crate) fn play<'g, S: Scheduler<'g> + Send>(
    store: &Store,
    workers: &Workers,
    scheduler: S,
    stop: &StopFlag,
    halt: &StopFlag,
) -> Result<Option<S>, Error> {
    match &workers.fleet {
        Some(fleet) => play_remotely(store, fleet.as_ref(), scheduler, stop),
        None => play_on_threads(store, workers.threads, scheduler, stop, halt).map(Some),
    }
}

/// The same on other machines.
pub(crate) fn play_remotely<'g, S: Scheduler<'g>>(
    store: &Store,
    fleet: &dyn Fleet,
    scheduler: S,
    stop: &StopFlag,
) -> Result<Option<S>, Error> {
    let mut pairs = RemotePairs::new(store, scheduler);
    let played = fleet.play(&mut pairs, stop);
    pairs.hide()?;
    match played {
        Err(error) if error.code != ErrorCode::Stopped => Err(error),
        _ => Ok(Some(pairs.scheduler).filter(|_| !pairs.again)),
    }
}

/// The same on threads of this process.
fn play_on_threads<'g, S: Scheduler<'g> + Send>(
    store: &Store,
    concurrency: usize,
    scheduler: S,
    stop: &StopFlag,
    halt: &StopFlag,
) -> Result<S, Error> {
    /// What a worker thread sends.
    enum Message {
        Game(Box<GameRecord>),
        Failed(Error),
        TaskEnd,
    }

    let scheduler = Mutex::new(scheduler);
    let changed = Condvar::new();
    let over = AtomicBool::new(false);
    let threads = concurrency.max(1);
    let (sender, messages) = sync_channel::<(Option<Arc<PairTask<'g>>>, Message)>(4 * threads);
    let mut failure = None;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, scheduler, changed, over) = (sender.clone(), &scheduler, &changed, &over);
            spawn_search(scope, move || {
                let mut cache = PlayerCache::default();
                while !stop.stopped() && !over.load(Ordering::Relaxed) {
                    let mut guard = lock(scheduler);
                    let task = match guard.next() {
                        Ok(Next::Play(task)) => Arc::new(task),
                        Ok(Next::Wait) => {
                            drop(changed.wait_timeout(guard, POLL_INTERVAL));
                            continue;
                        }
                        Ok(Next::Done) => break,
                        Err(error) => {
                            drop(guard);
                            let _ = sender.send((None, Message::Failed(error)));
                            break;
                        }
                    };
                    drop(guard);
                    let mut players = None;
                    for job in &task.jobs {
                        let ready = match &mut players {
                            Some(players) => Ok(players),
                            none => cache.take(&task.matchup).map(|taken| none.insert(taken)),
                        };
                        let message = match ready.and_then(|players| task.matchup.play_job(job, players, halt)) {
                            Ok(Some(record)) => Message::Game(Box::new(record)),
                            Ok(None) => break,
                            Err(error) => Message::Failed(error),
                        };
                        let failed = matches!(message, Message::Failed(_));
                        if failed {
                            players = None;
                        }
                        if sender.send((Some(Arc::clone(&task)), message)).is_err() || failed {
                            break;
                        }
                    }
                    if let Some(players) = players {
                        cache.put_back(&task.matchup, players);
                    }
                    if sender.send((Some(task), Message::TaskEnd)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (task, message) in messages {
            let handled = match (task, message) {
                (Some(task), Message::Game(record)) => store
                    .save_game(task.id, &record, None)
                    .and_then(|()| lock(&scheduler).on_result(&task, Ok(&record))),
                (Some(task), Message::Failed(error)) => lock(&scheduler).on_result(&task, Err(error)),
                (Some(task), Message::TaskEnd) => lock(&scheduler).on_task_end(&task),
                (None, Message::Failed(error)) => Err(error),
                (None, _) => Ok(()),
            };
            changed.notify_all();
            if let Err(error) = handled {
                over.store(true, Ordering::Relaxed);
                if error.code != ErrorCode::Stopped {
                    failure.get_or_insert(error);
                }
            }
        }
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(scheduler.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

#[cfg(test)]
mod tests {
    use banmen_search::Limits;

    use super::*;
    use crate::{Contestant, MatchSpec, Opening};

    /// Gives out one task, whose result and end are errors with these codes.
    struct Failing<'g>(Option<PairTask<'g>>, [ErrorCode; 2]);

    impl<'g> Scheduler<'g> for Failing<'g> {
        fn next(&mut self) -> Result<Next<'g>, Error> {
            Ok(self.0.take().map_or(Next::Done, Next::Play))
        }

        fn on_result(&mut self, _: &PairTask<'g>, _: Result<&GameRecord, Error>) -> Result<(), Error> {
            Err(Error::new(self.1[0], "the result"))
        }

        fn on_task_end(&mut self, _: &PairTask<'g>) -> Result<(), Error> {
            Err(Error::new(self.1[1], "the end"))
        }
    }

    #[test]
    fn reports_the_error_that_follows_a_stop() {
        let game = banmen_othello::entry().in_memory();
        let player = Contestant::new("random", Limits::nodes(1));
        let matchup = Arc::new(Match::new(&game, MatchSpec::new(&game, player.clone(), player)));
        let (store, stop) = (Store::memory().expect("memory"), StopFlag::default());
        let play = |codes| {
            // No pair has a game 2.
            let opening = Opening { position: None, moves: Vec::new() };
            let jobs = vec![Job { spec: String::new(), pair: 0, game: 2, seed: 0, opening }];
            let task = PairTask { pairing: 0, matchup: Arc::clone(&matchup), id: 1, pair: 0, jobs };
            play(&store, &Workers::default(), Failing(Some(task), codes), &stop, &stop)
                .map_or_else(|error| Some(error.code), |_| None)
        };
        let (stopped, full) = (ErrorCode::Stopped, ErrorCode::StoreFull);
        assert_eq!(play([stopped, stopped]), None);
        assert_eq!([[stopped, full], [full, stopped]].map(play), [Some(full); 2]);
    }
}
