//! Playing a match: which games are still to be played, by several threads, into the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

use crate::opening::{Deck, Opening};
use crate::store::{Present, Store};
use crate::{GameRecord, Match, Score, SequentialTest};

/// How much of a match is played, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Games to play, an even number; `None` for as many as the test takes.
    pub games: Option<usize>,
    /// Games played at once.
    pub concurrency: usize,
    /// The test that may end the match early.
    pub test: Option<SequentialTest>,
}

impl Plan {
    /// So many games, on this many threads.
    #[must_use]
    pub fn games(games: usize, concurrency: usize) -> Self {
        Plan { games: Some(games), concurrency, test: None }
    }

    fn check(&self) -> Result<(), Error> {
        let out_of_range = |message: String| Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "games"));
        match self.games {
            Some(games) if games < 2 || !games.is_multiple_of(2) => {
                out_of_range(format!("games={games} is no even number from 2 on: every opening is played twice"))
            }
            None if self.test.is_none() => out_of_range("a match without a test needs a number of games".to_owned()),
            _ => Ok(()),
        }
    }
}

/// How far a match is.
pub struct Progress<'a> {
    /// The number of the match in the store.
    pub id: i64,
    /// The score so far.
    pub score: &'a Score,
    /// The game that was just finished; `None` for what was in the store before.
    pub game: Option<&'a GameRecord>,
}

/// Deals games to the threads, in the order of their pairs.
struct Dealer<'a> {
    deck: Deck<'a>,
    present: Present,
    pairs: usize,
    pair: usize,
    /// The second game of the pair that was dealt last.
    second: Option<(usize, Arc<Opening>)>,
}

impl Dealer<'_> {
    /// The next game that is not in the store: its pair, its number, its opening.
    fn deal(&mut self, stop: &StopFlag) -> Result<Option<(usize, usize, Arc<Opening>)>, Error> {
        if let Some((pair, opening)) = self.second.take() {
            return Ok(Some((pair, 1, opening)));
        }
        while self.pair < self.pairs {
            let pair = self.pair;
            self.pair += 1;
            // Dealt even where it is not needed: later openings avoid those before them.
            let opening = Arc::new(self.deck.deal(stop)?);
            match [0, 1].map(|game| self.present.has(pair, game)) {
                [true, true] => {}
                [true, false] => return Ok(Some((pair, 1, opening))),
                [false, true] => return Ok(Some((pair, 0, opening))),
                [false, false] => {
                    self.second = Some((pair, Arc::clone(&opening)));
                    return Ok(Some((pair, 0, opening)));
                }
            }
        }
        Ok(None)
    }
}

impl Match<'_> {
    /// Plays what the store lacks of the match, and gives the score of the whole. `progress` hears of every finished
    /// game, after it was stored; `stop` ends the match after the moves now thought about, with the games finished so far.
    ///
    /// # Errors
    /// What does not fit in the match, before the first game; `match_busy` when another process plays it; what the store
    /// or a player failed with: the games stored so far stay.
    pub fn play(
        &self,
        store: &Store,
        plan: &Plan,
        stop: &StopFlag,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Score, Error> {
        self.play_in(store, None, plan, stop, progress)
    }

    /// The same as part of an event.
    ///
    /// # Errors
    /// As for [`Match::play`].
    pub fn play_in(
        &self,
        store: &Store,
        event: Option<i64>,
        plan: &Plan,
        stop: &StopFlag,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Score, Error> {
        plan.check()?;
        // What does not fit is said before anything is stored.
        let mut made = Some(self.players()?);
        let mut deck = Deck::new(self.game, self.rules.as_deref(), &self.openings, self.seed, store)?;
        deck.deal(stop)?;
        let id = store.enter(self, event, plan.games, plan.test)?;
        let _lock = store.lock(&format!("match-{id}"))?;

        let mut score = Score::new(self.sides().map(|side| side.player.as_str()), plan.games, plan.test);
        store.visit_games(id, &mut |record| {
            if plan.games.is_none_or(|games| record.pair < games / 2) {
                score.add(&record);
            }
            Ok(())
        })?;
        progress(Progress { id, score: &score, game: None });

        let deck = Deck::new(self.game, self.rules.as_deref(), &self.openings, self.seed, store)?;
        let pairs = plan.games.map_or(usize::MAX, |games| games / 2);
        let dealer = Mutex::new(Dealer { deck, present: store.present(id)?, pairs, pair: 0, second: None });
        // Ends this match alone: the stop flag may belong to more than it.
        let over = AtomicBool::new(score.decided());
        let halt = || stop.stopped() || over.load(Ordering::Relaxed);
        let threads = plan.concurrency.max(1);
        let (sender, finished) = sync_channel(4 * threads);
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, dealer, halt, made) = (sender.clone(), &dealer, &halt, made.take());
                scope.spawn(move || {
                    let mut players = match made.map_or_else(|| self.players(), Ok) {
                        Ok(players) => players,
                        Err(error) => {
                            // Nobody hears of it only when the match is over anyway.
                            let _ = sender.send(Err(error));
                            return;
                        }
                    };
                    while !halt() {
                        let dealt = dealer.lock().unwrap_or_else(PoisonError::into_inner).deal(stop);
                        let result = match dealt {
                            Ok(None) => break,
                            Ok(Some((pair, game, opening))) => self.play_game(pair, game, &opening, &mut players, stop),
                            Err(error) => Err(error),
                        };
                        let ended = !matches!(result, Ok(Some(_)));
                        if let Some(result) = result.transpose()
                            && sender.send(result).is_err()
                        {
                            break;
                        }
                        if ended {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for result in finished {
                let stored = result.and_then(|record: GameRecord| store.keep(id, &record).map(|()| record));
                match stored {
                    Ok(record) => {
                        score.add(&record);
                        if score.decided() {
                            over.store(true, Ordering::Relaxed);
                        }
                        progress(Progress { id, score: &score, game: Some(&record) });
                    }
                    Err(error) => {
                        // The match is over when a player or the store fails: what it would score is not its strength.
                        over.store(true, Ordering::Relaxed);
                        failure = failure.take().or(Some(error));
                    }
                }
            }
        });
        if let Some(error) = failure.filter(|error| error.code != ErrorCode::Stopped) {
            return Err(error);
        }
        score.close();
        score.repeats = store.repeats(id, score.counted_pairs().or(plan.games.map(|games| games / 2)))?;
        Ok(score)
    }
}
