//! Tournaments: many players, each pairing a match of its own, all in one event of the store.

use std::collections::HashMap;
use std::sync::Arc;

use banmen_catalog::{Error, ErrorCode};
use banmen_search::StopFlag;

use crate::match_pool::{Director, Job, Next, play};
use crate::opening::{Deck, Opening};
use crate::store::{Present, Store};
use crate::{Contestant, GameRecord, Match, Standings, standings};

/// Who plays whom.
#[derive(Clone)]
pub struct Tournament<'g> {
    /// What it is in the store: `tournament`, `ladder`.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// The games' conditions; its players stand for all, by their limits.
    pub conditions: Match<'g>,
    /// The players, as text.
    pub players: Vec<String>,
    /// Who plays whom, by place among the players.
    pub pairings: Vec<(usize, usize)>,
}

/// How far a tournament is.
pub struct Round<'a> {
    /// Games that are stored.
    pub games: usize,
    /// Games that it is to have.
    pub planned: usize,
    /// The game that was just finished, and its players, the first of the match first; `None` before the first.
    pub game: Option<(&'a GameRecord, [&'a str; 2])>,
}

impl<'g> Tournament<'g> {
    /// Everybody against everybody.
    #[must_use]
    pub fn round_robin(conditions: Match<'g>, players: Vec<String>) -> Self {
        let count = players.len();
        let pairings = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
        Tournament::new("tournament", conditions, players, pairings)
    }

    /// The first player against everybody else.
    #[must_use]
    pub fn gauntlet(conditions: Match<'g>, players: Vec<String>) -> Self {
        let pairings = (1..players.len()).map(|b| (0, b)).collect();
        Tournament::new("tournament", conditions, players, pairings)
    }

    /// The levels of the game's engine, each against the next two, and the lowest three against random play, which comes
    /// first.
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

    /// The match of two players, who stand in the order of their texts: whatever order they are named in, it is the
    /// same one.
    fn bout(&self, a: usize, b: usize) -> Match<'g> {
        let mut names = [&self.players[a], &self.players[b]];
        names.sort();
        let limits = self.conditions.a.limits;
        let [a, b] = names.map(|name| Contestant::new(name.as_str(), limits));
        Match { a, b, ..self.conditions.clone() }
    }

    fn check(&self, games: usize) -> Result<(), Error> {
        if games < 2 || !games.is_multiple_of(2) {
            let message = format!("games={games} is no even number from 2 on: every opening is played twice");
            return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "games"));
        }
        if self.players.len() < 2 {
            return Err(Error::new(ErrorCode::OutOfRange, "a tournament has two players or more").arg("key", "players"));
        }
        let mut seen = HashMap::new();
        for (number, player) in (1..).zip(&self.players) {
            if let Some(first) = seen.insert(player, number) {
                let message = format!("players {first} and {number} are both {player}: nobody plays against itself");
                return Err(Error::new(ErrorCode::OutOfRange, message).arg("key", "players").at(number));
            }
            let alone = Match { a: Contestant::new(player, self.conditions.a.limits), ..self.conditions.clone() };
            alone.player(0)?;
        }
        Ok(())
    }

    /// What tells this event from others: the conditions of its games, the build that plays them, and what it is
    /// called. Not who takes part: when somebody joins, the games of the others stay.
    fn spec(&self) -> Result<String, Error> {
        let mut spec = self.conditions.conditions()?;
        spec["name"] = self.name.as_str().into();
        spec["version"] = crate::version().into();
        Ok(spec.to_string())
    }

    /// Enters the event in the store, and gives its number.
    ///
    /// # Errors
    /// `unknown_rules`, and what the store fails with.
    pub fn enter(&self, store: &Store) -> Result<i64, Error> {
        store.enter_event(self.kind, &self.name, &self.spec()?)
    }

    /// Plays what the store lacks of `games` games for each pairing, pair by pair, so that all pairings advance evenly, and
    /// gives the table of the event.
    ///
    /// # Errors
    /// What does not fit, before the first game; `match_busy` when another process plays it; what the store or a player
    /// failed with: the games stored so far stay.
    pub fn play(
        &self,
        store: &Store,
        games: usize,
        concurrency: usize,
        stop: &StopFlag,
        progress: &mut (dyn FnMut(Round<'_>) + Send),
    ) -> Result<Standings, Error> {
        self.check(games)?;
        let conditions = &self.conditions;
        let deck =
            || Deck::new(conditions.game, conditions.rules.as_deref(), &conditions.openings, conditions.seed, store);
        // What does not fit is said before anything is stored.
        deck()?.deal(stop)?;
        let event = self.enter(store)?;
        let _lock = store.lock(&format!("event-{event}"))?;
        let mut tables = Vec::with_capacity(self.pairings.len());
        for &(a, b) in &self.pairings {
            let bout = self.bout(a, b);
            let id = store.enter(&bout, Some(event), Some(games), None)?;
            tables.push(Table { bout: Arc::new(bout), id, present: store.present(id)? });
        }
        let pairs = games / 2;
        let count = |table: &Table<'_>| {
            (0..pairs).map(|pair| [0, 1].iter().filter(|&&game| table.present.has(pair, game)).count()).sum::<usize>()
        };
        let stored = tables.iter().map(count).sum();
        let planned = games.saturating_mul(tables.len());
        progress(Round { games: stored, planned, game: None });
        let rounds =
            Rounds { deck: deck()?, tables, pairs, round: 0, at: 0, opening: None, stored, planned, stop, progress };
        play(store, concurrency, rounds, stop, stop)?;
        standings(store, event, None)
    }
}

