//! Playing a match: its missing games, on several threads or other machines, into the store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use banmen_catalog::{AnyPlayer, Error, ErrorCode};
use banmen_search::StopFlag;
use banmen_search::threads::{lock, spawn_search};

use crate::job_queue::JobQueue;
use crate::match_pool::{Next, PairTask, Scheduler, play_remotely};
use crate::opening::OpeningSequence;
use crate::store::Store;
use crate::{Fleet, GameRecord, LockName, Match, MatchFilter, Score, SequentialTest, Workers};

/// How much of a match is played, and by how many threads.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Games to play, an even number; `None` for as many as the test needs.
    pub games: Option<usize>,
    /// Where they are played.
    pub workers: Workers,
    /// The test that may end the match early.
    pub test: Option<SequentialTest>,
}

impl Plan {
    /// This number of games, without a test.
    #[must_use]
    pub fn games(games: usize, workers: impl Into<Workers>) -> Self {
        Plan { games: Some(games), workers: workers.into(), test: None }
    }

    fn check(&self) -> Result<(), Error> {
        match self.games {
            Some(games) => check_games("games", games, 2),
            None if self.test.is_none() => {
                let message = "a match without a test needs a number of games";
                Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "games"))
            }
            None => Ok(()),
        }
    }
}

/// The most games of a match.
pub(crate) const MAX_GAMES: usize = 1 << 30;

/// Refuses an odd number of games, and one below `least` or above 2³⁰; `key` is what the number is called.
///
/// # Errors
/// `out_of_range`.
pub fn check_games(key: &str, games: usize, least: usize) -> Result<(), Error> {
    if (least..=MAX_GAMES).contains(&games) && games.is_multiple_of(2) {
        return Ok(());
    }
    let message =
        format!("{key}={games} must be an even number from {least} to {MAX_GAMES}: every opening is played twice");
    Err(Error::new(ErrorCode::OutOfRange, message).arg("key", key))
}

/// Refuses to continue a match that has a sequential test with another one, or with none: its result would be no test's.
fn check_test(store: &Store, id: i64, test: Option<SequentialTest>) -> Result<(), Error> {
    let filter = MatchFilter { id: Some(id), ..MatchFilter::default() };
    match store.matches(&filter)?.first().and_then(|known| known.test) {
        Some(known) if test != Some(known) => {
            let message = format!("match {id} has a sequential test, {known}; another seed begins a match of its own");
            Err(Error::new(ErrorCode::PlanChanged, message))
        }
        _ => Ok(()),
    }
}

/// The progress of a match.
pub struct Progress<'a> {
    /// The number of the match in the store.
    pub id: i64,
    /// The score so far.
    pub score: &'a Score,
    /// The game that has just ended; `None` in the first call, which reports the games that the store already had.
    pub game: Option<&'a GameRecord>,
}

/// The pairs of one match, for other machines.
struct MatchScheduler<'a, 'p> {
    queue: JobQueue<'a>,
    matchup: Arc<Match<'a>>,
    id: i64,
    score: Score,
    stop: &'a StopFlag,
    progress: &'p mut dyn FnMut(Progress<'_>),
}

impl<'a> Scheduler<'a> for MatchScheduler<'a, '_> {
    fn next(&mut self) -> Result<Next<'a>, Error> {
        if self.over() {
            return Ok(Next::Done);
        }
        Ok(self.queue.next_pair(self.stop)?.map_or(Next::Done, |jobs| {
            let pair = jobs.first().map_or(0, |job| job.pair);
            Next::Play(PairTask { pairing: 0, matchup: Arc::clone(&self.matchup), id: self.id, pair, jobs })
        }))
    }

    /// When a player fails the match ends: its score would not measure strength.
    fn on_result(&mut self, _: &PairTask<'a>, result: Result<&GameRecord, Error>) -> Result<(), Error> {
        let record = result?;
        self.score.add(record);
        (self.progress)(Progress { id: self.id, score: &self.score, game: Some(record) });
        Ok(())
    }

    fn on_task_end(&mut self, _: &PairTask<'a>) -> Result<(), Error> {
        Ok(())
    }

    fn over(&self) -> bool {
        self.score.decided()
    }
}

