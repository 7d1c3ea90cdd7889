//! Where games of many matches are played at once: pair by pair, by several threads, into the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use banmen_catalog::{AnyPlayer, Error, ErrorCode};
use banmen_programs::is_program;
use banmen_search::StopFlag;

use crate::opening::Opening;
use crate::store::Store;
use crate::{GameRecord, Match};

/// A pair of games to be played.
#[derive(Clone)]
pub(crate) struct Job<'g> {
    /// What the director knows the match by.
    pub(crate) table: usize,
    pub(crate) bout: Arc<Match<'g>>,
    /// The number of the match in the store.
    pub(crate) id: i64,
    pub(crate) pair: usize,
    /// Which games of the pair are to be played.
    pub(crate) missing: [bool; 2],
    pub(crate) opening: Arc<Opening>,
}

/// What is to be done.
pub(crate) enum Next<'g> {
    Play(Job<'g>),
    /// Nothing now; ask again.
    Wait,
    /// Nothing any more.
    Done,
}

/// Who says what is played, and hears what came of it.
pub(crate) trait Director<'g> {
    /// What a free thread is to do.
    fn next(&mut self) -> Result<Next<'g>, Error>;

    /// A game of a job was stored, or could not be played; the rest of the job is then left. An error ends it all.
    fn heard(&mut self, job: &Job<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error>;

    /// A job is over.
    fn done(&mut self, job: &Job<'g>) -> Result<(), Error>;
}

/// Players of a thread who wait for their next pair: making one may take longer than a quick game. Outside programs do
/// not wait; each pair starts them afresh.
#[derive(Default)]
struct PlayerCache(Vec<(String, Box<dyn AnyPlayer>)>);

impl PlayerCache {
    /// Those who played last are kept, so many of them; tables and trees take memory.
    const SEATS: usize = 3;

    /// The players of a match.
    fn seat(&mut self, bout: &Match<'_>) -> Result<[Box<dyn AnyPlayer>; 2], Error> {
        let mut seat = |index: usize| {
            let text = &bout.sides()[index].player;
            match self.0.iter().position(|(waiting, _)| waiting == text) {
                Some(at) => Ok(self.0.remove(at).1),
                None => bout.player(index),
            }
        };
        Ok([seat(0)?, seat(1)?])
    }

    fn leave(&mut self, bout: &Match<'_>, players: [Box<dyn AnyPlayer>; 2]) {
        for (side, player) in bout.sides().into_iter().zip(players) {
            if !is_program(bout.game, &side.player) {
                self.0.push((side.player.clone(), player));
            }
        }
        self.0.drain(..self.0.len().saturating_sub(PlayerCache::SEATS));
    }
}

/// How long a thread without work waits before it asks again.
const PAUSE: Duration = Duration::from_millis(50);

/// Plays what the director says until it is done. When `stop` is set nothing new is begun; `halt` breaks off the games
/// being played, which are then not stored.
///
/// # Errors
/// What the director or the store fails with; the games stored so far stay.
pub(crate) fn play<'g, D: Director<'g> + Send>(
    store: &Store,
    concurrency: usize,
    director: D,
    stop: &StopFlag,
    halt: &StopFlag,
) -> Result<D, Error> {
    /// What a thread tells.
    enum Told {
        Game(Box<GameRecord>),
        Failed(Error),
        Done,
    }

    let director = Mutex::new(director);
    let lock = |director| -> MutexGuard<'_, D> { Mutex::lock(director).unwrap_or_else(PoisonError::into_inner) };
    let changed = Condvar::new();
    let over = AtomicBool::new(false);
    let threads = concurrency.max(1);
    let (sender, told) = sync_channel::<(Option<Arc<Job<'g>>>, Told)>(4 * threads);
    let mut failure = None;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, director, changed, over) = (sender.clone(), &director, &changed, &over);
            scope.spawn(move || {
                let mut bench = PlayerCache::default();
                while !stop.stopped() && !over.load(Ordering::Relaxed) {
                    let mut guard = lock(director);
                    let job = match guard.next() {
                        Ok(Next::Play(job)) => Arc::new(job),
                        Ok(Next::Wait) => {
                            drop(changed.wait_timeout(guard, PAUSE));
                            continue;
                        }
                        Ok(Next::Done) => break,
                        Err(error) => {
                            drop(guard);
                            let _ = sender.send((None, Told::Failed(error)));
                            break;
                        }
                    };
                    drop(guard);
                    let mut players = None;
                    for game in (0..2).filter(|&game| job.missing[game]) {
                        let played = match &mut players {
                            Some(players) => Ok(players),
                            none => bench.seat(&job.bout).map(|seated| none.insert(seated)),
                        };
                        let played =
                            played.and_then(|players| job.bout.play_game(job.pair, game, &job.opening, players, halt));
                        let told = match played {
                            Ok(Some(record)) => Told::Game(Box::new(record)),
                            Ok(None) => break,
                            Err(error) => Told::Failed(error),
                        };
                        let failed = matches!(told, Told::Failed(_));
                        if sender.send((Some(Arc::clone(&job)), told)).is_err() || failed {
                            break;
                        }
                    }
                    if let Some(players) = players {
                        bench.leave(&job.bout, players);
                    }
                    if sender.send((Some(job), Told::Done)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (job, told) in told {
            let heard = match (job, told) {
                (Some(job), Told::Game(record)) => {
                    store.keep(job.id, &record).and_then(|()| lock(&director).heard(&job, Ok(&record)))
                }
                (Some(job), Told::Failed(error)) => lock(&director).heard(&job, Err(error)),
                (Some(job), Told::Done) => lock(&director).done(&job),
                (None, Told::Failed(error)) => Err(error),
                (None, _) => Ok(()),
            };
            changed.notify_all();
            if let Err(error) = heard {
                over.store(true, Ordering::Relaxed);
                failure = failure.take().or(Some(error));
            }
        }
    });
    match failure {
        Some(error) if error.code != ErrorCode::Stopped => Err(error),
        _ => Ok(director.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
