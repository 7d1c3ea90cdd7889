//! Who plays whom next in a league, and from which opening.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use banmen_catalog::Error;
use banmen_game::{Rng, mix};
use banmen_search::StopFlag;
use banmen_stats::{Ratings, score_from_elo};

use crate::match_pool::Job;
use crate::opening::{Deck, Opening};
use crate::standings::{MODEL, meetings};
use crate::store::{Encounter, Entrant, Store};
use crate::{Contestant, Match};

/// Openings of a pairing before they come again. More would cost memory in leagues that go on for long.
const OPENINGS: usize = 1024;

/// One pairing of so many is drawn at random, so that in time everybody meets everybody.
const DRAWN: u64 = 8;

/// One standard deviation, as a confidence.
const DEVIATION: f64 = 0.682_689_492_137_086;

/// The matches of a league.
pub(crate) struct Pairings<'a, 'g> {
    deck: Deck<'a>,
    openings: Vec<Arc<Opening>>,
    tables: Vec<Table<'g>>,
    /// The places of the tables by the numbers of their players.
    places: HashMap<[i64; 2], usize>,
    ratings: Option<Ratings>,
    rng: Rng,
    chosen: u64,
}

/// A match of the league.
struct Table<'g> {
    bout: Arc<Match<'g>>,
    id: i64,
    players: [i64; 2],
    /// Pairs that were begun and not ended, with the games that they lack.
    broken: Vec<(usize, [bool; 2])>,
    next: usize,
    /// Pairs being played, with the games that they still lack.
    busy: Vec<(usize, [bool; 2])>,
}

impl<'a, 'g> Pairings<'a, 'g> {
    pub(crate) fn new(deck: Deck<'a>, seed: u64) -> Self {
        Pairings {
            deck,
            openings: Vec::new(),
            tables: Vec::new(),
            places: HashMap::new(),
            ratings: None,
            rng: Rng::new(mix(seed)),
            chosen: 0,
        }
    }

    /// The ratings are to be made anew.
    pub(crate) fn stale(&mut self) {
        self.ratings = None;
    }

    /// Whether a pair is being played.
    pub(crate) fn busy(&self) -> bool {
        self.tables.iter().any(|table| !table.busy.is_empty())
    }

    /// The numbers of the players of a job, the first of its match first.
    pub(crate) fn players(&self, job: &Job<'g>) -> [i64; 2] {
        self.tables[job.table].players
    }

    /// Two of those that are `playing`, by their places among the entrants: the two whose pair of games tells most.
    ///
    /// A pair tells of the difference of two ratings as much as its Fisher information weighs beside what is known of it:
    /// ln(1 + information × variance). So newcomers come first, then those near to each other whose order is open
    /// (D-optimal design; the information is 2 p (1 − p) (ln 10 / 400)², most for equals). Who is playing already counts less.
    /// `playing` has two or more.
    pub(crate) fn choose(
        &mut self,
        entrants: &[Entrant],
        playing: &[usize],
        encounters: &BTreeMap<i64, Encounter>,
    ) -> (usize, usize) {
        self.chosen += 1;
        let pairs: Vec<(usize, usize)> =
            playing.iter().enumerate().flat_map(|(at, &a)| playing.iter().skip(at + 1).map(move |&b| (a, b))).collect();
        if self.chosen.is_multiple_of(DRAWN) {
            return pairs[self.rng.index(pairs.len())];
        }
        if self.ratings.is_none() {
            let places: HashMap<i64, usize> = entrants.iter().enumerate().map(|(at, one)| (one.id, at)).collect();
            let all: Vec<Encounter> = encounters.values().copied().collect();
            // With its virtual games there are ratings whatever was played; without, newcomers are as good a guess.
            self.ratings = Ratings::fit(entrants.len(), &meetings(&places, &all), MODEL).ok();
        }
        let mut busy: HashMap<i64, f64> = HashMap::new();
        for table in &self.tables {
            for player in table.players {
                *busy.entry(player).or_default() += table.busy.len() as f64;
            }
        }
        let worth = |&(a, b): &(usize, usize)| -> f64 {
            let found = self.ratings.as_ref().and_then(|ratings| ratings.difference(a, b, DEVIATION));
            let Some(difference) = found else { return 0.0 };
            let (score, deviation) = (score_from_elo(difference.value), 0.5 * (difference.high - difference.low));
            let information = 2.0 * score * (1.0 - score) * (std::f64::consts::LN_10 / 400.0).powi(2);
            let (a, b) = (entrants[a].id, entrants[b].id);
            let together = self.table(a, b).map_or(0.0, |table| table.busy.len() as f64);
            let others = busy.get(&a).unwrap_or(&0.0) + busy.get(&b).unwrap_or(&0.0);
            (information * deviation * deviation).ln_1p() / (1.0 + others + 4.0 * together)
        };
        let mut best = (pairs[0], f64::NEG_INFINITY);
        for pair in &pairs {
            let worth = worth(pair);
            if worth > best.1 {
                best = (*pair, worth);
            }
        }
        best.0
    }

