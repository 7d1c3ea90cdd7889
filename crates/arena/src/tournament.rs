//! Tournaments: many players, one match for each pairing, all in one event of the store.

use std::collections::HashMap;
use std::sync::Arc;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

use crate::match_pool::{Next, PairTask, Scheduler, play};
use crate::opening::OpeningSequence;
use crate::schedule::check_games;
use crate::store::Store;
use crate::stored::StoredGames;
use crate::{Contestant, GameRecord, Job, LockName, Match, Opening, Standings, Workers, standings};

/// A tournament.
#[derive(Clone)]
pub struct Tournament<'g> {
    /// The kind of the event in the store: `tournament` or `ladder`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The conditions of all games. The limits of its player `a` are those of every player.
    pub conditions: Match<'g>,
    /// The players, as text.
    pub players: Vec<String>,
    /// The pairings, as indices of the players.
    pub pairings: Vec<(usize, usize)>,
}

/// The progress of a tournament.
pub struct TournamentProgress<'a> {
    /// Games that are stored.
    pub games: usize,
    /// The number of games that was asked for.
    pub planned: usize,
    /// The game that has just ended and its players, `a` of the match first; `None` before the first game.
    pub game: Option<(&'a GameRecord, [&'a str; 2])>,
}

impl<'g> Tournament<'g> {
    /// A round robin: each player against each other.
    #[must_use]
    pub fn round_robin(conditions: Match<'g>, players: Vec<String>) -> Self {
        let count = players.len();
        let pairings = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
        Tournament::new("tournament", conditions, players, pairings)
    }

    /// A gauntlet: the first player against each of the others.
    #[must_use]
    pub fn gauntlet(conditions: Match<'g>, players: Vec<String>) -> Self {
        let pairings = (1..players.len()).map(|b| (0, b)).collect();
        Tournament::new("tournament", conditions, players, pairings)
    }

    /// A ladder: each level of the game's engine against the next two, and the lowest three against random play, which is
    /// the first player.
    #[must_use]
    pub fn ladder(conditions: Match<'g>, levels: std::ops::RangeInclusive<u32>) -> Self {
        let named = levels.map(|level| format!("engine:level={level}"));
        let players: Vec<String> = std::iter::once("random".to_owned()).chain(named).collect();
        let count = players.len();
        let mut pairings: Vec<(usize, usize)> = (1..count.min(4)).map(|level| (0, level)).collect();
        pairings.extend((1..count).flat_map(|low| (low + 1..count.min(low + 3)).map(move |high| (low, high))));
        Tournament::new("ladder", conditions, players, pairings)
    }

    fn new(kind: &'static str, conditions: Match<'g>, players: Vec<String>, pairings: Vec<(usize, usize)>) -> Self {
        let name = conditions.game.info().name.to_owned();
        Tournament { kind, name, conditions, players, pairings }
    }