/// A pairing.
struct Table<'g> {
    bout: Arc<Match<'g>>,
    id: i64,
    present: Present,
}

/// Deals pair after pair to all tables.
struct Rounds<'a, 'g> {
    deck: Deck<'a>,
    tables: Vec<Table<'g>>,
    pairs: usize,
    /// The pair that is being dealt, and the table that is next.
    round: usize,
    at: usize,
    /// The opening of this pair, the same at all tables.
    opening: Option<Arc<Opening>>,
    stored: usize,
    planned: usize,
    stop: &'a StopFlag,
    progress: &'a mut (dyn FnMut(Round<'_>) + Send),
}

impl<'g> Director<'g> for Rounds<'_, 'g> {
    fn next(&mut self) -> Result<Next<'g>, Error> {
        while self.round < self.pairs {
            let opening = match &self.opening {
                Some(opening) => Arc::clone(opening),
                // Dealt even where it is not needed: later openings avoid those before them.
                None => Arc::clone(self.opening.insert(Arc::new(self.deck.deal(self.stop)?))),
            };
            while let Some(table) = self.tables.get(self.at) {
                self.at += 1;
                let missing = [0, 1].map(|game| !table.present.has(self.round, game));
                if missing != [false, false] {
                    return Ok(Next::Play(Job {
                        table: self.at - 1,
                        bout: Arc::clone(&table.bout),
                        id: table.id,
                        pair: self.round,
                        missing,
                        opening,
                    }));
                }
            }
            (self.round, self.at, self.opening) = (self.round + 1, 0, None);
        }
        Ok(Next::Done)
    }

    /// A player that fails otherwise than by a fault in a game ends the tournament: what it would score is not its
    /// strength.
    fn heard(&mut self, job: &Job<'g>, result: Result<&GameRecord, Error>) -> Result<(), Error> {
        let record = result?;
        self.stored += 1;
        let players = job.bout.sides().map(|side| side.player.as_str());
        (self.progress)(Round { games: self.stored, planned: self.planned, game: Some((record, players)) });
        Ok(())
    }

    fn done(&mut self, _: &Job<'g>) -> Result<(), Error> {
        Ok(())
    }
}