impl Match<'_> {
    /// Plays the games of the match that the store lacks, and returns the score of all. `progress` is called first for the
    /// games that were stored before, and then after each game has been stored. `stop` ends the match early: games that have
    /// not ended are dropped.
    ///
    /// # Errors
    /// Before the first game: an invalid plan, player or opening; `match_busy` when another process plays the match. Later:
    /// an error of the store or of a player; the games stored so far stay.
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
        self.play_part(store, event, plan, plan.games, stop, progress)
    }

    /// The same, as a part of a match of `planned` games.
    pub(crate) fn play_part(
        &self,
        store: &Store,
        event: Option<i64>,
        plan: &Plan,
        planned: Option<usize>,
        stop: &StopFlag,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Score, Error> {
        plan.check()?;
        // Invalid players and openings are refused before anything is stored. A match that has all its games, or whose test is
        // decided, needs no players.
        let complete = self.is_complete(store, event, plan)?;
        let mut first_players = if complete { None } else { Some(self.players()?) };
        self.check_opening(&OpeningSequence::new(self, store)?.next_opening(stop)?)?;
        let id = store.enter_match(self, event, planned, plan.test)?;
        let _lock = store.lock(&LockName::Match(id))?;
        check_test(store, id, plan.test)?;
        store.plan_match(id, planned, plan.test)?;

        let pairs = plan.games.map_or(usize::MAX, |games| games / 2);
        let mut score = match &plan.workers.fleet {
            Some(fleet) => self.play_remotely(store, id, plan, fleet.as_ref(), stop, progress)?,
            None => self.play_here(store, id, plan, (pairs, first_players.take()), stop, progress)?,
        };
        score.close();
        score.repeats = store.repeats(id, score.counted_pairs().or(plan.games.map(|games| games / 2)))?;
        Ok(score)
    }

    /// Whether the store has all games of the match.
    fn is_complete(&self, store: &Store, event: Option<i64>, plan: &Plan) -> Result<bool, Error> {
        let Some(id) = store.match_of(self, event)? else { return Ok(false) };
        let score = self.stored_score(store, id, plan)?;
        Ok(score.decided() || plan.games.is_some_and(|games| score.games() == games as u64))
    }

    /// The score of the games that the store has.
    fn stored_score(&self, store: &Store, id: i64, plan: &Plan) -> Result<Score, Error> {
        let mut score = Score::new(self.spec.sides().map(|side| side.player.as_str()), plan.games, plan.test);
        store.visit_games(id, &mut |record| {
            if plan.games.is_none_or(|games| record.pair < games / 2) {
                score.add(&record);
            }
            Ok(())
        })?;
        Ok(score)
    }

    /// Plays the games that the store lacks on other machines.
    fn play_remotely(
        &self,
        store: &Store,
        id: i64,
        plan: &Plan,
        fleet: &dyn Fleet,
        stop: &StopFlag,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Score, Error> {
        let pairs = plan.games.map_or(usize::MAX, |games| games / 2);
        loop {
            let score = self.stored_score(store, id, plan)?;
            progress(Progress { id, score: &score, game: None });
            let queue = JobQueue::new(self, store, id, pairs)?;
            let scheduler =
                MatchScheduler { queue, matchup: Arc::new(self.clone()), id, score, stop, progress: &mut *progress };
            if let Some(done) = play_remotely(store, fleet, scheduler, stop)? {
                return Ok(done.score);
            }
        }
    }

    /// Plays the games that the store lacks on threads of this process. `first` are players for one of them; without them there
    /// is no game to play.
    fn play_here(
        &self,
        store: &Store,
        id: i64,
        plan: &Plan,
        (pairs, mut first): (usize, Option<[Box<dyn AnyPlayer>; 2]>),
        stop: &StopFlag,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Score, Error> {
        let mut score = self.stored_score(store, id, plan)?;
        progress(Progress { id, score: &score, game: None });
        let queue = Mutex::new(JobQueue::new(self, store, id, pairs)?);
        // This flag ends this match only: the caller's stop flag may be shared with others.
        let over = AtomicBool::new(score.decided() || first.is_none());
        let halt = || stop.stopped() || over.load(Ordering::Relaxed);
        let threads = plan.workers.threads.max(1);
        let (sender, finished) = sync_channel(4 * threads);
        let mut failure = None;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, queue, halt, made) = (sender.clone(), &queue, &halt, first.take());
                spawn_search(scope, move || {
                    if halt() {
                        return;
                    }
                    let mut players = match made.map_or_else(|| self.players(), Ok) {
                        Ok(players) => players,
                        Err(error) => {
                            // The receiver is gone only when the match is over.
                            let _ = sender.send(Err(error));
                            return;
                        }
                    };
                    while !halt() {
                        let next = lock(queue).next_job(stop);
                        let result = match next {
                            Ok(None) => break,
                            Ok(Some(job)) => self.play_job(&job, &mut players, stop),
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
                let stored = result.and_then(|record: GameRecord| store.save_game(id, &record, None).map(|()| record));
                match stored {
                    Ok(record) => {
                        score.add(&record);
                        if score.decided() {
                            over.store(true, Ordering::Relaxed);
                        }
                        progress(Progress { id, score: &score, game: Some(&record) });
                    }
                    Err(error) => {
                        // When a player or the store fails the match ends: its score would not measure strength.
                        over.store(true, Ordering::Relaxed);
                        if error.code != ErrorCode::Stopped {
                            failure.get_or_insert(error);
                        }
                    }
                }
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests {
    use banmen_catalog::Catalog;
    use banmen_programs::Programs;
    use banmen_search::Limits;

    use super::*;
    use crate::{Contestant, GameFilter, Job, MatchSpec, Opening, Openings, PlayerCache};

    const GAMES: usize = 10;

    fn spec(catalog: &Catalog, openings: Openings) -> MatchSpec {
        let game = catalog.game("othello").expect("a game").as_ref();
        let [a, b] = ["engine:level=2", "greedy"].map(|player| Contestant::new(player, Limits::nodes(200)));
        MatchSpec { openings, seed: 9, ..MatchSpec::new(game, a, b) }
    }

    /// Plays the games that the store lacks as a fleet of machines would: the match, every job and every record travel
    /// as JSON.
    fn play_remotely(here: &Catalog, there: &Catalog, spec: &MatchSpec, store: &Store) -> i64 {
        let spec_text = serde_json::to_string(spec).expect("JSON");
        let matchup = Match::new(here.game(&spec.game).expect("a game").as_ref(), spec.clone());
        let id = store.enter_match(&matchup, None, Some(GAMES), None).expect("a match");
        let (stop, mut players) = (StopFlag::default(), PlayerCache::default());
        let mut queue = JobQueue::new(&matchup, store, id, GAMES / 2).expect("a queue");
        while let Some(job) = queue.next_job(&stop).expect("an opening") {
            let job_text = serde_json::to_string(&job).expect("JSON");
            let record_text = {
                let spec: MatchSpec = serde_json::from_str(&spec_text).expect("a spec");
                let received: Job = serde_json::from_str(&job_text).expect("a job");
                assert_eq!((&spec, &received), (&matchup.spec, &job));
                let record = spec.play(there, &Programs::REFUSED, &received, &mut players, &stop);
                serde_json::to_string(&record.expect("a game").expect("not stopped")).expect("JSON")
            };
            let record: GameRecord = serde_json::from_str(&record_text).expect("a record");
            assert_eq!(serde_json::to_string(&record).expect("JSON"), record_text, "byte for byte");
            store.save_game(id, &record, None).expect("stored");
        }
        id
    }

    /// What the store holds of a match, without the times, which differ from run to run.
    fn contents(store: &Store, id: i64) -> (String, Vec<GameRecord>) {
        let mut games = store.games(id, GameFilter::default()).expect("games");
        for game in &mut games {
            assert_eq!(game.times.len(), game.moves.len() - game.opening);
            game.times.clear();
            for spent in &mut game.spent {
                (spent.seconds, spent.longest) = (0.0, 0.0);
            }
        }
        (store.one_match(id).expect("a match").spec.to_string(), games)
    }

    #[test]
    fn jobs_played_elsewhere_give_the_same_store_as_a_local_match() {
        let catalogs = [(); 2].map(|()| Catalog::default().with(banmen_othello::entry()));
        let [here, there] = &catalogs;
        const FROM: &str = "---------------------------OX------XO--------------------------- X";
        let list = "f5d6c3\n\"---------------------------OX------XO--------------------------- X\" c4\n";
        let game = here.game("othello").expect("a game").as_ref();
        let list = crate::OpeningList::read("two", list, game, None).expect("a list");
        for openings in [
            Openings::Random(5),
            Openings::From { position: FROM.to_owned(), plies: 2 },
            Openings::Listed(list.into()),
            Openings::Balanced(4),
        ] {
            let spec = spec(here, openings);
            let [local, remote] = [(); 2].map(|()| Store::memory().expect("memory"));
            let mut own = 0;
            Match::new(game, spec.clone())
                .play(&local, &Plan::games(GAMES, 2), &StopFlag::default(), &mut |progress| own = progress.id)
                .expect("a match");
            let id = play_remotely(here, there, &spec, &remote);
            let (local, remote) = (contents(&local, own), contents(&remote, id));
            assert_eq!(remote.1.len(), GAMES);
            assert_eq!(local, remote);
        }
    }

    #[test]
    fn a_local_match_can_be_continued_elsewhere() {
        let catalog = Catalog::default().with(banmen_othello::entry());
        let (spec, store) = (spec(&catalog, Openings::Random(5)), Store::memory().expect("memory"));
        let matchup = Match::new(catalog.game("othello").expect("a game").as_ref(), spec.clone());
        let score = matchup.play(&store, &Plan::games(4, 1), &StopFlag::default(), &mut |_| {}).expect("a match");
        assert_eq!(score.games(), 4);
        let id = play_remotely(&catalog, &catalog, &spec, &store);
        let whole = Store::memory().expect("memory");
        let own = play_remotely(&catalog, &catalog, &spec, &whole);
        assert_eq!(contents(&store, id), contents(&whole, own));
    }

    #[test]
    fn a_job_of_another_match_is_refused() {
        let catalog = Catalog::default().with(banmen_othello::entry());
        let (spec, store) = (spec(&catalog, Openings::Random(5)), Store::memory().expect("memory"));
        let matchup = Match::new(catalog.game("othello").expect("a game").as_ref(), spec.clone());
        let id = store.enter_match(&matchup, None, Some(2), None).expect("a match");
        let mut queue = JobQueue::new(&matchup, &store, id, 1).expect("a queue");
        let job = queue.next_job(&StopFlag::default()).expect("an opening").expect("a job");
        let play = |spec: &MatchSpec, job: &Job| {
            let (mut players, stop) = (PlayerCache::default(), StopFlag::default());
            spec.play(&catalog, &Programs::REFUSED, job, &mut players, &stop).map(|record| record.is_some())
        };
        assert_eq!(play(&spec, &job), Ok(true));
        for (other, job, code) in [
            (MatchSpec { seed: 10, ..spec.clone() }, job.clone(), ErrorCode::UnknownMatch),
            (MatchSpec { game: "chess".to_owned(), ..spec.clone() }, job.clone(), ErrorCode::UnknownGame),
            (spec.clone(), Job { game: 2, ..job.clone() }, ErrorCode::OutOfRange),
            (
                spec.clone(),
                Job { opening: Opening { moves: vec!["a1".into()], position: None }, ..job },
                ErrorCode::IllegalMove,
            ),
        ] {
            assert_eq!(play(&other, &job).expect_err("refused").code, code);
        }
        assert!(serde_json::from_str::<MatchSpec>(r#"{"game":"othello","speed":9}"#).is_err(), "an unknown field");
    }
}