    fn table(&self, a: i64, b: i64) -> Option<&Table<'g>> {
        self.places.get(&[a.min(b), a.max(b)]).map(|&at| &self.tables[at])
    }

    /// The next pair of games of two entrants. `None` when their match has other versions of them: one of their programs
    /// was changed.
    pub(crate) fn job(
        &mut self,
        conditions: &Match<'g>,
        store: &Store,
        event: i64,
        mut two: [&Entrant; 2],
        stop: &StopFlag,
    ) -> Result<Option<Job<'g>>, Error> {
        let [a, b] = two.map(|entrant| entrant.id);
        let key = [a.min(b), a.max(b)];
        let at = match self.places.get(&key) {
            Some(&at) => at,
            None => {
                // Whatever order they are chosen in, it is the same match.
                two.sort_by(|a, b| a.player.cmp(&b.player));
                let limits = conditions.a.limits;
                let [a, b] = two.map(|entrant| Contestant::new(entrant.player.as_str(), limits));
                let bout = Match { a, b, ..conditions.clone() };
                let id = store.enter(&bout, Some(event), None, None)?;
                let players = store.players_in(id)?;
                if players != two.map(|entrant| entrant.id) {
                    return Ok(None);
                }
                let present = store.present(id)?;
                let next = present.pairs();
                let lacks = |pair| [0, 1].map(|game| !present.has(pair, game));
                let broken =
                    (0..next).rev().map(|pair| (pair, lacks(pair))).filter(|(_, lacks)| *lacks != [false; 2]).collect();
                self.tables.push(Table { bout: Arc::new(bout), id, players, broken, next, busy: Vec::new() });
                self.places.insert(key, self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        let table = &mut self.tables[at];
        let (pair, missing) = table.broken.pop().unwrap_or_else(|| {
            table.next += 1;
            (table.next - 1, [true; 2])
        });
        while self.openings.len() <= pair % OPENINGS {
            self.openings.push(Arc::new(self.deck.deal(stop)?));
        }
        table.busy.push((pair, missing));
        let (bout, id) = (Arc::clone(&table.bout), table.id);
        let opening = Arc::clone(&self.openings[pair % OPENINGS]);
        Ok(Some(Job { table: at, bout, id, pair, missing, opening }))
    }

    /// A game of a job was stored.
    pub(crate) fn played(&mut self, job: &Job<'g>, game: usize) {
        let busy = self.tables[job.table].busy.iter_mut().find(|(pair, _)| *pair == job.pair);
        if let Some((_, missing)) = busy {
            missing[game] = false;
        }
    }

    /// A job is over; what it lacks still is played another time.
    pub(crate) fn done(&mut self, job: &Job<'g>) {
        let table = &mut self.tables[job.table];
        if let Some(at) = table.busy.iter().position(|(pair, _)| *pair == job.pair) {
            let left = table.busy.swap_remove(at);
            if left.1 != [false, false] {
                table.broken.push(left);
            }
        }
    }
}