    /// The match of two players, ordered by their texts, so that it does not depend on the order of the players.
    fn matchup(&self, a: usize, b: usize) -> Match<'g> {
        let mut names = [&self.players[a], &self.players[b]];
        names.sort();
        let limits = self.conditions.spec.a.limits;
        let [a, b] = names.map(|name| Contestant::new(name.as_str(), limits));
        self.conditions.between(a, b)
    }

    fn check(&self, games: usize) -> Result<(), Error> {
        check_games("games", games, 2)?;
        if self.players.len() < 2 {
            return Err(Error::new(ErrorCode::OutOfRange, "a tournament has two players or more").arg("key", "players"));
        }
        let mut seen = HashMap::new();
        for (number, player) in (1..).zip(&self.players) {
            if let Some(first) = seen.insert(player, number) {
                let message = format!("players {first} and {number} are both {player}: nobody plays against itself");
                return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "players").at(number));
            }
            let contestant = Contestant::new(player.as_str(), self.conditions.spec.a.limits);
            self.conditions.between(contestant.clone(), contestant).player(0)?;
        }
        Ok(())
    }

    /// What distinguishes this event from others: the conditions of its games, the version of this program, and its name.
    /// The players are not part of it: when a player joins, the games of the others are kept.
    fn spec(&self) -> Result<String, Error> {
        let mut spec = self.conditions.conditions()?;
        spec["name"] = self.name.as_str().into();
        spec["version"] = crate::version().into();
        Ok(spec.to_string())
    }

    /// Enters the event in the store, and returns its number.
    ///
    /// # Errors
    /// `unknown_rules`, or an error of the store.
    pub fn enter(&self, store: &Store) -> Result<i64, Error> {
        store.enter_event(self.kind, &self.name, &self.spec()?)
    }

    /// Plays the games that the store lacks of `games` games for each pairing, pair by pair, so that all pairings advance
    /// evenly, and returns the standings of the event.
    ///
    /// # Errors
    /// Before the first game: an invalid number of games, player or opening; `match_busy` when another process plays the
    /// event. Later: an error of the store or of a player; the games stored so far stay.
    pub fn play(
        &self,
        store: &Store,
        games: usize,
        workers: impl Into<Workers>,
        stop: &StopFlag,
        progress: &mut (dyn FnMut(TournamentProgress<'_>) + Send),
    ) -> Result<Standings, Error> {
        self.check(games)?;
        // Invalid openings are refused before anything is stored.
        let opening = OpeningSequence::new(&self.conditions, store)?.next_opening(stop)?;
        self.pairings.iter().try_for_each(|&(a, b)| self.matchup(a, b).check_opening(&opening))?;
        let event = self.enter(store)?;
        let _lock = store.lock(&LockName::Event(event))?;
        let workers = workers.into();
        while self.play_missing(store, event, games, &workers, stop, progress)?.is_none() {}
        standings(store, event, None)
    }

    /// Plays the games that the store lacks. Returns `None` when games were set aside.
    fn play_missing(
        &self,
        store: &Store,
        event: i64,
        games: usize,
        workers: &Workers,
        stop: &StopFlag,
        progress: &mut (dyn FnMut(TournamentProgress<'_>) + Send),
    ) -> Result<Option<()>, Error> {
        let mut pairings = Vec::with_capacity(self.pairings.len());
        for &(a, b) in &self.pairings {
            let matchup = self.matchup(a, b);
            let id = store.enter_match(&matchup, Some(event), Some(games), None)?;
            store.plan_match(id, Some(games), None)?;
            let digest = matchup.digest()?;
            pairings.push(Pairing { matchup: Arc::new(matchup), digest, id, stored: store.stored_games(id)? });
        }
        let pairs = games / 2;
        let count = |pairing: &Pairing<'_>| {
            let stored = |pair| [0, 1].iter().filter(|&&game| pairing.stored.contains(pair, game)).count();
            (0..pairs).map(stored).sum::<usize>()
        };
        let stored = pairings.iter().map(count).sum();
        let planned = games.saturating_mul(pairings.len());
        progress(TournamentProgress { games: stored, planned, game: None });
        let scheduler = RoundScheduler {
            openings: OpeningSequence::new(&self.conditions, store)?,
            pairings,
            pairs,
            round: 0,
            next_pairing: 0,
            opening: None,
            stored,
            planned,
            stop,
            progress,
        };
        Ok(play(store, workers, scheduler, stop, stop)?.map(drop))
    }
}

/// A pairing: a match of the tournament.
struct Pairing<'g> {
    matchup: Arc<Match<'g>>,
    digest: String,
    /// The number of the match in the store.
    id: i64,
    stored: StoredGames,
}

/// Schedules round after round; a round is one pair of games of each pairing.
struct RoundScheduler<'a, 'g> {
    openings: OpeningSequence<'a>,
    pairings: Vec<Pairing<'g>>,
    pairs: usize,
    /// The current pair, and the pairing that plays it next.
    round: usize,
    next_pairing: usize,
    /// The opening of the current pair, the same for all pairings.
    opening: Option<Opening>,
    stored: usize,
    planned: usize,
    stop: &'a StopFlag,
    progress: &'a mut (dyn FnMut(TournamentProgress<'_>) + Send),
}

impl<'g> Scheduler<'g> for RoundScheduler<'_, 'g> {
    fn next(&mut self) -> Result<Next<'g>, Error> {
        while self.round < self.pairs {
            if self.opening.is_none() {
                // Drawn even for a pair that is complete: later openings avoid the earlier ones.
                self.opening = Some(self.openings.next_opening(self.stop)?);
            }
            while let (Some(pairing), Some(opening)) = (self.pairings.get(self.next_pairing), &self.opening) {
                self.next_pairing += 1;
                let missing = (0..2).filter(|&game| !pairing.stored.contains(self.round, game));
                let job = |game| pairing.matchup.job(&pairing.digest, self.round, game, opening);
                let jobs: Vec<Job> = missing.map(job).collect();
                if !jobs.is_empty() {
                    return Ok(Next::Play(PairTask {
                        pairing: self.next_pairing - 1,
                        matchup: Arc::clone(&pairing.matchup),
                        id: pairing.id,
                        pair: self.round,
                        jobs,
                    }));
                }
            }
            (self.round, self.next_pairing, self.opening) = (self.round + 1, 0, None);
        }
        Ok(Next::Done)
    }

    /// An error of a player that is not a fault in a game ends the tournament: the score of that player would not measure
    /// its strength.
    fn on_result(&mut self, task: &PairTask<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error> {
        let record = result?;
        self.stored += 1;
        let players = task.matchup.spec.sides().map(|side| side.player.as_str());
        (self.progress)(TournamentProgress {
            games: self.stored,
            planned: self.planned,
            game: Some((record, players)),
        });
        Ok(())
    }

    fn on_task_end(&mut self, _: &PairTask<'g>) -> Result<(), Error> {
        Ok(())
    }
}
